"""``--time-limit`` and the limits of studies, on the command line and in files."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from askwise.studies.schema.study_file import study_from
from askwise.workers import heartbeat as usual
from tests.cli.command import Run, run_as_user, user_environment
from tests.domains.instances import EXAMPLE
from tests.studies.studies import SMALL, small, stored, toml
from tests.studies.villains import line_of, write_villains

TELLS = pytest.mark.skipif(sys.platform == "win32", reason="no signals, no stacks")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("map.json").write_text(EXAMPLE)
    write_villains(tmp_path)


@TELLS
@pytest.mark.parametrize(
    ("command", "villain", "words"),
    [
        (["run"], "HangsInC", f"took longer than 3 s for a decision (villains.py, line {line_of('hangs in C')})"),
        (["ask"], "Swallows", f"took longer than 3 s for a decision (villains.py, line {line_of('swallows')})"),
        (["evaluate", "--episodes", "2"], "Exits", "its process ended itself (exit code 3)"),
    ],
)
def test_an_agent_that_hangs_or_dies_under_a_limit(run: Run, command: list[str], villain: str, words: str) -> None:
    name, *options = command
    method = f"villains.py:{villain}"
    outcome = run(name, "map.json", *options, "--method", method, "--time-limit", "3")
    outcome.assert_refused(f"askwise {name}: agent {method!r}: {words}")


LATE = """\
import os, time
from askwise.methods import Never
time.sleep(100_000)

class Late(Never):
    pass
"""


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents that never get so far as to be agents; and nobody waits ten seconds for them."""
    Path("late.py").write_text(LATE)
    Path("gone.py").write_text(LATE.replace("time.sleep(100_000)", "os._exit(3)"))
    Path("left.py").write_text(LATE.replace("time.sleep(100_000)", "os._exit(0)"))
    monkeypatch.setattr(usual, "LEAST_LOADING", 3.0)


@TELLS
@pytest.mark.usefixtures("late")
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("late.py", "took longer than 3 s to be loaded (late.py, line 3)"),
        ("gone.py", "its process ended itself (exit code 3)"),
        ("left.py", "its process ended itself (exit code 0)"),
    ],
)
def test_an_agent_that_hangs_or_dies_while_it_is_loaded(run: Run, file: str, words: str) -> None:
    method = f"{file}:Late"
    if file != "late.py":  # waited for once, by the study
        run("run", "map.json", "--method", method, "--time-limit", "0.1").assert_refused(
            f"askwise run: agent {method!r}: {words}"
        )
    run("study", "--methods", "never", method, "--time-limit", "0.1", "--out", "out").assert_refused(
        f"askwise study: method {method!r}: {words}"
    )
    assert not Path("out").exists()


def test_a_limit_that_nobody_exceeds_changes_nothing(run: Run) -> None:
    command = ["run", "-", "--method", "never", "--seed", "1", "--json"]
    limited = run_as_user(*command, "--time-limit", "1000", stdin=EXAMPLE.encode())
    assert json.loads(limited.assert_fine())["finished"]
    assert run(*command, stdin=EXAMPLE) == limited


def test_what_is_wrong_inside_is_said_inside() -> None:
    outcome = run_as_user("run", "none.json", "--time-limit", "5")
    outcome.assert_refused(
        "askwise run: file 'none.json': found no such file or directory; expected a file that can be read"
    )


@pytest.mark.parametrize("limit", ["0", "-1", "x", "nan", "inf"])
def test_limits_that_are_none(run: Run, limit: str) -> None:
    Path("map.json").write_text(EXAMPLE)
    run("run", "map.json", "--time-limit", limit).assert_refused(
        f"askwise run: --time-limit: found {limit!r}; expected a finite number above 0"
    )


@TELLS
def test_ctrl_c_under_a_limit_ends_both() -> None:
    Path("villains.py").write_text(
        Path("villains.py").read_text().replace("pass  # hangs", "print('begun', file=sys.stderr, flush=True)")
    )
    command = [
        sys.executable,
        "-m",
        "askwise.cli",
        "run",
        "map.json",
        "--method",
        "villains.py:Hangs",
        "--time-limit",
        "999",
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, env=user_environment()
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        process.send_signal(signal.SIGINT)  # to the waiting one alone
        rest = [line for line in process.stderr.read().splitlines() if line != "begun"]
        assert (process.wait(120), rest) == (130, ["askwise run: interrupted"])


# -- studies ---------------------------------------------------------------------------------------------------------


def test_a_study_with_limits_from_its_file_and_from_options(run: Run, tmp_path: Path) -> None:
    text = toml(
        small(methods=["never"], priors=["far"], instances={"count": 1, "size": 4, "stations": 3, "toolboxes": 1})
    )
    Path("s.toml").write_text(text + "limits = {decision_seconds = 20, memory_gib = 64}\n")
    options = ["--workers", "1", "--episode-time-limit", "500", "--time-limit", "none"]
    run("study", "s.toml", *options).assert_fine()
    about = json.loads(Path("out/small/provenance.json").read_text())["runs"][0]
    assert about["limits"] == {"decision_seconds": None, "episode_seconds": 500.0, "memory_gib": 64.0}
    assert stored(tmp_path / "out" / "small")["error"].null_count() == 2
    for name in ("time-limit", "episode-time-limit", "memory-limit"):
        run("study", "s.toml", f"--{name}", "0").assert_refused(
            f"askwise study: --{name}: found '0'; expected a number above 0, or 'none'"
        )


def test_limits_in_study_files() -> None:
    plain = study_from(SMALL)
    assert (plain.limits.decision, plain.limits.episode, plain.limits.memory) == (300, 3600, math.inf)
    given = study_from({**SMALL, "limits": {"decision_seconds": math.inf, "episode_seconds": "none", "memory_gib": 2}})
    assert (given.limits.decision, given.limits.episode, given.limits.memory) == (math.inf, math.inf, 2)
    assert given.fingerprint == plain.fingerprint
    for limits, message in [
        ({"decision_seconds": 0}, "limits.decision_seconds: found 0; expected a number above 0, or 'none'"),
        ({"episode_seconds": True}, "limits.episode_seconds: found true; expected a number above 0, or 'none'"),
        ({"memory_gib": "much"}, "limits.memory_gib: found \"much\"; expected a number above 0, or 'none'"),
        (
            {"decision": 3},
            'limits: found the unknown key "decision"; expected only decision_seconds, episode_seconds, ',
        ),
        (7, "limits: found 7; expected an object, { ... }"),
    ]:
        with pytest.raises(ValueError, match=r"^limits") as refused:
            study_from({**SMALL, "limits": limits})
        assert str(refused.value).startswith(message)

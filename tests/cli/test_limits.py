"""Limits of time and memory, on the command line and in study files, and commands that have none."""

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
from tests.cli.command import Run, user_environment
from tests.domains.instances import EXAMPLE
from tests.studies.studies import SMALL, small, stored, toml
from tests.studies.villains import write_villains

SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="no signals, no stacks")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("map.json").write_text(EXAMPLE)
    write_villains(tmp_path)


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


@SIGNALS
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
    run("study", "--methods", "never", method, "--time-limit", "0.1", "--out", "out").assert_refused(
        f"askwise study: method {method!r}: {words}"
    )
    assert not Path("out").exists()


@pytest.mark.parametrize("command", ["ask", "run", "evaluate"])
@pytest.mark.parametrize("given", [["--time-limit", "5"], ["--time-limit=5"], ["--limit", "5"], ["--limit"]])
def test_commands_without_a_limit_name_one_of_the_system(run: Run, command: str, given: list[str]) -> None:
    option = given[0].partition("=")[0]
    for arguments in (["map.json", *given], [*given, "map.json"]):
        run(command, *arguments).assert_refused(
            f"askwise {command}: {option} was removed; your system can limit the time: timeout 60 askwise {command} ..."
        )
    assert option not in run(command, "--help-all").assert_fine()


@SIGNALS
@pytest.mark.parametrize("villain", ["Hangs", "Swallows", "HangsInC"])
def test_the_system_can_end_an_agent_that_hangs(villain: str) -> None:
    """As ``timeout`` does."""
    path = Path("villains.py")
    path.write_text(path.read_text().replace("while True", "while print('begun', file=sys.stderr, flush=True) is None"))
    command = [sys.executable, "-m", "askwise.cli", "run", "map.json", "--method", f"villains.py:{villain}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=user_environment()) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        process.terminate()
        assert process.wait(120) == -signal.SIGTERM


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

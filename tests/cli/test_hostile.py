"""Input and surroundings that nobody should meet, and somebody will: no traceback, whatever happens."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from askwise.cli import main
from askwise.model import GridWorld
from tests.cli.command import Run, run_as_user, user_environment
from tests.domains.instances import EXAMPLE, instance_json

COMMAND = [sys.executable, "-m", "askwise.cli"]


def stations(*names: str) -> dict[str, object]:
    return {name: {"at": [k, 1], "toolbox": "T1"} for k, name in enumerate(names)}


@pytest.mark.parametrize("name", ["a\nb", "a\r\nb", "\x1b[31mred", "a\u2028b"])
def test_a_complaint_stays_on_one_line_whatever_the_names(run: Run, name: str) -> None:
    faulty = instance_json(stations={name: {"at": [99, 99], "toolbox": "T1"}})
    outcome = run("edp", "-", stdin=json.dumps(faulty))
    outcome.assert_refused_somehow()
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.rstrip("\n").isprintable()


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred"])
def test_names_do_not_break_the_table(run: Run, name: str) -> None:
    printed = run("edp", "-", stdin=json.dumps(instance_json(stations=stations(name, "other")))).assert_fine()
    assert len(printed.splitlines()) == 12
    assert all(line.isprintable() for line in printed.splitlines())


@pytest.mark.parametrize(("encoding", "name"), [("ascii", "日本"), ("latin-1", "\U0001f600")])
def test_letters_that_the_terminal_cannot_show_are_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, encoding: str, name: str
) -> None:
    (tmp_path / "map").write_text(json.dumps(instance_json(stations=stations(name, "other"))))
    terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["edp", str(tmp_path / "map")]) == 0
    terminal.flush()
    assert b"other" in terminal.buffer.getvalue()


@pytest.mark.parametrize("more", [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], ids=["utf-8", "ascii"])
def test_in_the_c_locale_files_are_read_and_written_as_ever(run: Run, more: dict[str, str]) -> None:
    """Python then prints UTF-8 all the same; the second time it is kept from that, and has only ASCII."""
    Path("tür.json").write_text(json.dumps(instance_json(stations=stations("日本", "other"))), encoding="utf-8")
    episode = ["run", "tür.json", "--method", "never", "--goal", "other", "--seed", "1", "--trace"]
    usual = run(*episode, "a.json").assert_fine()
    printed = run_as_user(*episode, "b.json", env={"LC_ALL": "C", "TERM": "dumb", **more}).assert_fine()
    assert printed.isascii() if more else printed == usual.replace("a.json", "b.json")
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


@pytest.mark.parametrize("text", ["A.W.B\n", EXAMPLE], ids=["drawing", "instance"])
def test_a_byte_order_mark_is_no_part_of_a_map(run: Run, text: str) -> None:
    Path("map").write_bytes(b"\xef\xbb\xbf" + text.encode())
    printed = run("edp", "map").assert_fine()
    assert printed == run("edp", "-", stdin=text).assert_fine()


def test_a_value_nested_deeply_is_refused(run: Run) -> None:
    nested = json.loads("[" * 930 + "]" * 930)
    Path("deep.json").write_text(json.dumps({**instance_json(), "words": nested}))
    refused = "found JSON nested too deeply; expected one JSON object as documented"
    for command in ("show", "ask", "decide"):
        run(command, "deep.json").assert_refused(f"askwise {command}: file 'deep.json': {refused}")


@pytest.mark.parametrize("command", ["show", "ask", "decide", "edp", "solve", "audit", "study"])
def test_a_device_is_refused_and_not_read(run: Run, command: str) -> None:
    found = "found a device; expected a file that can be read"
    run(command, "/dev/zero").assert_refused(f"askwise {command}: file '/dev/zero': {found}")


def test_closed_standard_input_is_refused() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@" <&-', *COMMAND, "edp", "-"], capture_output=True, check=False, env=user_environment()
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"askwise edp: ")
    assert done.stderr.count(b"\n") == 1


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    # The pipe is closed before the command prints: it waits for its input first.
    process = subprocess.Popen(
        [*COMMAND, "edp", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=user_environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(b"A.W.B\n")
    process.stdin.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0, "as if it had read all of it"
    assert complaint == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a file on a disk that is always full")
def test_a_full_disk_is_named() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "edp", "-"],
            input=b"A.W.B\n",
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=user_environment(),
        )
    assert done.returncode != 0
    assert done.stderr.startswith(b"askwise edp: ")
    assert done.stderr.count(b"\n") == 1


def test_a_map_that_does_not_fit_into_memory_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object) -> None:
        raise MemoryError("Unable to allocate 1.86 GiB for an array with shape (100000000, 5) and data type int32")

    monkeypatch.setattr(GridWorld, "__init__", too_large)
    run("edp", "-", stdin="A.W.B").assert_refused_somehow()

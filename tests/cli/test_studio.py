"""``askwise studio``: what is refused before it opens. How it works when it is open: tests/studio."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.cli.command import Run

DECISIONS = Path(__file__).resolve().parents[2] / "examples" / "decisions"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "x"], "--port: found 'x'; expected a whole number from 0"),
        (["--workers", "0"], "--workers: found '0'; expected a whole number from 1"),
        (["--time-limit", "0"], "--time-limit: found '0'; expected a finite number above 0"),
        (["nowhere.toml"], "file 'nowhere.toml': found no such file or directory; expected a file that can be read"),
        (["."], "folder '.': found no .toml or .json file; expected problem files (askwise new writes one)"),
        (
            [str(DECISIONS / "ticket.toml")],
            f"file {str(DECISIONS / 'ticket.toml')!r}: found a decision file; expected "
            "an instance file or a study with people (askwise decide takes this one)",
        ),
        (
            [str(DECISIONS)],
            f"file {str(DECISIONS / 'robot.toml')!r}, format: found a decision file; expected "
            "an instance file (askwise decide takes this one)",
        ),
        (
            ["--url", "ftp://lab", "--port", "0"],
            "--url: found 'ftp://lab'; expected http://HOST or https://HOST, with a port if it has one",
        ),
    ],
)
def test_refusals(run: Run, arguments: list[str], message: str) -> None:
    run("studio", *arguments).assert_refused(f"askwise studio: {message}")


def test_a_port_that_is_taken(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = f"127.0.0.1:{port} (address already in use); expected an address and a free port, or --port 0"
        run("studio", "--port", str(port)).assert_refused(f"askwise studio: --host, --port: found {message}")


def test_a_folder_that_another_studio_works_in(run: Run, tmp_path: Path) -> None:
    from askwise.studies.running.ownership import lock

    with lock(tmp_path):
        run("studio", "--out", str(tmp_path), "--port", "0").assert_refused(
            f"askwise studio: folder {str(tmp_path)!r}: found another run that uses it; "
            "expected a folder that no other run uses"
        )

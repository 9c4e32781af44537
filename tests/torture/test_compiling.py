"""Stress tests of the cache of compiled code: a command that is run afterwards gives the same result."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import askwise
from tests.cli.command import user_environment
from tests.cli.test_run import in_a_terminal
from tests.studies.studies import small, table_bytes, toml

EXAMPLES = Path(__file__).parents[2] / "examples"
ASK = ["ask", str(EXAMPLES / "workshop.json"), "--method", "ezq-exact"]
"""A command that compiles; the planner decides the examples in Python."""

KILLED = """
import os, signal, sys
from numba.core.caching import IndexDataCacheFile

stage = sys.argv.pop(1)
setattr(os if stage == "replace" else IndexDataCacheFile, stage, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
from askwise.cli import main
sys.exit(main())
"""
"""A program that ends abruptly, like in a power failure, just before the first call of a given function."""


def started(*arguments: str, cache: Path) -> subprocess.Popen[str]:
    """Start a Python process with its own cache of compiled code."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=user_environment({"NUMBA_CACHE_DIR": str(cache)}),
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate()
    return process.returncode, out, err


def asked(cache: Path) -> tuple[int, str, str]:
    return outcome(started("-m", "askwise.cli", *ASK, cache=cache))


@pytest.fixture(scope="module")
def expected() -> tuple[int, str, str]:
    """The output of the command with the usual cache."""
    done = subprocess.run(
        [sys.executable, "-m", "askwise.cli", *ASK], capture_output=True, text=True, check=True, env=user_environment()
    )
    assert (done.stdout != "", done.stderr) == (True, "")
    return 0, done.stdout, ""


def kept(cache: Path) -> dict[str, int]:
    """Return the files of a folder with their modification times."""
    return {str(path.relative_to(cache)): path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}


def test_two_that_compile_at_once_into_an_empty_folder(tmp_path: Path, expected: tuple[int, str, str]) -> None:
    both = [started("-m", "askwise.cli", *ASK, cache=tmp_path) for _ in range(2)]
    assert [outcome(each) for each in both] == [expected, expected]
    found = kept(tmp_path)
    assert any(name.endswith(".nbc") for name in found)
    assert asked(tmp_path) == expected
    assert kept(tmp_path) == found, "the third compiles nothing"


def test_killed_while_loops_are_kept(tmp_path: Path, expected: tuple[int, str, str]) -> None:
    """The process is killed before it writes the index, before it writes the code, and before it renames the file."""
    for stage in ("_save_index", "_save_data", "replace"):
        code, out, _ = outcome(started("-c", KILLED, stage, *ASK, cache=tmp_path))
        assert (code, out) == (-9, ""), "or there was nothing left to compile"
    assert asked(tmp_path) == expected
    found = kept(tmp_path)
    assert asked(tmp_path) == expected
    assert kept(tmp_path) == found, "what was cut short is compiled and kept in the end"


def test_nothing_can_be_written(tmp_path: Path, expected: tuple[int, str, str]) -> None:
    """Code is then compiled and not cached."""
    (tmp_path / "file").touch()
    assert asked_without_pycache(tmp_path, tmp_path / "file") == expected
    assert not [name for name in kept(tmp_path) if name.endswith((".nbi", ".nbc"))]


def asked_without_pycache(folder: Path, home: Path) -> tuple[int, str, str]:
    """Run a copy of askwise in which a file blocks each folder of compiled code.

    This also works for root, whom permissions do not restrict.
    """
    package = folder / "askwise"
    shutil.copytree(Path(askwise.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for inner in (package, *(path for path in package.rglob("*") if path.is_dir())):
        (inner / "__pycache__").touch()
    places = {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(home), "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "askwise.cli", *ASK],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=user_environment(places),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("more", [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], ids=["utf-8", "ascii"])
def test_a_study_at_a_dumb_terminal_in_the_c_locale(tmp_path: Path, more: dict[str, str]) -> None:
    study = tmp_path / "s.toml"
    study.write_text(toml(small(priors=["far"], per_goal=[0.0])))
    command = ["study", str(study), "--workers", "1", "--out"]
    code, printed = in_a_terminal(*command, str(tmp_path / "dumb"), LC_ALL="C", TERM="dumb", **more)
    assert (code, "\x1b" in printed, "18/18" in printed) == (0, False, True)
    assert printed.isascii() == bool(more)
    assert in_a_terminal(*command, str(tmp_path / "usual"))[0] == 0
    assert table_bytes(tmp_path / "dumb") == table_bytes(tmp_path / "usual")

"""Compiling: told to whoever waits for it, once; and no kernel is compiled twice for the same work."""

from __future__ import annotations

import io
import multiprocessing
import os
import pty
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from askwise import _compiled

EXAMPLES = Path(__file__).parent.parent / "examples"


def _started(module: str) -> Any:
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})


class Terminal(io.StringIO):
    """Something to write to that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_each_part_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, terminal = _compiled._Compiling(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for module in (
        "askwise.planning.search.values",
        "askwise.planning.tables",
        "numba.np.arrayobj",
        "askwise.planning.noisy.values",
        "askwise._graph",
        "askwise.planning.search.menus",
    ):
        listener.on_start(_started(module))
        listener.on_end(None)
    assert terminal.getvalue().splitlines() == [
        "askwise: compiling the planner; this is kept for later runs",
        "askwise: compiling the planner for wrong answers; this is kept for later runs",
        "askwise: compiling models; this is kept for later runs",
    ]


def test_files_and_workers_of_a_pool_are_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, terminal = _compiled._Compiling(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing, "parent_process", lambda: object())
        listener.on_start(_started("askwise.chain.solve"))
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    listener.on_start(_started("askwise.chain.solve"))
    monkeypatch.setattr(sys, "stderr", None)
    listener.on_start(_started("askwise.divergence.cones"))
    for _ in range(3):
        listener.on_end(None)
    assert terminal.getvalue() == ""


def test_every_kernel_belongs_to_a_part() -> None:
    for part in ("chain", "divergence", "model", "planning", "query", "domains"):
        module = f"askwise.{part}.some"
        assert next(told for start, told in _compiled.PARTS.items() if module.startswith(start))


def _at_terminal(*arguments: str, cache: Path) -> tuple[str, str]:
    """Run a command as somebody at a terminal: return what it printed, and what it said there."""
    ours, its = pty.openpty()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "askwise", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=its, check=True, env=environment)
    os.close(its)
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:  # nobody is left at the other end
        pass
    finally:
        os.close(ours)
    return done.stdout.decode(), said.decode().replace("\r\n", "\n")


def test_a_first_use_is_announced_and_a_second_is_silent(tmp_path: Path) -> None:
    given = ("edp", str(EXAMPLES / "two-goals.txt"))
    printed, said = _at_terminal(*given, cache=tmp_path)
    assert said.splitlines()
    assert all(line.startswith("askwise: compiling ") for line in said.splitlines())
    assert len(set(said.splitlines())) == len(said.splitlines())
    assert _at_terminal(*given, cache=tmp_path) == (printed, "")


@_compiled.inner
def _twice(number: int) -> int:
    return 2 * number


def _several(small: Any, large: int) -> int:
    return _twice(small[0]) + _twice(large) + _twice(1) + _twice(-1) + _twice(number=3)


def test_a_kernel_is_compiled_once_for_numbers_of_any_kind() -> None:
    several = numba.njit(_several)  # not kept on disk: it is compiled in every run of the tests
    assert several(np.array([20], dtype=np.int32), 5) == 2 * (20 + 5 + 1 - 1 + 3)
    kernel: Any = _twice
    assert list(kernel.signatures) == [(numba.int64,)]

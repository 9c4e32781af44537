"""Ctrl-C at any moment: one line, exit code 130, no traceback, and nobody swallows it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from askwise.cli import interruption
from askwise.cli.interruption import CtrlC, Terminated, exit_code, terminable
from askwise.workers.heartbeat import DeferredInterrupt
from tests.cli.command import user_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
PATIENCE = 120


@pytest.fixture(autouse=True)
def usual_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_held_back_it_comes_right_after() -> None:
    reached, held = [], DeferredInterrupt()

    def work() -> None:
        held.hold()
        os.kill(os.getpid(), signal.SIGINT)
        reached.append("the end of it")
        held.release()
        reached.append("what comes next")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["the end of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    held.hold()
    held.release()  # nobody pressed anything


def test_other_threads_hold_nothing_back() -> None:
    thread = threading.Thread(target=DeferredInterrupt().hold)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_while_a_module_is_loaded_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module would turn the interrupt into another error, as extensions do."""
    (tmp_path / "touchy.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    x = 1\n"
        "except KeyboardInterrupt:\n    raise ImportError('lost')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    signal.signal(signal.SIGINT, CtrlC().pressed)
    with pytest.raises(KeyboardInterrupt):
        load_and_wait()


def load_and_wait() -> None:
    import touchy  # type: ignore[import-not-found]

    threading.Event().wait(PATIENCE)
    pytest.fail(f"nothing came after {touchy}")


def test_what_could_not_be_raised_is_raised_again() -> None:
    ctrl_c = CtrlC()
    signal.signal(signal.SIGINT, ctrl_c.pressed)
    with pytest.raises(KeyboardInterrupt):
        lost_and_wait(ctrl_c)


def lost_and_wait(ctrl_c: CtrlC) -> None:
    ctrl_c.not_raised(SimpleNamespace(exc_type=KeyboardInterrupt))
    threading.Event().wait(PATIENCE)


def test_whoever_swallows_it_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []
    monkeypatch.setattr(interruption, "exit_at_once", lambda: ended.append(True))
    ctrl_c = CtrlC()
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            ctrl_c.pressed(signal.SIGINT, None)
    assert ended == [True]


def test_sigterm_is_like_ctrl_c_but_for_its_exit_code() -> None:
    with pytest.raises(Terminated) as stopped, terminable():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert (exit_code(stopped.value), exit_code(KeyboardInterrupt())) == (143, 130)


COMPILING = """
import ctypes, os, signal, sys, time
from numba.core import event
from askwise import _compiled
_compiled.compile_all()

class Interrupted(event.Listener):
    "Ctrl-C in a callback of the compiler, out of which Python can raise nothing."
    def on_start(self, _):
        ctypes.CFUNCTYPE(None)(self.press)()
    def press(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)
    def on_end(self, _):
        pass

event.register("numba:compile", Interrupted())
sys.argv[0] = "askwise"
from askwise.cli import main
sys.exit(main())
"""

ENDING = """
import atexit, os, signal, sys
sys.argv[0] = "askwise"
from askwise.cli import main
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("program", "command", "err"),
    [
        (COMPILING, ["show", "{}/examples/ward.toml"], "askwise show: interrupted\n"),
        (ENDING, ["--version"], "askwise: interrupted\n"),
    ],
)
def test_ctrl_c_at_awkward_moments(tmp_path: Path, program: str, command: list[str], err: str) -> None:
    """While kernels are compiled, with no cache to take them from; and when all is done and Python clears up."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, *(word.format(root) for word in command)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=user_environment({"NUMBA_CACHE_DIR": str(tmp_path)}),
    )
    assert (done.returncode, done.stderr) == (130, err)

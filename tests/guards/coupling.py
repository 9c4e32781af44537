"""Measure coupling: ``python -m tests.guards.coupling`` prints how much of askwise one command and one name load.

A file is *entered* when one of its functions is called, except while modules load. A *switch* is a call of a function
in another file than the call before. The command runs twice, each time in a fresh process. Only the second run counts:
by then, loops are compiled.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
HOME = str(ROOT / "src" / "askwise")
COMMAND = ("ask", "examples/ward.toml", "--method", "planner")
DECIDE = "import askwise, sys; askwise.decide; print(sum(name.split('.')[0] == 'askwise' for name in sys.modules))"


def measured(command: tuple[str, ...] = COMMAND) -> dict[str, int]:
    """Return how many modules a command loads, and how many files it enters, those of layouts also by themselves."""
    found = ""
    for _ in range(2):
        found = _fresh("-m", "tests.guards.coupling", *command)
    counts: dict[str, int] = json.loads(found.splitlines()[-1])
    return counts


def loaded_by_decide() -> int:
    """Return how many modules of askwise are loaded for ``askwise.decide``."""
    return int(_fresh("-c", DECIDE))


def _fresh(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout


def _ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(HOME)


def _loading(frame: FrameType | None) -> bool:
    """Whether a module of askwise is being loaded."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _ours(frame):
            return True
        frame = frame.f_back
    return False


def _count(command: tuple[str, ...]) -> None:
    """Run a command in this process and print the counts, after all that it prints."""
    entered: set[str] = set()
    current, switches = "", 0

    def watch(frame: FrameType, event: str, argument: object) -> None:
        nonlocal current, switches
        code = frame.f_code
        # Bodies of modules and classes keep no local variables of their own.
        if event != "call" or not _ours(frame) or not code.co_flags & inspect.CO_NEWLOCALS or _loading(frame):
            return
        entered.add(code.co_filename)
        if code.co_filename != current:
            current, switches = code.co_filename, switches + 1

    from askwise.cli import main

    sys.setprofile(watch)
    main(command)
    sys.setprofile(None)
    modules = sum(name.split(".")[0] == "askwise" for name in sys.modules)
    layout = sum("layout" in Path(name).parts for name in entered)
    print(json.dumps({"modules": modules, "files": len(entered), "switches": switches, "layout": layout}))


if __name__ == "__main__":
    if sys.argv[1:]:
        _count(tuple(sys.argv[1:]))
    else:
        counts = measured()
        print(f"askwise {' '.join(COMMAND)}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
        print(f"askwise.decide: {loaded_by_decide()} modules")

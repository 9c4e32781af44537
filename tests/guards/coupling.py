"""Measure coupling: ``python -m tests.guards.coupling`` prints how much of askwise one command and one name touch.

A *switch* is a call or a return after which code of another file of askwise runs. The command is run twice, each time
in a fresh process. Only the second run is counted, so that loops are compiled already.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
COMMAND = ("ask", "examples/ward.toml", "--method", "planner")
DECIDE = "import askwise, sys; askwise.decide; print(sum(name.split('.')[0] == 'askwise' for name in sys.modules))"


def measured(command: tuple[str, ...] = COMMAND) -> dict[str, int]:
    """Return how many modules a command loads, how many files it enters, and how often it switches between them."""
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


def _count(command: tuple[str, ...]) -> None:
    """Run a command in this process and print the counts, after all that it prints."""
    entered: set[str] = set()
    current, switches = "", 0

    def watch(frame: FrameType, event: str, argument: object) -> None:
        nonlocal current, switches
        running = frame.f_back if event == "return" else frame if event == "call" else None
        file = running.f_code.co_filename if running is not None else ""
        if "/src/askwise/" not in file:
            return
        entered.add(file)
        if file != current:
            current, switches = file, switches + 1

    sys.setprofile(watch)
    from askwise.cli import main

    main(command)
    sys.setprofile(None)
    modules = sum(name.split(".")[0] == "askwise" for name in sys.modules)
    print(json.dumps({"modules": modules, "files": len(entered), "switches": switches}))


if __name__ == "__main__":
    if sys.argv[1:]:
        _count(tuple(sys.argv[1:]))
    else:
        counts = measured()
        print(f"askwise {' '.join(COMMAND)}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
        print(f"askwise.decide: {loaded_by_decide()} modules")

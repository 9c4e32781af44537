"""Compiled loops, compiled once: ``python -m tests.kernels PART`` leaves them in numba's cache.

`make test` does so beside lint and types. Without it, each of its processes compiles most of them for itself. Nothing
is checked here; what is missing here is compiled in the tests, which only take longer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from askwise import QueryCost, evaluate, simulate
from askwise._compiled import patience
from askwise.cli import main as run_command
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.domains.tool_fetching.instance import Prior
from askwise.methods import AGENTS
from tests.graphs import random_problem

EXAMPLES = Path(__file__).parents[1] / "examples"


def drawn(walls: float = 0.0, prior: str = "far") -> ToolFetching:
    """A map on which no search is cut short because there is little to decide."""
    price = QueryCost(0.5, 0.2)
    return ToolFetching(
        generate(width=9, stations=12, toolboxes=3, walls=walls, prior=Prior(prior), query_cost=price, seed=5)
    )


def planner() -> None:
    """The planner: its kernels are the same whatever answers are like."""
    for walls in (0.0, 0.2):
        simulate(drawn(walls), "planner", seed=1)
    simulate(random_problem(0, n_goals=3), "planner", seed=1, answers="wrong:0.1")


def methods() -> None:
    """Everything else that a method needs."""
    for method in [method for method in AGENTS if not method.startswith("planner")]:
        for walls in (0.0, 0.2):
            simulate(drawn(walls), method, seed=1)
        simulate(random_problem(0, n_goals=3), method, seed=1)
        evaluate(random_problem(0, n_goals=3), method, exact=True)


def applications() -> None:
    """What decisions without a map, planning problems and designs need, however small these examples are."""
    patience.left = patience.each = 0
    for command in ("decide decisions/ticket.toml", "edp words", "design hall.txt -k 1"):
        name, file, *options = command.split()
        with redirect_stdout(StringIO()):
            run_command([name, str(EXAMPLES / file), *options, "--json"])


PARTS: dict[str, Callable[[], None]] = {"planner": planner, "methods": methods, "applications": applications}


def main(parts: Sequence[str]) -> None:
    """Do what needs the loops of these parts."""
    for part in parts:
        PARTS[part]()


if __name__ == "__main__":
    main(sys.argv[1:])

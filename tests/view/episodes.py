"""Episodes for tests of drawings, on the map of most tests, and moments of them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from askwise import simulate
from askwise.core.episode import Episode
from askwise.domains.tool_fetching import Instance
from tests.methods.asking import AsksHalf
from tests.tool_fetching import Cell, instance, workshop

GOLDEN = Path(__file__).parents[1] / "golden"
REWRITE = "ASKWISE_REWRITE_GOLDEN"
"""Environment variable that makes the tests rewrite the recorded texts; check the difference before you keep it."""


def asking() -> Episode:
    """An episode in which the fetcher asks, gets the reply No, and fetches the tool of C."""
    given = workshop(query_cost={"base": 0.5, "per_station": 0.1})
    return simulate(given, AsksHalf(), "urop", "C", seed=3)


def never() -> Episode:
    """An episode in which the fetcher waits until the worker's goal is known."""
    return simulate(workshop(), "never", "urop", "B", seed=4)


def row_of(*names: str, worker: Cell = (0, 1), fetcher: Cell = (1, 1)) -> Instance:
    """An instance with stations side by side in the lower of two rows, and a toolbox at its end."""
    plain = instance(
        (len(names) + 1, 2),
        stations={f"station {k}": ((k, 0), "T") for k in range(len(names))},
        toolboxes={"T": (len(names), 0)},
        worker=worker,
        fetcher=fetcher,
    )
    # No file may have names that are too long or hold half a character, but an instance made in Python can.
    return replace(plain, stations=dict(zip(names, plain.stations.values(), strict=True)))


def question_of(episode: Episode) -> int:
    """The index of the first moment with a question."""
    return next(k for k, step in enumerate(episode.steps) if step.answer is not None)


def golden(name: str, text: str) -> str:
    """Return the recorded text; if it has to be rewritten, `text` is recorded first."""
    path = GOLDEN / name
    if REWRITE in os.environ:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")

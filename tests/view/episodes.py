"""Episodes to look at: on the map of most tests, with a fetcher that asks, and moments of them."""

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
"""Set this variable to write the texts anew; then read the difference before keeping it."""


def asking() -> Episode:
    """The fetcher asks, is told no, and fetches the tool of C."""
    given = workshop(query_cost={"base": 0.5, "per_station": 0.1})
    return simulate(given, AsksHalf(), "urop", "C", seed=3)


def never() -> Episode:
    """The fetcher waits until the worker has given its goal away."""
    return simulate(workshop(), "never", "urop", "B", seed=4)


def row_of(*names: str, worker: Cell = (0, 1), fetcher: Cell = (1, 1)) -> Instance:
    """Stations side by side in the lower of two rows, one toolbox at the end of it."""
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
    """The first moment at which something is asked."""
    return next(k for k, step in enumerate(episode.steps) if step.answer is not None)


def golden(name: str, text: str) -> str:
    """Return the recorded text; where it is to be written anew, `text` is recorded first."""
    path = GOLDEN / name
    if REWRITE in os.environ:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")

"""The tables of a study: one row for each episode, question, episode's time, and expected cost that was computed.

Times are kept apart: they differ from run to run, while the other tables are the same bit for bit however a study
was run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from askwise.core.game import InvalidDecision
from askwise.methods import AgentFailed

KEY: Mapping[str, Any] = {
    "instance": pl.Int32,
    "episode": pl.Int32,
    "prior": pl.String,
    "teammate": pl.String,
    "method": pl.String,
    "base_cost": pl.Float64,
    "per_station_cost": pl.Float64,
}
"""What names an episode. Rows that differ in the method and the costs only share goal and teammate's path."""

EPISODES: Mapping[str, Any] = {
    **KEY,
    "goal": pl.String,
    "optimal_cost": pl.Float64,
    "cost": pl.Float64,
    "marginal_cost": pl.Float64,
    "steps": pl.Int32,
    "queries": pl.Int32,
    "query_cost": pl.Float64,
    "known_at": pl.Int32,
    "finished": pl.Boolean,
    "error": pl.String,
}

QUERIES: Mapping[str, Any] = {
    **KEY,
    "number": pl.Int32,
    "t": pl.Int32,
    "size": pl.Int32,
    "possible": pl.Int32,
    "goals": pl.List(pl.String),
    "answer": pl.Boolean,
    "cost": pl.Float64,
    "value": pl.Float64,
}

TIMINGS: Mapping[str, Any] = {
    **KEY,
    "seconds": pl.Float64,
    "decide_seconds": pl.Float64,
    "setup_seconds": pl.Float64,
}
"""Seconds for the whole episode, for its decisions, and for making the problem, which all its conditions share."""

EXPECTED: Mapping[str, Any] = {
    **{column: kind for column, kind in KEY.items() if column != "episode"},
    "expected": pl.Float64,
    "verdict": pl.String,
    "states": pl.Int64,
    "error": pl.String,
}
"""Expected marginal costs that were computed, not played: of methods, and lower bounds, whose method is `BOUND`."""

BOUND = "lower bound"

SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "episodes": EPISODES,
    "queries": QUERIES,
    "timings": TIMINGS,
    "expected": EXPECTED,
}

Row = dict[str, Any]
LONGEST_ERROR = 500


def table(name: str, rows: Sequence[Row]) -> pl.DataFrame:
    """Return rows as the table of that name; every row has every column."""
    return pl.DataFrame(list(rows), schema=dict(SCHEMAS[name]), strict=True)


def error_text(error: BaseException) -> str:
    """Return an exception as a table holds it; what says whose fault it is stands for itself."""
    try:
        text = str(error)
    except Exception:
        text = "an error that cannot be shown"
    if text and not isinstance(error, AgentFailed | InvalidDecision):
        text = f"{type(error).__name__}: {text}"
    return encodable(text or type(error).__name__)[:LONGEST_ERROR]


def encodable(text: str) -> str:
    """Return text that a table can hold; halves of characters are written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

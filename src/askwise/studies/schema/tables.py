"""The columns of the four tables of results that a study writes.

The tables are ``episodes``, ``queries`` (the questions), ``timings`` and ``expected`` (expected costs, computed instead
of sampled). Only ``timings`` differs from run to run; the other three tables are identical bit for bit.
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
    "base": pl.Float64,
    "per_goal": pl.Float64,
}
"""The columns that identify an episode. Rows that differ only in method and costs share goal and teammate's path."""

EPISODES: Mapping[str, Any] = {
    **KEY,
    "goal": pl.String,
    "known_cost": pl.Float64,
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
"""Seconds of an episode, of all its decisions, and of making the problem, which all conditions share."""

EXPECTED: Mapping[str, Any] = {
    **{column: kind for column, kind in KEY.items() if column != "episode"},
    "expected": pl.Float64,
    "verdict": pl.String,
    "states": pl.Int64,
    "error": pl.String,
}
"""Computed expected marginal costs: those of methods, and lower bounds, whose ``method`` is `BOUND`."""

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
    """Return a table of a study's results as a data frame with the fixed columns and types of this table.

    Each row must have every column in ``SCHEMAS[name]``.
    """
    return pl.DataFrame(list(rows), schema=dict(SCHEMAS[name]), strict=True)


def error_text(error: BaseException) -> str:
    """Return the text of an exception for the column ``error`` of a table, cut after 500 characters.

    The result begins with the type of the exception, unless the exception itself names the agent at fault.
    """
    try:
        text = str(error)
    except Exception:
        text = "an error that cannot be shown"
    if text and not isinstance(error, AgentFailed | InvalidDecision):
        text = f"{type(error).__name__}: {text}"
    return encodable(text or type(error).__name__)[:LONGEST_ERROR]


def encodable(text: str) -> str:
    """Return `text` with escapes in place of characters that UTF-8 cannot represent.

    These characters are unpaired surrogates, which occur for instance in file names that are not valid UTF-8.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

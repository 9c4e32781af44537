"""Artificial studies: tables like those of a run, with known costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from askwise.studies.analysis.tables import EPISODES, KEY, QUERIES, TIMINGS

PRICES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq")
PAPER: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "far": {
        "never": (16.0,) * 6,
        "baseline": (1.8, 5.5, 9.0, 12.5, 16.0, 20.0),
        "toolbox": (1.9, 5.6, 9.2, 12.4, 15.8, 19.5),
        "cost-prob": (1.5, 4.5, 5.0, 5.5, 6.0, 6.5),
        "ezq": (1.3, 1.8, 2.2, 2.5, 2.8, 3.1),
    },
    "uniform": {
        "never": (11.0,) * 6,
        "baseline": (1.8, 5.0, 8.0, 11.0, 15.0, 19.0),
        "toolbox": (1.8, 5.0, 8.0, 11.0, 14.0, 17.0),
        "cost-prob": (1.5, 3.0, 4.5, 6.0, 7.0, 9.0),
        "ezq": (1.5, 3.0, 4.5, 6.0, 7.0, 6.5),
    },
    "near": {
        "never": (1.9,) * 6,
        "baseline": (1.2, 3.6, 6.0, 8.5, 11.0, 13.4),
        "toolbox": (0.4, 2.6, 4.2, 6.0, 7.9, 9.7),
        "cost-prob": (0.4, 0.9, 1.0, 1.9, 2.3, 2.7),
        "ezq": (0.7, 0.9, 1.0, 1.1, 1.2, 1.3),
    },
}
"""Mean marginal costs with which nearly all of the paper's claims hold; some of them contradict each other."""
QUESTIONS = {
    "far": {"never": 0, "baseline": 5, "toolbox": 4, "cost-prob": 4, "ezq": 4},
    "uniform": {"never": 0, "baseline": 4, "toolbox": 3, "cost-prob": 3, "ezq": 3},
    "near": {"never": 0, "baseline": 2, "toolbox": 1, "cost-prob": 1, "ezq": 1},
}
SECONDS = {"never": 0.01, "baseline": 0.01, "toolbox": 0.01, "cost-prob": 0.02, "ezq": 8.5}


@cache
def paper_like(
    instances: int = 120, *, noise: float = 0.6, seed: int = 1, teammate: str = "urop", base: float = 0.5
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return episodes, queries and timings of a study that agrees with the paper; made once, as tables never change."""
    rng = np.random.default_rng(seed)
    episodes, queries, timings = [], [], []
    for instance in range(instances):
        for prior, methods in PAPER.items():
            for method, costs in methods.items():
                for price, mean in zip(PRICES, costs, strict=True):
                    key = dict(zip(KEY, (instance, 0, prior, teammate, method, base, price), strict=True))
                    asked = _asked(prior, method, price, rng)
                    cost = mean + noise * min(mean, 3.0) * float(rng.standard_normal())
                    episodes.append(episode(key, marginal_cost=max(0.0, cost), queries=len(asked)))
                    queries += [question(key, number, t) for number, t in enumerate(asked, 1)]
                    timings.append({**key, "seconds": SECONDS[method] * rng.uniform(0.8, 1.2), "decide_seconds": 0.005})
    return frame(episodes, EPISODES), frame(queries, QUERIES), frame(timings, TIMINGS)


def _asked(prior: str, method: str, price: float, rng: np.random.Generator) -> list[int]:
    """Return the steps of questions: consecutive ones for ezq, fewer at high prices; every third step for others."""
    count = QUESTIONS[prior][method]
    if method == "ezq":
        kept = sum(rng.random() < (1 - 0.23 * price / 0.5) for _ in range(count))
        return list(range(1, kept + 1))
    return list(range(1, 3 * count, 3))


def episode(key: Mapping[str, Any], **given: Any) -> dict[str, Any]:
    """Return the row of an episode whose cost with the goal known is 20 steps."""
    cost = given.get("marginal_cost")
    row = {
        **key, "goal": "S1", "known_cost": 20.0, "cost": 20.0 + (cost or 0.0), "marginal_cost": cost, "steps": 20,
        "queries": 0, "query_cost": 0.0, "finished": True, "error": None,
        "known_at": 5 if key["method"] == "ezq" else 9,
    }  # fmt: skip
    return {**row, **given}


def question(key: Mapping[str, Any], number: int, t: int) -> dict[str, Any]:
    return {
        **key, "number": number, "t": t, "size": 2, "possible": 4, "goals": ["S1", "S2"], "answer": True, "cost": 0.5,
        "value": None,
    }  # fmt: skip


def simple(costs: Mapping[str, Iterable[float | None]], *, price: float = 0.0, prior: str = "far") -> pl.DataFrame:
    """Return the episodes of one condition.

    Args:
        costs: the marginal costs of each method on instance 0, 1, ...; None for an episode that did not finish.
    """
    rows = []
    for method, values in costs.items():
        for instance, cost in enumerate(values):
            key = dict(zip(KEY, (instance, 0, prior, "urop", method, 0.5, price), strict=True))
            rows.append(episode(key, marginal_cost=cost, finished=cost is not None))
    return frame(rows, EPISODES)


def of_files(costs: Mapping[float, Mapping[str, Iterable[float]]]) -> pl.DataFrame:
    """Return the episodes of a study over files, from the price of each file and the costs of each method."""
    rows = []
    for instance, (price, methods) in enumerate(costs.items()):
        for method, values in methods.items():
            for number, cost in enumerate(values):
                key = dict(zip(KEY, (instance, number, "file", "policy", method, 0.5, price), strict=True))
                rows.append(episode(key, marginal_cost=cost))
    return frame(rows, EPISODES)


def frame(rows: list[dict[str, Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.with_columns(pl.col(name).cast(kind) for name, kind in schema.items())


def renamed(table: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """Return a table with other names for its methods."""
    return table.with_columns(pl.col("method").replace(names))

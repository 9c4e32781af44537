"""Tables that cannot be analysed are refused with a reason."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from askwise.studies.analysis.tables import EPISODES, TIMINGS, checked, checked_episodes
from tests.refused import assert_refused, each
from tests.studies.analysis.studies import paper_like, simple

CELL = simple({"never": [1.0, 2.0], "ezq": [1.0, 1.0]})
TIMES = CELL.select(
    "instance", "episode", "prior", "teammate", "method", "base", "per_goal",
    pl.lit(1.0).alias("seconds"), pl.lit(0.5).alias("decide_seconds"),
)  # fmt: skip


@each(
    {
        "a column is missing": (
            lambda: checked_episodes(CELL.drop("cost")),
            "episodes: found no column 'cost'; expected the columns " + ", ".join(EPISODES),
        ),
        "a column of another kind": (
            lambda: checked_episodes(CELL.with_columns(pl.lit("much").alias("cost"))),
            "episodes, column 'cost': found values of type String; expected values of type Float64",
        ),
        "no method": (
            lambda: checked_episodes(CELL.with_columns(pl.lit(None, pl.String).alias("method"))),
            "episodes, column 'method': found missing values; expected a value in every row",
        ),
        "an episode twice": (
            lambda: checked_episodes(pl.concat([CELL, CELL.head(1)])),
            "episodes: found more than one row with instance 0, episode 0, prior far, teammate urop, method never, "
            "base 0.5, per_goal 0.0; expected every episode once",
        ),
        "an infinite cost": (
            lambda: checked_episodes(CELL.with_columns(pl.lit(float("inf")).alias("marginal_cost"))),
            "episodes, column 'marginal_cost': found an infinite number; expected finite numbers, null where failed",
        ),
        "times of another study": (
            lambda: checked(CELL, None, TIMES.with_columns(pl.lit("near").alias("prior"))),
            "timings: found 4 rows of episodes that are not in 'episodes'; expected tables of one study",
        ),
        "times without seconds": (
            lambda: checked(CELL, None, TIMES.drop("seconds")),
            "timings: found no column 'seconds'; expected the columns " + ", ".join(TIMINGS),
        ),
        "bounds without means": (
            lambda: checked(CELL, bounds=pl.DataFrame({"prior": ["far"], "per_goal": [0.0], "stderr": [0.1]})),
            "bounds: found no column 'mean'; expected the columns prior, per_goal, mean, stderr",
        ),
    }
)
def test_faults(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_methods_keep_their_order_and_prices_ascend() -> None:
    cheap, dear = simple({"b": [1.0], "a": [2.0]}), simple({"b": [1.0], "a": [2.0]}, price=0.3)
    table = checked_episodes(pl.concat([dear, cheap]))
    assert table.select("method", "per_goal").rows() == [("b", 0.0), ("b", 0.3), ("a", 0.0), ("a", 0.3)]


def test_prices_that_differ_in_the_last_bits_are_one_price() -> None:
    table = pl.concat([simple({"a": [1.0]}, price=0.3), simple({"b": [1.0]}, price=0.1 + 0.2)])
    assert checked_episodes(table)["per_goal"].to_list() == [0.3, 0.3]


def test_nan_is_no_cost() -> None:
    table = checked_episodes(simple({"a": [1.0, float("nan")]}))
    assert table["marginal_cost"].to_list() == [1.0, None]


def test_all_three_tables_come_in_one_order() -> None:
    episodes, queries, timings = paper_like(3)
    found = checked(episodes, queries.sample(fraction=1.0, shuffle=True, seed=1), timings.reverse())
    assert found.timings["method"].to_list() == found.episodes["method"].to_list()
    assert found.queries.equals(checked(episodes, queries, timings).queries)

"""What marginal cost is made of: the price of questions, and steps that somebody who knew would not have taken."""

from __future__ import annotations

import polars as pl

from askwise.studies.analysis.tables import VARIED, checked_episodes, usable, varying


def parts(episodes: pl.DataFrame) -> pl.DataFrame:
    """Return mean steps lost and mean price of questions for each prior, method and per-station cost.

    Their sum is the mean marginal cost. Columns ``teammate`` and ``base_cost`` follow if they vary in the study, after
    ``file`` in a study over files.
    """
    table = usable(checked_episodes(episodes))
    extra = varying(table)
    lost = (pl.col("marginal_cost") - pl.col("query_cost")).mean()
    found = table.group_by(*VARIED, *extra, maintain_order=True).agg(
        # Costs are sums of decimal fractions: a difference of nothing may leave some of their last bits.
        steps_lost=pl.when(lost.abs() > 1e-9).then(lost).otherwise(0.0),
        questions=pl.col("query_cost").mean(),
    )
    return found.select(*VARIED, "steps_lost", "questions", *extra)

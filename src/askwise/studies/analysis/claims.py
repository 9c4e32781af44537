"""Every claim of the paper's results, judged by a run.

Nothing here is written by hand but the claims themselves: each verdict is computed from the tables by the rule beside
it (see `askwise.studies.analysis.judging`). What the paper conjectures about reasons is not a claim about results,
and is left out.
"""

from __future__ import annotations

import polars as pl

from askwise.studies.analysis import claims_asking, claims_cost, claims_time
from askwise.studies.analysis.checking import checked
from askwise.studies.analysis.evidence import Evidence
from askwise.studies.analysis.judging import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_cost.FAR,
    *claims_asking.WHEN,
    *claims_asking.HOW_MANY,
    *claims_time.TIME,
    *claims_cost.UNIFORM,
    *claims_cost.NEAR,
    *claims_asking.NEAR,
    *claims_cost.ALL_PRIORS,
)
"""In the order of the paper; the last ones are about all priors together."""

BEHAVIOUR, COMPUTING_TIME = "behaviour", "computing time"
"""What a claim is about. Time depends on the computer and the program as much as on the method."""

COLUMNS = {
    "name": pl.String, "where": pl.String, "about": pl.String, "claim": pl.String, "measured": pl.String,
    "verdict": pl.String, "rule": pl.String,
}  # fmt: skip


def claims(
    episodes: pl.DataFrame, queries: pl.DataFrame | None = None, timings: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return one row for each claim: what the paper says, where and about what, what this run measured, the verdict.

    Only conditions of the paper's kind are looked at: its methods, its priors, prices up to 0.5; if the study has
    several teammates or base costs, an optimal worker and a base cost of 0.5. A claim about conditions that the study
    lacks is not decided, and says what is missing. Without any method of the paper the table is empty.
    """
    evidence = Evidence(checked(episodes, queries, timings))
    if evidence.empty:
        return pl.DataFrame(schema=COLUMNS)
    rows = []
    for claim in CLAIMS:
        finding = claim.finding(evidence)
        about = COMPUTING_TIME if claim in claims_time.TIME else BEHAVIOUR
        rows.append((claim.name, claim.where, about, claim.text, finding.measured, finding.verdict, claim.rule))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")

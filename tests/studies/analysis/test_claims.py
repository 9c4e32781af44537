"""Claims are judged by the data alone: they hold for suitable data, and not with shuffled labels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from askwise.studies.analysis.claims import CLAIMS, COLUMNS, COMPUTING_TIME, about_as_the_paper, claims
from askwise.studies.analysis.estimates import Estimate
from askwise.studies.analysis.verdicts import (
    FAILS,
    FASTER,
    HOLDS,
    OPEN,
    VERDICTS,
    Part,
    Rule,
    above_zero,
    as_long_as,
    below_zero,
    not_significantly_below,
    part,
    significantly_below,
    similar,
    together,
    within,
)
from tests.studies.analysis.studies import METHODS, paper_like, renamed

CONTRADICTED = {"ezq significantly better elsewhere", "online time like the heuristics'"}
"""Claims that contradict others of the paper: similar costs at price 0, and 8.9 s against 0.23 s."""
UNDECIDED = {
    "6.1 s of it for the genetic search",
    "tables take hours per map",
    "time grows like n\u00b2 log n",
    "near: ezq best of those that ask",  # contradicts the exception for near
}


@pytest.fixture(scope="module")
def study() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    return paper_like()


@pytest.fixture(scope="module")
def verdicts(study: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]) -> dict[str, str]:
    return by_name(claims(*study))


def by_name(found: pl.DataFrame) -> dict[str, str]:
    return dict(found.select("name", "verdict").iter_rows())


def measured(found: pl.DataFrame, name: str) -> str:
    return str(found.filter(pl.col("name") == name)["measured"][0])


def test_what_the_paper_says_holds_where_it_is_so(verdicts: dict[str, str]) -> None:
    assert {name for name, verdict in verdicts.items() if verdict == FAILS} == CONTRADICTED
    assert {name for name, verdict in verdicts.items() if verdict == OPEN} == UNDECIDED


@pytest.mark.parametrize("shift", [1, 2, 3, 4])
def test_with_shuffled_labels_most_claims_do_not_hold(
    study: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame], verdicts: dict[str, str], shift: int
) -> None:
    names = {method: METHODS[(k + shift) % len(METHODS)] for k, method in enumerate(METHODS)}
    found = by_name(claims(*(renamed(table, names) for table in study)))
    told = Counter(found.values())
    assert told[FAILS] + told[FASTER] > len(CLAIMS) / 2
    held = [name for name, verdict in verdicts.items() if verdict == HOLDS]
    assert sum(found[name] == HOLDS for name in held) < len(held) / 3


def test_labels_shuffled_within_each_episode_leave_no_ordering(
    study: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame],
) -> None:
    """If no method is better than another, no claim about an ordering in many conditions holds by chance."""
    rest = ["instance", "episode", "prior", "per_goal"]
    lots = pl.Series("lot", np.random.default_rng(8).random(study[0].height))
    mixed = study[0].with_columns(lots).with_columns(pl.col("marginal_cost").sort_by("lot").over(rest))
    found = by_name(claims(mixed, *study[1:]))
    orderings = [
        "far: ezq best once stations cost", "uniform: ezq is robust to the price", "near: ezq best of those that ask",
        "near: ezq beats never at every price", "ezq best under every prior", "ezq significantly better elsewhere",
    ]  # fmt: skip
    assert [name for name in orderings if found[name] == HOLDS] == []


def test_the_table_has_a_row_for_each_claim(study: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]) -> None:
    found = claims(*study)
    assert found.columns == list(COLUMNS)
    assert found["name"].to_list() == [claim.name for claim in CLAIMS]
    assert found["name"].is_unique().all()
    assert set(found["verdict"]) <= set(VERDICTS)
    assert (found["measured"].str.len_chars() > 0).all()


def test_a_method_that_is_not_there_is_named() -> None:
    episodes, queries, timings = (table.filter(pl.col("method") != "ezq") for table in paper_like(15))
    found = claims(episodes, queries, timings)
    assert measured(found, "near: ezq beats never at every price").count("no method 'ezq' in this study") == 4
    decided = {name for name, verdict in by_name(found).items() if verdict != OPEN}
    assert decided == {
        "an episode in under 0.23 s", "uniform: the baselines worsen", "uniform: baseline, toolbox lose to never",
        "uniform: cost-prob still beats never", "near: never does very well",
    }  # fmt: skip


def test_a_study_with_one_prior_and_one_price() -> None:
    only = (pl.col("prior") == "near") & (pl.col("per_goal") == 0)
    found = claims(*(table.filter(only) for table in paper_like(20)))
    assert by_name(found)["near: toolbox, cost-prob ahead at 0"] == HOLDS
    assert measured(found, "far: ezq best once stations cost") == "no per-station cost above 0 in this study"
    assert measured(found, "far: the lead of ezq grows") == "no per-station cost of 0.5 in this study"
    assert measured(found, "far: ezq like the heuristics at 0") == "no prior 'far' in this study"


def test_few_episodes_decide_nothing() -> None:
    found = claims(*paper_like(9))
    assert set(by_name(found).values()) == {OPEN}
    assert "too few episodes" in measured(found, "ezq asks less when it costs more")


def test_not_significant_needs_as_many_pairs_as_the_paper_had(verdicts: dict[str, str]) -> None:
    name = "uniform: no significant lead over cost-prob up to 0.4"
    assert by_name(claims(*paper_like(99)))[name] == OPEN
    assert verdicts[name] == HOLDS  # of 120


def test_without_questions_and_times_the_rest_is_still_judged(verdicts: dict[str, str]) -> None:
    found = claims(paper_like()[0])
    assert by_name(found)["far: ezq best once stations cost"] == HOLDS
    assert measured(found, "8.9 s per episode with ezq") == "ezq: the column 'seconds' is empty"
    assert by_name(found)["far: ezq asks earlier"] == OPEN


def test_a_study_of_other_methods_has_no_claims() -> None:
    names = dict(zip(METHODS, "abcde", strict=True))
    assert claims(*(renamed(table, names) for table in paper_like(3))).is_empty()


def test_a_base_cost_is_chosen_also_for_other_teammates_and_for_files(verdicts: dict[str, str]) -> None:
    ours, other = paper_like(teammate="noisy:0.1"), paper_like(40, seed=2, teammate="noisy:0.1", base=2.0)
    both = [
        pl.concat([one, another]).with_columns(file=pl.lit("one.json"))
        for one, another in zip(ours, other, strict=True)
    ]
    assert by_name(claims(*both)) == verdicts


def test_other_teammates_and_base_costs_are_not_mixed_in(verdicts: dict[str, str]) -> None:
    ours, other = paper_like(), paper_like(40, seed=2, teammate="noisy:0.1", base=2.0)
    reverse = dict(zip(METHODS, reversed(METHODS), strict=True))
    both = [pl.concat([a, renamed(b, reverse)]) for a, b in zip(ours, other, strict=True)]
    assert by_name(claims(*both)) == verdicts


def test_time_to_make_tables_is_judged_where_it_was_taken() -> None:
    episodes, queries, timings = paper_like(12)
    for seconds, verdict in ((0.2, FASTER), (20_000.0, HOLDS)):
        timed = timings.with_columns(pl.lit(seconds).alias("setup_seconds"))
        assert by_name(claims(episodes, queries, timed))["tables take hours per map"] == verdict


def test_what_is_faster_than_the_paper_says_is_no_claim_that_fails() -> None:
    """A time 150 times shorter does not contradict the paper; a time twice as long does."""
    episodes, queries, timings = paper_like(12)
    name = "8.9 s per episode with ezq"
    for factor, verdict in ((1 / 150, FASTER), (1.0, HOLDS), (5.0, FAILS)):
        found = claims(episodes, queries, timings.with_columns(pl.col("seconds") * factor))
        assert by_name(found)[name] == verdict
        assert found.filter(pl.col("name") == name)["about"].to_list() == [COMPUTING_TIME]


def of(mean: float, p: float = 0.01, units: int = 120, reach: float = 0.3) -> Estimate:
    return Estimate(units, units, mean, 0.1, mean - reach, mean + reach, 10 * mean, p)


@pytest.mark.parametrize(
    ("rule", "found", "verdict"),
    [
        (below_zero, of(-1.0), HOLDS),
        (below_zero, of(1.0), FAILS),
        (below_zero, of(-1.0, p=0.2), OPEN),
        (below_zero, of(-1.0, p=0.05), OPEN),
        (above_zero, of(1.0), HOLDS),
        (above_zero, of(-1.0), FAILS),
        (above_zero, of(1.0, p=0.2), OPEN),
        (significantly_below, of(-1.0), HOLDS),
        (significantly_below, of(-1.0, p=0.2), FAILS),
        (significantly_below, of(-1.0, p=0.2, units=99), OPEN),
        (significantly_below, of(1.0, units=20), FAILS),
        (not_significantly_below, of(-1.0), FAILS),
        (not_significantly_below, of(1.0), HOLDS),
        (not_significantly_below, of(-1.0, p=0.2), HOLDS),
        (not_significantly_below, of(-1.0, p=0.2, units=99), OPEN),
        (similar, of(0.5), HOLDS),
        (similar, of(-0.8), OPEN),
        (similar, of(2.0), FAILS),
        (similar, of(-2.0), FAILS),
        (within(0.0, 1.0), of(-0.5), FAILS),
        (as_long_as(4.45, 17.8), of(8.9), HOLDS),
        (as_long_as(4.45, 17.8), of(4.5), OPEN),
        (as_long_as(4.45, 17.8), of(1.0), FASTER),
        (as_long_as(4.45, 17.8), of(30.0), FAILS),
        # The paper's 23 % has a standard error, too, so the difference has a wider interval than our number.
        (about_as_the_paper, of(11.0, reach=8.0), FAILS),
        (about_as_the_paper, of(11.0, reach=8.6), HOLDS),
        (about_as_the_paper, of(34.9, reach=8.0), FAILS),
        (about_as_the_paper, of(20.0, reach=10.6), HOLDS),
        (about_as_the_paper, of(20.0, reach=10.7), OPEN),
    ],
)
def test_rules(rule: Rule, found: Estimate, verdict: str) -> None:
    assert rule(found) == verdict


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, OPEN], OPEN),
        ([OPEN, FAILS, HOLDS], FAILS),
        ([], OPEN),
        ([HOLDS] * 9, HOLDS),
        ([HOLDS] * 9 + [FAILS], FAILS),
        ([HOLDS, FASTER], FASTER),
        ([FASTER, OPEN], OPEN),
        ([FASTER, FAILS], FAILS),
    ],
)
def test_parts_together(verdicts: list[str], expected: str) -> None:
    assert together(Part(f"part {k}", verdict, "1") for k, verdict in enumerate(verdicts)).verdict == expected


def test_many_parts_are_told_in_short() -> None:
    parts = [Part(f"cell {k}", HOLDS, f"-{k}", strength=k) for k in range(6)]
    assert together(parts).measured == "6 of 6 comparisons hold. The least clear: cell 0: -0"
    parts += [Part(f"other {k}", FAILS, "+1") for k in range(6)]
    assert together(parts).measured == (
        "6 of 12 comparisons hold. Against it (6): other 0: +1; other 1: +1; other 2: +1; other 3: +1; and 2 more"
    )


def test_a_part_with_nine_pairs_is_too_little() -> None:
    assert part("x", lambda: of(-1.0, units=9), below_zero).verdict == OPEN
    assert part("x", lambda: of(-1.0, units=10), below_zero) == Part(
        "x", HOLDS, "\u22121.00 (\u22121.30 to \u22120.70)", 10.0
    )


def test_the_page_about_the_paper_says_what_its_run_says() -> None:
    """The table on the page has the current claims and rules, and the text below it counts its verdicts."""
    docs = Path(__file__).parents[3] / "docs"
    shown = pl.read_csv(docs / "reproduced" / "claims.csv")
    assert shown.select("name", "claim", "rule").rows() == [(each.name, each.text, each.rule) for each in CLAIMS]
    told = Counter(shown.filter(pl.col("about") != COMPUTING_TIME)["verdict"])
    text = " ".join((docs / "reproduced.md").read_text(encoding="utf-8").split())
    assert f"{told[HOLDS]} claims about behaviour hold, {told[FAILS]} do not, and {told[OPEN]} are undecided." in text
    elsewhere = measured(shown, "ezq significantly better elsewhere")
    assert elsewhere.startswith("61 of 64 comparisons hold. Against it (3): ")
    assert "This fails in 3 of 64 comparisons." in text

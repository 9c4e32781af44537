"""The report of a study with people: its numbers equal those of a second computation from the exported CSV files."""

from __future__ import annotations

import asyncio
import csv
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from askwise.errors import InputError
from askwise.studio.store import FILE
from askwise.studio.study.file import PeopleStudy
from askwise.studio.study.flow import screens
from askwise.studio.study.report import _twins, write_people_report
from tests.studio.inside import Heard, Inside, PlayedHere, inside
from tests.studio.participants import STUDY, entry_for, expected, load, write_study
from tests.studio.scripted import inputs

OLD_PLAN = '[[hypotheses]]\nclaim = "curious < quiet in cost"\n'
CLAIMS = (
    ("curious > quiet in workload", "wilcoxon"),
    ("curious != quiet in workload", "sign-flip"),
    ("curious < quiet in cost", "paired t"),
)
BETWEEN = (
    ("curious > quiet in workload", "mann-whitney"),
    ("curious > quiet in workload", "permutation"),
    ("curious != quiet in workload", "welch t"),
)
PEOPLE = 7
SEED = 4
"""Of the answers: with this one, no two scores tie, so that exact tests can be written out."""


def with_claims(claims: Sequence[tuple[str, str]], design: str = "within") -> str:
    """Return the study file of the tests with other hypotheses; between people, on the small problem only."""
    stated = "".join(f'[[hypotheses]]\nclaim = "{claim}"\ntest = "{test}"\n' for claim, test in claims)
    text = STUDY.replace(OLD_PLAN, stated).replace('design = "within"', f'design = "{design}"')
    return text if design == "within" else text.replace('"coverage.toml", "tiny.toml"', '"tiny.toml"')


async def take_part(studio: Inside, study: PeopleStudy, number: int, rng: np.random.Generator) -> None:
    """Go through the study as one person who walks like ``urop`` and answers at random, higher if the helper asks."""
    cookie = await studio.join(f"panel-{number}")
    ((cell,),) = studio.store.read("SELECT cell FROM people WHERE number = ? AND pilot = 0", (number,))
    screen = await studio.take(cookie)
    while screen["kind"] != "end":
        at = screen["place"] - 1
        if screen["kind"] == "round":
            room = studio.room(cookie, screen["round"])
            await room.join(Heard())
            for each in inputs(expected(study, number, cell, at), "teammate"):
                await room.play(len(room.log), each)
        entry = entry_for(screen)
        condition = screens(study, studio.people.cells[cell])[at].condition
        for item in screen.get("items", ()) if screen["kind"] == "form" else ():
            if item["kind"] == "scale":
                n_points = (item["highest"] - item["lowest"]) // item["step"] + 1
                more = n_points // 4 if condition is not None and condition.name == "curious" else 0
                entry["answers"][item["name"]] = item["lowest"] + item["step"] * int(rng.integers(more, n_points))
        screen = await studio.take(cookie, {"n": screen["n"], "entry": entry})


def run_study(folder: Path, text: str, people: int = PEOPLE) -> PeopleStudy:
    """Run a study with scripted people, one of whom leaves; return the study."""
    study = load(write_study(folder, text))

    async def run() -> None:
        rng = np.random.default_rng(SEED)
        async with inside(folder / "out", study) as studio:
            for number in range(1, people + 1):
                await take_part(studio, study, number, rng)
            cookie = await studio.join("leaves")
            await studio.until(cookie, "check")
            await studio.request("/api/take/leave", {}, cookie)

    asyncio.run(run())
    return study


@pytest.fixture(scope="module")
def here() -> Any:
    """Replay rounds in this process."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("export", "report"):
            patch.setattr(f"askwise.studio.study.{module}.playing", PlayedHere)
        yield


@pytest.fixture(scope="module")
def within(tmp_path_factory: pytest.TempPathFactory, here: None) -> Path:
    folder = tmp_path_factory.mktemp("within")
    run_study(folder, with_claims(CLAIMS))
    write_people_report(folder / "out")
    return folder / "out"


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def workload(out: Path) -> dict[str, dict[str, float]]:
    """Return the workload of each person, by condition, from the items in ``answers.csv``."""
    finished = {row["person"] for row in rows_in(out / "export" / "people.csv") if row["end"] == "finished"}
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows_in(out / "export" / "answers.csv"):
        if row["questionnaire"] == "workload" and "score" not in row["item"] and row["person"] in finished:
            points = float(row["answer"])
            points = 100 - points if row["item"] == "performance" else points
            found.setdefault(row["condition"], {}).setdefault(row["person"], []).append(points)
    return {name: {k: sum(v) / len(v) for k, v in known.items()} for name, known in found.items()}


def costs(out: Path) -> dict[str, dict[str, float]]:
    """Return the cost of each person's round, by condition, from ``rounds.csv``."""
    found: dict[str, dict[str, float]] = {}
    for row in rows_in(out / "export" / "rounds.csv"):
        if row["practice"] == "false":
            found.setdefault(row["condition"], {})[row["person"]] = float(row["cost"])
    return found


def gaps(values: dict[str, dict[str, float]]) -> Any:
    assert values["curious"].keys() == values["quiet"].keys()
    return np.array([values["curious"][k] - values["quiet"][k] for k in sorted(values["curious"])])


def by_holm(given: list[float]) -> list[float]:
    """Return Holm's adjusted p values, as the largest of all products up to the rank of each."""
    order = sorted(given)
    raised = [min(1.0, (len(given) - k) * p) for k, p in enumerate(order)]
    return [max(raised[: order.index(p) + 1]) for p in given]


def test_tests_within_people_equal_sums_over_all_signs(within: Path) -> None:
    found = gaps(workload(within))
    size = np.abs(found)
    assert len(found) == PEOPLE
    assert len(set(size.round(9))) == PEOPLE, "no ties, so Wilcoxon's test is exact"
    ranks = np.argsort(np.argsort(size)) + 1
    signs = np.array(list(product([-1, 1], repeat=PEOPLE)))
    wilcoxon = np.mean((signs > 0) @ ranks >= ranks[found > 0].sum())
    flipped = signs @ size
    two_sided = 2 * min(np.mean(flipped >= found.sum() - 1e-9), np.mean(flipped <= found.sum() + 1e-9))
    cost = gaps(costs(within))
    t = cost.mean() / (cost.std(ddof=1) / PEOPLE**0.5)
    wanted = [float(wilcoxon), float(min(1.0, two_sided)), float(stats.t.cdf(t, PEOPLE - 1))]
    rows = rows_in(within / "report" / "hypotheses.csv")
    assert [(row["claim"], row["test"]) for row in rows] == list(CLAIMS)
    assert [float(row["p"]) for row in rows] == pytest.approx(wanted)
    assert [float(row["corrected"]) for row in rows] == pytest.approx(by_holm(wanted))
    assert [row["verdict"] for row in rows] == ["supported" if p < 0.1 else "not supported" for p in by_holm(wanted)]
    assert float(rows[0]["effect"]) == pytest.approx(found.mean() / found.std(ddof=1))
    (row,) = (row for row in rows_in(within / "report" / "comparisons.csv") if row["measure"] == "workload")
    reach = stats.t.ppf(0.975, PEOPLE - 1) * found.std(ddof=1) / PEOPLE**0.5
    assert [float(row[key]) for key in ("mean", "low", "high")] == pytest.approx(
        [found.mean(), found.mean() - reach, found.mean() + reach]
    )


def test_questionnaires_at_the_end_are_in_the_report(within: Path) -> None:
    given = [row for row in rows_in(within / "export" / "answers.csv") if row["questionnaire"] == "fluency"]
    scores = [float(row["answer"]) for row in given if row["item"] == "score"]
    (row,) = (row for row in rows_in(within / "report" / "measures.csv") if row["measure"] == "fluency")
    assert (row["condition"], int(row["n"])) == ("all together", PEOPLE)
    assert float(row["mean"]) == pytest.approx(np.mean(scores))
    assert float(row["sd"]) == pytest.approx(np.std(scores, ddof=1))


def test_response_times_and_chosen_answers_equal_those_in_the_files(within: Path) -> None:
    done = {row["person"] for row in rows_in(within / "export" / "people.csv") if row["end"] == "finished"}
    moves = [
        row
        for row in rows_in(within / "export" / "inputs.csv")
        if (row["kind"], row["practice"]) == ("move", "false") and row["person"] in done
    ]
    (row,) = (
        row
        for row in rows_in(within / "report" / "times.csv")
        if (row["what"], row["condition"]) == ("move", "curious")
    )
    seconds = sorted(float(each["seconds"]) for each in moves if each["condition"] == "curious")
    assert int(row["n"]) == len(seconds) > PEOPLE
    middle = len(seconds) // 2
    median = seconds[middle] if len(seconds) % 2 else (seconds[middle - 1] + seconds[middle]) / 2
    assert float(row["median"]) == pytest.approx(median)
    each_mean = [
        np.mean([float(each["seconds"]) for each in moves if (each["person"], each["condition"]) == (who, "quiet")])
        for who in sorted(done)
    ]
    (row,) = (
        row
        for row in rows_in(within / "report" / "measures.csv")
        if (row["measure"], row["condition"]) == ("seconds per move", "quiet")
    )
    assert float(row["mean"]) == pytest.approx(np.mean(each_mean))
    chosen = [row["answer"] for row in rows_in(within / "export" / "answers.csv") if row["item"] == "colour"]
    assert [(row["option"], int(row["people"])) for row in rows_in(within / "report" / "choices.csv")] == [
        ("red", chosen.count("red")),
        ("blue", chosen.count("blue")),
    ]
    assert "Answers that people chose" in (within / "report" / "report.html").read_text(encoding="utf-8")


def test_simulated_twins_have_the_costs_of_simulate(within: Path) -> None:
    """Scripted people walk like the simulated teammate, so that each costs as much as the twin."""
    means = {(row["measure"], row["condition"]): row["mean"] for row in rows_in(within / "report" / "measures.csv")}
    for condition, known in costs(within).items():
        finished = [cost for who, cost in known.items() if who != str(PEOPLE + 1)]
        assert float(means["cost, simulated", condition]) == pytest.approx(np.mean(finished))
        assert means["cost, simulated", condition] == means["cost", condition]
    for row in rows_in(within / "report" / "twins.csv"):
        assert (row["people"], float(row["difference"])) == (means["cost", row["condition"]], 0.0)


def test_people_and_their_twins_are_compared_on_rounds_that_both_ended() -> None:
    def ended(person: int, cost: float, twin: float | None, error: str | None = None) -> Any:
        row = {"cost": cost, "error": error}
        wrong = None if twin is not None else "it failed"
        return SimpleNamespace(row=row), {"person": person, "condition": "quiet", "value": twin, "error": wrong}

    rounds = [
        ended(1, 6.0, 4.0),
        ended(1, 4.0, 3.0),
        ended(1, 9.0, 1.0, "cut off"),
        ended(2, 5.0, 2.0),
        ended(2, 8.0, None),
    ]
    (row,) = _twins(rounds, ["curious", "quiet"])
    assert [row[name] for name in ("condition", "n", "people", "simulated")] == ["quiet", 2, 5.0, 2.75]
    assert row["difference"] == 2.25


@pytest.mark.parametrize("folder", ["export", "report"])
def test_the_code_book_has_every_column_of_every_table(within: Path, folder: str) -> None:
    known = {(row["file"], row["column"]) for row in rows_in(within / folder / "codebook.csv")}
    for path in sorted((within / folder).glob("*.csv")):
        if path.stem != "codebook":
            columns = pl.read_csv(path, infer_schema=False).columns
            assert columns == pl.read_parquet(path.with_suffix(".parquet")).columns
            assert {(path.stem, column) for column in columns} <= known


def test_people_who_left_are_counted_where_they_left(within: Path) -> None:
    (row,) = rows_in(within / "report" / "dropouts.csv")
    assert (row["screen"], row["end"], row["people"]) == ("4", "left", "1")


def test_groups_are_compared_between_people(tmp_path: Path, here: None) -> None:
    run_study(tmp_path, with_claims(BETWEEN, "between"), people=8)
    write_people_report(tmp_path / "out")
    values = workload(tmp_path / "out")
    a, b = (np.array([values[name][k] for k in sorted(values[name])]) for name in ("curious", "quiet"))
    assert (a.size, b.size) == (4, 4)
    both = np.concatenate([a, b])
    assert len(set(both.round(9))) == 8, "no ties, so Mann and Whitney's test is exact"
    ranks = np.argsort(np.argsort(both)) + 1
    groups = [list(each) for each in combinations(range(8), 4)]
    mann_whitney = np.mean([ranks[each].sum() >= ranks[:4].sum() for each in groups])
    permutation = np.mean([both[each].sum() >= a.sum() - 1e-9 for each in groups])
    parts = a.var(ddof=1) / 4, b.var(ddof=1) / 4
    freedom = sum(parts) ** 2 / sum(each**2 / 3 for each in parts)
    welch = 2 * stats.t.sf(abs(a.mean() - b.mean()) / sum(parts) ** 0.5, freedom)
    wanted = [float(mann_whitney), float(permutation), float(welch)]
    rows = rows_in(tmp_path / "out" / "report" / "hypotheses.csv")
    assert [row["test"] for row in rows] == [test for _, test in BETWEEN]
    assert [float(row["p"]) for row in rows] == pytest.approx(wanted)
    assert [float(row["corrected"]) for row in rows] == pytest.approx(by_holm(wanted))
    pooled = ((a.var(ddof=1) + b.var(ddof=1)) / 2) ** 0.5
    assert float(rows[0]["effect"]) == pytest.approx((a.mean() - b.mean()) / pooled)
    assert "Differences between groups" in (tmp_path / "out" / "report" / "report.html").read_text(encoding="utf-8")


def test_a_folder_of_an_earlier_version_is_exported_and_the_report_says_what_to_do(tmp_path: Path, here: None) -> None:
    study = run_study(tmp_path, with_claims(CLAIMS), people=2)
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as store:
        for table in ("places", "entry_times", "input_times", "languages"):
            store.execute(f"DROP TABLE {table}")
        store.execute("DELETE FROM meta WHERE name = 'description'")
        store.commit()
    with pytest.raises(InputError) as refused:
        write_people_report(tmp_path / "out")
    assert str(refused.value).endswith(
        "found results of an earlier version of askwise; expected a folder of this version: start the studio once with "
        "the same study file, and stop it"
    )
    assert len(rows_in(tmp_path / "out" / "export" / "rounds.csv")) == 6, "the export needs no description"

    async def reopen() -> None:
        async with inside(tmp_path / "out", study):
            pass

    asyncio.run(reopen())
    assert write_people_report(tmp_path / "out")["people who finished"] == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("curious < quiet", "curious beats quiet", '.claim: found "curious beats quiet in cost"; expected two '),
        ("curious < quiet", "curious < loud", ".claim: condition: found \"loud\"; expected one of 'quiet'"),
        ("curious < quiet", "quiet < quiet", ".claim: condition: found \"quiet\"; expected one of 'curious'"),
        ("in cost", "in joy", ".claim: measure: found \"joy\"; expected one of 'cost', 'questions'"),
        ("in cost", "in fluency", ".claim: measure: found \"fluency\"; expected one of 'cost', 'questions'"),
        ('cost"\n', 'cost"\ntest = "welch t"\n', ".test: found \"welch t\"; expected one of 'paired t', 'wilcoxon'"),
        ("alpha = 0.1", "alpha = 1", "analysis.alpha: found 1; expected a number below 1"),
        ("alpha = 0.1", 'correction = "b"', "analysis.correction: found \"b\"; expected one of 'holm', 'none'"),
    ],
)  # fmt: skip
def test_hypotheses_that_cannot_be_decided_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in STUDY
    with pytest.raises(InputError) as refused:
        load(write_study(tmp_path, STUDY.replace(old, new, 1)))
    assert str(refused.value).removeprefix("hypotheses[0]").startswith(message)


def test_names_in_a_hypothesis_may_contain_the_word_in(tmp_path: Path) -> None:
    text = STUDY.replace("curious < quiet in", "curious < quiet in a hurry in")
    text = text.replace('condition = "quiet"', 'condition = "quiet in a hurry"').replace(
        "[conditions.quiet]", '[conditions."quiet in a hurry"]'
    )
    (stated,) = load(write_study(tmp_path, text)).plan.hypotheses
    assert (stated.first, stated.second, stated.measure) == ("curious", "quiet in a hurry", "cost")

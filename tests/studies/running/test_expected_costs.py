"""Expected costs beside the episodes: the same as computed alone, for the instances and priors that were asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from askwise import evaluate, lower_bound, solve
from askwise.methods import AGENTS, Agent, Decision, Observation
from askwise.studies.running.play import Problems, play
from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.study import Study
from askwise.studies.schema.study_file import study_from
from askwise.studies.schema.tables import BOUND
from tests.studies.studies import stored

SETTINGS = {
    "name": "small",
    "methods": ["never", "ezq-exact"],
    "priors": ["far", "near"],
    "per_station_costs": [0.0, 0.2],
    "teammates": ["urop", "uniform"],
    "instances": {"count": 3, "size": 5, "stations": 4, "toolboxes": 2},
    "bounds": 2,
    "exact": {"instances": 1, "priors": ["near"]},
}


@pytest.fixture(scope="module")
def study() -> Study:
    return study_from(SETTINGS)


def expected(study: Study, index: int) -> pl.DataFrame:
    return play(study.task(index)).tables["expected"]


def test_what_is_asked_for_is_computed_and_nothing_else(study: Study) -> None:
    first, second, third = (expected(study, index) for index in range(3))
    settings = [(prior, cost) for prior in ("far", "near") for cost in (0.0, 0.2)]
    bounds = first.filter(pl.col("method") == BOUND)
    assert list(bounds.select("prior", "per_station_cost").iter_rows()) == settings
    methods = first.filter(pl.col("method") != BOUND)
    assert list(methods.select("prior", "per_station_cost", "method").iter_rows()) == [
        ("near", cost, method) for cost in (0.0, 0.2) for method in ("never", "ezq-exact")
    ]
    assert second["method"].to_list() == [BOUND] * 4
    assert third.is_empty()


def test_values_are_those_of_the_evaluation(study: Study) -> None:
    task = study.task(0)
    problems = Problems(task)
    conditions = {
        (condition.prior.label, condition.per_station_cost, condition.method.label): condition
        for condition in task.conditions()
    }
    for row in expected(study, 0).iter_rows(named=True):
        if row["method"] == BOUND:
            problem = problems(conditions[row["prior"], row["per_station_cost"], "never"])
            assert row["expected"] == lower_bound(problem).value == pytest.approx(solve(problem).expected_marginal_cost)
        else:
            condition = conditions[row["prior"], row["per_station_cost"], row["method"]]
            alone = evaluate(problems(condition), row["method"], exact=True, seed=task.episode_seed(0))
            assert (row["expected"], row["states"]) == (alone.expected_marginal_cost, alone.states)
            assert row["verdict"].startswith("exact, ")


def test_an_agent_that_fails_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    class Faulty(Agent):
        def decide(self, observation: Observation) -> Decision:
            raise ZeroDivisionError("on purpose")

    monkeypatch.setitem(AGENTS, "faulty", Faulty)
    rows = expected(study_from({**SETTINGS, "methods": ["faulty", "never"]}), 0)
    failed = rows.filter(pl.col("method") == "faulty")
    line = Faulty.decide.__code__.co_firstlineno + 1
    message = f"step 1: agent 'faulty' failed in decide: ZeroDivisionError: on purpose ({__file__}, line {line})"
    assert failed["error"].to_list() == [message] * 2
    assert failed["expected"].null_count() == 2
    assert rows.filter(pl.col("method") == "never")["expected"].null_count() == 0


def test_an_expected_cost_that_failed_is_computed_again_when_asked_for(tmp_path: Path) -> None:
    study = study_from({**SETTINGS, "methods": ["never"], "priors": ["near"], "bounds": 1})
    store = Store(tmp_path, study)
    with store.locked():
        for index in range(study.n_tasks):
            played = play(study.task(index))
            tables = {**played.tables, "expected": played.tables["expected"].with_columns(error=pl.lit("too late"))}
            store.write(replace(played, tables=tables) if index == 0 else played)
    assert store.failed() == {0}
    assert run_study(study, tmp_path).played == 0
    again = run_study(study, tmp_path, retry_failed=True)
    assert (again.before, again.played, again.store.failed()) == (study.n_tasks, 1, set())
    assert stored(tmp_path, "expected").equals(expected(study, 0))

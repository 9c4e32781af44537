"""Tasks: rows equal simulated episodes and evaluated costs, conditions share goal and path, failures are rows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from askwise import evaluate, lower_bound, simulate, solve
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import AGENTS, Agent, Decision, Observation, make_agent
from askwise.studies.running.play import Clock, Problems, failed_task, play, timed
from askwise.studies.running.run import run_study
from askwise.studies.running.store import Store
from askwise.studies.schema.instances import Given
from askwise.studies.schema.study import Study
from askwise.studies.schema.study_file import study_from
from askwise.studies.schema.tables import BOUND, SCHEMAS
from tests.methods.blamed import FILE, culprits
from tests.studies.studies import small, stored
from tests.tool_fetching import instance, workshop


def test_rows_are_what_simulate_plays() -> None:
    study = small(episodes=2, teammates=["urop", "noisy:0.2"], beliefs=["robust"])
    task = study.task(1)
    played = play(task)
    rows = iter(played.tables["episodes"].iter_rows(named=True))
    for number in range(2):
        for condition in task.conditions():
            row = next(rows)
            given = replace(
                task.instance(),
                prior=Prior(condition.prior.kind),
                query_cost=condition.query_cost(task.instance().query_cost),
            )
            episode = simulate(given, condition.method.make(), condition.teammate, seed=task.episode_seed(number))
            questions = played.tables["queries"].filter(
                *(pl.col(key) == row[key] for key in ("episode", "prior", "teammate", "method", "per_goal"))
            )
            assert (row["instance"], row["episode"], row["teammate"]) == (1, number, condition.teammate)
            assert (row["prior"], row["method"]) == (condition.prior.label, condition.method.label)
            assert (row["goal"], row["steps"], row["error"]) == (episode.goal_name, len(episode.steps), None)
            assert (row["cost"], row["known_cost"]) == (episode.cost, episode.known_cost)
            assert row["marginal_cost"] == episode.marginal_cost
            assert row["queries"] == len(episode.questions) == questions.height
            assert row["query_cost"] == pytest.approx(questions["cost"].sum())
            assert questions["t"].to_list() == [step.t for step in episode.questions]
            assert questions["number"].to_list() == list(range(1, questions.height + 1))
    assert next(rows, None) is None


def test_answers_are_a_factor_of_the_teammate() -> None:
    study = small(answers=["truthful", "wrong:0.2,refused:0.3"], priors=["far"], methods=["never", "baseline"])
    task = study.task(0)
    played = play(task).tables
    rows = played["episodes"]
    assert rows.height == study.episodes_per_task == 2 * 2 * 2
    assert rows["teammate"].unique(maintain_order=True).to_list() == ["urop, truthful", "urop, wrong:0.2,refused:0.3"]
    true = play(small(priors=["far"], methods=["never", "baseline"]).task(0)).tables["episodes"]
    assert rows.filter(pl.col("teammate") == "urop, truthful").drop("teammate").equals(true.drop("teammate"))
    noisy = [condition for condition in task.conditions() if condition.teammate_label.endswith("0.3")][1]
    problem = Problems(task)(noisy)
    seed = task.episode_seed(0)
    episode = simulate(problem, noisy.method.make_for(problem, "urop"), "urop", seed=seed)
    assert rows.row(5, named=True)["cost"] == episode.cost
    assert [step.answer.yes for step in episode.questions if step.answer] == (
        played["queries"].filter(pl.col("teammate") == noisy.teammate_label, pl.col("per_goal") == 0)["answer"]
    ).to_list()


def test_every_method_and_price_meets_the_same_luck() -> None:
    study = small(episodes=3, teammates=["urop", "noisy:0.3"], base=[0.1, 2.0], beliefs=["robust"])
    for index in range(3):
        rows = play(study.task(index)).tables["episodes"]
        shared = rows.group_by("episode", "prior", "teammate").agg(pl.col("goal", "known_cost").n_unique(), pl.len())
        assert shared["goal"].to_list() == shared["known_cost"].to_list() == [1] * 12
        assert shared["len"].to_list() == [12] * 12


def test_the_worker_walks_the_same_path_whoever_fetches() -> None:
    task = small(priors=["uniform"]).task(0)
    paths = []
    for name in ("never", "toolbox", "ezq-local", "informed"):
        episode = simulate(task.instance(), name, seed=task.episode_seed(0))
        paths.append([step.teammate_action for step in episode.steps if step.teammate_action is not None])
    shortest = min(map(len, paths))
    assert shortest > 1
    assert all(path[:shortest] == paths[0][:shortest] for path in paths)


# -- problems that share their tables --------------------------------------------------------------------------------

TERMS = [(Prior("near", 2.0), QueryCost(0.1, 0.7)), (Prior("far"), QueryCost(0.0, 0.0))]


@pytest.mark.parametrize("given", [workshop(), generate(width=5, height=4, stations=4, toolboxes=2, walls=0.1, seed=3)])
def test_other_terms_give_the_problem_that_would_have_been_built(given: Instance) -> None:
    plain = ToolFetching(given)
    before = plain.prior.copy()
    for prior, cost in TERMS:
        shared = plain.with_terms(prior, cost)
        built = ToolFetching(replace(given, prior=prior, query_cost=cost))
        assert_same(shared, built)
        # in any order, because conditions are independent
        assert_same(shared.with_terms(given.prior, given.query_cost), ToolFetching(given))
    assert np.array_equal(plain.prior, before)
    assert plain.query_cost == given.query_cost


def assert_same(one: ToolFetching, other: ToolFetching) -> None:
    assert one == other
    for name in ("goals", "query_cost", "start"):
        assert getattr(one, name) == getattr(other, name)
    assert (one.teammate.actions, one.ego.actions) == (other.teammate.actions, other.ego.actions)
    assert np.array_equal(one.prior, other.prior)
    assert one.teammate.model is one.grid
    for state in range(one.grid.n_states):
        for name in ("policy", "optimal", "steps"):
            assert np.array_equal(getattr(one.teammate, name)(state), getattr(other.teammate, name)(state))
        assert all(map(np.array_equal, one.teammate.divergence(state), other.teammate.divergence(state)))
        for action in range(len(one.teammate.actions.names)):
            assert one.teammate.next(state, action) == other.teammate.next(state, action)
    for ego in range(one.grid.n_states * (len(one.goals) + 1)):
        for name in ("policy", "optimal", "steps"):
            assert np.array_equal(getattr(one.ego, name)(ego), getattr(other.ego, name)(ego))
        assert all(map(np.array_equal, one.ego.divergence(ego), other.ego.divergence(ego)))
        for action in range(len(one.ego.actions.names)):
            assert one.ego.next(ego, action) == other.ego.next(ego, action)
    for goal in range(len(one.goals)):
        assert np.array_equal(one.teammate.targets(goal), other.teammate.targets(goal))
    assert one.decode(JointState(3, 7)) == other.decode(JointState(3, 7))


def test_a_problem_is_made_once_for_each_prior_and_price() -> None:
    task = small().task(0)
    problems = Problems(task)
    made = [problems(condition) for condition in task.conditions()]
    assert len({id(problem) for problem in made}) == 4
    assert all(problem.teammate.model is made[0].teammate.model for problem in made)


# -- what goes wrong -------------------------------------------------------------------------------------------------


def fails(method: str, error: str, **changes: Any) -> None:
    """Check that one method fails with this error in every episode, and the others in none."""
    with_it = play(small(methods=["never", method, "toolbox"], **changes).task(0)).tables
    without = play(small(methods=["never", "toolbox"], **changes).task(0)).tables
    mine = with_it["episodes"].filter(pl.col("method") == method)
    assert mine.height == 4
    assert all(re.fullmatch(error, each) for each in mine["error"]), mine["error"][0]
    assert mine["finished"].to_list() == [False] * 4
    nulls = mine.select("goal", "known_cost", "cost", "marginal_cost", "steps", "queries", "query_cost").null_count()
    assert set(nulls.row(0)) == {4}
    assert set(mine["per_goal"]) == {0.0, 0.3}
    for name in ("episodes", "queries"):
        assert with_it[name].filter(pl.col("method") != method).equals(without[name])
    assert with_it["timings"].height == without["timings"].height


def test_an_agent_that_fails_is_a_row(plugin: Path) -> None:
    assert plugin.exists()
    place = r" \(\S*/misbehaving.py, line \d+\)"
    fails("leaves", f"step 1: agent 'leaves' failed in decide: SystemExit: enough{place}")
    fails("speechless", f"step 1: agent 'speechless' failed in decide: Odd: an error that cannot be shown{place}")
    much = r"ValueError: \\udcffx+\.\.\."
    fails("half", f"step 1: agent 'halfacharacter' failed in decide: {much}{place}")


@pytest.mark.parametrize("name", ["Normalises", "SetsPrior", "SetsPrice", "WritesMap", "WritesSuccessor", "SetsModel"])
def test_no_agent_can_change_what_the_others_meet(name: str) -> None:
    """All conditions of a task share one problem, which an agent must not be able to change."""
    (culprit,) = (each for each in culprits() if str(each) == name)
    fails(culprit.place, rf".*agent '{name.lower()}' failed in .*\({re.escape(str(FILE))}, line {culprit.line}\)")


def test_a_teammate_that_fails_is_a_row() -> None:
    rows = play(small(teammates=["urop", "via:77,77"], episodes=2).task(0)).tables["episodes"]
    wrong = rows.filter(pl.col("teammate") != "urop")
    assert wrong["error"].is_not_null().all()
    assert rows.filter(pl.col("teammate") == "urop")["error"].is_null().all()
    assert wrong.height == rows.height // 2


def test_an_instance_that_cannot_be_drawn_is_rows_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    task = small().task(0)
    monkeypatch.setattr(type(task), "instance", lambda _: 1 / 0)
    rows = play(task).tables["episodes"]
    assert rows.height == 12
    assert set(rows["error"]) == {"ZeroDivisionError: division by zero"}
    assert set(rows["base"]) == {0.5}


def test_ctrl_c_is_not_an_agents_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("askwise.studies.running.play.simulate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        play(small().task(0))


def test_an_episode_that_is_cut_off_has_a_cost_but_no_marginal_cost() -> None:
    rows = play(small(max_steps=1).task(0)).tables["episodes"]
    cut = rows.filter(~pl.col("finished"))
    assert cut.height == rows.height
    assert set(cut["error"]) == {"cut off after 1 steps"}
    assert cut["marginal_cost"].null_count() == cut.height
    assert cut["cost"].null_count() == 0
    assert set(cut["steps"]) == {1}


def test_names_that_have_no_utf8_are_escaped() -> None:
    plain = instance(
        (6, 5),
        stations={"A": ((5, 0), "T"), "B": ((1, 4), "T")},
        toolboxes={"T": (2, 2)},
        worker=(0, 0),
        fetcher=(2, 2),
    )
    # not possible in a file, but with an instance made in Python
    odd = replace(plain, stations={"\ud800": plain.stations["A"], "B": plain.stations["B"]})
    study = replace(small(methods=["baseline"], episodes=4), instances=Given(("odd.json",), (odd,)))
    tables = play(study.task(0)).tables
    assert set(tables["episodes"]["goal"]) <= {"\\ud800", "B"}
    assert tables["episodes"]["error"].null_count() == tables["episodes"].height
    assert tables["queries"].height > 0


def test_a_task_that_could_not_be_played_has_all_its_rows() -> None:
    task = small(episodes=2).task(4)
    gone, played = failed_task(task, "its machine burnt"), play(task)
    keys = ["instance", "episode", "prior", "teammate", "method", "base", "per_goal"]
    assert gone.index == 4
    assert gone.tables["episodes"].select(keys).equals(played.tables["episodes"].select(keys))
    assert set(gone.tables["episodes"]["error"]) == {"its machine burnt"}
    assert gone.tables["queries"].height == gone.tables["timings"].height == 0


def test_tables_have_their_columns_and_types() -> None:
    for tables in (play(small().task(0)).tables, failed_task(small().task(0), "x").tables):
        assert {name: dict(frame.schema) for name, frame in tables.items()} == dict(SCHEMAS)


def test_the_clock_runs_while_an_agent_decides_and_nothing_else_changes() -> None:
    class Counting(Agent):
        name = "counting"
        decisions = 0

        def decide(self, observation: Observation) -> Decision:
            type(self).decisions += 1
            raise RuntimeError

    clock = Clock()
    agent = timed(Counting(), clock)
    assert isinstance(agent, Counting)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            agent.decide(Observation(JointState(0, 0)))
    assert Counting.decisions == 2
    assert clock.seconds > 0
    assert "decide" not in vars(make_agent("never"))


def test_times_are_apart_and_complete() -> None:
    tables = play(small().task(0)).tables
    assert tables["timings"].height == tables["episodes"].height
    assert (tables["timings"]["seconds"] >= tables["timings"]["decide_seconds"]).all()
    assert (tables["timings"]["decide_seconds"] > 0).all()


SETTINGS = {
    "name": "small",
    "methods": ["never", "ezq-exact"],
    "priors": ["far", "near"],
    "per_goal": [0.0, 0.2],
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
    assert list(bounds.select("prior", "per_goal").iter_rows()) == settings
    methods = first.filter(pl.col("method") != BOUND)
    assert list(methods.select("prior", "per_goal", "method").iter_rows()) == [
        ("near", cost, method) for cost in (0.0, 0.2) for method in ("never", "ezq-exact")
    ]
    assert second["method"].to_list() == [BOUND] * 4
    assert third.is_empty()


def test_values_are_those_of_the_evaluation(study: Study) -> None:
    task = study.task(0)
    problems = Problems(task)
    conditions = {
        (condition.prior.label, condition.per_goal, condition.method.label): condition
        for condition in task.conditions()
    }
    for row in expected(study, 0).iter_rows(named=True):
        if row["method"] == BOUND:
            problem = problems(conditions[row["prior"], row["per_goal"], "never"])
            assert row["expected"] == lower_bound(problem).value == pytest.approx(solve(problem).expected_marginal_cost)
        else:
            condition = conditions[row["prior"], row["per_goal"], row["method"]]
            alone = evaluate(problems(condition), row["method"], exact=True, seed=task.episode_seed(0))
            assert (row["expected"], row["states"]) == (alone.expected_marginal_cost, alone.states)
            assert row["verdict"].startswith("exact, ")


def test_an_agent_that_fails_is_a_row_of_expected_costs(monkeypatch: pytest.MonkeyPatch) -> None:
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

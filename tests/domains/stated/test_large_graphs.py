"""Large graphs with many actions: models with ranks as columns give the same results as models with all columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import askwise
from askwise.core.belief import Tracker
from askwise.core.episode import Episode
from askwise.core.problem import teammate_does
from askwise.divergence import Divergence
from askwise.domains.stated import reader, sides
from askwise.domains.stated.file import ProblemFile, StatedProblem
from askwise.domains.stated.sides import Graph
from askwise.model import same_model
from tests.refused import assert_refused

N_STATES = 1_001
"""A tree in which every edge is an action of its own has one fewer: just above `sides.LARGE_TABLE` together."""
LEAVES = {"left": 600, "middle": 700, "right": 900}


def edges() -> list[list[Any]]:
    return [[f"s{(child - 1) // 2}", f"to {child}", f"s{child}"] for child in range(1, N_STATES)]


def contents(policy: Any = None, **ego: Any) -> dict[str, Any]:
    teammate = {"start": "s0", "edges": edges(), **({} if policy is None else {"policy": policy})}
    return {
        "format": "askwise/problem@1",
        "teammate": teammate,
        "ego": ego or {"start": "E", "map": "A.E.B\n#.#.#\n..C.."},
        "goals": {
            name: {"teammate": f"s{leaf}", "ego": f"s{leaf}" if ego else letter}
            for (name, leaf), letter in zip(LEAVES.items(), "ABC", strict=True)
        },
        "query_cost": {"base": 0.3},
    }


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], tuple[StatedProblem, StatedProblem]]:
    """Return a function that reads contents twice: with ranks, and with a column for every action."""

    def read(given: dict[str, Any]) -> tuple[StatedProblem, StatedProblem]:
        ranks = ProblemFile.from_json(given).problem()
        with monkeypatch.context() as changed:
            changed.setattr(sides, "LARGE_TABLE", 10**9)
            columns = ProblemFile.from_json(given).problem()
        assert ranks.teammate.model.labels is not None
        assert ranks.teammate.model.n_actions <= 4
        assert columns.teammate.model.labels is None
        assert columns.teammate.model.n_actions >= N_STATES
        return ranks, columns

    return read


def test_the_threshold() -> None:
    one_fewer = np.array([[(child - 1) // 2, child - 1, child] for child in range(1, N_STATES - 1)], dtype=np.int32)
    names = tuple(f"s{k}" for k in range(N_STATES - 1))
    actions = tuple(f"to {k}" for k in range(1, N_STATES))
    small = Graph("s0", names, actions, one_fewer)
    assert len(small.states) * len(small.actions) == sides.LARGE_TABLE
    assert small.model.labels is None
    one_more = Graph("s0", (*names, "s"), actions, one_fewer)
    assert one_more.model.labels is not None
    assert Graph("s0", (*names, "s"), (*actions[:-1], "STAY"), one_fewer[:-1]).model.labels is None


def test_the_same_model_and_the_same_distances(both: Any) -> None:
    ranks, columns = (problem.teammate.model for problem in both(contents()))
    assert np.array_equal(ranks.with_columns().successor, columns.successor)
    assert ranks.with_columns().actions == columns.actions
    assert same_model(ranks, columns)
    assert same_model(columns, ranks)
    goals = {name: f"s{leaf}" for name, leaf in LEAVES.items()}
    left, right = (Divergence(model, goals).matrices_at("s0") for model in (ranks, columns))
    assert np.array_equal(left, right)


def test_models_with_other_actions_are_not_the_same(both: Any) -> None:
    ranks, _ = both(contents())
    other = contents()
    other["teammate"]["edges"][5][1] = "another way"
    assert not same_model(ranks.teammate.model, both(other)[0].teammate.model)


@pytest.mark.parametrize("belief", ["bayes", "robust"])
def test_the_same_beliefs(both: Any, belief: str) -> None:
    found = []
    for problem in both(contents()):
        tracker = Tracker(problem, belief)
        tracker.saw(0, problem.teammate.model.action_in(0, "to 2"))
        found.append(tracker.probabilities)
    assert found[0].max() > 0.5
    assert np.array_equal(found[0], found[1])


def said(episode: Episode) -> list[str]:
    done = [(step.state.teammate, step.teammate_action) for step in episode.steps if step.teammate_action is not None]
    return [teammate_does(episode.problem, state, action) for state, action in done]


@pytest.mark.parametrize("policy", [None, "uniform", {"boltzmann": 2.0}])
def test_the_same_episodes(both: Any, policy: Any) -> None:
    ranks, columns = both(contents(policy))
    for goal in LEAVES:
        left, right = (askwise.simulate(problem, "ezq", goal=goal, seed=3) for problem in (ranks, columns))
        assert (left.cost, left.final, len(left.steps)) == (right.cost, right.final, len(right.steps))
        assert [step.state for step in left.steps] == [step.state for step in right.steps]
        assert said(left) == said(right)
        assert said(left)[0].startswith("to ")


def test_a_table_of_a_policy(both: Any) -> None:
    def way(leaf: int) -> list[int]:
        return [*way((leaf - 1) // 2), leaf] if leaf else []

    rows = [[name, f"s{(k - 1) // 2}", f"to {k}", 1.0] for name, leaf in LEAVES.items() for k in way(leaf)]
    ranks, columns = both(contents({"table": rows}))
    for state in (0, 1, 2, 4):
        left, right = ranks.teammate.policy(state), columns.teammate.policy(state)
        assert np.array_equal(left[left > 0], right[right > 0])
    assert ranks.file.to_json() == columns.file.to_json()
    rows[0][2] = "to 999"
    assert_refused(
        lambda: ProblemFile.from_json(contents({"table": rows})),
        'teammate.policy.table[0]: found "to 999" in state "s0"; expected an action that is available there',
    )
    rows[0][2] = "action 1"  # what a column is called for itself is nobody's name
    assert_refused(
        lambda: ProblemFile.from_json(contents({"table": rows})),
        'teammate.policy.table[0]: found the unknown action "action 1"; expected an action of the teammate',
    )


def test_an_ego_agent_with_many_actions_has_no_column_for_each(both: Any) -> None:
    across = [["s0", "across", "s2"], ["s1", "over", "s6"], ["s2", "over", "s6"]]  # several ways of the same length
    ranks, columns = both(contents(start="s0", edges=[*across, *edges()]))
    assert ranks.ego.model.n_actions <= 5 < N_STATES <= columns.ego.model.n_actions
    assert (ranks.ego.actions.names, ranks.ego.actions.stay) == (columns.ego.actions.names, columns.ego.actions.stay)
    assert ranks.ego.actions.moves == columns.ego.actions.moves
    for state in (0, 1, 2, 6, 600):
        assert np.array_equal(ranks.ego.optimal(state), columns.ego.optimal(state))
        here = np.flatnonzero(columns.ego.model.available[state]).tolist()
        assert [ranks.ego.next(state, a) for a in here] == [columns.ego.next(state, a) for a in here]
        assert ranks.ego.next(state, 999) == columns.ego.next(state, 999)
    assert ranks.file.to_json() == columns.file.to_json()
    for method in ("ezq", "planner", "optimal"):
        left, right = (askwise.simulate(problem, method, goal="right", seed=3) for problem in (ranks, columns))
        assert [step.decision for step in left.steps] == [step.decision for step in right.steps]
        assert (left.cost, left.final) == (right.cost, right.final)


def test_the_same_design(both: Any) -> None:
    two_ways = contents()
    two_ways["teammate"]["edges"] += [["s1", "across", "s6"]]  # to the right by the left side, in as many steps
    left, right = (askwise.design(problem, 1, minimise="edp") for problem in both(two_ways))
    assert left.forbidden == right.forbidden == (("s1", "across", "s6"),)
    assert left.after.value == right.after.value < left.before.value
    assert left.changed == right.changed


def test_a_design_for_a_problem_made_in_python(both: Any) -> None:
    two_ways = contents(start="s0", edges=[*edges(), ["s1", "across", "s6"]])
    two_ways["teammate"]["edges"] += [["s1", "across", "s6"]]
    found = []
    for stated in both(two_ways):
        goals = {name: f"s{leaf}" for name, leaf in LEAVES.items()}
        problem = askwise.FactoredProblem(goals, teammate_model=stated.teammate.model, start=("s0", "s0"))
        made = askwise.design(problem, 1, minimise="edp")
        found.append((made.forbidden, made.after.value, made.both, made.changed))
    assert found[0][:3] == found[1][:3] == ((("s1", "across", "s6"),), found[1][1], True)
    ranks, columns = (each[3].teammate.model for each in found)
    assert ranks.labels is not None
    assert same_model(ranks, columns)


def test_the_limit_is_on_the_table_that_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_ENTRIES", 5 * N_STATES)
    assert ProblemFile.from_json(contents()).teammate.model.labels is not None
    assert_refused(
        lambda: ProblemFile.from_json(contents(start="s0", edges=[*edges(), ["s0", "x", "s1"]])),
        "ego.edges: found 1001 states and 6 actions (twice those of a state); "
        f"expected a product of at most {5 * N_STATES}",
    )
    monkeypatch.setattr(reader, "MOST_ENTRIES", 5 * N_STATES - 1)
    assert_refused(
        lambda: ProblemFile.from_json(contents()),
        f"teammate.edges: found 1001 states and 4 actions (twice those of a state); "
        f"expected a product of at most {5 * N_STATES - 1}",
    )

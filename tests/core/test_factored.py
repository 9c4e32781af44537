"""A problem stated plainly: by name, and every mistake refused with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import askwise
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, Problem, joint_state
from askwise.core.questions import AnyPrice, QueryCost
from askwise.model import Model, Policy, boltzmann, urop
from tests.refused import Fault, assert_refused, each

WARD = Model.from_edges(
    [
        ("desk", "go", "hall"),
        ("hall", "back", "desk"),
        ("hall", "left", "r1"),
        ("hall", "right", "r2"),
        ("r1", "out", "hall"),
        ("r2", "out", "hall"),
        ("r2", "jump", "garden"),
    ]
)
SLIPPERY = Model.from_edges([("desk", "go", "r1", 0.5), ("desk", "go", "r2", 0.5)])


def ward(**given: Any) -> FactoredProblem:
    """A ward in which the teammate goes to one of two rooms, and the ego agent has to be in the other."""
    arguments: dict[str, Any] = {
        "goals": ["first", "second"],
        "teammate_model": WARD,
        "teammate_goals": {"first": "r1", "second": "r2"},
        "ego_goals": {"first": "r2", "second": "r1"},
        "start": ("desk", "hall"),
    }
    return FactoredProblem(**{**arguments, **given})


def targets(problem: FactoredProblem) -> list[list[object]]:
    steps = [problem.ego.steps(state) for state in range(WARD.n_states)]
    return [[WARD.name(s) for s, row in enumerate(steps) if row[goal] == 0] for goal in range(len(problem.goals))]


def test_it_is_a_problem_and_says_what_it_is() -> None:
    problem = ward()
    assert isinstance(problem, Problem)
    assert repr(problem) == (
        "<FactoredProblem: 2 goals (first, second); teammate at 'desk', one of 5 states; ego at 'hall', one of 5>"
    )
    assert problem.start == JointState(0, 1)
    assert problem.prior.tolist() == [0.5, 0.5]
    assert problem.query_cost == QueryCost()


def test_targets_by_name_whatever_their_order() -> None:
    by_name = ward(ego_goals={"second": "r1", "first": ["r2", "desk"]})
    in_order = ward(ego_goals=[["r2", "desk"], "r1"])
    assert targets(by_name) == targets(in_order) == [["desk", "r2"], ["r1"]]


def test_goals_as_a_dict_are_the_targets_of_both() -> None:
    problem = ward(goals={"first": "r1", "second": "r2"}, teammate_goals=None, ego_goals=None)
    assert targets(problem) == [["r1"], ["r2"]]
    assert [problem.teammate.targets(goal).tolist() for goal in (0, 1)] == [[2], [3]]
    other = ward(goals={"first": "r1", "second": "r2"}, teammate_goals=None, ego_goals=["desk", "hall"])
    assert targets(other) == [["desk"], ["hall"]]


def test_a_prior_by_name() -> None:
    assert ward(prior={"second": 0.75, "first": 0.25}).prior.tolist() == [0.25, 0.75]
    assert ward(prior=[0.25, 0.75]).prior.tolist() == [0.25, 0.75]


def test_the_prior_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        ward().prior[0] = 1.0


def test_states_by_name() -> None:
    problem = ward(start=JointState("hall", "r1"))  # type: ignore[arg-type]
    assert problem.start == JointState(1, 2)
    assert joint_state(problem, "r2") == JointState(3, 2)
    assert joint_state(problem, ego="desk") == JointState(1, 0)


def test_a_joint_state_has_indices_even_if_states_are_named_by_numbers() -> None:
    """State 0 has the name 1, and state 1 the name 0."""
    model = Model.from_edges([(1, "go", 0), (0, "go", 2), (2, "back", 0), (0, "back", 1)])
    assert [model.name(state) for state in range(3)] == [1, 0, 2]
    goals = {"first": 2, "second": 1}
    for start in (JointState(0, 1), (1, 0)):
        problem = ward(teammate_model=model, teammate_goals=goals, ego_model=model, ego_goals=goals, start=start)
        assert problem.start == JointState(0, 1)


def test_prices_by_name_and_as_a_function() -> None:
    assert ward(query_cost={"second": 2.0, "first": 0.1}).query_cost == QueryCost(prices=(0.1, 2.0))
    price = ward(query_cost=lambda asked: 3.0 + 0 * len(asked)).query_cost
    assert isinstance(price, AnyPrice)
    assert price([0, 1]) == 3.0


def test_groups_and_moves_by_name() -> None:
    problem = ward(groups={"both": ["second", "first"]}, ego_moves=["left", "right"])
    assert problem.groups == {"both": (0, 1)}
    assert [problem.ego.actions.names[move] for move in problem.ego.actions.moves] == ["left", "right"]


def test_one_model_for_both() -> None:
    assert ward(ego_model=None).ego.model is WARD


# -- policies of the teammate ------------------------------------------------------------------------------------


def test_policies_are_what_is_watched_played_and_measured() -> None:
    given = {"first": urop(WARD, "r1"), "second": boltzmann(WARD, "r2", 1.0)}
    problem = ward(teammate_policies=given)
    hall = WARD.state("hall")
    assert problem.teammate.policy(hall)[1] == pytest.approx(given["second"].probabilities[hall])
    assert problem.teammate.optimal(hall)[1].tolist() == given["second"].support[hall].tolist()
    edp, _ = problem.teammate.divergence(hall)
    assert edp[0, 1] == pytest.approx(float(askwise.edp(WARD, given["first"], given["second"], at="hall")))
    assert edp[1, 0] == pytest.approx(float(askwise.edp(WARD, given["second"], given["first"], at="hall"))) == 2
    assert askwise.simulate(problem, "never", seed=0).teammate == "policy"


def test_a_table_is_a_policy_too() -> None:
    tables = [urop(WARD, room).probabilities for room in ("r1", "r2")]
    tables = [np.where(table.any(axis=1, keepdims=True), table, np.eye(table.shape[1])[WARD.stay]) for table in tables]
    problem = ward(teammate_policies=tables)
    assert problem.policies is not None
    assert problem.policies[0].at("hall") == {"left": 1.0}


def test_uniform_shortest_plans_given_as_policies_change_no_belief() -> None:
    given = ward(teammate_policies=[urop(WARD, "r1"), urop(WARD, "r2")])
    for state in range(4):  # from the garden there is no way
        np.testing.assert_array_equal(given.teammate.policy(state), ward().teammate.policy(state))
        for one, two in zip(given.teammate.divergence(state), ward().teammate.divergence(state), strict=True):
            np.testing.assert_allclose(one, two)


# -- faults ------------------------------------------------------------------------------------------------------

STATES = "one of 'desk', 'hall', 'r1', 'r2', 'garden', or an index from 0 to 4"
FAULTS: dict[str, Fault] = {
    "no goals": (lambda: ward(goals=[]), "goals: found none; expected at least one goal"),
    "a text instead of names": (
        lambda: ward(goals="ab"),
        "goals: found the text 'ab'; expected a list of names, or a dict from names to targets",
    ),
    "a goal without a name": (
        lambda: ward(goals=["first", ""]),
        "name of goal 1: found ''; expected a text that is not empty",
    ),
    "two goals of one name": (
        lambda: ward(goals=["first", "first"]),
        "goals: found the name 'first' twice; expected names that differ",
    ),
    "targets twice": (
        lambda: ward(goals={"first": "r1", "second": "r2"}),
        "goals: found targets in addition to teammate_goals and ego_goals; expected names only, or one of the two",
    ),
    "no targets": (
        lambda: ward(ego_goals=None),
        "ego_goals: found nothing; expected the targets of each goal, here or as values of goals",
    ),
    "too few targets": (
        lambda: ward(ego_goals=["r1"]),
        "ego_goals: found targets of 1 goals; expected 2, one for each goal",
    ),
    "targets of an unknown goal": (
        lambda: ward(ego_goals={"first": "r1", "secnd": "r2"}),
        "ego_goals: found targets of the unknown goal 'secnd'; expected some of first, second (did you mean 'second'?)",
    ),
    "a goal without targets": (
        lambda: ward(teammate_goals={"first": "r1"}),
        "teammate_goals: found no targets of goal 'second'; expected targets of every goal",
    ),
    "an unknown state": (
        lambda: ward(teammate_goals=["r1", "r9"]),
        f"teammate_goals: goal 'second': found 'r9'; expected {STATES}",
    ),
    "an unknown start": (lambda: ward(start=("desk", "roof")), f"start: ego: found 'roof'; expected {STATES}"),
    "half a start": (
        lambda: ward(start="desk"),
        "start: found 'desk'; expected two states, the teammate's and the ego agent's",
    ),
    "a prior that does not sum": (
        lambda: ward(prior=[0.5, 0.6]),
        "prior: found probabilities that sum to 1.1; expected 1 (within 1e-09)",
    ),
    "a prior of the wrong length": (
        lambda: ward(prior=[1.0]),
        "prior: found 1 probabilities; expected 2, one for each goal",
    ),
    "a negative prior": (
        lambda: ward(prior={"first": -0.5, "second": 1.5}),
        "prior of goal 'first': found -0.5; expected a number from 0 to 1",
    ),
    "a prior that is no numbers": (
        lambda: ward(prior=["much", "little"]),
        "prior: found ['much', 'little']; expected numbers, one for each goal",
    ),
    "a prior without a goal": (
        lambda: ward(prior={"first": 1.0}),
        "prior: found no probability of goal 'second'; expected probability of every goal",
    ),
    "a goal out of the teammate's reach": (
        lambda: ward(start=("garden", "hall")),
        "teammate_goals: goal 'first': found no way to it from 'garden'; expected a goal that can be reached",
    ),
    "a goal out of the ego agent's reach": (
        lambda: ward(start=("desk", "garden")),
        "ego_goals: goal 'first': found no way to it from 'garden'; expected a goal that can be reached",
    ),
    "goals that share a target": (
        lambda: ward(teammate_goals=[["r1", "r2"], "r2"]),
        "teammate_goals: goal 'second': found 'r2', a target of goal 'first' already; "
        "expected a target that no other goal has: the place where the teammate stays reveals its goal",
    ),
    "a stochastic model": (
        lambda: ward(teammate_model=SLIPPERY),
        "teammate_model: found a stochastic model; "
        "expected a deterministic model; only divergences support stochastic ones",
    ),
    "no model": (lambda: ward(teammate_model=None), "teammate_model: found None; expected an askwise.Model"),
    "no price": (
        lambda: ward(query_cost=3),
        "query_cost: found 3; expected a QueryCost, a function of the goals asked about, or a dict",
    ),
    "prices of other goals": (
        lambda: ward(query_cost=QueryCost(prices=(1.0, 2.0, 3.0))),
        "query_cost: prices: found 3 prices; expected 2, one for each goal",
    ),
    "a group of unknown goals": (
        lambda: ward(groups={"east": ["first", "third"]}),
        "groups: 'east': found the unknown goal 'third'; expected a list of some of first, second",
    ),
    "too few policies": (
        lambda: ward(teammate_policies=[urop(WARD, "r1")]),
        "teammate_policies: found 1 policies; expected 2, one for each goal",
    ),
    "a policy that does not stay": (
        lambda: ward(teammate_policies=[urop(WARD, "r2"), urop(WARD, "r2")]),
        "teammate_policies: goal 'first': found no STAY at its target 'r1'; expected a positive probability",
    ),
    "a policy that gets lost": (
        lambda: ward(teammate_policies=[urop(WARD, "r1"), Policy.from_trajectories(WARD, [])]),
        "teammate_policies: goal 'second': found no path to the goal from 'garden'; "
        "expected a path from every state that it may reach",
    ),
    "a policy that knows nothing to do": (
        lambda: ward(
            teammate_policies=[
                boltzmann(WARD, "r1"),
                Policy.from_trajectories(WARD, [[("desk", "go"), ("r2", "STAY")]], smoothing=0),
            ]
        ),
        "teammate_policies: goal 'second': found no action in 'hall'; "
        "expected an action in every state that it may reach",
    ),
}


@each(FAULTS)
def test_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


# -- ego agents with labels --------------------------------------------------------------------------------------


def _labelled(rng: np.random.Generator, n: int) -> Model:
    """A random graph as a model with labels, each state's actions in whatever order."""
    names = [f"act {k}" for k in range(7)]
    ways = {
        state: [(names[k], int(rng.integers(n))) for k in rng.permutation(len(names))[: rng.integers(2, 5)]]
        for state in range(n)
    }
    return Model.explore(0, lambda state: [("on", (int(str(state)) + 1) % n), *ways[int(str(state))]])


@pytest.mark.parametrize(
    ("method", "answers"),
    [
        ("ezq", None),
        ("toolbox", None),
        ("planner", None),
        ("optimal", None),
        ("planner", askwise.AnswerModel(wrong=0.1)),
        ("optimal", askwise.AnswerModel(wrong=0.1)),
    ],
)
def test_an_ego_model_with_labels_decides_as_one_with_a_column_for_each_action(method: str, answers: Any) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = _labelled(rng, 6)
        problems = [
            FactoredProblem(
                goals=list("xyz"),
                teammate_model=askwise.GridWorld(4, 3),
                teammate_goals=[(3, 0), (3, 2), (0, 2)],
                ego_model=ego,
                ego_goals=[1, 3, 5],
                start=((0, 0), 0),
                query_cost=QueryCost(0.2),
                **({} if answers is None else {"answers": answers}),
            )
            for ego in (model, model.with_columns())
        ]
        ranks, columns = problems
        assert ranks.ego.model.labels is not None
        assert columns.ego.model.labels is None
        assert (ranks.ego.actions.names, ranks.ego.actions.stay, ranks.ego.actions.moves) == (
            columns.ego.actions.names,
            columns.ego.actions.stay,
            columns.ego.actions.moves,
        )
        for ego in range(6):
            assert np.array_equal(ranks.ego.optimal(ego), columns.ego.optimal(ego))
            following = [[each.ego.next(ego, a) for a in range(len(each.ego.actions.names))] for each in problems]
            assert following[0] == following[1]
        for goal in "xyz":
            left, right = (askwise.simulate(each, method, goal=goal, seed=seed) for each in problems)
            assert [step.decision for step in left.steps] == [step.decision for step in right.steps]
            assert (left.cost, left.final) == (right.cost, right.final)

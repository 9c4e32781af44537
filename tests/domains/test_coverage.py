"""Maximal coverage, the paper's running example, and its refusals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from askwise import simulate
from askwise.core.problem import Problem, optimal_costs
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.model import Drawing
from tests.refused import Fault, assert_refused, each

Cell = tuple[int, int]


def paper(ego: Cell, teammate: Cell = (4, 3)) -> Coverage:
    """The paper's 9 x 7 grid: goal A at (8, 0), goal B at (8, 6)."""
    marks: dict[Cell, str] = {(8, 0): "A", (8, 6): "B", teammate: "W", ego: "F"}
    lines = ["".join(marks.get((x, y), ".") for x in range(9)) for y in reversed(range(7))]
    return Coverage("\n".join(lines))


@pytest.mark.parametrize(("ego", "branching"), [((5, 4), 4), ((2, 4), 7), ((8, 4), 1)])
def test_when_the_plans_of_the_ego_agent_branch_in_the_paper(ego: Cell, branching: int) -> None:
    problem = paper(ego)
    _, wcd = problem.ego.divergence(problem.start.ego)
    np.testing.assert_array_equal(wcd, [[np.inf, branching], [branching, np.inf]])


def test_how_long_the_teammate_stays_ambiguous_in_the_paper() -> None:
    problem = paper((5, 4))
    _, wcd = problem.teammate.divergence(problem.start.teammate)
    assert wcd[0, 1] == wcd[1, 0] == 5


def test_the_ego_agent_goes_to_the_other_goal() -> None:
    problem = paper((5, 4))
    assert isinstance(problem, Problem)
    assert problem.goals == ("A", "B")
    # To B for A, to A for B.
    assert problem.ego.steps(problem.start.ego).tolist() == [3 + 2, 3 + 4]
    at_b = problem.ego.model.state((8, 6))
    assert problem.ego.steps(at_b).tolist() == [0, 6]
    assert problem.teammate.steps(problem.start.teammate).tolist() == [7, 7]
    assert optimal_costs(problem, problem.start).tolist() == [8, 8]


def test_three_goals_share_targets() -> None:
    problem = Coverage("A....\n..W..\nB.F.C")
    grid = problem.ego.model
    targets = [{grid.name(s) for s in range(grid.n_states) if problem.ego.steps(s)[goal] == 0} for goal in range(3)]
    a, b, c = (0, 2), (0, 0), (4, 0)
    assert targets == [{b, c}, {a, c}, {a, b}]
    # From (2, 0): B and C are two steps away in opposite directions, A four.
    assert problem.ego.steps(problem.start.ego).tolist() == [2, 2, 2]
    optimal = problem.ego.optimal(problem.start.ego)
    names = [[problem.ego.actions.names[k] for k in np.flatnonzero(row)] for row in optimal]
    assert names == [["EAST", "WEST"], ["EAST"], ["WEST"]]
    # A and B have EAST in common, twice, until both have arrived at C: then both stay.
    _, wcd = problem.ego.divergence(problem.start.ego)
    assert np.isinf(wcd[0, 1])
    assert np.isinf(wcd[0, 2])
    assert wcd[1, 2] == 1


def test_a_goal_of_several_cells() -> None:
    problem = Coverage("A..B\nW..F\nA..B")
    assert problem.teammate.targets(0).tolist() == [problem.teammate.model.state(cell) for cell in [(0, 0), (0, 2)]]
    # One step to either B if the teammate goes to A, four to either A if it goes to B.
    assert problem.ego.steps(problem.start.ego).tolist() == [1, 4]


@pytest.mark.parametrize("goal", ["A", "B"])
@pytest.mark.parametrize("agent", ["never", "informed"])
def test_it_can_be_played(goal: str, agent: str) -> None:
    episode = simulate(paper((5, 4)), agent, goal=goal, seed=3)
    assert episode.finished
    grid = paper((5, 4)).teammate.model
    ends = {"A": (8, 0), "B": (8, 6)}
    assert grid.name(episode.final.teammate) == ends.pop(goal)
    assert grid.name(episode.final.ego) in ends.values()
    assert episode.marginal_cost == 0 or agent == "never"


def test_prior_and_costs() -> None:
    problem = Coverage("AWB\n.F.", prior=[1, 3], query_cost=QueryCost(1.0, 0.5))
    assert problem.prior.tolist() == [0.25, 0.75]
    assert problem.query_cost([0]) == 1.5
    assert Coverage("AWB\n.F.").prior.tolist() == [0.5, 0.5]
    assert Coverage(Drawing.parse("AWB\n.F.")).start == problem.start


ANOTHER = "at least two, so that there is another one to cover"

FAULTS: dict[str, Fault] = {
    "no goal": (lambda: Coverage("WF"), f"drawing: found 0 goals; expected {ANOTHER}"),
    "one goal": (lambda: Coverage("WFA"), f"drawing: found 1 goals; expected {ANOTHER}"),
    "one goal twice": (lambda: Coverage("AWFA"), f"drawing: found 1 goals; expected {ANOTHER}"),
    "no teammate": (lambda: Coverage("AFB"), "drawing: found no W (the teammate); expected both W and F"),
    "no ego agent": (lambda: Coverage("AWB"), "drawing: found no F (the ego agent); expected both W and F"),
    "teammate shut in": (
        lambda: Coverage("W#A\nF.#\n..B\n###"),
        "teammate_goals: goal 'A': found no way to it from (0, 3); expected a goal that can be reached",
    ),
    "ego agent shut in": (
        lambda: Coverage("AWB\n###\n.F."),
        "ego_goals: goal 'A': found no way to it from (1, 0); expected a goal that can be reached",
    ),
    "prior too short": (
        lambda: Coverage("AWFB", prior=[1]),
        "prior: found 1 weights; expected 2, one for each goal",
    ),
    "negative prior": (
        lambda: Coverage("AWFB", prior=[1, -1]),
        "prior of goal 1: found -1.0; expected a finite number from 0",
    ),
    "prior of zeros": (
        lambda: Coverage("AWFB", prior=[0, 0]),
        "prior: found weights that are all 0; expected at least one weight above 0",
    ),
    "not a drawing": (
        lambda: Coverage("A?B"),
        "drawing, line 1, column 2: found '?'; expected '#' (wall), '.' (free), 'W' (teammate), "
        "'F' (ego agent), or another letter or digit (a goal)",
    ),
}


@each(FAULTS)
def test_faulty_drawing_is_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)

"""The paper's running example, worked by hand: when is the question "which of the two goals is yours?" worth its price?

A 9 x 7 grid, goals A at (8, 0) and B at (8, 6). The teammate is at (4, 3), the ego agent at (8, 4) and has to go to the
goal that the teammate does not go to.

- The ego agent stands in the goals' column, between them: its very next step goes north or south. B(A, B) = 1.
- The teammate is 4 columns west of both goals and 3 rows off either. EAST serves both; its first NORTH or SOUTH tells.
  A UROP puts the 3 vertical moves anywhere among 7 with equal chance, so the first of them comes at step
  (7 + 1) / (3 + 1) = 2 on average: EDP = 2. After 4 steps EAST the next one must tell, so WCD = 5.
- For either truth the ego agent is torn from step 1 to step 2, two steps. Asking about one goal settles it:
  V = 0.5 * 2 + 0.5 * 2 = 2.

With policies that go EAST with probability e only, where both moves are optimal, the first vertical move comes at step
1 + e + e^2 + e^3 + e^4, which falls to 1 with e, and so does the value. The zone of querying does not change: step 5 is
still possible. So a question that costs more than one step is asked of the first teammate and not of the second.
"""

from __future__ import annotations

import numpy as np
import pytest

from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.core.side import ModelSide
from askwise.divergence import Divergence, zones
from askwise.domains.coverage import Coverage
from askwise.methods import Observation, make_agent
from askwise.methods.question_value import QuestionValue
from askwise.model import GridWorld, Policy

GRID = GridWorld(9, 7)
GOALS = {"A": (8, 0), "B": (8, 6)}
ASKING = ("ezq", "ezq-local", "ezq-exact", "ezq-auto")

DRAWING = """
........B
.........
........F
....W....
.........
.........
........A
"""


def rarely_east(goal: tuple[int, int], share: float) -> Policy:
    """Go EAST with probability `share` where a vertical move is optimal too."""
    table = np.zeros((GRID.n_states, GRID.n_actions))
    for state in range(GRID.n_states):
        x, y = GRID.cells[state]
        vertical = GRID.action("NORTH" if y < goal[1] else "SOUTH")
        if (x, y) == goal:
            table[state, GRID.stay] = 1
        elif y == goal[1]:
            table[state, GRID.action("EAST")] = 1
        elif x == goal[0]:
            table[state, vertical] = 1
        else:
            table[state, GRID.action("EAST")], table[state, vertical] = share, 1 - share
    return Policy(GRID, table)


def rare_family(share: float) -> Divergence:
    return Divergence(GRID, GOALS, policies=[rarely_east(cell, share) for cell in GOALS.values()])


class RarelyEast(Coverage):
    """The example with that teammate: what is optimal stays as it was, what is probable does not."""

    def __init__(self, share: float, query_cost: QueryCost) -> None:
        super().__init__(DRAWING.strip(), query_cost=query_cost)
        side = ModelSide(GRID, [self.teammate.targets(goal) for goal in range(2)])
        vars(side)["family"] = rare_family(share)
        self.teammate = side


def example(cost: float) -> Coverage:
    return Coverage(DRAWING.strip(), query_cost=QueryCost(cost))


def values_at_start(problem: Coverage) -> QuestionValue:
    edp = problem.teammate.divergence(problem.start.teammate)[0]
    branching = problem.ego.divergence(problem.start.ego)[1]
    return QuestionValue(problem.prior, branching, edp, problem.query_cost)


def expected_value(share: float) -> float:
    return sum(share**k for k in range(5))


# -- the numbers -------------------------------------------------------------------------------------------------


def test_the_example_is_the_one_of_the_paper() -> None:
    problem = example(0.5)
    assert problem.goals == ("A", "B")
    grid = problem.teammate.model
    assert (grid.name(problem.start.teammate), grid.name(problem.start.ego)) == ((4, 3), (8, 4))
    assert [grid.name(int(problem.teammate.targets(goal)[0])) for goal in range(2)] == [GOALS["A"], GOALS["B"]]


def test_with_urops_the_question_saves_two_steps() -> None:
    problem = example(0.5)
    edp = problem.teammate.divergence(problem.start.teammate)[0]
    np.testing.assert_allclose(edp[[0, 1], [1, 0]], 2, rtol=1e-12)
    assert problem.ego.divergence(problem.start.ego)[1][0, 1] == 1
    values = values_at_start(problem)
    np.testing.assert_allclose(values.conflict_steps, 2, rtol=1e-12)
    assert values.value([0]) == values.value([1]) == pytest.approx(2, rel=1e-12)
    assert values.net([0]) == pytest.approx(1.5, rel=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 1e-6])
def test_with_teammates_that_rarely_go_east_it_saves_little_more_than_one(share: float) -> None:
    edp = rare_family(share).edp_at((4, 3))
    np.testing.assert_allclose(edp[[0, 1], [1, 0]], expected_value(share), rtol=1e-12)
    branching = np.array([[np.inf, 1], [1, np.inf]])
    values = QuestionValue(np.array([0.5, 0.5]), branching, edp, QueryCost(0.5))
    assert values.value([0]) == pytest.approx(expected_value(share), rel=1e-12)


def test_the_value_falls_toward_one_step() -> None:
    found = [values_at_start(RarelyEast(share, QueryCost())).value([0]) for share in (0.5, 0.2, 0.05, 0.01, 1e-3, 1e-9)]
    assert found == sorted(found, reverse=True)
    assert found[0] < 2
    assert 1 < found[-2] < 1.002
    assert found[-1] == pytest.approx(1, abs=1e-8)


def test_the_zone_of_querying_does_not_change() -> None:
    teammates = (Divergence(GRID, GOALS), rare_family(0.01))
    ego = Divergence(GRID, {"A": GOALS["B"], "B": GOALS["A"]})
    for teammate in teammates:
        found = zones(teammate, ego, teammate_at=(4, 3), ego_at=(8, 4), truth="A", other="B")
        assert str(found.querying) == "t <= 5"


# -- what the agents make of them --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ASKING)
@pytest.mark.parametrize("cost", [0.1, 0.5, 1.5, 1.99])
def test_with_urops_it_is_asked_for_less_than_two_steps(method: str, cost: float) -> None:
    problem = example(cost)
    agent = make_agent(method)
    agent.reset(problem, 0)
    decided = agent.decide(Observation(problem.start))
    assert decided.ask in ((0,), (1,))
    assert decided.value == pytest.approx(2, rel=1e-12)
    assert decided.cost == cost
    name = problem.goals[decided.ask[0]] if decided.ask else ""
    assert decided.why == f"Ask about {name}: expected to save 2.00 steps for a price of {cost:.2f}."


@pytest.mark.parametrize("method", ASKING)
def test_with_urops_it_is_not_asked_for_more(method: str) -> None:
    problem = example(2.01)
    agent = make_agent(method)
    agent.reset(problem, 0)
    decided = agent.decide(Observation(problem.start))
    assert (decided.ask, decided.action) == (None, problem.ego.actions.stay)
    assert decided.net == pytest.approx(-0.01, rel=1e-9)


@pytest.mark.parametrize("method", ASKING)
@pytest.mark.parametrize(("cost", "asked"), [(0.5, True), (1.0, True), (1.05, False), (1.5, False), (1.99, False)])
def test_with_a_teammate_that_rarely_goes_east_it_must_not_cost_more_than_one(
    method: str, cost: float, asked: bool
) -> None:
    problem = RarelyEast(0.01, QueryCost(cost))
    agent = make_agent(method)
    agent.reset(problem, 0)
    decided = agent.decide(Observation(problem.start))
    assert (decided.ask is not None) == asked
    assert decided.value == pytest.approx(expected_value(0.01), rel=1e-12)
    assert decided.cost == cost
    if not asked:
        assert decided.action == problem.ego.actions.stay
        assert decided.considered in ((0,), (1,)), "it says what it would have asked"


@pytest.mark.parametrize("method", ASKING)
def test_whole_episodes(method: str) -> None:
    """At a price of 1.5 the question is asked at once of the UROP and never of the other teammate."""
    plain = [simulate(example(1.5), method, seed=seed) for seed in range(10)]
    assert all(len(episode.questions) == 1 and episode.steps[0].answer is not None for episode in plain)
    # The question is the only thing that costs more than knowing.
    assert [episode.marginal_cost for episode in plain] == pytest.approx([1.5] * 10)
    rare = [simulate(RarelyEast(0.01, QueryCost(1.5)), method, seed=seed) for seed in range(10)]
    assert not any(episode.questions for episode in rare)

"""The explanation of a decision: the gate, and the zones of the most important pairs of goals."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pytest

from askwise import simulate
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import ToolFetching
from askwise.methods import Agent, Decision, Gate, Observation, Situation, make_agent
from askwise.types import FloatArray
from tests.tool_fetching import workshop


def two_goal_grid(ego: tuple[int, int]) -> Coverage:
    """The paper's: goals at (8, 0) and (8, 6), the teammate at (4, 3)."""
    rows = [["."] * 9 for _ in range(7)]
    for letter, (x, y) in {"A": (8, 0), "B": (8, 6), "W": (4, 3), "F": ego}.items():
        rows[6 - y][x] = letter
    return Coverage("\n".join(map("".join, rows)), query_cost=QueryCost(0.5))


def decided(problem: Problem, method: str = "ezq-exact") -> Decision:
    agent = make_agent(method)
    agent.reset(problem, 0)
    return agent.decide(Observation(problem.start))


def named(problem: Problem, actions: Sequence[int]) -> list[str]:
    return [problem.ego.actions.names[action] for action in actions]


# -- the paper's two-goal grid -----------------------------------------------------------------------------------


def test_zones_of_the_paper_where_a_question_will_pay() -> None:
    problem = two_goal_grid((5, 4))
    decision = decided(problem)
    (pair,) = decision.pairs
    assert [str(zone) for zone in (pair.information, pair.parting, pair.querying)] == [
        "t <= 5",
        "t >= 4",
        "4 <= t <= 5",
    ]
    assert not pair.now
    # EAST serves both goals for three steps; so it is taken, and the gate is closed.
    gate = decision.gate
    assert gate is not None
    assert (gate.open, gate.possible, named(problem, gate.common)) == (False, 2, ["EAST"])
    assert decision.action in gate.common


def test_zones_of_the_paper_where_no_question_will_pay() -> None:
    (pair,) = decided(two_goal_grid((2, 4))).pairs
    assert [str(zone) for zone in (pair.information, pair.parting, pair.querying)] == ["t <= 5", "t >= 7", "empty"]
    assert pair.weight == 0


def test_the_paper_asks_at_once_between_the_goals() -> None:
    problem = two_goal_grid((8, 4))
    decision = decided(problem)
    (pair,) = decision.pairs
    assert (pair.informed, pair.branching, pair.now) == (5, 1, True)
    assert pair.expected == pytest.approx((2, 2))
    # With one pair the value of telling them apart is just its weight.
    assert decision.value == pytest.approx(pair.weight) == pytest.approx(2)
    south, north = (problem.ego.actions.names.index(name) for name in ("SOUTH", "NORTH"))
    assert decision.gate == Gate(2, (), tuple(sorted([(north, 1), (south, 1)])))
    assert decision.gate.open


# -- in general --------------------------------------------------------------------------------------------------


def test_one_goal_left_is_no_open_gate() -> None:
    problem = ToolFetching(workshop())
    situation = Situation(problem, problem.start, np.array([0.0, 0.0, 1.0]))
    assert (situation.gate.possible, situation.gate.open, situation.pairs) == (1, False, ())
    # Not even where nothing is optimal for it.
    assert not Gate(1, (), ()).open


def test_nothing_is_worked_out_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("worked out although nobody looked")

    monkeypatch.setattr("askwise.core.decision.gate_at", refuse)
    monkeypatch.setattr("askwise.core.decision.heaviest_pairs", refuse)
    episode = simulate(workshop(), "ezq-exact", seed=1)
    with pytest.raises(AssertionError, match="nobody looked"):
        episode.steps[0].decision.gate  # noqa: B018


def test_it_is_worked_out_once() -> None:
    decision = decided(ToolFetching(workshop()))
    assert decision.gate is decision.gate
    assert decision.pairs is decision.pairs


def test_decisions_are_compared_and_shown_without_their_situation() -> None:
    decision = decided(ToolFetching(workshop()), "never")
    plain = Decision(action=decision.action, why=decision.why)
    assert decision == plain
    assert hash(decision) == hash(plain)
    assert repr(decision) == repr(plain)
    assert (plain.gate, plain.pairs) == (None, ())


def test_a_decision_stays_what_it_is_wherever_it_is_made() -> None:
    problem = ToolFetching(workshop())
    given = Decision(None, (1,), "Why not.", 2.5, 0.5, (1,), ((0,), 1.5), "proven optimal")
    assert all(getattr(given, each.name) not in (None, "") for each in fields(Decision)[1:-1])
    placed = given.made_at(Situation(problem, problem.start, problem.prior))
    assert placed == given
    assert placed.gate is not None


@pytest.mark.parametrize("looked_at", [False, True])
def test_a_decision_can_be_sent_elsewhere(looked_at: bool) -> None:
    decision = decided(ToolFetching(workshop()))
    if looked_at:
        assert decision.gate is not None
        assert decision.pairs
    sent = pickle.loads(pickle.dumps(decision))
    assert sent == decision
    assert (sent.gate, sent.pairs) == (decision.gate, decision.pairs)


class Sure(Agent):
    """An agent that is not a `BeliefAgent` but shows a belief."""

    def decide(self, observation: Observation) -> Decision:
        return Decision(action=self.problem.ego.actions.stay)

    @property
    def probabilities(self) -> FloatArray:
        return self.problem.prior


def test_an_agent_that_decides_all_by_itself_is_explained_too() -> None:
    episode = simulate(workshop(), Sure(), goal="C", seed=1, max_steps=1)
    gate = episode.steps[0].decision.gate
    assert gate is not None
    assert (gate.open, gate.possible) == (True, 3)
    assert len(episode.steps[0].decision.pairs) == 3


def test_an_agent_without_a_belief_has_nothing_to_show() -> None:
    class Blind(Agent):
        def decide(self, observation: Observation) -> Decision:
            return Decision(action=self.problem.ego.actions.stay)

    (step,) = simulate(workshop(), Blind(), goal="C", seed=1, max_steps=1).steps
    assert (step.decision.gate, step.decision.pairs) == (None, ())

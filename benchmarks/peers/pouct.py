"""A general POMDP planner: askwise's problem stated for pomdp-py, and solved by its algorithm POUCT.

The hidden state is the goal; the places of both agents are observed. POUCT gets help that a general planner would not
have:

- **Questions.** There are 2^n of them, and a tree search that tries each action once at every node would never get
  further. So an action is an ontic action or one of a reduced set of questions, chosen from the belief at the root: the
  likeliest goals together, single likely goals, and the goals that each move suits.
- **Rollouts** know the goal that was drawn and pursue it: the cost to go in hindsight, a good and cheap estimate.
- **The belief** is exact (Bayes' rule), not a set of particles. The tree is built anew for each decision.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pomdp_py

from askwise.core.problem import JointState, Problem
from askwise.methods import BeliefAgent, Decision, Observation
from askwise.seeds import Seed
from askwise.types import BoolArray, FloatArray

Question = frozenset[int]
DONE = -1
"""The goal of a state in which the episode is over."""


class Rules:
    """The rules of a problem for tree search, with cached look-ups."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._policies: dict[int, FloatArray] = {}
        self._plans: dict[int, list[int]] = {}
        self._moves: dict[int, list[tuple[str, int]]] = {}
        self._ego_steps: dict[int, list[int]] = {}

    def teammate_action(self, teammate: int, goal: int) -> int:
        """Draw the action of a teammate that pursues a goal."""
        if teammate not in self._policies:
            self._policies[teammate] = np.cumsum(self.problem.teammate.policy(teammate), axis=1)
        row = self._policies[teammate][goal]
        return int(min(np.searchsorted(row, random.random() * row[-1], side="right"), row.size - 1))

    def plan(self, ego: int, goal: int) -> int:
        """Return the best action of the ego agent if the goal were known."""
        if ego not in self._plans:
            self._plans[ego] = [int(row.argmax()) for row in self.problem.ego.optimal(ego)]
        return self._plans[ego][goal]

    def moves(self, ego: int) -> list[tuple[str, int]]:
        """Return the available ontic actions."""
        if ego not in self._moves:
            n = len(self.problem.ego.actions.names)
            self._moves[ego] = [("act", a) for a in range(n) if self.problem.ego.next(ego, a) >= 0]
        return self._moves[ego]

    def arrived(self, ego: int, goal: int) -> bool:
        """Whether the ego agent is at its target for a goal."""
        if ego not in self._ego_steps:
            self._ego_steps[ego] = self.problem.ego.steps(ego).tolist()
        return self._ego_steps[ego][goal] == 0

    def outcome(self, state: tuple[int, int, int], action: tuple[str, Any]) -> tuple[tuple[int, int, int], Any, float]:
        """Draw the outcome of an action: next state, observation and reward."""
        goal, teammate, ego = state
        if goal == DONE:
            return state, "over", 0.0
        kind, what = action
        if kind == "ask":
            return state, ("answer", goal in what), -self.problem.query_cost(tuple(what))
        did = self.teammate_action(teammate, goal)
        reached = self.problem.ego.next(ego, what)
        if did == self.problem.teammate.actions.stay and self.arrived(reached, goal):
            return (DONE, teammate, reached), "over", -1.0
        return (goal, self.problem.teammate.next(teammate, did), reached), ("did", did), -1.0


class Choice(pomdp_py.Action):  # type: ignore[misc]
    """An ontic action or a question; the simple actions of pomdp-py can only hold text."""

    def __init__(self, data: tuple[str, Any]) -> None:
        super().__init__()
        self.data = data
        self._hash = hash(data)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.data == other.data


class Blackbox(pomdp_py.BlackboxModel):  # type: ignore[misc]
    """The rules in the interface of pomdp-py."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def sample(self, state: Any, action: Any) -> Any:
        """Draw next state, observation and reward; the last number is how many steps it took."""
        following, seen, reward = self._rules.outcome(state.data, action.data)
        return pomdp_py.SimpleState(following), pomdp_py.SimpleObservation(seen), reward, 1


class Plan(pomdp_py.RolloutPolicy):  # type: ignore[misc]
    """The actions of the search tree, and the policy of rollouts.

    Args:
        rules: the rules of the problem.
        questions: the questions that are tried.
    """

    def __init__(self, rules: Rules, questions: Sequence[Question]) -> None:
        self._rules = rules
        self._questions = [Choice(("ask", question)) for question in questions]
        self._acts: dict[int, list[Any]] = {}

    def get_all_actions(self, state: Any = None, history: Any = None) -> list[Any]:  # noqa: ARG002
        """Return all ontic actions and the reduced set of questions."""
        ego = state.data[2]
        if ego not in self._acts:
            self._acts[ego] = [Choice(move) for move in self._rules.moves(ego)]
        return [*self._acts[ego], *self._questions]

    def rollout(self, state: Any, history: Any = None) -> Any:  # noqa: ARG002
        """Return the best action for the goal that was drawn."""
        goal, _, ego = state.data
        return Choice(("act", self._rules.problem.ego.actions.stay if goal == DONE else self._rules.plan(ego, goal)))


def reduced_questions(problem: Problem, ego: int, probabilities: FloatArray) -> list[Question]:
    """Return about a dozen questions that split the belief in useful ways, each about the smaller part of its split."""
    order = [int(goal) for goal in np.argsort(-probabilities, kind="stable") if probabilities[goal] > 0]
    mass = np.cumsum(probabilities[order])
    half = int(np.searchsorted(mass, 0.5)) + 1
    lengths = sorted({1, 2, 3, 5, half, max(1, half // 2), len(order) // 4})
    sets = [order[:length] for length in lengths] + [[goal] for goal in order[1:3]]
    optimal = problem.ego.optimal(ego)
    sets += [[goal for goal in order if optimal[goal, action]] for action in range(optimal.shape[1])]
    found: dict[Question, None] = {}
    for asked in sets:
        inside, outside = frozenset(asked), frozenset(order) - frozenset(asked)
        if inside and outside:
            found[min(inside, outside, key=lambda side: (len(side), sorted(side)))] = None
    return list(found)


class Pouct(BeliefAgent):
    """An agent whose decisions are computed by POUCT of pomdp-py.

    Args:
        simulations: number of simulations of the tree search for each decision.
    """

    def __init__(self, *, simulations: int = 500) -> None:
        super().__init__(belief="bayes")
        self.simulations = simulations
        self.name = f"POUCT, {simulations} simulations"

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self._rules = Rules(problem)
        random.seed(int(self.rng.integers(2**32)))  # pomdp-py draws from the global generator

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.tracker.update(observation)
        possible = self.belief.possible
        state = observation.state
        if possible.sum() == 1:
            return Decision(action=self._rules.plan(state.ego, int(possible.argmax())), why="The goal is known.")
        kind, what = self._planned(state, possible)
        return Decision(ask=tuple(sorted(what))) if kind == "ask" else Decision(action=what)

    def ask_or_wait(self, state: JointState, possible: BoolArray) -> Decision:
        """See `BeliefAgent`; never called, because `decide` is overridden."""
        raise NotImplementedError

    def _planned(self, state: JointState, possible: BoolArray) -> tuple[str, Any]:
        probabilities = self.probabilities
        belief = pomdp_py.Histogram(
            {
                pomdp_py.SimpleState((int(goal), state.teammate, state.ego)): float(probabilities[goal])
                for goal in np.flatnonzero(possible)
            }
        )
        plan = Plan(self._rules, reduced_questions(self.problem, state.ego, probabilities))
        agent = pomdp_py.Agent(belief, plan, blackbox_model=Blackbox(self._rules))
        farthest = (self.problem.ego.steps(state.ego).max(), self.problem.teammate.steps(state.teammate).max())
        horizon = 2 * int(max(farthest))
        search = pomdp_py.POUCT(
            max_depth=horizon + 5,
            num_sims=self.simulations,
            discount_factor=1.0,
            exploration_const=10.0,
            rollout_policy=plan,
        )
        kind, what = search.plan(agent).data
        return kind, what

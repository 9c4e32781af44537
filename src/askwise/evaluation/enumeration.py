"""The exact expected cost of an agent, by meeting everything that it can see.

The teammate follows the UROP of its goal. The goal is `g` and the teammate comes to `w` on one certain way with
probability ``weight[w, g]``, whichever way that is (`askwise.planning`). So a *branch* of the agent's experience,
the steps of the teammate and the answers so far, has the probability ``Z_A(w)``, the sum of the weights of the goals
`A` that it leaves possible. The expected marginal cost is the sum over all branches and goals of probability times what
the decision taken there adds: its price for a question, and for an ontic action by how much it puts off the end.

An agent is copied where its experience branches. If its decisions depend on nothing but its belief and where everybody
is (`Agent.markov`), branches that meet in one state are followed once, with the number of ways that lead there; an
agent that draws lots then draws once for each state. An agent that is told the goal is followed for each goal.
"""

from __future__ import annotations

import copy
import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.agents import Agent, Answer, KnowsGoal, Observation
from askwise.errors import AskwiseError
from askwise.planning.exact.size import TooLarge
from askwise.planning.tables import tables_of
from askwise.problem import STEP_COST, JointState, Problem, optimal_costs
from askwise.seeds import Seed, spawn
from askwise.simulation import decided
from askwise.types import FloatArray

MOST_DECISIONS = 100_000
"""Decisions up to which agents are followed unless told to go on."""
DECISIONS_A_TURN = 500

Progress = Callable[[int], None]
"""Is told the decisions taken so far."""

Goals = frozenset[int]


@dataclass(slots=True)
class Branch:
    """What an agent has met so far.

    Attributes:
        agent: the agent, ready to decide.
        observation: what it sees now.
        goals: the goals that are left.
        ways: how many branches this one stands for.
        taken: decisions so far.
    """

    agent: Agent
    observation: Observation
    goals: Goals
    ways: float = 1.0
    taken: int = 0


class Enumeration:
    """All branches of an agent's experience, followed step by step of the teammate."""

    def __init__(
        self, problem: Problem, agent: Agent, seed: Seed, limit: int | None, progress: Progress | None
    ) -> None:
        self.problem = problem
        self.view = tables_of(problem)
        self.limit = limit
        self.progress = progress
        self.decisions = 0
        self.drew_lots = False
        self.costs: list[float] = []
        self.longest = int(50 * optimal_costs(problem, problem.start).max()) + 1000
        self._now, self._later = _Waiting(merges=is_markov(agent)), _Waiting(merges=is_markov(agent))
        for branch in self._roots(agent, seed):
            self._now.add(branch)

    def expected_marginal_cost(self) -> float:
        """Follow all branches to their ends."""
        while self._now:
            while self._now:
                self._follow(self._now.take())
            self._now, self._later = self._later, self._now
        return math.fsum(self.costs) / float(self.view.prior.sum())

    def _roots(self, agent: Agent, seed: Seed) -> Iterator[Branch]:
        possible = frozenset(int(goal) for goal in np.flatnonzero(self.view.prior > 0))
        each = [frozenset([goal]) for goal in sorted(possible)] if isinstance(agent, KnowsGoal) else [possible]
        for goals in each:
            own = copy.deepcopy(agent)
            own.reset(self.problem, spawn(seed, 3)[2])
            if isinstance(own, KnowsGoal):
                own.told(min(goals))
            yield Branch(own, Observation(self.problem.start), goals)

    def _follow(self, branch: Branch) -> None:
        """Let the agent decide, and go on with everything that can follow."""
        self._count(branch)
        lots = _lots(branch.agent)
        decision = decided(self.problem, branch.agent, branch.observation, branch.taken + 1)
        # With one goal left, lots decide between equally good ways only.
        self.drew_lots = self.drew_lots or (len(branch.goals) > 1 and lots != _lots(branch.agent))
        branch.taken += 1
        state = branch.observation.state
        if decision.ask is not None:
            self._add(branch, self.problem.query_cost(decision.ask))
            following = self._answers(branch, decision.ask)
        else:
            assert decision.action is not None
            ego = self.problem.ego_next(state.ego, decision.action)
            self._add(branch, self._delay(state, ego))
            following = self._steps(branch, ego)
        onto = self._later if decision.ask is None else self._now
        apart = [(seen, goals) for seen, goals in following if not self._joins(branch, seen, goals, onto)]
        for number, (seen, goals) in enumerate(apart, start=1):
            # Copying takes longer than most decisions, and whoever comes last can have the agent itself.
            agent = branch.agent
            if number < len(apart):
                agent = copy.deepcopy(agent, {id(self.problem): self.problem})
            onto.add(Branch(agent, seen, goals, branch.ways, branch.taken))

    def _add(self, branch: Branch, price: Any) -> None:
        """Count what a decision adds to the cost of each goal, ``float [n_goals]`` or one number."""
        weights = self.view.weight[branch.observation.state.teammate]
        added = branch.ways * weights * price
        self.costs.extend(added[sorted(branch.goals)].tolist())

    def _delay(self, state: JointState, ego: int) -> FloatArray:
        """Return by how much a step that leads the ego agent to `ego` puts off the end, for each goal."""
        steps = self.problem.teammate_steps(state.teammate)
        after = np.maximum(steps, self.problem.ego_steps(ego)) * STEP_COST
        return np.asarray(STEP_COST + after - optimal_costs(self.problem, state))

    def _answers(self, branch: Branch, asked: tuple[int, ...]) -> Iterator[tuple[Observation, Goals]]:
        for yes in (True, False):
            goals = frozenset(goal for goal in branch.goals if (goal in asked) == yes)
            if goals:
                yield Observation(branch.observation.state, None, Answer(asked, yes)), goals

    def _steps(self, branch: Branch, ego: int) -> Iterator[tuple[Observation, Goals]]:
        """Whatever the teammate may do: each of its optimal actions, with the goals that it is optimal for."""
        problem, teammate = self.problem, branch.observation.state.teammate
        optimal, left = problem.teammate_optimal(teammate), problem.ego_steps(ego)
        for action in range(len(problem.teammate_actions)):
            goals = frozenset(goal for goal in branch.goals if optimal[goal, action])
            if problem.stays(action):
                goals = frozenset(goal for goal in goals if left[goal] != 0)  # for the others this was the end
            if goals:
                there = problem.teammate_next(teammate, action)
                yield Observation(JointState(there, ego), action), goals

    def _joins(self, branch: Branch, observation: Observation, goals: Goals, onto: _Waiting) -> bool:
        """Whether what follows is the same as something that waits already; then it is counted there."""
        known = onto.same(observation.state, goals)
        if known is not None:
            known.ways += branch.ways
        return known is not None

    def _count(self, branch: Branch) -> None:
        self.decisions += 1
        if branch.taken >= self.longest:
            raise AskwiseError(f"agent {branch.agent.name!r} is not done after {branch.taken:,} steps: it has no cost")
        if self.limit is not None and self.decisions > self.limit:
            raise TooLarge(
                f"too large to evaluate exactly: agent {branch.agent.name!r} is not done after {self.limit:,} "
                "decisions; go on anyway (go_on, --go-on), or draw episodes (episodes, --episodes)"
            )
        if self.progress is not None and self.decisions % DECISIONS_A_TURN == 0:
            self.progress(self.decisions)


class _Waiting:
    """Branches that wait for their turn, those with the most goals first.

    A question leaves fewer goals. So, when a branch has its turn, all others that meet it in this step have done so.
    """

    def __init__(self, *, merges: bool) -> None:
        self.merges = merges
        self._branches: dict[Any, Branch] = {}
        self._order: list[tuple[int, int, Any]] = []
        self._added = 0

    def __bool__(self) -> bool:
        return bool(self._order)

    def same(self, state: JointState, goals: Goals) -> Branch | None:
        """Return the branch that waits in the same situation, if such branches are one."""
        return self._branches.get((state, goals)) if self.merges else None

    def add(self, branch: Branch) -> None:
        self._added += 1
        key = (branch.observation.state, branch.goals) if self.merges else self._added
        self._branches[key] = branch
        heapq.heappush(self._order, (-len(branch.goals), self._added, key))

    def take(self) -> Branch:
        return self._branches.pop(heapq.heappop(self._order)[2])


def is_markov(agent: Agent) -> bool:
    """Whether branches that meet can be followed as one; a robust belief remembers on which way the teammate came."""
    return agent.markov and getattr(agent, "belief_kind", "bayes") != "robust"


def _lots(agent: Agent) -> object:
    """Return something that changes whenever the agent draws lots."""
    rng = getattr(agent, "rng", None)
    return None if rng is None else rng.bit_generator.state

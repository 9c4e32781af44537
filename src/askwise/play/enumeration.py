"""The exact expected cost of an agent, by meeting everything that it can see.

The teammate follows the UROP of its goal. The goal is `g` and the teammate comes to `w` on one certain way with
probability ``weight[w, g]``, whichever way that is (`askwise.planning`). So a *branch* of the agent's experience,
the steps of the teammate and the answers so far, has the probability ``Z_A(w)``, the sum of the weights of the goals
`A` that it leaves possible. The expected marginal cost is the sum over all branches and goals of probability times what
the decision taken there adds: its price for a question, and for an ontic action by how much it puts off the end.

A teammate with policies of its own (`Problem.policies`) may come to a state on ways of different probability.
Then each branch carries the probability of its own way for each goal. Where such a teammate may also walk in circles,
the ways have no end: `askwise.play.situation_chain`.

Where answers may be wrong or missing (`Problem.answers`), every reply is followed that may be heard, and what each goal
makes of its probability is a factor that the branch carries. The same question asked again gets the same reply where
errors persist. An agent may ask again and again, so branches of next to no probability are left out; the verdict says
how probable they are together.

An agent is copied where its experience branches. If its decisions depend on nothing but its belief and where everybody
is (`Agent.markov`), branches that meet in one state are followed once, with the number of ways that lead there; an
agent that chooses at random then chooses once for each state. Where answers may be wrong, such branches have also heard
the same, in whatever order. An agent that is told the goal is followed for each goal.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from askwise.core.belief import BELIEFS
from askwise.core.game import answer_to, ends
from askwise.core.problem import STEP_COST, JointState, Problem, optimal_costs
from askwise.core.questions import Answer, Choice, Question
from askwise.errors import AskwiseError
from askwise.methods import (
    Agent,
    Decision,
    KnowsGoal,
    Observation,
    blaming,
    checked_belief,
    checked_decision,
    start_agent,
)
from askwise.methods.checked import refuse
from askwise.methods.error_text import value_to_text
from askwise.planning.exact import TooLarge
from askwise.planning.tables import tables_of
from askwise.play.branches import Branch, Goals, HeardReplies, Waiting
from askwise.seeds import Seed, spawn
from askwise.types import FloatArray

MOST_DECISIONS = 100_000
"""Decisions up to which agents are followed unless told to go on."""
DECISIONS_A_TURN = 500
HARDLY = 1e-10
"""Branches less probable than this are left out where answers may be wrong or missing."""

Progress = Callable[[int], None]
"""Is told the decisions taken so far."""


class Enumeration:
    """All branches of an agent's experience, followed step by step of the teammate."""

    def __init__(
        self, problem: Problem, agent: Agent, seed: Seed, limit: int | None, progress: Progress | None
    ) -> None:
        self.problem = problem
        self.prior = problem.prior / problem.prior.sum()
        self.tables = tables_of(problem) if problem.policies is None else None
        self.left_out = 0.0
        self.doubtful = not problem.answers.truthful
        self.limit = limit
        self.progress = progress
        self.decisions = 0
        self.chose_at_random = False
        self.costs: list[float] = []
        self.longest = int(50 * optimal_costs(problem, problem.start).max()) + 1000
        merges = follows_once(agent, problem)
        # An agent that asks again and again comes back to what it believed before.
        self._comes_back = self.doubtful and merges
        limited = self.doubtful or getattr(agent, "questions", None) is not None
        self._counts_questions = agent.counts_questions and limited
        self._decided: dict[Any, tuple[Decision, Agent]] = {}
        situation = self._what_counts if merges else None
        self._now, self._later = Waiting(situation), Waiting(situation)
        for branch in self._roots(agent, seed):
            self._now.add(branch)

    def expected_marginal_cost(self) -> float:
        """Follow all branches to their ends."""
        while self._now:
            while self._now:
                self._follow(self._now.take())
            self._now, self._later = self._later, self._now
        if self.tables is not None:
            return math.fsum(self.costs) / float(self.tables.prior.sum())
        return self._beyond_known(self.costs)

    def _beyond_known(self, costs: list[float]) -> float:
        """Return the sum of costs, weighted by goal, less what it would cost if the goal were known."""
        known = (self.prior * optimal_costs(self.problem, self.problem.start))[self.prior > 0]
        return math.fsum([*costs, *(-known).tolist()])

    def _roots(self, agent: Agent, seed: Seed) -> Iterator[Branch]:
        possible = frozenset(int(goal) for goal in np.flatnonzero(self.prior > 0))
        each = [frozenset([goal]) for goal in sorted(possible)] if isinstance(agent, KnowsGoal) else [possible]
        for goals in each:
            own = self._copied(agent)
            start_agent(self.problem, own, spawn(seed, 3)[2], min(goals))
            weight = None if self.tables is not None else _only(self.prior, goals)
            yield Branch(own, Observation(self.problem.start), goals, goals, weight=weight)

    def _follow(self, branch: Branch) -> None:
        """Let the agent decide, and go on with everything that can follow."""
        decision = self._decision(branch)
        branch.taken += 1
        if decision.ask is not None:
            self._add(branch, self.problem.query_cost(decision.ask))
            self._go_on(branch, self._answers(branch, decision.ask), self._now)
        else:
            assert decision.action is not None
            ego = self.problem.ego.next(branch.observation.state.ego, decision.action)
            self._add(branch, self._delay(branch.observation.state, ego))
            self._go_on(branch, self._steps(branch, ego), self._later)

    def _decision(self, branch: Branch) -> Decision:
        self._check_length(branch)
        situation = self._what_counts(branch) if self._comes_back else None
        if situation in self._decided:
            decision, branch.agent = self._decided[situation]
            return decision
        self._count(branch)
        before = _random_state(branch.agent)
        decision = checked_decision(self.problem, branch.agent, branch.observation, branch.taken + 1)
        checked_belief(self.problem, branch.agent, branch.taken + 1)  # not needed here, but refused as in an episode
        # With one goal left, chance decides between equally good ways only.
        self.chose_at_random = self.chose_at_random or (len(branch.goals) > 1 and before != _random_state(branch.agent))
        if situation is not None:
            self._decided[situation] = decision, branch.agent
        return decision

    def _go_on(self, branch: Branch, following: Iterator[Branch], onto: Waiting) -> None:
        """Let everything that follows wait for its turn; ways that meet are counted where they meet."""
        apart = [new for new in following if onto.add(new)]
        if self._comes_back:
            # The agent stays as it is for the next time; whoever comes to where it was decided before needs none.
            for new in apart:
                if self._what_counts(new) not in self._decided:
                    new.agent = self._copied(branch.agent, branch.taken)
            return
        for new in apart[:-1]:
            # Copying takes longer than most decisions, and whoever comes last can have the agent itself.
            new.agent = self._copied(branch.agent, branch.taken)

    def _copied(self, agent: Agent, t: int | None = None) -> Agent:
        """Return a copy of an agent, which everything but the problem is part of."""
        with blaming(agent, "deepcopy (an exact evaluation copies the agent, --episodes does not)", t):
            copied = copy.deepcopy(agent, {id(self.problem): self.problem})
        if not isinstance(copied, Agent):
            refuse(agent, "__deepcopy__", f"was copied to {value_to_text(copied)}; expected an agent", t)
        return copied

    def _add(self, branch: Branch, price: Any) -> None:
        """Count what a decision adds to the cost of each goal, ``float [n_goals]`` or one number."""
        if branch.weight is not None:
            added = branch.weight * price
        else:
            assert self.tables is not None
            added = branch.ways * self.tables.weight[branch.observation.state.teammate] * price
        self.costs.extend(added[sorted(branch.goals)].tolist())

    def _delay(self, state: JointState, ego: int) -> Any:
        """Return by how much a step that leads the ego agent to `ego` puts off the end, for each goal.

        A teammate that does not always take a shortest way puts the end off by itself: there it is the step.
        """
        if self.tables is None:
            return STEP_COST
        steps = self.problem.teammate.steps(state.teammate)
        after = np.maximum(steps, self.problem.ego.steps(ego)) * STEP_COST
        return np.asarray(STEP_COST + after - optimal_costs(self.problem, state))

    def _answers(self, branch: Branch, asked: Question) -> Iterator[Branch]:
        return self._doubtful_answers(branch, asked) if self.doubtful else self._true_answers(branch, asked)

    def _doubtful_answers(self, branch: Branch, asked: Question) -> Iterator[Branch]:
        """Whatever may be heard, with how probable each goal makes it."""
        state = branch.observation.state
        before = HeardReplies(remembers=self.problem.answers.persistent) if branch.replies is None else branch.replies
        for answer, likelihood, replies in before.after(self.problem, asked):
            goals = frozenset(goal for goal in branch.goals if likelihood[goal] > 0)
            if not goals:
                continue
            possible = frozenset(goal for goal in branch.possible if likelihood[goal] > 0)
            new = branch.followed_by(
                Observation(state, None, answer),
                goals,
                possible,
                None if branch.weight is None else _only(branch.weight * likelihood, goals),
                ways=branch.ways * likelihood,
                replies=replies,
            )
            if self._is_probable(new):
                yield new

    def _is_probable(self, branch: Branch) -> bool:
        """Whether a branch is followed; where it is next to impossible, what is left out is counted instead."""
        weight = branch.weight
        if weight is None:
            assert self.tables is not None
            weight = np.asarray(branch.ways * self.tables.weight[branch.observation.state.teammate])
        total = float(weight[sorted(branch.goals)].sum())
        if total > HARDLY:
            return True
        self.left_out += total
        return False

    def _true_answers(self, branch: Branch, asked: Question) -> Iterator[Branch]:
        replies: dict[Answer, set[int]] = {}
        for goal in sorted(branch.goals):
            replies.setdefault(answer_to(asked, goal), set()).add(goal)
        # Yes before no, the first group of a choice before the last.
        yes_first = not isinstance(asked, Choice)
        for answer in sorted(replies, key=lambda answer: int(answer.reply or 0), reverse=yes_first):
            goals = frozenset(replies[answer])
            seen = Observation(branch.observation.state, None, answer)
            possible = frozenset(goal for goal in branch.possible if answer_to(asked, goal) == answer)
            weight = None if branch.weight is None else _only(branch.weight, goals)
            yield branch.followed_by(seen, goals, possible, weight)

    def _steps(self, branch: Branch, ego: int) -> Iterator[Branch]:
        """Whatever the teammate may do: each action, with the goals for which it may do it."""
        problem, before = self.problem, branch.observation.state
        may = problem.teammate.optimal(before.teammate)
        for action in range(len(problem.teammate.actions.names)):
            goals = [goal for goal in branch.goals if may[goal, action]]
            if not goals:
                continue
            now = JointState(problem.teammate.next(before.teammate, action), ego)
            left = frozenset(goal for goal in goals if not ends(problem, before, action, now, goal))
            if left:
                weight = self._after(branch, action, left)
                possible = frozenset(goal for goal in branch.possible if may[goal, action])
                yield branch.followed_by(Observation(now, action), left, possible, weight)

    def _after(self, branch: Branch, action: int, goals: Goals) -> FloatArray | None:
        """Return what `Branch.weight` is after an action of the teammate."""
        if branch.weight is None:
            return None
        shares = self.problem.teammate.policy(branch.observation.state.teammate)[:, action]
        return _only(branch.weight * shares, goals)

    def _what_counts(self, branch: Branch) -> Any:
        """Return what is the same for branches in which an agent decides the same that keeps to its belief."""
        if branch.situation is None:
            heard = None if branch.replies is None else self._heard(branch.replies, branch.possible)
            asked = branch.questions if self._counts_questions else 0
            branch.situation = branch.observation.state, branch.goals, branch.possible, heard, asked
        return branch.situation

    def _heard(self, replies: HeardReplies, goals: Goals) -> Any:
        if replies.remembers:
            return replies.key
        return replies.odds(goals)

    def _check_length(self, branch: Branch) -> None:
        if branch.taken >= self.longest:
            raise AskwiseError(f"agent {branch.agent.name!r} is not done after {branch.taken:,} steps: it has no cost")

    def _count(self, branch: Branch) -> None:
        self.decisions += 1
        if self.limit is not None and self.decisions > self.limit:
            raise TooLarge(
                f"too large to evaluate exactly: agent {branch.agent.name!r} is not done after {self.limit:,} "
                "decisions; go on anyway (go_on, --go-on), or draw episodes (episodes, --episodes)"
            )
        if self.progress is not None and self.decisions % DECISIONS_A_TURN == 0:
            self.progress(self.decisions)


def follows_once(agent: Agent, problem: Problem) -> bool:
    """Whether branches that meet can be followed as one: the agent decides the same, whichever way led there.

    A robust belief remembers on which way the teammate came, and so does `bayes` unless all ways are shortest plans
    drawn uniformly.
    """
    if not agent.markov:
        return False
    kind = BELIEFS.get(getattr(agent, "belief_kind", ""))
    if problem.policies is None:
        return kind is None or kind.state_only
    return isinstance(agent, KnowsGoal) or (kind is not None and kind.state_only and not kind.needs_shares)


def _only(weights: FloatArray, goals: Goals) -> FloatArray:
    """Return the weights of these goals, 0 for the others."""
    left = np.zeros_like(weights)
    kept = sorted(goals)
    left[kept] = weights[kept]
    return left


def _random_state(agent: Agent) -> object:
    """Return something that changes whenever the agent chooses at random."""
    generator = getattr(getattr(agent, "rng", None), "bit_generator", None)  # it may have a generator of another kind
    return getattr(generator, "state", None)

"""The exact expected marginal cost of an agent, by enumerating everything that the agent can observe.

The marginal cost of an episode is its cost minus the least possible cost if the goal is known. A *branch* is what the
agent has observed so far: the teammate's steps and the answers. A decision costs the price of a question, or the delay
that an action causes. The result is a sum over all branches and goals: the cost of the decision, times the joint
probability of branch and goal.

If the teammate draws one of its shortest plans uniformly, the joint probability of goal `g` and a path to state `w` is
``weight[w, g]`` (`askwise.planning.tables`), the same for all paths. If the teammate has its own policies
(`Problem.policies`), each branch carries its joint probabilities.

If answers may be wrong or missing (`Problem.answers`), every possible reply is followed. Each branch carries the
likelihood of its replies given each goal. Branches of negligible probability are left out.

If the agent's decisions depend only on its belief and the states of both agents (`Agent.markov`), branches with the
same states and possible goals are joined (`follows_once`). If answers may be wrong or missing, their replies must also
change the odds of the goals equally. If errors are persistent, the same questions must have got the same replies.
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
from askwise.methods.third_party import value_to_text
from askwise.planning.exact import TooLarge
from askwise.planning.tables import tables_of
from askwise.play.branches import Branch, BranchQueue, Goals, HeardReplies
from askwise.seeds import Seed, spawn
from askwise.types import FloatArray

MOST_DECISIONS = 100_000
"""Default limit of decisions in an exact evaluation."""
DECISIONS_A_TURN = 500
"""Number of decisions between two calls of `progress`."""
NEGLIGIBLE = 1e-10
"""Branches less probable than this are left out if answers may be wrong or missing."""

Progress = Callable[[int], None]
"""Called with the number of decisions taken so far."""


class Enumeration:
    """An exact evaluation of an agent: it follows every possible course of an episode.

    Args:
        problem: the problem.
        agent: the agent to evaluate; it is copied.
        seed: seed of the agent's random choices.
        limit: the most decisions, None for any number; beyond it `TooLarge` is raised.
        progress: called with the number of decisions so far; may be None.

    Attributes:
        decisions: number of decisions.
        left_out: total probability of the courses too improbable to follow.
        chose_at_random: whether the agent chose at random while several goals were possible.
    """

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
        # An agent that asks again and again returns to earlier beliefs, so decisions are cached.
        self._comes_back = self.doubtful and merges
        limited = self.doubtful or getattr(agent, "questions", None) is not None
        self._counts_questions = agent.counts_questions and limited
        self._decided: dict[Any, tuple[Decision, Agent]] = {}
        situation = self._situation if merges else None
        self._now, self._later = BranchQueue(situation), BranchQueue(situation)
        for branch in self._roots(agent, seed):
            self._now.add(branch)

    def expected_marginal_cost(self) -> float:
        """Follow every possible course of an episode to its end, and return the agent's expected marginal cost.

        The marginal cost of an episode is its cost minus the least cost that is possible if the goal is known.
        """
        while self._now:
            while self._now:
                self._follow(self._now.take())
            self._now, self._later = self._later, self._now
        if self.tables is not None:
            return math.fsum(self.costs) / float(self.tables.prior.sum())
        return self._beyond_known(self.costs)

    def _beyond_known(self, costs: list[float]) -> float:
        """Return the sum of `costs` (costs times their probabilities) minus the expected cost if the goal is known."""
        known = (self.prior * optimal_costs(self.problem, self.problem.start))[self.prior > 0]
        return math.fsum([*costs, *(-known).tolist()])

    def _roots(self, agent: Agent, seed: Seed) -> Iterator[Branch]:
        possible = frozenset(int(goal) for goal in np.flatnonzero(self.prior > 0))
        each = [frozenset([goal]) for goal in sorted(possible)] if isinstance(agent, KnowsGoal) else [possible]
        for goals in each:
            own = self._copy(agent)
            start_agent(self.problem, own, spawn(seed, 3)[2], min(goals))
            weight = None if self.tables is not None else _only(self.prior, goals)
            yield Branch(own, Observation(self.problem.start), goals, goals, weight=weight)

    def _follow(self, branch: Branch) -> None:
        """Let the agent decide in a branch, a course of the episode so far, and queue all branches that can follow.

        The cost of the decision, times its probability, is added to the list `self.costs`.
        """
        decision = self._decision(branch)
        branch.taken += 1
        if decision.ask is not None:
            self._add(branch, self.problem.query_cost(decision.ask))
            self._queue(branch, self._answers(branch, decision.ask), self._now)
        else:
            assert decision.action is not None
            ego = self.problem.ego.next(branch.observation.state.ego, decision.action)
            self._add(branch, self._delay(branch.observation.state, ego))
            self._queue(branch, self._steps(branch, ego), self._later)

    def _decision(self, branch: Branch) -> Decision:
        self._check_length(branch)
        situation = self._situation(branch) if self._comes_back else None
        if situation in self._decided:
            decision, branch.agent = self._decided[situation]
            return decision
        self._count(branch)
        before = _random_state(branch.agent)
        decision = checked_decision(self.problem, branch.agent, branch.observation, branch.taken + 1)
        checked_belief(self.problem, branch.agent, branch.taken + 1)  # not needed here, but refused as in an episode
        # With one goal left, random choices are only between equally good actions.
        self.chose_at_random = self.chose_at_random or (len(branch.goals) > 1 and before != _random_state(branch.agent))
        if situation is not None:
            self._decided[situation] = decision, branch.agent
        return decision

    def _queue(self, branch: Branch, following: Iterator[Branch], onto: BranchQueue) -> None:
        """Add the branches (courses of the episode) that can follow `branch` to a queue, each with its own agent."""
        apart = [new for new in following if onto.add(new)]
        if self._comes_back:
            # The agent itself is kept with its cached decision; situations with a cached decision need no copy.
            for new in apart:
                if self._situation(new) not in self._decided:
                    new.agent = self._copy(branch.agent, branch.taken)
            return
        for new in apart[:-1]:
            # Copying takes longer than most decisions, so the last branch gets the agent itself.
            new.agent = self._copy(branch.agent, branch.taken)

    def _copy(self, agent: Agent, t: int | None = None) -> Agent:
        """Return a deep copy of an agent; only the problem is not copied.

        If copying fails, an error is raised that names step `t`, or no step if `t` is None.
        """
        with blaming(agent, "deepcopy (an exact evaluation copies the agent, --episodes does not)", t):
            copied = copy.deepcopy(agent, {id(self.problem): self.problem})
        if not isinstance(copied, Agent):
            refuse(agent, "__deepcopy__", f"was copied to {value_to_text(copied)}; expected an agent", t)
        return copied

    def _add(self, branch: Branch, price: Any) -> None:
        """Append the cost of a decision to `self.costs`, for each possible goal, times the goal's joint probability.

        Args:
            branch: the course of the episode up to the decision.
            price: the cost: one number, or ``float64 [n_goals]``.
        """
        if branch.weight is not None:
            added = branch.weight * price
        else:
            assert self.tables is not None
            added = branch.paths * self.tables.weight[branch.observation.state.teammate] * price
        self.costs.extend(added[sorted(branch.goals)].tolist())

    def _delay(self, state: JointState, ego: int) -> Any:
        """Return, for each goal, by how much the episode ends later because the ego agent steps from `state` to `ego`.

        Returns:
            ``float64 [n_goals]``, the delay as a cost. If the teammate has its own policies (`Problem.policies`), the
            cost of a whole step instead, as one number.
        """
        if self.tables is None:
            return STEP_COST
        steps = self.problem.teammate.steps(state.teammate)
        after = np.maximum(steps, self.problem.ego.steps(ego)) * STEP_COST
        return np.asarray(STEP_COST + after - optimal_costs(self.problem, state))

    def _answers(self, branch: Branch, asked: Question) -> Iterator[Branch]:
        return self._doubtful_answers(branch, asked) if self.doubtful else self._true_answers(branch, asked)

    def _doubtful_answers(self, branch: Branch, asked: Question) -> Iterator[Branch]:
        """Yield the course of the episode after each possible answer to `asked`, if answers may be wrong or missing.

        Courses of negligible probability are left out.
        """
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
                paths=branch.paths * likelihood,
                replies=replies,
            )
            if self._is_probable(new):
                yield new

    def _is_probable(self, branch: Branch) -> bool:
        """Return whether a branch, a course of the episode so far, is probable enough to be followed.

        If it is not, its probability is added to `left_out`.
        """
        weight = branch.weight
        if weight is None:
            assert self.tables is not None
            weight = np.asarray(branch.paths * self.tables.weight[branch.observation.state.teammate])
        total = float(weight[sorted(branch.goals)].sum())
        if total > NEGLIGIBLE:
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
        """Yield the course of the episode after each possible action of the teammate, if the ego agent steps to `ego`.

        Goals for which the action is impossible, or ends the episode, are removed. Courses without goals are left out.
        """
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
        """Return the probability of a course of the episode followed by a teammate's action, jointly with each goal.

        The result is ``float64 [n_goals]``, 0 for goals outside `goals`; None if `branch` has no probabilities.
        """
        if branch.weight is None:
            return None
        shares = self.problem.teammate.policy(branch.observation.state.teammate)[:, action]
        return _only(branch.weight * shares, goals)

    def _situation(self, branch: Branch) -> Any:
        """Return a hashable key of everything in a branch that the decisions of a Markov agent depend on.

        A branch is a course of the episode so far. A Markov agent (`Agent.markov`) decides equally in branches with
        equal keys.
        """
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
    """Return whether courses of an episode with the same states and the same possible goals can be joined.

    They can be joined if the agent's belief does not depend on the path of the teammate. The belief ``robust`` depends
    on it. So does ``bayes``, unless the teammate draws shortest plans uniformly.
    """
    if not agent.markov:
        return False
    kind = BELIEFS.get(getattr(agent, "belief_kind", ""))
    if problem.policies is None:
        return kind is None or kind.state_only
    return isinstance(agent, KnowsGoal) or (kind is not None and kind.state_only and not kind.needs_shares)


def _only(weights: FloatArray, goals: Goals) -> FloatArray:
    """Return a copy of `weights`, ``float64 [n_goals]``, with 0 for all goals that are not in `goals`."""
    left = np.zeros_like(weights)
    kept = sorted(goals)
    left[kept] = weights[kept]
    return left


def _random_state(agent: Agent) -> object:
    """Return the state of the agent's random generator, which changes with every random choice.

    None means that the agent has no such generator.
    """
    generator = getattr(getattr(agent, "rng", None), "bit_generator", None)  # the agent may use another kind of object
    return getattr(generator, "state", None)

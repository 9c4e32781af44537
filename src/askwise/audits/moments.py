"""The moments of an episode, and what decisions of the ego agent cost there.

A `Moment` is what the ego agent knew before a step. A decision costs its delay or price, plus the expected cost of the
moment that follows (`MomentValues`). A *judge*, the exact optimum or the planner, provides the cost of a moment. All
costs leave out what an agent that knows the goal would also pay.

**Delay.** With goal ``g`` known, let the teammate need ``d`` more steps to ``g``, and the ego agent ``e``. The episode
would end after ``max(d + 1, e)`` steps, because the teammate stays at its target for one step. In the next step, the
teammate comes one step closer; after it, let the ego agent need ``e'`` steps. Its action has delayed the end by::

    r_g = 1 + max(d, e') - max(d + 1, e)

**Observations.** Let ``b_g`` be the probability of goal ``g``, and ``weight[w, g]`` be proportional to the number of
shortest paths from ``w`` to ``g``. The teammate moves from its state ``w`` to ``w'`` with the probability::

    P(w') = sum over g of b_g * weight[w', g] / weight[w, g]

With the remaining probability, it stays at its target, which reveals its goal.

**Replies.** Let ``L[a, g]`` be the probability of reply ``a`` to a question given goal ``g``. Then::

    P(a) = sum over g of b_g * L[a, g]
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.core.answers import same_question, same_reply
from askwise.core.belief import Tracker, joint_with
from askwise.core.episode import Episode, Step
from askwise.core.game import after, check_ego_action, check_question, check_teammate_action
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Question
from askwise.core.side import FAR
from askwise.errors import AskwiseError, InputError
from askwise.planning.tables import Tables
from askwise.play.branches import possible_answers
from askwise.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What the ego agent knew before a step of an episode.

    Attributes:
        state: the states of both agents.
        belief: ``float64 [n_goals]``, probability of each goal.
        answers: all answers so far, missing ones included.
        explained: whether some goal explains the teammate's actions. If not, the belief allows for random actions.
    """

    state: JointState
    belief: FloatArray
    answers: tuple[Answer, ...] = ()
    explained: bool = True

    def key(self, problem: Problem) -> Hashable:
        """Return a hashable key for caches: in moments with equal keys, every decision costs the same.

        Args:
            problem: the problem to which this moment and all compared moments belong.
        """
        where = self.state.teammate, self.state.ego
        if not self.explained or problem.policies is not None:
            return *where, self.belief.tobytes(), self.answers
        # The goals are part of the key, because a teammate that stays at its target reveals its goal without moving.
        possible = (self.belief > 0).tobytes()
        return (*where, possible) if problem.answers.truthful else (*where, possible, self.answers)

    def answered_before(self, problem: Problem, asked: Question) -> Answer | None:
        """Return the answer that a question is certain to get, because it was asked before and errors are persistent.

        None if the question was not asked before or errors are not persistent.
        """
        if not problem.answers.persistent:
            return None
        n_goals = len(problem.goals)
        wanted = same_question(asked, n_goals)
        given = (answer for answer in self.answers if same_question(answer.asked, n_goals) == wanted)
        return next((same_reply(answer, asked) for answer in given), None)


def moments(episode: Episode) -> Iterator[tuple[Step, Moment]]:
    """Yield a pair for each step of an episode: the step, and what the ego agent knew before it.

    Raises `InputError` if a step breaks the rules of the game or contradicts the steps before it.
    """
    problem = episode.problem
    tracker = Tracker(problem, "bayes", fallback="robust")
    for k, (step, seen) in enumerate(zip(episode.steps, episode.observations, strict=True)):
        field = f"steps[{k}]"
        _check(problem, episode, k, field)
        try:
            tracker.update(seen)
        except AskwiseError as error:
            found = f"a contradiction to the steps before it ({error})"
            raise InputError(field, found, "an episode that can happen") from None
        belief = np.where(tracker.possible | (tracker.kind == "bayes"), tracker.probabilities, 0.0)
        yield step, Moment(step.state, belief, tuple(tracker.answers), tracker.kind == "bayes")


def _check(problem: Problem, episode: Episode, k: int, field: str) -> None:
    """Raise `InputError` if the rules do not allow step `k` of an episode, or if it does not lead to the next state.

    `field` is the name of the step in the error message.
    """
    step = episode.steps[k]
    following = episode.steps[k + 1].state if k + 1 < len(episode.steps) else episode.final
    if step.decision.ask is not None:
        check_question(problem, step.decision.ask, f"{field}: the ego agent", may_be_empty=True)
        led = step.state
    else:
        check_ego_action(problem, step.state.ego, step.decision.action, f"{field}: the ego agent")
        check_teammate_action(problem, step.state.teammate, step.teammate_action, f"{field}: the teammate")
        assert step.decision.action is not None
        assert step.teammate_action is not None
        led = after(problem, step.state, step.decision.action, step.teammate_action)
    if led != following:
        raise InputError(field, "a step that does not lead to the next state", "an episode as it happened")


BestDecision = tuple[int | Question | None, float]
"""The index of an action or a question, and its cost; ``(None, inf)`` if there is no such decision."""


class MomentValues(ABC):
    """The base class for the expected costs of all decisions in one step of an episode, according to one judge.

    The judge, the exact optimum or the planner, makes all later decisions. Costs leave out what an agent that knows the
    goal would also pay.

    Args:
        problem: the problem that was played.
        tables: the problem as arrays.
        moment: what the ego agent knew before the step.

    Attributes:
        belief: ``float64 [n_goals]``, the belief in `moment` without the goals that the teammate's state rules out.

    Raises:
        InputError: no goal is left in the belief.
    """

    def __init__(self, problem: Problem, tables: Tables, moment: Moment) -> None:
        self.problem = problem
        self.tables = tables
        self.moment = moment
        alive = tables.weight[moment.state.teammate] > 0
        belief = np.where(alive, moment.belief, 0.0)
        if not belief.any():
            where = problem.teammate.model.name(moment.state.teammate)
            raise InputError("steps", f"a teammate at {where!r}, on no path to a possible goal", "one on such a path")
        self.belief: FloatArray = belief / belief.sum()

    @abstractmethod
    def value(self, moment: Moment) -> float:
        """Return the expected cost from a moment to the end of the episode, if the judge makes all decisions.

        The cost is beyond that of an agent that knows the goal. At least two goals must be possible.
        """

    @abstractmethod
    def proposed(self) -> BestDecision:
        """Return the question that the judge would ask now, and its expected cost; ``(None, inf)`` if it would act."""

    @abstractmethod
    def least_question(self, at_most: float) -> float:
        """Return the least expected cost of a question that the judge considers; infinity if it is above `at_most`.

        A low `at_most` saves time.
        """

    # -- one decision --------------------------------------------------------------------------------------------

    def acting(self, action: int) -> float:
        """Return the expected cost of taking an action now, if the judge makes all later decisions.

        It is infinity if a possible goal can never be reached after the action.

        Args:
            action: the index of the action.
        """
        w, ego = self.moment.state.teammate, self.problem.ego.next(self.moment.state.ego, action)
        cost = self.at_once(action)
        if math.isinf(cost):
            return cost
        for onwards in self.tables.following[w].tolist():
            if onwards >= 0:
                there = Moment(
                    JointState(onwards, ego), self._gone_on(onwards), self.moment.answers, self.moment.explained
                )
                cost += self._after(there)
        return cost

    def asking(self, asked: Question, at_most: float = math.inf) -> float:
        """Return the expected cost of asking a question now, price included, if the judge makes all later decisions.

        Args:
            asked: the question.
            at_most: if the cost is above this, infinity is returned. A low limit saves time.
        """
        moment, price = self.moment, float(self.problem.query_cost(asked))
        again = moment.answered_before(self.problem, asked)
        if again is not None:
            return price + self._after(Moment(moment.state, self.belief, (*moment.answers, again), moment.explained))
        cost = price
        for answer in possible_answers(asked, len(self.problem.goals)):
            share = joint_with(self.problem, self.belief, answer)
            cost += self._after(Moment(moment.state, share, (*moment.answers, answer), moment.explained))
            if cost > at_most:
                return math.inf
        return cost

    def at_once(self, action: int) -> float:
        """Return the expected delay that an action causes, in steps, without the cost of later decisions.

        It is infinity if a possible goal can never be reached after the action.

        Args:
            action: the index of the action.
        """
        ego = self.problem.ego.next(self.moment.state.ego, action)
        possible = self.belief > 0
        teammate = self.tables.steps[self.moment.state.teammate]
        before, after = self._ego_steps(self.moment.state.ego), self._ego_steps(ego)
        if (possible & (after >= FAR) & (before < FAR)).any():
            return math.inf
        delay = 1.0 + np.maximum(teammate, after) - np.maximum(teammate + 1, before)
        return float((self.belief * np.where(after >= FAR, 0.0, delay))[possible].sum())

    def best_action(self) -> BestDecision:
        """Return the index of the action of least expected cost, and this cost."""
        state, least, best = self.moment.state, math.inf, self.problem.ego.actions.stay
        actions = range(len(self.problem.ego.actions.names))
        open_to_it = [action for action in actions if self.problem.ego.next(state.ego, action) >= 0]
        for cost, action in sorted((self.at_once(action), action) for action in open_to_it):
            if cost >= least:
                break
            found = self.acting(action)
            if found < least:
                best, least = action, found
        return best, least

    # -- pieces --------------------------------------------------------------------------------------------------

    @property
    def certain(self) -> bool:
        """Whether only one goal is possible."""
        return bool(np.count_nonzero(self.belief) < 2)

    def _after(self, moment: Moment) -> float:
        """Return the expected cost from a moment to the end of the episode, times the sum of the moment's belief."""
        share = float(moment.belief.sum())
        if share <= 0 or np.count_nonzero(moment.belief) < 2:
            return 0.0
        return share * self.value(Moment(moment.state, moment.belief / share, moment.answers, moment.explained))

    def _gone_on(self, onwards: int) -> FloatArray:
        """Return the joint probability of each goal and the teammate's next state `onwards`, ``float64 [n_goals]``.

        Args:
            onwards: the index of the teammate's next state.
        """
        here, there = self.tables.weight[self.moment.state.teammate], self.tables.weight[onwards]
        return np.asarray(self.belief * np.divide(there, here, out=np.zeros_like(here), where=here > 0))

    def _ego_steps(self, ego: int) -> IntArray:
        place, load = self.tables.ego.split(ego)
        steps = self.tables.ego.unloaded[place]
        if load >= 0:
            steps = np.array(steps)
            steps[load] = self.tables.ego.loaded[place, load]
        return np.asarray(steps)

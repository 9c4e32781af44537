"""What the agent knew before each step of an episode.

What a decision costs at a moment: one step by the rules, then the judge's value of what is known after it.

This is the same for all judges and all domains; they differ in `Lookout.value` and in what they think of. With the
belief ``b`` at the moment, ``d`` the teammate's steps and ``e`` the ego agent's, an action after which it needs ``e'``
puts the end off by ``r_g = 1 + max(d, e') - max(d + 1, e)`` (`askwise.planning`). The teammate's next state is ``w'``
with probability ``P(w') = sum over g of b_g * weight[w', g] / weight[w, g]``, and with the rest it stays and shows its
goal, which leaves nothing to lose. A question costs its price; reply `a` comes with probability ``P(a) = sum over g of
b_g * L[a, g]``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.core.answers import n_answers, same_question, same_reply
from askwise.core.belief import Tracker, joint_with
from askwise.core.episode import Episode, Step
from askwise.core.game import after, check_ego_action, check_question, check_teammate_action
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Choice, Question
from askwise.core.side import FAR
from askwise.errors import AskwiseError, InputError
from askwise.planning.tables import Tables
from askwise.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What was known before a step.

    Attributes:
        state: where both agents were.
        belief: ``float64 [n_goals]``, probability of each goal.
        answers: what had been asked and answered, refusals included.
        explained: whether all that the teammate did is what some goal explains; else the belief allows for errors.
    """

    state: JointState
    belief: FloatArray
    answers: tuple[Answer, ...] = ()
    explained: bool = True

    def key(self, problem: Problem) -> Hashable:
        """Return what is equal for two moments of a problem that are judged alike."""
        where = self.state.teammate, self.state.ego
        if not self.explained or problem.policies is not None:
            return *where, self.belief.tobytes(), self.answers
        # A teammate that stays at its target shows its goal without going anywhere.
        possible = (self.belief > 0).tobytes()
        return (*where, possible) if problem.answers.truthful else (*where, possible, self.answers)

    def answered_before(self, problem: Problem, asked: Question) -> Answer | None:
        """Return the reply that a question would get again because errors persist, None if it is open."""
        if not problem.answers.persistent:
            return None
        n_goals = len(problem.goals)
        wanted = same_question(asked, n_goals)
        given = (answer for answer in self.answers if same_question(answer.asked, n_goals) == wanted)
        return next((same_reply(answer, asked) for answer in given), None)


def moments(episode: Episode) -> Iterator[tuple[Step, Moment]]:
    """Iterate over the steps of an episode, each with what was known before it."""
    problem = episode.problem
    tracker = Tracker(problem, "bayes", fallback="robust")
    for k, (step, seen) in enumerate(zip(episode.steps, episode.observations, strict=True)):
        field = f"steps[{k}]"
        _check(problem, episode, k, field)
        try:
            tracker.update(seen)
        except AskwiseError as error:
            raise InputError(field, f"what contradicts all before it ({error})", "an episode that can happen") from None
        belief = np.where(tracker.possible | (tracker.kind == "bayes"), tracker.probabilities, 0.0)
        yield step, Moment(step.state, belief, tuple(tracker.answers), tracker.kind == "bayes")


def _check(problem: Problem, episode: Episode, k: int, field: str) -> None:
    """Refuse a step that the rules do not allow, or that does not lead to the next one."""
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
        raise InputError(field, "a step that does not lead to where everybody is after it", "an episode as it happened")


BestDecision = tuple[int | Question | None, float]
"""An action (by its number) or a question, and what it costs; None if there is none."""


class MomentValues(ABC):
    """A moment with what its decisions cost, for one judge.

    Args:
        problem: what was played.
        tables: its tables; the teammate is in a state that they reach.
        moment: what was known; only goals that both sides of the tables reach count.
    """

    def __init__(self, problem: Problem, tables: Tables, moment: Moment) -> None:
        self.problem = problem
        self.tables = tables
        self.moment = moment
        alive = tables.weight[moment.state.teammate] > 0
        belief = np.where(alive, moment.belief, 0.0)
        if not belief.any():
            where = problem.teammate.model.name(moment.state.teammate)
            raise InputError("steps", f"a teammate at {where!r}, on no way to a possible goal", "one on its way")
        self.belief: FloatArray = belief / belief.sum()

    @abstractmethod
    def value(self, moment: Moment) -> float:
        """Return the expected cost from a moment after this one, at which at least two goals are possible."""

    @abstractmethod
    def proposed(self) -> BestDecision:
        """Return the question that the judge would ask, none (and infinity) where it would rather act."""

    @abstractmethod
    def least_question(self, at_most: float) -> float:
        """Return the least that any question costs that the judge can think of, infinity if that is above `at_most`."""

    # -- one decision --------------------------------------------------------------------------------------------

    def acting(self, action: int) -> float:
        """Return the expected cost of an action, infinite if it puts a possible goal out of reach."""
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
        """Return the expected cost of a question; infinity, or less work, where it is above `at_most`."""
        moment, price = self.moment, float(self.problem.query_cost(asked))
        again = moment.answered_before(self.problem, asked)
        if again is not None:
            return price + self._after(Moment(moment.state, self.belief, (*moment.answers, again), moment.explained))
        cost = price
        for answer in _replies(asked, len(self.problem.goals)):
            share = joint_with(self.problem, self.belief, answer)
            cost += self._after(Moment(moment.state, share, (*moment.answers, answer), moment.explained))
            if cost > at_most:
                return math.inf
        return cost

    def at_once(self, action: int) -> float:
        """Return by how much an action by itself puts off the end in expectation."""
        ego = self.problem.ego.next(self.moment.state.ego, action)
        possible = self.belief > 0
        teammate = self.tables.steps[self.moment.state.teammate]
        before, after = self._ego_steps(self.moment.state.ego), self._ego_steps(ego)
        if (possible & (after >= FAR) & (before < FAR)).any():
            return math.inf
        delay = 1.0 + np.maximum(teammate, after) - np.maximum(teammate + 1, before)
        return float((self.belief * np.where(after >= FAR, 0.0, delay))[possible].sum())

    def best_action(self) -> BestDecision:
        """Return the best of all actions; those come last that cost most by themselves, and are left out there."""
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
        """Whether there is nothing left to find out."""
        return bool(np.count_nonzero(self.belief) < 2)

    def _after(self, moment: Moment) -> float:
        """Return the value of a moment whose belief sums to its probability, times that probability."""
        share = float(moment.belief.sum())
        if share <= 0 or np.count_nonzero(moment.belief) < 2:
            return 0.0
        return share * self.value(Moment(moment.state, moment.belief / share, moment.answers, moment.explained))

    def _gone_on(self, onwards: int) -> FloatArray:
        """``float64 [n_goals]``: probability of each goal and that the teammate goes there next."""
        here, there = self.tables.weight[self.moment.state.teammate], self.tables.weight[onwards]
        return np.asarray(self.belief * np.divide(there, here, out=np.zeros_like(here), where=here > 0))

    def _ego_steps(self, ego: int) -> IntArray:
        place, load = self.tables.ego.split(ego)
        steps = self.tables.ego.unloaded[place]
        if load >= 0:
            steps = np.array(steps)
            steps[load] = self.tables.ego.loaded[place, load]
        return np.asarray(steps)


def _replies(asked: Question, n_goals: int) -> Iterator[Answer]:
    """Iterate over everything that can be heard, no answer at all included."""
    if isinstance(asked, Choice):
        yield from (Answer(asked, k) for k in range(n_answers(asked, n_goals)))
    else:
        yield from (Answer(asked, True), Answer(asked, False))
    yield Answer(asked, None)

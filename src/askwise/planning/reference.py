"""The recursion of `askwise.planning` in plain Python with exact fractions: what everything else is tested against.

There are no tables, no bounds and no pruning, so problems must be small. Numbers of a problem are read as decimal
fractions: 0.1 is a tenth. Values are multiplied by the sum of the goals' weights; only `Reference.cost` is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import wraps
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from askwise.core.answers import TRUTHFUL, AnswerModel, n_answers, same_question, truth
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Choice, Question
from askwise.core.side import place_and_load, state_at
from askwise.errors import InputError
from askwise.planning.exact import TooLarge

MOST_OPTIONS = 300_000
"""Actions and questions that are compared in all unless the caller allows more."""
LONGEST_PLAN = 100
"""Steps of the teammate's longest plan: each of them is some recursive calls."""
ZERO = Fraction(0)
SAME = Fraction(1, 10**9)
"""Actions are equally good if their delays differ by at most this share of the weight."""

Cost: TypeAlias = Fraction | float
"""An exact number, or infinity."""
Move: TypeAlias = int | Question
"""A decision of the ego agent: an action by number, or a question."""
Likelihood: TypeAlias = tuple[Fraction, ...]
"""The probability of an event for each goal."""


class PlanningState(NamedTuple):
    """A state of the reference planner: what the ego agent knows, and where both agents are.

    Attributes:
        weights: weight of each goal, proportional to its probability.
        teammate: the teammate's state.
        ego: the ego agent's state.
        questions_left: number of questions still allowed; None for any number.
        asked: keys (`same_question`) of questions that would get the same reply again.
    """

    weights: tuple[Fraction, ...]
    teammate: int
    ego: int
    questions_left: int | None = None
    asked: frozenset[Hashable] = frozenset()

    @property
    def goals(self) -> tuple[int, ...]:
        """The possible goals."""
        return tuple(goal for goal, weight in enumerate(self.weights) if weight)

    @property
    def weight(self) -> Fraction:
        """The sum of the weights of all goals, ``Z`` in `askwise.planning`."""
        return sum(self.weights, ZERO)


Method = TypeVar("Method", bound=Callable[..., Any])


def once(method: Method) -> Method:
    """Decorate a method of `Reference`, so that it computes its result for the same arguments only once.

    The result is stored in `Reference.known`.
    """

    @wraps(method)
    def remembered(self: Reference, *given: Any) -> Any:
        key = method.__name__, given
        if key not in self.known:
            self.known[key] = method(self, *given)
        return self.known[key]

    return cast(Method, remembered)


class Reference:
    """Computes exact values of small problems, in fractions and plain Python. Tests compare the planner with it.

    Args:
        problem: the problem; its teammate draws one of its shortest plans uniformly.
        questions: the most questions, answered or not; None for any number (true answers only).
        truthful_after: whether any number of further questions, with true answers, may follow.
        most_options: the most actions and questions to compare; beyond it `TooLarge` is raised.

    Attributes:
        known: results computed so far, by name and arguments of the method.
    """

    def __init__(
        self,
        problem: Problem,
        questions: int | None = None,
        *,
        truthful_after: bool = False,
        most_options: int = MOST_OPTIONS,
    ) -> None:
        _check(problem, questions)
        self.problem, self.questions, self.truthful_after = problem, questions, truthful_after
        self.most_options, self.n_options = most_options, 0
        self.n_goals, self.n_actions = len(problem.goals), len(problem.ego.actions.names)
        self.known: dict[Any, Any] = {}

    # -- the recursion -------------------------------------------------------------------------------------------

    @once
    def value(self, state: PlanningState) -> Cost:
        """Return the value ``U`` of `askwise.planning`: the least expected marginal cost, times `state.weight`.

        `state.weight` is the sum of the goals' weights in the state, which need not be 1. The method `cost` returns the
        cost without this factor.
        """
        return min((cost for _, cost in self.options(state)), default=ZERO)

    def act(self, state: PlanningState, action: int) -> Cost:
        """Return the expected marginal cost of the rest of the episode if it begins with this action.

        All later decisions are optimal. The result is multiplied by `state.weight`, the sum of the goals' weights.
        """
        delay = self.delay(state, action)
        return delay if delay == math.inf else delay + _later(self.value, self.after_action(state, action))

    def ask(self, state: PlanningState, question: Question) -> Cost:
        """Return the expected marginal cost of asking `question` now and deciding optimally afterwards.

        Marginal cost is the cost from now on, beyond that of an agent that knows the goal. The result is multiplied by
        `state.weight`, the sum of the goals' weights.
        """
        return state.weight * self.price(question) + _later(self.value, self.after_question(state, question))

    def delay(self, state: PlanningState, action: int) -> Cost:
        """Return by how many steps an action is expected to delay the end of the episode, times `state.weight`.

        The delay is infinite if the action is not available, or puts a possible goal out of reach.
        """
        there = self.problem.ego.next(state.ego, action)
        if there < 0:
            return math.inf
        d, e, e_after = self.teammate_steps(state.teammate), self.ego_steps(state.ego), self.ego_steps(there)
        goals = [goal for goal in state.goals if e[goal] < math.inf]
        if any(e_after[goal] == math.inf for goal in goals):
            return math.inf
        return _sum(state.weights[g] * (1 + max(d[g], e_after[g]) - max(d[g] + 1, e[g])) for g in goals)

    def options(self, state: PlanningState) -> Iterator[tuple[Move, Cost]]:
        """Yield all actions and questions with their costs (`act`, `ask`); nothing if only one goal is possible."""
        if len(state.goals) > 1:
            for action in range(self.n_actions):
                yield action, self._counted(self.act(state, action))
            for question in self.questions_about(state):
                yield question, self._counted(self.ask(state, question))

    def best_moves(self, state: PlanningState) -> list[Move]:
        """Return all optimal moves, actions first; none if only a single goal is possible."""
        return [move for move, cost in self.options(state) if cost == self.value(state)]

    def cost(self, state: PlanningState | None = None) -> float:
        """Return the least expected marginal cost from a state, by default from the start."""
        state = self.state() if state is None else state
        return float(self.value(state) / state.weight)

    def _counted(self, cost: Cost) -> Cost:
        self.n_options += 1
        if self.n_options > self.most_options:
            raise TooLarge(
                f"too large for the reference: {self.n_goals} goals, not solved after {self.most_options:,} actions "
                "and questions; use askwise.solve"
            )
        return cost

    # -- states --------------------------------------------------------------------------------------------------

    def state(self, where: JointState | None = None, possible: Iterable[int] | None = None) -> PlanningState:
        """Return a state in which no question has been asked yet.

        The weight of a goal is its prior, times the number of the teammate's shortest plans for it from this state,
        divided by their number from the start. `where` has the states of both agents, by default at the start;
        `possible` has goals, by default all.
        """
        where = self.problem.start if where is None else where
        allowed = range(self.n_goals) if possible is None else set(possible)
        prior = tuple(_exact(each) if goal in allowed else ZERO for goal, each in enumerate(self.problem.prior))
        reach = tuple(self.reach(goal, where.teammate) for goal in range(self.n_goals))
        state = self._weighed(PlanningState(prior, where.teammate, where.ego, self.questions), reach)
        if not state.goals:
            name = self.problem.teammate.model.name(where.teammate)
            raise InputError("state", f"the teammate at {name!r}, on no way to a possible goal", "one on such a way")
        return state

    def after_action(self, state: PlanningState, action: int) -> list[tuple[int, PlanningState]]:
        """Return the teammate's possible actions while the ego agent takes `action`, each with the state that follows.

        States in which only one goal is possible are left out: nothing remains to be decided.
        """
        ego = self.problem.ego.next(state.ego, action)
        moves = self.teammate_moves(state.teammate)
        found = [
            (move, self._weighed(state._replace(teammate=there, ego=ego), likely)) for move, there, likely in moves
        ]
        return [(move, after) for move, after in found if len(after.goals) > 1]

    def after_question(self, state: PlanningState, question: Question) -> list[tuple[Answer, PlanningState]]:
        """Return the possible answers to a question, each with the state that follows; "no answer" is one of them.

        States in which only one goal is possible are left out: nothing remains to be decided.
        """
        left, answers, asked = state.questions_left, self._answers(state), state.asked
        if answers.persistent:
            asked |= {same_question(question, self.n_goals)}
        then = state._replace(questions_left=left and left - 1, asked=asked)
        found = [(answer, self._weighed(then, likely)) for answer, likely in self.replies(question, answers)]
        return [(answer, after) for answer, after in found if len(after.goals) > 1]

    def _weighed(self, state: PlanningState, likelihood: Likelihood) -> PlanningState:
        """Return `state` with the weight of each goal multiplied by the goal's element of `likelihood`.

        If the ego agent carries a load for a goal that is now impossible, it has no load in the new state.
        """
        both = zip(state.weights, likelihood, strict=True)
        weights = tuple(weight * share if weight and share else ZERO for weight, share in both)
        place, load = place_and_load(self.problem.ego, state.ego)
        ego = state.ego if load < 0 or weights[load] else state_at(self.problem.ego, place)
        return state._replace(weights=weights, ego=ego)

    # -- questions -----------------------------------------------------------------------------------------------

    def questions_about(self, state: PlanningState) -> Iterator[Question]:
        """Yield all questions that may be asked in a state.

        There is a yes/no question about each set of some, but not all, possible goals. If options have a price, there
        is a multiple-choice question for each way to divide the possible goals into groups; one group may be unnamed.
        Questions with a known reply are left out.
        """
        if state.questions_left == 0 and not self.truthful_after:
            return
        again = state.asked if self._answers(state).persistent else frozenset()
        questions: list[Iterable[Question]] = [combinations(state.goals, size) for size in range(1, len(state.goals))]
        if self.problem.query_cost.per_option is not None:
            questions.append(_choices(state.goals))
        for some in questions:
            yield from (question for question in some if same_question(question, self.n_goals) not in again)

    @once
    def price(self, question: Question) -> Fraction:
        """Return the price of a question as an exact fraction."""
        return _exact(self.problem.query_cost(question))

    @once
    def replies(self, question: Question, answers: AnswerModel) -> list[tuple[Answer, Likelihood]]:
        """Return all answers to a question, each with its probability for each goal; "no answer" is one of the answers.

        These probabilities are ``L`` in `askwise.planning`. `answers` says how often answers are wrong or missing.
        """
        goals, k = range(self.n_goals), n_answers(question, self.n_goals)
        wrong, refused = _exact(answers.wrong), _exact(answers.refused)
        each_wrong = wrong / (k - 1) if k > 1 else ZERO
        offered = range(k) if isinstance(question, Choice) else (True, False)
        found = [(Answer(question, None), (refused,) * self.n_goals)] if refused else []
        for reply in offered:
            likely = (1 - wrong if truth(question, goal) == reply else each_wrong for goal in goals)
            found.append((Answer(question, reply), tuple((1 - refused) * share for share in likely)))
        return found

    def _answers(self, state: PlanningState) -> AnswerModel:
        return TRUTHFUL if self.truthful_after and state.questions_left == 0 else self.problem.answers

    # -- the two agents ------------------------------------------------------------------------------------------

    @once
    def ego_steps(self, ego: int) -> list[float]:
        """Return e, the ego agent's steps to each goal from its state, infinite if there is no way."""
        return [math.inf if steps < 0 else steps for steps in self.problem.ego.steps(ego).tolist()]

    @once
    def teammate_steps(self, teammate: int) -> list[float]:
        """Return d, the teammate's steps to each goal from its state, infinite if there is no way."""
        return [math.inf if steps < 0 else steps for steps in self.problem.teammate.steps(teammate).tolist()]

    @once
    def plans(self, goal: int, teammate: int) -> int:
        """Return the number of shortest plans that the teammate has for a goal from the state `teammate`."""
        if self.teammate_steps(teammate)[goal] == 0:
            return 1
        return sum(self.plans(goal, there) for _, there in self._steps_towards(goal, teammate))

    @once
    def teammate_moves(self, teammate: int) -> list[tuple[int, int, Likelihood]]:
        """Return the teammate's possible moves in the state `teammate`.

        Each is a tuple of the action, the state to which it leads, and the probability of this action for each goal.
        """
        shares: dict[tuple[int, int], list[Fraction]] = {}
        for goal in range(self.n_goals):
            for move in self._steps_towards(goal, teammate):
                share = Fraction(self.plans(goal, move[1]), self.plans(goal, teammate))
                shares.setdefault(move, [ZERO] * self.n_goals)[goal] = share
        return [(action, there, tuple(likelihood)) for (action, there), likelihood in sorted(shares.items())]

    @once
    def reach(self, goal: int, teammate: int) -> Fraction:
        """Return the number of shortest plans for a goal from a state, divided by their number from the start.

        The result is 0 if no shortest plan of the teammate from its start leads through the state `teammate`.
        """
        begin = self.problem.start.teammate
        here, seen = {begin}, self.teammate_steps(begin)[goal] - self.teammate_steps(teammate)[goal]
        for _ in range(int(seen) if 0 <= seen < math.inf else 0):
            here = {there for state in here for _, there in self._steps_towards(goal, state)}
        return Fraction(self.plans(goal, teammate), self.plans(goal, begin)) if teammate in here else ZERO

    def _steps_towards(self, goal: int, teammate: int) -> list[tuple[int, int]]:
        """Return the actions that bring the teammate a step closer to a goal, each with the state to which it leads."""
        side, left = self.problem.teammate, self.teammate_steps(teammate)[goal]
        moves = [(action, side.next(teammate, action)) for action in range(len(side.actions.names))]
        moves = [(action, there) for action, there in moves if there >= 0 and left < math.inf]
        return [(action, there) for action, there in moves if self.teammate_steps(there)[goal] == left - 1]

    # -- where the planner's plans end (`askwise.planning.leaf_values`), and how it ranks questions ----------------

    @once
    def act_only(self, state: PlanningState) -> Cost:
        """Return the expected marginal cost of acting to the end without any question, times `state.weight`.

        The action is always the one of least expected delay (`best_action`). `state.weight` is the sum of the goals'
        weights.
        """
        return self._keep_acting(state, self.act_only)

    @once
    def act_then_ask(self, state: PlanningState) -> Cost:
        """Return the expected marginal cost of acting, then finding out the goal by questions once that is cheaper.

        Each action has the least expected delay. The price of finding out is `ask_until_known`. The result is
        multiplied by `state.weight`.
        """
        return min(self.ask_until_known(state), self._keep_acting(state, self.act_then_ask))

    def ask_once(self, state: PlanningState, question: Question) -> Cost:
        """Return the expected marginal cost of asking a question now, times the sum of the goals' weights.

        After the answer, the agent acts, and finds out the goal by questions once that is cheaper (`act_then_ask`).
        """
        paid = state.weight * self.price(question)
        return paid + _later(self.act_then_ask, self.after_question(state, question))

    @once
    def ask_until_known(self, state: PlanningState) -> Cost:
        """Return the expected price of finding out the goal by questions now, times the sum of the goals' weights.

        The goals are listed by weight. The first question cuts the list in two; later questions cut the parts. Each cut
        makes ``p (1 - p) / price`` largest; ``p`` is one part's share of the weight. If answers are not always true,
        this price is divided by the information in an answer, in bits, as an estimate.
        """
        wrong, refused = self.problem.answers.wrong, self.problem.answers.refused
        bits = (1 - refused) * (1 + sum(p * math.log2(p) for p in (wrong, 1 - wrong) if p > 0))
        return self._cut(state, sorted(state.goals, key=lambda goal: -state.weights[goal])) / Fraction(bits)

    def best_action(self, state: PlanningState) -> int:
        """Return the action of least expected delay.

        Ties go to the least expected number of the ego agent's steps to the goal afterwards, then to the first action.
        """
        near, delays = SAME * state.weight, [self.delay(state, action) for action in range(self.n_actions)]
        equal = [action for action, delay in enumerate(delays) if delay <= min(delays) + near]
        after = [self.ego_steps(self.problem.ego.next(state.ego, action)) for action in equal]
        left = [_sum(state.weights[g] * e[g] for g in state.goals if e[g] < math.inf) for e in after]
        return next(action for action, steps in zip(equal, left, strict=True) if steps <= min(left) + near)

    def _keep_acting(self, state: PlanningState, onwards: Callable[[PlanningState], Cost]) -> Cost:
        if len(state.goals) < 2:
            return ZERO
        action = self.best_action(state)
        return self.delay(state, action) + _later(onwards, self.after_action(state, action))

    def _cut(self, state: PlanningState, goals: Sequence[int]) -> Cost:
        if len(goals) < 2:
            return ZERO
        sides = [(goals[:cut], goals[cut:]) for cut in range(1, len(goals))]
        weights = [[_sum(state.weights[goal] for goal in side) for side in both] for both in sides]
        prices = [min(self.price(tuple(sorted(side))) for side in both) for both in sides]
        worth = [p * q / price if price else math.inf for (p, q), price in zip(weights, prices, strict=True)]
        best = next(k for k, each in enumerate(worth) if each * (1 + SAME) >= max(worth))
        return sum(weights[best]) * prices[best] + _sum(self._cut(state, side) for side in sides[best])


def _check(problem: Problem, questions: int | None) -> None:
    """Raise an error if `Reference` cannot handle a problem, or if the number of questions is invalid.

    Raises:
        InputError: the teammate has its own policies, or `questions` is invalid.
        TooLarge: the teammate's plans may be too long.
    """
    if problem.policies is not None:
        raise InputError("teammate_policies", "policies of the teammate's own", "none: a teammate that is a UROP")
    if questions is not None and (not isinstance(questions, int) or isinstance(questions, bool) or questions < 0):
        raise InputError("questions", repr(questions), "a whole number from 0, or None for any number")
    if questions is None and not problem.answers.truthful:
        raise InputError("questions", "no limit", f"a whole number from 0: answers are {problem.answers}")
    longest = int(problem.teammate.steps(problem.start.teammate).max())
    if longest > LONGEST_PLAN:
        raise TooLarge(f"too large for the reference: a plan of {longest} steps, at most {LONGEST_PLAN} are possible")


def _exact(number: float) -> Fraction:
    """Return a number as the fraction that its decimal digits mean: 0.1 is a tenth."""
    return Fraction(repr(float(number)))


def _sum(costs: Iterable[Cost]) -> Cost:
    return sum(costs, ZERO)


def _later(value: Callable[[PlanningState], Cost], found: Iterable[tuple[Any, PlanningState]]) -> Cost:
    """Return the sum of `value` over the states in `found`.

    `found` has pairs: an action of the teammate or an answer, and the state after it.
    """
    return _sum(value(after) for _, after in found)


def _choices(goals: Sequence[int]) -> Iterator[Choice]:
    """Yield all multiple-choice questions that ask which of several groups of `goals` has the true goal.

    For every division into two or more groups, one question names all groups, and others leave out one group each.
    """
    for groups in _partitions(goals):
        if len(groups) > 1:
            yield Choice(groups)
            yield from (Choice(groups[:k] + groups[k + 1 :]) for k in range(len(groups)))


def _partitions(goals: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all ways to divide some goals into groups."""
    if not goals:
        yield ()
        return
    for size in range(len(goals)):
        for some in combinations(goals[1:], size):
            others = [goal for goal in goals[1:] if goal not in some]
            yield from (((goals[0], *some), *groups) for groups in _partitions(others))

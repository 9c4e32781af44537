"""The value of a decision: act now, or ask first.

**Definition.** A belief ``b`` over intents, actions ``x`` with losses, questions ``q`` with likelihoods ``L`` and
prices, each asked at most once and at most `limit` in all:

    act(b)    = min over x of sum_g b[g] loss[x, g]
    ask(b, q) = price[q] + sum over answers a of P(a) V(b given a),     P(a) = sum_g b[g] L[q, a, g]
    V(b)      = min( act(b), min over questions left of ask(b, q) ).

**Exact** where the recurrence can be worked out to its end, with memory and bounds (`askwise.decisions.kernels`).

**Else to a depth**: at most `depth` questions ahead, then the best action. That plan can be executed, so its value is
an upper bound. So is that of a *narrow* plan, which follows only the question that tells most for its price, as far as
there are questions, and stops where acting is better: looking a few questions ahead sees no use in the first of ten
questions that are needed together, a narrow plan does. The better of both is taken.

**Lower bounds** without looking further: knowing the intent after paying for one more question, at the last level; and
what information costs, see `askwise.decisions.information`. The verdict states the depth and the gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from askwise.decisions.arrays import (
    TIE,
    ProblemArrays,
    SearchLimits,
    new_search_arrays,
    new_solved_states,
    new_stack,
    problem_arrays,
)
from askwise.decisions.information import information_bound
from askwise.decisions.kernels import OVERHEAD, listen, solve
from askwise.decisions.problem import DecisionProblem
from askwise.types import FloatArray

BUDGET = 1e8
"""How much work each attempt to look further may take: about as many nanoseconds on an ordinary machine."""
SURE = 10
"""If there are so few states that looking at all of them takes at most so many budgets, that is done at once."""
FIRST = 4
"""How many first questions a narrow plan is tried for, those that tell most for their price."""
EXACT_GAP = 1e-13
"""Bounds closer than this, as a share of the largest loss, have met."""


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """What each first move costs, by a search to some depth.

    Attributes:
        act: ``float64 [n_actions]``, each action now.
        ask: ``float64 [n_questions]``, each question and then as planned; ``inf`` where none may be asked.
        lower: no plan at all costs less.
        depth: how many questions the search looks ahead.
        exact: whether no plan is better than the best of these.
        settled: whether all of these are exact, those of other questions as well.
    """

    act: FloatArray
    ask: FloatArray
    lower: float
    depth: int
    exact: bool
    settled: bool

    @property
    def upper(self) -> float:
        """What the best first move costs."""
        return float(min(self.act.min(), self.ask.min(initial=math.inf)))


class DecisionSolver:
    """The search on one problem, to one depth and width; see the top of this module."""

    def __init__(
        self, problem: DecisionProblem, world: ProblemArrays, depth: int, width: int, budget: float = math.inf
    ) -> None:
        n_questions, n_intents = len(problem.questions), len(problem.intents)
        most = problem.most_questions
        self.problem = problem
        self.depth, self.width = min(depth, most), min(width, n_questions)
        self._world = world
        levels = self.depth + 2
        self._space = new_search_arrays(levels, n_intents, len(problem.actions), n_questions)
        self._stack = new_stack(levels)
        self._memory = new_solved_states(problem, self.depth)
        narrow = self.width < n_questions
        self._limits = SearchLimits(self.width, depth >= most, _work(world, narrow), budget)
        self._spent = np.zeros(1)

    @property
    def complete(self) -> bool:
        """Whether everything was looked at that should have been, within the budget."""
        return bool(self._spent[0] <= self._limits.budget)

    @property
    def remembered(self) -> int:
        """How many states were solved and remembered."""
        return int(self._memory.used[0])

    @property
    def work(self) -> float:
        """What it takes to look at one answer for one intent."""
        return self._limits.work

    def begin(self, weights: FloatArray) -> None:
        """Put weights on the first level, with no question asked."""
        world, space = self._world, self._space
        support = np.flatnonzero(weights > 0)
        space.size[0] = support.size
        space.weight[0, : support.size] = weights[support]
        space.intent[0, : support.size] = support
        space.sign[0] = np.bitwise_xor.reduce(world.intent_signs[support], axis=0)
        space.asked[:] = False

    def follow(self, answers: list[tuple[int, int]]) -> tuple[float, float, int, float]:
        """Return the bounds, the move and the weight of the state after some answers ``(question, answer)``."""
        self.begin(self.problem.belief)
        weight = 1.0
        for level, (question, answer) in enumerate(answers):
            weight, _ = listen(self._world, self._space, level, question, int(self._world.first[question]) + answer)
            self._space.asked[question] = True
        if weight <= 0.0:
            return 0.0, 0.0, -1, 0.0
        left = self.depth - len(answers)
        level, stack = len(answers), self._stack
        solve(self._world, self._space, stack, self._memory, self._spent, self._limits, level, left)
        return float(stack.upper[level]), float(stack.lower[level]), int(stack.move[level]), weight

    def asking(self, question: int) -> tuple[float, float]:
        """Return an upper and a lower bound of asking a question first."""
        asked = self.problem.questions[question]
        each = [self.follow([(question, answer)]) for answer in range(len(asked.answers))]
        return asked.price + math.fsum(e[0] for e in each), asked.price + math.fsum(e[1] for e in each)

    def values(self) -> FirstMoves:
        """Work out what every first move costs."""
        problem = self.problem
        acting = problem.loss @ problem.belief
        asking = np.full(len(problem.questions), math.inf)
        lower, apart = float(acting.min()), 0.0
        if self.depth > 0:
            for q in range(len(problem.questions)):
                asking[q], least = self.asking(q)
                lower, apart = min(lower, least), max(apart, asking[q] - least)
                if not self.complete:
                    break
        elif not self._limits.final:
            lower = min(lower, self._known() + min(each.price for each in problem.questions))
        upper = float(min(acting.min(), asking.min(initial=math.inf)))
        close = EXACT_GAP * self._world.tie / TIE
        return FirstMoves(acting, asking, lower, self.depth, bool(upper - lower <= close), bool(apart <= close))

    def _known(self) -> float:
        return float(self._world.least @ self.problem.belief)


def _all_work(problem: DecisionProblem, solver: DecisionSolver) -> float:
    """Return the most that it can take to look at all states: each question is not asked, or has one of its answers."""
    states = 1.0
    for each in problem.questions:
        states = min(states * (len(each.answers) + 1), 1e15)
    n_answers = sum(len(each.answers) for each in problem.questions)
    # In most states about half of the questions, or more, are asked already.
    return states * n_answers / 2 * (len(problem.intents) * solver.work + OVERHEAD)


def _work(world: ProblemArrays, narrow: bool) -> float:
    """Return what it takes to look at one answer for one intent, in nanoseconds on an ordinary machine."""
    if narrow:
        return 3.0
    n_intents, n_actions = world.least.size, world.loss.shape[1]
    sparse = world.loss.shape[0] == 0
    return 10.0 + (4.0 * world.saved.size / n_intents if sparse else 0.4 * n_actions)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best search that was possible.

    Attributes:
        solver: where the plan can be read from that looks at all questions.
        narrow: for first questions that a narrow plan goes on better from, where that can be read from.
        values: what each first move costs, by the better of both.
        lower: no plan at all costs less, by all bounds there are.
    """

    solver: DecisionSolver
    narrow: dict[int, DecisionSolver]
    values: FirstMoves
    lower: float

    def solver_for(self, first: int) -> DecisionSolver:
        """Return the search that plans best after a first question."""
        return self.narrow.get(first, self.solver)


def search(problem: DecisionProblem, depth: int | None = None, budget: float = BUDGET) -> SearchResult:
    """Look as far ahead as the budget allows, or exactly `depth` questions."""
    world = problem_arrays(problem)
    solver, values = _wide(problem, world, depth, budget)
    if values.exact:
        return SearchResult(solver, {}, values, values.lower)
    narrow = {} if depth is not None else _narrow(problem, world, solver, values, budget)
    asking = values.ask.copy()
    for first, each in narrow.items():
        asking[first], _ = each.asking(first)
    values = replace(values, ask=asking)
    lower = max(values.lower, information_bound(problem))
    return SearchResult(solver, narrow, values, min(lower, values.upper))


def _wide(
    problem: DecisionProblem, world: ProblemArrays, depth: int | None, budget: float
) -> tuple[DecisionSolver, FirstMoves]:
    """Look at all questions, as far as the budget allows."""
    most, wide = problem.most_questions, len(problem.questions)
    # One question ahead is always affordable: it is not much more work than reading the problem.
    solver = DecisionSolver(problem, world, min(1, most) if depth is None else depth, wide)
    values = solver.values()
    if depth is not None or values.settled:
        return solver, values
    # Where acting is best anyway, what other questions would cost is worth less time.
    if _all_work(problem, solver) <= (budget if values.exact else SURE * budget):
        solver = DecisionSolver(problem, world, most, wide)
        return solver, solver.values()
    # All the way first: if that can be afforded, looking three, four, five questions ahead on the way is for nothing.
    for deeper in dict.fromkeys(each for each in (2, most, *range(3, most)) if 1 < each <= most):
        if values.exact:
            break
        trying = DecisionSolver(problem, world, deeper, wide, budget)
        tried = trying.values()
        if trying.complete:
            solver, values = trying, tried
        elif deeper < most:
            break
    return solver, values


def _narrow(
    problem: DecisionProblem, world: ProblemArrays, wide: DecisionSolver, values: FirstMoves, budget: float
) -> dict[int, DecisionSolver]:
    """Return, for first questions that a narrow plan goes on better from, the search that found it."""
    most, better, best = problem.most_questions, {}, values.ask.copy()
    firsts = _telling(problem, world)[:FIRST]
    for depth in (most, *range(wide.depth + 2, most, 2)):
        trying = DecisionSolver(problem, world, depth, 1, budget)
        for first in firsts:
            value, _ = trying.asking(first)
            if not trying.complete:
                break
            if value < best[first]:
                best[first], better[first] = value, trying
        if trying.complete == (depth == most):
            break
    return better


def _telling(problem: DecisionProblem, world: ProblemArrays) -> list[int]:
    """Return the questions, those first that tell most for their price."""
    heard = world.likelihood @ problem.belief
    told = world.surprise @ problem.belief - heard * np.log(np.where(heard > 0, heard, 1.0))
    stake = float((problem.loss @ problem.belief).min() - world.least @ problem.belief)
    score = np.add.reduceat(told, world.first[:-1]) / (world.price + 1e-3 * stake + 1e-300)
    return [int(q) for q in np.argsort(-score, kind="stable")]

"""The value of a decision: act now, or ask first.

**Definition.** A decision problem has a belief ``b`` over intents ``g``, actions ``x`` with losses, and questions ``q``
with prices. Each question may be asked once, and at most `limit` in total. ``L[q, a, g]`` is the probability of answer
``a`` if ``g`` is true, and ``P(a) = sum_g b[g] L[q, a, g]``. The least expected cost ``V(b)`` is::

    act(b)    = min over x of sum_g b[g] loss[x, g]
    ask(b, q) = price[q] + sum over answers a of P(a) V(b given a)
    V(b)      = min( act(b), min over questions left of ask(b, q) ).

If the budget allows, a complete search solves this exactly (`askwise.decisions.kernels`).

**Upper bounds.** If not, the search looks fewer questions ahead and then acts. The cost of this plan is an upper bound.
A *narrow* search can look further ahead and gives another upper bound: after the first question, it tries only the
question with the highest information gain for its price.

**Lower bounds.** Where the search stops, the bound is the cost of acting or, if less, the loss with a known intent plus
the least price of a question. The bound for the whole problem follows from the least price of information.

**The least price of information.** The capacity ``C[q]`` is the most information about the intent that an answer to
``q`` can carry. Let ``rate = min over q of price[q] / C[q]``. A plan that pays ``c`` for questions on average learns at
most ``c / rate``. So the mutual information ``I(G; X)`` of intent and final action is at most ``c / rate``, and::

    expected cost >= min over P(x | g) of  E loss(x, g) + rate * I(G; X).

For any weights ``r[x]`` and ``z[g] = 1 / sum_x r[x] exp(-loss[x, g] / rate)``, the right-hand side is at least::

    rate * ( sum_g b[g] log z[g] - log max over x of sum_g b[g] z[g] exp(-loss[x, g] / rate) ).

Blahut's iteration approaches the best weights, for which both sides are equal. It also bounds the capacity: for any
distribution ``p`` over answers, ``C[q] <= max over g of D(L[q, ., g] || p)``, where ``D`` is the Kullback-Leibler
divergence.
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
from askwise.decisions.kernels import hear_from_python, most_work, solve
from askwise.decisions.problem import DecisionProblem
from askwise.types import FloatArray

BUDGET = 1e8
"""Default work for each attempt to search deeper, in nanoseconds on an ordinary machine."""
SURE = 10
"""The complete search is run at once if it takes at most this many budgets."""
FIRST = 4
"""Number of first questions for which a narrow plan is tried, those with the most information for their price."""
EXACT_GAP = 1e-13
"""Bounds that differ by less than this share of the largest loss count as equal."""


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """The expected cost of each first move (an action or a question), found by a search of limited depth.

    Attributes:
        act: ``float64 [n_actions]``, expected loss of each action now.
        ask: ``float64 [n_questions]``, expected cost of the plan found that begins with each question; ``inf`` if no
            question may be asked or `depth` is 0.
        lower: lower bound of the cost of every plan.
        depth: how many questions the search looked ahead.
        exact: whether the best of these moves is proven to be the best of all.
        settled: whether the costs of all questions in `ask` are exact.
    """

    act: FloatArray
    ask: FloatArray
    lower: float
    depth: int
    exact: bool
    settled: bool

    @property
    def upper(self) -> float:
        """Expected cost of the best first move."""
        return float(min(self.act.min(), self.ask.min(initial=math.inf)))


class DecisionSolver:
    """A search of one decision problem that looks a fixed number of questions ahead, with a cache of solved states.

    Args:
        problem: the decision problem.
        world: the same problem as arrays.
        depth: how many questions to look ahead.
        width: how many questions to try in each state, the most informative for their price. Results are exact only if
            all are tried.
        budget: largest estimated work of all searches together, in nanoseconds. Beyond it, results are meaningless.
    """

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
        """Whether the search stayed within its budget; if not, its results are meaningless."""
        return bool(self._spent[0] <= self._limits.budget)

    def lift_budget(self) -> None:
        """Allow the search any amount of work from now on. What it has solved so far is kept."""
        self._limits = self._limits._replace(budget=math.inf)

    @property
    def remembered(self) -> int:
        """Number of solved states in the cache."""
        return int(self._memory.used[0])

    @property
    def most_work(self) -> float:
        """Upper bound of the work of a complete search, estimated in nanoseconds on an ordinary machine."""
        return most_work(self._world, self._limits)

    def begin(self, weights: FloatArray) -> None:
        """Set the state in which the search will start, without searching.

        `weights` is the belief before any question, ``float64 [n_intents]``.
        """
        world, space = self._world, self._space
        support = np.flatnonzero(weights > 0)
        space.size[0] = support.size
        space.weight[0, : support.size] = weights[support]
        space.intent[0, : support.size] = support
        space.sign[0] = np.bitwise_xor.reduce(world.intent_signs[support], axis=0)
        space.asked[:] = False

    def follow(self, answers: list[tuple[int, int]]) -> tuple[float, float, int, float]:
        """Search for the best move after some answers.

        Args:
            answers: ``(question, answer)`` by index, in the order of asking.

        Returns:
            An upper and a lower bound of the expected cost, both times the probability of the answers; the best move,
            the index of a question or ``-1 - x`` for action ``x``; and the probability of the answers. If this is 0,
            the move is meaningless.
        """
        self.begin(self.problem.belief)
        weight = 1.0
        for level, (question, answer) in enumerate(answers):
            heard = int(self._world.first[question]) + answer
            weight, _ = hear_from_python(self._world, self._space, level, question, heard)
            self._space.asked[question] = True
        if weight <= 0.0:
            return 0.0, 0.0, -1, 0.0
        left = self.depth - len(answers)
        level, stack = len(answers), self._stack
        solve(self._world, self._space, stack, self._memory, self._spent, self._limits, level, left)
        return float(stack.upper[level]), float(stack.lower[level]), int(stack.move[level]), weight

    def asking(self, question: int) -> tuple[float, float]:
        """Return an upper and a lower bound of the expected cost of asking a question (by index) first."""
        asked = self.problem.questions[question]
        each = [self.follow([(question, answer)]) for answer in range(len(asked.answers))]
        return asked.price + math.fsum(e[0] for e in each), asked.price + math.fsum(e[1] for e in each)

    def values(self) -> FirstMoves:
        """Return the expected cost of every first move: each action, and each question followed by the best plan."""
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


def _work(world: ProblemArrays, narrow: bool) -> float:
    """Return the estimated time that a search takes per answer and intent, in nanoseconds on an ordinary machine.

    `narrow` is whether the search tries only the most informative questions, which is faster.
    """
    if narrow:
        return 3.0
    n_intents, n_actions = world.least.size, world.loss.shape[1]
    sparse = world.loss.shape[0] == 0
    return 10.0 + (4.0 * world.saved.size / n_intents if sparse else 0.4 * n_actions)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best plans that were found within the budget, and the expected cost of each first move.

    Attributes:
        solver: the search that tries all questions in each state.
        narrow: searches that found better plans, by index of the first question. After it, they try only the most
            informative question.
        values: cost of the best plan found for each first move.
        lower: lower bound of the cost of every plan.
    """

    solver: DecisionSolver
    narrow: dict[int, DecisionSolver]
    values: FirstMoves
    lower: float

    def solver_for(self, first: int) -> DecisionSolver:
        """Return the search that found the best plan with a given first move: `solver`, or a narrow search.

        `first` is the first move: the index of a question, or ``-1 - x`` for action ``x``.
        """
        return self.narrow.get(first, self.solver)


def search(problem: DecisionProblem, depth: int | None = None, budget: float = BUDGET) -> SearchResult:
    """Search for the best plan, looking `depth` questions ahead, or as many as the budget allows if it is None.

    Args:
        problem: the decision problem.
        depth: number of questions to look ahead.
        budget: work for each attempt to look further ahead, in nanoseconds: an estimate, not a clock limit. A complete
            search may take up to `SURE` (10) times as much.
    """
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
    """Search over all questions, looking `depth` questions ahead, or as many as the budget allows if `depth` is None.

    Returns the search that looked furthest ahead, and the expected costs of all first moves. `budget` is the estimated
    work for each attempt to look further ahead, in nanoseconds.
    """
    most, wide = problem.most_questions, len(problem.questions)
    # A depth of one question is always affordable: it is not much more work than reading the problem.
    solver = DecisionSolver(problem, world, min(1, most) if depth is None else depth, wide)
    values = solver.values()
    if depth is not None or values.settled:
        return solver, values
    # If acting is already known to be optimal, the exact costs of questions are worth less time.
    if solver.most_work <= (budget if values.exact else SURE * budget):
        solver = DecisionSolver(problem, world, most, wide)
        return solver, solver.values()
    # The complete search comes before depths 3, 4, 5, ..., which are wasted if it is affordable.
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
    """Return the narrow searches that found a better plan than `wide`, by index of the plan's first question.

    After the first question, a narrow search tries only the most informative question in each state. `values` are the
    expected costs that `wide` found. `budget` is the work for each attempt to look further ahead, in nanoseconds.
    """
    most, better, best = problem.most_questions, {}, values.ask.copy()
    firsts = _by_information(problem, world)[:FIRST]
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
    for solver in better.values():
        solver.lift_budget()  # the search of a later question may have used it up, but plans are still read from here
    return better


def _by_information(problem: DecisionProblem, world: ProblemArrays) -> list[int]:
    """Return the indices of all questions, sorted by information gain divided by price, highest first."""
    heard = world.likelihood @ problem.belief
    gained = world.surprise @ problem.belief - heard * np.log(np.where(heard > 0, heard, 1.0))
    stake = float((problem.loss @ problem.belief).min() - world.least @ problem.belief)
    score = np.add.reduceat(gained, world.first[:-1]) / (world.price + 1e-3 * stake + 1e-300)
    return [int(q) for q in np.argsort(-score, kind="stable")]


# -- the least price of information ------------------------------------------------------------------------------

STEPS = 30
CLOSE = 1e-3
"""Iterations stop once a bound is within this share of the largest possible saving."""


def information_bound(problem: DecisionProblem, steps: int = STEPS) -> float:
    """Return a lower bound of the expected loss, prices included, of every plan of asking and acting.

    It follows from the least price of information about the intent (`cheapest_information`), with at most `steps`
    iterations of Blahut's algorithm.
    """
    possible = problem.belief > 0
    belief, loss = problem.belief[possible], problem.loss[:, possible]
    known = float(belief @ loss.min(axis=0))
    acting = float((loss @ belief).min())
    rate = cheapest_information(problem)
    if not math.isfinite(rate):
        return acting
    if rate <= 0:
        return known
    # Losses above the least of each intent: the exponentials stay between 0 and 1, and one of each column is 1.
    beyond = loss - loss.min(axis=0)
    with np.errstate(over="ignore"):  # if information is almost free, all actions but the best have weight 0
        likely = np.exp(-beyond / rate)
    weights = np.full(len(loss), 1.0 / len(loss))
    bound = 0.0
    for _ in range(steps):
        scale = belief / np.maximum(weights @ likely, 1e-300)
        growth = likely @ scale
        value = rate * (float(belief @ np.log(np.maximum(scale / belief, 1e-300))) - math.log(float(growth.max())))
        bound = max(bound, value)
        if -rate * float(belief @ np.log(belief / scale)) - bound <= CLOSE * (acting - known):
            break  # these weights are nearly the best
        weights = weights * growth
        weights /= weights.sum()
    # Rounding in sums of logarithms must not raise the bound above the true value.
    slack = 1e-9 * max(float(np.abs(beyond).max()), rate)
    return min(known + max(bound - slack, 0.0), acting)


def cheapest_information(problem: DecisionProblem) -> float:
    """Return the least price per nat (the unit of information) over all questions.

    A question's price is divided by the most information that its answer can carry. The result is ``inf`` if no
    question is informative or may be asked.
    """
    if problem.most_questions == 0:
        return math.inf
    possible = problem.belief > 0
    priced = [(each.price, capacity(each.likelihood[:, possible])) for each in problem.questions]
    return min((price / most for price, most in priced if most > 0), default=math.inf)


def capacity(likelihood: FloatArray, steps: int = STEPS) -> float:
    """Return an upper bound of the information that an answer to a question can carry, in nats.

    `likelihood`, ``float64 [n_answers, n_intents]``, is the probability of each answer given each intent. `steps` is
    the largest number of iterations of Blahut's algorithm.
    """
    ordered = likelihood[:, np.lexsort(likelihood)]
    new = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    columns = ordered[:, np.concatenate([[True], new])]  # without duplicates
    if columns.shape[1] < 2:
        return 0.0
    logs = np.log(np.where(columns > 0, columns, 1.0))
    inputs = np.full(columns.shape[1], 1.0 / columns.shape[1])
    best = math.log(len(columns))
    for _ in range(steps):
        mixed = np.maximum(columns @ inputs, 1e-300)
        apart = (columns * (logs - np.log(mixed)[:, None])).sum(axis=0)
        best = min(best, float(apart.max()) * (1 + 1e-12))
        if best - float(inputs @ apart) <= CLOSE * best:
            break
        inputs = inputs * np.exp(apart)
        inputs /= inputs.sum()
    return best

"""The optimal policy of a problem in which all answers are true.

A state is solved when its optimal move is first asked for. The recursion of `askwise.planning` then compares all
actions and all ways to divide the possible goals in two by a question (`askwise.planning.exact_search`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.problem import JointState, Problem
from askwise.core.questions import AdditivePrice, Answer, Question
from askwise.errors import AskwiseError, InputError
from askwise.planning.exact_search import (
    DONE,
    ENTRY,
    FRAME,
    NO_CHOICE,
    PAUSED,
    SIDE,
    TABLE_FULL,
    ExactSearch,
    refill,
    search,
)
from askwise.planning.tables import Tables, for_loops, price_for_planning, tables_of
from askwise.planning.workspace import RANKED, SCORE, records, world_of
from askwise.text.reading import check_size
from askwise.types import FloatArray, IntArray

MOST_STATES = 3_000_000
"""States up to which problems are solved unless you lift the limit: some seconds, and at most 200 MB."""
SPLITS_A_STATE = 50
"""Questions looked at for each of these states, whole or in part, likewise."""
MOST_GOALS = 62
"""Most goals: a set of them is the bits of one signed 64-bit number."""
STATES_A_TURN, SPLITS_A_TURN = 100_000, 20_000_000
"""Work between two reports of progress: less than a second."""
AS_WRITTEN = 4_000
"""States and questions that a process looks at in Python before it loads numba: some 2 s, while compiling takes 30."""
TURN_AS_WRITTEN = 100
"""States of one turn in Python."""
GOALS_AS_WRITTEN = 12
"""Goals up to which it is tried in Python: with more, a single state may have too many questions."""
FIRST_SIZE = 1 << 12
"""Size of the table at first; it doubles when it is full."""
ENDGAME_SPLITS = 40
"""Questions that the end of a planner's game may look at for each state that it may solve."""

Progress = Callable[[int, int], None]
"""Called now and then with the states solved and the questions looked at so far, or what else a function states."""


class TooLarge(AskwiseError):  # noqa: N818 - it names what the problem is
    """Raised if an exact answer would take more work than allowed."""


class OffTheMap(InputError):  # noqa: N818 - it names what happened
    """Raised if you ask a solver about a situation that cannot follow from the state in which the solver started."""


# -- the common interface of both solvers ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BestMove:
    """The optimal move in one state: an action or a question.

    Attributes:
        action: index of the action, None for a question.
        ask: the question, None for an action.
        expected_marginal_cost: expected cost from this state on, beyond that of an agent that knows the goal.
    """

    action: int | None
    ask: Question | None
    expected_marginal_cost: float


class OptimalPolicy(ABC):
    """The base class of exact solvers; an object returns the optimal move in any state that it covers.

    `Solver` is for yes/no questions with true answers, `LimitedSolver` for all other problems.

    Args:
        problem: the problem.
        goals: the goals to consider, by default all with a positive prior.
        tables: the problem as arrays, if already computed.

    Attributes:
        states: number of solved states.
        splits: number of compared questions.
        follows_answers: whether `at` needs all answers, instead of the possible goals.
    """

    states: int
    splits: int
    follows_answers = False

    def __init__(self, problem: Problem, goals: Iterable[int] | None, tables: Tables | None) -> None:
        if tables is None:
            check_teammate(problem, "the optimum")
        self.problem = problem
        self.tables = tables_of(problem) if tables is None else tables
        self.goals = self.tables.goals if goals is None else sorted(goals)

    @abstractmethod
    def at(self, state: JointState, known: Any = ..., /) -> BestMove:
        """Return the optimal move in `state`.

        `known` says what has been learnt: all answers so far if the attribute `follows_answers` is True, otherwise the
        possible goals.
        """

    def move(self, state: JointState, possible: Any, answers: Sequence[Answer]) -> BestMove:
        """Return the optimal move in `state`, given both the possible goals and all answers since the solver's start.

        Only one of the two is used, depending on `follows_answers`. Raises `OffTheMap` if the solver does not cover the
        situation.
        """
        return self.at(state, answers if self.follows_answers else possible)

    @abstractmethod
    def value(self, state: JointState) -> float:
        """Return the value of `state` before any answer, `U` in `askwise.planning`.

        The value is the least expected cost beyond that of an agent that knows the goal, times the sum of the weights
        of all goals in `state`.
        """

    @abstractmethod
    def begun_at(
        self, tables: Tables, goals: Sequence[int], *, ego: int, answers: Sequence[Answer], limit: int | None
    ) -> OptimalPolicy:
        """Return a new solver of the same class, for an episode that continues from another situation.

        Args:
            tables: the problem as arrays, seen from the new situation; their prior is the belief in it.
            goals: the possible goals.
            ego: the ego agent's state.
            answers: the answers so far; each uses up a question.
            limit: the most states to solve, None for any number.
        """

    def solve_everywhere(self) -> None:
        """Solve the problem from its start, so that `at` can be called for any state that may follow.

        Raises `TooLarge` if that could take too long.
        """
        self.at(self.problem.start)

    def __call__(self, state: JointState, *given: Any) -> BestMove:
        """Return the optimal move in `state`, as `at` does; `given` is the second argument of `at`, if any."""
        return self.at(state, *given)

    def __deepcopy__(self, memo: dict[int, Any]) -> OptimalPolicy:
        # A solver only ever remembers more of the same: copies of an agent can share it.
        return self

    def known_cost(self, state: JointState) -> float:
        """Return the expected cost from `state`, in steps, if the goal were known from there on."""
        weights = self.tables.weight[state.teammate, self.goals]
        steps = np.maximum(self.tables.steps[state.teammate] + 1, self.problem.ego.steps(state.ego))[self.goals]
        return float((weights * steps).sum() / weights.sum())

    def _move_to(self, state: JointState, goal: int) -> BestMove:
        """Return the best action in `state` if `goal` is known to be true: a step towards this goal, or waiting."""
        optimal = self.problem.ego.optimal(state.ego)[goal]
        return BestMove(int(optimal.argmax()) if optimal.any() else self.problem.ego.actions.stay, None, 0.0)

    def _place_and_load(self, ego: int) -> tuple[int, int]:
        """Return the ego agent's place and its load if the ego agent is in state `ego`.

        The load is the position in `self.goals` of the goal that needs it; -1 for any other load, or none.
        """
        place, load = self.tables.ego.split(ego)
        return place, self.goals.index(load) if load in self.goals else -1


def check_teammate(problem: Problem, who: str) -> None:
    """Raise an `InputError` if the recursion of `askwise.planning` is not exact for the teammate or the answers.

    The teammate must draw one of its shortest plans uniformly. Wrong and missing answers must have fixed probabilities.
    `who` names the caller.
    """
    if problem.policies is not None:
        raise InputError(
            "teammate_policies",
            "policies of the teammate's own",
            f"none: {who} holds for a teammate that draws one of its shortest plans uniformly; "
            "for others use the method 'planner', or evaluate methods",
        )
    if problem.answers.for_planning(f"{who} holds for no other answers") != problem.answers:
        found = f"{type(problem.answers).__name__}, which is planned for by an approximation"
        raise InputError("answers", found, f"an AnswerModel with errors and refusals only: {who} holds for no other")


# -- true answers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Charges:
    """Amounts that replace the price of a question; they depend on whether the question names the true goal.

    They serve lower bounds (`askwise.planning.groups`). No amount is below 0, and none falls as more goals are named.

    Attributes:
        amounts: ``float64 [n_zones, 2, n_goals]``: ``[z, 0, i]`` for a question that names the true goal and `i`
            others, ``[z, 1, j]`` for one that names `j` goals without the true one.
        zone: ``int32 [n_states]``, the index ``z`` for each state of the teammate.
    """

    amounts: FloatArray
    zone: IntArray


def exact_search_of(
    tables: Tables, goals: Sequence[int], price: AdditivePrice, charges: Charges | None = None
) -> ExactSearch:
    """Return the arrays that the exact search works with, for a problem in which only the given goals are possible.

    `goals` are indices. `price` is the price of a question, which `charges` replace if given. Goals keep their weights
    in `tables`.
    """
    n, (states, places) = len(goals), (tables.weight.shape[0], tables.ego.next.shape[0])
    # A weight, the steps, whether the goal is possible, and the ego agent's steps, twice.
    needed = n * (states * (8 + 4 + 8 + 1) + places * (4 + 4))
    check_size(needed, "tables of the exact search", f"{states} states and {n} goals")
    world, price = world_of(tables, goals), price.among(goals)
    # The stack has room for the teammate's steps and one question for each goal.
    depth, n_options = int(tables.steps[tables.start].max()) + n + 2, tables.ego.next.shape[1] + n
    return ExactSearch(
        world=world,
        alive=for_loops(world.alive[:, 0], np.int64),
        base=price.base,
        per_goal=price.per_goal,
        extra=for_loops(price.extra, np.float64),
        charges=for_loops(np.empty((0, 2, 0)) if charges is None else charges.amounts, np.float64),
        zone=for_loops(np.empty(0) if charges is None else charges.zone, np.int32),
        frames=records(FRAME, depth),
        actions=np.zeros((depth, n_options), dtype=np.int64),
        delays=np.zeros((depth, n_options)),
        order=np.zeros((depth, n), dtype=np.int64),
        sides=records(SIDE, depth, n + 1, 2),
        tried=np.zeros((depth, n + 1), dtype=np.int64),
        ties=np.zeros(n_options),
        ranked=records(RANKED, n + 2),
        scored=records(SCORE, n_options),
    )


class Solver(OptimalPolicy):
    """The optimal policy if any number of yes/no questions is allowed and all answers are true.

    A state is solved when `at` is first called for it.

    Args:
        problem: the problem.
        goals: the goals to consider, by default all with a positive prior.
        tables: the problem as arrays, if already computed.
        limit: the most states to solve, None for any number.
        progress: called with the numbers of solved states and compared questions.
        charges: amounts that replace prices, or None.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        goals: Iterable[int] | None = None,
        tables: Tables | None = None,
        limit: int | None = MOST_STATES,
        progress: Progress | None = None,
        charges: Charges | None = None,
    ) -> None:
        if tables is None and not problem.answers.truthful:
            raise InputError("answers", str(problem.answers), "truthful ones: the optimum holds for these only")
        super().__init__(problem, goals, tables)
        self.limit, self.progress = limit, progress
        self.states = self.splits = 0
        price = price_for_planning(problem, "the exact search adds up prices goal by goal")
        if len(self.goals) > MOST_GOALS:
            raise self._too_large("more than this search can number")
        self.search = exact_search_of(self.tables, self.goals, price, charges)
        self._table = records(ENTRY, FIRST_SIZE)

    def at(self, state: JointState, possible: Any = None) -> BestMove:
        """Return the optimal move in `state` if only the goals `possible` are left.

        The teammate must be on a shortest plan for a possible goal. `possible` has indices of goals, or is
        ``bool [n_goals]``; by default all goals.
        """
        goals = self._mask(state.teammate, possible)
        if not goals & (goals - 1):
            return self._move_to(state, self.goals[goals.bit_length() - 1])
        place, load = self._place_and_load(state.ego)
        value, choice = self._solved(goals, state.teammate, place, load)
        inside = (goals >> np.arange(len(self.goals), dtype=np.int64)) & 1
        cost = value / float((self.search.world.weight[state.teammate] * inside).sum())
        if choice < 0:
            return BestMove(None, tuple(goal for k, goal in enumerate(self.goals) if (-1 - choice >> k) & 1), cost)
        ego, n_moves = self.tables.ego, len(self.tables.ego.moves)
        if choice < n_moves:
            return BestMove(ego.action(place, choice), None, cost)
        return BestMove(int(ego.load_actions[self.goals[choice - n_moves]]), None, cost)

    def value(self, state: JointState) -> float:
        """Return the value of `state` before any answer, `U` in `askwise.planning`.

        The value is the least expected cost beyond that of an agent that knows the goal, times the sum of the weights
        of all goals in `state`.
        """
        place, load = self._place_and_load(state.ego)
        goals = int(self.search.alive[state.teammate])
        return self._solved(goals, state.teammate, place, load)[0] if goals & (goals - 1) else 0.0

    def begun_at(self, tables: Tables, goals: Sequence[int], *, limit: int | None, **_: Any) -> Solver:
        """Return a new `Solver` for an episode that continues from another situation.

        `tables` is the problem seen from there; `goals` are the possible goals. The solver raises `TooLarge` after more
        than `limit` states, unless `limit` is None. Other arguments are ignored.
        """
        return Solver(self.problem, goals=goals, tables=tables, limit=limit)

    def solve_everywhere(self) -> None:
        """Solve the problem from its start, so that `at` can be called for any state that may follow.

        Later calls of `at` have no limit on the number of states. Raises `TooLarge` if this takes more than `limit`
        states or too many questions, or if one question can divide the goals in more than `limit` ways.
        """
        if self.limit is not None and self._first_questions > self.limit:
            raise self._too_large(f"at most {self.limit:,} are allowed for")
        super().solve_everywhere()
        self.limit = None  # whether a state is solved must not depend on the states that were asked for before

    @property
    def _first_questions(self) -> int:
        """The number of ways in which a question can divide the goals at the start."""
        return int(2 ** (len(self.goals) - 1)) - 1

    def _too_large(self, reason: str) -> TooLarge:
        """Return the error for a problem that is too large; the message states its size and the text `reason`."""
        n, ego = len(self.goals), self.tables.ego
        alive = (self.tables.weight[:, self.goals] > 0).sum(axis=1)
        places = ego.next.shape[0] * (n + 1 if ego.states_per_place > 1 else 1)
        states = places * sum(2**k - k - 1 for k in alive.tolist())  # most searches need a tiny part of them
        sizes = (f"{size:,}" if size < 10**7 else f"{size:.1e}" for size in (self._first_questions, states))
        return TooLarge(
            "too large for an exact answer: {} goals, {} questions at the start alone, up to {} states; {}".format(
                n, *sizes, reason
            )
        )

    def _mask(self, w: int, possible: Any) -> int:
        """Return the goals in `possible` that the teammate may still pursue in its state `w`, as the bits of a number.

        Bit `k` stands for ``self.goals[k]``. `possible` has indices of goals, or is ``bool [n_goals]``; None for all.
        """
        alive = int(self.search.alive[w])
        if possible is not None:
            members = np.asarray(possible)
            allowed = set(np.flatnonzero(members).tolist() if members.dtype == bool else members.tolist())
            alive &= sum(1 << k for k, goal in enumerate(self.goals) if goal in allowed)
        if not alive:
            where = self.problem.teammate.model.name(w)
            raise InputError(
                "state", f"the teammate at {where!r}, on no way to a possible goal", "a state on such a way"
            )
        return alive

    def _solved(self, goals: int, w: int, place: int, load: int) -> tuple[float, int]:
        """Return the value of a state (its least expected marginal cost times the weight) and the best choice there.

        A choice is an action, as in `ExactSearch.actions`, or ``-1 - q`` for a question about the goals `q`. Bit `k` of
        `goals` and `q`, and load `k`, stand for ``self.goals[k]``; load -1 is none.
        """
        number = self._work_off((goals, w, place, load))  # the table may grow meanwhile
        entry = self._table[number]
        assert entry["choice"] != NO_CHOICE
        return float(entry["value"]), int(entry["choice"])

    def _work_off(self, state: tuple[int, int, int, int]) -> int:
        """Solve a state, and return the index of its entry in the table of solved states.

        `state` is the possible goals as bits, the teammate's state, the ego agent's place, and its load, -1 for none.
        Raises `TooLarge` beyond the limit on states.
        """
        depth, end, entry = -1, -1, 0
        while end != DONE:
            end, depth, entry = self._continue(depth, self.states + STATES_A_TURN, SPLITS_A_TURN, state)
            if self.limit is not None and (self.states > self.limit or self.splits > SPLITS_A_STATE * self.limit):
                found = f"not solved after {self.states:,} states and {self.splits:,} questions"
                raise self._too_large(f"{found}, all that is tried unless you ask to go on")
            if self.progress is not None and end != DONE:
                self.progress(self.states, self.splits)
        return entry

    def _continue(
        self, depth: int, most_states: int, most_splits: int, state: tuple[int, int, int, int]
    ) -> tuple[int, int, int]:
        """Continue to solve a state until it is solved, or a limit on states or compared questions (splits) is reached.

        `state` is the possible goals as bits, the teammate's state, the ego agent's place, and its load, -1 for none.
        The search keeps a stack of states that it is solving. In the first call for a state, `depth` is -1; in the next
        calls, it is the depth of this stack that the last call returned.

        Returns:
            `DONE`, `PAUSED`, or `TABLE_FULL` (the table has then been enlarged); the depth of the stack; and the index
                of the state's entry in the table.
        """
        kernel: Any = search
        all_splits, end, entry = self.splits + most_splits, PAUSED, 0
        while end == PAUSED:
            states, splits = most_states, all_splits - self.splits
            # In Python it takes short turns, so that it can change to the compiled kernel when that is worth it.
            as_written = len(self.goals) <= GOALS_AS_WRITTEN and kernel.may_run_as_written(AS_WRITTEN)
            if as_written:
                states, splits = min(states, self.states + TURN_AS_WRITTEN), min(splits, 3 * TURN_AS_WRITTEN)
            before, where = self.states, (depth, self._table, self.states, states, splits, *state)
            found = kernel.on(self.search, *where, as_written=as_written)
            end, depth, self.states, looked, entry = map(int, found)
            self.splits += looked
            if as_written:
                kernel.count(self.states - before + looked)
            if self.states >= most_states or self.splits >= all_splits:
                break
        if end == TABLE_FULL:
            self._grow_table()
        return end, depth, entry

    def _grow_table(self) -> None:
        sizes = f"{self.states:,} states of {len(self.goals)} goals so far"
        check_size(3 * self._table.nbytes, "table of the exact search", sizes, "a smaller problem")
        table = records(ENTRY, 2 * self._table.size)
        refill(self._table, table)
        self._table = table


class Endgame(Solver):
    """An exact search that a planner tries when few goals are left.

    The search considers only the given goals. It gives up for good after solving `states` states.
    """

    def __init__(self, problem: Problem, tables: Tables, goals: Sequence[int], *, states: int) -> None:
        super().__init__(problem, goals=goals, tables=tables, limit=None)
        self.most_states = states
        self.gave_up = False

    def best(self, state: JointState, possible: Sequence[int]) -> BestMove | None:
        """Return the optimal move in `state` if the goals `possible` are left; None if that takes too much work.

        When the search has taken too much work once, it gives up for good: all later results are None.
        """
        if self.gave_up:
            return None
        try:
            return self.at(state, list(possible))
        except TooLarge:
            self.gave_up = True
            return None

    def _work_off(self, state: tuple[int, int, int, int]) -> int:
        depth, end, entry, most_splits = -1, -1, 0, ENDGAME_SPLITS * self.most_states
        while end != DONE:
            end, depth, entry = self._continue(depth, self.most_states, most_splits - self.splits, state)
            if end not in (DONE, TABLE_FULL):
                raise self._too_large("the planner continues without it")
        return entry

"""The optimal policy of a problem, worked out where it is asked for: the recursion of `askwise.planning`, complete.

Every ontic action is looked at (all moves, waiting, taking up every load that may still be needed), and every split of
the goals by a question, asked about its cheaper side. The kernels are in `askwise.planning.exact_search`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.problem import JointState, Problem
from askwise.core.questions import AdditivePrice
from askwise.core.side import FAR
from askwise.errors import AskwiseError, InputError
from askwise.planning.exact_search import DONE, NO_CHOICE, TABLE_FULL, ExactSearch, larger, search, stacks_of, table_of
from askwise.planning.tables import Tables, for_loops, mask_rows, price_for_planning, tables_of
from askwise.planning.workspace import World
from askwise.text.table_budget import claim
from askwise.types import FloatArray, IntArray

MOST_STATES = 3_000_000
"""States up to which problems are solved unless you ask to go on: some seconds, and at most 200 MB."""
SPLITS_A_STATE = 50
"""Questions looked at for each of these states, whole or in part, likewise."""


class TooLarge(AskwiseError):  # noqa: N818 - it names what the problem is
    """An exact answer would take more work than allowed."""


MOST_GOALS = 62
"""Sets of goals are bits of one signed 64-bit number."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a problem is.

    Attributes:
        goals: number of goals.
        questions: splits of all goals by a question.
        states: a number that the states cannot exceed; most searches need a tiny part of it.
    """

    goals: int
    questions: int
    states: float

    def refuse_hopeless(self) -> None:
        """Refuse what cannot be done."""
        if self.goals > MOST_GOALS:
            raise self.too_large("more than this search can number")

    def refuse_many_questions(self, most: int) -> None:
        """Refuse more questions than that: off the optimal way nearly all of them may have to be looked at."""
        if self.questions > most:
            raise self.too_large(f"at most {most:,} are allowed for")

    def too_large(self, reason: str) -> TooLarge:
        """Return the refusal."""
        return TooLarge(
            f"too large for an exact answer: {self.goals} goals, {_told(self.questions)} questions at the start alone, "
            f"up to {_told(self.states)} states; {reason}"
        )


def size_of(tables: Tables, goals: Sequence[int]) -> Size:
    """Return the size of a problem with these goals."""
    n = len(goals)
    alive = (tables.weight[:, list(goals)] > 0).sum(axis=1)
    sets = sum(2**k - k - 1 for k in alive.tolist())
    places = tables.ego.next.shape[0] * (n + 1 if tables.ego.states_per_place > 1 else 1)
    return Size(n, 2 ** (n - 1) - 1, sets * places)


def _told(number: float) -> str:
    return f"{number:,}" if number < 10**7 else f"{number:.1e}"


@dataclass(frozen=True, eq=False)
class Charges:
    """What questions cost in place of a price, by whether the true goal is named: see `askwise.planning.groups`.

    Neither charge may fall as more goals are named, nor be below 0: the search relies on it.

    Attributes:
        amounts: ``float64 [n_zones, 2, n_goals]``; first if the true goal is named, by how many others are named with
            it; then if it is not, by how many goals are named.
        zone: ``int32 [n_states]``, which row holds when the teammate is in a state.
    """

    amounts: FloatArray
    zone: IntArray


def search_of(
    tables: Tables, goals: Sequence[int], price: AdditivePrice, charges: Charges | None = None
) -> ExactSearch:
    """Return the arrays for these goals only, as if the others could not be: weights keep their scale."""
    goals = list(goals)
    states, places = tables.weight.shape[0], tables.ego.next.shape[0]
    # A weight, the steps, a bit for each goal while they are added up, and the ego agent's steps, twice.
    needed = len(goals) * (states * (8 + 4 + 8 + 1) + places * (4 + 4))
    claim(needed, "tables of the exact search", f"{states} states and {len(goals)} goals")
    weight = np.ascontiguousarray(tables.weight[:, goals])
    bits = np.int64(1) << np.arange(len(goals), dtype=np.int64)
    ego = tables.ego
    price = price.among(goals)
    loads = [k for k, goal in enumerate(goals) if ego.load_at[goal] >= 0]
    loads.sort(key=lambda k: int(ego.load_at[goals[k]]))
    counts = np.bincount([ego.load_at[goals[k]] for k in loads], minlength=places)
    loaded, unloaded = ego.loaded[:, goals], ego.unloaded[:, goals]
    world = World(
        for_loops(weight, np.float64),
        for_loops(tables.steps[:, goals], np.int32),
        for_loops(tables.following, np.int32),
        for_loops(mask_rows(weight > 0), np.uint64),
        for_loops(ego.next, np.int32),
        for_loops(unloaded, np.int32),
        for_loops(loaded, np.int32),
        for_loops(np.array(loads), np.int32),
        for_loops(np.concatenate(([0], np.cumsum(counts))), np.int32),
        for_loops((np.maximum(loaded, unloaded) >= FAR).any(axis=1), np.bool_),
    )
    return ExactSearch(
        world,
        for_loops(((weight > 0) * bits).sum(axis=1), np.int64),
        price.base,
        price.per_goal,
        for_loops(price.extra, np.float64),
        for_loops(np.empty((0, 2, 0)) if charges is None else charges.amounts, np.float64),
        for_loops(np.empty(0) if charges is None else charges.zone, np.int32),
        *stacks_of(len(goals), ego.next.shape[1], int(tables.steps[tables.start].max())),
    )


# -- the solver ----------------------------------------------------------------------------------------------------

STATES_A_TURN = 100_000
SPLITS_A_TURN = 20_000_000
"""Work between two reports of progress: less than a second."""
FIRST_SIZE = 1 << 12
"""Places in the table at first; it doubles when it is full."""

Progress = Callable[[int, int], None]
"""Is told the states solved and the questions looked at so far."""


@dataclass(frozen=True, slots=True)
class BestMove:
    """What is optimal in one state.

    Attributes:
        action: the ontic action, None for a question.
        ask: the goals to ask about, None for an action.
        expected_marginal_cost: what is lost from here on, in expectation, by not knowing the goal.
    """

    action: int | None
    ask: tuple[int, ...] | None
    expected_marginal_cost: float


class Solver:
    """The optimal policy of a problem, worked out where it is asked for and remembered.

    Args:
        problem: the problem.
        goals: only these goals, as if an oracle had said that it is one of them; by default all of positive prior.
        tables: the problem's tables, if they are there already.
        limit: the most states to solve, None for any number.
        progress: see `solve_problem`.
        charges: what questions cost in place of the problem's prices.
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
        self.problem = problem
        if tables is None:
            check_teammate(problem, "the optimum")
            check_answers(problem, "the optimum")
        self.tables = tables_of(problem) if tables is None else tables
        self.goals = check_goals(problem, self.tables) if goals is None else sorted(goals)
        self.limit = limit
        self.progress = progress
        self.states = 0
        self.splits = 0
        price = price_for_planning(problem, "the exact search adds up prices goal by goal")
        self.size = size_of(self.tables, self.goals)
        self.size.refuse_hopeless()
        self.search = search_of(self.tables, self.goals, price, charges)
        self._table = table_of(FIRST_SIZE)

    def at(self, state: JointState, possible: Any = None) -> BestMove:
        """Return what is optimal in `state` when only the goals `possible` are left.

        Args:
            state: where both agents are; the teammate is on a shortest plan for a possible goal.
            possible: numbers of goals, or ``bool [n_goals]``; those that the teammate's way rules out may be among
                them. By default all.
        """
        goals = self._mask(state.teammate, possible)
        if not goals & (goals - 1):
            goal = self.goals[goals.bit_length() - 1]
            optimal = self.problem.ego.optimal(state.ego)[goal]
            return BestMove(int(optimal.argmax()) if optimal.any() else self.problem.ego.actions.stay, None, 0.0)
        place, load = self._place_and_load(state.ego)
        regret, choice = self._solved(goals, state.teammate, place, load)
        cost = regret / float(self._weights(goals, state.teammate).sum())
        if choice < 0:
            return BestMove(None, self._listed(-1 - choice), cost)
        return BestMove(self._action(place, choice), None, cost)

    __call__ = at

    def __deepcopy__(self, memo: dict[int, Any]) -> Solver:
        # All it ever does is to remember more of the same: copies of an agent can share it.
        return self

    def known_cost(self, state: JointState, possible: Any = None) -> float:
        """Return the expected cost from `state` if the goal were told right now."""
        weights = self._weights(self._mask(state.teammate, possible), state.teammate)
        steps = np.maximum(self.tables.steps[state.teammate] + 1, self.problem.ego.steps(state.ego))[self.goals]
        return float((weights * steps).sum() / weights.sum())

    def regret(self, state: JointState) -> float:
        """Return the expected marginal cost of all goals from `state`, times their weight there."""
        place, load = self._place_and_load(state.ego)
        goals = int(self.search.alive[state.teammate])
        return self._solved(goals, state.teammate, place, load)[0] if goals & (goals - 1) else 0.0

    def _mask(self, w: int, possible: Any) -> int:
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

    def _weights(self, goals: int, w: int) -> FloatArray:
        inside = (goals >> np.arange(len(self.goals), dtype=np.int64)) & 1
        return np.asarray(self.search.world.weight[w] * inside)

    def _place_and_load(self, ego: int) -> tuple[int, int]:
        """Return place and load, the load counted among `goals`; the load of another goal is as good as none."""
        place, load = self.tables.ego.split(ego)
        return place, self.goals.index(load) if load in self.goals else -1

    def _listed(self, goals: int) -> tuple[int, ...]:
        return tuple(goal for k, goal in enumerate(self.goals) if (goals >> k) & 1)

    def _action(self, place: int, choice: int) -> int:
        ego, n_moves = self.tables.ego, len(self.tables.ego.moves)
        return ego.action(place, choice) if choice < n_moves else int(ego.load_actions[self.goals[choice - n_moves]])

    def _solved(self, goals: int, w: int, place: int, load: int) -> tuple[float, int]:
        slot = self._work_off((goals, w, place, load))
        entry = self._table[slot]
        assert entry["choice"] != NO_CHOICE
        return float(entry["regret"]), int(entry["choice"])

    def _work_off(self, state: tuple[int, int, int, int]) -> int:
        """Solve a state; return its place in the table."""
        depth, end, slot = -1, -1, 0
        while end != DONE:
            end, depth, slot = self._go_on(depth, self.states + STATES_A_TURN, SPLITS_A_TURN, state)
            if self.limit is not None and (self.states > self.limit or self.splits > SPLITS_A_STATE * self.limit):
                found = f"not solved after {self.states:,} states and {self.splits:,} questions"
                raise self.size.too_large(f"{found}, all that is tried unless you ask to go on")
            if self.progress is not None and end != DONE:
                self.progress(self.states, self.splits)
        return slot

    def _go_on(
        self, depth: int, most_states: int, most_splits: int, state: tuple[int, int, int, int]
    ) -> tuple[int, int, int]:
        """Go on up to so many states in all, or splits from here; return what ended it, the depth, and the place."""
        end, depth, self.states, looked, slot = search(
            self.search.compiled, depth, self._table, self.states, most_states, most_splits, *state
        )
        self.splits += looked
        if end == TABLE_FULL:
            sizes = f"{self.states:,} states of {len(self.goals)} goals so far"
            claim(3 * self._table.nbytes, "table of the exact search", sizes, "a smaller problem")
            self._table = larger(self._table)
        return end, depth, slot


# -- with little work: the end of the planner's game ------------------------------------------------------------

ENDGAME_SPLITS = 40
"""Questions that may be looked at for each state that may be solved."""


def endgame_of(problem: Problem, tables: Tables, goals: Sequence[int], *, states: int) -> Endgame | None:
    """Return the exact search on these goals, None where it cannot number the states."""
    try:
        return Endgame(problem, tables, goals, states=states)
    except TooLarge:
        return None


class Endgame(Solver):
    """The exact search on some of the goals, for at most so many states in all."""

    def __init__(self, problem: Problem, tables: Tables, goals: Sequence[int], *, states: int) -> None:
        super().__init__(problem, goals=goals, tables=tables, limit=None)
        self.most_states = states
        self.gave_up = False

    def best(self, state: JointState, possible: Sequence[int]) -> BestMove | None:
        """Return what is optimal with the goals `possible` left, None if the work was not enough to find out."""
        if self.gave_up:
            return None
        try:
            return self.at(state, list(possible))
        except TooLarge:
            self.gave_up = True
            return None

    def _work_off(self, state: tuple[int, int, int, int]) -> int:
        depth, end, slot, most_splits = -1, -1, 0, ENDGAME_SPLITS * self.most_states
        while end != DONE:
            end, depth, slot = self._go_on(depth, self.most_states, most_splits - self.splits, state)
            if end not in (DONE, TABLE_FULL):
                raise self.size.too_large("the planner continues without it")
        return slot


# -- what the recursion applies to --------------------------------------------------------------------------------


def check_goals(problem: Problem, tables: Tables) -> list[int]:
    """Return the goals that the prior allows; refuse problems to which the recursion does not apply."""
    goals = [int(goal) for goal in np.flatnonzero(tables.prior > 0)]
    place, load = tables.ego.split(problem.start.ego)
    names = problem.goals
    for goal in goals:
        steps = tables.ego.loaded if load == goal else tables.ego.unloaded
        if not tables.weight[tables.start, goal] > 0 or steps[place, goal] >= FAR:
            who = "ego agent" if tables.weight[tables.start, goal] > 0 else "teammate"
            raise InputError(f"goal {names[goal]!r}", f"no way to it for the {who}", "a goal that can be reached")
    arrived = (tables.steps == 0) & (tables.weight > 0)
    for shared in arrived[arrived.sum(axis=1) > 1]:
        one, other = np.flatnonzero(shared)[:2]
        found = f"{names[one]} and {names[other]}, which the teammate reaches in the same state"
        raise InputError("goals", found, "goals that can be told apart when the teammate has arrived")
    return goals


def check_answers(problem: Problem, who: str) -> None:
    """Refuse answers that can be wrong or missing."""
    if not problem.answers.truthful:
        raise InputError("answers", str(problem.answers), f"truthful ones: {who} holds for these only")


def check_teammate(problem: Problem, who: str) -> None:
    """Refuse a teammate that is not a UROP: the belief would not be a function of where it is."""
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

"""From the tables of a problem to the arrays of the exact search, for all its goals or some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.core.problem import Problem
from askwise.core.questions import AdditivePrice
from askwise.core.side import FAR
from askwise.errors import AskwiseError, InputError
from askwise.planning.exact.memory import Arrays
from askwise.planning.tables import Tables, for_loops
from askwise.types import FloatArray, IntArray

MOST_STATES = 3_000_000
"""States up to which problems are solved unless told to go on: some seconds, and at most 200 MB."""
SPLITS_A_STATE = 50
"""Questions looked at for each of these states, whole or in part, likewise."""


class TooLarge(AskwiseError):  # noqa: N818 - it names what the problem is
    """An exact answer would take more work than allowed."""


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


REPLIES_A_STATE = 15
"""To find out what a reply leads to takes as long as so many states."""


@dataclass(slots=True)
class Work:
    """What has been done so far where questions are limited, and when to give up.

    Attributes:
        goals: number of goals.
        questions: how many may be asked.
        limit: the most states to solve, or as much other work; None for any number.
        states: states so far.
        replies: replies to questions that were looked at so far.
    """

    goals: int
    questions: int
    limit: int | None
    states: int = 0
    replies: int = 0

    def count(self, states: int = 0, replies: int = 0) -> None:
        """Count work that is about to be done, or refuse to go on."""
        self.states += states
        self.replies += replies
        if self.limit is not None and self.states + REPLIES_A_STATE * self.replies > self.limit:
            raise TooLarge(
                f"too large for an exact answer: {self.goals} goals and at most {self.questions} questions, not solved "
                f"after {self.states:,} states and {self.replies:,} replies; allow fewer questions "
                "(questions, --questions), or go on anyway"
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


# ------------------------------------------------------------------------------------------------------------------


MOST_GOALS = 62
"""Sets of goals are bits of one signed 64-bit number."""


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


def arrays_of(tables: Tables, goals: Sequence[int], price: AdditivePrice, charges: Charges | None = None) -> Arrays:
    """Return the arrays for these goals only, as if the others could not be: weights keep their scale."""
    goals = list(goals)
    weight = np.ascontiguousarray(tables.weight[:, goals])
    bits = np.int64(1) << np.arange(len(goals), dtype=np.int64)
    ego = tables.ego
    loads = np.zeros(ego.next.shape[0], dtype=np.int64)
    for goal, bit in zip(goals, bits, strict=True):
        if ego.load_at[goal] >= 0:
            loads[ego.load_at[goal]] |= bit
    price = price.among(goals)
    return Arrays(
        weight=for_loops(weight, np.float64),
        steps=for_loops(tables.steps[:, goals], np.int32),
        alive=for_loops(((weight > 0) * bits).sum(axis=1), np.int64),
        following=for_loops(tables.following, np.int32),
        next=for_loops(ego.next, np.int32),
        unloaded=for_loops(ego.unloaded[:, goals], np.int32),
        loaded=for_loops(ego.loaded[:, goals], np.int32),
        loads=for_loops(loads, np.int64),
        base=price.base,
        per_goal=price.per_goal,
        extra=for_loops(price.extra, np.float64),
        charges=for_loops(np.empty((0, 2, 0)) if charges is None else charges.amounts, np.float64),
        zone=for_loops(np.empty(0) if charges is None else charges.zone, np.int32),
    )


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

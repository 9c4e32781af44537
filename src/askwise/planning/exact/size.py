"""How large the exact search can get, and when it refuses to begin or to go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askwise.errors import AskwiseError
from askwise.planning.exact.arrays import MOST_GOALS
from askwise.planning.tables import Tables

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

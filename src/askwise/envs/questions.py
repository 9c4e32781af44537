"""A short list of questions, for agents that cannot choose among all 2^n subsets of n goals.

Each kind gives one or more questions about the possible goals:

- ``group``: for each group of goals, the goals in it;
- ``move``: for each of the ego agent's moves, the goals for which it is optimal;
- ``half``: the fewest goals with at least half of the probability;
- ``likeliest``: the likeliest goal;
- ``goal``: each goal alone.

Tool fetching has ``toolbox`` (for each toolbox, the stations whose tool is in it) instead of ``group``, and ``station``
instead of ``goal``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from askwise.core.problem import Problem
from askwise.errors import InputError, did_you_mean
from askwise.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """The data from which the questions of a `QuestionList` are computed: the ego agent's state and belief.

    Attributes:
        problem: the problem that is played.
        ego: the index of the ego agent's state.
        possible: ``bool [n_goals]``, the goals that are possible.
        probabilities: ``float64 [n_goals]``, the probability of each goal.
    """

    problem: Any  # a Problem; questions of one domain use more of it
    ego: int
    possible: BoolArray
    probabilities: FloatArray


@dataclass(frozen=True, slots=True)
class ToolFetchingContext(QuestionContext):
    """The data from which the questions of tool fetching are computed: the fetcher's state and belief, and toolboxes.

    Attributes:
        problem: the `ToolFetching` problem that is played.
        ego: the index of the fetcher's state.
        possible: ``bool [n_stations]``, the stations that may be the goal.
        probabilities: ``float64 [n_stations]``, the probability of each station.
        boxes: ``int [n_stations]``, the index of the toolbox with each station's tool.
    """

    boxes: IntArray


Asking: TypeAlias = Callable[[Any], Any]
"""A function that takes a `QuestionContext` and returns the goals to ask about.

They are ``bool [n_goals]`` for one question, ``bool [n_questions, n_goals]`` for several.
"""

Kind: TypeAlias = tuple[Asking, Callable[[Any], int]]
"""A kind of question, and a function that returns the number of its questions for a problem."""


def _by_group(context: QuestionContext) -> BoolArray:
    groups = context.problem.groups.values()
    rows = np.zeros((len(groups), context.possible.size), dtype=np.bool_)
    for row, goals in zip(rows, groups, strict=True):
        row[list(goals)] = True
    return rows


def _by_toolbox(context: ToolFetchingContext) -> BoolArray:
    boxes = np.arange(len(context.problem.instance.toolboxes))
    return np.asarray(context.boxes == boxes[:, np.newaxis])


def _by_move(context: QuestionContext) -> BoolArray:
    problem = context.problem
    return np.asarray(problem.ego.optimal(context.ego).take(problem.ego.actions.moves, axis=1).T)


def _half(context: QuestionContext) -> BoolArray:
    order = np.argsort(-context.probabilities, kind="stable")
    # The tolerance makes two equally likely goals a half each despite rounding.
    enough = int(np.searchsorted(np.cumsum(context.probabilities[order]), 0.5 - 1e-9))
    return _only(order[: enough + 1], order.size)


def _likeliest(context: QuestionContext) -> BoolArray:
    return _only(context.probabilities.argmax(), context.probabilities.size)


def _by_goal(context: QuestionContext) -> BoolArray:
    return np.eye(context.possible.size, dtype=np.bool_)


def _only(goals: Any, n: int) -> BoolArray:
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[goals] = True
    return chosen


KINDS: dict[str, Kind] = {
    "group": (_by_group, lambda problem: len(problem.groups)),
    "move": (_by_move, lambda problem: len(problem.ego.actions.moves)),
    "half": (_half, lambda _: 1),
    "likeliest": (_likeliest, lambda _: 1),
    "goal": (_by_goal, lambda problem: len(problem.goals)),
}
"""The kinds of questions that any problem has, by name."""

TOOL_FETCHING_KINDS: dict[str, Kind] = {
    "toolbox": (_by_toolbox, lambda problem: len(problem.instance.toolboxes)),
    "move": KINDS["move"],
    "half": KINDS["half"],
    "likeliest": KINDS["likeliest"],
    "station": KINDS["goal"],
}
"""The kinds of questions of tool fetching, by name; each needs a `ToolFetchingContext`."""


def toolbox_numbers(instance: Any) -> IntArray:
    """Return for each station the index of the toolbox that contains the station's tool, ``int32 [n_stations]``.

    Args:
        instance: an `Instance` of tool fetching.
    """
    numbers = {name: k for k, name in enumerate(instance.toolboxes)}
    return np.array([numbers[station.toolbox] for station in instance.stations.values()], dtype=np.int32)


def hints(context: QuestionContext, asked: BoolArray) -> FloatArray:
    """Return the probability that each action and each question is right, ``float64 [n_actions + n_questions]``.

    An action is right if it is optimal for the teammate's goal. A question is right if it asks about the teammate's
    goal. `asked` is ``bool [n_questions, n_goals]``, the goals that each question asks about.
    """
    optimal = np.asarray(context.problem.ego.optimal(context.ego))
    shares: FloatArray = np.concatenate([context.probabilities @ optimal, asked @ context.probabilities])
    return shares.clip(max=1.0)  # rounding may push a sum of probabilities above 1


class QuestionList:
    """A fixed number of questions; the goals that they ask about change with the ego agent's state and belief.

    Args:
        kinds: kinds of questions by name, such as ``half``, or callables that take a `QuestionContext` and return the
            goals to ask about, ``bool [n_goals]``.
        problem: a problem, which determines the number of questions.
        known: for each name of a kind, a function that computes questions from a `QuestionContext`, and one that
            returns their number for a problem.

    Attributes:
        n: number of questions.
    """

    def __init__(self, kinds: Sequence[str | Asking], problem: Problem, known: Mapping[str, Kind] = KINDS) -> None:
        if isinstance(kinds, str):
            raise InputError("questions", repr(kinds), f"a list, such as [{kinds!r}]")
        chosen: list[Kind] = [(kind, lambda _: 1) if callable(kind) else _kind(kind, known) for kind in kinds]
        ends = np.cumsum([count(problem) for _, count in chosen], dtype=int).tolist()
        self._askings = [
            (asking, slice(start, end)) for (asking, _), start, end in zip(chosen, [0, *ends], ends, strict=False)
        ]
        self.n = ends[-1] if ends else 0
        self._shape = (self.n, len(problem.goals))

    def __call__(self, context: QuestionContext) -> BoolArray:
        """Return the goals that each question asks about now, ``bool [n_questions, n_goals]``.

        Goals that are not possible are left out. `context` has the ego agent's state and belief.
        """
        rows = np.empty(self._shape, dtype=np.bool_)
        for asking, part in self._askings:
            rows[part] = asking(context)
        rows &= context.possible
        return rows


def _kind(name: object, known: Mapping[str, Kind]) -> Kind:
    if isinstance(name, str) and name in known:
        return known[name]
    names = ", ".join(map(repr, known))
    raise InputError("questions", repr(name), f"one of {names}, or a callable{did_you_mean(str(name), known)}")

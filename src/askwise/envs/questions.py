"""A short list of questions, for agents that cannot choose among 2^n.

Every kind turns into questions about the goals that are possible at the moment:

- ``group``: for each group of goals that belong together, those goals;
- ``move``: for each move of the ego agent, the goals for which that move is an optimal one;
- ``half``: the likeliest goals that together have at least half of the probability;
- ``likeliest``: the likeliest goal alone;
- ``goal``: each goal alone.

A domain may have kinds of its own and other names for these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from askwise.core.problem import Problem
from askwise.errors import InputError, did_you_mean
from askwise.types import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """What a question may depend on.

    Attributes:
        problem: what is played.
        ego: the ego agent's state.
        possible: ``bool [n_goals]``, the goals that are possible.
        probabilities: ``float64 [n_goals]``, how likely they are.
    """

    problem: Any  # a Problem; questions of a domain's own know which
    ego: int
    possible: BoolArray
    probabilities: FloatArray


Asking: TypeAlias = Callable[[Any], Any]
"""Takes a `QuestionContext` and returns goals to ask about: ``bool [n_goals]``, or one such row for each question."""

Kind: TypeAlias = tuple[Asking, Callable[[Any], int]]
"""What is asked, and how many questions about a problem that makes."""


def by_group(context: QuestionContext) -> BoolArray:
    """Ask about each group."""
    groups = context.problem.groups.values()
    rows = np.zeros((len(groups), context.possible.size), dtype=np.bool_)
    for row, goals in zip(rows, groups, strict=True):
        row[list(goals)] = True
    return rows


def by_move(context: QuestionContext) -> BoolArray:
    """Ask which way to go."""
    problem = context.problem
    return np.asarray(problem.ego.optimal(context.ego).take(problem.ego.actions.moves, axis=1).T)


def half(context: QuestionContext) -> BoolArray:
    """Ask about the likeliest goals that together have at least half of the probability."""
    order = np.argsort(-context.probabilities, kind="stable")
    # Two equal goals are a half each, whatever the last digit says.
    enough = int(np.searchsorted(np.cumsum(context.probabilities[order]), 0.5 - 1e-9))
    return _only(order[: enough + 1], order.size)


def likeliest(context: QuestionContext) -> BoolArray:
    """Ask about the likeliest goal."""
    return _only(context.probabilities.argmax(), context.probabilities.size)


def by_goal(context: QuestionContext) -> BoolArray:
    """Ask for each goal by itself."""
    return np.eye(context.possible.size, dtype=np.bool_)


KINDS: dict[str, Kind] = {
    "group": (by_group, lambda problem: len(problem.groups)),
    "move": (by_move, lambda problem: len(problem.ego.actions.moves)),
    "half": (half, lambda _: 1),
    "likeliest": (likeliest, lambda _: 1),
    "goal": (by_goal, lambda problem: len(problem.goals)),
}
"""The kinds that make sense in every domain."""


def hints(context: QuestionContext, asked: BoolArray) -> FloatArray:
    """``float64 [n_actions]``: how likely each action is to be right, in the order of a flat environment.

    An action of the ego agent is right if it is an optimal one for the teammate's goal; for a question it is how likely
    the goal is among those that it asks about. Goals are as likely as they are believed to be.

    Args:
        context: what is known.
        asked: ``bool [n_questions, n_goals]``, the goals that each question asks about.
    """
    optimal = np.asarray(context.problem.ego.optimal(context.ego))
    shares: FloatArray = np.concatenate([context.probabilities @ optimal, asked @ context.probabilities])
    return shares.clip(max=1.0)  # sums of probabilities may be a last digit above


class Questions:
    """A list of questions.

    Args:
        kinds: kinds by name, or callables that make one question each.
        problem: what they are about, or a problem of the same shape.
        known: the kinds that have a name.
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
        """``bool [n, n_goals]``: the possible goals that each question asks about."""
        rows = np.empty(self._shape, dtype=np.bool_)
        for asking, place in self._askings:
            rows[place] = asking(context)
        rows &= context.possible
        return rows


def _kind(name: object, known: Mapping[str, Kind]) -> Kind:
    if isinstance(name, str) and name in known:
        return known[name]
    names = ", ".join(map(repr, known))
    raise InputError("questions", repr(name), f"one of {names}, or a callable{did_you_mean(str(name), known)}")


def _only(goals: Any, n: int) -> BoolArray:
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[goals] = True
    return chosen

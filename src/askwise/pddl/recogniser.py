"""Goal recognition: the probability of each goal after each observed action.

``o_1, ..., o_k`` are the observed actions, ``P0`` is the prior, and ``~`` means "is proportional to".

**The belief bayes.** An optimal actor draws one of all optimal plans of its goal, uniformly. Not all actions need be
observed. ``N_g`` is the number of optimal plans of goal g, and ``N_g(o_1, ..., o_k)`` the number of those that contain
the observed actions in this order::

    P(g | o_1, ..., o_k)  ~  P0(g) N_g(o_1, ..., o_k) / N_g

With `complete`, all actions were observed: only plans that *begin* with them count.

**The belief robust.** The actor may not be optimal. An observed action is *stray* with probability e: it is then any of
the n operators, with equal probability. Actions that are not stray are part of the plan. S is their set, ``|S|`` their
number, and ``o_S`` are these actions in order::

    P(g | o_1, ..., o_k)  ~  P0(g)  sum over S of  (1 - e)^|S| (e / n)^(k - |S|) N_g(o_S) / N_g

No goal that can be reached is ever ruled out.

**Counting.** Optimal plans are paths through one acyclic graph (`askwise.pddl.cones`). One pass counts for all goals.
For each set S, a plan is counted at most once: it waits for the first action of S, then for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from askwise.errors import InputError
from askwise.model.policy import normalised
from askwise.pddl.archive import Recognition, load
from askwise.pddl.cones import Cones, cones_of
from askwise.types import BoolArray, FloatArray, IntArray

STRAY = 0.1
"""Default probability that an action is stray, for the belief `robust`."""

LARGEST = 1e200
"""Layers with larger numbers are scaled; below this, plans are counted exactly."""

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Recognised:
    """The probabilities of the goals at the start and after each observed action.

    Both arrays are ``[n_seen + 1, n_goals]``; row k is after k actions.

    Attributes:
        cones: the optimal plans of all goals.
        seen: the observed actions, such as ``stack a b``.
        possible: the possible goals, ``bool``.
        probabilities: ``float64``; all 0 if no goal is possible.
        true_goal: index of the true goal, None if unknown.
    """

    cones: Cones
    seen: tuple[str, ...]
    possible: BoolArray
    probabilities: FloatArray
    true_goal: int | None = None

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals as texts. The text of one goal lists its facts, such as ``on a b, clear a``."""
        return self.cones.goals

    @cached_property
    def contradiction(self) -> int | None:
        """The number (from 1) of the first action after which no goal is possible; None if there is no such action."""
        left = self.possible.any(axis=1)
        return None if left.all() else int(np.flatnonzero(~left)[0])

    def likeliest(self, after: int = -1) -> tuple[int, ...]:
        """Return the indices of the likeliest goals, several if they are equally likely; empty if no goal is possible.

        Args:
            after: number of observed actions; -1 for all.
        """
        row = self.probabilities[after]
        if not self.possible[after].any():
            return ()
        return tuple(int(g) for g in np.flatnonzero(row >= row.max() * (1 - 1e-9)))

    def ranking(self, after: int = -1) -> list[int]:
        """Return the indices of the possible goals, the likeliest first.

        Args:
            after: number of observed actions; -1 for all.
        """
        order = np.argsort(-self.probabilities[after], kind="stable")
        return [int(goal) for goal in order if self.possible[after, goal]]


def recognise(
    problem: Recognition | str | Path,
    *,
    belief: str | None = None,
    stray: float = STRAY,
    complete: bool = False,
    prior: Sequence[float] | None = None,
    cones: Cones | None = None,
    progress: Progress | None = None,
) -> Recognised:
    """Compute the probabilities of the goals after each observed action.

    Args:
        problem: the problem with the observed actions, or the path of its archive or folder.
        belief: ``bayes`` for an optimal actor, ``robust`` for any other; by default ``bayes`` only if `complete`.
        stray: for ``robust``, the probability that an action is not part of the plan.
        complete: whether all actions were observed; only for ``bayes``.
        prior: numbers proportional to the prior; by default all equal.
        cones: the optimal plans, if already computed.
        progress: called with a line of text from time to time.
    """
    if belief is None:
        belief = "bayes" if complete else "robust"
    _check(belief, stray, complete)
    if not isinstance(problem, Recognition):
        problem = load(problem)
    weights = _prior(prior, len(problem.goals))
    found = cones_of(problem, progress=progress) if cones is None else cones
    _refuse_unknown(found)
    seen = tuple(action for _, action in problem.seen)
    if complete:
        shares = _beginning(found, seen)
        possible = shares > 0
    else:
        # Without operators all plans are empty, and every action is stray for all goals.
        odds = 0.0 if belief == "bayes" else stray / (1 - stray) / max(1, found.task.n_operators)
        shares = _containing(found, seen, odds)
        possible = shares > 0 if belief == "bayes" else np.broadcast_to(found.lengths >= 0, shares.shape)
    possible = possible & (weights > 0)
    probabilities = _posterior(weights, shares, possible)
    for array in (possible, probabilities):
        array.setflags(write=False)
    return Recognised(found, seen, possible, probabilities, problem.true_goal)


# -- arguments ---------------------------------------------------------------------------------------------------


def _check(belief: str, stray: float, complete: bool) -> None:
    if belief not in ("bayes", "robust"):
        raise InputError("belief", repr(belief), "'bayes' or 'robust'")
    if not 0 < stray < 1:
        raise InputError("stray", repr(stray), "a probability between 0 and 1")
    if complete and belief != "bayes":
        raise InputError("complete", f"with the belief {belief!r}", "the belief 'bayes': strays and gaps go together")


def _prior(given: Sequence[float] | None, n_goals: int) -> FloatArray:
    if given is None:
        return np.full(n_goals, 1 / n_goals)
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n_goals,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError("prior", str(list(given)), f"{n_goals} weights, finite, not negative, one of them positive")
    return normalised(weights)


def _refuse_unknown(cones: Cones) -> None:
    """Raise an InputError if the search for the optimal plans of some goal exceeded its limits."""
    if not cones.too_large:
        return
    goal = cones.too_large[0]
    others = f" (and {len(cones.too_large) - 1} more goals)" if len(cones.too_large) > 1 else ""
    raise InputError(
        f"goal {cones.goals[goal]!r}{others}",
        f"too large: its plans have at least {cones.found[goal].at_least} steps, which is as far as the limits reach",
        "a smaller problem, or higher limits (--search-limit states=N --search-limit evaluations=N)",
    )


# -- counting ----------------------------------------------------------------------------------------------------


def _beginning(cones: Cones, seen: Sequence[str]) -> FloatArray:
    """Return for every k the share of each goal's optimal plans that begin with the first k observed actions.

    The result is ``float64 [n_seen + 1, n_goals]``, with a row for each k.
    """
    source, number, target, bounds = _steps(cones)
    label = _numbered(cones, seen)
    # Column k counts the paths whose first k steps have the names of the first k actions.
    arrived = np.zeros((cones.model.n_states, len(seen) + 1))
    arrived[0] = 1.0
    for level, (first, last) in enumerate(pairwise(bounds)):
        passing = _scaled(arrived, source[first:last])
        if level < len(seen):
            passing[number[first:last] != label[level], level + 1 :] = 0.0
        np.add.at(arrived, target[first:last], passing)
    shares = _shares(np.array([arrived[targets].sum(axis=0) for targets in cones.targets]))
    # A plan cannot begin with more actions than it has.
    return np.where(np.arange(len(seen) + 1) <= cones.lengths[:, None], shares, 0.0).T


def _containing(cones: Cones, seen: Sequence[str], stray: float) -> FloatArray:
    """Return for every k the share of each goal's optimal plans that contain the first k observed actions in order.

    If `stray` is above 0, some of these actions may be missing, at a factor `stray` each; all choices are added up. The
    result is ``float64 [n_seen + 1, n_goals]``.
    """
    source, number, target, bounds = _steps(cones)
    label = _numbered(cones, seen)
    n = len(seen)
    # Columns: 0 counts all paths; j from 1 to n waits for action j; n + 1 + m: S is complete, action m was its last.
    arrived = np.zeros((cones.model.n_states, 2 * n + 2))
    arrived[0, 0] = 1.0
    arrived[0, 1 : n + 1] = stray ** np.arange(n)
    arrived[0, n + 1] = 1.0
    for first, last in pairwise(bounds):
        passing = _scaled(arrived, source[first:last])
        _match(arrived, passing, number[first:last], target[first:last], label, stray)
        np.add.at(arrived, target[first:last], passing)
    ended = _shares(np.array([arrived[targets].sum(axis=0) for targets in cones.targets]))[:, n + 1 :]
    passed = stray ** np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    return np.tril(passed) @ ended.T


def _scaled(arrived: FloatArray, source: IntArray) -> FloatArray:
    """Return ``arrived[source]``, divided by its largest number if that is above `LARGEST`.

    `arrived` has numbers of paths from the start to each state, ``float64 [n_states, n_columns]``.
    """
    # The factor cancels in the quotients: all optimal plans of a goal end in the same layer.
    passing = arrived[source]
    largest = passing.max(initial=0.0)
    return passing / largest if largest > LARGEST else passing


def _match(
    arrived: FloatArray, passing: FloatArray, number: IntArray, target: IntArray, label: IntArray, stray: float
) -> None:
    """Move paths from `passing` to `arrived` if their next transition has the name of the action that they wait for.

    A path, the beginning of a plan, waits for the next observed action that is part of the plan.

    Args:
        arrived: ``float64 [n_states, 2 n_seen + 2]``, numbers of paths to each state. Column 0 counts all, column j
            those that wait for action j, column ``n_seen + 1 + m`` those that wait for none after action m.
        passing: ``float64 [n, 2 n_seen + 2]``, the same for each transition.
        number: ``int32 [n]``, the name of each transition.
        target: ``int32 [n]``, the next state of each transition.
        label: ``int32 [n_seen]``, the name of each observed action.
        stray: factor for each action that is not part of the plan.
    """
    n = label.size
    for j in range(1, n + 1):
        comes = np.flatnonzero(number == label[j - 1])
        came, at = passing[comes, j].copy(), target[comes]
        passing[comes, j] = 0.0
        later = np.arange(j + 1, n + 1)  # the actions in between are stray
        np.add.at(arrived, (at[:, None], later[None, :]), np.outer(came, stray ** np.arange(n - j)))
        np.add.at(arrived[:, n + 1 + j], at, came)


def _shares(totals: FloatArray) -> FloatArray:
    """Return `totals` with each row divided by its first number; a row becomes 0 if its first number is 0.

    Args:
        totals: ``float64 [n_goals, n_columns]``, numbers of plans; a row's first number counts all plans of its goal.
    """
    return np.divide(totals, totals[:, :1], out=np.zeros_like(totals), where=totals[:, :1] > 0)


def _steps(cones: Cones) -> tuple[IntArray, IntArray, IntArray, list[int]]:
    """Return the transitions of all optimal plans, ordered by their distance from the start.

    Returns:
        The first state, the index of the action's name, and the next state of each transition, each ``int32 [n]``; and
        a list with the position of the first transition at each distance, then ``n``.
    """
    model = cones.model
    source, column = np.nonzero(cones.operators >= 0)
    names: dict[str, int] = {}
    named = np.array([names.setdefault(label, len(names)) for label in cones.task.labels], dtype=np.int32)
    number = named[cones.operators[source, column]]
    target = model.successor[source, column]
    layers = np.arange(int(cones.depth.max(initial=0)) + 2)
    bounds = np.searchsorted(cones.depth[source], layers).tolist()
    return source.astype(np.int32), number, target.astype(np.int32), bounds


def _numbered(cones: Cones, seen: Sequence[str]) -> IntArray:
    """Return ``int32 [n_seen]``: the index of each observed action's name, -1 if no operator has this name."""
    names: dict[str, int] = {}
    for label in cones.task.labels:
        names.setdefault(label, len(names))
    return np.array([names.get(action, -1) for action in seen], dtype=np.int32)


def _posterior(weights: FloatArray, shares: FloatArray, possible: BoolArray) -> FloatArray:
    """Return ``float64 [n_seen + 1, n_goals]``: the posterior probabilities; row k is after k observed actions.

    `weights` are the prior, ``float64 [n_goals]``. `shares` (likelihoods) and `possible` have the shape of the result.
    Goals that are not possible get 0. If the products of both underflow to 0 for all possible goals, row k is a copy
    of row ``k - 1``.
    """
    probabilities = np.zeros_like(shares)
    for k, row in enumerate(weights * shares * possible):
        if row.any():
            probabilities[k] = row / row.sum()
        elif possible[k].any():
            probabilities[k] = probabilities[k - 1]
    return probabilities

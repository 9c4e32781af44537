"""How long goals look alike to an observer, for all pairs of goals, at the start or after observed actions.

An actor pursues one goal by optimal plans, and an observer sees the names of its actions. In each pair of goals that
are still possible, the first goal is to be ruled out, and the second is pursued:

- *EDP*, the expected divergence point, is the expected step by which the first goal is ruled out. It is infinite if
  optimal plans of both goals can end in the same state.
- *EDP, capped* is always finite: a goal that a whole plan does not rule out counts as ruled out in the next step.
- *WCD*, the worst case, is the length of the longest common prefix of optimal plans for both goals.
- *told apart* is the latest step by which the first goal is ruled out: infinite if EDP is infinite, otherwise WCD plus
  1. On maps and graphs (`askwise.wcd`), this number is called WCD.

Actions with the same name may lead to different states (`Cones.ambiguous`). A goal is then possible as long as *some*
state to which the observed names may lead is on one of its optimal plans. If names are not ambiguous, EDP can count
evidence: a goal is ruled out when it is unlikely enough (`askwise.divergence.evidence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from askwise.divergence.evidence import check_evidence, evidence_bytes, matrices_by_evidence
from askwise.divergence.pairs import capped_matrices, matrices_at
from askwise.errors import AskwiseError, InputError
from askwise.pddl.cones import Cones
from askwise.pddl.tokens import Word, refusal
from askwise.text.reading import check_size
from askwise.types import FloatArray, IntArray

MOST_SETS = 100_000
"""Maximal number of sets of states in one layer, for problems with ambiguous action names."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """How long goals look alike, as matrices for all pairs of the `n` goals that are still possible.

    The row is the goal to be ruled out, the column the goal that the actor pursues. Steps count from the actor's
    current state. All matrices are ``[n, n]``; `wcd` is ``int32``, the others ``float64``.

    Attributes:
        goals: index of each goal in the problem.
        steps: ``int32 [n]``, steps left to each goal.
        edp: the expected step by which the goal of the row is ruled out; ``inf`` if it may never be.
        capped: like `edp`, but at most the step after the end of the plan.
        wcd: length of the longest common prefix of optimal plans.
        told_apart: the latest step by which the goal of the row is ruled out; ``inf`` for never.
        evidence: in `edp` and `capped`, a goal is ruled out once the actions so far are at most `evidence` times as
            likely for it as for the pursued goal; None if only impossible actions rule goals out.
    """

    goals: tuple[int, ...]
    steps: IntArray
    edp: FloatArray
    capped: FloatArray
    wcd: IntArray
    told_apart: FloatArray
    evidence: float | None = None

    def longest(self, most: int) -> list[tuple[int, int]]:
        """Return the pairs of different goals with the largest expected divergence points (`edp`), largest first.

        At most `most` pairs are returned. Each pair has two positions in `goals`: that of the goal to be ruled out, and
        that of the pursued goal.
        """
        n = len(self.goals)
        order = np.lexsort((-self.capped.ravel(), -self.edp.ravel()))
        places = ((int(k) // n, int(k) % n) for k in order)
        return [place for place in places if place[0] != place[1]][:most]


def pairs_at(cones: Cones, after: Mapping[int, int] | None = None, *, evidence: float | None = None) -> Pairs:
    """Return how long each pair of goals looks alike, for the goals that are still possible.

    Args:
        cones: the optimal plans of all goals.
        after: the possible current states, from `Cones.after`; None for the start.
        evidence: rule a goal out once the actions so far are at most `evidence` times as likely for it as for the
            pursued goal; None if only impossible actions rule goals out.
    """
    states = {0: 1} if after is None else dict(after)
    goals = tuple(goal for goal in cones.reached if cones.inside[list(states), goal].any())
    if not goals:
        none = np.empty((0, 0))
        return Pairs((), np.empty(0, dtype=np.int32), none, none, none.astype(np.int32), none, evidence)
    if cones.ambiguous:
        if evidence is not None:
            found = "a problem in which actions of one name lead to different states"
            raise InputError("evidence", found, "a problem in which each name leads to one state")
        return _by_names(cones, states, goals)
    (state,) = states
    targets = np.concatenate([cones.targets[goal] for goal in goals])
    starts = np.concatenate(([0], np.cumsum([cones.targets[goal].size for goal in goals]))).astype(np.int32)
    edp, told_apart, _ = matrices_at(cones.model, state, targets, starts)
    # Cones contain only the nearest states of a goal, so these are the targets from here.
    model = cones.model
    capped, last, steps = capped_matrices(model.successor, *model.predecessors, state, targets, starts)
    if evidence is not None:
        check_size(evidence_bytes(model.n_states, len(goals)), "evidence", f"{model.n_states} states on optimal plans")
        edp, capped = (
            matrices_by_evidence(model, state, targets, starts, check_evidence(evidence), capped=end)[0]
            for end in (False, True)
        )
    return Pairs(goals, steps, edp, capped, last.astype(np.int32) - 1, told_apart, evidence)


# -- ambiguous names of actions ----------------------------------------------------------------------------------

Sets = dict[frozenset[int], dict[int, FloatArray]]
"""Sets of states that the same names may lead to; for each state its probability, ``float64 [n_goals]``."""


def _by_names(cones: Cones, states: Mapping[int, int], goals: tuple[int, ...]) -> Pairs:
    n = len(goals)
    onwards = _onwards(cones, goals)
    inside = cones.inside[:, goals]
    ends = np.zeros_like(inside)
    for k, goal in enumerate(goals):
        ends[cones.targets[goal], k] = True
    capped, wcd, never = np.zeros((n, n)), np.zeros((n, n), dtype=np.int32), np.eye(n, dtype=bool)
    sets, level = _first(states, onwards), 0
    while sets:
        for among, masses in sets.items():
            rows = list(among)
            possible, pursued = inside[rows].any(axis=0), np.sum(list(masses.values()), axis=0)
            capped += np.outer(possible, pursued)
            wcd[np.outer(possible, pursued > 0)] = level
            ended = ends[rows].any(axis=0)
            never |= np.outer(ended, ended)
        sets, level = _following(cones, sets, onwards), level + 1
    steps = (cones.lengths[list(goals)] - cones.depth[next(iter(states))]).astype(np.int32)
    return Pairs(goals, steps, np.where(never, np.inf, capped), capped, wcd, np.where(never, np.inf, wcd + 1.0))


def _onwards(cones: Cones, goals: tuple[int, ...]) -> list[list[int]]:
    """Return in how many ways each state can be continued to an optimal plan for each goal.

    Entry ``[state][k]``, an exact Python int, is for the goal ``goals[k]``.
    """
    onwards = [[0] * len(goals) for _ in range(cones.model.n_states)]
    for k, goal in enumerate(goals):
        for state in cones.targets[goal].tolist():
            onwards[state][k] = 1
    for state in reversed(range(cones.model.n_states)):  # states are ordered by layer
        for _, target in cones.steps_from(state):
            onwards[state] = [a + b for a, b in zip(onwards[state], onwards[target], strict=True)]
    return onwards


def _first(states: Mapping[int, int], onwards: list[list[int]]) -> Sets:
    weights = {state: [ways * each for each in onwards[state]] for state, ways in states.items()}
    totals = [sum(column) for column in zip(*weights.values(), strict=True)]
    return {frozenset(states): {state: _shares(row, totals) for state, row in weights.items()}}


def _following(cones: Cones, sets: Sets, onwards: list[list[int]]) -> Sets:
    """Return what an observer who sees only the names of actions may know one step later, with probabilities.

    The observer knows a set of states to which the names may have led. `sets` and the result map each such set to its
    states, with ``float64 [n_goals]``: the probability of set and state for each goal. ``onwards[state][goal]`` is the
    number of ways to complete an optimal plan.
    """
    found: Sets = {}
    for masses in sets.values():
        by_name: dict[str, dict[int, FloatArray]] = {}
        for state, mass in masses.items():
            for name, target in cones.steps_from(state):
                there = by_name.setdefault(name, {})
                there[target] = there.get(target, 0.0) + mass * _shares(onwards[target], onwards[state])
        for there in by_name.values():
            into = found.setdefault(frozenset(there), {})
            for target, mass in there.items():
                into[target] = into.get(target, 0.0) + mass
        if len(found) > MOST_SETS:
            raise AskwiseError(
                f"too large: actions of one name lead to different states, in more than {MOST_SETS:,} combinations"
            )
    return found


def _shares(parts: list[int], wholes: list[int]) -> FloatArray:
    return np.array([part / whole if whole else 0.0 for part, whole in zip(parts, wholes, strict=True)])


MOST_SHOWN = 5


def after_seen(cones: Cones, seen: Sequence[tuple[Word, str]]) -> dict[int, int]:
    """Return the states that are possible after the observed actions, each with the number of paths to it.

    The keys are indices of states. `seen` has a pair for each action since the start: the first word, with file and
    line, and the whole text, such as ``stack a b``. Raises an InputError for the first action that continues no optimal
    plan.
    """
    states = cones.after([])
    for k in range(1, len(seen) + 1):
        following = cones.after([action for _, action in seen[:k]])
        if not following:
            raise _off_all_plans(cones, states, *seen[k - 1])
        states = following
    return states


def _off_all_plans(cones: Cones, states: Iterable[int], at: Word, action: str) -> InputError:
    names = list(dict.fromkeys(label for state in states for label, _ in cones.steps_from(state)))
    shown = ", ".join(f"({name})" for name in names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else "")
    expected = (
        f"an action that continues an optimal plan for some goal, such as {shown}" if names else "no more actions"
    )
    return refusal(at, f"({action})", f"{expected} (actions may not be missing here)")

"""Divergence of all pairs of goals, at the start or after observed actions, in several conventions.

An actor pursues one goal by optimal plans, and an observer sees its actions. For each ordered pair of goals that are
still possible, the first is the goal to be ruled out, and the second is the goal that the actor pursues:

- *EDP*, the expected divergence point, is the expected step by which the first goal is ruled out. It is infinite if
  optimal plans of the two goals can end in the same state, because no observation in this state separates the goals.
- *EDP, capped* assumes that observation ends with the actor's plan: a goal that is not ruled out by then counts as
  ruled out in the step after the plan, in which the actor stays at its goal. The value is finite for all pairs, and
  equal to EDP if EDP is finite.
- *WCD*, the worst case, is the length of the longest common prefix of optimal plans for the two goals, as in the
  literature on goal-recognition design. It is finite for all pairs.
- *told apart* is the latest step by which the first goal is ruled out. It is WCD plus 1, and infinite if EDP is
  infinite. On maps and graphs, also in `askwise.wcd`, this number is called WCD.

The observer sees the names of actions. If two actions with the same name lead to different states (`Cones.ambiguous`),
the names observed so far may lead to several states. Then a goal is possible as long as *some* of these states is on
one of its optimal plans. The sets of such states are followed layer by layer, with the probability of each state given
each goal.

On request, EDP counts evidence: a goal is already ruled out when it has become unlikely enough
(`askwise.divergence.evidence`). WCD and *told apart* never count evidence. If names are ambiguous, evidence depends on
the whole sequence of names, so EDP with evidence is refused then.
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

    In the matrices, the row is the goal to be ruled out, and the column is the goal that the actor pursues by an
    optimal plan. Steps are counted from the state in which the actor is now.

    Attributes:
        goals: the index of each goal in the problem.
        steps: ``int32 [n]``, steps left to each goal.
        edp: ``float64 [n, n]``, the expected divergence point (EDP): the expected step by which the goal of the row is
            ruled out. It is ``inf`` on the diagonal and for goals that may never be told apart.
        capped: ``float64 [n, n]``, EDP under the assumption that observation ends with the plan. It is always finite.
        wcd: ``int32 [n, n]``, length of the longest common prefix of optimal plans for the two goals.
        told_apart: ``float64 [n, n]``, the latest step by which the goal of the row is ruled out, ``inf`` if this may
            never happen.
        evidence: in `edp` and `capped`, a goal is ruled out as soon as the actions so far are at most `evidence` times
            as likely for this goal as for the pursued goal; None if only impossible actions rule goals out.
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

        Pairs with an infinite value come first. Each pair has two positions in `goals`: that of the goal to be ruled
        out, and that of the pursued goal.

        Args:
            most: the number of pairs to return; all pairs if there are fewer.
        """
        n = len(self.goals)
        order = np.lexsort((-self.capped.ravel(), -self.edp.ravel()))
        places = ((int(k) // n, int(k) % n) for k in order)
        return [place for place in places if place[0] != place[1]][:most]


def pairs_at(cones: Cones, after: Mapping[int, int] | None = None, *, evidence: float | None = None) -> Pairs:
    """Return how long each pair of goals looks alike, for the goals that are still possible.

    The result has EDP (the expected step by which one goal is ruled out if the actor pursues the other) and WCD (the
    length of the longest common prefix of optimal plans for the two goals).

    Args:
        cones: the optimal plans of all goals.
        after: the possible current states, as returned by `Cones.after`: a dict whose keys are the indices of the
            states; None for the start.
        evidence: for EDP, rule a goal out as soon as the actions so far are at most `evidence` times as likely for this
            goal as for the pursued goal. By default only impossible actions rule goals out.
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
    """Return how many paths lead from each state to the end of an optimal plan for each goal.

    Entry ``[state][k]`` is for the goal ``goals[k]``. The numbers are exact Python ints. `cones` has the states and the
    optimal plans of all goals.
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

    Actions with the same name may lead to different states. So an observer knows only a set of states: those to which
    the names observed so far may have led.

    Args:
        cones: the optimal plans of all goals.
        sets: a dict whose keys are all sets that the observer may know now. The value of each set is a dict from its
            states to ``float64 [n_goals]``: for each goal the probability that the observer knows exactly this set and
            the actor is in this state.
        onwards: ``[state][goal]``, the number of paths from a state to the end of an optimal plan for a goal.

    Returns:
        all sets that the observer may know one step later, as a dict of the same form as `sets`.
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
    """Return the states that are possible after the observed actions, and the number of paths to each of them.

    The result maps the index of a state to the number of paths to it from the start by these actions. Raises an
    InputError for the first action that continues no optimal plan; the error lists actions that would.

    Args:
        cones: the optimal plans of all goals.
        seen: all actions since the start, without gaps. Each is a pair: the action's first word, with its file and line
            for error messages; and the whole action as text, such as ``stack a b``.
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

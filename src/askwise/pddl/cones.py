"""The optimal plans of all goals together, as one model.

The *cone* of a goal is the set of states on its optimal plans from the start. A state is equally far from the start in
all cones that contain it. The cones are therefore merged layer by layer. The shortest paths in the result are exactly
the optimal plans. After any prefix of an optimal plan, the divergence of goals is thus the same as in the whole state
space.

A bit says whether one atom is true in a state. The search for plans omits irrelevant bits (`askwise.pddl.task`). Plans
are therefore executed again from the complete initial state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.divergence import Divergence
from askwise.errors import InputError
from askwise.model import Model
from askwise.model.builders import rank_tables
from askwise.pddl.archive import Recognition
from askwise.pddl.grounding import Limits, too_many
from askwise.pddl.lmcut import NO_WAY
from askwise.pddl.search import Speaking, search_together
from askwise.pddl.table import Found, Plans
from askwise.pddl.task import GoalTask, Task, Words, goal_tasks_by_kind
from askwise.types import BoolArray, IntArray

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Cones:
    """The optimal plans of all goals, as one model.

    A bit says whether one atom is true in a state. An operator is an action with objects instead of variables.

    Attributes:
        task: the grounded problem.
        goals: names of the goals.
        wanted: the bits that each goal requires, None if it can never be true.
        found: the search result of each goal.
        model: the optimal plans, from state 0; actions are named after operators.
        states: ``uint64 [n_states, n_words]``, bits of each state.
        depth: ``int32 [n_states]``, steps from the start.
        inside: ``bool [n_states, n_goals]``, whether an optimal plan for the goal visits the state.
        operators: ``int32 [n_states, n_actions - 1]``, operator of each action except the last (STAY), -1 for none.
    """

    task: Task
    goals: tuple[str, ...]
    wanted: tuple[frozenset[int] | None, ...]
    found: tuple[Found, ...]
    model: Model
    states: Words
    depth: IntArray
    inside: BoolArray
    operators: IntArray

    @property
    def lengths(self) -> IntArray:
        """``int32 [n_goals]``: length of an optimal plan for each goal; -1 if there is none, or it is unknown."""
        return np.array([found.length for found in self.found], dtype=np.int32)

    @property
    def exact(self) -> bool:
        """Whether every goal either has known optimal plans or provably has no plan."""
        return all(found.exact for found in self.found)

    @cached_property
    def reached(self) -> tuple[int, ...]:
        """The indices of the goals whose optimal plans are known."""
        return tuple(goal for goal, found in enumerate(self.found) if found.plans is not None)

    @cached_property
    def unreachable(self) -> tuple[int, ...]:
        """The indices of the goals that provably have no plan."""
        return tuple(goal for goal, found in enumerate(self.found) if found.exact and found.length < 0)

    @cached_property
    def too_large(self) -> tuple[int, ...]:
        """The indices of the goals whose search exceeded the limits.

        For these, ``found[goal].at_least`` is a proven lower bound on the length of a plan.
        """
        return tuple(goal for goal, found in enumerate(self.found) if not found.exact)

    @cached_property
    def targets(self) -> tuple[IntArray, ...]:
        """For each goal, the indices of the states in which the optimal plans of the goal end.

        There are none if no plans of the goal are known.
        """
        ends = self.depth[:, None] == np.where(self.lengths < 0, -1, self.lengths)
        return tuple(np.flatnonzero(row).astype(np.int32) for row in (ends & self.inside).T)

    @cached_property
    def divergence(self) -> Divergence:
        """The `Divergence` of the goals with known plans, which says when an observer can tell two goals apart.

        ``matrices_at(0)`` returns the expected and the latest step at which one goal is ruled out while the actor
        pursues the other, both from the start. Goals are numbered by their position in the attribute `reached`.
        """
        if not self.reached:
            raise InputError("goals", "none whose optimal plans are known", "at least one")
        return Divergence(self.model, [self.targets[goal].tolist() for goal in self.reached])

    def steps_to(self, goal: int) -> IntArray:
        """Return ``int32 [n_states]``: steps from each state to a goal, -1 for states on none of its optimal plans."""
        return np.where(self.inside[:, goal], self.lengths[goal] - self.depth, -1).astype(np.int32)

    @cached_property
    def ambiguous(self) -> bool:
        """Whether in some state two actions with the same name lead to different states."""
        rows = np.sort(np.where(self.operators < 0, -1, self._names[self.operators]), axis=1)
        return bool(((rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] >= 0)).any())

    @cached_property
    def _names(self) -> IntArray:
        """For each operator the index of its name, ``int32 [n_operators]``; operators may share a name."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(label, len(numbers)) for label in self.task.labels], dtype=np.int32)

    def steps_from(self, state: int) -> list[tuple[str, int]]:
        """Return the transitions of optimal plans from a state, as pairs: name of the action, next state."""
        row = self.operators[state].tolist()
        following = self.model.successor[state].tolist()
        return [(self.task.labels[o], following[column]) for column, o in enumerate(row) if o >= 0]

    def after(self, actions: Iterable[str]) -> dict[int, int]:
        """Return the states to which actions may lead from the start, each with the number of paths to it.

        `actions` are names such as ``stack a b``. Actions with the same name may lead to different states. The keys of
        the dict are indices of states. The dict is empty if no optimal plan begins with `actions`.
        """
        states = {0: 1}
        for action in actions:
            following: dict[int, int] = {}
            for state, ways in states.items():
                for label, target in self.steps_from(state):
                    if label == action:
                        following[target] = following.get(target, 0) + ways
            states = following
        return states


def cones_of(
    problem: Recognition | Task,
    goals: Sequence[frozenset[int] | None] | None = None,
    *,
    names: Sequence[str] | None = None,
    start: Words | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Cones:
    """Find all optimal plans of all goals.

    Args:
        problem: a goal-recognition problem; or a grounded planning task, which requires `goals`.
        goals: for each goal the bits that it requires (`Task.bits`), None if it can never be true. By default those of
            the problem.
        names: names of the goals; by default those of the problem, or ``goal 1``, ``goal 2``, ...
        start: ``uint64 [n_words]``, bits of the first state; by default the initial state.
        limits: limits on the search; by default those of the problem, or ``Limits()``.
        progress: called now and then with a line of text; None for no calls.
    """
    if isinstance(problem, Recognition):
        task, limits = problem.task, limits or problem.limits
        goals = [task.bits(goal) for goal in problem.goals] if goals is None else goals
        names = problem.goal_names if names is None else names
    else:
        task, limits = problem, limits or Limits()
    wanted = tuple(goals or ())
    called = tuple(names) if names is not None else tuple(f"goal {k + 1}" for k in range(len(wanted)))
    begin = task.initial if start is None else np.asarray(start, dtype=np.uint64)
    union = _Union(task, begin, limits.edges)
    found = _found(task, wanted, begin, limits, _speaking(progress, len(wanted)), union)
    return union.cones(called, wanted, tuple(found[goal] for goal in range(len(wanted))))


def _found(
    task: Task,
    wanted: Sequence[frozenset[int] | None],
    start: Words,
    limits: Limits,
    progress: Speaking | None,
    union: _Union,
) -> dict[int, Found]:
    """Search for the optimal plans of all goals, add them to `union`, and return the result for each goal by its index.

    `wanted` has the bits that each goal requires, None if it can never be true. `start` has the bits of the first
    state.
    """
    never = Found(-1, True, NO_WAY, "none")
    found = {goal: never for goal, bits in enumerate(wanted) if bits is None}
    same: dict[frozenset[int], list[int]] = {}
    for goal, bits in enumerate(wanted):
        if bits is not None:
            same.setdefault(bits, []).append(goal)
    for kind in goal_tasks_by_kind(task, {goals[0]: bits for bits, goals in same.items()}, start):
        for first, result in search_together(kind, limits, progress).items():
            for goal in same[wanted[first] or frozenset()]:
                found[goal] = result
                if result.plans is not None:
                    union.add(goal, kind[first], result.plans)
    return found


def _speaking(progress: Progress | None, n_goals: int) -> Speaking | None:
    if progress is None:
        return None
    say = progress
    return lambda goal, text: say(f"goal {goal + 1} of {n_goals}, {text}")


class _Union:
    """Collects the optimal plans of one goal after another, and makes one model of them.

    `start`, ``uint64 [n_words]``, has the bits of the state in which plans start. `most_edges` limits the number of
    transitions, added up over all goals.
    """

    def __init__(self, task: Task, start: Words, most_edges: int) -> None:
        self.task = task
        self.start = start
        self.most_edges = most_edges
        self.n_edges = 0
        self.layers: list[list[tuple[int, Words]]] = [[]]
        self.edges: list[list[tuple[Words, IntArray, Words]]] = []

    def add(self, goal: int, sought: GoalTask, plans: Plans) -> None:
        """Add the optimal plans of a goal to the collected plans.

        The plans are executed again from the complete initial state, to restore the atoms that the search left out.
        `sought` is the task that was searched.
        """
        order = np.argsort(plans.source, kind="stable")
        operator, target = sought.operators[plans.operator[order]], plans.target[order]
        counts = np.bincount(plans.source, minlength=plans.depth.size)
        first = np.cumsum(counts) - counts
        whole, cut = self.start[None, :], np.zeros(1, dtype=np.int64)
        for level in range(int(plans.depth.max(initial=0)) + 1):
            self._layer(level).append((goal, whole))
            many = counts[cut]
            self.n_edges += int(many.sum())
            if self.n_edges > self.most_edges:
                raise too_many("optimal plans", "one step more on them", self.most_edges, "edges")
            if not many.any():
                break
            source = np.repeat(np.arange(cut.size), many)
            edge = np.repeat(first[cut] - np.cumsum(many) + many, many) + np.arange(source.size)
            done = operator[edge]
            following = whole[source] & self.task.keep[done] | self.task.add[done]
            self.edges[level].append((whole[source], done, following))
            whole, which = unique_rows(following)
            cut = np.empty(whole.shape[0], dtype=np.int64)
            cut[which] = target[edge]

    def _layer(self, level: int) -> list[tuple[int, Words]]:
        while len(self.layers) <= level:
            self.layers.append([])
        while len(self.edges) <= level:
            self.edges.append([])
        return self.layers[level]

    def cones(
        self, goals: tuple[str, ...], wanted: tuple[frozenset[int] | None, ...], found: tuple[Found, ...]
    ) -> Cones:
        """Return one model of all plans that were added, with what is known about each goal.

        `wanted` has the indices of the bits that each goal requires, None for a goal that can never be true. `found`
        has the search results.
        """
        states, inside, numbers = self._states(len(goals))
        depth = np.repeat(np.arange(len(states)), [len(layer) for layer in states]).astype(np.int32)
        source, operator, target = self._edges(states, numbers)
        whole = np.concatenate(states)
        label, names = self._labels(operator)
        kept = _without_repetition(source, label, target)
        source, operator, target, label = source[kept], operator[kept], target[kept], label[kept]
        label, names = _apart(source, label, names)
        counts = np.bincount(source, minlength=whole.shape[0])
        successor, labels, operators = rank_tables(counts, target, label, operator)
        model = Model(successor, labels=labels, actions=names)
        return Cones(self.task, goals, wanted, found, model, whole, depth, np.concatenate(inside), operators)

    def _states(self, n_goals: int) -> tuple[list[Words], list[BoolArray], list[int]]:
        states, inside, numbers, n = [], [], [], 0
        if not self.layers[0]:
            self.layers[0].append((-1, self.start[None, :]))  # if no goal can be reached, the model has only the start
        for layer in self.layers:
            rows, which = unique_rows(np.concatenate([each for _, each in layer]))
            members = np.zeros((rows.shape[0], n_goals), dtype=bool)
            of_goal = np.repeat([goal for goal, _ in layer], [each.shape[0] for _, each in layer])
            members[which[of_goal >= 0], of_goal[of_goal >= 0]] = True
            states.append(rows)
            inside.append(members)
            numbers.append(n)
            n += rows.shape[0]
        return states, inside, numbers

    def _edges(self, states: list[Words], numbers: list[int]) -> tuple[NDArray[np.int64], IntArray, IntArray]:
        """Return the source, operator and target of all transitions: three arrays ``[n_edges]`` of indices.

        Transitions are sorted by source state and operator, without duplicates. For each distance from the start,
        `states` has the distinct states at this distance, ``uint64 [n, n_words]``, and `numbers` the index of the first
        of them in the whole model.
        """
        parts: list[Any] = []
        for level, layer in enumerate(self.edges):
            if not layer:
                continue
            sources, operators, targets = (np.concatenate([edge[k] for edge in layer]) for k in range(3))
            source = numbers[level] + places_of(sources, states[level])
            keys, chosen = np.unique(source * self.task.n_operators + operators, return_index=True)
            target = numbers[level + 1] + places_of(targets[chosen], states[level + 1])
            parts.append((keys // self.task.n_operators, operators[chosen], target))
        if not parts:
            none = np.empty(0, dtype=np.int64)
            return none, none.astype(np.int32), none.astype(np.int32)
        source, operator, target = (np.concatenate([part[k] for part in parts]) for k in range(3))
        return source, operator.astype(np.int32), target.astype(np.int32)

    def _labels(self, operator: IntArray) -> tuple[IntArray, list[str]]:
        """Return for each operator the index of its name, ``int32 [n]``, and the list of the different names.

        `operator` is ``int32 [n]``; the same index may occur several times.
        """
        numbers: dict[str, int] = {}
        of = {int(o): numbers.setdefault(self.task.labels[o], len(numbers)) for o in np.unique(operator)}
        label = np.array([of[o] for o in operator.tolist()], dtype=np.int32)
        return label, list(numbers)


def _without_repetition(source: Any, label: IntArray, target: IntArray) -> NDArray[np.intp]:
    """Return the ascending indices of the transitions that remain if duplicates are removed.

    Transitions with the same source, name and target are duplicates. `source` is ``int [n]``. `label`, the index of
    each transition's name, and `target` are ``int32 [n]``.
    """
    if source.size == 0:
        return np.empty(0, dtype=np.intp)
    rows = np.stack([source, label, target], axis=1)
    return np.sort(np.unique(rows, axis=0, return_index=True)[1])


def _apart(source: Any, label: IntArray, names: list[str]) -> tuple[IntArray, list[str]]:
    """Return copies of `label` and `names` in which transitions of one state have different names.

    The second transition with the same name becomes ``name [2]``, the third ``name [3]``, and so on. `source`,
    ``int [n]``, is the state in which each transition starts. `label`, ``int32 [n]``, is the index of its name in
    `names`.
    """
    label, names = label.copy(), list(names)
    seen: dict[int, int] = {}
    number = {name: k for k, name in enumerate(names)}
    order = np.lexsort((label, source))
    again = (np.diff(source[order]) == 0) & (np.diff(label[order]) == 0)
    for edge, before in zip(order[1:][again].tolist(), order[:-1][again].tolist(), strict=True):
        seen[edge] = times = seen.get(before, 1) + 1
        name = f"{names[label[edge]]} [{times}]"
        label[edge] = number.setdefault(name, len(number))
        if len(number) > len(names):
            names.append(name)
    return label, names


def unique_rows(rows: Words) -> tuple[Words, NDArray[np.intp]]:
    """Return the distinct rows of an array in ascending order, and for each row its index among them, ``int [n]``.

    `rows` is ``uint64 [n, n_words]``, and the first result ``uint64 [k, n_words]``.
    """
    if rows.shape[1] == 1:
        values, which = np.unique(rows[:, 0], return_inverse=True)
        return values[:, None], which
    order = np.lexsort(rows.T[::-1])
    in_order = rows[order]
    new = np.concatenate(([True], (in_order[1:] != in_order[:-1]).any(axis=1)))
    which = np.empty(rows.shape[0], dtype=np.intp)
    which[order] = np.cumsum(new) - 1
    return in_order[new], which


def places_of(rows: Words, among: Words) -> NDArray[np.intp]:
    """Return for each row of `rows` the index of the same row in `among`, ``int [n]``.

    Each row must occur in `among`.

    Args:
        rows: ``uint64 [n, n_words]``.
        among: ``uint64 [k, n_words]``, distinct rows in ascending order.
    """
    if rows.shape[1] == 1:
        return np.searchsorted(among[:, 0], rows[:, 0])
    both, which = unique_rows(np.concatenate((among, rows)))
    assert both.shape[0] == among.shape[0]
    return which[among.shape[0] :]

"""A model of one agent: finitely many states and actions, and transitions between states.

A model is either

- *deterministic*: a table ``successor[s, a]`` of next states, ``-1`` where the action is not available; or
- *stochastic*: one sparse row of probabilities for each state and action, empty where the action is not available.

Deterministic models with many actions may have *labels*. Column k is then for the k-th available action of each state,
and its label says which one that is (`askwise.model.names`). Every model has a STAY action, which leaves the state
unchanged. Models cannot be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.frozen import Sealed, freeze_arrays, read_only
from askwise.model.builders import StepFunction, explore, read_edges
from askwise.model.graph import reverse_edges
from askwise.model.names import Labels, Names, checked_labels
from askwise.text.reading import check_size
from askwise.types import BoolArray, IntArray, LazyModule, StateLike

sparse = LazyModule("scipy.sparse")

PROBABILITY_TOLERANCE = 1e-9
"""Allowed deviation of a sum of probabilities from 1, for decimals that were rounded and added up."""


class Model(Sealed):
    """A finite model of one agent: states, actions, and the states that actions lead to.

    Args:
        successor: ``int [n_states, n_actions]``, next states, -1 where the action is not available.
        transitions: instead of `successor`, a matrix of probabilities ``[n_states, n_states]`` for each action, dense
            or scipy sparse; a row of zeros where the action is not available.
        states: names of the states; None for their indices.
        actions: names of the actions; None for ``a0, a1, ...``.
        stay: name of the action that stays in place; added if missing in `actions`.
        labels: ``int [n_states, n_columns]``, index in `actions` of the action in each column of `successor`, -1 for
            none. None if a column is the same action in all states.
    """

    labels: Labels | None = None
    """The action of each column in each state; None if a column is the same action in every state."""

    def __init__(
        self,
        successor: Any = None,
        *,
        transitions: Sequence[Any] | None = None,
        states: Iterable[Hashable] | Names | None = None,
        actions: Iterable[Hashable] | None = None,
        stay: Hashable = "STAY",
        labels: Any = None,
    ) -> None:
        if (successor is None) == (transitions is None):
            found = "neither" if successor is None else "both"
            raise InputError("successor, transitions", found, "exactly one of the two")
        if successor is not None:
            table = _as_table(successor)
            named = self._label(labels, table, actions, stay) if labels is not None else actions
            self._set_names(table.shape[0], table.shape[1], states, named, stay)
            self._set_successor(table)
        else:
            matrices = [_as_matrix(matrix, a) for a, matrix in enumerate(transitions or ())]
            if not matrices:
                raise InputError("transitions", "no matrix", "one [n_states, n_states] matrix for each action")
            self._set_names(matrices[0].shape[0], len(matrices), states, actions, stay)
            self._set_transitions(matrices)

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        states: Iterable[Hashable] | None = None,
        stay: Hashable = "STAY",
    ) -> Model:
        """Build a model from a list of edges; states and actions are numbered in the order in which they first appear.

        Args:
            edges: tuples ``(state, action, next_state)``, with a probability as fourth member for a stochastic model.
            states: names of states that are numbered before all others; None for none.
            stay: name of the action that stays in place.
        """
        read = read_edges(edges, states)
        names: dict[str, Any] = {"states": read.states, "actions": read.actions, "stay": stay}
        return cls(transitions=read.matrices(), **names) if read.stochastic else cls(read.successor(), **names)

    @classmethod
    def explore(
        cls,
        start: Hashable,
        step: StepFunction,
        *,
        max_states: int = 1_000_000,
        progress: Callable[[int], None] | None = None,
        stay: Hashable = "STAY",
    ) -> Model:
        """Build a model of all states that can be reached from `start`, by calling a step function in each of them.

        Args:
            start: the first state, any hashable object.
            step: returns the actions of a state, as pairs ``(action, next state)``.
            max_states: limit on the number of states; more raise `InputError`.
            progress: called now and then with the number of states; None for no calls.
            stay: name of the action that stays in place; not returned by `step`.
        """
        found = explore(start, step, max_states=max_states, progress=progress, stay=stay)
        sizes = f"{len(found.states)} states with up to {max(found.counts)} actions"
        check_size(16 * len(found.states) * (max(found.counts) + 1), "model", sizes)
        successor, labels = found.tables()
        return cls(successor, labels=labels, states=found.states, actions=found.labels, stay=stay)

    def with_columns(self) -> Model:
        """Return an equal model without labels: each column of `successor` stands for the same action in every state.

        In a model with labels, column k stands for the k-th available action of each state.
        """
        if self.labels is None:
            return self
        names, n_ranks = self.labels.names, self.n_actions - 1
        sizes = f"{self.n_states} states and {names.n} actions"
        check_size(5 * self.n_states * names.n, "model", sizes, "fewer actions")
        successor = np.full((self.n_states, names.n - 1), -1, dtype=np.int32)
        places, ranks = np.nonzero(self.available[:, :n_ranks])
        successor[places, self.labels.table[places, ranks]] = self.successor[places, ranks]
        named = [names.name(label) for label in range(names.n)]
        return Model(successor, states=self._states, actions=named[:-1], stay=named[-1])

    def in_label_order(self) -> Model:
        """Return an equal model in which the actions of each state are in the order of all actions.

        In a model with labels, each state has its own columns for its available actions, in any order. The label of a
        column is the index of its action among all actions. Here, the columns are sorted by label.
        """
        if self.labels is None:
            return self
        n_ranks = self.n_actions - 1
        table, successor = self.labels.table[:, :n_ranks], self.successor[:, :n_ranks]
        key = np.where(table < 0, self.labels.names.n, table)
        if (np.diff(key, axis=1) >= 0).all():
            return self
        order = np.argsort(key, axis=1, kind="stable")
        named = self.all_actions
        return Model(
            np.take_along_axis(successor, order, axis=1),
            labels=np.take_along_axis(table, order, axis=1),
            states=self._states,
            actions=named[:-1],
            stay=named[-1],
        )

    @property
    def all_actions(self) -> tuple[Hashable, ...]:
        """Names of all actions of the model, by index.

        In a model with labels, the index of an action is its label, otherwise its column in `successor`.
        """
        return self.actions if self.labels is None else tuple(self.labels.names.names or ())

    # -- names --------------------------------------------------------------------------------------------

    def state(self, name: StateLike, field: str | None = None) -> int:
        """Return the index of a state given by name or index.

        `field` is the name of the input in error messages; by default ``state`` or, in a grid, ``cell``.
        """
        return self._states.index(name, field)

    def name(self, state: int) -> Hashable:
        """Return the name of a state given by index."""
        return self._states.name(state)

    def action(self, name: Hashable, field: str | None = None) -> int:
        """Return the index of an action given by name or index: its column in tables ``[n_states, n_actions]``.

        In a model with labels, a column stands for different actions in different states. Columns are called
        ``action 1``, ``action 2``, ...; `action_in` takes the names of actions. `field` is the name of the input in
        error messages.
        """
        return self._actions.index(name, field)

    def action_name(self, state: int, action: int) -> Hashable:
        """Return the name of an action that is available in a state.

        Args:
            state: index of the state.
            action: index of the action, its column in tables ``[n_states, n_actions]``.
        """
        return self.actions[action] if self.labels is None else self.labels.name(state, action)

    def action_in(self, state: int, name: Hashable, field: str | None = None) -> int:
        """Return the index that an action has in a state: its column in tables ``[n_states, n_actions]``.

        In a model with labels, the action must be available in the state. `name` is a name or an index. `field` is the
        name of the input in error messages; None for ``action``.
        """
        if self.labels is None:
            return self.action(name, field)
        return self.labels.column(state, name, field or "action", f"state {self.name(state)!r}")

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """Names of the columns of `successor`, which are the names of the actions in a model without labels.

        In a model with labels, the columns are called ``action 1``, ``action 2``, ..., except that of the action that
        stays in place.
        """
        assert self._actions.names is not None
        return self._actions.names

    # -- structure ----------------------------------------------------------------------------------------

    @property
    def deterministic(self) -> bool:
        """Whether every action leads to exactly one state."""
        return self._successor is not None

    @property
    def successor(self) -> IntArray:
        """The next states of a deterministic model, ``int32 [n_states, n_actions]``, -1 where unavailable."""
        if self._successor is None:
            raise InputError("model", "stochastic transitions", "a deterministic model")
        return self._successor

    @cached_property
    def transitions(self) -> Any:
        """Probabilities of the next state, sparse (CSR) ``[n_states * n_actions, n_states]``.

        Row ``s * n_actions + a`` is for action a in state s; it is empty if the action is not available.
        """
        assert self._successor is not None
        flat = self._successor.ravel()
        indptr = np.concatenate(([0], np.cumsum(flat >= 0, dtype=np.int64)))
        columns = flat[flat >= 0]
        return _kept(sparse.csr_array((np.ones(columns.size), columns, indptr), shape=(flat.size, self.n_states)))

    @cached_property
    def predecessors(self) -> tuple[Any, IntArray]:
        """The predecessors of each state in a deterministic model, as arrays ``indptr [n_states + 1]`` and ``indices``.

        The predecessors of s are ``indices[indptr[s]:indptr[s + 1]]``. A predecessor is listed once for each of its
        actions that lead to s. No state is its own predecessor.
        """
        indptr, indices = reverse_edges(self.successor)
        return read_only(indptr), read_only(indices)

    def mix(self, weights: Any) -> Any:
        """Return the weighted sum of the transition probabilities of all actions, CSR ``[n_states, n_states]``.

        For a policy as `weights`, ``float64 [n_states, n_actions]``, this is the Markov chain of an agent that follows
        the policy. An entry is stored for each transition whose weight is not 0, even if the product underflows to 0.
        """
        law = self.transitions
        weights = np.asarray(weights, dtype=np.float64)
        lengths = np.diff(law.indptr)
        per_entry = np.repeat(weights.ravel(), lengths)
        kept = per_entry != 0
        counts = np.where(weights != 0, lengths.reshape(weights.shape), 0).sum(axis=1)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        mixed = sparse.csr_array(
            (per_entry[kept] * law.data[kept], law.indices[kept], indptr), shape=(self.n_states, self.n_states)
        )
        mixed.sum_duplicates()
        return mixed

    def __repr__(self) -> str:
        kind = "deterministic" if self.deterministic else "stochastic"
        if self.labels is not None:
            sizes = f"{self.n_states} states, {self.labels.names.n} actions, at most {self.n_actions} in each"
            return f"<{type(self).__name__}: {sizes}>"
        return f"<{type(self).__name__}: {self.n_states} states, {self.n_actions} actions, {kind}>"

    # -- construction -------------------------------------------------------------------------------------

    def _label(self, labels: Any, table: IntArray, actions: Iterable[Hashable] | None, stay: Hashable) -> list[str]:
        """Store the labels of a model, which say which action each column stands for in each state.

        Returns the names of the columns: ``action 1``, ``action 2``, .... `labels` and `table`, the next states, are
        ``int [n_states, n_columns]``, -1 where there is no action. `stay` must not be among `actions`.
        """
        named = [] if actions is None else list(actions)
        if stay in named:
            raise InputError("actions", f"{stay!r} among those with labels", "no such action: every state has it")
        given = checked_labels(labels, table, len(named))
        stays = np.full((table.shape[0], 1), len(named), dtype=np.int32)
        self.labels = Labels(np.concatenate((given, stays), axis=1), [*named, stay])
        return [f"action {rank + 1}" for rank in range(table.shape[1])]

    def _set_names(
        self,
        n_states: int,
        n_actions: int,
        states: Iterable[Hashable] | Names | None,
        actions: Iterable[Hashable] | None,
        stay: Hashable,
    ) -> None:
        if n_states == 0:
            raise InputError("model", "no states", "at least one state")
        named: list[Hashable] = [f"a{a}" for a in range(n_actions)] if actions is None else list(actions)
        self._adds_stay = stay not in named
        if self._adds_stay:
            named.append(stay)
            n_actions += 1
        self._states = states if isinstance(states, Names) else Names("state", n_states, states)
        self._actions = Names("action", n_actions, named)
        self.n_states = n_states
        self.n_actions = n_actions
        self.stay = self._actions.index(stay)

    def _set_successor(self, table: IntArray) -> None:
        wrong = (table < -1) | (table >= self.n_states)
        if wrong.any():
            s, a = np.argwhere(wrong)[0]
            raise InputError(
                f"successor of state {self.name(int(s))!r} under action {self.actions[a]!r}",
                int(table[s, a]),
                f"a state from 0 to {self.n_states - 1}, or -1 where the action is not available",
            )
        own = np.arange(self.n_states, dtype=np.int32)
        if not self._adds_stay and (moved := table[:, self.stay] != own).any():
            self._refuse_stay(int(np.flatnonzero(moved)[0]))
        whole = np.empty((self.n_states, self.n_actions), dtype=np.int32)
        whole[:, : table.shape[1]] = table
        if self._adds_stay:
            whole[:, -1] = own
        self._successor: IntArray | None = read_only(whole)
        self.available: BoolArray = read_only(self._successor >= 0)

    def _set_transitions(self, matrices: list[Any]) -> None:
        own = sparse.csr_array(sparse.identity(self.n_states, format="csr"))
        if self._adds_stay:
            matrices.append(own)
        for a, matrix in enumerate(matrices):
            if matrix.shape != (self.n_states, self.n_states):
                raise InputError(
                    f"transitions of action {self.actions[a]!r}",
                    f"shape {matrix.shape}",
                    f"{(self.n_states, self.n_states)}, as for the first action",
                )
            self._check_rows(matrix, a)
        moved = np.flatnonzero(matrices[self.stay].diagonal() != 1.0)
        if moved.size:
            self._refuse_stay(int(moved[0]))
        # Row s * n_actions + a: interleave the per-action matrices.
        stacked = sparse.vstack(matrices, format="csr")
        order = np.arange(self.n_states * self.n_actions).reshape(self.n_actions, self.n_states).T.ravel()
        self._successor = None
        self.transitions = _kept(stacked[order])
        filled = np.diff(self.transitions.indptr) > 0
        self.available = read_only(filled.reshape(self.n_states, self.n_actions))

    def _check_rows(self, matrix: Any, a: int) -> None:
        rows = np.repeat(np.arange(self.n_states), np.diff(matrix.indptr))
        wrong = ~(np.isfinite(matrix.data) & (matrix.data > 0))
        if wrong.any():
            k = np.flatnonzero(wrong)[0]
            target = self.name(int(matrix.indices[k]))
            raise InputError(
                f"probability of state {self.name(int(rows[k]))!r}, action {self.actions[a]!r}, next state {target!r}",
                float(matrix.data[k]),
                "a number from 0 to 1",
            )
        total = matrix.sum(axis=1)
        wrong = (np.abs(total - 1) > PROBABILITY_TOLERANCE) & (np.diff(matrix.indptr) > 0)
        if wrong.any():
            s = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"transitions of state {self.name(s)!r}, action {self.actions[a]!r}",
                f"probabilities that sum to {float(total[s]):.12g}",
                f"1 (within {PROBABILITY_TOLERANCE:g}), or no entry where the action is not available",
            )

    def _refuse_stay(self, state: int) -> None:
        raise InputError(
            f"action {self.actions[self.stay]!r} in state {self.name(state)!r}",
            "a move to another state, or none",
            "to stay in place with certainty in every state (or name another action with stay=...)",
        )


def _as_table(successor: Any) -> IntArray:
    try:
        table = np.asarray(successor)
    except ValueError:
        raise InputError("successor", "rows of different lengths", "[n_states, n_actions]") from None
    if table.ndim != 2:
        raise InputError("successor", f"an array of {table.ndim} dimensions", "[n_states, n_actions]")
    if table.size and not np.issubdtype(table.dtype, np.integer):
        raise InputError("successor", f"numbers of type {table.dtype}", "whole numbers")
    return table


def _as_matrix(matrix: Any, a: int) -> Any:
    try:
        rows = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    except (TypeError, ValueError):
        raise InputError(f"transitions of action {a}", "no matrix of numbers", "[n_states, n_states]") from None
    if rows.ndim != 2 or rows.shape[0] != rows.shape[1]:
        raise InputError(f"transitions of action {a}", f"shape {rows.shape}", "[n_states, n_states]")
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def _kept(matrix: Any) -> Any:
    """Sort the column indices of a CSR matrix, make its arrays read-only, and return the same matrix."""
    matrix.sort_indices()  # now, because scipy would do it in place at first use
    freeze_arrays(matrix)
    return matrix

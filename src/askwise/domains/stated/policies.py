"""The teammate's policy in a problem file: a kind of policy, or a table of probabilities.

A table is a list of rows ``[goal, state, action, probability]``. It may also be the name of a CSV file with these
columns, in the problem file's folder. In a goal's target states, the teammate stays unless the goal's rows say
otherwise.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from askwise.domains.stated.sides import StatedSide, StateName, state_to_json
from askwise.errors import InputError
from askwise.model import Model, Policy, boltzmann, uniform_optimal, urop
from askwise.text.data import short_json
from askwise.text.files import read_text
from askwise.text.reading import Field

COLUMNS = ["goal", "state", "action", "probability"]
KINDS = "'urop', 'uniform', {boltzmann = 2.0}, {noisy = 0.1} or {table = \"policy.csv\"}"
MOST_ENTRIES = 50_000_000
"""Largest product of goals, states and actions: policies other than UROPs store one number for each."""

Row: TypeAlias = tuple[str, StateName, str, float]
Targets: TypeAlias = Mapping[str, Sequence[StateName]]
"""The teammate's target states by goal."""


@dataclass(frozen=True)
class PolicyChoice:
    """The kind of policy with which the teammate pursues its goals, as a problem file states it.

    Attributes:
        kind: ``urop`` (shortest paths are equally likely), ``uniform`` (optimal actions are equally likely),
            ``boltzmann`` (shorter paths are likelier), ``noisy`` (``urop`` with some random actions) or ``table``.
        number: for ``boltzmann``, the preference for shorter paths, above 0; for ``noisy``, the probability of a random
            action.
        rows: for ``table``, rows of goal, state, action (all by name) and probability.
    """

    kind: str = "urop"
    number: float = 0.0
    rows: tuple[Row, ...] = ()

    def made(self, model: Model, targets: Targets) -> list[Policy] | None:
        """Return the teammate's policy for each goal, in the order of the goals; None if `kind` is ``urop``.

        `targets` has the names of each goal's target states. Raises InputError if the tables would be too large, or if
        the rows of a ``table`` are no valid policies.
        """
        if self.kind == "urop":
            return None
        size = len(targets) * model.n_states * model.n_actions
        if size > MOST_ENTRIES:
            found = f"{len(targets)} policies over {model.n_states} states and {model.n_actions} actions"
            raise InputError("teammate.policy", found, f"a product of at most {MOST_ENTRIES}, or 'urop'")
        if self.kind == "table":
            return _tables(self.rows, model, targets)
        return [self._one(model, list(states)) for states in targets.values()]

    def _one(self, model: Model, states: list[StateName]) -> Policy:
        if self.kind == "uniform":
            return uniform_optimal(model, states)
        if self.kind == "boltzmann":
            return boltzmann(model, states, self.number)
        return urop(model, states).soften(self.number)


# -- reading -----------------------------------------------------------------------------------------------------


def read_policy(given: Field, side: StatedSide, targets: Targets) -> PolicyChoice:
    """Return the policy that the field ``teammate.policy`` of a problem file states.

    `targets` has the names of each goal's target states. Raises InputError if the field is not valid.
    """
    value = given.value
    if isinstance(value, str) and value in ("urop", "uniform"):
        return PolicyChoice(value)
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in ("boltzmann", "noisy", "table"):
        raise given.refuse(f"one of {KINDS}")
    kind = next(iter(value))
    stated = given.child(kind)
    if kind == "table":
        return PolicyChoice(kind, rows=tuple(_checked(_rows(stated, side), stated.path, side, targets)))
    number = stated.number(above=0) if kind == "boltzmann" else _share(stated)
    return PolicyChoice(kind, number)


def rows_to_json(rows: Iterable[Row]) -> list[list[Any]]:
    """Return the rows of a policy table as JSON-compatible lists.

    Args:
        rows: tuples of a goal, a state and an action, each by name, and a probability. A cell ``(x, y)`` becomes a
            list.
    """
    return [[goal, state_to_json(state), action, share] for goal, state, action, share in rows]


def _share(given: Field) -> float:
    number = given.number()
    if number > 1:
        raise given.refuse("a number from 0 to 1")
    return number


def _rows(given: Field, side: StatedSide) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a policy table, which is a list in a field or a CSV file that the field names.

    Each item is a pair of the row's place in the file and the row (goal, state, action, probability). It is checked
    that the state exists; goal and action are not checked.
    """
    if isinstance(given.value, str):
        yield from _file_rows(given, side)
        return
    if not isinstance(given.value, list):
        raise given.refuse("the name of a CSV file, or rows [goal, state, action, probability]")
    for row in given.elements():
        if not isinstance(row.value, list) or len(row.value) != 4:
            raise row.refuse("[goal, state, action, probability]")
        goal, state, action, share = row.elements()
        yield row.path, (goal.text(), side.read_state(state), action.text(), _share(share))


def _file_rows(given: Field, side: StatedSide) -> Iterator[tuple[str, Row]]:
    if given.folder is None:
        raise given.refuse("rows [goal, state, action, probability]: only a problem file can name a CSV file")
    if "\0" in given.value or not given.value:
        raise given.refuse("the name of a CSV file, or rows [goal, state, action, probability]")
    reader = csv.reader(io.StringIO(read_text(given.folder / given.value)), skipinitialspace=True)
    try:
        for k, row in enumerate(reader):
            path = f"{given.path}, line {reader.line_num}"
            if row and not (k == 0 and [name.strip() for name in row] == COLUMNS):
                yield path, _file_row(row, path, side)
    except csv.Error as error:
        raise InputError(f"{given.path}, line {reader.line_num}", str(error), ",".join(COLUMNS)) from None


def _file_row(row: list[str], path: str, side: StatedSide) -> Row:
    if len(row) != len(COLUMNS):
        raise InputError(path, f"{len(row)} columns", f"{len(COLUMNS)}: {', '.join(COLUMNS)}")
    goal, state, action, share = row
    try:
        number = float(share)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(path, f"the probability {short_json(share)}", "a number from 0 to 1")
    return goal, side.parse(state, path), action, number


def _checked(rows: Iterable[tuple[str, Row]], where: str, side: StatedSide, targets: Targets) -> Iterator[Row]:
    """Yield the rows of a policy table unchanged, and check their goals, states and actions.

    `rows` are pairs of a row's place in the file and the row (goal, state, action, probability). `where` is the table's
    place, for messages. Raises InputError if a row is not valid or occurs twice, or if a goal has no row.
    """
    model, met = side.model, set()
    names = {str(name) for name in (model.actions if model.labels is None else model.labels.names.names or ())}
    for path, (goal, state, action, share) in rows:
        if goal not in targets:
            raise InputError(path, f"the unknown goal {short_json(goal)}", "the name of a goal")
        if action not in names:
            raise InputError(path, f"the unknown action {short_json(action)}", "an action of the teammate")
        if not _available(model, model.state(state), action):
            raise InputError(
                path, f"{short_json(action)} in state {short_json(state)}", "an action that is available there"
            )
        if (goal, state, action) in met:
            raise InputError(
                path,
                f"goal {short_json(goal)}, state {short_json(state)}, action {short_json(action)} again",
                "it once",
            )
        met.add((goal, state, action))
        yield goal, state, action, share
    missing = [goal for goal in targets if goal not in {name for name, _, _ in met}]
    if missing:
        raise InputError(where, f"no rows for goal {short_json(missing[0])}", "rows for every goal")


def _available(model: Model, state: int, action: str) -> bool:
    here = np.flatnonzero(model.available[state]).tolist()
    return action in {str(model.action_name(state, column)) for column in here}


# -- making ------------------------------------------------------------------------------------------------------


def _tables(rows: Iterable[Row], model: Model, targets: Targets) -> list[Policy]:
    numbers = {goal: k for k, goal in enumerate(targets)}
    tables = np.zeros((len(targets), model.n_states, model.n_actions))
    for goal, state, action, share in rows:
        at = model.state(state)
        tables[numbers[goal], at, model.action_in(at, action)] = share
    for own, states in zip(tables, targets.values(), strict=True):
        ends = [model.state(state) for state in states]
        own[ends, model.stay] += ~own[ends].any(axis=1)
    return [_policy(model, goal, own) for goal, own in zip(targets, tables, strict=True)]


def _policy(model: Model, goal: str, table: Any) -> Policy:
    try:
        return Policy(model, table, partial=True)
    except InputError as error:
        raise InputError(f"teammate.policy.table: goal {goal!r}, {error.field}", error.found, error.expected) from None

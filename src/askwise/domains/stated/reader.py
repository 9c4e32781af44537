"""Readers for the parts of a problem file: graphs, maps, goals, prices, answers, groups and words.

Every value is checked. If one is wrong, an `InputError` says where in the file it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.problem import refuse_shared, unreachable
from askwise.core.question_json import answers_from_json
from askwise.core.questions import QueryCost
from askwise.domains.stated.sides import (
    FREE,
    STAY,
    WALL,
    DrawnMap,
    Graph,
    StatedSide,
    StateName,
    read_state_name,
    state_to_json,
)
from askwise.errors import InputError
from askwise.model.optimal import reachable
from askwise.text.data import short_json
from askwise.text.reading import Field, check_name, read_name, read_price
from askwise.text.wording import PLAIN, Vocabulary


@dataclass(frozen=True)
class StatedGoal:
    """A goal of a problem file: where each agent has reached it, its weight in the prior, and its price in questions.

    Attributes:
        teammate: names of the teammate's target states.
        ego: names of the ego agent's target states.
        weight: the weight in the prior; any sum of weights is allowed.
        price: what the goal adds to the price of a question; None for the file's common amount.
    """

    teammate: tuple[StateName, ...]
    ego: tuple[StateName, ...]
    weight: float = 1.0
    price: float | None = None


MOST_STATES = 1_000_000
MOST_ENTRIES = 50_000_000
"""Largest product of states and actions of a graph: its table stores one number for each. For a graph whose actions are
numbered per state (`Graph.by_rank`), the product of states and such numbers.
"""
LARGEST_SIDE = 10_000
MOST_CELLS = 16_000_000
"""The cells of a 4,000 x 4,000 map; larger ones would take gigabytes for the map alone."""
GRAPH_KEYS = ("states", "actions", "stay")
"""Optional keys of a graph; maps do not have them."""


def read_side(given: Field, optional: tuple[str, ...] = (), *, by_rank: bool = False) -> StatedSide:
    """Return the graph or map of one agent that a field of a file states; raise InputError if it is not valid.

    Args:
        given: the field, a dict with the key ``start`` and either ``edges`` or ``map``.
        optional: further keys that the dict may have.
        by_rank: whether to accept graphs with very many action names, but few actions in each state.
    """
    given.object()
    drawn = given.has("map")
    if drawn == given.has("edges"):
        found = "both" if drawn else "neither"
        raise InputError(f"{given.path}.edges, {given.path}.map", found, "one of the two: a graph or a drawn map")
    if drawn:
        given.object(["start", "map"], optional)
        lines = read_lines(given.child("map"))
        return _map(lines, given.child("start"))
    given.object(["start", "edges"], [*GRAPH_KEYS, *optional])
    return _Edges(given).graph(by_rank)


# -- maps --------------------------------------------------------------------------------------------------------


def read_lines(given: Field) -> tuple[str, ...]:
    """Return the lines of a drawn map, from top to bottom, without blanks at their ends.

    The field holds one text or a list of lines. Raises InputError if there are no lines, if their lengths differ, or if
    the map is too large.
    """
    if isinstance(given.value, str):
        lines = given.value.strip().splitlines()
    elif not isinstance(given.value, list):
        raise given.refuse("a text, or a list of lines")
    else:
        lines = [each.text() for each in given.elements()]
        for k, line in enumerate(lines, start=1):
            if len(line.splitlines()) > 1:
                raise InputError(f"{given.path}, line {k}", short_json(line), "one line")
    lines = [line.strip() for line in lines]
    if not any(lines):
        raise given.refuse("at least one line of cells")
    _check_sides(lines, given.path)
    return tuple(lines)


def _check_sides(lines: list[str], path: str) -> None:
    width = len(lines[0])
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            expected = f"{width}, as in line 1 (every line has the same length)"
            raise InputError(f"{path}, line {number}", f"{len(line)} cells", expected)
    if width > LARGEST_SIDE or len(lines) > LARGEST_SIDE or width * len(lines) > MOST_CELLS:
        expected = f"at most {LARGEST_SIDE} each way and {MOST_CELLS} in total"
        raise InputError(path, f"{width} x {len(lines)} cells", expected)


def _map(lines: tuple[str, ...], start: Field) -> DrawnMap:
    path = start.path.rpartition(".")[0] + ".map"
    signs, cells = np.unique(_signs(lines), return_inverse=True)
    height, width = len(lines), len(lines[0])
    drawn = cells.reshape(height, width)[::-1]  # the last line has y = 0
    walls = np.zeros((height, width), dtype=np.bool_)
    letters = {}
    for k, code in enumerate(signs.tolist()):
        sign = chr(code)
        if sign == WALL:
            walls = np.asarray(drawn == k)
        elif sign != FREE:
            _check_letter(sign, lines, path)
            letters[sign] = tuple((int(x), int(y)) for y, x in np.argwhere(drawn == k))
    if walls.all():
        raise InputError(path, "a wall in every cell", "at least one free cell")
    unplaced = DrawnMap((0, 0), lines, letters, walls)
    return DrawnMap(unplaced.read_state(start), lines, letters, walls)


def _signs(lines: tuple[str, ...]) -> Any:
    """Return the Unicode code points of the characters of a map, line by line from the top, ``uint32 [n_cells]``."""
    return np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _check_letter(sign: str, lines: tuple[str, ...], path: str) -> None:
    if sign.isalnum():
        return
    row = next(k for k, line in enumerate(lines) if sign in line)
    where = f"{path}, line {row + 1}, column {lines[row].index(sign) + 1}"
    raise InputError(where, ascii(sign), "'#' (wall), '.' (free), or a letter or digit")


# -- graphs ------------------------------------------------------------------------------------------------------


class _Edges:
    """A reader of a graph in a file; it numbers states and actions in the order of their first occurrence.

    Args:
        given: the field with the graph, a dict with the keys ``start`` and ``edges``.
    """

    def __init__(self, given: Field) -> None:
        self.given = given
        self.states: dict[StateName, int] = {}
        self.actions: dict[str, int] = {}
        self.stay = read_name(given.child("stay")) if given.has("stay") else STAY
        self._kinds: dict[type, StateName] = {}

    def graph(self, by_rank: bool) -> Graph:
        """Read the edges and the start, and return the graph; raise InputError if it is not valid.

        `by_rank` says whether to accept a graph with very many action names, but few actions in each state
        (`Graph.by_rank`).
        """
        given = self.given
        self._listed("states", lambda each: self._state(read_state_name(each), each.path))
        self._listed("actions", lambda each: self._action(read_name(each), each.path))
        edges = self._edges(given.child("edges"))
        if len(self.states) > MOST_STATES:
            raise InputError(f"{given.path}.edges", f"{len(self.states)} states", f"at most {MOST_STATES}")
        numbers = np.array(edges, dtype=np.int32).reshape(-1, 3)
        start = given.child("start")
        graph = Graph(read_state_name(start), tuple(self.states), tuple(self.actions), numbers, self.stay)
        self._check_size(graph, by_rank)
        graph.read_state(start)
        return graph

    def _check_size(self, graph: Graph, by_rank: bool) -> None:
        n_actions, of_each = len(self.actions), ""
        if by_rank and graph.by_rank:
            n_actions, of_each = 2 * graph.most_actions, " (twice those of a state)"
        if len(self.states) * (n_actions + 1) > MOST_ENTRIES:
            found = f"{len(self.states)} states and {n_actions} actions{of_each}"
            raise InputError(f"{self.given.path}.edges", found, f"a product of at most {MOST_ENTRIES}")

    def _listed(self, key: str, enter: Any) -> None:
        if not self.given.has(key):
            return
        for k, each in enumerate(self.given.child(key).elements()):
            if enter(each) < k:
                raise each.refuse(f"each of the {key} once")

    def _edges(self, given: Field) -> list[tuple[int, int, int]]:
        if not isinstance(given.value, list):
            raise given.refuse("a list, [ ... ]")
        found = []
        taken: dict[tuple[int, int], int] = {}
        for k, edge in enumerate(given.value):
            s, a, t = self._edge(edge, f"{given.path}[{k}]")
            first = taken.setdefault((s, a), k)
            if first != k:
                again = f"action {short_json(edge[1])} of state {short_json(edge[0])} once more"
                what = f"{again}, after {given.path}[{first}]"
                raise InputError(f"{given.path}[{k}]", what, "each action of a state once")
            if a >= 0:
                found.append((s, a, t))
        return found

    def _edge(self, edge: Any, path: str) -> tuple[int, int, int]:
        """Return the indices of an edge's state, action and next state; the action is -1 for staying.

        A new name gets the next free index. `path` is the edge's place in the file. Raises InputError if the edge is
        not valid.
        """
        if not isinstance(edge, list) or len(edge) != 3:
            raise Field(path, edge).refuse("[state, action, next state]")
        s, t = self._end(edge[0], f"{path}[0]"), self._end(edge[2], f"{path}[2]")
        name = edge[1]
        if name == self.stay:
            if s != t:
                found = f"a move by {short_json(name)} from {short_json(edge[0])} to {short_json(edge[2])}"
                raise InputError(path, found, "another name for it: this name means staying")
            return s, -1, t
        if not isinstance(name, str) or name not in self.actions:
            return s, self._action(read_name(Field(f"{path}[1]", name)), f"{path}[1]"), t
        return s, self.actions[name], t

    def _end(self, value: Any, path: str) -> int:
        # A shortcut for known names, which most are; it makes reading large graphs several times faster.
        if type(value) is str and value in self.states:
            return self.states[value]
        return self._state(read_state_name(Field(path, value)), path)

    def _state(self, name: StateName, path: str) -> int:
        if name not in self.states:
            if not isinstance(name, str):
                self._refuse_mixed(name, path)
            self.states[name] = len(self.states)
        return self.states[name]

    def _refuse_mixed(self, name: StateName, path: str) -> None:
        """Raise InputError if the graph has both numbers and cells as names of states.

        Otherwise the targets ``[3, 4]`` could mean two states or one cell. The name is remembered for further calls.
        """
        self._kinds.setdefault(type(name), name)
        if len(self._kinds) > 1:
            both = " and ".join(short_json(each) for each in self._kinds.values())
            raise InputError(path, f"{both} as states of one graph", "numbers or cells, not both")

    def _action(self, name: str, path: str) -> int:
        return self.actions.setdefault(check_name(name, path), len(self.actions))


MOST_GOALS = 10_000


# -- goals -------------------------------------------------------------------------------------------------------


def read_goals(given: Field, teammate: StatedSide, ego: StatedSide) -> dict[str, StatedGoal]:
    """Return the goals by name, as the field ``goals`` of a problem file states them.

    Raises InputError if a goal is not valid or out of an agent's reach, or if the teammate reaches two goals in the
    same state.
    """
    goals: dict[str, StatedGoal] = {}
    for name, each in given.items():
        check_name(name, given.path)
        goals[name] = _goal(each, teammate, ego)
    if not goals:
        raise given.refuse("at least one goal")
    if len(goals) > MOST_GOALS:
        raise InputError(given.path, f"{len(goals)} goals", f"at most {MOST_GOALS}")
    if not any(goal.weight for goal in goals.values()):
        raise InputError(given.path, "weights that are all 0", "at least one weight above 0")
    # `Problem` checks this, too; here the message names the field of the file.
    stated = (
        (given.child(name).child("teammate").path, short_json(name), goal.teammate) for name, goal in goals.items()
    )
    refuse_shared(stated, lambda state: short_json(state_to_json(state)))
    _refuse_unreachable(given, goals, "teammate", teammate)
    _refuse_unreachable(given, goals, "ego", ego)
    return goals


def _goal(given: Field, teammate: StatedSide, ego: StatedSide) -> StatedGoal:
    given.object(["teammate", "ego"], ["weight", "price"])
    return StatedGoal(
        teammate=teammate.read_targets(given.child("teammate")),
        ego=ego.read_targets(given.child("ego")),
        weight=given.child("weight").number() if given.has("weight") else 1.0,
        price=read_price(given.child("price")) if given.has("price") else None,
    )


def _refuse_unreachable(given: Field, goals: Mapping[str, StatedGoal], who: str, side: StatedSide) -> None:
    model = side.model
    there = reachable(model, model.state(side.start))
    for name, goal in goals.items():
        states = goal.teammate if who == "teammate" else goal.ego
        if not any(there[model.state(state)] for state in states):
            raise unreachable(given.child(name).child(who).path, short_json(state_to_json(side.start)))


# -- the rest ----------------------------------------------------------------------------------------------------


def read_prices(root: Field) -> QueryCost:
    """Return the prices of questions that the key ``query_cost`` of a file states.

    Without this key, return the default prices.

    Args:
        root: the contents of the file.
    """
    if not root.has("query_cost"):
        return QueryCost()
    given = root.child("query_cost").object([], ["base", "per_goal", "per_option"])
    stated: dict[str, Any] = {key: read_price(given.child(key)) for key in given.value}
    return QueryCost(**stated)


def prices_to_json(price: QueryCost) -> dict[str, float]:
    """Return prices of questions as the contents of the key ``query_cost`` of a file.

    Prices that single goals have of their own are not included; a file states them with the goals.
    """
    written = {"base": float(price.base), "per_goal": float(price.per_goal)}
    return written if price.per_option is None else {**written, "per_option": float(price.per_option)}


def check_writable(price: QueryCost, file_format: str) -> QueryCost:
    """Return `price` unchanged if a file can hold it; otherwise raise InputError.

    A file cannot hold subclasses of `QueryCost`. `file_format` is named in the error message.
    """
    if type(price) is not QueryCost:
        expected = f"QueryCost(base, per_goal, prices): a file of {file_format} holds no other prices"
        raise InputError("query_cost", f"a {type(price).__name__}", expected)
    return price


def read_answers(root: Field) -> AnswerModel:
    """Return the answer model, which says how often answers are wrong or missing, from the key ``answers`` of a file.

    Without this key, all answers are true.

    Args:
        root: the contents of the file.
    """
    return answers_from_json(root.child("answers")) if root.has("answers") else TRUTHFUL


def read_groups(root: Field, goals: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of the goals in each group, by group name, from the key ``groups`` of a file.

    `goals` has the names of all goals. Without the key, the result is empty. Raises InputError if a group is empty, or
    names a goal twice or an unknown one.
    """
    if not root.has("groups"):
        return {}
    given, names, groups = root.child("groups"), list(goals), {}
    for name, each in given.items():
        members = tuple(member.text(names) for member in each.elements())
        if not members:
            raise each.refuse("at least one goal")
        for k, member in enumerate(each.elements()):
            if member.value in members[:k]:
                raise member.refuse("each goal once")
        groups[check_name(name, given.path)] = members
    return groups


def read_words(root: Field, name: str, walks: str = PLAIN.walks) -> Vocabulary:
    """Return the words for texts about a problem: nouns for agents and goals, and letters of the agents in drawings.

    The letters are the first letters of the nouns if possible.

    Args:
        root: the contents of the file; the key ``words`` has the nouns.
        name: the problem's name; may be empty.
        walks: the verb for how the teammate reaches its goal.
    """
    own: dict[str, str] = {}
    if root.has("words"):
        given = root.child("words").object([], ["teammate", "ego", "goal"])
        own = {key: read_name(given.child(key)) for key in given.value}
    teammate, ego = own.get("teammate", PLAIN.teammate), own.get("ego", PLAIN.ego)
    signs = _sign(teammate), _sign(ego)
    if signs[0] == signs[1] or not all(signs):
        signs = PLAIN.teammate_sign, PLAIN.ego_sign
    return Vocabulary(
        title=name or PLAIN.title,
        teammate=teammate,
        ego=ego,
        goal=own.get("goal", PLAIN.goal),
        teammate_sign=signs[0],
        ego_sign=signs[1],
        walks=walks,
    )


def _sign(word: str) -> str:
    """Return the letter that stands for an agent in drawings: the first character of the noun `word`, as a capital.

    The result is empty if this character is no ASCII letter or digit.
    """
    first = word[0].upper()
    return first if len(first) == 1 and first.isascii() and first.isalnum() else ""

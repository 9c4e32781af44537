"""Which questions the planner looks at: those on the menus of states, or all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from askwise._compiled import alone
from askwise.core.answers import CREDIBLE, n_answers, truth
from askwise.core.problem import Problem
from askwise.core.questions import AdditivePrice, Choice, Question
from askwise.frozen import read_only
from askwise.planning.noisy import menus
from askwise.planning.noisy.settings import ANSWERS_FOLLOWED
from askwise.planning.noisy.workspace import DEAD, MOST_COMPLETE, Limits, Workspace
from askwise.planning.search import proposals
from askwise.planning.search.planner import group_sets
from askwise.planning.search.settings import FULL as PROPOSALS
from askwise.planning.search.workspace import POOL_SIZE
from askwise.planning.search.workspace import workspace_of as room_for_proposals
from askwise.planning.tables import Tables, mask_rows

ROOM_FOR_PROPOSALS = 2 * POOL_SIZE
"""Most questions that are looked at for a menu."""
ROOM = replace(PROPOSALS, questions=1, kept=1, log_memory=1)
"""Proposals are those of the planner for true answers; all that it needs for them is room."""

_propose = alone(proposals.propose)

Known = Callable[[Question], bool]
"""Whether a question would only be answered as before."""


@dataclass(frozen=True)
class Root:
    """Where a plan begins.

    Attributes:
        w: state of the teammate.
        place: where the ego agent is.
        load: what it carries.
        weight: the weight of all goals.
        goals: the goals that are possible.
        questions: how many questions may be asked at most, None for any number.
        known: tells the questions that are not worth asking again.
        leads: the largest lead until which a question is asked again and again, 0 if none is.
    """

    w: int
    place: int
    load: int
    weight: float
    goals: tuple[int, ...]
    questions: int | None
    known: Known
    leads: int

    def at_most(self, most: int) -> int:
        """Return how many questions a plan may hold that looks `most` questions ahead."""
        return most if self.questions is None else min(most, self.questions)


class Asking:
    """Chooses questions for the loops, and knows what they are in the problem.

    Args:
        problem: the problem.
        tables: its tables.
        price: what its questions cost.

    Attributes:
        choices: the choices that are considered now; questions refer to them by number.
    """

    def __init__(self, problem: Problem, tables: Tables, price: AdditivePrice) -> None:
        self.problem = problem
        self.price = price
        self.groups = group_sets(problem.groups.values(), tables.n_goals)
        self.proposing = room_for_proposals(tables, price, ROOM, len(self.groups))
        # Proposals go by weights that are written for each of them, so these are its own.
        self._odds = tables.weight.copy()
        self.choices: list[Choice] = []

    def list_all(self, ws: Workspace, root: Root, goals: Sequence[int], first: int) -> int:
        """Write all questions about some goals from row `first` on; return their number."""
        sets = [some for size in range(1, len(goals)) for some in combinations(goals[1:], size)]
        leads = range(1, root.leads + 1) if root.leads else (0,)
        asked = [(some, lead) for lead in leads for some in sets][:MOST_COMPLETE]
        for k, (some, lead) in enumerate(asked):
            ws.truths[first + k] = 1
            ws.truths[first + k, list(some)] = 0
            ws.asked[first + k] = (2, -1.0, -1, lead)
        room = MOST_COMPLETE - len(asked)
        return len(asked) + self._write_choices(ws, root, first + len(asked), self.choices[:room])

    def choose(self, ws: Workspace, limits: Limits, root: Root, level: int) -> None:
        """Choose the questions on the menu of the state at a level of the stack."""
        first = len(ws.truths) - ROOM_FOR_PROPOSALS
        n = self._propose(ws, root, level, first)
        merits = np.empty(ROOM_FOR_PROPOSALS)
        weight = menus.weigh_up(ws, limits, level, first, n, merits)
        if root.leads > 1:
            n = menus.insist(ws, limits, level, first, n, merits, weight, root.leads)
        menu = int(ws.frames[level]["menu"])
        if menu == 0 and limits.climbs > 0:
            n = menus.climb(ws, limits, level, first, n, merits, weight)
        length, into = 0, menu * limits.kept
        path = _path(menu, limits.kept) if ws.replies.persistent else []
        for k in np.argsort(merits[:n], kind="stable").tolist():
            if length == limits.kept or merits[k] == math.inf:
                break
            if self._fresh(ws, root, first + k, [*path, *range(into, into + length)]):
                ws.truths[into + length], ws.asked[into + length] = ws.truths[first + k], ws.asked[first + k]
                length += 1
        ws.lengths[menu] = length

    def _propose(self, ws: Workspace, root: Root, level: int, first: int) -> int:
        """Write questions worth a look from row `first` on; return their number."""
        room = self.proposing
        w, place, load = (int(ws.frames[level][name]) for name in ("w", "place", "load"))
        levels = ws.levels[level, : len(self.problem.goals)].astype(np.int64)
        odds = np.where(levels > DEAD, ws.world.weight[w] * ws.replies.power[np.where(levels > DEAD, -levels, 0)], 0.0)
        self._odds[w] = odds
        # The loops are compiled for tables that are read only.
        room = room._replace(world=room.world._replace(weight=read_only(self._odds.view())))
        room.sets[room.rows.stack] = mask_rows(odds >= CREDIBLE * odds.max())
        n = _propose(room, self.groups, room.rows.stack, w, place, load)
        menus.take_over(ws, room.sets, room.rows.pool, first, n, min(root.leads, 1))
        return n + self._write_choices(ws, root, first + n, self.choices)

    def _write_choices(self, ws: Workspace, root: Root, first: int, choices: Sequence[Choice]) -> int:
        n_goals = len(self.problem.goals)
        for k, choice in enumerate(choices):
            ws.truths[first + k] = [truth(choice, goal) for goal in range(n_goals)]
            ws.asked[first + k] = (n_answers(choice, n_goals), self.problem.query_cost(choice), k, min(root.leads, 1))
        return len(choices)

    def _fresh(self, ws: Workspace, root: Root, row: int, others: Iterable[int]) -> bool:
        """Whether a question tells something if errors are persistent, and is none of others in any case."""
        truths, goals = ws.truths, list(root.goals)
        mine = truths[row, goals]
        lead = ws.asked[row]["lead"]
        same = any((truths[other, goals] == mine).all() and ws.asked[other]["lead"] == lead for other in others)
        return not same and not (ws.replies.persistent and root.known(self.named(ws, row, root)))

    def named(self, ws: Workspace, row: int, root: Root) -> Question:
        """Return the question in a row as it is asked with the goals that are left.

        Its cheaper side is named, or the other one if that would only be answered as before.
        """
        choice = int(ws.asked[row]["choice"])
        if choice >= 0:
            return self.choices[choice]
        inside = tuple(goal for goal in root.goals if ws.truths[row, goal] == 0)
        outside = tuple(goal for goal in root.goals if ws.truths[row, goal] != 0)
        cheaper = self.price.cheaper(inside, outside)
        if ws.replies.persistent and root.known(cheaper):
            return outside if cheaper == inside else inside
        return cheaper


def _path(menu: int, kept: int) -> list[int]:
    """Return the rows of the questions that led to a menu."""
    path = []
    while menu > 0:
        asked = (menu - 1) // ANSWERS_FOLLOWED
        path.append(asked)
        menu = asked // kept
    return path

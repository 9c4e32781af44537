"""Small planning problems of our own: somebody walks through rooms on a grid, some of them closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from askwise.pddl import Recognition, recognition

DOMAIN = """
(define (domain corridors)
  (:requirements :strips)
  (:predicates (at ?r) (way ?a ?b))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (way ?a ?b)) :effect (and (at ?b) (not (at ?a)))))
"""


def corridors(
    width: int, height: int, goals: Sequence[tuple[int, int]], *, closed: Iterable[tuple[int, int]] = ()
) -> dict[str, str]:
    """Return the files of a problem: from (0, 0) through rooms that are open, to one of the goals."""
    open_rooms = {(x, y) for x in range(width) for y in range(height)} - set(closed)
    rooms = " ".join(_room(room) for room in sorted(open_rooms))
    ways = " ".join(
        f"(way {_room((x, y))} {_room(other)})"
        for x, y in sorted(open_rooms)
        for other in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
        if other in open_rooms
    )
    template = (
        f"(define (problem walk) (:domain corridors) (:objects {rooms}) (:init (at {_room((0, 0))}) {ways}) "
        "(:goal (and <HYPOTHESIS>)))"
    )
    listed = "\n".join(f"(at {_room(goal)})" for goal in goals)
    return {"domain.pddl": DOMAIN, "template.pddl": template, "hyps.dat": listed}


def watched(files: dict[str, str], seen: Sequence[str], true_goal: str = "") -> Recognition:
    """Return a problem in which these actions were seen."""
    more = {"obs.dat": "\n".join(f"({action})" for action in seen), "real_hyp.dat": true_goal}
    return recognition({**files, **more}, name="walk")


def go(*rooms: tuple[int, int]) -> list[str]:
    """Return the actions of a walk."""
    return [f"go {_room(a)} {_room(b)}" for a, b in pairwise(rooms)]


def _room(room: tuple[int, int]) -> str:
    return f"r{room[0]}-{room[1]}"

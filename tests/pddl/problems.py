"""Small planning problems in the format of goal-recognition data sets, written for the tests."""

from __future__ import annotations

from itertools import pairwise, product

Files = dict[str, str]

BLOCKS = """
; four operators, one hand
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?x ?y - block) (ontable ?x - block) (clear ?x - block) (holding ?x - block) (handempty))
  (:action pick-up :parameters (?x - block)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down :parameters (?x - block)
    :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack :parameters (?x - block ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action unstack :parameters (?x - block ?y - block)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))
"""


def blocks(names: str, goals: list[str]) -> Files:
    """Return blocks that all stand on the table; a goal is a word, its first letter on top."""
    table = " ".join(f"(ontable {name}) (clear {name})" for name in names)
    template = f"""(define (problem words) (:domain blocks) (:objects {" ".join(names)} - block)
      (:init (handempty) {table}) (:goal (and <HYPOTHESIS>)))"""
    return {"domain.pddl": BLOCKS, "template.pddl": template, "hyps.dat": "\n".join(map(tower, goals))}


def tower(word: str) -> str:
    """Return the goal that a word is spelt, from the top down."""
    letters = word.lower()
    pairs = [f"(on {upper} {lower})" for upper, lower in pairwise(letters)]
    return ", ".join([f"(clear {letters[0]})", *pairs, f"(ontable {letters[-1]})"])


GRID = """
(define (domain walk)
  (:requirements :strips :typing)
  (:types place key)
  (:predicates (beside ?a ?b - place) (robot ?a - place) (open ?a - place) (lies ?k - key ?a - place)
               (held ?k - key) (opens ?k - key ?a - place))
  (:action MOVE :parameters (?a ?b - place)
    :precondition (and (robot ?a) (beside ?a ?b) (open ?b))
    :effect (and (not (robot ?a)) (robot ?b)))
  (:action TAKE :parameters (?k - key ?a - place)
    :precondition (and (robot ?a) (lies ?k ?a))
    :effect (and (held ?k) (not (lies ?k ?a))))
  (:action UNLOCK :parameters (?a ?b - place ?k - key)
    :precondition (and (robot ?a) (beside ?a ?b) (held ?k) (opens ?k ?b))
    :effect (open ?b)))
"""


def grid(rows: list[str], keys: dict[str, str] | None = None) -> Files:
    """Return a grid drawn in text, the top row first: ``S`` start, digits goals, ``#`` walls, capital letters doors.

    A door ``D`` is locked, and opened by the key that lies on the cell marked with the small letter ``d``.
    """
    cells = {(x, y): sign for y, row in enumerate(reversed(rows)) for x, sign in enumerate(row) if sign != "#"}
    name = {cell: f"c{cell[0]}-{cell[1]}" for cell in cells}
    doors = {cell: sign for cell, sign in cells.items() if sign.isupper() and sign != "S"}
    atoms = [f"(robot {name[cell]})" for cell, sign in cells.items() if sign == "S"]
    atoms += [f"(open {name[cell]})" for cell in cells if cell not in doors]
    for (x, y), (dx, dy) in product(cells, ((1, 0), (-1, 0), (0, 1), (0, -1))):
        if (x + dx, y + dy) in cells:
            atoms.append(f"(beside {name[x, y]} {name[x + dx, y + dy]})")
    for cell, sign in doors.items():
        at = next(other for other, mark in cells.items() if mark == sign.lower())
        atoms += [f"(lies k{sign.lower()} {name[at]})", f"(opens k{sign.lower()} {name[cell]})"]
    held = sorted({f"k{sign.lower()}" for sign in doors.values()})
    objects = " ".join(name.values()) + " - place" + (f" {' '.join(held)} - key" if held else "")
    goals = sorted((sign, cell) for cell, sign in cells.items() if sign.isdigit())
    template = f"""(define (problem floor) (:domain walk) (:objects {objects})
      (:init {" ".join(atoms)}) (:goal (and <HYPOTHESIS>)))"""
    return {
        "domain.pddl": GRID,
        "template.pddl": template,
        "hyps.dat": "\n".join(f"(robot {name[cell]})" for _, cell in goals),
    }


TWO_EXITS = grid(["1...2", ".....", ".....", ".....", "..S.."])
"""A room with one entrance and two exits: four steps straight on, two to the side."""

KEYS = grid(["1.#.2", ".dDe.", "..#E.", ".S#.3"])

LOGISTICS = {
    "domain.pddl": """
(define (domain logistics) (:requirements :strips :typing)
  (:types vehicle parcel - object truck plane - vehicle place - object airport - place city)
  (:predicates (at ?x - (either vehicle parcel) ?p - place) (in ?x - parcel ?v - vehicle) (city ?p - place ?c - city))
  (:action load :parameters (?x - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?x ?p) (at ?v ?p)) :effect (and (in ?x ?v) (not (at ?x ?p))))
  (:action unload :parameters (?x - parcel ?v - vehicle ?p - place)
    :precondition (and (in ?x ?v) (at ?v ?p)) :effect (and (at ?x ?p) (not (in ?x ?v))))
  (:action drive :parameters (?t - truck ?a ?b - place ?c - city)
    :precondition (and (at ?t ?a) (city ?a ?c) (city ?b ?c) (not (= ?a ?b))) :effect (and (at ?t ?b) (not (at ?t ?a))))
  (:action fly :parameters (?v - plane ?a ?b - airport)
    :precondition (and (at ?v ?a) (not (= ?a ?b))) :effect (and (at ?v ?b) (not (at ?v ?a)))))
""",
    "template.pddl": """
(define (problem post) (:domain logistics)
  (:objects t1 t2 - truck jet - plane p1 p2 - place a1 a2 - airport c1 c2 - city red blue - parcel)
  (:init (at t1 p1) (at t2 a2) (at jet a2) (at red p1) (at blue a1)
    (city p1 c1) (city a1 c1) (city p2 c2) (city a2 c2)) (:goal (and <HYPOTHESIS>)))
""",
    "hyps.dat": "(at red p2)\n(at red a1), (at blue p1)\n(at blue p2)\n(at red a2), (at blue a2)\n",
}

INTRUSION = {
    "domain.pddl": """
(define (domain intrusion) (:requirements :strips :typing :action-costs) (:types host)
  (:predicates (looked ?h - host) (inside ?h - host) (root ?h - host) (stolen ?h - host) (wiped ?h - host))
  (:functions (total-cost) - number)
  (:action look :parameters (?h - host) :effect (and (looked ?h) (increase (total-cost) 1)))
  (:action enter :parameters (?h - host) :precondition (looked ?h) :effect (and (inside ?h) (increase (total-cost) 1)))
  (:action rise :parameters (?h - host) :precondition (inside ?h) :effect (and (root ?h) (increase (total-cost) 1)))
  (:action steal :parameters (?h - host) :precondition (root ?h) :effect (and (stolen ?h) (increase (total-cost) 1)))
  (:action wipe :parameters (?h - host) :precondition (root ?h) :effect (and (wiped ?h) (increase (total-cost) 1))))
""",
    "template.pddl": """
(define (problem net) (:domain intrusion) (:objects web mail base - host) (:init (= (total-cost) 0))
  (:goal (and <HYPOTHESIS>)) (:metric minimize (total-cost)))
""",
    "hyps.dat": "(stolen base)\n(wiped web), (wiped mail)\n(stolen web), (stolen mail)\n(stolen mail), (wiped base)\n",
}

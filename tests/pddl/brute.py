"""All optimal plans in whole numbers: states are sets of words, plans are listed one by one. Slow and obvious."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Action:
    """What has to hold, what must not hold, what becomes true and false; what is both becomes true."""

    name: str
    needs: frozenset[str]
    avoids: frozenset[str]
    adds: frozenset[str]
    deletes: frozenset[str]

    def after(self, state: frozenset[str]) -> frozenset[str] | None:
        if not self.needs <= state or self.avoids & state:
            return None
        return (state - self.deletes) | self.adds


@dataclass(frozen=True)
class Puzzle:
    """Actions, what holds at first, goals as (wanted, unwanted)."""

    words: tuple[str, ...]
    actions: tuple[Action, ...]
    initial: frozenset[str]
    goals: tuple[tuple[frozenset[str], frozenset[str]], ...]

    def pddl(self) -> dict[str, str]:
        """Return the same as the files of a data set."""
        lines = ["(define (domain puzzle) (:requirements :strips :negative-preconditions)"]
        lines.append("(:predicates " + " ".join(f"({word})" for word in self.words) + ")")
        for action in self.actions:
            before = _conjunction(action.needs, action.avoids)
            lines.append(f"(:action {action.name} :parameters () :precondition {before}")
            lines.append(f"  :effect {_conjunction(action.adds, action.deletes)})")
        held = " ".join(f"({word})" for word in sorted(self.initial))
        template = f"(define (problem p) (:domain puzzle) (:init {held}) (:goal (and <HYPOTHESIS>)))"
        goals = "\n".join(", ".join(_atoms(*goal)) for goal in self.goals)
        return {"domain.pddl": "\n".join([*lines, ")"]), "template.pddl": template, "hyps.dat": goals}


def _atoms(wanted: frozenset[str], unwanted: frozenset[str]) -> list[str]:
    return [f"({word})" for word in sorted(wanted)] + [f"(not ({word}))" for word in sorted(unwanted)]


def _conjunction(wanted: frozenset[str], unwanted: frozenset[str]) -> str:
    return "(and " + " ".join(_atoms(wanted, unwanted)) + ")"


def holds(goal: tuple[frozenset[str], frozenset[str]], state: frozenset[str]) -> bool:
    return goal[0] <= state and not goal[1] & state


def optimal_plans(puzzle: Puzzle, goal: tuple[frozenset[str], frozenset[str]]) -> list[tuple[str, ...]]:
    """Return every optimal plan, as names of actions; none if the goal cannot be reached.

    Actions of one name that lead to different states are different: then a plan is listed once for each.
    """
    layer: dict[frozenset[str], list[tuple[str, ...]]] = {puzzle.initial: [()]}
    met = {puzzle.initial}
    while layer:
        reached = [plan for state, plans in layer.items() if holds(goal, state) for plan in plans]
        if reached:
            return reached
        following: dict[frozenset[str], list[tuple[str, ...]]] = {}
        for state, plans in layer.items():
            steps = {(action.name, action.after(state)): None for action in puzzle.actions}
            for name, after in steps:
                if after is not None and after not in met:
                    following.setdefault(after, []).extend((*plan, name) for plan in plans)
        met |= following.keys()
        layer = following
    return []


@dataclass(frozen=True)
class Apart:
    """How long two goals look alike: infinite values are None."""

    edp: Fraction | None
    capped: Fraction
    prefix: int


def apart(ruled_out: Sequence[tuple[str, ...]], pursued: Sequence[tuple[str, ...]]) -> Apart:
    """Follow every plan of `pursued` until it begins none of `ruled_out`; staying is the step after the last."""
    beginnings = {plan[:k] for plan in ruled_out for k in range(len(plan) + 1)}
    whole = set(ruled_out)
    steps, never, longest = [], False, 0
    for plan in pursued:
        common = max(k for k in range(len(plan) + 1) if plan[:k] in beginnings)
        longest = max(longest, common)
        never |= plan in whole
        steps.append(common + 1)
    capped = Fraction(sum(steps), len(steps))
    return Apart(None if never else capped, capped, longest)

"""Where everybody is, as people say it, remembered by state: a whole scene for each would be most of a move's work."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from askwise.core.problem import JointState, Problem
from askwise.domains.registry import words_of
from askwise.text.reading import printable
from askwise.text.vocabulary import Vocabulary
from askwise.view.grounds import Place
from askwise.view.stage import scene_of


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one of the agents is.

    Attributes:
        at: where it is drawn.
        place: in words.
        carried: the name on what it carries, empty if that is nothing.
        hands: the same in words, empty where nothing can be carried.
    """

    at: Place
    place: str
    carried: str = ""
    hands: str = ""


@dataclass
class Places:
    """The places of one problem; the teammate's do not depend on where the ego agent is, nor the other way round.

    Attributes:
        words: what things are called.
        board: what all rounds of the problem show (`askwise.studio.rounds.sight`), empty before the first.
        teammate: where the teammate is, by state.
        ego: the same of the ego agent.
    """

    words: Vocabulary
    board: dict[str, Any] = field(default_factory=dict)
    teammate: dict[int, Spot] = field(default_factory=dict)
    ego: dict[int, Spot] = field(default_factory=dict)

    def of_teammate(self, problem: Problem, state: int) -> Spot:
        """Return where the teammate is."""
        if state not in self.teammate:
            figure = scene_of(problem, JointState(state, problem.start.ego)).teammate
            self.teammate[state] = Spot(figure.at, figure.place)
        return self.teammate[state]

    def of_ego(self, problem: Problem, state: int) -> Spot:
        """Return where the ego agent is, and what it has in hand."""
        if state not in self.ego:
            scene = scene_of(problem, JointState(problem.start.teammate, state))
            self.ego[state] = Spot(scene.ego.at, scene.ego.place, printable(scene.carried), scene.hands)
        return self.ego[state]


_KNOWN: dict[int, Places] = {}
"""By the identity of the problem, for as long as it lives: problems need not be hashable."""


def places_in(problem: Problem) -> Places:
    """Return the places of a problem."""
    key = id(problem)
    if key not in _KNOWN:
        _KNOWN[key] = Places(words_of(problem))
        weakref.finalize(problem, _KNOWN.pop, key, None)
    return _KNOWN[key]

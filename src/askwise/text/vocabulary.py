"""What a domain calls things: the words that accounts, explanations, drawings and pages use in its place."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from askwise.text.wording import plural


@dataclass(frozen=True, slots=True)
class Site:
    """A place in one problem that matters and is no goal, such as a toolbox: drawings show it as a landmark.

    Attributes:
        name: what it is called.
        at: the name of its state in the teammate's model, such as a cell.
        goals: names of the goals whose loads are there.
    """

    name: str
    at: Hashable
    goals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a domain or of one of its problems, all in the singular; the default fits any problem.

    Attributes:
        title: what the domain is called, at the head of a text.
        teammate: the teammate.
        ego: the ego agent.
        goal: a goal.
        landmark: a place that matters and is no goal, empty if there are none.
        load: what the ego agent can carry, empty if it carries nothing.
        teammate_sign: the teammate's letter in drawings.
        ego_sign: the ego agent's.
        landmark_sign: a landmark's.
        stays: what the teammate does at its goal.
        handling: what the ego agent's actions are that are neither a move nor waiting, as one.
        done: a sentence that says that an episode is over.
        achieved: one that says what was achieved, with ``{goal}`` for the goal's name.
        sites: the landmarks of one problem; none in the words of a whole domain.
        prior: how likely the goals of one problem are, in a few words; empty where the goals are listed instead.
    """

    title: str = "Two agents"
    teammate: str = "teammate"
    ego: str = "ego agent"
    goal: str = "goal"
    landmark: str = ""
    load: str = ""
    teammate_sign: str = "T"
    ego_sign: str = "E"
    landmark_sign: str = "L"
    stays: str = "stays"
    handling: str = "another action"
    done: str = "The goal is reached."
    achieved: str = "Both are where {goal} needs them."
    sites: tuple[Site, ...] = ()
    prior: str = ""

    @property
    def goals(self) -> str:
        """Several goals."""
        return plural(self.goal)

    @property
    def landmarks(self) -> str:
        """Several landmarks."""
        return plural(self.landmark)


PLAIN = Vocabulary()
"""The words for problems of which nobody says more."""

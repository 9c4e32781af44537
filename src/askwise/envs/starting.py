"""How episodes begin: where problems come from, and how randomness is shared out.

Every reset spawns three generators from the environment's own, in the order of `askwise.simulate`: for the goal, for
the teammate, and one more, which here draws the problem if none was given. So ``reset(seed=s)`` on a given problem
meets the same goal and the same teammate as ``askwise.simulate(problem, ..., seed=s)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from askwise.core.game import Game
from askwise.core.problem import Problem
from askwise.errors import InputError, did_you_mean
from askwise.model.names import as_int
from askwise.play.simulate import chosen_goal
from askwise.seeds import spawn


class Source(Protocol):
    """Where the problems of an environment come from; all of them have as many goals and actions.

    Attributes:
        option: name of the option of ``reset`` that chooses what is played in one episode.
    """

    option: str

    @property
    def example(self) -> Problem:
        """One of the problems."""

    @property
    def limit(self) -> int | None:
        """Steps after which an episode is cut off if nobody says; None leaves it to the game."""

    def draw(self, rng: np.random.Generator) -> Problem:
        """Return the problem of the next episode."""

    def given(self, chosen: Any) -> Problem:
        """Return what the option chooses, or refuse it."""

    def check(self, problem: Problem) -> None:
        """Refuse a problem that has another shape than those of this source."""


def begin(
    source: Source,
    rng: np.random.Generator,
    options: Mapping[str, Any] | None,
    max_steps: int | None,
    empty_questions: bool = True,
    answering: Callable[[Problem], Problem] | None = None,
) -> tuple[Game, np.random.Generator]:
    """Return a new episode and the generator of the teammate.

    Args:
        source: where its problem comes from.
        rng: the environment's own generator.
        options: may have a ``goal``, and another problem under the name that the source gives it.
        max_steps: steps after which the episode is cut off.
        empty_questions: whether questions about no goal can be asked.
        answering: returns the problem with a teammate that answers in another way, if it should.
    """
    options = options or {}
    for_goal, for_teammate, for_problem = spawn(rng, 3)
    chosen = options.get(source.option)
    problem = source.draw(for_problem) if chosen is None else source.given(chosen)
    problem = problem if answering is None else answering(problem)
    # One more, in the order of `simulate`, where chance has a say in answers.
    for_answers = None if problem.answers.truthful else spawn(rng, 1)[0]
    goal = chosen_goal(problem, options.get("goal"), for_goal)
    limit = max_steps or source.limit
    game = Game(
        problem,
        goal,
        max_steps=limit,
        empty_questions=empty_questions,
        full_questions=True,
        answer_seed=for_answers,
    )
    return game, for_teammate


def checked_options(options: Mapping[str, Any] | None, source: Source) -> None:
    """Refuse options that would be ignored."""
    known = ["goal", source.option]
    for name in options or {}:
        if name not in known:
            raise InputError("option", repr(name), one_of(known, name))


def checked_limit(max_steps: int | None) -> int | None:
    """Return `max_steps` if it is a limit."""
    limit = None if max_steps is None else as_int(max_steps)
    if max_steps is not None and (limit is None or limit < 1):
        raise InputError("max_steps", repr(max_steps), "a whole number from 1, or None")
    return limit


def one_of(names: Iterable[str], found: str) -> str:
    """Return what is allowed, and the name that was probably meant."""
    names = list(names)
    return "one of " + ", ".join(names) + did_you_mean(found, names)

"""What environments have in common, whoever is played from outside: where episodes come from and how they look."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from askwise.core.answers import AnswerModel
from askwise.core.game import Game
from askwise.core.problem import Problem, checked_answers
from askwise.core.question_json import parse_answers
from askwise.envs.observing import Observer
from askwise.envs.playing import Masks, Play
from askwise.envs.rendering import Painter, Renderer
from askwise.envs.starting import Source, begin, checked_limit


@dataclass(frozen=True)
class Staging:
    """What a domain hands to an environment.

    Attributes:
        source: where problems come from.
        observer: what players see.
        painter: how episodes are drawn.
        goal_word: what a goal is called, for messages.
        masks: how to find out which actions are available, if the domain knows a faster way than trying them.
        empty_questions: whether a question about no goal can be asked; else it is an action that is not available.
    """

    source: Source
    observer: Observer
    painter: Painter
    goal_word: str = "goal"
    masks: type[Masks] = Masks
    empty_questions: bool = True


class Stage:
    """The episode in progress of one environment, and how to begin the next.

    Args:
        staging: what the domain says.
        max_steps: steps after which an episode is cut off, None for the domain's own limit.
        render_mode: how episodes are drawn, None for not at all.
        answers: how questions are answered, None for as the problems say.
    """

    def __init__(
        self,
        staging: Staging,
        max_steps: int | None,
        render_mode: str | None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        self.staging = staging
        self.answers = parse_answers(answers) if isinstance(answers, str) else answers
        self.observe = staging.observer
        model = staging.source.example.answers if answers is None else checked_answers(self.answers)
        if model.refused:
            # A reply more than where every question is answered.
            self.observe.space.spaces["answer"] = spaces.Discrete(4)
        self._answering: tuple[Problem, Problem] | None = None
        self.render = Renderer(staging.painter, render_mode)
        self._max_steps = checked_limit(max_steps)
        self._play: Play | None = None
        self._prepared: Problem | None = None

    @property
    def play(self) -> Play:
        """The episode in progress."""
        if self._play is None:
            raise ResetNeeded("call reset() first")
        return self._play

    def running(self) -> Play:
        """Return the episode in progress, if it can go on."""
        play = self.play
        if play.game.over:
            raise ResetNeeded("the episode is over: call reset() first")
        return play

    def begin(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> np.random.Generator:
        """Begin an episode and return the generator of the teammate."""
        staging = self.staging
        answering = None if self.answers is None else self._answered
        game, for_teammate = begin(staging.source, rng, options, self._max_steps, staging.empty_questions, answering)
        self._play = self._played(game)
        return for_teammate

    def follow(self, problem: Problem) -> Play:
        """Return a new episode that is played elsewhere, where its goal is known; see `Play.follow`."""
        self.staging.source.check(problem)
        return self._played(Game(problem, max_steps=sys.maxsize, empty_questions=True, full_questions=True))

    def seen(self, play: Play) -> dict[str, Any]:
        """Return what players see of an episode, of this environment's own or one that is followed."""
        self._prepare(play.game.problem)
        return self.observe(play)

    def _played(self, game: Game) -> Play:
        self._prepare(game.problem)
        return Play(game, self._masks)

    def _prepare(self, problem: Problem) -> None:
        if self._prepared is not problem:
            self._prepared = problem
            self.observe.begin(problem)
            self._masks = self.staging.masks(problem)

    def _answered(self, problem: Problem) -> Problem:
        """Return a problem with other answers; the same as last time if the problem is."""
        assert self.answers is not None
        if self._answering is None or self._answering[0] is not problem:
            self._answering = problem, problem.with_answers(self.answers)
        return self._answering[1]

    def show_if_watched(self) -> None:
        """Draw the moment in the window, if there is one to be drawn in."""
        if self.render.mode == "human":
            self.render(self.play)

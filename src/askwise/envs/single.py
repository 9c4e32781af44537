"""Any problem as a Gymnasium environment: you are the ego agent, and a simulated teammate is the other."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.teammates import Teammate, make_teammate
from askwise.envs.acting import ego_action, ego_space
from askwise.envs.playing import Play
from askwise.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES
from askwise.envs.stage import Stage, Staging
from askwise.envs.starting import checked_options


class GameEnv(gymnasium.Env[dict[str, Any], tuple[int, Any]]):
    """Base of Gymnasium environments: a shell over `askwise.core.game.Game`.

    ``(0, k)`` does ontic action ``k``, or nothing if it is not available; ``(1, q)`` asks about the goals with a 1 in
    ``q``. The reward is the negative cost of the step. A domain makes a subclass that says in its `Staging` where
    problems come from, what is seen and how it is drawn.

    Args:
        staging: what the domain says.
        teammate: the teammate, or the name of one.
        max_steps: steps after which an episode is cut off, by default the domain's own limit.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
        answers: how questions are answered, such as ``"wrong:0.05,refused:0.1"``; by default as the problem says.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        staging: Staging,
        *,
        teammate: str | Teammate = "urop",
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        self.stage = Stage(staging, max_steps, render_mode, answers)
        # A vector environment hands the same object to all its members, and teammates remember things.
        self._teammate = copy.deepcopy(make_teammate(teammate))
        self.render_mode = render_mode
        self.action_space = ego_space(staging.source.example)
        self.observation_space: spaces.Dict = staging.observer.space
        self.flat_question: Callable[[int], tuple[str, ...] | None] | None = None

    @property
    def play(self) -> Play:
        """The episode in progress. Its game knows the goal: for wrappers and tests, not for agents."""
        return self.stage.play

    @property
    def problem(self) -> Problem:
        """What is played in this episode."""
        return self.play.game.problem

    def question(self, action: Any) -> tuple[str, ...] | None:
        """Return the goals that an action would ask about now, by name; None if it does not ask.

        An action is a pair, as of this environment, or a number, as of a `askwise.envs.flat.FlatEnv` around it:
        ``env.unwrapped.question(action)`` serves both.
        """
        if self.flat_question is not None and not isinstance(action, tuple | list):
            return self.flat_question(action)
        chosen = ego_action(action, self.problem, self.stage.staging.goal_word)
        if isinstance(chosen, int):
            return None
        return tuple(self.problem.goals[goal] for goal in np.flatnonzero(chosen).tolist())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; see the class for `options`."""
        super().reset(seed=seed)
        checked_options(options, self.stage.staging.source)
        for_teammate = self.stage.begin(self.np_random, options)
        game = self.play.game
        assert game.goal is not None
        self._teammate.reset(game.problem, game.goal, for_teammate)
        return self._seen(illegal=False)

    def step(self, action: tuple[int, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Act or ask; see the class."""
        play = self.stage.running()
        game = play.game
        wanted = ego_action(action, game.problem, self.stage.staging.goal_word)
        done = play.available_to_ego(wanted)
        if isinstance(done, int):
            game.act(done, self._teammate.act(game.state.teammate))
        else:
            play.ask(done)
        observation, info = self._seen(illegal=done is not wanted)
        return observation, -game.step_cost, game.finished, game.truncated, info

    def _seen(self, illegal: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        play = self.play
        self.stage.show_if_watched()
        return self.stage.seen(play), play.info(illegal, play.ego_mask())

    def render(self) -> Any:
        """Return text or pixels, according to `render_mode`; a window shows itself."""
        return self.stage.render(self.play)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.stage.render.close()

"""Any problem as a PettingZoo environment: teammate and ego agent, both played from outside."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from askwise.core.answers import AnswerModel
from askwise.envs.acting import ego_action, ego_space, ontic_action
from askwise.envs.playing import Play
from askwise.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES
from askwise.envs.stage import Stage, Staging
from askwise.errors import InputError

Told = dict[str, dict[str, Any]]
"""What each agent is told."""


class GameParallelEnv(ParallelEnv[str, dict[str, Any], Any]):  # type: ignore[misc]  # untyped base
    """Base of PettingZoo environments: a shell over `askwise.core.game.Game`.

    Both agents act in every step; if the ego agent asks, nobody moves, and the environment answers. Only the teammate
    is told the goal. A domain makes a subclass with its own names for the two.

    Args:
        staging: what the domain says.
        max_steps: steps after which an episode is cut off, by default the domain's own limit.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
        answers: how questions are answered, such as ``"wrong:0.05,refused:0.1"``; by default as the problem says.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": True,
    }
    teammate: ClassVar[str] = "teammate"
    ego: ClassVar[str] = "ego"

    def __init__(
        self,
        staging: Staging,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        self.stage = Stage(staging, max_steps, render_mode, answers)
        self.render_mode = render_mode
        self.possible_agents = [self.teammate, self.ego]
        self.agents: list[str] = []
        example, seen = staging.source.example, staging.observer.space
        self.observation_spaces = {
            self.teammate: spaces.Dict({**seen.spaces, "goal": spaces.Discrete(len(example.goals))}),
            self.ego: seen,
        }
        self.action_spaces = {
            self.teammate: spaces.Discrete(len(example.teammate.actions.names)),
            self.ego: ego_space(example),
        }
        self._rng: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `agent` sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `agent` can do."""
        return self.action_spaces[agent]

    @property
    def play(self) -> Play:
        """The episode in progress."""
        return self.stage.play

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Told, Told]:
        """Begin an episode; see the class for `options`."""
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        self.stage.begin(self._rng, options)
        self.agents = list(self.possible_agents)
        return self._seen(dict.fromkeys(self.agents, False))

    def step(self, actions: dict[str, Any]) -> tuple[Told, dict[str, float], dict[str, bool], dict[str, bool], Told]:
        """Let both act, or the ego agent ask; see the class."""
        game = self.stage.running().game
        if actions.keys() != {self.teammate, self.ego}:
            found = ", ".join(map(str, actions)) or "nobody"
            raise InputError("actions", f"those of {found}", f"one of {self.teammate} and one of {self.ego}")
        illegal = self._do(actions[self.teammate], actions[self.ego])
        agents = self.agents
        if game.over:
            self.agents = []
        observations, infos = self._seen(illegal)
        return (
            observations,
            dict.fromkeys(agents, -game.step_cost),
            dict.fromkeys(agents, game.finished),
            dict.fromkeys(agents, game.truncated),
            infos,
        )

    def _do(self, teammate: object, ego: object) -> dict[str, bool]:
        """Carry the step out and return whose action was not available."""
        play, problem = self.play, self.play.game.problem
        theirs = ontic_action(teammate, len(problem.teammate.actions.names), f"{self.teammate}'s action")
        own = ego_action(ego, problem, self.stage.staging.goal_word)
        done_by_ego = play.available_to_ego(own)
        if not isinstance(done_by_ego, int):
            play.ask(done_by_ego)
            return {self.teammate: False, self.ego: False}
        done_by_teammate = play.available_to_teammate(theirs)
        play.game.act(done_by_ego, done_by_teammate)
        return {self.teammate: done_by_teammate != theirs, self.ego: done_by_ego is not own}

    def _seen(self, illegal: dict[str, bool]) -> tuple[Told, Told]:
        stage, play = self.stage, self.play
        stage.show_if_watched()
        observations = {
            self.teammate: {**stage.seen(play), "goal": play.game.goal},
            self.ego: stage.seen(play),
        }
        infos = {
            self.teammate: play.info(illegal[self.teammate], play.teammate_mask()),
            # Questions are always allowed, which is what None says to the space.
            self.ego: play.info(illegal[self.ego], (play.ego_mask(), None)),
        }
        return observations, infos

    def render(self) -> Any:
        """Return text or pixels, according to `render_mode`; a window shows itself."""
        return self.stage.render(self.play)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.stage.render.close()

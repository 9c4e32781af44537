"""The base class of the PettingZoo environments: you control both the teammate and the ego agent."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from askwise.core.answers import AnswerModel
from askwise.envs.episodes import Episodes, Observer, ProblemSource
from askwise.envs.play import FRAMES_PER_SECOND, RENDER_MODES, Play, action_number, ego_action, ego_space
from askwise.errors import InputError

ByAgent: TypeAlias = dict[str, dict[str, Any]]
"""The observation or the info dict of each agent, by the agent's name."""


class GameParallelEnv(ParallelEnv[str, dict[str, Any], Any]):  # type: ignore[misc]  # untyped base
    """Base class of the PettingZoo environments, which play by the rules of `askwise.core.game.Game`.

    Both agents act in every step. If the ego agent asks, both stay in place. Only the teammate sees the goal.

    Args:
        source: supplies the problem of each episode.
        observer: makes the observations, without the goal.
        max_steps: limit on the steps of an episode; None for that of `source`.
        render_mode: ``"ansi"`` (text), ``"rgb_array"`` (pixels), ``"human"`` (a window) or None (nothing).
        answers: how often answers are wrong or missing: an `AnswerModel` or a text such as
            ``"wrong:0.05,refused:0.1"``; None for what each problem states.

    Attributes:
        teammate: the name of the agent that knows the goal.
        ego: the name of the agent that asks.
        episodes: starts the episodes and holds the current one.
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
        source: ProblemSource,
        observer: Observer,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        self.episodes = Episodes(source, observer, max_steps, render_mode, answers)
        self.render_mode = render_mode
        self.possible_agents = [self.teammate, self.ego]
        self.agents: list[str] = []
        example, space = source.example, observer.space
        self.observation_spaces = {
            self.teammate: spaces.Dict({**space.spaces, "goal": spaces.Discrete(len(example.goals))}),
            self.ego: space,
        }
        self.action_spaces = {
            self.teammate: spaces.Discrete(len(example.teammate.actions.names)),
            self.ego: ego_space(example),
        }
        self._rng: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the observations of the agent with the name `agent`.

        The teammate's observations also contain the goal.
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of the agent with the name `agent`; that of the ego agent includes questions."""
        return self.action_spaces[agent]

    @property
    def play(self) -> Play:
        """The current episode.

        Raises `ResetNeeded` before the first `reset`.
        """
        return self.episodes.play

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ByAgent, ByAgent]:
        """Start an episode; return the observation of each agent and the info dict of each agent, by agent name.

        Args:
            seed: random seed; None continues with the last random generator.
            options: ``goal`` is the goal by name or index; if missing, it is drawn from the prior. ``problem`` (in tool
                fetching, ``instance``) is the problem; if missing, the environment chooses it.
        """
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        self.episodes.start(self._rng, options)
        self.agents = list(self.possible_agents)
        return self._observed(dict.fromkeys(self.agents, False))

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[ByAgent, dict[str, float], dict[str, bool], dict[str, bool], ByAgent]:
        """Take one action of each agent, by agent name; a question of the ego agent keeps both agents in place.

        Returns:
            observations, rewards (the negative cost of the step), terminated, truncated and info, each by agent name.
        """
        game = self.episodes.running().game
        if actions.keys() != {self.teammate, self.ego}:
            found = ", ".join(map(str, actions)) or "no agent"
            raise InputError("actions", f"those of {found}", f"one of {self.teammate} and one of {self.ego}")
        illegal = self._do(actions[self.teammate], actions[self.ego])
        agents = self.agents
        if game.over:
            self.agents = []
        observations, infos = self._observed(illegal)
        return (
            observations,
            dict.fromkeys(agents, -game.step_cost),
            dict.fromkeys(agents, game.finished),
            dict.fromkeys(agents, game.truncated),
            infos,
        )

    def _do(self, teammate: object, ego: object) -> dict[str, bool]:
        """Carry out the actions of both agents; return, by agent name, whether the agent's action was not available.

        An action that is not available does nothing. The ego agent's action is ``(0, index)``, or
        ``(1, zeros and ones)`` for a question. A question cancels the teammate's action.
        """
        play, problem = self.play, self.play.game.problem
        teammate_wants = action_number(teammate, len(problem.teammate.actions.names), f"{self.teammate}'s action")
        ego_wants = ego_action(ego, problem, self.episodes.source.goal_word)
        ego_does = play.available_to_ego(ego_wants)
        if not isinstance(ego_does, int):
            play.ask(ego_does)
            return {self.teammate: False, self.ego: False}
        teammate_does = play.available_to_teammate(teammate_wants)
        play.game.act(ego_does, teammate_does)
        return {self.teammate: teammate_does != teammate_wants, self.ego: ego_does is not ego_wants}

    def _observed(self, illegal: dict[str, bool]) -> tuple[ByAgent, ByAgent]:
        episodes, play = self.episodes, self.play
        episodes.render_if_human()
        observations = {
            self.teammate: {**episodes.observe(play), "goal": play.game.goal},
            self.ego: episodes.observe(play),
        }
        infos = {
            self.teammate: play.info(illegal[self.teammate], play.teammate_mask()),
            # None: all questions are allowed; see `gymnasium.spaces.OneOf.sample`.
            self.ego: play.info(illegal[self.ego], (play.ego_mask(), None)),
        }
        return observations, infos

    def render(self) -> Any:
        """Return text or pixels, depending on `render_mode`; in mode ``"human"``, draw in a window and return None."""
        return self.episodes.render(self.play)

    def close(self) -> None:
        """Close the window of render mode ``"human"``, if there is one."""
        self.episodes.render.close()

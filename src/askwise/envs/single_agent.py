"""The Gymnasium environments: you are the ego agent, and the teammate is simulated."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack, cast

import gymnasium
import numpy as np
from gymnasium import spaces

from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.teammates import Teammate, make_teammate, teammate_for
from askwise.envs.episodes import Episodes, Observer, ProblemObserver, ProblemSource
from askwise.envs.play import FRAMES_PER_SECOND, RENDER_MODES, Play, ego_action, ego_space

if TYPE_CHECKING:
    from pathlib import Path

    from askwise.domains.tool_fetching import Instance, ToolFetching
    from askwise.envs.tool_fetching import Settings


class GameEnv(gymnasium.Env[dict[str, Any], tuple[int, Any]]):
    """Base class of the Gymnasium environments, which play by the rules of `askwise.core.game.Game`.

    The action ``(0, k)`` takes action ``k``, or does nothing if ``k`` is not available. ``(1, q)`` asks about the goals
    with a 1 in ``q``. The reward is the negative cost of the step.

    Args:
        source: supplies the problem of each episode.
        observer: makes the ego agent's observations.
        teammate: a `Teammate`, or a name from `askwise.core.teammates`, such as ``"urop"`` (draws one of all shortest
            plans).
        max_steps: limit on the steps of an episode; None for that of `source`.
        render_mode: ``"ansi"`` (text), ``"rgb_array"`` (pixels), ``"human"`` (a window) or None (nothing).
        answers: how often answers are wrong or missing: an `AnswerModel` or a text such as
            ``"wrong:0.05,refused:0.1"``; None for what each problem states.

    Attributes:
        episodes: starts the episodes and holds the current one.
        flat_question: returns the goals that an action of a `FlatEnv` around this environment asks about; None without
            such a wrapper.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        source: ProblemSource,
        observer: Observer,
        *,
        teammate: str | Teammate = "urop",
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        self.episodes = Episodes(source, observer, max_steps, render_mode, answers)
        # A vector environment passes the same object to all its members, and teammates have state.
        self._teammate = copy.deepcopy(make_teammate(teammate))
        self.render_mode = render_mode
        self.action_space = ego_space(source.example)
        self.observation_space: spaces.Dict = observer.space
        self.flat_question: Callable[[int], tuple[str, ...] | None] | None = None

    @property
    def play(self) -> Play:
        """The current episode, for wrappers and tests, but not for agents, because it contains the teammate's goal."""
        return self.episodes.play

    @property
    def problem(self) -> Problem:
        """The problem of the current episode."""
        return self.play.game.problem

    def question(self, action: Any) -> tuple[str, ...] | None:
        """Return the names of the goals that an action would ask about now; None if it is not a question.

        Args:
            action: ``(0, k)`` or ``(1, zeros and ones)``; inside an `askwise.envs.flat.FlatEnv`, the index of one of
                its actions.
        """
        if self.flat_question is not None and not isinstance(action, tuple | list):
            return self.flat_question(action)
        chosen = ego_action(action, self.problem, self.episodes.source.goal_word)
        if isinstance(chosen, int):
            return None
        return tuple(self.problem.goals[goal] for goal in np.flatnonzero(chosen).tolist())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; return the observation and the info dict.

        Args:
            seed: random seed; None continues with the last random generator.
            options: ``goal`` is the goal by name or index; if missing, it is drawn from the prior. ``problem`` (in tool
                fetching, ``instance``) is the problem; if missing, the environment chooses it.
        """
        super().reset(seed=seed)
        self.episodes.check_options(options)
        for_teammate = self.episodes.start(self.np_random, options)
        game = self.play.game
        assert game.goal is not None
        self._teammate.reset(game.problem, game.goal, for_teammate)
        return self._observed(self.play, illegal=False)

    def step(self, action: tuple[int, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take an action or ask a question; both agents stay in place when you ask.

        Args:
            action: ``(0, k)`` for the action with index k, or ``(1, q)`` for a question about the goals with a 1 in q.

        Returns:
            observation, reward (the negative cost of the step), terminated, truncated, and info.
        """
        play = self.episodes.running()
        game = play.game
        wanted = ego_action(action, game.problem, self.episodes.source.goal_word)
        done = play.available_to_ego(wanted)
        if isinstance(done, int):
            game.act(done, self._teammate.act(game.state.teammate))
        else:
            play.ask(done)
        observation, info = self._observed(play, illegal=done is not wanted)
        return observation, -game.step_cost, game.finished, game.truncated, info

    def _observed(self, play: Play, illegal: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        self.episodes.render_if_human()
        return self.episodes.observe(play), play.info(illegal, play.ego_mask())

    def render(self) -> Any:
        """Return text or pixels, depending on `render_mode`; in mode ``"human"``, draw in a window and return None."""
        return self.episodes.render(self.play)

    def close(self) -> None:
        """Close the window of render mode ``"human"``, if there is one."""
        self.episodes.render.close()


class ProblemEnv(GameEnv):
    """An environment in which you do your part of a teammate's goal, without knowing which goal it is.

    ## Description
    The teammate goes to a target of its goal and stays there. You are the ego agent and have to reach one of your own
    targets for the same goal. Watch the teammate, and ask when watching takes too long. A question, "is your goal among
    these?", has a price, and both agents stay in place.

    ## Action space
    ``OneOf((Discrete(n_ego_actions), MultiBinary(n_goals)))``: a tuple of two.

    - ``(0, k)`` takes the ontic action (one that is not a question) ``k`` of ``problem.ego.actions.names``.
    - ``(1, q)`` asks about the goals with a 1 in ``q``.

    An action that is not available, such as a question about no goal, does nothing, but costs a step.

    ## Observation space
    A ``Dict``, without the goal. States and actions are indices; ``problem.teammate.model`` and
    ``problem.teammate.actions.names`` have the teammate's names.

    | key | space | meaning |
    |---|---|---|
    | ``teammate`` | ``Discrete(n_teammate_states)`` | the teammate's state |
    | ``ego`` | ``Discrete(n_ego_states)`` | the ego agent's state |
    | ``teammate_action`` | ``Discrete(n_teammate_actions + 1)`` | the teammate's last action: 0 none (at the start, \
or after a question), ``k + 1`` action ``k`` |
    | ``asked`` | ``MultiBinary(n_goals)`` | the last question, zeros before the first one |
    | ``answer`` | ``Discrete(3)`` | the last answer: 0 nothing asked yet, 1 no, 2 yes; ``Discrete(4)`` if answers may \
be refused, 3 refused |
    | ``possible`` | ``MultiBinary(n_goals)`` | the goals with a positive prior that no answer has ruled out; if \
answers can be wrong, none is ruled out |
    | ``prior`` | ``Box (n_goals,) float64`` | prior probability of each goal |

    ## Rewards
    The negative cost of the step: -1 for an action, ``-problem.query_cost(goals asked about)`` for a question.

    ``info`` has ``step_cost`` (of the last step), ``cost`` (so far), ``illegal`` (whether the action was not available)
    and ``action_mask`` (``int8 [n_ego_actions]``, 1 for available ontic actions; for
    ``action_space.sample(mask=(action_mask, None))``). After the last step also ``goal`` (its index), ``known_cost``
    (the least cost if the goal is known from the start) and ``marginal_cost`` (``cost - known_cost``).

    ## Starting state
    The goal is drawn from the prior. ``reset(options={"goal": ..., "problem": ...})`` chooses the goal, by name or
    index, and another problem with equal numbers of goals, groups of goals, states and actions. The same seed gives the
    same goal and teammate, also in ``askwise.simulate(problem, teammate=..., seed=...)``.

    ## Episode end
    The episode is terminated after a step in which the teammate stays at a target of its goal, if the ego agent is then
    at one of its own targets. It is truncated after ``max_steps`` steps, questions included.

    ## Arguments
    - ``problem``: a `Problem`, an instance of any domain, or the path of its file.
    - ``teammate``: ``"urop"`` (draws one of all shortest plans), ``"noisy:0.1"`` (the same with 10 % random actions),
      another kind of `askwise.core.teammates`, or a `Teammate`; by default as the problem says.
    - ``answers``: how often answers are wrong or missing: an `AnswerModel`, or a text such as
      ``"wrong:0.05,refused:0.1"`` or ``"truthful"``; by default as the problem says.
    - ``max_steps``: limit on the steps of an episode; by default far more than needed.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
    """

    def __init__(
        self,
        problem: object,
        *,
        teammate: str | Teammate | None = None,
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        source = ProblemSource(problem)
        super().__init__(
            source,
            ProblemObserver(source.example),
            teammate=teammate_for(source.example, teammate),
            max_steps=max_steps,
            render_mode=render_mode,
            answers=answers,
        )


class ToolFetchingEnv(GameEnv):
    """An environment in which you bring a worker the tool that it needs, without knowing which tool that is.

    ## Description
    A worker walks to its station and works there, with the station's tool, which lies in a toolbox. You are the
    fetcher: watch the worker, ask when watching takes too long, and bring the right tool. A question, "is your goal
    among these stations?", has a price, and both agents stay in place.

    ## Action space
    ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``: a tuple of two.

    - ``(0, k)`` takes an ontic action (one that is not a question): 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 NOOP, ``5 + s``
      picks up the tool of station ``s``. An action that is not available does nothing, but costs a step.
    - ``(1, q)`` asks about the stations with a 1 in ``q``.

    ## Observation space
    A ``Dict``, without the goal. Cells are ``[x, y]``, x to the right, y up, from 0.

    | key | space | meaning |
    |---|---|---|
    | ``worker`` | ``Box (2,) int32`` | the worker's cell |
    | ``fetcher`` | ``Box (2,) int32`` | the fetcher's cell |
    | ``holding`` | ``Discrete(n_stations + 1)`` | 0 nothing, ``s + 1`` the tool of station ``s`` |
    | ``worker_action`` | ``Discrete(7)`` | the worker's last action: 0 none (at the start, or after a question), 1 \
NORTH, 2 EAST, 3 SOUTH, 4 WEST, 5 WORK, 6 NOOP |
    | ``asked`` | ``MultiBinary(n_stations)`` | the last question, zeros before the first one |
    | ``answer`` | ``Discrete(3)`` | the last answer: 0 nothing asked yet, 1 no, 2 yes; ``Discrete(4)`` if answers may \
be refused, 3 refused |
    | ``possible`` | ``MultiBinary(n_stations)`` | the stations with a positive prior that no answer has ruled out; if \
answers can be wrong, none is ruled out |
    | ``worker_start`` | ``Box (2,) int32`` | where the worker started |
    | ``stations`` | ``Box (n_stations, 2) int32`` | cells of the stations |
    | ``tools`` | ``Box (n_stations, 2) int32`` | for each station, the cell of the toolbox with its tool |
    | ``toolboxes`` | ``Box (n_toolboxes, 2) int32`` | cells of the toolboxes |
    | ``walls`` | ``MultiBinary((height, width))`` | 1 for walls; row ``y``, column ``x`` |
    | ``prior`` | ``Box (n_stations,) float64`` | prior probability of each station |
    | ``query_cost`` | ``Box (2,) float64`` | base price of a question, and its price per station |

    If the worker draws its shortest plans uniformly (``"urop"``), ``prior``, ``worker_start``, ``worker`` and
    ``possible`` determine the probability of each station.

    ## Rewards
    The negative cost of the step: -1 for an action, ``-(base + per_station * stations asked about)`` for a question.

    ``info`` has ``step_cost`` (of the last step), ``cost`` (so far), ``illegal`` (whether the action was not available)
    and ``action_mask`` (``int8 [5 + n_stations]``, 1 for available ontic actions; for
    ``action_space.sample(mask=(action_mask, None))``). After the last step also ``goal`` (index of the station),
    ``known_cost`` (the least cost if the goal is known from the start) and ``marginal_cost`` (``cost - known_cost``).

    ## Starting state
    The fetcher has empty hands. The goal is drawn from the prior. ``reset(options={"goal": ..., "instance": ...})``
    chooses the goal, by name or index, and another `Instance` or path, with equal width, height and numbers of stations
    and toolboxes. The same seed gives the same goal and worker, also in
    ``askwise.simulate(instance, teammate=..., seed=...)``.

    ## Episode end
    The episode is terminated after a step in which the worker does WORK at its goal station, if the fetcher is then
    there with the station's tool. It is truncated after ``max_steps`` steps, questions included.

    ## Arguments
    - ``instance``: an `Instance` or the path of its file; without it, every reset draws a random instance.
    - ``size``, ``stations``, ``toolboxes``, ``walls``, ``clustered``, ``prior``, ``query_cost``: settings of random
      instances, as in `askwise.generate`; by default, as in the paper, 20, 50, 5, 0.0, False, ``"uniform"``,
      ``QueryCost(0.5, 0.0)``.
    - ``teammate``: ``"urop"`` (default: draws one of all shortest plans), ``"noisy:0.1"`` (the same with 10 % random
      actions), another kind of `askwise.core.teammates`, or a `Teammate`.
    - ``answers``: how often answers are wrong or missing: an `AnswerModel`, or a text such as
      ``"wrong:0.05,refused:0.1"``; by default as the instance says.
    - ``max_steps``: limit on the steps of an episode; by default 4 for each cell of the map.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
    """

    def __init__(
        self,
        instance: Instance | str | Path | None = None,
        *,
        teammate: str | Teammate = "urop",
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        from askwise.envs.tool_fetching import ToolFetchingObserver, ToolFetchingSource

        source = ToolFetchingSource(instance, settings)
        super().__init__(
            source,
            ToolFetchingObserver(source.example),
            teammate=teammate,
            max_steps=max_steps,
            render_mode=render_mode,
            answers=answers,
        )

    @property
    def problem(self) -> ToolFetching:
        """The problem of the current episode."""
        return cast("ToolFetching", super().problem)

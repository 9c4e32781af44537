"""The Gymnasium environment ``askwise/ToolFetching-v0``: you are the fetcher."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Unpack

import gymnasium
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.envs.acting import fetcher_action, fetcher_space
from askwise.envs.observing import Observer, observation_space
from askwise.envs.playing import Play
from askwise.envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, Renderer
from askwise.envs.starting import Settings, Shape, Source, checked_limit, checked_options
from askwise.teammates import Teammate, make_teammate


class ToolFetchingEnv(gymnasium.Env[dict[str, Any], tuple[int, Any]]):
    """Bring a worker the tool it needs, without knowing which.

    ## Description
    A worker walks over a grid to its station and works there. It needs the station's tool, which lies in a toolbox.
    You are the fetcher: watch where the worker goes, ask if you cannot wait, pick up the right tool and bring it. A
    question, "is your goal among these stations?", is answered truthfully, but it costs something, and nobody moves
    meanwhile. The rules are those of `askwise.domains.tool_fetching.rules`.

    ## Action space
    ``OneOf((Discrete(5 + n_stations), MultiBinary(n_stations)))``: a pair.

    - ``(0, k)`` acts: 0 NORTH, 1 EAST, 2 SOUTH, 3 WEST, 4 NOOP, ``5 + s`` picks up the tool of station ``s``. An action
      that is not available (into a wall, the tool of another toolbox) does nothing; it costs its step all the same.
    - ``(1, q)`` asks about the stations with a 1 in ``q``. A question about no station, or about all of them, is
      allowed; it costs its price and says nothing.

    ## Observation space
    A ``Dict``, without the goal. Cells are ``[x, y]``, x to the right, y up, from 0.

    | key | space | meaning |
    |---|---|---|
    | ``worker`` | ``Box (2,) int32`` | the worker's cell |
    | ``fetcher`` | ``Box (2,) int32`` | the fetcher's cell |
    | ``holding`` | ``Discrete(n_stations + 1)`` | 0 nothing, ``s + 1`` the tool of station ``s`` |
    | ``worker_action`` | ``Discrete(7)`` | what the worker did in the last step: 0 nothing was seen (the start, or a \
question), 1 NORTH, 2 EAST, 3 SOUTH, 4 WEST, 5 WORK, 6 NOOP |
    | ``asked`` | ``MultiBinary(n_stations)`` | the last question, zeros if there was none |
    | ``answer`` | ``Discrete(3)`` | its answer: 0 there was none, 1 no, 2 yes |
    | ``possible`` | ``MultiBinary(n_stations)`` | the stations that the prior and all answers so far allow |
    | ``worker_start`` | ``Box (2,) int32`` | where the worker began |
    | ``stations`` | ``Box (n_stations, 2) int32`` | cells of the stations |
    | ``tools`` | ``Box (n_stations, 2) int32`` | for each station, the cell of the toolbox with its tool |
    | ``toolboxes`` | ``Box (n_toolboxes, 2) int32`` | cells of the toolboxes |
    | ``walls`` | ``MultiBinary((height, width))`` | 1 for walls; row ``y``, column ``x`` |
    | ``prior`` | ``Box (n_stations,) float64`` | how likely each station was at the start |
    | ``query_cost`` | ``Box (2,) float64`` | a question's base cost, and its cost for each station |

    With the worker ``urop`` this is all that the past can tell: the posterior depends on ``prior``, ``worker_start``,
    ``worker`` and ``possible`` only.

    ## Rewards
    The cost of the step, negative: -1 for an action, ``-(base + per_station * stations asked about)`` for a question.

    ``info`` always has ``step_cost`` and ``cost`` (of the last step, and so far), ``illegal`` (the action was not
    available and did nothing) and ``action_mask`` (``int8 [5 + n_stations]``, 1 for ontic actions that are available
    now; ``action_space.sample(mask=(action_mask, None))``). With the last step of an episode, finished or cut off, it
    also has ``goal`` (number of the station), ``optimal_cost`` (what the episode costs if the goal is known from the
    start) and ``marginal_cost`` (``cost - optimal_cost``); before, these would give the goal away.

    ## Starting state
    Both agents are where the instance puts them, the fetcher with empty hands. The goal is drawn from the prior.
    ``reset(options={"goal": ..., "instance": ...})`` chooses the goal, by name or number, and plays another instance of
    the same shape (`Instance` or path). Same seed, same episode, and the same goal and worker as in
    ``askwise.simulate(instance, teammate=..., seed=...)``.

    ## Episode end
    Terminated with the first WORK at the goal station during which the fetcher is there, or arrives there, with the
    tool. Truncated after ``max_steps`` steps, questions included.

    ## Arguments
    - ``instance``: an `askwise` `Instance` or the path of its file. Without it every reset draws a new one:
    - ``size``, ``stations``, ``toolboxes``, ``walls``, ``clustered``, ``prior``, ``query_cost``: how; by default as in
      the paper: 20, 50, 5, 0.0, False, ``"uniform"``, ``QueryCost(0.5, 0.0)``. ``size`` may be ``(width, height)``;
      ``prior`` is ``"uniform"``, ``"far"``, ``"near"``, ``"fetcher-far"``, ``"fetcher-near"`` or a `Prior`.
    - ``teammate``: the worker, e.g. ``"urop"`` (default), ``"noisy:0.1"``, ``"boltzmann:2"``, or a `Teammate`.
    - ``max_steps``: by default 4 for each cell of the map.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels, no display needed) or ``"human"`` (a window, drawn
      anew in each step; where there is no display, nothing is shown).
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        instance: Instance | str | Path | None = None,
        *,
        teammate: str | Teammate = "urop",
        max_steps: int | None = None,
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self._source = Source(instance, settings)
        self._max_steps = checked_limit(max_steps)
        # A vector environment hands the same object to all its members, and teammates remember things.
        self._teammate = copy.deepcopy(make_teammate(teammate))
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        shape = self._source.shape
        self.action_space = fetcher_space(shape.stations)
        self.observation_space: spaces.Dict = observation_space(shape)
        self._play: Play | None = None

    @property
    def shape(self) -> Shape:
        """What fixes the shapes of observations and actions."""
        return self._source.shape

    @property
    def play(self) -> Play:
        """The episode in progress. It knows the goal: for wrappers and tests, not for agents."""
        if self._play is None:
            raise ResetNeeded("call reset() first")
        return self._play

    @property
    def problem(self) -> ToolFetching:
        """What is played in this episode."""
        return self.play.problem

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; see the class for `options`."""
        super().reset(seed=seed)
        checked_options(options)
        play, for_teammate = self._source.begin(self.np_random, options, self._max_steps)
        self._teammate.reset(play.problem, play.goal, for_teammate)
        if self._play is None or self._play.problem is not play.problem:
            self._observe = Observer(play.problem)
        self._play = play
        return self._seen(illegal=False)

    def step(self, action: tuple[int, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Act or ask; see the class."""
        play = self.play
        if play.over:
            raise ResetNeeded("the episode is over: call reset() first")
        wanted = fetcher_action(action, self.shape.stations)
        illegal = False
        if isinstance(wanted, int):
            done = play.available_to_fetcher(wanted)
            illegal = done != wanted
            play.act(self._teammate.act(play.state.worker), done)
        else:
            play.ask(wanted)
        observation, info = self._seen(illegal)
        return observation, -play.step_cost, play.finished, play.truncated, info

    def _seen(self, illegal: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        play = self.play
        if self.render_mode == "human":
            self._renderer(play)
        return self._observe(play), play.info(illegal, play.fetcher_mask())

    def render(self) -> Any:
        """Return text or pixels, according to `render_mode`; a window shows itself."""
        return self._renderer(self.play)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

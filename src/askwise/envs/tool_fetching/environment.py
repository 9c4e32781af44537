"""The Gymnasium environment ``askwise/ToolFetching-v0``: you are the fetcher."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from askwise.core.answers import AnswerModel
from askwise.core.teammates import Teammate
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.envs.single import GameEnv
from askwise.envs.tool_fetching.staging import tool_fetching_staging
from askwise.envs.tool_fetching.starting import Settings


class ToolFetchingEnv(GameEnv):
    """Bring a worker the tool it needs, without knowing which.

    ## Description
    A worker walks over a grid to its station and works there. It needs the station's tool, which lies in a toolbox.
    You are the fetcher: watch where the worker goes, ask if you cannot wait, pick up the right tool and bring it. A
    question, "is your goal among these stations?", is answered (truly, unless ``answers`` says otherwise), but it costs
    something, and nobody moves meanwhile. The rules are those of `askwise.domains.tool_fetching.rules`.

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
    | ``answer`` | ``Discrete(3)`` | its answer: 0 nothing was asked, 1 no, 2 yes; ``Discrete(4)`` where \
answers may be refused: 3 there was none |
    | ``possible`` | ``MultiBinary(n_stations)`` | the stations that the prior and all \
answers so far allow that cannot be wrong |
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
    - ``answers``: how questions are answered, e.g. ``"wrong:0.05,refused:0.1"`` (see `AnswerModel`); by default truly,
      or as the problem says.
    - ``max_steps``: by default 4 for each cell of the map.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels, no display needed) or ``"human"`` (a window, drawn
      anew in each step; where there is no display, nothing is shown).
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
        staging = tool_fetching_staging(instance, settings)
        super().__init__(staging, teammate=teammate, max_steps=max_steps, render_mode=render_mode, answers=answers)

    @property
    def problem(self) -> ToolFetching:
        """What is played in this episode."""
        problem = super().problem
        assert isinstance(problem, ToolFetching)
        return problem

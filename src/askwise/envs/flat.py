"""The environment for common reinforcement-learning libraries: one number to choose, one vector to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from askwise.domains.tool_fetching.rules import FIRST_PICKUP
from askwise.envs.acting import ACT, ASK, ontic_action
from askwise.envs.flattening import Flattener
from askwise.envs.observing import CHANGING
from askwise.envs.playing import Play
from askwise.envs.questions import Asking, Questions, Situation, toolbox_numbers
from askwise.envs.tool_fetching import ToolFetchingEnv
from askwise.errors import InputError
from askwise.query.beliefs import make_belief
from askwise.types import BoolArray

DEFAULT_QUESTIONS = ("toolbox", "move", "half", "likeliest")


class FlatToolFetching(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """`ToolFetchingEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The same game. The wrapper keeps a belief about the worker's goal, makes a short list of questions from it, and puts
    it into the observation.

    ## Action space
    ``Discrete(n_ontic + n_questions)``: first the ontic actions (4 moves, NOOP, one PICKUP for each station), then the
    questions, in the order of `questions`; see `askwise.envs.questions` for what they ask. The mask is in
    ``info["action_mask"]`` (``int8``) and returned by ``action_masks()`` (``bool``). It leaves out ontic actions that
    are not available, and questions that are empty or about everything that is possible. Such an action may be chosen
    all the same: it costs, and does nothing.

    ## Observation space
    ``Box float32 [k]``: ``gymnasium.spaces.flatten`` of the environment's ``Dict`` with one more key, ``belief``
    (``[n_stations]``, probability of each station). Keys come in alphabetical order, numbers from a ``Discrete`` space
    as one-hot vectors.

    ## Rewards
    Those of `ToolFetchingEnv`, and its ``info`` but for the mask.

    ## Starting state
    As in `ToolFetchingEnv`.

    ## Episode end
    As in `ToolFetchingEnv`.

    ## Arguments
    - ``env``: a `ToolFetchingEnv`, wrapped or not.
    - ``questions``: kinds of questions, by default ``toolbox``, ``move``, ``half`` and ``likeliest``; or callables.
    - ``belief``: ``robust`` (default, for any worker), ``bayes`` or ``elimination`` (for workers that never err).
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        *,
        questions: Sequence[str | Asking] = DEFAULT_QUESTIONS,
        belief: str = "robust",
    ) -> None:
        RecordConstructorArgs.__init__(self, questions=questions, belief=belief)
        gymnasium.Wrapper.__init__(self, env)
        bare = env.unwrapped
        if not isinstance(bare, ToolFetchingEnv):
            raise InputError("environment", type(bare).__name__, "a ToolFetchingEnv")
        self._bare = bare
        self._questions = Questions(questions, bare.shape)
        make_belief(belief, np.ones(1))  # An unknown name is refused now, not at the first reset.
        self._kind_of_belief = belief
        n = bare.shape.stations
        seen = {**bare.observation_space.spaces, "belief": spaces.Box(0.0, 1.0, (n,), np.float64)}
        self._flatten = Flattener(spaces.Dict(seen), [*CHANGING, "belief"])
        self.observation_space = self._flatten.space
        self._n_ontic = FIRST_PICKUP + n
        self.action_space = spaces.Discrete(self._n_ontic + self._questions.n)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        seen, info = self.env.reset(seed=seed, options=options)
        problem = self._bare.problem
        self._belief = make_belief(self._kind_of_belief, problem.prior)
        self._boxes = toolbox_numbers(problem.instance)
        self._flatten.begin({**seen, "belief": problem.prior})
        return self._look(seen, info)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Do the action with this number, or ask the question."""
        play = self._bare.play
        before = play.state.worker
        number = ontic_action(action, self._n_ontic + self._questions.n)
        asks = number >= self._n_ontic
        chosen = (ASK, self._asked[number - self._n_ontic].astype(np.int8)) if asks else (ACT, number)
        seen, reward, terminated, truncated, info = self.env.step(chosen)
        self._learn(play, before)
        flat, info = self._look(seen, info)
        return flat, reward, terminated, truncated, info

    def action_masks(self) -> BoolArray:
        """``bool [n_actions]``: the actions that make sense now."""
        return self._mask.copy()

    def _learn(self, play: Play, before: int) -> None:
        if play.worker_action is None:
            self._belief.learn(play.asked, bool(play.answer))
        else:
            self._belief.observe(play.problem.teammate_policy(before)[:, play.worker_action])

    def _look(self, seen: dict[str, Any], info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Work out the questions and the mask, and return the flat observation and the info with the mask."""
        problem, ego = self._bare.problem, self._bare.problem.encode(self._bare.play.state).ego
        possible, probabilities = self._belief.possible, self._belief.probabilities
        self._asked = self._questions(Situation(problem, self._boxes, ego, possible, probabilities))
        sizes = self._asked.sum(axis=1)
        sensible = (sizes > 0) & (sizes < possible.sum())
        mask = np.concatenate([info["action_mask"], sensible.astype(np.int8)])
        self._mask = mask.astype(np.bool_)
        return self._flatten({**seen, "belief": probabilities}), {**info, "action_mask": mask}


def make_flat(
    *, questions: Sequence[str | Asking] = DEFAULT_QUESTIONS, belief: str = "robust", **arguments: Any
) -> FlatToolFetching:
    """Make ``askwise/ToolFetchingFlat-v0``: the arguments of `ToolFetchingEnv` and those of the wrapper."""
    return FlatToolFetching(ToolFetchingEnv(**arguments), questions=questions, belief=belief)

"""Tool fetching for common reinforcement-learning libraries: one number to choose, one vector to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium

from askwise.core.belief import Tracker
from askwise.core.game import Game
from askwise.envs.flat import FlatEnv
from askwise.envs.questions import Asking
from askwise.envs.tool_fetching.environment import ToolFetchingEnv
from askwise.envs.tool_fetching.questions import KINDS, QuestionContext, toolbox_numbers

DEFAULT_QUESTIONS = ("toolbox", "move", "half", "likeliest")


class FlatToolFetching(FlatEnv):
    """`ToolFetchingEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The same game. The wrapper keeps a belief about the worker's goal, makes a short list of questions from it, and puts
    it into the observation.

    ## Action space
    ``Discrete(n_ontic + n_questions)``: first the ontic actions (4 moves, NOOP, one PICKUP for each station), then the
    questions, in the order of `questions`; `askwise.envs.tool_fetching.questions` says what they ask. The mask
    is in ``info["action_mask"]`` (``int8``) and returned by ``action_masks()`` (``bool``). It leaves out ontic actions
    that are not available, and questions that are empty or about everything that is possible. Such an action may be
    chosen all the same: it costs, and does nothing.

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
    - ``scaled``: whether all numbers of the observation lie between 0 and 1 (default: as they are).
    - ``hints``: whether the observation has one more key, ``hints`` (``[n_actions]``): how likely each move is to be
      optimal, and how likely the goal is among those that each question asks about (default: it has not).
    """

    wraps = ToolFetchingEnv
    kinds = KINDS

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        *,
        questions: Sequence[str | Asking] = DEFAULT_QUESTIONS,
        belief: str = "robust",
        scaled: bool = False,
        hints: bool = False,
    ) -> None:
        super().__init__(env, questions=questions, belief=belief, scaled=scaled, hints=hints)
        self._boxes_of: Any = None

    def context(self, game: Game, tracker: Tracker) -> QuestionContext:
        """See `FlatEnv`."""
        problem: Any = game.problem
        if self._boxes_of is not problem:
            self._boxes_of, self._boxes = problem, toolbox_numbers(problem.instance)
        return QuestionContext(problem, game.state.ego, tracker.possible, tracker.probabilities, self._boxes)


def make_flat(
    *,
    questions: Sequence[str | Asking] = DEFAULT_QUESTIONS,
    belief: str = "robust",
    scaled: bool = False,
    hints: bool = False,
    **arguments: Any,
) -> FlatToolFetching:
    """Make ``askwise/ToolFetchingFlat-v0``: the arguments of `ToolFetchingEnv` and those of the wrapper."""
    bare = ToolFetchingEnv(**arguments)
    return FlatToolFetching(bare, questions=questions, belief=belief, scaled=scaled, hints=hints)

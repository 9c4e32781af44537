"""Any problem for common reinforcement-learning libraries: one number to choose, one vector to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwise.envs.flat import FlatEnv
from askwise.envs.problem.environment import ProblemEnv
from askwise.envs.questions import Asking

DEFAULT_QUESTIONS = ("group", "move", "half", "likeliest")


class FlatProblem(FlatEnv):
    """`ProblemEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The same game. The wrapper keeps a belief about the teammate's goal, makes a short list of questions from it, and
    puts it into the observation.

    ## Action space
    ``Discrete(n_ego_actions + n_questions)``: first the ontic actions, then the questions, in the order of `questions`;
    `askwise.envs.questions` says what they ask. The mask is in ``info["action_mask"]`` (``int8``) and returned by
    ``action_masks()`` (``bool``). It leaves out ontic actions that are not available, and questions that are empty or
    about everything that is possible. Such an action may be chosen all the same: it costs, and does nothing.

    ## Observation space
    ``Box float32 [k]``: ``gymnasium.spaces.flatten`` of the environment's ``Dict`` with one more key, ``belief``
    (``[n_goals]``, probability of each goal). Keys come in alphabetical order, numbers from a ``Discrete`` space as
    one-hot vectors.

    ## Rewards
    Those of `ProblemEnv`, and its ``info`` but for the mask.

    ## Starting state
    As in `ProblemEnv`.

    ## Episode end
    As in `ProblemEnv`.

    ## Arguments
    - ``env``: a `ProblemEnv`, wrapped or not.
    - ``questions``: kinds of questions, by default ``group``, ``move``, ``half`` and ``likeliest``; or callables.
    - ``belief``: ``robust`` (default, for any teammate), ``bayes`` or ``elimination`` (for teammates that never err).
    - ``scaled``: whether all numbers of the observation lie between 0 and 1 (default: as they are).
    - ``hints``: whether the observation has one more key, ``hints`` (``[n_actions]``): how likely each move is to be
      optimal, and how likely the goal is among those that each question asks about (default: it has not).
    """

    wraps = ProblemEnv


def make_flat(
    problem: object,
    *,
    questions: Sequence[str | Asking] = DEFAULT_QUESTIONS,
    belief: str = "robust",
    scaled: bool = False,
    hints: bool = False,
    **arguments: Any,
) -> FlatProblem:
    """Make ``askwise/ProblemFlat-v0``: the arguments of `ProblemEnv` and those of the wrapper."""
    bare = ProblemEnv(problem, **arguments)
    return FlatProblem(bare, questions=questions, belief=belief, scaled=scaled, hints=hints)

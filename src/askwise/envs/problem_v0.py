"""The PettingZoo environment of any problem: you control both the teammate and the ego agent.

::

    from askwise.envs import problem_v0

    env = problem_v0.parallel_env(problem)
    observations, infos = env.reset(seed=1)

``env(problem, ...)`` makes the same environment for agents that take turns (AEC).
"""

from __future__ import annotations

from typing import Any, ClassVar

from pettingzoo.utils.conversions import parallel_to_aec

from askwise.core.answers import AnswerModel
from askwise.envs.episodes import ProblemObserver, ProblemSource
from askwise.envs.parallel import GameParallelEnv

__all__ = ["ProblemParallelEnv", "env", "parallel_env"]


class ProblemParallelEnv(GameParallelEnv):
    """An environment for two agents: a teammate that knows the goal, and an ego agent that has to find it out.

    ## Description
    The game of `askwise.envs.ProblemEnv`, in which you control both agents. Each has to reach one of its own targets
    for the goal.

    ## Action space
    - ``teammate``: ``Discrete(n_teammate_actions)``, indices of ``problem.teammate.actions.names``.
    - ``ego``: ``OneOf((Discrete(n_ego_actions), MultiBinary(n_goals)))``, as in `ProblemEnv`. The environment answers
      questions; both agents then stay in place.

    An action that is not available, such as a question about no goal, does nothing, but costs a step.

    ## Observation space
    - ``ego``: the ``Dict`` of `ProblemEnv`.
    - ``teammate``: the same ``Dict`` with one more key, ``goal``, ``Discrete(n_goals)``.

    ## Rewards
    Both agents get the negative cost of the step. Each agent's info has the keys of `ProblemEnv`. ``illegal`` is about
    the agent's own action. ``action_mask`` fits ``action_space(agent).sample``: an ``int8`` array for the teammate; a
    tuple of an array and None for the ego agent.

    ## Starting state
    As in `ProblemEnv`; the same seed gives the same goal. The options of ``reset`` are ``goal`` (name or index) and
    ``problem`` (another one with equal numbers of goals, groups of goals, states and actions).

    ## Episode end
    For both agents at once, as in `ProblemEnv`.

    ## Arguments
    - ``problem``: a `Problem`, an instance of any domain, or the path of its file.
    - ``max_steps``: limit on the steps of an episode; by default far more than needed.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
    - ``answers``: how often answers are wrong or missing: an `AnswerModel`, or a text such as
      ``"wrong:0.05,refused:0.1"``; by default as the problem says.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "problem_v0", **GameParallelEnv.metadata}

    def __init__(
        self,
        problem: object,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        source = ProblemSource(problem)
        observer = ProblemObserver(source.example)
        super().__init__(source, observer, max_steps=max_steps, render_mode=render_mode, answers=answers)


parallel_env = ProblemParallelEnv


def env(problem: object, **arguments: Any) -> Any:
    """Return `ProblemParallelEnv` as a PettingZoo AEC environment, whose agents take turns, first the teammate.

    Args:
        problem: a `Problem`, an instance of any domain, or the path of its file.
        arguments: any other arguments of `ProblemParallelEnv`, by name.
    """
    return parallel_to_aec(parallel_env(problem, **arguments))

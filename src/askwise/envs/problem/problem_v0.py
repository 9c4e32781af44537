"""The PettingZoo environment of any problem: teammate and ego agent, both played from outside.

::

    from askwise.envs import problem_v0

    env = problem_v0.parallel_env(problem)
    observations, infos = env.reset(seed=1)

``env(problem, ...)`` is the same for agents that take turns (AEC).
"""

from __future__ import annotations

from typing import Any, ClassVar

from pettingzoo.utils.conversions import parallel_to_aec

from askwise.core.answers import AnswerModel
from askwise.envs.both import GameParallelEnv
from askwise.envs.problem.staging import problem_staging

__all__ = ["ProblemParallelEnv", "env", "parallel_env"]


class ProblemParallelEnv(GameParallelEnv):
    """Two agents: a teammate that knows the goal, and an ego agent that has to find out.

    ## Description
    The game of `askwise.envs.ProblemEnv`, with the teammate played from outside as well. Agents are ``"teammate"`` and
    ``"ego"``; both act in every step.

    ## Action space
    - ``teammate``: ``Discrete(n_teammate_actions)``, numbers of ``problem.teammate.actions.names``.
    - ``ego``: ``OneOf((Discrete(n_ego_actions), MultiBinary(n_goals)))``, as in Gymnasium: ``(0, k)`` acts, ``(1, q)``
      asks. In a step with a question nobody moves: whatever the teammate chose is not done. The answer is given by the
      environment.

    An action that is not available does nothing, and a question about no goal is one of these; the step costs the same.

    ## Observation space
    - ``ego``: the ``Dict`` of the Gymnasium environment.
    - ``teammate``: the same and ``goal``, ``Discrete(n_goals)``: the goal that it has.

    ## Rewards
    Both get the same: the cost of the step, negative. ``infos[agent]`` has the keys of the Gymnasium environment;
    ``illegal`` is about the agent's own action, and ``action_mask`` fits ``action_space(agent).sample(mask)``: an
    ``int8`` array for the teammate, a pair of it and None for the ego agent, whose questions are always allowed.

    ## Starting state
    As in Gymnasium, and with the same seed the same goal. Of the options, ``goal`` and ``problem`` are used, others are
    ignored, as PettingZoo's own tests demand.

    ## Episode end
    For both at once: terminated with the first step in which the teammate, already at a target of its goal, stays there
    and the ego agent is at one of its own when the step is over; truncated after ``max_steps`` steps.

    ## Arguments
    Those of the Gymnasium environment, without ``teammate``.
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
        staging = problem_staging(problem)
        super().__init__(staging, max_steps=max_steps, render_mode=render_mode, answers=answers)


parallel_env = ProblemParallelEnv


def env(problem: object, **arguments: Any) -> Any:
    """Return the environment for agents that take turns (AEC): the teammate chooses first, then the ego agent."""
    return parallel_to_aec(parallel_env(problem, **arguments))

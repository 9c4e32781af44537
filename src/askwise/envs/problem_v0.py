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
from askwise.envs.observations import ProblemObserver
from askwise.envs.parallel import GameParallelEnv
from askwise.envs.starts import ProblemSource

__all__ = ["ProblemParallelEnv", "env", "parallel_env"]


class ProblemParallelEnv(GameParallelEnv):
    """An environment for two agents: a teammate that knows the goal, and an ego agent that has to find it out.

    ## Description
    The game of `askwise.envs.ProblemEnv`, but you control the teammate as well. The agents are ``"teammate"`` and
    ``"ego"``; both act in every step.

    ## Action space
    - ``teammate``: ``Discrete(n_teammate_actions)``, numbers of ``problem.teammate.actions.names``.
    - ``ego``: ``OneOf((Discrete(n_ego_actions), MultiBinary(n_goals)))``, as in Gymnasium: ``(0, k)`` acts, ``(1, q)``
      asks. In a step with a question both agents stay in place, and the teammate's action is ignored. The environment
      gives the answer.

    An action that is not available does nothing, but costs a step. This includes questions about no goal.

    ## Observation space
    - ``ego``: the ``Dict`` of the Gymnasium environment.
    - ``teammate``: the same with one more key, ``goal``, ``Discrete(n_goals)``: its goal.

    ## Rewards
    Both agents get the negative cost of the step. ``infos[agent]`` has the keys of the Gymnasium environment;
    ``illegal`` refers to the agent's own action, and ``action_mask`` fits ``action_space(agent).sample(mask)``: an
    ``int8`` array for the teammate, a pair of an array and None for the ego agent, whose questions are always allowed.

    ## Starting state
    As in Gymnasium, with the same goal for the same seed. The options ``goal`` and ``problem`` are used; others are
    ignored, as PettingZoo's own tests demand.

    ## Episode end
    For both agents at once. Terminated after the first step in which the teammate, already at a target of its goal,
    stays there, and at the end of which the ego agent is at one of its own targets. Truncated after ``max_steps``
    steps.

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
        source = ProblemSource(problem)
        observer = ProblemObserver(source.example)
        super().__init__(source, observer, max_steps=max_steps, render_mode=render_mode, answers=answers)


parallel_env = ProblemParallelEnv


def env(problem: object, **arguments: Any) -> Any:
    """Return `ProblemParallelEnv` as an AEC environment, in which the teammate chooses first, then the ego agent.

    Args:
        problem: a `Problem`, an instance of any domain, or the path of its file.
        arguments: any other arguments of `ProblemParallelEnv`.
    """
    return parallel_to_aec(parallel_env(problem, **arguments))

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
    The game of the Gymnasium environment `askwise.envs.ProblemEnv`, but you control the teammate as well. The agents
    are ``"teammate"`` and ``"ego"``; both act in every step. Each agent has to reach one of its own targets for the
    goal.

    ## Action space
    - ``teammate``: ``Discrete(n_teammate_actions)``, indices of ``problem.teammate.actions.names``.
    - ``ego``: ``OneOf((Discrete(n_ego_actions), MultiBinary(n_goals)))``: ``(0, k)`` takes the action ``k`` of
      ``problem.ego.actions.names``, ``(1, q)`` asks about the goals with a 1 in ``q``. In a step with a question both
      agents stay in place, and the teammate's action is ignored. The environment gives the answer.

    An action that is not available does nothing, but costs a step. This includes questions about no goal.

    ## Observation space
    - ``ego``: the ``Dict`` of `ProblemEnv`, which describes its keys: the states of both agents, the teammate's last
      action, the last question and its answer, the goals that answers allow, and the prior.
    - ``teammate``: the same ``Dict`` with one more key, ``goal``, ``Discrete(n_goals)``: the teammate's goal.

    ## Rewards
    Both agents get the negative cost of the step. ``infos[agent]`` has the same keys as the info dict of `ProblemEnv`.
    Its value ``illegal`` says whether the agent's own action was not available. Its value ``action_mask`` fits
    ``action_space(agent).sample``: an ``int8`` array for the teammate; a pair of an array and None for the ego agent,
    because it may always ask.

    ## Starting state
    Both agents start where the problem says. The goal is drawn from the prior; the same seed gives the same goal as in
    `ProblemEnv`. The options of ``reset`` are ``goal`` (name or index) and ``problem`` (another problem, with equal
    numbers of goals, groups of goals, states and actions); other options are ignored, as PettingZoo's own tests demand.

    ## Episode end
    The episode ends for both agents at once. It is terminated when the teammate is at a target of its goal and stays
    there for a step, and the ego agent is at one of its own targets after that step. It is truncated after
    ``max_steps`` steps.

    ## Arguments
    - ``problem``: a `Problem`, an instance of any domain, or the path of its file.
    - ``max_steps``: the number of steps after which an episode is truncated; by default far more than any sensible
      agent needs.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels) or ``"human"`` (a window).
    - ``answers``: how often answers are wrong or missing, such as ``"wrong:0.05,refused:0.1"``, or an `AnswerModel`; by
      default as the problem says.
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

"""The Gymnasium environment ``askwise/Problem-v0``: any problem, you are the ego agent."""

from __future__ import annotations

from askwise.core.answers import AnswerModel
from askwise.core.teammates import Teammate, teammate_for
from askwise.envs.problem.staging import problem_staging
from askwise.envs.single import GameEnv


class ProblemEnv(GameEnv):
    """Do your part of a teammate's goal, without knowing which goal it is.

    ## Description
    A problem of any domain: two models and a shared list of goals. A teammate goes to a target of its goal and stays
    there. You are the ego agent and have to be at a target of your own for the same goal: watch what the teammate
    does, ask if you cannot wait. A question, "is your goal among these?", is answered (truly, unless ``answers`` says
    otherwise), but it costs something, and nobody moves meanwhile. The rules are those of `askwise.core.game`.

    ## Action space
    ``OneOf((Discrete(n_ego_actions), MultiBinary(n_goals)))``: a pair.

    - ``(0, k)`` does action ``k`` of ``problem.ego.actions.names``. An action that is not available does nothing; it
      costs its step all the same.
    - ``(1, q)`` asks about the goals with a 1 in ``q``. A question about all of them is allowed; it costs its price and
      says nothing. One about no goal is none: it is an action that is not available.

    ## Observation space
    A ``Dict``, without the goal. States and actions are numbers of the problem's models: ``problem.teammate.model``
    has the names of the teammate's states, ``problem.teammate.actions.names`` those of its actions.

    | key | space | meaning |
    |---|---|---|
    | ``teammate`` | ``Discrete(n_teammate_states)`` | the teammate's state |
    | ``ego`` | ``Discrete(n_ego_states)`` | the ego agent's state |
    | ``teammate_action`` | ``Discrete(n_teammate_actions + 1)`` | what the teammate did in the last step: 0 nothing \
was seen (the start, or a question), ``k + 1`` action ``k`` |
    | ``asked`` | ``MultiBinary(n_goals)`` | the last question, zeros if there was none |
    | ``answer`` | ``Discrete(3)`` | its answer: 0 nothing was asked, 1 no, 2 yes; ``Discrete(4)`` where \
answers may be refused: 3 there was none |
    | ``possible`` | ``MultiBinary(n_goals)`` | the goals that the prior and all \
answers so far allow that cannot be wrong |
    | ``prior`` | ``Box (n_goals,) float64`` | how likely each goal was at the start |

    ## Rewards
    The cost of the step, negative: -1 for an action, ``-problem.query_cost(goals asked about)`` for a question.

    ``info`` always has ``step_cost`` and ``cost`` (of the last step, and so far), ``illegal`` (the action was not
    available and did nothing) and ``action_mask`` (``int8 [n_ego_actions]``, 1 for ontic actions that are available
    now; ``action_space.sample(mask=(action_mask, None))``). With the last step of an episode, finished or cut off, it
    also has ``goal`` (its number), ``optimal_cost`` (what the episode costs if the goal is known from the start) and
    ``marginal_cost`` (``cost - optimal_cost``); before, these would give the goal away.

    ## Starting state
    Both agents are where the problem puts them. The goal is drawn from the prior.
    ``reset(options={"goal": ..., "problem": ...})`` chooses the goal, by name or number, and plays another problem of
    the same shape: as many goals, groups, states and actions. Same seed, same episode, and the same goal and teammate
    as in ``askwise.simulate(problem, teammate=..., seed=...)``.

    ## Episode end
    Terminated with the first step in which the teammate, already at a target of its goal, stays there and the ego agent
    is at one of its own targets when the step is over. Truncated after ``max_steps`` steps, questions included.

    ## Arguments
    - ``problem``: a `Problem`, an instance of any domain, or the path of its file.
    - ``teammate``: e.g. ``"urop"``, ``"noisy:0.1"``, ``"boltzmann:2"``, or a `Teammate`; by default it does as the
      problem says.
    - ``answers``: how questions are answered, e.g. ``"wrong:0.05,refused:0.1"`` (see `AnswerModel`); by default truly,
      or as the problem says.
    - ``max_steps``: by default far beyond what any sensible agent needs.
    - ``render_mode``: ``"ansi"`` (text), ``"rgb_array"`` (pixels, no display needed) or ``"human"`` (a window, drawn
      anew in each step; where there is no display, nothing is shown).
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
        staging = problem_staging(problem)
        other = teammate_for(staging.source.example, teammate)
        super().__init__(staging, teammate=other, max_steps=max_steps, render_mode=render_mode, answers=answers)

"""What the rest of askwise needs to know about a domain: all that agents, beliefs and simulations ever see.

A problem is two models and a shared list of goals. The teammate moves in one model, the ego agent in the other, and
neither gets in the other's way. Each goal names targets in both models; the episode ends with the first step in which
the teammate, already at a target, stays there and the ego agent is at one of its own targets when the step is over.
Each joint step costs 1. A question costs what `QueryCost` says instead, and nobody moves in it.

States, actions and goals are integers here; `goals`, `teammate_actions` and `ego_actions` give their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from askwise.answers import CREDIBLE, AnswerModel
from askwise.ego import EgoMap
from askwise.model import Model, Policy
from askwise.questions import QueryCost
from askwise.types import BoolArray, FloatArray, IntArray, StateLike

STEP_COST = 1.0
"""What a joint step costs that is not a question."""


@dataclass(frozen=True, slots=True)
class JointState:
    """Where the two agents are: a state of the teammate's model and one of the ego agent's."""

    teammate: int
    ego: int


@runtime_checkable
class Problem(Protocol):
    """A domain as agents see it.

    Matrices are ``[n_goals, n_goals]``, ``inf`` on the diagonal, ``nan`` in rows and columns of goals that can no
    longer be reached: there is nothing left to tell apart.
    """

    @property
    def goals(self) -> tuple[str, ...]:
        """Names of the goals."""

    @property
    def prior(self) -> FloatArray:
        """``float64 [n_goals]``: probability of each goal at the start."""

    @property
    def query_cost(self) -> QueryCost:
        """What questions cost, a function of the goals asked about."""

    @property
    def answers(self) -> AnswerModel:
        """How questions are answered: truly, or with errors and refusals."""

    @property
    def start(self) -> JointState:
        """Where both agents begin."""

    @property
    def teammate_model(self) -> Model:
        """The model the teammate moves in; its STAY is what the teammate does at its goal."""

    @property
    def teammate_actions(self) -> tuple[str, ...]:
        """Names of everything the teammate can be seen doing, the actions of its model first."""

    @property
    def ego_actions(self) -> tuple[str, ...]:
        """Names of the ego agent's ontic actions."""

    @property
    def ego_moves(self) -> tuple[int, ...]:
        """The ego actions that lead towards goals: those that the rule of `BL:Toolbox` compares."""

    @property
    def wait(self) -> int:
        """The ego action that does nothing."""

    @property
    def groups(self) -> Mapping[str, tuple[int, ...]]:
        """Goals that belong together, by a name that people would use; worth asking about. May be empty."""

    @property
    def teammate_policies(self) -> tuple[Policy, ...] | None:
        """How the teammate pursues each goal, None for the UROP of each: it draws one of its shortest plans."""

    def with_answers(self, answers: AnswerModel) -> Problem:
        """Return the same problem with a teammate that answers like this; tables are shared."""

    def joint_state(self, teammate: StateLike | None = None, ego: StateLike | None = None) -> JointState:
        """Return where both agents are, given by name or number; by default at the start."""

    def teammate_policy(self, teammate: int) -> FloatArray:
        """``float64 [n_goals, n_teammate_actions]``: what the policy of each goal does here."""

    def teammate_optimal(self, teammate: int) -> BoolArray:
        """``bool [n_goals, n_teammate_actions]``: the support of `teammate_policy`, much cheaper on large maps.

        Of a teammate that pursues its goals by UROPs these are the optimal actions.
        """

    def teammate_targets(self, goal: int) -> IntArray:
        """Return the states of the teammate's model in which `goal` is reached, states that no other goal has.

        Where the teammate stays is all that tells in the end which goal it is.
        """

    def teammate_steps(self, teammate: int) -> IntArray:
        """``int [n_goals]``: the teammate's steps to each goal."""

    def teammate_matrices(self, teammate: int) -> tuple[FloatArray, FloatArray]:
        """EDP and WCD of the teammate: ``edp[i, j]`` says when goal `i` is ruled out while `j` is pursued."""

    def ego_optimal(self, ego: int) -> BoolArray:
        """``bool [n_goals, n_ego_actions]``: the actions that some optimal plan for the goal starts with."""

    def ego_steps(self, ego: int) -> IntArray:
        """``int [n_goals]``: the ego agent's steps to its own target for each goal."""

    def ego_map(self) -> EgoMap:
        """Return the ego agent's model as arrays, for planning."""

    def ego_matrices(self, ego: int) -> tuple[FloatArray, FloatArray]:
        """EDP and WCD of the ego agent; the WCD is the step at which its plans must branch."""

    def teammate_next(self, teammate: int, action: int) -> int:
        """Return the teammate's next state, -1 if the action is not available."""

    def ego_next(self, ego: int, action: int) -> int:
        """Return the ego agent's next state, -1 if the action is not available."""

    def stays(self, action: int) -> bool:
        """Whether this teammate action is the one it does at its goal."""

    def describe_ego_action(self, action: int) -> str:
        """Return an ego action in words."""


def reckoned_with(problem: Problem, belief: FloatArray) -> BoolArray:
    """``bool [n_goals]``: the goals that a method reckons with; where answers can be wrong, those that are credible."""
    if problem.answers.wrong == 0:
        return np.asarray(belief > 0)
    return np.asarray(belief >= CREDIBLE * belief.max())


def optimal_costs(problem: Problem, state: JointState) -> FloatArray:
    """``float64 [n_goals]``: cost from `state` if the goal were known.

    The teammate needs its steps and one more to stay; the ego agent may arrive during that last one.
    """
    steps = np.maximum(problem.teammate_steps(state.teammate) + 1, problem.ego_steps(state.ego))
    return steps.astype(np.float64)


# -- what the teammate does, in words ----------------------------------------------------------------------------


def teammate_does(problem: Problem, teammate: int, action: int) -> str:
    """Return what an action is called that the teammate does in one of its states."""
    model = problem.teammate_model
    if model.labels is None or action >= model.n_actions:
        return problem.teammate_actions[action]
    return str(model.action_name(teammate, action))


def teammate_names(problem: Problem, teammate: int) -> tuple[str, ...]:
    """Return what each action of the teammate is called in one of its states, empty where it is not available.

    Where an action is called the same in every state, also where it is not available.
    """
    model = problem.teammate_model
    if model.labels is None:
        return problem.teammate_actions
    there = model.available[teammate]
    own = (str(model.action_name(teammate, a)) if there[a] else "" for a in range(model.n_actions))
    return (*own, *problem.teammate_actions[model.n_actions :])


def all_teammate_names(problem: Problem) -> tuple[str, ...]:
    """Return what the teammate can do anywhere."""
    labels = problem.teammate_model.labels
    if labels is None:
        return problem.teammate_actions
    names = (str(labels.names.name(label)) for label in range(labels.names.n))
    return (*names, *problem.teammate_actions[problem.teammate_model.n_actions :])

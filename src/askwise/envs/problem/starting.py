"""Where the problems of an environment come from: always the same one, or another of the same shape for one episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.api import as_problem
from askwise.core.problem import Problem
from askwise.errors import InputError


@dataclass(frozen=True, slots=True)
class Shape:
    """What fixes the shapes of observations and actions.

    Attributes:
        goals: number of goals.
        teammate_states: states that the teammate can be in.
        ego_states: states that the ego agent can be in, one for each place and load.
        teammate_actions: number of the teammate's actions.
        ego_actions: number of the ego agent's ontic actions.
        ego_moves: how many of these lead towards goals; in the flat environment each makes a question.
        groups: number of groups of goals; in the flat environment each makes a question.
    """

    goals: int
    teammate_states: int
    ego_states: int
    teammate_actions: int
    ego_actions: int
    ego_moves: int
    groups: int

    @classmethod
    def of(cls, problem: Problem) -> Shape:
        """Return the shape of a problem."""
        ego = problem.ego.table()
        return cls(
            goals=len(problem.goals),
            teammate_states=problem.teammate.model.n_states,
            ego_states=ego.next.shape[0] * ego.states_per_place,
            teammate_actions=len(problem.teammate.actions.names),
            ego_actions=len(problem.ego.actions.names),
            ego_moves=len(problem.ego.actions.moves),
            groups=len(problem.groups),
        )

    def __str__(self) -> str:
        return (
            f"{self.goals} goals in {self.groups} groups, {self.teammate_states} states and {self.teammate_actions} "
            f"actions of the teammate, {self.ego_states} states, {self.ego_actions} actions and {self.ego_moves} moves "
            "of the ego agent"
        )


class ProblemSource:
    """The same problem in every episode, unless ``reset`` is given another one."""

    option = "problem"
    limit = None

    def __init__(self, problem: object) -> None:
        self.example = as_problem(problem)
        self.shape = Shape.of(self.example)

    def draw(self, rng: np.random.Generator) -> Problem:  # noqa: ARG002 - nothing is left to chance
        """See `askwise.envs.starting.Source`."""
        return self.example

    def given(self, chosen: object) -> Problem:
        """Return the chosen problem if it has the shape of the spaces."""
        problem = as_problem(chosen)
        self.check(problem, "option 'problem'")
        return problem

    def check(self, problem: Problem, field: str = "problem") -> None:
        """See `askwise.envs.starting.Source`."""
        shape = Shape.of(problem)
        if shape != self.shape:
            raise InputError(field, str(shape), f"{self.shape}, the shape of the spaces")

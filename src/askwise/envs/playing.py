"""An episode in an environment: a `Game`, and what a player from outside needs beside it.

The game decides what a step does, what is answered, what it costs and when it is over; it refuses what is not
available. A player who is still learning may choose anything, so here an action that is not available does nothing
instead. The last question is remembered, because an observation goes on showing it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askwise.core.belief import Observation
from askwise.core.game import Game
from askwise.core.problem import Problem
from askwise.core.questions import Answer
from askwise.types import BoolArray

MOST_REMEMBERED = 4096
"""Masks that are kept for each agent; beyond that they are worked out anew."""


class Play:
    """One episode.

    Attributes:
        game: the episode itself. It knows the goal: for the teammate's eyes only.
        masks: the actions that are available in each state.
        asked: ``bool [n_goals]``, the last question, all False if there was none.
        answer: the answer to it as a number: 0 nothing was asked, 1 no, 2 yes, 3 there was no answer.
        allowed_when_asked: ``bool [n_goals]``, the goals that the prior and all answers before that one allow.
    """

    def __init__(self, game: Game, masks: Masks) -> None:
        self.game = game
        self.masks = masks
        self.asked: BoolArray = np.zeros(len(game.problem.goals), dtype=np.bool_)
        self.answer = 0
        self.allowed_when_asked: BoolArray = game.allowed

    def available_to_ego(self, chosen: int | BoolArray) -> int | BoolArray:
        """Return the ego agent's action or question if it is available, else the action that does nothing."""
        if isinstance(chosen, int):
            available = self.masks.ego(self.game.state.ego)[chosen]
        else:
            available = self.game.empty_questions or chosen.any()
        return chosen if available else self.game.problem.ego.actions.stay

    def available_to_teammate(self, action: int) -> int:
        """Return the teammate's action if it is available, else one that does nothing."""
        here = self.game.state.teammate
        return action if self.masks.teammate(here)[action] else idle_action(self.game.problem, here)

    def ego_mask(self) -> Any:
        """``int8 [n_ego_actions]``: 1 for the ego agent's ontic actions that are available now."""
        return self.masks.ego(self.game.state.ego).copy()

    def teammate_mask(self) -> Any:
        """``int8 [n_teammate_actions]``: 1 for the teammate's actions that are available now."""
        return self.masks.teammate(self.game.state.teammate).copy()

    def ask(self, asked: BoolArray) -> None:
        """Ask whether the goal is among these, ``bool [n_goals]``; nobody moves."""
        allowed = self.game.allowed
        self._keep_in_view(asked, self.game.ask(np.flatnonzero(asked).tolist()).answer, allowed)

    def follow(self, observation: Observation) -> None:
        """Take in what is seen of an episode that is played elsewhere; the game here does not know its goal."""
        game, allowed = self.game, self.game.allowed
        if observation.answer is not None:
            game.hear(observation.answer)
            self._keep_in_view(named(observation.answer.goals, allowed.size), observation.answer, allowed)
        # Not `act`: whether the step was the last one is decided where the goal is known.
        game.state, game.teammate_action = observation.state, observation.teammate_action

    def _keep_in_view(self, asked: BoolArray, answer: Answer | None, allowed: BoolArray) -> None:
        assert answer is not None
        reply = answer.yes
        self.asked, self.answer, self.allowed_when_asked = asked, 3 if reply is None else 1 + reply, allowed

    def info(self, illegal: bool, action_mask: Any) -> dict[str, Any]:
        """Return what an environment says beside its observation; the goal and what depends on it when all is over."""
        game = self.game
        info: dict[str, Any] = {
            "step_cost": game.step_cost,
            "cost": game.cost,
            "illegal": illegal,
            "action_mask": action_mask,
        }
        if game.over:
            best = game.optimal_cost
            # Not the game's own marginal cost: learners want a number for an episode that was cut off, too.
            info |= {"goal": game.goal, "optimal_cost": best, "marginal_cost": game.cost - best}
        return info


def named(goals: Sequence[int], n: int) -> BoolArray:
    """Mark some of `n` goals."""
    marked = np.zeros(n, dtype=np.bool_)
    marked[list(goals)] = True
    return marked


def idle_action(problem: Problem, teammate: int) -> int:
    """Return an action of the teammate that changes nothing; best one that it does not do at its goal."""
    idle = [a for a in range(len(problem.teammate.actions.names)) if problem.teammate.next(teammate, a) == teammate]
    return min(idle, key=lambda action: action == problem.teammate.actions.stay)


class Masks:
    """The actions that are available in each state: ``int8 [n_actions]`` with 1 for those, 0 for the others.

    They are remembered: trying all actions again would take longer than the step itself.
    """

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self._ego: dict[int, Any] = {}
        self._teammate: dict[int, Any] = {}

    def ego(self, state: int) -> Any:
        """Return those of the ego agent, for reading only."""
        mask = self._ego.get(state)
        return self._remember(self._ego, state, self.ego_mask(state)) if mask is None else mask

    def teammate(self, state: int) -> Any:
        """Return those of the teammate, for reading only."""
        mask = self._teammate.get(state)
        return self._remember(self._teammate, state, self.teammate_mask(state)) if mask is None else mask

    def ego_mask(self, state: int) -> Any:
        """Work out those of the ego agent; a domain may know a faster way."""
        return _tried(self.problem.ego.next, state, len(self.problem.ego.actions.names))

    def teammate_mask(self, state: int) -> Any:
        """Work out those of the teammate."""
        return _tried(self.problem.teammate.next, state, len(self.problem.teammate.actions.names))

    def _remember(self, known: dict[int, Any], state: int, mask: Any) -> Any:
        if len(known) < MOST_REMEMBERED:
            known[state] = mask
        return mask


def _tried(following: Callable[[int, int], int], state: int, n_actions: int) -> Any:
    return np.array([following(state, action) >= 0 for action in range(n_actions)], dtype=np.int8)

"""An episode in progress: the state, what was seen and asked, and what it has cost.

This is bookkeeping. What an action does, whether it is available, when the episode ends and what a question costs is
asked of `askwise.domains.tool_fetching.rules`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.rules import FETCHER_NOOP, WORKER_ACTIONS, WORKER_NOOP
from askwise.problem import STEP_COST, optimal_costs
from askwise.types import BoolArray


class Play:
    """One episode.

    Attributes:
        problem: what is played.
        goal: the worker's goal, for the worker's eyes only.
        state: where everybody is.
        worker_action: what the worker did in the last step, None at the start and after a question.
        asked: ``bool [n_stations]``, the last question, all False if there was none.
        answer: the answer to it, None if there was none.
        possible: ``bool [n_stations]``, the stations that the prior and all answers allow.
        possible_when_asked: ``bool [n_stations]``, the same before the last question.
        step_cost: what the last step cost.
        cost: what all steps cost.
        steps: how many there were, questions included.
        finished: the tool was where it was needed.
    """

    def __init__(self, problem: ToolFetching, goal: int, max_steps: int) -> None:
        self.problem = problem
        self.goal = goal
        self.max_steps = max_steps
        self.state = problem.rules.start
        self.worker_action: int | None = None
        self.asked: BoolArray = np.zeros(len(problem.goals), dtype=np.bool_)
        self.answer: bool | None = None
        self.possible: BoolArray = problem.prior > 0
        self.possible_when_asked = self.possible
        self.step_cost = 0.0
        self.cost = 0.0
        self.steps = 0
        self.finished = False

    @property
    def truncated(self) -> bool:
        """Whether it was cut off."""
        return self.steps >= self.max_steps and not self.finished

    @property
    def over(self) -> bool:
        """Whether it has come to an end, one way or the other."""
        return self.finished or self.steps >= self.max_steps

    def act(self, worker_action: int, fetcher_action: int) -> None:
        """Let both act; both actions must be available."""
        rules = self.problem.rules
        self.state = rules.step(self.state, worker_action, fetcher_action)
        self.worker_action = worker_action
        self.finished = rules.finished(worker_action, self.state, self.goal)
        self._pay(STEP_COST)

    def ask(self, asked: BoolArray) -> None:
        """Ask whether the goal is among these stations, ``bool [n_stations]``; nobody moves."""
        self.answer = bool(asked[self.goal])
        self.asked = asked
        self.possible_when_asked = self.possible
        self.possible = self.possible & (asked if self.answer else ~asked)
        self.worker_action = None
        self._pay(self.problem.rules.query_cost(np.flatnonzero(asked).tolist()))

    def _pay(self, cost: float) -> None:
        self.step_cost = cost
        self.cost += cost
        self.steps += 1

    def available_to_worker(self, action: int) -> int:
        """Return the worker's action if it is available, else NOOP."""
        return action if self.problem.rules.worker_next(self.state.worker, action) >= 0 else WORKER_NOOP

    def available_to_fetcher(self, action: int) -> int:
        """Return the fetcher's action if it is available, else NOOP."""
        cell, _ = self.problem.rules.fetcher_next(self.state.fetcher, self.state.holding, action)
        return action if cell >= 0 else FETCHER_NOOP

    def worker_mask(self) -> Any:
        """``int8 [n_worker_actions]``: 1 for the actions that are available."""
        return _mask(self.problem.rules.legal_worker_actions(self.state), len(WORKER_ACTIONS))

    def fetcher_mask(self) -> Any:
        """``int8 [n_ontic]``: 1 for the ontic actions that are available."""
        return _mask(self.problem.rules.legal_fetcher_actions(self.state), len(self.problem.ego_actions))

    def info(self, illegal: bool, action_mask: Any) -> dict[str, Any]:
        """Return what an environment says beside its observation; the goal and what depends on it when all is over."""
        info: dict[str, Any] = {
            "step_cost": self.step_cost,
            "cost": self.cost,
            "illegal": illegal,
            "action_mask": action_mask,
        }
        if self.over:
            best = float(optimal_costs(self.problem, self.problem.start)[self.goal])
            info |= {"goal": self.goal, "optimal_cost": best, "marginal_cost": self.cost - best}
        return info


def _mask(actions: list[int], n: int) -> Any:
    mask = np.zeros(n, dtype=np.int8)
    mask[actions] = 1
    return mask

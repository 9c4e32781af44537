"""The exact expected cost of an agent with a teammate that may walk in circles.

Such a teammate has infinitely many paths. But if the agent's decisions depend only on its situation (`follows_once`),
it meets finitely many situations: states of both agents, possible goals and replies heard. For each goal, they form a
Markov chain:

- ``c[s]`` is the cost of the decision in situation ``s``;
- ``Q[s, s']`` is the probability of moving from ``s`` to ``s'``;
- ``W[s]`` is the expected cost from ``s`` to the end of the episode. It solves ``W = c + Q W``.

Let ``W'`` be the computed solution and ``r = c + Q W' - W'``. Let ``V`` solve ``V = 1 + Q V`` with a relative error of
at most ``eps``. Then ``|W' - W| <= max|r| V / (1 - eps)`` (see `askwise.model.chain`).

If the agent chooses at random, one choice is drawn for each situation.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from askwise.core.game import ends
from askwise.core.problem import STEP_COST, JointState, Problem
from askwise.errors import AskwiseError, NotConvergedError
from askwise.model.chain import AbsorbingChain, proven_bound
from askwise.model.graph import breadth_first
from askwise.play.branches import Branch
from askwise.play.enumeration import Enumeration
from askwise.types import FloatArray, LazyModule

sparse = LazyModule("scipy.sparse")
csgraph = LazyModule("scipy.sparse.csgraph")
linalg = LazyModule("scipy.sparse.linalg")


def may_circle(problem: Problem) -> bool:
    """Return whether the teammate, under its policy for some goal, may wait or come back to an earlier state.

    Waiting at the target of the goal does not count.
    """
    model = problem.teammate.model
    for goal, policy in enumerate(problem.policies or ()):
        taken = policy.support.copy()
        taken[problem.teammate.targets(goal), model.stay] = False
        states, actions = np.nonzero(taken)
        shape = model.n_states, model.n_states
        graph = sparse.csr_array((np.ones(states.size), (states, model.successor[states, actions])), shape=shape)
        met = breadth_first([problem.start.teammate], graph.indptr, graph.indices)[1]
        inside = graph[met][:, met]
        parts, _ = csgraph.connected_components(inside, connection="strong")
        if problem.prior[goal] > 0 and (parts < met.size or inside.diagonal().any()):
            return True
    return False


class SituationChain(Enumeration):
    """An exact evaluation of an agent as a Markov chain, for teammates that may return to earlier states.

    Attributes:
        error: largest possible error of the expected cost, once it has been computed.
    """

    error = 0.0

    def expected_marginal_cost(self) -> float:
        """Return the agent's expected marginal cost: the cost above the least possible cost if the goal is known."""
        self._number: dict[Any, int] = {}
        self._waiting: deque[Branch] = deque()
        self._price: list[float] = []
        self._may_end: list[frozenset[int]] = []
        self._edges: list[tuple[int, int]] = []
        self._shares: list[FloatArray] = []
        roots = []
        while self._now:
            roots.append(self._now.take())
        for root in roots:
            self._meet(root)
        while self._waiting:
            self._unfold(self._waiting.popleft())
        costs = []
        for goal in np.flatnonzero(self.prior > 0).tolist():
            root = next(each for each in roots if goal in each.goals)
            cost, error = self._solved(goal, self._number[self._situation(root)], root.agent.name)
            costs.append(self.prior[goal] * cost)
            self.error += self.prior[goal] * error
        return self._beyond_known(costs)

    def _is_probable(self, branch: Branch) -> bool:  # noqa: ARG002
        """Return True: no branch is so improbable that the chain leaves it out."""
        return True

    def _meet(self, branch: Branch) -> bool:
        """Give the situation at the end of `branch` a number and queue `branch`, if it is new; return whether it is."""
        situation = self._situation(branch)
        if situation in self._number:
            return False
        self._number[situation] = len(self._number)
        self._waiting.append(branch)
        return True

    def _unfold(self, branch: Branch) -> None:
        """Let the agent decide at the end of `branch`; store the cost and the possible next situations."""
        here = self._number[self._situation(branch)]
        branch.weight = np.ones(self.prior.size)
        decision = self._decision(branch)
        branch.taken += 1
        if decision.ask is not None:
            self._price.append(self.problem.query_cost(decision.ask))
            self._may_end.append(frozenset())
            following = list(self._answers(branch, decision.ask))
        else:
            assert decision.action is not None
            ego = self.problem.ego.next(branch.observation.state.ego, decision.action)
            self._price.append(STEP_COST)
            self._may_end.append(self._ending(branch, ego))
            following = list(self._steps(branch, ego))
        for new in following:
            if self._meet(new):
                new.agent = self._copy(branch.agent, branch.taken)
            assert new.weight is not None
            self._edges.append((here, self._number[self._situation(new)]))
            self._shares.append(new.weight)

    def _ending(self, branch: Branch, ego: int) -> frozenset[int]:
        """Return the possible goals for which the episode ends if the ego agent goes to `ego` and the teammate waits.

        Only goals for which the teammate may wait count.
        """
        problem, before = self.problem, branch.observation.state
        may, now = problem.teammate.optimal(before.teammate), JointState(before.teammate, ego)
        stay = problem.teammate.actions.stay
        return frozenset(goal for goal in branch.goals if may[goal, stay] and ends(problem, before, stay, now, goal))

    def _solved(self, goal: int, root: int, name: str) -> tuple[float, float]:
        """Return the expected cost of an episode with the given goal, and the largest possible error.

        `root` is the index of the first situation; `name` is the agent's name for error messages.
        """
        n = len(self._number)
        shares = np.array([share[goal] for share in self._shares])
        rows, columns = np.array(self._edges, dtype=np.int32).reshape(-1, 2)[shares > 0].T
        matrix = sparse.csr_array((shares[shares > 0], (rows, columns)), shape=(n, n))
        chain = AbsorbingChain(matrix, np.array([goal in goals for goals in self._may_end]))
        if chain.infinite[root]:
            raise AskwiseError(f"agent {name!r} may never be done: it has no cost")
        met = chain.reachable_from(root)
        return _expected(matrix[met][:, met], np.array(self._price)[met])


def _expected(matrix: Any, price: FloatArray) -> tuple[float, float]:
    """Return the expected sum of prices in a Markov chain from state 0 to its end, and the largest possible error.

    Args:
        matrix: transition probabilities, sparse ``[n, n]``; a row that sums to less than 1 may end the chain.
        price: ``float64 [n]``, price of each visit of a state.
    """
    system = (sparse.eye_array(price.size, format="csr") - matrix).tocsc()
    try:
        factors = linalg.splu(system)
        steps, costs = (factors.solve(right) for right in (np.ones(price.size), price))
        steps, costs = (
            found + factors.solve(right - system @ found)
            for found, right in ((steps, np.ones(price.size)), (costs, price))
        )
    except RuntimeError:  # "Factor is exactly singular": the probability of ending is lost in rounding
        steps = costs = np.full(price.size, np.nan)
    eps = proven_bound(matrix, steps)[1]
    if not eps < 1:
        raise NotConvergedError(
            "too close to never being done to evaluate exactly: no error bound follows; "
            "draw episodes (episodes, --episodes)"
        )
    carried = matrix @ costs
    operations = int(np.diff(matrix.indptr).max(initial=0)) + 5
    rounding = operations * np.finfo(np.float64).eps * (price + np.abs(carried) + np.abs(costs))
    off = float((np.abs(price + carried - costs) + rounding).max())
    return float(costs[0]), off * float(steps[0]) / (1 - eps)

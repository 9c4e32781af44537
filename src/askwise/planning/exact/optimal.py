"""The exact optimum: the least expected cost that any way of acting and asking can reach.

It is the recursion of `askwise.planning` with nothing left out that could be better:

- every ontic action: all moves, waiting, taking up every load that may still be needed;
- every split of `A` by a question, asked about its cheaper side.

What is left out are loads of impossible goals, and actions after which a possible goal could never be reached.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from askwise.planning.exact.size import MOST_STATES
from askwise.planning.exact.solver import Progress, Solver
from askwise.problem import Problem
from askwise.types import Verdict

METHOD = "optimal over all questions and actions"


@dataclass(frozen=True)
class Solution:
    """The optimum of a problem.

    Attributes:
        expected_cost: the least expected cost.
        expected_marginal_cost: the same less what it would cost if the goal were known.
        verdict: how the numbers were obtained.
        states: states that were solved.
        splits: questions that were looked at.
        policy: what to do in every state.
        seconds: time taken.
    """

    expected_cost: float
    expected_marginal_cost: float
    verdict: Verdict
    states: int
    splits: int
    policy: Solver = field(compare=False, repr=False)
    seconds: float = field(compare=False)


def solve_problem(
    problem: Problem, *, go_on: bool = False, limit: int = MOST_STATES, progress: Progress | None = None
) -> Solution:
    """Solve a problem exactly.

    Args:
        problem: any problem whose goals a UROP teammate reaches in states of their own, with prices that add up goal by
            goal.
        go_on: do not stop at `limit`.
        limit: give up (`TooLarge`) when more states than this are needed.
        progress: called now and then with the states solved and the questions looked at so far.
    """
    began = time.perf_counter()
    solver = Solver(problem, limit=None if go_on else limit, progress=progress)
    start = solver.at(problem.start)
    marginal = start.expected_marginal_cost
    return Solution(
        expected_cost=marginal + solver.known_cost(problem.start),
        expected_marginal_cost=marginal,
        verdict=Verdict(METHOD),
        states=solver.states,
        splits=solver.splits,
        policy=solver,
        seconds=time.perf_counter() - began,
    )

"""The exact optimum: the least expected cost that any way of acting and asking can reach.

**Theory.** The teammate follows the UROP of its goal. Then the belief is a function of the teammate's state `w` and of
the goals `A` that all answers allow (`askwise.planning.view`), and the ego agent's problem is a Markov decision process
over ``(A, w, ego state)``. It has no cycles: every joint step takes the teammate one step further or, when it stays,
reveals its goal; every question makes `A` smaller. So one memoised recursion is exact; there are no sweeps and no
tolerance.

If the goal were known, ``R_g = max(d_w + 1, d_e)`` steps would be left (`askwise.problem.optimal_costs`), whatever
happens. The *expected marginal cost* is what is paid beyond ``H = sum of P(g) R_g``. It is never negative, a known goal
costs nothing more, and every ontic action adds ``1 + E[H after] - H >= 0``. The recursion runs on that, with

- every ontic action: all moves, waiting, picking up every tool that may still be needed;
- every split of `A` by a question, asked about its smaller side: a set and its complement tell the same.

Options are tried in order of what they are sure to lose, and dropped as soon as they cannot be the best. All that is
left out are pick-ups of tools of impossible goals: holding such a tool is no better than holding none.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from askwise.planning.optimal_size import MOST_STATES
from askwise.planning.optimal_solver import Progress, Solver
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
        problem: any problem whose goals the teammate reaches in states of their own.
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

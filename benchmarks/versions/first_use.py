"""``python -m benchmarks.versions.first_use METHOD SIDE STATIONS``: decide once, and print the CPU seconds.

They include starting Python, importing askwise, making a problem, and compiling what is not compiled yet.
"""

from __future__ import annotations

import sys
from time import process_time

from askwise import Observation, ToolFetching, generate
from benchmarks.versions import methods


def torn_problem(side: int, stations: int) -> ToolFetching:
    """Return a problem in which no action is optimal for all goals at the start, so that questions are considered."""
    seed = 0
    while True:
        problem = ToolFetching(generate(width=side, stations=stations, toolboxes=2, seed=seed))
        earlier = getattr(problem, "ego_optimal", None)  # its name before problems had sides
        optimal = problem.ego.optimal if earlier is None else earlier
        if not optimal(problem.start.ego).all(axis=0).any():
            return problem
        seed += 1


def _main(method: str, side: str, stations: str) -> None:
    problem = torn_problem(int(side), int(stations))
    agent = methods().make_agent(method)
    agent.reset(problem, 1)
    agent.decide(Observation(problem.start))
    print(process_time())


if __name__ == "__main__":
    _main(*sys.argv[1:])

"""``python -m benchmarks.versions.first METHOD SIDE STATIONS``: decide once; print the seconds of the whole process.

All of a first use is in them: starting Python, importing askwise, making a problem, compiling what is not compiled yet.
"""

from __future__ import annotations

import sys
from time import process_time

from askwise import Observation, ToolFetching, generate
from benchmarks.versions import methods


def torn_problem(side: int, stations: int) -> ToolFetching:
    """Return a problem in which nothing is right for all goals at the start, so that a question is considered."""
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

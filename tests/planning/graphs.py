"""Random problems that are two directed graphs: one-way edges, parallel actions, goals with several targets."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.model import Model

Draw = st.DrawFn

PRIORS = (1.0, 1.0, 2.0, 5.0, 1e-15, 0.0)
PRICES = (0.0, 0.05, 0.2, 0.5, 2.0)


@st.composite
def tables_of_moves(draw: Draw, max_states: int, actions: int) -> list[list[int]]:
    """Draw next states, -1 for none: a random tree from state 0, so that all can be reached, and any further edges.

    Long trees, and actions that do the same as the one before: there is something to decide on the way, and the number
    of plans matters.
    """
    n = draw(st.integers(3, max_states))
    table = [[draw(st.integers(-1, n - 1)) for _ in range(actions)] for _ in range(n)]
    used: set[tuple[int, int]] = set()
    for state in range(1, n):
        free = [(s, a) for s in range(max(0, state - 3), state) for a in range(actions) if (s, a) not in used]
        s, a = draw(st.sampled_from(free))
        used.add((s, a))
        table[s][a] = state
    for s in range(n):
        for a in range(1, actions):
            if (s, a) not in used and draw(st.booleans()):
                table[s][a] = table[s][a - 1]
    return table


@st.composite
def graph_problems(draw: Draw, *, most_goals: int = 4) -> FactoredProblem:
    """Draw a problem of two graphs; no two goals share a target of the teammate."""
    teammate = draw(tables_of_moves(8, 3))
    ego = draw(tables_of_moves(7, 3))
    n_goals = draw(st.integers(2, min(most_goals, len(teammate) - 1)))
    states = draw(st.permutations(range(len(teammate))))
    shared = [[state] for state in states[:n_goals]]
    for state in states[n_goals : n_goals + draw(st.integers(0, 2))]:
        shared[draw(st.integers(0, n_goals - 1))].append(state)
    targets = st.lists(st.integers(0, len(ego) - 1), min_size=1, max_size=2, unique=True)
    weights = np.array([draw(st.sampled_from(PRIORS)) for _ in range(n_goals)])
    if (weights > 0).sum() < 2:
        weights[:] = 1.0
    prices = tuple(draw(st.sampled_from(PRICES)) for _ in range(n_goals))
    return FactoredProblem(
        goals=tuple(f"g{k}" for k in range(n_goals)),
        prior=weights / weights.sum(),
        teammate_model=Model(np.array(teammate)),
        teammate_goals=shared,
        ego_model=Model(np.array(ego)),
        ego_goals=[draw(targets) for _ in range(n_goals)],
        start=JointState(0, 0),
        query_cost=QueryCost(draw(st.sampled_from(PRICES)), prices=prices),
    )

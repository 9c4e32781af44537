"""EDP by the probabilistic model checker Storm, through stormpy (GPL; askwise itself never imports it).

An agreement chain becomes a discrete-time Markov chain (DTMC) with an additional state "done", in which it ends. Every
other state has reward 1. So the expected divergence point is ``R=? [F "done"]``, which is infinite, as in askwise,
where "done" is not reached with certainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from askwise import Model, Policy
from askwise.types import FloatArray
from benchmarks.peers.chains import Chains

try:
    import stormpy
except ImportError:  # optional: callers check `available` first
    stormpy = None

available = stormpy is not None

DIRECT = "EIGEN"
"""Sparse LU decomposition: for comparing values."""

FASTEST = "TOPOLOGICAL"
"""One component after the other, which is a backward pass on acyclic chains: the fastest of Storm's solvers there."""


def expected_steps(matrix: Any, ends: FloatArray, solver: str = DIRECT) -> FloatArray:
    """Return the expected number of steps from each state, ``inf`` included.

    Args:
        matrix: probabilities of continuing, CSR ``[n, n]`` with sorted indices.
        ends: ``float64 [n]``, probabilities of ending.
        solver: name of one of Storm's linear equation solvers.
    """
    n = ends.size
    result = stormpy.model_checking(_dtmc(matrix, ends), _steps_until_done(), environment=_environment(solver))
    return np.array(result.get_value_vector()[:n])


def agreement_chain(model: Model, pi1: Policy, pi2: Policy) -> tuple[Any, FloatArray]:
    """Return the probabilities of continuing (CSR) and of ending, computed from the definition.

    It shares no code with askwise's chains, so that it can find mistakes in them: whether the chain continues is
    decided for each transition separately. Where `pi2` is undefined, the chain ends at once.
    """
    law = model.transitions.tocoo()
    s, a = np.divmod(law.row, model.n_actions)
    weight = pi2.probabilities[s, a] * law.data
    continues = pi1.probabilities[s, a] > 0
    n = model.n_states
    kept = continues & (weight > 0)
    matrix = sparse.coo_array((weight[kept], (s[kept], law.col[kept])), shape=(n, n)).tocsr()
    matrix.sort_indices()
    ends = np.asarray(np.bincount(s, np.where(continues, 0.0, weight), minlength=n), dtype=np.float64)
    ends[~(pi2.probabilities > 0).any(axis=1)] = 1.0
    return matrix, ends


def pairs(chains: Chains, wanted: Sequence[tuple[int, int]]) -> FloatArray:
    """Return EDP(pi_i | pi_j) at all states for each ``(i, j)``, one DTMC for each pair."""
    found = [chains.masked(_check(chains, [i], j)[0], j) for i, j in wanted]
    return np.array(found)


def goals(chains: Chains, followed: Sequence[int]) -> FloatArray:
    """Return EDP at all states against all other goals for each followed goal, one DTMC for each of these."""
    all_goals = range(len(chains.policies))
    found = [chains.masked(_check(chains, [i for i in all_goals if i != j], j), j) for j in followed]
    return np.array(found)


def _check(chains: Chains, ruled_out: Sequence[int], followed: int) -> FloatArray:
    matrix, ends = chains.stacked(ruled_out, followed)
    return expected_steps(matrix, _certain(matrix, ends), FASTEST).reshape(len(ruled_out), -1)


def _certain(matrix: Any, ends: FloatArray) -> FloatArray:
    """Return `ends` with 1 at states without transitions, because Storm needs rows that sum to 1."""
    return np.where((np.diff(matrix.indptr) == 0) & (ends == 0), 1.0, ends)


def _dtmc(matrix: Any, ends: FloatArray) -> Any:
    n = ends.size
    ending = np.flatnonzero(ends)
    rows = np.concatenate([np.repeat(np.arange(n), np.diff(matrix.indptr)), ending, [n]])
    columns = np.concatenate([matrix.indices, np.full(ending.size, n), [n]])
    values = np.concatenate([matrix.data, ends[ending], [1.0]])
    order = np.argsort(rows, kind="stable")  # "done" is the last column, so rows stay sorted
    builder = stormpy.datastructures.SparseMatrixBuilder[float](rows=n + 1, columns=n + 1, entries=values.size)
    builder.add_next_values(rows[order].tolist(), columns[order].tolist(), values[order].tolist(), [])
    labels = stormpy.models.StateLabeling(n + 1)
    for label, state in (("init", 0), ("done", n)):
        labels.add_label(label)
        labels.add_label_to_state(label, state)
    rewards = stormpy.models.SparseRewardModel[float](optional_state_reward_vector=[1.0] * n + [0.0])
    return stormpy.models.SparseDtmc[float](
        stormpy.models.SparseModelComponents[float](builder.build(), labels, {"steps": rewards})
    )


@cache
def _steps_until_done() -> Any:
    return stormpy.parse_property('R{"steps"}=? [F "done"]')


@cache
def _environment(solver: str) -> Any:
    environment = stormpy.environments.sound()
    settings = environment.solver()
    settings.set_linear_equation_solver_type(getattr(stormpy.environments.EquationSolverType, solver))
    settings.native().precision = stormpy.Rational("1/1000000000000")
    return environment

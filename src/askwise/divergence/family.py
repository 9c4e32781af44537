"""Divergence of goals: the steps at which each goal is ruled out while the agent pursues another goal.

EDP, the expected divergence point, is the expected such step. WCD, worst-case distinctiveness, is the latest one.
`Divergence` computes both, for one state or all states, in one of four ways (terms below the table):

========================================  =========================================  ====================
model and goals                           one state                                  all states
========================================  =========================================  ====================
grid without walls, goals of one cell     closed-form table                          closed-form table
deterministic (walls, any graph)          cones of the goals                         one pass for each goal
deterministic, by evidence                one pass for each goal                     repeated at each state
stochastic, or given policies             one chain for each pair                    one chain for each pair
========================================  =========================================  ====================

*By evidence*, the likelihood of actions rules goals out. The *cone* of a goal has the states on shortest plans to it. A
*pair* is a pursued goal and a goal to rule out. A *pass* computes all pairs with one pursued goal. A *chain* is the
Markov chain of the agent's steps.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from askwise.divergence.agreement import as_policy, optimal_policy
from askwise.divergence.edp import edp, wcd
from askwise.divergence.edp_tables import (
    all_pairs,
    all_pairs_scratch,
    closed_form,
    closed_form_at,
    closed_form_everywhere,
    has_closed_form,
)
from askwise.divergence.evidence import check_evidence, check_within, evidence_bytes, matrices_by_evidence
from askwise.divergence.pairs import matrices_at, matrices_bytes
from askwise.errors import InputError
from askwise.frozen import Sealed, read_only
from askwise.model import GridWorld, Model, Policy, goal_list, state_names
from askwise.model.names import Names
from askwise.text.reading import check_size
from askwise.types import FloatArray, GoalLike, IntArray, StateLike

NONE: IntArray = np.empty(0, dtype=np.int32)


class Divergence(Sealed):
    """The divergence of goals in a model: the steps at which an observer can tell the goals apart.

    In all matrices, ``[i, j]`` is the step at which goal `i` is ruled out while the agent pursues goal `j`: the
    expected step (EDP) or the latest (WCD).

    Args:
        model: the model of the observed agent.
        goals: goals, or a mapping from names to goals.
        policies: the policy of each goal. None for uniformly drawn shortest plans; in stochastic models, uniformly
            drawn optimal actions.
        evidence: a number between 0 and 1. For EDP, a goal is ruled out when the actions are at most `evidence` times
            as likely under it as under the pursued goal. None if only impossible actions rule goals out. WCD does not
            depend on `evidence`.
        within: with `evidence`, largest distance between the bounds on an EDP, as a share of the lower bound.
    """

    def __init__(
        self,
        model: Model,
        goals: Sequence[GoalLike] | Mapping[str, GoalLike],
        *,
        policies: Sequence[Policy] | None = None,
        evidence: float | None = None,
        within: float = 0.01,
    ) -> None:
        self.model = model
        self.evidence = None if evidence is None else check_evidence(evidence)
        self.optimal = policies is None
        names, self.targets = goal_list(model, goals)
        self.named = names is not None
        self._goal_names = Names("goal", self.n_goals, names)
        self._backend = self._choose_backend(policies, check_within(within))

    @property
    def n_goals(self) -> int:
        """Number of goals."""
        return len(self.targets)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the goals; a goal without a name is named after its target states."""
        if self._goal_names.names is not None:
            return tuple(str(name) for name in self._goal_names.names)
        return tuple(" or ".join(str(self.model.name(int(s))) for s in states) for states in self.targets)

    @property
    def method(self) -> str:
        """The name of the method that computes the values, such as ``one chain for each pair``."""
        return self._backend.method

    def goal(self, name: int | str, field: str | None = None) -> int:
        """Return the index of a goal given by index or name.

        `field` is the name of the input in error messages, by default ``goal``.
        """
        return self._goal_names.index(name, field or "goal")

    def matrices_at(self, state: StateLike, *, partial: bool = False) -> tuple[FloatArray, FloatArray]:
        """Return EDP and WCD at `state`, each ``float64 [n_goals (ruled out), n_goals (pursued)]``.

        EDP is the expected step, WCD the latest step, at which a goal is ruled out. Both are ``inf`` on the diagonal.

        Args:
            state: the agent's state, by name or index.
            partial: if True, goals out of reach get ``nan`` in their rows and columns; if False, they raise an
                `InputError`.
        """
        return self._at(self._backend.matrices_at, state, partial=partial)

    def bounds_at(self, state: StateLike, *, partial: bool = False) -> tuple[FloatArray, FloatArray]:
        """Return a proven lower and a proven upper bound on EDP at `state`.

        EDP is the expected step at which a goal is ruled out. Each bound is
        ``float64 [n_goals (ruled out), n_goals (pursued)]``. If the class got no `evidence`, both are equal up to
        rounding. The upper bound is ``inf`` where none was found.

        Args:
            state: the agent's state, by name or index.
            partial: if True, goals out of reach get ``nan`` in their rows and columns; if False, they raise an
                `InputError`.
        """
        return self._at(self._backend.bounds_at, state, partial=partial)

    def _at(self, method: Callable[[int], _AtOne], state: StateLike, *, partial: bool) -> tuple[FloatArray, FloatArray]:
        """Return the two matrices that `method` computes at `state`, with ``nan`` for goals that are out of reach.

        If `partial` is False, a goal that is out of reach raises an `InputError`.
        """
        index = self.model.state(state, "state")
        check_size(self._backend.bytes_at_one(), "divergence at one state", self._sizes)
        one, two, missing = method(index)
        if missing.size:
            if not partial:
                raise unreachable(self.model, index, self.names[missing[0]])
            for matrix in (one, two):
                matrix[missing, :] = matrix[:, missing] = np.nan
        return one, two

    def edp_at(self, state: StateLike) -> FloatArray:
        """Return EDP at `state`, ``float64 [n_goals (ruled out), n_goals (pursued)]``, ``inf`` on the diagonal.

        EDP, the expected divergence point, is the expected step at which one goal is ruled out while the agent pursues
        another goal.
        """
        if "_table" in vars(self):
            return self._checked_row(self.model.state(state, "state"))
        return self._at(self._backend.edp_at, state, partial=False)[0]

    def wcd_at(self, state: StateLike) -> FloatArray:
        """Return WCD at `state`, ``float64 [n_goals, n_goals]``, symmetric, ``inf`` on the diagonal.

        WCD, worst-case distinctiveness, is the latest step at which one goal is ruled out while the agent pursues
        another goal.
        """
        return self.matrices_at(state)[1]

    @property
    def table_bytes(self) -> int:
        """Size in bytes of the table that `edp_table` returns."""
        return 8 * self.model.n_states * self.n_goals**2

    @property
    def _sizes(self) -> str:
        return f"{self.model.n_states} states and {self.n_goals} goals"

    def edp_table(self, *, max_bytes: int | None = None) -> FloatArray:
        """Return EDP at every state, ``float64 [n_states, n_goals (ruled out), n_goals (pursued)]``.

        EDP is the expected step at which a goal is ruled out: ``nan`` if the pursued goal is out of reach, 1 if only
        the goal to rule out is out of reach.

        Args:
            max_bytes: largest size of the table; a larger one raises an `InputError`. None for the library's limit.
        """
        if "_table" not in vars(self):
            if max_bytes is None:
                needed = self.table_bytes + self._backend.scratch_bytes()
                check_size(needed, "edp_table", self._sizes, "ask for single states with edp_at")
            elif self.table_bytes > max_bytes:
                raise InputError(
                    "edp_table",
                    f"{self._sizes}, {self.table_bytes / 2**30:.1f} GiB",
                    f"at most {max_bytes / 2**30:.1f} GiB; ask for single states with edp_at, "
                    "or allow more with max_bytes=...",
                )
        return self._table

    @cached_property
    def _table(self) -> FloatArray:
        return read_only(self._backend.table())

    def __repr__(self) -> str:
        return f"<Divergence: {self.n_goals} goals in {self.model!r}, {self.method}>"

    def _checked_row(self, state: int) -> FloatArray:
        row: FloatArray = self._table[state]
        missing = np.flatnonzero(np.isnan(row).any(axis=0))
        if missing.size:
            raise unreachable(self.model, state, self.names[missing[0]])
        return row

    def _choose_backend(self, policies: Sequence[Policy] | None, within: float) -> _Backend:
        model, single = self.model, all(states.size == 1 for states in self.targets)
        if policies is not None:
            if len(policies) != self.n_goals:
                raise InputError("policies", f"{len(policies)} policies", f"{self.n_goals}, one for each goal")
            return _Chains(model, [as_policy(model, policy) for policy in policies], self.evidence, within)
        if self.evidence is not None and model.deterministic:
            return _Evidence(self, self.evidence)
        if isinstance(model, GridWorld) and single and has_closed_form(model):
            return _OpenGrid(model, self.targets)
        if model.deterministic:
            return _Graph(self)
        optimal = [optimal_policy(model, state_names(model, states)) for states in self.targets]
        return _Chains(model, optimal, self.evidence, within)


def unreachable(model: Model, state: int, goal: str) -> InputError:
    """Return an `InputError`, to be raised, which says that a goal cannot be reached from a state.

    Args:
        model: the model.
        state: index of the state.
        goal: name of the goal.
    """
    return InputError(f"goal {goal}", f"no way to it from state {model.name(state)}", "a goal that can be reached")


_AtOne = tuple[FloatArray, FloatArray, IntArray]
"""Two matrices of all pairs of goals, and the goals that cannot be reached."""


class _Backend(ABC):
    """A base class for the methods by which `Divergence` computes EDP and WCD of all pairs of goals.

    Attributes:
        method: a description of the method for users.
    """

    method: str

    @abstractmethod
    def matrices_at(self, state: int) -> _AtOne:
        """Return EDP and WCD at one state, and the indices of the goals that are out of reach.

        Both are ``float64 [n_goals (ruled out), n_goals (pursued)]``, without meaning for goals that are out of reach.
        """

    def edp_at(self, state: int) -> _AtOne:
        """Return EDP at one state, a second matrix to be ignored, and the indices of the goals that are out of reach.

        EDP is ``float64 [n_goals (ruled out), n_goals (pursued)]``.
        """
        return self.matrices_at(state)

    def bounds_at(self, state: int) -> _AtOne:
        """Return proven lower and upper bounds on EDP at one state, and the indices of the goals that are out of reach.

        Each bound is ``float64 [n_goals (ruled out), n_goals (pursued)]``.
        """
        edps, _, missing = self.edp_at(state)
        return edps, edps.copy(), missing

    @abstractmethod
    def table(self) -> FloatArray:
        """Return EDP at all states, ``float64 [n_states, n_goals (ruled out), n_goals (pursued)]``.

        EDP, the expected divergence point, is the expected step at which one goal is ruled out while the agent pursues
        another goal.
        """

    @abstractmethod
    def bytes_at_one(self) -> int:
        """Return the number of bytes of memory that a call of `matrices_at` takes, temporary arrays included."""

    @abstractmethod
    def scratch_bytes(self) -> int:
        """Return the number of bytes of memory that `table` takes for temporary arrays, in addition to its result."""


class _OpenGrid(_Backend):
    method = "closed form of the open grid"

    def __init__(self, grid: GridWorld, targets: Sequence[IntArray]) -> None:
        self.grid = grid
        cells = grid.cells[np.concatenate(targets)]
        self.goal_x, self.goal_y = np.ascontiguousarray(cells[:, 0]), np.ascontiguousarray(cells[:, 1])

    def matrices_at(self, state: int) -> _AtOne:
        x, y = self.grid.cells[state]
        form = closed_form(self.grid.width, self.grid.height)
        return *closed_form_at(form, x, y, self.goal_x, self.goal_y), NONE

    def table(self) -> FloatArray:
        form = closed_form(self.grid.width, self.grid.height)
        return closed_form_everywhere(form, self.grid.width, self.grid.height, self.goal_x, self.goal_y)

    def bytes_at_one(self) -> int:
        return 16 * self.goal_x.size**2

    def scratch_bytes(self) -> int:
        return 4 * (self.grid.width + self.grid.height) * self.goal_x.size**2


class _Graph(_Backend):
    method = "cones and one pass for each goal"

    def __init__(self, family: Divergence) -> None:
        self.model = family.model
        self.targets = np.concatenate(family.targets)
        self.starts = np.concatenate(([0], np.cumsum([s.size for s in family.targets]))).astype(np.int32)

    def matrices_at(self, state: int) -> _AtOne:
        edps, wcds, steps = matrices_at(self.model, state, self.targets, self.starts)
        return edps, wcds, np.flatnonzero(steps < 0).astype(np.int32)

    def table(self) -> FloatArray:
        # Stored with the ruled-out goals contiguous; returned in the documented order of axes.
        return all_pairs(self.model, self.targets, self.starts).transpose(1, 2, 0)

    def bytes_at_one(self) -> int:
        return matrices_bytes(self.model.n_states, self.starts.size - 1)

    def scratch_bytes(self) -> int:
        return all_pairs_scratch(self.model, self.starts.size - 1)


class _Evidence(_Graph):
    method = "evidence, one pass for each goal"

    def __init__(self, family: Divergence, evidence: float) -> None:
        super().__init__(family)
        self.evidence = evidence

    def matrices_at(self, state: int) -> _AtOne:
        _, wcds, missing = super().matrices_at(state)
        return self._by_evidence(state)[0], wcds, missing

    def edp_at(self, state: int) -> _AtOne:
        edps, steps = self._by_evidence(state)
        return edps, edps, np.flatnonzero(steps < 0).astype(np.int32)

    def _by_evidence(self, state: int) -> tuple[FloatArray, IntArray]:
        return matrices_by_evidence(self.model, state, self.targets, self.starts, self.evidence)

    def table(self) -> FloatArray:
        n = self.starts.size - 1
        found = np.empty((self.model.n_states, n, n))
        for state in range(self.model.n_states):
            found[state], steps = self._by_evidence(state)
            found[state][steps < 0] = 1.0  # any action rules out a goal that is out of reach
            found[state][:, steps < 0] = np.nan
        return found

    def bytes_at_one(self) -> int:
        return super().bytes_at_one() + evidence_bytes(self.model.n_states, self.starts.size - 1)

    def scratch_bytes(self) -> int:
        return evidence_bytes(self.model.n_states, self.starts.size - 1)


class _Chains(_Backend):
    method = "one chain for each pair"

    def __init__(self, model: Model, policies: Sequence[Policy], evidence: float | None, within: float) -> None:
        self.model = model
        self.policies = policies
        self.edp = edp if evidence is None else functools.partial(edp, evidence=evidence, within=within)
        self._found: tuple[int, FloatArray] = (-1, np.empty(0))

    def matrices_at(self, state: int) -> _AtOne:
        edps, wcds = self._edps_at(state)[0], np.zeros((len(self.policies), len(self.policies)))
        at, known = self.model.name(state), self._defined(state)
        for i in known:
            for j in known:
                wcds[i, j] = float(wcd(self.model, self.policies[i], self.policies[j], at))
        return edps.copy(), wcds, self._missing(state)

    def bounds_at(self, state: int) -> _AtOne:
        _, lower, upper = self._edps_at(state)
        return lower.copy(), upper.copy(), self._missing(state)

    def _edps_at(self, state: int) -> FloatArray:
        """Return the expected step at which each goal is ruled out while another is pursued, with two bounds.

        The result is ``float64 [3, n_goals (ruled out), n_goals (pursued)]``: value, lower and upper bound. The value
        of a pair is 0 if the policy of either goal has no action in the state. The result for the last state is kept.
        """
        kept, found = self._found
        if kept != state:
            n, at, known = len(self.policies), self.model.name(state), self._defined(state)
            found = np.zeros((3, n, n))
            for i in known:
                for j in known:
                    result = self.edp(self.model, self.policies[i], self.policies[j], at)
                    found[:, i, j] = float(result), *result.bounds
            self._found = (state, found)
        return found

    def _defined(self, state: int) -> list[int]:
        """Return the indices of the goals whose policies have an action in `state`."""
        return [k for k, policy in enumerate(self.policies) if policy.defined[state]]

    def _missing(self, state: int) -> IntArray:
        return np.setdiff1d(np.arange(len(self.policies)), self._defined(state)).astype(np.int32)

    def table(self) -> FloatArray:
        pairs = [[np.asarray(self.edp(self.model, one, two)) for two in self.policies] for one in self.policies]
        return np.moveaxis(np.array(pairs), -1, 0)

    def bytes_at_one(self) -> int:
        return 40 * len(self.policies) ** 2

    def scratch_bytes(self) -> int:
        return 8 * self.model.n_states * len(self.policies) ** 2

"""A problem stated plainly: two deterministic models, and the targets of each goal in both.

Every domain can be written like this. A domain whose ego model would be large puts its structure in place of the parts
that need it, and is tested against this one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.factored_input import Goals, Targets, checked_model, checked_policies, checked_start, targets_of
from askwise.core.problem import (
    JointState,
    Problem,
    checked_answers,
    checked_names,
    checked_price,
    checked_prior,
    refuse_unreachable,
)
from askwise.core.questions import Price, QueryCost
from askwise.core.side import ModelSide
from askwise.errors import InputError
from askwise.model import Model
from askwise.types import FloatArray, StateLike


class FactoredProblem(Problem):
    """A problem of two models that are written out, and the targets of each goal in both.

    Args:
        goals: names of the goals; or a dict from names to targets, which are those of both agents unless
            `teammate_goals` or `ego_goals` says otherwise.
        prior: probabilities of the goals, in their order or by name, summing to 1; by default all are equally likely.
        teammate_model: the teammate's model, deterministic.
        teammate_goals: for each goal, in their order or by name, the states in which the teammate has reached it.
        ego_model: the ego agent's model, deterministic; by default the teammate's.
        ego_goals: the same for the ego agent.
        start: where both begin, the teammate first; states by name or number.
        query_cost: what questions cost, also any function of the goals asked about (a list of numbers), or a dict
            of what naming each goal adds.
        ego_moves: names of the ego actions that lead towards goals, which the rule of `BL:Toolbox` compares; by default
            all but waiting.
        groups: names of goals that belong together, by a name for each group; worth asking about.
        teammate_policies: how the teammate pursues each goal, in their order or by name, if not by the UROP of each.
        answers: how questions are answered, truly by default.
    """

    def __init__(
        self,
        goals: Goals,
        prior: Sequence[float] | FloatArray | Mapping[str, float] | None = None,
        teammate_model: Model | None = None,
        teammate_goals: Targets = None,
        ego_model: Model | None = None,
        ego_goals: Targets = None,
        start: JointState | tuple[StateLike, StateLike] | None = None,
        query_cost: QueryCost | Price | Mapping[str, float] | None = None,
        *,
        ego_moves: Sequence[Hashable] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        teammate_policies: Sequence[Any] | Mapping[str, Any] | None = None,
        answers: AnswerModel = TRUTHFUL,
    ) -> None:
        names = checked_names(goals)
        if isinstance(goals, Mapping) and teammate_goals is not None and ego_goals is not None:
            raise InputError("goals", "targets, beside teammate_goals and ego_goals", "names only, or one of the two")
        team_model = checked_model("teammate_model", teammate_model)
        own_model = checked_model("ego_model", team_model if ego_model is None else ego_model).in_label_order()
        begin = checked_start(start, team_model, own_model)
        team_targets = targets_of("teammate_goals", goals, teammate_goals, team_model)
        own_targets = targets_of("ego_goals", goals, ego_goals, own_model)
        teammate = ModelSide(team_model, team_targets)
        policies = None
        if teammate_policies is not None:
            refuse_unreachable("teammate_goals", teammate, begin.teammate, names)  # or the policies would be blamed
            policies = checked_policies(teammate_policies, names, team_model, team_targets, begin.teammate)
            teammate = ModelSide(team_model, team_targets, policies)
        super().__init__(
            goals=names,
            teammate=teammate,
            ego=ModelSide(own_model, own_targets, moves=ego_moves, by_label=True),
            start=begin,
            prior=prior,
            query_cost=query_cost,
            answers=answers,
            groups=groups,
            policies=policies,
        )

    def with_terms(self, prior: FloatArray, query_cost: QueryCost) -> FactoredProblem:
        """Return the same models, goals and agents under another prior and other prices; tables are shared."""
        terms = {"prior": checked_prior(prior, self.goals), "query_cost": checked_price(query_cost, self.goals)}
        return self._restated(**terms)

    def with_answers(self, answers: AnswerModel) -> FactoredProblem:
        """See `Problem`."""
        return self if answers == self.answers else self._restated(answers=checked_answers(answers))

    def _restated(self, **changes: Any) -> FactoredProblem:
        """Return a copy that is just two models: a file that this problem was made from does not say the changes."""
        other = FactoredProblem.__new__(FactoredProblem)
        vars(other).update(vars(self), **changes)
        return other

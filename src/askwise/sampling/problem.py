"""Decide when to ask in an environment without a model: the paper's rule, with sampled divergence of goals.

The teammate's environment can only be stepped, so the expected steps until its actions rule out a wrong goal are
sampled. The ego agent has a model. So its optimal actions are exact, and so is the step from which two goals may need
different actions.

The ego agent asks if no action is optimal for all possible goals, and the best question is worth more than its price. A
question is worth the expected number of steps that it saves (`askwise.methods.question_value`).

The expected steps depend on the teammate's state. To sample them again from there is slow
(`askwise.sampling.FromHere`). To average over the original runs that lasted beyond the current step is quick, but
ignores the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from askwise.core.decision import Decision, common_actions
from askwise.core.problem import checked_price, checked_prior
from askwise.core.side import ModelSide
from askwise.divergence import Zone, Zones
from askwise.errors import InputError
from askwise.frozen import Sealed
from askwise.methods.optimisers import optimise
from askwise.methods.question_value import QuestionValue
from askwise.model import Model
from askwise.sampling.online import OnlineRecogniser
from askwise.sampling.results import SampledDivergence
from askwise.seeds import Seed, generator
from askwise.types import BoolArray, FloatArray, GoalLike, StateLike


class SampledProblem(Sealed):
    """Decides when to ask, and what, while a teammate with a learned policy acts in an environment.

    Args:
        sampled: the steps until a wrong goal is ruled out, from `sampled_divergence`.
        ego: the ego agent's deterministic model.
        ego_goals: for each goal, the ego agent's target state or states.
        prior: probabilities of the goals, by name or in order; None if uniform.
        query_cost: a `QueryCost`, a function of the goals asked about, or a dict with a price for each goal; None for
            the default.
    """

    def __init__(
        self,
        sampled: SampledDivergence,
        ego: Model,
        ego_goals: Mapping[str, GoalLike],
        *,
        prior: Any = None,
        query_cost: Any = None,
    ) -> None:
        self.sampled, self.goals = sampled, sampled.goals
        if set(ego_goals) != set(self.goals):
            raise InputError(
                "ego_goals", f"goals {', '.join(ego_goals)}", f"those of the teammate, {', '.join(self.goals)}"
            )
        missing = [(i, j) for i in self.goals for j in self.goals if i != j and (i, j) not in sampled.pairs]
        if missing:
            raise InputError(
                "sampled", f"no runs for ruling out {missing[0][0]!r} under {missing[0][1]!r}", "all pairs"
            )
        self.prior: FloatArray = checked_prior(prior, self.goals)
        self.query_cost = checked_price(query_cost, self.goals)
        targets = [_states(ego, ego_goals[name], f"ego_goals: goal {name!r}") for name in self.goals]
        self.ego = ModelSide(ego, targets)

    def decide(
        self,
        belief: Any,
        ego_at: StateLike,
        *,
        step: int = 0,
        sampled: SampledDivergence | None = None,
        evidence: float = 0.05,
        seed: Seed = 0,
    ) -> Decision:
        """Return the best action or question now.

        Args:
            belief: an `OnlineRecogniser`, or the probabilities of the goals, by name or in order.
            ego_at: the ego agent's state.
            step: the teammate's steps since the sampled runs began.
            sampled: results sampled from the teammate's current state; replaces `step` and this object's samples. May
                be None.
            evidence: goals with at most `evidence` times the largest probability are ignored. If `belief` is an
                `OnlineRecogniser`, goals are ignored that its `possible(evidence)` rules out.
            seed: seed for choosing between equally good actions, and for the search for questions.
        """
        rng = generator(seed)
        probabilities, possible = self._belief(belief, evidence)
        state = self.ego.model.state(ego_at, "ego_at")
        optimal = self.ego.optimal(state)
        common = common_actions(optimal, possible)
        if common.size:
            action = int(rng.choice(common))
            return Decision(action=action, why=f"{self.ego.actions.names[action]} is optimal for every possible goal.")
        kept = np.flatnonzero(possible)
        lost = [self.goals[goal] for goal in kept if not optimal[goal].any()]
        if lost:
            raise InputError(
                "ego_at", repr(ego_at), f"a state from which the ego agent can reach its goal for {lost[0]!r}"
            )
        share = probabilities[kept] / probabilities[kept].sum()
        branching = self.ego.divergence(state)[1][np.ix_(kept, kept)]
        lasts = (sampled or self.sampled).remaining(0 if sampled else step)[np.ix_(kept, kept)]
        values = QuestionValue(share, branching, lasts, self.query_cost.among(kept.tolist()))
        best = optimise(values, rng=rng)
        asked = tuple(int(goal) for goal in kept[best.asked])
        rest: dict[str, Any] = {"value": best.value, "cost": best.cost, "considered": asked, "verdict": best.verdict}
        saved = f"saves {best.value:.3g} expected steps, costs {best.cost:.3g}"
        if best.net > 0:
            return Decision(ask=asked, why=f"The question {saved}.", **rest)
        return Decision(action=self.ego.actions.stay, why=f"Wait: the best question {saved}.", **rest)

    def zones(self, truth: str, other: str, ego_at: StateLike, *, step: int = 0) -> Zones:
        """Return the zones of information and branching of two goals, as intervals of steps from now.

        In the zone of information, the teammate's actions may not have ruled out `other` yet. It ends when 95 % of the
        runs that are still open at `step` have ruled it out. In the zone of branching, the ego agent may need different
        actions for the two goals.

        Args:
            truth: the teammate's goal.
            other: the goal to be ruled out.
            ego_at: the ego agent's state.
            step: the teammate's steps since the sampled runs began.
        """
        pair = self.sampled.pair(other, truth)
        edp, wcd = self.ego.divergence(self.ego.model.state(ego_at, "ego_at"))
        g, h = self.goals.index(truth), self.goals.index(other)
        left = pair.survival.share[np.searchsorted(pair.survival.steps, step, side="right") - 1]
        latest = pair.survival.quantile(1 - 0.05 * float(left)) - step if left > 0 else 0.0
        return Zones(
            truth=truth,
            other=other,
            information=Zone(1, latest),
            branching=Zone(float(wcd[h, g]), np.inf),
            expected_information=Zone(1, pair.remaining(step)),
            expected_branching=Zone(float(edp[g, h]), np.inf),
        )

    def _belief(self, given: Any, evidence: float) -> tuple[FloatArray, BoolArray]:
        if isinstance(given, OnlineRecogniser):
            if given.goals != self.goals:
                raise InputError("belief", f"goals {', '.join(given.goals)}", f"{', '.join(self.goals)}")
            return given.probabilities, given.possible(evidence)
        found = checked_prior(given, self.goals)
        return found, np.asarray((found > 0) & (found > evidence * found.max()))


def _states(model: Model, given: Any, field: str) -> Any:
    many = isinstance(given, list | set | frozenset | np.ndarray)
    return np.unique([model.state(each, field) for each in (given if many else [given])]).astype(np.int32)

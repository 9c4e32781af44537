"""Worst case distinctiveness: how long two policies can look alike at most.

``wcd(s) = 1 + max over actions that both may take of wcd(s')``, 1 if there is none; infinite if they can agree
for ever. It counts the step that tells them apart. Keren et al. (2014) count the common prefix only, so their
WCD is one less.
"""

from __future__ import annotations

from askwise.divergence.agreement import doubt_between
from askwise.divergence.edp import as_result
from askwise.divergence.policies import as_policy
from askwise.model import Model, Policy
from askwise.model.chain import longest_path
from askwise.types import GoalLike, Result, StateLike, Verdict


def wcd(model: Model, pi1: Policy | GoalLike, pi2: Policy | GoalLike, at: StateLike | None = None) -> Result:
    """Return the largest step at which plans of the two policies can first differ, at one state or at all."""
    one, other = as_policy(model, pi1), as_policy(model, pi2)
    doubt = doubt_between(model, one, other, at)
    return as_result(doubt, longest_path(doubt.chain), Verdict("longest common prefix"), at)

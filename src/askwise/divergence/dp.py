"""The divergence point of one trajectory (paper, Definition 1).

``dp(pi1 | Tr2) = min {t : pi1(s_{t-1}, a_t) = 0}``: the first step that `pi1` would never take. Time counts from
1; the divergence point is infinite if the whole trajectory is one that `pi1` could have produced.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

from askwise.model import Policy
from askwise.types import StateLike


def dp(policy: Policy, trajectory: Iterable[tuple[StateLike, Hashable]]) -> float:
    """Return the first step of ``[(state, action), ...]`` that has probability 0 under `policy`, or ``inf``."""
    model = policy.model
    for t, (state, action) in enumerate(trajectory, start=1):
        s = model.state(state, f"state of step {t}")
        if not policy.support[s, model.action_in(s, action, f"action of step {t}")]:
            return t
    return math.inf

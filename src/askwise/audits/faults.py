"""The kinds of mistakes, as `askwise.audits` defines them."""

from __future__ import annotations

OVER_ASKING, UNDER_ASKING = "over-asking", "under-asking"
WRONG_QUESTION, WRONG_ACT = "wrong question", "wrong act"
FAULTS = (OVER_ASKING, UNDER_ASKING, WRONG_QUESTION, WRONG_ACT)


def fault_of(*, asked: bool, regret: float, needed: bool, fitted: bool, tolerance: float) -> str:
    """Return the kind of mistake, empty if there is none.

    Args:
        asked: whether a question was asked.
        regret: what the decision cost beyond the best one.
        needed: whether no action was as good as asking, within the tolerance.
        fitted: whether some question was as good as acting, within the tolerance.
        tolerance: regrets up to this are no mistakes.
    """
    if asked and not fitted:
        return OVER_ASKING
    if not asked and needed:
        return UNDER_ASKING
    if regret <= tolerance:
        return ""
    return WRONG_QUESTION if asked else WRONG_ACT

"""What is said about recognised goals: in text for people, in JSON for programs."""

from __future__ import annotations

from typing import Any

from askwise.pddl.account import _count
from askwise.pddl.recognising import Recognised
from askwise.text.wording import printable

MOST_LIKELY = 3
"""Goals that are named after each action; the end lists more."""
MOST_GOALS = 12
LONGEST_ACTION = 44
LONGEST_GOAL = 70


def recognised_to_text(name: str, found: Recognised, how: str) -> str:
    """Return a readable account: what each action tells, then the goals at the end.

    Args:
        name: what the problem is called.
        found: what is known.
        how: how observations were taken, in words.
    """
    parts = [_recognised_head(name, found, how), _steps(found), _contradiction(found), _ending(found)]
    return "\n\n".join(part for part in parts if part)


def _recognised_head(name: str, found: Recognised, how: str) -> str:
    goals, seen = len(found.goals), len(found.seen)
    lines = [
        f"{printable(name)}: {_count(goals, 'goal')}, {_count(seen, 'action')} seen",
        f"{how}; exact, over all optimal plans ({_count(found.cones.model.n_states, 'state')} on them)",
    ]
    lines += [f"No plan leads to goal {goal + 1}: it is left out." for goal in found.cones.unreachable]
    return "\n".join(lines)


def _steps(found: Recognised) -> str:
    """Return a line for each action: how many goals are left, and which are the likeliest."""
    actions = ["(nothing yet)", *(_short(f"({printable(action)})", LONGEST_ACTION) for action in found.seen)]
    width = max(map(len, actions))
    lines = [f"     {'seen':<{width}}  possible  likeliest"]
    for k, action in enumerate(actions):
        number = f"{k:>3}" if k else "   "
        lines.append(f"{number}  {action:<{width}}  {int(found.possible[k].sum()):>8}  {_likeliest(found, k)}")
    return "\n".join(lines)


def _likeliest(found: Recognised, after: int) -> str:
    best = found.likeliest(after)
    if not best:
        return "none"
    if len(best) > MOST_LIKELY:
        return f"{_count(len(best), 'goal')} with {_percent(found.probabilities[after, best[0]])} each"
    ranked = found.ranking(after)
    named = [f"goal {goal + 1} {_percent(found.probabilities[after, goal])}" for goal in ranked[:MOST_LIKELY]]
    return ", ".join(named)


def _contradiction(found: Recognised) -> str:
    k = found.contradiction
    if k is None:
        return ""
    return (
        f"After action {k}, ({printable(found.seen[k - 1])}), no goal is possible: no optimal plan for any of them\n"
        "has these actions in this order. The actor does not take shortest plans, or its goal is not among\n"
        "those listed. --belief robust allows for actions that no plan explains."
    )


def _ending(found: Recognised) -> str:
    """Return the goals in the end, the likeliest first, and how the true one did."""
    ranked = found.ranking()
    lines = []
    if ranked:
        many = len(ranked) > MOST_GOALS
        lines.append("In the end, the likeliest goals:" if many else "In the end:")
    for goal in ranked[:MOST_GOALS]:
        mark = "  <- true goal" if goal == found.true_goal else ""
        text = _short(printable(found.goals[goal]), LONGEST_GOAL)
        lines.append(f"  goal {goal + 1:<3} {_percent(found.probabilities[-1, goal]):>7}  {text}{mark}")
    if len(ranked) > MOST_GOALS:
        lines.append(f"  and {_count(len(ranked) - MOST_GOALS, 'goal')} more")
    if found.true_goal is not None and found.true_goal not in ranked[:MOST_GOALS]:
        ruled_out = "is ruled out" if found.true_goal not in ranked else "is among the others"
        lines.append(f"  The true goal, goal {found.true_goal + 1}, {ruled_out}.")
    return "\n".join(lines)


def recognised_to_json(name: str, found: Recognised, how: dict[str, Any]) -> dict[str, Any]:
    """Return what ``--json`` prints: row k of `possible` and `probabilities` is after k actions.

    Goals are numbered from 1, as in the text; the columns of both matrices are the goals in this order.
    """
    return {
        "problem": name,
        **how,
        "goals": list(found.goals),
        "unreachable": [goal + 1 for goal in found.cones.unreachable],
        "optimal_lengths": [None if length < 0 else length for length in found.cones.lengths.tolist()],
        "seen": list(found.seen),
        "possible": found.possible.tolist(),
        "probabilities": found.probabilities.tolist(),
        "likeliest": [goal + 1 for goal in found.likeliest()],
        "contradiction": found.contradiction,
        "true_goal": None if found.true_goal is None else found.true_goal + 1,
    }


def _percent(probability: float) -> str:
    if 0 < probability < 0.001:
        return "<0.1 %"
    return f"{100 * probability:.1f} %"


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."

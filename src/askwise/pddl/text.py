"""Results for planning problems as text and JSON.

They say for how many steps the goals look alike, and which goal was recognised.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise.pddl.cones import Cones
from askwise.pddl.pairs import Pairs
from askwise.pddl.recogniser import Recognised
from askwise.text.wording import printable, square

WIDEST_TABLE = 12
"""Largest number of goals for which whole matrices are printed; for more, the hardest pairs are easier to read."""
LONGEST_NAME = 76
MOST_PAIRS = 10


def pairs_to_text(name: str, cones: Cones, pairs: Pairs, seen: int = 0) -> str:
    """Return a text that describes how long goals look alike to an observer of the actor's actions.

    `name` is the name of the problem. `pairs` says how long each pair of possible goals looks alike. `seen` is the
    number of observed actions.
    """
    parts = [_pairs_head(name, cones, pairs, seen), _unsettled(cones)]
    if len(pairs.goals) == 1:
        only = pairs.goals[0] + 1
        parts.append(
            f"Only goal {only} is left: there is nothing to tell apart."
            if seen
            else "Only one goal: there is nothing to tell apart."
        )
    elif len(pairs.goals) > WIDEST_TABLE:
        parts.append(_summary(pairs))
        parts.append(_longest(pairs))
    elif pairs.goals:
        parts += [_matrices(pairs), _summary(pairs)]
    parts.append(_legend(cones, pairs))
    return "\n\n".join(part for part in parts if part)


def _pairs_head(name: str, cones: Cones, pairs: Pairs, seen: int) -> str:
    task, n = cones.task, len(cones.goals)
    verdict = "exact" if cones.exact else "exact for the goals that are settled"
    lengths = cones.lengths[list(cones.reached)]
    lines = [
        f"{printable(name)}: {_count(n, 'goal')}, {_count(task.n_operators, 'action')}, {_count(task.n_facts, 'atom')}"
    ]
    if lengths.size:
        span = f"{lengths.min()}" if lengths.min() == lengths.max() else f"{lengths.min()} to {lengths.max()}"
        lines.append(f"optimal plans of {span} steps; {_count(cones.model.n_states, 'state')} on them ({verdict})")
    if seen:
        left = len(pairs.goals)
        lines.append(f"after {_count(seen, 'action')}: {left} of {len(cones.reached)} goals still possible")
    if pairs.evidence is not None:
        lines.append(f"goals are ruled out by evidence of {pairs.evidence:g} (WCD: by impossible actions only)")
    return "\n".join(lines)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _unsettled(cones: Cones) -> str:
    """Return lines that list the goals without a plan, and the goals whose search exceeded the limits."""
    lines = [f"No plan leads to goal {goal + 1}." for goal in cones.unreachable]
    for goal in cones.too_large:
        at_least = cones.found[goal].at_least
        bound = f"no plan has fewer than {at_least} steps"
        lines.append(f"Goal {goal + 1} is too large: {bound}; its shortest plans are not known.")
    if cones.too_large:
        lines.append("(--search-limit evaluations=N, blind=N and states=N let the search go further.)")
    return "\n".join(lines)


def _matrices(pairs: Pairs) -> str:
    names = [str(goal + 1) for goal in pairs.goals]
    texts = [
        "Expected divergence point, EDP(row | column): steps until the row's goal is\n"
        "ruled out if the actor pursues the column's goal by an optimal plan, all\n"
        "equally likely.",
        _table(names, pairs.edp, "{:.3f}"),
    ]
    endless = bool(np.isinf(_off_diagonal(pairs.edp)).any())
    if endless:
        texts += [
            "\nEDP capped at the plan's end, for goals that have a nearest state in common:",
            _table(names, pairs.capped, "{:.3f}"),
        ]
    texts += [
        "\nWorst case (WCD): the longest common prefix of optimal plans, in steps. The\n"
        f"step after it tells the two apart{', unless EDP is infinite: then nothing does' if endless else ''}.",
        _table(names, pairs.wcd.astype(float), "{:.0f}"),
    ]
    return "\n".join(texts)


def _table(names: list[str], values: Any, form: str) -> str:
    return square(names, [[form.format(v) if math.isfinite(v) else "inf" for v in row] for row in values.tolist()])


def _off_diagonal(matrix: Any) -> Any:
    return matrix[~np.eye(matrix.shape[0], dtype=bool)]


def _summary(pairs: Pairs) -> str:
    edp = _off_diagonal(pairs.edp)
    finite, wcd = edp[np.isfinite(edp)], int(_off_diagonal(pairs.wcd).max())
    endless = edp.size - finite.size
    lines = [f"All {edp.size} ordered pairs:"]
    if finite.size:
        lines.append(f"  {'EDP *' if endless else 'EDP':<17}{_spread(finite)}")
    if endless:
        lines.append(f"  EDP, capped      {_spread(_off_diagonal(pairs.capped))}")
    lines.append(f"  WCD              {wcd} (longest common prefix)")
    lines.append(f"  told apart by    {'never' if endless else f'step {wcd + 1}'}")
    if endless:
        what = "pair that has a plan" if endless == 1 else "pairs that have a plan"
        lines.append(
            f"  * leaves out {endless} {what} in common: nothing tells them apart, and EDP is infinite. Capped,\n"
            "    they count up to the end of the plan."
        )
    return "\n".join(lines)


def _spread(values: Any) -> str:
    return f"mean {values.mean():.3f}, median {np.median(values):.3f}, largest {values.max():.3f}"


def _longest(pairs: Pairs) -> str:
    shown = pairs.longest(MOST_PAIRS)
    lines = [
        f"The {len(shown)} pairs that look alike longest (--json prints all):",
        f"  {'pursued':>8}{'ruled out':>11}{'EDP':>9}{'capped':>9}{'WCD':>5}",
    ]
    for i, j in shown:
        edp = f"{pairs.edp[i, j]:.3f}" if math.isfinite(pairs.edp[i, j]) else "inf"
        names = f"  {pairs.goals[j] + 1:>8}{pairs.goals[i] + 1:>11}"
        lines.append(f"{names}{edp:>9}{pairs.capped[i, j]:>9.3f}{pairs.wcd[i, j]:>5}")
    return "\n".join(lines)


def _legend(cones: Cones, pairs: Pairs) -> str:
    """Return lines that list all goals with their numbers and the lengths of their optimal plans."""
    lines = ["Goals, and the steps of their optimal plans:"]
    left = dict(zip(pairs.goals, pairs.steps.tolist(), strict=True))
    for goal, name in enumerate(cones.goals):
        length = cones.found[goal].length
        steps = (
            str(length) if length >= 0 else "none" if cones.found[goal].exact else f">= {cones.found[goal].at_least}"
        )
        text = printable(name)
        text = text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."
        over = "" if goal in left or length < 0 else "  (ruled out)"
        lines.append(f"  {goal + 1:>4}  {steps:>5}  {text}{over}")
    return "\n".join(lines)


def pairs_to_json(name: str, cones: Cones, pairs: Pairs, seen: list[str]) -> dict[str, Any]:
    """Return a JSON-compatible dict that describes how long goals look alike to an observer of the actor.

    `name` is the name of the problem; `seen` are the observed actions. The main keys are:

    - ``goals`` and ``numbers``: the names of the possible goals, and their positions, from 1, among all goals;
    - ``edp``: the expected step at which a goal is ruled out if the actor pursues another goal;
    - ``edp_capped``: the same, but at the latest the step after the actor's plan;
    - ``wcd``: the length of the longest common prefix of optimal plans for two goals;
    - ``told_apart``: the latest step at which a goal is ruled out if the actor pursues another goal;
    - ``all_goals``: for each goal the length of its optimal plans and the effort of the search.

    In the four matrices from ``edp`` to ``told_apart``, the row is the goal to be ruled out, the column the pursued
    goal. None stands for infinity and for the diagonal.
    """
    return {
        "problem": name,
        "seen": seen,
        "exact": cones.exact,
        "states": cones.model.n_states,
        "goals": [cones.goals[goal] for goal in pairs.goals],
        "numbers": [goal + 1 for goal in pairs.goals],
        **({} if pairs.evidence is None else {"evidence": pairs.evidence}),
        "edp": _numbers(pairs.edp),
        "edp_capped": _numbers(pairs.capped),
        "wcd": _numbers(pairs.wcd, int),
        "wcd_convention": "longest common prefix",
        "told_apart": _numbers(pairs.told_apart, int),
        "all_goals": [
            {
                "number": number,
                "name": goal,
                "steps": found.length if found.length >= 0 else None,
                "at_least": found.at_least if found.length >= 0 or not found.exact else None,
                "exact": found.exact,
                "reachable": found.length >= 0 or (None if not found.exact else False),
                "search": found.method,
                "states_met": found.met,
                "bounds": found.evaluated,
            }
            for number, (goal, found) in enumerate(zip(cones.goals, cones.found, strict=True), start=1)
        ],
    }


def _numbers(matrix: Any, kind: type = float) -> list[list[float | None]]:
    return [
        [None if i == j or not math.isfinite(value) else kind(value) for j, value in enumerate(row)]
        for i, row in enumerate(matrix.tolist())
    ]


MOST_LIKELY = 3
"""Number of goals that are named after each action; the list at the end has more."""
MOST_GOALS = 12
LONGEST_ACTION = 44
LONGEST_GOAL = 70


def recognised_to_text(name: str, found: Recognised, how: str) -> str:
    """Return a text with the likeliest goals after each observed action, and the final ranking of the goals.

    `name` is the name of the problem. `how` is a phrase for the heading: the assumptions about actor and observations.
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
    """Return a table: how many goals are left, and which are likeliest, at the start and after each observed action.

    A goal is left while it is possible or, if no goal is ever ruled out, while its probability is above 1 %.
    """
    actions = ["(nothing yet)", *(_short(f"({printable(action)})", LONGEST_ACTION) for action in found.seen)]
    width = max(map(len, actions))
    # A belief that rules no goal out says more by the number of goals that are still likely.
    left, head = (found.probabilities > 0.01, "over 1 %") if found.possible.all() else (found.possible, "possible")
    lines = [f"     {'seen':<{width}}  {head}  likeliest"]
    for k, action in enumerate(actions):
        number = f"{k:>3}" if k else "   "
        lines.append(f"{number}  {action:<{width}}  {int(left[k].sum()):>8}  {_likeliest(found, k)}")
    return "\n".join(lines)


def _likeliest(found: Recognised, after: int) -> str:
    best = found.likeliest(after)
    if not best:
        return "none"
    if len(best) > MOST_LIKELY:
        return f"{_count(len(best), 'goal')} with {_percent(found.probabilities[after, best[0]])} each"
    ranked = found.ranking(after)
    named = [f"goal {goal + 1} {_percent(found.probabilities[after, goal])}" for goal in ranked[:MOST_LIKELY]]
    return ", ".join(named) + (", ..." if len(ranked) > len(named) else "")


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
    """Return the ranking of the goals after all observed actions, with a mark at the true goal, as text."""
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
    """Return a JSON-compatible dict with the probabilities of the goals after each observed action.

    Row `k` of ``possible`` and ``probabilities`` is for the time after `k` actions, from 0. ``unreachable`` (goals
    without a plan), ``likeliest`` (at the end) and ``true_goal`` count goals from 1. The result also has the `name` of
    the problem and all keys of `how`, the assumptions about actor and observations.
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

"""A recommendation in words."""

from __future__ import annotations

from collections.abc import Mapping

from askwise.decisions.options import ASK, Bounded, Option
from askwise.decisions.plan import Plan
from askwise.decisions.problem import DecisionProblem
from askwise.text.reading import printable

MOST_LINES = 40


def why(problem: DecisionProblem, do: Option, now: Option, best: Option | None) -> str:
    """Return why to do it, in one sentence, given the best action and the best question."""
    if do.kind == ASK:
        return (
            f"Acting now ({printable(now.name)}) is expected to cost {now.loss:.4g}; asking first brings that down to"
            f" {do.loss:.4g}, prices included."
        )
    act = f"Acting now is expected to cost {now.loss:.4g}"
    if best is None:
        left = "no question was looked at" if problem.most_questions else "no more questions may be asked"
        return f"{act}, and {left if problem.questions else 'there is nothing to ask'}."
    known = float(problem.belief @ problem.loss.min(axis=0))
    price = min(each.price for each in problem.questions)
    if now.loss - known <= price:
        return (
            f"{act}; to know the intent would save {now.loss - known:.4g}, and the cheapest question costs {price:.4g}."
        )
    return f"{act}; the best question, {printable(best.name)!r}, would make it {best.loss:.4g}, price included."


def told(
    do: Option,
    reason: str,
    losses: Mapping[str, Option | None],
    never: float | None,
    runner_up: Option | None,
    verdict: Bounded,
    plan: Plan,
) -> str:
    """Return everything for people."""
    rows = [("do", str(do)), ("why", reason), ("", ""), ("expected loss", "")]
    rows += [
        (f"  {name}", f"{each.loss:<9.4g} {printable(each.name)}") for name, each in losses.items() if each is not None
    ]
    if never is not None:
        rows.append(("  never asking", f"{never:.4g}"))
    if runner_up is not None:
        rows.append(("runner-up", f"{runner_up} ({runner_up.loss:.4g})"))
    rows += [("verdict", str(verdict)), ("", "")]
    lines = [f"{name:<16}{text}".rstrip() for name, text in rows]
    tree = str(plan).splitlines()
    left = len(tree) - MOST_LINES
    return "\n".join([*lines, *tree[:MOST_LINES], *([f"... and {left} more lines"] if left > 0 else [])])

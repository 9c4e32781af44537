"""What to do first, what everything else would cost, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from askwise.decisions._arrays import TIE
from askwise.decisions.plan import ACT, ASK, Bounded, Option, Plan, plan_of
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.search import BUDGET, Found, search
from askwise.errors import InputError
from askwise.text.reading import printable

FORMAT = "askwise/recommendation@1"
MOST_LINES = 40
"""Lines of the plan that are printed."""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What `askwise.decide` found out. ``print`` it, or write `as_json`.

    Attributes:
        problem: what was decided.
        do: what to do first.
        options: everything that can be done first, the best first.
        acting_now: the best action, without any question.
        best_question: the best question, None if there is none.
        never_asking: the expected loss if you act now and never ask; None after a question was answered, because then
            it is no option any more.
        verdict: whether that is exact, or how far from it.
        settled: whether the losses of all options are exact. If not, those of questions may be too large: less was
            looked at than could be, because something else is better anyway, or because there is too much.
    """

    problem: DecisionProblem
    do: Option
    options: tuple[Option, ...]
    acting_now: Option
    best_question: Option | None
    never_asking: float | None
    verdict: Bounded
    settled: bool
    _found: Found = field(repr=False)
    _first: int = field(repr=False)

    @property
    def ask(self) -> str | None:
        """The question to ask, None if acting is better."""
        return self.do.name if self.do.kind == ASK else None

    @property
    def act(self) -> str | None:
        """The action to take, None if asking is better."""
        return self.do.name if self.do.kind == ACT else None

    @property
    def expected_loss(self) -> float:
        """What following the plan costs on average, prices included."""
        return self.do.loss

    @property
    def runner_up(self) -> Option | None:
        """The second best thing to do first, None if there is no other."""
        return self.options[1] if len(self.options) > 1 else None

    @cached_property
    def plan(self) -> Plan:
        """What to do after each answer."""
        return plan_of(self._found, self._first)

    def option(self, kind: str, name: str) -> Option:
        """Return what doing something else first would cost."""
        for each in self.options:
            if (each.kind, each.name) == (kind, name):
                return each
        if kind == ASK:
            self.problem.question(name)
        else:
            self.problem.action(name)
        raise InputError("kind", repr(kind), f"'{ACT}' or '{ASK}'")

    def regret(self, kind: str, name: str) -> float:
        """Return what doing this first loses against the best, by what is believed, and going on as planned.

        For a question this may be too much, and is never too little, unless `settled`.
        """
        return max(self.option(kind, name).loss - self.do.loss, 0.0)

    @property
    def why(self) -> str:
        """Why, in one sentence."""
        return why(self.problem, self.do, self.acting_now, self.best_question)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON; `askwise.decisions.schemas` says what each key means."""
        problem = self.problem
        belief = {name: float(p) for name, p in zip(problem.intents, problem.belief, strict=True)}
        first = {**self.do.as_json()}
        if self.ask is not None:
            first["answers"] = list(problem.question(self.ask).answers)
        return {
            "format": FORMAT,
            **({"name": problem.name} if problem.name else {}),
            "do": first,
            "why": self.why,
            "expected_loss": self.expected_loss,
            "acting_now": self.acting_now.as_json(),
            "best_question": None if self.best_question is None else self.best_question.as_json(),
            "never_asking": self.never_asking,
            "runner_up": None if self.runner_up is None else self.runner_up.as_json(),
            "options": [each.as_json() for each in self.options],
            "settled": self.settled,
            "belief": belief,
            "plan": self.plan.as_json(),
            "verdict": self.verdict.as_json(),
        }

    def __str__(self) -> str:
        losses = {"acting now": self.acting_now, "best question": self.best_question}
        return told(self.do, self.why, losses, self.never_asking, self.runner_up, self.verdict, self.plan)


def recommend(
    problem: DecisionProblem, *, depth: int | None = None, budget: float = BUDGET, asked: bool = False
) -> Recommendation:
    """Work out what to do first.

    Args:
        problem: the decision.
        depth: how many questions to look ahead, exactly; None for as many as the budget allows.
        budget: how much work each attempt to look further may take, about as many nanoseconds.
        asked: whether a question was asked before; then never asking is no option any more.
    """
    found = search(problem, depth, budget)
    values = found.values
    acting = int(values.act.argmin())
    first = -1 - acting
    scale = max(1e-300, float(abs(problem.loss).max()), *(each.price for each in problem.questions))
    asking = int(values.ask.argmin()) if values.ask.size and math.isfinite(values.ask.min()) else None
    if asking is not None and values.ask[asking] < values.act[acting] - TIE * scale:
        first = asking
    options = _options(problem, found, first)
    now = Option(ACT, problem.actions[acting], float(values.act[acting]))
    best = None if asking is None else Option(ASK, problem.questions[asking].name, float(values.ask[asking]))
    lower = min(found.lower, options[0].loss)
    gap = 0.0 if values.exact else options[0].loss - lower
    depth = found.solver_for(first).depth
    exact = values.exact or gap == 0.0
    verdict = Bounded(exact, depth, first in found.narrow, options[0].loss if exact else lower, gap)
    never = None if asked else now.loss
    return Recommendation(problem, options[0], options, now, best, never, verdict, values.settled, found, first)


def _options(problem: DecisionProblem, found: Found, first: int) -> tuple[Option, ...]:
    """Return all options by what they cost, `first` before its equals; then actions, then questions, in their order."""
    acts = [(-1 - x, Option(ACT, name, float(found.values.act[x]))) for x, name in enumerate(problem.actions)]
    asks = [
        (q, Option(ASK, each.name, float(found.values.ask[q])))
        for q, each in enumerate(problem.questions)
        if math.isfinite(found.values.ask[q])
    ]
    ordered = sorted(acts + asks, key=lambda each: (each[0] != first, each[1].loss))
    return tuple(option for _, option in ordered)


# -- in words ------------------------------------------------------------------------------------------------------


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

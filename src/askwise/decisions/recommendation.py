"""What can be done first, how far the best of it is from the optimum, and the plan as a tree down to the actions.

What to do first, what everything else would cost, and why.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from askwise.decisions.arrays import TIE
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.search import BUDGET, SearchResult, search
from askwise.errors import InputError
from askwise.text.wording import printable

ACT, ASK = "act", "ask"
MOST_NODES = 2_000
"""Nobody reads a larger tree. What would be below is worked out when one gets there."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something that could be done first.

    Attributes:
        kind: ``act`` or ``ask``.
        name: the action or the question.
        loss: expected loss, prices included, if all goes on as planned after it.
    """

    kind: str
    name: str
    loss: float

    def __str__(self) -> str:
        return f"ask {printable(self.name)!r}" if self.kind == ASK else f"act: {printable(self.name)}"

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"do": self.kind, "name": self.name, "loss": self.loss}


@dataclass(frozen=True, slots=True)
class Bounded:
    """How far the plan can be from the best one there is.

    Attributes:
        exact: there is no better plan.
        depth: how many questions ahead was looked.
        narrow: whether only the most telling question was followed after the first.
        lower_bound: no plan costs less.
        gap: by how much the plan may cost more than the best.
    """

    exact: bool
    depth: int
    narrow: bool
    lower_bound: float
    gap: float

    def __str__(self) -> str:
        if self.exact:
            return "exact"
        ahead = f"looked {self.depth} question{'s' if self.depth != 1 else ''} ahead"
        way = ", along the most telling ones" if self.narrow else ""
        return f"{ahead}{way}; at most {self.gap:.4g} above the best plan"

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "exact": self.exact,
            "depth": self.depth,
            "narrow": self.narrow,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "text": str(self),
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do at one moment, and after each answer.

    Attributes:
        kind: ``act`` or ``ask``.
        name: the action or the question.
        loss: expected loss from here on, prices included.
        probability: how probable it is to come here.
        answers: for a question, each answer that may be heard, and what to do then.
        cut: whether more is planned below than is shown.
    """

    kind: str
    name: str
    loss: float
    probability: float
    answers: tuple[tuple[str, Plan], ...] = ()
    cut: bool = False

    @property
    def nodes(self) -> int:
        """How many moments the tree holds."""
        return 1 + sum(below.nodes for _, below in self.answers)

    @property
    def questions(self) -> int:
        """How many questions are asked at most."""
        return (self.kind == "ask") + max((below.questions for _, below in self.answers), default=0)

    def as_json(self) -> dict[str, Any]:
        """Return the tree as JSON."""
        node: dict[str, Any] = {"do": self.kind, "name": self.name, "loss": self.loss, "probability": self.probability}
        if self.kind == "ask":
            node["answers"] = {answer: below.as_json() for answer, below in self.answers}
        if self.cut:
            node["cut"] = True
        return node

    def __str__(self) -> str:
        """Return the tree as text, one line for each moment."""
        rows = list(self._rows("", ""))
        width = max(len(text) for text, _ in rows)
        return "\n".join(f"{text:<{width}}  {loss:.4g}" for text, loss in rows)

    def svg(self) -> str:
        """Return the tree as a drawing."""
        from askwise.decisions.drawing import drawn  # pictures are loaded when one is drawn

        return drawn(self)

    def _rows(self, first: str, other: str) -> list[tuple[str, float]]:
        """Return a line and the loss for each moment; `first` stands before this one, `other` before those below."""
        what = f"ask {printable(self.name)!r}" if self.kind == "ask" else printable(self.name)
        rows = [(f"{first}{what}{' ...' if self.cut else ''}", self.loss)]
        for k, (answer, below) in enumerate(self.answers):
            last = k == len(self.answers) - 1
            share = f"{100 * below.probability / self.probability:.3g} %"
            said = f"{other}{'└─' if last else '├─'} {printable(answer)} ({share}): "
            rows += below._rows(said, other + ("   " if last else "│  "))
        return rows


@dataclass(slots=True)
class _Node:
    """A moment while the tree is being made."""

    path: list[tuple[int, int]]
    move: int
    value: float
    weight: float
    below: list[tuple[str, _Node]]
    cut: bool = False


def plan_of(found: SearchResult, first: int, most: int = MOST_NODES) -> Plan:
    """Return the plan that begins with a move: a question by number, or minus one less an action.

    Moments are added level by level, up to `most` of them.
    """
    problem, solver, values = found.solver.problem, found.solver_for(first), found.values
    value = values.ask[first] if first >= 0 else values.act[-1 - first]
    root = _Node([], first, float(value), 1.0, [])
    waiting, n = deque([root]), 1
    while waiting:
        node = waiting.popleft()
        if node.move < 0:
            continue
        question = problem.questions[node.move]
        if n + len(question.answers) > most:
            node.cut = True
            continue
        for k, answer in enumerate(question.answers):
            path = [*node.path, (node.move, k)]
            upper, _, move, weight = solver.follow(path)
            if weight > 0:
                node.below.append((answer, _Node(path, move, upper, weight, [])))
                waiting.append(node.below[-1][1])
                n += 1
    return _frozen(root, found)


def _frozen(node: _Node, found: SearchResult) -> Plan:
    problem = found.solver.problem
    kind, name = (
        ("ask", problem.questions[node.move].name) if node.move >= 0 else ("act", problem.actions[-1 - node.move])
    )
    below = tuple((answer, _frozen(each, found)) for answer, each in node.below)
    return Plan(kind, name, node.value / node.weight, node.weight, below, node.cut)


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
    _found: SearchResult = field(repr=False)
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


def _options(problem: DecisionProblem, found: SearchResult, first: int) -> tuple[Option, ...]:
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

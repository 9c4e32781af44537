"""The recommendation of `askwise.decide`: what to do first, the alternatives, a verdict, and the plan as a tree."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from askwise.decisions.arrays import TIE
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.search import BUDGET, SearchResult, search
from askwise.errors import InputError
from askwise.text.wording import printable, wrapped

ACT, ASK = "act", "ask"
MOST_NODES = 2_000
"""Largest number of nodes in a plan. Deeper nodes are left out; a session computes them when it gets there."""


@dataclass(frozen=True, slots=True)
class Option:
    """A possible first move: an action or a question.

    Attributes:
        kind: ``act`` or ``ask``.
        name: the action or the question.
        loss: expected loss, prices included, of this move followed by the best plan.
    """

    kind: str
    name: str
    loss: float

    def __str__(self) -> str:
        return f"ask {printable(self.name)!r}" if self.kind == ASK else f"act: {printable(self.name)}"

    def as_json(self) -> dict[str, Any]:
        """Return the option as a JSON object with the keys ``do`` (``act`` or ``ask``), ``name`` and ``loss``."""
        return {"do": self.kind, "name": self.name, "loss": self.loss}


@dataclass(frozen=True, slots=True)
class Bounded:
    """A verdict on a plan: how far its expected loss can be from the optimum.

    Attributes:
        exact: whether the plan is optimal.
        depth: how many questions the search looked ahead.
        narrow: whether, after the first question, the search tried only the most informative one.
        lower_bound: lower bound of the expected loss of every plan.
        gap: largest possible distance of the plan's expected loss from the optimum.
    """

    exact: bool
    depth: int
    narrow: bool
    lower_bound: float
    gap: float

    def __str__(self) -> str:
        if self.exact:
            return "exact"
        ahead = f"searched {self.depth} question{'s' if self.depth != 1 else ''} ahead"
        narrow = ", following the most informative ones" if self.narrow else ""
        return f"{ahead}{narrow}; at most {self.gap:.4g} above the best plan"

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as a JSON object: its attributes, and ``text``, the verdict as a sentence."""
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
    """A node of a plan: an action, or a question with a plan after each answer.

    Attributes:
        kind: ``act`` or ``ask``.
        name: the action or the question.
        loss: expected loss from here on, prices included.
        probability: probability of reaching this node.
        answers: each answer and the plan after it; empty for an action.
        cut: whether answers were left out to keep the tree small.
    """

    kind: str
    name: str
    loss: float
    probability: float
    answers: tuple[tuple[str, Plan], ...] = ()
    cut: bool = False

    @property
    def nodes(self) -> int:
        """Number of actions and questions in the plan from this node on."""
        return 1 + sum(below.nodes for _, below in self.answers)

    @property
    def questions(self) -> int:
        """Largest number of questions that are asked one after the other in the plan from this node on."""
        return (self.kind == "ask") + max((below.questions for _, below in self.answers), default=0)

    def as_json(self) -> dict[str, Any]:
        """Return the plan from this node on as nested JSON objects."""
        node: dict[str, Any] = {"do": self.kind, "name": self.name, "loss": self.loss, "probability": self.probability}
        if self.kind == "ask":
            node["answers"] = {answer: below.as_json() for answer, below in self.answers}
        if self.cut:
            node["cut"] = True
        return node

    def __str__(self) -> str:
        """Return the plan as text, a tree with one line for each action and question."""
        rows = list(self._rows("", ""))
        width = max(len(text) for text, _ in rows)
        return "\n".join(f"{text:<{width}}  {loss:.4g}" for text, loss in rows)

    def svg(self) -> str:
        """Return the plan as an SVG drawing of a tree, as text."""
        from askwise.decisions.drawing import plan_to_svg  # loaded only when a plan is drawn

        return plan_to_svg(self)

    def _rows(self, first: str, other: str) -> list[tuple[str, float]]:
        """Return a line of text and the expected loss for each node of the plan, from this node on.

        Args:
            first: the beginning of this node's line.
            other: the beginning of the lines of all nodes below this node.
        """
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
    """A node of a plan that is being built.

    Attributes:
        path: pairs of question and answer before this node, by index.
        move: index of a question, or ``-1 - x`` for action ``x``.
        value: expected loss from here on, times `weight`.
        weight: probability of reaching this node.
        below: each answer with the next node.
        cut: whether `below` was left out.
    """

    path: list[tuple[int, int]]
    move: int
    value: float
    weight: float
    below: list[tuple[str, _Node]]
    cut: bool = False


def plan_of(found: SearchResult, first: int, most: int = MOST_NODES) -> Plan:
    """Return the plan that starts with a given move, as found by a search.

    Args:
        found: result of the search.
        first: the first move: index of a question, or ``-1 - x`` for action ``x``.
        most: largest number of nodes; deeper nodes are left out.
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
"""Largest number of lines of a plan in the text."""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The result of `askwise.decide`. ``print`` shows it as text, `as_json` returns it for programs.

    A first move is an action, which ends the decision, or a question.

    Attributes:
        problem: the decision problem.
        do: the recommended first move.
        options: all first moves: the recommended one, then the others by expected loss.
        acting_now: the best action.
        best_question: the best question; None if none may be asked.
        never_asking: expected loss of never asking; None if a question was asked before.
        verdict: how far the plan can be from the optimum.
        settled: whether the expected losses of questions are exact; if not, they may be too large.
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
        """The question to ask; None if acting is better."""
        return self.do.name if self.do.kind == ASK else None

    @property
    def act(self) -> str | None:
        """The action to take; None if asking is better."""
        return self.do.name if self.do.kind == ACT else None

    @property
    def expected_loss(self) -> float:
        """Expected loss of the plan, prices included."""
        return self.do.loss

    @property
    def runner_up(self) -> Option | None:
        """The second best first move; None if there is only one."""
        return self.options[1] if len(self.options) > 1 else None

    @cached_property
    def plan(self) -> Plan:
        """The plan as a tree: what to do first, and what after each answer."""
        return plan_of(self._found, self._first)

    def option(self, kind: str, name: str) -> Option:
        """Return the first move of this kind (``act`` or ``ask``) and name; raise `InputError` if there is none."""
        for each in self.options:
            if (each.kind, each.name) == (kind, name):
                return each
        if kind == ASK:
            self.problem.question(name)
        else:
            self.problem.action(name)
        raise InputError("kind", repr(kind), f"'{ACT}' or '{ASK}'")

    def regret(self, kind: str, name: str) -> float:
        """Return how much larger the expected loss of a first move is than that of the best first move.

        For a question, the result may be too large unless the recommendation is `settled`.

        Args:
            kind: ``act`` or ``ask``.
            name: name of the action or the question.
        """
        return max(self.option(kind, name).loss - self.do.loss, 0.0)

    @property
    def why(self) -> str:
        """The reason for the recommendation, in one sentence."""
        problem, now, best = self.problem, self.acting_now, self.best_question
        if self.do.kind == ASK:
            return (
                f"Acting now ({printable(now.name)}) is expected to cost {now.loss:.4g}; asking first brings that down"
                f" to {self.do.loss:.4g}, prices included."
            )
        act = f"Acting now is expected to cost {now.loss:.4g}"
        if best is None:
            left = "no question was considered" if problem.most_questions else "no more questions may be asked"
            return f"{act}, and {left if problem.questions else 'there is nothing to ask'}."
        saved = now.loss - float(problem.belief @ problem.loss.min(axis=0))
        price = min(each.price for each in problem.questions)
        if saved <= price:
            return f"{act}; knowing the intent would save {saved:.4g}, and the cheapest question costs {price:.4g}."
        return f"{act}; with the best question, {printable(best.name)!r}, it would be {best.loss:.4g}, price included."

    def as_json(self) -> dict[str, Any]:
        """Return the recommendation as a JSON object, described by the schema ``recommendation``."""
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
            **({"note": problem.note} if problem.note else {}),
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
        """Return the recommendation as text: what to do, why, the alternatives, the verdict and the plan."""
        rows = [
            ("do", str(self.do)),
            ("why", self.why),
            *([("note", self.problem.note)] if self.problem.note else []),
            ("", ""),
            ("expected loss", ""),
        ]
        losses = {"acting now": self.acting_now, "best question": self.best_question}
        rows += [
            (f"  {label}", f"{option.loss:<9.4g} {printable(option.name)}")
            for label, option in losses.items()
            if option is not None
        ]
        if self.never_asking is not None:
            rows.append(("  never asking", f"{self.never_asking:.4g}"))
        if self.runner_up is not None:
            rows.append(("runner-up", f"{self.runner_up} ({self.runner_up.loss:.4g})"))
        rows += [("verdict", str(self.verdict)), ("", "")]
        lines = [wrapped(f"{label:<16}{text}".rstrip(), 16) for label, text in rows]
        tree = str(self.plan).splitlines()
        left = len(tree) - MOST_LINES
        return "\n".join([*lines, *tree[:MOST_LINES], *([f"... and {left} more lines"] if left > 0 else [])])


def recommend(
    problem: DecisionProblem, *, depth: int | None = None, budget: float = BUDGET, asked: bool = False
) -> Recommendation:
    """Return whether to act or to ask first, with all options, a plan and a verdict.

    Args:
        problem: the decision problem.
        depth: number of questions to look ahead; None for as many as the budget allows.
        budget: work for each attempt to look further ahead, in nanoseconds: an estimate, not a clock limit.
        asked: whether a question was asked before; if so, `never_asking` is None.
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
    """Return all possible first moves, the recommended one first and the others by expected loss.

    `first` is the recommended move: the index of a question, or ``-1 - x`` for action ``x``.
    """
    acts = [(-1 - x, Option(ACT, name, float(found.values.act[x]))) for x, name in enumerate(problem.actions)]
    asks = [
        (q, Option(ASK, each.name, float(found.values.ask[q])))
        for q, each in enumerate(problem.questions)
        if math.isfinite(found.values.ask[q])
    ]
    ordered = sorted(acts + asks, key=lambda each: (each[0] != first, each[1].loss))
    return tuple(option for _, option in ordered)

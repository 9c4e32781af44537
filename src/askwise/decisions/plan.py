"""What can be done first, how far the best of it is from the optimum, and the plan as a tree down to the actions."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from askwise.decisions.search import Found
from askwise.text.reading import printable

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


def plan_of(found: Found, first: int, most: int = MOST_NODES) -> Plan:
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


def _frozen(node: _Node, found: Found) -> Plan:
    problem = found.solver.problem
    kind, name = (
        ("ask", problem.questions[node.move].name) if node.move >= 0 else ("act", problem.actions[-1 - node.move])
    )
    below = tuple((answer, _frozen(each, found)) for answer, each in node.below)
    return Plan(kind, name, node.value / node.weight, node.weight, below, node.cut)

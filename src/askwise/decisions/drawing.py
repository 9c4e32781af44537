"""A plan as an SVG tree from left to right: questions in violet, actions in white.

The thickness of a branch shows its probability. The width of text is estimated from its number of letters, so that
drawings do not depend on the fonts of the machine. Long names are shortened, and shown in full on hover.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from askwise.text.wording import printable
from askwise.view.palette import LIGHT, QUESTION_PALE, hex_of

LETTER = 7.6
"""Estimated width of a letter in a font of 13 pixels, rather too large than too small."""
LONGEST = 34
BOX, GAP, MARGIN = 40, 14, 16
BRANCH = 170
"""Space between two columns, for the answers."""
INK, FAINT, PAPER, EDGE, QUESTION_EDGE, ACTION = (
    hex_of(getattr(LIGHT, name)) for name in ("ink", "faint", "card", "edge", "ego", "page")
)
QUESTION = hex_of(QUESTION_PALE)


class PlanNode(Protocol):
    """A node of a plan to be drawn; `askwise.decisions.recommendation.Plan` implements it."""

    @property
    def kind(self) -> str:
        """What the node is: ``act`` for an action or ``ask`` for a question."""

    @property
    def name(self) -> str:
        """The name of the action or the question."""

    @property
    def loss(self) -> float:
        """Expected loss from this node on, prices included."""

    @property
    def probability(self) -> float:
        """Probability of reaching this node."""

    @property
    def answers(self) -> Sequence[tuple[str, PlanNode]]:
        """Pairs of a possible answer and the plan after it; empty for an action."""

    @property
    def cut(self) -> bool:
        """Whether the plan after a question was left out because the tree is too large."""


def plan_to_svg(plan: PlanNode) -> str:
    """Return a plan as an SVG drawing of a tree, which grows from left to right."""
    columns = _columns(plan)
    left = [MARGIN]
    for nodes in columns[:-1]:
        left.append(left[-1] + int(max(_width(node) for node in nodes)) + BRANCH)
    parts: list[str] = []
    height = _put(plan, 0, left, MARGIN, parts)[1]
    wide = left[-1] + int(max(_width(node) for node in columns[-1])) + MARGIN
    tall = int(height - GAP + MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="13" fill="{INK}">'
        f"<title>{_text('Plan: ' + plan.name)}</title>"
        f'<rect width="{wide}" height="{tall}" fill="{PAPER}"/>'
    )
    return head + "".join(parts) + "</svg>\n"


def _columns(plan: PlanNode) -> list[list[PlanNode]]:
    """Return the nodes of a plan in a list for each depth, the root first."""
    columns = [[plan]]
    while below := [each for node in columns[-1] for _, each in node.answers]:
        columns.append(below)
    return columns


def _put(node: PlanNode, column: int, left: list[int], top: float, parts: list[str]) -> tuple[float, float]:
    """Append the SVG of a node and all nodes below it to `parts`.

    Args:
        node: the node.
        column: its depth.
        left: x coordinate of each depth.
        top: y coordinate of the top of its subtree.
        parts: pieces of SVG.

    Returns:
        The y coordinates of the middle of its box and of the top of the next subtree.
    """
    bottom, middles = top, []
    for _, below in node.answers:
        middle, bottom = _put(below, column + 1, left, bottom, parts)
        middles.append(middle)
    middle = (middles[0] + middles[-1]) / 2 if middles else top + BOX / 2
    bottom = max(bottom, middle + BOX / 2 + GAP)
    start = left[column] + _width(node)
    for (answer, below), end in zip(node.answers, middles, strict=True):
        parts.append(_branch(answer, below.probability / node.probability, start, middle, left[column + 1], end))
    parts.append(_box(node, left[column], middle))
    return middle, bottom


def _box(node: PlanNode, left: float, middle: float) -> str:
    asks = node.kind == "ask"
    fill, edge = (QUESTION, QUESTION_EDGE) if asks else (ACTION, EDGE)
    more = " …" if node.cut else ""
    x, y = left + 10, middle - 4
    return (
        f"<g><title>{_text(node.name)}</title>"
        f'<rect x="{left:.0f}" y="{middle - BOX / 2:.1f}" width="{_width(node):.0f}" height="{BOX}"'
        f' rx="{BOX / 2 if asks else 3}" fill="{fill}" stroke="{edge}"/>'
        f'<text x="{x + (6 if asks else 0):.0f}" y="{y:.1f}">{_text(_short(node.name))}{more}</text>'
        f'<text x="{x + (6 if asks else 0):.0f}" y="{y + 16:.1f}" font-size="11" fill="{FAINT}">'
        f"{'ask' if asks else 'act'}, expected loss {node.loss:.4g}</text></g>"
    )


def _branch(answer: str, share: float, x0: float, y0: float, x1: float, y1: float) -> str:
    said = _short(answer, 17)
    # The label is at the end of the branch, where branches of one question are apart.
    return (
        f'<path d="M{x0:.0f},{y0:.1f} C{x0 + 34:.0f},{y0:.1f} {x0 + 16:.0f},{y1:.1f} {x0 + 50:.0f},{y1:.1f}'
        f' L{x1:.0f},{y1:.1f}" fill="none" stroke="{EDGE}" stroke-opacity="0.7" stroke-width="{1 + 5 * share:.2f}"/>'
        f"<g><title>{_text(answer)}</title>"
        f'<text x="{x1 - 6:.0f}" y="{y1 - 6:.1f}" text-anchor="end" font-size="11">{_text(said)}</text>'
        f'<text x="{x1 - 6:.0f}" y="{y1 + 14:.1f}" text-anchor="end" font-size="11" fill="{FAINT}">'
        f"{100 * share:.3g} %</text></g>"
    )


def _width(node: PlanNode) -> float:
    name = len(_short(node.name)) + (2 if node.cut else 0)
    return max(name * LETTER, 150) + (32 if node.kind == "ask" else 20)


def _short(text: str, most: int = LONGEST) -> str:
    text = printable(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(text: str) -> str:
    return escape(printable(text))

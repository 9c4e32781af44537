"""A plan as an SVG tree from left to right: questions in violet, actions in white.

The thickness of a branch shows its probability. Long names are shortened, and shown in full on hover.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from askwise.text.files import check_picture, save_figure, whole_file
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
    """The interface of a node of a plan, as drawings need it; `askwise.decisions.recommendation.Plan` implements it."""

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
        """Pairs of a possible answer and the plan after it; empty if the node is an action."""

    @property
    def cut(self) -> bool:
        """Whether the node is a question whose answers and further plan were left out because the tree is too large."""


def plan_to_svg(plan: PlanNode) -> str:
    """Return a plan as an SVG drawing of a tree, which grows from left to right; `plan` is its root."""
    boxes, branches, wide, tall = _arranged(plan)
    parts = [_branch(*branch) for branch in branches] + [_box(*box) for box in boxes]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="13" fill="{INK}">'
        f"<title>{_text('Plan: ' + plan.name)}</title>"
        f'<rect width="{wide}" height="{tall}" fill="{PAPER}"/>'
    )
    return head + "".join(parts) + "</svg>\n"


def save_plan(plan: PlanNode, path: str | Path) -> None:
    """Write the drawing of a plan, given by its root, to a PNG, SVG or PDF file, depending on the ending of `path`."""
    if check_picture(path) == ".svg":
        with whole_file(path) as temporary:
            temporary.write_text(plan_to_svg(plan), encoding="utf-8")
        return
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path as Curve

    boxes, branches, wide, tall = _arranged(plan)
    figure = Figure(figsize=(wide / 144, tall / 144))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, wide), ylim=(tall, 0))
    ax.axis("off")

    def write(x: float, y: float, text: str, size: float, colour: str, side: Literal["left", "right"] = "left") -> None:
        # A pixel of the drawing is half a point.
        ax.text(x, y, printable(text), fontsize=size / 2, color=colour, ha=side, parse_math=False)

    for answer, share, x0, y0, x1, y1 in branches:
        points = [(x0, y0), (x0 + 34, y0), (x0 + 16, y1), (x0 + 50, y1), (x1, y1)]
        codes = [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4, Curve.LINETO]
        line = PathPatch(Curve(points, codes), fill=False, edgecolor=EDGE, alpha=0.7, linewidth=(1 + 5 * share) / 2)
        ax.add_patch(line)
        write(x1 - 6, y1 - 6, _short(answer, 17), 11, INK, "right")
        write(x1 - 6, y1 + 14, f"{100 * share:.3g} %", 11, FAINT, "right")
    for node, left, middle in boxes:
        asks = node.kind == "ask"
        shape = FancyBboxPatch((left, middle - BOX / 2), _width(node), BOX)
        shape.set_boxstyle("round", pad=0, rounding_size=BOX / 2 if asks else 3)
        shape.set(facecolor=QUESTION if asks else ACTION, edgecolor=QUESTION_EDGE if asks else EDGE, linewidth=0.5)
        ax.add_patch(shape)
        x = left + (16 if asks else 10)
        write(x, middle - 4, _short(node.name) + (" …" if node.cut else ""), 12, INK)
        write(x, middle + 12, f"{'ask' if asks else 'act'}, expected loss {node.loss:.4g}", 10.5, FAINT)
    save_figure(figure, path, dpi=300)


Box: TypeAlias = tuple[PlanNode, float, float]
"""A node, the left edge of its box, and the middle of its height."""
Branch: TypeAlias = tuple[str, float, float, float, float, float]
"""An answer, its probability, and the start and the end of its line, as x and y."""


def _arranged(plan: PlanNode) -> tuple[list[Box], list[Branch], int, int]:
    """Return the boxes and branches of the drawing of a plan, and the drawing's width and height, in pixels.

    A box is a tuple of the node, the box's left edge (x), and its middle (y). A branch is a tuple of the answer, its
    probability, x and y of the line's start, and x and y of its end.
    """
    columns = _columns(plan)
    left = [MARGIN]
    for nodes in columns[:-1]:
        left.append(left[-1] + int(max(_width(node) for node in nodes)) + BRANCH)
    boxes: list[Box] = []
    branches: list[Branch] = []
    height = _put(plan, 0, left, MARGIN, boxes, branches)[1]
    wide = left[-1] + int(max(_width(node) for node in columns[-1])) + MARGIN
    return boxes, branches, wide, int(height - GAP + MARGIN)


def _columns(plan: PlanNode) -> list[list[PlanNode]]:
    """Return one list of nodes for each depth of a plan, given by its root; the first list has only the root."""
    columns = [[plan]]
    while below := [each for node in columns[-1] for _, each in node.answers]:
        columns.append(below)
    return columns


def _put(
    node: PlanNode, column: int, left: list[int], top: float, boxes: list[Box], branches: list[Branch]
) -> tuple[float, float]:
    """Append a node and all nodes below it to `boxes`, and the lines between them to `branches`.

    `column` is the depth of the node; boxes at depth ``d`` begin at ``left[d]``. `top` is the upper edge of the space
    for the node and those below. Returns the middle of the node's box, and `top` for the next node. All are in pixels.
    """
    bottom, middles = top, []
    for _, below in node.answers:
        middle, bottom = _put(below, column + 1, left, bottom, boxes, branches)
        middles.append(middle)
    middle = (middles[0] + middles[-1]) / 2 if middles else top + BOX / 2
    bottom = max(bottom, middle + BOX / 2 + GAP)
    start = left[column] + _width(node)
    for (answer, below), end in zip(node.answers, middles, strict=True):
        branches.append((answer, below.probability / node.probability, start, middle, left[column + 1], end))
    boxes.append((node, left[column], middle))
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

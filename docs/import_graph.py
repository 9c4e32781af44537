"""The picture of what each folder of askwise imports, drawn from the source."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import askwise
from askwise.view import palette
from askwise.view.palette import hex_of

SOURCE = Path(askwise.__file__).parent
TOGETHER = {
    "errors, types": ("errors", "types", "seeds", "frozen"),
    "compiled loops": ("_jit", "_compiled", "_kept", "_ingredients", "_references"),
    "cli": ("cli", "starters", "__main__"),
}
"""Modules and folders that are drawn as one box, by what is written in it."""
BOX_OF = {part: name for name, parts in TOGETHER.items() for part in parts}
INK, FAINT, GRID = (hex_of(getattr(palette.LIGHT, name)) for name in ("ink", "faint", "grid"))


def imports() -> dict[str, set[str]]:
    """Return which box imports which others."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path == SOURCE / "__init__.py":
            continue
        user = _box(path.relative_to(SOURCE).parts[0].removesuffix(".py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("askwise."):
                used = _box((node.module or "").split(".")[1])
                found.setdefault(user, set()).update({used} - {user})
    return found


def _box(part: str) -> str:
    return BOX_OF.get(part, part)


def levels(uses: dict[str, set[str]]) -> dict[str, int]:
    """Return how high each box stands: one above the highest that it imports."""
    found: dict[str, int] = {}
    for box in TopologicalSorter(uses).static_order():
        found[box] = 1 + max((found[used] for used in uses.get(box, ())), default=-1)
    return found


def direct(uses: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the imports that do not follow from others."""
    reached: dict[str, set[str]] = {}
    for box in TopologicalSorter(uses).static_order():
        reached[box] = set(uses.get(box, ())).union(*(reached[used] for used in uses.get(box, ())))
    return [
        (box, used)
        for box, others in sorted(uses.items())
        for used in sorted(others)
        if not any(used in reached[other] for other in others - {used})
    ]


def import_graph() -> Figure:
    """Draw the folders from the ground up, and what they import."""
    uses = imports()
    height = levels(uses)
    rows = [sorted(box for box in height if height[box] == level) for level in range(max(height.values()) + 1)]
    at = {
        box: (4.0 + 1.75 * (k - (len(row) - 1) / 2), float(y))
        for y, row in enumerate(rows)
        for k, box in enumerate(row)
    }
    figure = Figure(figsize=(8.4, 0.62 * len(rows) + 0.4), layout="constrained")
    ax = figure.subplots()
    ax.set_axis_off()
    ax.set_xlim(min(x for x, _ in at.values()) - 1, max(x for x, _ in at.values()) + 1)
    ax.set_ylim(-0.5, len(rows) - 0.5)
    for user, used in direct(uses):
        (x, y), (to_x, to_y) = at[user], at[used]
        bend = 0.0 if to_x != x or y - to_y < 1.5 else 0.25
        style = f"arc3,rad={bend}"
        arrow = FancyArrowPatch(
            (x, y - 0.24), (to_x, to_y + 0.24), arrowstyle="-|>", mutation_scale=8, color=FAINT, lw=0.9,
            connectionstyle=style, shrinkA=0, shrinkB=0,
        )  # fmt: skip
        ax.add_patch(arrow)
    for box, (x, y) in at.items():
        frame = FancyBboxPatch(
            (x - 0.72, y - 0.2), 1.44, 0.4, boxstyle="round,pad=0.02", facecolor=GRID, edgecolor=FAINT
        )
        ax.add_patch(frame)
        ax.text(x, y, box, ha="center", va="center", fontsize=8.5, color=INK)
    return figure

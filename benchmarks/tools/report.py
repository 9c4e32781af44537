"""Tables as aligned text, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askwise.text.files import whole_file


@dataclass(frozen=True)
class Column:
    """The heading of a column, the function that formats its values, and their unit in JSON."""

    name: str
    show: Callable[[Any], str] = str
    unit: str = ""

    @property
    def left(self) -> bool:
        """Whether values are aligned to the left: text is, numbers are not."""
        return self.show is str


@dataclass
class Table:
    """A titled table of raw values, which the columns format; None means not measured."""

    title: str
    columns: Sequence[Column]
    rows: list[list[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the table with aligned columns."""
        heading = [column.name for column in self.columns]
        cells = [heading, *self._formatted()]
        widths = [max(len(row[k]) for row in cells) for k in range(len(heading))]
        lines = ["  ".join(self._aligned(row, widths)).rstrip() for row in cells]
        rule = "  ".join("-" * width for width in widths)
        notes = [f"  * {note}" for note in self.notes]
        return "\n".join([self.title, "=" * len(self.title), lines[0], rule, *lines[1:], *notes])

    def markdown(self) -> str:
        """Return the table as a Markdown section."""
        rows = ["| " + " | ".join(row) + " |" for row in [[c.name for c in self.columns], *self._formatted()]]
        rule = "|" + "|".join(":--" if column.left else "--:" for column in self.columns) + "|"
        notes = [f"- {note}" for note in self.notes]
        return "\n".join([f"## {self.title}", "", rows[0], rule, *rows[1:], *([""] if notes else []), *notes])

    def to_json(self) -> dict[str, Any]:
        """Return raw values by column name; infinity and nan become text, because JSON has neither."""
        names = [f"{c.name} [{c.unit}]" if c.unit else c.name for c in self.columns]
        rows = [dict(zip(names, map(_for_json, row), strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": self.notes}

    def save_csv(self, path: Path) -> None:
        """Write the table as a CSV file, with numbers formatted as in the other forms."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [[column.name for column in self.columns], *self._formatted()]
            )

    def _formatted(self) -> list[list[str]]:
        return [
            ["-" if value is None else column.show(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def _aligned(self, row: Sequence[str], widths: Sequence[int]) -> list[str]:
        return [
            cell.ljust(width) if column.left else cell.rjust(width)
            for cell, width, column in zip(row, widths, self.columns, strict=True)
        ]


def seconds(name: str) -> Column:
    """Return a column of times in seconds, shown in the unit that suits each."""
    return Column(name, _seconds, "s")


def memory(name: str) -> Column:
    """Return a column of amounts of memory in bytes, shown in GiB."""
    return Column(name, lambda value: f"{value / 2**30:.2f} GiB", "bytes")


def count(name: str) -> Column:
    """Return a column of whole numbers."""
    return Column(name, lambda value: f"{value:,}")


def ratio(name: str) -> Column:
    """Return a column of factors, such as ``1.50 x``."""
    return Column(name, lambda value: f"{value:,.0f} x" if value >= 10 else f"{value:.2f} x")


def number(name: str, digits: int = 6) -> Column:
    """Return a column of numbers with so many significant digits."""
    return Column(name, lambda value: f"{value:.{digits}g}")


def scientific(name: str) -> Column:
    """Return a column of small numbers in scientific notation."""
    return Column(name, lambda value: "0" if value == 0 else f"{value:.1e}")


def progress(message: str) -> None:
    """Print a progress message to stderr."""
    print(f"... {message}", file=sys.stderr, flush=True)


def save(folder: Path, stem: str, provenance: dict[str, Any], tables: Sequence[Table]) -> list[Path]:
    """Write the tables as JSON and Markdown, each file atomically; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    origin = "\n".join(f"- {name}: {value}" for name, value in provenance.items())
    page = "\n\n".join(["# Benchmarks of askwise", origin, *(table.markdown() for table in tables)]) + "\n"
    data = {"provenance": provenance, "tables": [table.to_json() for table in tables]}
    texts = {".json": json.dumps(data, indent=1, allow_nan=False) + "\n", ".md": page}
    return [_write_whole(folder / (stem + ending), text) for ending, text in texts.items()]


def _write_whole(path: Path, text: str) -> Path:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}" if value < 1000 * size else f"{value / size:,.0f} {unit}"
    return f"{value / 1e-9:.0f} ns"


def _for_json(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value

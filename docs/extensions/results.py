"""Results of the shipped studies in the site: tables and figures from ``reproduced``, a note where they are missing.

``{results-table} summary.csv`` shows a table, ``{results-figure} costs.svg`` a figure with the text below as its
caption; those of the study ``beyond`` are ``beyond/summary.csv`` and ``beyond/costs.svg``. ``make docs-results`` copies
these files from finished runs of ``make reproduce`` and ``make beyond``.
"""

from __future__ import annotations

import csv
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FOLDER = Path(__file__).parent.parent / "reproduced"
MISSING = "Not there yet: `make {study}`, then `make docs-results`."


class Results(SphinxDirective):
    """What tables and figures share: what stands in the place of a file that is missing."""

    def nothing(self) -> list[nodes.Node]:
        """Return the note for missing files."""
        missing = MISSING.format(study="beyond" if self.arguments[0].startswith("beyond/") else "reproduce")
        return self.parse_text_to_nodes(f":::{{note}}\n{missing}\n:::")


class ResultsTable(Results):
    """A CSV file as a table.

    ``:columns:`` picks some of those that it has, ``:only: method planner`` the rows with that in a column, ``:class:``
    styles it; ``:about: computing time`` and ``:about: behaviour`` part the claims of the paper.
    """

    required_arguments = 1
    option_spec = {  # noqa: RUF012
        "columns": directives.unchanged,
        "only": directives.unchanged,
        "class": directives.class_option,
        "about": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """See `SphinxDirective`."""
        path = FOLDER / self.arguments[0]
        self.env.note_dependency(str(path))  # of a file that is missing too: the page is built anew when it comes
        if not path.exists():
            return self.nothing()
        with path.open(encoding="utf-8", newline="") as handle:
            rows = list(csv.DictReader(handle))
        if "only" in self.options:
            column, *wanted = self.options["only"].split()
            rows = [row for row in rows if row[column] in wanted]
        if "about" in self.options:
            rows = [row for row in rows if row["about"] == self.options["about"]]
        there = list(rows[0]) if rows else []
        chosen = [name for name in self.options.get("columns", "").split() if name in there] or there
        return [table(chosen, [[row[name] for name in chosen] for row in rows], self.options.get("class", []))]


class ResultsFigure(Results):
    """A figure; its content is the caption."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """See `SphinxDirective`."""
        file = FOLDER / self.arguments[0]
        path = file.parent / "figures" / file.name
        self.env.note_dependency(str(path))
        if not path.exists():
            return self.nothing()
        caption = "\n".join(self.content)
        return self.parse_text_to_nodes(
            f"```{{figure}} /{path.relative_to(FOLDER.parent).as_posix()}\n:alt: {path.stem}\n\n{caption}\n```"
        )


def table(names: list[str], rows: list[list[str]], classes: list[str]) -> nodes.table:
    """Return a table with a head; numbers are shown with up to four digits behind the point."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in names), cols=len(names))
    head, body = nodes.thead("", row(names)), nodes.tbody("", *(row([short(cell) for cell in cells]) for cells in rows))
    group += [head, body]
    return nodes.table("", group, classes=["results", *classes])


def row(cells: list[str]) -> nodes.row:
    """Return one row of a table."""
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))


def short(cell: str) -> str:
    """Return a number without needless digits, and other text as it is."""
    try:
        value = float(cell)
    except ValueError:
        return cell
    return cell if len(cell) <= 6 else f"{value:.4g}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives to Sphinx."""
    app.add_directive("results-table", ResultsTable)
    app.add_directive("results-figure", ResultsFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

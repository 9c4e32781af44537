"""Notebooks in the site: ``{notebook} ask`` shows ``examples/notebooks/ask.ipynb`` with the output of its cells.

Cells run in one process while the site is built, in a folder that is removed afterwards. Shown is what they print, the
value of their last line, and the matplotlib figures that they draw. A cell that fails stops the build.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
DRAWN = Path(__file__).parents[1] / "drawn"


class Notebook(SphinxDirective):
    """``{notebook} name``: the cells of a notebook and what they show."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """See `SphinxDirective`."""
        name = self.arguments[0]
        path = FOLDER / f"{name}.ipynb"
        self.env.note_dependency(str(path))
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return self.parse_text_to_nodes(as_markdown(cells, name), allow_section_headings=True)


def as_markdown(cells: list[dict[str, Any]], name: str) -> str:
    """Run the code cells of a notebook and return all cells with their output as Markdown; leave out the title.

    Figures are written to the folder ``drawn``, as ``notebook-NAME-1.svg`` and so on.
    """
    import matplotlib.pyplot as plt

    matplotlib_backend = plt.get_backend()
    plt.switch_backend("agg")
    parts: list[str] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    figures = 0
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in cells:
                source = "".join(cell["source"])
                if cell["cell_type"] == "markdown":
                    lines = source.splitlines()
                    parts.append("\n".join(lines[1:] if lines[0].startswith("# ") else lines))
                    continue
                parts.append(f"```python\n{source}\n```")
                shown = _run(source, names).replace(folder, "FOLDER")
                if shown:
                    parts.append(f"```output\n{shown}\n```")
                for number in plt.get_fignums():
                    figures += 1
                    file = f"notebook-{name}-{figures}.svg"
                    plt.figure(number).savefig(DRAWN / file, metadata={"Date": None})
                    parts.append(f"```{{image}} /drawn/{file}\n:alt: The figure that the cell above draws\n```")
                plt.close("all")
        finally:
            os.chdir(here)
            plt.switch_backend(matplotlib_backend)
    return "\n\n".join(parts)


def _run(source: str, names: dict[str, Any]) -> str:
    """Run a cell and return what it prints, followed by the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    value = None
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    shown = [out.getvalue().rstrip()]
    # An exit code of 0 says nothing.
    if value is not None and not (type(value) is int and value == 0):
        shown.append(repr(value))
    return "\n".join(text for text in shown if text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("notebook", Notebook)
    return {"parallel_read_safe": False}

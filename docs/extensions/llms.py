"""``llms.txt``: a plain index of the site, one line for each page, for readers that are programs.

It is written next to the pages: the title, what askwise is, and for each page its title, address and first sentence.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 160
FIRST = "first sentence"
"""The key in a page's metadata: to load each page once more when the site is built would take seconds."""


def note_first_sentence(app: Sphinx, page: nodes.document) -> None:
    """Keep the first sentence of a page that was read."""
    app.env.metadata[app.env.docname][FIRST] = first_sentence(page)


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write ``llms.txt`` when an HTML site was built without errors."""
    if error is not None or app.builder.format != "html":
        return
    lines = ["# askwise", ""]
    order = ["index", *_in_order(app, "index")]
    for page in dict.fromkeys([*order, *sorted(app.env.found_docs)]):
        title = app.env.titles[page].astext()
        first = app.env.metadata[page].get(FIRST) or first_sentence(app.env.get_doctree(page))
        if page == "index":
            lines += [f"> {first}", "", f"Version {app.config.release}. Pages:", ""]
        lines.append(f"- [{title}]({app.builder.get_target_uri(page)}): {first}")
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _in_order(app: Sphinx, page: str) -> list[str]:
    """Return all pages below a page, in the order of the tables of contents."""
    return [name for child in app.env.toctree_includes.get(page, []) for name in (child, *_in_order(app, child))]


def first_sentence(page: nodes.document) -> str:
    """Return the first sentence of a page's text in one line; a long one is cut between words."""
    for paragraph in page.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            text = " ".join(paragraph.astext().split())
            text = re.split(r"(?<=[.?!:]) (?=[A-Z`])", text)[0].rstrip(":")
            return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " ..."
    return ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Note each page's first sentence, and write the index when the build has finished."""
    app.connect("doctree-read", note_first_sentence, priority=900)  # after the metadata of the page is collected
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True}

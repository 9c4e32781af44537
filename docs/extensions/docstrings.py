"""Docstrings in the site: names that lead to where they are documented, and Markdown where a class is written in it.

Environments describe themselves in Markdown, under the headings that Gymnasium uses. autodoc reads another markup, so
it gets their first sentence only; ``{markdown-docstring} module.Class`` puts the whole text where a page wants it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import TypeAliasForwardRef

DOCUMENTED = ("class", "data", "exception", "function")
HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)


class MarkdownDocstring(SphinxDirective):
    """``{markdown-docstring} module.Class``: the docstring of a class, parsed as the page is; headings become bold."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """See `SphinxDirective`."""
        module, _, name = self.arguments[0].rpartition(".")
        text = inspect.getdoc(getattr(importlib.import_module(module), name)) or ""
        # The first sentence stands in the signature above.
        return self.parse_text_to_nodes(HEADING.sub(r"**\1**\n", text.partition("\n\n")[2]))


def shorten_markdown(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Leave the first sentence of docstrings that are written in Markdown."""
    if any(HEADING.match(line) for line in lines):
        del lines[lines.index("") :]


def readable_defaults(
    app: Sphinx,  # noqa: ARG001
    what: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    thing: Any,  # noqa: ARG001
    options: Any,  # noqa: ARG001
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Show defaults that a dataclass makes anew for each object as dots; Sphinx cannot read what Python calls them."""
    return signature and signature.replace("<factory>", "..."), returned


def find_by_last_name(
    app: Sphinx, environment: BuildEnvironment, reference: pending_xref, content: nodes.TextElement
) -> nodes.Element | None:
    """Resolve a name that is written without its module, if exactly one documented thing is called so."""
    wanted = reference.get("reftarget", "").removeprefix("~")
    if reference.get("refdomain") != "py" or not wanted:
        return None
    python = environment.domains.python_domain
    found = [
        name
        for name, thing in python.objects.items()
        if f".{name}".endswith(f".{wanted}") and thing.objtype in DOCUMENTED and not thing.aliased
    ]
    if len(found) != 1:
        return None
    return python.resolve_xref(environment, reference["refdoc"], app.builder, "obj", found[0], reference, content)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add everything to Sphinx."""
    app.add_directive("markdown-docstring", MarkdownDocstring)
    # Inside unions, Sphinx shows the alias of a type by its internal representation.
    TypeAliasForwardRef.__repr__ = lambda alias: alias.name  # type: ignore[method-assign]
    # napoleon would take what stands before a colon in the docstring of a property for its type.
    GoogleDocstring._parse_attribute_docstring = GoogleDocstring._consume_to_end  # type: ignore[method-assign]
    app.connect("autodoc-process-signature", readable_defaults)
    app.connect("autodoc-process-docstring", shorten_markdown, priority=400)
    app.connect("missing-reference", find_by_last_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

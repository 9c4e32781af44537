"""HTML elements, and whole pages with the head and the assets that all applications share.

Text is escaped in this module, and only here: every value that is not `Html` counts as text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from askwise import __version__
from askwise.view.palette import css_variables

GENERATOR = f"askwise {__version__}"


@dataclass(frozen=True, slots=True)
class Html:
    """A piece of finished HTML, which functions of this module insert unchanged; all other values are escaped."""

    code: str


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of an HTML table.

    Attributes:
        content: the text or `Html` of the cell.
        kind: its CSS class; empty for none.
        note: a text in small letters after the content; empty for none.
    """

    content: object
    kind: str = ""
    note: str = ""


# -- elements ----------------------------------------------------------------------------------------------------


def escaped(content: object) -> str:
    """Return `content` as HTML code: text is escaped, `Html` is returned unchanged."""
    return content.code if isinstance(content, Html) else html.escape(str(content))


def tag(name: str, content: object, **attributes: str) -> Html:
    """Return an HTML element.

    Args:
        name: the name of the element.
        content: text or `Html` inside it.
        attributes: its attributes. Underscores in names become hyphens, ``class_`` means ``class``; attributes with an
            empty value are omitted.
    """
    inside = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for key, value in attributes.items() if value
    )
    return Html(f"<{name}{inside}>{escaped(content)}</{name}>")


def joined(parts: Iterable[object], between: str = "\n") -> Html:
    """Concatenate `parts`, separated by the text `between`; parts other than `Html` are escaped."""
    return Html(between.join(escaped(part) for part in parts))


def section(name: str, title: str, *parts: object) -> Html:
    """Return an HTML section.

    Args:
        name: its id, for links.
        title: its heading.
        parts: text or `Html` below the heading.
    """
    return tag("section", joined([tag("h2", title), *parts]), id=name)


def table(heads: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> Html:
    """Return an HTML table that scrolls sideways if it is too wide.

    Args:
        heads: the heading of each column: text, `Html` or `TableCell`.
        rows: the cells of each row, of the same types.
        caption: the caption, as text; empty for none.
    """
    head = tag("tr", joined((_cell("th", each) for each in heads), ""))
    body = joined(tag("tr", joined((_cell("td", each) for each in row), "")) for row in rows)
    parts = [tag("thead", head), tag("tbody", body)]
    if caption:
        parts.insert(0, tag("caption", caption))
    # `tabindex` makes it reachable by keyboard, so that it can be scrolled without a mouse.
    return tag("div", tag("table", joined(parts)), class_="scroll", tabindex="0", role="group", **_label(caption))


def folded(title: str, content: object) -> Html:
    """Return an HTML element that shows its title and, after a click, its content."""
    return tag("details", joined([tag("summary", title), content]))


def facts(given: Mapping[str, object]) -> Html:
    """Return nested mappings as an HTML table of names and values.

    The name of a value is the path of keys that leads to it, joined by dots, such as ``ego.cost``.
    """
    return table(["what", "value"], ((TableCell(name, "key"), value) for name, value in flattened(given)))


def flattened(given: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Yield the name and the value of each entry of nested mappings, as texts.

    The name is the path of keys that leads to the value, joined by dots, such as ``ego.cost``. The elements of a list
    are joined by commas. But if some of them are mappings, each element has entries of its own, with its number (from
    1) in their names, such as ``agents[1].cost``.

    Args:
        given: the mappings.
        prefix: a text with which all names begin.
    """
    for key, value in given.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from flattened(value, f"{name}.")
        elif isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
            for position, each in enumerate(value, 1):
                yield from flattened({f"{name}[{position}]": each})
        elif isinstance(value, list | tuple):
            yield name, ", ".join("\u2013" if each is None else str(each) for each in value)
        else:
            yield name, "\u2013" if value is None else str(value)


def _cell(name: str, each: object) -> Html:
    if not isinstance(each, TableCell):
        return tag(name, each)
    content = joined([each.content, tag("small", each.note)], " ") if each.note else each.content
    return tag(name, content, class_=each.kind)


def _label(caption: str) -> dict[str, str]:
    return {"aria-label": caption} if caption else {"aria-label": "table"}


# -- pages -------------------------------------------------------------------------------------------------------


def document(title: str, body: Html, *head: Html, language: str = "en") -> str:
    """Return a whole HTML page.

    Args:
        title: the title of the page, as text.
        body: the body element.
        head: elements of the head in addition to those that all pages have, such as styles and scripts.
        language: the code of the page's language.
    """
    parts = [
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        tag("title", title),
        Html('<link rel="icon" href="data:,">'),
        *head,
    ]
    start = f'<!doctype html>\n<html lang="{escaped(language)}">'
    return f"{start}\n<head>\n{joined(parts).code}\n</head>\n{body.code}\n</html>\n"


def generator() -> Html:
    """Return the meta element that says which version of askwise wrote the page."""
    return Html(f'<meta name="generator" content="{GENERATOR}">')


def style(*names: str) -> Html:
    """Return an HTML style element with the text of `stylesheet`.

    It has all colours as CSS variables, then ``base.css`` and the files `names` of the folder ``view/assets``.
    """
    return Html(f"<style>\n{stylesheet(*names)}\n</style>")


def stylesheet(*names: str) -> str:
    """Return CSS: all colours as variables, then ``base.css`` and the files `names` of the folder ``view/assets``."""
    return css_variables() + "".join(asset(name) for name in ("base.css", *names))


def script(*names: str) -> str:
    """Return the text of one script that joins JavaScript modules, so that a page needs no other files.

    Import statements and the word ``export`` are removed. `names` are files in the folder ``view/assets``; they are
    joined in this order.
    """
    return re.sub(r"^(?:import .*\n|export )", "", "\n".join(asset(name) for name in names), flags=re.MULTILINE)


def asset(name: str) -> str:
    """Return the text of a file in the folder ``view/assets``."""
    return files("askwise.view").joinpath("assets", name).read_text(encoding="utf-8")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Return a template in which every ``@NAME@``, in capital letters, is replaced by ``parts["NAME"]``.

    Inserted texts are not searched again, so they may contain ``@NAME@``.
    """
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], template)


Section = tuple[str, str, Sequence[object]]
"""A section of a report: the name used in links, the heading, and the parts below it."""


def report_page(title: str, subtitle: str, sections: Iterable[Section]) -> str:
    """Return a report as a self-contained HTML page: its sections, with links to them at the top.

    Args:
        title: the title of the report.
        subtitle: a line below the title.
        sections: a tuple for each section: its name in links, its heading, and the parts below it (text or `Html`).
    """
    found = list(sections)
    links = tag("nav", joined(tag("a", heading, href=f"#{name}") for name, heading, _ in found), aria_label="Sections")
    ending = f"Written by {GENERATOR}. This file needs nothing else: figures and styles are inside."
    parts = [
        tag("header", joined([tag("h1", title), tag("p", subtitle, class_="faint"), links])),
        tag("main", joined(section(name, heading, *content) for name, heading, content in found)),
        tag("footer", ending),
    ]
    return document(title, tag("body", joined(parts)), generator(), style("report.css"))

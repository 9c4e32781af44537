"""HTML elements, and whole pages with the head and the assets that all applications share.

Text is escaped in this module and nowhere else: every value that is not an `Html` object counts as text.
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
    """A piece of finished HTML code; functions of this module insert it unchanged, and escape all other values.

    Attributes:
        code: the HTML code.
    """

    code: str


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of an HTML table.

    Attributes:
        content: the text or `Html` of the cell.
        kind: the CSS class of the cell; empty for none.
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
        attributes: such as ``href="#top"``; underscores become hyphens, ``class_`` means ``class``, and empty values
            are omitted.
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
        name: the id of the section, for links.
        title: the heading.
        parts: text or `Html` below the heading.
    """
    return tag("section", joined([tag("h2", title), *parts]), id=name)


def table(heads: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> Html:
    """Return an HTML table that scrolls sideways if it is too wide.

    Args:
        heads: the heading of each column, as text, `Html` or `TableCell`.
        rows: the cells of each row, likewise.
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
    """Return nested mappings as an HTML table with two columns: the name and the value of each entry.

    A name consists of the keys that lead to the value, joined by dots: ``{"ego": {"cost": 3}}`` gives ``ego.cost``.
    """
    return table(["what", "value"], ((TableCell(name, "key"), value) for name, value in flattened(given)))


def flattened(given: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Yield the name and the value of each entry of nested mappings, both as texts.

    Keys are joined to names: ``{"ego": {"cost": 3}}`` gives ``ego.cost`` and ``3``. Elements of lists are joined by
    commas, but mappings in a list are numbered: ``{"agents": [{"cost": 3}]}`` gives ``agents[1].cost``. All names begin
    with `prefix`.
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
        head: additional elements of the head, such as styles and scripts.
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
    """Return an HTML style element with the CSS code that `stylesheet` returns.

    The code has all colours as CSS variables, then ``base.css`` and the files `names` of the folder ``view/assets``.
    """
    return Html(f"<style>\n{stylesheet(*names)}\n</style>")


def stylesheet(*names: str) -> str:
    """Return CSS: all colours as variables, then ``base.css`` and the files `names` of the folder ``view/assets``."""
    return css_variables() + "".join(asset(name) for name in ("base.css", *names))


def script(*names: str) -> str:
    """Return JavaScript modules joined into one script, so that a page needs no other files.

    The modules are the files `names` in the folder ``view/assets``, in this order. Their import statements and the word
    ``export`` are removed.
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
        title: the title.
        subtitle: a line below it.
        sections: for each section, its name in links, its heading, and a list of its parts (text or `Html`).
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

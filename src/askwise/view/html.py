"""Small pieces of HTML. Every text is escaped here, and only here: what comes in is text, what goes out is HTML.

A report as one HTML file with everything in it, opened from disk, printed, or sent to somebody.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from askwise import __version__
from askwise.view.palette import css_variables


@dataclass(frozen=True, slots=True)
class Html:
    """A piece of finished HTML; anything else is text, and is escaped."""

    code: str


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table with a class of its own; `note` stands below in small letters."""

    content: object
    kind: str = ""
    note: str = ""


def escaped(content: object) -> str:
    """Return HTML that shows `content`."""
    return content.code if isinstance(content, Html) else html.escape(str(content))


def tag(name: str, content: object, **attributes: str) -> Html:
    """Return an element; ``class_`` stands for the attribute class."""
    inside = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for key, value in attributes.items() if value
    )
    return Html(f"<{name}{inside}>{escaped(content)}</{name}>")


def joined(parts: Iterable[object], between: str = "\n") -> Html:
    """Return all parts, one after the other."""
    return Html(between.join(escaped(part) for part in parts))


def section(name: str, title: str, *parts: object) -> Html:
    """Return a section that links can lead to."""
    return tag("section", joined([tag("h2", title), *parts]), id=name)


def table(heads: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> Html:
    """Return a table that scrolls sideways where it does not fit; heads and cells may be `TableCell`."""
    head = tag("tr", joined((_cell("th", each) for each in heads), ""))
    body = joined(tag("tr", joined((_cell("td", each) for each in row), "")) for row in rows)
    parts = [tag("thead", head), tag("tbody", body)]
    if caption:
        parts.insert(0, tag("caption", caption))
    # Reachable by keyboard, or those without a mouse could not scroll it.
    return tag("div", tag("table", joined(parts)), class_="scroll", tabindex="0", role="group", **_label(caption))


def folded(title: str, content: object) -> Html:
    """Return something that opens on a click."""
    return tag("details", joined([tag("summary", title), content]))


def facts(given: Mapping[str, object]) -> Html:
    """Return nested settings as a table of two columns, inner names joined by dots."""
    return table(["what", "value"], ((TableCell(name, "key"), value) for name, value in flattened(given)))


def flattened(given: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Yield the leaves of nested mappings with their dotted names."""
    for key, value in given.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from flattened(value, f"{name}.")
        elif isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
            for position, each in enumerate(value, 1):
                yield from flattened({f"{name}[{position}]": each})
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        else:
            yield name, "\u2013" if value is None else str(value)


def _cell(name: str, each: object) -> Html:
    if not isinstance(each, TableCell):
        return tag(name, each)
    content = joined([each.content, tag("small", each.note)], " ") if each.note else each.content
    return tag(name, content, class_=each.kind)


def _label(caption: str) -> dict[str, str]:
    return {"aria-label": caption} if caption else {"aria-label": "table"}


Section = tuple[str, str, Sequence[object]]
"""A name that links lead to, a heading, and what stands below it."""


def report_page(title: str, subtitle: str, sections: Iterable[Section]) -> str:
    """Return a report as HTML, its sections one below the other with links to them at the top."""
    found = list(sections)
    links = [tag("a", heading, href=f"#{name}") for name, heading, _ in found]
    parts = {
        "TITLE": escaped(title),
        "SUBTITLE": escaped(subtitle),
        "STYLE": css_variables() + _asset("report.css"),
        "NAV": joined(links).code,
        "BODY": joined(section(name, heading, *content) for name, heading, content in found).code,
        "VERSION": __version__,
    }
    # In one go: a name in the report may be one of the places to be filled in.
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], _asset("report.html"))


def _asset(name: str) -> str:
    return files("askwise.view").joinpath("assets", name).read_text(encoding="utf-8")

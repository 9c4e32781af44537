"""A report as one HTML file with everything in it, opened from disk, printed, or sent to somebody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

from askwise import __version__
from askwise.view.html import escaped, joined, section, tag
from askwise.view.palette import css_variables

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

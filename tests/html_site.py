"""Checks of a folder of HTML pages: broken links, missing pictures, and requests to other sites."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHING = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}
"""Elements that make a browser load a file, and the attribute with its address."""
PASSIVE = {"canonical", "search", "prev", "next", "index", "author", "copyright"}
"""Values of ``rel`` of links that a browser does not load."""


@dataclass
class Page(HTMLParser):
    """The links, loaded files and link targets of a page."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the links, loaded files and link targets of an element."""
        given = {key: value or "" for key, value in attrs}
        self.ids |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        target = given.get(FETCHING.get(tag, ""))
        if target and not (tag == "link" and given.get("rel") in PASSIVE):
            self.loads.append(target)


def problems_of(site: Path) -> list[str]:
    """Return all defects of a site, one line each."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name}: loads {target}" for target in page.loads if not _is_there(path, target)]
        found += [f"{name}: links to {target}" for target in page.links if not _leads_somewhere(path, target, pages)]
    return found


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _is_there(page: Path, target: str) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return parts.scheme == "data"
    return _file(page, parts.path).is_file()


def _leads_somewhere(page: Path, target: str, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return True  # links to other sites are not checked
    path = _file(page, parts.path)
    if path not in pages:
        return path.is_file()
    return parts.fragment in ("", *pages[path].ids) or unquote(parts.fragment) in pages[path].ids


def _file(page: Path, path: str) -> Path:
    return (page.parent / unquote(path)).resolve() if path else page

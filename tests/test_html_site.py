"""The search for broken things in a site finds them."""

from __future__ import annotations

from pathlib import Path

from tests.html_site import problems_of

FIRST = """
<html><head><link rel="stylesheet" href="style.css"><link rel="search" href="search.html"></head>
<body id="top"><a href="#top">up</a> <a href="deep/second.html#here">there</a> <a href="https://example.org">away</a>
<img src="picture.png"><img src="data:image/png;base64,AA=="></body></html>
"""
SECOND = '<html><body><p id="here"><a href="../first.html">back</a> <a href="">self</a></p></body></html>'


def site(folder: Path, first: str = FIRST, second: str = SECOND) -> Path:
    folder = folder.resolve()
    (folder / "deep").mkdir()
    for name, text in {"first.html": first, "deep/second.html": second, "style.css": "", "picture.png": ""}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_whole_site_has_no_problems(tmp_path: Path) -> None:
    assert problems_of(site(tmp_path)) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    first = FIRST.replace("#here", "#nowhere").replace("#top", "#bottom")
    second = SECOND.replace("../first.html", "first.html")
    assert problems_of(site(tmp_path, first, second)) == [
        "deep/second.html: links to first.html",
        "first.html: links to #bottom",
        "first.html: links to deep/second.html#nowhere",
    ]


def test_missing_pictures_and_what_is_fetched_from_elsewhere_are_found(tmp_path: Path) -> None:
    first = FIRST.replace("picture.png", "other.png").replace('"style.css"', '"https://example.org/style.css"')
    assert problems_of(site(tmp_path, first)) == [
        "first.html: loads https://example.org/style.css",
        "first.html: loads other.png",
    ]


def test_a_script_from_elsewhere_is_found(tmp_path: Path) -> None:
    first = FIRST.replace("<body", '<script src="//example.org/x.js"></script><body')
    assert problems_of(site(tmp_path, first)) == ["first.html: loads //example.org/x.js"]

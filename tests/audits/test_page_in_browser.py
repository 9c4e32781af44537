"""The report of an audit in a browser: it loads no other files and fits on a desktop and on a phone."""

from __future__ import annotations

from pathlib import Path

from askwise.audits.page import write_page
from tests.audits.test_results import BOTH
from tests.browser import browser, visit


def test_the_report_fits_wide_and_narrow_screens(tmp_path: Path) -> None:
    path = tmp_path / "audit.html"
    write_page(BOTH, path)
    with browser() as started:
        for width in (1366, 390):
            with visit(started, path, width=width) as seen:
                assert seen.errors == []
                assert seen.requests == [path.as_uri()]
                assert seen.page.evaluate("document.documentElement.scrollWidth") == width
                first = seen.text("section:first-of-type")
                assert first.startswith("Costliest decisions")
                assert first.index("under-asking") < first.index("over-asking")

"""The report in a real browser: figures load, without errors, requests or horizontal overflow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import browser, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def report(results: Path) -> Path:
    return results / "report.html"


@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (390, "light"), (1366, "dark")])
def test_it_opens(chromium: Browser, report: Path, width: int, scheme: str) -> None:
    with visit(chromium, report, width=width, scheme=scheme) as page:
        sizes = page.page.evaluate("[...document.images].map(image => image.complete && image.naturalWidth)")
        assert len(sizes) == 11
        assert min(sizes) > 300
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.page.locator("#claims tbody tr").count() == 24
        assert page.page.locator("#claims-time tbody tr").count() == 8
        order = page.page.evaluate("[...document.querySelectorAll('section')].map(section => section.id)")
        assert order.index("figures") < order.index("claims") < order.index("claims-time")
        assert page.errors == []
        assert page.requests == [report.as_uri()]


def test_links_lead_to_sections_and_folded_tables_open(chromium: Browser, report: Path) -> None:
    with visit(chromium, report) as page:
        page.page.get_by_role("link", name="Comparisons").click()
        assert page.page.url.endswith("#comparisons")
        table = page.page.locator("#comparisons table").first
        assert not table.is_visible()
        page.page.locator("#comparisons summary").first.click()
        assert table.is_visible()
        assert table.locator("tbody tr").count() == 60


def test_light_and_dark_differ_and_figures_stay_on_white(chromium: Browser, report: Path) -> None:
    seen = {}
    for scheme in ("light", "dark"):
        with visit(chromium, report, scheme=scheme) as page:
            seen[scheme] = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
            behind = page.page.evaluate("getComputedStyle(document.images[0]).backgroundColor")
            assert behind == "rgb(255, 255, 255)"
    assert seen["light"] != seen["dark"]

"""Explore for tool fetching and graphs in a real browser: dragging, keys, paths, the address, files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from askwise.domains.stated.file import ProblemFile
from tests.browser import browser
from tests.studio.live import Studio, studio
from tests.studio.test_in_browser import PATIENCE, Visit, assert_calm, axe_finds

if TYPE_CHECKING:
    from playwright.sync_api import Page


READY = "body[data-busy=no]"
NARROW: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with studio(tmp_path_factory.mktemp("explore-others") / "out") as started:
        yield started


@pytest.fixture(scope="module")
def visit(server: Studio) -> Iterator[Visit]:
    with browser() as chromium:
        yield Visit(chromium, server, viewport={"width": 1366, "height": 900})


def opened(page: Page, server: Studio, name: str, title: str) -> Page:
    """Return the page with an example loaded from its file."""
    page.goto("about:blank")
    page.goto(f"http://{server.host}/explore")
    page.wait_for_selector(READY)
    page.select_option("#from", label=name)
    page.wait_for_selector(f"#title:has-text('{title}')")
    page.wait_for_selector(READY)
    return page


@pytest.fixture
def workshop(visit: Visit) -> Page:
    return opened(visit.page, visit.server, "workshop", "Tool fetching")


@pytest.fixture
def ward(visit: Visit) -> Page:
    return opened(visit.page, visit.server, "ward", "Ward")


def middle(page: Page, thing: str) -> tuple[float, float]:
    """Return the centre of a mark, in pixels."""
    box = page.evaluate(f"document.querySelector(\"[data-thing='{thing}']\").getBoundingClientRect().toJSON()")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, thing: str, to: tuple[float, float]) -> None:
    page.mouse.move(*middle(page, thing))
    page.mouse.down()
    page.mouse.move(*to, steps=4)
    page.mouse.up()
    page.wait_for_selector(READY)


def cell(page: Page, x: int, y: int) -> tuple[float, float]:
    """Return the centre of a cell of the workshop, in pixels."""
    box = page.evaluate("document.querySelector('#sketch .floor').getBoundingClientRect().toJSON()")
    return box["x"] + (x + 0.5) * box["width"] / 12, box["y"] + (11 - y + 0.5) * box["height"] / 12


def place(page: Page, thing: str) -> str | None:
    return page.locator(f"[data-thing='{thing}'] title").first.text_content()


def download(page: Page, folder: Path) -> Path:
    with page.expect_download() as saved:
        page.click("#save")
    path = folder / saved.value.suggested_filename
    saved.value.save_as(path)
    return path


def test_stations_toolboxes_and_both_agents_are_dragged(visit: Visit, workshop: Page, tmp_path: Path) -> None:
    page = workshop
    before = page.inner_text("#why")
    drag(page, "teammate.now", cell(page, 7, 0))  # not away from where it is
    assert place(page, "teammate.now") == "worker at 7, 0"
    drag(page, "teammate.now", cell(page, 5, 1))
    assert place(page, "teammate.now") == "worker at 5, 1"
    drag(page, "boxes.0.at", cell(page, 0, 0))
    drag(page, "goals.8.teammate.0", cell(page, 11, 9))
    assert place(page, "boxes.0.at") == "toolbox T1, at 0, 0"
    assert place(page, "goals.8.teammate.0") == "S9: the worker goes here, at 11, 9"
    assert page.inner_text("#why") != before
    page.select_option("#prior", "")
    page.fill("[aria-label='weight of S2']", "5")
    page.press("[aria-label='weight of S2']", "Tab")
    page.select_option("[aria-label='toolbox of S2']", "T3")
    page.select_option("#holding", "S1")
    page.wait_for_selector(READY)
    assert place(page, "ego.now") == "fetcher at 5, 7, with the tool of S1"
    page.click("#add-box")
    page.wait_for_selector(READY)
    assert page.locator("#boxes li").count() == 4
    assert axe_finds(page) == []
    contents = json.loads(download(page, tmp_path).read_text(encoding="utf-8"))
    assert (contents["format"], contents["worker"]) == ("askwise/tool-fetching@1", [7, 0])
    assert (contents["toolboxes"]["T1"], contents["stations"]["S9"]["at"]) == ([0, 0], [11, 9])
    assert (contents["stations"]["S2"]["toolbox"], contents["prior"]["S2"]) == ("T3", 5)
    assert "their present places are only in the address" in page.inner_text("#said")
    page.reload()
    page.wait_for_selector("#title:has-text('Tool fetching')")
    page.wait_for_selector(READY)
    assert place(page, "teammate.now") == "worker at 5, 1"
    assert_calm(visit)


def test_a_toolbox_is_moved_by_keyboard_and_undone(visit: Visit, workshop: Page) -> None:
    page = workshop
    page.select_option("#thing", label="toolbox T2, at 5, 0")
    page.focus("#sketch")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector(READY)
    assert page.inner_text("#said") == "toolbox T2, at 5, 1."
    page.keyboard.press("Control+z")
    page.wait_for_selector(READY)
    assert place(page, "boxes.1.at") == "toolbox T2, at 5, 0"
    assert_calm(visit)


def test_a_graph_is_followed_by_pointer_and_keys(visit: Visit, ward: Page, tmp_path: Path) -> None:
    page = ward
    assert page.locator("#sketch .node").count() == 19
    page.select_option("#truth", label="pills for Ada")
    page.select_option("#other", label="sheets for Eli")
    page.wait_for_selector("#sketch .heat circle")
    assert page.locator("#sketch .heat circle").count() == 10
    drag(page, "teammate.now", middle(page, "goals.2.teammate.0"))  # to room 3
    assert place(page, "teammate.now") == "nurse at room 3"
    assert "1 of 6 tasks explains" in page.inner_text("#inferred")
    page.focus("#sketch")
    page.keyboard.press("Control+z")
    page.wait_for_selector(READY)
    assert place(page, "teammate.now") == "nurse at desk"
    page.select_option("#thing", label="nurse at desk")
    page.focus("#sketch")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(READY)
    assert page.inner_text("#said") == "nurse at corridor 1."
    page.keyboard.press("Escape")
    assert page.inner_text("#said").startswith("Cursor at corridor 1: ")
    assert axe_finds(page) == []
    text = download(page, tmp_path).read_text(encoding="utf-8")
    assert text.startswith("format = ")
    assert "their present places are only in the address" in page.inner_text("#said")
    assert_calm(visit)


def test_ways_are_closed_and_opened(visit: Visit, ward: Page, tmp_path: Path) -> None:
    page = ward
    page.uncheck("text=nurse: corridor 1 – room 1")
    page.wait_for_selector("#error:has-text('no way to it')")
    assert page.locator("#sketch .way.closed").count() == 1
    page.reload()  # a graph that does not hold together is drawn all the same
    page.wait_for_selector("#sketch .way.closed")
    page.wait_for_selector(READY)
    page.click("[aria-label='Remove pills for Ada']")
    page.wait_for_selector("#error:empty", state="attached")
    page.wait_for_selector(READY)
    saved = ProblemFile.load(download(page, tmp_path))
    assert len(saved.contents["teammate"]["edges"]) == 16
    assert next(iter(saved.goals)) == "sheets for Bo"
    page.check("text=nurse: corridor 1 – room 1")
    page.wait_for_selector(READY)
    assert page.locator("#sketch .way.closed").count() == 0
    assert_calm(visit)


@pytest.mark.parametrize(("name", "title"), [("workshop", "Tool fetching"), ("ward", "Ward")])
def test_touch_on_a_narrow_dark_screen(visit: Visit, name: str, title: str) -> None:
    assert visit.context.browser is not None
    state: Any = visit.context.storage_state()
    context = visit.context.browser.new_context(storage_state=state, **NARROW)
    context.set_default_timeout(PATIENCE)
    page = opened(context.new_page(), visit.server, name, title)
    page.touchscreen.tap(*middle(page, "ego.now"))
    assert page.locator("[data-thing='ego.now'].selected").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe_finds(page) == []
    context.close()

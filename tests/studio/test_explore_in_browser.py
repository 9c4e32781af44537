"""The Explore page in a real browser: drawing, dragging, keys, undo, the address, files; no foreign requests."""

from __future__ import annotations

import base64
import json
import tomllib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import browser
from tests.studio.live import EXAMPLES, Studio, studio
from tests.studio.test_in_browser import PATIENCE, Visit, assert_calm, axe_finds, broken

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

READY = "body[data-busy=no]"


def address_of(state: Any) -> str:
    """Return the fragment of the address for a state."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps(state).encode()) + packer.flush()
    return "1." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


ODD_ADDRESSES = [
    "1.nonsense", address_of(None), address_of({"sketch": {"walls": ["<b>"]}}),
    address_of({"sketch": {"walls": ["..."], "teammate": {"start": [9, 9], "now": [0, 0]}, "ego": None, "goals": []}}),
    address_of({"sketch": {"walls": ["." * 10**6]}}),
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with studio(tmp_path_factory.mktemp("explore") / "out", path=EXAMPLES / "kitchen.toml") as started:
        yield started


@pytest.fixture(scope="module")
def visit(server: Studio) -> Iterator[Visit]:
    with browser() as chromium:
        visit = Visit(chromium, server, viewport={"width": 1366, "height": 768})
        visit.page.click("nav >> text=Explore")  # the first page leads here
        yield visit


@pytest.fixture
def page(visit: Visit) -> Page:
    """The page with the kitchen loaded from its file."""
    visit.page.goto("about:blank")
    visit.page.goto(f"http://{visit.server.host}/explore")
    visit.page.wait_for_selector("#headline:has-text('ASK')")
    visit.page.wait_for_selector(READY)
    return visit.page


def cell(page: Page, x: int, y: int) -> tuple[float, float]:
    """Return the centre of a cell of an 11 x 6 map, in pixels; computed anew, because every change redraws the map."""
    box = page.evaluate("document.querySelector('#sketch .floor').getBoundingClientRect().toJSON()")
    return box["x"] + (x + 0.5) * box["width"] / 11, box["y"] + (5 - y + 0.5) * box["height"] / 6


def drag(page: Page, *cells: tuple[int, int]) -> None:
    page.mouse.move(*cell(page, *cells[0]))
    page.mouse.down()
    for each in cells[1:]:
        page.mouse.move(*cell(page, *each), steps=3)
    page.mouse.up()
    page.wait_for_selector(READY)


def walls(page: Page) -> int:
    return page.locator("#sketch .wall").count()


def place(page: Page, thing: str) -> str | None:
    return page.locator(f"[data-thing='{thing}'] title").text_content()


def test_dragging_is_followed_by_belief_question_and_edp(visit: Visit, page: Page) -> None:
    asked = page.inner_text("#headline")
    assert asked == "ASK: is it toast or juice?"
    assert "without asking you lose" in page.inner_text("#why")
    assert page.locator("#edp tbody tr").count() == 6
    drag(page, (2, 2), (3, 2))  # the cook
    page.wait_for_selector("#headline:has-text('DO: EAST')")
    assert "3 of 6 dishes explain" in page.inner_text("#inferred")
    assert page.locator("#goal-table td.belief").all_inner_texts()[:2] == ["ruled out", "33 %"]
    assert place(page, "teammate.start") == "start of the cook, at 2, 2"
    before = page.inner_text("#edp")
    drag(page, (10, 5), (9, 4), (7, 3))  # the pie
    assert place(page, "goals.1.teammate.0") == "pie: the cook goes here, at 7, 3"
    assert page.inner_text("#edp") != before
    page.click("#back")
    page.wait_for_selector("#headline:has-text('ASK')")
    assert axe_finds(page) == []
    assert_calm(visit)


def test_walls_are_drawn_undone_and_done_again(visit: Visit, page: Page) -> None:
    assert walls(page) == 5
    drag(page, (7, 1), (7, 2), (7, 3))
    assert walls(page) == 8
    drag(page, (7, 2), (7, 3))  # a wall that is begun on a wall is rubbed out
    assert walls(page) == 6
    page.keyboard.press("Control+z")
    page.wait_for_selector(READY)
    assert walls(page) == 8
    page.click("#undo")
    assert walls(page) == 5
    assert page.locator("#undo").is_disabled()
    page.keyboard.press("Control+Shift+Z")
    page.keyboard.press("Control+Shift+Z")
    assert walls(page) == 6
    page.wait_for_selector(READY)
    drag(page, (9, 5), (9, 4), (10, 4))  # the pie is walled in
    walled_in = "#error:has-text('goals.pie.teammate: found no way to it from [2, 2]')"
    page.wait_for_selector(walled_in)
    page.keyboard.press("Control+z")
    page.wait_for_selector("#error:empty", state="attached")
    page.keyboard.press("Control+Shift+Z")
    page.wait_for_selector(walled_in)
    page.reload()  # nobody loses what does not hold together yet
    page.wait_for_selector(walled_in)
    assert walls(page) == 9
    assert_calm(visit)


def test_by_keyboard_alone(visit: Visit, page: Page) -> None:
    page.focus("#sketch")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#said") == "1, 0: free."
    page.keyboard.press(" ")
    assert walls(page) == 6
    assert page.inner_text("#said") == "Wall added at 1, 0."
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.inner_text("#said") == "Selected: cook at 2, 2."
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#headline:has-text('DO')")
    assert place(page, "teammate.now") == "cook at 3, 2"
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.inner_text("#said") == "There is a wall here."
    page.keyboard.press("Escape")
    for _ in range(5):
        page.keyboard.press("Control+z")
    assert walls(page) == 5
    assert place(page, "teammate.now") == "cook at 2, 2"
    page.select_option("#thing", label="juice: the helper goes here, at 0, 2")
    page.focus("#sketch")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(READY)
    assert place(page, "goals.3.ego.1") == "juice: the helper goes here, at 1, 2"
    assert_calm(visit)


def test_prior_prices_goals_and_a_pair(visit: Visit, page: Page) -> None:
    page.fill("#base", "50")
    page.press("#base", "Tab")
    page.wait_for_selector("#headline:not(:has-text('ASK'))")
    page.fill("[aria-label='weight of pie']", "63")
    page.press("[aria-label='weight of pie']", "Tab")
    page.wait_for_selector("#goal-table td.belief:has-text('90 %')")
    page.fill("[aria-label='name of pie']", "<b>tart</b>")
    page.press("[aria-label='name of pie']", "Tab")
    page.wait_for_selector("#zones h3:has-text('<b>tart</b>')")
    page.click("[aria-label='Remove salad']")
    page.click("#add")
    page.wait_for_selector(READY)
    page.wait_for_selector("#edp tbody tr:nth-child(6)")
    page.select_option("#truth", label="soup")
    page.select_option("#other", label="toast")
    page.wait_for_selector("#pair-zones li:nth-child(6)")
    assert page.locator("#sketch .heat rect").count() == 61  # all cells but the walls
    page.fill("[aria-label='weight of soup']", "-1")
    page.press("[aria-label='weight of soup']", "Tab")
    page.wait_for_selector("#error:has-text('goals.soup.weight: found -1; expected a finite number from 0')")
    assert_calm(visit)


def test_the_address_and_a_file_hold_everything(visit: Visit, page: Page, tmp_path: Path) -> None:
    drag(page, (7, 1), (7, 2))
    drag(page, (2, 2), (3, 2))
    page.select_option("#truth", label="soup")
    page.select_option("#other", label="juice")
    page.wait_for_selector("#pair-zones li")
    page.wait_for_selector(READY)
    state = page.inner_text("#headline"), page.inner_text("#edp"), page.inner_text("#pair-text")
    page.reload()
    page.wait_for_selector("#pair-zones li")
    assert (page.inner_text("#headline"), page.inner_text("#edp"), page.inner_text("#pair-text")) == state
    assert (walls(page), place(page, "teammate.now")) == (7, "cook at 3, 2")
    with page.expect_download() as download:
        page.click("#save")
    saved = tmp_path / "explored.toml"
    download.value.save_as(saved)
    contents = tomllib.loads(saved.read_text(encoding="utf-8"))
    assert contents["teammate"]["map"].splitlines()[3:5] == 2 * [".....#.#..."]
    page.goto("about:blank")
    page.goto(f"http://{visit.server.host}/explore")
    page.wait_for_selector("#headline:has-text('ASK')")
    page.set_input_files("#load", saved)
    page.wait_for_selector("#sketch .wall:nth-child(7)", state="attached")
    page.wait_for_selector(READY)
    assert (walls(page), place(page, "teammate.now")) == (7, "cook at 2, 2")
    page.set_input_files("#load", EXAMPLES / "decisions" / "ticket.toml")
    page.wait_for_selector("#error:has-text('format: found')")
    assert walls(page) == 7
    for number, odd in enumerate(ODD_ADDRESSES):
        page.goto("about:blank")
        page.goto(f"http://{visit.server.host}/explore#{odd}")
        page.wait_for_selector("#error:has-text('The address does not contain a readable map')")
        page.wait_for_selector("#headline:has-text('ASK')")
        assert walls(page) == 5, number
    assert_calm(visit)


def test_a_wall_is_suggested_and_built(visit: Visit, page: Page) -> None:
    page.select_option("#minimise", "wcd")
    page.select_option("#budget", "4")
    page.click("#suggest")
    page.wait_for_selector("#suggested:has-text('WCD 10 → 6; proven optimal')")
    assert page.locator("#sketch .planned").count() == 1
    page.click("#build")
    assert (walls(page), page.locator("#sketch .planned").count()) == (6, 0)
    page.wait_for_selector(READY)
    page.click("#undo")
    assert walls(page) == 5
    assert_calm(visit)


def test_texts_of_the_problem_before_are_gone_when_another_one_is_opened(visit: Visit, page: Page) -> None:
    drag(page, (2, 2), (3, 2))
    assert page.inner_text("#said").startswith("cook at ")
    page.click("#suggest")
    page.wait_for_selector("#suggested:has-text('designs evaluated')")
    held: list[Route] = []
    page.route("**/api/explore/follow", lambda route: held.append(route))  # what the page says until the studio answers
    page.select_option("#from", label="an empty map, 10 x 8")
    page.wait_for_selector("#goal-table [aria-label='name of left']")
    assert [page.inner_text(f"#{name}") for name in ("said", "suggested", "title", "headline")] == [
        "", "", "Explore", "One moment …",
    ]  # fmt: skip
    panels = ("why", "inferred", "facts", "edp", "pair-text", "pair-zones", "zones", "zones-key", "legend")
    assert [page.inner_text(f"#{name}") for name in panels] == [""] * len(panels)
    for each in held:
        each.continue_()
    page.unroute("**/api/explore/follow")
    page.wait_for_selector(READY)
    assert page.inner_text("#zones") != ""
    assert_calm(visit)


def test_an_answer_that_is_no_json_is_a_sentence_and_a_button(visit: Visit, page: Page) -> None:
    with broken(page, "**/api/explore/follow", "#error"):
        page.click("#add")
    page.wait_for_selector("#error:empty", state="attached")
    page.wait_for_selector("#goal-table [aria-label='name of goal 7']")
    assert_calm(visit)


def test_an_empty_map_and_the_largest(visit: Visit, page: Page) -> None:
    page.select_option("#from", label="an empty map, 30 x 30")
    page.wait_for_selector("#goal-table [aria-label='name of left']")
    page.wait_for_selector(READY)
    assert page.inner_text("#error") == ""
    assert page.locator("#edp tbody tr").count() == 2
    page.keyboard.press("Control+z")
    page.wait_for_selector("#goal-table [aria-label='name of soup']")
    page.wait_for_selector(READY)
    assert_calm(visit)


def test_touch_on_a_narrow_dark_screen(visit: Visit) -> None:
    assert visit.context.browser is not None
    state: Any = visit.context.storage_state()
    context = visit.context.browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark", storage_state=state
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"http://{visit.server.host}/explore")
    page.wait_for_selector("#headline:has-text('ASK')")
    page.touchscreen.tap(*cell(page, 8, 3))
    page.wait_for_selector("#sketch .wall:nth-child(6)", state="attached")
    page.wait_for_selector(READY)
    page.select_option("#truth", label="pie")
    page.select_option("#other", label="steak")
    page.wait_for_selector("#pair-zones li")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe_finds(page) == []
    context.close()


def test_only_the_researcher_explores(visit: Visit, server: Studio) -> None:
    body: dict[str, Any] = {"tab": "x", "sketch": {}, "method": "ezq", "pair": None}
    assert server.request("/api/explore/follow", body)[0] == 403
    assert server.request("/explore")[0] == 403
    cookie = "; ".join(f"{each['name']}={each['value']}" for each in visit.context.cookies())
    assert server.request("/api/explore/follow", body, cookie=cookie)[0] == 200
    assert server.request("/api/explore/follow", body, cookie=cookie, headers={"Origin": "http://evil"})[0] == 403
    assert server.request("/api/explore/follow", {**body, "tab": "x" * 99}, cookie=cookie)[0] == 400
    assert server.request("/api/explore/follow", raw=b"[1", cookie=cookie)[0] == 400

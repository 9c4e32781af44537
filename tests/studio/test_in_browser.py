"""The studio's pages in a real browser, without foreign requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import browser
from tests.studio.live import Studio, studio
from tests.studio.scripted import as_ego, as_teammate, inputs, trace_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

KEYS = {"NORTH": "ArrowUp", "SOUTH": "s", "EAST": "d", "WEST": "ArrowLeft", "STAY": " "}
TURN = "body[data-phase=move], body[data-phase=answer], body[data-phase=over]"
PATIENCE = 300_000  # milliseconds: methods may have to be compiled first, on a busy machine
MARKUP = '<img src=x onerror="document.title=1">'
HOSTILE = f"""
format = "askwise/problem@1"
name = '{MARKUP}'
[teammate]
start = "T"
map = "T..A.B"
[ego]
start = "E"
map = "E..A.B"
[goals.'{MARKUP}']
teammate = "A"
ego = "A"
[goals."</script><b>"]
teammate = "B"
ego = "B"
[query_cost]
base = 0.1
"""


class Visit:
    """A browser that followed the link, with its console errors and its requests."""

    def __init__(self, chromium: Browser, server: Studio, address: str | None = None, **options: Any) -> None:
        self.server = server
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.context: BrowserContext = chromium.new_context(reduced_motion="reduce", **options)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.open(address or server.link)

    def open(self, address: str) -> Page:
        page = self.context.new_page()
        page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        return page

    def begin(self, problem: str, role: str, seed: int, **chosen: str) -> str:
        """Start a round on the home page; return its name."""
        page = self.page
        page.goto(f"http://{self.server.host}/")
        page.check(f"input[data-name={problem}]")
        page.check(f"input[value={role}]")
        page.wait_for_selector(f"#about[data-of={problem}]")
        page.click("#more summary")
        page.fill("#seed", str(seed))
        for field, value in chosen.items():
            page.select_option(f"#{field}", value)
        page.click("button.main")
        page.wait_for_url("**/play/*")
        page.wait_for_selector(TURN)
        return page.url.rpartition("/")[2]

    def trace(self, name: str) -> Any:
        return self.context.request.get(f"http://{self.server.host}/api/rounds/{name}/trace").json()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with studio(tmp_path_factory.mktemp("browser") / "out") as started:
        yield started


@pytest.fixture(scope="module")
def visit(server: Studio) -> Iterator[Visit]:
    with browser() as chromium:
        yield Visit(chromium, server, viewport={"width": 1366, "height": 768})


def axe_finds(page: Page) -> list[str]:
    """Return the serious accessibility problems that axe finds."""
    sync_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = sync_playwright.Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['help']}" for each in found if each["impact"] in ("serious", "critical")]


@contextmanager
def broken(page: Page, address: str, place: str, status: int = 200) -> Iterator[None]:
    """Answer with invalid JSON; the page must show an error and a button that reloads."""
    page.route(address, lambda route: route.fulfill(status=status, body="Internal Server Error"))
    yield
    page.wait_for_selector(f"{place} .reload")
    assert page.inner_text(place) == "Something went wrong. Please reload. Reload"
    page.unroute(address)
    page.click(f"{place} .reload")


def step(page: Page, user_input: dict[str, Any], t: int) -> None:
    """Enter one input by keyboard, and wait until it is applied."""
    if "answer" in user_input:
        page.keyboard.press({True: "y", False: "N", None: "?"}[user_input["answer"]])
    elif "ask" in user_input:
        for goal in user_input["ask"]:
            page.get_by_label(goal, exact=False).first.focus()
            page.keyboard.press(" ")
        page.locator("#ask").focus()
        page.keyboard.press("Enter")
        page.evaluate("document.activeElement.blur()")
    else:
        page.keyboard.press(KEYS[user_input["move"]])
    page.wait_for_selector(f"body[data-t='{t}']:is({TURN})")


def test_who_follows_urop_by_keyboard_gets_the_trace_of_simulate(visit: Visit) -> None:
    simulated = as_teammate("kitchen", "planner", 5)
    name = visit.begin("kitchen", "teammate", 5, method="planner")
    page = visit.page
    assert "Your dish: toast" in page.inner_text("#task")
    assert page.locator("#moves button, #question button").all_inner_texts()[0].startswith(("Yes", "up"))
    assert axe_finds(page) == []
    script = inputs(simulated, "teammate")
    assert "answer" in script[0]
    for t, user_input in enumerate(script[:-2], start=1):
        step(page, user_input, t)
    asked = sum("answer" in each for each in script[:-2])
    assert page.inner_text("#steps") == f"Steps: {len(script) - 2 - asked}; questions: {asked}", "a question is no step"
    page.reload()  # goes on at the same step
    page.wait_for_selector(f"body[data-t='{len(script) - 2}']:is({TURN})")
    with broken(page, f"**/api/rounds/{name}/review", "#review"):
        for t, user_input in enumerate(script[-2:], start=len(script) - 1):
            step(page, user_input, t)
    page.wait_for_selector("#review table")
    assert page.locator("#review tbody tr").all_inner_texts()[:2] == [
        f"the helper with you\t{simulated.cost:g}\t",
        f"if the goal had been known\t{simulated.known_cost:g}\t",
    ]
    assert page.inner_text("#same-walk") == "In every row, your moves are the same."
    assert axe_finds(page) == []
    assert visit.trace(name) == trace_of(simulated)
    page.click("text=Show step by step")
    page.wait_for_selector("#scrub")
    assert page.inner_text("#step").startswith("Step 1 of")
    assert_calm(visit)


def assert_calm(visit: Visit) -> None:
    assert visit.errors == []
    foreign = [url for url in visit.requests if not url.startswith((f"{visit.server.origin}/", "data:"))]
    assert foreign == []


def test_a_first_page_without_an_answer_offers_to_reload(visit: Visit) -> None:
    page = visit.page
    with broken(page, "**/api/library", "#error", status=500):
        page.goto(f"http://{visit.server.host}/")
    with broken(page, "**/api/library/*", "#error"):
        page.check("input[data-name=kitchen]")
    page.wait_for_selector("#goal option:nth-child(2)", state="attached")
    visit.errors.clear()  # the browser itself reports errors of the server


def test_as_the_ego_agent_by_keyboard(visit: Visit) -> None:
    simulated = as_ego("kitchen", "ezq-exact", 5)
    name = visit.begin("kitchen", "ego", 5)
    page = visit.page
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(str(frame))))
    page.reload()
    page.wait_for_selector(TURN)
    assert axe_finds(page) == []
    for t, user_input in enumerate(inputs(simulated, "ego"), start=1):
        step(page, user_input, t)
    page.wait_for_selector("#review table")
    assert visit.trace(name)["cost"] == simulated.cost
    assert "toast" in page.inner_text("#text")
    before_the_end = [frame for frame in sent if '"phase": "over"' not in frame]
    assert len(before_the_end) == len(simulated.steps)
    assert not any(re.search(r'"goal": \d', frame) for frame in before_the_end), "the goal would be there to be read"
    assert_calm(visit)


def test_touch_on_a_narrow_dark_screen(visit: Visit) -> None:
    """Play by taps alone; no element extends beyond the screen."""
    assert visit.context.browser is not None
    state = visit.context.storage_state()
    context = visit.context.browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark", storage_state=state
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"http://{visit.server.host}/")
    page.wait_for_selector("#goal option:nth-child(2)", state="attached")
    assert axe_finds(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.check("input[data-name=kitchen]")
    page.tap("#more summary")
    page.select_option("#method", "never")
    page.tap("button.main")
    page.wait_for_url("**/play/*")
    page.wait_for_selector(TURN)
    page.locator(".target").first.tap(force=True)
    page.wait_for_selector(f"body[data-t='1']:is({TURN})")
    assert axe_finds(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    buttons = page.locator("#now button").all()
    assert all((box := button.bounding_box()) and box["height"] >= 44 for button in buttons), "large enough to hit"
    context.close()


def test_a_second_tab_takes_over_and_gives_back(visit: Visit) -> None:
    visit.begin("coverage", "teammate", 2, method="never")
    first = visit.page
    second = visit.open(first.url)
    second.wait_for_selector(TURN)
    first.wait_for_selector("body[data-line=closed]")
    assert "This round is open in another tab." in first.inner_text("#line")
    second.locator("#moves button").first.click()
    second.wait_for_selector(f"body[data-t='1']:is({TURN})")
    first.click("text=Continue here")
    first.wait_for_selector(f"body[data-line=open][data-t='1']:is({TURN})")
    second.close()
    assert_calm(visit)


def test_a_stopped_round_says_so(visit: Visit) -> None:
    visit.begin("kitchen", "teammate", 2, method="never")
    page = visit.page
    page.on("dialog", lambda dialog: dialog.accept())
    page.keyboard.press(" ")
    page.wait_for_selector(f"body[data-t='1']:is({TURN})")
    assert page.inner_text("#text").startswith("You: stayed. The helper: ")
    page.click("#stop")
    page.wait_for_selector("body[data-phase=over]")
    assert page.inner_text("#text").endswith("You stopped this round. Steps: 1.")
    visit.begin("kitchen", "teammate", 2, method="never")
    page.click("#stop")
    page.wait_for_selector("body[data-phase=over]")
    assert page.inner_text("#text") == "You stopped this round. Steps: 0."
    assert_calm(visit)


def test_a_tick_moves_on_by_itself_and_stops_for_questions(visit: Visit) -> None:
    visit.begin("coverage", "teammate", 2, method="never")
    page = visit.page
    page.click("#pace summary")
    page.select_option("#tick", "500")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_selector("body[data-t='2']")
    page.select_option("#tick", "0")
    assert_calm(visit)


def test_a_server_that_was_killed_is_found_again(visit: Visit) -> None:
    visit.begin("coverage", "teammate", 2, method="never")
    page = visit.page
    page.locator("#moves button").first.click()
    page.wait_for_selector(f"body[data-t='1']:is({TURN})")
    visit.server.kill()
    page.wait_for_selector("body[data-line=broken]")
    page.locator("#moves button").first.click()  # goes on its way when the line is mended
    visit.server.start()
    page.wait_for_selector(f"body[data-line=open][data-t='2']:is({TURN})")
    visit.errors.clear()  # the browser itself reports a line that cannot be opened


def test_names_with_markup_are_only_text(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "hostile.toml"
    file.write_text(HOSTILE)
    page = visit.page
    page.goto(f"http://{visit.server.host}/")
    page.wait_for_selector("#problems input")
    page.set_input_files("#file", file)
    page.wait_for_selector("#about:has-text('onerror')")
    page.check("input[value=ego]")
    page.click("button.main")
    page.wait_for_url("**/play/*")
    page.wait_for_selector(TURN)
    page.locator("#goals input").first.check()
    page.click("#ask")
    page.wait_for_selector("#heard li")
    assert MARKUP in page.inner_text("#heard")
    assert page.locator("#side img, #side b:has-text('ask')").count() == 0
    assert "Playing" in page.title()
    assert_calm(visit)

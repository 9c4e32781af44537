"""A whole study in a real browser, by keyboard alone, and the researcher's page."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from askwise.studio.study.file import PeopleStudy
from tests.browser import browser
from tests.studio.live import Studio, studio
from tests.studio.participants import expected, load, write_study
from tests.studio.scripted import inputs
from tests.studio.test_in_browser import TURN, Visit, assert_calm, axe_finds, broken, step


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study-in-browser")


@pytest.fixture(scope="module")
def study(home: Path) -> PeopleStudy:
    return load(write_study(home))


@pytest.fixture(scope="module")
def server(home: Path, study: PeopleStudy) -> Iterator[Studio]:
    with studio(home / "out", path=home / "study.toml") as started:
        yield started


def press(visit: Visit, *keys: str) -> None:
    for key in keys:
        visit.page.keyboard.press(key)


def proceed(visit: Visit) -> None:
    """Press the screen's button, which follows all fields in the tab order."""
    n = visit.page.get_attribute("body", "data-n")
    visit.page.locator("#next").focus()
    press(visit, "Enter")
    visit.page.wait_for_selector(f"body[data-n='{int(n or 0) + 1}']")


def answer_all(visit: Visit) -> None:
    """Fill in a form: reach the first group by Tab, choose by arrow keys, type texts."""
    for item in visit.page.locator(".item").all():
        if item.locator("textarea").count():
            item.locator("textarea").focus()
            visit.page.keyboard.type("because")
        else:
            item.locator("input").first.focus()
            press(visit, " ", "ArrowRight", "ArrowRight")


def test_from_consent_to_code_by_keyboard(server: Studio, study: PeopleStudy) -> None:
    with browser() as chromium:
        researcher = Visit(chromium, server, viewport={"width": 1366, "height": 768}, permissions=["clipboard-write"])
        researcher.page.wait_for_selector("#join:has-text('/join/')")
        assert axe_finds(researcher.page) == []
        join = researcher.page.inner_text("#join").replace("...", "A1")
        visit = Visit(chromium, server, address=join, viewport={"width": 390, "height": 844}, color_scheme="dark")
        page = visit.page
        page.wait_for_selector("body[data-kind=consent]")
        assert page.inner_text("h1") == "Help <b>wanted</b>"
        assert axe_finds(page) == []
        with broken(page, "**/api/take", "#error"):
            page.reload()
        with broken(researcher.page, "**/api/study", "#said"):
            researcher.page.reload()
        researcher.page.wait_for_selector("#join:has-text('/join/')")
        page.wait_for_selector("body[data-kind=consent]")
        press(visit, "Tab", " ")  # agree
        proceed(visit)
        proceed(visit)
        proceed(visit)
        page.wait_for_selector("body[data-kind=check]")
        page.locator("#item-0-0").focus()
        press(visit, " ")
        page.locator("#item-1-1").focus()
        press(visit, " ")
        proceed(visit)
        cell = _cell(researcher)
        rounds = 0
        while (kind := page.get_attribute("body", "data-kind")) != "end":
            if kind == "round":
                place = int(page.inner_text("#place").split()[1])
                page.locator("#play").focus()
                press(visit, "Enter")
                page.wait_for_url("**/play/*")
                page.wait_for_selector(TURN)
                for t, user_input in enumerate(inputs(expected(study, 1, cell, place - 1), "teammate"), start=1):
                    step(page, user_input, t)
                assert page.locator("#review table").count() == 0, "people are not told what is compared"
                rounds += 1
                page.locator("#onward").focus()
                press(visit, "Enter")
                page.wait_for_url("**/take")
                page.wait_for_selector(f"body[data-kind]:not([data-kind=round]), body[data-n='{place}']")
            else:
                answer_all(visit)
                proceed(visit)
        assert rounds == 3
        assert page.inner_text("#code") == "C0DE"
        assert axe_finds(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert_calm(visit)
        check_researchers_page(researcher)
        assert_calm(researcher)


def check_researchers_page(researcher: Visit) -> None:
    """Check links, people, stopping, re-admission and export on the researcher's page, wide and on a phone."""
    page = researcher.page
    assert page.url.endswith("/study"), "where the link of a study leads"
    page.wait_for_selector("#people td:has-text('finished')")
    assert page.inner_text("h2 >> nth=0") == "Invite people"
    assert page.locator("main code").first.get_attribute("id") == "join", "the participants' link comes first"
    page.click("#pilot + .copy")
    page.wait_for_selector("#pilot + .copy:has-text('Copied')")
    assert page.inner_text("#endings code >> nth=1") == "https://panel.example/done?cc=C0DE", "the code is filled in"
    assert page.inner_text("#join-how").endswith(" until you run the studio on a server.")
    assert page.inner_text("#state") == "Participants: 1 finished."
    page.click("#pause")
    page.wait_for_selector("#state-title:has-text('The study is stopped')")
    page.click("#pause")
    page.wait_for_selector("#state-title:has-text('The study is open')")
    joined = researcher.context.request.get(page.inner_text("#join").replace("...", "B2"))
    assert joined.ok
    page.wait_for_selector("#people td:has-text('Consent (step 1 of 12)')")
    page.fill("#again-who", "b2")
    page.press("#again-who", "Enter")
    page.wait_for_selector("#said:has-text('Person 2 may continue once from another browser')")
    page.wait_for_selector("#people td:has-text('may continue in another browser')")
    page.click("#export")
    with page.expect_download() as download:
        page.click("#exported a")
    with zipfile.ZipFile(download.value.path()) as archive:
        assert {"export/people.csv", "export/codebook.csv", "export/rounds.parquet"} <= set(archive.namelist())
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert axe_finds(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for address in ("/", "/explore"):
        page.goto(f"http://{researcher.server.host}{address}")
        page.wait_for_selector("nav a[href='/study']:visible")


def _cell(researcher: Visit) -> int:
    found = researcher.context.request.get(f"http://{researcher.server.host}/api/study").json()
    return int(found["people"][0]["cell"])

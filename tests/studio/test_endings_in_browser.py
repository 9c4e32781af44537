"""People in a browser who decline, leave, fail the check or choose another language: the texts, codes and links.

`Taker` takes part in any way; `tests.torture.test_ten_people` uses it for whole studies. With
``ASKWISE_SCREENSHOTS=FOLDER``, a picture of each screen that is looked at is written to that folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from askwise.studio.study.file import PeopleStudy
from tests.browser import browser
from tests.studio.live import EXAMPLES, Studio, studio
from tests.studio.participants import TINY, expected, load
from tests.studio.scripted import inputs
from tests.studio.test_in_browser import KEYS, TURN, Visit, assert_calm, axe_finds

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STUDY = """
format = "askwise/people-study@1"
name = "Two in a kitchen"
seed = 11
role = "teammate"
design = "within"
rounds = 1
problems = ["kitchen.toml", "tiny.toml"]
languages = ["en", "de"]
consent = "You make a dish in a kitchen. It takes five minutes. You can stop at any time."
instructions = ["Only you know the dish. Go to its square.", "A helper watches you and may ask. Answer truthfully."]

[check]
tries = 2
questions = [{text = "Who knows the dish?", options = ["Only I", "The helper too"], right = "Only I"}]

[practice]
rounds = 1
problem = "tiny"
condition = "quiet"

[conditions.curious]
method = "baseline"

[conditions.quiet]
method = "never"

[[questionnaires]]
use = "workload"
when = "after each condition"

[[questionnaires]]
use = "fluency"

[[questionnaires]]
name = "you"
title = "About you"
items = [
  {name = "cooking", text = "How often do you cook?", options = ["often", "rarely"]},
  {name = "remarks", text = "Any remarks?", kind = "text", optional = true},
]

[panel]
service = "prolific"
store = "plain"

[completion]
code = "DONE1"
link = "https://panel.example/submit?cc={code}&who={id}"
screened_out_code = "OUT2"
left_code = "LEFT3"
declined_code = "NO4"
declined_link = "https://panel.example/return"

[texts.de.study]
name = "Zu zweit in der Küche"
consent = "Sie bereiten in einer Küche ein Gericht zu. Das dauert fünf Minuten. Sie können jederzeit aufhören."
instructions = ["Nur Sie kennen das Gericht. Gehen Sie zu seinem Quadrat.", "Ein Helfer sieht zu und darf fragen."]
check.1 = {text = "Wer kennt das Gericht?", options = ["Nur ich", "Auch der Helfer"]}
questionnaires.you.title = "Über Sie"
questionnaires.you.cooking = {text = "Wie oft kochen Sie?", options = ["oft", "selten"]}
questionnaires.you.remarks.text = "Haben Sie Anmerkungen?"

[texts.de.word]
cook = "Köchin"
helper = "Helfer"
dish = "Gericht"
soup = "Suppe"
pie = "Kuchen"
juice = "Saft"
salad = "Salat"
left = "links"
right = "rechts"
"""
SCREENSHOTS = os.environ.get("ASKWISE_SCREENSHOTS")
WIDE: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ten")


@pytest.fixture(scope="module")
def study(folder: Path) -> PeopleStudy:
    (folder / "kitchen.toml").write_bytes((EXAMPLES / "kitchen.toml").read_bytes())
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return load(folder / "study.toml")


@pytest.fixture(scope="module")
def server(folder: Path, study: PeopleStudy) -> Iterator[Studio]:
    with studio(folder / "out", path=folder / "study.toml") as started:
        yield started


class Taker:
    """A participant with a browser.

    Args:
        chromium: the browser.
        researcher: the researcher's visit, which knows the link and the assigned orders.
        study: the study.
        number: the number of the person, from 1, in the order of arrival.
        how: how the person acts: ``keys``, ``taps`` or ``clicks``.
        look: whether every screen is checked with axe, and for its width.
        reload: whether every screen is reloaded.
        options: further options of the browser's context.
    """

    def __init__(
        self, chromium: Browser, researcher: Visit, study: PeopleStudy, number: int, how: str = "clicks", *,
        look: bool = False, reload: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        self.researcher, self.study, self.number = researcher, study, number
        self.how, self.look, self.reload = how, look, reload
        join = overview(researcher)["join"].replace("{{%PROLIFIC_PID%}}", f"Person{number}")
        self.visit = Visit(chromium, researcher.server, address=join, **(options or WIDE))
        self.page: Page = self.visit.page
        self.n = 0
        self.kinds: list[str] = []
        self.hints = 0  # keys that were shown while playing
        self.arrive()

    @property
    def cell(self) -> int:
        people = overview(self.researcher)["people"]
        return int(next(each["cell"] for each in people if each["number"] == self.number))

    @property
    def kind(self) -> str:
        return self.page.get_attribute("body", "data-kind") or ""

    def arrive(self) -> None:
        """Wait for the next screen, and look at it."""
        self.page.wait_for_selector(f"body[data-n='{self.n}'] #content > *")
        self.kinds.append(self.kind)
        if self.reload:
            self.page.reload()
            self.page.wait_for_selector(f"body[data-n='{self.n}'][data-kind={self.kinds[-1]}] #content > *")
        self.seen(f"{len(self.kinds):02}-{self.kinds[-1]}")

    def seen(self, name: str) -> None:
        width = self.page.viewport_size["width"] if self.page.viewport_size else 0
        if self.look:
            assert axe_finds(self.page) == [], name
            assert self.page.evaluate("document.documentElement.scrollWidth") <= width, name
        if SCREENSHOTS and self.look:
            language = self.page.get_attribute("html", "lang")
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            path = Path(SCREENSHOTS) / f"{self.number:02}-{language}-{width}-{name}.png"
            self.page.screenshot(path=path, full_page=True)

    def press(self, selector: str) -> None:
        """Press an element as this person does."""
        found = self.page.locator(selector).first
        if self.how == "keys":
            found.focus()
            self.page.keyboard.press(" " if found.get_attribute("type") in ("radio", "checkbox") else "Enter")
        elif self.how == "taps":
            found.tap()
        else:
            found.click()

    def proceed(self) -> None:
        self.press("#next")
        self.n += 1
        self.arrive()

    def agree(self) -> None:
        self.press("#next")
        self.page.wait_for_selector("#error:not(:empty)")
        self.seen("not-agreed")
        assert [error for error in self.visit.errors if "400" not in error] == []
        self.visit.errors.clear()  # the refusal
        self.press("#agreed")
        self.proceed()

    def check(self, option: int = 0) -> None:
        self.press("#next")
        self.page.wait_for_selector(".item.unanswered")
        assert self.page.evaluate("document.activeElement.id") == "item-0-0", "at the first question without an answer"
        self.seen("unanswered")
        self.visit.errors.clear()  # the refusal
        self.press(f"#item-0-{option}")
        assert self.page.locator(".item.unanswered").count() == 0
        assert self.page.inner_text("#error") == "", "the mark vanishes with the answer"
        self.proceed()

    def fill(self) -> None:
        """Fill in a questionnaire; sliders by keys, by touch or by mouse."""
        for item in self.page.locator(".item").all():
            if item.locator("textarea").count():
                item.locator("textarea").fill("=1+1")
            elif item.locator(".slider").count():
                slider = item.locator(".slider")
                slider.focus() if self.how == "keys" else self.press(f"#{slider.get_attribute('id')}")
                if self.how == "keys":
                    self.page.keyboard.press("ArrowRight")
                assert slider.get_attribute("data-answered") == "yes"
            else:
                self.press(f"#{item.locator('input').nth(1).get_attribute('id')}")
        self.proceed()

    def play(self) -> None:
        """Play a round like ``urop``; look at it at the start, at the first question and at the end."""
        place = int("".join(c for c in self.page.inner_text("#place").split()[1] if c.isdigit()))
        self.press("#play")
        self.page.wait_for_url("**/play/*")
        self.page.wait_for_selector(TURN)
        self.hints += self.page.locator("kbd:visible").count()
        self.seen(f"{place:02}-play")
        asked = False
        for t, entered in enumerate(
            inputs(expected(self.study, self.number, self.cell, place - 1), "teammate"), start=1
        ):
            if "answer" in entered and not asked:
                asked = True
                self.seen(f"{place:02}-question")
            if self.reload and t == 2:
                self.page.reload()
                self.page.wait_for_selector(f"body[data-t='{t - 1}']:is({TURN})")
            self.act(entered)
            self.page.wait_for_selector(f"body[data-t='{t}']:is({TURN})")
        self.seen(f"{place:02}-over")
        self.press("#onward")
        self.page.wait_for_url("**/take")
        self.n += 1
        self.arrive()

    def act(self, entered: dict[str, Any]) -> None:
        if "answer" in entered:
            key = "y" if entered["answer"] else "n"
            self.page.keyboard.press(key) if self.how == "keys" else self.press(f"#question [data-key={key}]")
        elif self.how == "keys":
            self.page.keyboard.press(KEYS[entered["move"]])
        else:
            self.press(f"#moves [data-move={entered['move']}]")

    def leave(self) -> None:
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.press("#leave")
        self.page.wait_for_selector("body[data-kind=gone]")
        self.seen("gone")

    def finish(self) -> None:
        """Take part until the end."""
        steps: dict[str, Callable[[], None]] = {
            "consent": self.agree, "text": self.proceed, "check": self.check, "round": self.play, "form": self.fill,
        }  # fmt: skip
        while self.kind in steps:
            steps[self.kind]()

    def ended(self, code: str) -> None:
        """Check the code, and leave."""
        assert self.page.inner_text("#code") == code
        assert_calm(self.visit)
        self.visit.context.close()


def overview(researcher: Visit) -> dict[str, Any]:
    found: dict[str, Any] = researcher.context.request.get(f"{researcher.server.origin}/api/study").json()
    return found


def failing(taker: Taker) -> None:
    """Fail the check twice; after the first time, the instructions are open again."""
    taker.agree()
    taker.proceed()
    taker.proceed()
    taker.check(1)
    assert taker.page.get_attribute("#instructions", "open") is not None, "back to the instructions"
    taker.check(1)
    assert "Thank you" in taker.page.inner_text("#content")
    back = taker.page.get_attribute("#panel", "href")
    assert back == "https://app.prolific.com/submissions/complete?cc=OUT2", "the usual link of the service"
    taker.ended("OUT2")


def leaving(taker: Taker) -> None:
    """Leave after the consent."""
    taker.agree()
    taker.leave()
    taker.ended("LEFT3")


def declining(taker: Taker) -> None:
    """Decline, and get back to the panel."""
    taker.leave()
    assert taker.page.get_attribute("#panel", "href") == "https://panel.example/return"
    taker.ended("NO4")


def speak_german(taker: Taker) -> None:
    """Choose German."""
    taker.page.select_option("#language", "de")
    taker.page.wait_for_selector("h1:has-text('Zu zweit')")
    taker.seen("consent")


def test_who_does_not_finish_gets_thanks_and_an_own_code(server: Studio, study: PeopleStudy) -> None:
    with browser() as chromium:
        researcher = Visit(chromium, server, **WIDE)
        failing(Taker(chromium, researcher, study, 1, look=True))
        leaving(Taker(chromium, researcher, study, 2, "keys"))
        declining(Taker(chromium, researcher, study, 3, "taps", look=True, **PHONE))
        german = Taker(chromium, researcher, study, 4, "taps", look=True, **PHONE)
        speak_german(german)
        assert german.page.inner_text("#leave") == "Ich möchte nicht teilnehmen"
        german.agree()
        german.leave()
        assert german.page.inner_text("h1") == "Vielen Dank"
        german.ended("LEFT3")
        ends = [each["end"] for each in overview(researcher)["people"]]
        assert ends == ["check not passed", "left", "declined", "left"]
        unknown = researcher.context.request.get(overview(researcher)["join"].partition("?")[0], max_redirects=0)
        assert (unknown.status, "PROLIFIC_PID is missing" in unknown.text()) == (403, True)

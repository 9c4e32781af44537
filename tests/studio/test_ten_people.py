"""Ten people take part in a counterbalanced study, each in a browser and in their own way; every screen is checked.

With ``ASKWISE_SCREENSHOTS=FOLDER``, a picture of each screen is written to that folder.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
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
"""
SCREENSHOTS = os.environ.get("ASKWISE_SCREENSHOTS")
WIDE: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> PeopleStudy:
    folder = tmp_path_factory.mktemp("ten")
    (folder / "kitchen.toml").write_bytes((EXAMPLES / "kitchen.toml").read_bytes())
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return load(folder / "study.toml")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, study: PeopleStudy) -> Iterator[Studio]:
    folder = next(tmp_path_factory.getbasetemp().glob("ten*"))
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
            self.page.wait_for_selector(f"body[data-n='{self.n}'][data-kind={self.kind}] #content > *")
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
        self.press(f"#item-0-{option}")
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
    found: dict[str, Any] = researcher.context.request.get(f"http://{researcher.server.host}/api/study").json()
    return found


def test_ten_people(server: Studio, study: PeopleStudy) -> None:
    with browser() as chromium:
        researcher = Visit(chromium, server, **WIDE)

        def taker(number: int, how: str = "clicks", **options: Any) -> Taker:
            return Taker(chromium, researcher, study, number, how, **options)

        keyboard = taker(1, "keys", look=True)
        keyboard.finish()
        assert keyboard.page.get_attribute("#panel", "href") == "https://panel.example/submit?cc=DONE1&who=Person1"
        keyboard.ended("DONE1")

        phone = taker(2, "taps", look=True, **PHONE)
        phone.finish()
        phone.ended("DONE1")

        reloading = taker(3, reload=True)
        reloading.finish()
        assert reloading.kinds == keyboard.kinds
        reloading.ended("DONE1")

        failing = taker(4, look=True)
        failing.agree()
        failing.proceed()
        failing.proceed()
        failing.check(1)
        assert failing.page.get_attribute("#instructions", "open") is not None, "back to the instructions"
        failing.check(1)
        assert "Thank you" in failing.page.inner_text("#content")
        failing.ended("OUT2")

        leaving = taker(5, look=True)
        leaving.agree()
        leaving.leave()
        leaving.ended("LEFT3")

        declining = taker(6, look=True, **PHONE)
        declining.leave()
        assert declining.page.get_attribute("#panel", "href") == "https://panel.example/return"
        declining.ended("NO4")

        german = taker(7, look=True, **PHONE)
        german.page.select_option("#language", "de")
        german.page.wait_for_selector("h1:has-text('Zu zweit')")
        german.seen("consent")
        german.finish()
        german.ended("DONE1")

        again = taker(8, "keys")
        again.agree()
        again.proceed()
        again.proceed()
        again.check(1)
        again.finish()
        again.ended("DONE1")

        for number in (9, 10):
            usual = taker(number, "taps", color_scheme="dark", **PHONE)
            usual.finish()
            usual.ended("DONE1")

        check_data(researcher, study)
        assert_calm(researcher)


def check_data(researcher: Visit, study: PeopleStudy) -> None:
    """Check that everything that the ten people did is in the export."""
    host = researcher.server.host
    found = researcher.context.request.post(
        f"http://{host}/api/study/export", data={}, headers={"Origin": f"http://{host}"}
    )
    assert found.ok, found.text()

    def rows(name: str) -> list[dict[str, str]]:
        with (researcher.server.out / "export" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    ends = {4: "check not passed", 5: "left", 6: "declined"}
    assert [row["end"] for row in rows("people")] == [ends.get(k, "finished") for k in range(1, 11)]
    assert [row["language"] for row in rows("people")] == ["de" if k == 7 else "en" for k in range(1, 11)]
    cells = Counter(row["cell"] for row in rows("people") if row["end"] == "finished")
    assert max(cells.values()) - min(cells.values()) <= 1
    assert len(cells) == 4
    played = [row for row in rows("rounds") if row["finished"] == "true"]
    assert Counter(row["person"] for row in played) == {str(k): 3 for k in range(1, 11) if k not in ends}
    counted = Counter((row["person"], row["condition"]) for row in played if row["practice"] == "false")
    assert set(counted.values()) == {1}
    answers = [row for row in rows("answers") if row["item"] in ("mental", "smooth", "cooking")]
    assert Counter(row["person"] for row in answers) == {str(k): 4 for k in range(1, 11) if k not in ends}
    assert {row["answer"] for row in answers if row["item"] == "cooking"} == {"rarely"}, "in one language"
    assert all(float(row["seconds"]) >= 0 for row in [*answers, *rows("inputs"), *rows("pages")])

"""Ten people take part in a counterbalanced study, each in a browser and in their own way; every screen is checked."""

from __future__ import annotations

import csv
from collections import Counter
from typing import Any

from askwise.studio.study.file import PeopleStudy
from tests.browser import browser
from tests.studio.live import Studio
from tests.studio.test_endings_in_browser import (
    PHONE,
    WIDE,
    Taker,
    declining,
    failing,
    folder,
    leaving,
    server,
    speak_german,
    study,
)
from tests.studio.test_in_browser import Visit, assert_calm

__all__ = ["folder", "server", "study"]  # fixtures


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
        assert phone.hints == 0
        phone.ended("DONE1")

        reloading = taker(3, reload=True)
        reloading.finish()
        assert reloading.kinds == keyboard.kinds
        reloading.ended("DONE1")

        failing(taker(4, look=True))
        leaving(taker(5, look=True))
        declining(taker(6, look=True, **PHONE))

        german = taker(7, look=True, **PHONE)
        speak_german(german)
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

"""Totals, shares, tables and the report of an audit, from steps made by hand."""

from __future__ import annotations

import csv
import dataclasses
import html
import io
import json
import math

import pytest

from askwise.audits.page import MOST_EPISODES, page_text
from askwise.audits.results import Audit, AuditedEpisode, AuditedStep, csv_text, failure, to_text


def step(
    t: int, *, asked: bool, needed: bool, fitted: bool | None = None, regret: float = 0.0, fault: str = ""
) -> AuditedStep:
    done, best = ("Is it A?", "Wait") if asked else ("Wait", "Is it A?")
    cost = regret + 1.0
    return AuditedStep(t, "A 50 %, B 50 %", done, asked, cost, best, needed, 1.0, regret, needed, fitted, fault)


GOOD = AuditedEpisode(
    "one.json",
    "good",
    "optimal, exact",
    1e-6,
    (
        step(1, asked=True, needed=True, fitted=True),
        step(2, asked=True, needed=False, fitted=True, regret=0.25, fault="wrong question"),
        step(3, asked=False, needed=False),
    ),
)
BAD = AuditedEpisode(
    "two <b>.json",
    "bad",
    "planner, the best that it found",
    0.05,
    (
        step(1, asked=False, needed=True, regret=2.0, fault="under-asking"),
        step(2, asked=True, needed=False, fitted=False, regret=0.5, fault="over-asking"),
        step(3, asked=False, needed=False, regret=0.125, fault="wrong act"),
        step(4, asked=False, needed=True, regret=0.5, fault="under-asking"),
    ),
)
BOTH = Audit((GOOD, BAD))
NOTHING = Audit((AuditedEpisode("none.json", "still", "optimal, exact", 1e-6, ()),))
LOST = Audit(
    (dataclasses.replace(GOOD, steps=(step(1, asked=False, needed=False, regret=math.inf, fault="wrong act"),)),)
)


def test_sums_and_shares() -> None:
    assert (BOTH.steps, BOTH.questions, BOTH.needed) == (7, 3, 3)
    assert (BOTH.regret, BOTH.mean_regret) == (3.375, 1.6875)
    assert BOTH.precision == pytest.approx(2 / 3)
    assert BOTH.recall == pytest.approx(1 / 3)
    assert BOTH.f1 == pytest.approx(4 / 9)
    counts = {name: (each.count, each.regret) for name, each in BOTH.faults.items()}
    assert counts == {
        "over-asking": (1, 0.5),
        "under-asking": (2, 2.5),
        "wrong question": (1, 0.25),
        "wrong act": (1, 0.125),
    }
    assert sum(regret for _, regret in counts.values()) == BOTH.regret


def test_shares_of_nothing() -> None:
    assert all(math.isnan(share) for share in (NOTHING.precision, NOTHING.recall, NOTHING.f1))
    never = Audit((dataclasses.replace(BAD, steps=BAD.steps[:1]),))
    assert math.isnan(never.precision)
    assert (never.recall, math.isnan(never.f1)) == (0.0, True)
    wrong = Audit((dataclasses.replace(BAD, steps=BAD.steps[:2]),))
    assert (wrong.precision, wrong.recall, wrong.f1) == (0.0, 0.0, 0.0)


def test_the_dearest_come_first() -> None:
    found = [(dear.episode.source, dear.step.t) for dear in BOTH.costliest(3)]
    assert found == [("two <b>.json", 1), ("two <b>.json", 2), ("two <b>.json", 4)]
    assert len(BOTH.costliest()) == 5
    assert NOTHING.costliest() == []
    assert LOST.costliest()[0].step.regret == math.inf


def test_a_goal_out_of_reach_is_counted_and_left_out_of_sums() -> None:
    assert (LOST.out_of_reach, LOST.regret) == (1, 0.0)
    assert LOST.exceeds(1e9)
    assert "out of reach  1 step with infinite regret, not in the totals\n" in to_text(LOST)
    assert LOST.as_json()["costliest"][0]["regret"] is None
    assert (BOTH.exceeds(1.6875), BOTH.exceeds(1.68)) == (False, True)
    assert failure(LOST, 1e9) == "failed: 1 step put a possible goal out of reach"
    assert failure(BOTH, 1.6875) is None
    assert failure(BOTH, 1.68) == "failed: the mean regret per episode is 1.688; at most 1.68 is allowed"


def test_results_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        BOTH.episodes = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        GOOD.steps[0].regret = 1.0  # type: ignore[misc]
    assert repr(BOTH) == "<Audit: 2 episodes, 7 steps, regret 3.375>"


TEXT = """\
episodes      2
steps         7
judge         optimal, exact; planner, the best that it found
regret        3.375 in total, 1.688 per episode
precision     0.6667 (asking was right at 2 of 3 questions asked)
recall        0.3333 (it asked at 1 of 3 moments that called for a question)
F1            0.4444

mistake            steps    regret
over-asking            1       0.5
under-asking           2       2.5
wrong question         1      0.25
wrong act              1     0.125

method  episodes  regret each  over  under  precision  recall
good           1         0.25     0      0          1       1
bad            1        3.125     1      2          0       0

Costliest decisions
  1. 2, under-asking: two <b>.json, step 1, by bad
     knew  A 50 %, B 50 %
     did   Wait (3)
     best  Is it A? (1)
"""


def test_in_words() -> None:
    assert to_text(BOTH, 1) == TEXT
    assert str(BOTH).startswith(TEXT)
    assert to_text(NOTHING).endswith("\nNothing was lost.\n")
    assert "Costliest" not in to_text(BOTH, 0)


def test_as_json() -> None:
    found = json.loads(json.dumps(BOTH.as_json(2), allow_nan=False))
    assert (found["episodes"], found["regret"], found["mistakes"]["under-asking"]) == (
        2,
        3.375,
        {"count": 2, "regret": 2.5},
    )
    assert list(found["methods"]) == ["good", "bad"]
    assert [each["t"] for each in found["costliest"]] == [1, 2]
    assert [each["regret"] for each in found["audited"]] == [0.25, 3.125]
    assert json.loads(json.dumps(NOTHING.as_json(), allow_nan=False))["precision"] is None


def test_as_a_table() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(BOTH))))
    assert len(rows) == 7
    assert rows[0]["fitted"] == "true"
    assert rows[2]["fitted"] == ""
    assert math.fsum(float(row["regret"]) for row in rows) == BOTH.regret


def test_the_report_shows_the_dearest_first_and_escapes_names() -> None:
    page = page_text(BOTH)
    assert "<b>.json" not in page
    assert html.escape("two <b>.json") in page
    order = [page.index(f'id="{name}"') for name in ("costliest", "sums", "methods", "episodes", "meaning")]
    assert order == sorted(order)
    assert "http" not in page
    assert "Nothing was lost" in page_text(NOTHING)
    assert "out of reach" in page_text(LOST)


def test_the_report_of_many_episodes_lists_the_dearest() -> None:
    many = Audit((*(dataclasses.replace(GOOD, source=f"{k}.json") for k in range(MOST_EPISODES)), BAD))
    page = page_text(many)
    assert f"The {MOST_EPISODES} costliest of {MOST_EPISODES + 1}." in page
    assert f"{MOST_EPISODES - 1}.json" not in page

"""The state of a study for the researcher's page: links, conditions and their balance, and where each person is."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any
from urllib.parse import quote

from askwise.studio.study.file import DECLINED, FAILED_CHECK, FINISHED, LEFT
from askwise.studio.study.flow import CONSENT, FORM, ROUND, Screen, title_of
from askwise.studio.study.people import Participant, People

IN_PROGRESS, INACTIVE = "in progress", "inactive"
WORDS = {
    FINISHED: "finished",
    FAILED_CHECK: "failed the check",
    LEFT: "left",
    DECLINED: "declined",
    IN_PROGRESS: "in progress",
    INACTIVE: "inactive",
}
"""How a participation ended or stands, as the page says it, in the order of its summary."""


def links(people: People, public: str) -> dict[str, str]:
    """Return the address of the study for participants (``join``) and for pilots (``pilot``).

    Args:
        people: the people of the study.
        public: the address of the studio, such as ``https://lab.example.org``.
    """
    study = people.study
    known = study.parameter and study.placeholder
    parameter = f"?{study.parameter}={study.placeholder}" if known else ""
    return {"join": f"{public}/join/{people.token}{parameter}", "pilot": f"{public}/join/{people.pilot_token}"}


def overview(people: People, public: str) -> dict[str, Any]:
    """Return the data that the researcher's page shows, as JSON. Only ``people`` includes pilots (test runs).

    A panel is a service that recruits people. A cell is an order of conditions and problems. Keys:

    - ``name``, ``design``, ``paused``: name and design of the study, and whether it is paused;
    - ``join``, ``pilot``: the addresses for participants and for pilots;
    - ``panel``, ``adds``: whether a panel sends identifiers; the address parameter that it adds to the link by itself;
    - ``endings``: dicts with ``end`` (how participation ended), ``code`` and ``link`` (back to the panel);
    - ``summary``: the number of people by state, such as ``finished`` or ``inactive``;
    - ``conditions``: dicts with ``name``, and the numbers of people ``finished`` and ``in progress``;
    - ``orders``: for each cell, a dict with ``order`` (names of conditions), ``first`` (the first problem; None if the
      study has only one), and the numbers of people ``finished`` and ``in progress``;
    - ``counts``: the number of people in each cell, without those who dropped out;
    - ``people``: a dict for each person: number, state, present screen, minutes and so on.

    Args:
        people: the people of the study.
        public: the address of the studio.
    """
    study = people.study
    rows = [_row(people, row, time.time()) for row in people.rows()]
    counted = [row for row in rows if not row["pilot"]]
    states = Counter(row["state"] for row in counted)
    stand = {
        key: Counter(row["cell"] for row in counted if row["state"] == WORDS[key]) for key in (FINISHED, IN_PROGRESS)
    }
    problems = list(study.problems)
    orders = [
        {
            "order": [study.conditions[k].name for k in cell.order],
            "first": problems[cell.rotation % len(problems)] if len(problems) > 1 else None,
            **{key: found[number] for key, found in stand.items()},
        }
        for number, cell in enumerate(people.cells)
    ]
    return {
        "name": study.name,
        "design": study.design,
        "paused": people.paused,
        **links(people, public),
        "adds": study.parameter if not study.placeholder else "",
        "endings": [
            {"end": WORDS[end], "code": code, "link": link.replace("{code}", quote(code, safe=""))}
            for end, (code, link) in study.endings.items()
            if code or link
        ],
        "summary": {word: states[word] for word in WORDS.values() if states[word]},
        "conditions": [_condition(each.name, orders) for each in study.conditions],
        "orders": orders,
        "counts": people.counts(),
        "people": rows,
        "panel": bool(study.parameter),
    }


def _condition(name: str, orders: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the numbers of people who play a condition: those who have finished, and those in progress.

    The keys are ``name``, ``finished`` and ``in progress``.

    Args:
        name: the name of the condition.
        orders: for each cell, a dict with ``order`` (names of conditions) and the numbers of people ``finished`` and
            ``in progress``.
    """
    meeting = [each for each in orders if name in each["order"]]
    return {"name": name, **{key: sum(each[key] for each in meeting) for key in (FINISHED, IN_PROGRESS)}}


def _row(people: People, row: tuple[Any, ...], now: float) -> dict[str, Any]:
    name, number, pilot, panel, cell, came, seen, end, left, awaited = row
    way = people.screens_of(Participant(name, number, bool(pilot), cell, end))
    active = now - seen < 60 * people.study.gone_after
    return {
        "number": number,
        "pilot": bool(pilot),
        "panel": panel if people.study.stored == "plain" else None,
        "known": panel is not None,
        "cell": cell,
        "end": end,
        "state": WORDS[end or (IN_PROGRESS if active else INACTIVE)],
        "where": "" if end == FINISHED else f"{_where(people, way[left])} (step {left + 1} of {len(way)})",
        "minutes": round((seen - came) / 60, 1),
        "idle": round((now - seen) / 60, 1),
        "awaited": bool(awaited),
    }


def _where(people: People, screen: Screen) -> str:
    """Return the words for a screen: its title and, for a round or a questionnaire, condition and problem."""
    study = people.study
    title = "Consent" if screen.kind == CONSENT else title_of(study, screen, study.languages[people.default_language])
    about = [] if screen.condition is None or screen.kind not in (ROUND, FORM) else [screen.condition.name]
    if screen.kind == ROUND and len(study.problems) > 1:
        about.append(screen.problem)
    return f"{title}: {', '.join(about)}" if about else title

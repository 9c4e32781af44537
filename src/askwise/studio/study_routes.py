"""The web addresses of a study: the participants' screens, and the researcher's page."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from askwise.errors import InputError
from askwise.studio.app import get_services, json_body, json_handler, not_found_page, page, page_text, set_cookie
from askwise.studio.connections import HOMES
from askwise.studio.security import PARTICIPANT, PILOT, RESEARCHER, Person
from askwise.studio.services import Services
from askwise.studio.study.codebook import EXPORT
from askwise.studio.study.file import DECLINED, FAILED_CHECK, FINISHED, LEFT
from askwise.studio.study.flow import (
    CONSENT,
    END,
    FORM,
    ROUND,
    NotEntered,
    Screen,
    check_entry,
    described,
    instructions_in,
    read_times,
    screen_to_json,
    setup_of,
    title_of,
)
from askwise.studio.study.people import CannotJoin, Participant, People, links
from askwise.studio.study.texts import LANGUAGES
from askwise.text.reading import Field

log = logging.getLogger("askwise.studio")

GOODBYES = {LEFT: "take.left", FAILED_CHECK: "take.screened_out", DECLINED: "take.declined"}
"""The keys of the last text for people who did not finish, by how their participation ended."""
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


def study_routes(people: People, services: Services) -> list[Any]:
    """Return the web server's routes of a study: joining, the participants' screens, and the researcher's page.

    Sets two attributes of `services`: ``in_round``, which adds the study's texts to the page of a round, and
    ``lost_page``, the page for visitors without a valid link.
    """
    handlers = _Handlers(people)
    services.in_round = handlers.in_round
    services.lost_page = handlers.lost
    return [
        Route("/join/{token}", handlers.join),
        *(route for kind in (PARTICIPANT, PILOT) for route in _participant_routes(handlers, kind)),
        Route("/study", page("study")),
        Route("/api/study", json_handler(handlers.overview)),
        Route("/api/study/pause", json_handler(handlers.pause), methods=["POST"]),
        Route("/api/study/again", json_handler(handlers.again), methods=["POST"]),
        Route("/api/study/export", json_handler(handlers.export), methods=["POST"]),
        Route("/study/export.zip", handlers.archive),
    ]


def _participant_routes(handlers: _Handlers, kind: str) -> list[Any]:
    """Return the routes for the screens of participants or of pilots, which have different addresses.

    `kind` is ``participant`` or ``pilot``.
    """
    home = HOMES[kind]
    return [
        Route(home, page("take", kind)),
        Route(f"/api{home}", json_handler(handlers.now, kind)),
        Route(f"/api{home}", json_handler(handlers.entered, kind), methods=["POST"]),
        Route(f"/api{home}/language", json_handler(handlers.spoken, kind), methods=["POST"]),
        Route(f"/api{home}/leave", json_handler(handlers.left, kind), methods=["POST"]),
    ]


class _Handlers:
    """Answers the requests that the pages of a study send: those of participants and those of the researcher.

    Args:
        people: the people of the study.
    """

    def __init__(self, people: People) -> None:
        self.people, self.study = people, people.study
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._exporting = asyncio.Lock()

    def _alone(self, person: Person) -> asyncio.Lock:
        """Return a person's lock, so that simultaneous requests (a reload, a second tab) are processed one by one."""
        return self._busy.setdefault(person.name, asyncio.Lock())

    # -- people ---------------------------------------------------------------------------------------------------

    async def join(self, request: Request) -> Response:
        """Admit the person who follows the link to the study, set a cookie, and redirect to the person's screen.

        A visitor who cannot join gets a page that says why.
        """
        services = get_services(request)
        token = request.path_params["token"]
        if token not in (self.people.token, self.people.pilot_token):
            log.warning("refused a visitor: no such study")
            return self._closed(self._say("link"))
        panel = request.query_params.get(self.study.parameter) if self.study.parameter else None
        pilot = token == self.people.pilot_token
        kind = PILOT if pilot else PARTICIPANT
        try:
            if services.person(request, kind) is not None:
                return RedirectResponse(HOMES[kind], 303)
            _, cookie = await self.people.join(panel, pilot=pilot)
        except CannotJoin as error:
            log.warning("refused a visitor: %s", error)
            return self._closed(str(error))
        answer = RedirectResponse(HOMES[kind], 303)
        set_cookie(answer, request, kind, cookie)
        return answer

    def _say(self, key: str) -> str:
        """Return a text for visitors who have not joined the study, in the study's default language.

        Args:
            key: the key of the text without its prefix ``closed.``: ``link`` for the text ``closed.link``.
        """
        return self.study.languages[self.people.default_language][f"closed.{key}"]

    def lost(self, status: int) -> Response:
        """Return the page for an address that does not exist, or that the visitor may not see.

        `status` is the HTTP status code.
        """
        return self._closed(self._say("page"), status)

    def _closed(self, text: str, status: int = 403) -> Response:
        """Return the page that tells a visitor why taking part is not possible.

        Args:
            text: the reason, in one sentence.
            status: the HTTP status code.
        """
        language = self.people.default_language
        return HTMLResponse(page_text("closed", text, heading=self._say("title"), language=language), status)

    def in_round(self, person: Person, name: str) -> dict[str, Any]:
        """Return the texts that a study adds to the page of the round `name`; an empty dict if no participant plays it.

        Keys: ``texts`` (all texts by key, in the person's language), ``language`` (its code), ``heading`` (such as
        "Round 2 of 4") and ``instructions`` (a list of pages).
        """
        try:
            found = self.people.person(person.name)
        except CannotJoin:  # the researcher plays without the study
            return {}
        texts, language = self.people.texts_for(found.id), self.people.language_of(found.id)
        screen = self.people.screens_of(found)[int(name.rpartition("-")[2])]
        heading = title_of(self.study, screen, texts)
        known = {"heading": heading, "instructions": instructions_in(self.study, texts)}
        return {"texts": texts, "language": language, **known}

    async def now(self, _: Request, services: Services, person: Person) -> Any:
        """Return the screen (text, form or round) that the person has reached, as JSON."""
        async with self._alone(person):
            found = self.people.person(person.name)
            await self.people.seen(found)
            return await self._screen(services, person, found)

    async def _screen(self, services: Services, person: Person, found: Participant) -> dict[str, Any]:
        way, entries = self.people.screens_of(found), self.people.entries(found)
        at = sum(leaves for _, _, leaves in entries)
        failed = sum(not leaves for _, _, leaves in entries)
        texts, language = self.people.texts_for(found.id), self.people.language_of(found.id)
        known = {"n": len(entries), "texts": texts, "language": language, "languages": self._languages()}
        if found.end not in (None, FINISHED):
            gone = {"kind": "gone", "title": texts["take.end_title"], "text": texts[GOODBYES[found.end]]}
            return {**gone, **self.people.ending_of(found, found.end), **known}
        if self.people.paused and not found.pilot and way[at].kind != END:
            return {"kind": "paused", "title": texts["take.paused_title"], "text": texts["take.paused"], **known}
        screen = way[at]
        answer = screen_to_json(self.study, screen, texts, tries_left=self.study.tries - failed)
        answer |= {**known, "place": at + 1, "of": len(way), "wrong": bool(entries) and not entries[-1][2]}
        if screen.kind == END:
            answer |= self.people.ending_of(found, FINISHED)
        if screen.kind == ROUND:
            name = await self._round(services, person, found, at)
            answer |= {"round": name, "over": services.room(name, person).end is not None}
        return answer

    def _languages(self) -> dict[str, str]:
        """Return the names of the languages that people can choose from, by code; each name is in its own language."""
        return {code: LANGUAGES.get(code, code) for code in self.study.languages}

    async def spoken(self, request: Request, services: Services, person: Person) -> Any:
        """Store the language that a person has chosen; return the person's present screen in this language, as JSON.

        The body of the request has ``language``, the code of the language.
        """
        given = await json_body(request)
        given.object(["language"], [])
        language = given.child("language").text(self.study.languages)
        async with self._alone(person):
            found = self.people.person(person.name)
            await self.people.speak(found, language)
            return await self._screen(services, person, found)

    async def _round(self, services: Services, person: Person, found: Participant, at: int) -> str:
        screen = self.people.screens_of(found)[at]
        name = f"{found.id}-{at}"
        if not services.store.read("SELECT id FROM rounds WHERE id = ?", (name,)):
            problem = await services.described(self.study.problems[screen.problem])
            setup = setup_of(self.study, screen, (1_000_000 if found.pilot else 0) + found.number, at)
            place = "INSERT INTO places VALUES (?, ?)", (name, json.dumps(described(screen)))
            await services.new_round(person, problem, setup, name, place)
        return name

    async def entered(self, request: Request, services: Services, person: Person) -> Any:
        """Store what the person entered at a screen; return the next screen as JSON.

        The request has ``n`` (the number of the entry, from 0), ``entry`` (the data) and optionally ``times`` (in
        milliseconds). An entry that is sent twice is stored once.
        """
        given = await json_body(request)
        given.object(["n", "entry"], ["times"])
        times = read_times(given.child("times")) if given.has("times") else None
        n = given.child("n").whole(0, 10**6)
        async with self._alone(person):
            return await self._taken(services, person, n, given.child("entry"), times)

    async def _taken(self, services: Services, person: Person, n: int, entry: Field, times: Any) -> Any:
        found = self.people.person(person.name)
        entries = self.people.entries(found)
        at = sum(leaves for _, _, leaves in entries)
        way = self.people.screens_of(found)
        open_for_entries = found.end is None and not (self.people.paused and not found.pilot) and way[at].kind != END
        if n == len(entries) and open_for_entries:
            texts = self.people.texts_for(found.id)
            try:
                data, leaves = check_entry(self.study, way[at], entry, texts)
            except InputError as error:  # nobody who uses the page sees this
                log.warning("refused an entry: %s", error)
                raise NotEntered(texts["take.invalid"]) from None
            data |= described(way[at])
            if way[at].kind == ROUND:
                self._check_over(services, person, f"{found.id}-{at}")
            await self.people.enter(found, n, at, data, leaves=leaves, times=times)
            found = self.people.person(person.name)
        # An entry that is sent twice, or from an outdated tab, changes nothing.
        return await self._screen(services, person, found)

    def _check_over(self, services: Services, person: Person, name: str) -> None:
        if services.room(name, person).end is None:
            raise InputError("round", "an unfinished one", "a finished round")

    async def left(self, _: Request, services: Services, person: Person) -> Any:
        """End the participation of a person who wants to stop; return the screen that says goodbye."""
        await self.people.leave(self.people.person(person.name))
        # Without the lock, so that leaving does not wait for a round that another request is opening.
        return await self._screen(services, person, self.people.person(person.name))

    # -- the researcher -------------------------------------------------------------------------------------------

    async def overview(self, request: Request, services: Services, _: Person) -> Any:
        """Return what the researcher's page shows: the state of the study and the progress of each person, as JSON.

        The module's function `overview` makes the result, and describes its keys.
        """
        return overview(self.people, services.public(request))

    async def pause(self, request: Request, services: Services, person: Person) -> Any:
        """Pause or resume the study; return what the researcher's page then shows.

        The body of the request has ``paused``: true to pause, false to resume. The result has the keys of `overview`,
        such as ``paused`` and ``people``.
        """
        given = await json_body(request)
        given.object(["paused"], [])
        await self.people.pause(given.child("paused").truth())
        return await self.overview(request, services, person)

    async def again(self, request: Request, services: Services, person: Person) -> Any:
        """Allow a participant to continue once from another browser; return the data of `overview`.

        In the request, ``person`` is the participant's number or identifier. The result has the additional key
        ``readmitted``, the participant's number.
        """
        given = await json_body(request)
        given.object(["person"], [])
        who = given.child("person")
        number = await self.people.readmit(who.text() if isinstance(who.value, str) else who.whole(1, 10**9))
        return {**await self.overview(request, services, person), "readmitted": number}

    async def export(self, _: Request, services: Services, __: Person) -> Any:
        """Write all results of the study to files.

        This is possible even while rounds are being played. Returns a dict with ``files``, the names of the files, and
        ``folder``, the folder that has them.
        """
        async with self._exporting:
            return {"files": await asyncio.to_thread(_export, services), "folder": str(_export_folder(services))}

    async def archive(self, request: Request) -> Response:
        """Send the files of the last export to the researcher, as one zip file.

        The HTTP status is 403 if the visitor is not the researcher, and 404 if there was no export.
        """
        services = get_services(request)
        folder = _export_folder(services)
        if services.person(request, RESEARCHER) is None:
            return self.lost(403)
        if not folder.is_dir():
            return await not_found_page(request, LookupError())
        async with self._exporting:
            zipped = await asyncio.to_thread(_zipped, folder)
        headers = {"content-disposition": 'attachment; filename="export.zip"'}
        return Response(zipped, media_type="application/zip", headers=headers)


# -- the state of the study ------------------------------------------------------------------------------------------


def overview(people: People, public: str) -> dict[str, Any]:
    """Return the data that the researcher's page shows, as JSON.

    A pilot is a test participant; only ``people`` includes pilots. A panel is a service that recruits people. A cell is
    an order of conditions and problems. `public` is the address of the studio. Keys:

    - ``name``, ``design``: of the study;
    - ``paused``: whether the study is paused;
    - ``join``, ``pilot``: the links for participants and for pilots;
    - ``panel``: whether a panel sends identifiers;
    - ``adds``: the parameter that the panel adds to ``join``, such as ``PROLIFIC_PID``; empty for none;
    - ``endings``: dicts with ``end`` (how participation ended), ``code`` and ``link`` (back to the panel);
    - ``summary``: the number of participants in each state, such as ``finished``;
    - ``conditions``: dicts with ``name``, ``finished`` and ``in progress`` (numbers of people);
    - ``orders``: for each cell, a dict with ``order`` (conditions), ``first`` (the first problem; None if there is only
      one), ``finished`` and ``in progress``;
    - ``counts``: for each cell, ``finished`` plus ``in progress``;
    - ``people``: for each person, a dict with ``number``, ``pilot``, ``state``, ``end``, ``cell`` (index), ``where``
      (the screen), ``minutes`` (from arrival to the last activity), ``idle`` (minutes since then), ``panel`` (the
      identifier, if stored plainly), ``known`` (whether there is one) and ``awaited`` (whether another browser is
      allowed).
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
    """Return a dict with ``name`` (of a condition), and the numbers of people ``finished`` and ``in progress``.

    `orders` has these numbers for each order of conditions and problems, and ``order`` (names of conditions).
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
    """Return a text that tells the researcher which screen a person has reached, such as "Round 2 of 4: planner".

    After the title come the condition of a round or questionnaire, and the problem if the study has several.
    """
    study = people.study
    title = "Consent" if screen.kind == CONSENT else title_of(study, screen, study.languages[people.default_language])
    about = [] if screen.condition is None or screen.kind not in (ROUND, FORM) else [screen.condition.name]
    if screen.kind == ROUND and len(study.problems) > 1:
        about.append(screen.problem)
    return f"{title}: {', '.join(about)}" if about else title


# -- exports ---------------------------------------------------------------------------------------------------------


def _export(services: Services) -> list[str]:
    from askwise.studio.study.export import export  # here, because polars takes a moment to load

    return export(services.store.path.parent, services.pool.limits.decision)


def _export_folder(services: Services) -> Path:
    return services.store.path.parent.absolute() / EXPORT


def _zipped(folder: Path) -> bytes:
    """Return the files in a folder as the contents of a zip file."""
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            archive.write(path, f"{EXPORT}/{path.relative_to(folder).as_posix()}")
    return contents.getvalue()

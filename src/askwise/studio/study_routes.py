"""The addresses of a study: people's way through it, and the researcher's page."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from askwise.errors import InputError
from askwise.studio.app import CLOSED, answered, body_of, page, page_text, services_of, set_cookie
from askwise.studio.security import PARTICIPANT, PILOT, Person
from askwise.studio.services import Services
from askwise.studio.socket import HOMES
from askwise.studio.study.flow import END, ROUND, described, setup_of, shown, taken_in
from askwise.studio.study.people import NotNow, Participant, People
from askwise.text.reading import Field

log = logging.getLogger("askwise.studio")


def study_routes(people: People) -> list[Any]:
    """Return the routes of a study."""
    desk = _Desk(people)
    return [
        Route("/join/{token}", desk.join),
        *(route for kind in (PARTICIPANT, PILOT) for route in _taking(desk, kind)),
        Route("/study", page("study")),
        Route("/api/study", answered(desk.overview)),
        Route("/api/study/pause", answered(desk.pause), methods=["POST"]),
        Route("/api/study/again", answered(desk.again), methods=["POST"]),
        Route("/api/study/export", answered(desk.export), methods=["POST"]),
    ]


def _taking(desk: _Desk, kind: str) -> list[Any]:
    """Return the routes of people of one kind."""
    home = HOMES[kind]
    return [
        Route(home, page("take", kind)),
        Route(f"/api{home}", answered(desk.now, kind)),
        Route(f"/api{home}", answered(desk.entered, kind), methods=["POST"]),
        Route(f"/api{home}/leave", answered(desk.left, kind), methods=["POST"]),
    ]


class _Desk:
    """What the routes share."""

    def __init__(self, people: People) -> None:
        self.people, self.study = people, people.study
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._exporting = asyncio.Lock()

    def _alone(self, person: Person) -> asyncio.Lock:
        """Return the lock of a person: equal requests (a reload, a second tab) come after each other."""
        return self._busy.setdefault(person.name, asyncio.Lock())

    # -- people ---------------------------------------------------------------------------------------------------

    async def join(self, request: Request) -> Response:
        """Let somebody in; who was here before goes on."""
        services = services_of(request)
        token = request.path_params["token"]
        if token not in (self.people.token, self.people.pilot_token):
            log.warning("refused somebody: no such study")
            return HTMLResponse(CLOSED, 403)
        panel = request.query_params.get(self.study.parameter) if self.study.parameter else None
        pilot = token == self.people.pilot_token
        kind = PILOT if pilot else PARTICIPANT
        try:
            if services.person(request, kind) is not None:
                return RedirectResponse(HOMES[kind], 303)
            _, cookie = await self.people.join(panel, pilot=pilot)
        except NotNow as error:
            log.warning("refused somebody: %s", error)
            return HTMLResponse(page_text("closed", f"Reason: {error}."), 403)
        answer = RedirectResponse(HOMES[kind], 303)
        set_cookie(answer, request, kind, cookie)
        return answer

    async def now(self, _: Request, services: Services, person: Person) -> Any:
        """Return the screen that somebody is at."""
        async with self._alone(person):
            found = self.people.person(person.name)
            await self.people.seen(found)
            return await self._screen(services, person, found)

    async def _screen(self, services: Services, person: Person, found: Participant) -> dict[str, Any]:
        way, entries = self.people.way(found), self.people.entries(found)
        at = sum(leaves for _, _, leaves in entries)
        failed = sum(not leaves for _, _, leaves in entries)
        if found.end not in (None, "finished"):
            over = {"kind": "gone", "title": "The study is over for you", "text": f"Reason: {found.end}."}
            return {**over, "n": len(entries)}
        if self.people.paused and not found.pilot and way[at].kind != END:
            return {"kind": "paused", "title": "The study is paused", "text": "Please wait.", "n": len(entries)}
        screen = way[at]
        answer = shown(self.study, screen, tries_left=self.study.tries - failed)
        answer |= {"n": len(entries), "place": at + 1, "of": len(way), "wrong": bool(entries) and not entries[-1][2]}
        if screen.kind == ROUND:
            name = await self._round(services, person, found, at)
            answer |= {"round": name, "over": services.room(name, person).end is not None}
        return answer

    async def _round(self, services: Services, person: Person, found: Participant, at: int) -> str:
        screen = self.people.way(found)[at]
        name = f"{found.id}-{at}"
        if not services.store.read("SELECT id FROM rounds WHERE id = ?", (name,)):
            problem = await services.described(self.study.problems[screen.problem])
            setup = setup_of(self.study, screen, (1_000_000 if found.pilot else 0) + found.number, at)
            place = "INSERT INTO places VALUES (?, ?)", (name, json.dumps(described(screen)))
            await services.new_round(person, problem, setup, name, place)
        return name

    async def entered(self, request: Request, services: Services, person: Person) -> Any:
        """Take in what somebody did at a screen, once; return the next screen."""
        given = await body_of(request)
        given.object(["n", "entry"], [])
        n = given.child("n").whole(0, 10**6)
        async with self._alone(person):
            return await self._taken(services, person, n, given.child("entry"))

    async def _taken(self, services: Services, person: Person, n: int, entry: Field) -> Any:
        found = self.people.person(person.name)
        entries = self.people.entries(found)
        at = sum(leaves for _, _, leaves in entries)
        way = self.people.way(found)
        open_for_entries = found.end is None and not (self.people.paused and not found.pilot) and way[at].kind != END
        if n == len(entries) and open_for_entries:
            data, leaves = taken_in(self.study, way[at], entry)
            data |= described(way[at])
            if way[at].kind == ROUND:
                self._check_over(services, person, f"{found.id}-{at}")
            await self.people.enter(found, n, at, data, leaves=leaves)
            found = self.people.person(person.name)
        # What is sent twice, or from a tab that is behind, changes nothing.
        return await self._screen(services, person, found)

    def _check_over(self, services: Services, person: Person, name: str) -> None:
        if services.room(name, person).end is None:
            raise InputError("round", "one that goes on", "a round that is over")

    async def left(self, _: Request, services: Services, person: Person) -> Any:
        """End the part of somebody who wants to stop."""
        await self.people.leave(self.people.person(person.name))
        # Without the lock: who leaves need not wait for the round that another request is opening.
        return await self._screen(services, person, self.people.person(person.name))

    # -- the researcher -------------------------------------------------------------------------------------------

    async def overview(self, request: Request, services: Services, _: Person) -> Any:
        """Return who is where."""
        rows = services.store.read(
            "SELECT people.id, number, pilot, panel, cell, came, seen, end, "
            "(SELECT count(*) FROM entries WHERE person = people.id AND leaves) FROM people ORDER BY pilot, number"
        )
        now = time.time()
        return {
            "name": self.study.name,
            "paused": self.people.paused,
            "join": self._address(request, self.people.token),
            "pilot": self._address(request, self.people.pilot_token),
            "counts": self.people.counts(),
            "cells": [
                {"order": [self.study.conditions[k].name for k in cell.order], "rotation": cell.rotation}
                for cell in self.people.cells
            ],
            "people": [self._row(row, now) for row in rows],
        }

    def _address(self, request: Request, token: str) -> str:
        parameter = f"?{self.study.parameter}=..." if self.study.parameter else ""
        return f"{services_of(request).public(request)}/join/{token}{parameter}"

    def _row(self, row: tuple[Any, ...], now: float) -> dict[str, Any]:
        name, number, pilot, panel, cell, came, seen, end, at = row
        way = self.people.way(Participant(name, number, bool(pilot), cell, end))
        return {
            "number": number,
            "pilot": bool(pilot),
            "panel": panel,
            "cell": cell,
            "place": f"{at + 1} of {len(way)}: {way[at].title}",
            "minutes": round((seen - came) / 60, 1),
            "quiet": round((now - seen) / 60, 1),
            "end": end,
        }

    async def pause(self, request: Request, services: Services, person: Person) -> Any:
        """Pause the study, or let it go on."""
        given = await body_of(request)
        given.object(["paused"], [])
        await self.people.pause(given.value["paused"] is True)
        return await self.overview(request, services, person)

    async def again(self, request: Request, services: Services, person: Person) -> Any:
        """Let somebody come in once from another browser."""
        given = await body_of(request)
        given.object(["number"], [])
        await self.people.let_in_again(given.child("number").whole(1, 10**9))
        return await self.overview(request, services, person)

    async def export(self, _: Request, services: Services, __: Person) -> Any:
        """Write all that there is into files beside the store; people's rounds do not wait for it."""
        async with self._exporting:
            return {"files": await asyncio.to_thread(_export, services)}


def _export(services: Services) -> list[str]:
    from askwise.studio.study.export import export  # tables take a moment to load

    return export(services.store.path.parent, services.pool.limits.decision)

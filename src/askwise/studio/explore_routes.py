"""The addresses of the Explore page: a problem that is changed by hand, and what follows from it.

While something is dragged, a page asks many times a second. Of the requests of one tab, one is worked on and the newest
waits for it; those between are answered ``dropped``, and nothing is worked out for them. A sketch that does not hold
together is answered ``refused``, with the field and what is wrong with it; other errors are those of all requests.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from askwise.errors import InputError
from askwise.studio.app import answered, body_of, page
from askwise.studio.security import Person
from askwise.studio.services import Services
from askwise.text.reading import Field

MOST_TABS = 200
LONGEST_TAB = 40


def explore_routes() -> list[Any]:
    """Return the routes of the page."""
    desk = _Desk()
    return [
        Route("/explore", page("explore")),
        Route("/api/explore/start", answered(desk.start)),
        Route("/api/explore/read", answered(desk.read), methods=["POST"]),
        Route("/api/explore/follow", answered(desk.follow), methods=["POST"]),
        Route("/api/explore/file", answered(desk.file), methods=["POST"]),
        Route("/api/explore/suggest", answered(desk.suggest), methods=["POST"]),
    ]


@dataclass
class _Tab:
    """One tab: who is being answered, and the number of its newest request."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    newest: int = 0


class _Desk:
    """What the routes share."""

    def __init__(self) -> None:
        self._tabs: OrderedDict[tuple[str, str, str], _Tab] = OrderedDict()
        self._problems: list[Any] | None = None

    async def start(self, _: Request, services: Services, __: Person) -> Any:
        """Return the methods that may be asked, and the problems that can be opened: number and name."""
        if self._problems is None:
            found = []
            for number, (name, text) in enumerate(services.library.items()):
                if "sketch" in await _asked(services, "read", "read", {"text": text}):
                    found.append([number, name])
            self._problems = found
        return {**await _asked(services, "read", "methods", {}), "problems": self._problems}

    async def read(self, request: Request, services: Services, _: Person) -> Any:
        """Return the sketch of a problem file: ``problem`` is its number in the library, or its text."""
        given = (await body_of(request)).object(["problem"], [])
        chosen = given.child("problem")
        texts = list(services.library.values())
        text = chosen.text() if isinstance(chosen.value, str) else texts[chosen.whole(0, len(texts) - 1)]
        return await _asked(services, "read", "read", {"text": text})

    async def file(self, request: Request, services: Services, _: Person) -> Any:
        """Return the problem file of a sketch."""
        given = await body_of(request)
        return await _asked(services, "file", "file", given.value)

    async def follow(self, request: Request, services: Services, person: Person) -> Any:
        """Return what follows from a sketch."""
        return await self._newest(request, services, person, "follow")

    async def suggest(self, request: Request, services: Services, person: Person) -> Any:
        """Return walls that would help."""
        return await self._newest(request, services, person, "suggest")

    async def _newest(self, request: Request, services: Services, person: Person, what: str) -> Any:
        given = await body_of(request)
        name = _tab_of(given)
        tab = self._tab(person.name, name, what)
        tab.newest += 1
        mine = tab.newest
        async with tab.lock:
            if mine != tab.newest:
                return {"dropped": True}
            rest = {key: value for key, value in given.value.items() if key != "tab"}
            return await _asked(services, f"{what} {name}", what, rest)

    def _tab(self, person: str, name: str, what: str) -> _Tab:
        key = (person, name, what)
        tab = self._tabs.setdefault(key, _Tab())
        self._tabs.move_to_end(key)
        while len(self._tabs) > MOST_TABS:
            self._tabs.popitem(last=False)
        return tab


def _tab_of(given: Field) -> str:
    if not given.has("tab"):
        raise InputError("tab", "nothing", "this key, which is required")
    name = given.child("tab").text()
    if len(name) > LONGEST_TAB or not name.isascii():
        raise given.child("tab").refuse(f"at most {LONGEST_TAB} plain letters")
    return name


async def _asked(services: Services, name: str, what: str, given: Any) -> Any:
    """Return what a worker process answers; what it refuses is an answer too: people draw what does not work yet."""
    reply = await services.pool.reply(name, {"op": "explore", "what": what, "given": given})
    if "explored" in reply:
        return reply["explored"]
    return {"refused": reply.get("refused") or reply.get("failed") or "its process ended: please try again"}

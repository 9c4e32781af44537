"""The web addresses of the Explore page, on which people change a problem by hand and see the results at once.

Requests ``follow`` (for the results) from one browser tab are processed one at a time. The newest waiting one is next;
older ones are answered with ``{"dropped": True}``. The same holds for requests ``suggest`` (for suggested changes).

If the changed problem (the draft) is not valid, the answer says why under ``refused``. Other errors are under
``error``.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from askwise.errors import InputError
from askwise.studio.app import json_body, json_handler, page
from askwise.studio.security import Person
from askwise.studio.services import Services
from askwise.text.reading import Field

MOST_TABS = 200
LONGEST_TAB = 40


def explore_routes() -> list[Any]:
    """Return the routes of the Explore page, on which people change a problem by hand, and of the page's requests."""
    handlers = _Handlers()
    return [
        Route("/explore", page("explore")),
        Route("/api/explore/start", json_handler(handlers.start)),
        Route("/api/explore/read", json_handler(handlers.read), methods=["POST"]),
        Route("/api/explore/follow", json_handler(handlers.follow), methods=["POST"]),
        Route("/api/explore/file", json_handler(handlers.file), methods=["POST"]),
        Route("/api/explore/suggest", json_handler(handlers.suggest), methods=["POST"]),
    ]


@dataclass
class _Tab:
    """The state of the requests of one kind from one browser tab, which are processed one at a time.

    Attributes:
        lock: held while a request is processed.
        newest: the number of the newest request; older waiting ones are dropped.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    newest: int = 0


class _Handlers:
    """Answers the requests of the Explore page, with the help of a worker process."""

    def __init__(self) -> None:
        self._tabs: OrderedDict[tuple[str, str, str], _Tab] = OrderedDict()
        self._problems: list[Any] | None = None

    async def start(self, _: Request, services: Services, __: Person) -> Any:
        """Return what people can choose from on the Explore page.

        Keys: ``methods`` (names), ``problems`` (pairs of a number, from 0, and a name) and ``study`` (the study's
        name, or None).
        """
        if self._problems is None:
            found = []
            for number, (name, text) in enumerate(services.library.items()):
                if "sketch" in await _asked(services, "read", "read", {"text": text}):
                    found.append([number, name])
            self._problems = found
        return {**await _asked(services, "read", "methods", {}), "problems": self._problems, "study": services.study}

    async def read(self, request: Request, services: Services, _: Person) -> Any:
        """Read a problem file, and return it as a draft: a problem that people change on the Explore page.

        The request has ``problem``: a number in the studio's list, or the text of a file. The result has ``sketch``
        (the draft) and ``methods`` (names), or ``refused`` (why the page cannot show the problem).
        """
        given = (await json_body(request)).object(["problem"], [])
        chosen = given.child("problem")
        texts = list(services.library.values())
        text = chosen.text() if isinstance(chosen.value, str) else texts[chosen.whole(0, len(texts) - 1)]
        return await _asked(services, "read", "read", {"text": text})

    async def file(self, request: Request, services: Services, _: Person) -> Any:
        """Return a problem file for people to save, with the keys ``name`` and ``text``.

        The body of the request is the draft: the problem that people have changed.
        """
        given = await json_body(request)
        return await _asked(services, "file", "file", given.value)

    async def follow(self, request: Request, services: Services, person: Person) -> Any:
        """Return everything that the page shows for the draft (the changed problem) in the request.

        The keys are those of `askwise.studio.explore.explore_api.results_of`; or ``refused``, the reason why the draft
        is not valid; or ``dropped``, if the tab has sent a newer request of this kind.
        """
        return await self._newest(request, services, person, "follow")

    async def suggest(self, request: Request, services: Services, person: Person) -> Any:
        """Return walls to add, or edges to close, that make the goals of the draft in the request recognisable earlier.

        The keys are those of `askwise.studio.explore.explore_api.suggested_design`; or ``refused``, the reason why the
        draft is not valid; or ``dropped``, if the tab has sent a newer request of this kind.
        """
        return await self._newest(request, services, person, "suggest")

    async def _newest(self, request: Request, services: Services, person: Person, what: str) -> Any:
        given = await json_body(request)
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
        raise given.child("tab").refuse(f"at most {LONGEST_TAB} ASCII characters")
    return name


async def _asked(services: Services, name: str, what: str, given: Any) -> Any:
    """Return a worker process's answer to a request of the Explore page, or ``{"refused": why}``.

    Requests with the same `name` go to the same process, one after the other. `what` is the kind of request, a key of
    `askwise.studio.explore.explore_api.ANSWERS`; `given` has its data.
    """
    reply = await services.pool.reply(name, {"op": "explore", "what": what, "given": given})
    if "explored" in reply:
        return reply["explored"]
    return {"refused": reply.get("refused") or reply.get("failed") or "its worker process ended; please try again"}

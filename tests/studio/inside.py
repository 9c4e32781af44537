"""The studio of a study in this process: handlers and rooms without sockets, browsers or other processes."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askwise.studio.app import make_app
from askwise.studio.pool import Pool, Replies
from askwise.studio.room import Room
from askwise.studio.round_service import RoundService
from askwise.studio.security import Keys
from askwise.studio.services import Services
from askwise.studio.store import StudioStore
from askwise.studio.study.file import PeopleStudy
from askwise.studio.study.people import People
from askwise.studio.study_routes import study_routes
from askwise.workers.heartbeat import Limits
from tests.studio.participants import entry_for


class HerePool(Pool):
    """A pool that plays rounds in this process; every request yields to others, as with real workers."""

    def __init__(self) -> None:
        self.limits = Limits(decision=20.0)
        self.service = RoundService()

    def replies(self, name: str, request: dict[str, Any]) -> Replies:
        """See `Pool`."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for reply in self.service.replies(pickle.loads(pickle.dumps({"id": name, **request}))):
            queue.put_nowait(pickle.loads(pickle.dumps(reply)))
        return Replies(queue)

    async def reply(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        """See `Pool`."""
        await asyncio.sleep(0.001)
        return await super().reply(name, request)

    def close(self) -> None:
        """See `Pool`."""


class PlayedHere:
    """A replacement for `askwise.studio.study.export.playing` without another process."""

    def __init__(self, _: float) -> None:
        pass

    def __enter__(self) -> HerePool:
        return HerePool()

    def __exit__(self, *_: object) -> None:
        pass


class Heard:
    """A tab that records its messages; implements `askwise.studio.room.Tab`."""

    trusted = False
    home = "/take"

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.known: dict[str, Any] = {}

    async def tell(self, message: dict[str, Any]) -> None:
        """See `Tab`."""
        self.messages.append(message)

    async def close(self, code: int, why: str) -> None:
        """See `Tab`."""


class Inside:
    """A studio with a study, in this process."""

    def __init__(self, folder: Path, study: PeopleStudy) -> None:
        self.store = StudioStore(folder)
        self.services = Services(self.store, Keys(self.store), HerePool(), study.problems, ())
        self.people = People(self.store, study)
        self.app = make_app(self.services, study_routes(self.people, self.services))

    async def request(self, path: str, body: Any = None, cookie: str = "") -> tuple[int, dict[str, str], str]:
        """Send a request; return status, headers and text."""
        parts = urlsplit(path)
        headers = [(b"host", b"here"), (b"content-type", b"application/json"), (b"cookie", cookie.encode())]
        scope = {
            "type": "http", "method": "GET" if body is None else "POST", "path": parts.path, "headers": headers,
            "query_string": parts.query.encode(), "scheme": "http", "server": ("here", 80), "root_path": "",
        }  # fmt: skip
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent[1:]).decode()

    async def join(self, panel: str | None, *, pilot: bool = False) -> str:
        """Join the study; return the cookie."""
        token = self.people.pilot_token if pilot else self.people.token
        query = "" if panel is None else f"?PID={panel}"
        status, headers, text = await self.request(f"/join/{token}{query}")
        assert status == 303, text
        return headers["set-cookie"].partition(";")[0]

    async def take(self, cookie: str, body: Any = None) -> Any:
        """Return the person's present screen, after an entry if one is given."""
        status, _, text = await self.request("/api/take", body, cookie)
        assert status == 200, text
        return json.loads(text)

    async def until(self, cookie: str, kind: str) -> Any:
        """Continue to the next screen of a kind; return it."""
        screen = await self.take(cookie)
        while screen["kind"] != kind:
            screen = await self.take(cookie, {"n": screen["n"], "entry": entry_for(screen)})
        return screen

    def room(self, cookie: str, name: str) -> Room:
        """Return the room of a round."""
        return self.services.room(name, self.services.keys.person(cookie.partition("=")[2]))


@asynccontextmanager
async def inside(folder: Path, study: PeopleStudy) -> AsyncIterator[Inside]:
    """Open a studio in this process, and close it afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = Inside(folder, study)
    try:
        yield opened
    finally:
        opened.store.close()

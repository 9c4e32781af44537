"""Hosts, cookies and rates of the application in this process, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from askwise.studio.app import make_app
from askwise.studio.security import PARTICIPANT, PILOT, RESEARCHER, Guard, Keys, RateLimiter, new_cookie
from askwise.studio.services import Services
from askwise.studio.store import StudioStore
from askwise.studio.study.people import People
from askwise.studio.study_routes import study_routes
from tests.studio.participants import load, write_study

PUBLIC, LOCAL = "lab.example.org", "127.0.0.1:80"


class Browser:
    """Sends requests to an application, and keeps its cookies."""

    def __init__(self, app: Any, host: str = LOCAL, cookie: str = "") -> None:
        self.app, self.host, self.cookie = app, host, cookie

    def get(self, path: str) -> tuple[int, dict[str, str], str]:
        """Return status, headers and text."""
        headers = [(b"host", self.host.encode()), (b"cookie", self.cookie.encode())]
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "client": ("10.0.0.1", 1)}
        scope |= {"scheme": "http", "query_string": b"", "root_path": "", "http_version": "1.1"}
        asyncio.run(self.app(scope, receive, send))
        told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], told, b"".join(each.get("body", b"") for each in sent[1:]).decode()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StudioStore]:
    made = StudioStore(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("url", "host", "public", "secure"),
    [
        (f"https://{PUBLIC}", PUBLIC, f"https://{PUBLIC}", True),
        (f"https://{PUBLIC}", LOCAL, f"https://{PUBLIC}", False),  # no browser would send it back
        (f"http://{PUBLIC}", PUBLIC, f"http://{PUBLIC}", False),
        (None, LOCAL, f"http://{LOCAL}", False),
    ],
)
def test_links_and_cookies_are_those_of_the_public_address(
    store: StudioStore, tmp_path: Path, url: str | None, host: str, public: str, secure: bool
) -> None:
    keys = Keys(store)
    services = Services(store, keys, Mock(), {}, (), url)
    people = People(store, load(write_study(tmp_path)))
    browser = Browser(Guard(make_app(services, study_routes(people)), [PUBLIC, LOCAL], keys), host)
    _, headers, _ = browser.get(f"/enter/{keys.new_link()}")
    browser.cookie, *rest = headers["set-cookie"].split("; ")
    assert ("Secure" in rest) is secure
    view = json.loads(browser.get("/api/study")[2])
    assert view["join"] == f"{public}/join/{people.token}?PID=..."
    assert view["pilot"] == f"{public}/join/{people.pilot_token}?PID=..."


def test_a_cookie_that_nobody_was_given_counts_for_its_address(store: StudioStore) -> None:
    keys = Keys(store)
    known = {}
    for kind in (RESEARCHER, PARTICIPANT, PILOT):
        known[kind], keeping = new_cookie(kind, kind)
        store.write_now(keeping)
    guard = Guard(make_app(Services(store, keys, Mock(), {}, ())), [LOCAL], keys)
    guard._rates = RateLimiter(1, 3, clock=lambda: 0.0)

    def status(kind: str, value: str) -> int:
        return Browser(guard, cookie=f"{keys.cookie(kind)}={value}").get("/nowhere")[0]

    assert [status(RESEARCHER, f"made-up-{k}") for k in range(5)] == [404, 404, 404, 429, 429]
    assert status(RESEARCHER, known[PILOT]) == 429, "a cookie of another kind"
    for kind, value in known.items():
        assert [status(kind, value) for _ in range(4)] == [404, 404, 404, 429], kind

"""Hosts, cookies and rates of the application in this process, without a network."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from askwise import simulate
from askwise.studio.app import make_app, policy_for
from askwise.studio.security import LARGEST_BODY, PARTICIPANT, PILOT, RESEARCHER, Guard, Keys, RateLimiter, new_cookie
from askwise.studio.services import Services
from askwise.studio.store import StudioStore
from askwise.studio.study.people import People
from askwise.studio.study_routes import study_routes
from askwise.view.page import page_text
from tests.studio.participants import load, write_study
from tests.tool_fetching import workshop

PUBLIC, LOCAL = "lab.example.org", "127.0.0.1:80"


class Browser:
    """Sends requests to an application, and keeps its cookies."""

    def __init__(self, app: Any, host: str = LOCAL, cookie: str = "") -> None:
        self.app, self.host, self.cookie = app, host, cookie

    def get(self, path: str) -> tuple[int, dict[str, str], str]:
        """Return status, headers and text."""
        return self.send("GET", path)

    def send(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> tuple[int, dict[str, str], str]:
        """Send a request; return status, headers and text."""
        received = {"type": "http.request", "body": body, "more_body": False}
        sent = self._exchange({"type": "http", "method": method, "scheme": "http"}, path, headers, received)
        told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], told, b"".join(each.get("body", b"") for each in sent[1:]).decode()

    def connect(self, path: str, headers: Mapping[str, str]) -> int:
        """Open a socket that is refused; return the code with which it is closed."""
        (sent,) = self._exchange({"type": "websocket", "scheme": "ws"}, path, headers, {"type": "websocket.connect"})
        return int(sent["code"])

    def _exchange(
        self, kind: dict[str, Any], path: str, headers: Mapping[str, str] | None, received: dict[str, Any]
    ) -> list[Any]:
        """Run the application for one message; return the messages that it sends."""
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return received

        async def send(message: Any) -> None:
            sent.append(message)

        given = {"host": self.host, "cookie": self.cookie, **(headers or {})}
        scope = {**kind, "headers": [(name.encode(), value.encode()) for name, value in given.items()]}
        scope |= {"path": path, "client": ("10.0.0.1", 1), "query_string": b"", "root_path": "", "http_version": "1.1"}
        asyncio.run(self.app(scope, receive, send))
        return sent


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
    browser = Browser(Guard(make_app(services, study_routes(people, services)), [PUBLIC, LOCAL], keys), host)
    _, headers, _ = browser.get(f"/enter/{keys.new_link()}")
    browser.cookie, *rest = headers["set-cookie"].split("; ")
    assert ("Secure" in rest) is secure
    view = json.loads(browser.get("/api/study")[2])
    assert view["join"] == f"{public}/join/{people.token}?PID=..."
    assert view["pilot"] == f"{public}/join/{people.pilot_token}"


def test_what_is_refused_is_logged(store: StudioStore, caplog: pytest.LogCaptureFixture) -> None:
    keys = Keys(store)
    value, keeping = new_cookie(RESEARCHER, RESEARCHER)
    store.write_now(keeping)
    guard = Guard(make_app(Services(store, keys, Mock(), {}, ())), [LOCAL], keys)
    browser = Browser(guard, cookie=f"{keys.cookie(RESEARCHER)}={value}")
    own, json_type = {"origin": f"http://{LOCAL}"}, {"content-type": "application/json"}
    elsewhere = {"origin": "http://evil.example"}
    large = b" " * (LARGEST_BODY + 1)
    for headers, body, status, logged in [
        ({"host": "evil.example"}, b"", 421, "the host 'evil.example' does not belong to this studio"),
        (elsewhere, b"", 403, "the origin 'http://evil.example' is not this studio"),
        ({}, b"", 403, "no Origin"),
        ({**own, "content-length": str(len(large))}, large, 413, f"more than {LARGEST_BODY} bytes"),
        ({**own, **json_type}, large, 400, "request: found an incomplete or too long one"),
        ({**own, **json_type}, b"{", 400, "line 1, column 2: found something that is not JSON"),
        ({**own, "content-type": "text/plain"}, b"{}", 400, "content type: found 'text/plain'"),
    ]:
        caplog.clear()
        assert browser.send("POST", "/api/problems", headers, body)[0] == status
        (record,) = caplog.records
        assert (record.name, logged in record.getMessage()) == ("askwise.studio", True)
        assert record.getMessage().startswith("refused ")
    caplog.clear()
    assert browser.connect("/play/x/socket", elsewhere) == 4403
    assert browser.connect("/play/x/socket", {**own, "host": "evil.example"}) == 4403
    guard._rates = RateLimiter(1, 0, clock=lambda: 0.0)
    assert browser.get("/")[0] == 429
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "the origin 'http://evil.example' is not this studio",
        "the host 'evil.example' does not belong to this studio",
        "too many requests; wait a moment",
    ]


def test_the_policy_of_a_review_allows_its_own_scripts_only() -> None:
    policy = policy_for(page_text(simulate(workshop(), "never", seed=1)))
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/=]{44}'", rules["script-src"])
    assert (rules["img-src"], set(rules) & {"connect-src", "font-src", "frame-src"}) == ("data:", set())


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


def test_a_cookie_expires_while_the_server_runs(store: StudioStore, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = Keys(store)
    cookie, keeping = new_cookie(PARTICIPANT, "someone")
    store.write_now(keeping)
    now = time.time()
    monkeypatch.setattr("askwise.studio.security.time.time", lambda: now)
    assert keys.person(cookie) is not None
    now += 29 * 24 * 3600
    assert keys.person(cookie) is not None
    now += 2 * 24 * 3600
    assert keys.person(cookie) is None

"""Who may do what, and how often: limits, rate limiting, keys, and the checks of every request.

*Keys.* A key is 32 random bytes. The store holds only its SHA-256, so that reading the file does not let anyone in. A
link is used up in the transaction that creates its cookie: of two browsers that follow it at the same time, one gets
in.

*Guard.* Every request and every socket must pass checks of Host, Origin, size and rate. A foreign page can make a
browser send requests here with the user's cookie, and by DNS rebinding even under another host name. So the Host must
be one of the studio's own, and the Origin, which browsers report truthfully, must be the same host. The Origin is
required on sockets and for changes; elsewhere it is checked if present.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from askwise.studio.store import Statement, StudioStore
from askwise.text.wording import printable

LARGEST_MESSAGE = 16 * 1024
"""Bytes of one message on a socket."""
LARGEST_BODY = 1024 * 1024
"""Bytes of one request; the largest are uploaded problem files."""
MOST_SOCKETS = 1000
MOST_CONNECTIONS = 500
"""Connections of one address, not counting sockets. A browser opens at most six, for a short time."""
REQUEST_SECONDS = 30.0
"""Seconds within which a complete request must arrive."""
MOST_ROOMS = 2000
"""Rounds that are kept in the server's memory; others are read again when they are needed."""
MESSAGES_PER_SECOND, MOST_MESSAGES_AT_ONCE = 20.0, 60.0
REQUESTS_PER_SECOND, MOST_REQUESTS_AT_ONCE = 50.0, 300.0
"""Limits for one person with a cookie, or for one address."""
MOST_KNOWN = 20_000
"""Browsers and addresses whose rates are remembered."""
ROUNDS_PER_MINUTE, MOST_ROUNDS_AT_ONCE = 30.0, 60.0
"""Limits for new rounds of one person."""


class RateLimiter:
    """Limits how often each person or address may act: token buckets by name.

    Each bucket fills at a constant rate, and each action takes one token.

    Args:
        a_second: tokens that flow into each bucket per second.
        at_once: tokens that a bucket holds.
        clock: returns the time in seconds.
    """

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, name: str) -> bool:
        """Return whether the person or address called `name` may act now, and take a token from its bucket if so."""
        now = self._clock()
        level, since = self._buckets.get(name, (self._at_once, now))
        level = min(self._at_once, level + (now - since) * self._a_second)
        allowed = level >= 1
        self._buckets[name] = (level - 1 if allowed else level, now)
        self._buckets.move_to_end(name)
        while len(self._buckets) > MOST_KNOWN:
            self._buckets.popitem(last=False)
        return allowed


LINK, RESEARCHER, PARTICIPANT, PILOT = "link", "researcher", "participant", "pilot"
KINDS = (RESEARCHER, PARTICIPANT, PILOT)
"""The kinds of people. One browser may belong to all of them: each kind has its own cookie."""
DAYS = 30
SECONDS = DAYS * 24 * 3600
"""Lifetime of a cookie, in seconds."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom the studio knows by a cookie.

    Attributes:
        kind: ``researcher``, ``participant`` or ``pilot`` (a test participant).
        name: the name in the database: the participant's id, or ``researcher``.
    """

    kind: str
    name: str


class Keys:
    """Creates and checks the links and cookies that let people in; the database holds only their hashes."""

    def __init__(self, store: StudioStore) -> None:
        self._store = store
        found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        if not found:
            store.write_now(("INSERT INTO meta VALUES ('studio', ?)", (secrets.token_hex(4),)))
            found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        self._studio = found[0][0]
        self._known: dict[str, Person] = {}

    def cookie(self, kind: str) -> str:
        """Return the name of the cookie for a kind of people.

        The name is different in each studio: cookies do not depend on the port, so a browser sends the cookies of one
        studio also to all other studios on the same host.
        """
        return f"askwise-{self._studio}-{kind}"

    def people(self, cookies: Mapping[str, str]) -> list[Person]:
        """Return the people to whom the cookies of a request belong, at most one of each kind.

        Args:
            cookies: the values of the cookies by name.
        """
        found = ((kind, self.person(cookies.get(self.cookie(kind)))) for kind in KINDS)
        return [person for kind, person in found if person is not None and person.kind == kind]

    def new_link(self) -> str:
        """Create a link that opens the studio once, and return its secret part; earlier unused links become invalid."""
        secret = secrets.token_urlsafe(32)
        self._store.write_now(
            ("DELETE FROM keys WHERE kind = ? AND used IS NULL", (LINK,)),
            ("INSERT INTO keys VALUES (?, ?, ?, ?, NULL)", (_digest(secret), LINK, RESEARCHER, time.time())),
        )
        return secret

    async def enter(self, secret: str) -> str | None:
        """Use up the link with this secret, and return the value of a new cookie for the researcher.

        Return None if there is no such link, or if it was used before.
        """
        using = "UPDATE keys SET used = ? WHERE digest = ? AND kind = ? AND used IS NULL"
        cookie, statement = new_cookie(RESEARCHER, RESEARCHER)
        try:
            await self._store.write((using, (time.time(), _digest(secret), LINK)), statement)
        except sqlite3.IntegrityError:
            return None
        return cookie

    def person(self, cookie: str | None) -> Person | None:
        """Return the person to whom the cookie with this value belongs; None if it is unknown or expired."""
        if not cookie or len(cookie) > 100:
            return None
        digest = _digest(cookie)
        if digest not in self._known:
            rows = self._store.read(
                "SELECT kind, owner FROM keys WHERE digest = ? AND kind != ? AND made > ?",
                (digest, LINK, time.time() - SECONDS),
            )
            if not rows:
                return None
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[digest] = Person(*rows[0])
        return self._known[digest]


def new_cookie(kind: str, owner: str) -> tuple[str, Statement]:
    """Return the value of a new random cookie, and the SQL statement that stores its hash.

    Args:
        kind: ``researcher``, ``participant`` or ``pilot``.
        owner: the name of the person in the database.
    """
    cookie = secrets.token_urlsafe(32)
    return cookie, ("INSERT INTO keys VALUES (?, ?, ?, ?, NULL)", (_digest(cookie), kind, owner, time.time()))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


log = logging.getLogger("askwise.studio")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "x-frame-options": "DENY",
}
CHANGING = ("POST", "PUT", "PATCH", "DELETE")


class Guard:
    """An ASGI application that checks each request (host, origin, size and rate) before it passes it on to `app`.

    Args:
        app: the application to protect.
        hosts: the hosts, with ports, under which browsers may reach it.
        keys: checks cookies, because rates are counted per person.
    """

    def __init__(self, app: App, hosts: Iterable[str], keys: Keys) -> None:
        self._app, self._keys = app, keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._rates = RateLimiter(REQUESTS_PER_SECOND, MOST_REQUESTS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application if its host, origin, size and rate are allowed; otherwise refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, _limited(receive), _marked(send))
            return
        status, why = refusal
        log.warning("refused %s %s: %s", _client(scope), printable(scope["path"])[:100], why)
        await _refuse(scope, receive, send, status, why)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return 421, f"the host {printable(host)[:100]!r} does not belong to this studio"
        origin = headers.get("origin")
        needed = scope["type"] == "websocket" or scope["method"] in CHANGING
        if origin is None and needed:
            return 403, "no Origin"
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return 403, f"the origin {printable(origin)[:100]!r} is not this studio"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:20]) > LARGEST_BODY:
            return 413, f"more than {LARGEST_BODY} bytes"
        # Unknown cookies do not count: with invented ones, a client would look like a new person each time.
        people = self._keys.people(cookies_in(headers))
        if not self._rates.allow(f"{people[0].kind} {people[0].name}" if people else _client(scope)):
            return 429, "too many requests; wait a moment"
        return None


def cookies_in(headers: dict[str, str]) -> dict[str, str]:
    """Return the values of the cookies of a request by name; empty if they cannot be read.

    Args:
        headers: the headers of the request by their names, which are in lower case.
    """
    try:
        return {name: found.value for name, found in SimpleCookie(headers.get("cookie", "")[:4096]).items()}
    except CookieError:
        return {}


def _client(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else "?"


def _limited(receive: Receive) -> Receive:
    """Wrap `receive` so that a request is cut off after `LARGEST_BODY` bytes, whatever length its header states.

    `receive` is the function by which an ASGI application reads the body.
    """
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > LARGEST_BODY:
                return {"type": "http.disconnect"}
        return message

    return counted


def _marked(send: Send) -> Send:
    """Wrap `send`, the function by which an ASGI application responds, to add security headers to each response.

    Headers that a response already has are kept.
    """

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            added = {**HEADERS, "content-security-policy": POLICY}
            message["headers"] = [
                *message["headers"],
                *((k.encode(), v.encode()) for k, v in added.items() if k.encode() not in present),
            ]
        await send(message)

    return marked


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the request to connect
        await send({"type": "websocket.close", "code": 4403, "reason": why[:100]})
        return
    body = json.dumps({"error": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    marked = _marked(send)
    await marked({"type": "http.response.start", "status": status, "headers": headers})
    await marked({"type": "http.response.body", "body": body})

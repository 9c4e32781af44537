"""How much of everything: sizes, rates and numbers that keep one browser from disturbing the others.

How often somebody may do something: a bucket for each that fills steadily and is emptied by one for each time.

Keys: a link that opens the studio once, and the cookie that it is exchanged for.

A key is 32 random bytes. The store knows its SHA-256 only, so that whoever reads the file cannot come in. A link is
used up in the transaction that makes the cookie: of two browsers that follow it at the same time, one comes in.

What every request and every socket has to pass: Host, Origin, size, rate; and what every answer carries.

A page of somebody else's can make a browser send requests here, with the cookie of whoever uses it, and by tricks with
names (DNS rebinding) even under another host. So the Host must be one that the studio was given, and the Origin, which
browsers tell truly, must be this very host: always on sockets and where something is changed, else where it is told.
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
"""Bytes of one request: a problem file that is uploaded."""
MOST_SOCKETS = 1000
MOST_CONNECTIONS = 500
"""Connections of one address that are no sockets. A browser has six at most, and closes them soon."""
REQUEST_SECONDS = 30.0
"""Within which a request must arrive whole."""
MOST_ROOMS = 2000
"""Rounds that are kept in the server's memory; others are read again when somebody comes back."""
MESSAGES_A_SECOND, MOST_MESSAGES_AT_ONCE = 20.0, 60.0
REQUESTS_A_SECOND, MOST_REQUESTS_AT_ONCE = 50.0, 300.0
"""Of one person who is known by a cookie, or of one address."""
MOST_KNOWN = 20_000
"""Browsers and addresses whose rates are remembered."""
ROUNDS_A_MINUTE, MOST_ROUNDS_AT_ONCE = 30.0, 60.0
"""New rounds of one person."""
PEOPLE_A_CORE = 50
"""People who may take part in a study at the same time for each core, unless it says otherwise. Two moves a second of
each take a quarter to a third of a core beside the methods that ``make bench`` measures (`benchmarks/studio.py`); the
rest is for those who come all at once, and for methods that think longer."""
MOST_PEOPLE = 1000
"""That a study may allow."""


class Rates:
    """Buckets by name.

    Args:
        a_second: how much flows into each bucket.
        at_once: how much one holds.
        clock: tells the time, in seconds.
    """

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, name: str) -> bool:
        """Whether it may be done once more."""
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
"""The kinds of people. One browser may be all of them at once: each kind has its own cookie."""
DAYS = 30
SECONDS = DAYS * 24 * 3600
"""How long a cookie is good for."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who came in.

    Attributes:
        kind: one of `KINDS`.
        name: by which the store knows what is theirs.
    """

    kind: str
    name: str


class Keys:
    """The keys of a studio."""

    def __init__(self, store: StudioStore) -> None:
        self._store = store
        found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        if not found:
            store.write_now(("INSERT INTO meta VALUES ('studio', ?)", (secrets.token_hex(4),)))
            found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        self._studio = found[0][0]
        self._known: dict[str, Person] = {}

    def cookie(self, kind: str) -> str:
        """Return what the cookie of a kind of people is called; studios on one computer have different names for it."""
        return f"askwise-{self._studio}-{kind}"

    def people(self, cookies: Mapping[str, str]) -> list[Person]:
        """Return everybody whose cookies these are, at most one of each kind."""
        found = ((kind, self.person(cookies.get(self.cookie(kind)))) for kind in KINDS)
        return [person for kind, person in found if person is not None and person.kind == kind]

    def new_link(self) -> str:
        """Return the secret of a link that opens the studio once; earlier ones that nobody used are void."""
        secret = secrets.token_urlsafe(32)
        self._store.write_now(
            ("DELETE FROM keys WHERE kind = ? AND used IS NULL", (LINK,)),
            ("INSERT INTO keys VALUES (?, ?, ?, ?, NULL)", (_digest(secret), LINK, RESEARCHER, time.time())),
        )
        return secret

    async def enter(self, secret: str) -> str | None:
        """Use a link up; return the value of the cookie, None if there is no such link or it was used."""
        using = "UPDATE keys SET used = ? WHERE digest = ? AND kind = ? AND used IS NULL"
        cookie, statement = new_cookie(RESEARCHER, RESEARCHER)
        try:
            await self._store.write((using, (time.time(), _digest(secret), LINK)), statement)
        except sqlite3.IntegrityError:
            return None
        return cookie

    def person(self, cookie: str | None) -> Person | None:
        """Return whose cookie it is, None if it is nobody's."""
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
    """Return the value of a new cookie, and what keeps it."""
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
    """Stands before the application.

    Args:
        app: what is guarded.
        hosts: the hosts, with ports, under which browsers may know it.
        keys: know the cookies that were given, by which browsers are told apart.
    """

    def __init__(self, app: App, hosts: Iterable[str], keys: Keys) -> None:
        self._app, self._keys = app, keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._rates = Rates(REQUESTS_A_SECOND, MOST_REQUESTS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through or refuse it."""
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
            return 421, f"the host {printable(host)[:100]!r} is not one of this studio's"
        origin = headers.get("origin")
        needed = scope["type"] == "websocket" or scope["method"] in CHANGING
        if origin is None and needed:
            return 403, "no Origin"
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return 403, f"the origin {printable(origin)[:100]!r} is not this studio"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:20]) > LARGEST_BODY:
            return 413, f"more than {LARGEST_BODY} bytes"
        # A cookie that nobody was given tells nothing: who makes them up would be somebody new with each.
        people = self._keys.people(cookies_in(headers))
        if not self._rates.allow(f"{people[0].kind} {people[0].name}" if people else _client(scope)):
            return 429, "too many requests; wait a moment"
        return None


def cookies_in(headers: dict[str, str]) -> dict[str, str]:
    """Return the values of cookies by name."""
    try:
        return {name: found.value for name, found in SimpleCookie(headers.get("cookie", "")[:4096]).items()}
    except CookieError:
        return {}


def _client(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else "?"


def _limited(receive: Receive) -> Receive:
    """Count what really comes: a request need not say how long it is."""
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
    """Add the headers that all answers carry; a page that needs another policy has brought its own."""

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

"""Who may do what in the studio, and how often: cookies and links, limits on rates, and checks of every request.

*Keys.* A key is the secret in a link or a cookie; the database holds only its SHA-256 hash. The transaction that stores
a link's cookie marks the link as used, so only one browser gets in by it.

*Guard.* Every request is checked for Host, Origin, size and rate. A page of another site can make a browser send
requests with the user's cookie, even under another host name (DNS rebinding). Therefore the header Host must name one
of the studio's hosts, and the header Origin the same host. Only web sockets and requests that change something must
have an Origin.
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
    """Limits how often each person or address may act, by token buckets.

    Each action takes a token from the person's bucket, and is refused if there is none.

    Args:
        a_second: tokens that flow into each bucket per second.
        at_once: tokens that a bucket can hold, and holds at first.
        clock: returns the time in seconds.
    """

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, name: str) -> bool:
        """Take a token from the bucket of a person or address, and return True; return False if there is no token.

        Args:
            name: any text that identifies the person or address.
        """
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
    """A person whom the studio recognises by a cookie.

    Attributes:
        kind: ``researcher``, ``participant`` or ``pilot`` (a test participant).
        name: the name in the database: the id of a participant or pilot; ``researcher`` for the researcher.
    """

    kind: str
    name: str


class Keys:
    """Creates and checks the links and cookies that let people into the studio.

    The database holds only hashes of their secrets.

    Args:
        store: the database.
    """

    def __init__(self, store: StudioStore) -> None:
        self._store = store
        found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        if not found:
            store.write_now(("INSERT INTO meta VALUES ('studio', ?)", (secrets.token_hex(4),)))
            found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        self._studio = found[0][0]
        self._known: dict[str, tuple[float, Person]] = {}

    def cookie(self, kind: str) -> str:
        """Return the name of the cookie by which the studio recognises one kind of people.

        The name is different in each studio, because a browser sends a cookie to all ports of a host.
        """
        return f"askwise-{self._studio}-{kind}"

    def people(self, cookies: Mapping[str, str]) -> list[Person]:
        """Return the people to whom the cookies of a request belong, at most one of each kind.

        Args:
            cookies: the value of each cookie by its name.
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
        """Use up the link with this secret; return the value of a new cookie for the researcher.

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
        """Return the person to whom a cookie belongs; None if the cookie is unknown, expired or missing.

        Args:
            cookie: the value of the cookie; None if the request has no cookie.
        """
        if not cookie or len(cookie) > 100:
            return None
        digest = _digest(cookie)
        if digest not in self._known:
            rows = self._store.read("SELECT made, kind, owner FROM keys WHERE digest = ? AND kind != ?", (digest, LINK))
            if not rows:
                return None
            if len(self._known) > 10_000:
                self._known.clear()
            made, kind, owner = rows[0]
            self._known[digest] = made, Person(kind, owner)
        made, person = self._known[digest]
        return person if made > time.time() - SECONDS else None


def new_cookie(kind: str, owner: str) -> tuple[str, Statement]:
    """Return the value of a new random cookie, and an SQL statement that stores its hash; the caller executes it.

    Args:
        kind: the kind of person: ``researcher``, ``participant`` or ``pilot``.
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
    """An ASGI application that checks the host, origin, size and rate of each request before `app` gets the request.

    Args:
        app: the application to protect.
        hosts: the allowed hosts, as ``NAME:PORT``.
        keys: finds the people to whom cookies belong.
    """

    def __init__(self, app: App, hosts: Iterable[str], keys: Keys) -> None:
        self._app, self._keys = app, keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._rates = RateLimiter(REQUESTS_PER_SECOND, MOST_REQUESTS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application if its host, origin, size and rate are allowed; otherwise refuse it.

        The arguments are those of every ASGI application.
        """
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
    """Return the value of each cookie of a request by its name; empty if the cookies cannot be parsed.

    Args:
        headers: the headers of the request; their names are in lower case.
    """
    try:
        return {name: found.value for name, found in SimpleCookie(headers.get("cookie", "")[:4096]).items()}
    except CookieError:
        return {}


def _client(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else "?"


def _limited(receive: Receive) -> Receive:
    """Return a function like `receive` that reports a disconnection when the body is longer than `LARGEST_BODY` bytes.

    The header's stated length is not trusted.
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
    """Return a function like `send` that adds the security headers in `HEADERS` and `POLICY` to each response.

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

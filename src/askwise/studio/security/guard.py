"""What every request and every socket has to pass: Host, Origin, size, rate; and what every answer carries.

A page of somebody else's can make a browser send requests here, with the cookie of whoever uses it, and by tricks with
names (DNS rebinding) even under another host. So the Host must be one that the studio was given, and the Origin, which
browsers tell truly, must be this very host: always on sockets and where something is changed, else where it is told.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from askwise.studio.limits import LARGEST_BODY, MOST_REQUESTS_AT_ONCE, REQUESTS_A_SECOND
from askwise.studio.security.keys import Keys
from askwise.studio.security.rates import Rates
from askwise.text.reading import printable

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

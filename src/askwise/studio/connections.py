"""The connections of browsers to the studio: limits on all connections, and the web socket of a round.

uvicorn itself limits neither the time of a request nor the number of connections. Through the web socket, the studio
receives a person's numbered inputs and sends what the person's role may see.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
from collections import Counter
from typing import Any

import h11
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState
from uvicorn.protocols.http.h11_impl import H11Protocol

from askwise.errors import AskwiseError, InputError
from askwise.studio.room import Room
from askwise.studio.security import (
    MESSAGES_PER_SECOND,
    MOST_CONNECTIONS,
    MOST_MESSAGES_AT_ONCE,
    MOST_SOCKETS,
    PARTICIPANT,
    PILOT,
    REQUEST_SECONDS,
    RESEARCHER,
    RateLimiter,
)
from askwise.studio.services import Denied, Services
from askwise.studio.store import StoreFailed
from askwise.studio.study.texts import package_texts
from askwise.text.data import parse_json
from askwise.text.reading import Field

log = logging.getLogger("askwise.studio")

UNFINISHED = (h11.IDLE, h11.SEND_BODY)
"""States of a client that has not sent a complete request yet."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
A_MINUTE = 1 / 60


class Connections:
    """Counts the open connections of each client address, limits their number, and logs warnings about connections.

    Args:
        most: the limit per address; None for no limit, for instance behind a proxy.
    """

    def __init__(self, most: int | None = MOST_CONNECTIONS) -> None:
        self._most, self._open = most, Counter[str]()
        self._complaints = RateLimiter(A_MINUTE, 1)

    def protocol(self, *args: Any, **options: Any) -> asyncio.Protocol:
        """Return a `TimedConnection` for one new connection.

        uvicorn calls this method for each connection, with the arguments that it would pass to its own protocol class.
        """
        return TimedConnection(self, *args, **options)

    def enter(self, address: str) -> bool:
        """Count a new connection and return True, or return False if its client address has too many already."""
        if self._most is not None and self._open[address] >= self._most:
            self.complain(f"refused a connection: {address} has {self._most} already")
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Stop counting a connection of a client address, because it was closed or has become a web socket."""
        self._open[address] -= 1
        if self._open[address] <= 0:
            del self._open[address]

    def complain(self, what: str) -> None:
        """Log the warning `what`, a line of text, unless the same line was logged less than a minute ago."""
        if self._complaints.allow(what):
            log.warning("%s (logged at most once a minute)", what)

    def on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an error of the event loop that nothing else catches; asyncio calls this method.

        If the system cannot accept more connections, only one line is logged, at most once a minute.
        """
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            self.complain(f"cannot accept connections now: {error.strerror}")
        else:
            loop.default_exception_handler(context)


class TimedConnection(H11Protocol):
    """A connection of uvicorn that is closed if a whole request does not arrive within `REQUEST_SECONDS`.

    `connections` counts this connection with all others; the other arguments are those of `H11Protocol`.
    """

    def __init__(self, connections: Connections, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._all = connections
        self._address: str | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the new connection, and start the deadline of its first request; asyncio calls this method.

        If the client's address has too many connections already, close this one instead.
        """
        super().connection_made(transport)
        address = self.client[0] if self.client else "?"
        if not self._all.enter(address):
            transport.abort()
            return
        self._address = address
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process bytes that arrived; asyncio calls this method. A complete request cancels its deadline.

        The deadline of the first request starts with the connection; that of a later one, with its first bytes.
        """
        super().data_received(data)
        if self._address is not None and self.conn.their_state in UNFINISHED:
            self._wait()
        else:
            self._wait_no_more()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Turn the connection into a web socket: cancel its deadline, and stop counting it among the connections.

        Web sockets have a limit of their own, `MOST_SOCKETS`. uvicorn calls this method.

        Args:
            event: the request to become a web socket.
        """
        self._forget()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection, which is closed, and cancel its deadline; asyncio calls this method."""
        self._forget()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self._too_late)

    def _wait_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        self._all.complain(
            f"closed a connection of {self._address}: no complete request within {REQUEST_SECONDS:g} seconds"
        )
        self.transport.abort()

    def _forget(self) -> None:
        self._wait_no_more()
        if self._address is not None:
            self._all.leave(self._address)
            self._address = None


# -- sockets ---------------------------------------------------------------------------------------------------------


NOT_YOURS, TOO_MANY, NONSENSE = 4404, 4429, 4400
LATER = 1013
"""Close code after which the page tries again by itself."""
HOMES = {RESEARCHER: "/", PARTICIPANT: "/take", PILOT: "/pilot"}
"""The address that follows a round, by kind of people."""
MOST_NONSENSE = 5
"""Invalid messages after which a socket is closed."""


class SocketTab:
    """A browser tab in which a person plays a round; it implements `askwise.studio.room.Tab` by a web socket.

    Args:
        socket: the web socket.
        kind: the kind of person: ``researcher``, ``participant`` or ``pilot`` (a test participant).
        known: what a study adds to the page: a dict with the optional keys ``texts``, ``language``, ``heading`` and
            ``instructions`` (a list of pages).
    """

    def __init__(self, socket: WebSocket, kind: str, known: dict[str, Any]) -> None:
        self._socket = socket
        self.trusted = kind == RESEARCHER
        self.home = HOMES[kind]
        self.known = {"texts": package_texts("en"), "language": "en", "heading": "", "instructions": [], **known}

    async def tell(self, message: dict[str, Any]) -> None:
        """Send a message to the tab as JSON; do nothing if the socket is closed."""
        if self._socket.application_state == WebSocketState.CONNECTED:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self._socket.send_text(json.dumps(message))

    async def close(self, code: int, why: str) -> None:
        """Close the web socket; do nothing if it is closed already.

        Args:
            code: the close code of the web socket, which tells the page what to do.
            why: the reason in words.
        """
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            await self._socket.close(code, why)


async def play_socket(socket: WebSocket) -> None:
    """Serve the web socket of a browser tab in which a person plays a round, until the socket is closed.

    The address, ``/play/NAME/socket``, has the name of the round. The socket is closed at once if the round belongs to
    another person, or if too many sockets are open.
    """
    services: Services = socket.app.state.services
    await socket.accept()
    try:
        await _play(socket, services)
    except StoreFailed as error:
        log.error("%s", error)
        await socket.close(LATER, "the studio cannot read or save its data now")


async def _play(socket: WebSocket, services: Services) -> None:
    room = None
    for person in services.people(socket):
        with contextlib.suppress(Denied):
            room = services.room(socket.path_params["name"], person)
            break
    if room is None:
        log.warning("refused a socket: no such round, or it belongs to another person")
        await socket.close(NOT_YOURS, "no such round")
        return
    if services.sockets >= MOST_SOCKETS:
        log.warning("refused a socket: %d are already open", MOST_SOCKETS)
        await socket.close(TOO_MANY, "the studio is full")
        return
    tab = SocketTab(socket, person.kind, services.in_round(person, room.name))
    services.sockets += 1
    try:
        await room.join(tab)
        await _listen(socket, room, tab)
    except (WebSocketDisconnect, RuntimeError):
        pass  # closed, by either side
    finally:
        services.sockets -= 1
        room.leave(tab)


async def _listen(socket: WebSocket, room: Room, tab: SocketTab) -> None:
    rates = RateLimiter(MESSAGES_PER_SECOND, MOST_MESSAGES_AT_ONCE)
    nonsense = 0
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        if not rates.allow(""):
            log.warning("closed a socket: too many messages")
            await tab.close(TOO_MANY, "too many messages")
            return
        try:
            n, user_input, ms = read_message(message.get("text"))
        except AskwiseError as error:
            nonsense += 1
            log.warning("refused a message: %s", error)
            await tab.tell({"type": "refused", "n": len(room.log), "why": str(error), "state": room.state})
            if nonsense >= MOST_NONSENSE:
                await tab.close(NONSENSE, "too many invalid messages")
                return
            continue
        await room.play(n, user_input, ms)


def read_message(text: str | None) -> tuple[int, dict[str, Any], int | None]:
    """Check a browser's message in a round; return the number of an input, the input, and the person's time.

    The message is a JSON object:

    - ``n``: the number of the input, from 0;
    - ``input``: an object with one key, such as ``{"move": "EAST"}``; the key is ``move``, ``answer``, ``ask`` or
      ``stop``;
    - ``ms``: the person's time in milliseconds; None if left out.

    Raises:
        InputError: the message is not valid, or not text.
    """
    if text is None:
        raise InputError("message", "bytes", "JSON")
    given = Field("message", parse_json(text)).object(["n", "input"], ["ms"])
    user_input = given.child("input").object([], ["move", "answer", "ask", "stop"])
    if len(user_input.value) != 1:
        raise InputError("message.input", f"{len(user_input.value)} inputs", "one of move, answer, ask, stop")
    ms = given.child("ms").whole(0, 10**9) if given.has("ms") else None
    return given.child("n").whole(0, 10**9), dict(user_input.value), ms

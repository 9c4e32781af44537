"""The socket of a round: receives numbered inputs, and sends the view of the person's role."""

from __future__ import annotations

import contextlib
import json
import logging
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from askwise.errors import AskwiseError, InputError
from askwise.studio.room import Room
from askwise.studio.security import (
    MESSAGES_PER_SECOND,
    MOST_MESSAGES_AT_ONCE,
    MOST_SOCKETS,
    PARTICIPANT,
    PILOT,
    RESEARCHER,
    RateLimiter,
)
from askwise.studio.services import Denied, Services
from askwise.studio.store import StoreFailed
from askwise.studio.study.texts import package_texts
from askwise.text.data import parse_json
from askwise.text.reading import Field

log = logging.getLogger("askwise.studio")

NOT_YOURS, TOO_MANY, NONSENSE = 4404, 4429, 4400
LATER = 1013
"""Close code after which the page tries again by itself."""
HOMES = {RESEARCHER: "/", PARTICIPANT: "/take", PILOT: "/pilot"}
"""The address that follows a round, by kind of people."""
MOST_NONSENSE = 5
"""Invalid messages after which a socket is closed."""


class SocketTab:
    """A browser tab in which a round is played, connected by a web socket.

    It implements `askwise.studio.room.Tab`.

    Args:
        socket: the web socket.
        kind: who plays: ``researcher``, ``participant`` or ``pilot``.
        known: texts, language, heading and instructions of the study, for the page.
    """

    def __init__(self, socket: WebSocket, kind: str, known: dict[str, Any]) -> None:
        self._socket = socket
        self.trusted = kind == RESEARCHER
        self.home = HOMES[kind]
        self.known = {"texts": package_texts("en"), "language": "en", "heading": "", "instructions": [], **known}

    async def tell(self, message: dict[str, Any]) -> None:
        """Send a message as JSON; do nothing if the socket is closed."""
        if self._socket.application_state == WebSocketState.CONNECTED:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self._socket.send_text(json.dumps(message))

    async def close(self, code: int, why: str) -> None:
        """Close the socket with a close code and a reason in words."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            await self._socket.close(code, why)


async def play_socket(socket: WebSocket) -> None:
    """Serve the web socket of a browser tab until it is closed.

    The socket's address, ``/play/NAME/socket``, names a round; the inputs that the tab sends are applied to this round.
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
    """Return the number, the input and the time in a message from a browser: JSON with ``n``, ``input`` and ``ms``.

    The time is in milliseconds, None if the browser sent none.

    Args:
        text: the message; None if it was sent as bytes, which is refused.
    """
    if text is None:
        raise InputError("message", "bytes", "JSON")
    given = Field("message", parse_json(text)).object(["n", "input"], ["ms"])
    user_input = given.child("input").object([], ["move", "answer", "ask", "stop"])
    if len(user_input.value) != 1:
        raise InputError("message.input", f"{len(user_input.value)} inputs", "one of move, answer, ask, stop")
    ms = given.child("ms").whole(0, 10**9) if given.has("ms") else None
    return given.child("n").whole(0, 10**9), dict(user_input.value), ms

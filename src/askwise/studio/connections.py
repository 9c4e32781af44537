"""Connections that take too long or are too many: uvicorn itself waits for the end of a request as long as it takes."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from askwise.studio.security import MOST_CONNECTIONS, REQUEST_SECONDS, Rates

log = logging.getLogger("askwise.studio")

UNFINISHED = (h11.IDLE, h11.SEND_BODY)
"""States of a client that has not sent a whole request yet."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
A_MINUTE = 1 / 60


class Connections:
    """Counts the connections of each address, and complains at most once a minute about each kind of trouble.

    Args:
        most: how many one address may have at the same time, None for any number: all come from a proxy, say.
    """

    def __init__(self, most: int | None = MOST_CONNECTIONS) -> None:
        self._most, self._open = most, Counter[str]()
        self._complaints = Rates(A_MINUTE, 1)

    def protocol(self, *args: Any, **options: Any) -> asyncio.Protocol:
        """Return what handles one connection; uvicorn calls this for each."""
        return Patient(self, *args, **options)

    def enter(self, address: str) -> bool:
        """Count a new connection; False if its address has too many."""
        if self._most is not None and self._open[address] >= self._most:
            self.complain(f"refused a connection: {address} has {self._most} already")
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection that is gone."""
        self._open[address] -= 1
        if self._open[address] <= 0:
            del self._open[address]

    def complain(self, what: str) -> None:
        """Log a line, unless the same was logged a moment ago."""
        if self._complaints.allow(what):
            log.warning("%s (said once a minute at most)", what)

    def on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error of the event loop: one line where it cannot take connections, else as always."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            self.complain(f"no connection can be taken now: {error.strerror}")
        else:
            loop.default_exception_handler(context)


class Patient(H11Protocol):
    """A connection on which each request must arrive whole within `REQUEST_SECONDS`, headers and body."""

    def __init__(self, connections: Connections, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._all = connections
        self._address: str | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        address = self.client[0] if self.client else "?"
        if not self._all.enter(address):
            transport.abort()
            return
        self._address = address
        self._wait()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        if self._address is not None and self.conn.their_state in UNFINISHED:
            self._wait()
        else:
            self._wait_no_more()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """See `H11Protocol`; from now on the connection is a socket, and counted as one."""
        self._forget()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
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
        self._all.complain(f"closed a connection of {self._address}: no whole request in {REQUEST_SECONDS:g} seconds")
        self.transport.abort()

    def _forget(self) -> None:
        self._wait_no_more()
        if self._address is not None:
            self._all.leave(self._address)
            self._address = None

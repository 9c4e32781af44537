"""Limits on connections: uvicorn alone would wait for the end of a request forever, and accept any number."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from askwise.studio.security import MOST_CONNECTIONS, REQUEST_SECONDS, RateLimiter

log = logging.getLogger("askwise.studio")

UNFINISHED = (h11.IDLE, h11.SEND_BODY)
"""States of a client that has not sent a complete request yet."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
A_MINUTE = 1 / 60


class Connections:
    """Counts the open connections of each address, and logs the same message at most once a minute.

    Args:
        most: largest number of connections from one address; None for any number, for instance behind a proxy.
    """

    def __init__(self, most: int | None = MOST_CONNECTIONS) -> None:
        self._most, self._open = most, Counter[str]()
        self._complaints = RateLimiter(A_MINUTE, 1)

    def protocol(self, *args: Any, **options: Any) -> asyncio.Protocol:
        """Return the protocol object for one new connection.

        uvicorn calls this method for each connection, with its own arguments.
        """
        return TimedConnection(self, *args, **options)

    def enter(self, address: str) -> bool:
        """Count a new connection and return True; return False, without counting it, if its address has too many."""
        if self._most is not None and self._open[address] >= self._most:
            self.complain(f"refused a connection: {address} has {self._most} already")
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Stop counting a connection of this address, because it was closed."""
        self._open[address] -= 1
        if self._open[address] <= 0:
            del self._open[address]

    def complain(self, what: str) -> None:
        """Log `what`, a line of text, unless the same line was logged less than a minute ago."""
        if self._complaints.allow(what):
            log.warning("%s (logged at most once a minute)", what)

    def on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an error of the event loop; asyncio calls this for exceptions that are not caught elsewhere.

        The error that the system cannot accept more connections is logged as one line, without a traceback, and at most
        once a minute. All other errors go to asyncio's default handler.
        """
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            self.complain(f"cannot accept connections now: {error.strerror}")
        else:
            loop.default_exception_handler(context)


class TimedConnection(H11Protocol):
    """A connection on which each request, headers and body, must arrive within `REQUEST_SECONDS`."""

    def __init__(self, connections: Connections, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._all = connections
        self._address: str | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection and start the deadline of its first request, or close it if its address has too many."""
        super().connection_made(transport)
        address = self.client[0] if self.client else "?"
        if not self._all.enter(address):
            transport.abort()
            return
        self._address = address
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process received bytes; a complete request cancels the deadline, an incomplete request keeps or starts it."""
        super().data_received(data)
        if self._address is not None and self.conn.their_state in UNFINISHED:
            self._wait()
        else:
            self._wait_no_more()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Cancel the deadline and stop counting the connection, which becomes a web socket and is counted elsewhere."""
        self._forget()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection, and cancel its deadline."""
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

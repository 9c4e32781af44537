"""Incomplete requests, too many connections, and their log lines, with a simulated clock."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from askwise.studio import server
from askwise.studio.connections import Connections
from askwise.studio.security import MOST_CONNECTIONS, REQUEST_SECONDS
from askwise.studio.server import ServerOptions, _listening

WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers nothing."""


CONFIG = Config(app=app, interface="asgi3", ws="none", log_level="warning")


class Timer:
    """A scheduled call."""

    def __init__(self, seconds: float, call: Callable[[], Any]) -> None:
        self.seconds, self.call, self.cancelled = seconds, call, False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """An event loop that does not run scheduled calls by itself."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, call: Callable[[], Any]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def create_task(self, coroutine: Any) -> Any:
        coroutine.close()
        return Mock()

    def due(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.cancelled]


class Line(asyncio.Transport):
    """A transport without a network."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1), "sockname": ("127.0.0.1", 2)})
        self.open = True

    def abort(self) -> None:
        self.open = False

    def close(self) -> None:
        self.open = False


def connected(connections: Connections, address: str = "10.0.0.1") -> tuple[Any, Line, Loop]:
    loop, line = Loop(), Line(address)
    made: Any = connections.protocol(config=CONFIG, server_state=ServerState(), app_state={}, _loop=loop)
    made.connection_made(line)
    return made, line, loop


@pytest.mark.parametrize("sent", [b"", b"GET / HT", WHOLE[:-2], HALF])
def test_what_is_not_whole_in_time_is_closed(sent: bytes) -> None:
    made, line, loop = connected(Connections())
    for byte in sent:  # each in its own packet, which buys no time
        made.data_received(bytes([byte]))
    (timer,) = loop.due()
    assert (timer.seconds, line.open) == (REQUEST_SECONDS, True)
    timer.call()
    assert not line.open


def test_a_whole_request_has_all_the_time_for_its_answer() -> None:
    made, line, loop = connected(Connections())
    made.data_received(WHOLE)
    assert (loop.due(), line.open) == ([], True)


def test_one_address_has_so_many_and_others_are_not_disturbed(caplog: pytest.LogCaptureFixture) -> None:
    connections = Connections(most=2)
    first, *_ = connected(connections)
    assert connected(connections)[1].open
    with caplog.at_level(logging.WARNING, "askwise.studio"):
        refused = [connected(connections) for _ in range(100)]
    assert not any(line.open for _, line, _ in refused)
    assert [each.getMessage() for each in caplog.records] == [
        "refused a connection: 10.0.0.1 has 2 already (logged at most once a minute)"
    ]
    assert connected(connections, "10.0.0.2")[1].open
    for made, _, _ in refused:
        made.connection_lost(None)  # those that never counted
    assert not connected(connections)[1].open
    first.connection_lost(None)
    assert connected(connections)[1].open


def test_the_limits_are_those_that_the_documentation_states() -> None:
    assert (REQUEST_SECONDS, MOST_CONNECTIONS) == (30, 500)
    connections = Connections()
    assert [connections.enter("10.0.0.1") for _ in range(501)] == [*[True] * 500, False]


def test_behind_a_proxy_all_come_from_one_address() -> None:
    connections = Connections(most=None)
    assert all(connected(connections)[1].open for _ in range(600))


@pytest.mark.parametrize(("url", "most"), [(None, 500), ("https://lab.example", None)])
def test_connections_are_counted_without_a_proxy_only(
    url: str | None, most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[Connections] = []

    async def run(_: object, connections: Connections, *__: object) -> None:
        used.append(connections)

    monkeypatch.setattr(server, "_run", run)
    server.serve(ServerOptions(out=str(tmp_path), port=0, url=url, browse=False))
    assert [each._most for each in used] == [most]


def test_out_of_descriptors_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    connections, loop = Connections(), asyncio.new_event_loop()
    full = OSError(errno.EMFILE, "Too many open files")
    for _ in range(1000):
        connections.on_error(loop, {"message": "socket.accept() out of system resource", "exception": full})
    assert [each.getMessage() for each in caplog.records] == [
        "cannot accept connections now: Too many open files (logged at most once a minute)"
    ]
    connections.on_error(loop, {"message": "something else", "exception": ValueError("x")})
    assert caplog.records[-1].getMessage().startswith("something else"), "told as always"
    loop.close()


def test_small_answers_are_sent_at_once() -> None:
    async def accepted() -> int:
        options: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            taken = writer.get_extra_info("socket")
            options.set_result(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with _listening(ServerOptions(port=0)) as listener:
            async with await asyncio.start_server(take, sock=listener):
                _, writer = await asyncio.open_connection(*listener.getsockname())
                found = await options
                writer.close()
        return found

    assert asyncio.run(accepted()) != 0

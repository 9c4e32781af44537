"""The processes in which rounds are played, as the server's event loop sees them.

Each round belongs to one process, by its name. A process that dies (a method crashed it, or took longer than it may) is
replaced; whoever caused it is told why, everybody else's round is opened again in the new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import zlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from queue import SimpleQueue
from typing import Any

from askwise.watching.limits import Limits
from askwise.watching.process import Watched

MODULE = "askwise.studio.thinking.child"
Reply = dict[str, Any]


class Pool:
    """Processes that play rounds.

    Args:
        size: how many.
        limits: what one decision may take; a round as a whole has no limit, people think as long as they like.
    """

    def __init__(self, size: int, limits: Limits) -> None:
        self._loop = asyncio.get_running_loop()
        self._workers = [_Worker(self._loop, limits) for _ in range(size)]

    async def replies(self, name: str, request: dict[str, Any]) -> AsyncIterator[Reply]:
        """Iterate over the replies to a request about a round."""
        worker = self._workers[zlib.crc32(name.encode()) % len(self._workers)]
        queue = worker.send({"id": name, **request})
        while True:
            reply = await queue.get()
            yield reply
            if reply.get("done"):
                return

    async def reply(self, name: str, request: dict[str, Any]) -> Reply:
        """Return the last reply to a request, with all that came before it."""
        whole: Reply = {}
        async for reply in self.replies(name, request):
            whole.update(reply)
        return whole

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.close()


class _Worker:
    """One process, and the threads that talk to it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits) -> None:
        self._loop, self._limits = loop, limits
        self._waiting: OrderedDict[int, asyncio.Queue[Reply]] = OrderedDict()
        self._count = 0
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._process = Watched(MODULE, [], self._limits, apart=True, pipes=True)
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        for task in (self._write, self._read):
            threading.Thread(target=task, args=(self._process, self._outgoing), daemon=True).start()

    def send(self, request: dict[str, Any]) -> asyncio.Queue[Reply]:
        """Send a request; its replies come in the queue."""
        self._count += 1
        queue: asyncio.Queue[Reply] = asyncio.Queue()
        self._waiting[self._count] = queue
        self._outgoing.put(json.dumps({"k": self._count, **request}).encode() + b"\n")
        return queue

    def _write(self, process: Watched, outgoing: SimpleQueue[bytes | None]) -> None:
        stream = process.streams[0]
        with contextlib.suppress(OSError, ValueError):  # it died: the reader says so
            while (line := outgoing.get()) is not None:
                stream.write(line)
                stream.flush()

    def _read(self, process: Watched, outgoing: SimpleQueue[bytes | None]) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in process.streams[1]:
                self._tell(self._arrived, json.loads(line))
        outgoing.put(None)
        if not self._closed:
            why = process.end_in_words()
            process.close()
            self._tell(self._died, why)

    def _tell(self, call: Any, *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the server is gone
            self._loop.call_soon_threadsafe(call, *arguments)

    def _arrived(self, reply: Reply) -> None:
        queue = self._waiting.get(reply["k"])
        if queue is not None:
            queue.put_nowait(reply)
        if reply.get("done"):
            self._waiting.pop(reply["k"], None)

    def _died(self, why: str) -> None:
        """Begin again; the first request that was not answered is the one that it was at."""
        waiting, self._waiting = list(self._waiting.values()), OrderedDict()
        for number, queue in enumerate(waiting):
            queue.put_nowait({"failed": why, "done": True} if number == 0 else {"missing": True, "done": True})
        if not self._closed:
            self._begin()

    def close(self) -> None:
        self._closed = True
        self._outgoing.put(None)
        self._process.close()

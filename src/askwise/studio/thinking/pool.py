"""The processes in which rounds are played, as the server's event loop sees them.

Each round belongs to one process, by its name. A process that dies (a method crashed it, or took longer than it may) is
replaced; whoever caused it is told why, everybody else's round is opened again in the new one.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import OrderedDict
from typing import Any

from askwise.studio.thinking.lines import lines_of
from askwise.workers.limits import Limits
from askwise.workers.process import SupervisedProcess

MODULE = "askwise.studio.thinking.child"
Reply = dict[str, Any]


class Replies:
    """The replies to one request, as they come; the last has ``done``."""

    def __init__(self, queue: asyncio.Queue[Reply]) -> None:
        self._queue = queue
        self._over = False

    @property
    def ready(self) -> bool:
        """Whether the next one has come already."""
        return not self._queue.empty()

    def __aiter__(self) -> Replies:
        return self

    async def __anext__(self) -> Reply:
        if self._over:
            raise StopAsyncIteration
        reply = await self._queue.get()
        self._over = bool(reply.get("done"))
        return reply


class Pool:
    """Processes that play rounds.

    Args:
        size: how many.
        limits: what one decision may take; a round as a whole has no limit, people think as long as they like.
    """

    def __init__(self, size: int, limits: Limits) -> None:
        self.limits = limits
        self._workers = [_Worker(limits) for _ in range(size)]

    def replies(self, name: str, request: dict[str, Any]) -> Replies:
        """Send a request about a round; return its replies."""
        worker = self._workers[zlib.crc32(name.encode()) % len(self._workers)]
        return Replies(worker.send({"id": name, **request}))

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
    """One process, and who waits for its replies."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: OrderedDict[int, asyncio.Queue[Reply]] = OrderedDict()
        self._count = 0
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        process = SupervisedProcess(MODULE, [], self._limits, apart=True, pipes=True)
        self._lines = lines_of(process, self._arrived, self._died)

    def send(self, request: dict[str, Any]) -> asyncio.Queue[Reply]:
        """Send a request; its replies come in the queue."""
        self._count += 1
        queue: asyncio.Queue[Reply] = asyncio.Queue()
        self._waiting[self._count] = queue
        self._lines.send(json.dumps({"k": self._count, **request}).encode() + b"\n")
        return queue

    def _arrived(self, line: bytes) -> None:
        reply = json.loads(line)
        queue = self._waiting.get(reply["k"])
        if queue is not None:
            queue.put_nowait(reply)
        if reply.get("done"):
            self._waiting.pop(reply["k"], None)

    def _died(self, why: str) -> None:
        """Begin again; the first request that was not answered is the one that it was at."""
        waiting, self._waiting = list(self._waiting.values()), OrderedDict()
        for number, queue in enumerate(waiting):  # they go on when this is over, and must even if nothing can begin
            queue.put_nowait({"failed": why, "done": True} if number == 0 else {"missing": True, "done": True})
        if not self._closed:
            self._begin()

    def close(self) -> None:
        self._closed = True
        self._lines.close()

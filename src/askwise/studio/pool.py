"""The worker processes in which rounds are played, as the server's event loop sees them.

Each round belongs to one worker, by its name, and each worker to a thread that sends it one request after the other. A
worker that dies (a method crashed it, or took too long) is replaced. The request that it was answering fails; other
rounds are opened again in the new worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import zlib
from queue import SimpleQueue
from typing import Any

from askwise.workers import pool
from askwise.workers.child import Refused
from askwise.workers.limits import Limits
from askwise.workers.pool import RunEnded, Worker, WorkerDied, WorkersGone

SERVICE = "askwise.studio.round_service:answer"
Reply = dict[str, Any]


class Replies:
    """The replies to one request, as they arrive in a queue; the last has ``done``."""

    def __init__(self, queue: asyncio.Queue[Reply]) -> None:
        self._queue = queue
        self._over = False

    @property
    def ready(self) -> bool:
        """Whether the next reply has arrived already."""
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
    """Workers that play rounds.

    Args:
        size: the number of workers.
        limits: the limit for one decision; a round as a whole has none, people think as long as they like.
    """

    def __init__(self, size: int, limits: Limits) -> None:
        self.limits = limits
        self._run = pool.new_run()
        self._lanes = [_Lane(self._run, limits) for _ in range(size)]

    def replies(self, name: str, request: dict[str, Any]) -> Replies:
        """Send a request about a round; return its replies."""
        lane = self._lanes[zlib.crc32(name.encode()) % len(self._lanes)]
        waiting = _Waiting({"id": name, **request}, asyncio.get_running_loop())
        lane.requests.put(waiting)
        return Replies(waiting.queue)

    async def reply(self, name: str, request: dict[str, Any]) -> Reply:
        """Return the last reply to a request, with the contents of those before it."""
        whole: Reply = {}
        async for reply in self.replies(name, request):
            whole.update(reply)
        return whole

    def close(self) -> None:
        """End all workers."""
        for lane in self._lanes:
            lane.requests.put(None)
        pool.end(self._run)
        for lane in self._lanes:
            lane.thread.join()


class _Waiting:
    """A request, and the queue in which the event loop waits for its replies."""

    def __init__(self, request: dict[str, Any], loop: asyncio.AbstractEventLoop) -> None:
        self.request, self._loop = request, loop
        self.queue: asyncio.Queue[Reply] = asyncio.Queue()

    def deliver(self, reply: Reply) -> None:
        with contextlib.suppress(RuntimeError):  # the server is gone
            self._loop.call_soon_threadsafe(self.queue.put_nowait, reply)


class _Lane:
    """A thread with a worker, and the requests that wait for it."""

    def __init__(self, run: str, limits: Limits) -> None:
        self._run, self._limits = run, limits
        self.requests: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._current: _Waiting | None = None
        self.thread = threading.Thread(target=self._work, name="askwise-studio", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        is_open = True
        while is_open:
            try:
                with pool.borrowed(self._run, SERVICE, self._limits, idle_seconds=threading.TIMEOUT_MAX) as worker:
                    is_open = self._answer(worker)
            except RunEnded:
                is_open = False
            except (WorkerDied, WorkersGone, Refused) as error:
                failed = self._current or self.requests.get()
                if failed is None:
                    return
                failed.deliver({"failed": str(error), "done": True})
                self._current = None

    def _answer(self, worker: Worker) -> bool:
        """Answer requests; return False when there are no more, True if the worker died before the current one."""
        while True:
            self._current = self._current or self.requests.get()
            if self._current is None:
                return False
            if worker.is_gone():
                return True
            for reply in worker.replies(self._current.request):
                self._current.deliver(reply)
            self._current = None

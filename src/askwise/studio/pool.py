"""The worker processes in which rounds (episodes that people play) run, and how the server sends them requests.

The name of a round determines its worker process, which handles one request at a time. A process that crashes or takes
too long is replaced. The request in progress then fails; other rounds are opened again in the new process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

from askwise.workers import pool
from askwise.workers.heartbeat import Limits
from askwise.workers.pool import RunEnded, WorkerDied, WorkerProcess, WorkersGone
from askwise.workers.process import RequestRefused

if TYPE_CHECKING:
    from askwise.studio.round_service import RoundService

SERVICE = f"{__name__}:answer"
Reply = dict[str, Any]


class Replies:
    """An asynchronous iterator over the replies of a worker process to one request.

    The last reply has the key ``done``.

    Args:
        queue: the queue into which the replies are put when they arrive.
    """

    def __init__(self, queue: asyncio.Queue[Reply]) -> None:
        self._queue = queue
        self._over = False

    @property
    def ready(self) -> bool:
        """Whether the next reply has already arrived."""
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
    """A fixed number of worker processes in which rounds (episodes that people play) run.

    Args:
        size: the number of worker processes.
        limits: each process's limits on memory and on the time of one decision of a method.
    """

    def __init__(self, size: int, limits: Limits) -> None:
        self.limits = limits
        self._run = pool.new_run()
        self._threads = [ThreadPoolExecutor(1, "askwise-studio") for _ in range(size)]
        for number, thread in enumerate(self._threads):
            thread.submit(self._start, number)

    def replies(self, name: str, request: dict[str, Any]) -> Replies:
        """Send a request to the worker process of the round `name`; return its replies as they arrive.

        `askwise.studio.round_service.RoundService.replies` lists requests and replies. If the process dies, the last
        reply has the reason under ``failed``.
        """
        queue: asyncio.Queue[Reply] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def deliver(reply: Reply) -> None:
            with contextlib.suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(queue.put_nowait, reply)

        number = zlib.crc32(name.encode()) % len(self._threads)
        with contextlib.suppress(RuntimeError):  # the studio is closing
            self._threads[number].submit(self._answer, number, {"id": name, **request}, deliver)
        return Replies(queue)

    async def reply(self, name: str, request: dict[str, Any]) -> Reply:
        """Send a request to the worker process of the round `name`; wait for all replies, and return them as one dict.

        `askwise.studio.round_service.RoundService.replies` lists requests and replies. Later replies override earlier
        ones. If the process dies, the reason is under ``failed``.
        """
        whole: Reply = {}
        async for reply in self.replies(name, request):
            whole.update(reply)
        return whole

    def close(self) -> None:
        """End all worker processes; requests that are not answered yet get no reply."""
        pool.end(self._run)
        for thread in self._threads:
            thread.shutdown(cancel_futures=True)

    def _worker(self, number: int) -> AbstractContextManager[WorkerProcess]:
        return pool.borrowed(self._run, SERVICE, self.limits, f"worker {number}", reserved=True)

    def _start(self, number: int) -> None:
        with self._worker(number):
            pass

    def _answer(self, number: int, request: dict[str, Any], deliver: Callable[[Reply], None]) -> None:
        try:
            with self._worker(number) as worker:
                for reply in worker.replies(request):
                    deliver(reply)
        except RunEnded:
            pass  # no reply: the round has not failed, and resumes when the studio is started again
        except (WorkerDied, WorkersGone, RequestRefused) as error:
            deliver({"failed": str(error), "done": True})


def answer(request: dict[str, Any]) -> Iterator[Reply]:
    """Yield the replies to a request; this function runs in the worker process.

    `askwise.studio.round_service.RoundService.replies` lists requests and replies.
    """
    return _service().replies(request)


@cache
def _service() -> RoundService:
    # Every planner reserves megabytes and uses few of them. As huge pages, all would be allocated and cleared
    # for every round. numpy reads this when it is loaded.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    from askwise.studio.round_service import RoundService

    return RoundService()

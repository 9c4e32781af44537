"""The studio's workers: ordered replies, replacement of a dead worker, and an end with the studio."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from askwise.studio import pool
from askwise.studio.pool import Pool
from askwise.workers import pool as processes
from askwise.workers.heartbeat import Limits
from tests.studies.commands import is_alive

PATIENCE = 60


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    """A pool of one worker with a service of the tests."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    monkeypatch.setattr(pool, "SERVICE", "tests.workers.services:rounds")
    made = Pool(1, Limits())
    yield made
    made.close()


def test_replies_come_one_by_one_and_together(one: Pool) -> None:
    async def ask() -> None:
        several = [reply async for reply in one.replies("a", {})]
        assert [sorted(reply) for reply in several] == [["pid"], ["done", "last"]]
        whole = await one.reply("b", {})
        assert whole == {"pid": several[0]["pid"], "last": "b", "done": True}

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))


def test_who_ends_a_worker_is_told_and_all_others_are_answered_by_a_new_one(one: Pool) -> None:
    async def ask() -> None:
        before = await one.reply("a", {})
        died, after = await asyncio.gather(one.reply("b", {"dies": True}), one.reply("c", {}))
        assert died == {"failed": "its process ended itself (exit code 3)", "done": True}
        assert after["last"] == "c"
        assert after["pid"] != before["pid"]

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))


def test_a_worker_that_died_without_work_is_replaced_and_no_request_fails(one: Pool) -> None:
    async def ask() -> None:
        before = await one.reply("a", {})
        while not (idle := [worker for worker in processes._idle if worker.pid == before["pid"]]):
            await asyncio.sleep(0.01)
        os.kill(before["pid"], signal.SIGKILL)
        while not idle[0].is_gone():
            await asyncio.sleep(0.01)
        assert (await one.reply("b", {}))["last"] == "b"

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))


def test_while_no_worker_can_be_started_requests_fail(one: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        await one.reply("a", {})
        monkeypatch.setenv("BROKEN_SERVICE", "1")
        await one.reply("b", {"dies": True})
        failed = "worker processes cannot be started (its process ended itself (exit code 1))"
        assert await one.reply("c", {}) == {"failed": failed, "done": True}
        monkeypatch.delenv("BROKEN_SERVICE")
        assert (await one.reply("d", {}))["last"] == "d"

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))


def test_workers_end_with_the_pool_and_no_round_fails_for_that(one: Pool) -> None:
    """A reply about the worker's end would mark the round as failed."""

    async def ask() -> int:
        replies = one.replies("a", {"hangs": True})
        pid: int = (await anext(replies))["pid"]
        waits = one.replies("b", {})
        one.close()
        after = one.replies("c", {})
        await asyncio.sleep(0.1)
        assert [each.ready for each in (replies, waits, after)] == [False] * 3
        return pid

    pid = asyncio.run(asyncio.wait_for(ask(), PATIENCE))
    assert not is_alive(pid)
    assert all(worker.pid != pid for worker in [*processes._idle, *processes._busy])

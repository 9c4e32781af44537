"""A room without a server: messages to the tab when the round cannot be opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from askwise.studio.room import Room
from askwise.studio.store import StudioStore, insert_round


class Broken:
    """A pool that opens no round; it records its requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def reply(self, _: str, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request["op"])
        return {"failed": "its process ended itself"}

    def replies(self, _: str, request: dict[str, Any]) -> Any:
        raise AssertionError(f"asked to {request['op']} in a round that is not open")


class Heard:
    """The researcher's tab; it records its messages."""

    trusted = True
    home = "/"

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.known: dict[str, Any] = {}

    async def tell(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    async def close(self, code: int, why: str) -> None:
        raise AssertionError(why)


@pytest.fixture
def room(tmp_path: Path) -> Any:
    store, pool = StudioStore(tmp_path), Broken()
    store.write_now(*insert_round("r", "me", {"a": 1}, {"role": "ego"}, "Kitchen"))
    yield Room(store, pool, "r", {"role": "ego"}, "digest", {"a": 1}, tab=Heard())  # type: ignore[arg-type]
    store.close()


Visit = Callable[[Room], Coroutine[Any, Any, None]]
VISITS: dict[str, Visit] = {
    "joins": lambda room: room.join(Heard()),
    "acts": lambda room: room.play(0, {"move": "EAST"}),
}


@pytest.mark.parametrize("first", VISITS)
@pytest.mark.parametrize("then", VISITS)
def test_nothing_is_played_or_shown_in_a_round_that_could_not_be_opened(room: Any, first: str, then: str) -> None:
    """A failed round stays failed: each visit gets only that message, and the pool gets no further request."""
    for visit in (first, then):
        room.tab = None if visit == "joins" else Heard()
        asyncio.run(VISITS[visit](room))
        assert room.tab.messages == [{"type": "failed", "why": "failed: its process ended itself"}]
    assert room.pool.asked == ["open"]
    assert room.store.read("SELECT end FROM rounds") == [("failed: its process ended itself",)]
    assert room.store.read("SELECT count(*) FROM events") == [(0,)]

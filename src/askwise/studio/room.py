"""How long people wait for the studio: from a message's arrival to its acknowledgement, and to the next turn.

A room: one round, and the tab in which it is played.

Deeds are numbered. Deed ``n`` of a round is done once, whoever sends it how often: a tab that does not know whether its
last message arrived sends it again and is told where the round is. A deed is on the disk before anybody is told of it.
The newest tab wins: the one before it is told so, and closed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from askwise.studio.pool import Pool
from askwise.studio.store import StoreFailed, StudioStore, adding_event, ending_round

KEPT = 100_000


@dataclass
class Times:
    """The latest times, in seconds.

    Attributes:
        kept: until a deed was on the disk and its tab was told.
        turn: until the method had decided, too.
    """

    kept: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))
    turn: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def summary(self) -> dict[str, dict[str, float]]:
        """Return how many there are, and their quantiles, in milliseconds."""
        return {name: _quantiles(list(times)) for name, times in (("kept", self.kept), ("turn", self.turn))}


def _quantiles(times: list[float]) -> dict[str, float]:
    if not times:
        return {"count": 0}
    p50, p95, p99 = np.quantile(times, [0.5, 0.95, 0.99]) * 1000
    return {"count": len(times), "p50": float(p50), "p95": float(p95), "p99": float(p99), "max": 1000 * max(times)}


log = logging.getLogger("askwise.studio")

FAILED = "failed"


class Tab(Protocol):
    """A connection to a browser's tab."""

    @property
    def trusted(self) -> bool:
        """Whether it is the researcher's, who may know why something failed."""

    @property
    def home(self) -> str:
        """The page that its person continues at after the round."""

    async def tell(self, message: dict[str, Any]) -> None:
        """Send a message; one that is gone hears nothing."""

    async def close(self, code: int, why: str) -> None:
        """Close it."""


REPLACED = 4001
"""The code with which a tab is closed that another has taken the place of."""


@dataclass
class Room:
    """One round.

    Attributes:
        name: of the round.
        setup: how it is played.
        problem: the digest of the problem.
        contents: the problem, as its file has it.
        log: all deeds so far, with what came of each.
        end: how it ended, None while it goes on.
        state: what the person may see now, None before the round was opened.
        board: the same, of what does not change.
        times: where it is noted how long people wait.
    """

    store: StudioStore
    pool: Pool
    name: str
    setup: dict[str, Any]
    problem: str
    contents: Any
    log: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    end: str | None = None
    state: dict[str, Any] | None = None
    board: dict[str, Any] | None = None
    trails: dict[str, Any] | None = None
    tab: Tab | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    times: Times = field(default_factory=Times)

    # -- tabs -----------------------------------------------------------------------------------------------------

    async def join(self, tab: Tab) -> None:
        """Let a tab in; the one that was there before goes."""
        before, self.tab = self.tab, tab
        if before is not None:
            await before.close(REPLACED, "opened in another tab")
        async with self.lock:
            if not await self._opened():
                return
            await tab.tell(self._whole(tab))

    def leave(self, tab: Tab) -> None:
        """Forget a tab that is gone."""
        if self.tab is tab:
            self.tab = None

    async def _tell(self, message: dict[str, Any]) -> None:
        if self.tab is not None:
            await self.tab.tell(message)

    def _whole(self, tab: Tab) -> dict[str, Any]:
        known = {"board": self.board, "state": self.state, "trails": self.trails}
        return {"type": "board", "n": len(self.log), "participant": not tab.trusted, "home": tab.home, **known}

    # -- playing --------------------------------------------------------------------------------------------------

    async def open(self) -> dict[str, Any]:
        """Open the round where it is played; return the reply."""
        request = {"op": "open", "setup": self.setup, "problem": self.problem, "contents": self.contents}
        return await self.pool.reply(self.name, {**request, "log": self.log})

    async def _opened(self, *, again: bool = False) -> bool:
        """See to it that the round is open; False if it failed, which the tab is told."""
        if self.end is not None and self.end.startswith(FAILED):
            await self._tell_failure()
            return False
        if self.state is not None and not again:
            return True
        for _ in range(3):  # a process that died for somebody else's sake is tried again
            reply = await self.open()
            if "missing" not in reply:
                break
        if "board" in reply:
            self.board, self.state, self.trails = reply["board"], reply["state"], reply["trails"]
            return True
        await self._failed(reply.get(FAILED) or reply.get("refused") or "it could not be opened")
        return False

    async def deed(self, n: int, deed: Any) -> None:
        """Do a deed, once; tell the tab what came of it, and then what the round waits for."""
        async with self.lock:
            try:
                await self._done(n, deed)
            except StoreFailed as error:  # the deed is not done: it may be sent again
                log.error("round %s: %s", self.name, error)
                await self._tell({"type": "refused", "n": len(self.log), "why": error.sentence, "state": self.state})

    async def _done(self, n: int, deed: Any) -> None:
        if not await self._opened():
            return
        if n != len(self.log):
            done = n < len(self.log) and self.log[n][0] == deed
            await self._tell({"type": "state" if done else "behind", "n": len(self.log), "state": self.state})
            return
        for _ in range(3):
            if not await self._played(n, deed):
                return
            if not await self._opened(again=True):  # its process is another one now
                return
        await self._failed("its process dies again and again")

    async def _played(self, n: int, deed: Any) -> bool:
        """Play a deed; True if the round has to be opened again for that."""
        kept, told, began = False, False, time.perf_counter()
        replies = self.pool.replies(self.name, {"op": "do", "n": n, "deed": deed})
        async for reply in replies:
            if "state" not in reply:
                return await self._not_played(reply, kept=kept)
            if "outcome" in reply:
                await self._keep(n, deed, reply)
                self._walk(reply["state"])
                kept = True
            self.state = reply["state"]
            if replies.ready:  # the robot has decided while the deed went to the disk: one message tells both
                continue
            await self._tell({"type": "state", "n": len(self.log), "state": self.state})
            taken = time.perf_counter() - began
            if not told:
                self.times.kept.append(taken)
                told = True
            if reply.get("done"):
                self.times.turn.append(taken)
        return False

    async def _not_played(self, reply: dict[str, Any], *, kept: bool) -> bool:
        """Tell what went wrong; True if the round has to be opened again for the deed."""
        if "missing" in reply and kept:  # the deed is done: what is missing is what the robot decides then
            if await self._opened(again=True):
                await self._tell({"type": "state", "n": len(self.log), "state": self.state})
        elif "missing" in reply:
            return True
        elif "refused" in reply:
            await self._tell({"type": "refused", "n": len(self.log), "why": reply["refused"], "state": self.state})
        else:
            await self._failed(reply[FAILED])
        return False

    async def _keep(self, n: int, deed: Any, reply: dict[str, Any]) -> None:
        """Write a deed to the disk; the round counts as over only after that."""
        statements, end = [adding_event(self.name, n, deed, reply["outcome"])], None
        if reply["state"]["phase"] == "over":
            result = reply["state"]["result"]
            end = "finished" if result["finished"] else "stopped" if result["stopped"] else "cut off"
            statements.append(ending_round(self.name, end))
        await self.store.write(*statements)
        self.log.append((deed, reply["outcome"]))
        self.end = end

    def _walk(self, state: dict[str, Any]) -> None:
        if self.trails is not None:
            for who, places in self.trails.items():
                places.append(state[who]["at"])

    async def _failed(self, why: str) -> None:
        log.error("round %s failed: %s", self.name, why)
        end = f"{FAILED}: {why}"
        await self.store.write(ending_round(self.name, end))
        self.end = end
        await self._tell_failure()

    async def _tell_failure(self) -> None:
        known = self.tab is not None and self.tab.trusted
        await self._tell({"type": FAILED, "why": self.end if known else "the other side cannot go on"})

    # -- afterwards -----------------------------------------------------------------------------------------------

    async def asked(self, op: str) -> dict[str, Any]:
        """Return what the process says about the round: ``trace`` or ``review``."""
        async with self.lock:
            for _ in range(3):
                reply = await self.pool.reply(self.name, {"op": op, "n": len(self.log)})
                if "missing" not in reply:
                    return reply
                await self.open()
        return {FAILED: "its process dies again and again"}


def read_room(store: StudioStore, pool: Pool, name: str) -> tuple[Room, str] | None:
    """Return a round as the store has it, and its owner; None if there is none."""
    found = "SELECT owner, problem, setup, end, contents FROM rounds JOIN problems ON digest = problem WHERE id = ?"
    rows = store.read(found, (name,))
    if not rows:
        return None
    owner, problem, setup, end, contents = rows[0]
    deeds = store.read("SELECT deed, outcome FROM events WHERE round = ? ORDER BY n", (name,))
    log = [(store.json(deed), store.json(outcome)) for deed, outcome in deeds]
    return Room(store, pool, name, store.json(setup), problem, store.json(contents), log, end), owner

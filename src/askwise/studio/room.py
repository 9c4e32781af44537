"""A room: one round and the browser tab in which it is played.

Input ``n`` of a round is applied once, however often it arrives: a tab that is in doubt sends its last message again.
An input is on disk before the tab gets an answer. A second tab replaces the first one.
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
from askwise.studio.store import StoreFailed, StudioStore, insert_event, update_end

KEPT = 100_000


@dataclass
class WaitingTimes:
    """The times that people recently waited after an input, in seconds.

    Attributes:
        kept: until the input was on disk and the browser tab had the new state.
        turn: until the method had decided.
    """

    kept: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))
    turn: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def summary(self) -> dict[str, dict[str, float]]:
        """Return statistics of the times `kept` and `turn`, in milliseconds.

        Each of these keys has a dict with ``count`` and, unless the count is 0, the percentiles ``p50``, ``p95`` and
        ``p99``, and ``max``.
        """
        return {name: _quantiles(list(times)) for name, times in (("kept", self.kept), ("turn", self.turn))}


def _quantiles(times: list[float]) -> dict[str, float]:
    if not times:
        return {"count": 0}
    p50, p95, p99 = np.quantile(times, [0.5, 0.95, 0.99]) * 1000
    return {"count": len(times), "p50": float(p50), "p95": float(p95), "p99": float(p99), "max": 1000 * max(times)}


log = logging.getLogger("askwise.studio")

FAILED = "failed"


class Tab(Protocol):
    """The interface of the connection to a browser tab in which a person plays a round.

    `askwise.studio.connections.SocketTab` implements it.
    """

    @property
    def trusted(self) -> bool:
        """Whether the person in the tab is the researcher, who may read why a round has failed."""

    @property
    def home(self) -> str:
        """The address of the page to which the tab goes after the round."""

    @property
    def known(self) -> dict[str, Any]:
        """What the page needs besides the round: ``texts``, ``language``, ``heading`` and ``instructions``.

        A study provides the values of these keys. Without a study, the texts are English, and heading and instructions
        are empty.
        """

    async def tell(self, message: dict[str, Any]) -> None:
        """Send a message; do nothing if the tab is gone."""

    async def close(self, code: int, why: str) -> None:
        """Close the connection; `code` is a close code of web sockets, `why` the reason in words."""


REPLACED = 4001
"""The code with which a tab is closed when another one replaces it."""


@dataclass
class Room:
    """One round (an episode that a person plays), and the browser tab in which it is played.

    Attributes:
        store: the database.
        pool: the worker processes.
        name: the name of the round.
        setup: the `Setup` of the round as JSON.
        problem: the digest that identifies the problem.
        contents: the problem file's contents.
        log: pairs of an input and its outcome.
        end: how the round ended; None before that.
        state: what the person sees now; None before the round is opened.
        board: what the person always sees: map or graph, names, goals.
        trails: the places of both agents so far.
        tab: the connected browser tab, or None.
        lock: held while an input is processed.
        times: the waiting times of all rounds.
        ms: the person's time for the present input in milliseconds, or None.
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
    times: WaitingTimes = field(default_factory=WaitingTimes)
    ms: int | None = None

    # -- tabs -----------------------------------------------------------------------------------------------------

    async def join(self, tab: Tab) -> None:
        """Connect a browser tab and send it everything that it shows.

        If another tab was connected before, the connection to it is closed.
        """
        before, self.tab = self.tab, tab
        if before is not None:
            await before.close(REPLACED, "opened in another tab")
        async with self.lock:
            if not await self._opened():
                return
            await tab.tell(self._whole(tab))

    def leave(self, tab: Tab) -> None:
        """Disconnect a tab that was closed; do nothing if another tab has already replaced it."""
        if self.tab is tab:
            self.tab = None

    async def _tell(self, message: dict[str, Any]) -> None:
        if self.tab is not None:
            await self.tab.tell(message)

    def _whole(self, tab: Tab) -> dict[str, Any]:
        known = {"board": self.board, "state": self.state, "trails": self.trails}
        return {
            "type": "board",
            "n": len(self.log),
            "participant": not tab.trusted,
            "home": tab.home,
            **tab.known,
            **known,
        }

    # -- playing --------------------------------------------------------------------------------------------------

    async def open(self) -> dict[str, Any]:
        """Open the round in its worker process, which replays all inputs; return the reply of the process.

        The reply has the keys ``board``, ``state`` (the present one) and ``trails``, or the reason of a failure under
        ``failed`` or ``refused``.
        """
        request = {"op": "open", "setup": self.setup, "problem": self.problem, "contents": self.contents}
        return await self.pool.reply(self.name, {**request, "log": self.log})

    async def _opened(self, *, again: bool = False) -> bool:
        """Open the round in its worker process if necessary; return whether it is open now.

        If the round has failed or cannot be opened, the browser tab gets a message.

        Args:
            again: whether to open the round even if it was open, because the worker process has been replaced.
        """
        if self.end is not None and self.end.startswith(FAILED):
            await self._tell_failure()
            return False
        if self.state is not None and not again:
            return True
        for _ in range(3):  # try again: the worker may have died because of another round
            reply = await self.open()
            if "missing" not in reply:
                break
        if "board" in reply:
            self.board, self.state, self.trails = reply["board"], reply["state"], reply["trails"]
            return True
        await self._failed(reply.get(FAILED) or reply.get("refused") or "it could not be opened")
        return False

    async def play(self, n: int, user_input: Any, ms: int | None = None) -> None:
        """Apply an input of the person, and send the new state to the browser tab.

        If the method has to decide next, the state is sent again after its decision.

        Args:
            n: the number of the input, from 0; earlier inputs are not applied again.
            user_input: JSON such as ``{"move": "EAST"}``.
            ms: milliseconds that the person took; None if unknown.
        """
        async with self.lock:
            self.ms = ms
            try:
                await self._done(n, user_input)
            except StoreFailed as error:  # the input is not applied, and can be sent again
                log.error("round %s: %s", self.name, error)
                await self._tell({"type": "refused", "n": len(self.log), "why": error.sentence, "state": self.state})

    async def _done(self, n: int, user_input: Any) -> None:
        if not await self._opened():
            return
        if n != len(self.log):
            done = n < len(self.log) and self.log[n][0] == user_input
            await self._tell({"type": "state" if done else "behind", "n": len(self.log), "state": self.state})
            return
        for _ in range(3):
            if not await self._played(n, user_input):
                return
            if not await self._opened(again=True):  # in a new worker process
                return
        await self._failed("its worker process died repeatedly")

    async def _played(self, n: int, user_input: Any) -> bool:
        """Let the worker process apply the input with number `n`; return whether to send it again.

        The result is True if the process does not have the round. The caller must open the round before sending the
        input again.
        """
        kept, answered, began = False, False, time.perf_counter()
        replies = self.pool.replies(self.name, {"op": "do", "n": n, "input": user_input})
        async for reply in replies:
            if "state" not in reply:
                return await self._not_played(reply, kept=kept)
            if "outcome" in reply:
                await self._keep(n, user_input, reply)
                self._walk(reply["state"])
                kept = True
            self.state = reply["state"]
            if replies.ready:  # the robot has decided while the input was written: send one message for both
                continue
            await self._tell({"type": "state", "n": len(self.log), "state": self.state})
            taken = time.perf_counter() - began
            if not answered:
                self.times.kept.append(taken)
                answered = True
            if reply.get("done"):
                self.times.turn.append(taken)
        return False

    async def _not_played(self, reply: dict[str, Any], *, kept: bool) -> bool:
        """React to a reply of the worker process that has no new state; return whether to send the input again.

        If the input is refused or the round fails, the tab gets a message. If the process does not have the round, the
        result is True, unless the input is on disk (`kept`): then the round is opened, and the tab gets the state.
        """
        if "missing" in reply and kept:  # the input is applied; only the robot's decision is missing
            if await self._opened(again=True):
                await self._tell({"type": "state", "n": len(self.log), "state": self.state})
        elif "missing" in reply:
            return True
        elif "refused" in reply:
            await self._tell({"type": "refused", "n": len(self.log), "why": reply["refused"], "state": self.state})
        else:
            await self._failed(reply[FAILED])
        return False

    async def _keep(self, n: int, user_input: Any, reply: dict[str, Any]) -> None:
        """Write an input and its outcome to disk, and how the round ended if it is over; then update `log` and `end`.

        The worker process's reply has ``outcome`` and ``state``.
        """
        statements, end = [insert_event(self.name, n, user_input, reply["outcome"])], None
        if self.ms is not None:
            statements.append(("INSERT INTO input_times VALUES (?, ?, ?)", (self.name, n, self.ms)))
        if reply["state"]["phase"] == "over":
            result = reply["state"]["result"]
            end = "finished" if result["finished"] else "stopped" if result["stopped"] else "cut off"
            statements.append(update_end(self.name, end))
        await self.store.write(*statements)
        self.log.append((user_input, reply["outcome"]))
        self.end = end

    def _walk(self, state: dict[str, Any]) -> None:
        if self.trails is not None:
            for who, places in self.trails.items():
                places.append(state[who]["at"])

    async def _failed(self, why: str) -> None:
        log.error("round %s failed: %s", self.name, why)
        end = f"{FAILED}: {why}"
        await self.store.write(update_end(self.name, end))
        self.end = end
        await self._tell_failure()

    async def _tell_failure(self) -> None:
        known = self.tab is not None and self.tab.trusted
        await self._tell({"type": FAILED, "why": self.end if known else "your partner cannot continue"})

    # -- afterwards -----------------------------------------------------------------------------------------------

    async def ask_worker(self, op: str) -> dict[str, Any]:
        """Ask the worker process for the trace or the review of the round, and return its reply.

        With `op` ``trace``, the reply has the key ``trace``; with ``review``, it has ``review`` and ``page`` (HTML). If
        the process cannot answer, the reason is under ``failed`` or ``refused``.
        """
        async with self.lock:
            for _ in range(3):
                reply = await self.pool.reply(self.name, {"op": op, "n": len(self.log)})
                if "missing" not in reply:
                    return reply
                await self.open()
        return {FAILED: "its worker process died repeatedly"}


def read_room(store: StudioStore, pool: Pool, name: str) -> tuple[Room, str] | None:
    """Read the round called `name` from the database; return its `Room` and its person, or None if there is none."""
    found = "SELECT owner, problem, setup, end, contents FROM rounds JOIN problems ON digest = problem WHERE id = ?"
    rows = store.read(found, (name,))
    if not rows:
        return None
    owner, problem, setup, end, contents = rows[0]
    inputs = store.read("SELECT deed, outcome FROM events WHERE round = ? ORDER BY n", (name,))
    log = [(store.json(user_input), store.json(outcome)) for user_input, outcome in inputs]
    return Room(store, pool, name, store.json(setup), problem, store.json(contents), log, end), owner

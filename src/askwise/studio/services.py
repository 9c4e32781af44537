"""The objects that all handlers of the studio share: database, keys, worker processes, rounds."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import Response

from askwise.errors import AskwiseError, InputError
from askwise.studio.pool import Pool
from askwise.studio.room import Room, WaitingTimes, read_room
from askwise.studio.rounds.round import Setup
from askwise.studio.security import MOST_ROOMS, MOST_ROUNDS_AT_ONCE, ROUNDS_PER_MINUTE, Keys, Person, RateLimiter
from askwise.studio.store import Statement, StudioStore, digest_of, insert_round


class Denied(AskwiseError):  # noqa: N818 - it names what happened
    """Raised if something does not exist or belongs to another person.

    The error is the same in both cases, so that people cannot find out what others have.
    """


@dataclass
class Services:
    """The objects that all handlers of the studio share.

    Fields that begin with an underscore are caches, and the limit on new rounds per person.

    Attributes:
        store: the database.
        keys: checks links and cookies.
        pool: the worker processes, in which methods decide.
        library: the texts of the problem files that the studio offers, by name.
        own_methods: the user's own agents that browsers may choose, as ``FILE.py:Class``.
        url: the public address, ``https://lab.example.org``; None if the studio is reached directly.
        study: the name of the study that people take part in; None if there is none.
        sockets: the number of open sockets.
        times: how long people wait after an input.
        in_round: takes a person and the name of a round; returns what a study adds to the data for the round's page:
            ``texts``, ``language``, ``heading`` and ``instructions``, or an empty dict.
        lost_page: takes an HTTP status code; returns the study's page for visitors without a valid link. None without
            a study.
    """

    store: StudioStore
    keys: Keys
    pool: Pool
    library: dict[str, str]
    own_methods: tuple[str, ...]
    url: str | None = None
    study: str | None = None
    sockets: int = 0
    times: WaitingTimes = field(default_factory=WaitingTimes)
    in_round: Callable[[Person, str], dict[str, Any]] = lambda _, __: {}
    lost_page: Callable[[int], Response] | None = None
    _rooms: OrderedDict[str, tuple[Room, str]] = field(default_factory=OrderedDict)
    _names: dict[str, list[str]] = field(default_factory=dict)
    _read: dict[str, dict[str, Any]] = field(default_factory=dict)
    _new_rounds: RateLimiter = field(default_factory=lambda: RateLimiter(ROUNDS_PER_MINUTE / 60, MOST_ROUNDS_AT_ONCE))

    def person(self, connection: HTTPConnection, *kinds: str) -> Person | None:
        """Return the person whose cookie a request carries; None if it has no valid cookie of these kinds.

        Args:
            connection: the request.
            kinds: ``researcher``, ``participant`` or ``pilot``; if the request has cookies of several kinds, the first
                of `kinds` counts.
        """
        return next((each for each in self.people(connection) if each.kind in kinds), None)

    def people(self, connection: HTTPConnection) -> list[Person]:
        """Return all people whose cookies a request carries.

        There can be two, if the researcher also tests a study as a pilot in the same browser.
        """
        return self.keys.people(connection.cookies)

    def public(self, request: HTTPConnection) -> str:
        """Return the studio's address for links: the public address (``--url``), or else the host of the request.

        For instance ``https://lab.example.org``.
        """
        return self.url or f"http://{request.headers['host']}"

    def is_secure(self, request: HTTPConnection) -> bool:
        """Return whether a request came by the studio's public address, and this address begins with ``https://``."""
        return self.url is not None and self.url.lower() == f"https://{request.headers['host'].lower()}"

    async def names(self) -> dict[str, list[str]]:
        """Return the names that browsers may choose from: ``methods`` and ``teammates`` (kinds of teammates)."""
        if not self._names:
            reply = await self.pool.reply("names", {"op": "names"})
            self._names = {"methods": [*reply["methods"], *self.own_methods], "teammates": reply["teammates"]}
        return self._names

    # -- problems -------------------------------------------------------------------------------------------------

    async def described(self, text: str) -> dict[str, Any]:
        """Return the description of a problem file, which a worker process reads once; later calls take it from memory.

        Keys: ``contents`` (of the file, as JSON), ``title``, ``size`` (a text such as "5 x 4 cells, 2 walls, 3 goals"),
        ``goals`` (their names), ``prior`` (the probability of each goal) and ``words`` (the nouns for ``teammate``,
        ``ego`` and ``goal``). For a picture: ``board`` (map or graph, goals and landmarks) and ``start`` (the first
        places of both agents).

        Args:
            text: the text of the file.
        """
        key = digest_of(text)
        if key not in self._read:
            reply = await self.pool.reply(key, {"op": "read", "text": text})
            if "refused" in reply or "failed" in reply:
                raise InputError("problem", reply.get("refused") or reply["failed"], "a problem file")
            if len(self._read) > 200:
                self._read.clear()
            self._read[key] = reply["problem"]
        return self._read[key]

    # -- rounds ---------------------------------------------------------------------------------------------------

    async def new_round(
        self, owner: Person, described: dict[str, Any], setup: Setup, name: str | None = None, *also: Statement
    ) -> Room:
        """Start and store a round, an episode that a person plays; return its `Room`.

        Args:
            owner: the person who plays.
            described: the problem, as `described` returns it.
            setup: the setup of the round.
            name: the name of the round; None for a new random name.
            also: further SQL statements to execute in the same transaction.
        """
        if not self._new_rounds.allow(owner.name):
            raise InputError("round", "too many at once", "a moment's wait")
        name = secrets.token_urlsafe(12) if name is None else name
        contents = described["contents"]
        room = Room(self.store, self.pool, name, setup.to_json(), digest_of(contents), contents)
        reply = await room.open()
        if "board" not in reply:
            why = reply.get("refused") or reply.get("failed") or "its process died"
            raise InputError("round", why, "something that can be played")
        await self.store.write(*insert_round(name, owner.name, contents, setup.to_json(), described["title"]), *also)
        room.board, room.state, room.trails = reply["board"], reply["state"], reply["trails"]
        self._remember(room, owner.name)
        return room

    def room(self, name: str, person: Person | None) -> Room:
        """Return the `Room` of the round `name`; raise `Denied` if it does not exist or does not belong to `person`."""
        if name not in self._rooms:
            found = read_room(self.store, self.pool, name)
            if found is None:
                raise Denied("there is no such round, or it belongs to another person")
            self._remember(*found)
        room, owner = self._rooms[name]
        if person is None or person.name != owner:
            raise Denied("there is no such round, or it belongs to another person")
        self._rooms.move_to_end(name)
        return room

    def _remember(self, room: Room, owner: str) -> None:
        """Keep a round in memory, and drop rounds that no browser tab shows; all of them stay in the database.

        Finished rounds are always dropped. If more than `MOST_ROOMS` rounds remain, so is the one that was not used for
        the longest time.

        Args:
            room: the round.
            owner: the name of the person who plays it.
        """
        for name in [name for name, (each, _) in self._rooms.items() if each.end is not None and each.tab is None]:
            del self._rooms[name]
        room.times = self.times
        self._rooms[room.name] = room, owner
        if len(self._rooms) > MOST_ROOMS:
            idle = next((name for name, (each, _) in self._rooms.items() if each.tab is None), None)
            if idle is not None:
                del self._rooms[idle]

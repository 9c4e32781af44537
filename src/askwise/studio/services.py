"""The objects that all request handlers of the studio share: database, keys, worker processes and rounds."""

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
    """Raised if what a person asks for does not exist or belongs to another person.

    The error is the same in both cases, so that people cannot find out what others have.
    """


@dataclass
class Services:
    """The objects that all request handlers of the studio share.

    A round is an episode in which a person plays one agent.

    Attributes:
        store: the database.
        keys: creates and checks links and cookies.
        pool: the worker processes, in which methods decide.
        library: the texts of problem files, by name.
        own_methods: the user's own agents, as ``FILE.py:Class``.
        url: the public address; None if there is none.
        study: the name of the study with people, or None.
        sockets: number of open web sockets.
        times: how long people wait after each input.
        in_round: takes a person and a round's name; returns what a study adds to the page (``texts``, ``language``,
            ``heading``, ``instructions``), or an empty dict.
        lost_page: takes an HTTP status; returns the study's page for visitors without a valid link. None without a
            study.
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
        """Return the person whose cookie a request carries; None if it has no valid cookie of the given kinds.

        The kinds are ``researcher``, ``participant`` and ``pilot`` (a test participant). If several cookies are
        valid, the first kind in this order counts.
        """
        return next((each for each in self.people(connection) if each.kind in kinds), None)

    def people(self, connection: HTTPConnection) -> list[Person]:
        """Return all people whose valid cookies a request carries, at most one of each kind."""
        return self.keys.people(connection.cookies)

    def public(self, request: HTTPConnection) -> str:
        """Return the address with which links to the studio begin, such as ``https://lab.example.org``.

        It is the public address of the studio if there is one, and otherwise ``http://`` with the host that the request
        names.

        Args:
            request: the request.
        """
        return self.url or f"http://{request.headers['host']}"

    def is_secure(self, request: HTTPConnection) -> bool:
        """Return whether a request came by the studio's public address, and this address begins with ``https://``."""
        return self.url is not None and self.url.lower() == f"https://{request.headers['host'].lower()}"

    async def names(self) -> dict[str, list[str]]:
        """Return the names from which people can choose in the browser, as lists by key.

        Keys: ``methods`` (for the ego agent) and ``teammates`` (kinds of simulated teammates, such as ``urop``).
        """
        if not self._names:
            reply = await self.pool.reply("names", {"op": "names"})
            self._names = {"methods": [*reply["methods"], *self.own_methods], "teammates": reply["teammates"]}
        return self._names

    # -- problems -------------------------------------------------------------------------------------------------

    async def described(self, text: str) -> dict[str, Any]:
        """Return the description of a problem file; a worker process reads each file only once.

        Keys: ``contents`` (as JSON), ``title``, ``size`` (such as "5 x 4 cells, 2 walls, 3 goals"), ``goals`` (names),
        ``prior`` (probabilities), ``words`` (for ``teammate``, ``ego`` and ``goal``), ``board`` (map or graph, goals
        and landmarks) and ``start`` (the places of both agents).

        Raises:
            InputError: the text is not a valid problem file.
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
        """Start a round (an episode that a person plays), store it in the database, and return its `Room`.

        Args:
            owner: the person who plays.
            described: the problem, as the method `described` returns it.
            setup: the setup of the round.
            name: the name of the round; None for a random one.
            also: SQL statements to execute in the transaction that stores the round.

        Raises:
            InputError: the person starts too many rounds, or the round cannot be played.
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
        """Return the `Room` of the round `name`: the round with its browser tab.

        Raises:
            Denied: there is no such round, or it does not belong to `person`.
        """
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
        """Keep a round in memory, and drop other rounds that no browser tab shows.

        Finished rounds are always dropped. If more than `MOST_ROOMS` rounds remain, the least recently used one is
        dropped, too. All rounds stay in the database.
        """
        for name in [name for name, (each, _) in self._rooms.items() if each.end is not None and each.tab is None]:
            del self._rooms[name]
        room.times = self.times
        self._rooms[room.name] = room, owner
        if len(self._rooms) > MOST_ROOMS:
            idle = next((name for name, (each, _) in self._rooms.items() if each.tab is None), None)
            if idle is not None:
                del self._rooms[idle]

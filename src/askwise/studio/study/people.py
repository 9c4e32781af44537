"""The people of a study in the database: who takes part, in which cell, and how far each person has come.

A cell is an order of conditions and problems. All changes are made on the server's event loop, each in one transaction,
so each assignment to a cell takes all earlier ones into account.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
import unicodedata
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from askwise.errors import AskwiseError, InputError
from askwise.studio.security import PARTICIPANT, PILOT, new_cookie
from askwise.studio.store import StudioStore
from askwise.studio.study.file import DECLINED, FAILED_CHECK, FINISHED, LEFT, PeopleStudy
from askwise.studio.study.flow import END, Screen, cells, description, next_cell, screens
from askwise.studio.study.texts import Texts, filled_text
from askwise.text.reading import LONGEST_NAME

SCHEMA = """
CREATE TABLE IF NOT EXISTS people (
  id TEXT PRIMARY KEY, number INTEGER NOT NULL, pilot INTEGER NOT NULL, panel TEXT, cell INTEGER NOT NULL,
  came REAL NOT NULL, seen REAL NOT NULL, ended REAL, end TEXT, UNIQUE (pilot, number), UNIQUE (pilot, panel)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entries (
  person TEXT NOT NULL REFERENCES people, n INTEGER NOT NULL, at REAL NOT NULL, screen INTEGER NOT NULL,
  data TEXT NOT NULL, leaves INTEGER NOT NULL, PRIMARY KEY (person, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS places (round TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS expected (person TEXT PRIMARY KEY REFERENCES people) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entry_times (
  person TEXT NOT NULL REFERENCES people, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (person, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS languages (person TEXT PRIMARY KEY REFERENCES people, language TEXT NOT NULL) WITHOUT ROWID;
"""
"""Table ``places`` holds the screen of each round, ``expected`` the people who may continue from another browser,
``entry_times`` how long a person needed for each page and answer, as the browser measured it, and ``languages`` the
language of people who chose one."""


class CannotJoin(AskwiseError):  # noqa: N818 - it names what happened
    """Raised if a person cannot take part in the study, now or ever; its message tells the person why."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A person who takes part in a study.

    Attributes:
        id: the identifier in the database and in cookies.
        number: counted from 1, separately for pilots.
        pilot: whether this is a test run that does not count.
        cell: the index of the order of conditions and problems.
        end: how participation ended, a key of `askwise.studio.study.file.ENDINGS`; None if it has not.
    """

    id: str
    number: int
    pilot: bool
    cell: int
    end: str | None


class People:
    """Admits people to a study, assigns conditions to them, and stores their progress in a database.

    Raises `InputError` if the database was made for another study, or before the study file was changed.
    """

    def __init__(self, store: StudioStore, study: PeopleStudy) -> None:
        self._store, self.study = store, study
        store.make(SCHEMA)
        self.cells = cells(len(study.conditions), len(study.problems), within=study.design == "within")
        self._joining = asyncio.Lock()
        self.token, self.pilot_token = (self._kept(name, secrets.token_urlsafe(12)) for name in ("join", "pilot"))
        self._salt = self._kept("salt", secrets.token_hex(16))
        if self._kept("study", study.digest) != study.digest:
            raise InputError("study", "a file that has changed since the study started", "another folder, --out DIR")
        described = json.dumps(description(study, self.cells))
        store.write_now(("INSERT OR REPLACE INTO meta VALUES ('description', ?)", (described,)))

    def _kept(self, name: str, value: str) -> str:
        """Return the value that the database has under `name`; if it has none, store `value` and return `value`."""
        self._store.write_now(("INSERT OR IGNORE INTO meta VALUES (?, ?)", (name, value)))
        return str(self._store.read("SELECT value FROM meta WHERE name = ?", (name,))[0][0])

    # -- languages ------------------------------------------------------------------------------------------------

    @property
    def default_language(self) -> str:
        """The code of the language, such as ``en``, for people who have not chosen a language."""
        return next(iter(self.study.languages))

    def language_of(self, name: str) -> str:
        """Return the code of the language that the person with the id `name` has chosen, or of the default language."""
        rows = self._store.read("SELECT language FROM languages WHERE person = ?", (name,))
        return str(rows[0][0]) if rows else self.default_language

    def texts_for(self, name: str) -> Texts:
        """Return a dict of all texts of the study by key, in the language of the person with the id `name`."""
        return self.study.languages[self.language_of(name)]

    async def speak(self, person: Participant, language: str) -> None:
        """Store the language that a person has chosen for the study; `language` is its code, such as ``de``."""
        await self._store.write(("INSERT OR REPLACE INTO languages VALUES (?, ?)", (person.id, language)))

    def _cannot(self, key: str, **values: object) -> CannotJoin:
        """Return the error that tells a person, in the study's default language, why joining is not possible.

        `key` is the end of the text's key, such as ``full`` for ``closed.full``; `values` fill the placeholders.
        """
        return CannotJoin(filled_text(self.study.languages[self.default_language][f"closed.{key}"], **values))

    # -- coming ---------------------------------------------------------------------------------------------------

    @property
    def paused(self) -> bool:
        """Whether the study is paused: participants can neither start nor continue, but test runs (pilots) can."""
        return self._store.read("SELECT value FROM meta WHERE name = 'paused'") == [("1",)]

    async def pause(self, paused: bool) -> None:
        """Pause the study if `paused` is True, otherwise resume it."""
        value = "1" if paused else "0"
        await self._store.write(("INSERT OR REPLACE INTO meta VALUES ('paused', ?)", (value,)))

    def panel_name(self, given: str | None) -> str | None:
        """Return a person's identifier as the database stores it: plain or hashed, as the study file says.

        The result is None if the study uses no identifiers, or if `given` is None, has no letter or digit, or is an
        unfilled placeholder. Raises `CannotJoin` if the identifier is too long or not printable.
        """
        name = normalised_identifier(given or "")
        unfilled = name.startswith(("{", "%", "$", "[", "<")) or "{" in name
        if not self.study.parameter or not any(map(str.isalnum, name)) or unfilled:
            return None  # "...", "{{%ID%}}" or "%ID%" is a placeholder that the panel did not fill in
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise self._cannot("identifier")
        if self.study.stored == "plain":
            return name
        return hashlib.sha256(f"{self._salt}\0{name.casefold()}".encode()).hexdigest()[:32]

    async def join(self, panel: str | None, *, pilot: bool) -> tuple[Participant, str]:
        """Admit a new person, or one whom the researcher allows to come back; return the person and a new cookie.

        Args:
            panel: the identifier from the service that recruits people; None for none.
            pilot: whether this is a test run, which does not count.

        Raises:
            CannotJoin: the identifier is invalid or used already; or, without `pilot`, it is required but missing, or
                the study is paused or full.
        """
        async with self._joining:
            if self.paused and not pilot:
                raise self._cannot("paused")
            name = self.panel_name(panel)
            if name is None and self.study.parameter and not pilot:
                raise self._cannot("missing", parameter=self.study.parameter)
            before = None if name is None else self._by_panel(name, pilot=pilot)
            if before is not None:
                return await self._back(before)
            if not pilot and self.in_progress() >= self.study.most_at_once:
                raise self._cannot("full", places=self.study.most_at_once)
            return await self._added(name, pilot=pilot)

    async def _added(self, panel: str | None, *, pilot: bool) -> tuple[Participant, str]:
        taken = self._store.read("SELECT count(*) FROM people WHERE pilot = ?", (pilot,))[0][0]
        cell = next_cell(self.counts(pilot=pilot), self.study.seed)
        added = Participant(secrets.token_urlsafe(9), int(taken) + 1, pilot, cell, None)
        cookie, keeping = new_cookie(PILOT if pilot else PARTICIPANT, added.id)
        now = time.time()
        values = (added.id, added.number, pilot, panel, cell, now, now)
        await self._store.write(("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", values), keeping)
        return added, cookie

    def _by_panel(self, panel: str, *, pilot: bool) -> str | None:
        rows = self._store.read("SELECT id, panel FROM people WHERE panel IS NOT NULL AND pilot = ?", (pilot,))
        return next((str(name) for name, known in rows if known.casefold() == panel.casefold()), None)

    async def readmit(self, who: int | str) -> int:
        """Allow a participant to continue once from another browser, and return the participant's number.

        Args:
            who: the number of the participant, or the identifier from the service that recruits people.

        Raises:
            InputError: there is no such participant.
        """
        if isinstance(who, int):
            rows = self._store.read("SELECT id, number FROM people WHERE number = ? AND pilot = 0", (who,))
        else:
            name = self.panel_name(who)
            found = None if name is None else self._by_panel(name, pilot=False)
            rows = self._store.read("SELECT id, number FROM people WHERE id = ?", (found,))
        if not rows:
            raise InputError("person", repr(who), "the number or the identifier of a participant")
        await self._store.write(("INSERT OR IGNORE INTO expected VALUES (?)", (rows[0][0],)))
        return int(rows[0][1])

    async def _back(self, name: str) -> tuple[Participant, str]:
        """Return the participant with the id `name`, and a new cookie with which to continue in another browser.

        Raises `CannotJoin` unless the researcher has allowed this person to change the browser.
        """
        if not self._store.read("SELECT person FROM expected WHERE person = ?", (name,)):
            raise self._cannot("twice")
        found = self.person(name)
        cookie, keeping = new_cookie(PILOT if found.pilot else PARTICIPANT, name)
        await self._store.write(("DELETE FROM expected WHERE person = ?", (name,)), keeping)
        return found, cookie

    # -- counting -------------------------------------------------------------------------------------------------

    def counts(self, *, pilot: bool = False) -> list[int]:
        """Return, for each cell, the number of people who are in progress or have finished the study.

        A cell is an order of conditions and problems. Only participants count or, if `pilot`, only pilots (test
        participants).
        """
        since = time.time() - 60 * self.study.gone_after
        counted = "SELECT cell, count(*) FROM people WHERE pilot = ? AND (end = ? OR (end IS NULL AND seen > ?))"
        rows = self._store.read(f"{counted} GROUP BY cell", (pilot, FINISHED, since))
        found = dict(rows)
        return [int(found.get(cell, 0)) for cell in range(len(self.cells))]

    def in_progress(self) -> int:
        """Return the number of participants in progress, without pilots (test participants).

        A participant is in progress if the participation has not ended and the last activity was less than
        `PeopleStudy.gone_after` minutes ago.
        """
        since = time.time() - 60 * self.study.gone_after
        rows = self._store.read("SELECT count(*) FROM people WHERE pilot = 0 AND end IS NULL AND seen > ?", (since,))
        return int(rows[0][0])

    def rows(self) -> list[tuple[Any, ...]]:
        """Return a tuple for each person, first the participants, then the pilots (test participants).

        Elements: id, number, whether a pilot, identifier from the recruiting service (or None), index of the cell
        (order of conditions and problems), times of arrival and of the last activity (seconds since 1970), how
        participation ended (or None), number of completed screens, whether another browser is allowed.
        """
        return self._store.read(
            "SELECT people.id, number, pilot, panel, cell, came, seen, end, "
            "(SELECT count(*) FROM entries WHERE person = people.id AND leaves), "
            "EXISTS (SELECT 1 FROM expected WHERE person = people.id) FROM people ORDER BY pilot, number"
        )

    # -- going on -------------------------------------------------------------------------------------------------

    def person(self, name: str) -> Participant:
        """Return the participant with the id `name`; raise `CannotJoin` if there is none."""
        rows = self._store.read("SELECT id, number, pilot, cell, end FROM people WHERE id = ?", (name,))
        if not rows:
            raise self._cannot("unknown")
        found, number, pilot, cell, end = rows[0]
        return Participant(found, number, bool(pilot), cell, end)

    def ending_of(self, person: Participant, end: str) -> dict[str, str]:
        """Return the ``code`` and the ``link`` by which a person returns to the service that recruits people.

        Both depend on `end`, which says how participation ended (a key of `askwise.studio.study.file.ENDINGS`). They
        are empty if the study file states none.
        """
        code, link = self.study.endings[end]
        if "{id}" in link:
            panel = self._store.read("SELECT panel FROM people WHERE id = ?", (person.id,))[0][0]
            link = link.replace("{id}", quote(panel or "", safe=""))
        return {"code": code, "link": link.replace("{code}", quote(code, safe=""))}

    def screens_of(self, person: Participant) -> list[Screen]:
        """Return all screens (texts, forms and rounds) that a person goes through, in order."""
        return screens(self.study, self.cells[person.cell])

    def entries(self, person: Participant) -> list[tuple[int, dict[str, Any], bool]]:
        """Return what a person has entered so far, in order.

        Each entry is a triple: the number of the screen, from 0; the entered data; and whether the person then left the
        screen (False for a failed comprehension check).
        """
        rows = self._store.read("SELECT screen, data, leaves FROM entries WHERE person = ? ORDER BY n", (person.id,))
        return [(screen, self._store.json(data), bool(leaves)) for screen, data, leaves in rows]

    async def seen(self, person: Participant) -> None:
        """Store the present time as the person's last activity."""
        await self._store.write(("UPDATE people SET seen = ? WHERE id = ?", (time.time(), person.id)))

    async def enter(
        self, person: Participant, n: int, screen: int, data: Any, *, leaves: bool, times: Any = None
    ) -> None:
        """Store what a person entered at a screen; the last entry ends the participation.

        Args:
            person: the person.
            n: the number of the entry, from 0.
            screen: the number of the screen, from 0.
            data: the entry, JSON-compatible.
            leaves: whether the next screen follows; False for a failed comprehension check.
            times: milliseconds for the page and each answer; None if unknown.
        """
        now = time.time()
        way = self.screens_of(person)
        statements: list[Any] = [
            ("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (person.id, n, now, screen, json.dumps(data), leaves)),
            ("UPDATE people SET seen = ? WHERE id = ?", (now, person.id)),
        ]
        if times is not None:
            statements.append(("INSERT INTO entry_times VALUES (?, ?, ?)", (person.id, n, json.dumps(times))))
        if leaves and way[screen + 1].kind == END:
            statements.append(_ending(person, FINISHED))
        if not leaves and sum(not left for _, _, left in self.entries(person)) + 1 >= self.study.tries:
            statements.append(_ending(person, FAILED_CHECK))
        await self._store.write(*statements)

    async def leave(self, person: Participant) -> None:
        """End the participation of a person who wants to stop, or who does not agree to take part.

        If the participation has ended already, nothing changes.
        """
        if person.end is None:
            await self._store.write(_ending(person, LEFT if self.entries(person) else DECLINED))


def normalised_identifier(given: str) -> str:
    """Return a person's identifier in the Unicode normal form NFKC, without any white space.

    `given` is the identifier that the address of the request contains.
    """
    return "".join(unicodedata.normalize("NFKC", given).split())


def _ending(person: Participant, end: str) -> tuple[str, tuple[Any, ...]]:
    return "UPDATE people SET ended = ?, end = ? WHERE id = ?", (time.time(), end, person.id)


def links(people: People, public: str) -> dict[str, str]:
    """Return the addresses at which people join the study: ``join`` for participants, ``pilot`` for test participants.

    `public` is the address of the studio, such as ``https://lab.example.org``.
    """
    study = people.study
    known = study.parameter and study.placeholder
    parameter = f"?{study.parameter}={study.placeholder}" if known else ""
    return {"join": f"{public}/join/{people.token}{parameter}", "pilot": f"{public}/join/{people.pilot_token}"}

"""Keys: a link that opens the studio once, and the cookie that it is exchanged for.

A key is 32 random bytes. The store knows its SHA-256 only, so that whoever reads the file cannot come in. A link is
used up in the transaction that makes the cookie: of two browsers that follow it at the same time, one comes in.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass

from askwise.studio.store import Statement, Store

LINK, RESEARCHER, PARTICIPANT, PILOT = "link", "researcher", "participant", "pilot"
KINDS = (RESEARCHER, PARTICIPANT, PILOT)
"""The kinds of people. One browser may be all of them at once: each kind has its own cookie."""
DAYS = 30
SECONDS = DAYS * 24 * 3600
"""How long a cookie is good for."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who came in.

    Attributes:
        kind: one of `KINDS`.
        name: by which the store knows what is theirs.
    """

    kind: str
    name: str


class Keys:
    """The keys of a studio."""

    def __init__(self, store: Store) -> None:
        self._store = store
        found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        if not found:
            store.write_now(("INSERT INTO meta VALUES ('studio', ?)", (secrets.token_hex(4),)))
            found = store.read("SELECT value FROM meta WHERE name = 'studio'")
        self._studio = found[0][0]
        self._known: dict[str, Person] = {}

    def cookie(self, kind: str) -> str:
        """Return what the cookie of a kind of people is called; studios on one computer have different names for it."""
        return f"askwise-{self._studio}-{kind}"

    def people(self, cookies: Mapping[str, str]) -> list[Person]:
        """Return everybody whose cookies these are, at most one of each kind."""
        found = ((kind, self.person(cookies.get(self.cookie(kind)))) for kind in KINDS)
        return [person for kind, person in found if person is not None and person.kind == kind]

    def new_link(self) -> str:
        """Return the secret of a link that opens the studio once; earlier ones that nobody used are void."""
        secret = secrets.token_urlsafe(32)
        self._store.write_now(
            ("DELETE FROM keys WHERE kind = ? AND used IS NULL", (LINK,)),
            ("INSERT INTO keys VALUES (?, ?, ?, ?, NULL)", (_digest(secret), LINK, RESEARCHER, time.time())),
        )
        return secret

    async def enter(self, secret: str) -> str | None:
        """Use a link up; return the value of the cookie, None if there is no such link or it was used."""
        using = "UPDATE keys SET used = ? WHERE digest = ? AND kind = ? AND used IS NULL"
        cookie, statement = new_cookie(RESEARCHER, RESEARCHER)
        try:
            await self._store.write((using, (time.time(), _digest(secret), LINK)), statement)
        except sqlite3.IntegrityError:
            return None
        return cookie

    def person(self, cookie: str | None) -> Person | None:
        """Return whose cookie it is, None if it is nobody's."""
        if not cookie or len(cookie) > 100:
            return None
        digest = _digest(cookie)
        if digest not in self._known:
            rows = self._store.read(
                "SELECT kind, owner FROM keys WHERE digest = ? AND kind != ? AND made > ?",
                (digest, LINK, time.time() - SECONDS),
            )
            if not rows:
                return None
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[digest] = Person(*rows[0])
        return self._known[digest]


def new_cookie(kind: str, owner: str) -> tuple[str, Statement]:
    """Return the value of a new cookie, and what keeps it."""
    cookie = secrets.token_urlsafe(32)
    return cookie, ("INSERT INTO keys VALUES (?, ?, ?, ?, NULL)", (_digest(cookie), kind, owner, time.time()))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

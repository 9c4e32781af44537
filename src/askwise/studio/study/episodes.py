"""Rounds that are over, as tables and traces have them: played again, or, where that fails, taken from the store.

Playing a round again tells what the method believed and why it decided as it did. But a method may fail or hang, so it
is done in another process, with a limit for each decision. What people did and what came of it is in the store. That is
enough for everything except beliefs and reasons, and no method takes part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askwise.studies.running.play import failed_row
from askwise.studio.pool import Pool
from askwise.studio.room import FAILED
from askwise.studio.rounds.round import PERSON
from askwise.studio.rounds.written import AGAIN, RECORD

Row = dict[str, Any]


@dataclass(frozen=True)
class StoredRound:
    """A round as the store has it.

    Attributes:
        about: person, pilot, condition, problem, practice, trial, role.
        setup: how it was played, as JSON.
        problem: the digest of the problem.
        contents: the problem, as its file has it.
        log: what the person did, and what came of each.
        end: how it ended.
    """

    about: Row
    setup: Any
    problem: str
    contents: Any
    log: list[tuple[Any, Any]]
    end: str

    @property
    def failure(self) -> str | None:
        """Why the round failed, None if it did not."""
        return self.end.removeprefix(FAILED).lstrip(": ") if self.end.startswith(FAILED) else None

    async def reply(self, pool: Pool, what: str) -> Row:
        """Return what `askwise.studio.rounds.written.written` says in another process, or why it cannot."""
        known = {"setup": self.setup, "problem": self.problem, "contents": self.contents, "log": self.log}
        return await pool.reply("played", {"op": "played", "what": what, **known})


@dataclass(frozen=True)
class PlayedRound:
    """A round that is over, ready to be written.

    Attributes:
        stored: the round in the store.
        row: the columns of ``episodes`` that do not name the episode.
        method: the ego agent, `askwise.studio.rounds.round.PERSON` if it was a person.
        not_again: why the round could not be played again, None if it was, or if it failed the first time.
        found: what the other process returned, empty if the round cannot be read.
    """

    stored: StoredRound
    row: Row
    method: str
    not_again: str | None
    found: Row


async def play_again(pool: Pool, stored: StoredRound) -> PlayedRound:
    """Return a round with all that is known of it; one that failed, or fails now, is taken from the store."""
    found: Row = {} if stored.failure is not None else await stored.reply(pool, AGAIN)
    not_again = why_not(found)
    if "row" not in found:
        found = await stored.reply(pool, RECORD)
    if "row" in found:
        row = found["row"] if stored.failure is None else {**found["row"], "error": stored.failure}
        return PlayedRound(stored, row, found["method"], not_again, found)
    setup = stored.setup
    method = PERSON if setup.get("role") == "ego" else str(setup.get("method"))
    row = failed_row({}, stored.failure or f"it cannot be read: {why_not(found)}")
    return PlayedRound(stored, row, method, not_again or why_not(found), {})


def why_not(reply: Row) -> str | None:
    """Return why a request was not answered, None if it was."""
    found = reply.get("failed") or reply.get("refused")
    return None if found is None else str(found)

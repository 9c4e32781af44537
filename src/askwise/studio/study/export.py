"""Rounds that are over, as tables and traces have them: played again, or, where that fails, taken from the store.

Playing a round again tells what the method believed and why it decided as it did. But a method may fail or hang, so it
is done in another process, with a limit for each decision. What people did and what came of it is in the store. That is
enough for everything except beliefs and reasons, and no method takes part in it.

What a study with people gave, as files: tables in CSV and Parquet, and a trace of every round.

=================  ================================================================================================
``people.csv``     one row for each person: number, pilot, cell, minutes, how it ended, what the panel calls them
``answers.csv``    one row for each item that was answered, and for each try of the comprehension check
``rounds.csv``     one row for each round that is over, with the columns of ``episodes``; ``error`` says why a round
                   failed, ``replay_error`` why the method could not be played again: then beliefs are missing
``traces/``        each round as ``askwise/trace@2``
=================  ================================================================================================

``rounds.parquet`` has the same rows as ``rounds.csv``. People and answers are written first: nothing that goes wrong
with a round can keep them back. In CSV files, a text that people typed and that a spreadsheet would take for a formula
begins with an apostrophe.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from askwise.errors import InputError
from askwise.studies.running.play import failed_row
from askwise.studio.pool import Pool
from askwise.studio.room import FAILED
from askwise.studio.rounds.replay import AGAIN, RECORD
from askwise.studio.rounds.round import PERSON
from askwise.studio.store import FILE, check_whole, reading
from askwise.studio.study.items import score
from askwise.text.files import make_folder, whole_file
from askwise.workers.limits import Limits

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
        """Return what `askwise.studio.rounds.replay.written` says in another process, or why it cannot."""
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


FOLDER = "export"
DECISION = Limits().decision
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""How cells begin that spreadsheets take for formulas."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class StoredStudy:
    """A study's store, opened to be read; a server may be writing to it at the same time."""

    def __init__(self, folder: Path) -> None:
        path = folder / FILE
        if not path.is_file():
            raise InputError(f"folder {str(folder)!r}", f"no {FILE}", "the folder --out of a studio")
        self._path = path
        self._problems: dict[str, Any] = {}
        with reading(path):
            self._store = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            self._check(folder)
        except BaseException:
            self._store.close()
            raise

    def _check(self, folder: Path) -> None:
        check_whole(self._store, self._path)
        if not self.read("SELECT name FROM sqlite_master WHERE name = 'people'"):
            raise InputError(
                f"folder {str(folder)!r}", "no study with people", "the folder of a studio with a study file"
            )

        # A study of an earlier version has no such table.
        with reading(self._path):
            if not self.read("SELECT name FROM sqlite_master WHERE name = 'places'"):
                self._store.execute("CREATE TEMP TABLE places (round TEXT, data TEXT)")

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def read(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return rows."""
        with reading(self._path):
            return self._store.execute(sql, parameters).fetchall()

    def people(self) -> list[Row]:
        """Return one row for each person."""
        names = ("person", "pilot", "panel", "cell", "minutes", "end", "screens")
        found = self.read(
            "SELECT number, pilot, panel, cell, (seen - came) / 60, coalesce(end, 'there, or gone without a word'), "
            "(SELECT count(*) FROM entries WHERE person = id AND leaves) FROM people ORDER BY pilot, number"
        )
        return [
            dict(zip(names, (number, bool(pilot), typed(panel), *rest), strict=True))
            for number, pilot, panel, *rest in found
        ]

    def answers(self) -> list[Row]:
        """Return one row for each item that somebody answered."""
        found: list[Row] = []
        for number, pilot, data in self._entries():
            if "answers" not in data:
                continue
            about = {"person": number, "pilot": pilot, "questionnaire": data.get("questionnaire", "check")}
            about["condition"] = data.get("condition")
            with reading(self._path):
                given = dict(data["answers"])
                total = score(str(about["questionnaire"]), given)
            given |= {} if total is None else {"score": total}
            found += [{**about, "item": item, "answer": _text(value)} for item, value in given.items()]
        return found

    def rounds(self) -> Iterator[StoredRound]:
        """Iterate over the rounds that are over, whether or not their screens were left, in order."""
        rows = self.read(
            "SELECT number, pilot, rounds.id, problem, setup, rounds.end, coalesce(entries.data, places.data) "
            "FROM rounds JOIN people ON people.id = owner LEFT JOIN places ON round = rounds.id "
            "LEFT JOIN entries ON person = people.id AND rounds.id = people.id || '-' || screen "
            "WHERE rounds.end IS NOT NULL ORDER BY pilot, number, made, rounds.id"
        )
        for number, pilot, name, problem, setup, end, data in rows:
            if data is None:  # an earlier version did not note what it belongs to before its screen was left
                continue
            with reading(self._path):
                place = json.loads(data)
                about = {key: place[key] for key in ("condition", "problem", "practice", "trial")}
                about = {"person": number, "pilot": bool(pilot), **about}
                given = json.loads(setup)
                about["role"] = given["role"]
                yield StoredRound(about, given, problem, self._contents(problem), self._log(name), str(end))

    def _contents(self, digest: str) -> Any:
        if digest not in self._problems:
            rows = self.read("SELECT contents FROM problems WHERE digest = ?", (digest,))
            self._problems[digest] = json.loads(rows[0][0])
        return self._problems[digest]

    def _log(self, name: str) -> list[tuple[Any, Any]]:
        rows = self.read("SELECT deed, outcome FROM events WHERE round = ? ORDER BY n", (name,))
        return [(json.loads(deed), json.loads(outcome)) for deed, outcome in rows]

    def _entries(self) -> Iterator[tuple[int, bool, Row]]:
        rows = self.read(
            "SELECT number, pilot, data FROM entries JOIN people ON people.id = person ORDER BY pilot, number, n"
        )
        for number, pilot, data in rows:
            with reading(self._path):
                found = dict(json.loads(data))
            yield number, bool(pilot), found


def _text(value: Any) -> str | None:
    return None if value is None else typed(value) if isinstance(value, str) else str(value)


def typed(text: str | None) -> str | None:
    """Return a text that people typed so that no spreadsheet takes it for a formula."""
    if text is None or not text.startswith(FORMULAS) or NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def round_row(played: PlayedRound) -> Row:
    """Return a round as a row."""
    key = {**played.stored.about, "seed": played.stored.setup.get("seed"), "method": played.method}
    return {**key, **played.row, "replay_error": played.not_again}


def export(folder: Path, seconds: float = DECISION) -> list[str]:
    """Write everything into the folder ``export``; return the names of the files.

    Args:
        folder: the studio's folder.
        seconds: how long one decision of a method may take when a round is played again.
    """
    return asyncio.run(_export(folder, seconds))


async def _export(folder: Path, seconds: float) -> list[str]:
    with playing(seconds) as pool:
        return (await exported(folder, pool))[0]


@contextmanager
def playing(seconds: float) -> Iterator[Pool]:
    """Yield a process that plays rounds again."""
    pool = Pool(1, Limits(decision=seconds, episode=math.inf))
    try:
        yield pool
    finally:
        pool.close()


async def exported(folder: Path, pool: Pool) -> tuple[list[str], list[PlayedRound]]:
    """Do the same by processes that are there; return the rounds as well."""
    target = make_folder(folder / FOLDER)
    with closing(StoredStudy(folder)) as results:
        _write_csv(target, "people", results.people())
        _write_csv(target, "answers", results.answers())
        rounds = [await play_again(pool, each) for each in results.rounds()]
    rows = [round_row(each) for each in rounds]
    _write_csv(target, "rounds", rows)
    with whole_file(target / "rounds.parquet") as temporary:
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(temporary)
    traces = [name for each in rounds if (name := _write_trace(target, each))]
    return ["people.csv", "answers.csv", "rounds.csv", "rounds.parquet", *traces], rounds


def _write_csv(target: Path, name: str, rows: list[Row]) -> None:
    with whole_file(target / f"{name}.csv") as temporary:
        pl.DataFrame(rows, infer_schema_length=None).write_csv(temporary)


def _write_trace(target: Path, played: PlayedRound) -> str | None:
    if not played.found:
        return None
    about = played.stored.about
    who = f"{'pilot' if about['pilot'] else 'person'}-{about['person']}"
    kind = "practice" if about["practice"] else f"round-{about['trial']}"
    name = f"traces/{who}-{kind}-{played.stored.setup.get('seed')}.json"
    make_folder(target / "traces")
    with whole_file(target / name) as temporary:
        temporary.write_text(json.dumps(played.found["trace"], ensure_ascii=False) + "\n", encoding="utf-8")
    return name

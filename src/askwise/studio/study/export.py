"""Export the results of a study with people: tables as CSV and Parquet files, and a trace of every round.

A round is an episode that a person plays. The files are:

=================  ================================================================================================
``people.csv``     one row per person: number, whether the person is a pilot (a test participant), cell (the order of
                   conditions and problems), minutes, how the participation ended, identifier from the recruiting
                   service
``answers.csv``    one row per answer to a question, also for each attempt at the comprehension check
``pages.csv``      one row per page left, and per failed attempt at the comprehension check, with the time
``inputs.csv``     one row per move, answer, question or stop in a round, with the time
``rounds.csv``     one row per finished round with its results. ``error`` says why a round failed. ``replay_error``
                   says why a round could not be replayed; the results that need beliefs are then missing
``codebook.csv``   one row per column of all these files: meaning, unit, values
``traces/``        a JSON file for each round, in the format ``askwise/trace@2``
=================  ================================================================================================

Each table is also written as Parquet. An apostrophe is put before a typed text that a spreadsheet would take for a
formula.

Another process replays rounds to obtain the method's beliefs and reasons, with a time limit for each decision. If a
replay fails, the round is reconstructed from the database without them.
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
from askwise.studio.study.codebook import COLUMNS, EXPORT, REPORT, codebook
from askwise.studio.study.questionnaires import SCALES, score
from askwise.text.files import make_folder, whole_file
from askwise.workers.heartbeat import Limits

Row = dict[str, Any]


@dataclass(frozen=True)
class StoredRound:
    """A finished round (an episode that a person has played), as the database holds it.

    Attributes:
        about: a dict with ``person`` (number), ``pilot`` (whether it was a test run), ``condition``, ``problem``,
            ``practice`` (whether it was for practice), ``trial`` (its number, not counting practice) and ``role`` (of
            the person).
        setup: the `Setup`, as JSON.
        problem: the digest that identifies the problem.
        contents: the problem file's contents, as JSON.
        log: pairs of an input and its outcome, as JSON.
        end: ``finished``, ``stopped``, ``cut off``, or ``failed: REASON``.
    """

    about: Row
    setup: Any
    problem: str
    contents: Any
    log: list[tuple[Any, Any]]
    end: str

    @property
    def failure(self) -> str | None:
        """The reason why the round failed while the person played it; None if the round did not fail."""
        return self.end.removeprefix(FAILED).lstrip(": ") if self.end.startswith(FAILED) else None

    async def reply(self, pool: Pool, what: str) -> Row:
        """Let a worker process compute the results of the round, and return them.

        Args:
            pool: the worker processes.
            what: ``again`` replays the round with the method, ``record`` reconstructs it from its log without the
                method, ``twin`` simulates it without the person.

        Returns:
            A dict with the keys of `askwise.studio.rounds.replay.written`, or the reason of a failure under ``failed``
            or ``refused``.
        """
        known = {"setup": self.setup, "problem": self.problem, "contents": self.contents, "log": self.log}
        return await pool.reply("played", {"op": "played", "what": what, **known})


@dataclass(frozen=True)
class PlayedRound:
    """A finished round (an episode that a person has played) with its results.

    Attributes:
        stored: the round as the database holds it.
        row: the columns of ``rounds.csv`` from ``goal`` to ``error``.
        method: the ego agent's method, or ``person``.
        replay_error: why the round could not be replayed or read; None if it could.
        found: the keys of `askwise.studio.rounds.replay.written`; empty if the round cannot be read.
    """

    stored: StoredRound
    row: Row
    method: str
    replay_error: str | None
    found: Row


async def replayed_round(pool: Pool, stored: StoredRound) -> PlayedRound:
    """Replay a round in a worker process, and return the round with its results.

    If the round failed in play, or if the replay fails, the round is reconstructed from its log, without the method's
    beliefs and reasons. A faulty round raises no error: the result says what failed.
    """
    found: Row = {} if stored.failure is not None else await stored.reply(pool, AGAIN)
    replay_error = failure_of(found)
    if "row" not in found:
        found = await stored.reply(pool, RECORD)
    if "row" in found:
        row = found["row"] if stored.failure is None else {**found["row"], "error": stored.failure}
        return PlayedRound(stored, row, found["method"], replay_error, found)
    setup = stored.setup
    method = PERSON if setup.get("role") == "ego" else str(setup.get("method"))
    row = failed_row({}, stored.failure or f"the round cannot be read: {failure_of(found)}")
    return PlayedRound(stored, row, method, replay_error or failure_of(found), {})


def failure_of(reply: Row) -> str | None:
    """Return the reason why a worker process could not answer a request; None if the process did answer it.

    Args:
        reply: the reply of the worker process; the reason is its value of ``failed`` or ``refused``.
    """
    found = reply.get("failed") or reply.get("refused")
    return None if found is None else str(found)


DECISION = Limits().decision
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of cells that spreadsheets interpret as formulas."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class StoredStudy:
    """The database of a study with people, opened for reading, even while a studio writes to it.

    Args:
        folder: the studio's folder.

    Raises:
        InputError: the folder has no database, or the database has no study with people.
        StoreFailed: the database is damaged or cannot be read.
    """

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
            self._description = self.description()
        except BaseException:
            self._store.close()
            raise

    def _check(self, folder: Path) -> None:
        check_whole(self._store, self._path)
        if not self.read("SELECT name FROM sqlite_master WHERE name = 'people'"):
            raise InputError(
                f"folder {str(folder)!r}", "no study with people", "the folder of a studio with a study file"
            )

        # Studies of earlier versions do not have these tables.
        later = {
            "places": "round TEXT, data TEXT",
            "entry_times": "person TEXT, n INTEGER, data TEXT",
            "input_times": "round TEXT, n INTEGER, ms INTEGER",
            "languages": "person TEXT, language TEXT",
        }
        with reading(self._path):
            for name, columns in later.items():
                if not self.read("SELECT name FROM sqlite_master WHERE name = ?", (name,)):
                    self._store.execute(f"CREATE TEMP TABLE {name} ({columns})")

    def close(self) -> None:
        """Close the connection to the database."""
        self._store.close()

    def read(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that an SQL query finds.

        Args:
            sql: the query, with ``?`` as placeholders.
            parameters: the values of the placeholders.

        Raises:
            StoreFailed: the database cannot be read.
        """
        with reading(self._path):
            return self._store.execute(sql, parameters).fetchall()

    def people(self) -> list[Row]:
        """Return a row (a dict) for each person in the study; pilots, who made a test run, come last.

        Columns:

        - ``person``: the number, from 1; pilots are numbered separately;
        - ``pilot``: whether the person is a pilot;
        - ``panel``: identifier from the recruiting service, hashed or plain; may be None;
        - ``cell``: index of the order of conditions and problems;
        - ``minutes``: from arrival to the last activity;
        - ``end``: ``finished``, ``left``, ``declined``, ``check not passed`` or ``in progress or dropped out``;
        - ``language``: a code such as ``en``;
        - ``screens``: number of completed screens;
        - ``at``: title of the last screen reached; None in older databases.
        """
        names = ("person", "pilot", "panel", "cell", "minutes", "end", "language", "screens")
        found = self.read(
            "SELECT number, pilot, panel, cell, (seen - came) / 60, coalesce(end, 'in progress or dropped out'), "
            "coalesce((SELECT language FROM languages WHERE person = id), ?), "
            "(SELECT count(*) FROM entries WHERE person = id AND leaves) FROM people ORDER BY pilot, number",
            (self._description.get("language", "en"),),
        )
        rows = [
            dict(zip(names, (number, bool(pilot), typed(panel), *rest), strict=True))
            for number, pilot, panel, *rest in found
        ]
        way = self._description.get("screens")
        return [{**row, "at": way[row["cell"]][row["screens"]]["title"] if way else None} for row in rows]

    def pages(self) -> list[Row]:
        """Return a row (a dict) for each screen that a person has left, and for each failed comprehension check.

        Columns:

        - ``person``, ``pilot``: the person's number, and whether the person is a pilot (a test participant);
        - ``entry``: number of the row for this person, from 0;
        - ``screen``: number of the screen for this person, from 1;
        - ``kind``: the kind of screen, such as ``round`` or ``form``;
        - ``condition``, ``questionnaire``, ``problem``, ``practice``: what the screen was about, or None;
        - ``seconds``: the time on the screen;
        - ``measured``: ``browser``, or ``server`` if ``seconds`` is the time since the person's previous row or
          arrival.
        """
        rows = self.read(
            "SELECT number, pilot, e.n, e.screen, e.data, coalesce(json_extract(t.data, '$.page') / 1000.0, "
            "e.at - coalesce((SELECT b.at FROM entries b WHERE b.person = e.person AND b.n = e.n - 1), came)), "
            "CASE WHEN t.data IS NULL THEN 'server' ELSE 'browser' END FROM entries e "
            "JOIN people ON people.id = e.person "
            "LEFT JOIN entry_times t ON t.person = e.person AND t.n = e.n ORDER BY pilot, number, e.n"
        )
        found = []
        for number, pilot, n, screen, data, seconds, measured in rows:
            with reading(self._path):
                about = json.loads(data)
            page = {key: about.get(key) for key in ("kind", "condition", "questionnaire", "problem", "practice")}
            key = {"person": number, "pilot": bool(pilot), "entry": n, "screen": screen + 1}
            found.append({**key, **page, "seconds": seconds, "measured": measured})
        return found

    def inputs(self) -> list[Row]:
        """Return a row (a dict) for each input of a person in a round, such as a move or an answer.

        Columns:

        - ``person``, ``pilot``: the person's number, and whether the person is a pilot (a test participant);
        - ``condition``, ``problem``: their names;
        - ``practice``: whether the round was for practice;
        - ``trial``: number of the round, from 1, not counting practice; 0 for practice;
        - ``input``: number of the input in the round, from 0;
        - ``kind``: ``move``, ``answer``, ``ask`` or ``stop``;
        - ``value``: the input as text; None for "I don't know";
        - ``seconds``: the response time;
        - ``measured``: ``browser``, or ``server`` if ``seconds`` is the time since the previous input or the start of
          the round. Such a time includes the partner's decision.
        """
        rows = self.read(
            "SELECT number, pilot, places.data, v.n, deed, coalesce(t.ms / 1000.0, v.at - coalesce((SELECT b.at FROM "
            "events b WHERE b.round = v.round AND b.n = v.n - 1), rounds.made)), "
            "CASE WHEN t.ms IS NULL THEN 'server' ELSE 'browser' END FROM events v JOIN rounds ON rounds.id = v.round "
            "JOIN people ON people.id = owner JOIN places ON places.round = rounds.id "
            "LEFT JOIN input_times t ON t.round = v.round AND t.n = v.n ORDER BY pilot, number, made, v.round, v.n"
        )
        found = []
        for number, pilot, place, n, deed, seconds, measured in rows:
            with reading(self._path):
                about, ((kind, value),) = json.loads(place), json.loads(deed).items()
                key = {"person": number, "pilot": bool(pilot)}
                key |= {name: about[name] for name in ("condition", "problem", "practice", "trial")}
            value = None if value is None else typed(value if isinstance(value, str) else json.dumps(value))
            times = {"seconds": seconds, "measured": measured}
            found.append({**key, "input": n, "kind": kind, "value": value, **times})
        return found

    def answers(self) -> list[Row]:
        """Return a row (a dict) for each answer to a question of a questionnaire or of the comprehension check.

        Columns:

        - ``person``, ``pilot``: the person's number, and whether the person is a pilot (a test participant);
        - ``questionnaire``: its name, or ``check``;
        - ``condition``: what the question is about; None for the whole study;
        - ``item``: the name of the question;
        - ``answer``: as text; None if left out;
        - ``seconds``: from the start of the page to the last change of the answer; None if unknown.

        Additional rows have the scores of ready-made questionnaires; their ``item`` is ``score`` or ``weighted score``.
        """
        found: list[Row] = []
        for number, pilot, data, times in self._entries():
            if "answers" not in data:
                continue
            about = {"person": number, "pilot": pilot, "questionnaire": data.get("questionnaire", "check")}
            about["condition"] = data.get("condition")
            with reading(self._path):
                given = dict(data["answers"])
                scale = self._scale(str(about["questionnaire"]))
                given |= {} if scale is None else score(scale, given)
            found += [
                {
                    **about,
                    "item": item,
                    "answer": _text(value),
                    "seconds": times[item] / 1000 if item in times else None,
                }
                for item, value in given.items()
            ]
        return found

    def description(self) -> Row:
        """Return the facts about the study that are stored with its results, such as its conditions and questionnaires.

        The keys are those of the function `askwise.studio.study.flow.description`. The dict is empty if an earlier
        version of askwise wrote the database.
        """
        rows = self.read("SELECT value FROM meta WHERE name = 'description'")
        with reading(self._path):
            return dict(json.loads(rows[0][0])) if rows else {}

    def _scale(self, questionnaire: str) -> Row | None:
        """Return the ready-made scale that a questionnaire uses, as a dict with the keys of `Scale.to_json`.

        Args:
            questionnaire: the name of the questionnaire.

        Returns:
            The scale, or None if the study file states the questions itself.
        """
        known = self._description.get("questionnaires")
        if known is None:  # stored by an earlier version, which had only askwise's wording
            return SCALES[questionnaire].to_json() if questionnaire in SCALES else None
        found = known.get(questionnaire)
        return None if found is None else found["scale"]

    def rounds(self) -> Iterator[StoredRound]:
        """Yield the finished rounds of all people, sorted by person and time; pilots (test runs) come last.

        Rounds of people who left the study later are included. A round is an episode that a person has played.
        """
        rows = self.read(
            "SELECT number, pilot, rounds.id, problem, setup, rounds.end, coalesce(entries.data, places.data) "
            "FROM rounds JOIN people ON people.id = owner LEFT JOIN places ON round = rounds.id "
            "LEFT JOIN entries ON person = people.id AND rounds.id = people.id || '-' || screen "
            "WHERE rounds.end IS NOT NULL ORDER BY pilot, number, made, rounds.id"
        )
        for number, pilot, name, problem, setup, end, data in rows:
            if data is None:  # earlier versions stored the screen of a round only when it was left
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
        return [(json.loads(user_input), json.loads(outcome)) for user_input, outcome in rows]

    def _entries(self) -> Iterator[tuple[int, bool, Row, Row]]:
        rows = self.read(
            "SELECT number, pilot, entries.data, t.data FROM entries JOIN people ON people.id = entries.person "
            "LEFT JOIN entry_times t ON t.person = entries.person AND t.n = entries.n ORDER BY pilot, number, entries.n"
        )
        for number, pilot, data, times in rows:
            with reading(self._path):
                found, measured = dict(json.loads(data)), {} if times is None else dict(json.loads(times)["items"])
            yield number, bool(pilot), found, measured


def _text(value: Any) -> str | None:
    return None if value is None else typed(value) if isinstance(value, str) else str(value)


def typed(text: str | None) -> str | None:
    """Return a text that a person has typed, made safe for spreadsheets.

    If a spreadsheet would run the text as a formula, the result has an apostrophe before it. Otherwise the result is
    the text itself; None stays None.
    """
    if text is None or not text.startswith(FORMULAS) or NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def round_row(played: PlayedRound) -> Row:
    """Return a round (an episode that a person has played) as a row of ``rounds.csv``, a dict by column."""
    key = {**played.stored.about, "seed": played.stored.setup.get("seed"), "method": played.method}
    return {**key, **played.row, "replay_error": played.replay_error}


def export(folder: Path, seconds: float = DECISION) -> list[str]:
    """Write all results of a study with people to files in the folder ``export``; return the names of the files.

    Args:
        folder: the studio's folder, in which ``export`` is created if necessary.
        seconds: time limit for each decision of a method when a round is replayed.
    """
    return asyncio.run(_export(folder, seconds))


async def _export(folder: Path, seconds: float) -> list[str]:
    with playing(seconds) as pool:
        return (await exported(folder, pool))[0]


@contextmanager
def playing(seconds: float) -> Iterator[Pool]:
    """Provide a pool of one worker process, which replays rounds, while the ``with`` block runs.

    The worker process is ended after the block.

    Args:
        seconds: time limit, in seconds, for each decision of a method.
    """
    pool = Pool(1, Limits(decision=seconds, episode=math.inf))
    try:
        yield pool
    finally:
        pool.close()


async def exported(folder: Path, pool: Pool) -> tuple[list[str], list[PlayedRound]]:
    """Write all results of a study with people to files in the folder ``export``.

    Args:
        folder: the studio's folder, in which ``export`` is created if necessary.
        pool: the worker processes that replay rounds.

    Returns:
        The names of the files, relative to ``export``, and all finished rounds with their results.
    """
    target = make_folder(folder / EXPORT)
    with closing(StoredStudy(folder)) as results:
        for name in ("people", "answers", "pages", "inputs"):
            write_table(target, name, getattr(results, name)())
        rounds = [await replayed_round(pool, each) for each in results.rounds()]
    write_table(target, "rounds", [round_row(each) for each in rounds])
    write_table(target, "codebook", codebook())
    traces = [written for each in rounds if (written := _write_trace(target, each))]
    return [*(f"{name}.{kind}" for name in (*COLUMNS, "codebook") for kind in ("csv", "parquet")), *traces], rounds


def write_table(target: Path, name: str, rows: list[Row]) -> None:
    """Write a table as the files ``NAME.csv`` and ``NAME.parquet``; existing files are replaced.

    Args:
        target: the existing folder of the files.
        name: the name of the files, such as ``people``.
        rows: dicts from column to value; without rows, the files have only the header.
    """
    empty = dict.fromkeys({**COLUMNS, **REPORT}.get(name, {}), pl.String)
    found = pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=empty)
    with whole_file(target / f"{name}.csv") as temporary:
        found.write_csv(temporary)
    with whole_file(target / f"{name}.parquet") as temporary:
        found.write_parquet(temporary)


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

"""The database of the web studio, one SQLite file: a person's input is on disk before the studio confirms it.

SQLite uses a write-ahead log with full synchronisation, so a commit survives a power cut. One thread writes all waiting
statements in one transaction, at most every `BETWEEN` seconds, so that the disk is synchronised rarely.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from askwise.errors import AskwiseError, InputError
from askwise.text.wording import printable

FORMAT = 1
FILE = "studio.sqlite"
BETWEEN = 0.005
"""Shortest time between two commits, in seconds: too short to notice, and under load it saves most synchronisations."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keys (
  digest TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, made REAL NOT NULL, used REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS problems (digest TEXT PRIMARY KEY, contents TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rounds (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, problem TEXT NOT NULL REFERENCES problems, setup TEXT NOT NULL,
  title TEXT NOT NULL, made REAL NOT NULL, ended REAL, end TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  round TEXT NOT NULL REFERENCES rounds, n INTEGER NOT NULL, at REAL NOT NULL, deed TEXT NOT NULL,
  outcome TEXT NOT NULL, PRIMARY KEY (round, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS input_times (
  round TEXT NOT NULL REFERENCES rounds, n INTEGER NOT NULL, ms INTEGER NOT NULL, PRIMARY KEY (round, n)
) WITHOUT ROWID;
"""

Statement = tuple[str, tuple[Any, ...]]
Settle = Callable[[BaseException | None], None]
Job = tuple[list[Statement], "Settle | asyncio.Future[None]"]
"""Statements to write, and the future (on the event loop) or function (elsewhere) that gets the result."""


ROOM = "room on the disk"


class StoreFailed(InputError):  # noqa: N818 - it names what happened
    """Raised if the studio's database cannot be read or written: it is damaged or read-only, or the disk is full."""

    @classmethod
    def by(cls, path: Path, error: BaseException) -> StoreFailed:
        """Return a `StoreFailed` whose message names the file and says why it could not be read or written."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the primary error code
        words = " ".join(printable(str(error)).split())
        found = words if isinstance(error, sqlite3.Error) else f"a damaged row ({type(error).__name__}: {words})"
        expected = {sqlite3.SQLITE_READONLY: "a file that can be written to", sqlite3.SQLITE_FULL: ROOM}
        return cls(f"file {str(path)!r}", found, expected.get(code, "a database of the studio, or a new name"))

    @property
    def full(self) -> bool:
        """Whether the database cannot be written because the disk is full."""
        return self.expected == ROOM

    @property
    def sentence(self) -> str:
        """The message to show to the people who play in the studio, in English and without technical details."""
        what = "save anything now: its disk is full" if self.full else "read or save its data now"
        return f"The studio cannot {what}. Please tell the researcher, and try again later."


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of decoding data in the ``with`` block into `StoreFailed`."""
    try:
        yield
    except AskwiseError:
        raise
    except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
        raise StoreFailed.by(path, error) from None


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Check with SQLite that a database is intact.

    Args:
        connection: the open connection to the database.
        path: the path of the database file, for the message.

    Raises:
        StoreFailed: the database is damaged or cannot be read.
    """
    with reading(path):
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        found = " ".join(found.replace("*** in database main ***", "").split())
        raise StoreFailed(f"file {str(path)!r}", f"a damaged database ({found})", "an undamaged one: restore a backup")


class StudioStore:
    """The database of the web studio, one SQLite file, with a thread that does all writing.

    Args:
        folder: an existing folder; the file in it is created if needed.

    Attributes:
        path: the path of the file.
        commits: number of transactions that this object has written.

    Raises:
        StoreFailed: the file is damaged or cannot be written.
        InputError: another version of askwise wrote the file in another format.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._writer = _connect(self.path)
        try:
            self._begin()
            self._reader = _connect(self.path)
        except BaseException:
            self._writer.close()
            raise
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="askwise-store", daemon=True)
        self._thread.start()
        self.commits = 0

    def _begin(self) -> None:
        """Create missing tables, and check that the database file can be used.

        Raises:
            StoreFailed: the file is damaged or read-only, or the disk is full.
            InputError: the file has the format of another version of askwise.
        """
        check_whole(self._writer, self.path)
        with reading(self.path):
            self._writer.executescript(SCHEMA)
            found = self._writer.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
            if found is not None and found[0] != str(FORMAT):
                raise InputError(f"file {str(self.path)!r}", f"format {found[0]}", f"format {FORMAT}, of this version")
            # Written every time, so that a read-only file or a full disk is noticed here.
            self._writer.execute("INSERT OR REPLACE INTO meta VALUES ('format', ?)", (str(FORMAT),))

    async def write(self, *statements: Statement) -> None:
        """Execute all of the given SQL statements or none of them, and return when their changes are on disk.

        Args:
            statements: pairs of an SQL text with ``?`` as placeholders, and a tuple of values.

        Raises:
            sqlite3.IntegrityError: a statement violates a constraint, or an UPDATE changes no row.
            StoreFailed: the file cannot be written.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((list(statements), done))
        await done

    def write_now(self, *statements: Statement) -> None:
        """Do the same as `write`, but block until the changes are on disk.

        Use this method only while no server is running, because it would block the event loop.
        """
        done = threading.Event()
        failed: list[BaseException] = []

        def settle(error: BaseException | None) -> None:
            if error is not None:
                failed.append(error)
            done.set()

        self._queue.put((list(statements), settle))
        done.wait()
        if failed:
            raise failed[0]

    def make(self, schema: str) -> None:
        """Create those tables of a schema that do not exist yet, and block until they are on disk.

        Args:
            schema: statements ``CREATE TABLE IF NOT EXISTS ...``, separated by semicolons.
        """
        self.write_now(*((part, ()) for part in schema.split(";") if part.strip()))

    def read(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that an SQL query, with ``?`` as placeholders, finds.

        The query blocks the event loop, so it must be small.

        Raises:
            StoreFailed: the database cannot be read.
        """
        with reading(self.path):
            return self._reader.execute(sql, parameters).fetchall()

    def json(self, text: str) -> Any:
        """Return the parsed contents of a JSON text from the database; raise `StoreFailed` if the text is damaged."""
        with reading(self.path):
            return json.loads(text)

    def close(self) -> None:
        """Wait until all statements are written, end the writing thread, and close the file."""
        self._queue.put(None)
        self._thread.join()
        self._reader.close()
        self._writer.close()

    # -- the thread -----------------------------------------------------------------------------------------------

    def _write(self) -> None:
        last = -BETWEEN
        while True:
            jobs = [self._queue.get()]
            time.sleep(max(0.0, last + BETWEEN - time.monotonic()))
            while True:
                try:
                    jobs.append(self._queue.get_nowait())
                except Empty:
                    break
            self._commit([job for job in jobs if job is not None])
            last = time.monotonic()
            if None in jobs:
                return

    def _commit(self, jobs: list[Job]) -> None:
        if not jobs:
            return
        results: list[tuple[Settle | asyncio.Future[None], BaseException | None]] = []
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            results = [(waiting, self._do(statements)) for statements, waiting in jobs]
            self._writer.execute("COMMIT")
            self.commits += 1
        except sqlite3.Error as error:  # such as a full disk: nothing of this is stored
            failure = StoreFailed.by(self.path, error)
            with contextlib.suppress(sqlite3.Error):
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
            results = [(waiting, failure) for _, waiting in jobs]
        _settle_all(results)

    def _do(self, statements: Iterable[Statement]) -> BaseException | None:
        """Execute the SQL statements of one call of `write`, all or none, within the open transaction.

        Returns:
            None, or the error if the statements violate a constraint, an UPDATE changes no row, or a value cannot be
            stored. The statements are then undone.
        """
        self._writer.execute("SAVEPOINT job")
        try:
            for sql, parameters in statements:
                changed = self._writer.execute(sql, parameters).rowcount
                if sql.startswith("UPDATE") and not changed:
                    raise sqlite3.IntegrityError("nothing to change")
        except (sqlite3.IntegrityError, OverflowError, UnicodeError) as error:
            self._writer.execute("ROLLBACK TO job")
            self._writer.execute("RELEASE job")
            return error
        self._writer.execute("RELEASE job")
        return None


def _settle_all(results: list[tuple[Settle | asyncio.Future[None], BaseException | None]]) -> None:
    """Report the results of a transaction to all callers that wait for it, and wake each event loop only once.

    Args:
        results: for each caller, a future or a function to call, and the result: an error, or None for success.
    """
    loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[None], BaseException | None]]] = {}
    for waiting, error in results:
        if isinstance(waiting, asyncio.Future):
            loops.setdefault(waiting.get_loop(), []).append((waiting, error))
        else:
            waiting(error)
    for loop, settled in loops.items():
        with contextlib.suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(_settle, settled)


def _settle(settled: list[tuple[asyncio.Future[None], BaseException | None]]) -> None:
    for done, error in settled:
        if done.done():  # the caller has stopped waiting
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


def _connect(path: Path) -> sqlite3.Connection:
    with reading(path):
        found = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        with reading(path):
            found.execute("PRAGMA journal_mode = WAL")
            found.execute("PRAGMA synchronous = FULL")
            found.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        found.close()
        raise
    return found


# -- statements --------------------------------------------------------------------------------------------------


def digest_of(contents: Any) -> str:
    """Return the identifier of a problem: the first 32 hexadecimal digits of a SHA-256 hash.

    Args:
        contents: the contents of the problem file, as JSON-compatible data; their JSON text is hashed.
    """
    return hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()[:32]


def insert_round(name: str, owner: str, contents: Any, setup: dict[str, Any], title: str) -> list[Statement]:
    """Return the SQL statements that store a new round, and its problem if the problem is not stored yet.

    Args:
        name: the new name of the round.
        owner: the name of the person who plays.
        contents: the contents of the problem file, as JSON.
        setup: the `Setup` of the round, as JSON.
        title: the title of the problem.
    """
    digest = digest_of(contents)
    return [
        ("INSERT OR IGNORE INTO problems VALUES (?, ?)", (digest, json.dumps(contents))),
        (
            "INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)",
            (name, owner, digest, json.dumps(setup), title, time.time()),
        ),
    ]


def insert_event(name: str, n: int, user_input: Any, outcome: Any) -> Statement:
    """Return the SQL statement that stores an input of a person and its outcome, with the present time.

    Args:
        name: the name of the round.
        n: the number of the input, from 0.
        user_input: the input as JSON, such as ``{"move": "EAST"}``.
        outcome: the outcome as JSON.
    """
    values = (name, n, time.time(), json.dumps(user_input), json.dumps(outcome))
    return "INSERT INTO events VALUES (?, ?, ?, ?, ?)", values


def update_end(name: str, end: str) -> Statement:
    """Return the SQL statement that stores how a round ended, with the present time.

    Args:
        name: the name of the round, an episode that a person plays.
        end: ``finished``, ``stopped``, ``cut off``, or ``failed: REASON``.
    """
    return "UPDATE rounds SET ended = ?, end = ? WHERE id = ?", (time.time(), end, name)

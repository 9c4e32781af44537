"""The studio's database: complete, ordered, and on disk before an event is acknowledged."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from askwise.errors import InputError
from askwise.studio.security import RESEARCHER, Keys, Person, RateLimiter
from askwise.studio.store import FILE, StoreFailed, StudioStore, digest_of, insert_event, insert_round, update_end


def test_it_synchronises_fully_and_writes_ahead(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    assert store.read("PRAGMA journal_mode") == [("wal",)]
    assert store._writer.execute("PRAGMA synchronous").fetchone() == (2,), "FULL"
    store.close()


def test_events_that_come_together_share_a_commit_and_one_that_fails_disturbs_nobody(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    store.write_now(*insert_round("r", "me", {"a": 1}, {"role": "ego"}, "Kitchen"))
    before = store.commits

    async def many() -> list[BaseException | None]:
        inputs = [store.write(insert_event("r", n, {"move": "EAST"}, {"t": n})) for n in range(200)]
        twice = store.write(insert_event("r", 7, {"move": "WEST"}, {"t": 7}))
        nobody = store.write(update_end("nobody", "finished"))
        return await asyncio.gather(*inputs, twice, nobody, return_exceptions=True)

    found = asyncio.run(many())
    assert found[:200] == [None] * 200
    assert [type(each) for each in found[200:]] == [sqlite3.IntegrityError] * 2
    assert store.commits - before < 100
    rows = store.read("SELECT n, deed FROM events WHERE round = 'r' ORDER BY n")
    assert rows == [(n, '{"move": "EAST"}') for n in range(200)]
    store.close()


def test_a_problem_is_known_by_what_it_says_and_not_by_the_order_of_its_keys() -> None:
    one, other = {"goals": {"x": 1, "y": 2}, "words": 3}, {"words": 3, "goals": {"y": 2, "x": 1}}
    assert digest_of(one) == digest_of(other)
    assert digest_of(one) != digest_of({**one, "words": 4})


def test_a_job_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    store.write_now(*insert_round("r", "me", {"a": 1}, {"role": "ego"}, "Kitchen"))
    with pytest.raises(sqlite3.IntegrityError):
        store.write_now(insert_event("r", 0, {}, {}), insert_event("r", 0, {}, {}))
    assert store.read("SELECT count(*) FROM events") == [(0,)]
    store.close()


@pytest.mark.parametrize(("value", "error"), [("\ud800", UnicodeEncodeError), (2**70, OverflowError)])
def test_a_value_that_cannot_be_stored_is_an_error_for_its_caller_alone(
    tmp_path: Path, value: object, error: type[Exception]
) -> None:
    store = StudioStore(tmp_path)
    with pytest.raises(error):
        store.write_now(("INSERT INTO meta VALUES ('new', ?)", (value,)))
    store.write_now(("INSERT INTO meta VALUES ('new', 'x')", ()))
    assert store.read("SELECT value FROM meta WHERE name = 'new'") == [("x",)]
    store.close()


def test_it_is_there_when_opened_again_and_refuses_another_format(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    store.write_now(*insert_round("r", "me", {"a": 1}, {"role": "ego"}, "Kitchen"), update_end("r", "finished"))
    store.close()
    again = StudioStore(tmp_path)
    assert again.read("SELECT id, owner, problem, end FROM rounds") == [("r", "me", digest_of({"a": 1}), "finished")]
    again.write_now(("UPDATE meta SET value = '9' WHERE name = 'format'", ()))
    again.close()
    with pytest.raises(InputError, match=r"studio\.sqlite': found format 9; expected format 1, of this version$"):
        StudioStore(tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("something else, and long enough to be read as a header of a database file")
    with pytest.raises(InputError, match=r"studio\.sqlite': found file is not a database; expected a database of the "):
        StudioStore(tmp_path)


def test_a_damaged_database_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    for n in range(50):
        store.write_now(*insert_round(f"r{n}", "me", {"a": n}, {"role": "ego"}, "Kitchen " * 50))
    store.close()
    path = tmp_path / FILE
    whole = path.read_bytes()
    size = int.from_bytes(whole[16:18], "big")
    pages = len(whole) // size
    for page in range(1, pages):  # the header of each page but the first; it would be no database at all
        broken = bytearray(whole)
        broken[page * size : page * size + 8] = b"\xff" * 8
        path.write_bytes(broken)
        with pytest.raises(StoreFailed) as failed:
            StudioStore(tmp_path).close()
        assert str(failed.value).startswith(f"file {str(path)!r}: found ")
    assert pages > 6
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreFailed, match=r"studio\.sqlite': found .*malformed.*; expected "):
        StudioStore(tmp_path)
    path.write_bytes(b"")
    StudioStore(tmp_path).close()  # an empty file is a new database


def test_a_database_that_cannot_be_written_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StudioStore(tmp_path).close()
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        found: sqlite3.Connection = connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, **options)
        return found

    # Whoever runs the tests may be allowed to write to any file, so permissions would not do.
    monkeypatch.setattr(sqlite3, "connect", read_only)
    with pytest.raises(StoreFailed) as failed:
        StudioStore(tmp_path)
    assert str(failed.value) == (
        f"file {str(tmp_path / FILE)!r}: found attempt to write a readonly database; expected a file that can be "
        "written to"
    )


def test_a_row_that_is_no_json_is_a_failure_of_the_store(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    with pytest.raises(StoreFailed) as failed:
        store.json('{"role": ')
    assert str(failed.value) == (
        f"file {str(tmp_path / FILE)!r}: found a damaged row (JSONDecodeError: Expecting value: line 1 column 10 "
        "(char 9)); expected a database of the studio, or a new name"
    )
    with pytest.raises(StoreFailed, match="no such table: absent"):
        store.read("SELECT * FROM absent")
    store.close()


def test_a_link_opens_once_and_the_file_does_not_hold_it(tmp_path: Path) -> None:
    store = StudioStore(tmp_path)
    keys = Keys(store)
    old, link = keys.new_link(), keys.new_link()

    async def together() -> list[str | None]:
        return await asyncio.gather(*(keys.enter(secret) for secret in (old, link, link, "nonsense")))

    cookies = asyncio.run(together())
    assert [cookie is None for cookie in cookies] == [True, False, True, True]
    assert keys.person(cookies[1]) == Person(RESEARCHER, RESEARCHER)
    assert [keys.person(cookie) for cookie in (None, "", link, "x" * 1000)] == [None] * 4
    assert Keys(store).cookie(RESEARCHER) == keys.cookie(RESEARCHER)
    store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(secret.encode() in kept for secret in (old, link, str(cookies[1])))


def test_rates_fill_up_again() -> None:
    now = 0.0
    rates = RateLimiter(2.0, 3.0, clock=lambda: now)
    assert [rates.allow("a") for _ in range(4)] == [True, True, True, False]
    assert rates.allow("b"), "others are not disturbed"
    now = 1.0
    assert [rates.allow("a") for _ in range(3)] == [True, True, False]

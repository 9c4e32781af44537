"""The data of a study after faults: failed rounds, repeated requests, a full disk, a damaged database."""

from __future__ import annotations

import asyncio
import csv
import json
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from askwise import trace
from askwise.api import as_problem
from askwise.cli import main
from askwise.core.answers import truth
from askwise.domains.registry import read
from askwise.errors import InputError
from askwise.studio.rounds import role_view
from askwise.studio.rounds.replay import reconstructed, start_round
from askwise.studio.rounds.round import Setup
from askwise.studio.services import Denied
from askwise.studio.store import FILE, StudioStore
from askwise.studio.study.export import export, typed
from askwise.studio.study.file import PeopleStudy
from askwise.studio.study.report import write_people_report
from tests.studio.fuzzed import damage
from tests.studio.inside import Heard, Inside, PlayedHere, inside
from tests.studio.participants import ANSWERS, STUDY, entry_for, load, write_study

FULL = sqlite3.OperationalError("database or disk is full")
FULL.sqlite_errorcode = sqlite3.SQLITE_FULL
SENTENCE = "The studio cannot save anything now: its disk is full. Please tell the researcher, and try again later."

AGENT = """
import time
from pathlib import Path
from askwise.methods import Agent, Decision

class Odd(Agent):
    name = "odd"

    def reset(self, problem, seed):
        self.n, self.problem = 0, problem

    def decide(self, observation):
        self.n += 1
        if self.n == 3 and Path(__file__).with_name("raises").exists():
            raise RuntimeError("not a third time")
        while self.n == 2 and Path(__file__).with_name("hangs").exists():
            time.sleep(0.01)
        ways = [self.problem.ego.next(observation.state.ego, a) for a in range(len(self.problem.ego.actions.names))]
        return Decision(action=next(a for a, there in enumerate(ways) if there >= 0))
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> PeopleStudy:
    return load(write_study(tmp_path_factory.mktemp("study")))


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class BrokenWriter:
    """A connection to a database that cannot be written to."""

    in_transaction = False

    def __init__(self, error: sqlite3.Error) -> None:
        self.error = error

    def execute(self, sql: str, _: Any = ()) -> None:
        raise self.error


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay rounds in this process."""
    for module in ("export", "report"):
        monkeypatch.setattr(f"askwise.studio.study.{module}.playing", PlayedHere)


def odd_study(folder: Path) -> PeopleStudy:
    """Return a study with a method that raises or hangs if a certain file exists."""
    (folder / "odd.py").parent.mkdir(parents=True, exist_ok=True)
    (folder / "odd.py").write_text(AGENT)
    return load(write_study(folder, STUDY.replace('method = "baseline"', f'method = "{folder}/odd.py:Odd"')))


async def move(studio: Inside, cookie: str, name: str) -> None:
    """Move up to four times, as long as the method works, and give up."""
    room = studio.room(cookie, name)
    await room.join(Heard())
    for _ in range(4):
        if room.end is None and room.state is not None and room.state["phase"] == "move":
            await room.play(len(room.log), {"move": room.state["moves"][0]["name"]})
    if room.end is None:
        await room.play(len(room.log), {"stop": True})


async def to_the_end(studio: Inside, cookie: str, play: Any) -> None:
    """Go through the whole study; `play` plays each round."""
    screen = await studio.take(cookie)
    while screen["kind"] != "end":
        if screen["kind"] == "round":
            await play(studio, cookie, screen["round"])
        screen = await studio.take(cookie, {"n": screen["n"], "entry": entry_for(screen)})


def break_store(studio: Inside, monkeypatch: pytest.MonkeyPatch, error: sqlite3.Error = FULL) -> None:
    monkeypatch.setattr(studio.store, "_writer", BrokenWriter(error))


# -- requests that come twice ------------------------------------------------------------------------------------


def test_equal_entries_at_once_count_once_and_all_get_the_next_screen(tmp_path: Path, study: PeopleStudy) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            cookie = await studio.join("eight")
            entry = {"n": 0, "entry": {"agreed": True}}
            found = await asyncio.gather(*(studio.request("/api/take", entry, cookie) for _ in range(8)))
            assert [status for status, _, _ in found] == [200] * 8
            assert {json.loads(text)["text"] for _, _, text in found} == {"Read this."}
            assert studio.store.read("SELECT count(*) FROM entries") == [(1,)]

    asyncio.run(run())


def test_reloads_while_a_round_is_opened_get_the_same_round(tmp_path: Path, study: PeopleStudy) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            cookie = await studio.join("reload")
            screen = await studio.until(cookie, "check")
            entry = {"n": screen["n"], "entry": entry_for(screen)}
            bodies = [entry, *[None] * 5]
            found = await asyncio.gather(*(studio.request("/api/take", body, cookie) for body in bodies))
            assert [status for status, _, _ in found] == [200] * 6
            screens = [json.loads(text) for _, _, text in found]
            assert {each["kind"] for each in screens} == {"round"}
            assert len({each["round"] for each in screens}) == 1
            assert studio.store.read("SELECT count(*) FROM rounds") == [(1,)]

    asyncio.run(run())


# -- rounds that fail --------------------------------------------------------------------------------------------


def test_a_round_that_failed_is_exported_with_its_error_and_blocks_nobody(tmp_path: Path, here: None) -> None:
    """The first person's round fails; the second person's round fails only in the replay, as does its simulation."""
    study = odd_study(tmp_path)
    flag = tmp_path / "raises"

    async def run() -> None:
        async with inside(tmp_path / "out", study) as studio:
            flag.touch()
            await to_the_end(studio, await studio.join("first"), move)
            flag.unlink()
            await to_the_end(studio, await studio.join("second"), move)

    asyncio.run(run())
    flag.touch()
    assert write_people_report(tmp_path / "out") == {
        "people who finished": 2, "people who joined": 2, "pilots": 0, "rounds": 4, "rounds that failed": 1,
    }  # fmt: skip
    why = f"step 3: agent 'odd' failed in decide: RuntimeError: not a third time ({tmp_path / 'odd.py'}, line 15)"
    files = tmp_path / "out" / "export"
    assert [row["end"] for row in rows_in(files / "people.csv")] == ["finished"] * 2
    rows = rows_in(files / "rounds.csv")
    columns = ("person", "steps", "cost", "finished", "error", "replay_error")
    assert [tuple(row[name] for name in columns) for row in rows if row["condition"] == "curious"] == [
        ("1", "2", "2.0", "false", why, ""),
        ("2", "4", "4.0", "false", "cut off after 4 steps", why),
    ]
    assert [row["replay_error"] for row in rows if row["condition"] == "quiet"] == [""] * 4
    traces = [trace.load(path) for path in (files / "traces").iterdir()]
    assert sorted(len(each.steps) for each in traces) == sorted(int(row["steps"]) for row in rows)
    failures = rows_in(tmp_path / "out" / "report" / "failures.csv")
    assert {(row["problem"], row["who"], row["error"]) for row in failures if row["condition"] == "curious"} == {
        ("tiny", "person", "cut off after 4 steps"), ("coverage", "person", why), ("tiny", "simulated", why),
    }  # fmt: skip


def test_a_method_that_hangs_when_a_round_is_played_again_is_ended(tmp_path: Path) -> None:
    study = odd_study(tmp_path)

    async def run() -> None:
        async with inside(tmp_path / "out", study) as studio:
            await to_the_end(studio, await studio.join("patient"), move)

    asyncio.run(run())
    (tmp_path / "hangs").touch()
    export(tmp_path / "out", 1.0)
    rows = {(row["condition"], row["practice"]): row for row in rows_in(tmp_path / "out" / "export" / "rounds.csv")}
    assert len(rows) == 3
    odd = rows.pop(("curious", "false"))
    assert odd["replay_error"].startswith("took longer than 1 s for a decision (odd.py, line ")
    assert (odd["steps"], odd["error"]) == ("4", "cut off after 4 steps")
    assert [row["replay_error"] for row in rows.values()] == [""] * 2


def test_what_happened_is_read_without_the_method(study: PeopleStudy) -> None:
    """A reconstructed round has the same steps as the round itself, for both roles, without beliefs and reasons."""
    for name, setup in [
        ("coverage", Setup("teammate", "baseline", seed=3)),
        ("coverage", Setup("ego", seed=3)),
        ("tiny", Setup("ego", teammate="uniform", seed=4)),
    ]:
        problem = as_problem(read(study.problems[name]))
        made = start_round(problem, setup)
        log: list[tuple[Any, dict[str, Any]]] = []
        asked = setup.role == "ego"
        while made.phase != "over" and len(log) < 12:
            user_input: Any = (
                {"move": role_view.state(made)["moves"][0]["name"]} if made.phase == "move" else {"answer": None}
            )
            if made.phase == "answer":
                assert made.decision is not None
                assert made.decision[0].ask is not None
                user_input = {"answer": truth(made.decision[0].ask, made.goal)}
            if asked:
                user_input, asked = {"ask": [problem.goals[0]]}, False
            log.append((user_input, made.do(user_input)))
            made.think()
        if made.phase != "over":
            log.append(({"stop": True}, made.do({"stop": True})))
        again = reconstructed(problem, setup, log).episode()
        before = made.episode()
        assert (again.goal, again.final, again.cost, again.finished) == (
            before.goal, before.final, before.cost, before.finished,
        )  # fmt: skip
        assert [(step.state, step.answer, step.cost) for step in again.steps] == [
            (step.state, step.answer, step.cost) for step in before.steps
        ]
        assert (again.method, again.teammate) == (before.method, before.teammate)
        changed = [(log[0][0], {**log[0][1], "cost": 99.0})]
        with pytest.raises(InputError, match=r"^event 1: found .* when it was done again; expected .*as it was "):
            reconstructed(problem, setup, changed)


def test_a_round_that_is_over_is_exported_before_its_screen_is_left(
    tmp_path: Path, study: PeopleStudy, here: None
) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            cookie = await studio.join("quick")
            screen = await studio.until(cookie, "round")
            await move(studio, cookie, screen["round"])
            other = await studio.join("slow")
            await studio.until(other, "round")  # this one goes on

    asyncio.run(run())
    export(tmp_path)
    rows = rows_in(tmp_path / "export" / "rounds.csv")
    assert [(row["person"], row["condition"], row["problem"], row["practice"], row["trial"]) for row in rows] == [
        ("1", "quiet", "tiny", "true", "0")
    ]


def test_rooms_that_are_over_take_no_memory(tmp_path: Path, study: PeopleStudy) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            names, first = [], ""
            for number in range(3):
                cookie = await studio.join(f"p{number}")
                first = first or cookie
                names.append((await studio.until(cookie, "round"))["round"])
                if number < 2:
                    await move(studio, cookie, names[number])
                    studio.room(cookie, names[number]).tab = None  # gone
            assert list(studio.services._rooms) == [names[2]]
            assert (await studio.take(first))["over"] is True, "it is read again"

    asyncio.run(run())


# -- damaged databases -------------------------------------------------------------------------------------------


def test_of_a_damaged_database_there_is_a_report_or_one_line(
    tmp_path: Path, study: PeopleStudy, here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    check_damaged(tmp_path, study, damages=25, seed=4)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("connecting", "found"),
    [
        (None, "file is not a database; expected a database of the studio, or a new name"),
        (
            "unable to open database file",
            "unable to open database file; expected a database of the studio, or a new name",
        ),
    ],
)
def test_the_report_of_a_file_that_cannot_be_read_is_refused(
    connecting: str | None,
    found: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / FILE).write_text("something else, and long enough to be read as a header of a database file")
    if connecting is not None:  # as in a folder that cannot be written to, which is nothing for those who may do all

        def refuse(*_: Any, **__: Any) -> None:
            raise sqlite3.OperationalError(connecting)

        monkeypatch.setattr(sqlite3, "connect", refuse)
    assert main(["study-report", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"askwise study-report: file {str(tmp_path / FILE)!r}: found {found}\n"


def check_damaged(folder: Path, study: PeopleStudy, damages: int, seed: int) -> None:
    """Damage the database of a study repeatedly: export and studio must work, or refuse it."""

    async def run() -> None:
        async with inside(folder, study) as studio:
            cookie = await studio.join("fragile")
            screen = await studio.until(cookie, "round")
            await move(studio, cookie, screen["round"])

    asyncio.run(run())
    path, chance, refused = folder / FILE, random.Random(seed), []
    whole = path.read_bytes()
    for _ in range(damages):
        for left in folder.glob(f"{FILE}-*"):
            left.unlink()
        path.write_bytes(damage(whole, chance))
        try:
            export(folder)
            StudioStore(folder).close()
        except InputError as error:
            refused.append(str(error))
    assert damages / 5 < len(refused) < damages
    for message in refused:
        assert re.match(r"(file|folder) '.*': found .*; expected .*", message), message


# -- a disk that is full -----------------------------------------------------------------------------------------


def test_a_round_is_over_only_when_its_end_is_kept(
    tmp_path: Path, study: PeopleStudy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            cookie = await studio.join("unlucky")
            screen = await studio.until(cookie, "round")
            tab, room = Heard(), studio.room(cookie, screen["round"])
            await room.join(tab)
            with monkeypatch.context() as patched:
                break_store(studio, patched)
                await room.play(0, {"stop": True})
            assert (tab.messages[-1]["type"], tab.messages[-1]["why"]) == ("refused", SENTENCE)
            assert (room.end, room.log) == (None, [])
            assert [record.getMessage() for record in caplog.records] == [
                f"round {room.name}: file {str(studio.store.path)!r}: found database or disk is full; "
                "expected room on the disk"
            ]
            assert (await studio.take(cookie))["over"] is False
            await room.play(0, {"stop": True})  # there is room again
            assert (await studio.take(cookie))["over"] is True
            assert studio.store.read("SELECT end FROM rounds") == [("stopped",)]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (FULL, 507, SENTENCE),
        (
            sqlite3.OperationalError("disk I/O error"),
            503,
            "The studio cannot read or save its data now. Please tell the researcher, and try again later.",
        ),
    ],
)
def test_people_get_a_sentence_where_nothing_can_be_saved(
    error: sqlite3.Error, status: int, sentence: str, tmp_path: Path, study: PeopleStudy,
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            cookie = await studio.join("early")
            with monkeypatch.context() as patched:
                break_store(studio, patched, error)
                found = [
                    await studio.request("/api/take", {"n": 0, "entry": {"agreed": True}}, cookie),
                    await studio.request("/api/take", None, cookie),
                    await studio.request(f"/join/{studio.people.token}?PID=late"),
                ]
            assert [each[0] for each in found] == [status] * 3
            assert [json.loads(text) for _, _, text in found[:2]] == [{"error": sentence}] * 2
            assert f"<p>{sentence}</p>" in found[2][2]
            assert (await studio.take(cookie, {"n": 0, "entry": {"agreed": True}}))["n"] == 1

    asyncio.run(run())
    assert len(caplog.records) == 3
    assert all(record.exc_info is None for record in caplog.records)


# -- who takes part ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", ["hashed", "plain"])
def test_an_identifier_is_one_person_however_it_is_written(tmp_path: Path, stored: str) -> None:
    text = STUDY.replace('parameter = "PID"', f'parameter = "PID"\nstore = "{stored}"')
    study = load(write_study(tmp_path, text))

    async def run() -> None:
        async with inside(tmp_path / "out", study) as studio:
            await studio.join("Ab1%20")
            for same in ("Ab1", "ab1", "AB1", "%20Ab1", "A%20b1", "%EF%BC%A1b1"):
                status, _, page = await studio.request(f"/join/{studio.people.token}?PID={same}")
                assert (status, "You have already started this study in another browser" in page) == (403, True), same
            missing = (
                "Your link does not say who you are (PID is missing). Please open the study with the link on the "
                "website where you found it."
            )
            placeholders = ("?PID=...", "?PID=%7B%7B%25PROLIFIC_PID%25%7D%7D")
            for query in ("", "?PID=", "?PID=%20", "?pid=Ab1", *placeholders):
                status, _, page = await studio.request(f"/join/{studio.people.token}{query}")
                assert (status, missing in page) == (403, True), query
            for pilot in (None, "...", "..."):
                await studio.join(pilot, pilot=True)
            kept = studio.store.read("SELECT panel FROM people WHERE NOT pilot")
            assert len(kept) == 1
            assert (kept == [("Ab1",)]) is (stored == "plain"), "as the panel writes it"

    asyncio.run(run())


def test_an_identifier_has_another_hash_in_each_studio(tmp_path: Path, study: PeopleStudy) -> None:
    async def stored(folder: Path) -> str:
        async with inside(folder, study) as studio:
            await studio.join("known")
            ((found,),) = studio.store.read("SELECT panel FROM people")
            return str(found)

    one, other = (asyncio.run(stored(tmp_path / name)) for name in ("one", "other"))
    assert one != other
    assert "known" not in one + other


def test_people_reach_only_their_own_rounds_and_screens(tmp_path: Path, study: PeopleStudy) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            first, second = [await studio.join(name) for name in ("first", "second")]
            pilot = await studio.join(None, pilot=True)
            round_name = (await studio.until(first, "round"))["round"]
            assert studio.room(first, round_name).name == round_name
            for cookie in (second, pilot, "x=unknown", ""):
                with pytest.raises(Denied, match="there is no such round, or it belongs to another person"):
                    studio.room(cookie, round_name)
            assert (await studio.take(second))["kind"] == "consent"
            assert (await studio.take(first))["round"] == round_name
            for cookie in (pilot, ""):
                assert (await studio.request("/api/take", None, cookie))[0] == 403

    asyncio.run(run())


def test_whom_the_researcher_lets_in_again_is_remembered_after_a_restart(tmp_path: Path, study: PeopleStudy) -> None:
    async def run() -> None:
        async with inside(tmp_path, study) as studio:
            await studio.join("lost")
            await studio.people.readmit(1)
            await studio.people.readmit(1)
        async with inside(tmp_path, study) as studio:
            cookie = await studio.join("lost")
            assert (await studio.take(cookie))["kind"] == "consent"
            assert (await studio.request(f"/join/{studio.people.token}?PID=lost"))[0] == 403, "once is enough"
            assert studio.store.read("SELECT count(*) FROM people") == [(1,)]

    asyncio.run(run())


# -- spreadsheets ------------------------------------------------------------------------------------------------


def test_what_people_type_is_no_formula_in_a_spreadsheet() -> None:
    for formula in ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", "- none"):
        assert typed(formula) == f"'{formula}"
    for harmless in ("", "because", "a=b", "-1", "+2.5", "-1e3", "-.5", None):
        assert typed(harmless) == harmless


def test_formulas_are_marked_and_studies_of_earlier_versions_are_exported(
    tmp_path: Path, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ANSWERS, "why", "=cmd|' /C calc'!A0")
    text = STUDY.replace('parameter = "PID"', 'parameter = "PID"\nstore = "plain"')
    study = load(write_study(tmp_path, text))

    async def run() -> None:
        async with inside(tmp_path / "out", study) as studio:
            await to_the_end(studio, await studio.join("%3DA1"), move)

    asyncio.run(run())
    export(tmp_path / "out")
    folder = tmp_path / "out" / "export"
    assert [row["panel"] for row in rows_in(folder / "people.csv")] == ["'=A1"]
    answers = rows_in(folder / "answers.csv")
    assert [row["answer"] for row in answers if row["item"] == "why"] == ["'=cmd|' /C calc'!A0"]
    assert not any(row["answer"].startswith("=") for row in answers)
    before = (folder / "rounds.csv").read_bytes()
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as store:
        store.execute("DROP TABLE places")  # as in a study of an earlier version
    export(tmp_path / "out")
    assert (folder / "rounds.csv").read_bytes() == before
    assert before.count(b"\n") == 4

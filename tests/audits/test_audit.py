"""Audits of files and folders, in one and in several processes, and error messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import askwise
from askwise import trace
from askwise.audits import audit as audit_module
from askwise.audits.audit import audit
from askwise.core.episode import Episode
from askwise.core.game import InvalidDecision
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import AskwiseError, InputError
from askwise.workers import pool
from tests.refused import assert_refused


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    problems = [ToolFetching(generate(width=4, stations=3, toolboxes=2, seed=seed)) for seed in (1, 2)]
    return [askwise.simulate(problem, method, seed=3) for method in ("never", "ezq-local") for problem in problems]


@pytest.fixture
def folder(episodes: list[Episode], tmp_path: Path) -> Path:
    for k, episode in enumerate(episodes):
        trace.save(episode, tmp_path / f"{k}.json")
    return tmp_path


def test_files_folders_lines_and_objects_are_judged_alike(episodes: list[Episode], folder: Path) -> None:
    played = [episode.steps for episode in audit(episodes).episodes]
    read = audit(folder)
    assert [episode.steps for episode in read.episodes] == played
    assert [episode.source for episode in read.episodes] == [str(folder / f"{k}.json") for k in range(4)]
    lines = folder / "all.jsonl"
    lines.write_text("\n".join(json.dumps(trace.to_json(each)) for each in episodes) + "\n", encoding="utf-8")
    again = audit(lines)
    assert [episode.steps for episode in again.episodes] == played
    assert again.episodes[2].source == f"{lines}:3"
    assert len(audit([folder, episodes[0], trace.to_json(episodes[1])]).episodes) == 10


def test_earlier_traces_are_read(episodes: list[Episode], tmp_path: Path) -> None:
    earlier = {**trace.to_json(episodes[0]), "format": "askwise/trace@1"}
    del earlier["answers"]
    (tmp_path / "old.json").write_text(json.dumps(earlier), encoding="utf-8")
    assert audit(tmp_path / "old.json").regret == audit(episodes[0]).regret


def test_several_processes_find_the_same(folder: Path) -> None:
    told: list[int] = []
    assert audit(folder, workers=2, progress=told.append) == audit(folder)
    assert told[-1] == 4
    assert told == sorted(told)


def test_results_do_not_depend_on_who_came_before(episodes: list[Episode], monkeypatch: pytest.MonkeyPatch) -> None:
    together = audit(episodes)
    monkeypatch.setattr(audit_module, "BATCH", 1)
    assert audit(episodes) == together


def test_other_files_of_askwise_may_lie_in_a_folder(episodes: list[Episode], folder: Path) -> None:
    (folder / "workshop.json").write_text(json.dumps(trace.to_json(episodes[0])["instance"]), encoding="utf-8")
    assert len(audit(folder).episodes) == 4
    (folder / "other.json").write_text('{"format": "something"}', encoding="utf-8")
    formats = "'askwise/trace@2', 'askwise/trace@1', 'askwise/conversation@1'"
    where = f"file {str(folder / 'other.json')!r}, format"
    assert_refused(lambda: audit(folder), f'{where}: found "something"; expected one of {formats}')


def test_what_is_no_episode_is_refused(tmp_path: Path) -> None:
    empty, lines, blank = tmp_path / "empty", tmp_path / "none.jsonl", tmp_path / "blank.json"
    empty.mkdir()
    lines.write_text("\n \n", encoding="utf-8")
    blank.write_text(" \n", encoding="utf-8")
    formats = "askwise/trace@2 or askwise/trace@1 or askwise/conversation@1"
    refused = {
        str(tmp_path / "no.json"): "file {!r}: found no such file or directory; expected a file that can be read",
        str(empty): "folder {!r}: found no file that can be audited; expected files .json or .jsonl",
        str(lines): "file {!r}: found nothing in it; expected one JSON object on each line, " + formats,
        "no\0file": "file {!r}: found a name that no file can have; expected a file name",
        str(blank): "file {!r}: found nothing in it; expected one of " + formats.replace(" or", ","),
    }
    for path, message in refused.items():
        assert_refused(lambda path=path: audit(path), message.format(path))  # type: ignore[misc]
    assert_refused(lambda: audit([]), "what: found nothing; expected at least one episode or conversation")


def test_options_are_checked(episodes: list[Episode]) -> None:
    one = episodes[0]
    assert_refused(lambda: audit(one, tolerance=-1), "tolerance: found -1; expected a finite number from 0")
    assert_refused(lambda: audit(one, workers=0), "workers: found 0; expected a whole number from 1")
    assert_refused(lambda: audit(one, questions=-1), "questions: found -1; expected a whole number from 0")
    judges = "one of 'auto', 'optimal', 'planner'"
    assert_refused(lambda: audit(one, judge="best"), f"judge: found 'best'; expected {judges}")
    what = "a file, a folder, an Episode, or the contents of a file"
    assert_refused(lambda: audit([one, 3]), f"what: found 3; expected {what}")  # type: ignore[list-item]


def test_an_episode_that_cannot_have_happened_is_refused(episodes: list[Episode]) -> None:
    moved = trace.to_json(episodes[0])
    moved["steps"][1]["worker"] = [3, 3] if moved["steps"][1]["worker"] != [3, 3] else [0, 0]
    expected = "found a step that does not lead to the next state; expected an episode as it happened"
    assert_refused(lambda: audit(moved), f"item 1, steps[0]: {expected}")
    flown = trace.to_json(episodes[0])
    flown["steps"][0]["fetcher"], flown["steps"][0]["action"] = [0, 3], "NORTH"
    message = r"^item 1: steps\[0\]: the ego agent chose NORTH, which is not available there$"
    with pytest.raises(InvalidDecision, match=message):
        audit(flown)


def test_a_tolerance_of_ones_own(episodes: list[Episode]) -> None:
    strict, mild = audit(episodes), audit(episodes, tolerance=100)
    assert sum(each.count for each in strict.faults.values()) > 0
    assert sum(each.count for each in mild.faults.values()) == 0
    assert mild.regret == strict.regret


# -- several processes -------------------------------------------------------------------------------------------


def test_errors_in_several_processes_are_those_of_one(episodes: list[Episode], folder: Path) -> None:
    (folder / "9.json").write_text(json.dumps({**trace.to_json(episodes[0]), "steps": 3}), encoding="utf-8")
    with pytest.raises(InputError) as one:
        audit(folder)
    with pytest.raises(InputError) as several:
        audit(folder, workers=2)
    assert str(several.value) == str(one.value)
    assert several.value.field == one.value.field


def test_episodes_that_no_other_process_knows_are_audited_here(episodes: list[Episode]) -> None:
    class Own(Episode):
        """A class that is unknown to other processes."""

    own = [Own(**{each.name: getattr(episode, each.name) for each in fields(episode)}) for episode in episodes]
    assert audit(own, workers=2) == audit(episodes)


def test_a_worker_that_is_killed_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = pool.borrowed

    @contextmanager
    def killed(*arguments: Any) -> Iterator[pool.WorkerProcess]:
        with take(*arguments) as worker:
            worker.kill()
            yield worker

    monkeypatch.setattr(pool, "borrowed", killed)
    why = (
        r"^some episodes could not be audited: its process was killed \(signal 9; out of memory\?\); try fewer workers$"
    )
    with pytest.raises(AskwiseError, match=why):
        audit(folder, workers=2)

"""The problems that the studio offers: all of them can be opened, and other files are skipped."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from askwise.studio.round_service import RoundService
from askwise.studio.server import problems_at
from askwise.studio.study.file import read_people_study
from tests.studio.live import EXAMPLES
from tests.studio.participants import STUDY, write_study


def reply(**request: Any) -> dict[str, Any]:
    """Return the merged reply of the service that plays rounds."""
    return list(RoundService().replies({"id": "r", **request}))[-1]


def test_every_example_can_be_played() -> None:
    library = problems_at(str(EXAMPLES))
    assert list(library) == ["coverage", "kitchen", "ward", "words", "workshop"]
    for name, text in library.items():
        contents = reply(op="read", text=text)["problem"]["contents"]
        setup = {"role": "ego", "seed": 1}
        opened = reply(op="open", problem=name, contents=contents, setup=setup, log=[])
        assert opened["state"]["phase"] == "move", name


def test_a_study_with_a_planning_problem_can_be_played(tmp_path: Path) -> None:
    path = write_study(tmp_path, STUDY.replace("coverage.toml", "words.toml"))
    shutil.copyfile(EXAMPLES / "words.toml", tmp_path / "words.toml")
    shutil.copytree(EXAMPLES / "words", tmp_path / "words")
    text = read_people_study(path).problems["words"]
    assert reply(op="read", text=text)["problem"]["title"] == "Words"


def test_files_that_differ_only_in_their_ending_are_told_apart(tmp_path: Path) -> None:
    for name in ("ward.toml", "kitchen.toml"):
        shutil.copyfile(EXAMPLES / name, tmp_path / name)
    ward = tomllib.loads((tmp_path / "ward.toml").read_text(encoding="utf-8"))
    (tmp_path / "ward.json").write_text(json.dumps(ward), encoding="utf-8")
    assert set(problems_at(str(tmp_path))) == {"kitchen", "ward.json", "ward.toml"}


def test_other_files_of_a_folder_are_left_out_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copyfile(EXAMPLES / "ward.toml", tmp_path / "ward.toml")
    shutil.copyfile(EXAMPLES / "decisions" / "ticket.toml", tmp_path / "ticket.toml")
    shutil.copyfile(EXAMPLES / "words.toml", tmp_path / "words.toml")  # without its folder
    assert problems_at(str(tmp_path)) == {"ward": (tmp_path / "ward.toml").read_text(encoding="utf-8")}
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(": found")[0] for line in said] == [
        f"askwise studio: skipped file {str(tmp_path / 'ticket.toml')!r}, format",
        f"askwise studio: skipped file {str(tmp_path / 'words')!r}",
    ]

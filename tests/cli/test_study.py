"""``askwise study``: what is played, where it goes, what is said."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import Run, user_environment
from tests.domains.instances import EXAMPLE
from tests.studies.studies import files_in, small, table_bytes, toml

COMMAND = ["study", "s.toml", "--out", "here", "--workers", "1"]
TINY = ["--instances", "2", "--size", "4", "--stations", "3", "--toolboxes", "1", "--workers", "1"]


def test_a_study_from_options_alone(run: Run) -> None:
    printed = run("study", "--methods", "never", "toolbox", "--priors", "far", "near", *TINY).assert_fine()
    assert "2 of 2 instances are stored in out/study\n" in printed
    assert {"episodes.parquet", "queries.parquet", "study.json"} <= set(files_in(Path("out/study")))
    about = json.loads(Path("out/study/study.json").read_text())
    assert about["instances"]["size"] == [4, 4]
    assert [prior["kind"] for prior in about["priors"]] == ["far", "near"]


def test_every_option_replaces_what_the_file_says(run: Run) -> None:
    Path("s.toml").write_text(toml(small(base=0.25)))
    Path("map.json").write_text(EXAMPLE)
    options = ["--per-goal", "0", "1.5", "--base", "2", "--methods", "never", "--teammates", "uniform"]
    options += ["--beliefs", "bayes", "robust", "--episodes", "3", "--seed", "99", "--walls", "0.1", "--priors", "near"]
    outcome = run("study", "s.toml", "--dry-run", *options, *TINY)
    assert (outcome.code, outcome.err) == (0, "2 instances, 24 episodes\n")
    said = json.loads(outcome.out)
    assert (said["name"], said["seed"], said["episodes"]) == ("small", 99, 3)
    assert (said["per_goal"], said["base"], said["teammates"]) == ([0.0, 1.5], [2.0], ["uniform"])
    assert [method["label"] for method in said["methods"]] == ["never (bayes)", "never (robust)"]
    assert said["instances"] == {
        "count": 2,
        "size": [4, 4],
        "stations": 3,
        "toolboxes": 1,
        "walls": 0.1,
        "clustered": False,
    }
    assert not Path("out").exists()
    files = run("study", "s.toml", "--dry-run", "--files", "map.json").out
    assert json.loads(files)["instances"]["files"] == ["map.json"]


def test_a_quick_study(run: Run) -> None:
    said = json.loads(run("study", "paper", "--quick", "--dry-run").out)
    assert (said["name"], said["instances"]["count"]) == ("paper-quick", 10)
    assert said["per_goal"] == [0.0, 0.2, 0.5]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `first` keeps what it made."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def first(run: Run, kept: Path) -> str:
    """A finished study in the folder ``here``, of which all tests get a copy, and what the command printed."""
    Path("s.toml").write_text(toml(small()))
    if not (kept / "printed").exists():
        printed = run(*COMMAND).assert_fine()
        shutil.copytree("here", kept / "here")
        (kept / "printed").write_text(printed, encoding="utf-8")
    elif not Path("here").exists():
        shutil.copytree(kept / "here", "here")
    return (kept / "printed").read_text(encoding="utf-8")


def test_given_again_damaged_parts_are_named_and_played_again(run: Run, first: str) -> None:
    before = table_bytes(Path("here"))
    Path("here/parts/episodes/00002.parquet").unlink()
    Path("here/parts/episodes/00003.parquet").write_bytes(b"\0" * 100)
    Path("here/parts/queries/00004.parquet").unlink()
    os.mkfifo("here/parts/queries/00004.parquet")
    again = run(*COMMAND, "--retry-failed")
    assert (again.code, again.out) == (0, first)
    assert again.err == (
        "here/parts/episodes/00002.parquet is damaged (it is missing): its instance is played again\n"
        "here/parts/episodes/00003.parquet is damaged (it is cut off): its instance is played again\n"
        "here/parts/queries/00004.parquet is damaged (a pipe): its instance is played again\n"
    )
    assert table_bytes(Path("here")) == before


def test_a_folder_whose_name_looks_like_a_pattern(run: Run) -> None:
    options = ["--methods", "never", "--priors", "far", *TINY]
    run("study", *options, "--instances", "1", "--out", "x1").assert_fine()
    printed = run("study", *options, "--out", "x[1]").assert_fine()
    assert "2 of 2 instances are stored in x[1]\n" in printed
    assert "2 episodes" in Path("x[1]/report.html").read_text(encoding="utf-8")


def test_what_is_refused(run: Run) -> None:
    Path("s.toml").write_text(toml(small()))
    Path("file").write_text("in the way")
    for arguments, message in {
        (): "STUDY: found nothing; expected a study file, one of beyond, paper, or --methods and other options",
        ("none",): "study: found 'none'; expected a study file (.toml) or one of beyond, paper",
        ("s.toml", "--workers", "0"): "--workers: found '0'; expected a whole number from 1",
        ("s.toml", "--workers", "2", "--dask", "x"): "--workers: found --dask as well; expected one of the two",
        ("s.toml", "--per-goal", "nan"): "--per-goal: found 'nan'; expected a finite number from 0",
        ("s.toml", "--base", "-1"): "--base: found '-1'; expected a finite number from 0",
        ("s.toml", "--instances", "0"): "--instances: found '0'; expected a whole number from 1",
        ("s.toml", "--seed", "x"): "--seed: found 'x'; expected a whole number from 0",
        ("s.toml", "--workers", "1", "--out", "file"): (
            "folder 'file': found file exists; expected a folder that can be written to"
        ),
        ("s.toml", "--workers", "1", "--out", "file/below"): (
            "folder 'file/below': found not a directory; expected a folder that can be written to"
        ),
        ("s.toml", "--dask", "nonsense"): (
            "--dask: found 'nonsense'; expected the address of a Dask scheduler, such as tcp://127.0.0.1:8786"
        ),
    }.items():
        run("study", *arguments).assert_refused(f"askwise study: {message}")


@pytest.mark.usefixtures("first")
def test_another_studys_folder_is_refused(run: Run) -> None:
    before = table_bytes(Path("here"))
    run(*COMMAND, "--seed", "8").assert_refused(
        "askwise study: folder 'here': found the results of another study, 'small', which differs in seed; expected an "
        "empty folder, or the folder of this study (--out DIR chooses another)"
    )
    assert table_bytes(Path("here")) == before


def test_a_folder_whose_name_has_no_utf8_is_refused(run: Run) -> None:
    Path("s.toml").write_text(toml(small(methods=["never"])))
    run("study", "s.toml", "--out", os.fsdecode(b"\xff"), "--workers", "1").assert_refused(
        r"askwise study: folder '\udcff': found a name that is not UTF-8; expected another name"
    )
    assert files_in(Path()) == ["s.toml"]


def test_words_that_have_no_utf8_do_not_stop_a_study(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("s.toml").write_text(toml(small(methods=["never"])))
    monkeypatch.setattr(sys, "argv", ["askwise", os.fsdecode(b"\xff")])
    run("study", "s.toml", "--out", "here", "--workers", "1").assert_fine()
    about = json.loads(Path("here/provenance.json").read_text())
    assert about["runs"][0]["command"] == ["askwise", os.fsdecode(b"\xff")]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_bar_in_a_terminal_and_nothing_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(toml(small(priors=["far"], per_goal=[0.0])))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "askwise.cli", "study", "s.toml", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=tmp_path,
        env=user_environment(
            {"TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        ),
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 10_000)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert b"small" in shown
    assert b"18/18" in shown
    assert b"episodes/s" in shown
    assert b"episodes/s" not in out

"""``askwise generate``: the same seed gives the same bytes, and what it writes can be used."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from askwise.domains.tool_fetching import Instance
from tests.cli.command import Run

EXAMPLE = ["--size", "20", "--stations", "50", "--toolboxes", "5", "--walls", "0.2", "--clustered", "--seed", "7"]


def test_the_example_of_the_issue(run: Run) -> None:
    printed = run("generate", *EXAMPLE, "-o", "made.json").assert_fine()
    assert printed == "Written: made.json (20 x 20 cells, 80 walls, 50 stations, 5 toolboxes, seed 7)\n"
    made = Instance.load("made.json")
    assert (made.width, made.height, len(made.stations), len(made.toolboxes)) == (20, 20, 50, 5)
    assert len(made.walls) == 80
    assert run("show", "made.json").assert_fine().startswith("Tool fetching: 20 x 20 cells, 80 walls, 50 stations")


def test_the_same_seed_gives_the_same_bytes(run: Run) -> None:
    run("generate", *EXAMPLE, "-o", "made.json")
    printed = run("generate", *EXAMPLE).assert_fine()
    assert printed == Path("made.json").read_text(encoding="utf-8")
    assert run("generate", *EXAMPLE, "-o", "-").assert_fine() == printed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file_is_not_replaced(run: Run) -> None:
    os.mkfifo("pipe.json")
    Path("folder.json").mkdir()
    Path("link.json").symlink_to("target.json")
    ordinary = "an ordinary file, or a new name"
    for name, found, expected in (
        ("pipe.json", "a pipe", ordinary),
        ("folder.json", "a folder, not a file", "a place that can be written to"),
        ("/dev/stdout", "a stream", ordinary),
        ("/dev/null", "a device", ordinary),
    ):
        run("generate", *EXAMPLE, "-o", name).assert_refused(
            f"askwise generate: file {name!r}: found {found}; expected {expected}"
        )
    run("generate", *EXAMPLE, "-o", "link.json").assert_fine()
    assert Path("link.json").is_symlink()
    assert Path("target.json").read_text() == run("generate", *EXAMPLE).out
    assert sorted(path.name for path in Path().iterdir()) == ["folder.json", "link.json", "pipe.json", "target.json"]


def test_another_seed_gives_another_instance(run: Run) -> None:
    assert run("generate", "--seed", "1").assert_fine() != run("generate", "--seed", "2").assert_fine()


def test_without_a_seed_one_is_drawn_and_told(run: Run) -> None:
    told = run("generate", "--size", "9", "--stations", "3", "-o", "one.json").assert_fine()
    seed = told.rstrip(")\n").rpartition("seed ")[2]
    again = run("generate", "--size", "9", "--stations", "3", "--seed", seed).assert_fine()
    assert again == Path("one.json").read_text(encoding="utf-8")
    run("generate", "--size", "9", "--stations", "3", "-o", "other.json").assert_fine()
    assert Path("other.json").read_bytes() != Path("one.json").read_bytes()


def test_every_option_arrives(run: Run) -> None:
    options = "--size 12x5 --stations 4 --toolboxes 2 --prior fetcher-near --temperature 2.5 --base 0.25 --per-goal 0.1"
    made = json.loads(run("generate", *options.split(), "--seed", "1").assert_fine())
    assert (made["width"], made["height"]) == (12, 5)
    assert (list(made["stations"]), list(made["toolboxes"])) == (["S1", "S2", "S3", "S4"], ["T1", "T2"])
    assert made["walls"] == []
    assert made["prior"] == {"kind": "fetcher-near", "temperature": 2.5}
    assert made["query_cost"] == {"base": 0.25, "per_station": 0.1}


def test_defaults_are_the_paper_s(run: Run) -> None:
    made = json.loads(run("generate", "--seed", "1").assert_fine())
    assert (made["width"], made["height"], len(made["stations"]), len(made["toolboxes"])) == (20, 20, 50, 5)
    assert made["prior"]["kind"] == "uniform"
    assert made["query_cost"] == {"base": 0.5, "per_station": 0.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--size 0", "width: found 0; expected a whole number from 1 to 10000"),
        ("--size x", "--size: found 'x'; expected a whole number N, or WxH"),
        ("--size 3x4x5", "--size: found '3x4x5'; expected a whole number N, or WxH"),
        ("--size -3", "--size: found '-3'; expected a whole number N, or WxH"),
        ("--size 4x10001", "height: found 10001; expected a whole number from 1 to 10000"),
        ("--stations 0", "--stations: found '0'; expected a whole number from 1"),
        ("--stations many", "--stations: found 'many'; expected a whole number from 1"),
        ("--stations 1_0", "--stations: found '1_0'; expected a whole number from 1"),
        ("--toolboxes 1.5", "--toolboxes: found '1.5'; expected a whole number from 1"),
        ("--walls 1", "walls: found 1.0; expected a number from 0 to below 1"),
        ("--walls=-0.1", "--walls: found '-0.1'; expected a finite number from 0"),
        ("--walls nan", "--walls: found 'nan'; expected a finite number from 0"),
        (
            "--prior fra",
            "--prior: found 'fra'; expected one of 'uniform', 'far', 'near', 'fetcher-far', 'fetcher-near' "
            "(did you mean 'far'?)",
        ),
        ("--temperature 0", "--temperature: found '0'; expected a finite number above 0"),
        ("--base inf", "--base: found 'inf'; expected a finite number from 0"),
        ("--per-goal=-1", "--per-goal: found '-1'; expected a finite number from 0"),
        ("--seed=-1", "--seed: found '-1'; expected a whole number from 0"),
        ("--seed 1.0", "--seed: found '1.0'; expected a whole number from 0"),
        (
            "--size 3 --seed 1",
            "stations and toolboxes: found 50 and 5; expected at most 9 in total, the cells of the largest region "
            "on a 3 x 3 grid with 0 walls",
        ),
        (
            "-o nowhere/made.json",
            "file 'nowhere/made.json': found no such file or directory; expected a place that can be written to",
        ),
    ],
)
def test_wrong_options(run: Run, options: str, message: str) -> None:
    run("generate", *options.split()).assert_refused(f"askwise generate: {message}")
    assert list(Path().iterdir()) == []

"""Bad input to ``askwise edp``: one line on standard error, exit code 2, nothing printed, nothing written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.command import Run
from tests.domains.instances import instance_json

MARKS = "'#' (wall), '.' (free), 'W' (teammate), 'F' (ego agent), or another letter or digit (a goal)"
FREE_OF_20 = "a cell [x, y] with x from 0 to 19 and y from 0 to 19"


@dataclass(frozen=True)
class Case:
    """A map, options, and the complaint they deserve."""

    map: str
    message: str
    options: tuple[str, ...] = ()


def changed(**changes: object) -> str:
    return json.dumps(instance_json(**changes))


CASES = {
    "empty": Case("", "file 'map': found nothing in it; expected a drawing of a map, or an instance file"),
    "blank": Case("\n  \n\n", "file 'map': found nothing in it; expected a drawing of a map, or an instance file"),
    "ragged": Case(
        "A.W\n..\n", "drawing, line 2: found 2 cells; expected 3, as in line 1 (every line has the same length)"
    ),
    "illegal mark": Case("A.W\n.?.\n", f"drawing, line 2, column 2: found '?'; expected {MARKS}"),
    "control character": Case("A\x1bW\n", f"drawing, line 1, column 2: found '\\x1b'; expected {MARKS}"),
    "no goals": Case("W.F\n", "drawing: found no goals; expected at least one letter or digit other than W and F"),
    "walls only": Case("##\n##\n", "walls: found a wall in every cell; expected at least one free cell"),
    "two teammates": Case("WAW\n", "drawing: found 'W' at (0, 0) and at (2, 0); expected at most one"),
    "no teammate": Case("A.B\n", "--at: found nothing, and no W in the drawing; expected the teammate's cell X,Y"),
    "goal out of reach": Case(
        "AW#B\n", "goal B: found no way to it from state (1, 0); expected a goal that can be reached"
    ),
    "only goal out of reach": Case(
        "W#B\n", "goal B: found no way to it from state (0, 0); expected a goal that can be reached"
    ),
    "at in a pocket": Case(
        "A.#.\n",
        "goal A: found no way to it from state (3, 0); expected a goal that can be reached",
        ("--at", "3,0"),
    ),
    **{
        f"evidence {text}": Case(
            "A.W.B\n",
            f"--evidence: found {found}; expected a number above 0 and below 1, such as 0.05",
            (f"--evidence={text}",),
        )
        for text, found in [("0", "0.0"), ("1", "1.0"), ("-0.1", "-0.1"), ("nan", "nan"), ("few", "'few'")]
    },
    "at in a wall": Case("A.#B\n", "--at: found (2, 0), a wall; expected a free cell", ("--at", "2,0")),
    "at to the right of the map": Case(
        "AWB\n...\n",
        "--at: found (3, 1), outside the 3 x 2 grid; expected x from 0 to 2 and y from 0 to 1",
        ("--at", "3,1"),
    ),
    "at below the map": Case(
        "AWB\n...\n",
        "--at: found (0, -1), outside the 3 x 2 grid; expected x from 0 to 2 and y from 0 to 1",
        ("--at", "0,-1"),
    ),
    "at to the left of the map": Case(
        "AWB\n",
        "--at: found (-1, 0), outside the 3 x 1 grid; expected x from 0 to 2 and y from 0 to 0",
        ("--at=-1,0",),
    ),
    "at far away": Case(
        "AWB\n",
        f"--at: found ({10**30}, 0), outside the 3 x 1 grid; expected x from 0 to 2 and y from 0 to 0",
        ("--at", f"{10**30},0"),
    ),
    "at with one number": Case("AWB\n", "--at: found '1'; expected a cell X,Y, two whole numbers", ("--at", "1")),
    "at with three": Case("AWB\n", "--at: found '1,0,0'; expected a cell X,Y, two whole numbers", ("--at", "1,0,0")),
    "at with fractions": Case(
        "AWB\n", "--at: found '1.5,0'; expected a cell X,Y, two whole numbers", ("--at", "1.5,0")
    ),
    "at in words": Case("AWB\n", "--at: found 'here'; expected a cell X,Y, two whole numbers", ("--at", "here")),
    "at with a gap": Case("AWB\n", "--at: found '1,'; expected a cell X,Y, two whole numbers", ("--at", "1,")),
    "at with a line break": Case(
        "AWB\n", "--at: found 'a\\nb'; expected a cell X,Y, two whole numbers", ("--at", "a\nb")
    ),
    "at that is empty": Case("AWB\n", "--at: found ''; expected a cell X,Y, two whole numbers", ("--at", "")),
    "broken json": Case(
        '{"format": \n "askwise',
        "line 2, column 2: found something that is not JSON (Unterminated string starting at); "
        "expected one JSON object",
    ),
    "list": Case("[1, 2]", "file: found [1, 2]; expected an object, { ... }"),
    "empty object": Case(" {}", "format: found nothing; expected this key, which is required"),
    "other version": Case(
        '{"format": "askwise/tool-fetching@2", "new": 1}',
        "format: found \"askwise/tool-fetching@2\"; expected one of 'askwise/tool-fetching@1', "
        "'askwise/problem@1' (did you mean 'askwise/tool-fetching@1'?)",
    ),
    "faulty instance": Case(changed(worker=[20, 0]), f"worker: found [20, 0]; expected {FREE_OF_20}"),
    "instance with at in a wall": Case(changed(), "--at: found (3, 4), a wall; expected a free cell", ("--at", "3,4")),
    "picture in a folder that is not there": Case(
        "AWB\n",
        "file 'missing/x.png': found no such file or directory; expected a place that can be written to",
        ("--png", "missing/x.png"),
    ),
    "picture of another kind": Case(
        "AWB\n", "file 'x.jpg': found the ending '.jpg'; expected one of .png, .svg, .pdf", ("--png", "x.jpg")
    ),
    "picture without ending": Case(
        "AWB\n", "file 'x': found no ending; expected one of .png, .svg, .pdf", ("--png", "x")
    ),
    "picture without name": Case("AWB\n", "file '': found no ending; expected one of .png, .svg, .pdf", ("--png", "")),
    "picture of a faulty map": Case(
        "A#W\n",
        "goal A: found no way to it from state (2, 0); expected a goal that can be reached",
        ("--png", "x.png"),
    ),
}


def named(message: str) -> str:
    """The message for a map that is a file: what is wrong in it is said with its name."""
    if re.match("(drawing|walls|line|format|worker)", message):
        return f"file 'map', {message}"
    return message.replace("file: ", "file 'map': ", 1) if message.startswith("file: ") else message


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_bad_input_is_refused(run: Run, case: Case) -> None:
    Path("map").write_bytes(case.map.encode())
    run("edp", "map", *case.options).assert_refused(f"askwise edp: {named(case.message)}")
    assert [path.name for path in Path.cwd().iterdir()] == ["map"]


@pytest.mark.parametrize("case", [CASES["ragged"], CASES["list"]], ids=["drawing", "json"])
def test_bad_standard_input_is_refused(run: Run, case: Case) -> None:
    run("edp", "-", stdin=case.map).assert_refused(f"askwise edp: {case.message}")


def binary(path: Path) -> None:
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda _: None, "found no such file or directory; expected a file that can be read"),
    "binary": (binary, "found bytes that are not UTF-8 text; expected a text file"),
    "circular link": (
        lambda path: path.symlink_to(path),
        "found too many levels of symbolic links; expected a file that can be read",
    ),
}


@pytest.mark.parametrize(("make", "complaint"), FILES.values(), ids=FILES)
def test_files_that_cannot_be_read_are_refused(run: Run, make: Callable[[Path], object], complaint: str) -> None:
    make(Path("some map"))
    run("edp", "some map").assert_refused(f"askwise edp: file 'some map': {complaint}")


def test_a_file_name_of_two_lines_is_shown_on_one(run: Run) -> None:
    run("edp", "two\nlines").assert_refused(
        "askwise edp: file 'two\\nlines': found no such file or directory; expected a file that can be read"
    )


def test_a_picture_in_place_of_a_folder_is_refused(run: Run) -> None:
    Path("folder.png").mkdir()
    run("edp", "-", "--png", "folder.png", stdin="AWB").assert_refused(
        "askwise edp: file 'folder.png': found a folder, not a file; expected a place that can be written to"
    )
    assert list(Path.cwd().rglob("*")) == [Path.cwd() / "folder.png"]


def test_binary_standard_input_is_refused(run: Run) -> None:
    run("edp", "-", stdin=b"\x89PNG\r\n\x1a\n\x00\xff").assert_refused_somehow()


def test_a_folder_is_taken_for_a_planning_problem(run: Run) -> None:
    Path("some map").mkdir()
    run("edp", "some map").assert_refused(
        "askwise edp: some map: found no domain.pddl; "
        "expected domain.pddl, template.pddl, hyps.dat, and perhaps obs.dat and real_hyp.dat"
    )


def test_a_second_file_is_for_planning_problems(run: Run) -> None:
    run("edp", "map", "another").assert_refused(
        "askwise edp: TEMPLATE: found 'another'; expected a planning problem, MAP.pddl or an archive, with it"
    )


@pytest.mark.parametrize("options", [(), ("map", "--out", "x"), ("map", "--at")])
def test_wrong_options_are_refused_in_one_line(run: Run, options: tuple[str, ...]) -> None:
    outcome = run("edp", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("askwise edp: ")
    assert outcome.err.endswith(" (askwise edp --help explains)\n")

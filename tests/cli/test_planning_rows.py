"""``askwise recognise`` and ``askwise grd``: one problem, many, bad input, gone on with."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Run
from tests.pddl.corridors import corridors, go
from tests.pddl.problems import INTRUSION
from tests.pddl.test_same_names import FORK

pytestmark = pytest.mark.usefixtures("wide_terminal")

FILES = corridors(3, 3, [(2, 0), (0, 2), (2, 2)], closed=[(1, 1)])
SEEN = go((0, 0), (1, 0), (2, 0), (2, 1))


def archive(path: Path, seen: list[str], true_goal: str = "(at r2-2)", **other: str) -> None:
    """Write an archive as the public data set has them."""
    texts = {**FILES, **other, "obs.dat": "\n".join(f"({each})" for each in seen), "real_hyp.dat": true_goal}
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:bz2") as packed:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            packed.addfile(member, io.BytesIO(text.encode()))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    archive(folder / "walk/walk_p01_hyp-2_30_0.tar.bz2", SEEN[1:2])
    archive(folder / "walk/walk_p01_hyp-2_full.tar.bz2", SEEN)
    archive(folder / "walk/walk_p02_hyp-0_full.tar.bz2", SEEN[:1], "(at r1-1)", **corridors(2, 2, [(1, 1), (1, 0)]))
    (folder / "walk/broken.tar.bz2").write_bytes(b"BZh9 not an archive")
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_one_archive(data: Path, run: Run) -> None:
    found = run("recognise", str(data / "walk/walk_p01_hyp-2_full.tar.bz2"), "--belief", "bayes")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0] == "walk_p01_hyp-2_full: 3 goals, 3 actions seen"
    assert "  1  (go r0-0 r1-0)         2  goal 1 66.7 %, goal 3 33.3 %" in lines
    assert "  goal 3   100.0 %  at r2-2  <- true goal" in lines


def test_as_json_with_files_of_their_own(tmp_path: Path, run: Run) -> None:
    for name, text in {**FILES, "obs.dat": f"({SEEN[0]})"}.items():
        (tmp_path / name).write_text(text)
    names = (str(tmp_path / name) for name in ("domain.pddl", "template.pddl", "hyps.dat", "obs.dat"))
    domain, template, goals, seen = names
    arguments = ("recognise", domain, template, "--goals", goals, "--obs", seen, "--complete", "--json")
    found = json.loads(run(*arguments).out)
    assert found["probabilities"][1] == pytest.approx([2 / 3, 0, 1 / 3])
    assert (found["belief"], found["complete"], found["true_goal"]) == ("bayes", True, None)


def test_two_actions_of_one_name(run: Run, tmp_path: Path) -> None:
    for name, text in {**FORK.pddl(), "obs.dat": "(go)\n(fb)", "real_hyp.dat": "(y)"}.items():
        (tmp_path / name).write_text(text)
    text = run("recognise", str(tmp_path), "--complete").assert_fine()
    assert "  1  (go)                  2  goal 1 50.0 %, goal 2 50.0 %\n" in text
    assert "  goal 2   100.0 %  y  <- true goal\n" in text
    assert "Only goal 2 is left" in run("edp", str(tmp_path), "--obs").assert_fine()


NET = {**INTRUSION, "hyps.dat": "(stolen web)\n(stolen web), (root web)\n(wiped mail)\n(wiped web)"}
"""Goals 1 and 2 have all their plans in common; goal 4 shares all but the last of four steps with them."""


def test_one_wcd_and_one_edp_in_every_output(tmp_path: Path, run: Run) -> None:
    """WCD is the longest common prefix; the step that tells apart and capped numbers have other names."""
    for name, text in NET.items():
        (tmp_path / name).write_text(text)
    target = tmp_path / "problems.csv"
    told = run("grd", str(tmp_path), "--csv", str(target), "--workers", "1").out
    (row,) = rows(target)
    alike = json.loads(run("edp", str(tmp_path), "--json").assert_fine())
    designed = json.loads(run("design", str(tmp_path), "-k", "1", "--json").assert_fine())

    def off(name: str) -> list[Any]:
        return [alike[name][i][j] for i in range(4) for j in range(4) if i != j]

    before = designed["before"]
    assert max(off("wcd")) == int(row["wcd"]) == before["wcd"] == 4
    assert (row["told_apart"], before["told_apart"], off("told_apart").count(None)) == ("inf", None, 2)
    assert (row["never_apart"], before["never_apart"]) == ("2", 2)
    capped = sum(off("edp_capped")) / 12
    assert float(row["mean_capped_edp"]) == pytest.approx(capped)
    assert before["edp"] == pytest.approx(capped)
    assert {alike["wcd_convention"], designed["wcd_convention"]} == {"longest common prefix"}

    text = run("edp", str(tmp_path)).assert_fine()
    finite = [value for value in off("edp") if value is not None]
    mean, most = sum(finite) / 10, max(finite)
    assert f"  EDP *            mean {mean:.3f}, median 1.000, largest {most:.3f}\n" in text
    assert f"  EDP, capped      mean {capped:.3f}, median 2.500, largest 5.000\n" in text
    assert "  WCD              4 (longest common prefix)\n  told apart by    never\n" in text
    assert (
        "  * leaves out 2 pairs that have a plan in common: nothing tells them apart, and EDP is infinite. Capped,\n"
        "    they count up to the end of the plan.\n"
    ) in text
    assert told.splitlines()[0].split("  ")[-1] == "verdict"
    assert told.splitlines()[1].split()[4:9] == ["4", "never", f"{mean:.2f}*", f"{most:.2f}*", f"{capped:.2f}"]
    assert told.endswith(
        "WCD: longest common prefix of optimal plans. Told apart: step by which any two goals are told apart.\n"
        "* Leaves out pairs that have a plan in common: nothing tells them apart, and EDP is infinite. Capped,\n"
        "  they count up to the end of the plan.\n"
    )
    assert (
        "                        before     after\n"
        "WCD                          4         4\n"
        "told apart by step       never     never\n"
        f"expected EDP, capped{capped:>10.3f}{designed['after']['edp']:>10.3f}\n"
        "\n"
        "WCD: longest common prefix of optimal plans, in steps.\n"
        "Capped: 2 of 12 ordered pairs of goals before, 2 after, have a plan in common.\n"
        "They are never separated, and count up to the end of the plan.\n"
    ) in run("design", str(tmp_path), "-k", "1").assert_fine()


def test_goals_are_numbered_from_one_everywhere(data: Path, tmp_path: Path, run: Run) -> None:
    path = str(data / "walk/walk_p01_hyp-2_full.tar.bz2")
    assert "  goal 3   100.0 %  at r2-2  <- true goal" in run("recognise", path, "--belief", "bayes").assert_fine()
    found = json.loads(run("recognise", path, "--json").assert_fine())
    assert (found["true_goal"], found["likeliest"], found["unreachable"]) == (3, [3], [])
    assert found["goals"][found["true_goal"] - 1] == "at r2-2"
    run("recognise", path, "--csv", str(tmp_path / "found.csv"), "--workers", "1")
    (row,) = rows(tmp_path / "found.csv")
    assert (row["true_goal"], row["likeliest"]) == ("3", "[3]")
    after = json.loads(run("edp", path, "--obs", "--json").assert_fine())
    assert (after["goals"], after["numbers"]) == (["at r2-2"], [3])
    assert [(goal["number"], goal["name"]) for goal in after["all_goals"]] == [
        (1, "at r2-0"),
        (2, "at r0-2"),
        (3, "at r2-2"),
    ]
    blocked = {**corridors(3, 3, [(2, 2), (2, 0)], closed=[(1, 2), (2, 1), (1, 1)]), "obs.dat": f"({SEEN[0]})"}
    (tmp_path / "blocked").mkdir()
    for name, text in blocked.items():
        (tmp_path / "blocked" / name).write_text(text)
    found = json.loads(run("recognise", str(tmp_path / "blocked"), "--json").assert_fine())
    assert (found["unreachable"], found["likeliest"], found["true_goal"]) == ([1], [2], None)


def test_many_archives_are_rows_and_a_summary(data: Path, tmp_path: Path, run: Run) -> None:
    target = tmp_path / "found.csv"
    first = run("recognise", str(data), "--belief", "bayes", "--csv", str(target), "--workers", "1")
    assert first.code == 0
    assert "broken is skipped: file " in first.err
    found = rows(target)
    assert [(row["archive"], row["observability"], row["true_likeliest"]) for row in found] == [
        ("walk_p01_hyp-2_30_0", "30", "false"),
        ("walk_p01_hyp-2_full", "100", "true"),
        ("walk_p02_hyp-0_full", "100", "false"),
    ]
    assert [float(row["true_probability"]) for row in found] == pytest.approx([1 / 3, 1, 1 / 3])
    assert "  30 %         1        0 %     0 %     100 %         2.0        0" in first.out.splitlines()
    again = run("recognise", str(data), "--belief", "bayes", "--csv", str(target), "--workers", "1")
    assert (again.code, again.out) == (0, first.out)
    assert not target.with_name("found.csv.rows").exists()  # everything is in the table


def test_measures_of_many_problems(data: Path, tmp_path: Path, run: Run) -> None:
    target = tmp_path / "problems.csv"
    found = run("grd", str(data), "--csv", str(target), "--workers", "1")
    assert found.code == 0
    first, second = rows(target)
    # Around the closed room there is one way to each near corner, two to the far one.
    assert (first["problem"], first["archives"], first["goals"], first["verdict"]) == ("walk_p01", "2", "3", "exact")
    assert (first["wcd"], first["told_apart"]) == ("2", "3")
    assert float(first["largest_edp"]) == 3
    # Near corners differ at once. Who goes to one of them tells that it is not the far one by staying, in step 3; who
    # goes to the far one passes one near corner (step 3) or the other (step 1), each half of the time.
    assert float(first["mean_edp"]) == pytest.approx((1 + 1 + 3 + 3 + 2 + 2) / 6)
    assert (second["problem"], second["goals"], second["wcd"]) == ("walk_p02", "2", "1")
    assert found.out.splitlines()[0].split()[:4] == ["problem", "goals", "steps", "states"]


def test_archives_of_one_name_in_several_folders_are_numbered(tmp_path: Path, run: Run) -> None:
    for k in (0, 1):
        files = corridors(2, 2, [(1, 1), (1, 0), (0, 1)][: k + 2])
        archive(tmp_path / "data" / str(k) / "p01.tar.bz2", SEEN[:1], "(at r1-1)", **files)
    assert run("grd", str(tmp_path / "data"), "--csv", str(tmp_path / "all.csv"), "--workers", "1").code == 0
    assert [row["problem"] for row in rows(tmp_path / "all.csv")] == ["p01", "p01 (2)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.tar.bz2"], "file 'missing.tar.bz2': found no such file or directory"),
        (["a.tar.bz2", "--stray", "2"], "--stray: found 2; expected a probability between 0 and 1"),
        (
            ["a.tar.bz2", "--belief", "robust", "--complete"],
            "--complete: found with --belief robust; expected --belief bayes",
        ),
        (
            ["a", "b", "--json"],
            "--json: found with several archives; expected one archive; --csv FILE takes the rows of several",
        ),
    ],
)
def test_bad_input(arguments: list[str], message: str, run: Run) -> None:
    found = run("recognise", *arguments)
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1


def test_a_folder_without_problems(tmp_path: Path, run: Run) -> None:
    (tmp_path / "empty").mkdir()
    run("grd", str(tmp_path / "empty")).assert_refused(
        f"askwise grd: DIR: found no problem in {str(tmp_path / 'empty')!r}; "
        "expected archives (*.tar.bz2) or folders with domain.pddl"
    )


@pytest.mark.parametrize("command", ["grd", "recognise"])
def test_nothing_that_can_be_read_is_one_line(command: str, data: Path, tmp_path: Path, run: Run) -> None:
    broken = data / "walk/broken.tar.bz2"
    (tmp_path / "only").mkdir()
    (tmp_path / "only/broken.tar.bz2").write_bytes(broken.read_bytes())
    why = "no archive that can be unpacked (damaged, or neither tar nor tar in bz2, gz or xz)"
    found = run(command, str(tmp_path / "only"))
    assert found.code == 2
    assert found.err.startswith(f"askwise {command}: file ")
    assert why in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("command", ["grd", "recognise"])
def test_planning_files_among_archives_are_refused(command: str, data: Path, tmp_path: Path, run: Run) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(FILES["domain.pddl"])
    other = "edp" if command == "grd" else command
    run(command, str(data), str(domain)).assert_refused(
        f"askwise {command}: arguments: found {str(domain)!r}; expected archives, or folders of them "
        f"(for separate files: askwise {other} DOMAIN.pddl TEMPLATE.pddl --goals HYPS.dat)"
    )


def test_the_exit_code_says_that_everything_failed(tmp_path: Path, run: Run) -> None:
    archive(tmp_path / "one.tar.bz2", SEEN, **{"hyps.dat": "(at nowhere)"})
    found = run("grd", str(tmp_path / "one.tar.bz2"), "--workers", "1")
    assert found.code == 2
    assert found.err == "one: failed: hyps.dat, line 1: found 'nowhere'; expected a known object\n"
    archive(tmp_path / "two.tar.bz2", SEEN)
    assert run("grd", str(tmp_path), "--workers", "1").code == 0

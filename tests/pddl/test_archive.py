"""Archives and folders as data sets have them; nothing is written to disk, and what is not one is refused."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from askwise.errors import InputError
from askwise.pddl import load
from tests.pddl.problems import LOGISTICS, Files
from tests.refused import assert_refused

FILES: Files = {
    **LOGISTICS,
    "obs.dat": "(LOAD RED T1 P1)\n(DRIVE T1 P1 A1 C1)\n",
    "real_hyp.dat": "(at blue p1), (at red a1)",
}


def archive(path: Path, files: Files, mode: str = "w:bz2", prefix: str = "./") -> Path:
    with tarfile.open(path, mode) as packed:  # type: ignore[call-overload]
        for name, text in files.items():
            add(packed, prefix + name, text.encode())
    return path


def add(packed: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    packed.addfile(info, io.BytesIO(data))


@pytest.mark.parametrize(
    ("ending", "mode"), [("tar.bz2", "w:bz2"), ("tar.gz", "w:gz"), ("tar.xz", "w:xz"), ("tar", "w")]
)
def test_an_archive_of_any_kind(tmp_path: Path, ending: str, mode: str) -> None:
    problem = load(archive(tmp_path / f"post_hyp-1_full.{ending}", FILES, mode, prefix=""))
    assert problem.name == "post_hyp-1_full"
    assert [action for _, action in problem.seen] == ["load red t1 p1", "drive t1 p1 a1 c1"]
    assert problem.true_goal == 1
    assert len(problem.goals) == 4


def test_a_folder_and_single_files_say_the_same(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    folder = load(tmp_path)
    single = load(
        tmp_path / "domain.pddl", tmp_path / "template.pddl", goals=tmp_path / "hyps.dat", seen=tmp_path / "obs.dat"
    )
    assert folder.goal_names == single.goal_names
    assert folder.task.labels == single.task.labels
    assert single.true_goal is None


def test_errors_in_an_archive_name_the_file_in_it(tmp_path: Path) -> None:
    path = archive(tmp_path / "post.tar.bz2", {**FILES, "hyps.dat": "(at red p2)\n(at green p2)\n"})
    assert_refused(lambda: load(path), "hyps.dat, line 2: found 'green'; expected a known object")


def test_other_files_and_paths_in_an_archive_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "post.tar.bz2"
    with tarfile.open(path, "w:bz2") as packed:
        add(packed, "._domain.pddl", b"\x00\x05\x16\x07")
        add(packed, "../../escaped.txt", b"nobody writes this")
        link = tarfile.TarInfo("hyps.dat")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
        for name, text in FILES.items():
            add(packed, f"../../{name}", text.encode())
    assert len(load(path).goals) == 4
    assert [entry.name for entry in tmp_path.iterdir()] == ["post.tar.bz2"]


def test_an_archive_that_would_grow_is_refused_before_it_does(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar.bz2"
    with tarfile.open(path, "w:bz2") as packed:
        info = tarfile.TarInfo("domain.pddl")
        info.size = 3 * 10**7
        packed.addfile(info, io.BytesIO(bytes(3 * 10**7)))
    message = f"file {str(path)!r}, domain.pddl: found 30000000 bytes; expected at most 20000000"
    assert_refused(lambda: load(path), message)


FIVE = "a .tar.bz2 (or .tar.gz, .tar.xz, .tar) with domain.pddl, template.pddl and hyps.dat"


def _text(path: Path) -> None:
    path.write_text("not packed at all", encoding="utf-8")


def _cut(path: Path) -> None:
    archive(path, FILES)
    path.write_bytes(path.read_bytes()[:-200])


def _flipped(path: Path) -> None:
    archive(path, FILES)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", [_text, _cut, _flipped])
def test_damaged_archives_are_refused_in_one_line(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "post.tar.bz2"
    damage(path)
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(f"file {str(path)!r}: found no archive that can be unpacked (")
    assert str(caught.value).endswith(f"expected {FIVE}")


def test_files_in_the_wrong_order_are_called_so(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    domain, template = tmp_path / "domain.pddl", tmp_path / "template.pddl"
    order = "first the domain, then the problem or template"
    with pytest.raises(InputError, match=f"line 2: found a problem; expected a domain: {order}"):
        load(template, domain, goals=tmp_path / "hyps.dat")
    with pytest.raises(InputError, match=f"line 2: found a domain; expected a problem: {order}"):
        load(domain, domain, goals=tmp_path / "hyps.dat")


def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert str(caught.value) == f"folder {str(tmp_path)!r}: found permission denied; expected a folder that can be read"


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "post.tar.bz2", {"domain.pddl": FILES["domain.pddl"]})
    expected = "domain.pddl, template.pddl, hyps.dat, and perhaps obs.dat and real_hyp.dat"
    assert_refused(lambda: load(path), f"{path}: found no template.pddl; expected {expected}")
    missing = tmp_path / "none.tar.bz2"
    expected = "no such file or directory; expected a file that can be read"
    assert_refused(lambda: load(missing), f"file {str(missing)!r}: found {expected}")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.tar.bz2"
    os.mkfifo(pipe)
    assert_refused(lambda: load(pipe), f"file {str(pipe)!r}: found a pipe; expected a file that can be read")


def test_two_problems_in_one_archive_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.tar.bz2"
    with tarfile.open(path, "w:bz2") as packed:
        for folder in ("one", "two"):
            add(packed, f"{folder}/domain.pddl", FILES["domain.pddl"].encode())
    found = "several files of the name domain.pddl; expected one problem in each archive"
    assert_refused(lambda: load(path), f"file {str(path)!r}: found {found}")

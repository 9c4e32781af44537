"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from askwise.errors import InputError
from askwise.files import make_folder, reason, save_figure, whole_file
from tests.refused import assert_refused


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    with whole_file(target) as temporary:
        temporary.write_text("all of it")
        assert not target.exists()
        assert temporary.suffix == ".txt"
        assert temporary.parent == tmp_path
    assert target.read_text() == "all of it"
    assert names(tmp_path) == ["result.txt"]


def test_an_older_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    target.write_text("old")
    with whole_file(str(target)) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["result.txt"]


@pytest.mark.parametrize("failure", [RuntimeError("the writer fell over"), KeyboardInterrupt()])
def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path, failure: BaseException) -> None:
    target = tmp_path / "result.txt"
    target.write_text("old")

    def write() -> None:
        with whole_file(target) as temporary:
            temporary.write_text("half")
            raise failure

    with pytest.raises(type(failure)) as caught:
        write()
    assert caught.value is failure
    assert target.read_text() == "old"
    assert names(tmp_path) == ["result.txt"]


def test_a_disk_that_is_full_is_named(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"

    def write() -> None:
        with whole_file(target):
            raise OSError(28, "No space left on device")

    assert_refused(write, f"file '{target}': found no space left on device; expected a place that can be written to")
    assert names(tmp_path) == []


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    def write(path: Path) -> None:
        with whole_file(path) as temporary:
            temporary.write_text("x")

    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("in the way")
    for path, why in [
        (tmp_path / "missing" / "x.txt", "no such file or directory"),
        (tmp_path / "file" / "x.txt", "not a directory"),
        (tmp_path / "folder", "is a directory"),
    ]:
        with pytest.raises(InputError) as caught:
            write(path)
        assert str(caught.value) == f"file '{path}': found {why}; expected a place that can be written to"
    assert names(tmp_path) == ["file", "folder"]
    assert names(tmp_path / "folder") == []


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 251 + ".txt")
    target.write_text("old")  # the system takes it
    with whole_file(target) as temporary:
        temporary.write_text("new")
    assert target.read_text() == "new"


@pytest.fixture
def umask() -> Iterator[None]:
    """Put the permissions of new files back after the test."""
    before = os.umask(0)
    os.umask(before)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600), (0o000, 0o666)])
def test_permissions_are_those_of_any_new_file(tmp_path: Path, mask: int, mode: int) -> None:
    os.umask(mask)
    target = tmp_path / "result.txt"
    with whole_file(target) as temporary:
        temporary.write_text("x")
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert os.umask(mask) == mask, "the umask was changed and not put back"


# -- figures -----------------------------------------------------------------------------------------------------


def figure() -> Figure:
    drawn = Figure(figsize=(3, 2))
    ax = drawn.subplots()
    ax.plot([1, 2, 3], [3, 1, 2])
    ax.set_title("a title")
    return drawn


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG\r\n"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, ending: str, start: bytes) -> None:
    drawn = figure()
    paths = [tmp_path / f"{name}.{ending}" for name in ("one", "two", "built again")]
    for path in paths[:2]:
        save_figure(drawn, path)
    save_figure(figure(), paths[2])
    contents = {path.read_bytes() for path in paths}
    assert len(contents) == 1
    assert contents.pop().startswith(start)


def test_another_figure_gives_other_bytes(tmp_path: Path) -> None:
    other = figure()
    other.axes[0].set_title("another title")
    for ending in ("png", "svg"):
        save_figure(figure(), tmp_path / f"one.{ending}")
        save_figure(other, tmp_path / f"two.{ending}")
        assert (tmp_path / f"one.{ending}").read_bytes() != (tmp_path / f"two.{ending}").read_bytes()


@pytest.mark.parametrize(("name", "ending"), [("x.jpg", ".jpg"), ("x", ""), ("x.png.txt", ".txt"), (".png", "")])
def test_other_kinds_of_pictures_are_refused(tmp_path: Path, name: str, ending: str) -> None:
    path = tmp_path / name
    assert_refused(
        lambda: save_figure(figure(), path),
        f"file '{path}': found the ending {ending!r}; expected one of .png, .svg, .pdf",
    )
    assert names(tmp_path) == []


def test_a_figure_that_cannot_be_drawn_leaves_nothing(tmp_path: Path) -> None:
    broken = figure()
    broken.axes[0].set_title(r"$\nonsense$")
    with pytest.raises(ValueError, match="nonsense"):
        save_figure(broken, tmp_path / "x.png")
    assert names(tmp_path) == []


# -- folders -----------------------------------------------------------------------------------------------------


def test_folders_are_made_with_all_above_them(tmp_path: Path) -> None:
    wanted = tmp_path / "a" / "b"
    assert make_folder(wanted) == wanted
    assert make_folder(str(wanted)) == wanted
    assert wanted.is_dir()


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("in the way")
    assert_refused(
        lambda: make_folder(path), f"folder '{path}': found file exists; expected a folder that can be written to"
    )


def test_reasons_fit_into_a_sentence() -> None:
    assert reason(OSError(2, "No such file or directory")) == "no such file or directory"

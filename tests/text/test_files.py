"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from askwise.errors import InputError
from askwise.text import files
from askwise.text.files import (
    make_folder,
    read_stdin,
    read_text,
    reason,
    remove_left_overs,
    save_figure,
    sync_names,
    whole_file,
)
from tests.refused import assert_refused


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path | str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text("new")


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
        (tmp_path / "folder", "a folder, not a file"),
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


@pytest.mark.usefixtures("umask")
def test_files_of_other_threads_never_see_another_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.umask(0o077)

    def refuse(_: int) -> int:
        raise AssertionError("the umask is everybody's")

    with monkeypatch.context() as watched:
        watched.setattr(os, "umask", refuse)
        with whole_file(tmp_path / "result.txt") as temporary:
            assert stat.S_IMODE(temporary.stat().st_mode) == 0o600


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    os.umask(0o022)
    target = tmp_path / "result.txt"
    target.write_text("old")
    target.chmod(mode)
    with whole_file(target) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) & ~(mode | 0o600) == 0, "it is never seen by more people"
        temporary.write_text("new")
    assert (stat.S_IMODE(target.stat().st_mode), target.read_text()) == (mode, "new")


def test_a_file_that_is_replaced_keeps_its_owner_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result.txt"
    target.write_text("old")
    asked: list[tuple[int, int]] = []

    def not_allowed(_: Path, user: int, group: int) -> None:
        asked.append((user, group))
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", not_allowed)
    write(target)
    assert (asked, target.read_text()) == ([(os.getuid(), os.getgid())], "new")


# -- what is on the disk ---------------------------------------------------------------------------------------------


def test_a_file_is_on_the_disk_before_it_takes_its_place_and_its_name_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[tuple[str, int]] = []
    fsync, replace = os.fsync, Path.replace

    def watched_fsync(handle: int) -> None:
        happened.append(("sync", os.fstat(handle).st_ino))
        fsync(handle)

    def watched_replace(path: Path, target: Path) -> Path:
        happened.append(("replace", path.stat().st_ino))
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    target = tmp_path / "result.txt"
    for sync_folder in (True, False):
        happened.clear()
        with whole_file(target, sync_folder=sync_folder) as temporary:
            temporary.write_text("x")
        file, folder = target.stat().st_ino, tmp_path.stat().st_ino
        assert happened == [("sync", file), ("replace", file)] + [("sync", folder)] * sync_folder


@pytest.mark.parametrize(("number", "is_said"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_folders_that_cannot_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_said: bool
) -> None:
    def refuse(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    if is_said:
        with pytest.raises(OSError, match=os.strerror(number)):
            sync_names(tmp_path)
    else:
        sync_names(tmp_path)
    sync_names(tmp_path / "none")


def test_what_killed_processes_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    with whole_file(tmp_path / "result.tar.gz") as temporary:
        temporary.write_text("x")
        mine = temporary.name
        remove_left_overs(tmp_path)
        assert not temporary.exists(), "or others would not be found either"
        temporary.write_text("x")
    others = [".askwise", ".askwise-notes.txt", "askwise-0123456789ab.json", ".x.json", mine.lstrip(".")]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / ".askwise-0123456789ab").mkdir()
    (tmp_path / ".askwise-0123456789ac.svg").write_text("half")
    remove_left_overs(tmp_path)
    assert names(tmp_path) == sorted([*others, ".askwise-0123456789ab", "result.tar.gz"])


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


@pytest.mark.parametrize(
    ("name", "found"),
    [("x.jpg", "the ending '.jpg'"), ("x", "no ending"), ("x.png.txt", "the ending '.txt'"), (".png", "no ending")],
)
def test_other_kinds_of_pictures_are_refused(tmp_path: Path, name: str, found: str) -> None:
    path = tmp_path / name
    assert_refused(
        lambda: save_figure(figure(), path),
        f"file '{path}': found {found}; expected one of .png, .svg, .pdf",
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


# -- reading -------------------------------------------------------------------------------------------------------


def test_text_is_read_as_utf_8(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("Straße\n".encode())
    assert read_text(tmp_path / "text") == "Straße\n"
    assert read_text(str(tmp_path / "text")) == "Straße\n"


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    missing, folder, binary = tmp_path / "missing", tmp_path / "folder", tmp_path / "binary"
    folder.mkdir()
    binary.write_bytes(b"\xff\x00")
    readable = "a file that can be read"
    assert_refused(
        lambda: read_text(missing), f"file '{missing}': found no such file or directory; expected {readable}"
    )
    assert_refused(lambda: read_text(folder), f"file '{folder}': found a folder, not a file; expected {readable}")
    assert_refused(
        lambda: read_text(binary), f"file '{binary}': found bytes that are not UTF-8 text; expected a text file"
    )


@pytest.mark.parametrize(("name", "kind"), [("pipe", "a pipe"), ("/dev/zero", "a device"), ("link", "a device")])
def test_what_is_no_file_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("link").symlink_to("/dev/zero")
    assert_refused(lambda: read_text(name), f"file '{name}': found {kind}; expected a file that can be read")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("hole").open("wb") as file:
        file.truncate(2**40)  # no disk holds it, and no memory
    too_large = "found more than 256 MiB; expected at most 256 MiB"
    assert_refused(lambda: read_text("hole"), f"file 'hole': {too_large}")
    monkeypatch.setattr(files, "LARGEST_FILE", 2 * 2**20)
    Path("large").write_bytes(b" " * 2 * 2**20)
    assert len(read_text("large")) == 2 * 2**20


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "growing").write_bytes(b" " * (2**20 + 1))
    monkeypatch.setattr(files, "LARGEST_FILE", 2**20)
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result([stat.S_IFREG, *[0] * 9]))
    assert_refused(
        lambda: read_text(tmp_path / "growing"),
        f"file '{tmp_path / 'growing'}': found more than 1 MiB; expected at most 1 MiB",
    )


def test_standard_input_has_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 2**20)
    for size, fits in ((2**20, True), (2**20 + 1, False)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * size)))
        if fits:
            assert len(read_stdin()) == size
        else:
            assert_refused(read_stdin, "standard input: found more than 1 MiB; expected at most 1 MiB")

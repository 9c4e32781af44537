"""Where a file is to be written there is a link, a pipe, a device: links are followed, the rest is left alone."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from askwise.text.files import opened, whole_file
from tests.refused import assert_refused
from tests.text.test_files import names, write


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    target, link, second = tmp_path / "there" / "x.txt", tmp_path / "here" / "link.txt", tmp_path / "second.txt"
    if exists:
        target.write_text("old")
    link.symlink_to("../there/x.txt")
    second.symlink_to(link)
    write(second)
    assert target.read_text() == "new"
    assert not target.is_symlink()
    assert (link.readlink(), second.readlink()) == (Path("../there/x.txt"), link)
    assert (names(tmp_path / "here"), names(tmp_path / "there")) == (["link.txt"], ["x.txt"])


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    loop, lost = tmp_path / "loop", tmp_path / "lost"
    loop.symlink_to(loop)
    lost.symlink_to(tmp_path / "none" / "x")
    for path, why in ((loop, "too many levels of symbolic links"), (lost, "no such file or directory")):
        assert_refused(
            lambda path=path: write(path),  # type: ignore[misc]
            f"file {str(path)!r}: found {why}; expected a place that can be written to",
        )
        assert path.is_symlink()


def refused_as(path: Path | str, found: str) -> None:
    assert_refused(lambda: write(path), f"file {str(path)!r}: found {found}; expected an ordinary file, or a new name")


def test_a_pipe_is_neither_replaced_nor_waited_for(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe.txt", tmp_path / "link.txt"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    refused_as(pipe, "a pipe")
    refused_as(link, "a pipe")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["link.txt", "pipe.txt"]


def test_a_socket_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets may not be long
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("socket")
        refused_as("socket", "a socket")
    assert stat.S_ISSOCK(Path("socket").stat().st_mode)


def test_a_device_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few may make one: an ordinary file passes for it.
    target = tmp_path / "device"
    target.write_text("old")
    monkeypatch.setattr(stat, "S_ISREG", lambda _: False)
    monkeypatch.setattr(stat, "S_IFMT", lambda _: stat.S_IFBLK)
    refused_as(target, "a device")
    assert target.read_text() == "old"


@pytest.mark.skipif(not Path("/dev/stdout").is_symlink(), reason="no such names here")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1", "/dev/null"])
def test_names_of_streams_and_devices_are_refused(tmp_path: Path, name: str) -> None:
    before, found = names(Path("/dev")), "a device" if name == "/dev/null" else "a stream"
    refused_as(name, found)
    link = tmp_path / "link"
    link.symlink_to(name)
    refused_as(link, found)
    assert names(Path("/dev")) == before


def test_a_tilde_is_a_letter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("~").mkdir()
    with whole_file("~/x.txt") as temporary:
        assert temporary.is_absolute(), "libraries would look for it at home"
        temporary.write_text("x")
    assert names(tmp_path / "~") == ["x.txt"]


def test_a_name_with_a_long_ending(tmp_path: Path) -> None:
    target = tmp_path / ("x." + "y" * 250)
    write(target)
    assert target.read_text() == "new"


def test_pipes_and_sockets_are_not_opened_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("socket")
    with pytest.raises(OSError, match="a pipe"), opened(tmp_path / "pipe"):
        pass
    with pytest.raises(OSError, match="a socket"), opened(Path("socket")):
        pass
    with pytest.raises(IsADirectoryError), opened(tmp_path):
        pass
    (tmp_path / "file").write_bytes(b"x")
    with opened(tmp_path / "file") as file:
        assert file.read() == b"x"

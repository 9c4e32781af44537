"""Writing files so that they appear whole or not at all, and last; reading those that are files and nothing else."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from askwise.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")

LEFT_OVER = re.compile(r"\.askwise-[0-9a-f]{12}(\.[^.]*)?")
"""How `whole_file` calls what it has not finished; what has such a name and no writer was left by a killed process."""

LONGEST_ENDING = 20
MOST_LINKS = 40
KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
STREAMS = ("/dev", "/dev/fd")
"""Where links lead to what a process has open already."""


class NotAFileError(OSError):
    """A device, a pipe or a socket where a file should be."""


@contextmanager
def whole_file(path: str | Path, *, sync_folder: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` if all goes well, else it vanishes.

    What was written is on the disk before it takes its place. A link stays, and the file that it leads to is replaced,
    with the permissions that it had. Devices, pipes, sockets and folders are refused.

    Args:
        path: the file.
        sync_folder: see to it that its new name is on the disk as well; who writes many can do that once at the end.
    """
    temporary: Path | None = None
    try:
        target = _followed(Path(path))
        old = _replaceable(target)
        temporary = _new_file_beside(target, old)
        yield temporary
        _sync(temporary)
        if old is not None:
            _take_after(old, temporary)
        temporary.replace(target)
        if sync_folder:
            sync_names(target.parent)
    except NotAFileError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "an ordinary file, or a new name") from None
    except OSError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a place that can be written to") from None
    except ValueError as error:
        if temporary is not None or isinstance(error, InputError):
            raise
        raise InputError(f"file {str(path)!r}", "a name that no file can have", "a file name") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # what went wrong before is what should be said
                temporary.unlink()


def _followed(path: Path) -> Path:
    """Return the path that a path leads to if it is a link, and a link to a link."""
    for _ in range(MOST_LINKS):
        if not path.is_symlink():
            return path
        where = os.path.realpath(path.parent)
        if where in STREAMS or where.startswith("/proc/"):
            # A standard output that goes to a file leads to that file, which the shell is still writing to.
            raise NotAFileError(errno.EINVAL, "a stream")
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _replaceable(target: Path) -> os.stat_result | None:
    """Return what is known about the file that is going to be replaced, None if there is none yet."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return None
    refuse_odd(old.st_mode)
    return old


def _new_file_beside(target: Path, old: os.stat_result | None) -> Path:
    ending = target.suffix if len(os.fsencode(target.suffix)) <= LONGEST_ENDING else ""
    path = target.parent / f".askwise-{secrets.token_hex(6)}{ending}"
    # The system itself takes the umask off. What replaces a private file is private from its first byte on.
    mode = 0o666 if old is None else 0o666 & (old.st_mode | stat.S_IRUSR | stat.S_IWUSR)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    # Some libraries take a tilde at the beginning for somebody's home.
    return path.absolute() if str(path).startswith("~") else path


def _take_after(old: os.stat_result, new: Path) -> None:
    """Give a file the permissions of the one that it replaces, and its owner where that is allowed."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(new, old.st_uid, old.st_gid)
    new.chmod(stat.S_IMODE(old.st_mode) & 0o777)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_names(folder: Path) -> None:
    """See to it that the names of the files in a folder are on the disk."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # not everybody may read a folder, and not every system opens one
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno == errno.EIO:
            raise
    finally:
        os.close(handle)


def refuse_odd(mode: int) -> None:
    """Raise an `OSError` that says what something is, unless it is an ordinary file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise NotAFileError(errno.EINVAL, KINDS.get(stat.S_IFMT(mode), "something that is no file"))


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading; what is no file is an `OSError`, at once: reading a pipe could wait for ever."""
    # Looked at before: there are devices that do something when they are opened.
    refuse_odd(path.stat().st_mode)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        refuse_odd(os.fstat(handle).st_mode)
        yield file


def remove_left_overs(folder: Path) -> None:
    """Remove what killed processes left half-written in a folder; nobody else may be writing there."""
    for path in folder.iterdir():
        if LEFT_OVER.fullmatch(path.name) and not path.is_dir():
            path.unlink(missing_ok=True)


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a matplotlib figure as PNG, SVG or PDF; the same figure always gives the same bytes."""
    import matplotlib

    ending = Path(path).suffix.lower()
    if ending not in PICTURES:
        raise InputError(f"file {str(path)!r}", f"the ending {ending!r}", "one of " + ", ".join(PICTURES))
    # Dates and random identifiers would make every rebuild a change.
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[ending]
    with (
        matplotlib.rc_context({"svg.hashsalt": "askwise"}),
        warnings.catch_warnings(),
        whole_file(path) as temporary,
    ):
        # A letter that the font lacks is drawn as a box, a name that is too long is cut: no reason for a complaint.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(temporary, dpi=150, metadata=metadata)


def make_folder(path: str | Path) -> Path:
    """Return `path` as a folder that exists."""
    folder = Path(path)
    if not str(path):
        raise InputError("folder", "an empty name", "a folder that can be written to")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(path)!r}", reason(error), "a folder that can be written to") from None
    return folder


def reason(error: OSError) -> str:
    """Return why the operating system refused, fit for the middle of a sentence."""
    why = error.strerror or type(error).__name__
    return why[0].lower() + why[1:]

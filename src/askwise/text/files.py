"""Finding, reading and writing files.

Users can name a file or an example of askwise (`find`). Examples are in the folder ``examples`` of the repository, or
next to the code of an installed package.

A crash never leaves half a file (`whole_file`). Every failure becomes an `InputError` (`reading`). Devices, pipes and
sockets are refused: opening them can block or have side effects.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from askwise.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")

LARGEST_FILE = 256 * 2**20
"""Size limit in bytes of a file that is read as a whole; parsed as JSON it takes about ten times as much memory."""

LEFT_OVER = re.compile(r"\.askwise-[0-9a-f]{12}(\.[^.]*)?")
"""Names of the temporary files of `whole_file`; such a file without a writer was left by a killed process."""

LONGEST_ENDING = 20
MOST_LINKS = 40
KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
STREAMS = ("/dev", "/dev/fd")
"""Folders of links to the open streams of a process."""


class NotAFileError(OSError):
    """A device, a pipe or a socket was found where a file is needed."""


# -- writing -------------------------------------------------------------------------------------------------------


@contextmanager
def whole_file(path: str | Path, *, sync_folder: bool = True) -> Iterator[Path]:
    """Write a file in a ``with`` block such that it appears as a whole or not at all.

    The block gets the path of a temporary file, which replaces `path` at the end unless the block raises an error.
    Permissions are kept, and a symbolic link is followed.

    Args:
        path: the file to write.
        sync_folder: whether to sync the folder, so that a new name survives a crash; for many files, use `sync_names`
            once at the end.

    Raises:
        InputError: `path` is a device, pipe, socket or folder, or cannot be written.
    """
    temporary: Path | None = None
    try:
        target = _link_target(Path(path))
        old = _replaceable(target)
        temporary = _new_file_beside(target, old)
        yield temporary
        _sync(temporary)
        if old is not None:
            _copy_permissions(old, temporary)
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
            with contextlib.suppress(OSError):  # report the first error, not this one
                temporary.unlink()


def _link_target(path: Path) -> Path:
    """Follow symbolic links from `path`, and return the path at their end; if `path` is no link, return it unchanged.

    Raises an `OSError` for a link to an open stream of a process, such as ``/dev/stdout``.
    """
    for _ in range(MOST_LINKS):
        if not path.is_symlink():
            return path
        where = os.path.realpath(path.parent)
        if where in STREAMS or where.startswith("/proc/"):
            # If standard output is redirected to a file, this link points to that file: the shell still writes to it.
            raise NotAFileError(errno.EINVAL, "a stream")
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _replaceable(target: Path) -> os.stat_result | None:
    """Return the status of the file at `target`, or None if nothing is there.

    Raises an `OSError` if something other than a regular file is there.
    """
    try:
        old = target.stat()
    except FileNotFoundError:
        return None
    require_file(old.st_mode)
    return old


def _new_file_beside(target: Path, old: os.stat_result | None) -> Path:
    ending = target.suffix if len(os.fsencode(target.suffix)) <= LONGEST_ENDING else ""
    path = target.parent / f".askwise-{secrets.token_hex(6)}{ending}"
    # The system applies the umask. The replacement of a private file is private from its first byte.
    mode = 0o666 if old is None else 0o666 & (old.st_mode | stat.S_IRUSR | stat.S_IWUSR)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    # Some libraries expand a leading tilde to a home directory.
    return path.absolute() if str(path).startswith("~") else path


def _copy_permissions(old: os.stat_result, new: Path) -> None:
    """Give a new file the permissions of the old one, and its owner where the system allows that."""
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
    """Write the names of the files in a folder to disk (sync), so that the names survive a crash of the computer.

    Nothing happens if the system cannot sync folders.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # no permission to read the folder, or a system that cannot open folders
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno == errno.EIO:
            raise
    finally:
        os.close(handle)


def remove_left_overs(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder.

    While this function runs, no other process may write to the folder: its temporary files would be removed too.
    """
    for path in folder.iterdir():
        if LEFT_OVER.fullmatch(path.name) and not path.is_dir():
            path.unlink(missing_ok=True)


def check_picture(path: str | Path) -> str:
    """Return the ending of a picture's name in lower case: ``.png``, ``.svg`` or ``.pdf``.

    Raises an `InputError` for any other ending.
    """
    ending = Path(path).suffix.lower()
    if ending not in PICTURES:
        found = f"the ending {ending!r}" if ending else "no ending"
        raise InputError(f"file {str(path)!r}", found, "one of " + ", ".join(PICTURES))
    return ending


def save_figure(figure: Figure, path: str | Path, *, dpi: int = 150) -> None:
    """Write a matplotlib figure as PNG, SVG or PDF, depending on the ending of `path`.

    Equal figures give files with equal bytes. `dpi` is the number of pixels per inch of a PNG.
    """
    import matplotlib

    ending = check_picture(path)
    # Dates and random identifiers would change the file at every rebuild.
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[ending]
    with (
        matplotlib.rc_context({"svg.hashsalt": "askwise"}),
        warnings.catch_warnings(),
        whole_file(path) as temporary,
    ):
        # matplotlib warns about letters that a font lacks and names that do not fit; neither is worth a warning here.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(temporary, dpi=dpi, metadata=metadata)


def make_folder(path: str | Path) -> Path:
    """Create a folder and its parents unless they exist, and return its path; raise an `InputError` if that fails."""
    folder = Path(path)
    if not str(path):
        raise InputError("folder", "an empty name", "a folder that can be written to")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(path)!r}", reason(error), "a folder that can be written to") from None
    return folder


# -- reading -------------------------------------------------------------------------------------------------------


def require_file(mode: int) -> None:
    """Raise an `OSError` that says what was found if `mode` belongs to a folder, a pipe or another non-file.

    `mode` is ``st_mode`` in the result of `os.stat`.
    """
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise NotAFileError(errno.EINVAL, KINDS.get(stat.S_IFMT(mode), "something that is no file"))


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open an ordinary file to read it in a ``with`` block.

    Raises an `OSError` for a device, pipe or socket, because reading from it could block forever.
    """
    # Checked before opening: opening some devices has side effects.
    require_file(path.stat().st_mode)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        require_file(os.fstat(handle).st_mode)
        yield file


@contextmanager
def reading(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file that a user named, to read it in a ``with`` block.

    Raises an `InputError` if it cannot be opened or read.
    """
    try:
        with opened(Path(path)) as file:
            yield file
    except OSError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a file that can be read") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"file {str(path)!r}", "a name that no file can have", "a file name") from None


@contextmanager
def naming_file(path: str) -> Iterator[None]:
    """Add the name of the file `path` to every `InputError` that is raised in a ``with`` block.

    An error that already names a file stays as it is.
    """
    try:
        yield
    except InputError as error:
        if error.field.startswith("file "):
            raise
        where = f"file {path!r}" if error.field == "file" else f"file {path!r}, {error.field}"
        raise InputError(where, error.found, error.expected) from None


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        InputError: the path is no ordinary file, or the file cannot be read, is larger than `LARGEST_FILE`, or is not
            UTF-8.
    """
    with reading(path) as file:
        return decode(read_whole(file, f"file {str(path)!r}"), f"file {str(path)!r}")


def read_stdin() -> str:
    """Return all text on standard input; raise an `InputError` if it is closed, too large or not UTF-8."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input", "it closed", "a text")
    try:
        return decode(read_whole(sys.stdin.buffer, "standard input"), "standard input")
    except OSError as error:
        raise InputError("standard input", reason(error), "a text") from None


def read_whole(file: IO[bytes], field: str) -> bytes:
    """Return all bytes of an open file; raise an `InputError` if it has more than `LARGEST_FILE` bytes.

    Args:
        file: the file.
        field: the name of the file in the error message.
    """
    if _size(file) > LARGEST_FILE:
        raise _too_large(field)
    data = file.read(LARGEST_FILE + 1)  # the file may grow while it is read, and standard input has no size
    return _within(b"" if data is None else data, field)


def read_lines(file: IO[bytes], field: str) -> Iterator[bytes]:
    """Iterate over the lines of an open file; raise an `InputError` if a line has more than `LARGEST_FILE` bytes.

    Args:
        file: the file.
        field: the name of the file in the error message.
    """
    while line := file.readline(LARGEST_FILE + 1):
        yield _within(line, field)


def _size(file: IO[bytes]) -> int:
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:  # not a file of the system
        return 0


def _within(data: bytes, field: str) -> bytes:
    if len(data) > LARGEST_FILE:
        raise _too_large(field)
    return data


def _too_large(field: str) -> InputError:
    most = f"{LARGEST_FILE // 2**20} MiB"
    return InputError(field, f"more than {most}", f"at most {most}")


def decode(data: bytes, field: str) -> str:
    """Return UTF-8 bytes as text, without a leading byte order mark; raise an `InputError` if they are not UTF-8.

    The error message names `field`, for instance a file.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(field, "bytes that are not UTF-8 text", "a text file") from None


def reason(error: OSError) -> str:
    """Return the operating system's explanation of an error, in lower case, for use in the middle of a sentence."""
    if isinstance(error, IsADirectoryError):
        return "a folder, not a file"
    why = error.strerror or type(error).__name__
    return why[0].lower() + why[1:]


# -- examples -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """A file or a folder that comes with askwise.

    Attributes:
        file: the path in the folder of examples.
        about: a short description.
        command: a command to try the example, without the word ``askwise``, such as ``ask ward``.
    """

    file: str
    about: str
    command: str


EXAMPLES = {
    "ward": Example("ward.toml", "a nurse and a robot on a graph", "ask ward"),
    "kitchen": Example("kitchen.toml", "a cook and a helper on a map", "run kitchen --seed 1"),
    "workshop": Example("workshop.json", "tool fetching: 12 stations", "ask workshop --worker 7,2"),
    "coverage": Example("coverage.toml", "two watchmen, different rooms", "evaluate coverage"),
    "words": Example("words.toml", "spelling with blocks (PDDL)", "ask words"),
    "office": Example("office.txt", "a drawn map with five goals", "edp office"),
    "two-goals": Example("two-goals.txt", "a drawn map: the paper's grid", "edp two-goals --at 7,6"),
    "hall": Example("hall.txt", "a drawn map: is a wall useful?", "design hall -k 3"),
    "words-pddl": Example("words", "a planning problem (PDDL)", "recognise words-pddl"),
    "ticket": Example("decisions/ticket.toml", "a decision: an unclear ticket", "decide ticket"),
    "travel": Example("decisions/travel.toml", "a decision: which Paris?", "decide travel"),
    "triage": Example("decisions/triage.toml", "a decision: chest pain", "decide triage"),
    "robot": Example("decisions/robot.toml", "a decision with utilities", "decide robot"),
    "return": Example("conversations/return.json", "a decision about a broken lamp", "decide return"),
    "returns": Example("conversations/returns.jsonl", "six recorded conversations", "audit returns"),
    "train_ppo": Example("train_ppo.py", "reinforcement learning", "examples train_ppo"),
}
"""All examples by name, in the order in which they are listed."""


def examples_folder() -> Path:
    """Return the folder of the examples: the copy in the installed package, or else the folder in the repository."""
    package = Path(__file__).parent.parent
    installed = package / "examples"
    return installed if installed.is_dir() else package.parent.parent / "examples"


def find(given: str | Path) -> Path:
    """Return the path of what a user named: a file, a folder, or an example that comes with askwise.

    Existing files and folders have priority over examples (``ward`` or ``examples/ward.toml``). If nothing is found,
    `given` is returned, unless an example has a similar name: then an `InputError` suggests it.
    """
    name, path = str(given), Path(given)
    if not name or "\0" in name or name == "-":
        return path
    if path.name != name:
        files = [f"examples/{each.file}" for each in EXAMPLES.values()]
        return examples_folder().parent / path if path.as_posix() in files and not path.exists() else path
    try:
        if path.exists():
            return path
    except OSError:
        return path
    if name in EXAMPLES:
        return examples_folder() / EXAMPLES[name].file
    guess = did_you_mean(name, EXAMPLES)
    if guess:
        raise InputError(f"file {name!r}", "no such file", f"a file, or the name of an example{guess}")
    return path


def find_example(name: str) -> Example:
    """Return the example that is called `name`; raise an `InputError` if there is none."""
    if name not in EXAMPLES:
        raise InputError("NAME", repr(name), f"one of {', '.join(EXAMPLES)}{did_you_mean(name, EXAMPLES)}")
    return EXAMPLES[name]

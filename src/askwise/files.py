"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from askwise.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` if all goes well, else it vanishes."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem[:20]}.", suffix=target.suffix)
        os.close(handle)
    except OSError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a place that can be written to") from None
    except ValueError:
        raise InputError(f"file {str(path)!r}", "a name that no file can have", "a file name") from None
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; a result should have the permissions of any new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"file {str(path)!r}", reason(error), "a place that can be written to") from None
    finally:
        temporary.unlink(missing_ok=True)


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

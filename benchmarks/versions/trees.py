"""Copies of the source of each version, in separate folders without compiled code."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import askwise
from benchmarks.tools import ONE_THREAD, ROOT

BEFORE = "cd25185f2d3aee8762f05ba8e31860d82e07310c"
"""The last revision before all domains shared the code for beliefs, the game and planning."""


class NoRevisionError(Exception):
    """The error that the source of a revision is not available; the message says why and what to do."""


@dataclass(frozen=True)
class Tree:
    """A copy of the source of one version.

    Attributes:
        name: ``before`` or ``after``.
        folder: the folder of the copy, and of its compiled code.
    """

    name: str
    folder: Path

    def environment(self, cache: str = "") -> dict[str, str]:
        """Return environment variables for a process that imports askwise from this copy.

        Each `cache` has a separate folder of compiled code.
        """
        return {
            **os.environ,
            **ONE_THREAD,
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join([str(self.folder / "src"), str(ROOT)]),
            "NUMBA_CACHE_DIR": str(self.folder / f"kernels{cache}"),
        }


def tree_of_revision(revision: str, folder: Path) -> Tree:
    """Copy the source of a git revision to `folder`."""
    commit = full_hash(revision)
    packed = _git("archive", "--format=tar", commit, "src")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return Tree("before", folder)


def tree_in_use(folder: Path) -> Tree:
    """Copy the source that this process has imported to `folder`."""
    source = Path(askwise.__file__).parent
    shutil.copytree(source, folder / "src" / "askwise", ignore=shutil.ignore_patterns("__pycache__"))
    return Tree("after", folder)


def full_hash(revision: str) -> str:
    """Return the hash of the commit that `revision` names."""
    _git("rev-parse", "--git-dir")
    try:
        found = _git("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    except NoRevisionError:
        raise NoRevisionError(
            f"revision {revision} is not in this clone; fetch it (in a shallow clone: 'git fetch --unshallow') "
            "or name another revision: --before REVISION"
        ) from None
    return found.decode().strip()


def _git(*words: str) -> bytes:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    except OSError as error:
        raise NoRevisionError(f"git cannot be run, but the earlier source is only in its history ({error})") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise NoRevisionError(f"git {words[0]} failed, but the earlier source is only in its history ({said})")
    return done.stdout

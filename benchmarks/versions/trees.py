"""Trees of source to be compared: each a copy in a folder of its own, without anything compiled before."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import askwise

BEFORE = "cd25185f2d3aee8762f05ba8e31860d82e07310c"
"""The last revision before beliefs, the game and planning were written once for all domains."""
ROOT = Path(__file__).parent.parent.parent


class NoRevisionError(Exception):
    """The source of a revision cannot be had here; the message says why and what to do."""


@dataclass(frozen=True)
class Tree:
    """A copy of the source.

    Attributes:
        name: ``before`` or ``after``.
        folder: where the copy is; compiled code is kept there too.
    """

    name: str
    folder: Path

    def environment(self, cache: str = "") -> dict[str, str]:
        """Return the environment of a process that imports askwise from here; each `cache` has its own kernels."""
        # One core, as everywhere in the benchmarks; names are hashed alike in all processes.
        one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        return {
            **os.environ,
            **one_core,
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join([str(self.folder / "src"), str(ROOT)]),
            "NUMBA_CACHE_DIR": str(self.folder / f"kernels{cache}"),
        }


def tree_of_revision(revision: str, folder: Path) -> Tree:
    """Copy the source of a git revision into `folder`."""
    commit = full_hash(revision)
    packed = _git("archive", "--format=tar", commit, "src")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return Tree("before", folder)


def tree_in_use(folder: Path) -> Tree:
    """Copy the source that this process has imported into `folder`."""
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
            f"revision {revision} is not in this clone; a shallow one gets it by 'git fetch --unshallow', "
            "or name another one: --before REVISION"
        ) from None
    return found.decode().strip()


def _git(*words: str) -> bytes:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    except OSError as error:
        raise NoRevisionError(f"git cannot be run, and the source before is in its history only ({error})") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise NoRevisionError(f"git {words[0]} failed, and the source before is in its history only ({said})")
    return done.stdout

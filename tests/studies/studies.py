"""Small studies for tests, their files, and a package of misbehaving agents."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import polars as pl
import pytest

from askwise.studies.running.run import run_study
from askwise.studies.schema.study import Study
from askwise.studies.schema.study_file import study_from

SMALL: dict[str, Any] = {
    "name": "small",
    "seed": 7,
    "priors": ["far", "near"],
    "per_goal": [0.0, 0.3],
    "methods": ["never", "toolbox", "ezq-local"],
    "instances": {"count": 6, "size": 5, "stations": 5, "toolboxes": 2},
}


def small(**changes: Any) -> Study:
    """Return a small study with some settings replaced."""
    return study_from({**SMALL, **changes})


def toml(study: Study) -> str:
    """Return a study as a study file."""
    data = study.describe()
    lines = [f"{key} = {_value(value)}" for key, value in data.items() if value is not None]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def undisturbed(study: Study, folder: Path) -> dict[str, bytes]:
    """Return the tables of a study that one process played without interruption, with the test agents available."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(the_plugin()))
        run_study(study, folder).store.combine()
    return table_bytes(folder)


def finished(study: Study, folder: Path) -> Path:
    """Play a study in this process, combine its tables, and return its folder."""
    run_study(study, folder).store.combine()
    return folder


def part(folder: Path, index: int, name: str = "episodes") -> Path:
    """Return the path of a part."""
    return folder / "parts" / name / f"{index:05}.parquet"


def table_bytes(folder: Path) -> dict[str, bytes]:
    """Return the bytes of the tables that do not depend on how a study was run."""
    return {name: (folder / f"{name}.parquet").read_bytes() for name in ("episodes", "queries")}


def stored(folder: Path, name: str = "episodes") -> pl.DataFrame:
    """Return a table, read from its parts."""
    parts = sorted((folder / "parts" / name).glob("[0-9]*.parquet"))
    return pl.concat([pl.read_parquet(part) for part in parts])


def files_in(folder: Path) -> list[str]:
    """Return the names of all files below a folder, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


CODE = """
    import os, sys, time
    from pathlib import Path
    from askwise.methods import Never

    def bad(problem):
        return problem.start.teammate % 3 == 0

    class Dies(Never):
        '''Takes its process with it on a third of the maps.'''
        def decide(self, observation):
            if bad(self.problem):
                os._exit(3)
            return super().decide(observation)

    class Leaves(Never):
        def decide(self, observation):
            sys.exit("enough")

    class Odd(Exception):
        def __str__(self):
            raise ValueError("no words")

    class Speechless(Never):
        def decide(self, observation):
            raise Odd()

    class HalfACharacter(Never):
        def decide(self, observation):
            raise ValueError("\\udcff" + "x" * 1000)

    class Flaky(Never):
        '''Fails as long as a file is there.'''
        def decide(self, observation):
            if Path(os.environ["FLAKY_WHILE"]).exists() and bad(self.problem):
                raise RuntimeError("not today")
            return super().decide(observation)

    class Gated(Never):
        '''Waits before each episode until the test lets it through, see `tests.studies.gates`.'''
        def reset(self, problem, seed=None):
            super().reset(problem, seed)
            gate = os.environ.get("GATE")
            while gate and not os.path.exists(gate + "/open"):
                for name in os.listdir(gate):
                    if name.endswith(".pass"):
                        try:
                            os.unlink(gate + "/" + name)
                            return
                        except FileNotFoundError:
                            pass  # somebody else was faster
                open(gate + "/waiting", "w").close()
                time.sleep(0.01)
"""

POINTS = """
    [askwise.methods]
    dies = misbehaving:Dies
    leaves = misbehaving:Leaves
    speechless = misbehaving:Speechless
    half = misbehaving:HalfACharacter
    flaky = misbehaving:Flaky
    gated = misbehaving:Gated
"""


@cache
def the_plugin() -> Path:
    """Return a folder with a package of agents, to be put on Python's path.

    It is the same in all tests, because worker processes are reused if Python's path is the same.
    """
    folder = Path(tempfile.mkdtemp(prefix="askwise-plugin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    info = folder / "misbehaving-1.0.dist-info"
    info.mkdir()
    (folder / "misbehaving.py").write_text(dedent(CODE), encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(dedent(POINTS), encoding="utf-8")
    return folder

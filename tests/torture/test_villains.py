"""All agents that hang or end their process, on every executor; and a study that is killed twenty times."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from askwise.studies.running.run import run_study
from tests.studies.commands import finish, parts, start, wait_until_gone
from tests.studies.running.test_dask_cluster import running
from tests.studies.running.test_interrupted import STUDY
from tests.studies.running.test_isolation import among, assert_innocent_unharmed, errors
from tests.studies.studies import files_in, table_bytes, the_plugin, toml, undisturbed
from tests.studies.villains import line_of, write_villains


def too_long(comment: str) -> str:
    return f"took longer than 3 s for a decision (villains.py, line {line_of(comment)})"


EXPECTED = {  # {} stands for the file
    "Hangs": too_long("hangs"),
    "Swallows": too_long("swallows"),
    "Sleeps": too_long("sleeps"),
    "HangsInC": too_long("hangs in C"),
    "Exits": "its process ended itself (exit code 3)",
    "Crashes": f"its process died (signal 11, segmentation fault; villains.py, line {line_of('crashes')})",
    "IsKilled": "its process was killed (signal 9; out of memory?)",
    "Leaves": f"step 1: agent 'leaves' failed in decide: SystemExit: enough ({{}}, line {line_of('leaves')})",
    "HangsUp": "took longer than 3 s for a decision",
    "Interrupts": "KeyboardInterrupt",
    "Scribbles": "wrote into the pipe of its process",
    "HangsAtOnce": too_long("hangs at once"),
    "Dawdles": f"took longer than 10 s for an episode (villains.py, line {line_of('dawdles')})",
}


def one(_: ExitStack, __: Path) -> dict[str, Any]:
    return {"workers": 1}


def two(_: ExitStack, __: Path) -> dict[str, Any]:
    return {"workers": 2}


def threads(stack: ExitStack, _: Path) -> dict[str, Any]:
    return {"executor": stack.enter_context(ThreadPoolExecutor(2))}


def processes(stack: ExitStack, _: Path) -> dict[str, Any]:
    return {"executor": stack.enter_context(ProcessPoolExecutor(2, mp_context=get_context("spawn")))}


def dask(stack: ExitStack, folder: Path) -> dict[str, Any]:
    pytest.importorskip("distributed")
    return {"dask": stack.enter_context(running(folder / "cluster", 2)).address}


@pytest.mark.parametrize("who", [one, two, threads, processes, dask])
def test_everybody_survives_all_of_them(who: Callable[[ExitStack, Path], dict[str, Any]], tmp_path: Path) -> None:
    villains = write_villains(tmp_path)
    study = among(villains, *EXPECTED, instances=2, episode_seconds=10)
    with ExitStack() as stack:
        run_study(study, tmp_path / "out", **who(stack, tmp_path))
    assert errors(tmp_path / "out") == {name: error.format(villains) for name, error in EXPECTED.items()}
    assert_innocent_unharmed(study, tmp_path / "out")


def test_killed_twenty_times_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = undisturbed(STUDY, tmp_path / "expected")
    monkeypatch.syspath_prepend(str(the_plugin()))
    (tmp_path / "study.toml").write_text(toml(STUDY))
    out, moments = tmp_path / "out", random.Random(5)
    command = [str(tmp_path / "study.toml"), "--out", str(out), "--workers", "2"]
    stored = 0
    for _ in range(20):
        process = start(*command)
        time.sleep(moments.random() * 4)
        process.kill()
        finish(process)
        wait_until_gone(process.pid)
        assert parts(out) >= stored if out.exists() else stored == 0
        stored = parts(out) if out.exists() else 0
    code, _, err = finish(start(*command))
    assert (code, err) == (0, "")
    assert table_bytes(out) == expected
    assert not [name for name in files_in(out) if Path(name).name.startswith(".") and name != ".lock"]

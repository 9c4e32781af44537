"""Planning problems of a goal-recognition data set: sizes and times, compared with Fast Downward and pymimir.

The data set is not part of this project. Its folder is given by ``--data FOLDER`` or by the environment variable
`VARIABLE`. The first archive of each problem is used. askwise reads it, and finds *all* optimal plans to *all* goals,
and EDP and WCD of all pairs. The other programs:

- Fast Downward (``up-fast-downward``), A* with LM-cut, finds *one* optimal plan to each goal. Its total time is mostly
  that of its translator, so the time of its search is reported too.
- pymimir searches breadth-first for each goal, grounded, with at most `MOST_STATES` states.

All times are CPU seconds of one process, without compiling. If a program is not installed, its column is empty. If it
fails, its column is empty too, and a note says why.
"""

from __future__ import annotations

import importlib.util
import os
import re
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import TypeVar

from askwise.errors import AskwiseError
from askwise.pddl import cones_of, load, recognition
from askwise.pddl.archive import DOMAIN, NAMES, TEMPLATE
from askwise.pddl.pairs import pairs_at
from benchmarks.tools.report import Column, Table, count, number, progress, seconds

VARIABLE = "ASKWISE_PLANNING_DATA"
MOST_STATES = 200_000
MOST_SECONDS = 300
"""Time limit of the other programs for each goal."""

CUT, DONE = "cut off", "all done"
"""Words that the script for pymimir prints."""

BLOCKS = 8
"""The number of blocks whose states are counted."""
KNOWN = 695_417
"""The known number of states of eight blocks."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Found:
    """The results of askwise for one problem, and its CPU time."""

    goals: int
    operators: int
    lengths: str
    states: int
    largest_edp: float
    wcd: int
    verdict: str
    seconds: float


def run(quick: bool, data: str | None = None) -> list[Table]:
    """Count the states of blocks, and measure every problem of the data set if its folder is given."""
    folder = data or os.environ.get(VARIABLE)
    tables = [_blocks(6 if quick else BLOCKS)]
    if folder is None:
        print(f"planning: no data set, skipped; give its folder by --data FOLDER or {VARIABLE}", file=sys.stderr)
        return tables
    archives = list(distinct(Path(folder)))
    _warm(archives[0])
    return [*tables, _problems(archives[:3] if quick else archives)]


def distinct(folder: Path) -> Iterator[Path]:
    """Yield the first archive of each problem; the name of a problem ends before ``_hyp``."""
    seen = set()
    for path in sorted(folder.rglob("*.tar.bz2")):
        name = path.name.split("_hyp")[0]
        if name not in seen:
            seen.add(name)
            yield path


def _warm(path: Path) -> None:
    pairs_at(cones_of(load(path)))


def _problems(archives: list[Path]) -> Table:
    table = Table(
        "Planning problems: all optimal plans, EDP and WCD of all pairs, compared with one plan to each goal",
        [
            Column("problem"), count("goals"), count("operators"), Column("lengths"), count("states on plans"),
            number("largest EDP", 4), Column("WCD, prefix"), Column("verdict"), seconds("askwise"),
            seconds("Fast Downward"), seconds("its search"), Column("pymimir"),
        ],
        notes=["WCD as defined in goal recognition design: the longest common prefix"],
    )  # fmt: skip
    faster = search_slower = measured = 0
    for path in archives:
        name = path.name.split("_hyp")[0]
        progress(f"planning: {name}")
        found = _try(f"{name}: askwise", partial(_askwise, path), None, table.notes)
        if found is None:
            table.rows.append([name, *[None] * 6, "failed", *[None] * 3, ""])
            continue
        exact = found.verdict == "exact"
        whole, alone, other = None, None, ""
        if exact:
            nothing: tuple[float | None, float | None] = (None, None)
            whole, alone = _try(f"{name}: Fast Downward", partial(_fast_downward, path), nothing, table.notes)
            other = _try(f"{name}: pymimir", partial(_mimir, path), "failed", table.notes)
        table.rows.append(
            [name, found.goals, found.operators, found.lengths, found.states, found.largest_edp, str(found.wcd),
             found.verdict, found.seconds, whole, alone, other]
        )  # fmt: skip
        progress(
            f"planning: {name} {found.verdict}, {found.seconds:.3g} s" + ("" if whole is None else f", {whole:.3g} s")
        )
        if whole is not None and exact:
            measured += 1
            faster += found.seconds < whole
            search_slower += found.seconds < (alone or 0.0)
    table.notes.append(
        f"askwise takes less than Fast Downward's total time on {faster} of {measured} exact problems,"
        f" and less than its search on {search_slower}"
    )
    return table


def _try(what: str, measure: Callable[[], _Result], otherwise: _Result, notes: list[str]) -> _Result:
    """Return the result of `measure`; if it fails, add the reason to `notes` and return `otherwise`."""
    try:
        return measure()
    except Exception as error:
        notes.append(f"{what} failed: {type(error).__name__}: {error}")
        return otherwise


def _askwise(path: Path) -> Found:
    start = process_time()
    problem = load(path)
    cones = cones_of(problem)
    pairs = pairs_at(cones)
    took = process_time() - start
    lengths = cones.lengths[list(cones.reached)]
    span = f"{lengths.min()} to {lengths.max()}" if lengths.size else "none"
    off = [(i, j) for i in range(len(pairs.goals)) for j in range(len(pairs.goals)) if i != j]
    finite = [float(pairs.capped[pair]) for pair in off]
    at_least = [cones.found[goal].at_least for goal in cones.too_large]
    verdict = "exact" if cones.exact else f"{len(at_least)} goals too large, at least {min(at_least)} steps"
    wcd = max((int(pairs.wcd[pair]) for pair in off), default=0)
    return Found(
        len(cones.goals),
        cones.task.n_operators,
        span,
        cones.model.n_states,
        max(finite, default=0.0),
        wcd,
        verdict,
        took,
    )


# -- other programs -------------------------------------------------------------------------------------------------


def _texts(path: Path) -> dict[str, str]:
    with tarfile.open(path) as packed:
        files = {member.name.rsplit("/", 1)[-1]: member for member in packed if member.isreg()}
        opened = {name: packed.extractfile(files[name]) for name in NAMES if name in files}
        return {name: each.read().decode() for name, each in opened.items() if each is not None}


def _instances(path: Path, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Write a domain file, and yield it with a new problem file for each goal."""
    texts = _texts(path)
    domain = folder / "domain.pddl"
    # The standard requires a blank before variables, and other programs insist on it.
    domain.write_text(re.sub(r"(?<=[^\s(])\?", " ?", texts[DOMAIN]), encoding="utf-8")
    problem = recognition(texts)
    for goal, condition in enumerate(problem.goals):
        atoms = " ".join(
            f"({atom})" if atom.positive else f"(not ({' '.join((atom.predicate, *atom.terms))}))"
            for atom in condition.literals
        )
        text = re.sub("<HYPOTHESIS>", atoms, texts[TEMPLATE], flags=re.IGNORECASE)
        instance = folder / f"problem-{goal}.pddl"
        instance.write_text(text, encoding="utf-8")
        yield domain, instance


def _fast_downward(path: Path) -> tuple[float | None, float | None]:
    """Return the CPU seconds of one optimal plan to each goal, in total and for the search; None if not installed."""
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        return None, None
    driver = Path(spec.origin).parent / "downward" / "fast-downward.py"
    before, search = _child_seconds(), 0.0
    with tempfile.TemporaryDirectory() as name:
        for domain, instance in _instances(path, Path(name)):
            command = [sys.executable, str(driver), str(domain), str(instance), "--search", "astar(lmcut())"]
            output = _output_of(command, name)
            if output is None:
                raise AskwiseError(f"{instance.name} takes more than {MOST_SECONDS} s")
            found = re.search(r"Total time: ([\d.e-]+)s", output)
            if found is None and "Search stopped without finding a solution" not in output:
                raise AskwiseError(f"{instance.name}: {output.strip()[-200:]!r}")
            search += float(found[1]) if found else 0.0
    return _child_seconds() - before, search


def _output_of(command: Sequence[str], folder: str) -> str | None:
    """Return the output of a program; None if it exceeds the time limit, after ending all processes that it started."""
    # A separate session, so that the search which the driver starts is ended with it.
    running = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        return running.communicate(timeout=MOST_SECONDS)[0]
    except subprocess.TimeoutExpired:
        return None
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()


def _child_seconds() -> float:
    """Return the CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _mimir(path: Path) -> str:
    """Return the CPU seconds of one plan to each goal as text, which also says if a limit was reached."""
    if importlib.util.find_spec("pymimir") is None:
        return ""
    with tempfile.TemporaryDirectory() as name:
        script = [sys.executable, "-c", _MIMIR, *(str(each) for pair in _instances(path, Path(name)) for each in pair)]
        before = _child_seconds()
        output = _output_of(script, name)
    if output is None:
        return f"> {MOST_SECONDS} s"
    if DONE not in output:
        return "not read"
    took = _child_seconds() - before
    return f"{'> ' if CUT in output else ''}{took:.2f} s"


_MIMIR = f"""
import sys
import pymimir
names = sys.argv[1:]
for domain, problem in zip(names[::2], names[1::2]):
    task = pymimir.Problem(pymimir.Domain(domain), problem, mode="grounded")
    found = pymimir.brfs(task, task.get_initial_state(), max_num_states={MOST_STATES})
    if found.status not in ("solved", "unsolvable"):
        print({CUT!r})
print({DONE!r})
"""


# -- a known count ---------------------------------------------------------------------------------------


def _blocks(n: int) -> Table:
    """Count the states of the blocks world with one hand and `n` blocks."""
    from tests.pddl.problems import blocks

    from askwise.pddl.search import Blind
    from askwise.pddl.task import goal_task

    letters = "abcdefgh"[:n]
    task = recognition(blocks(letters, [letters])).task
    bits = [k for k, fact in enumerate(task.facts)]
    start = process_time()
    search = Blind(goal_task(task, bits))  # no state has all facts, so the search visits all states
    found = search.run(10**9)
    took = process_time() - start
    assert found is not None
    wrong = n == BLOCKS and search.n != KNOWN
    table = Table(
        f"All states of {n} blocks",
        [count("blocks"), count("states"), seconds("time"), count("states per second")],
        [[n, search.n, took, int(search.n / took)]],
        [f"known: {KNOWN:,} for eight" + (", BUT THE COUNT DIFFERS" if wrong else "")],
    )
    if wrong:
        raise AskwiseError(f"{search.n} states of eight blocks; expected {KNOWN}")
    return table

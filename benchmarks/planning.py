"""Planning problems of a goal-recognition data set: sizes and times, beside a planner and another library.

The data set is not part of this project: its folder is given by ``--data PATH`` or by the environment variable
`VARIABLE`. Of each problem in it the first archive is taken. askwise reads it, finds *all* optimal plans to *all*
goals, and EDP and WCD of all pairs. Beside it:

- Fast Downward (``up-fast-downward``), A* with LM-cut: *one* optimal plan to each goal; its whole time, which is mostly
  that of its translator, and that of its search alone;
- pymimir: breadth first to each goal, grounded, at most `MOST_STATES` states each.

All times are CPU seconds of one process, compiled before; where a tool is not installed its column is empty. Where a
tool fails, its column is empty too, and a note says why: the table goes on.
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
from benchmarks.report import Column, Table, count, number, progress, seconds

VARIABLE = "ASKWISE_PLANNING_DATA"
MOST_STATES = 200_000
MOST_SECONDS = 300
"""For each goal of each other tool."""

CUT, DONE = "cut off", "all done"
"""What the script for pymimir prints."""

EIGHT = 8
"""Blocks whose states are counted: a number that is known."""
KNOWN = 695_417

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Found:
    """What askwise found, and what that took."""

    goals: int
    operators: int
    lengths: str
    states: int
    largest_edp: float
    wcd: int
    verdict: str
    seconds: float


def run(quick: bool, data: str | None = None) -> list[Table]:
    """Measure every distinct problem below a folder."""
    folder = data or os.environ.get(VARIABLE)
    tables = [_blocks(6 if quick else EIGHT)]
    if folder is None:
        print(f"planning: no data, skipped; give its folder by --data PATH or {VARIABLE}", file=sys.stderr)
        return tables
    archives = list(distinct(Path(folder)))
    _warm(archives[0])
    return [*tables, _problems(archives[:3] if quick else archives)]


def distinct(folder: Path) -> Iterator[Path]:
    """Yield the first archive of each problem: what comes before ``_hyp`` in its name."""
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
        "Planning problems: all optimal plans to all goals, EDP and WCD of all pairs, beside one plan to each goal",
        [
            Column("problem"), count("goals"), count("operators"), Column("lengths"), count("states on plans"),
            number("largest EDP", 4), Column("WCD, prefix"), Column("verdict"), seconds("askwise"),
            seconds("Fast Downward"), seconds("its search alone"), Column("pymimir"),
        ],
        notes=["WCD as goal-recognition design counts it: the longest common prefix"],
    )  # fmt: skip
    ahead = alone_ahead = measured = 0
    for path in archives:
        name = path.name.split("_hyp")[0]
        progress(f"planning: {name}")
        found = _trying(f"{name}: askwise", partial(_askwise, path), None, table.notes)
        if found is None:
            table.rows.append([name, *[None] * 6, "failed", *[None] * 3, ""])
            continue
        exact = found.verdict == "exact"
        whole, alone, other = None, None, ""
        if exact:
            nothing: tuple[float | None, float | None] = (None, None)
            whole, alone = _trying(f"{name}: Fast Downward", partial(_fast_downward, path), nothing, table.notes)
            other = _trying(f"{name}: pymimir", partial(_mimir, path), "failed", table.notes)
        table.rows.append(
            [name, found.goals, found.operators, found.lengths, found.states, found.largest_edp, str(found.wcd),
             found.verdict, found.seconds, whole, alone, other]
        )  # fmt: skip
        progress(
            f"planning: {name} {found.verdict}, {found.seconds:.3g} s" + ("" if whole is None else f", {whole:.3g} s")
        )
        if whole is not None and exact:
            measured += 1
            ahead += found.seconds < whole
            alone_ahead += found.seconds < (alone or 0.0)
    table.notes.append(
        f"quicker than Fast Downward's whole time on {ahead} of {measured} problems that are exact,"
        f" quicker than its search alone on {alone_ahead}"
    )
    return table


def _trying(what: str, measure: Callable[[], _Result], otherwise: _Result, notes: list[str]) -> _Result:
    """Return what was measured; where that fails in whatever way, note why, and go on."""
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


# -- other tools -------------------------------------------------------------------------------------------------


def _texts(path: Path) -> dict[str, str]:
    with tarfile.open(path) as packed:
        files = {member.name.rsplit("/", 1)[-1]: member for member in packed if member.isreg()}
        opened = {name: packed.extractfile(files[name]) for name in NAMES if name in files}
        return {name: each.read().decode() for name, each in opened.items() if each is not None}


def _instances(path: Path, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Write a problem file for each goal that can be reached at all."""
    texts = _texts(path)
    domain = folder / "domain.pddl"
    # Spelt as the standard wants it: other tools do not forgive a missing blank.
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
    """Return the CPU seconds of one optimal plan to each goal, and of the search alone; None where it is missing."""
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        return None, None
    driver = Path(spec.origin).parent / "downward" / "fast-downward.py"
    before, search = _children(), 0.0
    with tempfile.TemporaryDirectory() as name:
        for domain, instance in _instances(path, Path(name)):
            command = [sys.executable, str(driver), str(domain), str(instance), "--search", "astar(lmcut())"]
            output = _finished(command, name)
            if output is None:
                raise AskwiseError(f"{instance.name} takes more than {MOST_SECONDS} s")
            found = re.search(r"Total time: ([\d.e-]+)s", output)
            if found is None and "Search stopped without finding a solution" not in output:
                raise AskwiseError(f"{instance.name}: {output.strip()[-200:]!r}")
            search += float(found[1]) if found else 0.0
    return _children() - before, search


def _finished(command: Sequence[str], folder: str) -> str | None:
    """Return what a program prints; None if it takes too long, and then everything that it started is ended."""
    # A session of its own: the driver starts a search, which would go on and be measured with whatever comes next.
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


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _mimir(path: Path) -> str:
    """Return the CPU seconds of one plan to each goal, as text: it may have been cut off, or not read the problem."""
    if importlib.util.find_spec("pymimir") is None:
        return ""
    with tempfile.TemporaryDirectory() as name:
        script = [sys.executable, "-c", _MIMIR, *(str(each) for pair in _instances(path, Path(name)) for each in pair)]
        before = _children()
        output = _finished(script, name)
    if output is None:
        return f"> {MOST_SECONDS} s"
    if DONE not in output:
        return "not read"
    took = _children() - before
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


# -- a count that is known ---------------------------------------------------------------------------------------


def _blocks(n: int) -> Table:
    """Count the states of blocks on a table, with one hand."""
    from tests.pddl.problems import blocks

    from askwise.pddl.goal_task import goal_task
    from askwise.pddl.search import Blind

    letters = "abcdefgh"[:n]
    task = recognition(blocks(letters, [letters])).task
    bits = [k for k, fact in enumerate(task.facts)]
    start = process_time()
    search = Blind(goal_task(task, bits))  # no state has all bits: the search meets them all
    found = search.run(10**9)
    took = process_time() - start
    assert found is not None
    wrong = n == EIGHT and search.n != KNOWN
    table = Table(
        f"All states of {n} blocks",
        [count("blocks"), count("states"), seconds("time"), count("states a second")],
        [[n, search.n, took, int(search.n / took)]],
        [f"known: {KNOWN:,} for eight" + (", NOT WHAT CAME OUT" if wrong else "")],
    )
    if wrong:
        raise AskwiseError(f"{search.n} states of eight blocks; expected {KNOWN}")
    return table

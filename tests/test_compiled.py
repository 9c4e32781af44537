"""Compiling: announced once at a terminal; no kernel is compiled twice for the same types; the cache on disk."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import multiprocessing
import os
import pickle
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import caching

from askwise import _compiled, _jit, _kept
from askwise.cli import main

EXAMPLES = Path(__file__).parent.parent / "examples"


class Terminal(io.StringIO):
    """A text stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_each_part_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_jit, "_announced", set())
    for module in (
        "askwise.planning.values",
        "askwise.planning.tables",
        "numba.np.arrayobj",
        "askwise.planning.exact_search",
        "askwise.model.graph",
        "askwise.planning.candidates",
    ):
        _jit._announce(module, "kept for later runs")
    assert terminal.getvalue().splitlines() == [
        "askwise: compiling the planner; this is kept for later runs",
        "askwise: compiling the search for the optimum; this is kept for later runs",
        "askwise: compiling models; this is kept for later runs",
    ]


def test_nothing_is_announced_to_files_or_by_workers_of_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_jit, "_announced", set())
    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing, "parent_process", lambda: object())
        _jit._announce("askwise.model.chain", "kept")
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    _jit._announce("askwise.model.chain", "kept")
    monkeypatch.setattr(sys, "stderr", None)
    _jit._announce("askwise.divergence.pairs", "kept")
    assert terminal.getvalue() == ""


def test_every_kernel_belongs_to_a_part() -> None:
    for part in ("core", "divergence", "model", "planning", "methods", "domains"):
        module = f"askwise.{part}.some"
        assert next(told for start, told in _jit.PARTS.items() if module.startswith(start))


def _at_terminal(*arguments: str, cache: Path) -> tuple[str, str]:
    """Run a command at a terminal; return its standard output and its standard error."""
    ours, its = pty.openpty()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "askwise", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=its, check=True, env=environment)
    os.close(its)
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:  # nobody is left at the other end
        pass
    finally:
        os.close(ours)
    return done.stdout.decode(), said.decode().replace("\r\n", "\n")


def test_a_first_use_is_announced_and_a_second_is_silent(tmp_path: Path) -> None:
    drawn = [["."] * 40 for _ in range(40)]  # so large that it is worth compiling something
    drawn[0][39], drawn[39][39], drawn[20][0], drawn[20][1] = "A", "B", "F", "W"
    (tmp_path / "open.txt").write_text("\n".join(map("".join, drawn)) + "\n")
    given = ("edp", str(tmp_path / "open.txt"))
    printed, said = _at_terminal(*given, cache=tmp_path)
    assert said.splitlines()
    assert all(line.startswith("askwise: compiling ") for line in said.splitlines())
    assert len(set(said.splitlines())) == len(said.splitlines())
    assert _at_terminal(*given, cache=tmp_path) == (printed, "")


@_compiled.inner
def _twice(number: int) -> int:
    return 2 * number


@_compiled.compiled(work=lambda given: given.steps)
def _half_of(numbers: Any, steps: int) -> float:
    total = 0.0
    for k in range(steps):
        total += numbers[k] / 3.0
    return total


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> _compiled._Patience:
    """Set patience to that of a new process, and restore it afterwards."""
    fresh = _compiled._Patience()
    monkeypatch.setattr(_compiled, "patience", fresh)
    return fresh


def test_a_little_work_is_done_in_python_and_no_more_than_that(patience: _compiled._Patience) -> None:
    kernel: Any = _compiled.Kernel(_half_of.as_written, lambda given: given.steps)  # type: ignore[attr-defined]
    numbers = np.linspace(0.1, 7.0, 1000)
    patience.left, patience.each = 1001, 0
    first = kernel(numbers, 1000)
    assert kernel._compiled is None
    assert patience.left == 1
    assert kernel(numbers, 1000) == first
    assert kernel._compiled is not None
    assert patience.left == 0
    assert kernel(numbers, 0) == 0.0  # compiled once, it stays so


def test_with_numba_loaded_each_kernel_still_does_a_little_in_python(patience: _compiled._Patience) -> None:
    kernel: Any = _compiled.Kernel(_half_of.as_written, lambda given: given.steps)  # type: ignore[attr-defined]
    numbers = np.linspace(0.1, 7.0, 1000)
    patience.left, patience.each = 0, 1501
    found = [kernel(numbers, 500) for _ in range(3)]
    assert kernel._compiled is None
    assert [kernel(numbers, 500)] * 3 == found
    assert kernel._compiled is not None


WALK = """
import sys
import askwise
from askwise import _compiled
from askwise.decisions.recommendation import recommend
from tests.decisions.problems import larger_problem, random_problem

few = 3
if sys.argv[1] == "compiled":
    _compiled.compile_all()
else:
    _compiled.patience.left = _compiled.patience.each = 10**15


def told(episode):
    for step in episode.steps:
        yield step.decision.why
        yield [float(number).hex() for number in step.belief]


for seed in range(few):
    drawn = askwise.generate(size=7, stations=6, toolboxes=2, walls=0.15, seed=seed)
    for method in ("ezq-local", "cost-prob", "toolbox"):
        for belief, teammate in (("bayes", "urop"), ("robust", "noisy:0.2")):
            episode = askwise.simulate(drawn, method, teammate, seed=seed, belief=belief)
            print(method, *told(episode))
for path in sys.argv[2 : 2 + few]:
    episode = askwise.simulate(path, "ezq", seed=1)
    print(path, *told(episode))
for walls in ([], [(1, 1), (2, 4), (4, 2)]):
    grid = askwise.GridWorld(6, 7, walls=walls)
    family = askwise.Divergence(grid, {"a": (5, 0), "b": (5, 6), "c": (0, 6)})
    print(family.edp_at((2, 3)).tobytes().hex(), family.wcd_at((2, 3)).tobytes().hex())
for seed in range(few):
    for problem in (random_problem(seed, questions=3), larger_problem(seed, n=6, questions=4, noisy=True)):
        found = recommend(problem)
        print(found.do.name, *(float(each.loss).hex() for each in found.options), found.verdict)
"""


def _walked(way: str) -> str:
    examples = [str(EXAMPLES / name) for name in ("ward.toml", "coverage.toml", "workshop.json")]
    command = [sys.executable, "-c", WALK, way, *examples]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_loops_give_the_same_to_the_bit_as_they_are_written_and_compiled() -> None:
    compiled = _walked("compiled")
    assert compiled.count("\n") == 29
    assert _walked("as written") == compiled


def test_kept_code_is_used_only_while_nothing_has_changed_that_it_is_made_from(tmp_path: Path) -> None:
    """numba itself would not notice a change of a loop or a constant in another file."""
    package = tmp_path / "askwise"
    shutil.copytree(Path(_jit.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    ask = (
        "from askwise import _kept; from askwise.planning.values import state_value;"
        "print(_kept.folder_of(state_value.as_written, ''))"
    )

    def stamp() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", ask], capture_output=True, text=True, check=True, env=environment, cwd=tmp_path
        )
        return done.stdout

    def changed(name: str, text: str, by: str) -> None:
        path = package / name
        found = path.read_text(encoding="utf-8")
        assert text in found
        path.write_text(found.replace(text, by), encoding="utf-8")

    stamps = [stamp()]
    assert stamp() == stamps[0]
    for name, text, by in (
        ("planning/beliefs.py", "        total += odds", "        total -= odds"),  # a loop, five calls deep
        ("planning/workspace.py", "POOL_SIZE = 64", "POOL_SIZE = 65"),  # a number, in a file without loops
        ("planning/candidates.py", "WORTH_MOVING = 0.01", "WORTH_MOVING = 0.02"),
    ):
        changed(name, text, by)
        stamps.append(stamp())
    assert len(set(stamps)) == len(stamps)
    changed("methods/question_value.py", "def ", "# another loop\ndef ")  # nothing that this one contains
    changed("planning/beliefs.py", "@inner\n", "# no change\n@inner\n")
    assert stamp() == stamps[-1]


def test_what_kernels_are_made_from_can_be_told_by_its_text() -> None:
    """A value with an address in its text would make a kernel be compiled again in every process."""
    kernels = _all_kernels()
    assert len(kernels) > 100
    for kernel in kernels:
        text = _Text()
        _kept.take_in(kernel.as_written, text, set())
        assert b" at 0x" not in text.all, kernel.__qualname__


class _Text:
    """A stand-in for a digest that collects its input."""

    all = b""

    def update(self, more: bytes) -> None:
        self.all += more


def _all_kernels() -> list[Any]:
    """Return every kernel of the package."""
    found = {}
    for path in Path(_jit.__file__).parent.rglob("*.py"):
        if b"_compiled import" in path.read_bytes():
            name = ".".join(path.relative_to(Path(_jit.__file__).parent.parent).with_suffix("").parts)
            members = vars(importlib.import_module(name)).values()
            found.update({id(member): member for member in members if isinstance(member, _compiled.Kernel)})
    return list(found.values())


def _hits(numbers: Any) -> int:
    """Call a kernel as a new process would; return how often its code was found on disk."""
    kernel: Any = _compiled.Kernel(_half_of.as_written)  # type: ignore[attr-defined]
    assert kernel(numbers, 3) == _half_of.as_written(numbers, 3)  # type: ignore[attr-defined]
    return sum(kernel._compiled.stats.cache_hits.values())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty cache folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda good: good[:30],
        lambda _: b"",
        lambda good: np.random.default_rng(0).bytes(len(good)),
        lambda good: good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1 :],
    ],
    ids=["cut", "empty", "random", "one bit"],
)
def test_damaged_code_on_disk_is_made_anew(cache: Path, ending: str, damage: Callable[[bytes], bytes]) -> None:
    numbers = np.linspace(0.1, 7.0, 3)
    assert [_hits(numbers), _hits(numbers)] == [0, 1]
    (path,) = cache.rglob(f"*.{ending}")
    path.write_bytes(damage(path.read_bytes()))
    assert [_hits(numbers), _hits(numbers)] == [0, 1]


def test_code_on_disk_without_its_checksum_is_made_anew(cache: Path) -> None:
    numbers = np.linspace(0.1, 7.0, 3)
    _hits(numbers)
    (path,) = cache.rglob("sums")
    path.write_bytes(path.read_bytes()[:50])
    assert [_hits(numbers), _hits(numbers)] == [0, 1]
    path.unlink()
    path.mkdir()  # nothing can be written there: it works all the same
    assert [_hits(numbers), _hits(numbers)] == [0, 0]


def test_code_that_is_added_to_code_from_disk_gets_a_checksum(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_exit: list[Callable[[], None]] = []
    monkeypatch.setattr("askwise._kept.atexit.register", at_exit.append)
    numbers = np.linspace(0.1, 7.0, 3)
    assert _hits(numbers) == 0
    kernel: Any = _compiled.Kernel(_half_of.as_written)  # type: ignore[attr-defined]
    kernel(numbers, 3)
    others = np.array([3.0, 6.0, 12.0], dtype=np.float32)
    kernel(others, 3)
    for note in at_exit:
        note()
    assert _hits(numbers) == 1


def test_a_cache_that_cannot_be_written_is_done_without(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)  # by which the compiler puts files in their place
    assert _hits(np.linspace(0.1, 7.0, 3)) == 0
    assert not [*cache.rglob("*.nb?")]


KERNEL = """
from askwise import _compiled

@_compiled.inner
def grown(x):
    return x * FACTOR

@_compiled.compiled
def total(n):
    found = 0.0
    for k in range(n):
        found += grown(k)
    return found
"""


def _place(kernel: Any) -> Path | None:
    """Return the folder with the code of a kernel."""
    kernel(4)
    found = kernel._compiled.stats.cache_path
    return None if found is None else Path(found)


def _version(folder: Path, factor: float) -> Any:
    """Return the kernel of a module that multiplies by this factor, as a new process would find it."""
    path = folder / "kernel.py"
    path.write_text(KERNEL.replace("FACTOR", str(factor)))
    names = {"__name__": "kernel"}
    exec(compile(path.read_text(), path, "exec"), names)
    return names["total"]


class Killed(BaseException):
    """Stands for the end of the process: no exception handler catches it."""


def test_code_of_another_version_is_never_run(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade, back to the version before, and a power cut when numba has named its code, but not written it."""
    assert _version(tmp_path, 2.0)(4) == 12.0
    assert _version(tmp_path, 3.0)(4) == 18.0

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr(caching.IndexDataCacheFile, "_save_data", killed)
        _version(tmp_path, 2.0)(4)
    assert _version(tmp_path, 2.0)(4) == 12.0
    assert _version(tmp_path, 3.0)(4) == 18.0
    assert sum(1 for _ in cache.rglob("*.nbc")) == 2, "each version has files of its own"


def test_loops_are_compiled_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in place of a folder makes it unwritable even for root."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "file"))
    (tmp_path / "file").touch()
    (tmp_path / "__pycache__").touch()
    kernel = _version(tmp_path, 2.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_jit, "_announced", set())
    monkeypatch.setitem(_jit.PARTS, "kernel", "a loop")
    assert kernel(4) == 12.0
    assert terminal.getvalue() == (
        "askwise: compiling a loop; this is not kept, "
        "because no cache folder can be written (NUMBA_CACHE_DIR sets one)\n"
    )


def test_functions_of_yours_are_kept_where_they_always_were(tmp_path: Path, cache: Path) -> None:
    made = _place(_version(tmp_path, 2.0))
    assert made is not None
    assert made.is_relative_to(cache / "askwise" / "kernel.total")
    assert str(cache) == _kept._config.CACHE_DIR


@pytest.mark.skipif(not hasattr(numba.config, "CACHE_LOCATOR_CLASSES"), reason="this numba has no such setting")
def test_code_is_not_kept_where_numba_chooses_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other versions would find the code there, too."""
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "InTreeCacheLocator")
    assert _place(_version(tmp_path, 2.0)) is None


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "xdg/askwise"),
        ("linux without XDG_CACHE_HOME", "home/.cache/askwise"),
        ("darwin", "home/Library/Caches/askwise"),
        ("win32", "local/askwise/Cache"),
    ],
)
def test_compiled_code_goes_to_the_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, expected: str
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(sys, "platform", platform.partition(" ")[0])
    for name, folder in (("HOME", "home"), ("XDG_CACHE_HOME", "xdg"), ("LOCALAPPDATA", "local")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    if platform.endswith("XDG_CACHE_HOME"):
        monkeypatch.delenv("XDG_CACHE_HOME")
    assert _kept.root() == tmp_path / expected


def test_a_few_versions_are_kept_those_that_were_used_last(tmp_path: Path, cache: Path) -> None:
    assert _kept.VERSIONS == 5
    used = {}
    for when, factor in enumerate((*range(_kept.VERSIONS), 0, _kept.VERSIONS)):  # the first again, then one too many
        place = _place(_version(tmp_path, float(factor)))
        assert place is not None
        used[factor] = place.parent
        os.utime(used[factor], (when, when))
    del used[1]
    assert {*(cache / "askwise" / "kernel.total").iterdir()} == {*used.values()}


def test_the_cache_can_be_deleted_at_any_time(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is deleted between two processes, and while numba writes into it."""
    numbers = np.linspace(0.1, 7.0, 3)
    assert [_hits(numbers), _hits(numbers)] == [0, 1]
    shutil.rmtree(cache / "askwise")
    assert _hits(numbers) == 0
    for stage in ("_save_index", "_save_data"):
        usual: Any = getattr(caching.IndexDataCacheFile, stage)

        def deleted(*given: Any, usual: Any = usual) -> None:
            shutil.rmtree(cache / "askwise")
            usual(*given)

        shutil.rmtree(cache / "askwise")
        with monkeypatch.context() as patch:
            patch.setattr(caching.IndexDataCacheFile, stage, deleted)
            assert _hits(numbers) == 0
        assert [_hits(numbers), _hits(numbers)] == [0, 1]


OTHER = """
import fcntl, sys
import numpy as np
from numba.core import caching
from tests import test_compiled

def told(usual, what):
    def tell(*given):
        if what != "waits" or given[1] == fcntl.LOCK_EX:  # not the try that does not wait
            print(what, flush=True)
            sys.stdin.readline() if what == "saves" else None
        return usual(*given)
    return tell

fcntl.flock = told(fcntl.flock, "waits")
caching.IndexDataCacheFile._save_index = told(caching.IndexDataCacheFile._save_index, "saves")
test_compiled._half_of.compiled_for(np.linspace(0.1, 7.0, 3), 3)
"""


def test_two_that_compile_at_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process waits, and finds the code of the other. Arguments of other types have another folder."""
    others: list[subprocess.Popen[str]] = []
    did: list[str] = []
    saves_index: Any = caching.IndexDataCacheFile._save_index
    saves_data: Any = caching.IndexDataCacheFile._save_data

    def index_saved(*given: Any) -> None:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        command = [sys.executable, "-c", OTHER]
        others.append(subprocess.Popen(command, text=True, env=environment, cwd=EXAMPLES.parent, **pipes))
        did.append(others[0].stdout.readline())  # type: ignore[union-attr]
        saves_index(*given)

    def data_saved(*given: Any) -> None:
        if did == ["saves\n"]:  # it has seen that nothing is kept yet, and does not wait
            others[0].communicate("\n")
        saves_data(*given)

    with monkeypatch.context() as patch:
        patch.setattr(caching.IndexDataCacheFile, "_save_index", index_saved)
        patch.setattr(caching.IndexDataCacheFile, "_save_data", data_saved)
        assert _hits(np.linspace(0.1, 7.0, 3)) == 0
    others[0].communicate()
    assert [_hits(np.linspace(0.1, 7.0, 3)), _hits(np.arange(3)), _hits(np.arange(3))] == [1, 0, 1]
    assert (did, others[0].returncode) == (["waits\n"], 0)


def test_a_kernel_is_sent_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(_half_of)) is _half_of


class _Numbers(_compiled.Struct):
    many: Any
    factor: float
    doubled: bool


class _Pair(_compiled.Struct):
    inside: _Numbers
    few: Any
    table: Any
    step: int


@_compiled.inner
def _added_up(inside: _Numbers) -> float:
    total = 0.0
    for number in inside.many:
        total += inside.factor * number
    return 2.0 * total if inside.doubled else total


@_compiled.part
def _counted(given: _Pair) -> int:
    given.few[0] += given.step
    for row in range(given.table.shape[0]):
        for column in range(given.table.shape[1]):
            given.table[row, column] += row - column * given.few[0]
    return int(given.few[0] + given.table.size)


@_compiled.compiled
def _in_structs(given: _Pair) -> float:
    return _added_up(given.inside) + _counted(given)


def _pair() -> _Pair:
    many = np.linspace(0.5, 2.0, 7)
    many.setflags(write=False)
    inside, table = _Numbers(many=many, factor=1.5, doubled=True), np.arange(24, dtype=np.int16).reshape(4, 6)
    return _Pair(inside=inside, few=np.array([1, 2]), table=table[:, 1:4], step=-3)


def test_structs_are_the_same_in_python_and_in_compiled_loops() -> None:
    """Loops see the arrays themselves, not copies."""
    results, tables = [], []
    for way in (lambda given: _in_structs(given.compiled), _in_structs.as_written):  # type: ignore[attr-defined]
        given = _pair()
        results += [way(given), way(given)]
        assert given.few.tolist() == [-5, 2]
        tables.append(given.table.tolist())
    assert results[:2] == results[2:]
    assert results[1] == results[0] - 3
    assert tables[0] == tables[1]


def test_structs_can_be_sent() -> None:
    """Read-only arrays stay read-only: for writable ones, loops would be compiled again."""
    given = _pair()
    _in_structs(given.compiled)
    arrived = pickle.loads(pickle.dumps(given))
    assert not arrived.inside.many.flags.writeable
    assert arrived.few.flags.writeable
    assert _in_structs(arrived.compiled) == _in_structs(given.compiled)


def test_the_planner_decides_without_numba_while_few_states_are_searched() -> None:
    code = (
        "import sys, askwise; from askwise import _compiled\n"
        "if sys.argv[1:]: _compiled.load()\n"
        "found = askwise.ask('ward', 'planner')\n"
        "print(found.decision.ask, found.why, askwise.simulate('ward', 'planner', seed=1).cost)\n"
        "print('numba' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code]
    plain, compiled = (
        subprocess.run([*command, *more], capture_output=True, check=True, text=True).stdout.splitlines()
        for more in ([], ["compiled"])
    )
    assert plain[0] == compiled[0]
    assert (plain[1], compiled[1]) == ("False", "True")


@pytest.mark.parametrize("example", ["ticket", "robot", "travel", "triage"])
def test_small_decisions_need_no_numba(example: str) -> None:
    code = f"import sys; from askwise.cli import main; main(['decide', '{example}']); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("command", ["decide ticket", "design hall -k 1", "ask workshop --method ezq-exact"])
def test_where_numba_may_not_compile_all_runs_as_it_is_written(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 0
    expected = capsys.readouterr().out
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    arguments = [sys.executable, "-m", "askwise", *command.split()]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")

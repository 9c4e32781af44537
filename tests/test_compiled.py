"""Compiling: told to whoever waits for it, once; and no kernel is compiled twice for the same work."""

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
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import caching

from askwise import _compiled, _jit, _kept

EXAMPLES = Path(__file__).parent.parent / "examples"


def _started(module: str) -> Any:
    kernel = SimpleNamespace(py_func=SimpleNamespace(__module__=module), stats=SimpleNamespace(cache_path="somewhere"))
    return SimpleNamespace(data={"dispatcher": kernel})


class Terminal(io.StringIO):
    """Something to write to that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_each_part_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, terminal = _jit._Compiling(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for module in (
        "askwise.planning.search.values",
        "askwise.planning.tables",
        "numba.np.arrayobj",
        "askwise.planning.noisy.values",
        "askwise.model.graph_search",
        "askwise.planning.search.menus",
    ):
        listener.on_start(_started(module))
        listener.on_end(None)
    assert terminal.getvalue().splitlines() == [
        "askwise: compiling the planner; this is kept for later runs",
        "askwise: compiling the planner for wrong answers; this is kept for later runs",
        "askwise: compiling models; this is kept for later runs",
    ]


def test_files_and_workers_of_a_pool_are_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, terminal = _jit._Compiling(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing, "parent_process", lambda: object())
        listener.on_start(_started("askwise.model.chain.solve"))
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    listener.on_start(_started("askwise.model.chain.solve"))
    monkeypatch.setattr(sys, "stderr", None)
    listener.on_start(_started("askwise.divergence.cones"))
    for _ in range(3):
        listener.on_end(None)
    assert terminal.getvalue() == ""


def test_every_kernel_belongs_to_a_part() -> None:
    for part in ("core", "divergence", "model", "planning", "methods", "domains"):
        module = f"askwise.{part}.some"
        assert next(told for start, told in _jit.PARTS.items() if module.startswith(start))


def _at_terminal(*arguments: str, cache: Path) -> tuple[str, str]:
    """Run a command as somebody at a terminal: return what it printed, and what it said there."""
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
    """Patience as in a new process, and the old one afterwards."""
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
from askwise import _compiled, _jit, _kept

few = 3
if sys.argv[1] == "compiled":
    _compiled.compile_all()
elif sys.argv[1] == "compiled by an unknown numba":
    _jit.KNOWN = ()
    _compiled.compile_all()
    few = 0  # nothing is kept from this: all of it is compiled for this test alone
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
"""


def _walked(way: str, **environment: str) -> str:
    examples = [str(EXAMPLES / name) for name in ("ward.toml", "coverage.toml", "workshop.json")]
    command = [sys.executable, "-c", WALK, way, *examples]
    given = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=given).stdout


def test_loops_give_the_same_to_the_bit_as_they_are_written_and_however_compiled(tmp_path: Path) -> None:
    compiled = _walked("compiled")
    assert compiled.count("\n") == 23
    assert _walked("as written") == compiled
    grids = _walked("compiled by an unknown numba", NUMBA_CACHE_DIR=str(tmp_path))
    assert grids.count("\n") == 2
    assert compiled.endswith(grids)


def test_kept_code_is_used_only_while_nothing_has_changed_that_it_is_made_from(tmp_path: Path) -> None:
    """numba itself would not notice that a loop in another file has changed, or a number."""
    package = tmp_path / "askwise"
    shutil.copytree(Path(_jit.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    ask = (
        "import numpy as np; from askwise import _compiled; _compiled.compile_all();"
        "from askwise.planning.search import entry;"
        "print(entry._do.compiled.stats.cache_path)"
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
        ("planning/search/sets.py", "total += numbers[at,", "total -= numbers[at,"),  # a loop, five calls deep
        ("planning/search/workspace.py", "POOL_SIZE = 64", "POOL_SIZE = 65"),  # a number, in a file without loops
        ("planning/search/menus.py", "WORTH_MOVING = 0.01", "WORTH_MOVING = 0.02"),
        ("_references.py", "_WORD = 8", "_WORD = 16"),
    ):
        changed(name, text, by)
        stamps.append(stamp())
    assert len(set(stamps)) == len(stamps)
    changed("methods/question_value.py", "def ", "# another loop\ndef ")  # nothing that this one contains
    changed("planning/search/sets.py", "@inner\n", "# no change\n@inner\n")
    assert stamp() == stamps[-1]


def test_what_kernels_are_made_from_can_be_told_by_its_text() -> None:
    """What has an address in its text would be compiled again in every process."""
    kernels = _all_kernels()
    assert len(kernels) > 100
    for kernel in kernels:
        text = _Text()
        _kept.take_in(kernel.as_written, text, set())
        assert b" at 0x" not in text.all, kernel.__qualname__


class _Text:
    """In place of a digest, all that it was given."""

    all = b""

    def update(self, more: bytes) -> None:
        self.all += more


def _all_kernels() -> list[Any]:
    """Every kernel of the package."""
    found = {}
    for path in Path(_jit.__file__).parent.rglob("*.py"):
        if b"_compiled import" in path.read_bytes():
            name = ".".join(path.relative_to(Path(_jit.__file__).parent.parent).with_suffix("").parts)
            members = vars(importlib.import_module(name)).values()
            found.update({id(member): member for member in members if isinstance(member, _compiled.Kernel)})
    return list(found.values())


def _hits(numbers: Any) -> int:
    """Call a kernel as a new process would: return how often its code was found on disk."""
    kernel: Any = _compiled.Kernel(_half_of.as_written)  # type: ignore[attr-defined]
    assert kernel(numbers, 3) == _half_of.as_written(numbers, 3)  # type: ignore[attr-defined]
    return sum(kernel.compiled.stats.cache_hits.values())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the compiler."""
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
    (path,) = cache.rglob("*.sums")
    path.write_bytes(path.read_bytes()[:50])
    assert [_hits(numbers), _hits(numbers)] == [0, 1]
    path.unlink()
    path.mkdir()  # nothing can be written there: it works all the same
    assert [_hits(numbers), _hits(numbers)] == [0, 0]


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


def _version(folder: Path, factor: float) -> Any:
    """Return the kernel of a module that multiplies by this factor, as a new process would find it."""
    path = folder / "kernel.py"
    path.write_text(KERNEL.replace("FACTOR", str(factor)))
    names = {"__name__": "kernel"}
    exec(compile(path.read_text(), path, "exec"), names)
    return names["total"]


class Killed(BaseException):
    """The end of the process, as no handler of exceptions sees it."""


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
    """A file where a folder would be keeps out everybody, root as well."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "file"))
    (tmp_path / "file").touch()
    (tmp_path / "__pycache__").touch()
    kernel = _version(tmp_path, 2.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_jit._compiling, "_told", set())
    monkeypatch.setitem(_jit.PARTS, "kernel", "a loop")
    assert kernel(4) == 12.0
    assert terminal.getvalue() == (
        "askwise: compiling a loop; this is not kept, "
        "because no cache folder can be written (NUMBA_CACHE_DIR sets one)\n"
    )


def test_functions_of_yours_are_kept_where_they_always_were(tmp_path: Path, cache: Path) -> None:
    made = Path(_version(tmp_path, 2.0).compiled.stats.cache_path)
    assert made.is_relative_to(cache / "askwise" / "kernel.total")
    assert str(cache) == _kept._config.CACHE_DIR


def test_code_is_not_kept_where_numba_chooses_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be found there by other versions, too."""
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "InTreeCacheLocator")
    assert _version(tmp_path, 2.0).compiled.stats.cache_path is None


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "xdg/askwise"),
        ("darwin", "home/Library/Caches/askwise"),
        ("win32", "local/askwise/Cache"),
    ],
)
def test_compiled_code_goes_to_the_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, expected: str
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(sys, "platform", platform)
    for name, folder in (("HOME", "home"), ("XDG_CACHE_HOME", "xdg"), ("LOCALAPPDATA", "local")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    assert _kept.root() == tmp_path / expected


def test_a_few_versions_are_kept_those_that_were_used_last(tmp_path: Path, cache: Path) -> None:
    used = {}
    for when, factor in enumerate((*range(_kept.VERSIONS), 0, _kept.VERSIONS)):  # the first again, then one too many
        used[factor] = Path(_version(tmp_path, float(factor)).compiled.stats.cache_path).parent
        os.utime(used[factor], (when, when))
    del used[1]
    assert {*(cache / "askwise" / "kernel.total").iterdir()} == {*used.values()}


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
test_compiled._half_of.compiled(np.arange(3), 3)
"""


def test_two_that_compile_for_other_numbers_at_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both would choose the same name, and one end up with the code of the other."""
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
    assert [_hits(np.linspace(0.1, 7.0, 3)), _hits(np.arange(3))] == [1, 1]
    assert (did, others[0].returncode) == (["waits\n"], 0)


def test_a_kernel_is_sent_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(_half_of)) is _half_of


def _several(small: Any, large: int) -> int:
    return _twice(small[0]) + _twice(large) + _twice(1) + _twice(-1) + _twice(number=3)


def test_a_kernel_is_compiled_once_for_numbers_of_any_kind() -> None:
    several = numba.njit(_several)  # not kept on disk: it is compiled in every run of the tests
    assert several(np.array([20], dtype=np.int32), 5) == 2 * (20 + 5 + 1 - 1 + 3)
    kernel: Any = _twice
    assert list(kernel.compiled.signatures) == [(numba.int64,)]


class _Inside(NamedTuple):
    numbers: Any
    factor: float


class _Outside(NamedTuple):
    inside: _Inside
    flag: bool
    few: Any
    many: int


@_compiled.inner
def _added_up(inside: _Inside) -> float:
    total = 0.0
    for number in inside.numbers:
        total += inside.factor * number
    return total


@_compiled.compiled
def _of_tuple(given: _Inside) -> float:
    return float(given.factor + given.numbers[0])


@_compiled.inner
def _handed_on(given: _Outside, sign: int) -> float:
    given.few[0] += 1
    more = given.many if given.flag else 0
    return float(sign * _added_up(given.inside) + given.few[0] + more + _of_tuple(given.inside))


@_compiled.compiled
def _in_tuples(given: _Outside) -> float:
    return _handed_on(given, 1) + _handed_on(given, -1) + _added_up(_Inside(given.few, 0.25))


def test_named_tuples_are_handed_on_as_they_are() -> None:
    """By reference where numba is known, to loops that are called from Python, too, and within each other."""
    results = []
    for way in (_in_tuples, _in_tuples.as_written):  # type: ignore[attr-defined]
        few = np.array([1, 2], dtype=np.int32)
        results.append(way(_Outside(_Inside(np.linspace(0.5, 2.0, 7), 1.5), True, few, 40)))
        assert few.tolist() == [3, 2]
    assert results[0] == results[1]

"""Imports go one way, folder by folder, and the package offers what it lists."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import askwise
from askwise.core.problem import Problem
from askwise.core.side import Side
from askwise.domains.registry import Domain

SOURCE = Path(askwise.__file__).parent

GROUND = ("errors", "types", "seeds", "frozen", "workers", "_kept", "_jit", "_compiled")
"""What knows nothing of the subject: errors, arrays, supervised processes, compiled loops."""

LIBRARY = (
    "text", "model", "divergence", "pddl", "core", "planning", "methods", "domains", "play", "api", "view"
)  # fmt: skip
"""The library, from the bottom up: each folder imports only those before it."""

APPLICATIONS = {
    "decisions": set(),
    "designs": set(),
    "envs": set(),
    "audits": {"decisions"},
    "studies": set(),
    "recognition": {"studies"},
    "sampling": set(),
    "serving": {"decisions", "audits"},
    "studio": {"audits", "designs", "studies"},
    "starters": set(),
    "cli": {"audits", "decisions", "designs", "recognition", "serving", "studies", "studio"},
    "__main__": {"cli"},
}
"""The applications, which import the library, and which others each of them may import."""

ALLOWED = {
    **{name: set((*GROUND, *LIBRARY)[:k]) for k, name in enumerate((*GROUND, *LIBRARY))},
    **{name: {*GROUND, *LIBRARY, *others} for name, others in APPLICATIONS.items()},
}
"""What each folder, and each module beside them, may import."""


def _files() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


def _folder(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def _imported(path: Path) -> tuple[str, ...]:
    """Everything of askwise that a file imports, anywhere in it, by its dotted name without ``askwise.``."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they lead"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "askwise" and name != "askwise.__version__":
                yield name.removeprefix("askwise.")


def _edges() -> set[tuple[str, str]]:
    """Which folder imports which other one."""
    pairs = {(_folder(path), name.split(".")[0]) for path in _files() for name in _imported(path)}
    return {(user, used) for user, used in pairs if user != used}


def test_every_folder_is_listed() -> None:
    """What is imported is listed too: ``from askwise import edp`` would hide which folder is meant."""
    assert {_folder(path) for path in _files()} | {used for _, used in _edges()} == set(ALLOWED)


def test_each_folder_imports_only_what_it_may() -> None:
    assert sorted((user, used) for user, used in _edges() if used not in ALLOWED[user]) == []


def test_what_applications_may_import_of_each_other_is_used_and_has_no_cycle() -> None:
    used = _edges()
    unused = [(name, other) for name, others in APPLICATIONS.items() for other in others if (name, other) not in used]
    assert unused == []
    assert set(TopologicalSorter(APPLICATIONS).static_order()) == set(APPLICATIONS)


def test_few_files_lie_beside_the_folders() -> None:
    assert len(list(SOURCE.glob("*.py"))) <= 12


def _packages() -> list[str]:
    """Every package inside askwise, at any depth, by its dotted name."""
    return [".".join(path.parent.relative_to(SOURCE).parts) for path in sorted(SOURCE.rglob("*/__init__.py"))]


def _uses_inside(package: str) -> dict[str, set[str]]:
    """Which module or package directly inside a package imports which other one."""
    folder = SOURCE.joinpath(*package.split("."))
    children = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    uses: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        child = path.relative_to(folder).parts[0].removesuffix(".py")
        if child == "__init__":
            continue  # a package may offer what its modules define
        inside = (name.removeprefix(f"{package}.") for name in _imported(path) if name.startswith(f"{package}."))
        used = {name.split(".")[0] for name in inside}
        uses.setdefault(child, set()).update((used & children) - {child})
    return uses


@pytest.mark.parametrize("package", _packages())
def test_inside_a_package_nothing_imports_each_other_in_a_circle(package: str) -> None:
    uses = _uses_inside(package)
    assert set(TopologicalSorter(uses).static_order()) >= set(uses)


def test_packages_inside_packages_are_walked() -> None:
    assert {"studies", "studies.analysis", "studies.analysis.figures"} <= set(_packages())
    inside = _uses_inside("studies")
    assert inside["schema"] == set()
    assert inside["running"] == inside["analysis"] == {"schema"}
    assert {"running", "analysis"} <= inside["pipeline"]


# -- small interfaces --------------------------------------------------------------------------------------------


def _members(kind: type) -> list[str]:
    return [name for name in vars(kind) if not name.startswith("_")]


def test_problems_sides_and_domains_are_small() -> None:
    """Of a problem, what it has when it is made, and its methods."""
    problem = {name for name in vars(askwise.Coverage("A.W\nF.B")) if not name.startswith("_")} - {"drawing", "weights"}
    assert len(problem) + len(_members(Problem)) <= 10
    assert len(_members(Side)) <= 10
    assert len(_members(Domain)) <= 8


@cache
def _asked_by_name() -> set[object]:
    """Return every name that the source passes to ``getattr`` or ``hasattr``."""
    return {
        node.args[1].value
        for path in _files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and isinstance(node.args[1], ast.Constant)
    }


@pytest.mark.parametrize("kind", [Problem, Side, Domain])
def test_no_member_is_looked_for_by_its_name(kind: type) -> None:
    """``getattr(problem, "teammate", None)`` would be a member that may or may not be there."""
    members = {*_members(kind), *inspect.signature(kind).parameters} - {"args", "kwargs", "name"}
    assert _asked_by_name() & members == set()


# -- what the package offers -------------------------------------------------------------------------------------


def _lines_for_type_checkers() -> dict[str, str]:
    """Name to module, from the ``if TYPE_CHECKING`` block of the package."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    found = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name, "only `import X as X` is a public name to a type checker"
            assert node.module is not None
            found[alias.name] = node.module
    return found


def test_type_checkers_see_what_the_package_lists() -> None:
    listed = set(askwise.__all__) - {"__version__"}
    assert set(_lines_for_type_checkers()) == listed
    assert len(askwise.__all__) == len(set(askwise.__all__))
    assert dir(askwise) == sorted(askwise.__all__)


@pytest.mark.parametrize("name", sorted(set(askwise.__all__) - {"__version__"}))
def test_every_listed_name_is_where_type_checkers_look_for_it(name: str) -> None:
    found = getattr(askwise, name)
    home = importlib.import_module(_lines_for_type_checkers()[name])
    assert found is getattr(home, name)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"^module 'askwise' has no attribute 'nothing'$"):
        askwise.nothing  # noqa: B018


def test_importing_the_package_loads_no_compiler_and_no_plotting() -> None:
    check = "import sys, askwise; print(*sorted({'numba', 'matplotlib', 'polars', 'scipy'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""

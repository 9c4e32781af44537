"""Imports go one way, and the package offers what it lists."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import askwise

SOURCE = Path(askwise.__file__).parent

LAYERS = (
    {"errors", "types", "watching", "showing.palette"},
    {
        "_compiled",
        "_graph",
        "_ingredients",
        "_jit",
        "_kept",
        "_references",
        "_later",
        "arguments",
        "files",
        "frozen",
        "limits",
        "memory",
        "reading",
        "seeds",
    },
    {"chain"},
    {"model"},
    {"divergence"},
    {"designing.grounds", "designing.space"},
    {"pddl"},
    {"query", "ego", "questions", "answers", "problem"},
    {"decisions", "factored", "factored_input", "tracking"},
    {"showing.vocabulary", "showing.words"},
    {"game", "domains.domain", "domains.registry"},
    {"planning"},
    {"agents", "teammates"},
    {"episode"},
    {"plot", "domains"},
    {"deciding", "evaluation", "showing", "simulation", "trace"},
    {"designing"},
    {"auditing", "envs"},
    {"envs.tool_fetching"},
    {"experiments.schema"},
    {"experiments.running", "experiments.analysis"},
    {"experiments"},
    {"serving"},
    {"__main__", "cli", "starters", "studio"},
)
"""From the ground up: a part imports its own layer and those below. A module that is listed is a part of its own."""

TOOL_FETCHING = "domains.tool_fetching"
APPLICATIONS = ("auditing", "cli", "envs", "experiments", "serving", "studio")
"""What is built on the library; applications may import domains, domains import no application."""
MAY_IMPORT_TOOL_FETCHING = ("domains/tool_fetching/", "domains/registry.py", *(f"{name}/" for name in APPLICATIONS))
MAY_NAME_IT = ("__init__.py",)
"""The list of all that the package offers: for type checkers it says where each name is, and loads nothing."""

LAYER_OF = {part: level for level, layer in enumerate(LAYERS) for part in layer}


def _part(path: Path) -> str:
    """The part of the package that a file belongs to."""
    inside = path.relative_to(SOURCE)
    return _part_of(".".join(inside.parts).removesuffix(".py"))


def _part_of(module: str) -> str:
    """The part that a module (without ``askwise.``) belongs to: the longest listed name, or its top folder."""
    words = module.split(".")
    prefixes = [".".join(words[:k]) for k in range(len(words), 0, -1)]
    return next((prefix for prefix in prefixes if prefix in LAYER_OF), words[0])


def _files() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


@cache
def _imported(path: Path) -> tuple[str, ...]:
    """Everything of askwise that a file imports, anywhere in it, by its dotted name without ``askwise.``."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # The package itself lists its own modules that way.
            assert node.level == 0 or path == SOURCE / "__init__.py", f"{path}: relative imports hide where they lead"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "askwise" and name != "askwise.__version__":
                yield name.removeprefix("askwise.")


def _imported_parts(path: Path) -> Iterator[str]:
    """Every part of askwise that a file imports; ``from askwise import X`` is the part X."""
    return (_part_of(name) for name in _imported(path))


def _imports_tool_fetching(path: Path) -> bool:
    return any(f"{name}.".startswith(f"{TOOL_FETCHING}.") for name in _imported(path))


def _edges() -> set[tuple[str, str]]:
    """Which part imports which other one."""
    return {(_part(path), part) for path in _files() for part in _imported_parts(path) if part != _part(path)}


def test_every_part_has_a_layer() -> None:
    """What is imported has one too: ``from askwise import edp`` would hide which part is meant."""
    parts = {_part(path) for path in _files()} | {used for _, used in _edges()}
    assert parts - set(LAYER_OF) == set()


def test_imports_never_go_up() -> None:
    known = [(user, used) for user, used in _edges() if {user, used} <= set(LAYER_OF)]
    assert [(user, used) for user, used in known if LAYER_OF[used] > LAYER_OF[user]] == []


def test_parts_of_one_layer_do_not_import_each_other_in_a_circle() -> None:
    uses: dict[str, set[str]] = {}
    for user, used in _edges():
        uses.setdefault(user, set()).add(used)
    order = list(TopologicalSorter(uses).static_order())
    assert order.index("chain") < order.index("model") < order.index("divergence")


def test_only_applications_import_tool_fetching() -> None:
    inside = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}
    others = {name: path for name, path in inside.items() if not name.startswith(MAY_IMPORT_TOOL_FETCHING)}
    found = {name for name, path in others.items() if _imports_tool_fetching(path)}
    assert found == set(MAY_NAME_IT)
    assert any(_imports_tool_fetching(path) for name, path in inside.items() if name not in others), (
        "or it sees nothing"
    )


SHORTCUTS = {("model", "grid", "drawing"), ("auditing", "results", "telling")}
"""Imports that close a circle on purpose: a map has a method that reads a drawing, which holds a map; an audit can be
printed, in words that are told elsewhere."""


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
        on_purpose = {other for other in used if (package, child, other) in SHORTCUTS}
        uses.setdefault(child, set()).update((used & children) - {child} - on_purpose)
    return uses


@pytest.mark.parametrize("package", _packages())
def test_inside_a_package_nothing_imports_each_other_in_a_circle(package: str) -> None:
    uses = _uses_inside(package)
    assert set(TopologicalSorter(uses).static_order()) >= set(uses)


def test_packages_inside_packages_are_walked() -> None:
    assert {"experiments", "experiments.analysis", "experiments.analysis.figures"} <= set(_packages())
    inside = _uses_inside("experiments")
    assert "schema" in inside["running"] & inside["analysis"]
    assert {"running", "analysis"} <= inside["conducting"]


def test_running_and_analysis_do_not_know_each_other() -> None:
    inside = _uses_inside("experiments")
    assert inside["schema"] == set()
    assert inside["running"] == inside["analysis"] == {"schema"}


def test_domains_import_no_application() -> None:
    found = {(path.name, name) for path in (SOURCE / "domains").rglob("*.py") for name in _imported(path)}
    assert {(file, name) for file, name in found if name.split(".")[0] in APPLICATIONS} == set()
    assert ("registry.py", "domains.domain.Domain") in found, "or it sees nothing"


def test_domains_do_not_know_how_they_are_drawn() -> None:
    """They know words only: `showing` makes scenes and descriptions of any problem."""
    known = {name for path in (SOURCE / "domains").rglob("*.py") for name in _imported(path)}
    drawn = {".".join(name.split(".")[:2]) for name in known if name.startswith("showing.")}
    assert drawn == {"showing.vocabulary", "showing.words"}


def test_arrays_and_errors_import_nothing_of_ours() -> None:
    assert [(user, used) for user, used in _edges() if user in LAYERS[0]] == []


def _lines_for_type_checkers() -> dict[str, str]:
    """Name to module, from the ``if TYPE_CHECKING`` block of the package."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    found = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name, "only `import X as X` is a public name to a type checker"
            # Without a module the line is `from . import X`: X is a module of the package.
            found[alias.name] = node.module or f"askwise.{alias.name}"
    return found


def test_type_checkers_see_what_the_package_lists() -> None:
    listed = set(askwise.__all__) - {"__version__"}
    assert set(_lines_for_type_checkers()) == listed
    assert len(askwise.__all__) == len(set(askwise.__all__))
    assert dir(askwise) == sorted(askwise.__all__)


@pytest.mark.parametrize("name", sorted(set(askwise.__all__) - {"__version__"}))
def test_every_listed_name_is_where_type_checkers_look_for_it(name: str) -> None:
    home = importlib.import_module(_lines_for_type_checkers()[name])
    expected = home if home.__name__ == f"askwise.{name}" else getattr(home, name)
    assert getattr(askwise, name) is expected


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"^module 'askwise' has no attribute 'nothing'$"):
        askwise.nothing  # noqa: B018


def test_importing_the_package_loads_no_compiler_and_no_plotting() -> None:
    check = "import sys, askwise; print(*sorted({'numba', 'matplotlib', 'polars', 'scipy'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""

"""The package as it is shipped: every module can be imported, and the wheel has all of it and nothing else."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import askwise

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "askwise"


def test_every_module_can_be_imported_and_explains_itself() -> None:
    for path in SOURCE.rglob("*.py"):
        if path.name == "__main__.py":
            continue  # runs the command when imported
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
        assert module.__doc__ or not path.read_text(encoding="utf-8").strip(), f"{path} has no docstring"


def _source() -> set[str]:
    """The files of the package, by their place in ``src``."""
    return _files(SOURCE)


def _files(folder: Path) -> set[str]:
    """The files in a folder, by their place next to it."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder.parent).as_posix() for path in files}


@pytest.fixture(scope="module")
def wheel(wheel_file: Path) -> zipfile.ZipFile:
    """The package as it would be shipped."""
    return zipfile.ZipFile(wheel_file)


def test_the_wheel_has_the_source_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if not name.endswith("/")}
    info = f"askwise-{askwise.__version__}.dist-info/"
    about = {name.removeprefix(info) for name in shipped if name.startswith(info)}
    assert about == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    source = _source()
    examples = {f"askwise/{path}" for path in _files(ROOT / "examples")}
    assert {name for name in shipped if not name.startswith(info)} == source | examples
    assert "askwise/py.typed" in shipped
    assert {Path(name).suffix for name in source} <= {
        ".py",
        ".typed",
        ".json",
        ".html",
        ".css",
        ".js",
        ".toml",
        ".txt",
        "",
    }


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    info = f"askwise-{askwise.__version__}.dist-info"
    about = Parser().parsestr(wheel.read(f"{info}/METADATA").decode())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (about["Name"], about["Version"]) == ("askwise", askwise.__version__)
    assert about["Requires-Python"] == ">=3.11"
    assert about["License-Expression"] == "MIT"
    needed = [line for line in about.get_all("Requires-Dist") or [] if "extra ==" not in line]
    assert sorted(needed) == sorted(project["dependencies"])
    assert wheel.read(f"{info}/entry_points.txt").decode().split() == [
        "[console_scripts]", "askwise", "=", "askwise.cli:main",
    ]  # fmt: skip


def test_the_wheel_is_for_any_machine(wheel: zipfile.ZipFile) -> None:
    about = wheel.read(f"askwise-{askwise.__version__}.dist-info/WHEEL").decode()
    assert "Tag: py3-none-any" in about.splitlines()
    assert "Root-Is-Purelib: true" in about.splitlines()


def test_version_and_licence_are_the_same_everywhere() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {askwise.__version__}\n" in cited
    assert "\nlicense: MIT\n" in cited
    assert f"\n## {askwise.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"Version {askwise.__version__}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_source_package_can_be_built_tested_and_cited(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "Makefile")
    assert set(needed) <= names
    assert {f"src/{name}" for name in _source()} <= names
    assert {"tests/test_package.py", "tests/try_commands.sh", "examples/ward.toml", "docs/index.md"} <= names
    assert {"benchmarks/__main__.py", "benchmarks/README.md"} <= names  # some tests use them, and so does the Makefile
    assert not [name for name in names if "__pycache__" in name or name.startswith(("out/", ".venv", "docs/drawn"))]

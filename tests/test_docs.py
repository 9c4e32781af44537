"""The documentation: what its pages show is run, the site is built without a warning, and nothing in it is broken."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import askwise
from askwise.cli import COMMANDS, build_parser
from askwise.methods import AGENTS
from tests.browser import browser, visit
from tests.doc_pages import ROOT, Reader, blocks, missing_links, own_folder
from tests.html_site import problems_of

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ELSEWHERE = {DOCS / "how-to" / "minigrid.md": "tests/rl/test_page.py"}
"""Pages that need torch, and the tests outside `make test` that run them."""
RUN_HERE = [page for page in PAGES if page not in ELSEWHERE]
IDS = [page.relative_to(DOCS).as_posix() for page in PAGES]


@pytest.mark.parametrize("page", RUN_HERE, ids=[page.relative_to(DOCS).as_posix() for page in RUN_HERE])
def test_what_is_shown_works(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_folder(tmp_path, monkeypatch):
        Reader(page, capsys, monkeypatch).read()


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    assert missing_links(page) == []


SCRIPTS = [
    (page.relative_to(DOCS).as_posix(), block.text)
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.language in ("sh", "bash")
]


@pytest.mark.parametrize(("page", "text"), SCRIPTS)
def test_what_is_not_run_could_be(page: str, text: str) -> None:
    """Scripts for other machines: the shell can read them, and askwise knows their options."""
    checked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"{page}: {checked.stderr}"
    for line in text.splitlines():
        if line.startswith("askwise "):
            build_parser().parse_args(shlex.split(line, comments=True)[1:])


def test_pages_that_are_run_elsewhere_are() -> None:
    for page, test in ELSEWHERE.items():
        assert page in PAGES
        assert f'"{page.name}"' in (ROOT / test).read_text(encoding="utf-8")


def test_every_command_has_a_place_in_the_reference() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\{command-help\} ([\w-]+)", page)) == {"askwise", *COMMANDS}


def test_every_method_is_explained() -> None:
    page = (DOCS / "concepts" / "questions.md").read_text(encoding="utf-8")
    assert set(AGENTS) - set(re.findall(r"`([\w-]+)`", page.partition("## Methods")[2])) == set()


def test_a_domain_takes_less_than_sixty_lines() -> None:
    page = (DOCS / "how-to" / "own-domain.md").read_text(encoding="utf-8")
    files = {block.file: len(block.text.splitlines()) for block in blocks(page)}
    package = [lines for file, lines in files.items() if file.startswith("house-elevator/")]
    assert len(package) == 2
    assert sum(package) < 60


def test_every_column_and_key_of_a_study_is_explained() -> None:
    from askwise.studies.schema.instances import drawn_keys
    from askwise.studies.schema.study_file import KEYS
    from askwise.studies.schema.tables import SCHEMAS

    page = (DOCS / "how-to" / "own-study.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`\[?(\w+)\]?`", page))
    assert {*KEYS, *drawn_keys(), *(column for schema in SCHEMAS.values() for column in schema)} - named == set()


def test_every_guarantee_names_tests_that_exist() -> None:
    """The tests are looked up in the source, so that none of their modules is imported."""
    rows = guarantees()
    assert len(rows) > 100
    named = {name for row in rows for name in re.findall(r"`(tests/[^`]+)`", row)}
    assert [row for row in rows if "`tests/" not in row] == []
    files = {name.partition("::")[0] for name in named}
    assert named - {name for file in files for name in named_tests(file)} == set()
    marked = {name for row in rows for name in re.findall(r"`(tests/[^`]+)` \*torture\*", row)}
    assert marked == {name for name in named if name.startswith("tests/torture/")}


def guarantees() -> list[str]:
    """Return the rows of all tables of guarantees and their tests, without the headings of the tables."""
    page = (DOCS / "what-is-safe.md").read_text(encoding="utf-8")
    tables = page.partition("\n## Each guarantee and its test\n")[2]
    heads = ("| Guarantee |", "|---")
    return [line for line in tables.splitlines() if line.startswith("|") and not line.startswith(heads)]


def named_tests(path: str) -> set[str]:
    """Return the names of the tests in a file as ``path::test`` or ``path::Class::test``; empty if there is no file."""
    if not (ROOT / path).is_file():
        return set()
    found = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        before = f"{path}::{node.name}" if isinstance(node, ast.ClassDef) else path
        found |= {f"{before}::{each.name}" for each in inside if isinstance(each, ast.FunctionDef)}
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


def test_the_site_is_whole(tmp_path: Path) -> None:
    """One test, because building takes most of its time: no warnings, no broken links, nothing fetched."""
    if importlib.util.find_spec("furo") is None or importlib.util.find_spec("myst_parser") is None:
        pytest.skip("the extra 'docs' is not installed")
    site = tmp_path / "site"
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(tmp_path / "trees"), DOCS, site]
    done = subprocess.run([str(part) for part in build], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert problems_of(site) == []
    anchors = (site / "genindex.html").read_text(encoding="utf-8")
    listed = set(askwise.__all__) - {"__version__"}
    assert {name for name in listed if f"#askwise.{name}" not in anchors and name not in ("plot", "trace")} == set()
    for command in COMMANDS:
        assert f"usage: askwise {command}" in (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    _look_at(site)


def _look_at(site: Path) -> None:
    with browser() as started:
        for page in ("index.html", "concepts/questions.html", "reference/api/model.html"):
            for width in (1366, 390):
                with visit(started, site / page, width=width) as visited:
                    assert visited.errors == []
                    assert [url for url in visited.requests if not url.startswith(("file:", "data:"))] == []
                    wide = visited.page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= width, f"{page} is {wide} wide in a window of {width}"

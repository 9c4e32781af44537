"""The notebooks in ``examples``: real ones, without results of somebody's machine, and every cell of them runs."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
NAMES = ("ask", "measure", "study")
PRINTED = {
    "ask": ["informed       cost ", "optimum "],
    "measure": ["mean 2.0 worst 5.0"],
    "study": ["'report.html'", "Marginal cost, prior far"],
}


def _read(name: str) -> dict[str, Any]:
    book: dict[str, Any] = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return book


def test_these_are_all() -> None:
    assert sorted(path.name for path in FOLDER.iterdir() if path.is_file()) == [f"{name}.ipynb" for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_notebook_without_results(name: str) -> None:
    book = _read(name)
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    for cell in book["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.parametrize("name", NAMES)
def test_it_runs(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    printed, names = io.StringIO(), {"__name__": "notebook"}
    with contextlib.redirect_stdout(printed):
        for cell in _read(name)["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    plt.close("all")
    for words in PRINTED[name]:
        assert words in printed.getvalue()

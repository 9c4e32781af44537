"""Every example file, and every file that ``askwise new`` writes, can be read, played and asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

import askwise
from askwise import simulate
from askwise.api import as_problem
from askwise.cli import main
from askwise.model import GridWorld
from askwise.studies.schema.study_file import load_study
from tests.doc_pages import ROOT

EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".json", ".toml"))
METHODS = ("never", "baseline", "toolbox", "cost-prob", "ezq", "ezq-auto", "planner")


def test_there_are_examples_of_every_kind() -> None:
    names = ["coverage.toml", "kitchen.toml", "ward.toml", "words.toml", "workshop.json"]
    assert [path.name for path in EXAMPLES] == names
    ward, kitchen = (as_problem(ROOT / "examples" / name) for name in ("ward.toml", "kitchen.toml"))
    assert not isinstance(ward.teammate.model, GridWorld)
    assert isinstance(kitchen.teammate.model, GridWorld)
    assert any(
        kitchen.teammate.targets(goal).tolist() != kitchen.ego.targets(goal).tolist()
        for goal in range(len(kitchen.goals))
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("method", METHODS)
def test_examples_are_played(path: Path, method: str) -> None:
    episodes = [simulate(path, method, seed=seed) for seed in range(3)]
    assert all(episode.finished for episode in episodes)
    assert askwise.ask(path, method).why


@pytest.mark.parametrize("name", ["coverage.toml", "kitchen.toml", "ward.toml"])
def test_on_the_examples_asking_pays_and_methods_differ(name: str) -> None:
    problem = as_problem(ROOT / "examples" / name)
    best = askwise.solve(problem).expected_marginal_cost
    cost = {
        method: askwise.evaluate(problem, method, exact=True).expected_marginal_cost
        for method in ("never", "baseline", "toolbox", "ezq-exact")
    }
    assert 0 < best <= min(cost.values()) + 1e-9
    assert best < cost["ezq-exact"] + 1e-9 < cost["never"]
    assert len({round(value, 6) for value in cost.values()}) >= 3


# -- files to start from -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["graph", "map", "coverage", "tool-fetching"])
def test_starter_files_are_played(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("it.json" if kind == "tool-fetching" else "it.toml")
    assert main(["new", "--kind", kind, "-o", str(path)]) == 0
    assert simulate(path, "ezq-auto", seed=1).finished
    if kind != "tool-fetching":
        problem = as_problem(path)
        cost = askwise.evaluate(problem, "never", exact=True).expected_marginal_cost
        assert askwise.solve(problem).expected_marginal_cost <= cost


def test_the_starter_study_is_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert main(["new", "--kind", "study", "-o", str(path)]) == 0
    study = load_study(path)
    assert (study.name, study.n_tasks) == ("mine", 4)


def test_the_starter_agent_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    assert main(["new", "--kind", "agent", "-o", str(path)]) == 0
    capsys.readouterr()
    found: dict[str, object] = {"__name__": "mine"}
    exec(compile(path.read_text(), str(path), "exec"), found)
    play = found["main"]
    assert callable(play)
    play([])
    play([str(ROOT / "examples" / "ward.toml")])
    printed = capsys.readouterr().out
    assert printed.count("<Episode: likeliest, goal ") == 2
    assert "Ask about pills for Ada, which has" in printed

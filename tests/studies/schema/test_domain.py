"""Studies of any domain: instances from files and folders, priors by distance, and refused settings."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from askwise import simulate
from askwise.api import as_problem
from askwise.core.factored import FactoredProblem
from askwise.core.questions import QueryCost
from askwise.studies.running.play import play
from askwise.studies.schema.domain import FileStudies, by_distance, studies_of
from askwise.studies.schema.study import Study
from askwise.studies.schema.study_file import load_study
from tests.refused import assert_refused

EXAMPLES = Path(__file__).parents[3] / "examples"
PLAIN = ("coverage.toml", "kitchen.toml", "ward.toml")


def study(folder: Path, instances: str, more: str = "") -> Study:
    path = folder / "study.toml"
    path.write_text(f'name = "s"\nepisodes = 2\nmethods = ["never", "planner"]\n{more}\n[instances]\n{instances}\n')
    return load_study(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wards").mkdir()
    for name in PLAIN:
        shutil.copy(EXAMPLES / name, tmp_path / "wards" / name)
    (tmp_path / "wards" / "notes.txt").write_text("no instance")
    shutil.copy(EXAMPLES / "workshop.json", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "files", ['["wards"]', '["wards/*.toml"]', '["wards/coverage.toml", "wards/k*", "wards/ward.toml"]']
)
def test_a_folder_a_pattern_or_a_list(folder: Path, files: str) -> None:
    found = study(folder, f"files = {files}")
    assert found.domain == "problem"
    assert found.instances.describe()["files"] == [f"wards/{name}" for name in PLAIN]
    assert found.teammates == ("policy",)
    assert [prior.kind for prior in found.priors] == ["file"]


def test_rows_are_the_episodes_that_simulate_plays(folder: Path) -> None:
    found = study(folder, 'files = ["wards"]')
    for index, name in enumerate(PLAIN):
        task = found.task(index)
        rows = play(task).tables["episodes"]
        assert rows["error"].null_count() == rows.height == 4
        for row in rows.iter_rows(named=True):
            episode = simulate(EXAMPLES / name, row["method"], "policy", seed=task.episode_seed(row["episode"]))
            assert (row["goal"], row["cost"], row["marginal_cost"]) == (
                episode.goal_name,
                episode.cost,
                episode.marginal_cost,
            )


def test_priors_by_distance_and_prices_of_the_study(folder: Path) -> None:
    found = study(
        folder, 'files = ["wards/ward.toml"]', 'priors = ["far", "near", "uniform"]\nper_station_costs = [0.3]'
    )
    assert play(found.task(0)).tables["episodes"]["per_goal"].unique().to_list() == [0.3]
    problem = as_problem(EXAMPLES / "ward.toml")
    assert isinstance(problem, FactoredProblem)
    steps = problem.teammate.steps(problem.start.teammate)
    for kind, sign in (("far", 1), ("near", -1), ("uniform", 0)):
        weights = np.exp(sign * steps / 2.0)
        assert by_distance(problem, kind, 2.0) == pytest.approx(weights / weights.sum())
        extreme = {"far": steps == steps.max(), "near": steps == steps.min(), "uniform": steps > -1}[kind]
        assert by_distance(problem, kind, 1e-320) == pytest.approx(extreme / extreme.sum())


def test_other_terms_change_nothing_else() -> None:
    problem = as_problem(EXAMPLES / "kitchen.toml")
    assert isinstance(problem, FactoredProblem)
    prior, prices = problem.prior.copy(), problem.query_cost
    other = studies_of("problem").with_terms(problem, "far", 1.0, QueryCost(0.9, 0.2))
    assert other.query_cost == QueryCost(0.9, 0.2)
    assert other.teammate is problem.teammate
    assert (problem.prior.tolist(), problem.query_cost) == (prior.tolist(), prices)


def test_other_terms_of_a_problem_that_is_not_two_models() -> None:
    problem = as_problem(EXAMPLES / "workshop.json")
    other = FileStudies("a domain of its own").with_terms(problem, "far", 2.0, QueryCost(0.9, 0.2))
    assert not isinstance(problem, FactoredProblem)
    assert other.prior == pytest.approx(by_distance(problem, "far", 2.0))
    assert (other.query_cost, other.teammate) == (QueryCost(0.9, 0.2), problem.teammate)
    kept = FileStudies("a domain of its own").with_terms(problem, None, 2.0, QueryCost())
    assert kept.prior.tolist() == problem.prior.tolist()
    assert simulate(other, "ezq", seed=1).finished


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "two domains": (
        lambda folder: study(folder, 'files = ["wards/ward.toml", "workshop.json"]'),
        "instances.files: found 'wards/ward.toml' of the domain 'problem' and 'workshop.json' of 'tool-fetching'; "
        "expected files of one domain, so that their results can be compared",
    ),
    "a domain that draws nothing": (
        lambda folder: study(folder, 'domain = "problem"'),
        "instances.domain: found 'problem', which has no random instances; expected instances from files",
    ),
    "an unknown domain": (
        lambda folder: study(folder, 'domain = "problems"'),
        "instances.domain: found \"problems\"; expected one of 'tool-fetching', 'problem' (did you mean 'problem'?)",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_refused(fault: str, folder: Path) -> None:
    attempt, message = FAULTS[fault]
    assert_refused(lambda: attempt(folder), message)


def test_a_folder_without_instances(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert_refused(
        lambda: study(tmp_path, 'files = ["empty"]'),
        'instances.files[0]: found "empty"; expected a folder with files that end in .json or .toml',
    )


MINE = """
from askwise.methods import BeliefAgent


class Waits(BeliefAgent):
    def ask_or_wait(self, state, possible):
        return self.wait("Wait.")
"""


def test_agents_of_ones_own_by_their_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker loads the agent from its file; where the file is missing, only the rows of this agent fail."""
    (folder / "mine.py").write_text(MINE)
    monkeypatch.chdir(folder)
    path = folder / "study.toml"
    path.write_text('name = "s"\nepisodes = 3\nmethods = ["never", "mine.py:Waits"]\n[instances]\nfiles = ["wards"]\n')
    found = load_study(path)
    rows = play(found.task(2)).tables["episodes"]
    costs = {name: rows.filter(rows["method"] == name)["cost"].to_list() for name in ("never", "mine.py:Waits")}
    assert costs["never"] == costs["mine.py:Waits"]
    (folder / "mine.py").unlink()
    rows = play(found.task(2)).tables["episodes"]
    assert rows.filter(rows["method"] == "never")["error"].null_count() == 3
    errors = rows.filter(rows["method"] == "mine.py:Waits")["error"].to_list()
    assert all("mine.py" in error for error in errors)

"""The contract of all domains: one file of each kind works with every command and function.

To test another domain, add the contents of one of its files to `FILES`, small enough to enumerate all episodes.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

import askwise
from askwise import trace
from askwise.api import as_problem
from askwise.cli import main
from askwise.core.problem import Problem, teammate_goals
from askwise.domains import registry
from askwise.domains.registry import Domain
from askwise.envs import FLAT_PROBLEM_ID, PROBLEM_ID, problem_v0
from askwise.methods import AGENTS
from askwise.planning.reference import Reference
from askwise.studies.running.play import play
from askwise.studies.schema.study_file import load_study
from askwise.text.reading import Field
from askwise.view.page import write_page
from tests.browser import browser, visit
from tests.domains import rails, toy
from tests.envs.playing import CORRIDOR
from tests.planning.random_problems import expected_cost
from tests.play.test_ask import ego_name, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FILES: dict[str, dict[str, Any]] = {
    "tool fetching": CORRIDOR.to_json(),
    "coverage": {
        "format": "askwise/problem@1",
        "teammate": {"start": "W", "map": ["A.C", ".W.", "F.B"]},
        "ego": {"start": "F", "map": ["A.C", ".W.", "F.B"]},
        "goals": {
            "A": {"teammate": "A", "ego": ["B", "C"], "weight": 3},
            "B": {"teammate": "B", "ego": ["A", "C"]},
            "C": {"teammate": "C", "ego": ["A", "B"], "weight": 2},
        },
        "query_cost": {"base": 0.25, "per_goal": 0.1},
    },
    "a map": {
        "format": "askwise/problem@1",
        "name": "kitchen",
        "teammate": {"start": "W", "map": ["A.#B", ".W.C"]},
        "ego": {"start": [1, 0], "map": ["a..", "b.c"]},
        "goals": {
            "soup": {"teammate": "A", "ego": "a", "weight": 2},
            "tea": {"teammate": "B", "ego": "b", "price": 0.3},
            "bread": {"teammate": "C", "ego": ["c", "a"]},
        },
        "query_cost": {"base": 0.4},
    },
    "a graph": {
        "format": "askwise/problem@1",
        "words": {"teammate": "nurse", "ego": "robot", "goal": "task"},
        "teammate": {
            "start": "desk",
            "edges": [
                ["desk", "go", "hall"],
                ["hall", "left", "room 1"],
                ["hall", "right", "room 2"],
                ["desk", "out", "yard"],
            ],
        },
        "ego": {
            "start": "lift",
            "edges": [
                ["lift", "up", "pharmacy"],
                ["lift", "down", "linen"],
                ["linen", "up", "lift"],
                ["pharmacy", "on", "roof"],
                ["roof", "down", "lift"],
            ],
        },
        "goals": {
            "pills": {"teammate": "room 1", "ego": "pharmacy"},
            "sheets": {"teammate": "room 2", "ego": "linen"},
            "air": {"teammate": "yard", "ego": ["roof", "linen"]},
        },
    },
    "a domain of the tests": {"format": toy.FORMAT, "drawing": "A.#B\n.W..\nF..C\n"},
    "a basic domain of the tests": {
        "format": rails.FORMAT,
        "stops": ["gate", "park", "bridge", "town"],
        "tram": "gate",
        "bus": "bridge",
    },
}
"""A file of each domain, and of each kind where a domain has several."""

METHODS = sorted(set(AGENTS) - {"informed"})
every_file = pytest.mark.parametrize("name", FILES)
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the packages of the two domains of the tests."""
    points = [("toy", f"{toy.__name__}:TOY"), ("rails", f"{rails.__name__}:RAILS")]
    toy.plug_in(monkeypatch, *(EntryPoint(name, value, registry.GROUP) for name, value in points))
    yield
    registry.domain.cache_clear()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def instance_of(name: str) -> Any:
    return registry.from_json(Field("", FILES[name]))


def problem_of(name: str) -> Problem:
    return as_problem(instance_of(name))


def test_every_domain_is_put_to_the_test() -> None:
    tested = {registry.domain_of(instance_of(name)).name for name in FILES}
    assert tested == set(registry.names())
    formats = {each for domain in registry.domains() for each in domain.formats}
    assert {contents["format"] for contents in FILES.values()} == formats


@every_file
def test_a_domain_has_all_its_parts_and_knows_its_own(name: str) -> None:
    instance, problem = instance_of(name), problem_of(name)
    domain = registry.domain_of(instance)
    assert isinstance(domain, Domain)
    assert isinstance(problem, Problem)
    assert registry.domain_of(problem) is domain
    assert registry.domain(domain.name) is domain
    owners = [each.name for each in registry.domains() if each.recognises(instance)]
    assert owners == [domain.name]
    assert domain.vocabulary(instance) == domain.vocabulary(problem) == registry.words_of(problem)
    assert domain.vocabulary().sites == ()
    assert domain.parse_state(problem) == problem.start
    model, goals, start = teammate_goals(problem)
    assert (model.n_states, list(goals), model.state(start)) == (
        *(problem.teammate.model.n_states, list(problem.goals), problem.start.teammate),
    )


@pytest.mark.parametrize("name", [name for name in FILES if name != "a domain of the tests"])
def test_only_the_api_makes_a_problem_of_a_path(name: str, tmp_path: Path) -> None:
    """The toy domain of the tests is excluded: it is minimal, and checks nothing."""
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(FILES[name]), encoding="utf-8")
    domain = registry.domain_of(instance_of(name))
    for given in (path, str(path)):
        with pytest.raises(askwise.InputError, match=r"^instance: found .*instance.json.*; expected an? "):
            domain.problem(given)
    assert as_problem(path) == problem_of(name)


# -- files and traces --------------------------------------------------------------------------------------------


@every_file
def test_a_file_says_all_there_is(name: str, tmp_path: Path) -> None:
    instance, problem = instance_of(name), problem_of(name)
    domain = registry.domain_of(instance)
    for given in (instance, problem):
        path = tmp_path / "instance.json"
        path.write_text(json.dumps(domain.write(given)), encoding="utf-8")
        assert registry.read_file(path) == instance
        assert as_problem(path) == problem
    assert registry.read(json.dumps(FILES[name])) == instance


@every_file
@pytest.mark.parametrize("method", ["never", "ezq-exact", "planner"])
def test_a_trace_says_all_that_happened(name: str, method: str, tmp_path: Path) -> None:
    for seed in range(4):
        episode = askwise.simulate(problem_of(name), method, seed=seed)
        trace.save(episode, tmp_path / "trace.json")
        assert trace.load(tmp_path / "trace.json") == episode


@every_file
def test_problems_can_be_sent_to_other_processes(name: str) -> None:
    problem = problem_of(name)
    sent = pickle.loads(pickle.dumps(problem))
    assert sent == problem
    assert askwise.simulate(sent, "ezq-exact", seed=1) == askwise.simulate(problem, "ezq-exact", seed=1)


# -- commands and pages ------------------------------------------------------------------------------------------


@every_file
def test_every_command_takes_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.json").write_text(json.dumps(FILES[name]), encoding="utf-8")
    commands = {
        "show": [],
        "edp": [],
        "ask": ["--method", "planner"],
        "run": ["--seed", "1", "--trace", "trace.json", "--html", "page.html", "--gif", "moving.gif"],
        "solve": ["--json"],
        "evaluate": ["--exact", "--method", "ezq-exact", "--json"],
    }
    printed = {}
    for command, options in commands.items():
        assert main([command, "file.json", *options]) == 0
        outcome = capsys.readouterr()
        assert outcome.err == ""
        printed[command] = outcome.out
    assert all(goal in printed["show"] for goal in problem_of(name).goals)
    assert printed["run"].count("Written: ") == 3
    least = json.loads(printed["solve"])["expected_marginal_cost"]
    assert least <= json.loads(printed["evaluate"])["expected_marginal_cost"] + 1e-9


@every_file
def test_the_page_of_an_episode_works_in_a_browser(name: str, tmp_path: Path, chromium: Browser) -> None:
    episode = askwise.simulate(problem_of(name), "baseline", seed=3)
    path = tmp_path / "page.html"
    write_page(episode, path)
    with visit(chromium, path) as visited:
        assert visited.text("#step") == f"Step 1 of {len(episode.steps)}"
        for _ in episode.steps:
            visited.page.keyboard.press("ArrowRight")
        assert visited.text("#step") == f"Done after {len(episode.steps)} steps"
        assert visited.errors == []
        assert visited.requests == [path.as_uri()]


@every_file
def test_a_study_plays_it_as_simulate_does(name: str, tmp_path: Path) -> None:
    (tmp_path / "file.json").write_text(json.dumps(FILES[name]), encoding="utf-8")
    settings = 'name = "s"\nepisodes = 3\nmethods = ["never", "ezq-exact"]\npriors = ["file"]\n'
    (tmp_path / "study.toml").write_text(f'{settings}[instances]\nfiles = ["file.json"]\n', encoding="utf-8")
    task = load_study(tmp_path / "study.toml").task(0)
    rows = play(task).tables["episodes"]
    assert rows["error"].null_count() == rows.height == 6
    for row in rows.iter_rows(named=True):
        seed = task.episode_seed(row["episode"])
        episode = askwise.simulate(problem_of(name), row["method"], row["teammate"], seed=seed)
        assert (row["goal"], row["marginal_cost"]) == (episode.goal_name, episode.marginal_cost)


# -- environments ------------------------------------------------------------------------------------------------


@every_file
def test_gymnasium_finds_nothing_to_complain_of(name: str) -> None:
    # Warnings are errors in these tests; rendering in every mode is among what is checked.
    check_env(gymnasium.make(PROBLEM_ID, problem=instance_of(name)).unwrapped)
    flat = gymnasium.make(FLAT_PROBLEM_ID, problem=instance_of(name))
    with pytest.warns(UserWarning, match="is different from the unwrapped version"):
        check_env(flat, skip_render_check=True)


@every_file
def test_pettingzoo_finds_nothing_to_complain_of(name: str) -> None:
    problem = problem_of(name)
    parallel_api_test(problem_v0.parallel_env(problem, max_steps=40), num_cycles=60)
    parallel_seed_test(lambda: problem_v0.parallel_env(problem, max_steps=40), num_cycles=40)


# -- decisions ---------------------------------------------------------------------------------------------------


@every_file
def test_the_optimum_is_that_of_the_reference(name: str) -> None:
    problem = problem_of(name)
    reference = Reference(problem)
    found = askwise.solve(problem)
    assert found.expected_marginal_cost == pytest.approx(reference.cost(), abs=1e-12)
    assert found.expected_cost == pytest.approx(expected_cost(reference), abs=1e-12)


@every_file
@pytest.mark.parametrize("method", sorted(AGENTS))
def test_every_method_plays_to_the_end(name: str, method: str) -> None:
    problem = problem_of(name)
    for goal in range(len(problem.goals)):
        episode = askwise.simulate(problem, method, goal=goal, seed=goal)
        assert episode.finished
        assert episode.marginal_cost >= -1e-9


@every_file
@every_method
def test_who_is_asked_decides_as_who_has_watched(name: str, method: str) -> None:
    problem = problem_of(name)
    for seed in range(2):
        episode = askwise.simulate(problem, method, seed=seed)
        for t, step in enumerate(episode.steps):
            advice = askwise.ask(problem, method, history=episode.observations[: t + 1], seed=seed)
            assert advice.decision == step.decision
        n = int(np.random.default_rng(seed).integers(len(episode.steps)))
        actions = [step.teammate_action for step in episode.steps[:n] if step.teammate_action is not None]
        answers = [step.answer for step in episode.steps[:n] if step.answer is not None]
        ego = episode.steps[n].state.ego
        decision, belief = watched(problem, method, actions, answers, ego, seed)
        named = [problem.teammate.actions.names[action] for action in actions]
        advice = askwise.ask(problem, method, seen=named, answered=answers, ego_at=ego_name(problem, ego), seed=seed)
        assert advice.decision == decision
        np.testing.assert_array_equal(advice.belief, belief)

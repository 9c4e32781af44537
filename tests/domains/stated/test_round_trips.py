"""Round trips: files, problems made in Python, and episodes are equal after writing and reading."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askwise
from askwise import simulate, trace
from askwise.api import as_problem
from askwise.core.answers import AnswerModel
from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState
from askwise.core.questions import QueryCost
from askwise.domains import registry
from askwise.domains.coverage import Coverage
from askwise.domains.stated.file import ProblemFile, StatedProblem
from askwise.model import GridWorld, Model
from askwise.text.data import parse_toml, toml_text
from askwise.text.reading import Field
from tests.domains.stated.files import CONTENTS, SHORTEST, read, ward
from tests.refused import assert_refused

DOMAIN = registry.domain("problem")
PLAIN = Model.from_edges([("a", "x", "b"), ("a", "y", "c"), ("b", "z", "a")])


def again(problem: FactoredProblem) -> Any:
    """Return a problem after writing and reading it."""
    return as_problem(registry.from_json(Field("", DOMAIN.write(problem))))


def assert_same(one: FactoredProblem, two: FactoredProblem) -> None:
    """Check that two problems are the same, number for number."""
    assert (one.goals, one.start, one.groups, one.query_cost) == (two.goals, two.start, two.groups, two.query_cost)
    assert (one.teammate.actions.names, one.ego.actions.names, one.ego.actions.stay) == (
        two.teammate.actions.names,
        two.ego.actions.names,
        two.ego.actions.stay,
    )
    assert one.answers == two.answers
    assert one.prior.tolist() == two.prior.tolist()
    for mine, theirs in ((one.teammate.model, two.teammate.model), (one.ego.model, two.ego.model)):
        assert np.array_equal(mine.successor, theirs.successor)
        assert [mine.name(k) for k in range(mine.n_states)] == [theirs.name(k) for k in range(theirs.n_states)]
        assert isinstance(mine, GridWorld) == isinstance(theirs, GridWorld)
    for goal in range(len(one.goals)):
        assert one.teammate.targets(goal).tolist() == two.teammate.targets(goal).tolist()
        assert one.ego.targets(goal).tolist() == two.ego.targets(goal).tolist()
    pairs = zip(one.policies or (), two.policies or (), strict=True)
    assert all(np.array_equal(mine.probabilities, theirs.probabilities) for mine, theirs in pairs)


# -- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".json", ".toml", ".TOML"])
@pytest.mark.parametrize("data", [CONTENTS, SHORTEST], ids=["ward", "shortest"])
def test_a_file_is_written_as_it_was_read(tmp_path: Path, data: dict[str, Any], ending: str) -> None:
    file = read(data)
    file.save(tmp_path / f"a{ending}")
    loaded = registry.read_file(tmp_path / f"a{ending}")
    assert loaded == file
    assert loaded.to_json() == data
    loaded.save(tmp_path / f"b{ending}")
    assert (tmp_path / f"a{ending}").read_text() == (tmp_path / f"b{ending}").read_text()


def test_files_and_problems_can_be_sent_to_other_processes() -> None:
    file = read(CONTENTS)
    problem = file.problem()
    assert pickle.loads(pickle.dumps(file)) == file
    there = pickle.loads(pickle.dumps(problem))
    assert there == problem
    assert simulate(there, "ezq-exact", seed=1) == simulate(problem, "ezq-exact", seed=1)


def test_contents_are_a_copy() -> None:
    data = ward()
    file = read(data)
    data["goals"].clear()
    file.to_json()["goals"].clear()
    assert file.to_json() == CONTENTS


values = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=5), values, max_size=5))
def test_toml_says_the_same_as_json(data: dict[str, Any]) -> None:
    assert json.dumps(parse_toml(toml_text(data)), sort_keys=True) == json.dumps(data, sort_keys=True)


# -- problems made in Python -------------------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> Model:
    """Models with any order of states and actions, states without edges, and a name for staying."""
    n = draw(st.integers(2, 6))
    names = draw(
        st.permutations(list("abcdef"[:n]))
        | st.permutations(list(range(n)))
        | st.permutations([(k, 1 - k) for k in range(n)])
        | st.just([f"{k},{k}" for k in range(n)])
    )
    actions = draw(st.permutations(["go", "turn", "STAY", "rest"]))
    stay = draw(st.sampled_from(["STAY", "rest"]))
    moves = [name for name in actions if name != stay]
    table = np.array([[draw(st.integers(-1, n - 1)) for _ in moves] for _ in range(n)])
    own = np.arange(n)
    columns = [own if name == stay else table[:, moves.index(name)] for name in actions]
    return Model(np.column_stack(columns), states=names, actions=actions, stay=stay)


@settings(max_examples=60, deadline=None)
@given(graphs(), graphs(), st.data())
def test_problems_made_in_python_survive(teammate: Model, ego: Model, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, teammate.n_states - 1)), data.draw(st.integers(0, ego.n_states - 1))
    there = [sorted(_reachable(model, at)) for model, at in zip((teammate, ego), start, strict=True)]
    goals = data.draw(st.lists(st.sampled_from(there[0]), unique=True, min_size=1, max_size=3))
    own = [data.draw(st.lists(st.sampled_from(there[1]), min_size=1, max_size=3)) for _ in goals]
    weights = np.array([data.draw(st.integers(1, 9)) for _ in goals], dtype=np.float64)
    problem = FactoredProblem(
        [f"g {k}" for k in range(len(goals))],
        weights / weights.sum(),
        teammate,
        [[teammate.name(state)] for state in goals],
        ego,
        [[ego.name(state) for state in states] for states in own],
        (teammate.name(start[0]), ego.name(start[1])),
        QueryCost(
            0.1,
            0.3,
            data.draw(st.none() | st.just(tuple(0.1 * k for k in range(len(goals))))),
            data.draw(st.none() | st.just(0.2)),
        ),
        groups={"first": ["g 0"]},
    )
    assert_same(problem, again(problem))


def _reachable(model: Model, start: int) -> set[int]:
    found, order = {start}, [start]
    for state in order:
        for following in model.successor[state].tolist():
            if following >= 0 and following not in found:
                found.add(following)
                order.append(following)
    return found


def test_grids_are_written_as_maps() -> None:
    grid = GridWorld(4, 3, walls=[(1, 1), (2, 0)])
    problem = FactoredProblem({"g": (3, 0), "h": [(0, 2), (3, 2)]}, teammate_model=grid, start=((0, 0), (0, 1)))
    written = DOMAIN.write(problem)
    assert written["teammate"] == {"start": [0, 0], "map": ["....", ".#..", "..#."]}
    assert written["goals"]["h"] == {"teammate": [[0, 2], [3, 2]], "ego": [[0, 2], [3, 2]], "weight": 0.5}
    assert_same(problem, again(problem))


def test_policies_are_written_as_tables() -> None:
    policies = [askwise.boltzmann(PLAIN, goal, 1.0) for goal in ("b", "c")]
    problem = FactoredProblem({"g": "b", "h": "c"}, teammate_model=PLAIN, start=("a", "a"), teammate_policies=policies)
    written = DOMAIN.write(problem)
    assert written["teammate"]["policy"]["table"][0] == ["g", "a", "x", 1.0]
    assert_same(problem, again(problem))


def test_numbers_of_states_and_actions_are_kept() -> None:
    model = Model([[-1, 2], [-1, -1], [1, -1]], actions=["late", "first"])
    problem = FactoredProblem({"g": 1}, teammate_model=model, start=(0, 0))
    side = DOMAIN.write(problem)["teammate"]
    assert (side["states"], side["actions"]) == ([0, 1, 2], ["late", "first", "STAY"])
    named = FactoredProblem({"g": "c"}, teammate_model=PLAIN, start=("a", "a"))
    assert set(DOMAIN.write(named)["teammate"]) == {"start", "edges"}, "where the edges say it already"


NOISY = AnswerModel(wrong=0.1, refused=0.2, errors="persistent")


def test_answers_and_prices_of_choices_are_written() -> None:
    """Answers used to be lost."""
    assert_same(again(_with(answers=NOISY)), _with(answers=NOISY))
    assert "answers" not in DOMAIN.write(_with())
    stated = read(ward()).problem().with_answers(NOISY)
    assert_same(again(stated), stated)
    priced = _with(query_cost=QueryCost(0.1, 0.2, per_option=0.3))
    assert_same(again(priced), priced)


def _with(**given: Any) -> FactoredProblem:
    return FactoredProblem(**{"goals": {"g": "b"}, "teammate_model": PLAIN, "start": ("a", "a"), **given})


class Discount(QueryCost):
    """Charges something else."""


class Evasive(AnswerModel):
    """Answers in its own way."""


ODD = Model.from_edges([("a", "x", ("b", "c"))])
NUMBERED = Model.from_edges([("a", 1, "b")])
LONG = Model.from_edges([("a", "x" * 300, "b")])
HELD = "a file of askwise/problem@1 holds no other"


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            _with(query_cost=lambda asked: 1.0),  # noqa: ARG005
            f"query_cost: found a AnyPrice; expected QueryCost(base, per_goal, prices): {HELD} prices",
        ),
        (
            _with(query_cost=Discount()),
            f"query_cost: found a Discount; expected QueryCost(base, per_goal, prices): {HELD} prices",
        ),
        (
            _with(answers=Evasive(wrong=0.1)),
            "answers: found Evasive; "
            "expected an AnswerModel with errors and refusals only: files hold no other answers",
        ),
        (
            _with(ego_moves=["x"]),
            f"ego_moves: found some of the actions; expected all actions but waiting: {HELD} moves",
        ),
        (
            _with(teammate_model=ODD, goals={"g": [("b", "c")]}),
            "teammate_model: found a state named ('b', 'c'); "
            "expected states named by texts, whole numbers or cells (x, y)",
        ),
        (_with(teammate_model=NUMBERED), "teammate_model: found an action named 1; expected actions named by texts"),
        (
            _with(teammate_model=LONG),
            f'teammate.edges[0][1]: found a name of 300 characters, "{"x" * 56}...; expected at most 200',
        ),
    ],
)
def test_what_a_file_cannot_hold_is_refused(problem: FactoredProblem, message: str) -> None:
    assert_refused(lambda: DOMAIN.write(problem), message)


# -- episodes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["never", "baseline", "ezq-exact", "planner"])
def test_traces(tmp_path: Path, method: str) -> None:
    episode = simulate(read(CONTENTS), method, seed=3)
    trace.save(episode, tmp_path / "episode.json")
    assert trace.load(tmp_path / "episode.json") == episode
    written = json.loads((tmp_path / "episode.json").read_text())
    assert written["instance"] == CONTENTS
    assert written["steps"][0]["teammate"] == "desk"
    assert written["steps"][0]["ego"] == [2, 0]
    assert "teammate_action" in written["steps"][0], "keys are the domain's, whatever the file calls its teammate"


def test_traces_of_a_problem_made_in_python(tmp_path: Path) -> None:
    for problem in (
        _with(goals={"g": "b", "h": "c"}),
        FactoredProblem({"g": (2, 0), "h": (0, 1)}, teammate_model=GridWorld(3, 2), start=((0, 0), (1, 0))),
    ):
        episode = simulate(problem, "ezq-exact", seed=1)
        trace.save(episode, tmp_path / "episode.json")
        loaded = trace.load(tmp_path / "episode.json")
        assert (loaded.steps, loaded.final, loaded.cost) == (episode.steps, episode.final, episode.cost)
        assert isinstance(loaded.problem, StatedProblem)
        assert trace.to_json(loaded) == trace.to_json(episode)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"teammate": "attic", "ego": [0, 0]}, "final.teammate: found 'attic'; expected one of 'desk', 'hall', "),
        ({"teammate": True, "ego": [0, 0]}, "final.teammate: found true; expected a state: a text, "),
        ({"teammate": "desk", "ego": 3}, "final.ego: found 3; expected a cell [x, y] with x from 0 to 4 "),
        ({"teammate": "desk", "ego": [4, 1]}, "final.ego: found (4, 1), a wall; expected a free cell"),
    ],
)
def test_places_that_are_none(state: dict[str, Any], message: str) -> None:
    data = trace.to_json(simulate(read(CONTENTS), "never", seed=3))
    data["final"] = state
    with pytest.raises(askwise.InputError) as caught:
        trace.from_json(data)
    assert str(caught.value).startswith(message)


def test_states_by_name() -> None:
    problem = ProblemFile.from_json(CONTENTS).problem()
    state = JointState(2, 4)
    written = trace.state_to_json(DOMAIN, problem, state)
    assert written == {"teammate": "room 1", "ego": [4, 0]}
    assert trace.state_from_json(DOMAIN, problem, Field("", written)) == state


# -- coverage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "problem",
    [
        Coverage("A.#B\nW..F\nC..."),
        Coverage("A.#B\nW..F\nC...", prior=[1, 2, 4], query_cost=QueryCost(0.1, 0.2, (0.3, 0.4, 0.5))),
        Coverage("1A\nWF\n1B", prior=[0.1, 0.7, 0.2]),
        Coverage("A.#B\nW..F\nC...", query_cost=QueryCost(0.1, 0.2, per_option=0.05)),
    ],
)
def test_coverage_survives(tmp_path: Path, problem: Coverage) -> None:
    written = DOMAIN.write(problem)
    assert written["format"] == "askwise/problem@1"
    assert_same(problem, again(problem))
    episode = simulate(again(problem), "ezq-exact", seed=2)
    trace.save(episode, tmp_path / "episode.json")
    assert trace.load(tmp_path / "episode.json") == episode

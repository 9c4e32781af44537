"""Problem files in both formats: their meaning, and the defaults of optional keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askwise
from askwise import simulate
from askwise.api import as_problem
from askwise.core.answers import AnswerModel
from askwise.core.questions import QueryCost
from askwise.domains import registry
from askwise.domains.stated.file import ProblemFile
from askwise.domains.stated.reader import StatedGoal
from askwise.domains.stated.sides import DrawnMap, Graph
from askwise.model import GridWorld
from tests.domains.stated.files import CONTENTS, SHORTEST, WARD, WARD_JSON, read, ward

# -- the example -------------------------------------------------------------------------------------------------


@pytest.fixture
def stated() -> ProblemFile:
    return read(CONTENTS)


def test_both_formats_state_the_same(tmp_path: Path, stated: ProblemFile) -> None:
    (tmp_path / "ward.toml").write_text(WARD)
    (tmp_path / "ward.json").write_text(WARD_JSON)
    (tmp_path / "ward.problem").write_text(WARD)
    for found in (
        ProblemFile.load(tmp_path / "ward.toml"),
        ProblemFile.load(tmp_path / "ward.json"),
        registry.read_file(tmp_path / "ward.toml"),
        registry.read_file(str(tmp_path / "ward.json")),
        registry.read_file(tmp_path / "ward.problem"),
        registry.read(WARD),
        registry.read(WARD_JSON),
    ):
        assert found == stated
        assert found.to_json() == CONTENTS


def test_what_is_stated(stated: ProblemFile) -> None:
    assert isinstance(stated.teammate, Graph)
    assert isinstance(stated.ego, DrawnMap)
    assert stated.teammate.states == ("desk", "hall", "room 1", "room 2")
    assert stated.teammate.actions == ("go", "left", "right")
    assert (stated.teammate.start, stated.ego.start) == ("desk", (2, 0))
    assert stated.ego.letters == {"A": ((0, 1),), "B": ((4, 0),), "F": ((2, 0),)}
    assert stated.goals == {
        "to room 1": StatedGoal(("room 1",), ((0, 1),), 2.0, 0.3),
        "to room 2": StatedGoal(("room 2",), ((4, 0),)),
    }
    assert stated.prices == QueryCost(0.5, 0.1, per_option=0.2)
    assert stated.answers == AnswerModel()
    assert stated.groups == {"all": ("to room 1", "to room 2")}
    assert (stated.words.title, stated.words.teammate, stated.words.ego) == ("ward", "nurse", "robot")
    assert (stated.words.goals, stated.words.teammate_sign, stated.words.ego_sign) == ("errands", "N", "R")


def test_the_problem(stated: ProblemFile) -> None:
    problem = stated.problem()
    assert problem.goals == ("to room 1", "to room 2")
    assert problem.prior.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert problem.query_cost == QueryCost(0.5, 0.1, (0.3, 0.1), 0.2)
    assert problem.query_cost([0, 1]) == pytest.approx(0.9)
    assert problem.teammate.actions.names == ("go", "left", "right", "STAY")
    assert problem.ego.actions.names == ("NORTH", "EAST", "SOUTH", "WEST", "STAY")
    assert problem.groups == {"all": (0, 1)}
    assert problem.policies is None
    assert problem.ego.targets(1).tolist() == [problem.ego.model.state((4, 0))]
    assert problem == stated.problem()
    assert problem != read(SHORTEST).problem()
    assert problem != 3


def test_everything_that_takes_a_problem_takes_the_path_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ward.toml"
    path.write_text(WARD)
    assert askwise.ask(path, "ezq-exact", teammate_at="hall").ask == ("to room 2",)
    assert simulate(path, "never", goal="to room 1", seed=1).finished
    assert askwise.solve(str(path)).expected_marginal_cost == pytest.approx(0.6)
    assert askwise.ProblemFile is ProblemFile


# -- what may be left out, and other ways to say it ---------------------------------------------------------------


def test_the_shortest_file() -> None:
    stated = read(SHORTEST)
    assert (stated.name, stated.groups, stated.prices, stated.answers) == ("", {}, QueryCost(), AnswerModel())
    assert stated.words.title == "Two agents"
    problem = stated.problem()
    assert problem.prior.tolist() == [1.0]
    assert problem.query_cost == QueryCost(0.5, 0.0)
    assert simulate(problem, "ezq", seed=1).cost == 2


def test_truthful_answers_may_be_said_in_full() -> None:
    assert read(ward(answers={"errors": "persistent"})).answers == AnswerModel(errors="persistent")
    assert read(ward(answers={})).answers == AnswerModel()


def test_answers_as_people_give_them() -> None:
    given = {"wrong": 0.05, "refused": 0.1, "errors": "persistent"}
    stated = read(ward(answers=given))
    assert stated.problem().answers == stated.answers == AnswerModel(0.05, 0.1, "persistent")


@pytest.mark.parametrize(
    "drawn",
    ["A...#\n..F.B", "\n\n  A...#  \n  ..F.B\n\n", ["A...#", "..F.B"], ["  A...#", "..F.B  "]],
)
def test_a_map_is_a_text_or_a_list_of_lines(drawn: Any) -> None:
    ego = read(ward(ego__map=drawn)).ego
    assert isinstance(ego, DrawnMap)
    assert ego.lines == ("A...#", "..F.B")
    assert ego.model.walls.tolist() == [[False] * 5, [False] * 4 + [True]]


def test_a_letter_may_be_on_several_cells_and_targets_may_be_mixed() -> None:
    data = ward(ego__map=["AA.", "F.B"])
    data["goals"]["to room 2"]["ego"] = ["B", [2, 1]]
    goals = read(data).goals
    assert goals["to room 1"].ego == ((0, 1), (1, 1))
    assert goals["to room 2"].ego == ((2, 0), (2, 1))
    assert read(ward(ego__start=[0, 0])).ego.start == (0, 0)


def test_letters_of_other_scripts() -> None:
    data = ward(ego__map="é..ß", ego__start="é")
    data["goals"] = {"to room 1": {"teammate": "room 1", "ego": "ß"}}
    data["groups"] = {}
    assert read(data).goals["to room 1"].ego == ((3, 0),)


@pytest.mark.parametrize("pair", [(1, 2), ([0, 1], [3, 4])])
def test_states_may_be_numbers_or_cells(pair: tuple[Any, Any]) -> None:
    first, second = pair
    data = ward(teammate={"start": first, "edges": [[first, "go", second], [first, "off", "away"]]}, groups={})
    data["goals"] = {"g": {"teammate": second, "ego": "A"}, "h": {"teammate": ["away"], "ego": "B"}}
    problem = read(data).problem()
    assert problem.teammate.model.name(1) == (tuple(second) if isinstance(second, list) else second)
    assert problem.teammate.targets(0).tolist() == [1]
    assert simulate(problem, "ezq", goal="g", seed=1).finished


def test_two_numbers_are_two_states_and_a_cell_is_one() -> None:
    edges = [[3, "a", 4], [3, "b", 5], [3, "c", "x"]]
    data = ward(teammate={"start": 3, "edges": edges}, groups={})
    data["goals"] = {"g": {"teammate": [4, 5], "ego": "A"}, "h": {"teammate": "x", "ego": "B"}}
    assert read(data).goals["g"].teammate == (4, 5)
    data["teammate"] = {"start": [3, 3], "edges": [[[3, 3], "a", [4, 5]], [[3, 3], "c", "x"]]}
    assert read(data).goals["g"].teammate == ((4, 5),)


def test_listed_states_and_actions_are_numbered_in_that_order() -> None:
    data = ward(teammate__states=["room 2", "attic"], teammate__actions=["STAY", "right"])
    model = read(data).teammate.model
    assert [model.name(k) for k in range(model.n_states)] == ["room 2", "attic", "desk", "hall", "room 1"]
    assert (model.actions, model.stay) == (("STAY", "right", "go", "left"), 0)
    assert model.successor[:, 0].tolist() == list(range(5))


def test_staying_may_have_another_name_and_edges() -> None:
    data = ward(teammate__stay="rest")
    data["teammate"]["edges"] += [["hall", "rest", "hall"], ["hall", "STAY", "desk"]]
    model = read(data).teammate.model
    assert model.actions == ("go", "left", "right", "STAY", "rest")
    assert model.actions[model.stay] == "rest"


def test_both_on_one_ground_share_its_model() -> None:
    data = ward(teammate={"start": [0, 0], "map": ["..X", "..Y"]}, ego={"start": "S", "map": "..Z\nS.."}, groups={})
    data["goals"] = {"g": {"teammate": "X", "ego": "Z"}, "h": {"teammate": "Y", "ego": "S"}}
    problem = read(data).problem()
    assert isinstance(problem.teammate.model, GridWorld)
    assert problem.teammate.model is problem.ego.model
    data["ego"]["map"] = "..Z\nS.#"
    assert read(data).problem().teammate.model is not read(data).problem().ego.model
    data["ego"] = data["teammate"] = {"start": "a", "edges": [["a", "x", "b"], ["a", "y", "c"]]}
    data["goals"] = {"g": {"teammate": "b", "ego": "c"}, "h": {"teammate": "c", "ego": "b"}}
    problem = read(data).problem()
    assert problem.teammate.model is problem.ego.model


def test_weights_that_are_probabilities_stay_as_they_are() -> None:
    shares = [0.1, 0.7, 0.2]
    data = ward(groups={})
    data["teammate"]["edges"].append(["hall", "on", "room 3"])
    data["goals"] = {
        f"g{k}": {"teammate": f"room {k + 1}", "ego": "A", "weight": share} for k, share in enumerate(shares)
    }
    assert read(data).problem().prior.tolist() == shares


def test_huge_weights_and_weight_0() -> None:
    data = ward(groups={})
    data["goals"]["to room 1"]["weight"] = 1e308
    data["goals"]["to room 2"]["weight"] = 1.5e308
    assert read(data).prior.tolist() == pytest.approx([0.4, 0.6])
    data["goals"]["to room 2"]["weight"] = 0
    assert read(data).prior.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("words", "signs"),
    [
        ({"teammate": "nurse", "ego": "nun"}, ("T", "E")),
        ({"teammate": "ärztin"}, ("T", "E")),
        ({"teammate": "nurse"}, ("N", "E")),
    ],
)
def test_signs_are_first_letters_that_differ(words: dict[str, str], signs: tuple[str, str]) -> None:
    found = read(ward(words=words)).words
    assert (found.teammate_sign, found.ego_sign) == signs


# -- how the teammate walks --------------------------------------------------------------------------------------

BOTH_WAYS = {
    "start": "desk",
    "edges": [
        ["desk", "go", "hall"],
        ["hall", "back", "desk"],
        ["hall", "left", "room 1"],
        ["hall", "right", "room 2"],
        ["room 1", "out", "hall"],
        ["room 2", "out", "hall"],
    ],
}
"""A ward in which the teammate can go back."""


def walking(policy: Any) -> dict[str, Any]:
    return ward(teammate={**BOTH_WAYS, "policy": policy})


def test_kinds_of_policies() -> None:
    assert read(walking("urop")).problem().policies is None
    model = read(walking("urop")).teammate.model
    expected: dict[str, Any] = {
        "uniform": lambda goal: askwise.uniform_optimal(model, goal),
        "boltzmann": lambda goal: askwise.boltzmann(model, goal, 1.5),
        "noisy": lambda goal: askwise.urop(model, goal).soften(0.2),
    }
    given: dict[str, Any] = {"uniform": "uniform", "boltzmann": {"boltzmann": 1.5}, "noisy": {"noisy": 0.2}}
    for kind, make in expected.items():
        problem = read(walking(given[kind])).problem()
        assert problem.policies is not None
        for goal, policy in zip(("room 1", "room 2"), problem.policies, strict=True):
            assert np.array_equal(policy.probabilities, make(goal).probabilities)
        assert simulate(problem, "ezq", seed=3).teammate == "policy"


ROWS = [
    ["to room 1", "desk", "go", 1],
    ["to room 1", "hall", "back", 0.25],
    ["to room 1", "hall", "left", 0.75],
    ["to room 2", "desk", "go", 1.0],
    ["to room 2", "hall", "right", 1.0],
]


def test_a_table_of_rows() -> None:
    problem = read(walking({"table": ROWS})).problem()
    assert problem.policies is not None
    first, second = problem.policies
    assert first.at("hall") == {"back": 0.25, "left": 0.75}
    assert second.at("hall") == {"right": 1.0}
    assert first.at("room 1") == {"STAY": 1.0}, "where nothing is said of its target it stays there"
    assert not first.defined[problem.teammate.model.state("room 2")]


@pytest.mark.parametrize("head", ["", "goal,state,action,probability\n"])
def test_a_table_in_a_file_becomes_part_of_the_contents(tmp_path: Path, head: str) -> None:
    rows = "".join(f"{goal}, {state}, {action}, {share}\n" for goal, state, action, share in ROWS)
    (tmp_path / "ways.csv").write_text(f"{head}{rows}\n")
    file = ProblemFile.from_json(walking({"table": ROWS}))
    ProblemFile.from_json(walking("uniform")).save(tmp_path / "ward.toml")
    text = (tmp_path / "ward.toml").read_text().replace('policy = "uniform"', 'policy = {table = "ways.csv"}')
    (tmp_path / "ward.toml").write_text(text)
    loaded = registry.read_file(tmp_path / "ward.toml")
    assert loaded.policy == file.policy
    assert loaded.to_json() == walking({"table": ROWS})
    assert loaded.problem() == file.problem()


def test_cells_in_a_table(tmp_path: Path) -> None:
    (tmp_path / "ways.csv").write_text('g,"0,0",EAST,1\ng,S,EAST,1\nh,"0,0",EAST,1\nh,"1,0",NORTH,1\nh,"1,1",EAST,1\n')
    data = {
        "format": "askwise/problem@1",
        "teammate": {"start": [0, 0], "map": ["..h", ".Sg"], "policy": {"table": "ways.csv"}},
        "ego": {"start": [0, 0], "map": ["..h", "..g"]},
        "goals": {"g": {"teammate": "g", "ego": "g"}, "h": {"teammate": "h", "ego": "h"}},
    }
    (tmp_path / "map.json").write_text(json.dumps(data))
    problem = as_problem(tmp_path / "map.json")
    assert problem.policies is not None
    assert problem.policies[1].at((1, 0)) == {"NORTH": 1.0}
    assert simulate(problem, "never", goal="h", seed=1).finished

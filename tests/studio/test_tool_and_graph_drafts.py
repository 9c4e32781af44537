"""Explore for tool fetching and graphs: results compared with the library's functions, and refusals."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askwise import ask
from askwise.api import as_problem
from askwise.core.problem import joint_state
from askwise.designs.design import design
from askwise.divergence import edp
from askwise.domains.registry import read_file
from askwise.domains.stated.file import ProblemFile
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.errors import InputError
from askwise.studio.explore.draft import TAKES
from askwise.studio.explore.explore_api import answer_request
from tests.studio.test_explore_api import mutated, refused

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def drafted(name: str) -> dict[str, Any]:
    """Return the draft of an example."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    found: dict[str, Any] = answer_request("read", {"text": text})["sketch"]
    return found


def workshop() -> dict[str, Any]:
    return drafted("workshop.json")


def ward() -> dict[str, Any]:
    return drafted("ward.toml")


def follow(sketch: dict[str, Any], pair: list[int] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = answer_request("follow", {"sketch": sketch, "method": "ezq", "pair": pair})
    json.dumps(found, allow_nan=False)
    return found


def saved(sketch: dict[str, Any], folder: Path) -> Path:
    """Save a draft; return the file."""
    found = answer_request("file", {"sketch": sketch})
    path = folder / str(found["name"])
    path.write_text(found["text"], encoding="utf-8")
    return path


# -- tool fetching -------------------------------------------------------------------------------------------------


def test_an_instance_becomes_a_draft_and_the_draft_the_same_instance(tmp_path: Path) -> None:
    sketch = workshop()
    path = saved(sketch, tmp_path)
    assert path.name == "explored.json"
    again = read_file(path)
    assert again == Instance.load(EXAMPLES / "workshop.json")
    assert (len(sketch["goals"]), sketch["goals"][8]["box"], sketch["prior"]["kind"]) == (12, "T1", "far")


@pytest.mark.parametrize("holding", [None, "S9"])
def test_what_follows_from_tool_fetching_is_what_ask_says(holding: str | None) -> None:
    sketch = workshop()
    sketch["teammate"]["now"], sketch["ego"]["now"], sketch["ego"]["holding"] = [6, 1], [5, 5], holding
    found = follow(sketch, [8, 10])
    problem = ToolFetching(Instance.load(EXAMPLES / "workshop.json"))
    advice = ask(problem, "ezq", teammate_at=(6, 1), ego_at=(5, 5) if holding is None else ((5, 5), holding))
    assert advice.belief is not None
    assert (found["belief"], found["why"]) == (advice.belief.tolist(), advice.why)
    assert found["prior"] == pytest.approx(problem.prior.tolist(), rel=1e-3)
    grid, stations = problem.grid, [station.at for station in problem.instance.stations.values()]
    for cell in ((0, 0), (6, 1), (11, 5)):
        expected = edp(grid, stations[10], stations[8], cell).value
        assert found["pair"]["heat"][cell[1]][cell[0]] == pytest.approx(expected, abs=1e-5)
    assert found["pair"]["heat"][0][11] is None, "a wall"
    edps, wcds = problem.teammate.divergence(advice.state.teammate)
    assert found["edp"][10][8] == pytest.approx(edps[10, 8], abs=1e-5)
    assert {zone["name"]: zone["to"] for zone in found["pair"]["zones"]}["Z_I"] == wcds[10, 8]


def test_stations_toolboxes_walls_and_weights_are_saved(tmp_path: Path) -> None:
    sketch = workshop()
    sketch["boxes"].append({"name": "T4", "at": [0, 0]})
    sketch["goals"][0] |= {"box": "T4", "teammate": [[2, 0]], "name": "bench"}
    sketch["walls"][-1] = sketch["walls"][-1][:9] + "#" + sketch["walls"][-1][10:]
    sketch["prior"] = None
    for goal in sketch["goals"]:
        goal["weight"] = 2 if goal["name"] == "bench" else 1
    sketch["query_cost"] = {"base": 3, "per_goal": 0.25}
    instance = Instance.load(saved(sketch, tmp_path))
    assert (instance.stations["bench"].at, instance.stations["bench"].toolbox) == ((2, 0), "T4")
    assert (9, 0) in instance.walls
    assert (instance.query_cost.base, instance.query_cost.per_goal) == (3, 0.25)
    assert as_problem(instance).prior[0] == pytest.approx(2 / 13)
    assert answer_request("read", {"text": saved(sketch, tmp_path).read_text(encoding="utf-8")})["sketch"] == sketch


def test_suggested_walls_of_tool_fetching_are_those_of_design() -> None:
    wanted = {"minimise": "edp", "most": 1, "budget": 2}
    found = answer_request("suggest", {"sketch": workshop(), "design": wanted})
    expected = design(str(EXAMPLES / "workshop.json"), 1, minimise="edp", budget=2)
    assert [tuple(cell) for cell in found["things"]] == list(expected.forbidden)


def set_in(sketch: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    holder: Any = sketch
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("teammate", "now"), [11, 0], "teammate.now: found [11, 0], which is a wall; expected a free cell"),
        (("ego", "holding"), "S99", 'ego.holding: found "S99"; expected one of'),
        (("goals", 0, "box"), "T9", 'stations.S1.toolbox: found "T9"; expected one of '),
        (("goals", 0, "teammate"), [], "goals[0].teammate: found []; expected one cell"),
        (("goals", 1, "teammate"), [[1, 5]], 'stations.S2.at: found [1, 5], a target of goal "S1" already; expected'),
        (("boxes", 1, "name"), "T1", 'boxes[1].name: found "T1"; expected names that differ'),
        (("prior",), None, "prior.S1: found null; expected a finite number from 0"),
        (("kind",), "boat", 'kind: found "boat"; expected one of '),
    ],
)
def test_a_complaint_about_tool_fetching_names_the_field(path: tuple[Any, ...], value: Any, message: str) -> None:
    sketch = workshop()
    set_in(sketch, path, value)
    assert refused("follow", {"sketch": sketch, "method": "ezq", "pair": None}).startswith(message)


def test_what_is_too_large_is_refused() -> None:
    contents = json.loads((EXAMPLES / "workshop.json").read_text(encoding="utf-8"))
    wide = json.dumps({**contents, "width": 31})
    assert refused("read", {"text": wide}) == f"width, height: found 31 x 12 cells; expected {TAKES}"


# -- graphs --------------------------------------------------------------------------------------------------------


def test_a_graph_becomes_a_draft_and_the_draft_the_same_problem(tmp_path: Path) -> None:
    sketch = ward()
    stated = ProblemFile.load(EXAMPLES / "ward.toml")
    again = ProblemFile.load(saved(sketch, tmp_path))
    assert (dict(again.goals), again.prices, again.words) == (dict(stated.goals), stated.prices, stated.words)
    text = saved(sketch, tmp_path).read_text(encoding="utf-8")
    assert answer_request("read", {"text": text})["sketch"] == sketch
    sketch["teammate"]["now"], sketch["ego"]["now"] = "corridor 1", "upper hall"
    assert saved(sketch, tmp_path).read_text(encoding="utf-8") == text, "a file says where both start"


def test_what_follows_from_a_graph_is_what_ask_says() -> None:
    sketch = ward()
    sketch["teammate"]["now"], sketch["ego"]["now"] = "corridor 2", "upper hall"
    found = follow(sketch, [2, 4])
    problem = as_problem(EXAMPLES / "ward.toml")
    advice = ask(problem, "ezq", teammate_at="corridor 2", ego_at="upper hall")
    assert advice.belief is not None
    assert (found["belief"], found["why"]) == (advice.belief.tolist(), advice.why)
    states, heat = found["states"][0], found["pair"]["heat"]
    model = problem.teammate.model
    for state in ("desk", "corridor 2", "room 5"):
        expected = edp(model, "room 5", "room 3", state).value
        assert heat[states.index(state)] == pytest.approx(expected, abs=1e-5)
    assert [len(ground["nodes"]) for ground in found["grounds"]] == [len(each) for each in found["states"]] == [10, 9]


def closed(sketch: dict[str, Any], who: str, one: str, other: str) -> dict[str, Any]:
    """Return the draft with the path between two states closed."""
    made = copy.deepcopy(sketch)
    made[who]["closed"] = [k for k, (a, _, b) in enumerate(made[who]["edges"]) if {a, b} == {one, other}]
    assert len(made[who]["closed"]) == 2
    return made


def test_a_closed_way_is_not_in_the_problem_but_stays_on_the_page(tmp_path: Path) -> None:
    sketch = ward()
    sketch["ego"]["edges"] += [["laboratory", "through", "cold store"], ["cold store", "through", "laboratory"]]
    shut = closed(sketch, "ego", "laboratory", "cold store")
    found, before = follow(shut), follow(sketch)
    assert found["grounds"] == before["grounds"], "nothing moves on the page"
    assert found["why"] == follow(ward())["why"]
    problem = as_problem(ProblemFile.load(saved(shut, tmp_path)))
    assert (
        problem.ego.next(joint_state(problem, None, "laboratory").ego, problem.ego.actions.names.index("through")) < 0
    )


def test_a_graph_that_does_not_hold_together_is_drawn_all_the_same() -> None:
    shut = closed(ward(), "teammate", "corridor 1", "room 1")
    found = answer_request("follow", {"sketch": shut, "method": "ezq", "pair": None})
    assert found["refused"].startswith("goals.pills for Ada.teammate: found no way to it")
    assert len(found["grounds"]) == 2
    nowhere = ward()
    nowhere["teammate"]["now"] = "roof"
    found = answer_request("follow", {"sketch": nowhere, "method": "ezq", "pair": None})
    assert found["refused"].startswith('teammate.now: found "roof"; expected a state of the graph')
    nowhere["teammate"]["edges"] = "none"
    refused("follow", {"sketch": nowhere, "method": "ezq", "pair": None})


def test_large_graphs_are_refused() -> None:
    side = {"start": "0", "edges": [[str(k), "on", str(k + 1)] for k in range(60)]}
    goals = {"end": {"teammate": "60", "ego": "60"}}
    text = json.dumps({"format": "askwise/problem@1", "teammate": side, "ego": side, "goals": goals})
    assert refused("read", {"text": text}) == f"teammate: found a graph of 61 states; expected {TAKES}"


# -- whatever comes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [workshop, ward])
def test_malformed_drafts_are_refused_in_words_or_hold_together(whole: Callable[[], dict[str, Any]]) -> None:
    chance, good = random.Random(18), whole()
    outcomes = {"refused": 0, "fine": 0}
    for k in range(200):
        given = {"sketch": mutated(chance, good)}
        try:
            if k % 10 == 0:
                answer_request("follow", {**given, "method": "ezq", "pair": None})
            else:
                answer_request("file", given)
            outcomes["fine"] += 1
        except InputError:  # anything else would be a fault of ours
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 5, outcomes

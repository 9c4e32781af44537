"""The results and refusals of the Explore page for maps, compared with the library's functions."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from askwise import ask
from askwise.core.side import ModelSide
from askwise.designs.design import design
from askwise.divergence import edp, zones
from askwise.domains.stated.file import ProblemFile
from askwise.errors import InputError
from askwise.studio import explore_routes
from askwise.studio.explore.draft import TAKES, MapDraft, read_map
from askwise.studio.explore.explore_api import METHODS, answer_request, draft_from_file
from askwise.studio.security import Person
from askwise.text.reading import Field

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KITCHEN = (EXAMPLES / "kitchen.toml").read_text(encoding="utf-8")


def kitchen(**changes: Any) -> dict[str, Any]:
    sketch: dict[str, Any] = draft_from_file(KITCHEN).to_json()
    return {**sketch, **changes}


def follow(sketch: dict[str, Any], method: str = "ezq", pair: list[int] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = answer_request("follow", {"sketch": sketch, "method": method, "pair": pair})
    json.dumps(found, allow_nan=False)
    return found


def refused(what: str, given: Any) -> str:
    with pytest.raises(InputError) as error:
        answer_request(what, given)
    return str(error.value)


# -- files ---------------------------------------------------------------------------------------------------------


def test_a_file_becomes_a_sketch_and_the_sketch_the_same_problem() -> None:
    sketch = draft_from_file(KITCHEN)
    assert isinstance(sketch, MapDraft)
    stated = ProblemFile.load(EXAMPLES / "kitchen.toml")
    for name, goal in stated.goals.items():
        assert sketch.file.goals[name] == goal
    assert (sketch.file.prices, sketch.file.words, sketch.file.name) == (stated.prices, stated.words, stated.name)
    assert (sketch.teammate, sketch.ego) == (stated.teammate.start, stated.ego.start)
    assert sketch.file.to_json()["teammate"]["map"] == sketch.to_json()["walls"]


def test_what_is_saved_is_a_problem_file_and_is_loaded_with_all_that_was_drawn(tmp_path: Path) -> None:
    sketch = kitchen(answers={"wrong": 0.1}, groups={"hot": ["soup", "pie"]})
    sketch["walls"][0] = ".....#...#."
    text = answer_request("file", {"sketch": sketch})["text"]
    (tmp_path / "saved.toml").write_text(text, encoding="utf-8")
    saved = ProblemFile.load(tmp_path / "saved.toml")
    assert (saved.answers.wrong, dict(saved.groups)) == (0.1, {"hot": ("soup", "pie")})
    assert text.startswith("format = ")
    assert answer_request("read", {"text": text})["sketch"] == sketch
    away = {**sketch, "teammate": {**sketch["teammate"], "now": [3, 2]}}
    assert answer_request("file", {"sketch": away})["text"] == text, "a file says where both start"


def test_other_files_are_refused_with_what_explore_takes() -> None:
    other_walls = KITCHEN.replace("g....#.....", "g..........")
    assert refused("read", {"text": other_walls}) == (
        f"ego.map: found walls that differ from the teammate's; expected {TAKES}"
    )
    policy = KITCHEN.replace('start = "C" ', 'policy = "uniform"\nstart = "C" ')
    assert (
        refused("read", {"text": policy})
        == f"teammate.policy: found another policy than shortest paths; expected {TAKES}"
    )
    assert refused("read", {"text": one_row(31, 2)}) == f"teammate.map: found 31 x 1 cells; expected {TAKES}"
    assert refused("read", {"text": one_row(30, 31)}) == f"goals: found 31 goals; expected {TAKES}"
    assert len(answer_request("read", {"text": one_row(30, 2)})["sketch"]["walls"][0]) == 30


def one_row(width: int, goals: int) -> str:
    """Return a file with a map of one row, in which several goals have the same target of the ego agent."""
    side = {"start": [0, 0], "map": ["." * width]}
    placed = {f"g{k}": {"teammate": [[k, 0]] if k < width else [[0, 0]], "ego": [[1, 0]]} for k in range(goals)}
    if goals > width:
        side = {"start": [0, 0], "map": ["." * width, "." * width]}
        placed |= {f"g{k}": {"teammate": [[k - width, 1]], "ego": [[1, 0]]} for k in range(width, goals)}
    return json.dumps({"format": "askwise/problem@1", "teammate": side, "ego": side, "goals": placed})


# -- what follows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("now", [[2, 2], [3, 2], [3, 1]])
def test_belief_and_advice_are_those_of_ask(now: list[int]) -> None:
    sketch = kitchen()
    sketch["teammate"]["now"] = now
    sketch["ego"]["now"] = [5, 3]
    found = follow(sketch)
    advice = ask(str(EXAMPLES / "kitchen.toml"), "ezq", teammate_at=tuple(now))
    assert advice.belief is not None
    assert found["belief"] == advice.belief.tolist()
    assert found["why"] == advice.why
    names = [goal["name"] for goal in sketch["goals"]]
    assert tuple(names[k] for k in found["asked"]) == (advice.ask or ())
    assert [tuple(pair["goals"]) for pair in found["pairs"]] == [
        (pair.first, pair.second) for pair in advice.decision.pairs
    ]
    assert found["robust"] is False


def test_edp_zones_and_heat_are_those_of_the_plain_functions() -> None:
    sketch = kitchen()
    sketch["teammate"]["now"] = [1, 3]
    found = follow(sketch, pair=[4, 1])
    problem = read_map(Field("", sketch)).file.problem()
    grid = problem.teammate.model
    targets = [[tuple(cell) for cell in goal["teammate"]] for goal in sketch["goals"]]
    for i in range(len(targets)):
        for j in range(len(targets)):
            if i != j:
                assert found["edp"][i][j] == pytest.approx(edp(grid, targets[i], targets[j], (1, 3)).value, abs=1e-5)
    expected = zones(
        *(side.family for side in (problem.teammate, problem.ego) if isinstance(side, ModelSide)),
        teammate_at=(1, 3), ego_at=(5, 3), truth=4, other=1,
    )  # fmt: skip
    assert {zone["name"]: zone["text"] for zone in found["pair"]["zones"]} == {
        name: str(zone) for name, zone in expected.named().items()
    }
    heat = found["pair"]["heat"]
    assert heat[0][5] is None  # a wall
    for cell in ((0, 0), (4, 5), (6, 3), (10, 5)):
        assert heat[cell[1]][cell[0]] == pytest.approx(edp(grid, targets[1], targets[4], cell).value, abs=1e-5)


def test_where_no_goal_explains_the_way_detours_are_allowed_for() -> None:
    sketch = kitchen()
    sketch["teammate"]["now"] = [3, 4]
    found = follow(sketch)
    assert (found["explained"], found["robust"]) == ({"by": 0, "of": 6}, True)
    assert sum(found["belief"]) == pytest.approx(1)


def test_prior_prices_and_walls_matter() -> None:
    before = follow(kitchen())
    dear = follow(kitchen(query_cost={"base": 50, "per_goal": 0, "per_option": None}))
    assert before["asked"]
    assert not dear["asked"]
    weighty = kitchen()
    weighty["goals"][1]["weight"] = 63
    assert follow(weighty)["belief"][1] == pytest.approx(0.9)
    walled = kitchen()
    walled["walls"][0] = "#####" + walled["walls"][0][5:]
    assert refused("follow", {"sketch": walled, "method": "ezq", "pair": None}) == (
        "goals.soup.teammate[0]: found [0, 5], which is a wall; expected a free cell"
    )


def test_one_goal_is_enough() -> None:
    sketch = kitchen()
    sketch["goals"] = sketch["goals"][:1]
    found = follow(sketch)
    assert (found["belief"], found["edp"], found["pairs"]) == ([1.0], [[None]], [])


def test_suggested_walls_are_those_of_design(tmp_path: Path) -> None:
    sketch = kitchen()
    wanted = {"minimise": "wcd", "most": 2, "budget": 4}
    found = answer_request("suggest", {"sketch": sketch, "design": wanted})
    expected = design(str(EXAMPLES / "kitchen.toml"), 2, minimise="wcd", budget=4)
    assert [tuple(cell) for cell in found["things"]] == list(expected.forbidden)
    assert (found["before"]["wcd"], found["after"]["wcd"]) == (expected.before.wcd, expected.after.wcd)
    assert found["inTheWay"] == []
    sketch["ego"]["now"] = found["things"][0]
    assert answer_request("suggest", {"sketch": sketch, "design": wanted})["inTheWay"] == [found["things"][0]]
    assert refused("suggest", {"sketch": sketch, "design": {**wanted, "most": 40}}) == (
        "design.most: found 40; expected a whole number from 1 to 3"
    )


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("walls",), [], "walls: found 0 x 0 cells; expected from 1 x 1 to 30 x 30 cells"),
        (("walls", 1), "..", "walls[1]: found \"..\"; expected 11 signs, each '#' (wall) or '.'"),
        (("teammate", "now"), [5, 0], "teammate.now: found [5, 0], which is a wall; expected a free cell"),
        (
            ("teammate", "start"),
            [11, 0],
            "teammate.start: found [11, 0]; expected a cell [x, y] with x from 0 to 10 and y from 0 to 5",
        ),
        (("goals", 1, "name"), "soup", 'goals[1].name: found "soup"; expected names that differ'),
        (("goals", 0, "weight"), None, "goals.soup.weight: found null; expected a finite number from 0"),
        (("goals", 0, "price"), -1, "goals.soup.price: found -1; expected a finite number from 0"),
        (
            ("goals", 0, "teammate"),
            [[10, 5]],
            "goals.pie.teammate: found [10, 5], a target of goal \"soup\" already; "
            "expected a target that no other goal has: the place where the teammate stays reveals its goal",
        ),
        (("goals",), 31 * [{}], "goals: found 31 goals; expected at most 30"),
    ],
)  # fmt: skip
def test_a_complaint_names_the_field(path: tuple[Any, ...], value: Any, message: str) -> None:
    sketch = kitchen()
    holder: Any = sketch
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    assert refused("follow", {"sketch": sketch, "method": "ezq", "pair": None}) == message


def test_method_and_pair_are_checked() -> None:
    sketch = kitchen()
    assert "method: found" in refused("follow", {"sketch": sketch, "method": "os.system", "pair": None})
    pairs: list[Any] = [[0, 0], [0], [0, 6], ["a", 1], {}, 3]
    for pair in pairs:
        assert refused("follow", {"sketch": sketch, "method": METHODS[0], "pair": pair}).startswith("pair")


ODD: list[Any] = [
    None, True, -1, 0, 1, 1.5, 1e308, 10**30, "", "#", "\u0000", "\ud83d", [], {}, [[]], [[0, 0]], [None], ["soup"],
    {"start": [0, 0]}, "x" * 5000, [0, 0], [5, 0], {"soup": []}, "<b>",
]  # fmt: skip


def mutated(chance: random.Random, given: Any) -> Any:
    """Return a copy of JSON data with one value odd, missing or duplicated."""
    made = copy.deepcopy(given)
    for _ in range(chance.randrange(1, 3)):
        holder = made
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(holder[key], dict | list) and chance.random() < 0.75:
                holder = holder[key]
                continue
            what = chance.randrange(4)
            if what == 0:
                del holder[key]
            elif what == 1 and isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            elif what == 2 and isinstance(holder, dict):
                holder[chance.choice(["__proto__", "", "now", "map", "policy", "pddl"])] = holder[key]
            else:
                holder[key] = copy.deepcopy(chance.choice(ODD))
            break
    return made


def test_malformed_states_are_refused_in_words_or_hold_together() -> None:
    chance = random.Random(16)
    whole = kitchen(answers={"wrong": 0.1}, groups={"hot": ["soup", "pie"]})
    outcomes = {"refused": 0, "fine": 0}
    for k in range(600):
        given = {"sketch": mutated(chance, whole), "method": "ezq", "pair": None}
        if k % 3 == 0:
            given = mutated(chance, given)
        try:
            if isinstance(given.get("sketch"), dict) and k % 10 == 0:
                answer_request("follow", given)
            else:
                answer_request("file", {"sketch": given.get("sketch")})
            outcomes["fine"] += 1
        except InputError:  # anything else would be a fault of ours
            outcomes["refused"] += 1
    assert outcomes["refused"] > 300
    assert outcomes["fine"] > 30


def test_malformed_files_are_refused_in_words() -> None:
    chance = random.Random(17)
    for _ in range(150):
        at, length = chance.randrange(len(KITCHEN)), chance.randrange(1, 40)
        text = KITCHEN[:at] + chance.choice(["", "\u0000", "#", "[[", '"""', "9" * 50]) + KITCHEN[at + length :]
        with contextlib.suppress(InputError):  # anything else would be a fault of ours
            answer_request("read", {"text": text})
    assert refused("read", {"text": ""}).startswith("text: found nothing")
    assert refused("read", {"text": 3}) == "text: found 3; expected a string"


# -- the newest request wins ----------------------------------------------------------------------------------------


class SlowPool:
    """A pool that answers when an event is set."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.go = asyncio.Event()

    async def reply(self, _: str, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request["given"]["k"])
        await self.go.wait()
        return {"explored": {"k": request["given"]["k"]}}


class Pooled:
    def __init__(self, pool: SlowPool) -> None:
        self.pool = pool


def test_of_many_requests_the_first_and_the_newest_are_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def json_body(request: Any) -> Field:
        return Field("", request)

    async def run() -> tuple[list[Any], list[Any]]:
        pool, handlers, person = SlowPool(), explore_routes._Handlers(), Person("researcher", "somebody")
        services: Any = Pooled(pool)
        requests: list[Any] = [{"tab": "one", "k": k} for k in range(6)] + [{"tab": "two", "k": 9}]
        tasks = [asyncio.create_task(handlers.follow(each, services, person)) for each in requests]
        await asyncio.sleep(0.01)
        pool.go.set()
        return await asyncio.gather(*tasks), pool.asked

    monkeypatch.setattr(explore_routes, "json_body", json_body)
    answers, asked = asyncio.run(run())
    assert sorted(asked) == [0, 5, 9]
    assert answers == [{"k": 0}, *4 * [{"dropped": True}], {"k": 5}, {"k": 9}]

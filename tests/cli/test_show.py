"""``askwise show``: an instance described and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from askwise.core.problem import optimal_costs
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.view.summary import describe
from tests.cli.command import Run
from tests.domains.instances import instance_json
from tests.tool_fetching import workshop

SHOWN = """\
Tool fetching: 6 x 5 cells, 2 walls, 3 stations, 2 toolboxes
toolboxes: T at (0, 2) (2 tools), U at (4, 0) (1 tool)
prior: near, stations near the worker are likelier (temperature 2)
a question costs 0.5 and 0.1 for each station in it
cost with the goal known: 10.0 expected, from 8 to 12

4 .  B  .  .  .  C
3 .  .  .  .  .  .
2 T  .  .  ## .  .
1 .  .  .  ## .  .
0 W  .  F  .  U  A
  0  1  2  3  4  5

W worker, F fetcher, # wall; toolboxes T, U
worker at (0, 0); fetcher at (2, 0), with empty hands
belief: A 47 %, B 47 %, C 6 %
"""


@pytest.fixture
def saved(run: Run) -> str:
    made = workshop(prior={"kind": "near", "temperature": 2.0}, query_cost={"base": 0.5, "per_station": 0.1})
    made.save("workshop.json")
    return "workshop.json"


def test_description_and_drawing(run: Run, saved: str) -> None:
    assert run("show", saved).assert_fine() == SHOWN


def test_from_standard_input(run: Run, saved: str) -> None:
    assert run("show", "-", stdin=Path(saved).read_text()).assert_fine() == SHOWN


def test_a_picture(run: Run, saved: str) -> None:
    assert run("show", saved, "--png", "map.png").assert_fine() == f"{SHOWN}\nWritten: map.png\n"
    with Image.open("map.png") as picture:
        assert (picture.format, picture.width) == ("PNG", 990)


@pytest.mark.parametrize("kind", ["uniform", "far", "near", "fetcher-far", "fetcher-near"])
def test_the_description_agrees_with_the_problem(kind: str) -> None:
    given = generate(width=12, stations=15, toolboxes=4, walls=0.2, prior=Prior(kind, 3.0), seed=5)
    problem = ToolFetching(given)
    costs = optimal_costs(problem, problem.start)
    expected = float(problem.prior @ costs)
    line = f"cost with the goal known: {expected:.1f} expected, from {costs.min():.0f} to {costs.max():.0f}\n"
    assert describe(problem).endswith(line)
    assert f"prior: {kind}" in describe(problem)


def test_weights_and_many_toolboxes() -> None:
    given = generate(width=12, stations=2, toolboxes=14, seed=5)
    data = {**given.to_json(), "prior": {"S1": 3, "S2": 1}}
    text = describe(ToolFetching(type(given).from_json(data)))
    assert "\nprior: weights by station\n" in text
    assert " and 2 more\n" in text
    assert "(no tools)" in text


def test_the_range_of_costs_is_that_of_possible_stations() -> None:
    given = generate(width=12, stations=2, toolboxes=2, seed=5)
    problem = ToolFetching(type(given).from_json({**given.to_json(), "prior": {"S1": 1, "S2": 0}}))
    best = optimal_costs(problem, problem.start)
    assert best[0] != best[1]
    line = f"cost with the goal known: {best[0]:.0f}\n"
    assert describe(problem).endswith(line)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "日本"])
def test_names_cannot_break_it(run: Run, name: str) -> None:
    given = instance_json(
        toolboxes={name: [2, 3]},
        stations={name: {"at": [7, 2], "toolbox": name}, "other": {"at": [7, 8], "toolbox": name}},
    )
    printed = run("show", "-", "--png", "map.png", stdin=json.dumps(given)).assert_fine()
    assert all(line.isprintable() for line in printed.splitlines())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "map.txt",
            "A.W.B\n",
            "file 'map.txt': found a drawn map; expected an instance file "
            "(askwise edp takes this one; askwise new --kind map --from map.txt makes an instance file)",
        ),
        (
            "empty",
            "",
            "file 'empty': found nothing in it; expected an instance file, "
            "askwise/tool-fetching@1, askwise/problem@1 (askwise new writes one)",
        ),
        (
            "half.json",
            '{"format": ',
            "file 'half.json', line 1, column 12: found something that is not JSON (Expecting value); "
            "expected one JSON object",
        ),
        ("list.json", "[]", "file 'list.json': found []; expected an object, { ... }"),
        (
            "trace.json",
            '{"format": "askwise/trace@1"}',
            "file 'trace.json': found episodes or conversations; expected an instance file "
            "(askwise audit takes this one)",
        ),
        (
            "later.json",
            '{"format": "askwise/trace@2"}',
            "file 'later.json': found episodes or conversations; expected an instance file "
            "(askwise audit takes this one)",
        ),
    ],
)
def test_something_else_than_an_instance(run: Run, name: str, text: str, message: str) -> None:
    Path(name).write_text(text)
    run("show", name).assert_refused(f"askwise show: {message}")


def test_a_missing_file(run: Run) -> None:
    run("show", "none.json").assert_refused(
        "askwise show: file 'none.json': found no such file or directory; expected a file that can be read"
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("map.jpg", "file 'map.jpg': found the ending '.jpg'; expected one of .png, .svg, .pdf"),
        ("", "file '': found no ending; expected one of .png, .svg, .pdf"),
        (
            "nowhere/map.png",
            "file 'nowhere/map.png': found no such file or directory; expected a place that can be written to",
        ),
    ],
)
def test_a_picture_that_cannot_be_written(run: Run, saved: str, path: str, message: str) -> None:
    outcome = run("show", saved, "--png", path)
    assert (outcome.code, outcome.err) == (2, f"askwise show: {message}\n")
    assert [found.name for found in Path().iterdir()] == [saved]


@pytest.mark.parametrize("columns", [60, 80, 90])
def test_rows_of_a_map_are_never_broken(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    run("new", "--kind", "map", "-o", "kitchen.toml")
    lines = run("show", "kitchen.toml").assert_fine().splitlines()
    axis = next(k for k, line in enumerate(lines) if line.split() == [str(x) for x in range(10)])
    assert [line[:2] for line in lines[axis - 5 : axis]] == ["4 ", "3 ", "2 ", "1 ", "0 "]
    assert ("toast" in lines[axis - 1]) == (columns == 90)

"""``askwise ask``: what the fetcher would do now, in words and as JSON, and what is refused."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import askwise
from askwise import methods as agents
from askwise import simulate
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Instance, Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import AGENTS, Ezq, Never, Observation, make_agent
from askwise.seeds import spawn
from askwise.view.explain import OWN, SUMMARIES
from tests.cli.command import Run, run_as_user
from tests.tool_fetching import instance, workshop

CONTENDERS = [name for name in AGENTS if name != "informed"]

BASIC = ["ask", "action", "value", "cost", "net", "why"]

TORN = """\
ASK: is it C?
Ask about C: expected to save 5.33 steps for a price of 0.60.

method     ezq-exact
now        worker at (0, 0); fetcher at (2, 0), with empty hands
possible   3 of 3 stations
likeliest  all the same, 33 % each
gate       open: no action is optimal for all 3: NORTH for 2, WEST for 2, EAST
           for 1
value      5.33 steps saved, in expectation
cost       0.6 for 1 station
net        4.73: ask
runner-up  the same with A, net 2.02
verdict    proven optimal: no question is better
"""


@pytest.fixture(autouse=True)
def _saved(run: Run) -> None:
    workshop(query_cost={"base": 0.5, "per_station": 0.1}).save("workshop.json")


def answer(run: Run, *options: str) -> dict[str, Any]:
    """What ``--json`` prints, as an object."""
    found: dict[str, Any] = json.loads(run("ask", *options, "--json").assert_fine())
    return found


# -- answers -----------------------------------------------------------------------------------------------------


def test_a_question_in_words(run: Run) -> None:
    printed = run("ask", "workshop.json", "--method", "ezq-exact").assert_fine()
    assert printed.split("\n\nThe most important pairs")[0] + "\n" == TORN
    assert run("ask", "-", "--method", "ezq-exact", stdin=Path("workshop.json").read_text()).assert_fine() == printed
    assert run_as_user("ask", "workshop.json", "--method", "ezq-exact").assert_fine() == printed


def test_the_zones_of_the_pairs(run: Run) -> None:
    printed = run("ask", "workshop.json", "--method", "ezq-exact").assert_fine()
    table = printed.split("the next is 1):\n")[1].splitlines()
    assert table[0].split()[0] == "pair"
    rows = {line[5:].split("  ")[0]: line for line in table[1:4]}
    # The worker's ways to A and C can be the same for five steps; the fetcher's tools lie in opposite directions.
    assert " to 6 " in rows["A, C"]
    assert " always " in rows["A, C"]
    assert [rows[pair][2] for pair in ("A, B", "A, C", "B, C")] == [" ", "*", "*"]  # the question is about C


def test_a_question_in_json(run: Run) -> None:
    found = answer(run, "workshop.json", "--method", "ezq-exact")
    assert list(found) == [*BASIC, "verdict", "runner_up", "gate", "pairs"]
    assert (found["ask"], found["action"], found["cost"]) == (["C"], None, 0.6)
    # If A or B is the goal, C is ruled out by the sixth step, the first WORK; if it is C, B by the fourth on average.
    # Z_B begins now, and A and B need not be told apart in time: (6 + 6 + 4) / 3.
    assert found["value"] == pytest.approx(16 / 3)
    assert found["net"] == found["value"] - 0.6
    assert found["why"] == "Ask about C: expected to save 5.33 steps for a price of 0.60."


def test_the_grounds_in_json(run: Run) -> None:
    found = answer(run, "workshop.json", "--method", "ezq-exact")
    assert found["verdict"] == "proven optimal"
    assert found["runner_up"] == {"stations": ["A", "C"], "net": pytest.approx(2.02, abs=0.01)}
    suits = {"NORTH": 2, "EAST": 1, "WEST": 2}
    assert found["gate"] == {"open": True, "possible": 3, "common": [], "suits": suits}
    assert [(pair["goals"], pair["now"]) for pair in found["pairs"]] == [
        (["B", "C"], True),
        (["A", "C"], True),
        (["A", "B"], False),
    ]
    # The decision of the agent tells the same.
    advice = askwise.ask("workshop.json", "ezq-exact")
    assert [pair.weight for pair in advice.decision.pairs] == [pair["weight"] for pair in found["pairs"]]


def test_an_action_where_one_suits_everybody(run: Run) -> None:
    options = ["workshop.json", "--ruled-out", "C", "--fetcher", "2,2"]
    found = answer(run, *options)
    assert {key: found[key] for key in BASIC} == {
        "ask": None,
        "action": "WEST",
        "value": None,
        "cost": None,
        "net": None,
        "why": "WEST is safe: it costs nothing extra for any of the 2 remaining goals.",
    }
    printed = run("ask", *options).assert_fine()
    assert printed.startswith(f"DO: WEST\n{found['why']}\n\nmethod     planner\n")
    assert "\npossible   2 of 3 stations\nlikeliest  all the same, 50 % each\n" in printed
    assert "\ngate       closed: WEST is optimal for all 2 of them\n" in printed


def test_several_common_actions_and_a_single_goal(run: Run) -> None:
    printed = run("ask", "workshop.json", "--ruled-out", "C").assert_fine()
    assert "\ngate       closed: WEST is optimal for all 2 of them\n" not in printed
    assert "\ngate       closed: NORTH and WEST are each optimal for all 2 of them\n" in printed
    alone = run("ask", "workshop.json", "--ruled-out", "A,B").assert_fine()
    assert alone.startswith("DO: EAST\nEAST: only C is possible.\n")
    assert alone.endswith("possible   1 of 3 stations\nlikeliest  C 100 %\ngate       closed: one goal is left\n")


def test_waiting_because_no_question_is_worth_its_price(run: Run) -> None:
    workshop(query_cost={"base": 9}).save("dear.json")
    found = answer(run, "dear.json", "--method", "ezq-exact")
    assert (found["ask"], found["action"], found["cost"]) == (None, "NOOP", 9.0)
    assert found["net"] == found["value"] - 9 < 0
    printed = run("ask", "dear.json", "--method", "ezq-exact").assert_fine()
    assert printed.startswith("WAIT: no question is worth its price\nWait: the best question, about ")
    assert "\nquestion   the best is about " in printed
    assert ": do not ask\n" in printed


def test_a_method_that_knows_no_values(run: Run) -> None:
    found = answer(run, "workshop.json", "--method", "baseline")
    assert (len(found["ask"]), found["value"], found["cost"], found["net"]) == (1, None, 0.6, None)
    printed = run("ask", "workshop.json", "--method", "baseline").assert_fine()
    assert "\ncost       0.6 for 1 station\n" in printed
    assert "value" not in printed
    waiting = run("ask", "workshop.json", "--method", "never").assert_fine()
    assert waiting.startswith("WAIT\nWait: 3 goals are possible and no action is optimal for all of them.\n")


@pytest.mark.parametrize("method", CONTENDERS)
def test_it_is_what_the_agent_decides(run: Run, method: str) -> None:
    given = generate(stations=12, toolboxes=3, prior=Prior("far"), seed=5)
    given.save("drawn.json")
    problem = ToolFetching(given)
    agent = make_agent(method)
    agent.reset(problem, spawn(3, 3)[2])  # the stream that `simulate` gives the agent
    decision = agent.decide(Observation(problem.start))
    found = answer(run, "drawn.json", "--method", method, "--seed", "3")
    assert found["ask"] == (None if decision.ask is None else [problem.goals[goal] for goal in decision.ask])
    assert found["action"] == (None if decision.action is None else problem.ego.actions.names[decision.action])
    assert (found["value"], found["cost"]) == (pytest.approx(decision.value), decision.cost)


# -- the moment --------------------------------------------------------------------------------------------------


def test_positions_and_the_tool_in_hand(run: Run) -> None:
    options = ["--worker", "4,4", "--fetcher", "0,2", "--holding", "B", "--ruled-out", "C", "--fresh"]
    printed = run("ask", "workshop.json", *options).assert_fine()
    assert "\nnow        worker at (4, 4); fetcher at (0, 2), with the tool of B\n" in printed
    # For B it carries the tool on, for A it would have to change it here.
    gate = "gate       open: no action is optimal for all 2: NORTH for 1, EAST for 1, a\n           PICKUP for 1\n"
    assert gate in printed


def test_a_worker_that_has_moved_has_told_something(run: Run) -> None:
    # From (0, 0), a worker at (2, 3) is on its way to C at (5, 4): A at (5, 0) and B at (1, 4) are behind it.
    moved = run("ask", "workshop.json", "--worker", "2,3").assert_fine()
    assert "\ninferred   the worker came from (0, 0), which 1 of 3 stations explains\npossible   1 of 3 " in moved
    assert moved.startswith("DO: EAST\nEAST: only C is possible.\n")
    fresh = run("ask", "workshop.json", "--worker", "2,3", "--fresh").assert_fine()
    assert "inferred" not in fresh
    assert "\npossible   3 of 3 stations\n" in fresh
    noisy = run("ask", "workshop.json", "--worker", "2,3", "--fresh", "--answers", "wrong:0.1").assert_fine()
    assert "\nanswers    wrong 10 %, refused 0 % of the time\n" in noisy
    assert "inferred" not in run("ask", "workshop.json", "--worker", "0,0").assert_fine()


def test_the_belief_decides_what_is_inferred(run: Run) -> None:
    options = ["workshop.json", "--worker", "0,3"]
    likeliest = {}
    for belief in ("elimination", "bayes", "robust"):
        printed = run("ask", *options, "--belief", belief).assert_fine()
        likeliest[belief] = printed.split("\nlikeliest  ")[1].splitlines()[0]
    # Both B and C explain three steps north, B better: its ways are 5 in all and two of them begin like that.
    assert likeliest["elimination"] == "all the same, 50 % each"
    assert likeliest["bayes"].startswith("B ")
    assert likeliest["robust"].startswith("B ")


@pytest.mark.parametrize("seed", range(4))
def test_the_planner_infers_with_its_own_belief(run: Run, seed: int) -> None:
    """As a planner that has watched does: with bayes, where other methods rule out only."""
    given = generate(size=9, stations=8, toolboxes=3, prior=Prior("far"), query_cost=QueryCost(9.0), seed=seed)
    given.save("drawn.json")
    episode = simulate(given, "planner", seed=seed)
    assert not episode.questions, "at this price it only watches"
    compared = 0
    for step in episode.steps[1:4]:
        state = ToolFetching(given).decode(step.state)
        (wx, wy), (fx, fy) = (given.grid.cells[cell].tolist() for cell in (state.worker, state.fetcher))
        if step.teammate_action is None or (wx, wy) == given.worker or state.holding >= 0:
            continue
        options = ["drawn.json", "--method", "planner", "--worker", f"{wx},{wy}", "--fetcher", f"{fx},{fy}"]
        found = answer(run, *options)
        assert step.decision.action is not None
        assert (found["ask"], found["action"]) == (None, episode.problem.ego.actions.names[step.decision.action])
        assert found["why"] == step.decision.why
        assert found == answer(run, *options, "--belief", "bayes")
        compared += 1
    assert compared


def test_the_planner_goes_on_where_nothing_explains_the_worker(run: Run) -> None:
    options = ["workshop.json", "--worker", "4,4", "--ruled-out", "C"]
    run("ask", *options, "--method", "ezq").assert_refused(
        "askwise ask: --worker: found (4, 4), on no shortest path from (0, 0) to a possible station; "
        "expected a cell on one (--belief robust allows for detours, --fresh starts there)"
    )
    assert "\npossible   2 of 3 stations\n" in run("ask", *options).assert_fine()


def test_a_worker_where_it_cannot_be(run: Run) -> None:
    options = ["workshop.json", "--worker", "4,4", "--ruled-out", "C", "--method", "ezq"]
    run("ask", *options).assert_refused(
        "askwise ask: --worker: found (4, 4), on no shortest path from (0, 0) to a possible station; "
        "expected a cell on one (--belief robust allows for detours, --fresh starts there)"
    )
    assert "\npossible   " in run("ask", *options, "--belief", "robust").assert_fine()
    assert "\npossible   2 of 3 stations\n" in run("ask", *options, "--fresh").assert_fine()


def test_ruled_out_may_be_repeated_and_names_may_hold_commas(run: Run) -> None:
    cells = {"a,b": (0, 0), "a": (1, 0), "b": (2, 0), "c": (3, 0)}
    instance(
        (5, 2),
        stations={name: (cell, "T") for name, cell in cells.items()},
        toolboxes={"T": (4, 0)},
        worker=(0, 1),
        fetcher=(1, 1),
    ).save("row.json")
    both = run("ask", "row.json", "--ruled-out", "a, b").assert_fine()
    assert "possible   2 of 4 stations" in both
    whole = run("ask", "row.json", "--ruled-out", "a,b", "--ruled-out", "a", "--ruled-out", "b").assert_fine()
    assert "likeliest  c 100 %" in whole


def test_seed_and_belief_arrive(run: Run) -> None:
    found = {tuple(answer(run, "workshop.json", "--method", "baseline", "--seed", str(k))["ask"]) for k in range(12)}
    assert found == {("A",), ("B",), ("C",)}
    run("ask", "workshop.json", "--belief", "bays").assert_refused(
        "askwise ask: belief: found 'bays'; expected one of 'elimination', 'bayes', 'robust' (did you mean 'bayes'?)"
    )


# -- methods -----------------------------------------------------------------------------------------------------


def test_methods_are_listed_as_for_run(run: Run) -> None:
    printed = run("ask", "--method", "help").assert_fine()
    assert printed == run("run", "--method", "help").assert_fine()
    *listed, _, own = printed.splitlines()
    assert dict(line.split(maxsplit=1) for line in listed) == SUMMARIES
    assert own == OWN
    assert list(SUMMARIES) == list(AGENTS)
    assert max(map(len, printed.splitlines())) <= 120


class Coin(Never):
    """Tosses a coin and then waits anyway.

    Nobody needs to know more.
    """

    name = "coin"


def plug_in(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    monkeypatch.setattr(agents, "entry_points", lambda group: [point for point in points if point.group == group])


def test_methods_of_other_packages(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module:Agent", agents.GROUP)
    plug_in(monkeypatch, EntryPoint("coin", f"{__name__}:Coin", agents.GROUP), broken)
    lines = run("ask", "--method", "help").assert_fine().splitlines()
    assert lines[-6:-2] == [
        "coin           Tosses a coin and then waits anyway.",
        "broken         (cannot be used: method 'broken': found ModuleNotFoundError: No",
        "               module named 'no_such_module'; expected an agent that can be",
        "               made)",
    ]
    assert answer(run, "workshop.json", "--method", "coin")["action"] == "NOOP"


def test_colours_on_the_decision_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("ask", "workshop.json").assert_fine()
    monkeypatch.setattr("askwise.cli.common.colourful", lambda: True)
    headline, _, rest = plain.partition("\n")
    assert run("ask", "workshop.json").assert_fine() == f"\x1b[1;38;5;133m{headline}\x1b[0m\n{rest}"


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "日本"])
def test_names_cannot_break_it(run: Run, name: str) -> None:
    given: dict[str, Any] = workshop().to_json()
    given["stations"] = {name: given["stations"]["A"], "B": given["stations"]["B"], "C": given["stations"]["C"]}
    text = json.dumps(given)
    printed = run("ask", "-", "--method", "ezq-exact", stdin=text).assert_fine()
    assert all(line.isprintable() for line in printed.splitlines())
    assert json.loads(run("ask", "-", "--method", "ezq-exact", "--json", stdin=text).assert_fine())["why"]


# -- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "FILE: found nothing; expected an instance file (askwise new writes one)"),
        (["none.json"], "file 'none.json': found no such file or directory; expected a file that can be read"),
        (
            ["workshop.json", "--method", "ezp"],
            f"method: found 'ezp'; expected one of {', '.join(map(repr, AGENTS))} (did you mean 'ezq'?)",
        ),
        (
            ["workshop.json", "--method", "informed"],
            "method: found 'informed', which knows the goal and has nothing to find out; expected one of "
            + ", ".join(map(repr, CONTENDERS)),
        ),
        (
            ["workshop.json", "--ruled-out", "A,D"],
            "ruled out: found the unknown station 'D'; expected some of A, B, C",
        ),
        (["workshop.json", "--ruled-out", ""], "ruled out: found the unknown station ''; expected some of A, B, C"),
        (["workshop.json", "--holding", "D"], "holding: found the unknown station 'D'; expected some of A, B, C"),
        (
            ["workshop.json", "--ruled-out", "A,B,C"],
            "ruled out: found every station that the prior allows; expected at least one that is still possible",
        ),
        (["workshop.json", "--worker", "3"], "--worker: found '3'; expected a cell X,Y, two whole numbers"),
        (["workshop.json", "--fetcher", "1,x"], "--fetcher: found '1,x'; expected a cell X,Y, two whole numbers"),
        (["workshop.json", "--worker", "3,1"], "worker: found (3, 1), a wall; expected a free cell"),
        (
            ["workshop.json", "--fetcher", "6,0"],
            "fetcher: found (6, 0), outside the 6 x 5 grid; expected x from 0 to 5 and y from 0 to 4",
        ),
        (["workshop.json", "--seed", "-1"], "--seed: found '-1'; expected a whole number from 0"),
        (
            ["workshop.json", "--answers", "refused:1"],
            "--answers: refused: found 1.0; expected a number from 0 and below 1",
        ),
        (
            ["workshop.json", "--answered", "A|A:1"],
            "--answered: found A twice; expected each station in one group at most",
        ),
        (
            ["workshop.json", "--answered", "A,B|B,C:1"],
            "--answered: found B twice; expected each station in one group at most",
        ),
        (["workshop.json", "--answered", "A,A:yes"], "--answered: found A twice; expected each station once"),
        (
            ["workshop.json", "--answered", "A,B,C:yes"],
            "--answered: found a question about every station; expected one with two answers",
        ),
        (
            ["workshop.json", "--answered", "A:maybe"],
            "--answered: found 'A:maybe'; expected GOALS:yes, GOALS:no or GOALS:unknown",
        ),
        (["workshop.json", "--answered", "A"], "--answered: found 'A'; expected GOALS:yes, GOALS:no or GOALS:unknown"),
        (
            ["workshop.json", "--answered", "A|B:3"],
            "--answered: found 'A|B:3'; expected GOALS|GOALS: and a number from 1 to 2, none or unknown",
        ),
        (
            ["workshop.json", "--answered", "A,B|C:none"],
            "--answered: found 'A,B|C:none'; expected GOALS|GOALS: and a number from 1 to 2, or unknown",
        ),
    ],
)
def test_wrong_options(run: Run, options: list[str], message: str) -> None:
    run("ask", *options).assert_refused(f"askwise ask: {message}")


def test_a_number_of_any_length_is_refused(run: Run) -> None:
    found = run("ask", "workshop.json", "--answered", "A|B:" + "1" * 5000)
    assert (found.code, found.out) == (2, "")
    assert found.err.endswith("expected GOALS|GOALS: and a number from 1 to 2, none or unknown\n")


def test_a_station_that_is_nearly_right(run: Run) -> None:
    generate(stations=12, toolboxes=3, seed=5).save("drawn.json")
    run("ask", "drawn.json", "--ruled-out", "S3,S99").assert_refused(
        "askwise ask: ruled out: found the unknown station 'S99'; expected some of S1, S2, S3, S4, S5, S6, S7, S8 "
        "and 4 more (did you mean 'S9'?)"
    )


def test_a_prior_that_allows_one_station_only(run: Run) -> None:
    workshop(prior={"A": 0, "B": 1, "C": 0}).save("sure.json")
    run("ask", "sure.json", "--ruled-out", "B").assert_refused(
        "askwise ask: ruled out: found every station that the prior allows; "
        "expected at least one that is still possible"
    )


def test_a_pocket_that_nobody_gets_out_of(run: Run) -> None:
    data = {**workshop().to_json(), "walls": [[3, 1], [3, 2], [4, 4], [4, 3], [5, 2]]}
    data["stations"].pop("C")
    run("ask", "-", "--worker", "5,4", stdin=json.dumps(data)).assert_refused(
        "askwise ask: worker: found (5, 4), with no way to the stations; expected a cell with a way to them"
    )


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ({"base": -0.5}, "query_cost.base: found -0.5; expected a finite number from 0"),
        ({"per_station": -1}, "query_cost.per_station: found -1; expected a finite number from 0"),
        ({"base": float("nan")}, "file: found NaN; expected finite numbers only"),
        ({"per_station": float("inf")}, "file: found Infinity; expected finite numbers only"),
    ],
)
def test_costs_that_make_no_sense(run: Run, cost: dict[str, float], message: str) -> None:
    faulty = json.dumps({**workshop().to_json(), "query_cost": cost})
    run("ask", "-", stdin=faulty).assert_refused(f"askwise ask: {message}")


def test_an_agent_is_accepted_as_it_is() -> None:
    found = askwise.ask(workshop(), Ezq(optimiser="exact"))
    assert (found.method, found.decision.verdict) == ("ezq-exact", "proven optimal")


def test_saved_instances_stay_as_they_are(run: Run) -> None:
    before = Path("workshop.json").read_bytes()
    run("ask", "workshop.json", "--ruled-out", "A").assert_fine()
    assert Path("workshop.json").read_bytes() == before
    assert Instance.load("workshop.json").prior == Prior()

"""Traces: the documented keys, round trips, and error messages."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import simulate, trace
from askwise.core.decision import PairZones
from askwise.core.episode import Episode
from askwise.core.questions import Choice
from askwise.domains.coverage import Coverage
from askwise.domains.tool_fetching import Instance
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.methods import Agent, Decision
from askwise.methods.decision_json import pairs_from_json, pairs_to_json
from askwise.text.reading import Field
from tests.domains.elsewhere import Elsewhere
from tests.methods.asking import AsksHalf, Scripted
from tests.refused import Fault, assert_refused, each
from tests.tool_fetching import instances, workshop


def episode(agent: str | Agent = "never", **more: Any) -> Episode:
    return simulate(workshop(query_cost={"base": 0.5, "per_station": 0.1}), agent, goal="C", seed=2, **more)


EPISODES: dict[str, Callable[[], Episode]] = {
    "never": episode,
    "informed": lambda: episode("informed"),
    "asking": lambda: episode(AsksHalf(at_random=True)),
    "cut off": lambda: episode(max_steps=3),
    "no belief": lambda: episode(Scripted(Decision(action=1), Decision(ask=(2, 0))), max_steps=4),
    "a noisy teammate": lambda: episode(teammate="noisy:0.3", belief="robust"),
    "answers that are wrong or refused": lambda: episode("baseline", answers="wrong:0.3,refused:0.3,persistent"),
    "a choice": lambda: episode(Scripted(Decision(ask=Choice(((0,), (2, 1)), ("near", "far")))), max_steps=3),
    "no number for a seed": lambda: simulate(workshop(), seed=np.random.SeedSequence(1)),
    "a large seed": lambda: simulate(workshop(), seed=2**200),
}
every_episode = pytest.mark.parametrize("make", EPISODES.values(), ids=EPISODES)


# -- there and back ----------------------------------------------------------------------------------------------


@every_episode
def test_what_is_saved_is_loaded_again(make: Callable[[], Episode], tmp_path: Path) -> None:
    saved = make()
    path = tmp_path / "episode.json"
    trace.save(saved, path)
    loaded = trace.load(path)
    assert_same(loaded, saved)
    assert trace.to_json(loaded) == trace.to_json(saved)
    assert [file.name for file in tmp_path.iterdir()] == ["episode.json"]


def assert_same(loaded: Episode, saved: Episode) -> None:
    for name in ("method", "teammate", "goal", "seed", "final", "known_cost", "finished", "cost"):
        assert getattr(loaded, name) == getattr(saved, name), name
    assert loaded.problem.goals == saved.problem.goals
    assert len(loaded.steps) == len(saved.steps)
    for one, two in zip(loaded.steps, saved.steps, strict=True):
        assert (one.t, one.state, one.teammate_action, one.answer, one.cost) == (
            two.t,
            two.state,
            two.teammate_action,
            two.answer,
            two.cost,
        )
        assert (one.decision.action, one.decision.ask) == (two.decision.action, two.decision.ask)
        assert (one.decision.why, one.decision.value) == (two.decision.why, two.decision.value)
        np.testing.assert_equal(one.belief, two.belief)
        assert (one.decision.gate, one.decision.pairs) == (two.decision.gate, two.decision.pairs)


@given(drawn=instances(max_side=5, max_stations=4), seed=st.integers(0, 2**64), at_random=st.booleans())
def test_episodes_on_any_instance_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, drawn: Instance, seed: int, at_random: bool
) -> None:
    path = tmp_path_factory.mktemp("trace") / "episode.json"
    saved = simulate(drawn, AsksHalf(at_random=at_random, belief="bayes"), seed=seed)
    trace.save(saved, path)
    assert_same(trace.load(path), saved)


def test_a_loaded_episode_equals_the_one_that_was_saved(tmp_path: Path) -> None:
    saved = episode(AsksHalf())
    trace.save(saved, tmp_path / "episode.json")
    assert trace.load(tmp_path / "episode.json") == saved


def test_the_whole_decision_survives(tmp_path: Path) -> None:
    # An agent may say what it thought of asking although it acted, or ask without saying what it costs.
    script = (Decision(action=1, why="Not worth it.", value=0.25, cost=0.6), Decision(ask=(0,), why="Why not."))
    saved = episode(Scripted(*script), max_steps=2)
    trace.save(saved, tmp_path / "episode.json")
    assert tuple(step.decision for step in trace.load(tmp_path / "episode.json").steps) == script


# -- what is in a trace ------------------------------------------------------------------------------------------


def test_a_trace_read_by_eye() -> None:
    found = trace.to_json(episode(AsksHalf()))
    first, second = found["steps"][:2]
    expected = {
        "t": 1,
        "worker": [0, 0],
        "fetcher": [2, 0],
        "holding": None,
        "belief": {"A": 1 / 3, "B": 1 / 3, "C": 1 / 3},
        "action": None,
        "worker_action": None,
        "ask": ["A"],
        "answer": False,
        "why": "Torn.",
        "value": 1.5,
        "cost": 0.6,
    }
    assert {key: first[key] for key in expected} == expected
    assert second["belief"] == {"A": 0, "B": 0.5, "C": 0.5}
    assert second["ask"] == ["B"]
    third = found["steps"][2]
    assert (third["action"], third["ask"], third["answer"], third["cost"]) == ("EAST", None, None, 1)
    assert third["worker_action"] in ("NORTH", "EAST")
    assert [step["holding"] for step in found["steps"]].index("C") == 5
    assert found["final"] == {"worker": [5, 4], "fetcher": [5, 4], "holding": "C"}
    assert (found["goal"], found["method"], found["teammate"], found["seed"]) == ("C", "asks the first half", "urop", 2)
    assert (found["finished"], found["known_cost"]) == (True, 10)
    assert found["cost"] == pytest.approx(11.2)
    assert found["marginal_cost"] == found["cost"] - found["known_cost"]
    assert Instance.from_json(found["instance"]) == workshop(query_cost={"base": 0.5, "per_station": 0.1})


def test_the_documentation_names_every_key() -> None:
    documented = trace.__doc__ or ""
    found = trace.to_json(episode(AsksHalf()))
    for key in {*found, *found["steps"][0]} - {"format"}:
        assert f"``{key}``" in documented, key
    assert f"``{found['format']}``" in documented
    assert ", ".join(found) == KEYS
    assert ", ".join(found["steps"][0]) == f"{STEP_KEYS}, {OPTIONAL_STEP_KEYS}"


def test_a_trace_is_strict_json(tmp_path: Path) -> None:
    trace.save(episode(), tmp_path / "episode.json")
    text = (tmp_path / "episode.json").read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "Infinity" not in text
    assert json.loads(text) == trace.to_json(episode())


def test_gate_and_zones_are_in_a_trace() -> None:
    first, second = trace.to_json(episode(AsksHalf()))["steps"][:2]
    suits = {"NORTH": 2, "EAST": 1, "WEST": 2}
    assert first["gate"] == {"open": True, "possible": 3, "common": [], "suits": suits}
    heaviest = first["pairs"][0]
    assert heaviest == {
        "goals": ["B", "C"],
        "informed": 6,
        "branching": 1,
        "expected": [6, pytest.approx(4, rel=1e-9)],
        "weight": pytest.approx(10 / 3),
        "now": True,
    }
    assert second["gate"]["possible"] == 2
    assert [pair["goals"] for pair in second["pairs"]] == [["B", "C"]]


def test_what_the_trace_says_is_shown_not_worked_out_again() -> None:
    data = trace.to_json(episode(AsksHalf()))
    data["steps"][0]["pairs"][0]["weight"] = 7.5
    assert trace.from_json(data).steps[0].decision.pairs[0].weight == 7.5


def test_traces_of_earlier_versions_have_neither_gate_nor_pairs() -> None:
    saved = episode(AsksHalf())
    data = trace.to_json(saved)
    for step in data["steps"]:
        del step["gate"], step["pairs"]
    loaded = trace.from_json(data)
    assert_same(loaded, saved)
    assert loaded.steps[0].decision.gate is not None


def test_traces_of_earlier_versions_know_true_answers_only() -> None:
    saved = episode(AsksHalf())
    written = trace.to_json(saved)
    assert written.pop("answers") == {"wrong": 0.0, "refused": 0.0, "errors": "independent"}
    written["format"] = "askwise/trace@1"
    assert_same(trace.from_json(written), saved)


def test_large_maps_have_gates_but_no_pairs() -> None:
    large = simulate(generate(width=150, stations=100, seed=1), "never", seed=1, max_steps=1)
    (step,) = trace.to_json(large)["steps"]
    assert step["gate"]["possible"] == 100
    assert step["pairs"] is None


# -- faults ------------------------------------------------------------------------------------------------------


def changed(*path: str | int, value: Any) -> Callable[[], Episode]:
    """Return the trace of an episode with questions, with one entry replaced."""

    def attempt() -> Episode:
        data = copy.deepcopy(trace.to_json(episode(AsksHalf())))
        inner: Any = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return trace.from_json(data)

    return attempt


def lacking(*path: str | int) -> Callable[[], Episode]:
    def attempt() -> Episode:
        data = copy.deepcopy(trace.to_json(episode(AsksHalf())))
        inner: Any = data
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        return trace.from_json(data)

    return attempt


REQUIRED = "found nothing; expected this key, which is required"
KEYS = (
    "format, instance, answers, method, teammate, seed, goal, finished, cost, known_cost, marginal_cost, final, steps"
)
STEP_KEYS = (
    "t, worker, fetcher, holding, belief, action, worker_action, ask, answer, why, value, question_cost, "
    "considered, runner_up, verdict, cost"
)
OPTIONAL_STEP_KEYS = "gate, pairs"
CELL = "a cell [x, y] with x from 0 to 5 and y from 0 to 4"
MOVES = "'NORTH', 'EAST', 'SOUTH', 'WEST'"

FAULTS: dict[str, Fault] = {
    "not an object": (lambda: trace.from_json([]), "file: found []; expected an object, { ... }"),
    "another format": (
        changed("format", value="askwise/tool-fetching@1"),
        "format: found \"askwise/tool-fetching@1\"; expected one of 'askwise/trace@2', 'askwise/trace@1' "
        "(did you mean 'askwise/trace@1'?)",
    ),
    "a later version": (
        lambda: trace.from_json({"format": "askwise/trace@3", "frames": []}),
        "format: found \"askwise/trace@3\"; expected one of 'askwise/trace@2', 'askwise/trace@1' "
        "(did you mean 'askwise/trace@2'?)",
    ),
    **{f"no {key}": (lacking(key), f"{key}: {REQUIRED}") for key in KEYS.split(", ")},
    **{
        f"a step without {key}": (lacking("steps", 0, key), f"steps[0].{key}: {REQUIRED}")
        for key in STEP_KEYS.split(", ")
    },
    "an unknown key": (changed("note", value=1), f'file: found the unknown key "note"; expected only {KEYS}'),
    "an unknown key in a step": (
        changed("steps", 1, "note", value=1),
        f'steps[1]: found the unknown key "note"; expected only {STEP_KEYS}, {OPTIONAL_STEP_KEYS}',
    ),
    "steps by name": (changed("steps", value={}), "steps: found {}; expected a list, [ ... ]"),
    "a step that is none": (changed("steps", 0, value=3), "steps[0]: found 3; expected an object, { ... }"),
    "an unknown goal": (changed("goal", value="D"), "goal: found \"D\"; expected one of 'A', 'B', 'C'"),
    "finished in words": (changed("finished", value="yes"), 'finished: found "yes"; expected true or false'),
    "a negative cost": (
        changed("known_cost", value=-1),
        "known_cost: found -1; expected a finite number from 0",
    ),
    "a method that is none": (changed("method", value=None), "method: found null; expected a string"),
    "a worker outside": (
        changed("steps", 0, "worker", value=[6, 0]),
        f"steps[0].worker: found [6, 0]; expected {CELL}",
    ),
    "a fetcher outside at the end": (changed("final", "fetcher", value=3), f"final.fetcher: found 3; expected {CELL}"),
    "an unknown tool": (
        changed("steps", 3, "holding", value="hammer"),
        "steps[3].holding: found \"hammer\"; expected one of 'A', 'B', 'C'",
    ),
    "an unknown action": (
        changed("steps", 2, "action", value="JUMP"),
        f"steps[2].action: found \"JUMP\"; expected one of {MOVES}, 'NOOP', 'PICKUP A', 'PICKUP B', 'PICKUP C'",
    ),
    "an unknown action of the worker": (
        changed("steps", 2, "worker_action", value="work"),
        f"steps[2].worker_action: found \"work\"; expected one of {MOVES}, 'WORK', 'NOOP' (did you mean 'WORK'?)",
    ),
    "an unknown station asked about": (
        changed("steps", 0, "ask", value=["A", "D"]),
        "steps[0].ask[1]: found \"D\"; expected one of 'A', 'B', 'C'",
    ),
    "a reply that was not offered": (
        changed("steps", 0, "answer", value="maybe"),
        'steps[0].answer: found "maybe"; expected true, false, or null for no answer',
    ),
    "a group of no goals": (
        changed("steps", 0, "ask", value={"groups": [["A"], []], "names": []}),
        'steps[0].ask.groups: found [["A"], []]; expected lists of goals, none empty and no goal in two of them',
    ),
    "a goal in two groups": (
        changed("steps", 0, "ask", value={"groups": [["A"], ["A", "B"]], "names": []}),
        'steps[0].ask.groups: found [["A"], ["A", "B"]]; '
        "expected lists of goals, none empty and no goal in two of them",
    ),
    "a choice of one": (
        changed("steps", 0, "ask", value={"groups": [["A", "B", "C"]], "names": []}),
        'steps[0].ask.groups: found [["A", "B", "C"]]; expected a choice with at least two answers',
    ),
    "a group that was not offered": (
        changed("steps", 0, "ask", value={"groups": [["A"], ["B"]], "names": []}),
        "steps[0].answer: found false; expected a whole number from 0 to 2",
    ),
    "answers that are always wrong": (
        changed("answers", "wrong", value=1),
        "answers.wrong: found 1; expected a number from 0 and below 0.5",
    ),
    "a belief in numbers": (
        changed("steps", 0, "belief", value=[1, 0, 0]),
        "steps[0].belief: found [1, 0, 0]; expected an object, { ... }",
    ),
    "a belief that lacks a station": (
        changed("steps", 0, "belief", value={"A": 0.5, "B": 0.5}),
        f"steps[0].belief.C: {REQUIRED}",
    ),
    "a negative belief": (
        changed("steps", 0, "belief", "A", value=-0.5),
        "steps[0].belief.A: found -0.5; expected a finite number from 0",
    ),
    "a step of number 0": (
        changed("steps", 0, "t", value=0),
        "steps[0].t: found 0; expected a whole number from 1 to 10000000",
    ),
    "no reason": (changed("steps", 0, "why", value=None), "steps[0].why: found null; expected a string"),
    "a value in words": (
        changed("steps", 0, "value", value="much"),
        'steps[0].value: found "much"; expected a finite number from 0',
    ),
    "a worker in a wall": (
        changed("steps", 0, "worker", value=[3, 1]),
        "steps[0].worker: found (3, 1), a wall; expected a free cell",
    ),
    "a gate that lacks a key": (lacking("steps", 0, "gate", "possible"), f"steps[0].gate.possible: {REQUIRED}"),
    "a gate that is said to be closed": (
        changed("steps", 0, "gate", "open", value=False),
        "steps[0].gate.open: found false; expected true, as the rest says",
    ),
    "a gate for more goals than there are": (
        changed("steps", 0, "gate", "possible", value=4),
        "steps[0].gate.possible: found 4; expected a whole number from 1 to 3",
    ),
    "an unknown action at the gate": (
        changed("steps", 0, "gate", "common", value=["JUMP"]),
        f"steps[0].gate.common[0]: found \"JUMP\"; expected one of {MOVES}, 'NOOP', 'PICKUP A', 'PICKUP B', 'PICKUP C'",
    ),
    "a pair of three": (
        changed("steps", 0, "pairs", 0, "goals", value=["A", "B", "C"]),
        'steps[0].pairs[0].goals: found ["A", "B", "C"]; expected two of them',
    ),
    "a pair that is said not to matter now": (
        changed("steps", 0, "pairs", 0, "now", value=False),
        "steps[0].pairs[0].now: found false; expected true, as the rest says",
    ),
    "zones in words": (
        changed("steps", 0, "pairs", 0, "informed", value="soon"),
        'steps[0].pairs[0].informed: found "soon"; expected a finite number from 0',
    ),
    "a fault in the instance": (
        changed("instance", "width", value=0),
        "instance.width: found 0; expected a whole number from 1 to 10000",
    ),
    "a marginal cost of 400 digits": (
        changed("marginal_cost", value=10**400),
        f"marginal_cost: found 1{'0' * 56}...; expected a finite number",
    ),
    "a cost that adds up to infinity": (
        changed("steps", 1, "cost", value=1.7e308),
        "steps[1].cost: found 1.7e+308; expected at most 1e+18",
    ),
    "an infinite cost": (
        changed("known_cost", value=float("inf")),
        "known_cost: found Infinity; expected a finite number from 0",
    ),
    "a second best question of 400 digits": (
        changed("steps", 0, "runner_up", value={"stations": ["A"], "net": -(10**400)}),
        f"steps[0].runner_up.net: found -1{'0' * 55}...; expected a finite number",
    ),
    "a second best question without end": (
        changed("steps", 0, "runner_up", value={"stations": ["A"], "net": float("-inf")}),
        "steps[0].runner_up.net: found -Infinity; expected a finite number",
    ),
    "an instance of another format": (
        changed("instance", "format", value="other"),
        "instance.format: found \"other\"; expected one of 'askwise/tool-fetching@1', 'askwise/problem@1'",
    ),
}


@each(FAULTS)
def test_faulty_traces_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


@pytest.mark.parametrize("seed", [1.5, -1, "7", True])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match=r"^seed: found .*; expected a whole number from 0"):
        changed("seed", value=seed)()


def test_a_cost_that_does_not_add_up_is_refused() -> None:
    cost = trace.to_json(episode(AsksHalf()))["cost"]
    assert_refused(changed("cost", value=3.5), f"cost: found 3.5; expected {cost}, the sum of the costs of the steps")


INCONSISTENT = {
    "a step with neither action nor question": changed("steps", 0, "ask", value=None),
    "a step with both": changed("steps", 0, "action", value="NOOP"),
    "an answer without a question": changed("steps", 2, "answer", value=True),
    "a step in which the worker did nothing at all": changed("steps", 2, "worker_action", value=None),
    "a question in which the worker moved": changed("steps", 0, "worker_action", value="NORTH"),
    "a marginal cost that does not add up": changed("marginal_cost", value=99.0),
    "steps out of order": changed("steps", 1, "t", value=7),
}


@pytest.mark.parametrize("attempt", INCONSISTENT.values(), ids=INCONSISTENT)
def test_traces_that_contradict_themselves_are_refused(attempt: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        attempt()


def test_zones_without_end_survive() -> None:
    problem = episode().problem
    endless = PairZones(0, 1, informed=np.inf, branching=2.0, expected=(np.inf, 3.0), weight=np.inf)
    written = json.dumps(pairs_to_json(problem, [endless]), allow_nan=False)
    assert pairs_from_json(problem, Field("pairs", json.loads(written))) == (endless,)


def test_an_empty_file_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("\n")
    with pytest.raises(InputError, match=r"^file '.*empty\.json': found nothing in it; expected a trace"):
        trace.load(tmp_path / "empty.json")


def test_a_problem_of_no_domain_has_no_traces() -> None:
    other = simulate(Elsewhere(Coverage("A..\nWF.\n..B")), seed=1)
    refused = "episode: found a problem of type Elsewhere; expected tool fetching, two agents"
    assert_refused(lambda: trace.to_json(other), refused)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "episode.json"
    assert_refused(
        lambda: trace.load(missing),
        f"file '{missing}': found no such file or directory; expected a file that can be read",
    )
    assert_refused(
        lambda: trace.save(episode(), missing),
        f"file '{missing}': found no such file or directory; expected a place that can be written to",
    )
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(trace.to_json(episode()))[:-1])
    with pytest.raises(InputError, match=r"^line 1, column \d+: found something that is not JSON"):
        trace.load(broken)


def test_traces_with_the_earlier_name_of_a_cost() -> None:
    episode = simulate(workshop(), "never", goal="B", seed=4)
    stated = trace.to_json(episode)
    earlier = {"optimal_cost" if key == "known_cost" else key: value for key, value in stated.items()}
    assert trace.from_json(json.loads(json.dumps(earlier))).known_cost == episode.known_cost
    with pytest.warns(DeprecationWarning, match="known_cost"):
        assert episode.optimal_cost == episode.known_cost

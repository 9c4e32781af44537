"""Agents and teammates that fail: the error messages, and the errors that pass unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import askwise
from askwise import evaluate, simulate
from askwise.cli import main
from askwise.core.belief import ContradictoryObservation
from askwise.core.game import InvalidDecision
from askwise.core.teammates import Teammate
from askwise.domains.tool_fetching import ToolFetching
from askwise.methods import Agent, AgentFailed, Decision, Interruption, Never, Observation
from askwise.seeds import Seed
from askwise.types import FloatArray
from tests.methods.blamed import FILE, Culprit, culprits
from tests.tool_fetching import workshop

BY_NAME = {str(culprit): culprit for culprit in culprits()}
GOALS = "expected some of 0 to 2, each once"
COPY = "(problems are read-only: work on a copy)"
SHARED = "problems and what they are made of cannot be changed"
SAID = {
    "InitExits": "found SystemExit: 0{place}; expected an agent that can be made",
    "ResetRaises": "agent 'resetraises' failed in reset: KeyError: 'prior'{place}",
    "ResetForgets": "failed in decide: AttributeError: 'ResetForgets' object has no attribute 'tracker'{place}",
    "Normalises": f"failed in reset: ValueError: output array is read-only {COPY}{{place}}",
    "SetsPrior": f"agent 'setsprior' failed in reset: {SHARED}: ToolFetching.prior was to be set{{place}}",
    "SetsPrice": f"failed in reset: FrozenInstanceError: cannot assign to field 'base' {COPY}{{place}}",
    "WritesSuccessor": f"failed in decide: ValueError: assignment destination is read-only {COPY}{{place}}",
    "RaisesLater": "step 2: agent 'raiseslater' failed in decide: RuntimeError: the second is too much{place}",
    "RunsDeep": "step 1: agent 'runsdeep' failed in decide: RecursionError: maximum recursion depth exceeded{place}",
    "RaisesOdd": "step 1: agent 'raisesodd' failed in decide: Odd: an error that cannot be shown{place}",
    "RaisesItsOwn": "step 1: agent 'raisesitsown' failed in decide: enough: found 3; expected less{place}",
    "ReturnsShy": "agent 'returnsshy' decided something of type Shy that cannot be shown; expected a Decision{place}",
    "AsksFive": f"step 1: agent 'asksfive' asked about 5; {GOALS}{{place}}",
    "AsksFloats": f"step 1: agent 'asksfloats' asked about goals [1.0]; {GOALS}{{place}}",
    "WhyNone": "step 1: agent 'whynone' gave as its why None; expected a text{place}",
    "WhyHalf": "gave as its why a text with '\\udcff' in it; expected printable characters{place}",
    "ValueNan": "step 1: agent 'valuenan' gave the value nan; expected a finite number, or None{place}",
    "RunnerUpFive": "gave the runner-up 5; expected goals and a number, or None{place}",
    "BeliefRaises": "step 1: agent 'beliefraises' failed in probabilities: KeyError: 'belief'{place}",
    "BeliefShort": "has a belief of 2 probabilities; expected 3 probabilities, one for each goal{place}",
    "BeliefMuch": "has a belief with a sum of 3; expected probabilities from 0 that sum to 1{place}",
    "BeliefNegative": (
        "has a belief with the probability -0.5 of goal 1; expected probabilities from 0 that sum to 1{place}"
    ),
    "NameLines": "agent 'NameLines' has the name 'one\\ntwo'; expected a text on one line ({file}, line ",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workshop().save(tmp_path / "shop.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", SAID)
def test_a_command_says_whose_fault_it_was(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``make torture`` runs all misbehaving agents in every command."""
    culprit = BY_NAME[name]
    assert main(["run", "shop.json", "--seed", "1", "--method", culprit.place]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    culprit.assert_named(printed.err.removesuffix("\n"))
    assert SAID[name].format(place=f" ({FILE}, line {culprit.line})", file=FILE) in printed.err


def played(culprit: Culprit) -> list[Callable[[], object]]:
    agent = culprit.place
    return [
        lambda: simulate(workshop(), agent, seed=1),
        lambda: askwise.ask(workshop(), agent),
        lambda: evaluate(workshop(), agent, episodes=2),
        lambda: evaluate(workshop(), agent, exact=True),
    ]


@pytest.mark.parametrize("name", ["Raises", "Exits", "BeliefRaises", "ResetRaises"])
def test_from_python_all_of_the_error_is_there(name: str) -> None:
    for attempt in played(BY_NAME[name]):
        with pytest.raises(AgentFailed) as caught:
            attempt()
        BY_NAME[name].assert_named(str(caught.value))
        assert isinstance(caught.value.__cause__, ZeroDivisionError | SystemExit | KeyError)


@pytest.mark.parametrize("name", ["HoldsLock", "HoldsLockLater", "CopyRaises", "CopyNothing"])
def test_an_agent_that_cannot_be_copied(name: str) -> None:
    culprit = BY_NAME[name]
    assert evaluate(workshop(), culprit.place, episodes=2).method == culprit.kind.name
    with pytest.raises((AgentFailed, InvalidDecision)) as caught:
        evaluate(workshop(), culprit.place, exact=True)
    culprit.assert_named(str(caught.value))
    assert name == "CopyNothing" or "copies the agent, --episodes does not" in str(caught.value)


def test_what_is_seen_before_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    culprit = BY_NAME["WatchRaises"]
    assert main(["ask", "shop.json", "--method", culprit.place, "--seen", "EAST"]) == 2
    culprit.assert_named(capsys.readouterr().err.removesuffix("\n"))


def test_all_of_an_error_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["run"], ["ask"], ["evaluate", "--exact"]):
        place = BY_NAME["Raises"].place
        assert main([*command, "shop.json", "--method", place, "--traceback"]) == 2
        printed = capsys.readouterr().err
        assert "return 1 / 0  # HERE" in printed
        assert printed.splitlines()[-1].startswith(f"askwise {command[0]}: step 1: agent 'raises' failed in decide: ")


# -- what goes through -------------------------------------------------------------------------------------------


class Throws(Never):
    """An agent that raises a given error."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def decide(self, observation: Observation) -> Decision:
        raise self.error


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Interruption])
def test_whoever_stops_an_agent_from_outside_is_heard(kind: type[BaseException]) -> None:
    for attempt in (simulate, askwise.ask):
        with pytest.raises(kind) as caught:
            attempt(workshop(), Throws(kind("enough")))
        assert caught.value.__cause__ is None


def test_a_contradiction_stays_one() -> None:
    with pytest.raises(ContradictoryObservation, match=r"^step 1: impossible$"):
        simulate(workshop(), Throws(ContradictoryObservation("impossible")))


def test_what_askwise_itself_refuses_is_said_as_always() -> None:
    with pytest.raises(askwise.InputError, match=r"^query cost: found a price that is no sum"):
        simulate(_by_the_square(), "planner", seed=1)


def _by_the_square() -> askwise.FactoredProblem:
    model = askwise.GridWorld(3, 3)
    goals = {"a": (0, 2), "b": (2, 2), "c": (2, 0)}
    return askwise.FactoredProblem(
        goals, teammate_model=model, start=((0, 0), (1, 1)), query_cost=lambda asked: float(len(asked) ** 2)
    )


# -- teammates ---------------------------------------------------------------------------------------------------


class Falls(Teammate):
    """A teammate that fails in one of its methods and has no valid name."""

    def __init__(self, method: str) -> None:
        self.method = method

    def errs(self, problem: askwise.Problem, goal: int) -> bool:
        return self.fails("errs")

    def reset(self, problem: askwise.Problem, goal: int, rng: np.random.Generator) -> None:
        super().reset(problem, goal, rng)
        self.fails("reset")

    def act(self, state: int) -> int:
        return int(self.fails("act"))

    def fails(self, method: str) -> bool:
        if method == self.method:
            raise ZeroDivisionError("on purpose")
        return False


@pytest.mark.parametrize(("method", "step"), [("errs", ""), ("reset", ""), ("act", "step 1: ")])
def test_a_teammate_that_fails(method: str, step: str) -> None:
    line = Falls.fails.__code__.co_firstlineno + 2
    with pytest.raises(AgentFailed) as caught:
        simulate(workshop(), "never", Falls(method), seed=1)
    error = f"ZeroDivisionError: on purpose ({__file__}, line {line})"
    assert str(caught.value) == f"{step}teammate 'falls' failed in {method}: {error}"


class Strays(Falls):
    """A teammate whose actions are invalid."""

    def act(self, state: int) -> int:
        return self.method  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (3, "chose WEST, which is not available there"),
        (99, "chose action 99; expected a number from 0 to 5"),
        (None, "chose action None; expected a number from 0 to 5"),
    ],
)
def test_a_teammate_whose_action_is_invalid(action: object, words: str) -> None:
    with pytest.raises(InvalidDecision) as caught:
        simulate(workshop(), "never", Strays(action), seed=1)  # type: ignore[arg-type]
    line = Strays.act.__code__.co_firstlineno
    assert str(caught.value) == f"step 1: teammate 'strays' {words} ({__file__}, line {line})"


@pytest.mark.parametrize("name", [5, "", "a\nb", "\udcff"])
def test_a_teammate_without_a_name(name: object) -> None:
    teammate = Falls("nowhere")
    teammate.name = name  # type: ignore[assignment]
    with pytest.raises(InvalidDecision, match=r"^teammate 'Falls' has the name .*; expected a text on one line \("):
        simulate(workshop(), "never", teammate, seed=1)


# -- what an episode keeps ---------------------------------------------------------------------------------------


class Plain(Agent):
    """An agent that returns numpy numbers, asks in step 2, and changes the array of its belief in every step."""

    def __init__(self, ask: object) -> None:
        self.asked = ask

    def reset(self, problem: askwise.Problem, seed: Seed = None) -> None:
        super().reset(problem, seed)
        self.belief = np.array([1.0, 0.0, 0.0])
        self.turns = 0

    @property
    def probabilities(self) -> FloatArray:
        return self.belief

    def decide(self, observation: Observation) -> Decision:
        self.turns += 1
        self.belief[:] = np.roll(self.belief, 1)
        if self.turns == 2:
            return Decision(ask=self.asked, considered=self.asked, value=np.float32(0.5), runner_up=[[0], 1])  # type: ignore[arg-type]
        return Decision(action=np.int64(4))  # type: ignore[arg-type]


@pytest.mark.parametrize("asked", [(1, 2), [1, 2], {2, 1}, range(1, 3), np.array([1, 2]), (np.int32(1), np.uint8(2))])
def test_what_an_episode_keeps_is_plain_and_stays_as_it_was(asked: object) -> None:
    episode = simulate(workshop(), Plain(asked), goal="A", seed=1, max_steps=4)
    assert [step.belief.tolist() for step in episode.steps if step.belief is not None] == [
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 0],
    ]
    decision = episode.steps[1].decision
    assert repr((decision.ask, decision.considered, decision.value)) == "((1, 2), (1, 2), 0.5)"
    assert repr(decision.runner_up) == "((0,), 1.0)"
    assert repr(episode.steps[0].decision.action) == "4"
    with pytest.raises(ValueError, match="read-only"):
        episode.steps[0].belief[0] = 1.0  # type: ignore[index]


def test_a_belief_may_be_given_in_other_numbers() -> None:
    class Simple(Never):
        @property
        def probabilities(self) -> FloatArray:
            return [1, 0, 0]  # type: ignore[return-value]

    first = simulate(ToolFetching(workshop()), Simple(), seed=1).steps[0].belief
    assert first is not None
    assert first.dtype == np.float64
    assert first.tolist() == [1.0, 0.0, 0.0]

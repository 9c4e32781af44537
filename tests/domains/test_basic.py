"""Domains from three functions: defaults and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

import pytest

import askwise
from askwise.core.problem import JointState, joint_state, teammate_goals
from askwise.domains import registry
from askwise.domains.basic import BasicDomain, BasicProblem
from askwise.studies.schema.domain import studies_of
from askwise.text.reading import Field
from askwise.view import text
from askwise.view.scene_builder import start_scene
from askwise.view.summary import describe, episode_to_text
from tests.domains import rails
from tests.domains.rails import RAILS, Line
from tests.domains.toy import plug_in
from tests.refused import assert_refused

LINE = Line(("gate", "park", "bridge", "town"), tram="gate", bus="bridge")


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package of the domain."""
    plug_in(monkeypatch, EntryPoint("rails", f"{rails.__name__}:RAILS", registry.GROUP))
    yield
    registry.domain.cache_clear()


def domain(**other: Any) -> BasicDomain:
    """Return the domain with some of its functions replaced."""
    given: dict[str, Any] = {
        "format": rails.FORMAT,
        "instance": Line,
        "problem": rails.as_problem,
        "read": rails.read,
        "write": rails.write,
    }
    return BasicDomain("rails", **{**given, **other})


def test_it_owns_its_instances_and_their_problems_only() -> None:
    problem = RAILS.problem(LINE)
    assert RAILS.recognises(LINE)
    assert RAILS.recognises(problem)
    assert RAILS.problem(problem) is problem
    assert not RAILS.recognises(askwise.Coverage("A.W\nF.B"))
    assert not RAILS.recognises(BasicProblem("another instance", goals={"x": "b", "y": "a"}, **_two_states()))


def _two_states() -> dict[str, Any]:
    return {"teammate_model": askwise.Model.from_edges([("a", "go", "b"), ("b", "go", "a")]), "start": ("a", "a")}


def test_problems_are_equal_if_their_instances_and_starts_are() -> None:
    one, other = RAILS.problem(LINE), RAILS.problem(Line(LINE.stops, "gate", "bridge"))
    assert one == other
    assert one != RAILS.problem(Line(LINE.stops, "gate", "town"))
    assert one != LINE
    elsewhere = RAILS.problem(one, JointState(0, 1))
    assert (elsewhere.start, one.start) == (JointState(0, 1), JointState(0, 2))
    assert elsewhere != one


def test_a_start_that_its_file_does_not_hold_is_not_written() -> None:
    elsewhere = RAILS.problem(RAILS.problem(LINE), joint_state(RAILS.problem(LINE), "gate", "town"))
    assert registry.domain_of(elsewhere) is RAILS
    assert_refused(
        lambda: RAILS.write(elsewhere),
        "start: found 'gate' and 'town', where its instance does not start; "
        "expected the start of its instance: a file of toy/rails@1 holds no other",
    )


def test_files_hold_what_json_holds() -> None:
    contents = RAILS.write(LINE)
    assert contents == {
        "format": rails.FORMAT,
        "stops": ["gate", "park", "bridge", "town"],
        "tram": "gate",
        "bus": "bridge",
    }
    assert RAILS.read(Field("", contents)) == LINE


def test_everybody_speaks_its_words() -> None:
    story = episode_to_text(askwise.simulate(LINE, "ezq-exact", goal="town", seed=1))
    assert story.startswith("Rails: tram on a graph of 4 states, bus on a graph of 4 states, 4 stops\n")
    assert "\ntram starts at gate, bus at bridge\n" in story
    assert "\nT tram, B bus, o stop, * where the bus goes\n" in text.draw(start_scene(LINE))
    assert describe(RAILS.problem(LINE)).splitlines()[2].split() == ["stop", "likely", "tram", "bus"]


def test_places_on_the_command_line() -> None:
    problem = RAILS.problem(LINE)
    assert RAILS.parse_state(problem, "park", "town") == joint_state(problem, "park", "town")
    model, goals, start = teammate_goals(problem)
    assert (model.n_states, list(goals), start) == (4, list(LINE.stops), "gate")


def test_studies_take_its_files_and_call_things_by_its_words() -> None:
    studies = studies_of("rails")
    assert (studies.words.goal, studies.words.teammate, studies.words.price) == ("stop", "tram", "per-stop cost")
    assert (
        studies.words.priors == "far favours stops far from the tram, near favours stops near it, uniform favours none."
    )
    assert_refused(
        lambda: studies.parameters(Field("instances", {})),
        "instances.domain: found 'rails', which has no random instances; expected instances from files",
    )


def test_a_problem_under_other_terms_is_no_longer_what_its_file_says() -> None:
    other = studies_of("rails").with_terms(RAILS.problem(LINE), "near", 1.0, askwise.QueryCost(0.1))
    assert not RAILS.recognises(other)
    domain = registry.domain_of(other)
    assert domain.name == "problem"
    assert domain.write(other)["query_cost"]["base"] == 0.1


@dataclass
class Other:
    """A class that is not an instance of this domain."""


def test_functions_that_return_something_else_are_told_so() -> None:
    def forgets(line: Line) -> Any:
        return askwise.FactoredProblem(goals={"x": "b", "y": "a"}, **_two_states())

    def mistakes(line: Line) -> Any:
        return rails.as_problem(Line(line.stops, line.tram, line.tram))

    for function, kind in ((forgets, "FactoredProblem"), (mistakes, "BasicProblem")):
        assert_refused(
            lambda function=function: domain(problem=function).problem(LINE),  # type: ignore[misc]
            f"domain 'rails': found a problem of type {kind} without the instance from which it was made; "
            "expected BasicProblem(instance, ...)",
        )
    assert_refused(
        lambda: domain(read=lambda _: Other()).read(Field("", {})),
        "domain 'rails': found something of type Other; expected a Line: it reads its files",
    )
    assert_refused(
        lambda: domain(instance=LINE),
        f"domain 'rails', instance: found {LINE!r}; expected the class of its instances",
    )

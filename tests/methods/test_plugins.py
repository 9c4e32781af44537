"""Agents of other packages, found by name through their entry points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from askwise import simulate
from askwise.errors import InputError
from askwise.methods import AGENTS, BeliefAgent, Never, make_agent, methods
from tests.tool_fetching import workshop

CODE = """
    from askwise.methods import Agent, BeliefAgent

    class Curious(BeliefAgent):
        '''Asks about the likeliest goal.'''

        name = "curious"

        def ask_or_wait(self, state, possible):
            return self.ask([int(self.probabilities.argmax())], "Ask about the likeliest.")

    def made_by_a_function(**options):
        made = Curious(**options)
        made.name = "made"
        return made

    class Stranger:
        def __init__(self, **options):
            pass

    def never_returns_one(**options):
        return "an agent"
"""

POINTS = """
    [askwise.methods]
    curious = {module}:Curious
    made = {module}:made_by_a_function
    stranger = {module}:Stranger
    word = {module}:never_returns_one
    missing = {module}:Missing
    never = {module}:Curious

    [something.else]
    other = {module}:Curious
"""

ADDED = ["curious", "made", "stranger", "word", "missing"]


@pytest.fixture(autouse=True)
def distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create an installed package: a module, and a folder with its metadata."""
    module = f"curious_agents_{tmp_path.name}"  # a name of its own: modules stay imported
    (tmp_path / f"{module}.py").write_text(dedent(CODE), encoding="utf-8")
    info = tmp_path / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(dedent(POINTS).format(module=module), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_all_methods_are_listed_askwises_own_first() -> None:
    assert list(methods()) == [*AGENTS, *ADDED]


def test_a_plugin_is_made_by_name_with_its_options() -> None:
    agent = make_agent("curious", belief="bayes")
    assert agent.name == "curious"
    assert type(agent).__name__ == "Curious"
    assert isinstance(agent, BeliefAgent)
    assert agent.belief_kind == "bayes"


def test_a_plugin_may_be_a_function() -> None:
    assert make_agent("made", belief="robust").name == "made"


def test_a_plugin_plays() -> None:
    episode = simulate(workshop(), "curious", goal="C", seed=1)
    assert episode.finished
    assert episode.method == "curious"
    assert episode.questions[0].decision.why == "Ask about the likeliest."


def test_no_plugin_takes_the_place_of_an_agent_of_askwise() -> None:
    assert isinstance(make_agent("never"), Never)
    assert methods()["never"] is Never


def refused(attempt: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        attempt()
    return str(caught.value)


def test_plugins_are_among_what_is_suggested() -> None:
    names = ", ".join(map(repr, [*AGENTS, *ADDED]))
    assert refused(lambda: make_agent("curios")) == (
        f"method: found 'curios'; expected one of {names} (did you mean 'curious'?)"
    )
    assert refused(lambda: make_agent("ezp")) == f"method: found 'ezp'; expected one of {names} (did you mean 'ezq'?)"
    assert refused(lambda: make_agent("zzz")) == f"method: found 'zzz'; expected one of {names}"
    assert refused(lambda: make_agent("")) == f"method: found ''; expected one of {names}"


def test_what_is_no_agent_is_refused() -> None:
    assert refused(lambda: make_agent("stranger")) == (
        "method 'stranger': found something of type Stranger; expected an askwise Agent"
    )
    assert refused(lambda: make_agent("word")) == (
        "method 'word': found something of type str; expected an askwise Agent"
    )


def test_plugins_are_not_loaded_before_they_are_asked_for() -> None:
    # The entry point `missing` names nothing that exists. Listing and playing others is not disturbed by it.
    assert "missing" in methods()
    assert make_agent("curious").name == "curious"

"""The registry: the domain of a problem or a file, and domains of other packages in every command."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import askwise
from askwise import simulate, trace
from askwise.api import as_problem
from askwise.cli import main
from askwise.domains import registry
from askwise.domains.coverage import Coverage
from askwise.domains.registry import Domain
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.domain import DOMAIN
from askwise.text.reading import Field
from askwise.text.wording import PLAIN
from askwise.view import raster, text
from askwise.view.explain import as_json, to_text
from askwise.view.page import page_data, page_text
from askwise.view.scene_builder import scenes, start_scene
from askwise.view.summary import episode_to_text
from tests.domains.elsewhere import Elsewhere
from tests.domains.toy import FORMAT, TOY, Sketch, plug_in, plugged
from tests.refused import assert_refused
from tests.tool_fetching import workshop

__all__ = ["plugged"]

OWN = "askwise/tool-fetching@1"
FORMATS = (OWN, "askwise/problem@1")
ONE_OF = "one of " + ", ".join(map(repr, FORMATS))
SKETCH = Sketch("A..#B\n..W..\nF...C\n")


# -- whose is it? ------------------------------------------------------------------------------------------------


def test_instances_and_problems_have_a_domain() -> None:
    assert registry.domain("tool-fetching") is DOMAIN
    assert registry.domain_of(workshop()) is registry.domain_of(ToolFetching(workshop())) is DOMAIN
    assert isinstance(DOMAIN, Domain)
    assert registry.names()[0] == "tool-fetching"


def test_what_is_of_no_domain_is_refused() -> None:
    problem = Elsewhere(Coverage(SKETCH.drawing))
    assert registry.find_domain(problem) is None
    assert registry.words_of(problem) is PLAIN
    refused = "found a problem of type Elsewhere; expected tool fetching, two agents"
    assert_refused(lambda: registry.domain_of(problem), f"problem: {refused}")
    assert_refused(lambda: registry.domain_of(problem, "episode"), f"episode: {refused}")
    assert_refused(
        lambda: registry.domain_of(3), "problem: found something of type int; expected tool fetching, two agents"
    )
    assert_refused(
        lambda: registry.domain("chess"), "domain: found 'chess'; expected one of 'tool-fetching', 'problem'"
    )


def test_a_problem_stays_and_an_instance_or_a_file_becomes_one(tmp_path: Path) -> None:
    problem = Coverage(SKETCH.drawing)
    assert as_problem(problem) is problem
    workshop().save(tmp_path / "shop.json")
    for given in (workshop(), tmp_path / "shop.json", str(tmp_path / "shop.json")):
        assert as_problem(given) == ToolFetching(workshop())
    expected = "an Instance, the path of an instance file, or a Problem"
    assert_refused(lambda: as_problem(3), f"instance: found 3; expected {expected}")


# -- files -------------------------------------------------------------------------------------------------------


def test_the_format_says_who_reads_a_file() -> None:
    assert registry.read(json.dumps(workshop().to_json())) == workshop()
    assert registry.from_json(Field("instance", workshop().to_json())) == workshop()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "A.W.B",
            "here: found text that is neither JSON nor TOML; expected an instance file, "
            f"{', '.join(FORMATS)} (askwise new writes one); a drawn map becomes one with "
            "askwise new --kind map --from FILE",
        ),
        (
            'format = "askwise/decision@1"',
            "format: found a decision file; expected an instance file (askwise decide takes this one)",
        ),
        ("A = [", "line 1: found something that is not TOML (Invalid value); expected TOML: key = value, [table]"),
        ('format = "pddl"', f'format: found "pddl"; expected {ONE_OF}'),
        ("[]", "file: found []; expected an object, { ... }"),
        ("{}", "format: found nothing; expected this key, which is required"),
        ('{"format": 3}', f"format: found 3; expected {ONE_OF}"),
        ('{"format": ["a"]}', f'format: found ["a"]; expected {ONE_OF}'),
        (
            '{"format": "askwise/tool-fetching@2"}',
            f"format: found \"askwise/tool-fetching@2\"; expected {ONE_OF} (did you mean '{OWN}'?)",
        ),
    ],
)
def test_a_file_of_nobody(given: str, message: str) -> None:
    assert_refused(lambda: registry.read(given, "here"), message)


def test_policies_that_an_instance_file_cannot_hold_are_refused() -> None:
    class Wandering(ToolFetching):
        def __init__(self) -> None:
            super().__init__(workshop())
            self.policies = tuple(askwise.urop(self.grid, station.at) for station in self.instance.stations.values())

    problem = Wandering()
    assert_refused(
        lambda: DOMAIN.write(problem),
        f"teammate_policies: found your own policies; expected None: a file of {OWN} holds no policies",
    )


# -- domains of other packages -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("plugged")
def test_another_package_s_domain_is_found() -> None:
    assert registry.names() == ["tool-fetching", "problem", "toy"]
    assert registry.domain_of(SKETCH) is TOY
    assert registry.read(json.dumps({"format": FORMAT, "drawing": SKETCH.drawing})) == SKETCH
    assert registry.domain_of(TOY.problem(SKETCH)) is TOY, "although it is built on what is stated plainly"
    assert registry.domain_of(Coverage(SKETCH.drawing)) is registry.domain("problem")
    assert_refused(
        lambda: registry.domain_of(Elsewhere(Coverage(SKETCH.drawing))),
        "problem: found a problem of type Elsewhere; expected tool fetching, two agents, two agents",
    )


@pytest.mark.usefixtures("plugged")
def test_it_can_be_told_drawn_and_recorded(tmp_path: Path) -> None:
    episode = simulate(SKETCH, "ezq-exact", seed=2)
    story = episode_to_text(episode)
    assert story.startswith("Two agents: 5 x 3 cells, 1 wall, 3 goals\n")
    assert "\nteammate starts at (2, 1), ego agent at (0, 0)\n" in story
    assert "\n  step  ego agent        teammate         goals   likeliest\n" in story
    for words in ("worker", "fetcher", "station", "tool"):
        assert words not in story + page_text(episode).replace('role="toolbar"', "")
    frames = page_data(episode)["frames"]
    assert (frames[0]["teammate"], frames[0]["carried"], frames[0]["hands"]) == ([2, 1], "", "")
    trace.save(episode, tmp_path / "episode.json")
    assert trace.load(tmp_path / "episode.json") == episode
    step = json.loads((tmp_path / "episode.json").read_text())["steps"][-1]
    assert {"teammate", "ego", "teammate_action"} <= set(step)
    shapes = {raster.draw(scene).shape for scene in scenes(episode)}
    assert len(shapes) == 1


@pytest.mark.usefixtures("plugged")
def test_its_map_has_neither_landmarks_nor_loads() -> None:
    drawing = text.draw(start_scene(SKETCH, np.array([0.5, 0.5, 0.0])))
    assert drawing == (
        "2 A  .  .  ## B\n1 .  .  T  .  .\n0 E  .  .  .  x\n  0  1  2  3  4\n\n"
        "T teammate, E ego agent, x ruled out, # wall\n"
        "for A the ego agent goes to C or B; for B the ego agent goes to C or A; for C\n"
        "the ego agent goes to A or B\n"
        "teammate at (2, 1); ego agent at (0, 0)\n"
        "belief: A 50 %, B 50 %; 1 ruled out\n5 x 3 cells, 1 wall, 3 goals\n"
    )


@pytest.mark.usefixtures("plugged")
def test_every_command_takes_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sketch.json"
    path.write_text(json.dumps({"format": FORMAT, "drawing": SKETCH.drawing}))
    printed = {}
    for command in ("show", "run --seed 1", "ask", "edp", "solve", "evaluate --exact"):
        name, *options = command.split()
        assert main([name, str(path), *options]) == 0
        printed[name] = capsys.readouterr().out
    assert printed["show"].startswith("Two agents: 5 x 3 cells, 1 wall, 3 goals\n")
    assert "now        teammate at (2, 1); ego agent at (0, 0)\npossible   3 of 3 goals\n" in printed["ask"]
    assert main(["run", str(path), "--method", "baseline", "--seed", "1", "--json"]) == 0
    queries = json.loads(capsys.readouterr().out)["queries"]
    assert all("goals" in query for query in queries)


@pytest.mark.parametrize(
    ("value", "found", "expected"),
    [
        ("no_such_module:X", "No module named 'no_such_module'", "a domain that can be loaded"),
        ("askwise:errors", "something of type module", "an object with all members of Domain"),
    ],
)
def test_a_broken_package_is_named(monkeypatch: pytest.MonkeyPatch, value: str, found: str, expected: str) -> None:
    plug_in(monkeypatch, EntryPoint("broken", value, registry.GROUP))
    assert_refused(lambda: registry.domain_of(3), f"domain 'broken': found {found}; expected {expected}")
    assert registry.domain_of(workshop()) is DOMAIN, "what is found before it is not bothered"


# -- problems of no domain ---------------------------------------------------------------------------------------


def test_advice_for_any_problem_is_explained() -> None:
    advice = askwise.ask(Elsewhere(Coverage(SKETCH.drawing)), "ezq-exact")
    words = to_text(advice)
    assert "\nnow        teammate at (2, 1); ego agent at (0, 0)\npossible   3 of 3 goals\n" in words
    assert list(as_json(advice))[:2] == ["ask", "action"]


def test_coverage_files_are_refused_with_what_to_write_instead() -> None:
    assert_refused(
        lambda: registry.read('format = "askwise/coverage@1"\nmap = """\nA.W\nF.B\n"""'),
        "format: found askwise/coverage@1, which is no longer read; expected askwise/problem@1: the same map under "
        'teammate and ego, start = "W" and start = "F", and for each goal ego = the list of all other goals '
        "(askwise new --kind coverage writes an example)",
    )

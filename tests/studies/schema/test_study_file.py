"""Study files: allowed keys, defaults, and error messages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askwise.errors import InputError
from askwise.methods import AGENTS
from askwise.studies.schema.domain import RandomMaps
from askwise.studies.schema.instances import Generated, Given
from askwise.studies.schema.study import FROM_FILE, Exactly, Method, StudyPrior
from askwise.studies.schema.study_file import (
    is_the_papers,
    load_study,
    merged,
    quicker,
    read_settings,
    shipped_studies,
    study_from,
)
from tests.domains.instances import instance_json
from tests.refused import Fault, assert_refused, each
from tests.studies.studies import small, toml

PAPER = Generated(100, RandomMaps())
FULL = """
name = "mine"
title = "All there is"
seed = 3
episodes = 2
max_steps = 500
priors = ["far", {kind = "near", temperature = 2.0}, {kind = "far", temperature = 3, label = "flat"}]
per_goal = [0, 0.2]
base = [0.5, 1]
teammates = ["urop", "noisy:0.1"]
beliefs = ["elimination", "bayes"]
methods = ["never", {name = "ezq", label = "auto", optimiser = "auto"}, {name = "ezq", optimiser = "local"}]

[instances]
count = 7
size = [5, 6]
stations = 4
toolboxes = 2
walls = 0.1
clustered = true
"""


def test_all_keys(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FULL)
    study = load_study(path)
    assert (study.name, study.title, study.seed, study.episodes, study.max_steps) == ("mine", "All there is", 3, 2, 500)
    assert study.instances == Generated(7, RandomMaps(5, 6, 4, 2, 0.1, True))
    assert study.priors == (
        StudyPrior("far", "far"),
        StudyPrior("near, T=2", "near", 2.0),
        StudyPrior("flat", "far", 3.0),
    )
    assert (study.base, study.per_goal) == ((0.5, 1.0), (0.0, 0.2))
    assert study.teammates == ("urop", "noisy:0.1")
    assert study.methods == (
        Method("never", "never (elimination)", (("belief", "elimination"),)),
        Method("never", "never (bayes)", (("belief", "bayes"),)),
        Method("ezq", "auto (elimination)", (("optimiser", "auto"), ("belief", "elimination"))),
        Method("ezq", "auto (bayes)", (("optimiser", "auto"), ("belief", "bayes"))),
        Method("ezq", "ezq (optimiser=local) (elimination)", (("optimiser", "local"), ("belief", "elimination"))),
        Method("ezq", "ezq (optimiser=local) (bayes)", (("optimiser", "local"), ("belief", "bayes"))),
    )


def test_defaults() -> None:
    study = study_from({"name": "x", "methods": ["never"]})
    assert study.describe() == {
        "name": "x",
        "title": "x",
        "seed": 0,
        "episodes": 1,
        "max_steps": None,
        "instances": PAPER.describe(),
        "priors": [{"kind": "uniform", "temperature": 1.0, "label": "uniform"}],
        "teammates": ["urop"],
        "base": [0.5],
        "per_goal": [0.0],
        "methods": [{"name": "never", "label": "never"}],
        "bounds": 0,
        "exact": {"instances": 0, "priors": []},
    }


def test_expectations_are_for_all_priors_or_some() -> None:
    wanted = {"name": "x", "methods": ["never"], "priors": ["far", "near"], "bounds": 3}
    assert study_from({**wanted, "exact": {"instances": 2}}).exact == Exactly(2, ("far", "near"))
    some = study_from({**wanted, "exact": {"instances": 2, "priors": ["near"]}})
    assert (some.bounds, some.exact) == (3, Exactly(2, ("near",)))


def test_one_belief_needs_no_label_and_one_number_is_a_square() -> None:
    study = study_from({"name": "x", "methods": ["never"], "beliefs": ["bayes"], "instances": {"size": 12}})
    assert study.methods == (Method("never", "never", (("belief", "bayes"),)),)
    assert isinstance(study.instances, Generated)
    assert study.instances.parameters == RandomMaps(12, 12)


def test_what_a_study_says_of_itself_is_a_study_file(tmp_path: Path) -> None:
    (tmp_path / "again.toml").write_text(toml(small()))
    assert load_study(tmp_path / "again.toml") == small()


def test_shipped_studies_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped_studies() == ("beyond", "paper")
    beyond = load_study("beyond")
    assert beyond.episodes * beyond.instances.count >= 500
    paper = load_study("paper")
    assert paper.n_tasks * paper.episodes_per_task == 100 * 3 * 6 * 5
    assert paper.instances == PAPER
    # A folder of that name does not hide the shipped study, a file does.
    monkeypatch.chdir(tmp_path)
    Path("paper").mkdir()
    assert load_study("paper") == paper
    Path("paper").rmdir()
    Path("paper").write_text('name = "own"\nmethods = ["never"]')
    assert load_study("paper").name == "own"


# -- instances from files --------------------------------------------------------------------------------------------


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    for k, name in enumerate(["office.json", "more/b.json", "more/a.json"]):
        (tmp_path / name).write_text(json.dumps(instance_json(worker=[k, 0])))
    (tmp_path / "faulty.json").write_text(json.dumps(instance_json(worker=[99, 0])))
    (tmp_path / "garbage.json").write_text("{")
    return tmp_path


def given(folder: Path, *files: Any, **more: Any) -> Given:
    instances = study_from({"name": "x", "methods": ["never"], "instances": {"files": list(files)}, **more}, folder)
    assert isinstance(instances.instances, Given)
    return instances.instances


def test_files_and_patterns_are_relative_to_the_study(maps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(maps, "office.json", "more/*.json")
    assert found.files == ("office.json", "more/a.json", "more/b.json")
    assert [instance.worker for instance in found.instances] == [(0, 0), (2, 0), (1, 0)]
    assert given(maps, "**/[ab].json", str(maps / "off*.json")).count == 3
    # The study does not depend on the current folder.
    (maps / "s.toml").write_text('name = "x"\nmethods = ["never"]\ninstances = {files = ["office.json"]}')
    from_outside = load_study(maps / "s.toml")
    monkeypatch.chdir(maps)
    assert load_study("s.toml").fingerprint == from_outside.fingerprint


def test_names_with_stars_and_brackets_mean_themselves_where_there_are_such_files(maps: Path) -> None:
    for name in ("x[1]", "x1"):
        (maps / name).mkdir()
        (maps / name / f"{name[0]}.json").write_text((maps / "office.json").read_text())
    (maps / "a*.json").write_text((maps / "office.json").read_text())
    (maps / "ab.json").write_text("not this one")
    assert given(maps, "a*.json").files == ("a*.json",)
    assert given(maps, "x[1]/*.json", "x1").files == ("x[1]/x.json", "x1/x.json")
    assert given(maps, "x[1-9]/*.json").files == ("x1/x.json",)


def test_priors_and_costs_of_files_are_kept(maps: Path) -> None:
    study = study_from({"name": "x", "methods": ["never"], "instances": {"files": ["office.json"]}}, maps)
    assert study.priors == (StudyPrior(FROM_FILE, FROM_FILE),)
    assert (study.base, study.per_goal) == ((None,), (None,))
    changed = study_from(
        {
            "name": "x",
            "methods": ["never"],
            "priors": ["file", "near"],
            "base": 1,
            "instances": {"files": ["office.json"]},
        },
        maps,
    )
    assert [prior.kind for prior in changed.priors] == ["file", "near"]
    assert changed.base == (1.0,)


def test_files_that_cannot_be_used_are_refused(maps: Path) -> None:
    def refused(message: str, *files: Any) -> None:
        assert_refused(lambda: given(maps, *files), message)

    refused("instances.files: found []; expected at least one")
    refused(
        'instances.files[1]: found "none/*.json"; expected a pattern that some file matches',
        "office.json",
        "none/*.json",
    )
    refused("instances.files[0]: found 5; expected a string", 5)
    refused(
        "instances.files[2]: found 'more/a.json' again; expected every entry once",
        "more/*.json",
        "more/a.json",
    )
    missing = str(maps / "missing.json")
    refused(f"file {missing!r}: found no such file or directory; expected a file that can be read", "missing.json")
    refused(f"file {str(maps)!r}: found a folder, not a file; expected a file that can be read", "")
    faulty = str(maps / "faulty.json")
    refused(
        f"file {faulty!r}, worker: found [99, 0]; expected a cell [x, y] with x from 0 to 19 and y from 0 to 19",
        "faulty.json",
    )
    garbage = str(maps / "garbage.json")
    refused(
        f"file {garbage!r}, line 1, column 2: found something that is not JSON (Expecting property name enclosed in "
        "double quotes); expected one JSON object",
        "garbage.json",
    )
    refused('instances.files[0]: found "\\u0000*"; expected a pattern that some file matches', "\0*")
    nameless = str(maps / "\0")
    refused(f"file {nameless!r}: found a name that no file can have; expected a file name", "\0")
    long = f"file '{maps / ('n' * 4000)}'"
    too_long = "found file name too long; expected a file that can be read"
    refused(f"{long[:247]} ... {long[-247:]}: {too_long}", "n" * 4000)


# -- settings in place of others -------------------------------------------------------------------------------------


def test_settings_take_the_place_of_others() -> None:
    settings = {"name": "x", "base": 0.5, "instances": {"count": 5, "size": 9}}
    found = merged(settings, {"base": [1.0], "seed": 4, "instances": {"count": 2}})
    assert found == {"name": "x", "base": [1.0], "seed": 4, "instances": {"count": 2, "size": 9}}
    assert merged(settings, {}) == settings
    assert load_study("paper", {"instances": {"count": 3}, "methods": ["never"]}).n_tasks == 3


@pytest.mark.parametrize(
    ("costs", "kept"), [([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.2, 0.5]), ([1, 2, 3, 4], [1, 2, 4]), ([1, 2], [1, 2])]
)
def test_a_quick_study_is_a_part_of_the_study(costs: list[float], kept: list[float]) -> None:
    found = quicker({"name": "x", "per_goal": costs, "instances": {"count": 99, "size": 7}})
    assert found == {"name": "x-quick", "per_goal": kept, "instances": {"count": 10, "size": 7}}


def test_a_quick_study_draws_the_same_instances() -> None:
    settings, folder = read_settings("paper")
    quick, whole = study_from(quicker(settings), folder), load_study("paper")
    assert quick.n_tasks == 10
    assert quick.task(9).instance() == whole.task(9).instance()


@pytest.mark.parametrize(
    ("changes", "judged"),
    [
        ({}, True),
        ({"name": "mine", "seed": 3, "episodes": 2, "bounds": 1, "instances": {"count": 7}}, True),
        ({"per_goal": [0.0, 0.5]}, True),
        ({"per_goal": [0.0, 0.6]}, False),
        ({"methods": ["never", "ezq"]}, False),
        ({"methods": ["never", "baseline", "toolbox", "cost-prob", "ezq", "planner"]}, False),
        ({"priors": ["far"]}, False),
        ({"base": [0.3]}, False),
        ({"teammates": ["noisy:0.1"]}, False),
        ({"answers": ["wrong:0.1"]}, False),
        ({"instances": {"stations": 20}}, False),
        ({"instances": {"walls": 0.1}}, False),
    ],
)
def test_which_studies_the_papers_claims_are_about(changes: dict[str, Any], judged: bool) -> None:
    assert is_the_papers(load_study("paper", changes)) == judged


def test_a_quick_look_at_the_paper_is_the_papers_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quick = study_from(quicker(read_settings("paper")[0]))
    Path("paper").write_text('name = "another"\nmethods = ["never"]\n')  # a file of that name changes nothing
    assert is_the_papers(quick)
    assert not is_the_papers(load_study("beyond"))


def test_a_quick_study_leaves_small_ones_and_files_alone() -> None:
    assert quicker({"name": "x", "instances": {"count": 4}})["instances"] == {"count": 4}
    assert quicker({"name": "x", "instances": {"files": ["a"]}})["instances"] == {"files": ["a"]}
    assert quicker({"name": "x"})["instances"] == {"count": 10}


# -- what is refused -------------------------------------------------------------------------------------------------

METHODS = ", ".join(map(repr, AGENTS))
PRIORS = "one of 'uniform', 'far', 'near', 'fetcher-far', 'fetcher-near'"
TEAMMATES = "one of 'urop', 'uniform', 'noisy', 'detour', 'silent'"


def attempt(**settings: Any) -> Callable[[], object]:
    return lambda: study_from({"name": "x", "methods": ["never"], **settings})


def drawn(**settings: Any) -> Callable[[], object]:
    return attempt(instances=settings)


FAULTS: dict[str, Fault] = {
    "bounds below zero": (attempt(bounds=-1), "bounds: found -1; expected a whole number from 0"),
    "expectations without instances": (
        attempt(exact={"priors": ["far"]}),
        "exact.instances: found nothing; expected this key, which is required",
    ),
    "expectations under a prior that is not played": (
        attempt(priors=["far"], exact={"instances": 1, "priors": ["near"]}),
        "exact.priors[0]: found \"near\"; expected one of 'far'",
    ),
    "expectations under no prior": (
        attempt(priors=["far"], exact={"instances": 1, "priors": []}),
        "exact.priors: found []; expected at least one",
    ),
    "expectations under a prior twice": (
        attempt(priors=["far"], exact={"instances": 1, "priors": ["far", "far"]}),
        "exact.priors[1]: found 'far' again; expected every entry once",
    ),
    "unknown key": (
        attempt(methds=["never"]),
        'file: found the unknown key "methds"; expected only name, methods, title, seed, episodes, max_steps, '
        "priors, base, per_goal, teammates, answers, beliefs, bounds, exact, limits, "
        "instances (did you mean 'methods'?)",
    ),
    "no name": (
        lambda: study_from({"methods": ["never"]}),
        "name: found nothing; expected this key, which is required",
    ),
    "no methods": (lambda: study_from({"name": "x"}), "methods: found nothing; expected this key, which is required"),
    **{
        f"name {name!r}": (
            attempt(name=name),
            f"name: found {json.dumps(name)}; expected letters, digits, spaces, '.', '_' and '-': the name of a folder",
        )
        for name in ("", ".", "..", "a/b", "../a", ".hidden", "a\\b", "a\n", "a ", "C:")
    },
    "name of another type": (attempt(name=5), "name: found 5; expected a string"),
    "title": (attempt(title=["x"]), 'title: found ["x"]; expected a string'),
    "negative seed": (attempt(seed=-1), "seed: found -1; expected a whole number from 0"),
    "seed that is no number": (attempt(seed="1"), 'seed: found "1"; expected a whole number from 0'),
    "seed that is true": (attempt(seed=True), "seed: found true; expected a whole number from 0"),
    "no episodes": (attempt(episodes=0), "episodes: found 0; expected a whole number from 1 to 1000000"),
    "half an episode": (attempt(episodes=0.5), "episodes: found 0.5; expected a whole number from 1 to 1000000"),
    "no steps": (attempt(max_steps=0), "max_steps: found 0; expected a whole number from 1"),
    "priors, no list": (attempt(priors="far"), 'priors: found "far"; expected a list, [ ... ]'),
    "no priors": (attempt(priors=[]), "priors: found []; expected at least one"),
    "unknown prior": (attempt(priors=["farr"]), f"priors[0]: found \"farr\"; expected {PRIORS} (did you mean 'far'?)"),
    "a file's prior without files": (
        attempt(priors=["file"]),
        f'priors[0]: found "file"; expected {PRIORS}',
    ),
    "prior twice": (
        attempt(priors=["far", "far"]),
        "priors[1]: found 'far' again; expected every entry once",
    ),
    "prior without kind": (
        attempt(priors=[{"temperature": 1}]),
        "priors[0].kind: found nothing; expected this key, which is required",
    ),
    "unknown key of a prior": (
        attempt(priors=[{"kind": "far", "temp": 1}]),
        'priors[0]: found the unknown key "temp"; expected only kind, temperature, label '
        "(did you mean 'temperature'?)",
    ),
    "temperature 0": (
        attempt(priors=[{"kind": "far", "temperature": 0}]),
        "priors[0].temperature: found 0; expected a finite number above 0",
    ),
    "label without letters": (
        attempt(priors=[{"kind": "far", "label": " "}]),
        'priors[0].label: found " "; expected at least one letter',
    ),
    "cost not a number": (
        attempt(per_goal=[0.1, float("nan")]),
        "per_goal[1]: found NaN; expected a finite number from 0",
    ),
    "cost that adds up to infinity": (
        attempt(per_goal=[1.7e308]),
        "per_goal[0]: found 1.7e+308; expected at most 1e+12",
    ),
    "base price that does": (attempt(base=1e300), "base: found 1e+300; expected at most 1e+12"),
    "name of 4,000 letters": (
        attempt(name="n" * 4000),
        f'name: found a name of 4000 characters, "{"n" * 56}...; expected at most 200',
    ),
    "title of 4,000 letters": (
        attempt(title="t" * 4000),
        f'title: found a name of 4000 characters, "{"t" * 56}...; expected at most 200',
    ),
    "label of 4,000 letters": (
        attempt(methods=[{"name": "never", "label": "l" * 4000}]),
        f'methods[0].label: found a name of 4000 characters, "{"l" * 56}...; expected at most 200',
    ),
    "more cells than a map may have": (
        drawn(size=[4001, 4000]),
        "instances.width, height: found 4001 x 4000 cells; expected at most 16000000 cells",
    ),
    "infinite cost": (attempt(base=float("inf")), "base: found Infinity; expected a finite number from 0"),
    "negative cost": (
        attempt(per_goal=[-0.1]),
        "per_goal[0]: found -0.1; expected a finite number from 0",
    ),
    "cost twice": (
        attempt(per_goal=[0, 0.5, 0.0]),
        "per_goal[2]: found 0.0 again; expected every entry once",
    ),
    "no costs": (attempt(base=[]), "base: found []; expected at least one"),
    "both base prices": (
        attempt(base=[1], base_cost=1),
        "base_cost: found base as well; expected only base",
    ),
    "no answers": (attempt(answers=[]), "answers: found []; expected at least one"),
    "answers of no kind": (
        attempt(answers=["truthful", "rude"]),
        "answers[1]: found 'rude'; "
        "expected truthful, or some of wrong:E, refused:R and persistent, with commas between",
    ),
    "answers wrong too often": (
        attempt(answers=["wrong:0.6"]),
        "answers[0]: found 0.6; expected a number from 0 and below 0.5",
    ),
    "answers twice": (
        attempt(answers=["wrong:0.1", "wrong:0.10"]),
        "answers[1]: found 'wrong:0.1' again; expected every entry once",
    ),
    "no teammates": (attempt(teammates=[]), "teammates: found []; expected at least one"),
    "teammate twice": (
        attempt(teammates=["urop", "urop"]),
        "teammates[1]: found 'urop' again; expected every entry once",
    ),
    "teammate of another type": (attempt(teammates=[1]), "teammates[0]: found 1; expected a string"),
    "no beliefs": (attempt(beliefs=[]), "beliefs: found []; expected at least one"),
    "belief twice": (
        attempt(beliefs=["bayes", "bayes"]),
        "beliefs[1]: found 'bayes' again; expected every entry once",
    ),
    "unknown belief": (
        attempt(beliefs=["bays"]),
        "beliefs, belief: found 'bays'; expected one of 'elimination', 'bayes', 'robust' (did you mean 'bayes'?)",
    ),
    "belief in both places": (
        attempt(beliefs=["bayes"], methods=[{"name": "never", "belief": "bayes"}]),
        "methods[0].belief: found beliefs as well; expected one of the two",
    ),
    "no methods in the list": (attempt(methods=[]), "methods: found []; expected at least one"),
    "methods, no list": (attempt(methods="never"), 'methods: found "never"; expected a list, [ ... ]'),
    "unknown method": (
        attempt(methods=["ezp"]),
        f"methods[0]: found \"ezp\"; expected one of {METHODS} (did you mean 'ezq'?)",
    ),
    "method twice": (
        attempt(methods=["never", "never"]),
        "methods[1]: found 'never' again; expected every entry once",
    ),
    "label twice": (
        attempt(methods=["never", {"name": "ezq", "label": "never"}], beliefs=["bayes", "robust"]),
        "methods[1]: found 'never' again; expected every entry once",
    ),
    "method without name": (
        attempt(methods=[{"label": "a"}]),
        "methods[0].name: found nothing; expected this key, which is required",
    ),
    "unknown option": (
        attempt(methods=[{"name": "ezq", "generations": 5}]),
        "methods[0]: found options that 'ezq' refuses (Ezq.__init__() got an unexpected keyword argument "
        "'generations'); expected other options",
    ),
    "wrong value of an option": (
        attempt(methods=[{"name": "ezq", "optimiser": "locl"}]),
        "methods[0], optimiser: found 'locl'; expected one of 'auto', 'exact', 'genetic', 'local' "
        "(did you mean 'local'?)",
    ),
    "option that is not finite": (
        attempt(methods=[{"name": "ezq", "optimiser": [1, float("inf")]}]),
        "methods[0].optimiser[1]: found inf; expected a finite number",
    ),
    "option of another type": (
        attempt(methods=[{"name": "ezq", "optimiser": {"a": 1}}]),
        'methods[0].optimiser: found {"a": 1}; expected a string, a number, true, false or a list of these',
    ),
    "instances, no table": (attempt(instances=[1]), "instances: found [1]; expected an object, { ... }"),
    "unknown key of instances": (
        drawn(station=3),
        'instances: found the unknown key "station"; expected only domain, count, size, stations, toolboxes, walls, '
        "clustered (did you mean 'stations'?)",
    ),
    "files and more": (
        drawn(files=["a"], count=3),
        'instances: found the unknown key "count"; expected only files',
    ),
    "files, no list": (drawn(files="a.json"), 'instances.files: found "a.json"; expected a list, [ ... ]'),
    "no instances": (drawn(count=0), "instances.count: found 0; expected a whole number from 1 to 1000000"),
    "too many instances": (
        drawn(count=10**12),
        "instances.count: found 1000000000000; expected a whole number from 1 to 1000000",
    ),
    "size of three": (
        drawn(size=[1, 2, 3]),
        "instances.size: found [1, 2, 3]; expected one number, or [width, height]",
    ),
    "walls": (drawn(walls=-1), "instances.walls: found -1; expected a finite number from 0"),
    "clustered": (drawn(clustered=1), "instances.clustered: found 1; expected true or false"),
}


@each(FAULTS)
def test_faulty_settings_are_refused(attempt: Callable[[], object], message: str) -> None:
    assert_refused(attempt, message)


def test_what_does_not_fit_on_the_map_is_refused_before_anything_is_played() -> None:
    with pytest.raises(
        ValueError, match=r"^instances\.stations and toolboxes: found 50 and 5; expected at most 16 in total, "
    ):
        study_from({"name": "x", "methods": ["never"], "instances": {"size": 4, "stations": 50}})
    with pytest.raises(ValueError, match=r"^instances\.walls: found "):
        study_from({"name": "x", "methods": ["never"], "instances": {"walls": 1.5}})


LATE_FAULTS: dict[str, dict[str, Any]] = {
    "methods": {"methods": ["never", "ezp"]},
    "teammates": {"teammates": ["urop", "robot"]},
    "base": {"base": 1e300},
    "priors": {"priors": ["farr"]},
    "exact": {"exact": {"instances": -1}},
    "bounds": {"bounds": -1},
    "beliefs": {"methods": ["mine.py:Mine", "never"], "beliefs": ["bays"]},
}
LARGE: dict[str, dict[str, Any]] = {"drawn": {"size": 2021, "walls": 0.5}, "files": {"files": ["nowhere.json"]}}


@pytest.mark.parametrize("key", LATE_FAULTS)
@pytest.mark.parametrize("instances", LARGE.values(), ids=LARGE)
def test_a_mistake_anywhere_is_said_before_anything_is_made(
    key: str, instances: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("raise SystemExit('it was loaded')")

    def drawing(*_: object) -> None:
        raise AssertionError("something was drawn")

    monkeypatch.setattr("askwise.domains.tool_fetching.generate._walled", drawing)
    with pytest.raises(InputError, match=rf"^{key}\b"):
        study_from({"name": "x", "methods": ["mine.py:Mine"], "instances": instances, **LATE_FAULTS[key]})


def test_methods_are_loaded_before_anything_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("Mine = 5")
    crowded = {"size": 4, "stations": 15}
    with pytest.raises(InputError, match=r"^methods\[0\], method 'mine.py:Mine': "):
        study_from({"name": "x", "methods": ["mine.py:Mine"], "instances": crowded})


def test_the_priors_of_files_are_those_of_their_domain(maps: Path) -> None:
    settings = {"name": "x", "methods": ["never"], "instances": {"files": ["office.json"]}}
    assert study_from({**settings, "priors": ["fetcher-far"]}, maps).priors[0].kind == "fetcher-far"
    ward = Path(__file__).parents[3] / "examples"
    of_a_ward = {**settings, "instances": {"files": ["ward.toml"]}, "priors": ["fetcher-far"]}
    with pytest.raises(InputError, match=r"^priors\[0\]: found \"fetcher-far\"; expected one of 'uniform', "):
        study_from(of_a_ward, ward)


@pytest.mark.parametrize("name", ["robot", "noisy:2", "noisy:x", "urop:1", ""])
def test_unknown_teammates_are_refused_by_place(name: str) -> None:
    with pytest.raises(ValueError, match=r"^teammates\[1\]: found .*; expected "):
        study_from({"name": "x", "methods": ["never"], "teammates": ["urop", name]})


def test_files_that_are_no_study_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.toml").mkdir()
    Path("json.toml").write_text("{}")
    Path("binary.toml").write_bytes(b"\xff\xfe")
    Path("long.toml").write_text("seed = " + "9" * 5000)
    Path("deep.toml").write_text("a = " + "[" * 5000)
    Path("deeper.toml").write_text(".".join("a" * 950) + " = 1")
    os.mkfifo("pipe.toml")
    for given, message in {
        "n" * 400: f"study: found {'n' * 400!r}; expected a study file (.toml) or one of beyond, paper",
        "papers": "study: found 'papers'; expected a study file (.toml) or one of beyond, paper "
        "(did you mean 'paper'?)",
        "none.toml": "file 'none.toml': found no such file or directory; expected a file that can be read",
        "folder.toml": "file 'folder.toml': found a folder, not a file; expected a file that can be read",
        "json.toml": "file 'json.toml', line 1, column 1: found something that is not TOML (Invalid statement); "
        "expected TOML: key = value, [table]",
        "binary.toml": "file 'binary.toml': found bytes that are not UTF-8 text; expected a text file",
        "long.toml": "file 'long.toml': found a value that is no number and no date; expected ordinary numbers",
        "deep.toml": "file 'deep.toml': found TOML nested too deeply; expected tables as documented",
        "deeper.toml": "file 'deeper.toml': found TOML nested too deeply; expected tables as documented",
        "pipe.toml": "file 'pipe.toml': found a pipe; expected a file that can be read",
        "a\0b": "file 'a\\x00b': found a name that no file can have; expected a file name",
        "": "file '.': found a folder, not a file; expected a file that can be read",
    }.items():
        assert_refused(lambda given=given: load_study(given), message)  # type: ignore[misc]

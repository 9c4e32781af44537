"""Study files: TOML files that describe studies, in which methods play many problem instances.

An example with most keys::

    name = "mine"                             # of the study, and of the folder for its results
    seed = 1                                  # default 0
    episodes = 2                              # for each instance in each condition; default 1
    priors = ["far", {kind = "near", temperature = 2.0}]   # default: uniform (*)
    base = 0.5                                # fixed part of the price of a question, or a list; default 0.5 (*)
    per_goal = [0.0, 0.2]                     # price of each goal that a question names, or a list; default 0 (*)
    teammates = ["urop", "noisy:0.1"]         # default: "urop" for tool fetching, otherwise "policy"
    answers = ["truthful", "wrong:0.05,refused:0.1"]       # default: truthful (*)
    beliefs = ["elimination", "bayes"]        # every method with every belief; default: the belief of each method
    bounds = 20                               # lower bounds on costs for the first 20 instances; default 0
    exact = {instances = 5, priors = ["near"]}   # exact expected costs for the first 5 instances; default: none
    limits = {decision_seconds = 60}          # limits of agents; default 300, and 3600 for episode_seconds
    methods = ["never", {name = "ezq", label = "ezq, local", optimiser = "local"}]

    [instances]                               # how random instances are drawn
    count = 100
    size = [20, 20]                           # columns and rows, or one number for both
    stations = 50
    toolboxes = 5
    walls = 0.1                               # share of the cells; default 0
    clustered = false

Two more keys are ``title`` (of the report) and ``max_steps``, after which an episode is cut off. Unknown keys are
refused. Keys of a method other than ``name`` and ``label`` are options of the agent.

``[instances]`` may name files instead, as in ``files = ["office.json", "more/*.json"]``, relative to the folder of the
study file. Keys marked ``(*)`` then default to the value in each instance file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from askwise.errors import InputError, did_you_mean
from askwise.studies.schema.conditions import (
    load_methods,
    read_answers,
    read_exactly,
    read_limits,
    read_methods,
    read_prices,
    read_priors,
    read_teammates,
)
from askwise.studies.schema.instances import (
    DEFAULT_DOMAIN,
    Generated,
    Given,
    NamedFiles,
    found_instances,
    stated_instances,
)
from askwise.studies.schema.study import Study
from askwise.text.data import parse_toml, short_json
from askwise.text.files import naming_file, read_text
from askwise.text.reading import Field, check_name, refuse_blank

REQUIRED = ("name", "methods")
KEYS = (
    "title",
    "seed",
    "episodes",
    "max_steps",
    "priors",
    "base",
    "per_goal",
    "teammates",
    "answers",
    "beliefs",
    "bounds",
    "exact",
    "limits",
    "instances",
)
RENAMED = {"base_cost": "base", "base_costs": "base", "per_station_costs": "per_goal"}
"""Earlier keys of study files, which still work, and their present names."""
NAME = re.compile(r"\w([\w .-]*[\w-])?")
"""The allowed names of studies; results go into a folder of that name."""

MOST_EPISODES = 1_000_000
SHIPPED = resources.files("askwise.studies") / "studies"


def shipped_studies() -> tuple[str, ...]:
    """Return the names of the studies that come with askwise, such as ``paper``, in alphabetical order."""
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in SHIPPED.iterdir() if entry.name[-5:] == ".toml"))


def load_study(given: str | Path, overrides: Mapping[str, Any] | None = None) -> Study:
    """Read and check a study file; return the study with its instances and methods loaded.

    Args:
        given: the file, or the name of a study that comes with askwise.
        overrides: settings that replace those of the file; in ``instances``, only the given keys are replaced.

    Raises:
        InputError: there is no such study, or the file, an instance file or a method has a mistake.
    """
    settings, folder = read_settings(given)
    return study_from(merged(settings, overrides or {}), folder)


def read_settings(given: str | Path) -> tuple[dict[str, Any], Path]:
    """Return the unchecked settings of a study file, and the folder from which its file names are relative.

    Args:
        given: the file, or the name of a study that comes with askwise (then the folder is the current one).

    Raises:
        InputError: there is no such study, or the file is not TOML or not a study.
    """
    path, known = Path(given), shipped_studies()
    if str(given) in known and not _is(path.is_file):  # a folder of that name does not hide the shipped study
        return _shipped(str(given)), Path()
    if path.suffix != ".toml" and "\0" not in str(given) and not _is(path.exists):
        allowed = "a study file (.toml) or one of " + ", ".join(known) + did_you_mean(str(given), known)
        raise InputError("study", repr(str(given)), allowed)
    file, text = f"file {str(path)!r}", read_text(path)
    refuse_blank(text, file, "a study file (askwise new --kind study writes one)")
    with naming_file(str(path)):
        settings = parse_toml(text)
    if isinstance(stated := settings.get("format"), str):
        expected = "a study file (askwise show, ask and run read this file)"
        raise InputError(file, f"the format {short_json(stated)}", expected)
    return settings, path.parent


def _is(test: Callable[[], bool]) -> bool:
    """Call `test`, a bound method such as ``path.is_file``, and return its result.

    The result is False if `test` raises `OSError`, for instance because the path is too long.
    """
    try:
        return test()
    except OSError:
        return False


def merged(settings: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a study file's settings in which `overrides` replace some settings.

    In the section ``instances``, keys are replaced one by one.
    """
    found = {**renamed(settings), **{key: value for key, value in renamed(overrides).items() if key != "instances"}}
    drawn = overrides.get("instances")
    if drawn:
        own = settings.get("instances", {})
        found["instances"] = {**own, **drawn} if isinstance(own, dict) else drawn
    return found


def renamed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a study file's settings in which keys of earlier versions have their present names.

    Raises:
        InputError: a setting occurs under both names.
    """
    found: dict[str, Any] = {}
    for key, value in settings.items():
        name = RENAMED.get(key, key)
        if name in found:
            raise InputError(key, f"{name} as well", f"only {name}")
        found[name] = value
    return found


def quicker(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a shorter version of a study, whose name ends with ``-quick``.

    It has at most 10 random instances, and at most three prices under ``per_goal``: first, middle and last.
    """
    settings = renamed(settings)
    found = {**settings, "name": f"{settings.get('name', 'study')}-quick"}
    costs, instances = settings.get("per_goal"), settings.get("instances", {})
    if isinstance(costs, list) and len(costs) > 3:
        found["per_goal"] = [costs[0], costs[(len(costs) - 1) // 2], costs[-1]]
    if isinstance(instances, dict) and "files" not in instances and isinstance(instances.get("count", 0), int):
        found["instances"] = {**instances, "count": min(10, instances.get("count", 10))}
    return found


def study_from(settings: Mapping[str, Any], folder: Path | None = None) -> Study:
    """Return the study that the settings of a study file describe, with its instances and methods loaded.

    Names of instance files are relative to `folder`, by default the current one.

    Raises:
        InputError: a setting is wrong, or an instance file or a method cannot be loaded.
    """
    root, stated, from_files = _stated(settings)
    _checked_fields(root, stated.domain, from_files)
    methods = load_methods(root)
    instances = found_instances(stated, folder or Path())
    return replace(_checked_fields(root, instances.domain, from_files), instances=instances, methods=methods)


def outline(settings: Mapping[str, Any]) -> Study:
    """Check the settings of a study file, and return the study without its instances.

    No instance is drawn, no file is read, and no user's own agent is loaded.

    Raises:
        InputError: a setting is wrong.
    """
    root, stated, from_files = _stated(settings)
    return _checked_fields(root, stated.domain, from_files)


def is_the_papers(study: Study) -> bool:
    """Return whether a study repeats the evaluation in the paper that askwise implements, apart from its size.

    Name, title, seed, and the numbers of instances, episodes, lower bounds and exact costs may differ. Some prices per
    goal may be missing.
    """
    paper = study_from(_shipped("paper"))
    ours, theirs = study.instances, paper.instances
    if not isinstance(ours, Generated) or not isinstance(theirs, Generated):
        return False
    if not set(study.per_goal) <= set(paper.per_goal):
        return False
    free = ("name", "title", "seed", "episodes", "per_goal", "bounds", "exact")
    chosen = {name: getattr(study, name) for name in free}
    return study == replace(paper, instances=replace(theirs, count=ours.count), **chosen)


def _shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))


def _stated(settings: Mapping[str, Any]) -> tuple[Field, Any, bool]:
    """Check the keys of a study file; return its settings, its instances, and whether these come from files.

    The instances are not drawn and their files are not opened.

    Raises:
        InputError: a key is unknown or missing, or the section ``[instances]`` is wrong.
    """
    root = Field("", renamed(settings)).object(REQUIRED, KEYS)
    stated = stated_instances(root)
    return root, stated, isinstance(stated, NamedFiles)


def _checked_fields(root: Field, domain: str | None, from_files: bool) -> Study:
    """Check all fields of a study file, and return the study without its instances.

    Args:
        root: the whole study file.
        domain: the domain of the instances; None if it is not known yet.
        from_files: whether the instances come from files, whose priors and prices are then the defaults.

    Raises:
        InputError: a field is wrong.
    """
    name = _name(root.child("name"))
    priors = read_priors(root, domain, from_files)
    base, per_goal = read_prices(root, from_files)
    return Study(
        name=name,
        title=_title(root.child("title")) if root.has("title") else name,
        seed=root.child("seed").whole(0) if root.has("seed") else 0,
        episodes=root.child("episodes").whole(1, MOST_EPISODES) if root.has("episodes") else 1,
        instances=Given((), (), domain or DEFAULT_DOMAIN),
        priors=priors,
        teammates=tuple(read_teammates(root, domain)),
        base=base,
        per_goal=per_goal,
        methods=read_methods(root),
        max_steps=root.child("max_steps").whole(1) if root.has("max_steps") else None,
        bounds=root.child("bounds").whole(0) if root.has("bounds") else 0,
        exact=read_exactly(root, priors),
        answers=read_answers(root),
        limits=read_limits(root),
    )


def _name(field: Field) -> str:
    name = field.text()
    if not NAME.fullmatch(name):
        raise field.refuse("letters, digits, spaces, '.', '_' and '-': the name of a folder")
    return check_name(name, field.path)


def _title(field: Field) -> str:
    return check_name(field.text(), field.path) if field.value else field.text()

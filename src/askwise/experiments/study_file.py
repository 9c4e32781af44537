"""Study files: TOML, checked key by key.

::

    name = "mine"
    seed = 1
    episodes = 2                              # for each instance and cell; default 1
    priors = ["far", {kind = "near", temperature = 2.0}]   # default: uniform, or the files' own
    per_station_costs = [0.0, 0.2]            # default: 0, or the files' own
    base_cost = 0.5                           # or base_costs = [...]; default: 0.5, or the files' own
    teammates = ["urop", "noisy:0.1"]         # default: urop
    beliefs = ["elimination", "bayes"]        # every method with every belief; default: the methods' own
    bounds = 20                               # lower bounds for the first 20 instances; default 0
    exact = {instances = 5, priors = ["near"]}   # exact expected costs, likewise; default: none
    methods = ["never", {name = "ezq", label = "ezq, late", tie_break = "late"}]

    [instances]
    count = 100
    size = [20, 20]                           # or one number
    stations = 50
    toolboxes = 5
    walls = 0.1                               # share of the cells; default 0
    clustered = false

Instead of drawing instances, ``[instances]`` may name them: ``files = ["office.json", "more/*.json"]``, relative to
the study file. Keys of a method other than ``name`` and ``label`` are options of the agent.
"""

from __future__ import annotations

import glob
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from askwise.agents import make_agent, methods
from askwise.domains.tool_fetching import Instance
from askwise.domains.tool_fetching.instance import LARGEST_SIDE, PRIOR_KINDS
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.experiments.study import FROM_FILE, Exactly, Generated, Given, Method, Study, StudyPrior
from askwise.reading import Field, read_text
from askwise.teammates import make_teammate

REQUIRED = ("name", "methods")
KEYS = (
    "title",
    "seed",
    "episodes",
    "max_steps",
    "priors",
    "per_station_costs",
    "base_cost",
    "base_costs",
    "teammates",
    "beliefs",
    "bounds",
    "exact",
    "instances",
)
DRAWN_KEYS = ("count", "size", "stations", "toolboxes", "walls", "clustered")
NAME = re.compile(r"\w([\w .-]*[\w-])?")
"""What a study may be called: results go into a folder of that name."""

MOST_INSTANCES = 1_000_000
MOST_EPISODES = 1_000_000
SHIPPED = resources.files("askwise.experiments") / "studies"


def shipped_studies() -> tuple[str, ...]:
    """Return the names of the studies that come with askwise."""
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in SHIPPED.iterdir() if entry.name[-5:] == ".toml"))


def load_study(given: str | Path, overrides: Mapping[str, Any] | None = None) -> Study:
    """Read a study file, or a shipped study by its name; `overrides` take the place of its settings."""
    settings, folder = read_settings(given)
    return study_from(merged(settings, overrides or {}), folder)


def read_settings(given: str | Path) -> tuple[dict[str, Any], Path]:
    """Return what stands in a study file, unchecked, and the folder that its instance files are relative to."""
    path, known = Path(given), shipped_studies()
    if str(given) in known and not path.is_file():  # a folder of that name is in nobody's way
        return tomllib.loads((SHIPPED / f"{given}.toml").read_text(encoding="utf-8")), Path()
    if path.suffix != ".toml" and "\0" not in str(given) and not path.exists():
        allowed = "a study file (.toml) or one of " + ", ".join(known) + did_you_mean(str(given), known)
        raise InputError("study", repr(str(given)), allowed)
    return _parsed(read_text(path), f"file {str(path)!r}"), path.parent


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(file, f"something that is not TOML ({error})", "a study file") from None
    except RecursionError:
        raise InputError(file, "TOML nested too deeply", "a study file") from None
    except ValueError:  # Python refuses to convert them
        raise InputError(file, "a number with thousands of digits", "ordinary numbers") from None


def merged(settings: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with some replaced; those of the instances one by one."""
    found = {**settings, **{key: value for key, value in overrides.items() if key != "instances"}}
    drawn = overrides.get("instances")
    if drawn:
        own = settings.get("instances", {})
        found["instances"] = {**own, **drawn} if isinstance(own, dict) else drawn
    if "base_costs" in overrides:
        found.pop("base_cost", None)
    return found


def quicker(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings for a first look: at most 10 instances, and the first, a middle and the last of the costs."""
    found = {**settings, "name": f"{settings.get('name', 'study')}-quick"}
    costs, instances = settings.get("per_station_costs"), settings.get("instances", {})
    if isinstance(costs, list) and len(costs) > 3:
        found["per_station_costs"] = [costs[0], costs[(len(costs) - 1) // 2], costs[-1]]
    if isinstance(instances, dict) and "files" not in instances and isinstance(instances.get("count", 0), int):
        found["instances"] = {**instances, "count": min(10, instances.get("count", 10))}
    return found


def study_from(settings: Mapping[str, Any], folder: Path | None = None) -> Study:
    """Check settings as they stand in a study file and return the study."""
    root = Field("", dict(settings)).object(REQUIRED, KEYS)
    name = _name(root.child("name"))
    instances = _instances(root, folder or Path())
    from_files = isinstance(instances, Given)
    priors = _priors(root, from_files)
    return Study(
        name=name,
        title=root.child("title").text() if root.has("title") else name,
        seed=root.child("seed").whole(0) if root.has("seed") else 0,
        episodes=root.child("episodes").whole(1, MOST_EPISODES) if root.has("episodes") else 1,
        instances=instances,
        priors=priors,
        teammates=tuple(_teammates(root)),
        base_costs=_base_costs(root, from_files),
        per_station_costs=_costs(root, "per_station_costs", None if from_files else 0.0),
        methods=_methods(root),
        max_steps=root.child("max_steps").whole(1) if root.has("max_steps") else None,
        bounds=root.child("bounds").whole(0) if root.has("bounds") else 0,
        exact=_exactly(root, priors),
    )


def _name(field: Field) -> str:
    name = field.text()
    if not NAME.fullmatch(name):
        raise field.refuse("letters, digits, spaces, '.', '_' and '-': the name of a folder")
    return name


# -- instances -------------------------------------------------------------------------------------------------------


def _instances(root: Field, folder: Path) -> Generated | Given:
    if not root.has("instances"):
        return Generated()
    field = root.child("instances").object()
    if field.has("files"):
        return _given(field.object((), ("files",)).child("files"), folder)
    return _drawn(field.object((), DRAWN_KEYS))


def _drawn(field: Field) -> Generated:
    default = Generated()
    width, height = _size(field.child("size")) if field.has("size") else (default.width, default.height)
    drawn = Generated(
        count=field.child("count").whole(1, MOST_INSTANCES) if field.has("count") else default.count,
        width=width,
        height=height,
        stations=field.child("stations").whole(1) if field.has("stations") else default.stations,
        toolboxes=field.child("toolboxes").whole(1) if field.has("toolboxes") else default.toolboxes,
        walls=field.child("walls").number() if field.has("walls") else default.walls,
        clustered=_yes_or_no(field.child("clustered")) if field.has("clustered") else default.clustered,
    )
    _try_one(drawn)
    return drawn


def _try_one(drawn: Generated) -> None:
    """Draw one instance: what does not fit on the map is refused now, not in every row."""
    import numpy as np

    try:
        drawn.draw(np.random.SeedSequence(0))
    except InputError as error:
        raise InputError(f"instances.{error.field}", error.found, error.expected) from None


def _size(field: Field) -> tuple[int, int]:
    if not isinstance(field.value, list):
        side = field.whole(1, LARGEST_SIDE)
        return side, side
    sides = [side.whole(1, LARGEST_SIDE) for side in field.elements()]
    if len(sides) != 2:
        raise field.refuse("one number, or [width, height]")
    return sides[0], sides[1]


def _yes_or_no(field: Field) -> bool:
    if not isinstance(field.value, bool):
        raise field.refuse("true or false")
    return field.value


def _given(field: Field, folder: Path) -> Given:
    names = [name for element in field.elements() for name in _matching(element, folder)]
    _distinct(field, names, names)
    # Named as in the study file: the same study is the same from wherever it is started.
    return Given(tuple(names), tuple(_loaded(folder / name) for name in names))


def _matching(field: Field, folder: Path) -> list[str]:
    """Return the files that a name or a pattern stands for, relative to the folder."""
    if "*" not in field.text():
        return [Path(field.text()).as_posix()]
    # Path.glob takes no absolute patterns, and raises what it likes about odd ones.
    found = [] if "\0" in field.text() else glob.glob(field.text(), root_dir=folder, recursive=True)  # noqa: PTH207
    if not found:
        raise field.refuse("a pattern that some file matches")
    return sorted(Path(name).as_posix() for name in found)


def _loaded(path: Path) -> Instance:
    try:
        return Instance.load(path)
    except InputError as error:
        if error.field.startswith("file "):
            raise
        raise InputError(f"file {str(path)!r}, {error.field}", error.found, error.expected) from None


# -- cells -----------------------------------------------------------------------------------------------------------


def _priors(root: Field, from_files: bool) -> tuple[StudyPrior, ...]:
    kinds = (*PRIOR_KINDS, FROM_FILE) if from_files else PRIOR_KINDS
    if not root.has("priors"):
        return (StudyPrior(FROM_FILE, FROM_FILE),) if from_files else (StudyPrior("uniform", "uniform"),)
    found = [_prior(element, kinds) for element in root.child("priors").elements()]
    return tuple(_distinct(root.child("priors"), found, [prior.label for prior in found]))


def _prior(field: Field, kinds: tuple[str, ...]) -> StudyPrior:
    if not isinstance(field.value, dict):
        kind = field.text(kinds)
        return StudyPrior(kind, kind)
    field.object(("kind",), ("temperature", "label"))
    kind = field.child("kind").text(kinds)
    temperature = field.child("temperature").number(above=0) if field.has("temperature") else 1.0
    default = kind if temperature == 1 else f"{kind}, T={temperature:g}"
    return StudyPrior(_chosen_label(field, default), kind, temperature)


def _exactly(root: Field, priors: tuple[StudyPrior, ...]) -> Exactly:
    if not root.has("exact"):
        return Exactly()
    field = root.child("exact").object(("instances",), ("priors",))
    labels = [prior.label for prior in priors]
    chosen = [each.text(labels) for each in field.child("priors").elements()] if field.has("priors") else labels
    return Exactly(field.child("instances").whole(0), tuple(chosen))


def _base_costs(root: Field, from_files: bool) -> tuple[float | None, ...]:
    if root.has("base_cost") and root.has("base_costs"):
        raise InputError("base_cost", "base_costs as well", "one of the two")
    if root.has("base_cost"):
        return (root.child("base_cost").number(),)
    return _costs(root, "base_costs", None if from_files else 0.5)


def _costs(root: Field, key: str, default: float | None) -> tuple[float | None, ...]:
    if not root.has(key):
        return (default,)
    costs = [element.number() for element in root.child(key).elements()]
    return tuple(_distinct(root.child(key), costs, costs))


def _teammates(root: Field) -> Iterator[str]:
    if not root.has("teammates"):
        yield "urop"
        return
    names = [element.text() for element in root.child("teammates").elements()]
    for k, name in enumerate(_distinct(root.child("teammates"), names, names)):
        try:
            make_teammate(name)
        except InputError as error:
            raise InputError(f"teammates[{k}]", error.found, error.expected) from None
        yield name


def _methods(root: Field) -> tuple[Method, ...]:
    field = root.child("methods")
    listed = [_method(element) for element in field.elements()]
    _distinct(field, listed, [method.label for method in listed])
    if not root.has("beliefs"):
        return tuple(listed)
    beliefs = [element.text() for element in root.child("beliefs").elements()]
    _distinct(root.child("beliefs"), beliefs, beliefs)
    for k, method in enumerate(listed):
        if "belief" in dict(method.options):
            raise InputError(f"methods[{k}].belief", "beliefs as well", "one of the two")
    crossed = [_believing(method, belief, len(beliefs) > 1) for method in listed for belief in beliefs]
    return tuple(_distinct(field, crossed, [method.label for method in crossed]))


def _believing(method: Method, belief: str, labelled: bool) -> Method:
    label = f"{method.label} ({belief})" if labelled else method.label
    return _checked(Method(method.name, label, (*method.options, ("belief", belief))), Field("beliefs", belief))


def _method(field: Field) -> Method:
    if not isinstance(field.value, dict):
        name = field.text(methods())
        return _checked(Method(name, name), field)
    field.object(("name",))
    name = field.child("name").text(methods())
    options = tuple((key, _option(field.child(key))) for key in field.value if key not in ("name", "label"))
    return _checked(Method(name, _chosen_label(field, _label(name, options)), options), field)


def _chosen_label(field: Field, default: str) -> str:
    if not field.has("label"):
        return default
    label = field.child("label")
    if not label.text().strip():
        raise label.refuse("at least one letter")
    return label.text()


def _option(field: Field) -> Any:
    """Return what can be written into JSON and read from it again."""
    if isinstance(field.value, list):
        return [_option(element) for element in field.elements()]
    if isinstance(field.value, float) and not math.isfinite(field.value):
        raise InputError(field.path, field.value, "a finite number")
    if not isinstance(field.value, str | bool | int | float):
        raise field.refuse("a string, a number, true, false or a list of these")
    return field.value


def _label(name: str, options: tuple[tuple[str, Any], ...]) -> str:
    return name if not options else f"{name} ({', '.join(f'{key}={value}' for key, value in options)})"


def _checked(method: Method, field: Field) -> Method:
    """Make the agent once: what its options lack is said now, not in every row."""
    try:
        make_agent(method.name, **dict(method.options))
    except InputError as error:
        raise InputError(f"{field.path}, {error.field}", error.found, error.expected) from None
    except (TypeError, ValueError, AskwiseError) as error:
        raise InputError(field.path, f"options that {method.name!r} refuses ({error})", "others") from None
    return method


def _distinct(field: Field, values: list[Any], labels: list[Any]) -> list[Any]:
    if not values:
        raise field.refuse("at least one")
    for k, label in enumerate(labels):
        if label in labels[:k]:
            raise InputError(f"{field.path}[{k}]", f"{label!r} for the second time", "each one once")
    return values

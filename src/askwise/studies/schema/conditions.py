"""The conditions of a study file, but for the methods: priors, prices, teammates and answers.

The limits of a study: how long agents may take, how much memory.

The methods of a study file: agents by name, with options and labels, each with every belief that is listed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from askwise.core.answers import AnswerModel
from askwise.core.question_json import parse_answers
from askwise.core.teammates import make_teammate
from askwise.domains.registry import names
from askwise.errors import AskwiseError, InputError
from askwise.methods import AGENTS, make_agent, methods
from askwise.methods.loading import LOCATIONS, is_location
from askwise.studies.schema.domain import studies_of
from askwise.studies.schema.instances import DEFAULT_DOMAIN, chosen_label, distinct
from askwise.studies.schema.study import FROM_FILE, Exactly, Method, StudyPrior
from askwise.text.reading import Field, parse_number, read_price
from askwise.workers.limits import Limits


def read_priors(root: Field, domain_name: str | None, from_files: bool) -> tuple[StudyPrior, ...]:
    """Return the priors of a study; instances from files have one of their own, which is the default there.

    As long as nobody knows of which domain the files are, any prior is one that some domain has.
    """
    known = _any_kind() if domain_name is None else studies_of(domain_name).prior_kinds
    kinds = (*known, FROM_FILE) if from_files else known
    if not root.has("priors"):
        default = FROM_FILE if from_files else known[0]
        return (StudyPrior(default, default),)
    found = [_prior(element, kinds) for element in root.child("priors").elements()]
    return tuple(distinct(root.child("priors"), found, [prior.label for prior in found]))


def _any_kind() -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for name in names() for kind in studies_of(name).prior_kinds))


def _prior(field: Field, kinds: tuple[str, ...]) -> StudyPrior:
    if not isinstance(field.value, dict):
        kind = field.text(kinds)
        return StudyPrior(kind, kind)
    field.object(("kind",), ("temperature", "label"))
    kind = field.child("kind").text(kinds)
    temperature = field.child("temperature").number(above=0) if field.has("temperature") else 1.0
    default = kind if temperature == 1 else f"{kind}, T={temperature:g}"
    return StudyPrior(chosen_label(field, default), kind, temperature)


def read_exactly(root: Field, priors: tuple[StudyPrior, ...]) -> Exactly:
    """Return where expected costs are to be computed exactly."""
    if not root.has("exact"):
        return Exactly()
    field = root.child("exact").object(("instances",), ("priors",))
    labels = [prior.label for prior in priors]
    chosen = [each.text(labels) for each in field.child("priors").elements()] if field.has("priors") else labels
    return Exactly(field.child("instances").whole(0), tuple(chosen))


def read_costs(root: Field, from_files: bool) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return the base costs and the per-station costs of a study; None is what the instance's file says."""
    return _base_costs(root, from_files), _costs(root, "per_station_costs", None if from_files else 0.0)


def _base_costs(root: Field, from_files: bool) -> tuple[float | None, ...]:
    if root.has("base_cost") and root.has("base_costs"):
        raise InputError("base_cost", "base_costs as well", "one of the two")
    if root.has("base_cost"):
        return (read_price(root.child("base_cost")),)
    return _costs(root, "base_costs", None if from_files else 0.5)


def _costs(root: Field, key: str, default: float | None) -> tuple[float | None, ...]:
    if not root.has(key):
        return (default,)
    costs = [read_price(element) for element in root.child(key).elements()]
    return tuple(distinct(root.child(key), costs, costs))


def read_teammates(root: Field, domain_name: str | None) -> Iterator[str]:
    """Yield the teammates of a study, each made once to see that it can be.

    By default it is the one that each problem describes; in tool fetching, where all describe the same, by its name.
    """
    if not root.has("teammates"):
        yield "urop" if domain_name == DEFAULT_DOMAIN else "policy"
        return
    names = [element.text() for element in root.child("teammates").elements()]
    for k, name in enumerate(distinct(root.child("teammates"), names, names)):
        try:
            make_teammate(name)
        except InputError as error:
            raise InputError(f"teammates[{k}]", error.found, error.expected) from None
        yield name


def read_answers(root: Field) -> tuple[AnswerModel | None, ...]:
    """Return how questions are answered in a study; None is what the instance's file says."""
    if not root.has("answers"):
        return (None,)
    found = []
    for k, element in enumerate(root.child("answers").elements()):
        try:
            found.append(parse_answers(element.text()))
        except InputError as error:
            raise InputError(f"answers[{k}]", error.found, error.expected) from None
    return tuple(distinct(root.child("answers"), found, [str(model) for model in found]))


NAMES = {"decision_seconds": "decision", "episode_seconds": "episode", "memory_gib": "memory"}
"""What study files call the limits."""
NONE = "none"
ALLOWED = "a number above 0, or 'none'"


def read_limits(root: Field) -> Limits:
    """Return the limits that a study file sets; the others have their defaults."""
    if not root.has("limits"):
        return Limits()
    given = root.child("limits").object((), NAMES)
    stated: dict[str, Any] = {NAMES[name]: _limit(given.child(name)) for name in given.value}
    return Limits(**stated)


def limit_from(text: str, option: str) -> float:
    """Return a limit as it is given on the command line."""
    try:
        return math.inf if text == NONE else parse_number(text, option, above=0)
    except InputError:
        raise InputError(option, repr(text), ALLOWED) from None


def _limit(field: Field) -> float:
    if field.value in (NONE, math.inf):
        return math.inf
    try:
        return field.number(above=0)
    except InputError:
        raise field.refuse(ALLOWED) from None


def read_methods(root: Field) -> tuple[Method, ...]:
    """Return the methods of a study, each of askwise's own made once to see that it can be; those of others later."""
    return _read(root, AGENTS.__contains__)


def load_methods(root: Field) -> tuple[Method, ...]:
    """Return the same; those of others are loaded and made, which runs what is written there."""
    return _read(root, lambda name: name not in AGENTS)


def _read(root: Field, made: Callable[[str], bool]) -> tuple[Method, ...]:
    field = root.child("methods")
    listed = [_method(element, made) for element in field.elements()]
    distinct(field, listed, [method.label for method in listed])
    if not root.has("beliefs"):
        return tuple(listed)
    beliefs = [element.text() for element in root.child("beliefs").elements()]
    distinct(root.child("beliefs"), beliefs, beliefs)
    for k, method in enumerate(listed):
        if "belief" in dict(method.options):
            raise InputError(f"methods[{k}].belief", "beliefs as well", "one of the two")
    crossed = [_believing(method, belief, len(beliefs) > 1, made) for method in listed for belief in beliefs]
    return tuple(distinct(field, crossed, [method.label for method in crossed]))


def _believing(method: Method, belief: str, labelled: bool, made: Callable[[str], bool]) -> Method:
    label = f"{method.label} ({belief})" if labelled else method.label
    believing = Method(method.name, label, (*method.options, ("belief", belief)))
    return _checked(believing, Field("beliefs", belief)) if made(method.name) else believing


def _method(field: Field, made: Callable[[str], bool]) -> Method:
    method = _stated(field)
    return _checked(method, field) if made(method.name) else method


def _stated(field: Field) -> Method:
    if not isinstance(field.value, dict):
        name = _name(field)
        return Method(name, name)
    field.object(("name",))
    name = _name(field.child("name"))
    options = tuple((key, _option(field.child(key))) for key in field.value if key not in ("name", "label"))
    return Method(name, chosen_label(field, _label(name, options)), options)


def _name(field: Field) -> str:
    """Return the name of a method, or the place of an agent such as ``mine.py:Likeliest``."""
    of_a_place = isinstance(field.value, str) and is_location(field.value)
    if isinstance(field.value, str) and field.value.endswith(".py"):
        raise field.refuse(f"an agent of your own as {LOCATIONS}, or one of {', '.join(map(repr, methods()))}")
    return field.text(None if of_a_place else methods())


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

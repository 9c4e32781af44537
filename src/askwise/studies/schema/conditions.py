"""Functions that read parts of a study file: conditions, such as priors and prices, and the limits of agents.

Wrong values raise `InputError`, which names the place in the file.
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
from askwise.methods.third_party import is_location, named_options
from askwise.studies.schema.domain import studies_of
from askwise.studies.schema.instances import DEFAULT_DOMAIN, distinct
from askwise.studies.schema.study import FROM_FILE, Exactly, Method, StudyPrior
from askwise.text.reading import Field, parse_number, read_name, read_price
from askwise.workers.heartbeat import Limits

LIMIT_NAMES = {"decision_seconds": "decision", "episode_seconds": "episode", "memory_gib": "memory"}
"""The name of each limit in study files, and the attribute of `Limits` that it sets."""
NO_LIMIT = "none"
ALLOWED_LIMITS = "a number above 0, or 'none'"


def chosen_label(field: Field, default: str) -> str:
    """Return the ``label`` of a prior or a method, its name in tables and figures; without one, `default`.

    Raises:
        InputError: the label is blank or not a valid name.
    """
    if not field.has("label"):
        return default
    label = field.child("label")
    if not label.text().strip():
        raise label.refuse("at least one letter")
    return read_name(label)


def read_priors(root: Field, domain_name: str | None, from_files: bool) -> tuple[StudyPrior, ...]:
    """Return the priors under ``priors`` in a study file; without this key, one default prior.

    Args:
        root: the whole study file.
        domain_name: the domain whose kinds of priors are allowed; None for all domains.
        from_files: whether instances come from files. The default is then the prior in each file.

    Raises:
        InputError: a prior is not allowed, or two have the same label.
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
    """Return the instances and priors for which the key ``exact`` of a study file wants exact expected costs.

    If it names no priors, all `priors` are meant.
    """
    if not root.has("exact"):
        return Exactly()
    field = root.child("exact").object(("instances",), ("priors",))
    labels = [prior.label for prior in priors]
    instances, chosen = field.child("instances").whole(0), labels
    if field.has("priors"):
        listed = field.child("priors")
        chosen = [each.text(labels) for each in listed.elements()]
        if instances:
            distinct(listed, chosen, chosen)
    return Exactly(instances, tuple(chosen))


def read_prices(root: Field, from_files: bool) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return the base prices of a question and the prices per named goal that a study file lists.

    The defaults are 0.5 and 0; if the instances come from files, None: the price in each instance's file.
    """
    base, per_goal = (None, None) if from_files else (0.5, 0.0)
    return _prices(root, "base", base), _prices(root, "per_goal", per_goal)


def _prices(root: Field, key: str, default: float | None) -> tuple[float | None, ...]:
    """Return the prices that a study file states under `key`, as one number or a list of different numbers.

    The `default` is used without this key; None stands for the price in each instance's own file.
    """
    if not root.has(key):
        return (default,)
    field = root.child(key)
    if not isinstance(field.value, list):
        return (read_price(field),)
    prices = [read_price(element) for element in field.elements()]
    return tuple(distinct(field, prices, prices))


def read_teammates(root: Field, domain_name: str | None) -> Iterator[str]:
    """Yield the names of the teammates that a study file lists.

    The default is ``urop`` (a uniformly random optimal policy) in tool fetching, otherwise ``policy`` (the teammate
    that each problem describes).

    Raises:
        InputError: a teammate is unknown, or listed twice.
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
    """Return the models of wrong or missing answers that a study file lists.

    Without a list, the result is ``(None,)``: the model in each instance's own file.
    """
    if not root.has("answers"):
        return (None,)
    found = []
    for k, element in enumerate(root.child("answers").elements()):
        try:
            found.append(parse_answers(element.text()))
        except InputError as error:
            raise InputError(f"answers[{k}]", error.found, error.expected) from None
    return tuple(distinct(root.child("answers"), found, [str(model) for model in found]))


def read_limits(root: Field) -> Limits:
    """Return the limits of time and memory for agents that a study file states; missing limits have defaults.

    Args:
        root: the whole study file.
    """
    if not root.has("limits"):
        return Limits()
    given = root.child("limits").object((), LIMIT_NAMES)
    stated: dict[str, Any] = {LIMIT_NAMES[name]: _limit(given.child(name)) for name in given.value}
    return Limits(**stated)


def limit_from(text: str, option: str) -> float:
    """Return a limit that the user gave on the command line for `option`; infinity for ``none``.

    Raises:
        InputError: the text is neither ``none`` nor a number above 0.
    """
    try:
        return math.inf if text == NO_LIMIT else parse_number(text, option, above=0)
    except InputError:
        raise InputError(option, repr(text), ALLOWED_LIMITS) from None


def _limit(field: Field) -> float:
    if field.value in (NO_LIMIT, math.inf):
        return math.inf
    try:
        return field.number(above=0)
    except InputError:
        raise field.refuse(ALLOWED_LIMITS) from None


def read_methods(root: Field) -> tuple[Method, ...]:
    """Return the methods that a study file lists, after checking the options of askwise's own methods.

    No code of other people runs; `load_methods` checks other methods. With a list ``beliefs``, every method is combined
    with every belief.

    Raises:
        InputError: an option is wrong, or two methods have the same label.
    """
    return _read(root, AGENTS.__contains__)


def load_methods(root: Field) -> tuple[Method, ...]:
    """Return the methods that a study file lists, after checking the options of methods from outside askwise.

    This runs code of other people. `read_methods` checks methods of askwise. With a list ``beliefs``, every method is
    combined with every belief.

    Raises:
        InputError: an agent cannot be loaded or refuses its options, or two methods have the same label.
    """
    return _read(root, lambda name: name not in AGENTS)


def _read(root: Field, checks: Callable[[str], bool]) -> tuple[Method, ...]:
    field = root.child("methods")
    listed = [_method(element, checks) for element in field.elements()]
    distinct(field, listed, [method.label for method in listed])
    if not root.has("beliefs"):
        return tuple(listed)
    beliefs = [element.text() for element in root.child("beliefs").elements()]
    distinct(root.child("beliefs"), beliefs, beliefs)
    for k, method in enumerate(listed):
        if "belief" in dict(method.options):
            raise InputError(f"methods[{k}].belief", "beliefs as well", "one of the two")
    crossed = [_with_belief(method, belief, len(beliefs) > 1, checks) for method in listed for belief in beliefs]
    return tuple(distinct(field, crossed, [method.label for method in crossed]))


def _with_belief(method: Method, belief: str, labelled: bool, checks: Callable[[str], bool]) -> Method:
    label = f"{method.label} ({belief})" if labelled else method.label
    method = Method(method.name, label, (*method.options, ("belief", belief)))
    return _checked(method, Field("beliefs", belief)) if checks(method.name) else method


def _method(field: Field, checks: Callable[[str], bool]) -> Method:
    method = _stated(field)
    return _checked(method, field) if checks(method.name) else method


def _stated(field: Field) -> Method:
    if not isinstance(field.value, dict):
        name, stated = named_options(field.value) if isinstance(field.value, str) else (field.value, {})
        name = _name(Field(field.path, name))
        return Method(name, _label(name, tuple(stated.items())), tuple(stated.items()))
    field.object(("name",))
    name = _name(field.child("name"))
    options = tuple((key, _option(field.child(key))) for key in field.value if key not in ("name", "label"))
    return Method(name, chosen_label(field, _label(name, options)), options)


def _name(field: Field) -> str:
    """Return the name of a method in a study file, or the location of a user's agent, such as ``mine.py:Likeliest``.

    Raises `InputError` for an unknown name. Whether the location exists is not checked.
    """
    is_located = isinstance(field.value, str) and is_location(field.value)
    return field.text(None if is_located else methods())


def _option(field: Field) -> Any:
    """Return the value of a method's option in a study file, after checking that JSON can represent the value.

    Raises:
        InputError: the value is neither a string, a finite number, true or false, nor a list of these.
    """
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
    """Return `method` after constructing its agent once, to check the options.

    Raises:
        InputError: the agent cannot be loaded or refuses the options; the message names `field`.
    """
    try:
        make_agent(method.name, **dict(method.options))
    except InputError as error:
        raise InputError(f"{field.path}, {error.field}", error.found, error.expected) from None
    except (TypeError, ValueError, AskwiseError) as error:
        raise InputError(field.path, f"options that {method.name!r} refuses ({error})", "other options") from None
    return method

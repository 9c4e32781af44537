"""The methods of a study file: agents by name, with options and labels, each with every belief that is listed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from askwise.errors import AskwiseError, InputError
from askwise.methods import AGENTS, make_agent, methods
from askwise.methods.loading import PLACES, is_place
from askwise.studies.schema.instances import chosen_label, distinct
from askwise.studies.schema.study import Method
from askwise.text.reading import Field


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
    of_a_place = isinstance(field.value, str) and is_place(field.value)
    if isinstance(field.value, str) and field.value.endswith(".py"):
        raise field.refuse(f"an agent of your own as {PLACES}, or one of {', '.join(map(repr, methods()))}")
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

"""`Domain`, the interface that all domains implement, and functions that find a domain by name or by problem.

A domain is a kind of problem, with its own files and words. It is one object, loaded at first use from a location
``module:attribute``. Other packages add domains as entry points in the group ``askwise.domains``, with such a location
as value.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from askwise.errors import InputError
from askwise.text.data import looks_like_data, parse_text
from askwise.text.files import find, read_text
from askwise.text.reading import Field, refuse_blank

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from askwise.core.problem import JointState, Problem
    from askwise.text.wording import Vocabulary

HOMES = {
    "tool-fetching": "askwise.domains.tool_fetching.domain:DOMAIN",
    "problem": "askwise.domains.stated.domain:DOMAIN",
}
"""The module and attribute of each domain of askwise."""
ANY = "problem"
"""The domain of every `FactoredProblem`. It is asked last, because other domains may use such problems, too."""
GROUP = "askwise.domains"
TRACES = ("askwise/trace@1", "askwise/trace@2")
"""Formats of `askwise.play.trace`. Such files look like instances, so they get their own error message."""
DECISION = "askwise/decision@1"
"""The format of `askwise.decide`, which needs another command."""
REMOVED = {
    "askwise/coverage@1": (
        'askwise/problem@1: the same map under teammate and ego, start = "W" and start = "F", and for each goal ego = '
        "the list of all other goals (askwise new --kind coverage writes an example)"
    )
}
"""Formats that earlier versions read, and their replacements."""


# -- the interface -----------------------------------------------------------------------------------------------


@runtime_checkable
class Domain(Protocol):
    """A kind of problem, such as tool fetching: it reads and writes files, makes problems and provides words for texts.

    A file describes an instance, from which a problem is made. Agents play the problem.
    """

    @property
    def name(self) -> str:
        """The name of the domain, such as ``tool-fetching``."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The values of the key ``format`` in files of this domain, such as ``askwise/tool-fetching@1``."""

    def recognises(self, given: object) -> bool:
        """Return whether `given` is an instance (the object that a file describes) or a problem of this domain."""

    def read(self, field: Field) -> Any:
        """Return the instance that a file describes: the object from which the method `problem` makes a problem.

        Raises InputError if anything in the file is wrong.

        Args:
            field: the parsed contents of the file.
        """

    def write(self, given: Any) -> dict[str, Any]:
        """Return the contents of a file that describes an instance or a problem, as JSON-compatible data.

        Raises InputError for anything that such a file cannot hold.

        Args:
            given: an instance or a problem of this domain.
        """

    def problem(self, given: Any, start: JointState | None = None) -> Problem:
        """Return the problem of an instance, the object that a file describes.

        Args:
            given: an instance or a problem of this domain. A problem is returned unchanged if `start` is None.
            start: the start of both agents; None for that of `given`. A prior that depends on the start is computed
                anew.

        Raises:
            InputError: the teammate cannot reach every goal.
        """

    def vocabulary(self, given: Any = None) -> Vocabulary:
        """Return the words for agents, goals and landmarks in texts.

        Args:
            given: a problem or an instance of this domain, whose words may include positions of landmarks; None for
                words without them.
        """

    def parse_state(
        self, problem: Any, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """Return the states of both agents, by index, from the names that a person typed.

        `holding` names the goal for which the ego agent carries something; None if it carries nothing. For `teammate`
        and `ego`, None stands for the agent's start. Raises InputError if a name is unknown, or if an agent can reach
        no goal.
        """


# -- the registry ------------------------------------------------------------------------------------------------


def names() -> list[str]:
    """Return the names of all domains, those of askwise first."""
    return list(dict.fromkeys([*HOMES, *(point.name for point in _points())]))


def domains() -> Iterator[Domain]:
    """Iterate over all domains, those of askwise first; load each domain only when the iteration gets to it."""
    yield from map(domain, HOMES)
    yield from (domain(point.name) for point in _points() if point.name not in HOMES)


@cache
def domain(name: str) -> Domain:
    """Return the domain with this name; raise `InputError` if there is none, or if it cannot be loaded."""
    if name in HOMES:
        module, _, attribute = HOMES[name].partition(":")
        own: Domain = getattr(importlib.import_module(module), attribute)
        return own
    for point in _points():
        if point.name == name:
            return _load(point)
    raise InputError("domain", repr(name), "one of " + ", ".join(map(repr, names())))


def domain_of(given: object, field: str = "problem") -> Domain:
    """Return the domain of a problem or an instance; raise an InputError if it belongs to no domain.

    `field` is the name of the input in the error message.
    """
    found = find_domain(given)
    if found is None:
        from askwise.core.problem import Problem

        kind = "a problem" if isinstance(given, Problem) else "something"
        titles = ", ".join(each.vocabulary().title.lower() for each in domains())
        raise InputError(field, f"{kind} of type {type(given).__name__}", titles)
    return found


def find_domain(given: object) -> Domain | None:
    """Return the domain of a problem or an instance; None if it belongs to no domain.

    An instance is the object that a file of the domain describes.
    """
    ordered = [*(name for name in names() if name != ANY), ANY]
    return next((each for each in map(domain, ordered) if each.recognises(given)), None)


def words_of(given: object) -> Vocabulary:
    """Return the words for agents, goals and landmarks in texts about a problem or an instance.

    The result is the default words if the problem or instance belongs to no domain.
    """
    found = find_domain(given)
    if found is None:
        from askwise.text.wording import PLAIN

        return PLAIN
    return found.vocabulary(given)


@cache
def _points() -> tuple[EntryPoint, ...]:
    # Here, because this import takes longer than everything else that `askwise --help` needs.
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))


def _load(point: EntryPoint) -> Domain:
    field = f"domain {point.name!r}"
    try:
        found = point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(field, str(error), "a domain that can be loaded") from error
    if not isinstance(found, Domain):
        raise InputError(field, f"something of type {type(found).__name__}", "an object with all members of Domain")
    return found


# -- files -------------------------------------------------------------------------------------------------------


def read_file(path: str | Path) -> Any:
    """Return the instance that a file of any domain describes: the object from which the domain makes a problem.

    Raises InputError if the file is not valid.

    Args:
        path: path of a JSON or TOML file, or name of an example (a key of `askwise.text.files.EXAMPLES`).
    """
    where = find(path)
    text = read_text(where)
    return _read(text, f"file {str(path)!r}", where.parent, toml=where.suffix.lower() == ".toml")


def standalone(path: str | Path) -> str:
    """Return the text of an instance file in a form that needs no other files.

    A file that refers to other files becomes JSON with their contents. Raises InputError if the file is not valid.

    Args:
        path: path of the file, or name of an example (a key of `askwise.text.files.EXAMPLES`).
    """
    path = find(path)
    text = read_text(path)
    try:
        read(text)
    except InputError:
        instance = read_file(path)  # it refers to other files, or is wrong
        return json.dumps(domain_of(instance).write(instance))
    return text


def read(text: str, source: str = "text", folder: Path | None = None) -> Any:
    """Return the instance that the text of a file describes: the object from which a domain makes a problem.

    Args:
        text: JSON if it begins with a brace or a bracket; TOML if not.
        source: what error messages call the text.
        folder: the folder of files that the text refers to; None to refuse such references.

    Raises:
        InputError: the text is not valid.
    """
    return _read(text, source, folder, toml=False)


def _read(text: str, source: str, folder: Path | None, *, toml: bool) -> Any:
    files = f"an instance file, {', '.join(_formats())} (askwise new writes one)"
    refuse_blank(text, source, files)
    if not toml and not looks_like_data(text):
        # For a drawing of a map, this message helps more than the position of the first TOML error.
        made = f"{files}; a drawn map becomes one with askwise new --kind map --from FILE"
        raise InputError(source, "text that is neither JSON nor TOML", made)
    return from_json(Field("", parse_text(text, toml=toml), folder))


def from_json(given: Field) -> Any:
    """Return the instance that the parsed contents of a file describe: the object from which a domain makes a problem.

    The key ``format`` selects the domain. Raises InputError if the contents are not valid.
    """
    if _is_study(given.value):
        raise InputError(given.path or "file", "a study", "an instance file (askwise study takes this one)")
    given.object(["format"])
    stated = given.child("format")
    if stated.value in TRACES:
        found = f"an episode that was played, {stated.value}"
        raise InputError(stated.path, found, "an instance file (askwise.play.trace.load takes this one)")
    if isinstance(stated.value, str) and stated.value in REMOVED:
        raise InputError(stated.path, f"{stated.value}, which is no longer read", REMOVED[stated.value])
    for each in domains():
        if stated.value in each.formats:
            return each.read(given)
    if stated.value == DECISION:
        raise InputError(stated.path, "a decision file", "an instance file (askwise decide takes this one)")
    stated.text(_formats())
    raise AssertionError("a format that is known has a domain that reads it")


def _is_study(value: Any) -> bool:
    return isinstance(value, dict) and "format" not in value and {"name", "methods"} <= value.keys()


def _formats() -> list[str]:
    return [written for each in domains() for written in each.formats]

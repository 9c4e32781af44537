"""A domain of one's own from three functions; all else that a `Domain` has is there by default.

::

    DOMAIN = BasicDomain(
        "lift", format="house/lift@1", instance=House, problem=as_problem, read=read, write=write
    )

`problem` makes a `BasicProblem` of an instance, `read` and `write` are its file. Its traces, the places on the command
line and studies of its files are those of any problem of two models (`askwise.domains.stated`). Drawings and texts use
the domain's words.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from askwise.core.factored import FactoredProblem
from askwise.core.problem import JointState, changed
from askwise.domains.stated.domain import check_start, parse_state
from askwise.errors import InputError
from askwise.text.reading import Field
from askwise.text.wording import PLAIN, Vocabulary


class BasicProblem(FactoredProblem):
    """Two models and shared goals that remember what they were made from; equal if that and their starts are.

    Args:
        instance: what a file of the domain describes.
        **stated: the arguments of `askwise.FactoredProblem`.

    Attributes:
        instance: what it was made from.
        stated_start: where both began when it was made.
    """

    def __init__(self, instance: Any, **stated: Any) -> None:
        super().__init__(**stated)
        self.instance = instance
        self.stated_start = self.start

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BasicProblem):
            return NotImplemented
        return bool(self.instance == other.instance and self.start == other.start)

    __hash__ = None  # type: ignore[assignment]  # instances need not be hashable


class BasicDomain:
    """A domain; fulfils `askwise.domains.domain.Domain`.

    Args:
        name: its name, such as ``lift``.
        format: what stands under ``format`` in its files, such as ``house/lift@1``.
        instance: the class of its instances; two that describe the same are equal (a dataclass does that).
        problem: takes an instance and returns its `BasicProblem`.
        read: takes a file's contents as a `Field` and returns the instance, or refuses with an `InputError`.
        write: takes an instance and returns a file's contents, without ``format``; for a dataclass of plain values
            `dataclasses.asdict` will do.
        words: what it calls things.
    """

    def __init__(
        self,
        name: str,
        *,
        format: str,  # noqa: A002 - that is what it is called in files
        instance: type,
        problem: Callable[[Any], BasicProblem],
        read: Callable[[Field], Any],
        write: Callable[[Any], dict[str, Any]],
        words: Vocabulary = PLAIN,
    ) -> None:
        if not isinstance(instance, type):
            raise InputError(f"domain {name!r}, instance", repr(instance), "the class of its instances")
        self.name = name
        self.format = format
        self.formats = (format,)
        self.instance = instance
        self._problem, self._read, self._write, self._words = problem, read, write, words

    def recognises(self, given: object) -> bool:
        """See `Domain`."""
        return isinstance(given.instance if isinstance(given, BasicProblem) else given, self.instance)

    def problem(self, given: Any, start: JointState | None = None) -> BasicProblem:
        """See `Domain`."""
        problem = given if isinstance(given, BasicProblem) else self._made(given)
        if start is None:
            return problem
        check_start(problem, start)
        return changed(problem, start=start)

    def _made(self, instance: Any) -> BasicProblem:
        if not isinstance(instance, self.instance):
            raise InputError("instance", repr(instance), f"a {self.instance.__name__} or its problem")
        made = self._problem(instance)
        if not isinstance(made, BasicProblem) or made.instance is not instance:
            found = f"a problem of type {type(made).__name__} that does not know the instance it was made from"
            raise InputError(f"domain {self.name!r}", found, "BasicProblem(instance, ...)")
        return made

    def vocabulary(self, given: object = None) -> Vocabulary:  # noqa: ARG002 - all its problems have the same words
        """See `Domain`."""
        return self._words

    def read(self, field: Field) -> Any:
        """See `Domain`."""
        instance = self._read(field)
        if not isinstance(instance, self.instance):
            kinds = [f"something of type {type(instance).__name__}", f"a {self.instance.__name__}: it reads its files"]
            raise InputError(f"domain {self.name!r}", *kinds)
        return instance

    def write(self, given: Any) -> dict[str, Any]:
        """See `Domain`."""
        if isinstance(given, BasicProblem) and given.start != given.stated_start:
            names = given.teammate.model.name(given.start.teammate), given.ego.model.name(given.start.ego)
            found = "{!r} and {!r}, where its instance does not start".format(*names)
            raise InputError("start", found, f"that of its instance: a file of {self.format} holds no other")
        instance = given.instance if isinstance(given, BasicProblem) else given
        # Through JSON, so that what cannot stand in a file is noticed here, and tuples are the lists that are read.
        contents: dict[str, Any] = json.loads(json.dumps(self._write(instance), allow_nan=False))
        return {"format": self.format, **contents}

    def parse_state(
        self, problem: BasicProblem, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """See `Domain`."""
        return parse_state(problem, teammate, ego, holding)

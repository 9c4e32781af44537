"""`BasicDomain`, a class for domains of your own, which you make from three functions.

A domain is a kind of problem with its own files::

    DOMAIN = BasicDomain(
        "lift", format="house/lift@1", instance=House, problem=as_problem, read=read, write=write
    )

A file describes an instance, here a `House`. `as_problem` makes a `BasicProblem` of it. `read` and `write` convert
between instances and the contents of files.
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
    """A problem of a `BasicDomain`, in which each agent has its own model and both share the goals.

    Problems with equal instances and equal starts are equal.

    Args:
        instance: the object that a file of the domain describes.
        **stated: the arguments of `askwise.FactoredProblem`.

    Attributes:
        instance: the argument `instance`.
        stated_start: the start when the problem was made; a copy with another start keeps this value.
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
    """A domain (a kind of problem with its own files) made from three functions: `problem`, `read` and `write`.

    Args:
        name: the domain's name, such as ``lift``.
        format: the value of ``format`` in its files, such as ``house/lift@1``.
        instance: the class of the objects that files describe. Equal contents must give equal objects.
        problem: makes a `BasicProblem` from an instance.
        read: makes an instance from a file's contents, a `Field`, or raises `InputError`.
        write: returns a file's contents without ``format``, such as `dataclasses.asdict`.
        words: the words for agents, goals and landmarks.
    """

    def __init__(
        self,
        name: str,
        *,
        format: str,  # noqa: A002 - its name in files
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
        """Return whether `given` is an instance of this domain, or a problem made from one.

        An instance is the object that a file of the domain describes.
        """
        return isinstance(given.instance if isinstance(given, BasicProblem) else given, self.instance)

    def problem(self, given: Any, start: JointState | None = None) -> BasicProblem:
        """Return the problem of an instance, the object that a file describes.

        Args:
            given: an instance of this domain, or a problem made from one.
            start: the start of both agents; None for that of `given`.

        Raises:
            InputError: the teammate cannot reach every goal from `start`, or `given` is neither a `BasicProblem` nor an
                instance of this domain.
        """
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
            found = f"a problem of type {type(made).__name__} without the instance from which it was made"
            raise InputError(f"domain {self.name!r}", found, "BasicProblem(instance, ...)")
        return made

    def vocabulary(self, given: object = None) -> Vocabulary:  # noqa: ARG002 - all its problems have the same words
        """Return the words that texts use for agents, goals and landmarks.

        All problems of the domain have the same words, so `given`, a problem or an instance, is ignored.
        """
        return self._words

    def read(self, field: Field) -> Any:
        """Return the instance that a file describes.

        Args:
            field: the parsed contents of the file.

        Raises:
            InputError: the contents are wrong, or the function `read` that the domain was made from returns an object
                of a wrong class.
        """
        instance = self._read(field)
        if not isinstance(instance, self.instance):
            kinds = [f"something of type {type(instance).__name__}", f"a {self.instance.__name__}: it reads its files"]
            raise InputError(f"domain {self.name!r}", *kinds)
        return instance

    def write(self, given: Any) -> dict[str, Any]:
        """Return the contents of an instance's file, as JSON-compatible data, including ``format``.

        Args:
            given: an instance of this domain, or a problem made from one.

        Raises:
            InputError: `given` is a problem whose start is not that of its instance.
            TypeError, ValueError: the result of the domain's function `write` is no JSON.
        """
        if isinstance(given, BasicProblem) and given.start != given.stated_start:
            names = given.teammate.model.name(given.start.teammate), given.ego.model.name(given.start.ego)
            found = "{!r} and {!r}, where its instance does not start".format(*names)
            raise InputError("start", found, f"the start of its instance: a file of {self.format} holds no other")
        instance = given.instance if isinstance(given, BasicProblem) else given
        # Through JSON, so that data that a file cannot hold is refused here, and tuples become lists, as in a file.
        contents: dict[str, Any] = json.loads(json.dumps(self._write(instance), allow_nan=False))
        return {"format": self.format, **contents}

    def parse_state(
        self, problem: BasicProblem, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """Return the states of both agents, by index, from the names that a person typed.

        None stands for an agent's start. `holding` must be None, because agents carry nothing in these problems.

        Raises:
            InputError: a state does not exist, the teammate can reach no goal, the ego agent cannot reach every goal,
                or `holding` is not None.
        """
        return parse_state(problem, teammate, ego, holding)

"""The agents of `tests.methods.misbehaving`, and what the error message about each of them must contain."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from askwise.methods import Agent
from tests.methods import misbehaving

FILE = Path(misbehaving.__file__)
HELPERS = ("Ok", "Returns", "Believes")


@dataclass(frozen=True)
class Culprit:
    """An agent that misbehaves.

    Attributes:
        kind: its class.
        place: its location, as a user names it.
        step: the step in which it misbehaves; None before the first.
        line: the line of its file that the message must name; None if there is none.
        only: the commands in which it misbehaves.
    """

    kind: type[Agent]
    place: str
    step: int | None
    line: int | None
    only: tuple[str, ...]

    def __str__(self) -> str:
        return self.kind.__name__

    def assert_named(self, message: str) -> None:
        """Check that a message names the agent, the step and the line, on one printable line."""
        assert "\n" not in message
        assert message.isprintable()
        assert "Traceback" not in message
        assert len(message) < 1000
        called = (f"agent {self.kind.name!r}", f"agent {self.kind.__name__!r}", f"method {self.place!r}")
        assert any(name in message for name in called), message
        assert (f"step {self.step}: " in message) if self.step is not None else ("step " not in message), message
        if self.line is not None:
            assert f"({FILE}, line {self.line})" in message


def culprits() -> list[Culprit]:
    """Return all misbehaving agents, in the order of their definition."""
    found = [kind for kind in vars(misbehaving).values() if isinstance(kind, type) and issubclass(kind, Agent)]
    own = [kind for kind in found if kind.__module__ == misbehaving.__name__ and kind.__name__ not in HELPERS]
    marked = dict(_marked())
    return [_culprit(kind, marked) for kind in own]


def _culprit(kind: type[Agent], marked: dict[str, int]) -> Culprit:
    line = next((marked[each.__name__] for each in kind.__mro__ if each.__name__ in marked), None)
    stated = {name: getattr(kind, name) for name in ("step", "only")}
    return Culprit(kind, f"{FILE}:{kind.__name__}", line=line, **stated)


def _marked() -> Iterator[tuple[str, int]]:
    """Yield the classes that mark a line, with the number of the line."""
    text = FILE.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            for number in range(node.lineno, (node.end_lineno or 0) + 1):
                if "# HERE" in lines[number - 1]:
                    yield node.name, number

"""A minimal domain of another package: coverage on a drawn map, with the default words."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from askwise.core.problem import JointState
from askwise.domains import registry
from askwise.domains.coverage import Coverage
from askwise.text.reading import Field
from askwise.text.wording import PLAIN, Vocabulary
from askwise.view.scene import Cell

FORMAT = "toy/coverage@1"


@dataclass(frozen=True)
class Sketch:
    """An instance: a drawing."""

    drawing: str


class ToyProblem(Coverage):
    """Coverage that keeps its sketch."""

    def __init__(self, sketch: Sketch) -> None:
        super().__init__(sketch.drawing)
        self.sketch = sketch

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToyProblem) and self.sketch == other.sketch

    __hash__ = None  # type: ignore[assignment]

    def cell(self, state: int) -> Cell:
        x, y = self.drawing.grid.cells[state].tolist()
        return x, y


class Toy:
    """The domain. It accepts no states on the command line: both agents stay at their starts."""

    name = "toy"
    formats = (FORMAT,)

    def recognises(self, given: object) -> bool:
        return isinstance(given, Sketch | ToyProblem)

    def read(self, field: Field) -> Sketch:
        return Sketch(field.object(["format", "drawing"], []).child("drawing").text())

    def write(self, given: Sketch | ToyProblem) -> dict[str, Any]:
        return {"format": FORMAT, "drawing": (given if isinstance(given, Sketch) else given.sketch).drawing}

    def problem(self, given: Sketch, start: JointState | None = None) -> ToyProblem:
        assert start is None
        return ToyProblem(given)

    def vocabulary(self, given: Sketch | ToyProblem | None = None) -> Vocabulary:
        return PLAIN

    def parse_state(
        self, problem: ToyProblem, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        assert teammate is ego is holding is None
        return problem.start


TOY = Toy()


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the package of this domain."""
    plug_in(monkeypatch, EntryPoint("toy", f"{__name__}:TOY", registry.GROUP))


def plug_in(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    """Install packages with these entry points."""
    registry.domain.cache_clear()
    monkeypatch.setattr(registry, "_points", lambda: points)

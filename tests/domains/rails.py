"""A `BasicDomain` of another package: stops on a line, and a tram that goes in one direction only."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from askwise.domains.basic import BasicDomain, BasicProblem
from askwise.errors import InputError
from askwise.model import Model
from askwise.text.reading import Field
from askwise.text.wording import Vocabulary

FORMAT = "toy/rails@1"
WORDS = Vocabulary(title="Rails", teammate="tram", ego="bus", goal="stop", teammate_sign="T", ego_sign="B")


@dataclass(frozen=True)
class Line:
    """An instance: the number of stops, and both starts. The tram goes up only."""

    stops: tuple[str, ...]
    tram: str
    bus: str


def as_problem(line: Line) -> BasicProblem:
    """Return the problem in which every stop that the tram can reach is a goal."""
    pairs = list(zip(line.stops, line.stops[1:], strict=False))
    rails = [(low, "up", high) for low, high in pairs]
    road = [*rails, *((high, "down", low) for low, high in pairs), (line.stops[0], "ring", line.stops[-1])]
    return BasicProblem(
        line,
        goals={stop: stop for stop in line.stops[line.stops.index(line.tram) :]},
        teammate_model=Model.from_edges(rails),
        ego_model=Model.from_edges(road),
        start=(line.tram, line.bus),
    )


def read(given: Field) -> Line:
    """Check a file's contents."""
    given.object(["format", "stops", "tram", "bus"], [])
    stops = tuple(stop.text() for stop in given.child("stops").elements())
    if len(set(stops)) < max(len(stops), 2):
        raise InputError("stops", list(stops), "at least two, each once")
    return Line(stops, given.child("tram").text(stops), given.child("bus").text(stops))


def write(line: Line) -> dict[str, Any]:
    """Return the contents that `read` reads."""
    return asdict(line)


RAILS = BasicDomain("rails", format=FORMAT, instance=Line, problem=as_problem, read=read, write=write, words=WORDS)

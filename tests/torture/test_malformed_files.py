"""Ten thousand malformed files for every reader: each is read, or refused with the name of a field.

The changes come from `random.Random` with fixed seeds, so that failures can be reproduced. No file may take
long (an alarm detects a reader that hangs) or much memory. Readers are called in this process.
"""

from __future__ import annotations

import copy
import json
import random
import re
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from askwise import simulate, trace
from askwise.api import as_problem
from askwise.domains import registry
from askwise.domains.tool_fetching import Instance, ToolFetching
from askwise.errors import AskwiseError, InputError
from askwise.methods.third_party import load_agent
from askwise.model import Drawing
from askwise.studies.schema.study_file import load_study
from askwise.text.data import parse_json, toml_text
from askwise.text.files import decode
from askwise.text.reading import Field
from askwise.text.wording import printable
from tests.domains.instances import instance_json
from tests.domains.stated.test_file_fuzz import FILES, WALKED, changed_text, paths
from tests.domains.stated.test_file_fuzz import changed as changed_problem
from tests.domains.test_fuzz import mutate
from tests.methods.asking import AsksHalf
from tests.tool_fetching import workshop

MALFORMED = 10_000
SECONDS = 60
"""Seconds; much longer than reading any of these files takes."""
MEGABYTES = 700
"""The limit of the growth of the process while ten thousand small files are read."""

HUGE: list[Any] = [
    10**400,
    -(10**400),
    1.7e308,
    1e13,
    float("inf"),
    float("nan"),
    "\ud800",
    "n" * 4000,
    "\x00",
    {"a": [[[[[]]]]]},
]
"""Values that no file should contain, in addition to those of the mutators."""


# -- what a reader may do ----------------------------------------------------------------------------------------


@contextmanager
def alarmed(seconds: int) -> Iterator[None]:
    """Raise an error if the block takes longer."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def within_memory() -> Iterator[None]:
    """Check that the process does not grow by more than the limit."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < MEGABYTES, f"{grown:.0f} MB"


def outcome(read: Callable[[Any], object], given: Any, field: re.Pattern[str]) -> str:
    """Return "read", or the first word of the field that was refused."""
    try:
        with alarmed(SECONDS):
            read(given)
    except AskwiseError as error:
        refused = error
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} from {shortened(given)}") from error
    else:
        return "read"
    message = str(refused)
    assert len(message) < 10_000, message[:500]
    printable(message).encode()
    assert isinstance(refused, InputError), f"{refused!r} from {shortened(given)}"
    assert field.match(refused.field), f"the field {refused.field!r} from {shortened(given)}"
    return re.split(r"[ .\[,:]", refused.field)[0]


def shortened(given: Any) -> str:
    text = repr(given)
    return text if len(text) < 3000 else f"{text[:3000]}..."


@dataclass(frozen=True)
class Reader:
    """A kind of file.

    Attributes:
        read: reads a file that `spoilt` yields.
        spoilt: yields an endless series of malformed files.
        fields: the first words of fields that may be refused.
    """

    read: Callable[[Any], object]
    spoilt: Iterator[Any]
    fields: str


def torture(reader: Reader) -> Counter[str]:
    """Read malformed files; count the outcomes."""
    fields = re.compile(rf"({reader.fields}|file|line \d+|standard input|text)\b|key \"", re.DOTALL)
    with within_memory():
        seen = Counter(outcome(reader.read, next(reader.spoilt), fields) for _ in range(MALFORMED))
    assert seen["read"] < MALFORMED
    return seen


# -- malformed files ---------------------------------------------------------------------------------------------


def with_huge(chance: random.Random, data: Any) -> Any:
    """Return the same contents with one entry or name that is far too large."""
    data = copy.deepcopy(data)
    *outer, last = chance.choice(paths(data))
    parent = data
    for key in outer:
        parent = parent[key]
    if isinstance(parent, dict) and chance.random() < 0.3:
        parent[chance.choice(["\ud800", "n" * 4000, "\x00"])] = parent.pop(last)
    else:
        parent[last] = copy.deepcopy(chance.choice(HUGE))
    return data


def with_strange(chance: random.Random, data: Any) -> Any:
    data = copy.deepcopy(data)
    for _ in range(chance.randint(1, 4)):
        if data:
            mutate(data, chance)
    return data


def changed_bytes(chance: random.Random, text: str) -> bytes:
    """Return a text with some bytes replaced, removed or doubled; the result may not be UTF-8."""
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(content))
        how = chance.randrange(4)
        if how == 0:
            del content[at : at + chance.randint(1, 8)]
        elif how == 1:
            content[at:at] = content[at : at + chance.randint(1, 30)]
        else:
            content[at] = chance.randrange(256)
        content = content or bytearray(b" ")
    return bytes(content)


def contents(chance: random.Random, data: Any) -> Any:
    """Return the contents of a file, changed in one of three ways."""
    return chance.choice([with_strange, with_huge, changed_problem])(chance, data)


def texts(seed: str, data: list[Any], write: Callable[[Any], str]) -> Iterator[bytes]:
    """Yield malformed files with changed contents, characters or bytes, without end."""
    chance = random.Random(seed)
    while True:
        original = chance.choice(data)
        how = chance.randrange(5)
        if how >= 3:
            with suppress(ValueError, TypeError, RecursionError):  # not all contents can be written
                yield write(contents(chance, original)).encode("utf-8", "surrogatepass")
        elif how == 2:
            yield changed_bytes(chance, write(original))
        else:
            yield changed_text(chance, write(original)).encode("utf-8", "surrogatepass")


def as_json(data: Any) -> str:
    return json.dumps(data, indent=1)


def spoilt_text(seed: str, text: str) -> Iterator[bytes]:
    """Yield malformed texts that are neither JSON nor TOML, without end."""
    chance = random.Random(seed)
    while True:
        yield changed_bytes(chance, text) if chance.random() < 0.5 else changed_text(chance, text).encode()


def text_of(given: bytes) -> str:
    return decode(given, "file")


# -- the readers -------------------------------------------------------------------------------------------------

INSTANCE = r"format|width|height|walls|toolboxes|stations|worker|fetcher|prior|query_cost"
PROBLEM = rf"{INSTANCE}|name|map|teammate|ego|goals|answers|groups|words|weights|prices"
STUDY = (
    r"name|methods|title|seed|episodes|max_steps|priors|per_goal|base?|teammates|beliefs|bounds|exact"
    r"|instances|study|domain"
)
TRACE = rf"{PROBLEM}|instance|method|seed|goal|finished|cost|known_cost|marginal_cost|final|steps"


def read_problem(given: bytes) -> None:
    stated = registry.read(text_of(given))
    problem = as_problem(stated)
    assert abs(problem.prior.sum() - 1) < 1e-9
    assert registry.from_json(Field("", registry.domain_of(stated).write(stated))) == stated


def read_instance(given: bytes) -> None:
    instance = Instance.from_text(text_of(given), "file")
    problem = ToolFetching(instance)
    assert abs(problem.prior.sum() - 1) < 1e-9
    assert 0 <= problem.query_cost(tuple(range(len(problem.goals)))) < float("inf")


WEIGHTS = instance_json(width=8, height=9, walls=[[3, 4], [6, 2]], prior={"S1": 2, "S2": 0.5})
INSTANCES = [instance_json(width=8, height=9, walls=[[3, 4], [6, 2]]), WEIGHTS]


def test_instances() -> None:
    seen = torture(Reader(read_instance, texts("instances", INSTANCES, as_json), INSTANCE))
    assert {"read", "file", "line", "walls", "toolboxes", "stations", "worker", "prior", "query_cost"} <= set(seen)


@pytest.mark.parametrize("write", [as_json, toml_text], ids=["json", "toml"])
def test_problems(write: Callable[[Any], str]) -> None:
    given = list(FILES.values())
    seen = torture(Reader(read_problem, texts(f"problems {write.__name__}", given, write), PROBLEM))
    assert {"read", "line", "teammate", "ego", "goals", "query_cost"} <= set(seen)


def test_tables_of_policies(tmp_path: Path) -> None:
    lines = ['g,"0,0",on,1', 'g,"1,0",on,0.5', 'g,"1,0",back,0.5']
    table = "goal,state,action,probability\n" + "\n".join(lines) + "\n"
    data = copy.deepcopy(WALKED)
    data["teammate"]["policy"] = {"table": "policy.csv"}
    text = as_json(data)

    def read(given: bytes) -> None:
        (tmp_path / "policy.csv").write_bytes(given)
        as_problem(registry.read(text, folder=tmp_path))

    seen = torture(Reader(read, spoilt_text("tables", table), PROBLEM))
    assert {"read", "file", "teammate"} <= set(seen)


DRAWING = "....#...B\n.W..#....\n..F.....A\nC.#####..\n"


def test_drawn_maps() -> None:
    def read(given: bytes) -> None:
        assert str(Drawing.parse(text_of(given)))

    seen = torture(Reader(read, spoilt_text("maps", DRAWING), r"drawing|walls"))
    assert {"read", "file", "drawing"} <= set(seen)


# -- studies and agents ------------------------------------------------------------------------------------------

FULL: dict[str, Any] = {
    "name": "mine",
    "title": "All there is",
    "seed": 3,
    "episodes": 2,
    "max_steps": 500,
    "priors": ["far", {"kind": "near", "temperature": 2.0}, {"kind": "far", "temperature": 3, "label": "flat"}],
    "per_goal": [0, 0.2],
    "base": [0.5, 1],
    "teammates": ["urop", "noisy:0.1"],
    "beliefs": ["elimination", "bayes"],
    "methods": ["never", {"name": "ezq", "label": "local", "optimiser": "local"}],
    "bounds": 1,
    "exact": {"instances": 1, "priors": ["far"]},
    "instances": {"count": 7, "size": [5, 6], "stations": 4, "toolboxes": 2, "walls": 0.1, "clustered": True},
}
OF_FILES: dict[str, Any] = {
    "name": "files",
    "methods": ["never", "mine.py:Mine"],
    "base": 0.5,
    "instances": {"files": ["a.json", "more/*.json"]},
}
MINE = """from askwise.methods import BeliefAgent

class Mine(BeliefAgent):
    def ask_or_wait(self, state, possible): ...
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an agent and instances."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "more").mkdir()
    for name in ("a.json", "more/b.json"):
        (tmp_path / name).write_text(json.dumps(INSTANCES[0]))
    return tmp_path


def test_studies(folder: Path) -> None:
    path = folder / "study.toml"

    def read(given: bytes) -> None:
        path.write_bytes(given)
        study = load_study(path)
        json.dumps(study.describe())
        assert study.fingerprint

    seen = torture(Reader(read, texts("studies", [FULL, OF_FILES], toml_text), STUDY))
    assert {"read", "file", "methods", "priors", "instances", "teammates", "base"} <= set(seen)


@pytest.mark.usefixtures("folder")
def test_places_of_agents() -> None:
    chance = random.Random("places")

    def spoilt() -> Iterator[str]:
        while True:
            place = changed_text(chance, chance.choice(["mine.py:Mine", "mine:Mine", "more/mine.py:Mine"]))
            # The file before the colon is executed, so it must be one that the test wrote.
            yield place if "mine" in place or "." not in place else "mine.py:"

    seen = torture(Reader(load_agent, spoilt(), r"method"))
    assert {"read", "method"} <= set(seen)


# -- traces ------------------------------------------------------------------------------------------------------


def test_traces() -> None:
    ward = as_problem(registry.from_json(Field("", FILES["ward"])))
    problem = workshop(query_cost={"base": 0.5, "per_station": 0.1})
    played = [
        simulate(problem, AsksHalf(), goal="C", seed=2, max_steps=5),
        simulate(ward, "ezq-exact", seed=2, max_steps=4),
    ]

    def read(given: bytes) -> None:
        episode = trace.from_json(parse_json(text_of(given)))
        written = json.dumps(trace.to_json(episode), allow_nan=False)
        assert trace.from_json(parse_json(written)) == episode

    originals = [trace.to_json(episode) for episode in played]
    seen = torture(Reader(read, texts("traces", originals, as_json), TRACE))
    assert {"read", "line", "instance", "steps", "cost", "final"} <= set(seen)

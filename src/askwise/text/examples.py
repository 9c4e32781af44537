"""The examples that come with askwise, by name: what each is, its file, and a command to try.

In the repository they are in the folder ``examples``; an installed package has a copy of that folder next to its code.
Where a file is expected, the name of an example will do, unless there is a file or folder of that name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from askwise.errors import InputError, did_you_mean


@dataclass(frozen=True)
class Example:
    """A file or a folder that comes with askwise.

    Attributes:
        file: its path in the folder of examples.
        about: one line about it.
        command: the arguments of ``askwise`` to try it with.
    """

    file: str
    about: str
    command: str


EXAMPLES = {
    "ward": Example("ward.toml", "a nurse and a robot on a graph", "ask ward"),
    "kitchen": Example("kitchen.toml", "a cook and a helper on a map", "run kitchen --seed 1"),
    "workshop": Example("workshop.json", "tool fetching: 12 stations", "ask workshop --worker 7,2"),
    "coverage": Example("coverage.toml", "two watchmen, different rooms", "evaluate coverage"),
    "words": Example("words.toml", "spelling with blocks (PDDL)", "ask words"),
    "office": Example("office.txt", "a drawn map with five goals", "edp office"),
    "two-goals": Example("two-goals.txt", "a drawn map: the paper's grid", "edp two-goals --at 7,6"),
    "hall": Example("hall.txt", "a drawn map: is a wall useful?", "design hall -k 3"),
    "words-pddl": Example("words", "a planning problem (PDDL)", "recognise words-pddl"),
    "ticket": Example("decisions/ticket.toml", "a decision: an unclear ticket", "decide ticket"),
    "travel": Example("decisions/travel.toml", "a decision: which Paris?", "decide travel"),
    "triage": Example("decisions/triage.toml", "a decision: chest pain", "decide triage"),
    "robot": Example("decisions/robot.toml", "a decision with utilities", "decide robot"),
    "return": Example("conversations/return.json", "a decision about a broken lamp", "decide return"),
    "returns": Example("conversations/returns.jsonl", "six recorded conversations", "audit returns"),
    "train_ppo": Example("train_ppo.py", "reinforcement learning", "examples train_ppo"),
}
"""All examples by name, in the order in which they are listed."""


def folder() -> Path:
    """Return the folder of the examples: that of the installed package, or the one in the repository."""
    package = Path(__file__).parent.parent
    installed = package / "examples"
    return installed if installed.is_dir() else package.parent.parent / "examples"


def find(given: str | Path) -> Path:
    """Return the path of an existing file; if there is no such file, the path of the example with that name.

    The documentation's way to name examples, such as ``examples/ward.toml``, works too. Any other path is returned as
    it is, and reading it raises the error. A name that is neither a file nor an example, but resembles one, raises an
    `InputError` with the similar name.
    """
    name, path = str(given), Path(given)
    if not name or "\0" in name or name == "-":
        return path
    if path.name != name:
        files = [f"examples/{each.file}" for each in EXAMPLES.values()]
        return folder().parent / path if path.as_posix() in files and not path.exists() else path
    try:
        if path.exists():
            return path
    except OSError:
        return path
    if name in EXAMPLES:
        return folder() / EXAMPLES[name].file
    guess = did_you_mean(name, EXAMPLES)
    if guess:
        raise InputError(f"file {name!r}", "no such file", f"a file, or the name of an example{guess}")
    return path


def example(name: str) -> Example:
    """Return the example of this name; raise an `InputError` if there is none."""
    if name not in EXAMPLES:
        raise InputError("NAME", repr(name), f"one of {', '.join(EXAMPLES)}{did_you_mean(name, EXAMPLES)}")
    return EXAMPLES[name]

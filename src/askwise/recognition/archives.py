"""Finding goal-recognition problems in folders, and which archives are the same problem with other observations.

The public data set has 6,694 archives and 89 problems: the optimal plans are worked out once for each problem.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from askwise.errors import InputError
from askwise.pddl.archive import DOMAIN, ENDINGS, GOALS, SEEN, TEMPLATE, TRUE_GOAL, read_texts
from askwise.text.files import reason

SHARED = (DOMAIN, TEMPLATE, GOALS)
OBSERVABILITY = re.compile(r"_(\d{1,3}|full)(?:_\d+)?$")
"""How the public archives say how much of the plan was seen, at the end of their names: a percentage, or all."""


@dataclass(frozen=True)
class Watching:
    """What was seen of one plan.

    Attributes:
        name: the name of the archive.
        texts: the observations and the true goal, as far as they are there.
    """

    name: str
    texts: tuple[tuple[str, str], ...]

    @property
    def observability(self) -> str:
        """How much of the plan was seen, in per cent, as the archive's name says; empty if it does not."""
        found = OBSERVABILITY.search(self.name)
        return "" if found is None else {"full": "100"}.get(found[1], found[1])


@dataclass(frozen=True)
class Collected:
    """One problem, and the archives that are about it.

    Attributes:
        name: what to call it: what the names of its archives have in common.
        texts: domain, template and goals.
        watched: what was seen, one for each archive.
    """

    name: str
    texts: tuple[tuple[str, str], ...]
    watched: tuple[Watching, ...]

    @property
    def digest(self) -> str:
        """A few letters that stand for all that is written in the files."""
        everything = repr((self.texts, [(each.name, each.texts) for each in self.watched]))
        return hashlib.sha256(everything.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Unreadable:
    """An archive that cannot be read.

    Attributes:
        name: its name.
        why: what is wrong with it.
    """

    name: str
    why: str


def collect(paths: Sequence[str | Path]) -> tuple[list[Collected], list[Unreadable]]:
    """Return the problems in archives, folders of a problem, and folders of these, in the order of their names."""
    problems: dict[tuple[tuple[str, str], ...], list[Watching]] = {}
    unreadable: list[Unreadable] = []
    for path in _unique(each for given in paths for each in _found(Path(given), unreadable)):
        name = _name(path)
        try:
            texts = read_texts(path)
        except InputError as error:
            unreadable.append(Unreadable(name, str(error)))
            continue
        shared = tuple((role, texts[role]) for role in SHARED if role in texts)
        rest = tuple((role, texts[role]) for role in (SEEN, TRUE_GOAL) if role in texts)
        problems.setdefault(shared, []).append(Watching(name, rest))
    if not problems and not unreadable:
        where = ", ".join(repr(str(path)) for path in paths)
        raise InputError("DIR", f"no problem in {where}", f"archives (*{ENDINGS[0]}) or folders with {DOMAIN}")
    names = _names(list(problems.values()))
    found = zip(names, problems.items(), strict=True)
    return [Collected(name, texts, tuple(watched)) for name, (texts, watched) in found], unreadable


def _names(groups: list[list[Watching]]) -> list[str]:
    """Return a name for each problem; where several would have the same, that of their first archive."""
    names = [_common([watching.name for watching in group]) for group in groups]
    return [name if names.count(name) == 1 else group[0].name for name, group in zip(names, groups, strict=True)]


def _found(path: Path, unreadable: list[Unreadable]) -> Iterator[Path]:
    """Iterate over the archives and problem folders at and below a path; note folders that cannot be looked into."""

    def note(error: OSError) -> None:
        refused = InputError(f"folder {str(error.filename)!r}", reason(error), "a folder that can be read")
        unreadable.append(Unreadable(_name(Path(error.filename)), str(refused)))

    if not path.is_dir():
        if not path.exists():
            raise InputError(f"file {str(path)!r}", "no such file or directory", "an archive, or a folder of archives")
        yield path
        return
    for folder, inside, names in os.walk(path, onerror=note):
        inside.sort()
        if DOMAIN in names:
            yield Path(folder)
        yield from (Path(folder, name) for name in sorted(names) if name.lower().endswith(ENDINGS))


def _unique(paths: Iterable[Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    for path in paths:
        if (real := path.resolve()) not in seen:
            seen.add(real)
            yield path


def _name(path: Path) -> str:
    name = path.resolve().name
    return next((name[: -len(ending)] for ending in ENDINGS if name.lower().endswith(ending)), name)


def _common(names: Sequence[str]) -> str:
    """Return what names have in common at their beginning, without a broken-off ending."""
    if len(names) == 1:
        return re.sub(r"_hyp-.*$", "", names[0])
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    common = "".join(letters[0] for letters in alike)
    return re.sub(r"_?hyp-?.*$|[_-]+$", "", common) or names[0]

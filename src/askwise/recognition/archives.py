"""Find goal-recognition problems in folders, and group archives that contain the same problem.

In goal recognition, an observer infers an agent's goal from some of its actions. An archive has a planning domain,
possible goals and observed actions. Archives that differ only in the observed actions form a group, so that optimal
plans are computed only once.
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
from askwise.text.files import find, reason

SHARED = (DOMAIN, TEMPLATE, GOALS)
"""The files that archives of the same problem have in common."""
OBSERVABILITY = re.compile(r"_(\d{1,3}|full)(?:_\d+)?$")
"""The end of the public archives' names: the percentage of the plan that was observed, or ``full``."""


@dataclass(frozen=True)
class ObservedPlan:
    """The observations in one archive: the observed actions and the true goal of an agent.

    Attributes:
        name: the archive's name without ending.
        texts: pairs of file name and content: ``obs.dat`` (observed actions) and ``real_hyp.dat`` (true goal), if they
            exist.
    """

    name: str
    texts: tuple[tuple[str, str], ...]

    @property
    def observability(self) -> str:
        """The percentage of the agent's plan that was observed, as text such as ``30``.

        It is read from the end of the archive's name, where ``full`` means 100; empty if the name does not state it.
        """
        found = OBSERVABILITY.search(self.name)
        return "" if found is None else {"full": "100"}.get(found[1], found[1])


@dataclass(frozen=True)
class Collected:
    """A goal-recognition problem, with the observations from all archives that contain it.

    Attributes:
        name: the common beginning of the archives' names.
        texts: pairs of file name and content: PDDL domain, PDDL problem and goals, if they exist.
        observed: the observations in each archive.
    """

    name: str
    texts: tuple[tuple[str, str], ...]
    observed: tuple[ObservedPlan, ...]

    @property
    def digest(self) -> str:
        """A checksum (16 hexadecimal digits) of the problem's files and of the observations from all its archives."""
        everything = repr((self.texts, [(each.name, each.texts) for each in self.observed]))
        return hashlib.sha256(everything.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Unreadable:
    """An archive or folder that could not be read, with the reason.

    Attributes:
        name: the name of the archive or folder.
        why: the error message.
    """

    name: str
    why: str


def collect(paths: Sequence[str | Path]) -> tuple[list[Collected], list[Unreadable]]:
    """Return all goal-recognition problems in the given archives and folders, and what could not be read.

    Archives that differ only in the observed actions or the true goal become one problem.

    Args:
        paths: archives (tar files), folders that contain archives or unpacked problems at any depth, or names of
            examples that come with askwise.

    Raises:
        InputError: a path does not exist, or neither a problem nor anything unreadable was found.
    """
    problems: dict[tuple[tuple[str, str], ...], list[ObservedPlan]] = {}
    unreadable: list[Unreadable] = []
    for path in _unique(each for given in paths for each in _found(find(given), unreadable)):
        name = _name(path)
        try:
            texts = read_texts(path)
        except InputError as error:
            unreadable.append(Unreadable(name, str(error)))
            continue
        shared = tuple((role, texts[role]) for role in SHARED if role in texts)
        rest = tuple((role, texts[role]) for role in (SEEN, TRUE_GOAL) if role in texts)
        problems.setdefault(shared, []).append(ObservedPlan(name, rest))
    if not problems and not unreadable:
        where = ", ".join(repr(str(path)) for path in paths)
        raise InputError("DIR", f"no problem in {where}", f"archives (*{ENDINGS[0]}) or folders with {DOMAIN}")
    names = _names(list(problems.values()))
    found = zip(names, problems.items(), strict=True)
    return [Collected(name, texts, tuple(observed)) for name, (texts, observed) in found], unreadable


def _names(groups: list[list[ObservedPlan]]) -> list[str]:
    """Return a name for each problem: the common beginning of its archives' names.

    If several problems share this beginning, each is named after its first archive instead. A number such as ``(2)``
    makes equal names different.
    """
    names = [_common([plan.name for plan in group]) for group in groups]
    chosen = [name if names.count(name) == 1 else group[0].name for name, group in zip(names, groups, strict=True)]
    repeated = [chosen[:k].count(name) for k, name in enumerate(chosen)]
    return [f"{name} ({k + 1})" if k else name for name, k in zip(chosen, repeated, strict=True)]


def _found(path: Path, unreadable: list[Unreadable]) -> Iterator[Path]:
    """Yield the path of each archive or folder with a problem, at `path` or inside it at any depth.

    Folders that cannot be read are appended to `unreadable`. If `path` does not exist, an `InputError` is raised.
    """

    def note(error: OSError) -> None:
        refused = InputError(f"folder {str(error.filename)!r}", reason(error), "a folder that can be read")
        unreadable.append(Unreadable(_name(Path(error.filename)), str(refused)))

    if not path.is_dir():
        if not path.exists():
            raise InputError(f"file {str(path)!r}", "no such file or directory", "an archive, or a folder of archives")
        yield path
        return
    seen: set[Path] = set()  # a link may lead back to a folder above it
    for folder, inside, names in os.walk(path, onerror=note, followlinks=True):
        real = Path(folder).resolve()
        if real in seen:
            inside.clear()
            continue
        seen.add(real)
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
    """Return the common beginning of the names of one problem's archives.

    The part about the goal (from ``hyp`` on) and separators at the end are removed.
    """
    if len(names) == 1:
        return re.sub(r"_hyp-.*$", "", names[0])
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    common = "".join(letters[0] for letters in alike)
    return re.sub(r"_?hyp-?.*$|[_-]+$", "", common) or names[0]

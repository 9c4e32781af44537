"""`askwise.audit`: what the decisions of episodes and conversations cost beyond the best ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from askwise.audits.judgement import JUDGES
from askwise.audits.results import Audit
from askwise.audits.sources import found_in, key_of
from askwise.audits.working import Item, Progress, Terms, judge_all
from askwise.core.episode import Episode
from askwise.errors import InputError, did_you_mean
from askwise.model.names import as_int

Audited = str | Path | Episode | Mapping[str, Any]
"""A file or a folder, an episode, or the contents of a file."""


def audit(
    what: Audited | Iterable[Audited],
    *,
    judge: str = "auto",
    tolerance: float | None = None,
    questions: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Audit:
    """Return what every decision cost beyond the best one, given what was known; see `askwise.audits`.

    Args:
        what: episodes, traces (``askwise run --trace``) and conversations: files, folders of files, `Episode` objects,
            the contents of such files as dictionaries, or several of these.
        judge: ``optimal``, ``planner``, or ``auto``: the optimum where the problem is small enough.
        tolerance: regrets up to this are no mistakes; by default 0.000001 for the optimum and 0.05 for the planner.
        questions: for the optimum where answers may be wrong or missing: how many questions may be asked, by default 3.
        workers: number of processes that share the work; the result is the same. Episodes of classes that only your
            own program knows are audited in its process.
        progress: called now and then with the number of episodes judged so far.
    """
    _check(judge, tolerance, questions, workers)
    several = [what] if isinstance(what, str | Path | Episode | Mapping) else list(what)
    items = list(_items(several))
    if not items:
        raise InputError("what", "nothing", "at least one episode or conversation")
    return Audit(tuple(judge_all(items, Terms(judge, tolerance, questions), workers, progress)))


def _items(several: Iterable[Audited]) -> Iterator[Item]:
    for k, each in enumerate(several, start=1):
        if isinstance(each, str | Path):
            yield from (Item(source, source.name, source.key) for source in found_in([each]))
        elif isinstance(each, Episode):
            yield Item(each, f"episode {k}", id(each.problem))
        elif isinstance(each, Mapping):
            yield Item(each, f"item {k}", key_of(each, Path()))
        else:
            raise InputError("what", repr(each), "a file, a folder, an Episode, or the contents of a file")


def _check(judge: str, tolerance: float | None, questions: int | None, workers: int) -> None:
    if judge not in JUDGES:
        allowed = "one of " + ", ".join(map(repr, JUDGES))
        raise InputError("judge", repr(judge), allowed + did_you_mean(str(judge), JUDGES))
    if tolerance is not None and not (isinstance(tolerance, int | float) and 0 <= tolerance < math.inf):
        raise InputError("tolerance", repr(tolerance), "a finite number from 0")
    for name, number, least in (("questions", questions, 0), ("workers", workers, 1)):
        if number is not None and (as_int(number) is None or number < least):
            raise InputError(name, repr(number), f"a whole number from {least}")

"""Audit many episodes: those of one problem together, a share of them at a time, in several worker processes.

The shares do not depend on the number of processes, and every share has its own judge, so neither do results: what a
planner finds can depend on what it remembers.

`askwise.audit`: what the decisions of episodes and conversations cost beyond the best ones.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.audits.conversations import ConversationJudge, decision_of, read_conversation
from askwise.audits.judgement import JUDGES, JudgeCache, audit_episode
from askwise.audits.results import Audit, AuditedEpisode
from askwise.audits.sources import TRACES, EpisodeSource, format_of, found_in, key_of, naming
from askwise.core.episode import Episode
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.model.names import as_int
from askwise.play import trace
from askwise.workers import pool
from askwise.workers.child import Refused
from askwise.workers.limits import Limits

SHARE = 50
"""Episodes of one problem that are judged together."""

REPORTS = 20
"""How often progress is reported at most."""

Progress = Callable[[int], None]
"""Called with the number of episodes that were audited so far."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How to judge: the options of `askwise.audit`."""

    judge: str
    tolerance: float | None
    questions: int | None


@dataclass(frozen=True, slots=True, eq=False)
class AuditItem:
    """One thing to be judged.

    Attributes:
        given: an episode, the contents of a file, or where to find them.
        name: what people call it.
        key: the same for all of one problem.
    """

    given: Episode | Mapping[str, Any] | EpisodeSource
    name: str
    key: object


def judge_all(
    items: Sequence[AuditItem], terms: JudgeOptions, workers: int, progress: Progress | None
) -> list[AuditedEpisode]:
    """Return the audit of each item, in the order of the items."""
    shares = list(_shares(items))
    found: dict[int, AuditedEpisode] = {}
    told = 0
    with _at_work(min(workers, len(shares))) as work:
        done = work([([items[k] for k in share], terms) for share in shares])
        for share, audited in zip(shares, done, strict=True):
            found.update(zip(share, audited, strict=True))
            if progress is not None and (len(found) - told >= len(items) / REPORTS or len(found) == len(items)):
                told = len(found)
                progress(told)
    return [found[k] for k in range(len(items))]


def _shares(items: Sequence[AuditItem]) -> Iterator[list[int]]:
    """Iterate over numbers of items that are judged together."""
    together: dict[object, list[int]] = {}
    for k, item in enumerate(items):
        together.setdefault(item.key, []).append(k)
    for numbers in together.values():
        for start in range(0, len(numbers), SHARE):
            yield numbers[start : start + SHARE]


Share = tuple[list[AuditItem], JudgeOptions]
Work = Callable[[list[Share]], Iterator[list[AuditedEpisode]]]
NO_LIMITS = Limits(decision=math.inf, episode=math.inf)


@contextmanager
def _at_work(workers: int) -> Iterator[Work]:
    """Yield a function that audits shares in this process or in several workers, and keeps their order."""
    if workers < 2:
        yield lambda shares: map(judge_share, shares)
        return
    run = pool.new_run()
    with pool.supervisors(workers, run) as threads:
        yield lambda shares: threads.map(lambda share: _judge_apart(share, run), shares)


def _judge_apart(share: Share, run: str) -> list[AuditedEpisode]:
    """Audit a share in a worker process; in this one if the worker does not understand it, or finds an error in it."""
    try:
        sent = pickle.dumps(share, pickle.HIGHEST_PROTOCOL)
    except Exception:  # an episode of a class that exists only in this process
        return judge_share(share)
    try:
        with pool.borrowed(run, f"{__name__}:judge_here", NO_LIMITS) as worker:
            (found,) = worker.replies(sent)
    except Refused:
        return judge_share(share)
    except pool.WorkerDied as death:
        raise AskwiseError(f"some episodes could not be audited: {death}; try fewer workers") from None
    audited: list[AuditedEpisode] = found
    return audited


def judge_here(share: Share) -> Iterator[list[AuditedEpisode]]:
    """Yield the audit of a share in a worker process; fulfils `askwise.workers.child.Service`."""
    try:
        found = judge_share(share)
    except Exception as error:  # the parent meets it again, and raises it
        raise Refused(str(error)) from None
    yield found


def judge_share(share: Share) -> list[AuditedEpisode]:
    """Return the audits of some items of one problem, in their order."""
    items, terms = share
    worker = AuditWorker(terms)
    found = []
    for item in items:
        with naming(item.given.field if isinstance(item.given, EpisodeSource) else item.name), _named_errors(item):
            found.append(worker.audit(item))
    return found


class AuditWorker:
    """Audits episodes or conversations of one problem; tables computed for one of them serve the others."""

    def __init__(self, terms: JudgeOptions) -> None:
        self.terms = terms
        self._bench: JudgeCache | None = None
        self._decisions: ConversationJudge | None = None

    def audit(self, item: AuditItem) -> AuditedEpisode:
        """Return the audit of one episode or conversation."""
        data = item.given.read() if isinstance(item.given, EpisodeSource) else item.given
        if isinstance(data, Episode):
            return self._episode(data, item.name)
        if format_of(data) in TRACES:
            problem = None if self._bench is None else self._bench.problem
            return self._episode(trace.from_json(data, problem=problem), item.name)
        told = read_conversation(data)
        if self._decisions is None:
            decision = decision_of(data, item.given.folder if isinstance(item.given, EpisodeSource) else None)
            self._decisions = ConversationJudge(decision, self.terms.judge, self.terms.tolerance)
        return self._decisions.audited(told, item.name)

    def _episode(self, episode: Episode, name: str) -> AuditedEpisode:
        if self._bench is None:
            terms = self.terms
            self._bench = JudgeCache(episode.problem, terms.judge, terms.tolerance, terms.questions)
        return audit_episode(episode, self._bench, name)


@contextmanager
def _named_errors(item: AuditItem) -> Iterator[None]:
    """Prepend the name of the item to errors that do not name a field."""
    try:
        yield
    except InputError:
        raise
    except AskwiseError as error:
        error.args = (f"{item.name}: {error}",)
        raise


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
    return Audit(tuple(judge_all(items, JudgeOptions(judge, tolerance, questions), workers, progress)))


def _items(several: Iterable[Audited]) -> Iterator[AuditItem]:
    for k, each in enumerate(several, start=1):
        if isinstance(each, str | Path):
            yield from (AuditItem(source, source.name, source.key) for source in found_in([each]))
        elif isinstance(each, Episode):
            yield AuditItem(each, f"episode {k}", id(each.problem))
        elif isinstance(each, Mapping):
            yield AuditItem(each, f"item {k}", key_of(each, Path()))
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

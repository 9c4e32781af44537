"""`askwise.audit`: how much the decisions of episodes and conversations cost beyond the best decisions.

An *item* is an episode or a conversation. Items of one problem are audited in batches of at most `BATCH` (50). Each
batch has its own judge, the object that computes what decisions cost. So results do not depend on the number of worker
processes.
"""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.audits.conversations import CONVERSATION, ConversationJudge, decision_of, read_conversation
from askwise.audits.judgement import JudgeCache, audit_episode, check_judge
from askwise.audits.results import Audit, AuditedEpisode
from askwise.core.episode import Episode
from askwise.errors import AskwiseError, InputError
from askwise.methods.base import check_count
from askwise.play import trace
from askwise.text.data import parse_json
from askwise.text.files import decode, find, read_lines, read_text, read_whole, reading
from askwise.text.reading import Field, refuse_blank
from askwise.workers import pool
from askwise.workers.heartbeat import Limits
from askwise.workers.process import RequestRefused

BATCH = 50
"""Largest number of items of one problem that are audited with one judge."""

REPORTS = 20
"""Largest number of calls of `progress`."""

NO_LIMITS = Limits(decision=math.inf, episode=math.inf)

TRACES = (trace.FORMAT, trace.EARLIER)
FORMATS = (*TRACES, CONVERSATION)
ENDINGS = (".json", ".jsonl")
LINES = ".jsonl"

Audited = str | Path | Episode | Mapping[str, Any]
"""The path of a file or a folder, an episode, or the contents of a file."""

Progress = Callable[[int], None]
"""Called with the number of items that were audited so far."""


def audit(
    what: Audited | Iterable[Audited],
    *,
    judge: str = "auto",
    tolerance: float | None = None,
    questions: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Audit:
    """Compute the regret of every decision: its expected cost minus that of the best decision at that time.

    Args:
        what: one or several episodes or conversations. Each is an `Episode`, the contents of a file as a dict, or the
            path of a file or of a folder of files. Files hold conversations, or traces of episodes
            (``askwise run --trace``).
        judge: ``optimal`` (the exact optimum), ``planner``, or ``auto``: the optimum for small problems, otherwise the
            planner.
        tolerance: regrets up to this are no mistakes. None: 0.000001 for the optimum and 0.05 for the planner; for
            conversations, 0.000001 or the possible error of the plan, whichever is larger.
        questions: the optimum's limit of questions per episode. None: no limit if answers are true, otherwise 3.
        workers: number of processes.
        progress: called now and then with the number of items audited so far.

    Returns:
        the regret and the kind of mistake of each decision, and totals.

    Raises:
        InputError: an argument, an episode or a conversation is invalid, or there is nothing to audit.
        AskwiseError: the judge is ``optimal``, and a problem is too large.
    """
    _check_options(judge, tolerance, questions, workers)
    several = [what] if isinstance(what, str | Path | Episode | Mapping) else list(what)
    items = list(_items(several))
    if not items:
        raise InputError("what", "nothing", "at least one episode or conversation")
    return Audit(tuple(_audit_all(items, JudgeOptions(judge, tolerance, questions), workers, progress)))


def _check_options(judge: str, tolerance: float | None, questions: int | None, workers: int) -> None:
    check_judge(judge)
    if tolerance is not None and not (isinstance(tolerance, int | float) and 0 <= tolerance < math.inf):
        raise InputError("tolerance", repr(tolerance), "a finite number from 0")
    check_count("questions", questions, 0)
    check_count("workers", workers, 1)


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options of `askwise.audit` that say how decisions are judged.

    Attributes:
        judge: ``optimal`` (the exact optimum), ``planner``, or ``auto``: the optimum for small problems, the planner
            for others.
        tolerance: regrets up to this are no mistakes. None: 0.000001 for the optimum and 0.05 for the planner; for
            conversations, 0.000001 or the possible error of the plan, whichever is larger.
        questions: the optimum's limit of questions per episode. None: no limit if answers are true, otherwise 3.
    """

    judge: str
    tolerance: float | None
    questions: int | None


@dataclass(frozen=True, slots=True, eq=False)
class AuditItem:
    """An episode or a conversation to be audited.

    Attributes:
        given: an episode, the parsed contents of a file, or the location of a file or of a line in it.
        name: the name in messages and results.
        key: equal for all items of the same problem, which are audited together.
    """

    given: Episode | Mapping[str, Any] | EpisodeSource
    name: str
    key: object


def _items(several: Iterable[Audited]) -> Iterator[AuditItem]:
    for k, each in enumerate(several, start=1):
        if isinstance(each, str | Path):
            yield from (AuditItem(source, source.name, source.key) for source in find_sources(find(each)))
        elif isinstance(each, Episode):
            yield AuditItem(each, f"episode {k}", id(each.problem))
        elif isinstance(each, Mapping):
            yield AuditItem(each, f"item {k}", problem_key(each, Path()))
        else:
            raise InputError("what", repr(each), "a file, a folder, an Episode, or the contents of a file")


# -- files and lines of files --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EpisodeSource:
    """The location of one episode or conversation: a file, or a line of a file.

    Attributes:
        path: path of the file.
        line: number of the line, from 1; None for the whole file.
        start: offset of the line in bytes.
        size: size of the line in bytes; None for the whole file.
        key: text that identifies the problem (`problem_key`).
    """

    path: str
    line: int | None = None
    start: int = 0
    size: int | None = None
    key: str = ""

    @property
    def name(self) -> str:
        """The path; if the location is a line of the file, ``:`` and the number of the line follow."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    @property
    def folder(self) -> Path:
        """The folder of the file; a conversation may name the file of its decision problem relative to this folder."""
        return Path(self.path).parent

    @property
    def field(self) -> str:
        """The location as error messages name it, such as ``file 'runs.jsonl', line 3``."""
        return f"file {self.path!r}" + ("" if self.line is None else f", line {self.line}")

    def read(self) -> Any:
        """Read the episode or conversation from its file, or from its line of a file, and return it as parsed JSON.

        Raises `InputError` if it cannot be read, is empty, or is not valid JSON.
        """
        if self.size is None:
            text = read_text(self.path)
        else:
            with reading(self.path) as file:
                file.seek(self.start)
                text = decode(file.read(self.size), self.field).rstrip("\r\n")
        refuse_blank(text, self.field, f"one of {', '.join(FORMATS)}")
        return parse_json(text)


@contextmanager
def located_errors(field: str) -> Iterator[None]:
    """Put a location in front of the input's name in each `InputError` that the ``with`` block raises.

    `field` is the location, such as ``file 'runs.jsonl', line 3``. Errors that already name a file are not changed.
    """
    try:
        yield
    except InputError as error:
        if error.field.startswith("file "):
            raise
        # `field` already names the line in the file; the parser calls it line 1.
        inner = error.field.removeprefix("line 1, ") if ", line " in field else error.field
        raise InputError(field if inner == "file" else f"{field}, {inner}", error.found, error.expected) from None


def format_of(data: Any) -> str:
    """Return the format that the parsed contents of a file state under ``format``, such as ``askwise/conversation@1``.

    Raises:
        InputError: the contents state no format, or one that cannot be audited (not in `FORMATS`).
    """
    stated = Field("", data).object(["format"]).child("format")
    if stated.value not in FORMATS:
        raise stated.refuse("one of " + ", ".join(map(repr, FORMATS)))
    return str(stated.value)


def find_sources(path: Path) -> list[EpisodeSource]:
    """Return the locations of all episodes and conversations in a file, or in the files of a folder, sorted by path.

    Each line of a ``.jsonl`` file is one episode or conversation; any other file is one. In a folder and its
    subfolders, only ``.json`` and ``.jsonl`` files are read; ``.json`` files of other askwise formats are left out.

    Raises:
        InputError: there is nothing to audit, or a file cannot be read.
    """
    if not path.is_dir():
        return list(_sources(path))
    files = sorted(each for each in path.rglob("*") if each.suffix in ENDINGS and each.is_file())
    found = [source for file in files for source in _sources(file, among_others=True)]
    if not found:
        raise InputError(f"folder {str(path)!r}", "no file that can be audited", f"files {' or '.join(ENDINGS)}")
    return found


def _sources(file: Path, *, among_others: bool = False) -> Iterator[EpisodeSource]:
    path = str(file)
    with reading(file) as opened_file:
        if file.suffix != LINES:
            text = read_whole(opened_file, f"file {path!r}")
            if not (among_others and _of_another_kind(text)):
                yield EpisodeSource(path, key=problem_key(text, file.parent))
            return
        start, empty = 0, True
        for number, line in enumerate(read_lines(opened_file, f"file {path!r}"), start=1):
            if line.strip():
                empty = False
                yield EpisodeSource(path, number, start, len(line), problem_key(line, file.parent))
            start += len(line)
        if empty:
            raise InputError(f"file {path!r}", "nothing in it", f"one JSON object on each line, {' or '.join(FORMATS)}")


def _of_another_kind(text: bytes) -> bool:
    """Return whether a file is a file of askwise of a kind that cannot be audited, such as an instance.

    Args:
        text: the contents of the file, which state the format.
    """
    stated = _parsed(text).get("format")
    return isinstance(stated, str) and stated.startswith("askwise/") and stated not in FORMATS


def _parsed(text: bytes) -> Mapping[str, Any]:
    """Return the JSON object in a text as a dict, which is empty if the text is not a JSON object.

    The audit reports an invalid text later.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def problem_key(given: bytes | Mapping[str, Any], folder: Path) -> str:
    """Return a key that is equal for all episodes and conversations about the same problem.

    Args:
        given: the contents of a file or of a line, as bytes or as parsed JSON.
        folder: the folder of the file; names of other files in `given` are relative to it.
    """
    data = _parsed(given) if isinstance(given, bytes) else given
    decision = data.get("decision")
    if isinstance(decision, str):
        decision = str(folder / decision)
    stated = [data.get("format"), data.get("instance"), data.get("answers"), decision]
    try:
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()
    except (ValueError, TypeError, RecursionError):
        return uuid.uuid4().hex


# -- batches and processes -----------------------------------------------------------------------------------------

Batch = tuple[list[AuditItem], JudgeOptions]


def _audit_all(
    items: Sequence[AuditItem], options: JudgeOptions, workers: int, progress: Progress | None
) -> list[AuditedEpisode]:
    """Audit episodes and conversations in `workers` processes, and return the audits in the same order.

    `progress` is called now and then with the number of items audited so far.
    """
    batches = list(_batches(items))
    found: dict[int, AuditedEpisode] = {}
    reported = 0
    with _auditor(min(workers, len(batches))) as audit_batches:
        done = audit_batches([([items[k] for k in numbers], options) for numbers in batches])
        for numbers, audited in zip(batches, done, strict=True):
            found.update(zip(numbers, audited, strict=True))
            if progress is not None and (len(found) - reported >= len(items) / REPORTS or len(found) == len(items)):
                reported = len(found)
                progress(reported)
    return [found[k] for k in range(len(items))]


def _batches(items: Sequence[AuditItem]) -> Iterator[list[int]]:
    """Yield batches of at most `BATCH` (50) items about the same problem, as lists of indices into `items`."""
    same_problem: dict[object, list[int]] = {}
    for k, item in enumerate(items):
        same_problem.setdefault(item.key, []).append(k)
    for numbers in same_problem.values():
        for start in range(0, len(numbers), BATCH):
            yield numbers[start : start + BATCH]


@contextmanager
def _auditor(workers: int) -> Iterator[Callable[[list[Batch]], Iterator[list[AuditedEpisode]]]]:
    """Provide a function that audits batches of episodes in `workers` processes while the ``with`` block runs.

    The function takes a list of batches, and yields a list of audits for each batch in order.
    """
    if workers < 2:
        yield lambda batches: map(audit_batch, batches)
        return
    run = pool.new_run()
    with pool.supervisors(workers, run) as threads:
        yield lambda batches: threads.map(lambda batch: _audit_remotely(batch, run), batches)


def _audit_remotely(batch: Batch, run: str) -> list[AuditedEpisode]:
    """Audit a batch in a worker process, and return the audits in order.

    If the batch cannot be sent, or its audit raises an error, this process audits it. `run` names the group of worker
    processes. Raises `AskwiseError` if the worker process died.
    """
    try:
        sent = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
    except Exception:  # an episode of a class that exists only in this process
        return audit_batch(batch)
    try:
        with pool.borrowed(run, f"{__name__}:audit_service", NO_LIMITS) as worker:
            (found,) = worker.replies(sent)
    except RequestRefused:
        return audit_batch(batch)
    except pool.WorkerDied as death:
        raise AskwiseError(f"some episodes could not be audited: {death}; try fewer workers") from None
    audited: list[AuditedEpisode] = found
    return audited


def audit_service(batch: Batch) -> Iterator[list[AuditedEpisode]]:
    """Audit a batch in a worker process, and yield one reply: the list of its audits.

    A batch is a pair: episodes or conversations of one problem, and options. Raises `RequestRefused` for any error.
    """
    try:
        found = audit_batch(batch)
    except Exception as error:  # the parent process audits the batch again, and raises the error
        raise RequestRefused(str(error)) from None
    yield found


def audit_batch(batch: Batch) -> list[AuditedEpisode]:
    """Return the audits of episodes or conversations of one problem, in their order.

    If one of them is invalid, the error names it.

    Args:
        batch: a pair: the episodes or conversations, and the options of the audit.
    """
    items, options = batch
    worker = AuditWorker(options)
    found = []
    for item in items:
        field = item.given.field if isinstance(item.given, EpisodeSource) else item.name
        with located_errors(field), _named_errors(item):
            found.append(worker.audit(item))
    return found


class AuditWorker:
    """Audits episodes or conversations of one problem; the tables for judging decisions are computed only once.

    Args:
        options: how decisions are judged.
    """

    def __init__(self, options: JudgeOptions) -> None:
        self.options = options
        self._episode_judge: JudgeCache | None = None
        self._conversation_judge: ConversationJudge | None = None

    def audit(self, item: AuditItem) -> AuditedEpisode:
        """Return the audit of an episode or a conversation: what each decision cost beyond the best one.

        Raises:
            InputError: the episode or conversation cannot be read or is invalid.
        """
        data = item.given.read() if isinstance(item.given, EpisodeSource) else item.given
        if isinstance(data, Episode):
            return self._episode(data, item.name)
        if format_of(data) in TRACES:
            problem = None if self._episode_judge is None else self._episode_judge.problem
            return self._episode(trace.from_json(data, problem=problem), item.name)
        conversation = read_conversation(data)
        if self._conversation_judge is None:
            decision = decision_of(data, item.given.folder if isinstance(item.given, EpisodeSource) else None)
            self._conversation_judge = ConversationJudge(decision, self.options.judge, self.options.tolerance)
        return self._conversation_judge.audited(conversation, item.name)

    def _episode(self, episode: Episode, name: str) -> AuditedEpisode:
        if self._episode_judge is None:
            options = self.options
            self._episode_judge = JudgeCache(episode.problem, options.judge, options.tolerance, options.questions)
        return audit_episode(episode, self._episode_judge, name)


@contextmanager
def _named_errors(item: AuditItem) -> Iterator[None]:
    """While the ``with`` block runs, put the item's name before the message of each error of askwise.

    An `InputError` is not changed.
    """
    try:
        yield
    except InputError:
        raise
    except AskwiseError as error:
        error.args = (f"{item.name}: {error}",)
        raise

"""Conversations: what an assistant asked, heard and did about one decision, ``askwise/conversation@1``.

One object, usually one line of a ``.jsonl`` file:

- ``decision``: what was to be decided, as in a file of ``askwise decide``, or the name of such a file, seen from the
  folder of this one;
- ``steps``, in order: ``{"ask": question, "answer": answer}``, ``{"saw": likelihood}`` for something that was noticed
  without asking, how probable each intent makes it, and ``{"act": action}``, with which a conversation ends. An answer
  is one of the question's, true or false for yes or no, null for none; in the last step it may be left out;
- ``name`` of the conversation and ``method``, who decided, may be left out.

Every question and every act is a decision, valued as in `askwise.audits`: what is known is the belief of the decision
after all that was heard and seen, ``cost`` is the expected loss, prices included, and the judge is `askwise.decide`.
Where it cannot look at everything, regrets up to its gap are no mistakes. A question that was asked before tells
nothing: it costs its price. A question beyond the limit of the decision is judged as the last one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from askwise.audits.judgement import TOLERANCES, knew
from askwise.audits.results import AuditedEpisode, AuditedStep, fault_of
from askwise.audits.sources import CONVERSATION
from askwise.decisions.problem import NO, NO_ANSWER, YES, Asking, DecisionProblem
from askwise.decisions.problem_input import read_decision, read_decision_file
from askwise.decisions.recommendation import Recommendation, recommend
from askwise.errors import AskwiseError, InputError
from askwise.text.reading import Field, read_name
from askwise.text.wording import printable

ASKED, SAW, ACTED = "ask", "saw", "act"
UNNAMED = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of a conversation.

    Attributes:
        field: what a refusal calls it.
        kind: ``ask``, ``saw`` or ``act``.
        what: the question or action by name, or the likelihoods.
        answer: what was answered to a question.
    """

    field: str
    kind: str
    what: Any
    answer: str = NO_ANSWER


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was asked, heard and done."""

    name: str
    method: str
    turns: tuple[Turn, ...]


def read_conversation(data: Any) -> Conversation:
    """Return the conversation in some contents; its decision is read by itself."""
    root = Field("", data).object(["format", "decision", "steps"], ["name", "method"])
    root.child("format").text([CONVERSATION])
    given = list(root.child("steps").elements())
    turns = tuple(_turn(each, last=k == len(given)) for k, each in enumerate(given, start=1))
    for turn, following in pairwise(turns):
        if turn.kind == ACTED:
            raise InputError(following.field, "a step after an act", "an act in the last step only")
    names = {key: read_name(root.child(key)) for key in ("name", "method") if root.has(key)}
    return Conversation(names.get("name", ""), names.get("method", UNNAMED), turns)


def _turn(given: Field, *, last: bool) -> Turn:
    given.object([], [ASKED, "answer", SAW, ACTED])
    kinds = [kind for kind in (ASKED, SAW, ACTED) if given.has(kind)]
    if len(kinds) != 1:
        raise given.refuse("one of 'ask', 'saw' and 'act'")
    kind = kinds[0]
    if kind != ASKED:
        given.object([kind], [])
        return Turn(given.path, kind, given.child(SAW).value if kind == SAW else given.child(ACTED).text())
    if not last:
        given.object([ASKED, "answer"], [])
    answer = given.child("answer").value if given.has("answer") else None
    if not isinstance(answer, str | bool | None):
        raise given.child("answer").refuse("an answer, true, false, or null for none")
    said = answer if isinstance(answer, str) else {True: YES, False: NO, None: NO_ANSWER}[answer]
    return Turn(given.path, ASKED, given.child(ASKED).text(), said)


def decision_of(data: Any, folder: Path | None) -> DecisionProblem:
    """Return what was to be decided; files that are named are looked for in `folder`."""
    given = Field("", data).object(["decision"]).child("decision")
    if not isinstance(given.value, str):
        return read_decision(given)
    if folder is None:
        raise given.refuse("the decision itself, { ... }")
    path = folder / given.value
    try:
        return read_decision_file(path)
    except InputError as error:
        where = str(error.field) if error.field.startswith("file '") else f"file {str(path)!r}, {error.field}"
        raise InputError(f"decision, {where}", error.found, error.expected) from None


class ConversationJudge:
    """Judges conversations about one decision; remembers what was judged before.

    Args:
        decision: what was to be decided.
        judge: ``optimal`` refuses what `askwise.decide` has no exact answer to.
        tolerance: by default as little as for the optimum, or the judge's own gap.
    """

    def __init__(self, decision: DecisionProblem, judge: str = "auto", tolerance: float | None = None) -> None:
        self.decision = decision
        self.exactly = judge == "optimal"
        self.tolerance = tolerance
        self._advice: dict[Hashable, Recommendation] = {}
        self._steps: dict[Hashable, AuditedStep] = {}

    def audited(self, told: Conversation, source: str) -> AuditedEpisode:
        """Return what is to be said of a conversation."""
        now: DecisionProblem = self.decision
        known: tuple[Hashable, ...] = ()
        steps: list[AuditedStep] = []
        worst = self._advised(now, known)
        for turn in told.turns:
            if turn.kind != SAW:
                advice = self._advised(now, known)
                worst = max(worst, advice, key=lambda each: each.verdict.gap)
                steps.append(replace(self._judged(turn, now, known), t=len(steps) + 1))
            now, known = _after(turn, now, self.decision), (*known, _heard(turn))
        judge = "optimal, exact" if worst.verdict.exact else f"decide, {worst.verdict}"
        name = f"{source} ({printable(told.name)})" if told.name else source
        return AuditedEpisode(name, printable(told.method), judge, self._tolerance(worst), tuple(steps))

    def _advised(self, now: DecisionProblem, known: Hashable) -> Recommendation:
        if known not in self._advice:
            advice = self._advice[known] = recommend(now)
            if self.exactly and not advice.verdict.exact:
                raise AskwiseError(f"too large for an exact answer ({advice.verdict}); the judge 'auto' takes it")
        return self._advice[known]

    def _tolerance(self, advice: Recommendation) -> float:
        return max(TOLERANCES["optimal"], advice.verdict.gap) if self.tolerance is None else self.tolerance

    def _judged(self, turn: Turn, now: DecisionProblem, known: Hashable) -> AuditedStep:
        key = known, turn.kind, turn.what
        if key not in self._steps:
            self._steps[key] = self._step(turn, now, self._advised(now, known))
        return self._steps[key]

    def _step(self, turn: Turn, now: DecisionProblem, advice: Recommendation) -> AuditedStep:
        asked, tolerance = turn.kind == ASKED, self._tolerance(advice)
        cost = self._cost(turn, now, advice)
        act = advice.acting_now.loss
        ask = math.inf if advice.ask is None else advice.do.loss
        ask = min(ask, cost) if asked else ask
        if asked and ask > act + tolerance:
            ask = min(ask, _least_question(now, act + tolerance))
        best, least = advice.do, min(act, ask)
        needed, fitted = act > ask + tolerance, ask <= act + tolerance
        regret = max(0.0, cost - least)
        if cost <= least:
            name, asks = turn.what, asked
        else:
            name, asks = best.name, best.kind == ASKED
        return AuditedStep(
            t=0,  # the same moment may come at different times
            knew=knew(now.intents, now.belief),
            done=_in_words(turn.what, asked),
            asked=asked,
            cost=cost,
            best=_in_words(name, asks),
            best_asks=asks,
            best_cost=least,
            regret=regret,
            needed=needed,
            fitted=fitted if asked else None,
            fault=fault_of(asked=asked, regret=regret, needed=needed, fitted=fitted, tolerance=tolerance),
        )

    def _cost(self, turn: Turn, now: DecisionProblem, advice: Recommendation) -> float:
        """Return the expected loss of what was done, and going on as planned."""
        if turn.kind == ACTED:
            action = now.action(turn.what, f"{turn.field}.{ACTED}")
            return float(now.loss[action] @ now.belief)
        asked = self.decision.question(turn.what, f"{turn.field}.{ASKED}")
        return asked.price + advice.do.loss if asked not in now.questions else _asking(asked, now)


def _asking(asked: Asking, now: DecisionProblem) -> float:
    """Return the expected loss of a question.

    The losses that a recommendation lists will not do: of what is not the best they are upper bounds.
    """
    shares = (asked.likelihood @ now.belief).tolist()
    after = ((p, now.heard(asked.name, answer)) for p, answer in zip(shares, asked.answers, strict=True) if p > 0)
    return asked.price + math.fsum(p * recommend(left).do.loss for p, left in after)


def _least_question(now: DecisionProblem, at_most: float) -> float:
    """Return the least expected loss of all questions that may be asked, infinity if it is above `at_most`."""
    known = float(now.loss.min(axis=0) @ now.belief)  # nothing costs less than to know what is meant
    least = math.inf
    for each in now.questions if now.most_questions else ():
        if each.price + known <= min(at_most, least):
            least = min(least, _asking(each, now))
    return least if least <= at_most else math.inf


def _after(turn: Turn, now: DecisionProblem, start: DecisionProblem) -> DecisionProblem:
    """Return what is left to decide after a step."""
    if turn.kind == ACTED:
        return now
    if turn.kind == SAW:
        try:
            return now.saw(turn.what)
        except InputError as error:
            inner = error.field.removeprefix("likelihood").removeprefix(".")
            where = f"{turn.field}.{SAW}" + (f".{inner}" if inner else "")
            raise InputError(where, error.found, error.expected) from None
    asked = start.question(turn.what, f"{turn.field}.{ASKED}")
    if turn.answer != NO_ANSWER:
        asked.numbered(turn.answer, f"{turn.field}.answer")
    if asked not in now.questions:
        return replace(now)  # asked before: the same answer once more
    return now.heard(asked.name, turn.answer, f"{turn.field}.answer")


def _heard(turn: Turn) -> Hashable:
    what = repr(turn.what) if turn.kind == SAW else turn.what
    return turn.kind, what, turn.answer


def _in_words(name: str, asked: bool) -> str:
    return f"ask {printable(name)!r}" if asked else printable(name)

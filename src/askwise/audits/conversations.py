"""Conversations, ``askwise/conversation@1``: what an assistant asked, heard and did about one decision.

A conversation is a JSON object, usually one line of a ``.jsonl`` file. Its keys are:

- ``format``: ``askwise/conversation@1``;
- ``decision``: the decision problem (possible intents of the user, actions and questions), as in a file of
  ``askwise decide``; or the name of such a file, relative to the folder of the conversation's file;
- ``name`` of the conversation and ``method``, the name of the assistant; both may be left out;
- ``steps``: a list of objects of three kinds, in order:

  - ``{"ask": question, "answer": answer}``: a question. The answer is one of the question's answers, true or false for
    yes or no, or null for no answer. Only the last step may leave out ``answer``.
  - ``{"saw": likelihood}``: an observation without a question. ``likelihood`` has its probability given each intent: an
    object by name, or a list in the order of the intents.
  - ``{"act": action}``: an action, which ends a conversation.

Questions and actions are decisions. A decision costs the expected loss, prices included, if the best plan follows. Its
regret is its cost minus that of the best decision, which `askwise.decide` finds. Regrets up to the possible error of
the plan are no mistakes. `askwise.audits` defines the kinds of mistakes.

A repeated question brings no information and costs its price. A question beyond the decision problem's limit of
questions is judged as the last one allowed.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from askwise.audits.judgement import TOLERANCES, belief_text
from askwise.audits.results import AuditedEpisode, AuditedStep, fault_of
from askwise.decisions.problem import DecisionProblem, read_decision, read_decision_file
from askwise.decisions.question import NO, NO_ANSWER, YES, Asking
from askwise.decisions.recommendation import Recommendation, recommend
from askwise.errors import AskwiseError, InputError
from askwise.text.reading import Field, read_name
from askwise.text.wording import printable

CONVERSATION = "askwise/conversation@1"
"""The format that a conversation states."""

ASKED, SAW, ACTED = "ask", "saw", "act"
UNNAMED = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of a conversation: a question with its answer, an observation, or an action.

    Attributes:
        field: the place of the step in the file, such as ``steps[2]``.
        kind: ``ask``, ``saw`` (an observation) or ``act``.
        what: name of the question or action; for an observation, its probability given each intent, as a dict or a
            list.
        answer: name of the answer; `NO_ANSWER` for none.
    """

    field: str
    kind: str
    what: Any
    answer: str = NO_ANSWER


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as read from a file, without the decision problem that it is about.

    Attributes:
        name: its name; may be empty.
        method: the name of the assistant; by default ``assistant``.
        turns: the steps in order.
    """

    name: str
    method: str
    turns: tuple[Turn, ...]


def read_conversation(data: Any) -> Conversation:
    """Return the conversation in the parsed contents of a file, without its decision problem (see `decision_of`).

    Raises:
        InputError: the contents are not a valid conversation.
    """
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
    """Return the decision problem that a conversation is about: possible intents, actions and questions.

    Args:
        data: the parsed contents of the conversation's file, with the decision problem or the name of its file.
        folder: the folder of that file; None to forbid names of files.

    Raises:
        InputError: the decision problem cannot be read or is invalid.
    """
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
    """Judges the decisions in conversations about one decision problem, and caches its judgements.

    Args:
        decision: the decision problem.
        judge: ``optimal`` raises `AskwiseError` if a plan is not proven optimal; ``auto`` and ``planner`` take any
            plan.
        tolerance: regrets up to this are no mistakes. None: 0.000001 or the possible error of the plan, whichever is
            larger.
    """

    def __init__(self, decision: DecisionProblem, judge: str = "auto", tolerance: float | None = None) -> None:
        self.decision = decision
        self.exactly = judge == "optimal"
        self.tolerance = tolerance
        self._advice: dict[Hashable, Recommendation] = {}
        self._steps: dict[Hashable, AuditedStep] = {}

    def audited(self, conversation: Conversation, source: str) -> AuditedEpisode:
        """Return the audit of a conversation: the regret and the kind of mistake of each decision.

        `source` is the name of the conversation in the result.

        Raises:
            InputError: a step does not fit the decision problem, for example an unknown question.
            AskwiseError: the judge is ``optimal``, and a plan is not proven to be optimal.
        """
        now: DecisionProblem = self.decision
        known: tuple[Hashable, ...] = ()
        steps: list[AuditedStep] = []
        worst = self._advised(now, known)
        for turn in conversation.turns:
            if turn.kind != SAW:
                advice = self._advised(now, known)
                worst = max(worst, advice, key=lambda each: each.verdict.gap)
                steps.append(replace(self._judged(turn, now, known), t=len(steps) + 1))
            now, known = _after(turn, now, self.decision), (*known, _turn_key(turn))
        judge = "optimal, exact" if worst.verdict.exact else f"decide, {worst.verdict}"
        name = f"{source} ({printable(conversation.name)})" if conversation.name else source
        return AuditedEpisode(name, printable(conversation.method), judge, self._tolerance(worst), tuple(steps))

    def _advised(self, now: DecisionProblem, known: Hashable) -> Recommendation:
        if known not in self._advice:
            advice = self._advice[known] = recommend(now)
            if self.exactly and not advice.verdict.exact:
                raise AskwiseError(f"too large for an exact solution ({advice.verdict}); use the judge 'auto'")
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
            t=0,  # set by the caller: the same moment may come at different steps
            knew=belief_text(now.intents, now.belief),
            done=_decision_text(turn.what, asked),
            asked=asked,
            cost=cost,
            best=_decision_text(name, asks),
            best_asks=asks,
            best_cost=least,
            regret=regret,
            needed=needed,
            fitted=fitted if asked else None,
            fault=fault_of(asked=asked, regret=regret, needed=needed, fitted=fitted, tolerance=tolerance),
        )

    def _cost(self, turn: Turn, now: DecisionProblem, advice: Recommendation) -> float:
        """Return the expected loss, prices included, of a question or an action if the best plan follows.

        `advice` is what `askwise.decide` recommends in the situation `now`, before this step.
        """
        if turn.kind == ACTED:
            action = now.action(turn.what, f"{turn.field}.{ACTED}")
            return float(now.loss[action] @ now.belief)
        asked = self.decision.question(turn.what, f"{turn.field}.{ASKED}")
        return asked.price + advice.do.loss if asked not in now.questions else _asking(asked, now)


def _asking(asked: Asking, now: DecisionProblem) -> float:
    """Return the expected loss, price included, of asking a question in `now` if the best plan follows."""
    shares = (asked.likelihood @ now.belief).tolist()
    after = ((p, now.heard(asked.name, answer)) for p, answer in zip(shares, asked.answers, strict=True) if p > 0)
    return asked.price + math.fsum(p * recommend(left).do.loss for p, left in after)


def _least_question(now: DecisionProblem, at_most: float) -> float:
    """Return the expected loss, price included, of asking the best question now.

    The result is infinity if it is above `at_most`, or if no more questions are allowed.
    """
    known = float(now.loss.min(axis=0) @ now.belief)  # loss if the intent were known: a lower bound
    least = math.inf
    for each in now.questions if now.most_questions else ():
        if each.price + known <= min(at_most, least):
            least = min(least, _asking(each, now))
    return least if least <= at_most else math.inf


def _after(turn: Turn, now: DecisionProblem, start: DecisionProblem) -> DecisionProblem:
    """Return the decision problem after a step of a conversation, with the new belief and the questions that are left.

    `start` is the decision problem before the conversation, with all questions. Raises `InputError` if the step is
    unknown or impossible.
    """
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
        return replace(now)  # a repeated question gets the same answer
    return now.heard(asked.name, turn.answer, f"{turn.field}.answer")


def _turn_key(turn: Turn) -> Hashable:
    what = repr(turn.what) if turn.kind == SAW else turn.what
    return turn.kind, what, turn.answer


def _decision_text(name: str, asked: bool) -> str:
    return f"ask {printable(name)!r}" if asked else printable(name)

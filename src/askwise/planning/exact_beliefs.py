"""The beliefs that are possible where answers can be wrong or missing, and the belief after each answer.

Answers are wrong with probability `e`. If a question has `k` possible answers, each wrong answer is less likely than
the true one by the factor ``rho_k = (e / (k - 1)) / (1 - e)``. So an answer multiplies the weights of the goals for
which it is false by ``rho_k``. A belief stores, for each goal and `k`, how many answers were false for the goal. For
each `k`, the smallest count of a possible goal is subtracted. This divides all weights by a common factor, which
functions return together with the belief.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.planning.exact import TooLarge
from askwise.planning.questions import Option, Questions
from askwise.planning.tables import Tables, mask_rows
from askwise.types import FloatArray, IntArray

REPLIES_A_STATE = 15
"""Finding the belief after one reply takes as long as solving this many states."""


@dataclass(slots=True)
class WorkLimit:
    """A count of the work of a solver with a limited number of questions, which stops the solver beyond a limit.

    Attributes:
        goals: number of goals.
        questions: the most questions in an episode.
        limit: the most work, None for any; a state counts 1, a reply 15.
        states: number of states.
        replies: number of replies to questions.
    """

    goals: int
    questions: int
    limit: int | None
    states: int = 0
    replies: int = 0

    def count(self, states: int = 0, replies: int = 0) -> None:
        """Add work that is about to be done; raise `TooLarge` if the total exceeds the limit.

        The work is to solve `states` states, and to consider `replies` replies to questions.
        """
        self.states += states
        self.replies += replies
        if self.limit is not None and self.states + REPLIES_A_STATE * self.replies > self.limit:
            raise TooLarge(
                f"too large for an exact answer: {self.goals} goals and at most {self.questions} questions, not solved "
                f"after {self.states:,} states and {self.replies:,} replies; allow fewer questions "
                "(questions, --questions), or go on anyway"
            )


Counts = tuple[tuple[int, tuple[int, ...]], ...]
"""Pairs, sorted: a number of possible answers, and how many such answers spoke against each goal."""


class Evidence(NamedTuple):
    """What answers and the teammate's steps say about the goal.

    Attributes:
        goals: the possible goals, as bits.
        against: pairs of a number `k` and a tuple: for each goal, how many answers to questions with `k` possible
            answers were false. The smallest count of a possible goal is subtracted; impossible goals have 0.
        asked: keys (`same_question`) of the questions that may not be asked again.
    """

    goals: int
    against: Counts = ()
    asked: frozenset[Hashable] = frozenset()

    @property
    def certain(self) -> bool:
        """Whether at most one goal is possible."""
        return not self.goals & (self.goals - 1)


class AnswerEffects:
    """Computes how answers and the teammate's steps change the `Evidence` about the goal.

    Args:
        answers: the probabilities of wrong and missing answers.
        n_goals: the number of goals that are possible at the start.
    """

    def __init__(self, answers: AnswerModel, n_goals: int) -> None:
        self.wrong, self.refused, self.persistent = float(answers.wrong), float(answers.refused), answers.persistent
        self.n_goals = n_goals
        self._known: dict[tuple[int, Counts, int, int], tuple[Counts, float]] = {}

    def ratio(self, n_answers: int) -> float:
        """Return the probability of one particular wrong answer, divided by the probability of the true answer.

        `n_answers` is the number of possible answers to the question.
        """
        return self.wrong / (n_answers - 1) / (1.0 - self.wrong)

    def after_answer(self, before: Evidence, true_for: int, n_answers: int) -> tuple[Evidence, float]:
        """Return the evidence after an answer to a question, and a factor between new and old weights.

        `true_for` are the goals for which the answer is true, as bits; `n_answers` is the number of possible answers.
        New weights, times the factor, are old weights times the likelihood of the answer. An impossible answer has the
        factor 0.
        """
        goals, against, asked = before
        if self.wrong == 0:
            return self.after_true_answer(before, true_for, 1.0 - self.refused)
        key = goals, against, true_for & goals, n_answers
        if key not in self._known:
            counts = dict(against)
            numbers = counts.get(n_answers, (0,) * self.n_goals)
            # `_reduced` sets the numbers of impossible goals back to 0.
            counts[n_answers] = tuple(n + (not (true_for >> k) & 1) for k, n in enumerate(numbers))
            self._known[key] = self._reduced(goals, tuple(sorted(counts.items())))
        reduced, factor = self._known[key]
        return Evidence(goals, reduced, asked), factor * (1.0 - self.refused) * (1.0 - self.wrong)

    def after_true_answer(self, before: Evidence, true_for: int, factor: float = 1.0) -> tuple[Evidence, float]:
        """Return the evidence after an answer that cannot be wrong, and a factor between new and old weights.

        Only the goals `true_for` (bits) are left. Their new weights, times the returned factor, are the old weights
        times `factor`, the probability that an answer is given. If no goal is left, 0 is returned as factor.
        """
        after, more = self.after_step(before, true_for)
        return after, factor * more if after.goals else 0.0

    def after_step(self, before: Evidence, possible: int) -> tuple[Evidence, float]:
        """Return the evidence after a step of the teammate, and a factor between new and old weights.

        The step leaves only the goals `possible` (bits). The new `weights` of these goals, multiplied by the factor,
        are the old ones.
        """
        goals = before.goals & possible
        counts, factor = self._reduced(goals, before.against)
        return Evidence(goals, counts, before.asked), factor

    def _reduced(self, goals: int, against: Counts) -> tuple[Counts, float]:
        """Subtract the smallest count of a possible goal from all counts, so that equal beliefs have equal evidence.

        `goals` are the possible goals, as bits. Returns the new counts, 0 for impossible goals, and a factor: the new
        weights, multiplied by this factor, are the old weights.
        """
        factor, reduced = 1.0, []
        inside = [(goals >> k) & 1 for k in range(self.n_goals)] if against else []
        for n_answers, numbers in against:
            least = min((n for n, is_left in zip(numbers, inside, strict=True) if is_left), default=0)
            if least:
                factor *= self.ratio(n_answers) ** least
            less = tuple(n - least if is_left else 0 for n, is_left in zip(numbers, inside, strict=True))
            if any(less):
                reduced.append((n_answers, less))
        return tuple(reduced), factor

    def weights(self, evidence: Evidence) -> FloatArray:
        """Return the factors by which answers have changed the goals' weights, ``float64 [n_goals]``.

        Only their ratios have a meaning. Impossible goals have 0.
        """
        found = np.array([float((evidence.goals >> k) & 1) for k in range(self.n_goals)])
        for n_answers, numbers in evidence.against:
            found *= self.ratio(n_answers) ** np.array(numbers, dtype=np.float64)
        return found


CERTAIN = 0
"""The number of all beliefs in which at most one goal is possible."""


@dataclass(frozen=True, eq=False, slots=True)
class QuestionTable:
    """The questions that may be asked in one belief, and the beliefs after each reply to them.

    Attributes:
        options: the questions.
        prices: ``float64 [n_options]``, their prices.
        beliefs: ``int [n_options, n_replies]``, index of the belief after each reply. If answers can still be wrong or
            missing, the last column is for a missing reply.
        factors: ``float64 [n_options, n_replies]``, 0 for impossible replies. New weights, times the factor, are old
            weights times the likelihood of the reply.
    """

    options: list[Option]
    prices: FloatArray
    beliefs: IntArray
    factors: FloatArray


class BeliefGraph:
    """A graph of all beliefs that a solver has reached, whose edges are answers to questions and the teammate's steps.

    A belief is evidence together with a number of questions left. All beliefs with at most one possible goal share one
    index. `work` stops the solver at its limit. If `truthful`, any number of further questions with true answers may
    follow.
    """

    def __init__(self, questions: Questions, effects: AnswerEffects, work: WorkLimit, *, truthful: bool) -> None:
        self.questions, self.effects, self.work, self.truthful = questions, effects, work, truthful
        self.evidence: list[Evidence] = [Evidence(0)]
        self.weights: list[FloatArray] = [np.zeros(effects.n_goals)]
        self._questions_left = [0]
        self._numbers: dict[tuple[int, Evidence], int] = {}
        self._tables: dict[int, QuestionTable] = {}
        self._steps: dict[tuple[int, int], tuple[int, float]] = {}
        self._keys: dict[int, set[Hashable]] = {}

    def number(self, questions_left: int, evidence: Evidence) -> int:
        """Return the index of the belief with this evidence and number of questions left; add it if it is new."""
        if evidence.certain:
            return CERTAIN
        key = questions_left, self._relevant(evidence, questions_left)
        if key not in self._numbers:
            self._numbers[key] = len(self.evidence)
            self.evidence.append(key[1])
            self.weights.append(self.effects.weights(evidence))
            self._questions_left.append(questions_left)
        return self._numbers[key]

    def known(self, questions_left: int, evidence: Evidence) -> int | None:
        """Return the index of the belief with this evidence and number of questions left; None if it is new."""
        return self._numbers.get((questions_left, self._relevant(evidence, questions_left)))

    def _relevant(self, evidence: Evidence, questions_left: int) -> Evidence:
        """Return the evidence without the questions in `Evidence.asked` that no longer matter.

        An asked question matters because it is not asked again. So it no longer matters if no more questions may be
        asked, or if it is not among the questions about the goals that are still possible.
        """
        goals, against, asked = evidence
        if not asked or not questions_left:
            return Evidence(goals, against)
        if goals not in self._keys:
            self._keys[goals] = {option.key for option in self.questions.listed(goals)}
        return Evidence(goals, against, asked & self._keys[goals])

    def questions_of(self, belief: int) -> QuestionTable | None:
        """Return the table of the questions that may be asked in a belief; None if no more questions are allowed.

        `belief` is the index of the belief.
        """
        questions_left = self._questions_left[belief]
        if not questions_left and not self.truthful:
            return None
        if belief not in self._tables:
            self._tables[belief] = self._question_table(self.evidence[belief], questions_left)
        return self._tables[belief]

    def after_step(self, belief: int, alive: int) -> tuple[int, float]:
        """Return the index of the belief after a step of the teammate, and a factor between new and old weights.

        The step leaves only the goals `alive` (bits). Their new weights, multiplied by the factor, are their old
        weights.
        """
        key = belief, alive
        if key not in self._steps:
            after, factor = self.effects.after_step(self.evidence[belief], alive)
            self._steps[key] = self.number(self._questions_left[belief], after), factor
        return self._steps[key]

    def _question_table(self, before: Evidence, questions_left: int) -> QuestionTable:
        """Return the table of the questions that may be asked in a belief, and of the beliefs after each reply.

        The belief has the evidence `before`. If `questions_left` is 0, the table has questions with certainly true
        answers.
        """
        options = self.questions.about(before.goals, before.asked if questions_left else frozenset())
        shape = len(options), max((len(option.parts) for option in options), default=0) + (questions_left > 0)
        self.work.count(replies=shape[0] * shape[1])
        beliefs, factors = np.zeros(shape, dtype=np.int32), np.zeros(shape)
        for k, option in enumerate(options):
            asked = before.asked | {option.key} if self.effects.persistent and questions_left else before.asked
            base = Evidence(before.goals, before.against, asked)
            for j, part in enumerate(option.parts):
                if questions_left:
                    after, factors[k, j] = self.effects.after_answer(base, part, option.answers)
                else:
                    after, factors[k, j] = self.effects.after_true_answer(base, part)
                beliefs[k, j] = self.number(max(0, questions_left - 1), after) if factors[k, j] > 0 else CERTAIN
            if questions_left and self.effects.refused > 0:
                factors[k, -1], beliefs[k, -1] = self.effects.refused, self.number(questions_left - 1, base)
        return QuestionTable(options, np.array([option.price for option in options]), beliefs, factors)


@dataclass(slots=True)
class Stage:
    """The beliefs that are possible in one state of the teammate while a certain number of questions is left.

    Attributes:
        met: indices of the beliefs in the `BeliefGraph`.
        beliefs: ``int [n]``, the same indices, sorted. In tables of values, ``beliefs[k]`` has row ``k + 1``; row 0 is
            for a known goal.
        steps: for each next state of the teammate, this state and two arrays ``[n + 1]`` by row: the index of the next
            belief, and a factor. The next weights, times the factor, are the present weights.
    """

    met: set[int] = field(default_factory=set)
    beliefs: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    steps: list[tuple[int, IntArray, FloatArray]] = field(default_factory=list)

    def rows(self, beliefs: IntArray) -> IntArray:
        """Return the rows that beliefs have in the tables of values.

        `beliefs` has indices of beliefs. Each must be `CERTAIN` (the goal is known) or belong to this stage.
        """
        found = np.searchsorted(self.beliefs, beliefs).astype(np.int32) + 1
        return np.where(beliefs == CERTAIN, 0, found).astype(np.int32)


class Reachable:
    """Finds the beliefs that are possible in each state of the teammate, for each number of questions left (`Stage`).

    States in which at most one goal is possible are left out. The search begins at the teammate's start, with the
    evidence `root` and at most `most` questions. It adds beliefs to the graph `beliefs`.
    """

    def __init__(self, tables: Tables, goals: Sequence[int], beliefs: BeliefGraph, most: int, root: Evidence) -> None:
        self.tables, self.beliefs, self.most = tables, beliefs, most
        self.alive: list[int] = mask_rows(tables.weight[:, list(goals)] > 0)[:, 0].tolist()
        self.stages: dict[int, list[Stage]] = {}
        start = beliefs.effects.after_step(root, self.alive[tables.start])[0]
        self._meet(tables.start, most, [beliefs.number(most, start)])

    def explore(self) -> Iterator[tuple[int, int]]:
        """Find the beliefs in all states of the teammate, and begin with the states near its start.

        Yields each state, and the number of beliefs that are possible in this state.
        """
        waiting = list(self.stages)
        while waiting:
            following: dict[int, None] = {}
            for w in waiting:
                self._ask(w)
                yield w, sum(stage.beliefs.size for stage in self.stages[w])
                following.update(dict.fromkeys(self._step(w)))
            waiting = list(following)

    def _meet(self, w: int, stage: int, beliefs: Sequence[int]) -> None:
        stages = self.stages.setdefault(w, [Stage() for _ in range(self.most + 1)])
        stages[stage].met.update(belief for belief in beliefs if belief != CERTAIN)

    def _ask(self, w: int) -> None:
        """Add to ``self.stages[w]`` the beliefs that may follow questions asked in the teammate's state `w`."""
        stages = self.stages[w]
        for questions_left in range(self.most, 0, -1):
            self._add_answers(list(stages[questions_left].met), stages[questions_left - 1])
        new = stages[0].met if self.beliefs.truthful else set()
        while new:
            before = set(stages[0].met)
            self._add_answers(list(new), stages[0])
            new = stages[0].met - before
        for stage in stages:
            stage.beliefs = np.array(sorted(stage.met), dtype=np.int32)

    def _add_answers(self, beliefs: list[int], after: Stage) -> None:
        for belief in beliefs:
            table = self.beliefs.questions_of(belief)
            if table is not None:
                after.met.update(np.unique(table.beliefs).tolist())
        after.met.discard(CERTAIN)

    def _step(self, w: int) -> Iterator[int]:
        """Add to `self.stages` the beliefs that are possible after the teammate's next step from state `w`.

        Yields the states after this step in which two or more goals are possible; other states are left out.
        """
        row = self.tables.following[w]
        for t in row[row >= 0].tolist():
            if not self.alive[t] & (self.alive[t] - 1):
                continue
            for questions_left, stage in enumerate(self.stages[w]):
                found = [self.beliefs.after_step(belief, self.alive[t]) for belief in stage.beliefs.tolist()]
                numbers = [number for number, _ in found]
                self._meet(t, questions_left, numbers)
                factors = np.array([0.0, *(factor for _, factor in found)])
                stage.steps.append((t, np.array([CERTAIN, *numbers], dtype=np.int32), factors))
            yield t

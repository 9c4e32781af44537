"""The optimum with wrong answers, missing answers and multiple-choice questions, for a limited number of questions.

The recursion is that of `askwise.planning`, with at most `K` questions. All states are solved, so problems must be
small. Beliefs with the same ratios of weights are solved only once (`askwise.planning.exact_beliefs`). If errors are
persistent, the state also says which questions may not be asked again.

If `truthful` is True, any number of questions with true answers may follow the first `K`, at the same prices. The value
is then a lower bound for any number of ordinary questions: coin tosses can turn true answers into wrong or missing
ones. If `K` is 0, the value is the optimum with true answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.answers import agreeing, n_answers, same_question
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Question
from askwise.core.side import FAR
from askwise.planning.exact import MOST_STATES, BestMove, OffTheMap, OptimalPolicy, Progress
from askwise.planning.exact_beliefs import (
    AnswerEffects,
    BeliefGraph,
    Evidence,
    QuestionTable,
    Reachable,
    Stage,
    WorkLimit,
)
from askwise.planning.exact_search import BETTER
from askwise.planning.questions import Questions
from askwise.planning.tables import Tables
from askwise.types import BoolArray, FloatArray, IntArray

MOST_QUESTIONS = 3
"""Questions in an episode by default."""
AT_A_TIME = 500
"""Beliefs whose questions are compared together."""


@dataclass(frozen=True, eq=False, slots=True)
class EgoPlaces:
    """All combinations of place and load that the ego agent can have after a certain number of steps.

    Attributes:
        column: the column of each place and load in the tables of values. A load is the position of the goal that needs
            it, -1 for none.
        steps: ``int [n_columns, n_goals]``, the ego agent's steps to each goal.
        after: ``int [n_columns, n_actions]``, the column after each action, in the next `EgoPlaces`; -1 if unavailable.
    """

    column: dict[tuple[int, int], int]
    steps: IntArray
    after: IntArray


class EgoPaths:
    """The places and loads (`EgoPlaces`) that the ego agent can have after 0, 1, 2, ... steps from its start.

    Actions have their own indices here: the moves, waiting, then picking up the load of each goal.

    Args:
        tables: the arrays of the problem.
        goals: the possible goals.
        start: place and load; a load is the position in `goals` of the goal that needs it, -1 for none.
        wait: index of waiting among the problem's actions.
        depth: length of the teammate's longest plan.
    """

    def __init__(self, tables: Tables, goals: Sequence[int], start: tuple[int, int], wait: int, depth: int) -> None:
        self.ego, self.goals = tables.ego, list(goals)
        self.moves = sorted(range(len(self.ego.moves)), key=lambda k: (self.ego.moves[k] == wait, k))
        self.n_actions = len(self.moves) + len(self.goals)
        self.levels: list[EgoPlaces] = []
        here = {start: 0}
        for _ in range(depth + 2):
            there: dict[tuple[int, int], int] = {}
            after = np.full((len(here), self.n_actions), -1, dtype=np.int32)
            for (place, load), column in here.items():
                for action, onwards in self._moves_from(place, load):
                    after[column, action] = there.setdefault(onwards, len(there))
            self.levels.append(EgoPlaces(here, self._steps(here), after))
            here = there

    def action(self, place: int, number: int) -> int:
        """Return the index that the problem gives to an action that is possible at `place`, the ego agent's place.

        `number` is the index of the action in the arrays of this object.
        """
        if number < len(self.moves):
            return self.ego.action(place, self.moves[number])
        return int(self.ego.load_actions[self.goals[number - len(self.moves)]])

    def delays(self, depth: int, teammate: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return the delay that each action causes for each goal, and whether the action puts the goal out of reach.

        The delay is ``r_g`` in `askwise.planning`. `depth` is the number of joint steps so far, and `teammate` the
        teammate's steps to each goal, ``int [n_goals]``.

        Returns:
            the delays, ``float64 [n_actions, n_columns, n_goals]``, and ``bool`` of the same shape. A column is a place
                and a load after `depth` steps. Values for unavailable actions have no meaning.
        """
        before, after = self.levels[depth].steps[None], self.levels[depth + 1].steps[self.levels[depth].after.T]
        delay = 1.0 + np.maximum(teammate, after) - np.maximum(teammate + 1, before)
        gone = after >= FAR
        return np.where(gone, 0.0, delay), gone & (before < FAR)

    def _moves_from(self, place: int, load: int) -> list[tuple[int, tuple[int, int]]]:
        moves = [(k, (int(self.ego.next[place, move]), load)) for k, move in enumerate(self.moves)]
        loads = [k for k, goal in enumerate(self.goals) if self.ego.load_at[goal] == place and load != k]
        return [move for move in moves if move[1][0] >= 0] + [(len(self.moves) + k, (place, k)) for k in loads]

    def _steps(self, here: dict[tuple[int, int], int]) -> IntArray:
        steps = np.empty((len(here), len(self.goals)), dtype=np.int32)
        for (place, load), column in here.items():
            steps[column] = self.ego.unloaded[place, self.goals]
            if load >= 0:
                steps[column, load] = self.ego.loaded[place, self.goals[load]]
        return steps


class LimitedSolver(OptimalPolicy):
    """The optimal policy with a limited number of questions of any kind; answers may be wrong or missing.

    All situations that can occur are solved when the object is made.

    Args:
        problem: the problem.
        most: the most questions in an episode, answered or not.
        truthful: whether any number of further questions with true answers may follow.
        goals: the goals to consider, by default all with a positive prior.
        tables: the problem as arrays, from the teammate's first state; by default its start.
        ego: the ego agent's first state, by default its start.
        asked: questions asked before, not repeated if errors are persistent.
        limit: the most states to solve, None for any number.
        progress: called with the numbers of solved states and compared questions.
    """

    follows_answers = True

    def __init__(
        self,
        problem: Problem,
        most: int = MOST_QUESTIONS,
        *,
        truthful: bool = False,
        goals: Iterable[int] | None = None,
        tables: Tables | None = None,
        ego: int | None = None,
        asked: Iterable[Question] = (),
        limit: int | None = MOST_STATES,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(problem, goals, tables)
        self.most, self.truthful, self.progress, self.splits = most, truthful, progress, 0
        self.work = WorkLimit(len(self.goals), most, limit)
        self.effects = AnswerEffects(problem.answers, len(self.goals))
        self._weight = self.tables.weight[:, self.goals]
        persistent = problem.answers.persistent
        self._asked = frozenset(same_question(each, len(problem.goals)) for each in asked if persistent)
        self._beliefs = BeliefGraph(Questions(problem, self.goals), self.effects, self.work, truthful=truthful)
        root = Evidence((1 << len(self.goals)) - 1, (), self._asked)
        self._reachable = Reachable(self.tables, self.goals, self._beliefs, most, root)
        depth = max(0, int(self.tables.steps[self.tables.start, self.goals].max()))
        start = self._place_and_load(problem.start.ego if ego is None else ego)
        self._paths = EgoPaths(self.tables, self.goals, start, problem.ego.actions.stay, depth)
        self._values: dict[int, list[FloatArray]] = {}
        self._choices: dict[int, list[Any]] = {}
        self._solve()

    @property
    def states(self) -> int:  # type: ignore[override]
        """The number of states that were solved."""
        return self.work.states

    # -- moves and values ----------------------------------------------------------------------------------------

    def at(self, state: JointState, answers: Sequence[Answer] = ()) -> BestMove:
        """Return the optimal move in `state` after the answers `answers`.

        `state` has the states of both agents. `answers` are all answers since the solver's start; a question that got
        no answer is included, with the reply None.
        """
        evidence, questions_left = self._evidence(state.teammate, answers)
        if evidence.certain:
            return self._move_to(state, self.goals[evidence.goals.bit_length() - 1])
        belief, row, column = self._find(state, evidence, questions_left)
        weights = self.effects.weights(evidence) * self._weight[state.teammate]
        cost = float(self._values[state.teammate][questions_left][row, column]) / float(weights.sum())
        choice = int(self._choices[state.teammate][questions_left][row, column])
        if choice < 0:
            table = self._beliefs.questions_of(belief)
            assert table is not None
            return BestMove(None, table.options[-1 - choice].asked, cost)
        return BestMove(self._paths.action(self._place_and_load(state.ego)[0], choice), None, cost)

    def value(self, state: JointState) -> float:
        """Return `U` of `askwise.planning` for `state` before any answer.

        This is the least expected cost beyond that of an agent that knows the goal, times the sum of the goals' weights
        in `state`.
        """
        return self.at(state).expected_marginal_cost * float(self._weight[state.teammate].sum())

    def begun_at(
        self, tables: Tables, goals: Sequence[int], *, ego: int, answers: Sequence[Answer], limit: int | None
    ) -> LimitedSolver:
        """Return a new `LimitedSolver` for an episode that continues from another situation.

        The arguments are those of `OptimalPolicy.begun_at`.
        """
        return LimitedSolver(
            self.problem,
            max(0, self.most - len(answers)),
            truthful=self.truthful,
            goals=goals,
            tables=tables,
            ego=ego,
            asked=[answer.asked for answer in answers],
            limit=limit,
        )

    def _evidence(self, w: int, answers: Sequence[Answer]) -> tuple[Evidence, int]:
        """Return the evidence from the answers and the teammate's state `w`, and the number of questions left."""
        n_all = len(self.problem.goals)
        evidence, asked = Evidence((1 << len(self.goals)) - 1), set(self._asked)
        for answer in answers:
            key = same_question(answer.asked, n_all)
            again = self.effects.persistent and key in asked
            if self.effects.persistent:
                asked.add(key)
            if answer.reply is not None and not again:
                agrees = agreeing(answer, n_all)
                true_for = sum(1 << k for k, goal in enumerate(self.goals) if agrees[goal])
                evidence, _ = self.effects.after_answer(evidence, true_for, n_answers(answer.asked, n_all))
        questions_left = max(0, self.most - len(answers))
        evidence = self.effects.after_step(evidence, self._reachable.alive[w])[0]
        if not evidence.goals:
            raise self._off(w)
        return Evidence(evidence.goals, evidence.against, frozenset(asked)), questions_left

    def _find(self, state: JointState, evidence: Evidence, questions_left: int) -> tuple[int, int, int]:
        """Return where the value of a situation is stored: the index of its belief, and a row and a column.

        Row and column are those of the table of values at the teammate's state. Raises `OffTheMap` if the solver does
        not cover the situation.
        """
        w = state.teammate
        belief, stages = self._beliefs.known(questions_left, evidence), self._reachable.stages.get(w)
        column = self._paths.levels[max(0, int(self.tables.depth[w]))].column.get(self._place_and_load(state.ego))
        if belief is None or stages is None or column is None or belief not in stages[questions_left].met:
            raise self._off(w)
        return belief, int(stages[questions_left].rows(np.array([belief]))[0]), column

    def _off(self, w: int) -> OffTheMap:
        where = self.problem.teammate.model.name(w)
        found = f"the teammate at {where!r}, with answers or places that nothing considered leads to"
        return OffTheMap("state", found, "a situation that can come about")

    # -- solving -------------------------------------------------------------------------------------------------

    def _solve(self) -> None:
        order = []
        for w, beliefs in self._reachable.explore():
            order.append(w)
            self.work.count(states=beliefs * len(self._paths.levels[int(self.tables.depth[w])].column))
        for done, w in enumerate(reversed(order), start=1):
            self._solve_at(w)
            if self.progress is not None and done % 10 == 0:
                self.progress(self.work.states * done // len(order), self.splits)

    def _solve_at(self, w: int) -> None:
        self._values[w], self._choices[w] = [], []
        depth = int(self.tables.depth[w])
        delays, lost = self._paths.delays(depth, self.tables.steps[w, self.goals])
        for questions_left, stage in enumerate(self._reachable.stages[w]):
            weights = np.zeros((stage.beliefs.size + 1, len(self.goals)))
            for k, belief in enumerate(stage.beliefs.tolist(), start=1):
                weights[k] = self._beliefs.weights[belief] * self._weight[w]
            later = self._later(questions_left, stage, len(self._paths.levels[depth + 1].column))
            values, choices = self._compare_actions(self._paths.levels[depth], weights, later, delays, lost)
            self._values[w].append(values)
            self._choices[w].append(choices)
            self._compare_questions(w, questions_left, weights.sum(axis=1))

    def _later(self, questions_left: int, stage: Stage, columns: int) -> FloatArray:
        """Return the values of the states after the next step, summed over the teammate's next states.

        The result is ``float64 [n_rows, n_columns]``. Rows are the beliefs of `stage` before the step, columns the ego
        agent's places and loads after the step.
        """
        found = np.zeros((stage.beliefs.size + 1, columns))
        for t, beliefs, factors in stage.steps:
            rows = self._reachable.stages[t][questions_left].rows(beliefs)
            found += factors[:, None] * self._values[t][questions_left][rows]
        return found

    def _compare_actions(
        self, here: EgoPlaces, weights: FloatArray, later: FloatArray, delays: FloatArray, lost: Any
    ) -> tuple[FloatArray, Any]:
        """Return the least cost of acting now, and the index of the best action, each ``[n_rows, n_columns]``.

        Rows are beliefs, with the goals' `weights`, ``float64 [n_rows, n_goals]``. Columns are the ego agent's places
        and loads `here`. `later` are the values after the next step (`_later`); `delays` and `lost` (goals put out of
        reach) come from `EgoPaths.delays`.
        """
        values = np.full((weights.shape[0], len(here.column)), np.inf)
        choices = np.zeros(values.shape, dtype=np.int32)
        for action in range(self._paths.n_actions):
            can = np.flatnonzero(here.after[:, action] >= 0)
            if not can.size:
                continue
            cost = weights @ delays[action][can].T + later[:, here.after[can, action]]
            if lost[action].any():
                cost[(weights > 0).astype(np.float64) @ lost[action][can].T > 0] = np.inf
            better = cost < values[:, can] * BETTER
            values[:, can] = np.where(better, cost, values[:, can])
            choices[:, can] = np.where(better, action, choices[:, can])
        return values, choices

    def _compare_questions(self, w: int, questions_left: int, mass: FloatArray) -> None:
        """Lower the values in the teammate's state `w` where asking a question costs less than the best action.

        Only the values with `questions_left` more questions are lowered. `mass` is the sum of the goals' weights in
        each belief, ``float64 [n_rows]``.
        """
        stage = self._reachable.stages[w][questions_left]
        alike: dict[tuple[int, int, int], list[tuple[int, QuestionTable]]] = {}
        for row, belief in enumerate(stage.beliefs.tolist(), start=1):
            table = self._beliefs.questions_of(belief)
            if table is not None and table.options:
                n_goals = self._beliefs.evidence[belief].goals.bit_count()
                alike.setdefault((n_goals, *table.beliefs.shape), []).append((row, table))
        for shape in sorted(alike):  # fewer goals first: a true answer leads to a belief with fewer goals
            for k in range(0, len(alike[shape]), AT_A_TIME):
                self._compare_some(w, questions_left, mass, alike[shape][k : k + AT_A_TIME])

    def _compare_some(
        self, w: int, questions_left: int, mass: FloatArray, some: list[tuple[int, QuestionTable]]
    ) -> None:
        """Do the work of `_compare_questions` for some beliefs whose tables of questions have the same shape.

        `some` has for each belief its row in the table of values, and its table of questions.
        """
        rows, tables, then = [row for row, _ in some], [table for _, table in some], max(0, questions_left - 1)
        after = self._reachable.stages[w][then].rows(np.array([table.beliefs for table in tables]))
        values, choices = self._values[w], self._choices[w][questions_left]
        prices = np.array([table.prices for table in tables]) * mass[rows][:, None]
        factors = np.array([table.factors for table in tables])
        costs = prices[:, :, None] + np.einsum("bqr,bqre->bqe", factors, values[then][after])
        best = costs.argmin(axis=1)
        least = np.take_along_axis(costs, best[:, None], axis=1)[:, 0]
        better = least < values[questions_left][rows] * BETTER
        values[questions_left][rows] = np.where(better, least, values[questions_left][rows])
        choices[rows] = np.where(better, -1 - best, choices[rows])
        self.splits += prices.size

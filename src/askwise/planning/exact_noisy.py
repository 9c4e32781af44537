"""The optimum with wrong and refused answers and with choices, and at most so many questions.

**Theory.** The recursion of `askwise.planning` with a belief in place of the set `A` (`askwise.planning.exact_beliefs`)
and the number of questions left. With ``f_g`` what the answers so far say for goal `g`, the weight of a goal is
``f_g weight[w, g]`` and `Z` their sum. With `q` questions left

    U(f, w, ego, q) = least of
        actions:    sum over g of f_g weight[w, g] * r_g  +  sum over next w' of U(f, w', ego', q)
        questions:  Z * price  +  sum over replies a of U(f * L[a], w, ego, q - 1)  +  refused * U(f, w, ego, q - 1)

where ``L[a, g]`` is how likely goal `g` makes reply `a` (`askwise.core.answers`). There are still no cycles. `U` is in
proportion to `f`, so beliefs with the same odds are one. Where errors persist, the state also says which questions may
not be asked again.

**Truth after that.** If questions after the last of these are answered truthfully (`truthful`), for the same price and
as many as one likes, the value is below that of any number of questions: who hears the truth can make wrong and missing
answers of it by tossing coins. Without any questions before (``most = 0``) it is the optimum with truthful answers.

Everything is worked out, from the teammate's last steps to its first: small problems only.
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
from askwise.errors import InputError
from askwise.planning.exact import MOST_STATES, Progress, check_goals, check_teammate
from askwise.planning.exact_beliefs import Asking, Beliefs, Heard, Hearing, Stage, Unfolding, Work
from askwise.planning.exact_questions import Questions
from askwise.planning.exact_search import SAME
from askwise.planning.tables import Tables, tables_of
from askwise.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """Where the ego agent can be after a number of joint steps.

    Attributes:
        column: the column of each place and load.
        steps: ``int [n_columns, n_goals]``, steps to each goal from there.
        after: ``int [n_columns, n_actions]``, the column after each action, one step later; -1 where it cannot be done.
    """

    column: dict[tuple[int, int], int]
    steps: IntArray
    after: IntArray


class Walking:
    """The ego agent's ways, step by step from where it starts.

    Actions are numbered: its moves, waiting last; then taking up the load of each goal.
    """

    def __init__(self, tables: Tables, goals: Sequence[int], start: tuple[int, int], wait: int, depth: int) -> None:
        self.ego, self.goals = tables.ego, list(goals)
        moves = range(len(self.ego.moves))
        self.moves = sorted(moves, key=lambda k: (self.ego.moves[k] == wait, k))
        self.n_actions = len(self.moves) + len(self.goals)
        self.grounds: list[Ground] = []
        here = {start: 0}
        for _ in range(depth + 1):
            there: dict[tuple[int, int], int] = {}
            after = np.full((len(here), self.n_actions), -1, dtype=np.int32)
            for (place, load), column in here.items():
                for action, onwards in self._ways(place, load):
                    after[column, action] = there.setdefault(onwards, len(there))
            self.grounds.append(Ground(here, self._steps(here), after))
            here = there
        self.grounds.append(Ground(here, self._steps(here), np.empty((0, 0), dtype=np.int32)))

    def action(self, place: int, number: int) -> int:
        """Return the ego action of that number in a place."""
        if number < len(self.moves):
            return self.ego.action(place, self.moves[number])
        return int(self.ego.load_actions[self.goals[number - len(self.moves)]])

    def regrets(self, depth: int, teammate: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return by how much each action puts off the end for each goal, and the goals that it puts out of reach.

        Args:
            depth: joint steps so far.
            teammate: ``int [n_goals]``, the teammate's steps to each goal.

        Returns:
            ``float64 [n_actions, n_columns, n_goals]``, and ``bool`` of the same shape; actions that cannot be done
            have nothing to say.
        """
        ground, later = self.grounds[depth], self.grounds[depth + 1]
        before, after = ground.steps[None], later.steps[ground.after.T]
        regret = 1.0 + np.maximum(teammate, after) - np.maximum(teammate + 1, before)
        gone = after >= FAR
        return np.where(gone, 0.0, regret), gone & (before < FAR)

    def _ways(self, place: int, load: int) -> list[tuple[int, tuple[int, int]]]:
        ways = [(k, (int(self.ego.next[place, move]), load)) for k, move in enumerate(self.moves)]
        ways = [(k, onwards) for k, onwards in ways if onwards[0] >= 0]
        for k, goal in enumerate(self.goals):
            if self.ego.load_at[goal] == place and load != k:
                ways.append((len(self.moves) + k, (place, k)))
        return ways

    def _steps(self, here: dict[tuple[int, int], int]) -> IntArray:
        steps = np.empty((len(here), len(self.goals)), dtype=np.int32)
        for (place, load), column in here.items():
            steps[column] = self.ego.unloaded[place, self.goals]
            if load >= 0:
                steps[column, load] = self.ego.loaded[place, self.goals[load]]
        return steps


MOST_QUESTIONS = 3
"""Questions in an episode unless told otherwise."""


AT_A_TIME = 500
"""Beliefs whose questions are compared together."""


class OffTheMap(InputError):  # noqa: N818 - it names what happened
    """A situation that cannot come about from where the solver began."""


@dataclass(frozen=True, slots=True)
class Move:
    """What is optimal in one situation.

    Attributes:
        action: the ontic action, None for a question.
        ask: the question, None for an action.
        expected_marginal_cost: what is lost from here on, in expectation, by not knowing the goal.
    """

    action: int | None
    ask: Question | None
    expected_marginal_cost: float


class LimitedSolver:
    """The optimal policy with at most so many questions, worked out for all situations at once.

    Args:
        problem: the problem.
        most: how many questions may be asked, answered or not.
        truthful: whether questions after that are allowed, and answered truthfully.
        goals: only these goals, as if an oracle had said that it is one of them; by default all of positive prior.
        tables: the problem's tables, if they are there already; the teammate begins at their start.
        ego: where the ego agent begins, by default at its start.
        asked: questions that were asked already and may not be asked again where errors persist.
        limit: the most states to solve, None for any number.
        progress: is told states and questions.
    """

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
        if tables is None:
            check_teammate(problem, "the optimum")
        self.problem = problem
        self.most = most
        self.tables = tables_of(problem) if tables is None else tables
        self.goals = check_goals(problem, self.tables) if goals is None else sorted(goals)
        self.work = Work(len(self.goals), most, limit)
        self.splits = 0
        self.progress = progress
        self.hearing = Hearing(problem.answers, len(self.goals))
        self._weight = self.tables.weight[:, self.goals]
        self._ego = problem.start.ego if ego is None else ego
        self.persistent = problem.answers.persistent
        self._asked = frozenset(same_question(each, len(problem.goals)) for each in asked if self.persistent)
        self._beliefs = Beliefs(
            Questions(problem, self.goals),
            self.hearing,
            truthful=truthful,
            persistent=self.persistent,
            work=self.work,
        )
        root = Heard((1 << len(self.goals)) - 1, (), self._asked)
        self._unfolding = Unfolding(self.tables, self.goals, self._beliefs, most, root)
        depth = max(0, int(self.tables.steps[self.tables.start, self.goals].max()))
        self._walking = Walking(
            self.tables, self.goals, self._place_and_load(self._ego), problem.ego.actions.stay, depth
        )
        self._values: dict[int, list[FloatArray]] = {}
        self._choices: dict[int, list[Any]] = {}
        self._solve()

    def __deepcopy__(self, memo: dict[int, Any]) -> LimitedSolver:
        # It never changes: copies of an agent can share it.
        return self

    @property
    def states(self) -> int:
        """States that were solved."""
        return self.work.states

    # -- asking it -----------------------------------------------------------------------------------------------

    def at(self, state: JointState, answers: Sequence[Answer] = ()) -> Move:
        """Return what is optimal in `state` after these answers, those that were refused included.

        Args:
            state: where both agents are.
            answers: what was asked since the solver's start, and answered.
        """
        heard, left = self._heard(state.teammate, answers)
        if heard.certain:
            goal = self.goals[heard.left.bit_length() - 1]
            optimal = self.problem.ego.optimal(state.ego)[goal]
            return Move(int(optimal.argmax()) if optimal.any() else self.problem.ego.actions.stay, None, 0.0)
        belief, row, column = self._find(state, heard, left)
        weights = self.hearing.weights(heard) * self._weight[state.teammate]
        cost = float(self._values[state.teammate][left][row, column]) / float(weights.sum())
        choice = int(self._choices[state.teammate][left][row, column])
        if choice < 0:
            asking = self._beliefs.asking(belief)
            assert asking is not None
            return Move(None, asking.options[-1 - choice].asked, cost)
        return Move(self._walking.action(self._place_and_load(state.ego)[0], choice), None, cost)

    __call__ = at

    def known_cost(self, state: JointState) -> float:
        """Return the expected cost from `state` if the goal were told right now, and nothing was heard before."""
        weights = self._weight[state.teammate]
        steps = np.maximum(self.tables.steps[state.teammate] + 1, self.problem.ego.steps(state.ego))[self.goals]
        return float((weights * steps)[weights > 0].sum() / weights.sum())

    def regret(self, state: JointState) -> float:
        """Return the expected marginal cost from `state`, times the weight of the goals there; nothing was heard."""
        weights = self._weight[state.teammate]
        return self.at(state).expected_marginal_cost * float(weights.sum())

    def _heard(self, w: int, answers: Sequence[Answer]) -> tuple[Heard, int]:
        """Return the belief, and how many questions are left."""
        n_all = len(self.problem.goals)
        heard, asked = Heard((1 << len(self.goals)) - 1), set(self._asked)
        for answer in answers:
            key = same_question(answer.asked, n_all)
            again = self.persistent and key in asked
            if self.persistent:
                asked.add(key)
            if answer.reply is not None and not again:
                agrees = agreeing(answer, n_all)
                true_for = sum(1 << k for k, goal in enumerate(self.goals) if agrees[goal])
                heard, factor = self.hearing.reply(heard, true_for, n_answers(answer.asked, n_all))
                if factor == 0:
                    raise self._off(w)
        left = max(0, self.most - len(answers))
        heard = self.hearing.among(heard, self._unfolding.alive[w])[0]
        if not heard.left:
            raise self._off(w)
        return Heard(heard.left, heard.against, frozenset(asked)), left

    def _find(self, state: JointState, heard: Heard, left: int) -> tuple[int, int, int]:
        """Return the number of the belief, and row and column of the tables there."""
        w = state.teammate
        belief, stages = self._beliefs.known(left, heard), self._unfolding.stages.get(w)
        column = self._walking.grounds[max(0, int(self.tables.depth[w]))].column.get(self._place_and_load(state.ego))
        if belief is None or stages is None or column is None or belief not in stages[left].met:
            raise self._off(w)
        return belief, int(stages[left].rows(np.array([belief]))[0]), column

    def _off(self, w: int) -> OffTheMap:
        where = self.problem.teammate.model.name(w)
        found = f"the teammate at {where!r}, with answers or places that nothing considered leads to"
        return OffTheMap("state", found, "a situation that can come about")

    def _place_and_load(self, ego: int) -> tuple[int, int]:
        place, load = self.tables.ego.split(ego)
        return place, self.goals.index(load) if load in self.goals else -1

    # -- working it out ------------------------------------------------------------------------------------------

    def _solve(self) -> None:
        order = []
        for w, beliefs in self._unfolding.unfold():
            order.append(w)
            self.work.count(states=beliefs * len(self._walking.grounds[int(self.tables.depth[w])].column))
        for done, w in enumerate(reversed(order), start=1):
            self._solve_at(w)
            if self.progress is not None and done % 10 == 0:
                self.progress(self.work.states * done // len(order), self.splits)

    def _solve_at(self, w: int) -> None:
        self._values[w], self._choices[w] = [], []
        depth = int(self.tables.depth[w])
        regrets, lost = self._walking.regrets(depth, self.tables.steps[w, self.goals])
        for left, stage in enumerate(self._unfolding.stages[w]):
            weights = np.zeros((stage.beliefs.size + 1, len(self.goals)))
            for k, belief in enumerate(stage.beliefs.tolist(), start=1):
                weights[k] = self._beliefs.weights[belief] * self._weight[w]
            later = self._later(left, stage, len(self._walking.grounds[depth + 1].column))
            values, choices = self._acting(self._walking.grounds[depth], weights, later, regrets, lost)
            self._values[w].append(values)
            self._choices[w].append(choices)
            self._asking(w, left, weights.sum(axis=1))

    def _later(self, left: int, stage: Stage, columns: int) -> FloatArray:
        """``float64 [n_rows, n_columns]``: the regret after the teammate's step, wherever the ego agent is then."""
        found = np.zeros((stage.beliefs.size + 1, columns))
        for onwards, beliefs, factors in stage.onwards:
            rows = self._unfolding.stages[onwards][left].rows(beliefs)
            found += factors[:, None] * self._values[onwards][left][rows]
        return found

    def _acting(
        self, ground: Ground, weights: FloatArray, later: FloatArray, regrets: FloatArray, lost: Any
    ) -> tuple[FloatArray, Any]:
        """Return the least regret of all actions, and which it is, for each belief and each place of the ego agent."""
        values = np.full((weights.shape[0], len(ground.column)), np.inf)
        choices = np.zeros(values.shape, dtype=np.int32)
        for action in range(self._walking.n_actions):
            can = np.flatnonzero(ground.after[:, action] >= 0)
            if not can.size:
                continue
            cost = weights @ regrets[action][can].T + later[:, ground.after[can, action]]
            if lost[action].any():
                cost[(weights > 0).astype(np.float64) @ lost[action][can].T > 0] = np.inf
            better = cost < values[:, can] * SAME
            values[:, can] = np.where(better, cost, values[:, can])
            choices[:, can] = np.where(better, action, choices[:, can])
        return values, choices

    def _asking(self, w: int, left: int, mass: FloatArray) -> None:
        """Let questions be asked where that is better.

        Beliefs with equally many questions are taken together. True answers lead to fewer goals of the same stage, so
        beliefs with fewer goals come first.
        """
        stage = self._unfolding.stages[w][left]
        alike: dict[tuple[int, int, int], list[tuple[int, Asking]]] = {}
        for row, belief in enumerate(stage.beliefs.tolist(), start=1):
            asking = self._beliefs.asking(belief)
            if asking is not None and asking.options:
                n_goals = self._beliefs.heard[belief].left.bit_count()
                alike.setdefault((n_goals, *asking.beliefs.shape), []).append((row, asking))
        for shape in sorted(alike):
            for k in range(0, len(alike[shape]), AT_A_TIME):
                self._ask_some(w, left, mass, alike[shape][k : k + AT_A_TIME])

    def _ask_some(self, w: int, left: int, mass: FloatArray, some: list[tuple[int, Asking]]) -> None:
        rows = [row for row, _ in some]
        after = self._unfolding.stages[w][max(0, left - 1)].rows(np.array([asking.beliefs for _, asking in some]))
        values, choices = self._values[w], self._choices[w][left]
        prices = np.array([asking.prices for _, asking in some]) * mass[rows][:, None]
        factors = np.array([asking.factors for _, asking in some])
        costs = prices[:, :, None] + np.einsum("bqr,bqre->bqe", factors, values[max(0, left - 1)][after])
        best = costs.argmin(axis=1)
        least = np.take_along_axis(costs, best[:, None], axis=1)[:, 0]
        better = least < values[left][rows] * SAME
        values[left][rows] = np.where(better, least, values[left][rows])
        choices[rows] = np.where(better, -1 - best, choices[rows])
        self.splits += prices.size

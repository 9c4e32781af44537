"""The rules of an episode: what a step changes, how a question is answered, and when the episode ends.

A `Game` is one episode in progress. It applies the rules to the actions and questions that it is given. Between two
steps it can be pickled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from askwise.core.answers import agreeing, check_reply, n_answers, same_question, same_reply, truth
from askwise.core.belief import Observation
from askwise.core.problem import STEP_COST, JointState, Problem, optimal_costs
from askwise.core.questions import Answer, Choice, Question
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.model.names import as_int
from askwise.seeds import Seed, generator
from askwise.types import BoolArray


class InvalidDecision(AskwiseError):  # noqa: N818 - it names what happened
    """Raised if an agent or a teammate chooses an action or a question that the rules do not allow."""


# -- rules -------------------------------------------------------------------------------------------------------


def after(problem: Problem, state: JointState, ego_action: int, teammate_action: int) -> JointState:
    """Return the states of both agents after a step in which both act; the actions must be available."""
    return JointState(problem.teammate.next(state.teammate, teammate_action), problem.ego.next(state.ego, ego_action))


def answer_to(asked: Question | Sequence[int], goal: int) -> Answer:
    """Return the true answer to a question if the teammate's goal is `goal`.

    `asked` has the goals of a yes/no question, by index, or is a `Choice` among groups of goals.
    """
    question = asked if isinstance(asked, Choice) else tuple(asked)
    return Answer(question, truth(question, goal))


def ends(problem: Problem, before: JointState, teammate_action: int, now: JointState, goal: int) -> bool:
    """Return whether a step in which both agents acted ends the episode if the teammate's goal is `goal`.

    The episode ends if the teammate stays at a target (a state in which the goal is reached), and the ego agent is at
    one of its own targets after the step. Actions and goals are indices.

    Args:
        problem: the problem.
        before: the states of both agents before the step.
        teammate_action: the teammate's action.
        now: the states of both agents after the step.
        goal: the goal.
    """
    return bool(
        teammate_action == problem.teammate.actions.stay
        and problem.teammate.steps(before.teammate)[goal] == 0
        and problem.ego.steps(now.ego)[goal] == 0
    )


def goal_number(problem: Problem, goal: int | str) -> int:
    """Return the index of a goal given by name or index.

    Raises an `InputError` if the goal is unknown or its prior probability is 0.
    """
    names = {name: k for k, name in enumerate(problem.goals)}
    index = names.get(goal) if isinstance(goal, str) else as_int(goal)
    if index is None or not 0 <= index < len(problem.goals):
        shown = ", ".join(problem.goals[:5]) + (", ..." if len(problem.goals) > 5 else "")
        near = did_you_mean(goal, problem.goals) if isinstance(goal, str) else ""
        raise InputError("goal", repr(goal), f"one of {shown}{near}")
    if problem.prior[index] == 0:
        raise InputError("goal", f"{problem.goals[index]}, whose prior is 0", "a goal that the prior allows")
    return index


def check_question(
    problem: Problem,
    asked: Question | Sequence[int],
    who: str,
    *,
    may_be_empty: bool = False,
    may_be_full: bool = False,
) -> None:
    """Raise `InvalidDecision` unless a question names existing goals, each once, and has at least two possible answers.

    Args:
        problem: the problem.
        asked: the goals of a yes/no question, by index, or a `Choice` among groups of goals.
        who: the agent, which begins the error message.
        may_be_empty: allow a question about no goal.
        may_be_full: allow a yes/no question about all goals.
    """
    n = len(problem.goals)
    if isinstance(asked, Choice):
        if not all(as_int(goal) is not None and 0 <= goal < n for goal in asked.goals):
            raise InvalidDecision(f"{who} asked which of {list(asked.groups)}; expected goals from 0 to {n - 1}")
        if n_answers(asked, n) < 2:
            raise InvalidDecision(
                f"{who} asked which of one group that contains all goals; expected a choice with at least two answers"
            )
        return
    numbers = all(as_int(goal) is not None and 0 <= goal < n for goal in asked)
    if not (asked or may_be_empty) or not numbers or len(set(asked)) != len(asked):
        raise InvalidDecision(f"{who} asked about goals {list(asked)}; expected some of 0 to {n - 1}, each once")
    if len(asked) == n and not may_be_full:
        raise InvalidDecision(f"{who} asked whether it is one of all {n} goals; expected a question with two answers")


def check_ego_action(problem: Problem, ego: int, action: int | None, who: str) -> None:
    """Raise `InvalidDecision` unless an action is available to the ego agent in its state `ego`.

    States and actions are indices; the action None is never available. `who` begins the error message.
    """
    _check_action(problem.ego.actions.names, problem.ego.next, ego, action, who)


def check_teammate_action(problem: Problem, teammate: int, action: int | None, who: str) -> None:
    """Raise `InvalidDecision` unless an action is available to the teammate in its state `teammate`.

    States and actions are indices; the action None is never available. `who` begins the error message.
    """
    _check_action(problem.teammate.actions.names, problem.teammate.next, teammate, action, who)


def _check_action(
    names: tuple[str, ...], following: Callable[[int, int], int], state: int, action: Any, who: str
) -> None:
    if not _is_one_of(names, action):
        raise InvalidDecision(f"{who} chose action {action!r}; expected a number from 0 to {len(names) - 1}")
    if following(state, action) < 0:
        raise InvalidDecision(f"{who} chose {names[action]}, which is not available there")


def _is_one_of(names: tuple[str, ...], action: Any) -> bool:
    return as_int(action) is not None and 0 <= action < len(names)


# -- an episode in progress --------------------------------------------------------------------------------------


class Game:
    """One episode in progress, which applies the rules: it moves the agents, answers questions and adds up the cost.

    Call `act` for a step in which both agents act, `ask` for a question that the game answers, and `hear` for a
    question that someone else has answered. All arguments except `answer_seed` are attributes, too.

    Args:
        problem: the problem.
        goal: the teammate's goal, by name or index. None if only the teammate knows it: pass each answer to `hear`. The
            episode then ends as soon as it would end for a possible goal.
        max_steps: limit on the steps; None for 1000 plus 50 times the least number needed.
        empty_questions: allow questions about no goal.
        full_questions: allow questions about all goals.
        names: what error messages call the ego agent and the teammate, in this order.
        answer_seed: random seed for wrong and missing answers; None for unpredictable ones.

    Attributes:
        goal: index of the teammate's goal; None while it is unknown.
        max_steps: limit on the steps.
        state: current states of both agents.
        before: states before the last step in which both acted; at first those at the start.
        teammate_action: index of the teammate's last action; None at the start and after a question.
        answer: the answer in the last step; None if there was none.
        allowed: ``bool [n_goals]``, goals that neither the prior nor an answer rules out. Answers that can be wrong
            rule out none.
        steps: number of steps so far, questions included.
        step_cost: cost of the last step, 0 at the start.
        cost: cost of all steps so far.
        finished: whether the agents have reached the goal.
    """

    def __init__(
        self,
        problem: Problem,
        goal: int | str | None = None,
        *,
        max_steps: int | None = None,
        empty_questions: bool = False,
        full_questions: bool = False,
        names: tuple[str, str] = ("the ego agent", "the teammate"),
        answer_seed: Seed = None,
    ) -> None:
        self.problem = problem
        self.goal = None if goal is None else goal_number(problem, goal)
        self.max_steps = most_steps(problem, self.goal) if max_steps is None else max_steps
        if (as_int(self.max_steps) or 0) < 1:
            raise InputError("max_steps", max_steps, "a whole number from 1")
        self.empty_questions = empty_questions
        self.full_questions = full_questions
        self.names = names
        self.state = problem.start
        self.before = problem.start
        self.teammate_action: int | None = None
        self.answer: Answer | None = None
        self.allowed: BoolArray = problem.prior > 0
        self.steps = 0
        self.step_cost = 0.0
        self.cost = 0.0
        self.finished = False
        self._earliest_end = 0
        self._answers_rng = None if problem.answers.truthful else generator(answer_seed)
        self._given: dict[Hashable, Answer] = {}

    def __repr__(self) -> str:
        how = "finished" if self.finished else "cut off" if self.over else "running"
        return f"<Game: {self.steps} step{'' if self.steps == 1 else 's'}, cost {self.cost:g}, {how}>"

    @property
    def observation(self) -> Observation:
        """What the ego agent observes now: the states of both agents, and what happened in the last step.

        In the last step, either the teammate acted, or a question was answered.
        """
        return Observation(self.state, self.teammate_action, self.answer)

    @property
    def over(self) -> bool:
        """Whether the episode is over: the agents have reached the goal, or there were `max_steps` steps."""
        return self.finished or self.steps >= self.max_steps

    @property
    def truncated(self) -> bool:
        """Whether the number of steps has reached `max_steps` before the agents reached the goal."""
        return self.steps >= self.max_steps and not self.finished

    @property
    def known_cost(self) -> float:
        """The least cost of an episode whose goal the ego agent knows from the start; ``nan`` if `goal` is None."""
        return math.nan if self.goal is None else float(optimal_costs(self.problem, self.problem.start)[self.goal])

    @property
    def marginal_cost(self) -> float:
        """The cost of all steps minus `known_cost`, which is the least cost with the goal known from the start.

        It is ``nan`` until the agents reach the goal.
        """
        return self.cost - self.known_cost if self.finished else math.nan

    def act(self, ego_action: int, teammate_action: int) -> Observation:
        """Take a step in which both agents act, given by index; return the ego agent's next observation.

        Raises:
            InvalidDecision: an action is not available.
            AskwiseError: the episode is over.
        """
        self._check_running()
        self.before = before = self.state
        self.state = self._after(ego_action, teammate_action)
        self.teammate_action, self.answer = teammate_action, None
        self._pay(STEP_COST)
        self._end_if_done(before)
        return self.observation

    def ask(self, asked: Question | Sequence[int]) -> Observation:
        """Take a step in which the ego agent asks a question; return its next observation, which has the answer.

        Args:
            asked: the goals of a yes/no question, by index, or a `Choice` among groups of goals.

        Raises:
            InvalidDecision: the question is not allowed.
            AskwiseError: the game does not know the goal, or the episode is over.
        """
        if self.goal is None:
            raise AskwiseError("the game does not know the goal, so it cannot answer; pass the answer to hear()")
        if self._answers_rng is None:
            return self.hear(answer_to(asked, self.goal))
        self._check_running()
        self._check_question(asked)
        question = asked if isinstance(asked, Choice) else tuple(asked)
        return self.hear(self._drawn(question, self.goal, self._answers_rng))

    def _drawn(self, asked: Question, goal: int, rng: np.random.Generator) -> Answer:
        """Draw an answer to a question; if errors are persistent, repeat the earlier answer to the same question.

        Args:
            asked: the question.
            goal: index of the teammate's goal.
            rng: the random generator.
        """
        n_goals, model = len(self.problem.goals), self.problem.answers
        if not model.persistent:
            return model.draw(asked, goal, n_goals, rng)
        key = same_question(asked, n_goals)
        if key not in self._given:
            self._given[key] = model.draw(asked, goal, n_goals, rng)
        return same_reply(self._given[key], asked)

    def _check_question(self, asked: Question | Sequence[int]) -> None:
        who = f"step {self.steps + 1}: {self.names[0]}"
        empty, full = self.empty_questions, self.full_questions
        check_question(self.problem, asked, who, may_be_empty=empty, may_be_full=full)

    def hear(self, answer: Answer) -> Observation:
        """Take a step with a question that someone else has answered, and return the ego agent's next observation.

        Goals that contradict the answer are removed from `allowed`, unless answers can be wrong.

        Raises:
            InvalidDecision: the question is not allowed.
            InputError: the reply does not fit the question.
            AskwiseError: the episode is over.
        """
        self._check_running()
        if not isinstance(answer, Answer):
            raise InputError("answer", repr(answer), "an askwise.Answer: the question, and the reply to it")
        self._check_question(answer.asked)
        n_goals = len(self.problem.goals)
        check_reply(answer, n_goals)
        if answer.reply is not None and not self.problem.answers.fallible:
            self.allowed = self.allowed & agreeing(answer, n_goals)
        self.teammate_action, self.answer = None, answer
        self._pay(self.problem.query_cost(answer.asked))
        return self.observation

    def ego_available(self) -> list[int]:
        """Return the indices of the actions that are available to the ego agent now."""
        return [a for a in range(len(self.problem.ego.actions.names)) if self.problem.ego.next(self.state.ego, a) >= 0]

    def teammate_available(self) -> list[int]:
        """Return the indices of the actions that are available to the teammate now."""
        problem, here = self.problem, self.state.teammate
        return [a for a in range(len(problem.teammate.actions.names)) if problem.teammate.next(here, a) >= 0]

    def _after(self, ego_action: int, teammate_action: int) -> JointState:
        """Return the states of both agents after they act; raise `InvalidDecision` if an action is not available.

        Both actions are given by index.
        """
        problem, before = self.problem, self.state
        if _is_one_of(problem.ego.actions.names, ego_action) and _is_one_of(
            problem.teammate.actions.names, teammate_action
        ):
            now = after(problem, before, ego_action, teammate_action)
            if now.ego >= 0 and now.teammate >= 0:
                return now
        ego, teammate = (f"step {self.steps + 1}: {name}" for name in self.names)
        check_ego_action(problem, before.ego, ego_action, ego)
        check_teammate_action(problem, before.teammate, teammate_action, teammate)
        raise AssertionError("an action that leads nowhere is not available")

    def _pay(self, cost: float) -> None:
        self.step_cost = cost
        self.cost += cost
        self.steps += 1

    def _end_if_done(self, before: JointState) -> None:
        assert self.teammate_action is not None
        if self.teammate_action != self.problem.teammate.actions.stay:
            return  # an episode ends only when the teammate stays
        if self.steps < self._earliest_end:
            return
        goals = np.flatnonzero(self.allowed).tolist() if self.goal is None else [self.goal]
        for goal in goals:
            if ends(self.problem, before, self.teammate_action, self.state, goal):
                self.goal, self.finished = goal, True
                return
        # The ego agent needs at least this many more steps, so there is no need to check before.
        self._earliest_end = self.steps + int(self.problem.ego.steps(self.state.ego)[goals].min())

    def _check_running(self) -> None:
        if self.over:
            how = "finished" if self.finished else "cut off"
            raise AskwiseError(f"the game is {how} after {self.steps} steps; start another one")


def most_steps(problem: Problem, goal: int | None) -> int:
    """Return the default limit on the steps of an episode: 1000 plus 50 times the least number of steps needed.

    Args:
        problem: the problem.
        goal: index of the teammate's goal; None for the largest limit over all possible goals.
    """
    costs = optimal_costs(problem, problem.start)
    best = float(costs[problem.prior > 0].max() if goal is None else costs[goal])
    return int(50 * best) + 1000

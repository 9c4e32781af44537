"""The episodes of an environment: which problem is played, what is observed, and which random numbers are used.

A `ProblemSource` supplies the problems, an `Observer` makes the observations, and `Episodes` starts episodes with both.
On a given problem, ``reset(seed=s)`` gives the same goal and teammate as ``askwise.simulate(problem, ..., seed=s)``,
because both spawn their random generators in the same order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from askwise.api import as_problem
from askwise.core.answers import AnswerModel
from askwise.core.game import Game
from askwise.core.problem import Problem, checked_answers
from askwise.core.question_json import parse_answers
from askwise.envs.play import Masks, Play, Renderer, available
from askwise.errors import InputError, did_you_mean
from askwise.model.names import as_int
from askwise.play.simulate import chosen_goal
from askwise.seeds import spawn

# -- where problems come from ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a problem that determine the observation and action spaces of an environment.

    Attributes:
        goals: number of goals.
        teammate_states: number of the teammate's states.
        ego_states: number of the ego agent's states, including what it carries.
        teammate_actions: number of the teammate's actions.
        ego_actions: number of the ego agent's actions, without questions.
        ego_moves: how many of these actions move the ego agent.
        groups: number of groups of goals.
    """

    goals: int
    teammate_states: int
    ego_states: int
    teammate_actions: int
    ego_actions: int
    ego_moves: int
    groups: int

    @classmethod
    def of(cls, problem: Problem) -> Shape:
        """Return the shape of a problem: how many goals, states and actions it has."""
        ego = problem.ego.table()
        return cls(
            goals=len(problem.goals),
            teammate_states=problem.teammate.model.n_states,
            ego_states=ego.next.shape[0] * ego.states_per_place,
            teammate_actions=len(problem.teammate.actions.names),
            ego_actions=len(problem.ego.actions.names),
            ego_moves=len(problem.ego.actions.moves),
            groups=len(problem.groups),
        )

    def __str__(self) -> str:
        return (
            f"{self.goals} goals in {self.groups} groups, {self.teammate_states} states and {self.teammate_actions} "
            f"actions of the teammate, {self.ego_states} states, {self.ego_actions} actions and {self.ego_moves} moves "
            "of the ego agent"
        )


class ProblemSource:
    """The source of the problems that an environment plays: by default, the same problem in every episode.

    Args:
        problem: a `Problem`, an instance of any domain, or the path of its file.

    Attributes:
        option: the key under which the options of ``reset`` give another problem.
        goal_word: the word for a goal in error messages.
        empty_questions: whether questions about no goal are available.
        limit: default limit on the steps of an episode; None for that of `Game`.
        example: one of the problems.
        shape: the numbers of goals, groups, states and actions, equal in all problems.
    """

    option = "problem"
    goal_word = "goal"
    # The price of a question may be any function of its goals, which need not be defined for none.
    empty_questions = False
    limit: int | None = None
    example: Any

    def __init__(self, problem: object) -> None:
        self.example = as_problem(problem)
        self.shape: object = Shape.of(self.example)

    def draw(self, rng: np.random.Generator) -> Any:  # noqa: ARG002 - for sources of random problems
        """Return the problem of the next episode, here always the same problem.

        Args:
            rng: random numbers for subclasses that draw a problem; not used here.
        """
        return self.example

    def given(self, chosen: Any) -> Any:
        """Return the problem that a user passed to ``reset`` in its options.

        Raises InputError if the problem has other sizes than the `example` (attribute `shape`).

        Args:
            chosen: a `Problem`, an instance of any domain, or the path of its file.
        """
        problem = as_problem(chosen)
        self.check(problem, "option 'problem'")
        return problem

    def check(self, problem: Problem, field: str = "problem") -> None:
        """Raise an `InputError` if a problem does not fit the environment's observation and action spaces.

        The numbers of goals, groups, states and actions must be those of the `example`. The error message calls the
        problem `field`.
        """
        self._check_shape(Shape.of(problem), field)

    def _check_shape(self, shape: object, field: str) -> None:
        if shape != self.shape:
            raise InputError(field, str(shape), f"{self.shape}, the shape of the spaces")

    def ego_mask(self, problem: Any, state: int) -> Any:
        """Return ``int8 [n_actions]``: 1 for each action that the ego agent can take in a state, 0 for all others.

        Questions are not included. `state` is the index of the ego agent's state.
        """
        return available(problem.ego, state)


# -- observations ---------------------------------------------------------------------------------------------------


class Observer(Protocol):
    """The interface of an object that makes the observations of an environment.

    An observation is a dictionary of numbers and arrays, without the goal. A user may keep or change its arrays.
    """

    @property
    def space(self) -> spaces.Dict:
        """The space of the observations.

        The key ``answer`` has the space ``Discrete(3)``: 0 nothing was asked yet, 1 no, 2 yes. In an environment in
        which answers may be refused (3), `Episodes` replaces this space by ``Discrete(4)``.
        """

    @property
    def changing(self) -> Sequence[str]:
        """The keys of an observation whose values may change from step to step.

        The values of all other keys stay the same during an episode.
        """

    def begin(self, problem: Any) -> None:
        """Prepare for an episode of `problem`: store the values that are the same in all its observations."""

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`, as a new dictionary."""


class ProblemObserver:
    """The observer for problems of any domain; its observations have states and actions as indices.

    `askwise.envs.ProblemEnv` describes the keys.

    Args:
        example: one of the problems that will be played; all have the same shape.

    Attributes:
        changing: the keys whose values may change during an episode.
        space: the space of the observations.
    """

    changing = ("teammate", "ego", "teammate_action", "asked", "answer", "possible")

    def __init__(self, example: Problem) -> None:
        n, ego = len(example.goals), example.ego.table()
        self.space = spaces.Dict(
            {
                "teammate": spaces.Discrete(example.teammate.model.n_states),
                "ego": spaces.Discrete(ego.next.shape[0] * ego.states_per_place),
                "teammate_action": spaces.Discrete(len(example.teammate.actions.names) + 1),
                **question_spaces(n),
                "prior": spaces.Box(0.0, 1.0, (n,), np.float64),
            }
        )

    def begin(self, problem: Problem) -> None:
        """Prepare for an episode of `problem`: store its prior, which is the same in all its observations."""
        # Rounding may push a probability slightly above 1, which is outside the space.
        self._prior = np.minimum(problem.prior, 1.0)

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`, as a new dictionary."""
        game = play.game
        action = game.teammate_action
        return {
            "teammate": game.state.teammate,
            "ego": game.state.ego,
            "teammate_action": 0 if action is None else action + 1,
            "asked": play.asked.astype(np.int8),
            "answer": play.answer,
            "possible": game.allowed.astype(np.int8),
            "prior": self._prior.copy(),
        }


def question_spaces(n_goals: int) -> dict[str, spaces.Space[Any]]:
    """Return the spaces of the three keys about questions, which the observations of all domains have.

    ``asked`` marks the goals in the last question. ``answer`` is 0 before the first question, 1 for no, 2 for yes.
    ``possible`` marks the goals that answers have not ruled out.
    """
    return {
        "asked": spaces.MultiBinary(n_goals),
        "answer": spaces.Discrete(3),
        "possible": spaces.MultiBinary(n_goals),
    }


# -- starting and following episodes -----------------------------------------------------------------------------


class Episodes:
    """An object that starts the episodes of one environment, keeps the current one, and makes its observations.

    Args:
        source: supplies the problem of each episode.
        observer: makes the observations. If answers may be refused, the space of ``answer`` gets a fourth value.
        max_steps: limit on the steps of an episode; None for that of `source`.
        render_mode: ``"ansi"`` (text), ``"rgb_array"`` (pixels), ``"human"`` (a window) or None (nothing).
        answers: how often answers are wrong or missing: an `AnswerModel` or a text such as
            ``"wrong:0.05,refused:0.1"``; None for what each problem states.

    Attributes:
        source: the argument `source`.
        observer: the argument `observer`.
        answers: the `AnswerModel` of all episodes, or None.
        render: draws an episode in the render mode.
    """

    def __init__(
        self,
        source: ProblemSource,
        observer: Observer,
        max_steps: int | None,
        render_mode: str | None,
        answers: str | AnswerModel | None = None,
    ) -> None:
        self.source = source
        self.observer = observer
        self.answers = parse_answers(answers) if isinstance(answers, str) else answers
        model = source.example.answers if answers is None else checked_answers(self.answers)
        self._may_be_refused = model.refused > 0
        if self._may_be_refused:
            observer.space.spaces["answer"] = spaces.Discrete(4)  # one more value, for a refused answer
        self.render = Renderer(render_mode)
        self._max_steps = _checked_limit(max_steps)
        self._play: Play | None = None
        self._prepared: Problem | None = None
        self._with_answers: tuple[Problem, Problem] | None = None

    @property
    def play(self) -> Play:
        """The current episode.

        Raises `ResetNeeded` if no episode has been started yet.
        """
        if self._play is None:
            raise ResetNeeded("call reset() first")
        return self._play

    def running(self) -> Play:
        """Return the current episode; raise `ResetNeeded` if it is over, or if no episode has been started yet."""
        play = self.play
        if play.game.over:
            raise ResetNeeded("the episode is over: call reset() first")
        return play

    def start(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> np.random.Generator:
        """Start an episode and make it the current one; return a random generator for the teammate's choices.

        Args:
            rng: the generator from which those of the episode are spawned.
            options: the options of ``reset``. ``goal`` is the goal by name or index; if missing, it is drawn from the
                prior. The key that `source.option` names is the problem; if missing, `source` supplies it.
        """
        options, source = options or {}, self.source
        for_goal, for_teammate, for_problem = spawn(rng, 3)
        chosen = options.get(source.option)
        problem = source.draw(for_problem) if chosen is None else source.given(chosen)
        if self.answers is not None:
            problem = self._answered(problem)
        # One more, in the order of `simulate`, if answers are random.
        for_answers = None if problem.answers.truthful else spawn(rng, 1)[0]
        game = Game(
            problem,
            chosen_goal(problem, options.get("goal"), for_goal),
            max_steps=self._max_steps or source.limit,
            empty_questions=source.empty_questions,
            full_questions=True,
            answer_seed=for_answers,
        )
        self._play = self._played(game)
        return for_teammate

    def check_options(self, options: Mapping[str, Any] | None) -> None:
        """Raise an `InputError` if the options of ``reset`` have an unknown key.

        The known keys are ``goal`` and the one that `source.option` names, such as ``problem``.
        """
        known = ["goal", self.source.option]
        for name in options or {}:
            if name not in known:
                raise InputError("option", repr(name), one_of(known, name))

    def follow(self, problem: Problem) -> Play:
        """Return a new episode that repeats an episode played elsewhere, such as in `askwise.simulate`.

        After each step elsewhere, call `Play.follow` of the new episode with what the ego agent observed there. Then
        this object's method `observe` returns the observation in the form of this environment. Raises `InputError` if
        the `problem` of the other episode does not fit the environment's spaces.
        """
        self.source.check(problem)
        return self._played(Game(problem, max_steps=sys.maxsize, empty_questions=True, full_questions=True))

    def observe(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of an episode, a dictionary.

        Args:
            play: the episode: the current one, or one that `follow` returned.
        """
        self._prepare(play.game.problem)
        return self.observer(play)

    def render_if_human(self) -> None:
        """Draw the current episode in the window, if the render mode is ``"human"``."""
        if self.render.mode == "human":
            self.render(self.play)

    def _played(self, game: Game) -> Play:
        self._prepare(game.problem)
        return Play(game, self._masks)

    def _prepare(self, problem: Problem) -> None:
        if self._prepared is not problem:
            if problem.answers.refused and not self._may_be_refused:
                found = f"answers that may be refused ({problem.answers})"
                raise InputError(self.source.option, found, "answers as in the observation space, never refused")
            self._prepared = problem
            self.observer.begin(problem)
            self._masks = Masks(problem, self.source.ego_mask)

    def _answered(self, problem: Problem) -> Problem:
        """Return a copy of a problem with this environment's answer model (how often answers are wrong or missing).

        If `problem` is the same object as in the last call, the same copy is returned again.
        """
        assert self.answers is not None
        if self._with_answers is None or self._with_answers[0] is not problem:
            self._with_answers = problem, problem.with_answers(self.answers)
        return self._with_answers[1]


def _checked_limit(max_steps: int | None) -> int | None:
    limit = None if max_steps is None else as_int(max_steps)
    if max_steps is not None and (limit is None or limit < 1):
        raise InputError("max_steps", repr(max_steps), "a whole number from 1, or None")
    return limit


def one_of(names: Iterable[str], found: str) -> str:
    """Return "one of " followed by all `names`, for an error message about the unknown name `found`.

    If one of the names is similar to `found`, the text ends with the question whether the user meant it.
    """
    names = list(names)
    return "one of " + ", ".join(names) + did_you_mean(found, names)

"""The episodes of an environment: which problem is played, what is observed, and how random numbers are divided.

`ProblemSource` and `Observer` adapt environments to a domain: the first supplies problems, the second makes the
observations. `Episodes` starts episodes with both.

Every reset spawns three generators from the environment's own, in the order of `askwise.simulate`: for the goal, for
the teammate, and for the problem if it is drawn at random. So ``reset(seed=s)`` on a given problem has the same goal
and the same teammate as ``askwise.simulate(problem, ..., seed=s)``.
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
    """The sizes of a problem that determine the spaces of an environment.

    All problems of one environment must have the same sizes.

    Attributes:
        goals: number of goals.
        teammate_states: number of states of the teammate.
        ego_states: number of states of the ego agent: places times the loads that it can carry, including none.
        teammate_actions: number of the teammate's actions.
        ego_actions: number of the ego agent's ontic actions, that is, all except questions.
        ego_moves: how many of the ontic actions are moves. A flat environment may have a question for each: "is your
            goal one of those for which this move is optimal?"
        groups: number of groups of goals. A flat environment may have a question for each: "is your goal in it?"
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
    """Supplies the problem of each episode: always the same one, unless ``reset`` is given another.

    A domain may make a subclass, for instance to draw random problems. All problems of a source have the same shape,
    that is, equal numbers of goals, states and actions.

    Args:
        problem: a problem, an instance of any domain, or the path of its file.

    Attributes:
        option: the key of the options of ``reset`` by which a user chooses the problem of one episode.
        goal_word: the word for a goal in error messages.
        empty_questions: whether a question about no goal can be asked; if not, it counts as an action that is not
            available.
        limit: steps after which an episode is truncated by default; None uses the limit of `Game`.
        example: one of the problems; it determines the spaces.
        shape: the sizes that all problems must have in common, such as the number of goals.
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
        """Return the problem of the next episode, here always the same; a subclass may draw it with `rng`."""
        return self.example

    def given(self, chosen: Any) -> Any:
        """Return the problem that a user passed to ``reset``; raise an InputError if the spaces do not fit it.

        Args:
            chosen: a problem, an instance of any domain, or the path of its file.
        """
        problem = as_problem(chosen)
        self.check(problem, "option 'problem'")
        return problem

    def check(self, problem: Problem, field: str = "problem") -> None:
        """Raise an InputError if a problem does not fit the environment's spaces.

        Its numbers of goals, states and actions must be those of the `example`.

        Args:
            problem: the problem to check.
            field: name of the problem in the error message.
        """
        self._check_shape(Shape.of(problem), field)

    def _check_shape(self, shape: object, field: str) -> None:
        if shape != self.shape:
            raise InputError(field, str(shape), f"{self.shape}, the shape of the spaces")

    def ego_mask(self, problem: Any, state: int) -> Any:
        """Return the ego agent's available actions in a state, ``int8 [n_actions]``, 1 for available ones.

        Args:
            problem: one of the problems of this source.
            state: the index of the ego agent's state.
        """
        return available(problem.ego, state)


# -- observations ---------------------------------------------------------------------------------------------------


class Observer(Protocol):
    """Makes the observations of an environment: dictionaries of numbers and arrays, without the goal.

    This is the protocol that `ProblemObserver` and `ToolFetchingObserver` implement.

    All arrays are new in every step, so that a user may keep or change them.
    """

    @property
    def space(self) -> spaces.Dict:
        """The space of the observations.

        Its key ``answer`` is a ``Discrete(3)``; an environment whose answers may be refused makes it a ``Discrete(4)``.
        """

    @property
    def changing(self) -> Sequence[str]:
        """The keys of observations whose values may change from step to step.

        All other values stay the same during an episode.
        """

    def begin(self, problem: Any) -> None:
        """Prepare for an episode of `problem`: compute the values that stay the same in all its observations."""

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`."""


class ProblemObserver:
    """Makes the observations of any problem, dictionaries in which states and actions are indices.

    `askwise.envs.ProblemEnv` describes the keys.

    Args:
        example: one of the problems that will be played; all have equal numbers of goals, states and actions.
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
        """Prepare for an episode of `problem`: store its prior, which all observations contain."""
        # Rounding may push a probability slightly above 1, which is outside the space.
        self._prior = np.minimum(problem.prior, 1.0)

    def __call__(self, play: Play) -> dict[str, Any]:
        """Return the observation at the current point of the episode `play`."""
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
    """Return the spaces of the three keys that the observations of all domains have.

    The keys are ``asked`` (the last question), ``answer`` and ``possible`` (the goals that answers allow).
    """
    return {
        "asked": spaces.MultiBinary(n_goals),
        "answer": spaces.Discrete(3),
        "possible": spaces.MultiBinary(n_goals),
    }


# -- starting and following episodes -----------------------------------------------------------------------------


class Episodes:
    """Starts the episodes of one environment, holds the current one, and makes its observations and pictures.

    Args:
        source: supplies the problem of each episode.
        observer: makes the observations.
        max_steps: steps after which an episode is truncated; None uses the source's limit.
        render_mode: ``"ansi"`` (text), ``"rgb_array"`` (pixels), ``"human"`` (a window) or None (nothing).
        answers: how often answers are wrong or missing: an `AnswerModel`; or ``"truthful"``; or one or more of
            ``wrong:P``, ``refused:P`` (`P` is a probability) and ``persistent``, such as ``"wrong:0.05,refused:0.1"``.
            None uses the answer model of each problem.
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
        if model.refused:
            observer.space.spaces["answer"] = spaces.Discrete(4)  # one more value, for a refused answer
        self.render = Renderer(render_mode)
        self._max_steps = _checked_limit(max_steps)
        self._play: Play | None = None
        self._prepared: Problem | None = None
        self._with_answers: tuple[Problem, Problem] | None = None

    @property
    def play(self) -> Play:
        """The current episode.

        Raises `ResetNeeded` before the first one.
        """
        if self._play is None:
            raise ResetNeeded("call reset() first")
        return self._play

    def running(self) -> Play:
        """Return the current episode; raise ResetNeeded if it is over."""
        play = self.play
        if play.game.over:
            raise ResetNeeded("the episode is over: call reset() first")
        return play

    def start(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> np.random.Generator:
        """Start an episode, which becomes the current one; return a random generator for the teammate's choices.

        Args:
            rng: the environment's own generator; the generators for goal, teammate and problem are spawned from it.
            options: the options of ``reset``. The key ``goal`` gives the goal by name or index (by default it is drawn
                from the prior); the key ``source.option``, such as ``problem``, gives the problem (by default the one
                that the source supplies).
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
        """Raise an InputError if a key of the options of ``reset`` is unknown."""
        known = ["goal", self.source.option]
        for name in options or {}:
            if name not in known:
                raise InputError("option", repr(name), one_of(known, name))

    def follow(self, problem: Problem) -> Play:
        """Return a new episode in which to repeat, step by step, an episode of `problem` that is played elsewhere.

        The episode elsewhere may be a simulated one, for example. After each of its steps, call the method
        `Play.follow` of the result, which repeats the step. The result does not become the current episode. Raises an
        InputError if the problem does not fit the spaces.
        """
        self.source.check(problem)
        return self._played(Game(problem, max_steps=sys.maxsize, empty_questions=True, full_questions=True))

    def observe(self, play: Play) -> dict[str, Any]:
        """Return the observation, a dictionary, at the current point of an episode.

        Args:
            play: the current episode, or one that the method `follow` returned.
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
            self._prepared = problem
            self.observer.begin(problem)
            self._masks = Masks(problem, self.source.ego_mask)

    def _answered(self, problem: Problem) -> Problem:
        """Return a copy of a problem with the answer model of this environment.

        If the problem is the same as in the last call, the same copy is returned again.
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
    """Return a text for error messages: "one of ", all `names`, and a hint at the name most similar to `found`."""
    names = list(names)
    return "one of " + ", ".join(names) + did_you_mean(found, names)

"""Flat environments for common reinforcement-learning libraries.

An action is one integer (of a `Discrete` space), an observation is one vector, and a mask marks the actions to choose
from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from askwise.core.belief import Tracker, find_belief
from askwise.core.game import Game
from askwise.core.problem import Problem
from askwise.envs.play import ACT, ASK, Play, action_number
from askwise.envs.questions import (
    KINDS,
    TOOL_FETCHING_KINDS,
    Asking,
    Kind,
    QuestionContext,
    QuestionList,
    ToolFetchingContext,
    hints,
    toolbox_numbers,
)
from askwise.envs.single_agent import GameEnv, ProblemEnv, ToolFetchingEnv
from askwise.errors import InputError
from askwise.types import BoolArray

_WRAPPER_ARGUMENTS = ("questions", "belief", "scaled", "hints")


class FlatView(NamedTuple):
    """What a flat environment shows at one point of an episode: the observation, the action mask and the questions.

    Attributes:
        flat: the observation as one vector, ``float32 [k]``.
        mask: ``int8 [n_actions]``, first actions that are no questions, then questions. It is 1 for available actions,
            and for questions about some, but not all, of the possible goals.
        asked: ``bool [n_questions, n_goals]``, the goals that each question asks about.
    """

    flat: Any
    mask: Any
    asked: BoolArray


class FlatEnv(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Base class of wrappers that give a `GameEnv` a `Discrete` action space, an action mask and a flat observation.

    The observation includes a belief, the probability of each goal. The belief determines what the questions ask about.
    Questions come after all other actions.

    Args:
        env: a `GameEnv`, wrapped or not.
        questions: keys of `kinds`, such as ``likeliest``, or callables that take a `QuestionContext` and return the
            goals to ask about, ``bool [n_goals]``; None for `default_questions`.
        belief: ``robust`` (for any teammate), or ``bayes`` or ``elimination`` (for teammates that never err).
        scaled: whether observed numbers with finite bounds are scaled to 0 to 1.
        hints: whether to observe ``hints``: the probability that each action is optimal, and that each question asks
            about the true goal.

    Attributes:
        wraps: the class of the environments that can be wrapped.
        kinds: the named kinds of questions (`askwise.envs.questions`).
        default_questions: the default of `questions`.
        tracker: keeps the belief in the current episode.
    """

    wraps: ClassVar[type[GameEnv]] = GameEnv
    kinds: ClassVar[Mapping[str, Kind]] = KINDS
    default_questions: ClassVar[tuple[str, ...]] = ("group", "move", "half", "likeliest")

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        *,
        questions: Sequence[str | Asking] | None = None,
        belief: str = "robust",
        scaled: bool = False,
        hints: bool = False,
    ) -> None:
        questions = self.default_questions if questions is None else questions
        RecordConstructorArgs.__init__(self, questions=questions, belief=belief, scaled=scaled, hints=hints)
        gymnasium.Wrapper.__init__(self, env)
        bare = env.unwrapped
        if not isinstance(bare, self.wraps):
            raise InputError("environment", type(bare).__name__, f"a {self.wraps.__name__}")
        self._bare = bare
        example, observer = bare.episodes.source.example, bare.episodes.observer
        self._questions = QuestionList(questions, example, self.kinds)
        self._kind_of_belief = find_belief(belief).name  # An unknown name is refused now, not at the first reset.
        self._n_ontic = len(example.ego.actions.names)
        self._mask: BoolArray
        self.action_space = spaces.Discrete(self._n_ontic + self._questions.n)
        self._hints = hints
        added = {"belief": len(example.goals), **({"hints": int(self.action_space.n)} if hints else {})}
        boxes = {name: spaces.Box(0.0, 1.0, (size,), np.float64) for name, size in added.items()}
        whole = spaces.Dict({**bare.observation_space.spaces, **boxes})
        self._flatten = Flattener(whole, [*observer.changing, *added], scaled=scaled)
        self._flattened: Problem | None = None
        self.observation_space = self._flatten.space
        bare.flat_question = self.question

    @property
    def game(self) -> Game:
        """The game of the current episode, with its problem, state, costs and goal. An agent must not see the goal."""
        return self._bare.play.game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; return the observation, ``float32 [k]``, and the info dict.

        ``info["action_mask"]`` also covers the questions.

        Args:
            seed: random seed; equal seeds give equal episodes.
            options: may choose the goal (key ``goal``) and the problem, as in the wrapped environment.
        """
        seen, info = self.env.reset(seed=seed, options=options)
        self.tracker = self.new_tracker(self.game.problem)
        self.tracker.update(self.game.observation)
        self._flattened = None  # a wrapper may change the constant part of the observation in every episode
        return self._observed(seen, info)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an action or ask a question; both agents stay in place when you ask.

        Args:
            action: index of an action or question; the questions come after all other actions.

        Returns:
            The observation (``float32 [k]``), the reward (the negative cost of the step), terminated, truncated, and
            info. ``info["action_mask"]`` also covers the questions.
        """
        number = action_number(action, self._n_ontic + self._questions.n)
        asks = number >= self._n_ontic
        chosen = (ASK, self._asked[number - self._n_ontic].astype(np.int8)) if asks else (ACT, number)
        seen, reward, terminated, truncated, info = self.env.step(chosen)
        self.tracker.update(self.game.observation)
        flat, info = self._observed(seen, info)
        return flat, reward, terminated, truncated, info

    def action_masks(self) -> BoolArray:
        """Return ``bool [n_actions]``: True for available actions and for questions that can be informative now.

        A question can be informative if it asks about some, but not all, of the possible goals.
        """
        _ = self.game  # raises ResetNeeded before the first reset
        return self._mask.copy()

    def question(self, action: int) -> tuple[str, ...] | None:
        """Return the names of the goals that an action would ask about now; None if the action is not a question."""
        number = action_number(action, self._n_ontic + self._questions.n)
        names = self.game.problem.goals
        if number < self._n_ontic:
            return None
        return tuple(names[goal] for goal in np.flatnonzero(self._asked[number - self._n_ontic]).tolist())

    def new_tracker(self, problem: Problem) -> Tracker:
        """Return a new belief about the goal for an episode of `problem`, of the kind that this environment uses."""
        return Tracker(problem, self._kind_of_belief)

    def follow(self, problem: Problem) -> Play:
        """Return a new episode that repeats an episode of `problem` played elsewhere, such as in a simulation.

        After each step elsewhere, call `Play.follow` of the new episode with the ego agent's observation. Then `show`
        returns what this environment would show. Raises InputError if the problem does not fit the environment's
        spaces.
        """
        return self._bare.episodes.follow(problem)

    def context(self, game: Game, tracker: Tracker) -> QuestionContext:
        """Return the data from which the questions are computed at the current point of `game`.

        These data are the problem, the ego agent's state, and `tracker`'s belief about the goal.
        """
        return QuestionContext(game.problem, game.state.ego, tracker.possible, tracker.probabilities)

    def show(self, play: Play, tracker: Tracker) -> FlatView:
        """Return the observation, the action mask and the questions at the current point of an episode.

        Args:
            play: the current episode of this environment, or one that `follow` returned.
            tracker: the belief about the goal in this episode.
        """
        return self._view(play, tracker, self._bare.episodes.observe(play), play.ego_mask())

    def _view(self, play: Play, tracker: Tracker, seen: dict[str, Any], ontic: Any) -> FlatView:
        context = self.context(play.game, tracker)
        asked = self._questions(context)
        sizes = asked.sum(axis=1)
        useful = (sizes > 0) & (sizes < context.possible.sum())
        mask = np.concatenate([ontic, useful.astype(np.int8)])
        whole = {**seen, "belief": context.probabilities}
        if self._hints:
            whole["hints"] = hints(context, asked)
        if self._flattened is not context.problem:
            self._flattened = context.problem
            self._flatten.begin(whole)
        return FlatView(self._flatten(whole), mask, asked)

    def _observed(self, seen: dict[str, Any], info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Store the current mask and questions; return the flat observation, ``float32 [k]``, and the info dict.

        The arguments come from the wrapped environment. The mask in the returned info dict also covers the questions.
        """
        view = self._view(self._bare.play, self.tracker, seen, info["action_mask"])
        self._asked, self._mask = view.asked, view.mask.astype(np.bool_)
        return view.flat, {**info, "action_mask": view.mask}


class FlatProblem(FlatEnv):
    """`ProblemEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The wrapper keeps a belief: a probability for each goal. The belief is part of the observation, and determines a
    short list of questions.

    ## Action space
    ``Discrete(n_ego_actions + n_questions)``: first the ontic actions (those that are not questions), then the
    questions, in the order of the argument ``questions``. The mask is ``info["action_mask"]`` (``int8``) and
    ``action_masks()`` (``bool``). It excludes ontic actions that are not available, and questions about no goal or all
    possible goals. An excluded action is useless, but costs a step or the question's price.

    ## Observation space
    ``Box float32 [k]``: the ``Dict`` of `ProblemEnv` and ``belief`` (``[n_goals]``, probability of each goal),
    flattened by ``gymnasium.spaces.flatten``. The keys are in alphabetical order. Numbers from a ``Discrete`` space are
    one-hot vectors.

    ## Rewards
    The negative cost of the step.

    ## Starting state
    As in `ProblemEnv`, with the same options of ``reset``.

    ## Episode end
    As in `ProblemEnv`.

    ## Arguments
    - ``env``: a `ProblemEnv`, wrapped or not.
    - ``questions``: a list of kinds: ``group`` (for each group, its goals), ``move`` (for each move, the goals for
      which it is optimal), ``half`` (the fewest goals with at least half of the probability), ``likeliest`` (the
      likeliest goal), ``goal`` (each goal alone), and callables that take a `QuestionContext` and return the goals to
      ask about, ``bool [n_goals]``. By default the first four.
    - ``belief``: ``robust`` (default, for any teammate), or ``bayes`` or ``elimination`` (for teammates that never
      err).
    - ``scaled``: whether observed numbers with finite bounds are scaled to 0 to 1 (default: False).
    - ``hints``: whether to observe ``hints`` (``[n_actions]``): the probability that each ontic action is optimal, and
      that each question asks about the true goal (default: False).
    """

    wraps = ProblemEnv


class FlatToolFetching(FlatEnv):
    """`ToolFetchingEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The wrapper keeps a belief: the probability of each station. The belief is part of the observation, and determines a
    short list of questions.

    ## Action space
    ``Discrete(5 + n_stations + n_questions)``: first the ontic actions (4 moves, NOOP, one PICKUP for each station),
    then the questions, in the order of the argument ``questions``. The mask is ``info["action_mask"]`` (``int8``) and
    ``action_masks()`` (``bool``). It excludes ontic actions that are not available, and questions about no station or
    all possible stations. An excluded action is useless, but costs a step or the question's price.

    ## Observation space
    ``Box float32 [k]``: the ``Dict`` of `ToolFetchingEnv` and ``belief`` (``[n_stations]``, probability of each
    station), flattened by ``gymnasium.spaces.flatten``. The keys are in alphabetical order. Numbers from a ``Discrete``
    space are one-hot vectors.

    ## Rewards
    The negative cost of the step.

    ## Starting state
    As in `ToolFetchingEnv`, with the same options of ``reset``.

    ## Episode end
    As in `ToolFetchingEnv`.

    ## Arguments
    - ``env``: a `ToolFetchingEnv`, wrapped or not.
    - ``questions``: a list of kinds: ``toolbox`` (for each toolbox, the stations whose tool is in it), ``move`` (for
      each move, the stations for which it is optimal), ``half`` (the fewest stations with at least half of the
      probability), ``likeliest`` (the likeliest station), ``station`` (each station alone), and callables that take a
      `ToolFetchingContext` and return the stations to ask about, ``bool [n_stations]``. By default the first four.
    - ``belief``, ``scaled``, ``hints``: as in `FlatProblem`.
    """

    wraps = ToolFetchingEnv
    kinds = TOOL_FETCHING_KINDS
    default_questions = ("toolbox", "move", "half", "likeliest")
    _last_problem: Any = None

    def context(self, game: Game, tracker: Tracker) -> ToolFetchingContext:
        """Return the data from which the questions are computed at the current point of `game`.

        `tracker` supplies the belief about the worker's station.
        """
        problem: Any = game.problem
        if self._last_problem is not problem:
            self._last_problem, self._boxes = problem, toolbox_numbers(problem.instance)
        return ToolFetchingContext(problem, game.state.ego, tracker.possible, tracker.probabilities, self._boxes)


def make_flat_problem(problem: object, **arguments: Any) -> FlatProblem:
    """Make the environment ``askwise/ProblemFlat-v0``: a `ProblemEnv` inside the wrapper `FlatProblem`.

    Args:
        problem: a `Problem`, an instance of any domain, or the path of its file.
        arguments: further arguments of `ProblemEnv`, such as ``teammate``, and of `FlatProblem`, such as ``questions``.
    """
    own = {name: arguments.pop(name) for name in _WRAPPER_ARGUMENTS if name in arguments}
    return FlatProblem(ProblemEnv(problem, **arguments), **own)


def make_flat_tool_fetching(**arguments: Any) -> FlatToolFetching:
    """Make the environment ``askwise/ToolFetchingFlat-v0``: a `ToolFetchingEnv` inside the wrapper `FlatToolFetching`.

    Args:
        arguments: arguments of `ToolFetchingEnv`, such as ``instance``, and of `FlatToolFetching`, such as
            ``questions``.
    """
    own = {name: arguments.pop(name) for name in _WRAPPER_ARGUMENTS if name in arguments}
    return FlatToolFetching(ToolFetchingEnv(**arguments), **own)


class Flattener:
    """A function object that turns observations into vectors, like ``gymnasium.spaces.flatten``.

    Call `begin` with an episode's first observation, then the object itself with any observation of the episode.

    Args:
        space: the space of the observations, which are dictionaries.
        changing: the keys whose values may change during an episode. The space of each must be ``Discrete`` from 0, or
            have one axis.
        scaled: whether numbers with finite bounds are scaled to 0 to 1.
    """

    def __init__(self, space: spaces.Dict, changing: Sequence[str], *, scaled: bool = False) -> None:
        self._whole = space
        self._scaled = scaled
        if scaled:
            flat = self._flat_space
            bounded = np.isfinite(flat.low) & np.isfinite(flat.high) & (flat.high > flat.low)
            self._low = np.where(bounded, flat.low, 0.0).astype(np.float32)
            self._range = np.where(bounded, flat.high - self._low, 1.0).astype(np.float32)
        ends = np.cumsum([spaces.flatdim(part) for part in space.values()]).tolist()
        slices = dict(zip(space, map(slice, [0, *ends], ends), strict=False))
        self._parts = [(name, isinstance(space[name], spaces.Discrete), slices[name]) for name in changing]

    @property
    def space(self) -> spaces.Box:
        """The space of the vectors, a `Box` of ``float32``."""
        flat = self._flat_space
        if not self._scaled:
            return flat
        return spaces.Box(self._scale(flat.low), self._scale(flat.high))

    @property
    def _flat_space(self) -> spaces.Box:
        flat = spaces.flatten_space(self._whole)
        assert isinstance(flat, spaces.Box), "every part of the observation is a number or an array"
        return spaces.Box(flat.low.astype(np.float32), flat.high.astype(np.float32))

    def _scale(self, vector: Any) -> Any:
        return (vector - self._low) / self._range

    def begin(self, seen: Mapping[str, Any]) -> None:
        """Flatten and store an observation; later calls of the object reuse the values of keys that do not change."""
        self._start = np.asarray(spaces.flatten(self._whole, seen), dtype=np.float32)

    def __call__(self, seen: Mapping[str, Any]) -> Any:
        """Return an observation as a vector, ``float32 [k]``.

        The values of keys that do not change are those of the observation that `begin` stored.
        """
        flat = self._start.copy()
        for name, one_hot, part in self._parts:
            if one_hot:
                flat[part] = 0.0
                flat[part.start + seen[name]] = 1.0
            else:
                flat[part] = seen[name]
        return self._scale(flat) if self._scaled else flat

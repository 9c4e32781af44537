"""Flat environments for common reinforcement-learning libraries: a `Discrete` action, a vector, an action mask."""

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
    """What a flat environment shows at one point of an episode.

    Attributes:
        flat: the observation as one vector of k numbers, ``float32 [k]``.
        mask: ``int8 [n_actions]``, 1 for actions that are available, and for questions that can be informative: those
            about some of the possible goals, but not all.
        asked: ``bool [n_questions, n_goals]``, the goals that each question asks about.
    """

    flat: Any
    mask: Any
    asked: BoolArray


class FlatEnv(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Base class of wrappers that give a `GameEnv` a `Discrete` action space, an action mask and a flat observation.

    Subclasses are `FlatProblem` and `FlatToolFetching`.

    The wrapper tracks a belief about the teammate's goal, adds it to the observation, and computes a short list of
    questions from it. The first actions are the ontic ones (all except questions), then come the questions.

    Args:
        env: a `GameEnv`, wrapped or not.
        questions: the questions to choose from, in order: keys of `kinds`, such as ``likeliest`` (about the likeliest
            goal only), or callables that take a `QuestionContext` and return ``bool [n_goals]``, the goals to ask
            about. None for `default_questions`.
        belief: ``robust`` (for any teammate), or ``bayes`` or ``elimination`` (both for teammates that never err).
        scaled: whether bounded numbers of the observation are scaled to lie between 0 and 1.
        hints: whether the observation has one more key, ``hints``: for each ontic action, the probability that it is
            optimal for the teammate's goal; for each question, the probability that the goal is among those asked
            about.

    Attributes:
        wraps: the class of the environments that can be wrapped.
        kinds: the kinds of questions that can be named; `askwise.envs.questions` describes them.
        default_questions: the questions if none are given.
        tracker: the belief in the current episode.
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
        """The game of the current episode, with its problem, state and costs; it knows the goal."""
        return self._bare.play.game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; return the flat observation, ``float32 [k]``, and the info dict.

        ``info["action_mask"]`` covers ontic actions and questions. `seed` and `options` are passed to the wrapped
        environment.
        """
        seen, info = self.env.reset(seed=seed, options=options)
        self.tracker = self.new_tracker(self.game.problem)
        self.tracker.update(self.game.observation)
        self._flattened = None  # a wrapper may change the constant part of the observation in every episode
        return self._observed(seen, info)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the ontic action (no question), or ask the question, with the index `action`.

        Return what Gymnasium's ``step`` returns. The observation is flat, ``float32 [k]``, and ``info["action_mask"]``
        covers the questions, too.
        """
        number = action_number(action, self._n_ontic + self._questions.n)
        asks = number >= self._n_ontic
        chosen = (ASK, self._asked[number - self._n_ontic].astype(np.int8)) if asks else (ACT, number)
        seen, reward, terminated, truncated, info = self.env.step(chosen)
        self.tracker.update(self.game.observation)
        flat, info = self._observed(seen, info)
        return flat, reward, terminated, truncated, info

    def action_masks(self) -> BoolArray:
        """Return ``bool [n_actions]``: True for available actions, and for questions that can be informative now.

        These are the questions about some of the possible goals, but not all.
        """
        _ = self.game  # raises ResetNeeded before the first reset
        return self._mask.copy()

    def question(self, action: int) -> tuple[str, ...] | None:
        """Return the names of the goals that the action with this index asks about now, None if it is not a question.

        The tuple is empty for a question about no goal, which the mask excludes.
        """
        number = action_number(action, self._n_ontic + self._questions.n)
        names = self.game.problem.goals
        if number < self._n_ontic:
            return None
        return tuple(names[goal] for goal in np.flatnonzero(self._asked[number - self._n_ontic]).tolist())

    def new_tracker(self, problem: Problem) -> Tracker:
        """Return a new belief about the goal, of the kind that this environment uses, for an episode of `problem`."""
        return Tracker(problem, self._kind_of_belief)

    def follow(self, problem: Problem) -> Play:
        """Return a new episode in which to repeat, step by step, an episode of `problem` that is played elsewhere.

        The episode elsewhere may be a simulated one, for example. After each of its steps, call the method
        `Play.follow` of the result, which repeats the step. Then `show` returns what this environment would show at
        that point, so that a policy that was trained in this environment can decide elsewhere.

        Args:
            problem: the problem that is played elsewhere, with as many goals, states and actions as this environment's.
        """
        return self._bare.episodes.follow(problem)

    def context(self, game: Game, tracker: Tracker) -> QuestionContext:
        """Return the data from which the current questions of `game` are computed.

        They are the problem, the ego agent's state, and the belief that `tracker` keeps.
        """
        return QuestionContext(game.problem, game.state.ego, tracker.possible, tracker.probabilities)

    def show(self, play: Play, tracker: Tracker) -> FlatView:
        """Return observation, action mask and questions at the current point of an episode.

        Args:
            play: the episode of this environment, or one that was made by `follow`.
            tracker: the belief about the goal of that episode.
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
        """Store the current questions and mask; return the flat observation, and the info dict with this mask.

        Args:
            seen: the observation that the wrapped environment returned.
            info: its info dict, whose mask does not cover questions.
        """
        view = self._view(self._bare.play, self.tracker, seen, info["action_mask"])
        self._asked, self._mask = view.asked, view.mask.astype(np.bool_)
        return view.flat, {**info, "action_mask": view.mask}


class FlatProblem(FlatEnv):
    """`ProblemEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The same game: you do your part of a teammate's goal without knowing the goal. The wrapper tracks a belief about the
    goal. It adds the belief to the observation, and makes a short list of questions from it.

    ## Action space
    ``Discrete(n_ego_actions + n_questions)``: first the ontic actions (those that are not questions), then the
    questions, in the order of the argument ``questions``. The mask is in ``info["action_mask"]`` (``int8``) and
    returned by ``action_masks()`` (``bool``). It excludes ontic actions that are not available, and questions about no
    goal or about all possible goals. An excluded action can be chosen; it has its cost and no effect.

    ## Observation space
    ``Box float32 [k]``: ``gymnasium.spaces.flatten`` of the ``Dict`` of `ProblemEnv` with one more key, ``belief``
    (``[n_goals]``, probability of each goal). Keys come in alphabetical order, numbers from a ``Discrete`` space as
    one-hot vectors.

    ## Rewards
    The negative cost of the step: -1 for an action, the negative price of a question. ``info`` has the keys that
    `ProblemEnv` describes; its ``action_mask`` covers the questions, too.

    ## Starting state
    Both agents start where the problem says, and the goal is drawn from the prior. The options of ``reset`` are those
    of `ProblemEnv`.

    ## Episode end
    As in `ProblemEnv`: terminated when both agents have arrived and the teammate has stayed for a step, truncated after
    ``max_steps`` steps.

    ## Arguments
    - ``env``: a `ProblemEnv`, wrapped or not.
    - ``questions``: a list of kinds of questions, by default ``group`` (a question for each group of goals), ``move``
      (for each move of the ego agent, the goals for which it is optimal), ``half`` (the fewest goals that together have
      at least half of the probability) and ``likeliest`` (the likeliest goal); also ``goal`` (each goal), or callables
      that take a `QuestionContext` and return ``bool [n_goals]``, the goals to ask about.
    - ``belief``: ``robust`` (default, for any teammate), or ``bayes`` or ``elimination`` (both for teammates that never
      err).
    - ``scaled``: whether bounded numbers of the observation are scaled to lie between 0 and 1 (default: False).
    - ``hints``: whether the observation has one more key, ``hints`` (``[n_actions]``): for each ontic action, the
      probability that it is optimal, and for each question, the probability that the goal is among those asked about
      (default: False).
    """

    wraps = ProblemEnv


class FlatToolFetching(FlatEnv):
    """`ToolFetchingEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    The same game: you are the fetcher, and bring a worker a tool without knowing which. The wrapper tracks a belief
    about the worker's station, its goal. It adds the belief to the observation, and makes a short list of questions
    from it.

    ## Action space
    ``Discrete(5 + n_stations + n_questions)``: first the ontic actions (4 moves, NOOP, one PICKUP for each station),
    then the questions, in the order of the argument ``questions``. The mask is in ``info["action_mask"]`` (``int8``)
    and returned by ``action_masks()`` (``bool``). It excludes ontic actions that are not available, and questions about
    no station or about all possible stations. An excluded action can be chosen; it has its cost and no effect.

    ## Observation space
    ``Box float32 [k]``: ``gymnasium.spaces.flatten`` of the ``Dict`` of `ToolFetchingEnv` with one more key, ``belief``
    (``[n_stations]``, probability of each station). Keys come in alphabetical order, numbers from a ``Discrete`` space
    as one-hot vectors.

    ## Rewards
    The negative cost of the step: -1 for an action, the negative price of a question. ``info`` has the keys that
    `ToolFetchingEnv` describes; its ``action_mask`` covers the questions, too.

    ## Starting state
    Both agents start where the instance says, and the goal is drawn from the prior. The options of ``reset`` are those
    of `ToolFetchingEnv`.

    ## Episode end
    As in `ToolFetchingEnv`: terminated when the worker does WORK at its station and the fetcher is there with the tool,
    truncated after ``max_steps`` steps.

    ## Arguments
    - ``env``: a `ToolFetchingEnv`, wrapped or not.
    - ``questions``: a list of kinds of questions, by default ``toolbox`` (for each toolbox, the stations whose tool is
      in it), ``move`` (for each move of the fetcher, the stations for which it is optimal), ``half`` (the fewest
      stations that together have at least half of the probability) and ``likeliest`` (the likeliest station); also
      ``station`` (each station), or callables that take a `ToolFetchingContext` and return ``bool [n_stations]``, the
      stations to ask about.
    - ``belief``: ``robust`` (default, for any worker), or ``bayes`` or ``elimination`` (both for workers that never
      err).
    - ``scaled``: whether bounded numbers of the observation are scaled to lie between 0 and 1 (default: False).
    - ``hints``: whether the observation has one more key, ``hints`` (``[n_actions]``): for each ontic action, the
      probability that it is optimal, and for each question, the probability that the goal is among those asked about
      (default: False).
    """

    wraps = ToolFetchingEnv
    kinds = TOOL_FETCHING_KINDS
    default_questions = ("toolbox", "move", "half", "likeliest")
    _last_problem: Any = None

    def context(self, game: Game, tracker: Tracker) -> ToolFetchingContext:
        """Return the data from which the current questions of `game` are computed.

        They are the fetcher's state, the belief, and which toolbox has which tool.
        """
        problem: Any = game.problem
        if self._last_problem is not problem:
            self._last_problem, self._boxes = problem, toolbox_numbers(problem.instance)
        return ToolFetchingContext(problem, game.state.ego, tracker.possible, tracker.probabilities, self._boxes)


def make_flat_problem(problem: object, **arguments: Any) -> FlatProblem:
    """Make the environment ``askwise/ProblemFlat-v0``: a `ProblemEnv` inside `FlatProblem`.

    Args:
        problem: a `Problem`, an instance of any domain, or the path of its file.
        arguments: any other arguments of `ProblemEnv` and of `FlatProblem`, by name.
    """
    own = {name: arguments.pop(name) for name in _WRAPPER_ARGUMENTS if name in arguments}
    return FlatProblem(ProblemEnv(problem, **arguments), **own)


def make_flat_tool_fetching(**arguments: Any) -> FlatToolFetching:
    """Make the environment ``askwise/ToolFetchingFlat-v0``: a `ToolFetchingEnv` inside `FlatToolFetching`.

    Args:
        arguments: any arguments of `ToolFetchingEnv` and of `FlatToolFetching`, by name.
    """
    own = {name: arguments.pop(name) for name in _WRAPPER_ARGUMENTS if name in arguments}
    return FlatToolFetching(ToolFetchingEnv(**arguments), **own)


class Flattener:
    """Turns observations, which are dictionaries, into vectors, like ``gymnasium.spaces.flatten`` but faster.

    Call `begin` at the start of an episode: it flattens all entries. Later calls of the object flatten only the entries
    that may change.

    Args:
        space: the space of the dictionaries.
        changing: the keys whose values may change during an episode. Each value is an integer of a ``Discrete`` space
            that begins at 0, or an array with one axis.
        scaled: whether bounded numbers are scaled to the range from 0 to 1.
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
        """Flatten a whole observation and store it; later calls of the object reuse the entries that do not change."""
        self._start = np.asarray(spaces.flatten(self._whole, seen), dtype=np.float32)

    def __call__(self, seen: Mapping[str, Any]) -> Any:
        """Return an observation as a vector, ``float32 [k]``.

        Entries that do not change during an episode are taken from the last `begin`.
        """
        flat = self._start.copy()
        for name, one_hot, part in self._parts:
            if one_hot:
                flat[part] = 0.0
                flat[part.start + seen[name]] = 1.0
            else:
                flat[part] = seen[name]
        return self._scale(flat) if self._scaled else flat

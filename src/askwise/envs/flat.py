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

    The actions of a flat environment are first the ontic actions (all except questions), then its `n_questions`
    questions.

    Attributes:
        flat: the observation as one vector, ``float32 [k]``.
        mask: ``int8 [n_actions]``, 1 for each ontic action that is available, and for each question that asks about
            some of the possible goals, but not about all of them; 0 for all other actions.
        asked: ``bool [n_questions, n_goals]``, the goals that each question asks about.
    """

    flat: Any
    mask: Any
    asked: BoolArray


class FlatEnv(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Base class of wrappers that give a `GameEnv` a `Discrete` action space, an action mask and a flat observation.

    Subclasses are `FlatProblem` and `FlatToolFetching`.

    The wrapper keeps a belief about the teammate's goal (the probability of each goal), adds it to the observation, and
    computes from it which goals the questions ask about. The first actions are the ontic actions (all except
    questions), then come the questions.

    Args:
        env: a `GameEnv`, wrapped or not.
        questions: the kinds of questions that the agent can choose from, in order. Each is a key of `kinds`, such as
            ``goal`` (a question for each goal) or ``likeliest`` (one question, about the likeliest goal only); or a
            callable that takes a `QuestionContext` and returns ``bool [n_goals]``, the goals to ask about. None for
            `default_questions`.
        belief: the kind of belief: ``robust`` (for any teammate), or ``bayes`` or ``elimination`` (both for teammates
            that never err).
        scaled: whether all numbers of the observation that have finite bounds are scaled to lie between 0 and 1.
        hints: whether the observation also has the key ``hints``: for each ontic action, the probability that it is
            optimal for the teammate's goal; for each question, the probability that the goal is among those asked
            about.

    Attributes:
        wraps: the class of the environments that can be wrapped.
        kinds: the kinds of questions that have a name, by name; `askwise.envs.questions` describes them.
        default_questions: the questions to use if none are given.
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

        ``info["action_mask"]`` has an entry for each ontic action and each question.

        Args:
            seed: passed to the ``reset`` of the wrapped environment; equal seeds give equal episodes.
            options: passed to the ``reset`` of the wrapped environment; may choose the goal (key ``goal``) and the
                problem.
        """
        seen, info = self.env.reset(seed=seed, options=options)
        self.tracker = self.new_tracker(self.game.problem)
        self.tracker.update(self.game.observation)
        self._flattened = None  # a wrapper may change the constant part of the observation in every episode
        return self._observed(seen, info)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take an ontic action (one that is not a question) or ask a question; both agents stay in place when you ask.

        Args:
            action: the index of the ontic action; or the number of ontic actions plus the index of the question.

        Returns:
            The observation (flat, ``float32 [k]``), the reward (the negative cost of the step), terminated, truncated,
            and info, as Gymnasium requires. ``info["action_mask"]`` has an entry for each ontic action and each
            question.
        """
        number = action_number(action, self._n_ontic + self._questions.n)
        asks = number >= self._n_ontic
        chosen = (ASK, self._asked[number - self._n_ontic].astype(np.int8)) if asks else (ACT, number)
        seen, reward, terminated, truncated, info = self.env.step(chosen)
        self.tracker.update(self.game.observation)
        flat, info = self._observed(seen, info)
        return flat, reward, terminated, truncated, info

    def action_masks(self) -> BoolArray:
        """Return ``bool [n_actions]``: True for available ontic actions and for questions that can be informative now.

        An ontic action is any action except a question. A question can be informative if it asks about some of the
        possible goals, but not about all of them. The array is a copy.
        """
        _ = self.game  # raises ResetNeeded before the first reset
        return self._mask.copy()

    def question(self, action: int) -> tuple[str, ...] | None:
        """Return the names of the goals that an action would ask about now; None if the action is not a question.

        These goals may change in every step, because they are computed from the belief. The tuple is empty for a
        question about no goal, which the mask excludes.

        Args:
            action: the index of the action.
        """
        number = action_number(action, self._n_ontic + self._questions.n)
        names = self.game.problem.goals
        if number < self._n_ontic:
            return None
        return tuple(names[goal] for goal in np.flatnonzero(self._asked[number - self._n_ontic]).tolist())

    def new_tracker(self, problem: Problem) -> Tracker:
        """Return a new belief about the goal for an episode of `problem`, of the kind that this environment uses."""
        return Tracker(problem, self._kind_of_belief)

    def follow(self, problem: Problem) -> Play:
        """Return a new episode in which the caller can repeat an episode of `problem` that is played elsewhere.

        With the new episode, a policy that was trained in this environment can make decisions elsewhere, for example in
        a simulation. After each step of the other episode, call `Play.follow` of the returned object with what the ego
        agent observed in this step. Then `show` returns what this environment would show at the same point.

        Args:
            problem: a problem with as many goals, groups of goals, states and actions as this environment's. Other
                problems raise an `InputError`.
        """
        return self._bare.episodes.follow(problem)

    def context(self, game: Game, tracker: Tracker) -> QuestionContext:
        """Return the data from which the questions are computed at the current point of `game`.

        They are the problem, the ego agent's state, and the belief about the goal that `tracker` keeps.
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

        The mask in the returned info dict also covers the questions.

        Args:
            seen: the observation that the wrapped environment returned.
            info: the info dict that the wrapped environment returned; its mask covers only the ontic actions.
        """
        view = self._view(self._bare.play, self.tracker, seen, info["action_mask"])
        self._asked, self._mask = view.asked, view.mask.astype(np.bool_)
        return view.flat, {**info, "action_mask": view.mask}


class FlatProblem(FlatEnv):
    """`ProblemEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    You do your part of a teammate's goal without knowing the goal, as in `ProblemEnv`. This wrapper keeps a belief
    about the goal, that is, a probability for each goal. It adds the belief to the observation, and computes from it a
    short list of questions.

    ## Action space
    ``Discrete(n_ego_actions + n_questions)``: first the ontic actions (those that are not questions), then the
    questions, in the order of the argument ``questions``. The mask is in ``info["action_mask"]`` (``int8``) and
    returned by ``action_masks()`` (``bool``). It excludes ontic actions that are not available, and questions about no
    goal or about all possible goals. An excluded action can be chosen: it costs a step, or the price of the question,
    and has no effect.

    ## Observation space
    ``Box float32 [k]``: ``gymnasium.spaces.flatten`` of the ``Dict`` of `ProblemEnv` with one more key, ``belief``
    (``[n_goals]``, probability of each goal). The values are in alphabetical order of their keys: ``answer``,
    ``asked``, ``belief``, ``ego``, ``possible``, ``prior``, ``teammate``, ``teammate_action``. Numbers from a
    ``Discrete`` space are one-hot vectors.

    ## Rewards
    The negative cost of the step: -1 for an action, the negative price of a question. ``info`` has the keys
    ``step_cost``, ``cost`` (so far), ``illegal`` (whether the action was not available) and ``action_mask``, which also
    covers the questions. At the end of an episode it also has ``goal``, ``known_cost`` (the cost if the goal is known
    from the start) and ``marginal_cost`` (``cost - known_cost``).

    ## Starting state
    Both agents start where the problem says, and the goal is drawn from the prior.
    ``reset(options={"goal": ..., "problem": ...})`` chooses the goal and the problem of one episode, as in
    `ProblemEnv`.

    ## Episode end
    As in `ProblemEnv`: terminated when both agents have reached the teammate's goal and the teammate has stayed for a
    step, truncated after ``max_steps`` steps.

    ## Arguments
    - ``env``: a `ProblemEnv`, wrapped or not.
    - ``questions``: a list of kinds of questions, by default ``group`` (a question for each group of goals), ``move``
      (for each move of the ego agent, the goals for which it is optimal), ``half`` (the fewest goals that together have
      at least half of the probability) and ``likeliest`` (the likeliest goal); also ``goal`` (a question for each
      goal), or callables that take a `QuestionContext` and return ``bool [n_goals]``, the goals to ask about.
    - ``belief``: the kind of belief: ``robust`` (default, for any teammate), or ``bayes`` or ``elimination`` (both for
      teammates that never err).
    - ``scaled``: whether all numbers of the observation that have finite bounds are scaled to lie between 0 and 1
      (default: False).
    - ``hints``: whether the observation has one more key, ``hints`` (``[n_actions]``): for each ontic action, the
      probability that it is optimal, and for each question, the probability that the goal is among those asked about
      (default: False).
    """

    wraps = ProblemEnv


class FlatToolFetching(FlatEnv):
    """`ToolFetchingEnv` with a `Discrete` action space, an action mask and a flat observation.

    ## Description
    You are the fetcher, and bring a worker a tool without knowing which, as in `ToolFetchingEnv`. The worker's goal is
    a station. This wrapper keeps a belief about the goal, that is, a probability for each station. It adds the belief
    to the observation, and computes from it a short list of questions.

    ## Action space
    ``Discrete(5 + n_stations + n_questions)``: first the ontic actions (4 moves, NOOP, one PICKUP for each station),
    then the questions, in the order of the argument ``questions``. The mask is in ``info["action_mask"]`` (``int8``)
    and returned by ``action_masks()`` (``bool``). It excludes ontic actions that are not available, and questions about
    no station or about all possible stations. An excluded action can be chosen: it costs a step, or the price of the
    question, and has no effect.

    ## Observation space
    ``Box float32 [k]``: ``gymnasium.spaces.flatten`` of the ``Dict`` of `ToolFetchingEnv` with one more key, ``belief``
    (``[n_stations]``, probability of each station). The values are in alphabetical order of their keys, which
    `ToolFetchingEnv` describes. Numbers from a ``Discrete`` space are one-hot vectors.

    ## Rewards
    The negative cost of the step: -1 for an action, the negative price of a question. ``info`` has the keys
    ``step_cost``, ``cost`` (so far), ``illegal`` (whether the action was not available) and ``action_mask``, which also
    covers the questions. At the end of an episode it also has ``goal``, ``known_cost`` (the cost if the goal is known
    from the start) and ``marginal_cost`` (``cost - known_cost``).

    ## Starting state
    Both agents start where the instance says, and the goal is drawn from the prior.
    ``reset(options={"goal": ..., "instance": ...})`` chooses the goal and the instance of one episode, as in
    `ToolFetchingEnv`.

    ## Episode end
    As in `ToolFetchingEnv`: terminated when the worker does WORK at its station and the fetcher is there with the tool,
    truncated after ``max_steps`` steps.

    ## Arguments
    - ``env``: a `ToolFetchingEnv`, wrapped or not.
    - ``questions``: a list of kinds of questions, by default ``toolbox`` (for each toolbox, the stations whose tool is
      in it), ``move`` (for each move of the fetcher, the stations for which it is optimal), ``half`` (the fewest
      stations that together have at least half of the probability) and ``likeliest`` (the likeliest station); also
      ``station`` (a question for each station), or callables that take a `ToolFetchingContext` and return
      ``bool [n_stations]``, the stations to ask about.
    - ``belief``: the kind of belief: ``robust`` (default, for any worker), or ``bayes`` or ``elimination`` (both for
      workers that never err).
    - ``scaled``: whether all numbers of the observation that have finite bounds are scaled to lie between 0 and 1
      (default: False).
    - ``hints``: whether the observation has one more key, ``hints`` (``[n_actions]``): for each ontic action, the
      probability that it is optimal, and for each question, the probability that the goal is among those asked about
      (default: False).
    """

    wraps = ToolFetchingEnv
    kinds = TOOL_FETCHING_KINDS
    default_questions = ("toolbox", "move", "half", "likeliest")
    _last_problem: Any = None

    def context(self, game: Game, tracker: Tracker) -> ToolFetchingContext:
        """Return the data from which the questions are computed at the current point of `game`.

        They are the problem, the fetcher's state, the belief about the worker's station that `tracker` keeps, and for
        each station the toolbox with its tool.
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
    """A function object that turns observations, which are dictionaries, into vectors.

    It does the same as ``gymnasium.spaces.flatten``, but faster. Call `begin` with the first observation of an episode:
    it flattens all values. Then call the object itself with any observation of the episode: it flattens only the values
    that may change.

    Args:
        space: the space of the observations.
        changing: the keys whose values may change during an episode. Each of these values is an integer of a
            ``Discrete`` space that begins at 0, or an array with one axis.
        scaled: whether numbers with finite bounds are scaled to lie between 0 and 1.
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

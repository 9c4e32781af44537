"""An environment for common reinforcement-learning libraries: one number to choose, one vector to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from askwise.core.belief import Tracker, belief_kind
from askwise.core.game import Game
from askwise.core.problem import Problem
from askwise.envs.acting import ACT, ASK, ontic_action
from askwise.envs.flattening import Flattener
from askwise.envs.playing import Play
from askwise.envs.questions import KINDS, Asking, Kind, QuestionContext, Questions, hints
from askwise.envs.single import GameEnv
from askwise.errors import InputError
from askwise.types import BoolArray


class Shown(NamedTuple):
    """What a flat environment shows of one moment.

    Attributes:
        flat: the observation, ``float32 [k]``.
        mask: ``int8 [n_actions]``, 1 for the actions that make sense.
        asked: ``bool [n_questions, n_goals]``, the goals that each question asks about.
    """

    flat: Any
    mask: Any
    asked: BoolArray


class FlatEnv(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Base of wrappers that give a `GameEnv` a `Discrete` action space, an action mask and a flat observation.

    The wrapper follows the episode with a `Tracker`, makes a short list of questions from what is believed, and puts
    the belief into the observation. A domain may make a subclass with kinds of questions of its own.

    Args:
        env: a `GameEnv`, wrapped or not.
        questions: kinds of questions, or callables.
        belief: ``robust`` (for any teammate), ``bayes`` or ``elimination`` (for teammates that never err).
        scaled: whether every number of the observation lies between 0 and 1, as networks like it.
        hints: whether the observation has one more key, ``hints``: how likely each action is to be right.

    Attributes:
        tracker: what is believed now.
    """

    wraps: ClassVar[type[GameEnv]] = GameEnv
    kinds: ClassVar[Mapping[str, Kind]] = KINDS

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        *,
        questions: Sequence[str | Asking] = ("group", "move", "half", "likeliest"),
        belief: str = "robust",
        scaled: bool = False,
        hints: bool = False,
    ) -> None:
        RecordConstructorArgs.__init__(self, questions=questions, belief=belief, scaled=scaled, hints=hints)
        gymnasium.Wrapper.__init__(self, env)
        bare = env.unwrapped
        if not isinstance(bare, self.wraps):
            raise InputError("environment", type(bare).__name__, f"a {self.wraps.__name__}")
        self._bare = bare
        staging = bare.stage.staging
        self._questions = Questions(questions, staging.source.example, self.kinds)
        self._kind_of_belief = belief_kind(belief).name  # An unknown name is refused now, not at the first reset.
        n_goals = len(staging.source.example.goals)
        seen = {**bare.observation_space.spaces, "belief": spaces.Box(0.0, 1.0, (n_goals,), np.float64)}
        self._n_ontic = len(staging.source.example.ego.actions.names)
        self._mask: BoolArray
        self.action_space = spaces.Discrete(self._n_ontic + self._questions.n)
        self._hints = hints
        more = {"hints": spaces.Box(0.0, 1.0, (int(self.action_space.n),), np.float64)} if hints else {}
        changing = [*staging.observer.changing, "belief", *more]
        self._flatten = Flattener(spaces.Dict({**seen, **more}), changing, scaled=scaled)
        self._flattened: Problem | None = None
        self.observation_space = self._flatten.space
        bare.flat_question = self.question

    @property
    def game(self) -> Game:
        """The episode in progress."""
        return self._bare.play.game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        seen, info = self.env.reset(seed=seed, options=options)
        self.tracker = self.new_tracker(self.game.problem)
        self.tracker.update(self.game.observation)
        self._flattened = None  # an environment of somebody else's may show something new in every episode
        return self._look(seen, info)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Do the action with this number, or ask the question."""
        number = ontic_action(action, self._n_ontic + self._questions.n)
        asks = number >= self._n_ontic
        chosen = (ASK, self._asked[number - self._n_ontic].astype(np.int8)) if asks else (ACT, number)
        seen, reward, terminated, truncated, info = self.env.step(chosen)
        self.tracker.update(self.game.observation)
        flat, info = self._look(seen, info)
        return flat, reward, terminated, truncated, info

    def action_masks(self) -> BoolArray:
        """``bool [n_actions]``: the actions that make sense now."""
        _ = self.game  # before the first reset there is none, which is said
        return self._mask.copy()

    def question(self, action: int) -> tuple[str, ...] | None:
        """Return the goals that the action with this number asks about now, None if it does not ask.

        Nothing is asked about no goal: such an action is left out of the mask.
        """
        number = ontic_action(action, self._n_ontic + self._questions.n)
        names = self.game.problem.goals
        if number < self._n_ontic:
            return None
        return tuple(names[goal] for goal in np.flatnonzero(self._asked[number - self._n_ontic]).tolist())

    def new_tracker(self, problem: Problem) -> Tracker:
        """Return a belief as the wrapper keeps it, at the start of an episode."""
        return Tracker(problem, self._kind_of_belief)

    def follow(self, problem: Problem) -> Play:
        """Return a new episode that is played elsewhere, of a problem with the shape of this environment."""
        return self._bare.stage.follow(problem)

    def context(self, game: Game, tracker: Tracker) -> QuestionContext:
        """Return what questions may depend on at a moment."""
        return QuestionContext(game.problem, game.state.ego, tracker.possible, tracker.probabilities)

    def show(self, play: Play, tracker: Tracker) -> Shown:
        """Return what is seen and what can be done at a moment of an episode, of this environment's own or another."""
        return self._shown(play, tracker, self._bare.stage.seen(play), play.ego_mask())

    def _shown(self, play: Play, tracker: Tracker, seen: dict[str, Any], ontic: Any) -> Shown:
        context = self.context(play.game, tracker)
        asked = self._questions(context)
        sizes = asked.sum(axis=1)
        sensible = (sizes > 0) & (sizes < context.possible.sum())
        mask = np.concatenate([ontic, sensible.astype(np.int8)])
        whole = {**seen, "belief": context.probabilities}
        if self._hints:
            whole["hints"] = hints(context, asked)
        if self._flattened is not context.problem:
            self._flattened = context.problem
            self._flatten.begin(whole)
        return Shown(self._flatten(whole), mask, asked)

    def _look(self, seen: dict[str, Any], info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Remember the questions and the mask, and return the flat observation and the info with the mask."""
        shown = self._shown(self._bare.play, self.tracker, seen, info["action_mask"])
        self._asked, self._mask = shown.asked, shown.mask.astype(np.bool_)
        return shown.flat, {**info, "action_mask": shown.mask}

"""One episode in an environment: a `Game`, the actions of its players, the last question, and pictures of the episode.

An action that is not available does nothing here. (`Game` refuses it.) Pictures do not show the true goal. The colour
of each goal shows its prior probability, or 0 if answers have ruled the goal out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import logger, spaces

from askwise.core.belief import Observation
from askwise.core.game import Game
from askwise.core.problem import Problem, teammate_does
from askwise.core.questions import Answer
from askwise.errors import InputError
from askwise.model.names import as_int
from askwise.text.wording import number
from askwise.types import BoolArray
from askwise.view.decision_text import reply_to_text
from askwise.view.scene import Scene
from askwise.view.scene_builder import scene_of

ACT, ASK = 0, 1
"""First member of the ego agent's action: ``(ACT, index of an action)`` or ``(ASK, question)``."""

MAX_MASKS = 4096
"""Action masks that are kept for each agent; masks of further states are computed each time."""

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 4


# -- actions -----------------------------------------------------------------------------------------------------


def ego_space(problem: Problem) -> spaces.OneOf[Any]:
    """Return the ego agent's action space, a ``OneOf`` of two: the index of an ontic action, or a question.

    An ontic action is any action except a question. A question is ``MultiBinary(n_goals)``, 1 for the goals to ask
    about.
    """
    return spaces.OneOf((spaces.Discrete(len(problem.ego.actions.names)), spaces.MultiBinary(len(problem.goals))))


def action_number(value: object, n_actions: int, field: str = "action") -> int:
    """Return `value` as an int; raise an InputError unless it is a whole number from 0 to ``n_actions - 1``.

    `field` is what the error message calls the value.
    """
    action = as_int(value)
    if action is None or not 0 <= action < n_actions:
        raise InputError(field, repr(value), f"a whole number from 0 to {n_actions - 1}")
    return action


def ego_action(action: Any, problem: Problem, goal_word: str = "goal") -> int | BoolArray:
    """Check the ego agent's action; return its index, or the goals that a question asks about as ``bool [n_goals]``.

    `action` is ``(0, index)``, or ``(1, zeros and ones)`` for a question. `goal_word` is the word for a goal in error
    messages.
    """
    kind = as_int(action[0]) if isinstance(action, tuple | list) and len(action) == 2 else None
    if kind == ACT:
        return action_number(action[1], len(problem.ego.actions.names), "ontic action")
    if kind == ASK:
        return _question(action[1], len(problem.goals), goal_word)
    raise InputError("action", repr(action), "(0, ontic action) or (1, question)")


def _question(value: Any, n_goals: int, goal_word: str) -> BoolArray:
    try:
        asked = np.asarray(value)
        question = asked.astype(np.bool_)
        if asked.shape == (n_goals,) and bool((question == asked).all()):
            return question
    except (TypeError, ValueError):
        pass  # ragged or not numeric
    raise InputError("question", repr(value), f"{n_goals} zeros and ones, one for each {goal_word}")


class Masks:
    """The action masks of both agents in each state, ``int8 [n_actions]``, 1 for actions that are available.

    Args:
        problem: the problem that is played.
        ego_mask: takes the problem and the index of the ego agent's state, and returns the ego agent's mask.
    """

    def __init__(self, problem: Any, ego_mask: Callable[[Any, int], Any]) -> None:
        self.problem = problem
        self._ego_mask = ego_mask
        self._ego: dict[int, Any] = {}
        self._teammate: dict[int, Any] = {}

    def ego(self, state: int) -> Any:
        """Return ``int8 [n_actions]``: 1 for each action that is available to the ego agent in a state, otherwise 0.

        The array is shared, so do not change it.
        """
        mask = self._ego.get(state)
        return self._keep(self._ego, state, self._ego_mask(self.problem, state)) if mask is None else mask

    def teammate(self, state: int) -> Any:
        """Return ``int8 [n_actions]``: 1 for each action that is available to the teammate in a state, otherwise 0.

        The array is shared, so do not change it.
        """
        mask = self._teammate.get(state)
        return self._keep(self._teammate, state, available(self.problem.teammate, state)) if mask is None else mask

    def _keep(self, known: dict[int, Any], state: int, mask: Any) -> Any:
        if len(known) < MAX_MASKS:
            known[state] = mask
        return mask


def available(side: Any, state: int) -> Any:
    """Return ``int8 [n_actions]``: 1 for each action that an agent can take in a state, 0 for all others.

    Args:
        side: the agent's states and actions in the problem, an `askwise.core.side.Side`.
        state: the index of the agent's state.
    """
    return np.array([side.next(state, action) >= 0 for action in range(len(side.actions.names))], dtype=np.int8)


def _idle_action(problem: Problem, teammate: int) -> int:
    """Return the index of an action that leaves the teammate in the state `teammate`, preferably not `stay`.

    The action `stay` may end the episode, so it is returned only if all other actions change the state.
    """
    actions = problem.teammate.actions
    idle = [a for a in range(len(actions.names)) if problem.teammate.next(teammate, a) == teammate]
    return min(idle, key=lambda action: action == actions.stay)


# -- an episode --------------------------------------------------------------------------------------------------


class Play:
    """One episode of an environment: the game, and the other data that observations need.

    Attributes:
        game: the game, with state, costs and goal. The ego agent must not see the goal.
        masks: the actions that are available in each state.
        asked: ``bool [n_goals]``, the goals in the last question; all False before the first one.
        answer: the last answer: 0 nothing asked yet, 1 no, 2 yes, 3 refused.
        allowed_when_asked: ``bool [n_goals]``, the goals that were possible before the last question.
    """

    def __init__(self, game: Game, masks: Masks) -> None:
        self.game = game
        self.masks = masks
        self.asked: BoolArray = np.zeros(len(game.problem.goals), dtype=np.bool_)
        self.answer = 0
        self.allowed_when_asked: BoolArray = game.allowed

    def available_to_ego(self, chosen: int | BoolArray) -> int | BoolArray:
        """Return the ego agent's action or question if it is available, otherwise an action that does nothing.

        `chosen` is the index of an action, or a question as ``bool [n_goals]``. Only a question about no goal may be
        unavailable.
        """
        if isinstance(chosen, int):
            possible = self.masks.ego(self.game.state.ego)[chosen]
        else:
            possible = self.game.empty_questions or chosen.any()
        return chosen if possible else self.game.problem.ego.actions.stay

    def available_to_teammate(self, action: int) -> int:
        """Return the teammate's action, an index, if it is available; otherwise an action that does nothing."""
        here = self.game.state.teammate
        return action if self.masks.teammate(here)[action] else _idle_action(self.game.problem, here)

    def ego_mask(self) -> Any:
        """Return ``int8 [n_ego_actions]``: 1 for the ego agent's actions (without questions) that are available now."""
        return self.masks.ego(self.game.state.ego).copy()

    def teammate_mask(self) -> Any:
        """Return ``int8 [n_teammate_actions]``: 1 for the teammate's actions that are available now."""
        return self.masks.teammate(self.game.state.teammate).copy()

    def ask(self, asked: BoolArray) -> None:
        """Let the ego agent ask whether the teammate's goal is one of those marked in `asked`, ``bool [n_goals]``.

        The answer is stored in the attribute `answer`. Both agents stay in place.
        """
        allowed = self.game.allowed
        self._remember(asked, self.game.ask(np.flatnonzero(asked).tolist()).answer, allowed)

    def follow(self, observation: Observation) -> None:
        """Repeat here one step of an episode that is played elsewhere, for example in a simulation.

        Call this only if `Episodes.follow` or `FlatEnv.follow` returned the object. Its game then does not know the
        goal and never ends by itself.

        Args:
            observation: what the ego agent observed after the step.
        """
        game, allowed = self.game, self.game.allowed
        if observation.answer is not None:
            game.hear(observation.answer)
            asked = np.zeros(allowed.size, dtype=np.bool_)
            asked[list(observation.answer.goals)] = True
            self._remember(asked, observation.answer, allowed)
        # Not `act`: the episode ends where the goal is known.
        game.state, game.teammate_action = observation.state, observation.teammate_action

    def _remember(self, asked: BoolArray, answer: Answer | None, allowed: BoolArray) -> None:
        assert answer is not None
        reply = answer.yes
        self.asked, self.answer, self.allowed_when_asked = asked, 3 if reply is None else 1 + reply, allowed

    def info(self, illegal: bool, action_mask: Any) -> dict[str, Any]:
        """Return Gymnasium's info dict for the last step.

        The keys are ``step_cost`` (of the last step), ``cost`` (so far), ``illegal`` and ``action_mask``. At the end of
        the episode also ``goal`` (its index), ``known_cost`` (the least cost if the goal is known from the start) and
        ``marginal_cost`` (``cost - known_cost``).

        Args:
            illegal: whether the action was not available.
            action_mask: the actions available now.
        """
        game = self.game
        info: dict[str, Any] = {
            "step_cost": game.step_cost,
            "cost": game.cost,
            "illegal": illegal,
            "action_mask": action_mask,
        }
        if game.over:
            best = game.known_cost
            # Not `game.marginal_cost`, which is nan for a truncated episode: learners need a number.
            info |= {"goal": game.goal, "known_cost": best, "marginal_cost": game.cost - best}
        return info


# -- pictures -------------------------------------------------------------------------------------------------------


def render_text(play: Play) -> str:
    """Return the current state of an episode as a drawing of several lines of text."""
    from askwise.view import text

    return text.draw(_scene(play))


def render_pixels(play: Play) -> Any:
    """Return the current state of an episode as a picture, ``uint8 [height, width, 3]``."""
    from askwise.view import raster

    return np.asarray(raster.draw(_scene(play)))


def _scene(play: Play) -> Scene:
    game = play.game
    action, answer = game.teammate_action, game.answer
    # The scene after a question shows the question, so the goals that it ruled out are not crossed out yet.
    allowed = game.allowed if answer is None else play.allowed_when_asked
    weights = np.where(allowed, game.problem.prior, 0.0)
    scene = scene_of(game.problem, game.state, weights / weights.sum())
    event = ""
    if action is not None:
        event = f"The {scene.words.teammate} did {teammate_does(game.problem, game.before.teammate, action)}."
    return replace(
        scene,
        asked=() if answer is None else answer.asked,
        reply="" if answer is None else reply_to_text(game.problem.goals, answer),
        progress=f"after step {game.steps}: cost so far {number(game.cost)}",
        event=event,
    )


class Renderer:
    """A function object that draws episodes in one of the render modes of Gymnasium.

    Args:
        mode: ``"ansi"`` (text), ``"rgb_array"`` (pixels), ``"human"`` (a window) or None (nothing, with a warning).
    """

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise InputError("render_mode", repr(mode), "None or one of " + ", ".join(map(repr, RENDER_MODES)))
        self.mode = mode
        self._window: Window | None = None

    def __call__(self, play: Play) -> Any:
        """Return an episode's current state as text or as pixels, ``uint8 [height, width, 3]``, depending on the mode.

        In mode ``"human"``, draw it in a window and return None. In mode None, warn and return None.
        """
        if self.mode is None:
            logger.warn("nothing is drawn: the environment was made without a render_mode")
            return None
        if self.mode == "ansi":
            return render_text(play)
        pixels = render_pixels(play)
        if self.mode == "rgb_array":
            return pixels
        if self._window is None:
            self._window = Window()
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window of mode ``"human"``, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


class Window:
    """A matplotlib window with one picture; if the computer has no display, nothing is shown.

    Attributes:
        figure: the matplotlib figure.
        visible: whether there is a display.
        image: the matplotlib picture in the figure; None before the first one.
    """

    def __init__(self) -> None:
        import matplotlib.pyplot as plt

        self._plt = plt
        try:
            self.figure = plt.figure(figsize=(7, 7), layout="constrained")
        except ImportError:
            # The configured backend needs a display, and there is none.
            plt.switch_backend("agg")
            self.figure = plt.figure(figsize=(7, 7), layout="constrained")
        self.visible = type(self.figure.canvas).required_interactive_framework is not None
        self._axes = self.figure.add_subplot()
        self._axes.set_axis_off()
        self.image: Any = None

    def show(self, pixels: Any) -> None:
        """Show a picture, ``uint8 [height, width, 3]``, in place of the last one, and wait a quarter of a second.

        Without a display, it does not wait.
        """
        if self.image is None or self.image.get_array().shape != pixels.shape:
            self._axes.clear()
            self._axes.set_axis_off()
            self.image = self._axes.imshow(pixels)
        else:
            self.image.set_data(pixels)
        if self.visible:
            self.figure.show()
            self.figure.canvas.draw_idle()
            self.figure.canvas.start_event_loop(1 / FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window; it cannot be used again."""
        self._plt.close(self.figure)

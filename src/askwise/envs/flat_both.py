"""Both agents from outside, for common reinforcement-learning libraries: a number to choose, a vector to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from askwise.core.belief import Tracker
from askwise.core.belief_kinds import belief_kind
from askwise.envs.acting import ACT, ASK, ontic_action
from askwise.envs.both import GameParallelEnv, Told
from askwise.envs.flattening import Flattener
from askwise.envs.questions import KINDS, Asking, Kind, QuestionContext, Questions, hints


class FlatParallelEnv(ParallelEnv[str, Any, int]):  # type: ignore[misc]  # untyped base
    """A `GameParallelEnv` with `Discrete` action spaces, action masks and flat observations, for both agents.

    What the ego agent can ask, and what it sees, is as in `askwise.envs.flat.FlatEnv`; the teammate sees the goal and
    no belief. Masks are in ``infos[agent]["action_mask"]``, ``int8 [n_actions]``.

    Args:
        env: the environment.
        questions: kinds of questions, or callables.
        belief: ``robust`` (for any teammate), ``bayes`` or ``elimination`` (for teammates that never err).
        scaled: whether all numbers of the observations lie between 0 and 1.
        hints: whether the ego agent sees how likely each of its actions is to be right, too.
        kinds: the kinds of questions that have a name.
    """

    def __init__(
        self,
        env: GameParallelEnv,
        *,
        questions: Sequence[str | Asking] = ("group", "move", "half", "likeliest"),
        belief: str = "robust",
        scaled: bool = False,
        hints: bool = False,
        kinds: Mapping[str, Kind] = KINDS,
    ) -> None:
        self.env = env
        self.metadata = {**env.metadata, "name": f"flat_{env.metadata['name']}"}
        self.render_mode = env.render_mode
        self.possible_agents = env.possible_agents
        staging = env.stage.staging
        example = staging.source.example
        self._questions = Questions(questions, example, kinds)
        self._kind_of_belief = belief_kind(belief).name
        n_goals, n_ontic = len(example.goals), len(example.ego.actions.names)
        believed = {**env.observation_spaces[env.ego].spaces, "belief": spaces.Box(0.0, 1.0, (n_goals,), np.float64)}
        self._no_hints = {"hints": np.zeros(n_ontic + self._questions.n)} if hints else {}
        believed |= {name: spaces.Box(0.0, 1.0, each.shape, np.float64) for name, each in self._no_hints.items()}
        known, changing = env.observation_spaces[env.teammate], staging.observer.changing
        self._flatten = {
            env.ego: Flattener(spaces.Dict(believed), [*changing, "belief", *self._no_hints], scaled=scaled),
            env.teammate: Flattener(known, changing, scaled=scaled),
        }
        self.observation_spaces = {agent: self._flatten[agent].space for agent in self.possible_agents}
        self._n_ontic = n_ontic
        self.action_spaces = {
            env.teammate: env.action_spaces[env.teammate],
            env.ego: spaces.Discrete(n_ontic + self._questions.n),
        }

    @property
    def agents(self) -> list[str]:
        """Those who act: both, or nobody after the end."""
        return self.env.agents

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `agent` sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what `agent` can do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Told]:
        """Begin an episode."""
        seen, infos = self.env.reset(seed=seed, options=options)
        game = self.env.play.game
        self.tracker = Tracker(game.problem, self._kind_of_belief)
        self.tracker.update(game.observation)
        start = {**seen[self.env.ego], "belief": game.problem.prior, **self._no_hints}
        self._flatten[self.env.ego].begin(start)
        self._flatten[self.env.teammate].begin(seen[self.env.teammate])
        return self._look(seen, infos)

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], dict[str, float], Any, Any, Told]:
        """Let both act, or the ego agent ask the question with its number."""
        env = self.env
        number = ontic_action(actions[env.ego], self._n_ontic + self._questions.n)
        asks = number >= self._n_ontic
        chosen = (ASK, self._asked[number - self._n_ontic].astype(np.int8)) if asks else (ACT, number)
        seen, rewards, ended, cut, infos = env.step({**actions, env.ego: chosen})
        self.tracker.update(env.play.game.observation)
        flat, infos = self._look(seen, infos)
        return flat, rewards, ended, cut, infos

    def question(self, action: int) -> tuple[str, ...] | None:
        """Return the goals that an action of the ego agent would ask about now; None if it does not ask."""
        number = ontic_action(action, self._n_ontic + self._questions.n)
        names = self.env.play.game.problem.goals
        if number < self._n_ontic:
            return None
        return tuple(names[goal] for goal in np.flatnonzero(self._asked[number - self._n_ontic]).tolist())

    def render(self) -> Any:
        """Return text or pixels, according to `render_mode`."""
        return self.env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.env.close()

    def _look(self, seen: Told, infos: Told) -> tuple[dict[str, Any], Told]:
        env, game = self.env, self.env.play.game
        possible, probabilities = self.tracker.possible, self.tracker.probabilities
        context = QuestionContext(game.problem, game.state.ego, possible, probabilities)
        self._asked = self._questions(context)
        sizes = self._asked.sum(axis=1)
        sensible = ((sizes > 0) & (sizes < possible.sum())).astype(np.int8)
        mask = np.concatenate([infos[env.ego]["action_mask"][0], sensible])
        told = {"hints": hints(context, self._asked)} if self._no_hints else {}
        flat = {
            env.teammate: self._flatten[env.teammate](seen[env.teammate]),
            env.ego: self._flatten[env.ego]({**seen[env.ego], "belief": probabilities, **told}),
        }
        return flat, {**infos, env.ego: {**infos[env.ego], "action_mask": mask}}

"""Whether goals with a large divergence by evidence are recognised late by the algorithms of gr-libs in MiniGrid.

gr-libs (from PyPI) recognises goals with reinforcement learning. In MiniGrid it offers two algorithms: *Graql* compares
the observations with a policy learned for each goal; *GRAML* compares them with a plan for each goal, by a learned
metric on sequences. Its other algorithms need continuous actions. The map is `MiniGrid-SimpleCrossingS13N4`, with all
goals that gr-libs defines for it.

**Hypothesis, stated before the first run.** Take two goals, one of them pursued. The longer askwise expects it to take
until the other goal is ruled out (sampled EDP by evidence of 0.05), the later an algorithm recognises the pursued goal
when these two are its candidates. So over all pairs, Spearman's rank correlation between the two is positive, for each
algorithm.

- The actors are gr-libs' own: tabular Q-learners that choose actions with probabilities proportional to ``Q ** 8``, for
  at most 32 steps. askwise samples exactly these policies.
- A goal is *recognised* at the first step from which on the algorithm always names it. If there is none, the step after
  the last one counts.
- Pairs share goals, so they are not independent. The p-value comes from a permutation test (Mantel): it is the share of
  random permutations of the goals with a correlation at least as large.
- For comparison, the same is measured for Bayes' rule with the actors' policies (`askwise.recognise_online`).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import math
import os
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
from scipy.stats import rankdata, spearmanr

import askwise
from askwise.sampling import VectorPolicy
from benchmarks.tools.report import Column, Table, count, number, progress

available = find_spec("gr_libs") is not None
"""Whether gr-libs is installed; if not, the table says so."""

MAP = "MiniGrid-SimpleCrossingS13N4"
GOALS = (
    *((11, 1), (11, 11), (1, 11), (7, 11), (11, 3), (11, 5), (11, 8)),
    *((8, 1), (6, 1), (1, 7), (5, 9), (10, 6), (6, 9)),
)
"""All goals that gr-libs has for this map: (column, row)."""
BASE = ((11, 1), (11, 11), (1, 11), (5, 9))
"""Goals from which GRAML learns its metric: the second task of gr-libs on this map."""
STEPS = 32
"""The most steps of an episode, set by gr-libs."""
SHARPNESS = 8
"""gr-libs raises action values to this power."""
EVIDENCE = 0.05
PERMUTATIONS = 10_000

Pair = tuple[int, int]
Episode = list[Any]
"""Steps in the form of gr-libs: ((observation, position), action)."""


def run(quick: bool) -> list[Table]:
    """Train agents, sample their divergence, recognise their goals, and correlate."""
    if not available:
        missing = "gr-libs is not installed: not measured; pip install 'gr-libs[minigrid]'"
        return [Table("Divergence and goal recognition in MiniGrid", [Column("algorithm")], [[missing]])]
    goals = GOALS[:4] if quick else GOALS
    training, samples, episodes = (2_000, 1_000, 2) if quick else (20_000, 20_000, 8)
    with _quiet_folder():
        progress(f"recognition: training for {len(goals)} goals")
        graql, graml = _graql(goals, training), _graml(goals, training, samples)
        agents = [graql.agents[name] for name in graql.active_problems]
        policies = [table_of(agent.q_table) for agent in agents]
        progress("recognition: sampling divergence")
        expected = _divergence(goals, agents, policies)
        seen = [[_episode(agent) for _ in range(episodes)] for agent in agents]
        algorithms = {
            "Graql": partial(_by_graql, graql),
            "GRAML": partial(_by_graml, graml),
            "Bayes' rule with the actors' policies": partial(_by_bayes, policies),
        }
        table = Table(
            "Divergence and goal recognition in MiniGrid",
            [
                Column("algorithm"),
                count("pairs"),
                number("rank correlation", 3),
                number("p", 2),
                number("for one goal pursued, median", 2),
                number("mean step of recognition", 3),
                number("never recognised", 2),
                Column("as expected"),
            ],
        )
        for name, recognised in algorithms.items():
            progress(f"recognition: {name}")
            found, never = _recognition(goals, seen, recognised)
            rho, p = correlation(expected, found)
            within = float(np.median([_for_one(expected, found, j) for j in range(len(goals))]))
            off = ~np.eye(len(goals), dtype=bool)
            verdict = "yes" if rho > 0 and p < 0.05 else "NO"
            table.rows.append([name, int(off.sum()), rho, p, within, float(found[off].mean()), never, verdict])
    off = ~np.eye(len(goals), dtype=bool)
    table.notes = [
        f"E[min(dp, {STEPS})] of the pairs: {expected[off].min():.3g} to {expected[off].max():.3g} steps, "
        f"median {np.median(expected[off]):.3g}; {episodes} episodes for each goal pursued",
        f"{training:,} episodes of training for each goal, {samples:,} pairs of sequences for GRAML's metric",
        ", ".join(f"{package} {version(package)}" for package in ("gr-libs", "minigrid", "torch")),
    ]
    return [table]


def correlation(expected: Any, found: Any, permutations: int = PERMUTATIONS) -> tuple[float, float]:
    """Return Spearman's rank correlation of two matrices without their diagonals, and its p-value (Mantel's test).

    The p-value is one-sided: the share of random permutations of the goals in one matrix with a correlation at least as
    large.
    """
    n = len(expected)
    off = ~np.eye(n, dtype=bool)
    ranks = np.zeros((n, n))
    ranks[off] = rankdata(found[off])
    first = rankdata(expected[off])

    def rho(second: Any) -> float:
        return float(np.corrcoef(first, second[off])[0, 1])

    observed, rng = rho(ranks), np.random.default_rng(0)
    orders = (rng.permutation(n) for _ in range(permutations))
    as_much = sum(rho(ranks[np.ix_(order, order)]) >= observed - 1e-12 for order in orders)
    return observed, (1 + as_much) / (1 + permutations)


def _for_one(expected: Any, found: Any, pursued: int) -> float:
    """Return the rank correlation among the pairs with one pursued goal, whose episodes are equally long."""
    columns = (np.delete(each[:, pursued], pursued) for each in (expected, found))
    return float(spearmanr(*columns).statistic)


# -- agents and episodes ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _quiet_folder() -> Iterator[None]:
    """Work in an empty temporary folder, where gr-libs saves agents, with fixed seeds and without its output."""
    before = os.getcwd()  # noqa: PTH109
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                import torch

                importlib.import_module("gr_libs.environment")  # registers the environments

                torch.set_num_threads(1)
                torch.manual_seed(0)
                random.seed(0)
                np.random.seed(0)  # noqa: NPY002 - gr-libs draws from it
                yield
        finally:
            os.chdir(before)


def _learner() -> type:
    """Return gr-libs' Q-learner with a fixed seed and without pictures: it learns from positions alone."""
    from gr_libs.ml.tabular.tabular_q_learner import TabularQLearner

    class Learner(TabularQLearner):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(rand=random.Random(0), **options)
            self.env: Any = _without_pictures(self.env.unwrapped)

    return Learner


def _without_pictures(env: Any) -> Any:
    env.gen_obs = lambda: {"direction": env.agent_dir}
    return env


def _graql(goals: Any, training: int) -> Any:
    from gr_libs import Graql

    found = Graql(domain_name="minigrid", env_name=MAP, rl_agent_type=_learner())
    with contextlib.redirect_stderr(io.StringIO()):
        found.goals_adaptation_phase(list(goals), [("QLEARNING", training)] * len(goals))
    return found


def _graml(goals: Any, training: int, samples: int) -> Any:
    """Return a trained GRAML, with embeddings of its plans cut to each number of observations."""
    import torch
    from gr_libs import ExpertBasedGraml

    found = ExpertBasedGraml(domain_name="minigrid", env_name=MAP, rl_agent_type=_learner())
    sizes = found.env_prop.get_lstm_props()._replace(num_samples=samples)
    found.env_prop.get_lstm_props = lambda: sizes
    config = ("QLEARNING", training)
    with contextlib.redirect_stderr(io.StringIO()):
        found.domain_learning_phase({"bg": {"goals": list(BASE), "train_configs": [config] * len(BASE)}})
        found.goals_adaptation_phase(list(goals), [config] * len(goals))
    found.model.eval()
    plans, found.library = dict(found.plans_dict), {}
    with torch.no_grad():
        for length in range(1, STEPS + 1):
            found.plans_dict, found.embeddings_dict = dict(plans), {}
            found.update_sequences_library_inference_phase([None] * length)
            found.create_embeddings_dict()
            found.library[length] = found.embeddings_dict
    found.is_first_inf_since_new_goals = False
    return found


def table_of(values: dict[str, Any]) -> Any:
    """Return the acting policy of a Q-learner, ``float64 [column, row, direction, n_actions]``; uniform where unknown.

    Args:
        values: for each state, named "(column,row):direction", the values of the seven actions; only three are used.
    """
    found = np.zeros((13, 13, 4, 7))
    found[..., :3] = 1 / 3
    for name, row in values.items():
        cell, direction = name.split(":")
        column, line = cell.strip("()").split(",")
        three = np.array(row[:3])
        if three.max() > 0:
            weights = (three / three.max()) ** SHARPNESS
            found[int(column), int(line), int(direction), :3] = weights / weights.sum()
    return found


class PositionEnv(gymnasium.Env[Any, Any]):
    """An environment of gr-libs whose observation is the agent's column, row and direction.

    Args:
        name: name of the registered environment.
    """

    observation_space = gymnasium.spaces.Box(0, 12, (3,), np.int64)
    action_space = gymnasium.spaces.Discrete(7)

    def __init__(self, name: str) -> None:
        self.inner = _without_pictures(gymnasium.make(name).unwrapped)

    def _seen(self) -> Any:
        return np.array([*self.inner.agent_pos, self.inner.agent_dir])

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode at the start."""
        self.inner.reset(seed=seed, options=options)
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Turn or move the agent."""
        _, reward, terminated, truncated, _ = self.inner.step(int(action))
        return self._seen(), float(reward), terminated, truncated, {}


def _divergence(goals: Any, agents: Any, policies: Any) -> Any:
    """Return EDP by evidence of all pairs, ``float64 [n_goals (ruled out), n_goals (pursued)]``, 0 on the diagonal."""
    names = [str(goal) for goal in goals]
    by_name = {
        name: VectorPolicy(partial(lambda table, seen: table[tuple(seen.T)], table))
        for name, table in zip(names, policies, strict=True)
    }
    found = np.zeros((len(names),) * 2)
    for j, name in enumerate(names):
        env = partial(PositionEnv, agents[j].problem_name)
        options: dict[str, Any] = {"horizon": STEPS, "evidence": EVIDENCE, "runs": 500, "lanes": 100, "seed": j}
        pairs = askwise.sampled_divergence(env, by_name, truths=[name], **options).pairs
        for i, other in enumerate(names):
            if i != j:
                found[i, j] = pairs[other, name].mean
    return found


def _episode(agent: Any) -> Episode:
    """Return an episode of an agent with pictures as observations, which Graql needs."""
    from gr_libs.metrics.metrics import stochastic_amplified_selection

    env = gymnasium.make(agent.problem_name).unwrapped
    actor = SimpleNamespace(env=env, q_table=agent.q_table)
    generate = type(agent).generate_observation
    found: Episode = generate(actor, stochastic_amplified_selection, random_optimalism=False)
    return found


# -- recognition -----------------------------------------------------------------------------------------------------


def _recognition(goals: Any, seen: list[list[Episode]], recognised: Callable[..., str]) -> tuple[Any, float]:
    """Return the mean step of recognition of all pairs, in the axes of `_divergence`, and the share never recognised.

    Args:
        goals: the goals.
        seen: episodes of each goal.
        recognised: a function of a pair of goals (other, pursued), all goals, and the steps so far; it returns the name
            of the goal that the algorithm chooses.
    """
    n = len(goals)
    found, never, episodes_played = np.zeros((n, n)), 0, 0
    for j, episodes in enumerate(seen):
        for i in range(n):
            if i == j:
                continue
            steps = []
            for episode in episodes:
                names = (recognised((i, j), goals, episode[:t]) for t in range(1, len(episode) + 1))
                right = [name == str(goals[j]) for name in names]
                last_wrong = max((t for t, each in enumerate(right, 1) if not each), default=0)
                steps.append(last_wrong + 1)
                never += last_wrong == len(episode)
            found[i, j] = np.mean(steps)
            episodes_played += len(steps)
    return found, never / episodes_played


def _by_graql(graql: Any, pair: Pair, goals: Any, prefix: Episode) -> str:
    # The pursued goal comes second, so that ties do not count as recognised.
    graql.active_goals = [goals[k] for k in pair]
    graql.active_problems = [graql.env_prop.goal_to_problem_str(goals[k]) for k in pair]
    return str(graql.inference_phase(prefix, goals[pair[1]], 1))


def _by_graml(graml: Any, pair: Pair, goals: Any, prefix: Episode) -> str:
    import torch

    library = graml.library[len(prefix)]
    graml.embeddings_dict = {str(goals[k]): library[str(goals[k])] for k in pair}
    with torch.no_grad():
        return str(graml.inference_phase(prefix, goals[pair[1]], 1))


def _by_bayes(policies: Any, pair: Pair, goals: Any, prefix: Episode) -> str:
    gain = 0.0
    for (observation, position), action in prefix:
        ours, theirs = (policies[k][(*position, observation["direction"], action)] for k in (pair[1], pair[0]))
        gain += math.log(ours) - (math.log(theirs) if theirs > 0 else -math.inf)
    return str(goals[pair[1] if gain > 0 else pair[0]])

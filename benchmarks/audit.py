"""Finding over- and under-asking that was planted into recorded episodes: how much an audit finds, and how fast.

An agent plays by the optimum. At random steps it does the opposite: where it would act, it asks about some of the
possible goals, chosen at random; where it would ask, it acts for the likeliest goal instead. Independent code
(`benchmarks.peers.moment_costs`) decides which of these steps were mistakes: it is one to ask where acting would have
been better, and to act where asking would have been better. The same code checks all other steps. The traces are files
in one folder, which `askwise.audit` reads.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from askwise import simulate, trace
from askwise.audits.audit import audit
from askwise.audits.results import Audit
from askwise.core.belief import Tracker
from askwise.core.episode import Episode
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Agent, Decision, Observation
from askwise.methods.planning_agents import Optimal
from askwise.seeds import Seed
from askwise.types import FloatArray
from benchmarks.peers.moment_costs import MomentCosts
from benchmarks.tools.processes import process_pool
from benchmarks.tools.report import Column, Table, count, number, progress

PROBLEMS = 60
EPISODES = 150
"""Episodes of each problem: 9,000 in all."""
SHARE = 0.15
"""The share of steps with several possible goals in which the agent does the opposite."""
PRICES = (QueryCost(0.5, 0.0), QueryCost(0.3, 0.1), QueryCost(0.8, 0.2))
PRIORS = ("far", "uniform", "near")
TOLERANCE = 1e-6
OVER, UNDER = "over-asking", "under-asking"

Label = tuple[str, int]
"""The file name of a trace, and the number of a step in it."""


@dataclass(frozen=True)
class Played:
    """The episodes of one problem.

    Attributes:
        planted: steps in which the agent did the opposite, and the kind of fault that was intended.
        mistakes: all steps that were over- or under-asking according to `MomentCosts`.
        steps: number of steps.
    """

    planted: dict[Label, str]
    mistakes: dict[Label, str]
    steps: int


class Contrary(Agent):
    """An agent that decides as another agent does, and does the opposite in random steps.

    Args:
        agent: the other agent.
    """

    name = "contrary"

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.planted: dict[int, str] = {}

    def reset(self, problem: Problem, seed: Seed = None) -> None:
        """See `Agent`."""
        super().reset(problem, seed)
        self.agent.reset(problem, self.rng.spawn(1)[0])
        self.planted = {}
        self.t = 0

    @property
    def probabilities(self) -> FloatArray | None:
        """See `Agent`."""
        return self.agent.probabilities

    def decide(self, observation: Observation) -> Decision:
        """See `Agent`."""
        self.t += 1
        decision = self.agent.decide(observation)
        belief = self.agent.probabilities
        assert belief is not None
        possible = np.flatnonzero(belief > 0)
        if possible.size < 2 or self.rng.random() >= SHARE:
            return decision
        if decision.ask is not None:
            self.planted[self.t] = UNDER
            goal = int(belief.argmax())
            return Decision(action=int(self.problem.ego.optimal(observation.state.ego)[goal].argmax()))
        self.planted[self.t] = OVER
        size = int(self.rng.integers(1, possible.size))
        return Decision(ask=tuple(sorted(self.rng.choice(possible, size, replace=False).tolist())))


def make_problem(number_: int) -> ToolFetching:
    """Return a small problem; price and prior depend on its number."""
    drawn = generate(
        width=5, stations=4, toolboxes=2, walls=0.1 * (number_ % 2), seed=np.random.SeedSequence([18, number_])
    )
    return ToolFetching(drawn).with_terms(Prior(PRIORS[number_ % 3]), PRICES[number_ // 3 % 3])


def play(job: tuple[int, int, Path]) -> Played:
    """Play and write the episodes of one problem, and label their steps."""
    number_, episodes, folder = job
    problem = make_problem(number_)
    agent, costs = Contrary(Optimal()), MomentCosts(problem)
    planted: dict[Label, str] = {}
    mistakes: dict[Label, str] = {}
    steps = 0
    for k in range(episodes):
        name = str(folder / f"{number_:03d}-{k:04d}.json")
        episode = simulate(problem, agent, seed=np.random.SeedSequence([18, number_, k]))
        trace.save(episode, name)
        planted.update({(name, t): kind for t, kind in agent.planted.items()})
        mistakes.update({(name, t): kind for t, kind in _mistakes(episode, costs).items()})
        steps += len(episode.steps)
    return Played(planted, mistakes, steps)


def _mistakes(episode: Episode, costs: MomentCosts) -> dict[int, str]:
    """Return the steps that were over- or under-asking, with the kind of mistake."""
    tracker, found = Tracker(episode.problem, "bayes"), {}
    for step, seen in zip(episode.steps, episode.observations, strict=True):
        tracker.update(seen)
        belief = tuple((int(g), float(tracker.probabilities[g])) for g in np.flatnonzero(tracker.probabilities > 0))
        where = belief, step.state.teammate, step.state.ego
        act, ask = costs.acting(*where), costs.asking(*where)
        if step.decision.ask is not None:
            if ask > act + TOLERANCE:
                found[step.t] = OVER
        elif act > ask + TOLERANCE:
            found[step.t] = UNDER
    return found


def run(quick: bool) -> list[Table]:
    """Play episodes with planted mistakes, audit them, and compare."""
    problems, episodes = (6, 10) if quick else (PROBLEMS, EPISODES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        played = []
        with process_pool() as pool:
            for k, each in enumerate(pool.map(play, [(k, episodes, folder) for k in range(problems)], chunksize=1)):
                played.append(each)
                if k % 10 == 0:
                    progress(f"audit: episodes of problem {k} of {problems}")
        tables = []
        for judge in ("optimal", "planner"):
            progress(f"audit: judged by {judge}")
            start = perf_counter()
            found = audit(folder, judge=judge, tolerance=TOLERANCE, workers=2)
            tables.append((judge, found, perf_counter() - start))
    return [_table(played, tables)]


def _table(played: list[Played], audited: list[tuple[str, Audit, float]]) -> Table:
    mistakes = {label: kind for each in played for label, kind in each.mistakes.items()}
    planted = {label: kind for each in played for label, kind in each.planted.items()}
    real = {label: kind for label, kind in planted.items() if mistakes.get(label) == kind}
    elsewhere = sum(label not in real for label in mistakes)
    kinds = Counter(real.values())
    steps = sum(each.steps for each in played)
    n = len(audited[0][1].episodes)
    table = Table(
        f"Planted over- and under-asking found by askwise audit ({n:,} episodes, {steps:,} steps, 2 processes)",
        [
            Column("judge"),
            count("planted mistakes"),
            number("found, %", 3),
            count("flagged"),
            number("false, %", 3),
            number("seconds", 3),
        ],
        notes=[
            f"the agent did the opposite {len(planted):,} times; {len(real):,} of these steps were mistakes: "
            f"{kinds[OVER]:,} times over-asking, {kinds[UNDER]:,} times under-asking; {elsewhere} mistakes elsewhere",
            "false: flagged as over- or under-asking, but not planted, or not a mistake",
            "expected: at least 95 % found, at most 5 % false, at most 300 seconds on 2 cores",
        ],
    )
    for judge, found, seconds in audited:
        flagged = {
            (episode.source, step.t): step.fault
            for episode in found.episodes
            for step in episode.steps
            if step.fault in (OVER, UNDER)
        }
        right = sum(real.get(label) == kind for label, kind in flagged.items())
        shares = 100 * right / max(1, len(real)), 100 * (1 - right / max(1, len(flagged)))
        table.rows.append([judge, len(real), shares[0], len(flagged), shares[1], seconds])
    return table

"""Over- and under-asking, planted into recorded episodes: how much of it an audit finds, and how long it takes.

An agent plays by the optimum, but now and then, by the toss of a coin, it does the opposite: it asks about some of the
possible goals, drawn at random, where it would act, or withholds the question that it would ask and goes for the
likeliest goal. Which of these were mistakes is told by other code (`benchmarks.peers.plain_values`): asking where no
question is as good as acting, acting where no action is as good as asking. The same code says of every other step
whether it was one. All traces are files in one folder, read again by `askwise.audit`.
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
from askwise.methods.optimal import Optimal
from askwise.seeds import Seed
from askwise.types import FloatArray
from benchmarks.peers.plain_values import PlainValues
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

PROBLEMS = 60
EPISODES = 150
"""For each problem: 9,000 episodes."""
SHARE = 0.15
"""How often the agent does the opposite, where more than one goal is possible."""
PRICES = (QueryCost(0.5, 0.0), QueryCost(0.3, 0.1), QueryCost(0.8, 0.2))
PRIORS = ("far", "uniform", "near")
TOLERANCE = 1e-6
OVER, UNDER = "over-asking", "under-asking"

Label = tuple[str, int]
"""A trace by its name, and a step of it."""


@dataclass(frozen=True)
class Played:
    """The episodes of one problem.

    Attributes:
        planted: steps in which the agent did the opposite.
        mistakes: all steps that were over- or under-asking, as the plain values say.
    """

    planted: dict[Label, str]
    mistakes: dict[Label, str]
    steps: int


class Contrary(Agent):
    """Plays by another agent, and does the opposite now and then."""

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


def problem_of(number_: int) -> ToolFetching:
    """Return one of the small problems; prices and priors take turns."""
    drawn = generate(
        width=5, stations=4, toolboxes=2, walls=0.1 * (number_ % 2), seed=np.random.SeedSequence([18, number_])
    )
    return ToolFetching(drawn).with_terms(Prior(PRIORS[number_ % 3]), PRICES[number_ // 3 % 3])


def play(job: tuple[int, int, Path]) -> Played:
    """Play and write the episodes of one problem, and label their steps."""
    number_, episodes, folder = job
    problem = problem_of(number_)
    agent, plain = Contrary(Optimal()), PlainValues(problem)
    planted: dict[Label, str] = {}
    mistakes: dict[Label, str] = {}
    steps = 0
    for k in range(episodes):
        name = str(folder / f"{number_:03d}-{k:04d}.json")
        episode = simulate(problem, agent, seed=np.random.SeedSequence([18, number_, k]))
        trace.save(episode, name)
        planted.update({(name, t): kind for t, kind in agent.planted.items()})
        mistakes.update({(name, t): kind for t, kind in _labelled(episode, plain).items()})
        steps += len(episode.steps)
    return Played(planted, mistakes, steps)


def _labelled(episode: Episode, plain: PlainValues) -> dict[int, str]:
    """Return the steps that were over- or under-asking, by the plain values."""
    tracker, found = Tracker(episode.problem, "bayes"), {}
    for step, seen in zip(episode.steps, episode.observations, strict=True):
        tracker.update(seen)
        belief = tuple((int(g), float(tracker.probabilities[g])) for g in np.flatnonzero(tracker.probabilities > 0))
        where = belief, step.state.teammate, step.state.ego
        act, ask = plain.acting(*where), plain.asking(*where)
        if step.decision.ask is not None:
            if ask > act + TOLERANCE:
                found[step.t] = OVER
        elif act > ask + TOLERANCE:
            found[step.t] = UNDER
    return found


def run(quick: bool) -> list[Table]:
    """Plant, audit, compare."""
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
            began = perf_counter()
            found = audit(folder, judge=judge, tolerance=TOLERANCE, workers=2)
            tables.append((judge, found, perf_counter() - began))
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
            f"{len(planted):,} times the agent did the opposite; {len(real):,} of these were mistakes by the plain "
            f"values: {kinds[OVER]:,} questions too many, {kinds[UNDER]:,} withheld; {elsewhere} mistakes elsewhere",
            "false: flagged as over- or under-asking, but not planted, or no mistake by the plain values",
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

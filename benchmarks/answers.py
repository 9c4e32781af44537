"""Episodes with wrong and refused answers: whether every episode ends, and what each method costs.

Maps of 8 x 8 cells with 8 stations and 3 toolboxes; `benchmarks.answers_exactly` has smaller ones, with exact
expectations. A question costs 0.5, the paper's price for a question about any number of stations. A condition is a rate
of wrong and of refused answers, a kind of errors, a prior and a teammate.

Common random numbers: within a condition all methods meet the same maps, goals, teammates and answer errors. If the
first question is misunderstood, it is misunderstood for all of them. All methods know how often answers are wrong or
refused, except two planners that trust answers (`benchmarks.trusting`). No setting of the planner was chosen on these
episodes. `benchmarks.answers_compared` computes the tables.
"""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askwise import simulate
from askwise.core.answers import same_question, truth
from askwise.core.episode import Episode
from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Agent
from benchmarks.answers_compared import Condition, Played, save_tables, tables
from benchmarks.tools.processes import compute_missing
from benchmarks.tools.report import Table
from benchmarks.trusting import AskingTwice, Trusting

SIZES = {8: (8, 3)}
"""Numbers of stations and toolboxes by the side of the map; every size in this table is played."""
COST = QueryCost(0.5)
WRONG, REFUSED, ERRORS = (0.05, 0.1, 0.2), (0.0, 0.3), ("independent", "persistent")
PRIORS, TEAMMATES = ("far", "uniform", "near"), ("urop", "noisy:0.1")
TRUSTING = {Trusting.name: Trusting, AskingTwice.name: AskingTwice}
COMPARED = ("planner", *TRUSTING)
METHODS = (*COMPARED, "planner-light", "ezq", "ezq-local", "cost-prob", "toolbox", "baseline", "never")
EPISODES = 100
"""Episodes in each condition."""
BLOCK_SIZE = 50
"""Episodes that are played, and written to the file, together."""
FIRST_SEED = 50_000
"""Far from the seeds on which settings were chosen."""
FILE = Path("out/bench/answers.csv")
"""Each block is written to this file at once, so an interrupted run can be resumed."""


class Block(NamedTuple):
    """Consecutive episodes of one method in one condition, from the episode number `first`."""

    side: int
    wrong: float
    refused: float
    errors: str
    prior: str
    teammate: str
    method: str
    first: int
    episodes: int

    @property
    def condition(self) -> Condition:
        """The condition of these episodes."""
        return self[1:6]


def play(block: Block) -> Played:
    """Play the episodes of a block."""
    answers = f"wrong:{block.wrong},refused:{block.refused},{block.errors}"
    costs, excess = [], []
    stations, toolboxes = SIZES[block.side]
    for seed in range(FIRST_SEED + block.first, FIRST_SEED + block.first + block.episodes):
        drawn = generate(
            size=block.side,
            stations=stations,
            toolboxes=toolboxes,
            seed=seed,
            prior=Prior(block.prior),
            query_cost=COST,
        )
        agent: Agent | str = block.method
        if block.method in TRUSTING:
            agent = TRUSTING[block.method](belief="bayes" if block.teammate == "urop" else "robust")
        episode = simulate(ToolFetching(drawn), agent, block.teammate, seed=FIRST_SEED + seed, answers=answers)
        costs.append(episode.marginal_cost)
        excess.append(excess_errors(episode))
    return Played(np.array(costs), np.array(excess))


def excess_errors(episode: Episode) -> float:
    """Return the number of wrong answers of an episode minus the expected number.

    If errors persist, repeated questions are counted once.
    """
    problem, seen, excess = episode.problem, set(), 0.0
    for step in episode.steps:
        answer = step.answer
        if answer is None or answer.reply is None:
            continue
        question = same_question(answer.asked, len(problem.goals))
        if problem.answers.persistent and question in seen:
            continue
        seen.add(question)
        excess += (answer.reply != truth(answer.asked, episode.goal)) - problem.answers.wrong
    return excess


def run(quick: bool) -> list[Table]:
    """Play the blocks that are not in the file yet, the first block of every condition before the second."""
    conditions = list(product(WRONG, REFUSED, ERRORS, PRIORS, TEAMMATES))[slice(0, None, 30) if quick else slice(None)]
    size = 2 if quick else BLOCK_SIZE
    blocks = [
        Block(side, *condition, method, first, size)
        for side in SIZES
        for first in range(0, 1 if quick else EPISODES, size)
        for condition in conditions
        for method in METHODS
    ]
    blocks.sort(key=lambda block: (block.side, block.method not in COMPARED))
    path = FILE.with_stem("quick-answers") if quick else FILE
    played = compute_missing(blocks, _read(path), play, lambda block, each: [*block, *each.costs, *each.excess], path)
    found: list[Table] = []
    for side, (stations, _) in SIZES.items():
        by_condition = _by_condition({block: each for block, each in played.items() if block.side == side})
        named = tables(by_condition, tuple(TRUSTING), f"{side} x {side} cells, {stations} stations")
        if not quick:
            save_tables(named, FILE.with_name(f"answers-{side}"))
        found.extend(named.values())
    return found


def _read(path: Path) -> dict[Block, Played]:
    """Return the blocks of earlier runs; incomplete lines are ignored, so these blocks are played again."""
    found: dict[Block, Played] = {}
    if not path.exists():
        return found
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            side, wrong, refused, errors, prior, teammate, method, first, episodes, *rest = row
            condition = float(wrong), float(refused), errors, prior, teammate
            block = Block(int(side), *condition, method, int(first), int(episodes))
            if len(rest) == 2 * block.episodes:
                numbers = np.array(rest, dtype=np.float64)
                found[block] = Played(numbers[: block.episodes], numbers[block.episodes :])
    return found


def _by_condition(played: dict[Block, Played]) -> dict[Condition, dict[str, Played]]:
    """Return the episodes of each method in each condition, sorted as in the tables."""
    parts: dict[Condition, dict[str, list[Played]]] = {}
    for block, found in sorted(played.items(), key=lambda item: (METHODS.index(item[0].method), item[0].first)):
        parts.setdefault(block.condition, {}).setdefault(block.method, []).append(found)
    joined = {
        condition: {name: Played(*map(np.concatenate, zip(*found, strict=True))) for name, found in by_method.items()}
        for condition, by_method in parts.items()
    }
    return dict(sorted(joined.items(), key=lambda item: (item[0][3], item[0][4], item[0][2], *item[0][:2])))

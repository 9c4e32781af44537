"""Answers as people give them: whether every episode ends, and what it costs, beside planners that do not doubt them.

Maps of 8 x 8 cells with 8 stations and 3 toolboxes; `benchmarks.answers_exactly` has smaller ones, for which it knows
what is to be expected. A question costs 0.5: the paper's price for one that names any number of stations. Every method
meets the same maps, goals and teammates, and the same luck with answers: its first question is misunderstood in the
same episodes as everybody's first, and so on. All methods know how often answers are wrong or missing, but for
*trusting*, which believes them all, and *asks twice*, which believes what two replies agree on
(`benchmarks.believing`); both forget all answers when the teammate does what contradicts them. None of the episodes
served to choose a setting of the planner. `benchmarks.answers_compared` says what came out.
"""

from __future__ import annotations

import csv
import os
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
from benchmarks.answers_compared import Place, Played, save_tables, tables
from benchmarks.believing import Trusting, Twice
from benchmarks.pool import process_pool
from benchmarks.report import Table, progress

SIZES = {8: (8, 3)}
"""Stations and toolboxes by the side of the map; every size that is listed here is played."""
COST = QueryCost(0.5)
WRONG, REFUSED, ERRORS = (0.05, 0.1, 0.2), (0.0, 0.3), ("independent", "persistent")
PRIORS, TEAMMATES = ("far", "uniform", "near"), ("urop", "noisy:0.1")
BELIEVING = {Trusting.name: Trusting, Twice.name: Twice}
COMPARED = ("planner", *BELIEVING)
METHODS = (*COMPARED, "planner-light", "ezq", "ezq-local", "cost-prob", "toolbox", "baseline", "never")
EPISODES = 100
"""Episodes a cell."""
TOGETHER = 50
"""Episodes that are played and written down together."""
FIRST_SEED = 50_000
"""Far from those on which settings were chosen."""
FILE = Path("out/bench/answers.csv")
"""Where costs are kept as they come: a run that was stopped goes on where it was."""


class Block(NamedTuple):
    """Some episodes of one method in one place."""

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
    def place(self) -> Place:
        """Where it is played."""
        return self[1:6]


def play(block: Block) -> Played:
    """Play the episodes of a block."""
    answers = f"wrong:{block.wrong},refused:{block.refused},{block.errors}"
    costs, luck = [], []
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
        if block.method in BELIEVING:
            agent = BELIEVING[block.method](belief="bayes" if block.teammate == "urop" else "robust")
        episode = simulate(ToolFetching(drawn), agent, block.teammate, seed=FIRST_SEED + seed, answers=answers)
        costs.append(episode.marginal_cost)
        luck.append(bad_luck(episode))
    return Played(np.array(costs), np.array(luck))


def bad_luck(episode: Episode) -> float:
    """Return how many answers of an episode were wrong beyond what is to be expected; repeated ones count once."""
    problem, seen, luck = episode.problem, set(), 0.0
    for step in episode.steps:
        answer = step.answer
        if answer is None or answer.reply is None:
            continue
        question = same_question(answer.asked, len(problem.goals))
        if problem.answers.persistent and question in seen:
            continue
        seen.add(question)
        luck += (answer.reply != truth(answer.asked, episode.goal)) - problem.answers.wrong
    return luck


def run(quick: bool) -> list[Table]:
    """Play all that is not in the file yet: first some episodes everywhere, then more."""
    places = list(product(WRONG, REFUSED, ERRORS, PRIORS, TEAMMATES))[slice(0, None, 30) if quick else slice(None)]
    together = 2 if quick else TOGETHER
    blocks = [
        Block(side, *place, method, first, together)
        for side in SIZES
        for first in range(0, 1 if quick else EPISODES, together)
        for place in places
        for method in METHODS
    ]
    blocks.sort(key=lambda block: (block.side, block.method not in COMPARED))
    played = _played(blocks, FILE.with_stem("quick-answers") if quick else FILE)
    found: list[Table] = []
    for side, (stations, _) in SIZES.items():
        by_place = _by_place({block: each for block, each in played.items() if block.side == side})
        told = tables(by_place, tuple(BELIEVING), f"{side} x {side} cells, {stations} stations")
        if not quick:
            save_tables(told, FILE.with_name(f"answers-{side}"))
        found.extend(told.values())
    return found


def _played(blocks: list[Block], path: Path) -> dict[Block, Played]:
    found = _read(path)
    missing = [block for block in blocks if block not in found]
    path.parent.mkdir(parents=True, exist_ok=True)
    with process_pool() as pool, path.open("a", encoding="utf-8", newline="") as file:
        for k, (block, played) in enumerate(zip(missing, pool.map(play, missing), strict=True)):
            csv.writer(file).writerow([*block, *played.costs, *played.luck])
            file.flush()
            os.fsync(file.fileno())
            found[block] = played
            progress(f"answers: {k + 1} of {len(missing)} blocks of episodes")
    return {block: found[block] for block in blocks}


def _read(path: Path) -> dict[Block, Played]:
    """Return what was played before; a line that was cut off is played again."""
    found: dict[Block, Played] = {}
    if not path.exists():
        return found
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            side, wrong, refused, errors, prior, teammate, method, first, episodes, *rest = row
            where = int(side), float(wrong), float(refused), errors, prior, teammate
            block = Block(*where, method, int(first), int(episodes))
            if len(rest) == 2 * block.episodes:
                numbers = np.array(rest, dtype=np.float64)
                found[block] = Played(numbers[: block.episodes], numbers[block.episodes :])
    return found


def _by_place(played: dict[Block, Played]) -> dict[Place, dict[str, Played]]:
    """Return all episodes of each method in each place, in the order in which tables show the places."""
    parts: dict[Place, dict[str, list[Played]]] = {}
    for block, found in sorted(played.items(), key=lambda item: (METHODS.index(item[0].method), item[0].first)):
        parts.setdefault(block.place, {}).setdefault(block.method, []).append(found)
    joined = {
        place: {name: Played(*map(np.concatenate, zip(*found, strict=True))) for name, found in by_method.items()}
        for place, by_method in parts.items()
    }
    return dict(sorted(joined.items(), key=lambda item: (item[0][3], item[0][4], item[0][2], *item[0][:2])))

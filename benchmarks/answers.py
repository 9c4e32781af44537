"""Answers as people give them: whether every episode ends, and what it costs, beside planners that do not doubt them.

Two sizes: 6 x 6 cells with 5 stations and 2 toolboxes, for which `benchmarks.answers_exactly` knows what is to be
expected; and 12 x 12 cells with 12 stations and 4 toolboxes, which takes the better part of an hour. A question costs
0.5: the paper's price for one that names any number of stations. Every method meets the same maps, goals and teammates,
and the same luck with answers: its first question is misunderstood in the same episodes as everybody's first, and so
on. All methods know how often answers are wrong or missing, but for *trusting*, which believes them all, and *asks
twice*, which believes what two replies agree on (`benchmarks.believing`); both forget all answers when the teammate
does what contradicts them. None of the episodes served to choose a setting of the planner.

**Luck.** Most of the spread of the costs comes from how many answers happen to be wrong. Each answer is wrong with
probability ``e`` whatever was before, so the wrong answers of an episode, less ``e`` for each answer, have the mean 0
for every method. Differences of costs are told as they come, and once more with their best linear prediction from that
number taken off (a control variate), which leaves their mean as it is and makes it surer.
"""

from __future__ import annotations

import csv
import os
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askwise.agents import Agent
from askwise.answers import same_question, truth
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.episode import Episode
from askwise.questions import QueryCost
from askwise.simulation import simulate
from askwise.types import FloatArray
from benchmarks.believing import Trusting, Twice
from benchmarks.pool import process_pool
from benchmarks.report import Column, Table, count, number, progress

SIZES = {6: (5, 2), 12: (12, 4)}
"""Stations and toolboxes by the side of the map."""
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

Place = tuple[float, float, str, str, str]
"""Wrong, refused, kind of errors, prior, teammate."""


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


class Played(NamedTuple):
    """What came out, one number for each episode.

    Attributes:
        costs: marginal costs, nan where an episode did not end.
        luck: how many answers were wrong beyond what is to be expected.
    """

    costs: FloatArray
    luck: FloatArray


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
    return [table for side in SIZES for table in tables(played, side)]


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


# -- what came out -----------------------------------------------------------------------------------------------


def tables(played: dict[Block, Played], side: int) -> list[Table]:
    """Return mean costs on maps of one size, differences, and the verdict on them."""
    places = _by_place({block: found for block, found in played.items() if block.side == side})
    gaps = {
        other: {place: gap_of(found[other], found["planner"]) for place, found in places.items()} for other in BELIEVING
    }
    return [_means(places, side), _differences(places, gaps, side), _verdicts(gaps, side)]


class Gap(NamedTuple):
    """How much dearer another method is than the planner, in the same episodes.

    Attributes:
        mean: mean of the differences.
        error: its standard error.
        steady: the same mean with luck taken off.
        steady_error: its standard error.
    """

    mean: float
    error: float
    steady: float
    steady_error: float


def gap_of(other: Played, planner: Played) -> Gap:
    """Compare a method with the planner; episodes that did not end are left out."""
    gaps = other.costs - planner.costs
    ended = ~np.isnan(gaps)
    gaps, luck = gaps[ended], np.column_stack([other.luck, planner.luck])[ended]
    # Regression on what has the mean 0: its constant is the mean difference, freed of luck.
    design = np.column_stack([np.ones(gaps.size), luck[:, np.ptp(luck, axis=0) > 0]])
    factors = np.linalg.lstsq(design, gaps, rcond=None)[0]
    left = gaps - design @ factors
    freedom = max(1, gaps.size - design.shape[1])
    return Gap(
        mean=float(gaps.mean()),
        error=float(gaps.std(ddof=1) / np.sqrt(gaps.size)),
        steady=float(factors[0]),
        steady_error=float(np.sqrt((left**2).sum() / freedom / gaps.size)),
    )


def _means(places: dict[Place, dict[str, Played]], side: int) -> Table:
    table = Table(
        f"Answers that are wrong or missing: mean marginal cost ({_size(side)})",
        [*WHERE, *(number(method, 3) for method in METHODS), count("episodes"), count("ended")],
        notes=["the same maps, goals, teammates and luck for all methods"],
    )
    for place, found in places.items():
        means = [float(np.nanmean(found[method].costs)) for method in METHODS]
        costs = np.concatenate([each.costs for each in found.values()])
        table.rows.append([*_told(place), *means, costs.size, int(np.count_nonzero(~np.isnan(costs)))])
    return table


def _differences(places: dict[Place, dict[str, Played]], gaps: dict[str, dict[Place, Gap]], side: int) -> Table:
    table = Table(
        f"How much dearer planners are that do not doubt answers ({_size(side)})",
        [
            *WHERE,
            *(
                number(f"{other}, {what}", 3)
                for other in BELIEVING
                for what in ("dearer by", "error", "luck taken off", "its error")
            ),
        ],
        notes=["mean difference to the planner in the same episodes, and its standard error"],
    )
    for place in places:
        table.rows.append([*_told(place), *(value for other in BELIEVING for value in gaps[other][place])])
    return table


def _verdicts(gaps: dict[str, dict[Place, Gap]], side: int) -> Table:
    table = Table(
        f"The planner beside planners that do not doubt answers ({_size(side)})",
        [
            Column("other"),
            Column("difference"),
            count("cells"),
            count("planner cheaper"),
            count("clearly"),
            count("clearly dearer"),
            number("mean", 3),
            number("least", 3),
            number("standard error", 3),
            Column("where"),
        ],
        notes=["clearly: by more than two standard errors"],
    )
    for other, by_place in gaps.items():
        ways = {
            "as it came": {place: (gap.mean, gap.error) for place, gap in by_place.items()},
            "luck taken off": {place: (gap.steady, gap.steady_error) for place, gap in by_place.items()},
        }
        for name, pairs in ways.items():
            least = min(pairs, key=pairs.__getitem__)
            means, errors = (np.array(part) for part in zip(*pairs.values(), strict=True))
            judged = [int((means > 0).sum()), int((means > 2 * errors).sum()), int((means < -2 * errors).sum())]
            row = [other, name, len(pairs), *judged, float(means.mean()), *pairs[least], " ".join(map(str, least))]
            table.rows.append(row)
    return table


WHERE = [Column("prior"), Column("teammate"), Column("errors"), number("wrong", 2), number("refused", 2)]


def _size(side: int) -> str:
    return f"{side} x {side} cells, {SIZES[side][0]} stations"


def _told(place: Place) -> list[object]:
    wrong, refused, errors, prior, teammate = place
    return [prior, teammate, errors, wrong, refused]


def _by_place(played: dict[Block, Played]) -> dict[Place, dict[str, Played]]:
    parts: dict[Place, dict[str, list[Played]]] = {}
    for block, found in sorted(played.items(), key=lambda item: item[0].first):
        parts.setdefault(block.place, {}).setdefault(block.method, []).append(found)
    joined = {
        place: {name: Played(*map(np.concatenate, zip(*found, strict=True))) for name, found in by_method.items()}
        for place, by_method in parts.items()
    }
    return dict(sorted(joined.items(), key=lambda item: (item[0][3], item[0][4], item[0][2], *item[0][:2])))

"""What came out of `benchmarks.answers`: mean costs, the planner beside others, and how sure that is.

**The same episodes.** All methods meet the same maps, goals and luck, so what counts is the difference of the costs in
each episode. Cells share maps and goals too: the mean over several cells is taken episode by episode first, and its
standard error is that of these means.

**Luck.** Most of the spread of the costs comes from how many answers happen to be wrong. Each answer is wrong with
probability ``e`` whatever was before, so the wrong answers of an episode, less ``e`` for each answer, have the mean 0
for every method. Differences of costs are told as they come, and once more with what luck explains of them taken off (a
control variate), which leaves their mean as it is and makes it surer. How much a wrong answer explains is learnt by
linear regression from all cells with the same prior and share of wrong answers, and never from the episodes in which it
is then taken off: learnt from the same few, it would explain them too well, and the error would come out too small.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askwise.types import FloatArray
from benchmarks.report import Column, Table, count, number

PLANNER = "planner"
SURE = 2.0
"""Standard errors from which on a difference is called clear."""

SAME = 1e-9
"""Means are equal up to rounding."""
FOLDS = 10
"""Luck is taken off in every tenth episode by what the others tell of it."""

Place = tuple[float, float, str, str, str]
"""Wrong, refused, kind of errors, prior, teammate."""


class Played(NamedTuple):
    """What came out, one number for each episode.

    Attributes:
        costs: marginal costs, nan where an episode did not end.
        luck: how many answers were wrong beyond what is to be expected.
    """

    costs: FloatArray
    luck: FloatArray


Places = dict[Place, dict[str, Played]]
"""The episodes of each method in each place."""


class Mean(NamedTuple):
    """A mean and its standard error."""

    value: float
    error: float

    @property
    def sure(self) -> int:
        """1 if it is clearly above 0, -1 if clearly below, else 0."""
        return int(self.value > SURE * self.error) - int(self.value < -SURE * self.error)


class Gaps(NamedTuple):
    """How much dearer another method is than the planner in the same episodes, one number for each episode.

    Attributes:
        plain: differences as they came, nan where one of the two did not end.
        steady: the same with luck taken off.
    """

    plain: FloatArray
    steady: FloatArray


AllGaps = dict[str, dict[Place, Gaps]]
"""By the method that the planner is compared with."""


def tables(places: Places, others: tuple[str, ...], size: str) -> dict[str, Table]:
    """Return mean costs on maps of one size, differences to the planner, and verdicts on them, by name."""
    gaps = {other: gaps_of(places, other) for other in others}
    return {
        "methods": _methods(places, size),
        "means": _means(places, size),
        "differences": _differences(places, gaps, size),
        "groups": _groups(places, gaps, size),
        "verdicts": _verdicts(gaps, size),
    }


def save_tables(found: dict[str, Table], stem: Path) -> None:
    """Write each table as a file of its own, numbers as they are shown."""
    for name, table in found.items():
        table.save_csv(stem.with_name(f"{stem.name}-{name}.csv"))


# -- means and differences ---------------------------------------------------------------------------------------


def mean_of(values: FloatArray) -> Mean:
    """Return the mean of what is a number, and its standard error."""
    values = values[~np.isnan(values)]
    spread = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    return Mean(float(values.mean()), spread / values.size**0.5)


def gaps_of(places: Places, other: str) -> dict[Place, Gaps]:
    """Compare a method with the planner in every place."""
    found: dict[Place, Gaps] = {}
    for prior, wrong in _groups_of(places):
        cells = {place: each for place, each in places.items() if (place[3], place[0]) == (prior, wrong)}
        plain = np.array([each[other].costs - each[PLANNER].costs for each in cells.values()])
        luck = np.array([np.column_stack([each[other].luck, each[PLANNER].luck]) for each in cells.values()])
        steady = without_luck(plain, luck)
        found |= {place: Gaps(plain[k], steady[k]) for k, place in enumerate(cells)}
    return {place: found[place] for place in places}


def without_luck(gaps: FloatArray, luck: FloatArray) -> FloatArray:
    """Take off what luck explains, as learnt from other episodes.

    Args:
        gaps: ``float64 [n_cells, n_episodes]``; nan is left out and stays.
        luck: ``float64 [n_cells, n_episodes, n_kinds]``, of mean 0.
    """
    steady, fold = gaps.copy(), np.arange(gaps.shape[1]) % FOLDS
    for k in range(FOLDS):
        known = ~np.isnan(gaps) & (fold != k)
        design = np.column_stack([np.ones(known.sum()), luck[known]])
        factors = np.linalg.lstsq(design, gaps[known], rcond=None)[0]
        steady[:, fold == k] -= luck[:, fold == k] @ factors[1:]
    return steady


def _groups_of(places: Iterable[Place]) -> list[tuple[str, float]]:
    return list(dict.fromkeys((place[3], place[0]) for place in places))


# -- tables ------------------------------------------------------------------------------------------------------


def _with_error(name: str) -> Column:
    return Column(name, lambda mean: f"{mean.value:.2f} ± {mean.error:.2f}")


def _signed(name: str) -> Column:
    return Column(name, lambda mean: f"{mean.value:+.3f} ± {mean.error:.3f}")


def _compared(others: Iterable[str]) -> list[Column]:
    return [_signed(f"{other}, {way}") for other in others for way in ("dearer by", "luck taken off")]


WHERE = [Column("prior"), Column("teammate"), Column("errors"), number("wrong", 2), number("refused", 2)]


def _told(place: Place) -> list[object]:
    wrong, refused, errors, prior, teammate = place
    return [prior, teammate, errors, wrong, refused]


def _methods(places: Places, size: str) -> Table:
    """Return what each method costs over all cells, and whether its episodes ended."""
    table = Table(
        f"Answers that are wrong or missing: all methods over all cells ({size})",
        [
            Column("method"),
            _with_error("mean marginal cost"),
            count("cells"),
            count("of them cheaper than the planner"),
            count("episodes"),
            count("ended"),
        ],
        notes=["± one standard error, of means over all cells, episode by episode"],
    )
    for method in next(iter(places.values())):
        costs = [found[method].costs for found in places.values()]
        means = [(mean_of(found[method].costs).value, mean_of(found[PLANNER].costs).value) for found in places.values()]
        cheaper = sum(mine < planner - SAME for mine, planner in means)
        ended = int(np.count_nonzero(~np.isnan(costs)))
        table.rows.append([method, mean_of(_pooled(costs)), len(costs), cheaper, np.size(costs), ended])
    return table


def _means(places: Places, size: str) -> Table:
    methods = list(next(iter(places.values())))
    table = Table(
        f"Answers that are wrong or missing: mean marginal cost ({size})",
        [*WHERE, *map(_with_error, methods), count("episodes"), count("ended")],
        notes=["the same maps, goals, teammates and luck for all methods; ± one standard error"],
    )
    for place, found in places.items():
        costs = np.concatenate([each.costs for each in found.values()])
        means = [mean_of(found[method].costs) for method in methods]
        table.rows.append([*_told(place), *means, costs.size, int(np.count_nonzero(~np.isnan(costs)))])
    return table


def _differences(places: Places, gaps: AllGaps, size: str) -> Table:
    table = Table(
        f"How much dearer planners are that do not doubt answers ({size})",
        [*WHERE, *_compared(gaps)],
        notes=["mean difference to the planner in the same episodes, ± one standard error"],
    )
    for place in places:
        means = [mean_of(part) for by_place in gaps.values() for part in by_place[place]]
        table.rows.append([*_told(place), *means])
    return table


def _groups(places: Places, gaps: AllGaps, size: str) -> Table:
    """Return differences over all cells with one prior and one share of wrong answers, with one share, and over all."""
    table = Table(
        f"How much dearer planners are that do not doubt answers, over many cells ({size})",
        [Column("prior"), Column("wrong"), count("cells"), number(PLANNER, 3), *_compared(gaps)],
        notes=["means over kinds of errors, refusals and teammates, episode by episode; ± one standard error"],
    )
    every = _groups_of(places)
    groups = {(prior, f"{wrong:g}"): [(prior, wrong)] for prior, wrong in every}
    groups |= {("all", f"{wrong:g}"): [group for group in every if group[1] == wrong] for _, wrong in every}
    for named, members in {**groups, ("all", "all"): every}.items():
        cells = [place for place in places if (place[3], place[0]) in members]
        cost = mean_of(_pooled([places[place][PLANNER].costs for place in cells])).value
        means = [
            mean_of(_pooled([by_place[place][k] for place in cells])) for by_place in gaps.values() for k in range(2)
        ]
        table.rows.append([*named, len(cells), cost, *means])
    return table


def _pooled(parts: list[FloatArray]) -> FloatArray:
    """Return the means over several cells, episode by episode."""
    return np.asarray(np.mean(parts, axis=0))


def _verdicts(gaps: AllGaps, size: str) -> Table:
    table = Table(
        f"The planner beside planners that do not doubt answers ({size})",
        [
            Column("other"),
            Column("difference"),
            *map(count, ("cells", "planner cheaper", "equal", "planner dearer", "clearly cheaper", "clearly dearer")),
            _signed("mean difference"),
            _signed("least"),
            Column("where"),
        ],
        notes=[f"clearly: by more than {SURE:g} standard errors"],
    )
    for other, by_place in gaps.items():
        for k, way in enumerate(("as it came", "luck taken off")):
            means = {place: mean_of(found[k]) for place, found in by_place.items()}
            over_all = mean_of(_pooled([found[k] for found in by_place.values()]))
            least = min(means, key=lambda place: means[place].value)
            where = ", ".join(str(part) for part in _told(least))
            table.rows.append([other, way, len(means), *_counted(means.values()), over_all, means[least], where])
    return table


def _counted(means: Iterable[Mean]) -> list[int]:
    """Return in how many cells the planner is cheaper, level, dearer, clearly cheaper, clearly dearer."""
    means = list(means)
    signs = [int(mean.value > SAME) - int(mean.value < -SAME) for mean in means]
    return [*(signs.count(sign) for sign in (1, 0, -1)), *([mean.sure for mean in means].count(k) for k in (1, -1))]

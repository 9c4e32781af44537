"""Tables of the costs that `benchmarks.answers` measures: means, and differences from the planner with standard errors.

**Common random numbers.** All methods meet the same maps, goals and answer errors. So the difference of the costs in
the same episode is measured. Conditions share maps and goals too: a mean over several conditions is taken episode by
episode first, and its standard error is that of these means.

**A control variate.** Costs vary mostly because the number of wrong answers varies. Each answer is wrong with
probability ``e``, independently of what happened before. So the wrong answers of an episode, minus ``e`` for each
answer, have mean 0 for every method: the *excess*. Each difference is reported twice, as measured and *adjusted*, with
the part subtracted that the excess explains. The adjustment does not change the mean and reduces its standard error.
How much a wrong answer explains is estimated by linear regression over all conditions with the same prior and rate of
wrong answers, and never from the episodes that are then adjusted: estimated from the same few, it would explain too
much, and the standard error would be too small.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askwise.types import FloatArray
from benchmarks.tools.report import Column, Table, count, number

PLANNER = "planner"
CLEAR = 2.0
"""A difference is called clear if it is above this many standard errors."""
SAME = 1e-9
"""Means that differ by less are equal: the rest is rounding."""
FOLDS = 10
"""Every tenth episode is adjusted by what the other episodes show."""

Condition = tuple[float, float, str, str, str]
"""Rates of wrong and refused answers, kind of errors, prior, teammate."""


class Played(NamedTuple):
    """The episodes of one method in one condition, one number for each.

    Attributes:
        costs: marginal costs; nan where an episode did not end.
        excess: the number of wrong answers minus the expected number.
    """

    costs: FloatArray
    excess: FloatArray


Conditions = dict[Condition, dict[str, Played]]
"""The episodes of each method in each condition."""


class Mean(NamedTuple):
    """A mean and its standard error."""

    value: float
    error: float

    @property
    def clear_sign(self) -> int:
        """1 if the mean is clearly above 0, -1 if it is clearly below, 0 otherwise."""
        return int(self.value > CLEAR * self.error) - int(self.value < -CLEAR * self.error)


class Differences(NamedTuple):
    """The costs of a method minus those of the planner in the same episodes.

    Attributes:
        measured: differences; nan where one of the two episodes did not end.
        adjusted: the differences after the adjustment by the control variate.
    """

    measured: FloatArray
    adjusted: FloatArray


AllDifferences = dict[str, dict[Condition, Differences]]
"""Differences by the name of the method that is compared with the planner."""


def tables(conditions: Conditions, others: tuple[str, ...], size: str) -> dict[str, Table]:
    """Return the tables about maps of one size by name.

    Args:
        conditions: the episodes.
        others: methods that are compared with the planner.
        size: what titles say about the maps.
    """
    differences = {other: differences_from_planner(conditions, other) for other in others}
    return {
        "methods": _methods(conditions, size),
        "means": _means(conditions, size),
        "differences": _differences(conditions, differences, size),
        "groups": _groups(conditions, differences, size),
        "verdicts": _verdicts(differences, size),
    }


def save_tables(found: dict[str, Table], stem: Path) -> None:
    """Write each table to a CSV file whose name is that of `stem`, a hyphen, and the table's name."""
    for name, table in found.items():
        table.save_csv(stem.with_name(f"{stem.name}-{name}.csv"))


# -- means and differences -------------------------------------------------------------------------------------------


def mean_of(values: FloatArray) -> Mean:
    """Return the mean of the values that are not nan, and its standard error."""
    values = values[~np.isnan(values)]
    spread = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    return Mean(float(values.mean()), spread / values.size**0.5)


def differences_from_planner(conditions: Conditions, other: str) -> dict[Condition, Differences]:
    """Compare a method with the planner in every condition."""
    found: dict[Condition, Differences] = {}
    for prior, wrong in _priors_and_rates(conditions):
        group = {key: each for key, each in conditions.items() if (key[3], key[0]) == (prior, wrong)}
        measured = np.array([each[other].costs - each[PLANNER].costs for each in group.values()])
        excess = np.array([np.column_stack([each[other].excess, each[PLANNER].excess]) for each in group.values()])
        adjusted = adjust(measured, excess)
        found |= {key: Differences(measured[k], adjusted[k]) for k, key in enumerate(group)}
    return {key: found[key] for key in conditions}


def adjust(differences: FloatArray, excess: FloatArray) -> FloatArray:
    """Subtract from differences of costs what the excess of wrong answers explains, estimated from other episodes.

    Args:
        differences: ``float64 [n_conditions, n_episodes]``; nan is left out of the estimate and stays nan.
        excess: ``float64 [n_conditions, n_episodes, n_variates]``, control variates with mean 0.
    """
    adjusted, fold = differences.copy(), np.arange(differences.shape[1]) % FOLDS
    for k in range(FOLDS):
        known = ~np.isnan(differences) & (fold != k)
        design = np.column_stack([np.ones(known.sum()), excess[known]])
        factors = np.linalg.lstsq(design, differences[known], rcond=None)[0]
        adjusted[:, fold == k] -= excess[:, fold == k] @ factors[1:]
    return adjusted


def _priors_and_rates(conditions: Iterable[Condition]) -> list[tuple[str, float]]:
    """Return each pair of a prior and a rate of wrong answers once."""
    return list(dict.fromkeys((condition[3], condition[0]) for condition in conditions))


# -- tables ----------------------------------------------------------------------------------------------------------


def _mean_column(name: str) -> Column:
    return Column(name, lambda mean: f"{mean.value:.2f} ± {mean.error:.2f}")


def _difference_column(name: str) -> Column:
    return Column(name, lambda mean: f"{mean.value:+.3f} ± {mean.error:.3f}")


def _difference_columns(others: Iterable[str]) -> list[Column]:
    return [_difference_column(f"{other} minus planner{kind}") for other in others for kind in ("", ", adjusted")]


CONDITION_COLUMNS = [Column("prior"), Column("teammate"), Column("errors"), number("wrong", 2), number("refused", 2)]


def _condition_values(condition: Condition) -> list[object]:
    """Return the values of a condition in the order of `CONDITION_COLUMNS`."""
    wrong, refused, errors, prior, teammate = condition
    return [prior, teammate, errors, wrong, refused]


def _methods(conditions: Conditions, size: str) -> Table:
    """Return the mean cost of each method over all conditions, and the number of its episodes that ended."""
    table = Table(
        f"Wrong and refused answers: all methods, means over all conditions ({size})",
        [
            Column("method"),
            _mean_column("mean marginal cost"),
            count("conditions"),
            count("cheaper than the planner in"),
            count("episodes"),
            count("ended"),
        ],
        notes=["± one standard error, over the means of the same episode in all conditions"],
    )
    for method in next(iter(conditions.values())):
        costs = [found[method].costs for found in conditions.values()]
        planner = [found[PLANNER].costs for found in conditions.values()]
        pairs = zip(costs, planner, strict=True)
        cheaper = sum(mean_of(mine).value < mean_of(theirs).value - SAME for mine, theirs in pairs)
        ended = int(np.count_nonzero(~np.isnan(costs)))
        table.rows.append([method, mean_of(_pool(costs)), len(costs), cheaper, np.size(costs), ended])
    return table


def _means(conditions: Conditions, size: str) -> Table:
    methods = list(next(iter(conditions.values())))
    table = Table(
        f"Wrong and refused answers: mean marginal cost ({size})",
        [*CONDITION_COLUMNS, *map(_mean_column, methods), count("episodes"), count("ended")],
        notes=["common random numbers: the same maps, goals, teammates and answer errors; ± one standard error"],
    )
    for condition, found in conditions.items():
        costs = np.concatenate([each.costs for each in found.values()])
        means = [mean_of(found[method].costs) for method in methods]
        ended = int(np.count_nonzero(~np.isnan(costs)))
        table.rows.append([*_condition_values(condition), *means, costs.size, ended])
    return table


def _differences(conditions: Conditions, differences: AllDifferences, size: str) -> Table:
    table = Table(
        f"How much more planners cost that trust answers ({size})",
        [*CONDITION_COLUMNS, *_difference_columns(differences)],
        notes=["mean difference from the planner in the same episodes, ± one standard error"],
    )
    for condition in conditions:
        means = [mean_of(part) for by_condition in differences.values() for part in by_condition[condition]]
        table.rows.append([*_condition_values(condition), *means])
    return table


def _groups(conditions: Conditions, differences: AllDifferences, size: str) -> Table:
    """Return mean differences for each prior and rate of wrong answers, for each rate, and over all conditions."""
    table = Table(
        f"How much more planners cost that trust answers, over several conditions ({size})",
        [
            Column("prior"),
            Column("wrong"),
            count("conditions"),
            number(PLANNER, 3),
            *_difference_columns(differences),
        ],
        notes=["means over kinds of errors, refusals and teammates, episode by episode; ± one standard error"],
    )
    every = _priors_and_rates(conditions)
    groups = {(prior, f"{wrong:g}"): [(prior, wrong)] for prior, wrong in every}
    groups |= {("all", f"{wrong:g}"): [group for group in every if group[1] == wrong] for _, wrong in every}
    for label, members in {**groups, ("all", "all"): every}.items():
        chosen = [each for each in conditions if (each[3], each[0]) in members]
        cost = mean_of(_pool([conditions[each][PLANNER].costs for each in chosen])).value
        means = [
            mean_of(_pool([by_condition[each][k] for each in chosen]))
            for by_condition in differences.values()
            for k in range(2)
        ]
        table.rows.append([*label, len(chosen), cost, *means])
    return table


def _pool(parts: list[FloatArray]) -> FloatArray:
    """Return the means over several conditions, episode by episode."""
    return np.asarray(np.mean(parts, axis=0))


def _verdicts(differences: AllDifferences, size: str) -> Table:
    table = Table(
        f"The planner compared with planners that trust answers ({size})",
        [
            Column("compared with"),
            Column("differences"),
            count("conditions"),
            count("planner cheaper"),
            count("equal"),
            count("planner more expensive"),
            count("clearly cheaper"),
            count("clearly more expensive"),
            _difference_column("mean difference"),
            _difference_column("smallest difference"),
            Column("condition of the smallest"),
        ],
        notes=[f"clearly: by more than {CLEAR:g} standard errors"],
    )
    for other, by_condition in differences.items():
        for k, kind in enumerate(Differences._fields):
            means = {condition: mean_of(found[k]) for condition, found in by_condition.items()}
            overall = mean_of(_pool([found[k] for found in by_condition.values()]))
            least = min(means, key=lambda condition: means[condition].value)
            where = ", ".join(str(part) for part in _condition_values(least))
            table.rows.append([other, kind, len(means), *_counts(means.values()), overall, means[least], where])
    return table


def _counts(means: Iterable[Mean]) -> list[int]:
    """Count the conditions in which the planner is cheaper, equal, more expensive, and clearly so (cheaper first)."""
    means = list(means)
    signs = [int(mean.value > SAME) - int(mean.value < -SAME) for mean in means]
    clear = [mean.clear_sign for mean in means]
    return [*(signs.count(sign) for sign in (1, 0, -1)), *(clear.count(sign) for sign in (1, -1))]

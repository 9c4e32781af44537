"""Statistics of a study with people: means by condition, comparisons of conditions, and tests of hypotheses.

The study file states hypotheses such as ``planner < quiet in workload``: the mean ``workload`` is smaller in the
condition ``planner`` than in ``quiet``. ``<`` and ``>`` are tested one-sided, ``!=`` two-sided. A person's values in a
condition are averaged first.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from askwise.text.reading import Field
from askwise.types import FloatArray

TESTS = {"within": ("paired t", "wilcoxon", "sign-flip"), "between": ("welch t", "mann-whitney", "permutation")}
"""The tests that a study file may state, by its design."""
CORRECTIONS = ("holm", "none")
SIDES = {"<": "less", ">": "greater", "!=": "two-sided"}
BEHAVIOUR = ("cost", "questions", "seconds per move", "seconds per answer")
"""Measures that every study has, in addition to its questionnaires."""
CLAIM = re.compile(r"(.+?) (<|>|!=) (.+ in .+)")
RESAMPLES = 9999
DIGITS = 9
"""Values that agree to this many decimals count as equal, so that rounding errors neither make nor break ties."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A hypothesis of a study: how the means of two conditions differ in a measure.

    Attributes:
        claim: the text, such as ``planner < quiet in workload``.
        first: the condition on the left.
        sign: ``<``, ``>`` or ``!=``.
        second: the condition on the right.
        measure: the measure.
        test: the statistical test, one of `TESTS`.
    """

    claim: str
    first: str
    sign: str
    second: str
    measure: str
    test: str

    def to_json(self) -> dict[str, str]:
        """Return the hypothesis as a JSON-compatible dict, with the attributes as keys."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AnalysisPlan:
    """The analysis that a study file states in advance.

    Attributes:
        hypotheses: the hypotheses.
        correction: ``holm`` (p values are corrected by Holm's method) or ``none``.
        alpha: a hypothesis is supported if its corrected p value is below this level.
    """

    hypotheses: tuple[Hypothesis, ...] = ()
    correction: str = "holm"
    alpha: float = 0.05

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a JSON-compatible dict, with the attributes as keys."""
        return {"hypotheses": [h.to_json() for h in self.hypotheses], **{k: getattr(self, k) for k in _SETTINGS}}


_SETTINGS = ("correction", "alpha")


def read_plan(root: Field, design: str, conditions: list[str], measures: list[str]) -> AnalysisPlan:
    """Read the tables ``hypotheses`` and ``analysis`` of a study file; both are optional.

    Raises `InputError` if a hypothesis names an unknown condition, measure or test. The `design` is ``within`` (each
    person plays all conditions) or ``between`` (one condition).
    """
    given = root.child("hypotheses").elements() if root.has("hypotheses") else ()
    found = tuple(_hypothesis(each, design, conditions, measures) for each in given)
    if not root.has("analysis"):
        return AnalysisPlan(found)
    settings = root.child("analysis").object([], _SETTINGS)
    correction = settings.child("correction").text(CORRECTIONS) if settings.has("correction") else "holm"
    alpha = settings.child("alpha").number(above=0) if settings.has("alpha") else 0.05
    if alpha >= 1:
        raise settings.child("alpha").refuse("a number below 1")
    return AnalysisPlan(found, correction, alpha)


def _hypothesis(given: Field, design: str, conditions: list[str], measures: list[str]) -> Hypothesis:
    given.object(["claim"], ["test"])
    claim = given.child("claim")
    parts = CLAIM.fullmatch(claim.text())
    if parts is None:
        raise claim.refuse('two conditions and a measure, such as "planner < quiet in workload"')
    first, sign, rest = parts.groups()
    # The name of a condition, or of a measure, may contain " in " too.
    splits = [(rest[: found.start()], rest[found.end() :]) for found in re.finditer(" in ", rest)]
    second, measure = next((split for split in splits if split[0] in conditions and split[1] in measures), splits[0])
    Field(f"{claim.path}: condition", first).text(conditions)
    Field(f"{claim.path}: condition", second).text([each for each in conditions if each != first])
    Field(f"{claim.path}: measure", measure).text(measures)
    test = given.child("test").text(TESTS[design]) if given.has("test") else TESTS[design][0]
    return Hypothesis(claim.text(), first, sign, second, measure, test)


# -- numbers -----------------------------------------------------------------------------------------------------


def mean_interval(values: FloatArray) -> dict[str, float | int | None]:
    """Return the mean of the numbers `values`, ``[n]``, with its 95 % confidence interval.

    Keys: ``n``, ``mean``, ``sd`` (standard deviation), ``low`` and ``high`` (the ends of the interval). Undefined
    numbers are None.
    """
    from scipy import stats

    n = int(values.size)
    found: dict[str, float | int | None] = {"n": n, "mean": float(values.mean()) if n else None}
    if n < 2:
        return {**found, "sd": None, "low": None, "high": None}
    sd = float(values.std(ddof=1))
    reach = float(stats.t.ppf(0.975, n - 1)) * sd / n**0.5
    return {**found, "sd": sd, "low": float(values.mean()) - reach, "high": float(values.mean()) + reach}


def difference(first: FloatArray, second: FloatArray, *, within: bool) -> dict[str, float | int | None]:
    """Return the mean of `first` minus the mean of `second`, with the 95 % confidence interval and the effect size.

    Keys: ``n`` (people), ``mean`` (the difference), ``low`` and ``high`` (the interval), and ``effect``: Cohen's ``d``
    or, if `within`, ``d_z`` (mean difference divided by the standard deviation of differences). Undefined numbers are
    None.

    Args:
        first: numbers of one condition, ``float64 [n_people]``.
        second: numbers of another condition, ``float64 [n_people]``.
        within: whether both have the same people in the same order.
    """
    from scipy import stats

    if within:
        apart = first - second
        found = mean_interval(apart)
        sd = found.pop("sd")
        effect = None if sd is None or _constant(apart) else float(apart.mean()) / sd
        return {**found, "effect": effect}
    known: dict[str, float | int | None] = {"n": int(first.size + second.size)}
    if min(first.size, second.size) < 2:
        return {**known, "mean": None, "low": None, "high": None, "effect": None}
    gap = float(first.mean() - second.mean())
    spread = ((first.size - 1) * first.var(ddof=1) + (second.size - 1) * second.var(ddof=1)) / (known["n"] - 2)  # type: ignore[operator]
    if _constant(first) and _constant(second):
        return {**known, "mean": gap, "low": gap, "high": gap, "effect": None}
    interval = stats.ttest_ind(first, second, equal_var=False).confidence_interval()
    effect = gap / float(spread) ** 0.5 if spread else None
    return {**known, "mean": gap, "low": float(interval.low), "high": float(interval.high), "effect": effect}


def _constant(values: FloatArray) -> bool:
    return not np.ptp(values.round(DIGITS))


def _certain(gap: float, side: str) -> float:
    """Return the p value for a t test of values that do not vary: 0 if `gap` fits the alternative, otherwise 1.

    `gap` is the first mean minus the second. The alternative `side` is ``less`` (the first mean is smaller),
    ``greater`` or ``two-sided``.
    """
    if side == "two-sided" or gap == 0:
        return 1.0 if gap == 0 else 0.0
    return 0.0 if (gap < 0) == (side == "less") else 1.0


def p_value(first: FloatArray, second: FloatArray, test: str, side: str = "two-sided") -> float | None:
    """Return the p value of a test of whether two conditions differ; None if it is undefined.

    Args:
        first: a number for each person in one condition, ``float64 [n_people]``.
        second: the same in another condition; in paired tests, of the same people in the same order.
        test: one of `TESTS`, such as ``paired t``.
        side: the alternative: ``less`` (`first` is smaller), ``greater`` or ``two-sided``.
    """
    from scipy import stats

    if min(first.size, second.size) < 2:
        return None
    paired = test in TESTS["within"]
    apart = (first - second).round(DIGITS) if paired else first
    if paired and not apart.any():
        return 1.0
    if test in ("sign-flip", "permutation"):
        # Swapping the two values of a person flips the sign of the difference.
        found = stats.permutation_test(
            (first, second),
            lambda a, b: np.mean(a) - np.mean(b),
            permutation_type="samples" if paired else "independent",
            alternative=side,
            n_resamples=RESAMPLES,
            random_state=np.random.default_rng(0),
        )
    elif test == "paired t":
        if _constant(apart):
            return _certain(float(apart.mean()), side)
        found = stats.ttest_rel(first, second, alternative=side)
    elif test == "wilcoxon":
        found = stats.wilcoxon(apart, alternative=side)
    elif test == "welch t":
        if _constant(first) and _constant(second):
            return _certain(round(float(first.mean() - second.mean()), DIGITS), side)
        found = stats.ttest_ind(first, second, equal_var=False, alternative=side)
    else:
        found = stats.mannwhitneyu(first.round(DIGITS), second.round(DIGITS), alternative=side)
    p = float(found.pvalue)
    return None if np.isnan(p) else p

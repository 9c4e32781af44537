"""What an evaluation says."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from askwise.lazy_module import Later
from askwise.types import Verdict

special = Later("scipy.special")

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Sampled(Verdict):
    """The verdict on an average over samples: nothing is proven, the standard error tells how far off it may be."""

    def __str__(self) -> str:
        return f"estimate, {self.method}"


def sampled(method: str, n: int) -> Verdict:
    """Return the verdict on an average over `n` episodes."""
    return Sampled(method, exact=False, error_bound=math.inf, iterations=n, converged=False)


@dataclass(frozen=True, slots=True)
class ButFor(Verdict):
    """The verdict on a sum over all that can happen but for what is next to impossible: its probability is said."""

    def __str__(self) -> str:
        return f"all but a probability of {self.error_bound:.1e}, {self.method}"


def but_for(method: str, left_out: float) -> Verdict:
    """Return the verdict where experiences of that probability were left out."""
    return ButFor(method, exact=False, error_bound=left_out)


@dataclass(frozen=True, slots=True)
class Within(Verdict):
    """The verdict on costs with a proven bound on their error, in the unit of the costs."""

    def __str__(self) -> str:
        return f"proven error at most {self.error_bound:.1e}, {self.method}"


def within(method: str, error: float) -> Verdict:
    """Return the verdict on costs that are off by at most `error`."""
    return Within(method, exact=False, error_bound=error)


@dataclass(frozen=True)
class Evaluation:
    """The expected cost of a method on one problem.

    Attributes:
        method: name of the agent.
        expected_cost: its expected cost.
        expected_marginal_cost: the same less what it would cost if the goal were known.
        verdict: exact, with a proven error, or an estimate from how many episodes.
        states: decisions that were taken to find out.
        stderr: standard error of both costs, 0 if they are exact.
        ci: interval that holds the marginal cost with 95 % confidence.
        seconds: time taken.
        questions: how many questions it was held to in an episode, None for any number.
    """

    method: str
    expected_cost: float
    expected_marginal_cost: float
    verdict: Verdict
    states: int
    stderr: float
    ci: tuple[float, float]
    seconds: float = field(compare=False)
    questions: int | None = None


def interval(mean: float, stderr: float, freedom: float) -> tuple[float, float]:
    """Return the interval of Student's t around a mean."""
    half = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) * stderr
    return mean - half, mean + half

"""Results of sampled divergence: the number of steps until one goal is ruled out while another one is pursued."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from askwise.errors import InputError, did_you_mean
from askwise.sampling.estimates import Interval, Survival, kaplan_meier
from askwise.text.wording import percent, printable
from askwise.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT = 20
"""Fewest runs from which mean further steps are estimated."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1)), (0, (5, 1, 1, 1)))
"""Line styles of survival curves, one for each pair in turn."""


@dataclass(frozen=True)
class SampledEdp:
    """Samples of the number of steps until the goal `other` is ruled out while the goal `truth` is pursued.

    Attributes:
        truth: the pursued goal.
        other: the goal to be ruled out.
        steps: ``int32 [n_runs]``, the step at which `other` was ruled out, or the run's last step.
        diverged: ``bool [n_runs]``, whether `other` was ruled out.
        interval: mean of `steps` with its 95 % interval.
        horizon: largest number of steps of a run.
        evidence: likelihood ratio, `other` to `truth`, that rules out `other`; unused with a `threshold`.
        narrow: whether the interval is as narrow as requested.
    """

    truth: str
    other: str
    steps: IntArray = field(repr=False)
    diverged: BoolArray = field(repr=False)
    interval: Interval
    horizon: int
    evidence: float
    narrow: bool

    @property
    def mean(self) -> float:
        """The mean of `steps`: an estimate of the expected number of steps until the other goal is ruled out.

        It estimates a lower bound if some runs ended before the other goal was ruled out.
        """
        return self.interval.mean

    @property
    def runs(self) -> int:
        """Number of runs that were sampled."""
        return int(self.steps.size)

    @property
    def censored(self) -> float:
        """The share of runs in which the other goal was not ruled out."""
        return float(1 - self.diverged.mean())

    @cached_property
    def survival(self) -> Survival:
        """The share of runs in which the other goal is not ruled out yet, after each step (Kaplan-Meier estimate)."""
        return kaplan_meier(self.steps, self.diverged)

    def quantile(self, q: float) -> float:
        """Return the first step by which a share `q` of runs has ruled out the other goal; ``inf`` if there is none."""
        if not 0 < q < 1:
            raise InputError("q", q, "a number between 0 and 1")
        return self.survival.quantile(q)

    def remaining(self, after: int) -> float:
        """Return the mean number of further steps until the other goal is ruled out, in runs longer than `after` steps.

        The mean is a lower bound if some of these runs did not rule it out, and ``inf`` if none did. With more than
        `LEFT` (20) runs, `after` is lowered until at least `LEFT` are longer.
        """
        if self.runs > LEFT:
            after = min(after, int(np.partition(self.steps, -LEFT)[-LEFT]) - 1)
        left = self.steps > after
        if not (left & self.diverged).any():
            return math.inf
        return float((self.steps[left] - after).mean())

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        text = f"{self.mean:.4g} (95 %: {self.interval.low:.4g} to {self.interval.high:.4g}; {self.runs:,} runs"
        if self.censored:
            text = f"at least {text}, {percent(self.censored)} of them censored"
        return text + (")" if self.narrow else "; not as narrow as asked)")


@dataclass(frozen=True)
class SampledDivergence:
    """How many steps it takes until a wrong goal is ruled out, from samples, for all pairs of goals.

    Attributes:
        goals: names of the goals.
        pairs: the result by ``(other, truth)``: `other` is to be ruled out while `truth` is pursued.
    """

    goals: tuple[str, ...]
    pairs: Mapping[tuple[str, str], SampledEdp] = field(repr=False)

    def pair(self, other: str, truth: str) -> SampledEdp:
        """Return the result for one pair: `other` is to be ruled out while `truth` is pursued."""
        for name, given in (("other", other), ("truth", truth)):
            known(given, self.goals, name)
        if other == truth:
            raise InputError("other", repr(other), "another goal than the truth")
        return self.pairs[other, truth]

    @property
    def edp(self) -> FloatArray:
        """The mean number of steps until a goal is ruled out, for all pairs of goals, ``float64 [n_goals, n_goals]``.

        Entry ``[i, j]`` is for ruling out goal `i` while goal `j` is pursued; ``inf`` without a result.
        """
        return self.matrix(lambda pair: pair.mean)

    def remaining(self, after: int = 0) -> FloatArray:
        """Return the mean number of further steps until the wrong goal is ruled out, in runs longer than `after` steps.

        In the result, ``float64 [n_goals, n_goals]``, entry ``[i, j]`` is for ruling out goal `i` while goal `j` is
        pursued. It is ``inf`` if no run ruled the goal out, or if the pair was not sampled.
        """
        return self.matrix(lambda pair: pair.remaining(after))

    def matrix(self, value: Callable[[SampledEdp], float]) -> FloatArray:
        """Return ``float64 [n_goals, n_goals]``, the number that `value` returns for the result of each pair of goals.

        Entry ``[i, j]`` is for ruling out goal `i` while goal `j` is pursued; ``inf`` without a result.
        """
        found = np.full((len(self.goals),) * 2, math.inf)
        for (other, truth), pair in self.pairs.items():
            found[self.goals.index(other), self.goals.index(truth)] = value(pair)
        return found

    def table(self) -> Any:
        """Return a polars table about the steps until the wrong goal is ruled out, with a row for each pair of goals.

        The columns are ``truth`` (the pursued goal), ``other`` (the goal to be ruled out), ``mean``, its 95 % interval
        ``low`` and ``high``, ``censored`` (the share of runs that did not rule it out), ``q25``, ``median``, ``q75``,
        ``q95``, ``runs``, ``horizon``, ``evidence`` and ``narrow`` (see `SampledEdp`).
        """
        import polars as pl

        rows = [
            {
                "truth": pair.truth,
                "other": pair.other,
                "mean": pair.mean,
                "low": pair.interval.low,
                "high": pair.interval.high,
                "censored": pair.censored,
                **{
                    name: pair.quantile(q) for name, q in (("q25", 0.25), ("median", 0.5), ("q75", 0.75), ("q95", 0.95))
                },
                "runs": pair.runs,
                "horizon": pair.horizon,
                "evidence": pair.evidence,
                "narrow": pair.narrow,
            }
            for pair in self.pairs.values()
        ]
        return pl.DataFrame(rows)

    def survival_table(self) -> Any:
        """Return a polars table of the share of runs in which the wrong goal is not ruled out yet, by pair and step.

        The columns are ``truth`` (the pursued goal), ``other`` (the goal to be ruled out), ``step``, ``share``, and
        ``low`` and ``high`` (its 95 % interval).
        """
        import polars as pl

        parts = []
        for pair in self.pairs.values():
            columns = dict(zip(("step", "share", "low", "high"), pair.survival, strict=True))
            names = {"truth": [pair.truth] * len(pair.survival.steps), "other": [pair.other] * len(pair.survival.steps)}
            parts.append(pl.DataFrame({**names, **columns}))
        return pl.concat(parts)

    def plot(self, truth: str | None = None, *, ax: Any = None) -> Any:
        """Draw how the share of runs that have not ruled out a goal falls from step to step; return the axes.

        Args:
            truth: the pursued goal of the pairs to draw; by default all pairs.
            ax: matplotlib axes to draw on; by default new ones.
        """
        if truth is not None:
            known(truth, tuple(dict.fromkeys(pair.truth for pair in self.pairs.values())), "truth")
        return survival_curves([pair for pair in self.pairs.values() if truth in (None, pair.truth)], ax)

    def __str__(self) -> str:
        width = max(map(len, self.goals))
        return "\n".join(f"{p.other:<{width}} ruled out under {p.truth:<{width}}  {p}" for p in self.pairs.values())


def known(name: Any, goals: tuple[str, ...], where: str) -> None:
    """Raise an `InputError` unless `name` is one of the goals; `where` names the argument in the error message."""
    if name not in goals:
        hint = did_you_mean(name, goals) if isinstance(name, str) else ""
        raise InputError(where, repr(name), f"one of {', '.join(map(repr, goals))}{hint}")


def survival_curves(pairs: Sequence[SampledEdp], ax: Axes | None = None) -> Axes:
    """Draw, for each pair of goals, the share of runs in which the wrong goal is not ruled out yet; return the axes.

    Curves have 95 % bands. A cross at the end marks runs that ended before they ruled out the wrong goal.
    """
    import matplotlib.pyplot as plt

    from askwise.view.palette import LIGHT, METHODS, OTHERS, hex_of

    ax = ax or plt.subplots(figsize=(6.4, 3.8), layout="constrained")[1]
    colours = [hex_of(colour) for colour in (*OTHERS, *METHODS.values())]
    one_truth = len({pair.truth for pair in pairs}) == 1
    for k, pair in enumerate(pairs):
        steps, share, low, high = pair.survival
        colour = colours[k % len(colours)]
        other, truth = printable(pair.other), printable(pair.truth)
        label = other if one_truth else f"{other} under {truth}"
        mean = f"{'at least ' if pair.censored else ''}{pair.mean:.3g}"
        ax.step(steps, share, where="post", color=colour, linestyle=DASHES[k % len(DASHES)], label=f"{label}: {mean}")
        ax.fill_between(steps, low, high, step="post", color=colour, alpha=0.15, linewidth=0)
        if pair.censored:
            ax.plot(steps[-1], share[-1], "x", color=colour, markersize=7)
    ax.set(xlabel="step", ylabel="share of runs that look alike", ylim=(0, 1.02))
    ax.set_xlim(left=0)
    ax.grid(color=hex_of(LIGHT.line))
    ax.spines[["top", "right"]].set_visible(False)
    title = f"While {printable(pairs[0].truth)} is pursued: not ruled out yet" if one_truth else "Not ruled out yet"
    ax.set_title(title, fontsize=10, parse_math=False)
    legend = ax.legend(frameon=False, fontsize=8, title="mean steps", title_fontsize=8)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax

"""Estimate from sampled runs how many steps it takes until an agent's actions rule out a goal, for learned policies.

In the paper behind askwise, an action rules out a goal if the goal's policy never takes it. A learned policy takes
every action with some probability, so evidence is accumulated. Let ``pi_truth`` be the policy that the agent follows,
and ``pi_other`` that of another goal, `other`. ``LLR_t`` is the log likelihood ratio after `t` steps. At the divergence
point ``dp``, the actions rule out `other`::

    LLR_t = sum over the first t steps of (log pi_truth(action | observation) - log pi_other(action | observation))
    dp    = first t with LLR_t >= log(1 / evidence)
    EDP   = E[dp]

If the agent did pursue `other`, that goal would ever be ruled out with a probability of at most `evidence` (Ville's
inequality). With ``evidence=0``, the definition is the paper's.

A censored run ends, after ``end`` steps, before it rules out `other`. So the estimate, ``E[min(dp, end)]``, is a lower
bound of the EDP.

Stopping as soon as an interval is narrow would favour samples with a small variance. So the first `FIRST` (400) runs
decide how many more are planned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from askwise.divergence.evidence import TIE
from askwise.errors import InputError, did_you_mean
from askwise.sampling.estimates import estimate, runs_needed
from askwise.sampling.results import SampledDivergence, SampledEdp, known
from askwise.sampling.rollouts import LANES, Rollouts, opened
from askwise.seeds import Seed, spawn
from askwise.types import BoolArray, IntArray

FIRST = 400
"""Runs of the first stage, which decides how many runs follow."""
MOST = 20_000
"""Default limit on the runs of each goal."""
INTERVALS = ("normal", "bernstein")


def sampled_edp(
    env: Any,
    other: Any,
    truth: Any,
    *,
    within: float = 0.05,
    horizon: int = 1000,
    evidence: float = 0.05,
    **options: Any,
) -> SampledEdp:
    """Estimate how many steps it takes until one policy is ruled out while another one is followed.

    Args:
        env: a Gymnasium environment, a vector environment, a registered name, or a function that makes an environment.
        other: the policy to be ruled out (kinds: see `askwise.sampling.policies`).
        truth: the policy that is followed.
        within: requested half width of the mean's 95 % interval, as a share of the mean.
        horizon: largest number of steps of a run.
        evidence: `other` is ruled out if it makes the actions at most `evidence` times as likely as `truth`.
        options: other options of `sampled_divergence`.
    """
    given = {"within": within, "horizon": horizon, "evidence": evidence, **options}
    found = sampled_divergence(env, {"other": other, "truth": truth}, truths=["truth"], **given)
    return found.pairs["other", "truth"]


def sampled_divergence(
    env: Any,
    policies: Mapping[str, Any],
    *,
    truths: list[str] | None = None,
    within: float = 0.05,
    horizon: int = 1000,
    evidence: float = 0.05,
    threshold: float | None = None,
    end_tells: bool = False,
    interval: str = "normal",
    runs: int = MOST,
    lanes: int = LANES,
    seed: Seed = None,
    progress: bool = False,
) -> SampledDivergence:
    """Estimate for all pairs of goals how many steps it takes until one goal is ruled out while the other is pursued.

    Runs are added until the 95 % intervals of the means are narrow enough.

    Args:
        env: a Gymnasium environment, a vector environment, a registered name, or a function that makes an environment.
        policies: the policy of each goal by its name (kinds: see `askwise.sampling.policies`).
        truths: the goals to pursue; None for all.
        within: requested half width of an interval, as a share of the mean.
        horizon: largest number of steps of a run.
        evidence: a goal is ruled out if its policy makes the actions at most `evidence` times as likely as the pursued
            goal's policy.
        threshold: if given, replaces `evidence`: an action rules out a goal if the goal's policy makes it less than
            `threshold` times as likely as its likeliest action.
        end_tells: whether the end of an episode (`terminated`) rules out all other goals.
        interval: ``normal``, or ``bernstein``, which is wider but valid for any number of runs.
        runs: largest number of runs for each pursued goal.
        lanes: number of environments side by side, if `env` is a name or a function.
        seed: seed of all random numbers.
        progress: show a progress bar.
    """
    _check(policies, truths, within, horizon, evidence, threshold, interval, runs, lanes)
    pursued = list(policies) if truths is None else truths
    limit = math.inf if evidence == 0 else -math.log(evidence) - TIE
    pairs: dict[tuple[str, str], SampledEdp] = {}
    rule = {"limit": limit, "horizon": horizon, "end_tells": end_tells, "threshold": threshold}
    with opened(env, lanes) as envs, _bar(progress) as shown:
        for truth, rng in zip(pursued, spawn(seed, len(pursued)), strict=True):
            rollouts = Rollouts(envs, dict(policies), truth, **rule)  # type: ignore[arg-type]
            steps, diverged, looks = _enough(rollouts, rng, within, runs, interval, shown(truth))
            for k, other in enumerate(name for name in policies if name != truth):
                found = estimate(steps[:, k], horizon, interval, looks)
                narrow = found.half_width <= within * found.mean
                own = np.ascontiguousarray(steps[:, k]), np.ascontiguousarray(diverged[:, k])
                pairs[other, truth] = SampledEdp(truth, other, *own, found, horizon, evidence, narrow)
    return SampledDivergence(tuple(policies), pairs)


def _enough(
    rollouts: Rollouts,
    rng: np.random.Generator,
    within: float,
    most: int,
    kind: str,
    finished: Callable[[int, int], None],
) -> tuple[IntArray, BoolArray, int]:
    """Run episodes until the intervals of the mean steps are narrow enough, or until there are `most` runs.

    `kind` is the kind of interval, `within` the requested half width as a share of the mean. `finished` is called with
    the numbers of runs just ended and planned.

    Returns:
        The step at which each run ruled out each other goal, or else its last step (``int32 [n_runs, n_others]``);
        whether the run ruled it out (``bool [n_runs, n_others]``); how often intervals were computed.
    """
    steps = np.empty((0, len(rollouts.others)), dtype=np.int32)
    diverged = np.empty(steps.shape, dtype=np.bool_)
    target, look = min(FIRST, most), 0
    while True:
        new = rollouts.run(target - len(steps), rng, lambda n, total=target: finished(n, total))  # type: ignore[misc]
        steps, diverged = np.concatenate((steps, new[0])), np.concatenate((diverged, new[1]))
        look += 1
        wide = [
            column
            for column in steps.T
            if (found := estimate(column, rollouts.horizon, kind, look)).half_width > within * found.mean
        ]
        if not wide or len(steps) >= most:
            return steps, diverged, look
        needed = max(runs_needed(column, within) for column in wide)
        # The normal interval may need a little more than was foreseen; others may need much more.
        target = min(most, max(needed, math.ceil((1.25 if kind == "normal" else 2) * len(steps))))


@contextmanager
def _bar(wanted: bool) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    if not wanted:
        yield lambda truth: lambda n, total: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:

        def shown(truth: str) -> Callable[[int, int], None]:
            task = bar.add_task(f"runs of {truth}", total=FIRST)
            return lambda n, total: bar.update(task, advance=n, total=total)

        yield shown


def _check(
    policies: Any,
    truths: Any,
    within: float,
    horizon: int,
    evidence: float,
    threshold: float | None,
    interval: str,
    runs: int,
    lanes: int,
) -> None:
    if not isinstance(policies, Mapping) or len(policies) < 2 or not all(isinstance(each, str) for each in policies):
        found = f"{len(policies)} policies" if isinstance(policies, Mapping) else type(policies).__name__
        raise InputError("policies", found, "a dict with at least two policies by the names of their goals")
    for truth in truths or ():
        known(truth, tuple(policies), "truths")
    for name, count, least in (("horizon", horizon, 1), ("runs", runs, 2), ("lanes", lanes, 1)):
        if isinstance(count, bool) or not isinstance(count, int) or count < least:
            raise InputError(name, repr(count), f"a whole number from {least}")
    if not 0 <= evidence < 1:
        raise InputError("evidence", evidence, "a number from 0, below 1")
    if not 0 < within < 1:
        raise InputError("within", within, "a number between 0 and 1")
    if threshold is not None and not 0 < threshold <= 1:
        raise InputError("threshold", threshold, "a number above 0, at most 1, or None")
    if interval not in INTERVALS:
        raise InputError("interval", repr(interval), "one of 'normal', 'bernstein'" + did_you_mean(interval, INTERVALS))

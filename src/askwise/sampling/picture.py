"""Survival curves: the share of runs in which a goal is not ruled out yet, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from askwise.text.wording import printable
from askwise.view.palette import LIGHT, METHODS, OTHERS, hex_of

DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1)), (0, (5, 1, 1, 1)))


def survival_curves(pairs: Sequence[Any], ax: Axes | None = None) -> Axes:
    """Draw, for each pair of goals, the share of runs that have not diverged, with its 95 % band; return the axes.

    A cross marks where the remaining runs are censored.

    Args:
        pairs: the results of the pairs of goals, each a `SampledEdp`.
        ax: axes to draw on; by default new ones.
    """
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

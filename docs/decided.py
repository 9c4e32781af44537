"""Pictures of the page "Ask or act": a plan, and rules compared with looking ahead."""

from __future__ import annotations

import csv
from pathlib import Path

from matplotlib.figure import Figure

from askwise.decisions.problem import read_decision_file
from askwise.decisions.recommendation import recommend
from askwise.view.palette import FAINT, INK, METHODS, OTHERS, hex_of

HERE = Path(__file__).parent
MEASURED = HERE / "reproduced" / "rules.csv"
"""Written by ``python -m benchmarks --only rules``."""
COLOURS = {
    "never ask": hex_of(METHODS["never"]),
    "plausible": hex_of(OTHERS[0]),
    "confident": hex_of(OTHERS[1]),
    "informative": hex_of(FAINT),
    "informative, best of 6": hex_of(FAINT),
    "one step": hex_of(METHODS["ezq"]),
}
"""Rules that are methods of askwise, too, have their colours; the others have colours that nothing else has."""


def rules() -> Figure:
    """Draw what rules cost beyond looking ahead, for each price."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    figure = Figure(figsize=(7.2, 3.8), layout="constrained")
    ax = figure.subplots()
    for name, colour in COLOURS.items():
        mine = [row for row in rows if row["rule"] == name]
        prices = [float(row["price"]) for row in mine]
        excess, half = ([float(row[key]) for row in mine] for key in ("excess", "half_interval"))
        style = "--" if "best of" in name else "-"
        ax.plot(prices, excess, style, color=colour, marker="o", markersize=4, label=name)
        low, high = ([e + sign * h for e, h in zip(excess, half, strict=True)] for sign in (-1, 1))
        ax.fill_between(prices, low, high, color=colour, alpha=0.15, linewidth=0)
    ax.axhline(0, color=hex_of(INK), linewidth=1.2)
    ax.text(0.01, -0.03, "looking ahead", ha="left", va="top", fontsize=8, color=hex_of(INK))
    ax.set_xscale("log")
    ax.set_ylim(bottom=-0.11)
    ax.set_xticks([0.01, 0.03, 0.1, 0.3, 1.0], ["0.01", "0.03", "0.1", "0.3", "1"])
    ax.minorticks_off()
    ax.set_xlabel("price of a question (a wrong action costs 0.5 to 5)")
    ax.set_ylabel("expected loss above looking ahead")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def plan() -> str:
    """Return the drawing of a plan."""
    return recommend(read_decision_file(HERE.parent / "examples" / "decisions" / "ticket.toml")).plan.svg()

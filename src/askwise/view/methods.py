"""The methods that the ego agent can decide by, each in one line."""

from __future__ import annotations

from collections.abc import Iterator

from askwise.methods import methods
from askwise.text.reading import printable

SUMMARIES = {
    "never": "never asks: acts where one action suits every possible goal, else waits and watches",
    "baseline": "asks about a random half of the possible goals whenever no action suits them all",
    "toolbox": "asks which way to go: about the goals that one move suits, a set of medium size",
    "cost-prob": "asks so that the next action gets as clear as possible for the price: an exact 0/1 program",
    "ezq": "asks the question of the largest expected value if that is above its price; genetic, as in the paper",
    "ezq-local": "ezq with hill climbing instead: faster, and the question is usually better",
    "ezq-exact": "ezq with the best question proven by branch and bound; slow with many possible goals",
    "ezq-auto": "ezq-exact where few goals are possible, else ezq-local",
    "optimal": "does what is best, proven: solves the whole problem first; small problems only",
    "planner": "plans ahead: acts before it is certain, waits while that is free, asks now or later",
    "planner-light": "planner with a small part of the work: a few milliseconds a decision",
    "informed": "knows the goal from the start: the yardstick, its marginal cost is 0",
}
"""What the list says about askwise's own methods; those of other packages speak for themselves."""

OWN = "An agent of your own: --method FILE.py:CLASS, or --method PACKAGE.MODULE:CLASS."
"""What the list says about agents that have no name."""


def list_methods() -> str:
    """Return all methods, one on a line, and how to name others."""
    described = dict(_described())
    width = max(map(len, described)) + 2
    lines = [f"{name:<{width}}{text}".rstrip() for name, text in described.items()]
    return "\n".join([*lines, "", OWN])


def _described() -> Iterator[tuple[str, str]]:
    for name, make in methods().items():
        if name in SUMMARIES:
            yield name, SUMMARIES[name]
            continue
        try:
            text = type(make()).__doc__ or ""
        except Exception as error:
            text = f"(cannot be used: {error})"
        yield printable(name), printable(text.strip().partition("\n")[0])

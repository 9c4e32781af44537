"""What a problem is like, in a few lines: its goals or landmarks, how far they are, what questions cost."""

from __future__ import annotations

import numpy as np

from askwise.core.problem import Problem, optimal_costs
from askwise.core.questions import QueryCost
from askwise.core.side import Side, place_and_load, place_name
from askwise.model import GridWorld
from askwise.text.reading import printable
from askwise.text.vocabulary import Vocabulary
from askwise.text.wording import columns_of, counted, listed, number, percent
from askwise.view.scene_builder import scene_of

MOST_GOALS = 10
MOST_SITES = 12
MOST_TARGETS = 3
LONGEST_NAME = 28


def describe(problem: Problem) -> str:
    """Return what a problem is like, for ``askwise show``; its words say what to call things."""
    scene = scene_of(problem, problem.start)
    words = scene.words
    best = optimal_costs(problem, problem.start)
    possible = best[problem.prior > 0]
    expected = float(problem.prior[problem.prior > 0] @ possible)
    lines = [
        f"{words.title}: {scene.size}",
        *([f"{words.landmarks}: {_sites(words)}"] if words.sites else []),
        *([f"prior: {words.prior}"] if words.prior else _starts_and_goals(problem, words)),
        f"a question costs {_price(problem.query_cost, words)}",
        f"cost with the goal known: {expected:.1f} expected, from {number(possible.min())} to {number(possible.max())}",
    ]
    return "\n".join(lines) + "\n"


def _sites(words: Vocabulary) -> str:
    """Return the first sites: where they are, and how many loads are there."""
    shown = [
        f"{printable(site.name)} at {site.at} ({counted(len(site.goals), words.load)})"
        for site in words.sites[:MOST_SITES]
    ]
    more = len(words.sites) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _starts_and_goals(problem: Problem, words: Vocabulary) -> list[str]:
    """Return where both start, and a table of the first goals."""
    teammate, ego = _name(problem.teammate, problem.start.teammate), _name(problem.ego, problem.start.ego)
    return [f"{words.teammate} starts at {teammate}, {words.ego} at {ego}", *_goals(problem, words)]


def _goals(problem: Problem, words: Vocabulary) -> list[str]:
    """Return a table of the first goals: how likely, how far and where for both, what naming one costs."""
    own = problem.query_cost.prices
    head = [words.goal, "likely", words.teammate, words.ego, *(["naming it costs"] if own is not None else [])]
    rows = [head]
    for goal in range(min(len(problem.goals), MOST_GOALS)):
        rows.append([_short(printable(problem.goals[goal])), percent(float(problem.prior[goal]))])
        steps = problem.teammate.steps(problem.start.teammate)[goal], problem.ego.steps(problem.start.ego)[goal]
        rows[-1].append(_far(problem.teammate, goal, int(steps[0])))
        rows[-1].append(_far(problem.ego, goal, int(steps[1])))
        if own is not None:
            rows[-1].append(number(own[goal]))
    widths = [max(columns_of(row[k]) for row in rows) for k in range(len(head))]
    table = ["  " + "  ".join(_padded(row, widths)).rstrip() for row in rows]
    more = len(problem.goals) - MOST_GOALS
    return [*table, *([f"  and {counted(more, words.goal)} more"] if more > 0 else [])]


def _padded(row: list[str], widths: list[int]) -> list[str]:
    return [text + " " * (width - columns_of(text)) for text, width in zip(row, widths, strict=True)]


def _far(side: Side, goal: int, steps: int) -> str:
    """Return where an agent goes for a goal and how far that is."""
    targets = side.targets(goal)
    places = listed([_name(side, int(state)) for state in targets[:MOST_TARGETS]])
    more = f" and {targets.size - MOST_TARGETS} more" if targets.size > MOST_TARGETS else ""
    return f"{places}{more}, {counted(steps, 'step')}"


def _name(side: Side, state: int) -> str:
    """Return the name of the place where an agent is in a state."""
    name = place_name(side, state)
    if isinstance(side.model, GridWorld):
        x, y = side.model.cells[place_and_load(side, state)[0]].tolist()
        name = (x, y)
    return _short(printable(str(name)))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _price(price: QueryCost, words: Vocabulary) -> str:
    if type(price) is not QueryCost:
        return "what a function of the goals in it says"
    if price.prices is not None:
        low, high = float(np.min(price.prices)), float(np.max(price.prices))
        each = number(low) if low == high else f"{number(low)} to {number(high)}"
        return f"{number(price.base)} and {each} for each {words.goal} in it"
    return number(price.base) + (f" and {number(price.per_goal)} for each {words.goal} in it" if price.per_goal else "")

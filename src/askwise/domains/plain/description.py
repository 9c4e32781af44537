"""What a problem of two models is like, in a few lines: its goals, how far they are, what questions cost."""

from __future__ import annotations

import numpy as np

from askwise.factored import FactoredProblem
from askwise.model import GridWorld, Model
from askwise.problem import optimal_costs
from askwise.questions import AnyPrice, QueryCost
from askwise.reading import printable
from askwise.showing.vocabulary import Vocabulary
from askwise.showing.words import columns_of, counted, listed, number, percent
from askwise.types import IntArray

MOST_GOALS = 10
MOST_TARGETS = 3
LONGEST_NAME = 28


def describe(problem: FactoredProblem, words: Vocabulary, size: str) -> str:
    """Return the description, to be printed; `size` says how large everything is."""
    best = optimal_costs(problem, problem.start)
    possible = best[problem.prior > 0]
    expected = float(problem.prior[problem.prior > 0] @ possible)
    lines = [
        f"{words.title}: {size}",
        f"{words.teammate} starts at {_name(problem.teammate.model, problem.start.teammate)}, "
        f"{words.ego} at {_name(problem.ego.model, problem.start.ego)}",
        *_goals(problem, words),
        f"a question costs {_price(problem.query_cost, words)}",
        f"cost with the goal known: {expected:.1f} expected, from {number(possible.min())} to {number(possible.max())}",
    ]
    return "\n".join(lines) + "\n"


def _goals(problem: FactoredProblem, words: Vocabulary) -> list[str]:
    """Return a table of the first goals: how likely, how far and where for both, what naming one costs."""
    own_price = isinstance(problem.query_cost, QueryCost) and problem.query_cost.prices is not None
    head = [words.goal, "likely", words.teammate, words.ego, *(["naming it costs"] if own_price else [])]
    rows = [head]
    for goal in range(min(len(problem.goals), MOST_GOALS)):
        rows.append([_short(printable(problem.goals[goal])), percent(float(problem.prior[goal]))])
        steps = problem.teammate.steps(problem.start.teammate)[goal], problem.ego.steps(problem.start.ego)[goal]
        rows[-1].append(_far(problem.teammate.model, problem.teammate.targets(goal), int(steps[0])))
        rows[-1].append(_far(problem.ego.model, problem.ego.targets(goal), int(steps[1])))
        if own_price and problem.query_cost.prices is not None:
            rows[-1].append(number(problem.query_cost.prices[goal]))
    widths = [max(columns_of(row[k]) for row in rows) for k in range(len(head))]
    table = ["  " + "  ".join(_padded(row, widths)).rstrip() for row in rows]
    more = len(problem.goals) - MOST_GOALS
    return [*table, *([f"  and {counted(more, words.goal)} more"] if more > 0 else [])]


def _padded(row: list[str], widths: list[int]) -> list[str]:
    return [text + " " * (width - columns_of(text)) for text, width in zip(row, widths, strict=True)]


def _far(model: Model, targets: IntArray, steps: int) -> str:
    """Return where an agent goes for a goal and how far that is."""
    places = listed([_name(model, int(state)) for state in targets[:MOST_TARGETS]])
    more = f" and {targets.size - MOST_TARGETS} more" if targets.size > MOST_TARGETS else ""
    return f"{places}{more}, {counted(steps, 'step')}"


def _name(model: Model, state: int) -> str:
    name = model.name(state)
    if isinstance(model, GridWorld):
        x, y = model.cells[state].tolist()
        name = (x, y)
    return _short(printable(str(name)))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _price(price: object, words: Vocabulary) -> str:
    if isinstance(price, AnyPrice) or type(price) is not QueryCost:
        return "what a function of the goals in it says"
    if price.prices is not None:
        low, high = float(np.min(price.prices)), float(np.max(price.prices))
        each = number(low) if low == high else f"{number(low)} to {number(high)}"
        return f"{number(price.base)} and {each} for each {words.goal} in it"
    return number(price.base) + (f" and {number(price.per_goal)} for each {words.goal} in it" if price.per_goal else "")

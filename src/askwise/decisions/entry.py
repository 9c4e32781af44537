"""`askwise.decide`: from what people have at hand to a recommendation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.questions import Choice
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.reading import LARGEST_FILE, parse, read_parts
from askwise.decisions.recommendation import Recommendation, recommend
from askwise.decisions.search import BUDGET
from askwise.errors import InputError
from askwise.text.reading import Field, read_text


def decide(
    belief: Any,
    loss: Any = None,
    questions: Any = (),
    *,
    utility: Any = None,
    price: float | Mapping[str, float] | Callable[[Any], float] | None = None,
    answers: AnswerModel | Mapping[str, Any] | None = None,
    limit: int | None = None,
    intents: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    name: str | None = None,
    depth: int | None = None,
    budget: float = BUDGET,
) -> Recommendation:
    """Decide whether to act or to ask, and what.

    Args:
        belief: what may be meant and how probable it is: ``{intent: probability}``, an array of probabilities, or
            samples to be counted (``["a", "b", "a"]``, with weights ``[("a", 0.4), ("b", 0.1)]``). Or a
            `DecisionProblem`, which has everything else in it.
        loss: what each action costs for each intent: ``{action: {intent: loss}}`` (``"else"`` for all other intents, a
            single number for all of them) or an array ``[n_actions, n_intents]``. Without it there is one action for
            each intent, which costs 0 if that is meant and 1 if not.
        questions: ``{question: what}``, or a list. *What* is a list of intents or ``{"about": [...]}`` (is it one of
            these?), ``{"groups": {name: [...]}}`` (which of these?) or ``{"likelihood": {answer: {intent: p}}}``, with
            ``"price"``, and for the first two ``"wrong"`` and ``"refused"``, of its own where needed.
        utility: instead of `loss`, what each action is worth; its loss is minus that.
        price: what a question without a price of its own costs: a number, ``{"base", "per_goal", "per_option"}``,
            a `QueryCost` or another function of the question.
        answers: how often answers are wrong or missing.
        limit: how many questions may be asked at most.
        intents: names of the intents, where `belief` is an array.
        actions: names of the actions, where `loss` is an array.
        name: what the decision is called.
        depth: how many questions to look ahead, exactly; None for as many as the budget allows.
        budget: how much work each attempt to look further may take, about as many nanoseconds.

    Returns:
        What to do, with the expected loss of everything else, the plan and a verdict.
    """
    check_depth(depth, budget)
    if isinstance(belief, DecisionProblem):
        return recommend(belief, depth=depth, budget=budget)
    given = {
        "belief": _named(belief, intents, "intents"),
        "loss": None if loss is None else _named(loss, actions, "actions"),
        "utility": None if utility is None else _named(utility, actions, "actions"),
        "questions": questions,
        "price": price,
        "answers": answers,
        "limit": limit,
        "name": name,
    }
    parts = {key: Field(key, plain(value)) for key, value in given.items() if value is not None}
    return recommend(read_parts(parts), depth=depth, budget=budget)


def read_decision_file(path: str | Path) -> DecisionProblem:
    """Return the decision in a file, JSON or TOML (by its ending ``.toml``)."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        size = 0  # reading it says what is wrong
    if size > LARGEST_FILE:
        raise InputError(f"file {str(path)!r}", f"{size:,} bytes", f"at most {LARGEST_FILE:,}")
    return parse(read_text(path), toml=Path(path).suffix.lower() == ".toml")


def check_depth(depth: object, budget: object = BUDGET) -> None:
    """Refuse a depth or a budget that is none."""
    whole = isinstance(depth, int | np.integer) and not isinstance(depth, bool) and depth >= 0
    if depth is not None and not whole:
        raise InputError("depth", repr(depth), "a whole number from 0, or None")
    number = isinstance(budget, int | float | np.integer | np.floating) and not isinstance(budget, bool)
    if not number or math.isnan(budget) or budget < 0:  # type: ignore[arg-type, operator]
        raise InputError("budget", repr(budget), "a number from 0")


def _named(given: Any, names: Sequence[str] | None, field: str) -> Any:
    """Return an array as a table, with the names for its first axis."""
    if names is None or isinstance(given, Mapping):
        return given
    rows = list(given)
    if len(names) != len(rows):
        raise InputError(field, f"{len(names)} names", f"{len(rows)}, one for each")
    if len(set(names)) < len(names):
        raise InputError(field, "a name twice", "a name of its own for each")
    return dict(zip(names, rows, strict=True))


def plain(value: Any) -> Any:
    """Return what JSON could hold: arrays, tuples and sets as lists, numbers of numpy as numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(plain(each) for each in value)
    if isinstance(value, list | tuple | range) and not isinstance(value, Choice):
        return [plain(each) for each in value]
    return value

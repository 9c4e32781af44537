"""Rules that people use to decide whether to ask, beside looking ahead: what each costs, exactly, on the same problems.

Random problems: six intents with random probabilities, one action for each, which costs 0 if it is right and 0.5 to 5
if not, and one that always costs 1.5 (calling somebody). Five questions: about random sets, or among three random
groups; in every other problem answers are wrong in 5 % and missing in 5 % of all cases. The examples: those of
``examples/decisions/``, with all prices multiplied.

What a rule costs is an expectation over all intents and answers, no sample; intervals are over problems.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import askwise
from askwise.decisions.problem import DecisionProblem
from askwise.decisions.problem_input import read_decision_file
from askwise.text.files import whole_file
from benchmarks.asking_rules import BITS, CONFIDENT, PLAUSIBLE, RULES, TELLS, bits, cost_of, one_step
from benchmarks.report import Column, Table, progress

PRICES = (0.01, 0.03, 0.1, 0.3, 1.0)
FACTORS = (0.25, 1.0, 4.0)
INTENTS, QUESTIONS = 6, 5
EXAMPLES = ("ticket", "travel", "triage", "robot")
BEST = "look ahead"
SAME = 1e-9
SAVED = Path("out/bench/rules.csv")
"""What ``docs/reproduced/rules.csv`` is a copy of; beside it a table to be read, ``rules-table.csv``."""
TO_READ = Path("out/bench/rules-table.csv")


def random_problem(seed: int, price: float) -> DecisionProblem:
    """Return one of the random problems; the same seed is the same problem at another price."""
    rng = np.random.default_rng([2021, seed])
    belief = rng.dirichlet(np.ones(INTENTS))
    loss = np.vstack([rng.uniform(0.5, 5.0, size=(INTENTS, INTENTS)), np.full(INTENTS, 1.5)])
    loss[np.arange(INTENTS), np.arange(INTENTS)] = 0.0
    answers = {"wrong": 0.05, "refused": 0.05} if seed % 2 else {}
    questions = [_question(rng) for _ in range(QUESTIONS)]
    return askwise.decide(belief, loss, questions, price=price, answers=answers).problem


def _question(rng: np.random.Generator) -> dict[str, list[list[int]] | list[int]]:
    order = [int(goal) for goal in rng.permutation(INTENTS)]
    if rng.random() < 0.5:
        return {"about": order[: int(rng.integers(1, INTENTS))]}
    first, second = sorted(int(cut) for cut in rng.choice(np.arange(1, INTENTS), size=2, replace=False))
    return {"groups": [order[:first], order[first:second], order[second:]]}


def run(quick: bool) -> list[Table]:
    """Compare on random problems at each price, and on the examples."""
    n = 20 if quick else 200
    progress(f"rules: {n} random problems at {len(PRICES)} prices, {len(EXAMPLES)} examples")
    random = _Compared("random problems")
    trees = [_telling(random_problem(seed, 1.0)) for seed in range(n)]
    for price in PRICES:
        for seed, tree in enumerate(trees):
            random.add(price, random_problem(seed, price), tree, price)
        progress(f"rules: price {price:g}")
    examples = _Compared("examples")
    for name in EXAMPLES:
        problem = read_decision_file(f"examples/decisions/{name}.toml")
        for factor in FACTORS:
            examples.add(f"{name}, prices x {factor:g}", _priced(problem, factor), _telling(problem), factor)
    if not quick:
        _save(random)
        _save_table(random.table(n))
    return [random.table(n), examples.each(), _check([random, examples])]


def _priced(problem: DecisionProblem, factor: float) -> DecisionProblem:
    return replace(problem, questions=tuple(replace(each, price=factor * each.price) for each in problem.questions))


@dataclass(frozen=True)
class _Telling:
    """A moment, the most telling question at it, and the moments after its answers.

    Rules that ask the most telling question differ only in when they stop, and none of them looks at prices: one tree
    serves all of them.
    """

    likeliest: float
    belief: np.ndarray
    told: float
    acting: float
    price: float
    after: tuple[tuple[float, _Telling], ...]


def _telling(problem: DecisionProblem) -> _Telling:
    told = bits(problem) if problem.most_questions else np.zeros(1)
    best, acting = int(told.argmax()), float((problem.loss @ problem.belief).min())
    if told[best] < TELLS:
        return _Telling(float(problem.belief.max()), problem.belief, 0.0, acting, 0.0, ())
    question = problem.questions[best]
    heard = [
        (float(row @ problem.belief), name) for row, name in zip(question.likelihood, question.answers, strict=True)
    ]
    after = tuple((p, _telling(problem.heard(question.name, name))) for p, name in heard if p > 0)
    return _Telling(float(problem.belief.max()), problem.belief, float(told[best]), acting, question.price, after)


Asks = Callable[[_Telling], bool]


def _cost(node: _Telling, asks: Asks, factor: float) -> float:
    """Return what a rule costs if all prices are multiplied."""
    if not node.after or not asks(node):
        return node.acting
    return factor * node.price + sum(p * _cost(below, asks, factor) for p, below in node.after)


STOPS: dict[str, tuple[float, tuple[float, ...], Callable[[float], Asks]]] = {
    "plausible": (
        PLAUSIBLE,
        (0.02, 0.05, 0.1, 0.2, 0.3, 0.4),
        lambda t: lambda node: bool((node.belief >= t).sum() > 1),
    ),
    "confident": (CONFIDENT, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), lambda t: lambda node: node.likeliest < t),
    "informative": (BITS, (0.02, 0.05, 0.1, 0.2, 0.4, 0.8), lambda t: lambda node: node.told >= t),
}
"""The usual threshold of each rule, others to choose from, and when it asks."""


class _Compared:
    """Costs of all rules, by group (a price, an example)."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rules = [name for name in RULES if name != BEST]
        self.variants = {name: [f"{name} {each:g}" for each in others] for name, (_, others, _) in STOPS.items()}
        self.costs: dict[object, dict[str, list[float]]] = {}

    def add(self, group: object, problem: DecisionProblem, tree: _Telling, factor: float) -> None:
        """Add a problem whose prices are those of the tree times a factor."""
        costs = self.costs.setdefault(group, {})
        best = askwise.decide(problem)
        assert best.verdict.exact
        found = {BEST: best.expected_loss, "never ask": best.acting_now.loss, "one step": cost_of(one_step, problem)}
        for name, (usual, others, asks) in STOPS.items():
            found[name] = _cost(tree, asks(usual), factor)
            found |= {f"{name} {each:g}": _cost(tree, asks(each), factor) for each in others}
        for name, cost in found.items():
            costs.setdefault(name, []).append(cost)
        if len(costs[BEST]) == 1:
            _same_as_the_rules(problem, found)

    def excess(self, group: object, name: str) -> np.ndarray:
        costs = self.costs[group]
        beyond: np.ndarray = np.array(costs[name]) - np.array(costs[BEST])
        return beyond

    def best_variant(self, group: object, name: str) -> str:
        """Return the variant of a rule that is best on these very problems: what tuning could reach at most."""
        return min(self.variants[name], key=lambda each: float(self.excess(group, each).mean()))

    def rows(self) -> list[list[object]]:
        rows: list[list[object]] = []
        for group in self.costs:
            best = float(np.mean(self.costs[group][BEST]))
            rows += [[group, name, *_mean(self.excess(group, name)), best] for name in ("never ask", *self.rules)]
            for name in self.variants:
                chosen = self.best_variant(group, name)
                label = f"{name}, best of {len(self.variants[name])}"
                rows.append([group, label, *_mean(self.excess(group, chosen)), best])
        return rows

    def table(self, n: int) -> Table:
        columns = [Column("price", lambda p: f"{p:g}"), Column("look ahead", _three)]
        names = list(dict.fromkeys(str(row[1]) for row in self.rows()))
        columns += [Column(name, lambda cell: f"+{cell[0]:.3f} ± {cell[1]:.3f}") for name in names]
        table = Table(f"Rules on {n} {self.title}: what they cost beyond looking ahead", columns)
        for group in self.costs:
            mine = [row for row in self.rows() if row[0] == group]
            table.rows.append([group, mine[0][5], *((row[2], row[3]) for row in mine)])
        table.notes.append("look ahead: mean expected loss; others: how much more, mean ± 1.96 standard errors")
        table.notes.append("best of 6 or 7: the threshold that is best on these very problems, chosen in hindsight")
        return table

    def each(self) -> Table:
        columns = [Column("example"), Column(BEST, _three), Column("never ask", _three)]
        columns += [Column(name, _three) for name in self.rules]
        table = Table("Rules on the examples: expected loss", columns)
        for group, costs in self.costs.items():
            table.rows.append([group, *(costs[name][0] for name in (BEST, "never ask", *self.rules))])
        return table


def _same_as_the_rules(problem: DecisionProblem, found: dict[str, float]) -> None:
    """Check, once for each group, that the tree says what following the rules of the package says."""
    for name, rule in RULES.items():
        assert abs(cost_of(rule, problem) - found[name]) < SAME, name


def _three(number: float) -> str:
    return f"{number:.3f}"


def _mean(values: np.ndarray) -> tuple[float, float, float]:
    """Return mean, half of a 95 % interval, and the share that is above 0."""
    error = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return float(values.mean()), error, float((values > SAME).mean())


def _check(compared: list[_Compared]) -> Table:
    """Count problems and rules where a rule is better than looking ahead: there must be none."""
    columns = [Column("problems"), Column("pairs of problem and rule", str), Column("rule better", str)]
    columns += [Column("rule worse", str), Column("by at most", lambda x: f"{x:.3g}")]
    table = Table("Looking ahead is never worse than a rule", columns)
    for each in compared:
        gaps = np.concatenate(
            [each.excess(group, name) for group, costs in each.costs.items() for name in costs if name != BEST]
        )
        table.rows.append(
            [each.title, str(gaps.size), str(int((gaps < -1e-12).sum())), str(int((gaps > SAME).sum())), gaps.max()]
        )
    return table


def _save(compared: _Compared) -> None:
    SAVED.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(SAVED) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["price", "rule", "excess", "half_interval", "share_worse", "look_ahead"])
        for group, rule, *numbers in compared.rows():
            out.writerow([group, rule, *(f"{float(str(each)):.6g}" for each in numbers)])


def _save_table(table: Table) -> None:
    """Write the table with a row for each rule and a column for each price."""
    shown = [[column.show(value) for column, value in zip(table.columns, row, strict=True)] for row in table.rows]
    with whole_file(TO_READ) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        for k, column in enumerate(table.columns):
            out.writerow([column.name, *(row[k] for row in shown)])

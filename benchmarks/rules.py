"""Simple rules for deciding whether to ask, compared with looking ahead, by exact costs on the same problems.

- **Random problems**: six intents with random probabilities. Each has an action that costs 0 if it is right and 0.5 to
  5 if not; another action always costs 1.5 (calling a colleague). There are five questions, about random sets or with
  three random groups. In every second problem, answers are wrong in 5 % and missing in 5 % of all cases.
- **Examples**: those in ``examples/decisions/``, with all prices multiplied by several factors.

The cost of a rule is an expectation over all intents and answers. Intervals are over problems.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import askwise
from askwise.decisions.problem import DecisionProblem, read_decision_file
from askwise.text.files import whole_file
from benchmarks.asking_rules import (
    BITS,
    CONFIDENT,
    LEAST_BITS,
    PLAUSIBLE,
    RULES,
    THRESHOLDS,
    cost_of,
    information_gains,
    one_step,
)
from benchmarks.tools.report import Column, Table, progress

PRICES = (0.01, 0.03, 0.1, 0.3, 1.0)
FACTORS = (0.25, 1.0, 4.0)
INTENTS, QUESTIONS = 6, 5
EXAMPLES = ("ticket", "travel", "triage", "robot")
BEST = "look ahead"
SAME = 1e-9
SAVED = Path("out/bench/rules.csv")
"""``docs/reproduced/rules.csv`` is a copy of this file, and ``rules-table.csv`` there a copy of `TO_READ`."""
TO_READ = Path("out/bench/rules-table.csv")


def random_problem(seed: int, price: float) -> DecisionProblem:
    """Return a random problem; with the same seed, only the price differs."""
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
    """Compare the rules on random problems at each price, and on the examples."""
    n = 20 if quick else 200
    progress(f"rules: {n} random problems at {len(PRICES)} prices, {len(EXAMPLES)} examples")
    random = Comparison("random problems")
    trees = [question_tree(random_problem(seed, 1.0)) for seed in range(n)]
    for price in PRICES:
        for seed, tree in enumerate(trees):
            random.add(price, random_problem(seed, price), tree, price)
        progress(f"rules: price {price:g}")
    examples = Comparison("examples")
    for name in EXAMPLES:
        problem = read_decision_file(f"examples/decisions/{name}.toml")
        for factor in FACTORS:
            examples.add(f"{name}, prices x {factor:g}", _priced(problem, factor), question_tree(problem), factor)
    if not quick:
        _save(random)
        _save_table(random.table(n))
    return [random.table(n), examples.each(), _check([random, examples])]


def _priced(problem: DecisionProblem, factor: float) -> DecisionProblem:
    return replace(problem, questions=tuple(replace(each, price=factor * each.price) for each in problem.questions))


@dataclass(frozen=True)
class Node:
    """A moment of a decision, the most informative question in it, and the moments after its answers.

    Rules that ask the most informative question differ only in when they stop, and none of them considers prices. So
    one tree is enough for all of them.

    Attributes:
        likeliest: probability of the likeliest intent.
        belief: probabilities of the intents.
        gain: information gain of the question in bits.
        acting: expected loss of acting now.
        price: price of the question.
        after: probability and node of each answer; empty if no question is informative.
    """

    likeliest: float
    belief: np.ndarray
    gain: float
    acting: float
    price: float
    after: tuple[tuple[float, Node], ...]


def question_tree(problem: DecisionProblem) -> Node:
    """Return the tree of the most informative questions."""
    gains = information_gains(problem) if problem.most_questions else np.zeros(1)
    best, acting = int(gains.argmax()), float((problem.loss @ problem.belief).min())
    if gains[best] < LEAST_BITS:
        return Node(float(problem.belief.max()), problem.belief, 0.0, acting, 0.0, ())
    question = problem.questions[best]
    answers = [
        (float(row @ problem.belief), name) for row, name in zip(question.likelihood, question.answers, strict=True)
    ]
    after = tuple((p, question_tree(problem.heard(question.name, name))) for p, name in answers if p > 0)
    return Node(float(problem.belief.max()), problem.belief, float(gains[best]), acting, question.price, after)


Asks = Callable[[Node], bool]
"""Whether a rule asks at a node."""


def _cost(node: Node, asks: Asks, factor: float) -> float:
    """Return the cost of a rule if all prices are multiplied by `factor`."""
    if not node.after or not asks(node):
        return node.acting
    return factor * node.price + sum(p * _cost(below, asks, factor) for p, below in node.after)


STOPS: dict[str, tuple[float, Callable[[float], Asks]]] = {
    "plausible": (PLAUSIBLE, lambda t: lambda node: bool((node.belief >= t).sum() > 1)),
    "confident": (CONFIDENT, lambda t: lambda node: node.likeliest < t),
    "informative": (BITS, lambda t: lambda node: node.gain >= t),
}
"""The usual threshold of each rule, and a function from a threshold to the nodes at which it asks."""


class Comparison:
    """The costs of all rules on several problems, by group (a price or an example).

    Args:
        title: the kind of problems, in words.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.rules = [name for name in RULES if name != BEST]
        self.variants = {name: [f"{name} {each:g}" for each in THRESHOLDS[name]] for name in STOPS}
        self.costs: dict[object, dict[str, list[float]]] = {}

    def add(self, group: object, problem: DecisionProblem, tree: Node, factor: float) -> None:
        """Add a problem whose prices are those of its tree times a factor."""
        costs = self.costs.setdefault(group, {})
        best = askwise.decide(problem)
        assert best.verdict.exact
        found = {BEST: best.expected_loss, "never ask": best.acting_now.loss, "one step": cost_of(one_step, problem)}
        for name, (usual, asks) in STOPS.items():
            found[name] = _cost(tree, asks(usual), factor)
            found |= {f"{name} {each:g}": _cost(tree, asks(each), factor) for each in THRESHOLDS[name]}
        for name, cost in found.items():
            costs.setdefault(name, []).append(cost)
        if len(costs[BEST]) == 1:
            _check_tree(problem, found)

    def excess(self, group: object, name: str) -> np.ndarray:
        """Return the costs of a rule minus those of looking ahead, one for each problem of a group."""
        costs = self.costs[group]
        beyond: np.ndarray = np.array(costs[name]) - np.array(costs[BEST])
        return beyond

    def best_variant(self, group: object, name: str) -> str:
        """Return the variant of a rule that is best on the problems of a group: the most that tuning could reach."""
        return min(self.variants[name], key=lambda each: float(self.excess(group, each).mean()))

    def rows(self) -> list[list[object]]:
        """Return group, rule, mean excess, half interval, share of worse problems, and mean cost of looking ahead."""
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
        """Return the mean excess of each rule, a row for each group of `n` problems."""
        columns = [Column("price", lambda p: f"{p:g}"), Column("look ahead", _three)]
        names = list(dict.fromkeys(str(row[1]) for row in self.rows()))
        columns += [Column(name, lambda cell: f"+{cell[0]:.3f} ± {cell[1]:.3f}") for name in names]
        table = Table(f"Rules on {n} {self.title}: cost above looking ahead", columns)
        for group in self.costs:
            own = [row for row in self.rows() if row[0] == group]
            table.rows.append([group, own[0][5], *((row[2], row[3]) for row in own)])
        table.notes.append("look ahead: mean expected loss; others: mean difference from it, ± 1.96 standard errors")
        table.notes.append("best of 6 or 7: the threshold that is best on the same problems, chosen in hindsight")
        return table

    def each(self) -> Table:
        """Return the expected loss of each rule, a row for each group."""
        columns = [Column("example"), Column(BEST, _three), Column("never ask", _three)]
        columns += [Column(name, _three) for name in self.rules]
        table = Table("Rules on the examples: expected loss", columns)
        for group, costs in self.costs.items():
            table.rows.append([group, *(costs[name][0] for name in (BEST, "never ask", *self.rules))])
        return table


def _check_tree(problem: DecisionProblem, found: dict[str, float]) -> None:
    """Check that costs computed on a tree are those of following the rules themselves."""
    for name, rule in RULES.items():
        assert abs(cost_of(rule, problem) - found[name]) < SAME, name


def _three(number: float) -> str:
    return f"{number:.3f}"


def _mean(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean, half the width of a 95 % interval, and the share of values above 0."""
    half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return float(values.mean()), half, float((values > SAME).mean())


def _check(compared: list[Comparison]) -> Table:
    """Count the problems in which a rule is better than looking ahead; there must be none."""
    columns = [Column("problems"), Column("pairs of problem and rule", str), Column("rule better", str)]
    columns += [Column("rule worse", str), Column("largest excess", lambda x: f"{x:.3g}")]
    table = Table("Looking ahead is never worse than a rule", columns)
    for each in compared:
        gaps = np.concatenate(
            [each.excess(group, name) for group, costs in each.costs.items() for name in costs if name != BEST]
        )
        table.rows.append(
            [each.title, str(gaps.size), str(int((gaps < -1e-12).sum())), str(int((gaps > SAME).sum())), gaps.max()]
        )
    return table


def _save(compared: Comparison) -> None:
    """Write the rows of a comparison to `SAVED`."""
    SAVED.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(SAVED) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["price", "rule", "excess", "half_interval", "share_worse", "look_ahead"])
        for group, rule, *numbers in compared.rows():
            out.writerow([group, rule, *(f"{float(str(each)):.6g}" for each in numbers)])


def _save_table(table: Table) -> None:
    """Write the table to `TO_READ`, transposed: a row for each rule and a column for each price."""
    shown = [[column.show(value) for column, value in zip(table.columns, row, strict=True)] for row in table.rows]
    with whole_file(TO_READ) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        for k, column in enumerate(table.columns):
            out.writerow([column.name, *(row[k] for row in shown)])

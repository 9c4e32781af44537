"""What an agent would do at one moment, and why: the decision, the gate, the question and its price, the zones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.agents import (
    Agent,
    Decision,
    Gate,
    KnowsGoal,
    Observation,
    PairZones,
    Situation,
    make_agent,
    methods,
)
from askwise.agents.recorded import gate_to_json, pairs_to_json, runner_up_to_json
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.rules import FETCHER_NOOP, FIRST_PICKUP
from askwise.errors import InputError
from askwise.reading import printable
from askwise.seeds import Seed
from askwise.showing.moment import Moment, Way
from askwise.showing.scene import Scene
from askwise.showing.text import belief_line
from askwise.showing.words import columns_of, counted, listed, number, percent
from askwise.types import FloatArray

MOST_ASKED = 12
MOST_CELLS = 100_000_000
"""Cells times stations up to which zones are shown: beyond, they would take minutes."""

VERDICTS = {
    "proven optimal": "no question is better",
    "local optimum": "no single change makes it better; not proven to be the best",
    "best seen": "the best of all that the search came across; not proven to be the best",
    "budget used": "the search was cut off; there may be a better one",
}
"""What an optimiser's verdict means."""


@dataclass(frozen=True)
class Explanation:
    """What an agent decided at a moment, and what it believed."""

    method: str
    moment: Moment
    decision: Decision
    belief: FloatArray | None

    def to_json(self) -> dict[str, Any]:
        """Return the decision in numbers and names; null where no question was considered or it has no value."""
        decision, problem = self.decision, self.moment.problem
        return {
            "ask": None if decision.ask is None else [problem.goals[goal] for goal in decision.ask],
            "action": None if decision.action is None else problem.ego_actions[decision.action],
            "value": decision.value,
            "cost": decision.cost,
            "net": decision.net,
            "why": decision.why,
            "verdict": decision.verdict,
            "runner_up": runner_up_to_json(problem, decision),
            "gate": None if decision.gate is None else gate_to_json(problem, decision.gate),
            "pairs": pairs_to_json(problem, decision.pairs) if _zones_in_time(problem) else None,
        }


# -- the decision ------------------------------------------------------------------------------------------------


def explain(now: Moment, method: str | Agent, *, seed: Seed = 0, **options: Any) -> Explanation:
    """Return what a method does at a moment; `options` (``belief``, ``tie_break``) as for `make_agent`."""
    agent = make_agent(method, **options)
    if isinstance(agent, KnowsGoal):
        others = [name for name in methods() if name != agent.name]
        found = f"{agent.name!r}, which is told the goal and has nothing to find out"
        raise InputError("method", found, f"one of {', '.join(map(repr, others))}")
    agent.reset(now.problem, seed)
    decision = agent.decide(Observation(now.state))
    belief = agent.probabilities
    if decision.situation is None and belief is not None:
        decision = decision.made_at(Situation(now.problem, now.state, belief))
    return Explanation(agent.name, now, decision, belief)


# -- in words ----------------------------------------------------------------------------------------------------


def told(given: Explanation, *, colour: bool = False) -> str:
    """Return an explanation as text, to be printed.

    Args:
        given: the explanation.
        colour: whether to use the escape sequences of terminals with 256 colours.
    """
    problem, decision = given.moment.problem, given.decision
    headline = headline_of(problem, decision)
    lines = [f"\x1b[1;38;5;133m{headline}\x1b[0m" if colour else headline, printable(decision.why), ""]
    facts = {"method": given.method, **dict(_facts(given))}
    lines += [f"{name:<{max(map(len, facts)) + 2}}{text}" for name, text in facts.items()]
    return "\n".join([*lines, *_zones(given)]) + "\n"


def headline_of(problem: ToolFetching, decision: Decision) -> str:
    """Return a decision in one line."""
    if decision.ask is not None:
        names = [problem.goals[goal] for goal in decision.ask]
        return f"ASK: is it {'one of ' if len(names) > 1 else ''}{listed(names, MOST_ASKED)}?"
    if decision.action in (None, problem.wait):
        return "WAIT" if decision.considered is None else "WAIT: no question is worth its price"
    return f"DO: {printable(problem.ego_actions[decision.action])}"


def _facts(given: Explanation) -> Iterator[tuple[str, str]]:
    now = given.moment
    scene = Scene(now.problem.rules, now.problem.decode(now.state), given.belief)
    yield "now", f"worker at {scene.worker}; fetcher at {scene.fetcher}, with {scene.hands}"
    if now.way is not None:
        yield "inferred", _way_in_words(now.way)
    gate = given.decision.gate
    if given.belief is None or gate is None:
        yield "possible", "this method shows no belief"
    else:
        yield "possible", f"{gate.possible} of {counted(len(now.problem.goals), 'station')}"
        yield "likeliest", _likeliest(scene, given.belief[given.belief > 0])
        yield "gate", gate_in_words(now.problem, gate)
    yield from _question_facts(now.problem, given.decision)


def _way_in_words(way: Way) -> str:
    explain = "explains" if way.explained == 1 else "explain"
    return f"the worker came from {way.start}, which {way.explained} of {counted(way.of, 'station')} {explain}"


def _likeliest(scene: Scene, shares: FloatArray) -> str:
    if shares.size > 1 and np.ptp(shares) < 1e-12:
        return f"all the same, {percent(float(shares[0]))} each"
    return belief_line(scene).removeprefix("belief: ").partition(";")[0]


def gate_in_words(problem: ToolFetching, gate: Gate) -> str:
    """Return whether a question may be asked at all: only where no action is optimal for all possible goals."""
    n = gate.possible
    if n == 1:
        return "closed: one goal is left"
    if not gate.open:
        names = [problem.ego_actions[action] for action in gate.common]
        suits = "is" if len(names) == 1 else "are each"
        return f"closed: {' and '.join(map(printable, names))} {suits} optimal for all {n} of them"
    counts = ", ".join(f"{what} for {k}" for what, k in _suited(problem, dict(gate.suits)))
    return f"open: no action is optimal for all {n}: {counts}"


def _suited(problem: ToolFetching, counts: dict[int, int]) -> Iterator[tuple[str, int]]:
    """Iterate over what the fetcher could do and for how many goals that is optimal, the most first."""
    single = [(problem.ego_actions[a], counts.get(a, 0)) for a in range(FETCHER_NOOP + 1)]
    # Each tool is picked up for its own station only.
    choices = [*single, ("a PICKUP", sum(n for action, n in counts.items() if action >= FIRST_PICKUP))]
    return (choice for choice in sorted(choices, key=lambda choice: -choice[1]) if choice[1])


def _question_facts(problem: ToolFetching, decision: Decision) -> Iterator[tuple[str, str]]:
    if decision.considered is None:
        return
    asked, names = decision.considered, problem.goals
    if decision.ask is None:
        yield "question", f"the best is about {listed([names[goal] for goal in asked], MOST_ASKED)}"
    if decision.value is not None:
        yield "value", f"{decision.value:.2f} steps saved, in expectation"
    if decision.cost is not None:
        yield "cost", f"{number(decision.cost)} for {counted(len(asked), 'station')}"
    if decision.net is not None:
        yield "net", f"{decision.net:.2f}: {'ask' if decision.net > 0 else 'do not ask'}"
    if decision.runner_up is not None:
        yield "runner-up", f"{runner_up_in_words(names, decision)}, net {decision.runner_up[1]:.2f}"
    if decision.verdict:
        yield "verdict", verdict_in_words(decision)


def verdict_in_words(decision: Decision) -> str:
    """Return how sure the method is that its question is the best."""
    meaning = VERDICTS.get(decision.verdict)
    return printable(decision.verdict) + (f": {meaning}" if meaning else "")


def runner_up_in_words(names: Sequence[str], decision: Decision) -> str:
    """Return the second best question, by how it differs from the first where that is shorter."""
    asked, other = set(decision.considered or ()), set(decision.runner_up[0] if decision.runner_up else ())
    out, new = (listed([names[goal] for goal in sorted(goals)]) for goals in (asked - other, other - asked))
    if len(asked ^ other) > 2:
        return f"about {listed([names[goal] for goal in sorted(other)], MOST_ASKED)}"
    if out and new:
        return f"{new} in place of {out}"
    return f"the same without {out}" if out else f"the same with {new}"


# -- zones -------------------------------------------------------------------------------------------------------


def _zones(given: Explanation) -> list[str]:
    problem = given.moment.problem
    if given.belief is None or not _zones_in_time(problem) or not given.decision.pairs:
        return []
    asked = frozenset(given.decision.considered or ())
    rows = [_HEAD, *(_row(problem, pair, given.belief, asked) for pair in given.decision.pairs)]
    widths = [max(columns_of(row[k]) for row in rows) for k in range(len(_HEAD))]
    table = ["  " + "  ".join(_padded(row, widths)).rstrip() for row in rows]
    return ["", "The pairs of goals that weigh most; t counts steps from now, the next one is 1:", *table, *_KEY]


def _zones_in_time(problem: ToolFetching) -> bool:
    return problem.grid.n_states * len(problem.goals) <= MOST_CELLS


_HEAD = ("pair", "likely", "Z_I", "Z_B", "Z_Q", "if the first", "if the second", "")
_KEY = (
    "Z_I: watching may not have told them apart yet. Z_B: the fetcher's ways have parted. Z_Q: both, a question",
    "may pay. Last, when it is expected to pay if the first of the two is the goal, or the second.",
)


def _row(problem: ToolFetching, pair: PairZones, belief: FloatArray, asked: frozenset[int]) -> tuple[str, ...]:
    goals = (pair.first, pair.second)
    zones = (pair.information, pair.parting, pair.querying, *pair.expected_querying)
    return (
        ", ".join(printable(problem.goals[goal]) for goal in goals),
        ", ".join(percent(float(belief[goal])) for goal in goals),
        *map(str, zones),
        "told apart by the question" if len(asked.intersection(goals)) == 1 else "",
    )


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [text + " " * (width - columns_of(text)) for text, width in zip(row, widths, strict=True)]

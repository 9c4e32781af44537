"""What `askwise.ask` advises, in words and as JSON: the decision, the gate, the question and its price, the zones.

For problems of any kind; those of a registered domain are explained in its words.

The methods that the ego agent can decide by, each in one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from askwise.core.belief import belief_after
from askwise.core.problem import Problem
from askwise.core.question_json import question_to_json
from askwise.core.questions import Choice, Question
from askwise.core.side import place_and_load, place_name
from askwise.domains.registry import find_domain, words_of
from askwise.methods import Decision, Gate, PairZones, methods
from askwise.methods.decision_json import gate_to_json, pairs_to_json, runner_up_to_json
from askwise.play.ask import Advice, Way
from askwise.text.wording import (
    PLAIN,
    Vocabulary,
    columns_of,
    counted,
    likeliest_of,
    listed,
    number,
    percent,
    printable,
)
from askwise.types import FloatArray
from askwise.view.decision_text import group_names, question_to_text, replies_to, reply_to_text
from askwise.view.palette import in_terminal

MOST_ASKED = 12
MOST_CELLS = 100_000_000
"""States of the teammate times goals up to which zones are shown: beyond, they would take minutes."""

VERDICTS = {
    "proven optimal": "no question is better",
    "local optimum": "no single change makes it better; not proven to be the best",
    "best seen": "the best of all that the search came across; not proven to be the best",
    "budget used": "the search was cut off; there may be a better one",
}
"""What an optimiser's verdict means."""


def as_json(given: Advice) -> dict[str, Any]:
    """Return the decision in numbers and names; null where no question was considered or it has no value."""
    decision, problem = given.decision, given.problem
    return {
        "ask": None if decision.ask is None else question_to_json(problem, decision.ask),
        "action": None if decision.action is None else problem.ego.actions.names[decision.action],
        "value": decision.value,
        "cost": decision.cost,
        "net": decision.net,
        "why": decision.why,
        "verdict": decision.verdict,
        "runner_up": runner_up_to_json(problem, decision, key_of_goals(problem)),
        "gate": None if decision.gate is None else gate_to_json(problem, decision.gate),
        "pairs": pairs_to_json(problem, decision.pairs) if _zones_in_time(problem) else None,
    }


def words_for(problem: Problem) -> Vocabulary:
    """Return the words of a problem or of its domain, or those that fit any problem."""
    return words_of(problem)


def key_of_goals(problem: Problem) -> str:
    """Return the key under which JSON lists goals: the domain's word, whatever a file calls its own goals."""
    domain = find_domain(problem)
    return (PLAIN if domain is None else domain.vocabulary()).goals


# -- in words ----------------------------------------------------------------------------------------------------


def to_text(given: Advice, *, colour: bool = False) -> str:
    """Return advice as text, to be printed.

    Args:
        given: the advice.
        colour: whether to use the escape sequences of terminals with 256 colours.
    """
    headline = headline_of(given.problem, given.decision)
    lines = [in_terminal(headline, "question") if colour else headline, printable(given.why), ""]
    facts = {"method": given.method, **dict(_facts(given, words_for(given.problem)))}
    lines += [f"{name:<{max(map(len, facts)) + 2}}{text}" for name, text in facts.items()]
    return "\n".join([*lines, *_zones(given)]) + "\n"


def headline_of(problem: Problem, decision: Decision) -> str:
    """Return a decision in one line."""
    if decision.ask is not None:
        asks = question_to_text(problem.goals, decision.ask, MOST_ASKED)
        return f"ASK: {asks[0].lower()}{asks[1:]}"
    if decision.action in (None, problem.ego.actions.stay):
        return "WAIT" if decision.considered is None else "WAIT: no question is worth its price"
    return f"DO: {printable(problem.ego.actions.names[decision.action])}"


def _facts(given: Advice, words: Vocabulary) -> Iterator[tuple[str, str]]:
    problem, gate = given.problem, given.decision.gate
    yield "now", _places(given)
    if given.way is not None:
        yield "inferred", _way_in_words(given, given.way, words)
    if given.belief is None or gate is None:
        yield "possible", "this method shows no belief"
    else:
        yield "possible", f"{gate.possible} of {counted(len(problem.goals), words.goal)}"
        yield "likeliest", _likeliest(problem.goals, given.belief)
        yield "gate", gate_to_text(problem, gate)
    yield from _question_facts(problem, given.decision, words)
    yield from _answer_facts(given)


def _answer_facts(given: Advice) -> Iterator[tuple[str, str]]:
    """Where answers can be wrong or missing: how often, and what each reply would leave to believe."""
    problem, asked = given.problem, given.decision.considered
    model = problem.answers
    if model.truthful:
        return  # a reply rules out what it says, no more and no less
    errors = ", the same question always gets the same reply" if model.persistent else ""
    yield "answers", f"wrong {percent(model.wrong)}, refused {percent(model.refused)} of the time{errors}"
    if asked is None or given.belief is None:
        return
    for reply in replies_to(asked, len(problem.goals)):
        after = belief_after(problem, given.belief, reply)
        if after.any():
            best = int(after.argmax())
            likeliest = f"{printable(problem.goals[best])} with {percent(float(after[best]))}"
            yield f'"{reply_to_text(problem.goals, reply)}"', f"would leave {likeliest}"


def _places(given: Advice) -> str:
    """Return where both agents are, and what the ego agent carries."""
    problem, state, words = given.problem, given.state, words_for(given.problem)
    teammate, ego = place_name(problem.teammate, state.teammate), place_name(problem.ego, state.ego)
    hands = ""
    if problem.ego.loads:
        load = place_and_load(problem.ego, state.ego)[1]
        hands = ", with empty hands" if load < 0 else f", with the {words.load} of {problem.goals[load]}"
    return printable(f"{words.teammate} at {teammate}; {words.ego} at {ego}{hands}")


def _way_in_words(given: Advice, way: Way, words: Vocabulary) -> str:
    explain = "explains" if way.explained == 1 else "explain"
    start = printable(str(given.problem.teammate.model.name(way.start)))
    return f"the {words.teammate} came from {start}, which {way.explained} of {counted(way.of, words.goal)} {explain}"


def _likeliest(names: Sequence[str], belief: FloatArray) -> str:
    shares = belief[belief > 0]
    if shares.size > 1 and np.ptp(shares) < 1e-12:
        return f"all the same, {percent(float(shares[0]))} each"
    return likeliest_of(names, belief)


def gate_to_text(problem: Problem, gate: Gate) -> str:
    """Return whether a question may be asked at all: only where no action is optimal for all possible goals."""
    n = gate.possible
    if n == 1:
        return "closed: one goal is left"
    if not gate.open:
        names = [problem.ego.actions.names[action] for action in gate.common]
        suits = "is" if len(names) == 1 else "are each"
        return f"closed: {' and '.join(map(printable, names))} {suits} optimal for all {n} of them"
    counts = ", ".join(f"{what} for {k}" for what, k in _suited(problem, dict(gate.suits)))
    return f"open: no action is optimal for all {n}: {counts}"


def _suited(problem: Problem, counts: dict[int, int]) -> Iterator[tuple[str, int]]:
    """Iterate over what the ego agent could do and for how many goals that is optimal, the most first."""
    plain = [
        *problem.ego.actions.moves,
        *([] if problem.ego.actions.stay in problem.ego.actions.moves else [problem.ego.actions.stay]),
    ]
    single = [(printable(problem.ego.actions.names[action]), counts.get(action, 0)) for action in plain]
    # Actions such as picking something up are optimal for few goals each: together they say more.
    rest = sum(n for action, n in counts.items() if action not in plain)
    choices = [*single, (words_for(problem).handling, rest)]
    return (choice for choice in sorted(choices, key=lambda choice: -choice[1]) if choice[1])


def _question_facts(problem: Problem, decision: Decision, words: Vocabulary) -> Iterator[tuple[str, str]]:
    if decision.considered is None:
        return
    asked, names = decision.considered, problem.goals
    if decision.ask is None:
        yield "question", f"the best is about {_about(names, asked)}"
    if decision.value is not None:
        yield "value", f"{decision.value:.2f} steps saved, in expectation"
    if decision.cost is not None:
        what = counted(len(asked.groups), "option") if isinstance(asked, Choice) else counted(len(asked), words.goal)
        yield "cost", f"{number(decision.cost)} for {what}"
    if decision.net is not None:
        yield "net", f"{decision.net:.2f}: {'ask' if decision.net > 0 else 'do not ask'}"
    if decision.runner_up is not None:
        yield "runner-up", f"{runner_up_to_text(names, decision)}, net {decision.runner_up[1]:.2f}"
    if decision.verdict:
        yield "verdict", verdict_to_text(decision)


def _about(names: Sequence[str], asked: Question) -> str:
    if isinstance(asked, Choice):
        return f"which of {', '.join(group_names(names, asked))}"
    return listed([names[goal] for goal in asked], MOST_ASKED)


def verdict_to_text(decision: Decision) -> str:
    """Return how sure the method is that its question is the best."""
    meaning = VERDICTS.get(decision.verdict)
    return printable(decision.verdict) + (f": {meaning}" if meaning else "")


def runner_up_to_text(names: Sequence[str], decision: Decision) -> str:
    """Return the second best question, by how it differs from the first where that is shorter."""
    if decision.runner_up and (isinstance(decision.runner_up[0], Choice) or isinstance(decision.considered, Choice)):
        return f"about {_about(names, decision.runner_up[0])}"
    asked, other = set(decision.considered or ()), set(decision.runner_up[0] if decision.runner_up else ())
    out, new = (listed([names[goal] for goal in sorted(goals)]) for goals in (asked - other, other - asked))
    if len(asked ^ other) > 2:
        return f"about {listed([names[goal] for goal in sorted(other)], MOST_ASKED)}"
    if out and new:
        return f"{new} in place of {out}"
    return f"the same without {out}" if out else f"the same with {new}"


# -- zones -------------------------------------------------------------------------------------------------------


def _zones(given: Advice) -> list[str]:
    problem = given.problem
    if given.belief is None or not _zones_in_time(problem) or not given.decision.pairs:
        return []
    asked = frozenset(given.decision.considered or ())
    rows = [_HEAD, *(_row(problem, pair, given.belief, asked) for pair in given.decision.pairs)]
    widths = [max(columns_of(row[k]) for row in rows) for k in range(len(_HEAD))]
    table = ["  " + "  ".join(_padded(row, widths)).rstrip() for row in rows]
    return [
        "",
        "The pairs of goals that weigh most; t counts steps from now, the next one is 1:",
        *table,
        *_key(words_for(problem)),
    ]


def _zones_in_time(problem: Problem) -> bool:
    return problem.teammate.model.n_states * len(problem.goals) <= MOST_CELLS


_HEAD = ("pair", "likely", "Z_I", "Z_B", "Z_Q", "if the first", "if the second", "")


def _key(words: Vocabulary) -> list[str]:
    return [
        f"Z_I: watching may not have told them apart yet. Z_B: the {words.ego}'s ways have parted. "
        "Z_Q: both, a question",
        "may pay. Last, when it is expected to pay if the first of the two is the goal, or the second.",
    ]


def _row(problem: Problem, pair: PairZones, belief: FloatArray, asked: frozenset[int]) -> tuple[str, ...]:
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

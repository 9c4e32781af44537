"""Advice of `askwise.ask` as text and as JSON, and the list of methods.

Advice is what a method decides in a situation: an action or a question. The text has the decision, whether a question
may be asked, the best question with its price, and the steps in which a question about two goals may pay off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from askwise.core.belief import belief_after
from askwise.core.problem import Problem
from askwise.core.question_json import question_to_json
from askwise.core.questions import Choice
from askwise.core.side import place_and_load, place_name
from askwise.divergence import Zone
from askwise.domains.registry import find_domain, words_of
from askwise.methods import Decision, PairZones, methods
from askwise.methods.decision_json import gate_to_json, pairs_to_json, runner_up_to_json
from askwise.play.ask import Advice, InferredPath
from askwise.text.wording import (
    PLAIN,
    Vocabulary,
    aligned,
    counted,
    likeliest_of,
    number,
    percent,
    printable,
    wrapped,
)
from askwise.types import FloatArray
from askwise.view.decision_text import (
    about,
    gate_to_text,
    headline_of,
    replies_to,
    reply_to_text,
    runner_up_to_text,
    verdict_to_text,
)
from askwise.view.palette import in_terminal

MOST_CELLS = 100_000_000
"""The largest product of teammate states and goals for which zones are shown; larger tables would take minutes."""
_HEAD = ("", "pair", "likely", "Z_I", "Z_B", "Z_Q", "if 1st", "if 2nd")
MARK = "*"
SUMMARIES = {
    "never": "never asks; acts if one action is optimal for all possible goals",
    "baseline": "asks about a random half of the goals if no action suits all",
    "toolbox": "asks about the goals that share an optimal move",
    "cost-prob": "asks what best clarifies the next action for its price",
    "ezq": "asks the question of largest expected value (genetic search)",
    "ezq-local": "ezq with hill climbing: faster, usually better questions",
    "ezq-exact": "ezq with the proven best question; slow with many goals",
    "ezq-auto": "ezq-exact if few goals are possible, otherwise ezq-local",
    "optimal": "solves the whole problem first; small problems only",
    "planner": "looks ahead: acts early, waits if that is free, asks in time",
    "planner-light": "planner with a small search budget: milliseconds each",
    "informed": "knows the goal from the start; the reference",
}
"""One line about each method of askwise; methods of other packages are described by their docstrings."""
OWN = "Your own agent: --method FILE.py:CLASS, or --method PACKAGE.MODULE:CLASS."
"""How to name an agent that is not registered."""


def as_json(given: Advice) -> dict[str, Any]:
    """Return advice, which is a method's decision in a given situation, as a JSON-compatible dict.

    Unknown values are None. Some keys are about the best question, even if the decision is an action. Keys:

    - ``ask``: the question to ask; None if the decision is an action;
    - ``action``: the name of the action; None if the decision is a question;
    - ``value``: the expected steps that the best question saves;
    - ``cost``: its price;
    - ``net``: value minus price;
    - ``why``: the reason for the decision;
    - ``verdict``: how certain it is that no question is better;
    - ``runner_up``: a dict with the second-best question and its value minus its price;
    - ``gate``: a dict about whether a question may be asked;
    - ``pairs``: a list of dicts, one for each pair of goals, that say when the agents' actions tell the two apart; None
      in very large problems.
    """
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


def key_of_goals(problem: Problem) -> str:
    """Return the key under which JSON output lists goals: the domain's noun for goals, such as ``stations``.

    Without a domain, it is ``goals``. A noun that a problem states for its own texts plays no role.
    """
    domain = find_domain(problem)
    return (PLAIN if domain is None else domain.vocabulary()).goals


# -- text -------------------------------------------------------------------------------------------------------


def to_text(given: Advice, *, colour: bool = False) -> str:
    """Return advice, which is a method's decision in a given situation, as text for a terminal.

    Args:
        given: the advice.
        colour: whether to use escape sequences for terminals with 256 colours.
    """
    headline = headline_of(given.problem, given.decision)
    headline = wrapped(headline)
    lines = [in_terminal(headline, "question") if colour else headline, wrapped(printable(given.why)), ""]
    facts = {"method": given.method, **dict(_facts(given, words_of(given.problem)))}
    width = max(map(len, facts)) + 2
    lines += [wrapped(f"{name:<{width}}{text}", width) for name, text in facts.items()]
    return "\n".join([*lines, *_zones(given)]) + "\n"


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
    """Yield pairs of a heading and a text about wrong and missing answers; no pairs if all answers are true.

    The first pair says how often such answers occur. The others, one for each reply to the best question, say which
    goal would be the likeliest after this reply.
    """
    problem, asked = given.problem, given.decision.considered
    model = problem.answers
    if model.truthful:
        return
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
    """Return a text with the places of both agents; if the ego agent can carry things, also with what it carries."""
    problem, state, words = given.problem, given.state, words_of(given.problem)
    teammate, ego = place_name(problem.teammate, state.teammate), place_name(problem.ego, state.ego)
    hands = ""
    if problem.ego.loads:
        load = place_and_load(problem.ego, state.ego)[1]
        hands = ", with empty hands" if load < 0 else f", with the {words.load} of {problem.goals[load]}"
    return printable(f"{words.teammate} at {teammate}; {words.ego} at {ego}{hands}")


def _way_in_words(given: Advice, way: InferredPath, words: Vocabulary) -> str:
    explain = "explains" if way.explained == 1 else "explain"
    start = printable(str(given.problem.teammate.model.name(way.start)))
    return f"the {words.teammate} came from {start}, which {way.explained} of {counted(way.of, words.goal)} {explain}"


def _likeliest(names: Sequence[str], belief: FloatArray) -> str:
    shares = belief[belief > 0]
    if shares.size > 1 and np.ptp(shares) < 1e-12:
        return f"all the same, {percent(float(shares[0]))} each"
    return likeliest_of(names, belief)


def _question_facts(problem: Problem, decision: Decision, words: Vocabulary) -> Iterator[tuple[str, str]]:
    if decision.considered is None:
        return
    asked, names = decision.considered, problem.goals
    if decision.ask is None:
        yield "question", f"the best is about {about(names, asked)}"
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


# -- zones -------------------------------------------------------------------------------------------------------


def _zones(given: Advice) -> list[str]:
    problem = given.problem
    if given.belief is None or not _zones_in_time(problem) or not given.decision.pairs:
        return []
    asked = frozenset(given.decision.considered or ())
    rows = [_HEAD, *(_row(problem, pair, given.belief, asked) for pair in given.decision.pairs)]
    return [
        "",
        "The most important pairs of goals, with steps counted from now (the next is 1):",
        *aligned(rows, whole=range(2, len(_HEAD))),
        wrapped(_key(words_of(problem), marked=any(row[0] == MARK for row in rows))),
    ]


def _zones_in_time(problem: Problem) -> bool:
    return problem.teammate.model.n_states * len(problem.goals) <= MOST_CELLS


def _key(words: Vocabulary, *, marked: bool) -> str:
    """Return the text below the table of pairs of goals, which explains the table's columns.

    If `marked`, it also explains the mark: the best question contains only one goal of the pair.
    """
    return (
        f"Z_I: the observed moves may still fit both goals. Z_B: the {words.ego}'s best actions differ. Z_Q: both, so "
        "a question may pay off. Last: when it is expected to pay off if the first goal is the true one, or the second."
        + (f" {MARK}: the question separates the two." if marked else "")
    )


def _row(problem: Problem, pair: PairZones, belief: FloatArray, asked: frozenset[int]) -> tuple[str, ...]:
    goals = (pair.first, pair.second)
    zones = (pair.information, pair.parting, pair.querying, *pair.expected_querying)
    return (
        MARK if len(asked.intersection(goals)) == 1 else "",
        ", ".join(printable(problem.goals[goal]) for goal in goals),
        ", ".join(percent(float(belief[goal])) for goal in goals),
        *map(_steps_of, zones),
    )


def _steps_of(zone: Zone) -> str:
    """Return a zone, which is an interval of steps, in words.

    Examples: "to 3", "2 to 3", "from 2", "t = 2", "always", "empty".
    """
    text = str(zone).replace(" <= t <= ", " to ")
    return text.replace("t <= ", "to ").replace("t >= ", "from ").replace("all t", "always")


# -- methods ------------------------------------------------------------------------------------------------------


def list_methods() -> str:
    """Return a text that lists the methods that decide when and what to ask, with descriptions.

    The last line shows what to write after ``--method`` to use your own agent.
    """
    described = dict(_described())
    width = max(map(len, described)) + 2
    lines = [wrapped(f"{name:<{width}}{text}".rstrip(), width) for name, text in described.items()]
    return "\n".join([*lines, "", wrapped(OWN)])


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

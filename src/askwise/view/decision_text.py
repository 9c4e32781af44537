"""Questions, replies and decisions as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askwise.core.answers import NONE_OF_THESE, n_answers
from askwise.core.decision import Decision, Gate
from askwise.core.problem import Problem
from askwise.core.questions import Answer, Choice, Question
from askwise.domains.registry import words_of
from askwise.text.wording import either, listed, printable

MOST_NAMES = 12

VERDICTS = {
    "proven optimal": "no question is better",
    "local optimum": "no single change improves it; not proven optimal",
    "best seen": "the best question that the search found; not proven optimal",
    "budget used": "the search was stopped; there may be a better question",
}
"""The meaning of each verdict of a question optimiser."""


# -- questions ----------------------------------------------------------------------------------------------------


def question_to_text(goals: Sequence[str], asked: Question, most: int = MOST_NAMES) -> str:
    """Return a question as a sentence: "Is it one of A, B or C?" or "Which is it: A, B or none of these?".

    Args:
        goals: the names of all goals.
        asked: the indices of the goals in a yes/no question, or a `Choice`.
        most: with more names than this, the sentence ends with "or N more".
    """
    if isinstance(asked, Choice):
        others = [NONE_OF_THESE] if len(asked) < len(goals) else []
        return f"Which is it: {either([*group_names(goals, asked), *others], most)}?"
    names = [goals[goal] for goal in asked]
    return f"Is it {'one of ' if len(names) > 2 else ''}{either(names, most)}?"


def reply_to_text(goals: Sequence[str], answer: Answer) -> str:
    """Return the reply to a question as text: "Yes", "No" or "I don't know".

    The reply to a multiple-choice question is a group of goals, "None of these" or "I don't know". `goals` are the
    names of all goals.
    """
    if answer.reply is None:
        return "I don't know"
    if not isinstance(answer.asked, Choice):
        return "Yes" if answer.reply else "No"
    if answer.reply == len(answer.asked.groups):
        return NONE_OF_THESE.capitalize()
    return group_names(goals, answer.asked)[answer.reply]


def replies_to(asked: Question, n_goals: int) -> list[Answer]:
    """Return an `Answer` for each reply that a question can get, except "I don't know".

    The replies are yes and no or, for a multiple-choice question, its groups and, if some goals are in no group, "none
    of these".
    """
    if not isinstance(asked, Choice):
        return [Answer(asked, True), Answer(asked, False)]
    return [Answer(asked, k) for k in range(n_answers(asked, n_goals))]


def group_names(goals: Sequence[str], asked: Choice) -> list[str]:
    """Return a text for each group of goals in a multiple-choice question: the group's name or, without one, its goals.

    Args:
        goals: the names of all goals of the problem.
        asked: the question.
    """
    if asked.names:
        return [printable(name) for name in asked.names]
    return [listed([goals[goal] for goal in group], 3) for group in asked.groups]


# -- decisions ----------------------------------------------------------------------------------------------------


def headline_of(problem: Problem, decision: Decision) -> str:
    """Return a decision of the ego agent as one line: ASK and the question, WAIT, or DO and the name of the action."""
    if decision.ask is not None:
        asks = question_to_text(problem.goals, decision.ask, MOST_NAMES)
        return f"ASK: {asks[0].lower()}{asks[1:]}"
    if decision.action in (None, problem.ego.actions.stay):
        return "WAIT" if decision.considered is None else "WAIT: no question is worth its price"
    return f"DO: {printable(problem.ego.actions.names[decision.action])}"


def gate_to_text(problem: Problem, gate: Gate) -> str:
    """Return a text that says whether a question may be asked (the gate is open), and why.

    A question may be asked if several goals are possible and no action of the ego agent is optimal for all of them.
    """
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
    """Yield actions of the ego agent with the number of goals for which each is optimal, the largest number first.

    `counts` has this number by the index of the action. Actions that are optimal for no goal are left out. Actions
    other than moves and waiting are counted together.
    """
    plain = [
        *problem.ego.actions.moves,
        *([] if problem.ego.actions.stay in problem.ego.actions.moves else [problem.ego.actions.stay]),
    ]
    single = [(printable(problem.ego.actions.names[action]), counts.get(action, 0)) for action in plain]
    # Actions such as picking up a load are optimal for few goals each, so they are counted together.
    rest = sum(n for action, n in counts.items() if action not in plain)
    choices = [*single, (words_of(problem).handling, rest)]
    return (choice for choice in sorted(choices, key=lambda choice: -choice[1]) if choice[1])


def about(names: Sequence[str], asked: Question) -> str:
    """Return the subject of a question as text, for a sentence such as "asks about ...".

    It is a list of goals, such as "A, B", or, for a multiple-choice question, "which of" and a list of its groups.
    `names` are the names of all goals.
    """
    if isinstance(asked, Choice):
        return f"which of {', '.join(group_names(names, asked))}"
    return listed([names[goal] for goal in asked], MOST_NAMES)


def verdict_to_text(decision: Decision) -> str:
    """Return the verdict of a decision with its meaning: how certain it is that the method found the best question.

    An example is "proven optimal: no question is better". The text is empty if there is no verdict.
    """
    meaning = VERDICTS.get(decision.verdict)
    return printable(decision.verdict) + (f": {meaning}" if meaning else "")


def runner_up_to_text(names: Sequence[str], decision: Decision) -> str:
    """Return the second-best question as text or, if it is similar to the best question, only the difference.

    Examples: "about A, B, C", "the same without A", "B in place of A". `names` are the names of all goals.
    """
    if decision.runner_up and (isinstance(decision.runner_up[0], Choice) or isinstance(decision.considered, Choice)):
        return f"about {about(names, decision.runner_up[0])}"
    asked, other = set(decision.considered or ()), set(decision.runner_up[0] if decision.runner_up else ())
    out, new = (listed([names[goal] for goal in sorted(goals)]) for goals in (asked - other, other - asked))
    if len(asked ^ other) > 2:
        return f"about {listed([names[goal] for goal in sorted(other)], MOST_NAMES)}"
    if out and new:
        return f"{new} in place of {out}"
    return f"the same without {out}" if out else f"the same with {new}"

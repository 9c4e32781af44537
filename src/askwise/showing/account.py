"""An episode told in text: who did what, step by step, what was asked, what it cost.

Steps in which the same is going on (the fetcher waits, or walks) and nothing is learnt share a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np

from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.rules import FETCHER_NOOP, WORK, WORKER_ACTIONS, WORKER_NOOP
from askwise.episode import Episode, Step
from askwise.problem import JointState
from askwise.reading import printable
from askwise.showing.scene import scene_at, size_of, tool_fetching
from askwise.showing.words import counted, listed, number, percent

MOST_ASKED = 15
MOST_CONSIDERED = 6
Emphasis = Callable[[str], str]


def account(episode: Episode, *, colour: bool = False) -> str:
    """Return the story of an episode, to be printed.

    Args:
        episode: an episode of tool fetching.
        colour: whether to use the escape sequences of terminals with 256 colours.
    """
    problem = tool_fetching(episode)
    loud: Emphasis = (lambda text: f"\x1b[1;38;5;133m{text}\x1b[0m") if colour else str
    head = f"{'step':>9}  {'fetcher':<27} {'worker':<23} {'possible':>8}  likeliest"
    lines = [*header(episode), "", head, *_story(episode, problem, loud), "", closing(episode)]
    return "\n".join(lines) + "\n"


def header(episode: Episode) -> list[str]:
    """Return what was played, and by whom."""
    start = scene_at(episode, 0)
    seed = "" if episode.seed is None else f", seed {episode.seed}"
    return [
        f"Tool fetching: {size_of(start.instance)}",
        f"method {episode.method}, teammate {episode.teammate}, goal {printable(episode.goal_name)}{seed}",
        f"worker starts at {start.worker}, fetcher at {start.fetcher}",
    ]


def closing(episode: Episode) -> str:
    """Return how it ended and what it cost."""
    n = len(episode.steps)
    end = "Finished" if episode.finished else "Not finished: cut off"
    asked = counted(len(episode.questions), "question")
    # Where the end is missing, there is nothing to compare with.
    marginal = f": marginal cost {number(episode.marginal_cost)}" if episode.finished else ""
    return (
        f"{end} after {counted(n, 'step')}. Cost {number(episode.cost)}, with the goal known "
        f"{number(episode.optimal_cost)}{marginal}; {asked}."
    )


def _story(episode: Episode, problem: ToolFetching, loud: Emphasis) -> Iterator[str]:
    after = [step.state for step in episode.steps[1:]] + [episode.final]
    stretches = groupby(zip(episode.steps, after, strict=True), key=_kind)
    for _, stretch in stretches:
        pairs = list(stretch)
        if pairs[0][0].answer is None:
            yield _line(problem, pairs[0][0], pairs[-1][0], pairs[-1][1])
            yield from _not_asked(problem, [step for step, _after in pairs])
        else:
            for step, _after in pairs:
                yield from _question(problem, step, loud)


def _kind(pair: tuple[Step, JointState]) -> tuple[object, ...]:
    """Return what steps on one line have in common; a question or a pickup has a line of its own."""
    step = pair[0]
    possible = None if step.belief is None else (step.belief > 0).tobytes()
    action = step.decision.action
    if action is None or action > FETCHER_NOOP:
        return ("alone", step.t)
    worker = step.teammate_action
    return (action == FETCHER_NOOP, worker if worker in (WORK, WORKER_NOOP) else None, possible)


def _line(problem: ToolFetching, first: Step, last: Step, after: JointState) -> str:
    steps = f"{first.t}" if first is last else f"{first.t}-{last.t}"
    fetcher = _fetcher_does(problem, first, last, after)
    worker = _worker_does(problem, first, last, after)
    return f"{steps:>9}  {fetcher:<27} {worker:<23} {_believes(problem, first)}".rstrip()


def _fetcher_does(problem: ToolFetching, first: Step, last: Step, after: JointState) -> str:
    action = first.decision.action
    if action is None or action > FETCHER_NOOP:
        return printable(problem.describe_ego_action(action)) if action is not None else ""
    cell = _cell(problem, problem.decode(after).fetcher)
    if action == FETCHER_NOOP:
        return f"waits at {cell}"
    return f"{problem.ego_actions[action]} to {cell}" if first is last else f"walks to {cell}"


def _worker_does(problem: ToolFetching, first: Step, last: Step, after: JointState) -> str:
    action = first.teammate_action
    cell = _cell(problem, after.teammate)
    if action == WORK:
        station = problem.rules.station_at(after.teammate)
        return f"works at {cell if station is None else printable(problem.goals[station])}"
    if action is None or action == WORKER_NOOP:
        return f"waits at {cell}"
    return f"{WORKER_ACTIONS[action]} to {cell}" if first is last else f"walks to {cell}"


def _believes(problem: ToolFetching, step: Step) -> str:
    if step.belief is None:
        return ""
    best = int(np.argmax(step.belief))
    return f"{int((step.belief > 0).sum()):>8}  {printable(problem.goals[best])} {percent(float(step.belief[best]))}"


def _question(problem: ToolFetching, step: Step, loud: Emphasis) -> Iterator[str]:
    if step.answer is None:
        return
    names = [problem.goals[goal] for goal in step.answer.asked]
    asks = f"ASKS: is it {'one of ' if len(names) > 1 else ''}{listed(names, MOST_ASKED)}?"
    value = "" if step.decision.value is None else f", expected to save {number(round(step.decision.value, 2))}"
    answer = "YES" if step.answer.yes else "NO"
    yield f"{step.t:>9}  {loud(asks)}"
    told = f"{answer}  ({len(names)} of {_possible(step)} possible, cost {number(step.cost)}{value})"
    yield f"{'':>9}  {loud(told)}"


def _not_asked(problem: ToolFetching, steps: Sequence[Step]) -> Iterator[str]:
    """Tell what was not worth asking; over several steps, the question that came nearest to it."""
    best = max((step.decision for step in steps), key=lambda made: -np.inf if made.net is None else made.net)
    if best.considered is None or best.value is None or best.cost is None:
        return
    names = listed([problem.goals[goal] for goal in best.considered], MOST_CONSIDERED)
    worth = f"would save {number(round(best.value, 2))} and cost {number(best.cost)}"
    yield f"{'':>9}  asks nothing: the best question ({names}) {worth}"


def _possible(step: Step) -> str:
    return "all" if step.belief is None else str(int((step.belief > 0).sum()))


def _cell(problem: ToolFetching, state: int) -> str:
    x, y = problem.grid.cells[state].tolist()
    return f"({x}, {y})"

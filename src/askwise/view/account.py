"""An episode told in text: who did what, step by step, what was asked, what it cost.

Steps in which the same is going on (the ego agent waits, or walks) and nothing is learnt share a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np

from askwise.core.episode import Episode, Step
from askwise.core.problem import JointState, Problem, credible_goals, teammate_does
from askwise.domains.registry import words_of
from askwise.text.reading import printable
from askwise.text.vocabulary import Vocabulary
from askwise.text.wording import counted, listed, number, percent
from askwise.view.asking import question_in_words, reply_in_words
from askwise.view.palette import in_terminal
from askwise.view.scene_builder import scene_at, scene_of

MOST_ASKED = 15
MOST_CONSIDERED = 6
Emphasis = Callable[[str], str]


def account(episode: Episode, *, colour: bool = False) -> str:
    """Return the story of an episode, to be printed.

    Args:
        episode: an episode of any problem.
        colour: whether to use the escape sequences of terminals with 256 colours.
    """
    words = words_of(episode.problem)
    loud: Emphasis = (lambda text: in_terminal(text, "question")) if colour else str
    head = f"{'step':>9}  {words.ego:<27} {words.teammate:<23} {'possible':>8}  likeliest"
    lines = [*header(episode), "", head, *_story(episode, words, loud), "", closing(episode)]
    return "\n".join(lines) + "\n"


def header(episode: Episode) -> list[str]:
    """Return what was played, and by whom."""
    start = scene_at(episode, 0)
    teammate, ego = start.teammate, start.ego
    seed = "" if episode.seed is None else f", seed {episode.seed}"
    return [
        f"{start.words.title}: {start.size}",
        f"method {episode.method}, teammate {episode.teammate}, goal {printable(episode.goal_name)}{seed}",
        f"{teammate.name} starts at {teammate.place}, {ego.name} at {ego.place}",
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


def _story(episode: Episode, words: Vocabulary, loud: Emphasis) -> Iterator[str]:
    problem = episode.problem
    after = [step.state for step in episode.steps[1:]] + [episode.final]
    stretches = groupby(zip(episode.steps, after, strict=True), key=lambda pair: _kind(problem, pair[0]))
    for _, stretch in stretches:
        pairs = list(stretch)
        if pairs[0][0].answer is None:
            yield _line(problem, words, pairs[0][0], pairs[-1][0], pairs[-1][1])
            yield from _not_asked(problem, [step for step, _after in pairs])
        else:
            for step, _after in pairs:
                yield from _question(problem, step, loud)


def _kind(problem: Problem, step: Step) -> tuple[object, ...]:
    """Return what steps on one line have in common; a question or an action that is no move has a line of its own."""
    possible = None if step.belief is None else credible_goals(problem, step.belief).tobytes()
    action = step.decision.action
    if action is None or not _is_plain(problem, action):
        return ("alone", step.t)
    return (action == problem.ego.actions.stay, step.teammate_action if _rests(problem, step) else None, possible)


def _is_plain(problem: Problem, action: int) -> bool:
    """Whether an action of the ego agent is a move or waiting."""
    return action == problem.ego.actions.stay or action in problem.ego.actions.moves


def _rests(problem: Problem, step: Step) -> bool:
    """Whether the teammate stays where it is."""
    place, action = step.state.teammate, step.teammate_action
    return action is None or problem.teammate.next(place, action) == place


def _line(problem: Problem, words: Vocabulary, first: Step, last: Step, after: JointState) -> str:
    steps = f"{first.t}" if first is last else f"{first.t}-{last.t}"
    scene = scene_of(problem, after)
    ego = _ego_does(problem, first, last, scene.ego.place)
    teammate = _teammate_does(problem, words, first, last, scene.teammate.place)
    return f"{steps:>9}  {ego:<27} {teammate:<23} {_believes(problem, first)}".rstrip()


def _ego_does(problem: Problem, first: Step, last: Step, place: str) -> str:
    action = first.decision.action
    if action is None:
        return ""
    if not _is_plain(problem, action):
        return printable(problem.ego.actions.names[action])
    if action == problem.ego.actions.stay:
        return f"waits at {place}"
    return f"{printable(problem.ego.actions.names[action])} to {place}" if first is last else f"walks to {place}"


def _teammate_does(problem: Problem, words: Vocabulary, first: Step, last: Step, place: str) -> str:
    action, state = first.teammate_action, first.state.teammate
    if action is not None and action == problem.teammate.actions.stay:
        reached = np.flatnonzero(problem.teammate.steps(state) == 0)
        return f"{words.stays} at {printable(problem.goals[reached[0]]) if reached.size else place}"
    if action is None or _rests(problem, first):
        return f"waits at {place}"
    does = printable(teammate_does(problem, state, action))
    return f"{does} to {place}" if first is last else f"walks to {place}"


def _believes(problem: Problem, step: Step) -> str:
    if step.belief is None:
        return ""
    best = int(np.argmax(step.belief))
    possible = int(credible_goals(problem, step.belief).sum())
    return f"{possible:>8}  {printable(problem.goals[best])} {percent(float(step.belief[best]))}"


def _question(problem: Problem, step: Step, loud: Emphasis) -> Iterator[str]:
    if step.answer is None:
        return
    asks = question_in_words(problem.goals, step.answer.asked, MOST_ASKED)
    value = "" if step.decision.value is None else f", expected to save {number(round(step.decision.value, 2))}"
    reply = reply_in_words(problem.goals, step.answer)
    yield f"{step.t:>9}  {loud(f'ASKS: {asks[0].lower()}{asks[1:]}')}"
    named = f"{len(step.answer.goals)} of {_possible(problem, step)} possible"
    told = f"{reply.upper()}  ({named}, cost {number(step.cost)}{value})"
    yield f"{'':>9}  {loud(told)}"


def _not_asked(problem: Problem, steps: Sequence[Step]) -> Iterator[str]:
    """Tell what was not worth asking; over several steps, the question that came nearest to it."""
    best = max((step.decision for step in steps), key=lambda made: -np.inf if made.net is None else made.net)
    if best.considered is None or best.value is None or best.cost is None:
        return
    names = listed([problem.goals[goal] for goal in best.considered], MOST_CONSIDERED)
    worth = f"would save {number(round(best.value, 2))} and cost {number(best.cost)}"
    yield f"{'':>9}  asks nothing: the best question ({names}) {worth}"


def _possible(problem: Problem, step: Step) -> str:
    return "all" if step.belief is None else str(int(credible_goals(problem, step.belief).sum()))

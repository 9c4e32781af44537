"""Problems and episodes as text.

The text of an episode has a line per step. Consecutive steps share a line if the agents keep doing the same (waiting or
walking) and the belief does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from askwise.core.episode import Episode, Step
from askwise.core.problem import JointState, Problem, credible_goals, optimal_costs, teammate_does
from askwise.core.questions import QueryCost
from askwise.core.side import Side, place_and_load, place_name
from askwise.domains.registry import words_of
from askwise.model import GridWorld
from askwise.text.wording import Vocabulary, aligned, aligned_rows, counted, listed, number, percent, printable, wrapped
from askwise.view.decision_text import question_to_text, reply_to_text
from askwise.view.palette import in_terminal
from askwise.view.scene_builder import scene_at, scene_of

MOST_ASKED = 15
MOST_CONSIDERED = 6
Emphasis = Callable[[str], str]
MOST_GOALS = 10
MOST_SITES = 12
MOST_TARGETS = 3
LONGEST_NAME = 28


# -- episodes -----------------------------------------------------------------------------------------------------


def episode_to_text(episode: Episode, *, colour: bool = False) -> str:
    """Return an episode as text: a header, a table of its steps, and what it cost.

    Args:
        episode: an episode of any problem.
        colour: whether to emphasise questions with escape sequences for terminals with 256 colours.
    """
    words = words_of(episode.problem)
    loud: Emphasis = (lambda text: in_terminal(text, "question")) if colour else str
    lines = [*map(wrapped, header(episode)), "", *_table(episode, words, loud), "", *closing(episode)]
    return "\n".join(lines) + "\n"


def header(episode: Episode) -> list[str]:
    """Return three lines of text that introduce an episode.

    The lines have the size of the problem; the method, the kind of teammate, the goal and the random seed; and the
    starts of both agents.
    """
    start = scene_at(episode, 0)
    teammate, ego = start.teammate, start.ego
    seed = "" if episode.seed is None else f", seed {episode.seed}"
    return [
        f"{start.words.title}: {start.size}",
        f"method {episode.method}, teammate {episode.teammate}, goal {printable(episode.goal_name)}{seed}",
        f"{teammate.name} starts at {teammate.place}, {ego.name} at {ego.place}",
    ]


def closing(episode: Episode) -> list[str]:
    """Return two lines of text about an episode: its end with the numbers of steps and questions, and its costs."""
    steps, asked = counted(len(episode.steps), "step"), counted(len(episode.questions), "question")
    end = "Finished" if episode.finished else "Not finished: cut off"
    # The marginal cost of an unfinished episode is unknown.
    marginal = f": marginal cost {number(episode.marginal_cost)}" if episode.finished else ""
    return [
        f"{end} after {steps}, with {asked}.",
        f"Cost {number(episode.cost)}, with the goal known {number(episode.known_cost)}{marginal}.",
    ]


class _Remark(NamedTuple):
    """A remark about a question, on a separate line between the rows of the table of an episode's steps.

    Attributes:
        step: the number of the step; empty if a line above has the number.
        text: the remark.
        asked: whether the question was asked.
    """

    step: str
    text: str
    asked: bool = True


def _table(episode: Episode, words: Vocabulary, loud: Emphasis) -> list[str]:
    """Return the lines of the table of an episode's steps, with remarks about questions between its rows.

    `loud` emphasises a text for a terminal, or returns it unchanged.
    """
    story = list(_story(episode, words))
    width = max(4, *(len(each[0]) for each in story)) if story else 4
    head = ("step".rjust(width), words.ego, words.teammate, "goals\nbefore", "likeliest\nbefore")
    rows = ((each[0].rjust(width), *each[1:]) for each in story if not isinstance(each, _Remark))
    laid_out = iter(aligned_rows([head, *rows]))
    lines = [*next(laid_out)]
    for each in story:
        lines += _remark_lines(each, width, loud) if isinstance(each, _Remark) else next(laid_out)
    return lines


def _remark_lines(remark: _Remark, width: int, loud: Emphasis) -> list[str]:
    """Return the lines of a remark in the table of an episode's steps; a question that was asked is emphasised.

    `width` is the width of the column of step numbers. `loud` returns a text emphasised for a terminal, or unchanged.
    """
    lines = wrapped(f"  {remark.step:>{width}}  {remark.text}", width + 4).split("\n")
    return [f"{line[: width + 4]}{loud(line[width + 4 :])}" if remark.asked else line for line in lines]


def _story(episode: Episode, words: Vocabulary) -> Iterator[tuple[str, ...] | _Remark]:
    """Yield the rows of the table of an episode's steps, and the remarks about questions, in the order of time.

    A row is a tuple of texts: its steps, what the ego agent does, what the teammate does, and, as of the beginning of
    these steps, the number of possible goals and the likeliest goal. Consecutive similar steps share a row.
    """
    problem = episode.problem
    after = [step.state for step in episode.steps[1:]] + [episode.final]
    stretches = groupby(zip(episode.steps, after, strict=True), key=lambda pair: _kind(problem, pair[0]))
    for _, stretch in stretches:
        pairs = list(stretch)
        if pairs[0][0].answer is None:
            yield _row(problem, words, pairs[0][0], pairs[-1][0], pairs[-1][1])
            yield from _not_asked(problem, [step for step, _after in pairs])
        else:
            for step, _after in pairs:
                yield from _question(problem, step)


def _kind(problem: Problem, step: Step) -> tuple[object, ...]:
    """Return a key for a step; consecutive steps with equal keys share a row in the text of an episode.

    A question, and an action that is neither a move nor waiting, have a row of their own.
    """
    possible = None if step.belief is None else credible_goals(problem, step.belief).tobytes()
    action = step.decision.action
    if action is None or not _is_plain(problem, action):
        return ("alone", step.t)
    return (action == problem.ego.actions.stay, step.teammate_action if _rests(problem, step) else None, possible)


def _is_plain(problem: Problem, action: int) -> bool:
    """Return whether an action of the ego agent, given by its index, is a move or waiting."""
    return action == problem.ego.actions.stay or action in problem.ego.actions.moves


def _rests(problem: Problem, step: Step) -> bool:
    """Return whether the teammate is in the same state before and after a step."""
    place, action = step.state.teammate, step.teammate_action
    return action is None or problem.teammate.next(place, action) == place


def _row(problem: Problem, words: Vocabulary, first: Step, last: Step, after: JointState) -> tuple[str, ...]:
    steps = f"{first.t}" if first is last else f"{first.t}-{last.t}"
    scene = scene_of(problem, after)
    ego = _ego_does(problem, first, last, _short(scene.ego.place))
    teammate = _teammate_does(problem, words, first, last, _short(scene.teammate.place))
    return (steps, ego, teammate, *_believes(problem, first))


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
        goal = problem.goals[reached[0]] if reached.size else place
        return words.stays.format(place=place, goal=printable(goal))
    if action is None or _rests(problem, first):
        return f"waits at {place}"
    does = printable(teammate_does(problem, state, action))
    return f"{does} to {place}" if first is last else f"{words.walks} to {place}"


def _believes(problem: Problem, step: Step) -> tuple[str, str]:
    """Return two texts: the number of goals possible before a step, and the likeliest goal with its probability.

    Both are empty if the ego agent has no belief.
    """
    if step.belief is None:
        return "", ""
    best = int(np.argmax(step.belief))
    possible = str(int(credible_goals(problem, step.belief).sum()))
    return possible, f"{printable(problem.goals[best])} {percent(float(step.belief[best]))}"


def _question(problem: Problem, step: Step) -> Iterator[_Remark]:
    if step.answer is None:
        return
    asks = question_to_text(problem.goals, step.answer.asked, MOST_ASKED)
    value = "" if step.decision.value is None else f", expected to save {number(round(step.decision.value, 2))}"
    reply = reply_to_text(problem.goals, step.answer)
    yield _Remark(f"{step.t}", f"ASKS: {asks[0].lower()}{asks[1:]}")
    named = f"{len(step.answer.goals)} of {_possible(problem, step)} possible"
    yield _Remark("", f"{reply.upper()}  ({named}, cost {number(step.cost)}{value})")


def _not_asked(problem: Problem, steps: Sequence[Step]) -> Iterator[_Remark]:
    """Yield a remark about the best question that the ego agent considered in `steps` but did not ask, if any.

    The best one has the highest expected saving minus price.
    """
    best = max((step.decision for step in steps), key=lambda made: -np.inf if made.net is None else made.net)
    if best.considered is None or best.value is None or best.cost is None:
        return
    names = listed([problem.goals[goal] for goal in best.considered], MOST_CONSIDERED)
    worth = f"would save {number(round(best.value, 2))} and cost {number(best.cost)}"
    yield _Remark("", f"asks nothing: the best question ({names}) {worth}", asked=False)


def _possible(problem: Problem, step: Step) -> str:
    return "all" if step.belief is None else str(int(credible_goals(problem, step.belief).sum()))


# -- problems -----------------------------------------------------------------------------------------------------


def describe(problem: Problem) -> str:
    """Return a problem as text, as the command ``askwise show`` prints it.

    The text has the size, the landmarks, the starts and the goals, the price of questions, and the cost if the ego
    agent knows the goal. A phrase on how likely goals are, if any, replaces starts and goals.
    """
    scene = scene_of(problem, problem.start)
    words = scene.words
    best = optimal_costs(problem, problem.start)
    possible = best[problem.prior > 0]
    expected = float(problem.prior[problem.prior > 0] @ possible)
    lines = [
        f"{words.title}: {scene.size}",
        *([f"{words.landmarks}: {_sites(words)}"] if words.sites else []),
        *([f"prior: {words.prior}"] if words.prior else _starts_and_goals(problem, words)),
        f"a question costs {_price(problem.query_cost, words)}",
        f"cost with the goal known: {_spread(expected, possible.min(), possible.max())}",
    ]
    return "\n".join(wrapped(line, 2) for line in lines) + "\n"


def _spread(expected: float, least: float, most: float) -> str:
    return number(least) if least == most else f"{expected:.1f} expected, from {number(least)} to {number(most)}"


def _sites(words: Vocabulary) -> str:
    """Return a text with the first `MOST_SITES` landmarks of a problem, such as toolboxes, and the number of others.

    For each landmark, it has the name, the place, and the number of things to pick up there.
    """
    shown = [
        f"{printable(site.name)} at {site.at} ({counted(len(site.goals), words.load)})"
        for site in words.sites[:MOST_SITES]
    ]
    more = len(words.sites) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _starts_and_goals(problem: Problem, words: Vocabulary) -> list[str]:
    """Return lines of text: one with the starts of both agents, then a table of the first `MOST_GOALS` goals."""
    teammate, ego = _name(problem.teammate, problem.start.teammate), _name(problem.ego, problem.start.ego)
    return [f"{words.teammate} starts at {teammate}, {words.ego} at {ego}", *_goals(problem, words)]


def _goals(problem: Problem, words: Vocabulary) -> list[str]:
    """Return the lines of a table of the first `MOST_GOALS` goals of a problem.

    Its columns are the name, the probability, the places where each agent reaches the goal with the steps to the
    nearest one, and, if goals have prices of their own, the price of naming the goal in a question.
    """
    own = problem.query_cost.prices
    head = [words.goal, "likely", words.teammate, words.ego, *(["naming it costs"] if own is not None else [])]
    rows = [head]
    for goal in range(min(len(problem.goals), MOST_GOALS)):
        rows.append([_short(printable(problem.goals[goal])), percent(float(problem.prior[goal]))])
        steps = problem.teammate.steps(problem.start.teammate)[goal], problem.ego.steps(problem.start.ego)[goal]
        rows[-1].append(_far(problem.teammate, goal, int(steps[0])))
        rows[-1].append(_far(problem.ego, goal, int(steps[1])))
        if own is not None:
            rows[-1].append(number(own[goal]))
    more = len(problem.goals) - MOST_GOALS
    return [*aligned(rows), *([f"  and {counted(more, words.goal)} more"] if more > 0 else [])]


def _far(side: Side, goal: int, steps: int) -> str:
    """Return a text with the places where an agent reaches a goal, and the number of steps to the nearest one.

    `side` is the agent's side of the problem; `steps` are counted from the agent's start.
    """
    targets = side.targets(goal)
    places = listed([_name(side, int(state)) for state in targets[:MOST_TARGETS]])
    more = f" and {targets.size - MOST_TARGETS} more" if targets.size > MOST_TARGETS else ""
    return f"{places}{more}, {counted(steps, 'step')}"


def _name(side: Side, state: int) -> str:
    """Return the name of the place where an agent is in a state, shortened if necessary; on a grid, its coordinates.

    Args:
        side: the agent's side of the problem, which has its model.
        state: the index of the state.
    """
    name = place_name(side, state)
    if isinstance(side.model, GridWorld):
        x, y = side.model.cells[place_and_load(side, state)[0]].tolist()
        name = (x, y)
    return _short(printable(str(name)))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _price(price: QueryCost, words: Vocabulary) -> str:
    if type(price) is not QueryCost:
        return "an amount that a function computes from its goals"
    if price.prices is not None:
        low, high = float(np.min(price.prices)), float(np.max(price.prices))
        each = number(low) if low == high else f"{number(low)} to {number(high)}"
        return f"{number(price.base)} and {each} for each {words.goal} in it"
    return number(price.base) + (f" and {number(price.per_goal)} for each {words.goal} in it" if price.per_goal else "")

"""The scenes of episodes, and of the start of a problem.

An episode of `n` steps has ``n + 1`` moments. Each of the first `n` shows both agents as they are before a step, and
what is about to happen in it; the last shows how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from askwise.api import as_problem
from askwise.core.episode import Episode, Step
from askwise.text.reading import printable
from askwise.text.wording import counted, number
from askwise.types import FloatArray
from askwise.view.asking import reply_in_words
from askwise.view.scene import Scene
from askwise.view.stage import scene_of


def start_scene(given: object, belief: FloatArray | None = None) -> Scene:
    """Return the start of a problem or an instance of any domain, with its size; `belief` may be the prior."""
    problem = as_problem(given)
    scene = scene_of(problem, problem.start, belief)
    return replace(scene, progress=scene.size)


def scenes(episode: Episode) -> Iterator[Scene]:
    """Iterate over all moments of an episode."""
    costs = costs_before(episode)
    return (_scene(episode, k, costs[k]) for k in range(len(episode.steps) + 1))


def scene_at(episode: Episode, k: int) -> Scene:
    """Return moment `k`, from 0; moment ``len(episode.steps)`` is the end."""
    return _scene(episode, k, costs_before(episode)[k])


def costs_before(episode: Episode) -> list[float]:
    """Return, for each moment, the cost of the steps that have been taken."""
    return list(accumulate((step.cost for step in episode.steps), initial=0.0))


def _scene(episode: Episode, k: int, cost: float) -> Scene:
    n = len(episode.steps)
    spent = f"cost so far {number(cost)}, best possible {number(episode.optimal_cost)}"
    if k == n:
        scene = scene_of(episode.problem, episode.final)
        return replace(
            scene,
            belief=episode.steps[-1].belief if n else None,
            goal=episode.goal,
            progress=f"after {counted(n, 'step')}: {spent}",
            event=f"{scene.words.done if episode.finished else 'Cut off here.'} {questions_asked(episode)}",
        )
    step = episode.steps[k]
    return replace(
        scene_of(episode.problem, step.state),
        belief=step.belief,
        asked=step.answer.asked if step.answer else (),
        reply=reply_in_words(episode.problem.goals, step.answer) if step.answer else "",
        goal=episode.goal,
        progress=f"step {step.t} of {n}: {spent}",
        event=event_of(step),
    )


def event_of(step: Step) -> str:
    """Return what happens in a step, in one sentence."""
    if step.answer is not None:
        worth = "" if step.decision.value is None else f", expected to save {number(round(step.decision.value, 2))}"
        return f"The question costs {number(step.cost)}{worth}; nobody moves."
    return printable(step.decision.why)


def questions_asked(episode: Episode) -> str:
    """Return how many questions were asked and what they cost, in one sentence."""
    asked = episode.questions
    if not asked:
        return "No question was asked."
    were = "was" if len(asked) == 1 else "were"
    return f"{counted(len(asked), 'question')} {were} asked, for {number(sum(step.cost for step in asked))}."

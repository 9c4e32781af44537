"""The scenes of problems and episodes, whichever domain they are of.

An episode of `n` steps has ``n + 1`` moments. Each but the last shows everybody as they are before a step, and what is
about to happen in it; the last shows how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from askwise.domains.domain import Domain
from askwise.domains.registry import domain_of, words_of
from askwise.episode import Episode, Step
from askwise.problem import JointState, Problem
from askwise.reading import printable
from askwise.showing.asking import reply_in_words
from askwise.showing.scene import Scene
from askwise.showing.vocabulary import Vocabulary
from askwise.showing.words import counted, number
from askwise.types import FloatArray

if TYPE_CHECKING:
    from askwise.domains.parts import Look


def look_of(episode: Episode) -> Look:
    """Return how an episode's domain looks; refuse one of no domain."""
    return domain_in(episode).look


def domain_in(episode: Episode) -> Domain:
    """Return the domain of an episode."""
    return domain_of(episode.problem, "episode")


def words_in(episode: Episode) -> Vocabulary:
    """Return what an episode's problem, or its domain, calls things; refuse an episode of no domain."""
    domain_in(episode)
    return words_of(episode.problem)


def start_scene(instance: object, belief: FloatArray | None = None) -> Scene:
    """Return the start of an instance of any domain, with its size; `belief` may be the prior."""
    scene = domain_of(instance, "instance").look.start(instance)
    return replace(scene, belief=belief, progress=scene.size)


def scene_of(problem: Problem, state: JointState, belief: FloatArray | None = None) -> Scene:
    """Return a moment of a problem."""
    return replace(domain_of(problem).look.scene(problem, state), belief=belief)


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
    look, n = look_of(episode), len(episode.steps)
    spent = f"cost so far {number(cost)}, best possible {number(episode.optimal_cost)}"
    if k == n:
        scene = look.scene(episode.problem, episode.final)
        return replace(
            scene,
            belief=episode.steps[-1].belief if n else None,
            goal=episode.goal,
            progress=f"after {counted(n, 'step')}: {spent}",
            event=f"{scene.words.done if episode.finished else 'Cut off here.'} {questions_asked(episode)}",
        )
    step = episode.steps[k]
    return replace(
        look.scene(episode.problem, step.state),
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

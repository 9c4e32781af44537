"""What there is to draw: one moment of tool fetching.

An episode of `n` steps has ``n + 1`` moments. Each but the last shows everybody as they are before a step, and what is
about to happen in it; the last shows how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from askwise.domains.tool_fetching import Instance, Rules, State, ToolFetching
from askwise.domains.tool_fetching.instance import Cell
from askwise.domains.tool_fetching.rules import NOTHING
from askwise.episode import Episode, Step
from askwise.errors import InputError
from askwise.reading import printable
from askwise.showing.words import counted, listed, number
from askwise.types import FloatArray, IntArray


@dataclass(frozen=True)
class Scene:
    """One moment. All but the first two may be left out, and is not drawn then.

    Attributes:
        rules: the rules, and with them the map.
        state: where everybody is, and the tool in hand.
        belief: ``float64 [n_stations]``, what the fetcher believes.
        asked: the stations in the question that is being asked, by number.
        answer: the answer to it.
        goal: the worker's station, by number. The fetcher does not know it, so an environment must not show it.
        progress: one line, such as the number of the step and the cost so far.
        event: one line about what is happening.
    """

    rules: Rules
    state: State
    belief: FloatArray | None = None
    asked: tuple[int, ...] = ()
    answer: bool | None = None
    goal: int | None = None
    progress: str = ""
    event: str = ""

    @property
    def instance(self) -> Instance:
        """The instance that is played."""
        return self.rules.instance

    @property
    def stations(self) -> tuple[str, ...]:
        """Names of the stations."""
        return self.rules.stations

    @property
    def worker(self) -> Cell:
        """The worker's cell."""
        return self._cell(self.state.worker)

    @property
    def fetcher(self) -> Cell:
        """The fetcher's cell."""
        return self._cell(self.state.fetcher)

    @property
    def holding(self) -> str | None:
        """Name of the station whose tool is in hand."""
        return None if self.state.holding == NOTHING else self.stations[self.state.holding]

    def ruled_out(self, station: int) -> bool:
        """Whether the fetcher knows that this station is not the goal."""
        return self.belief is not None and self.belief[station] <= 0

    def likeliest(self) -> IntArray:
        """Return the possible stations, the likeliest first, equally likely ones in the instance's order."""
        if self.belief is None:
            return np.array([], dtype=np.int32)
        order = np.argsort(-self.belief, kind="stable")
        return order[self.belief[order] > 0].astype(np.int32)

    @property
    def question(self) -> str:
        """The question in words, empty if none is asked."""
        if not self.asked:
            return ""
        names = [self.stations[k] for k in self.asked]
        if len(names) == 1:
            return f"Is it {printable(names[0])}?"
        return f"Is it one of {listed(names, 12)}?"

    @property
    def hands(self) -> str:
        """What the fetcher holds, in words."""
        return "empty hands" if self.holding is None else f"the tool of {printable(self.holding)}"

    def _cell(self, state: int) -> Cell:
        x, y = self.rules.grid.cells[state].tolist()
        return x, y


def tool_fetching(episode: Episode) -> ToolFetching:
    """Return the problem of an episode of tool fetching."""
    if not isinstance(episode.problem, ToolFetching):
        raise InputError("episode", f"a problem of type {type(episode.problem).__name__}", "tool fetching")
    return episode.problem


def start_scene(instance: Instance, belief: FloatArray | None = None) -> Scene:
    """Return the start of an instance; `belief` may be the prior."""
    rules = Rules(instance)
    return Scene(rules, rules.start, belief, progress=size_of(instance))


def size_of(instance: Instance) -> str:
    """Return how large an instance is, in words."""
    walls = len(set(instance.walls))
    parts = [
        f"{instance.width} x {instance.height} cells",
        counted(walls, "wall"),
        counted(len(instance.stations), "station"),
        counted(len(instance.toolboxes), "toolbox"),
    ]
    return ", ".join(parts)


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
    problem = tool_fetching(episode)
    n = len(episode.steps)
    spent = f"cost so far {number(cost)}, best possible {number(episode.optimal_cost)}"
    if k == n:
        belief = episode.steps[-1].belief if n else None
        end = "The work is done." if episode.finished else "Cut off here."
        return Scene(
            rules=problem.rules,
            state=problem.decode(episode.final),
            belief=belief,
            goal=episode.goal,
            progress=f"after {counted(n, 'step')}: {spent}",
            event=f"{end} {questions_asked(episode)}",
        )
    step = episode.steps[k]
    return Scene(
        rules=problem.rules,
        state=problem.decode(step.state),
        belief=step.belief,
        asked=step.answer.asked if step.answer else (),
        answer=step.answer.yes if step.answer else None,
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

"""The short list of questions of tool fetching (see `askwise.envs.questions`).

Every kind turns into questions about the stations that are possible at the moment:

- ``toolbox``: for each toolbox, the stations whose tool is in it;
- ``move``: for each of the four moves, the stations for which that move is an optimal one for the fetcher;
- ``half``: the likeliest stations that together have at least half of the probability;
- ``likeliest``: the likeliest station alone;
- ``station``: each station alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.domains.tool_fetching.instance import Instance
from askwise.envs import questions
from askwise.types import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class QuestionContext(questions.QuestionContext):
    """What a question may depend on.

    Attributes:
        problem: what is played, a `ToolFetching`.
        ego: the fetcher's state, as of ``problem.ego.optimal``.
        possible: ``bool [n_stations]``, the stations that are possible.
        probabilities: ``float64 [n_stations]``, how likely they are.
        boxes: ``int [n_stations]``, number of the toolbox with each station's tool.
    """

    boxes: IntArray


def by_toolbox(context: QuestionContext) -> BoolArray:
    """Ask where the tool is."""
    boxes = np.arange(len(context.problem.instance.toolboxes))
    return np.asarray(context.boxes == boxes[:, np.newaxis])


KINDS: dict[str, questions.Kind] = {
    "toolbox": (by_toolbox, lambda problem: len(problem.instance.toolboxes)),
    "move": questions.KINDS["move"],
    "half": questions.KINDS["half"],
    "likeliest": questions.KINDS["likeliest"],
    "station": questions.KINDS["goal"],
}


def toolbox_numbers(instance: Instance) -> IntArray:
    """``int [n_stations]``: number of the toolbox that holds each station's tool."""
    numbers = {name: k for k, name in enumerate(instance.toolboxes)}
    return np.array([numbers[station.toolbox] for station in instance.stations.values()], dtype=np.int32)

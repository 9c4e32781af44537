"""Golden episodes: what every agent does, as text that a person can compare with the map.

Set ``ASKWISE_REWRITE_GOLDEN`` to write them anew; then read the difference before keeping it.
"""

from __future__ import annotations

import pytest

from askwise import simulate
from askwise.domains.tool_fetching import Instance
from askwise.methods import AGENTS
from askwise.view.summary import episode_to_text
from tests.tool_fetching import drawn_map, instance
from tests.view.episodes import golden


def yard() -> Instance:
    """Eight stations around the fetcher, their tools in three toolboxes: four in T, two in U, two in V."""
    tools = {"A": "T", "B": "T", "C": "U", "D": "V", "E": "T", "G": "U", "H": "V", "I": "T"}
    places = [(0, 0), (4, 0), (8, 0), (8, 3), (8, 6), (4, 6), (0, 6), (0, 4)]
    return instance(
        (9, 7),
        stations={name: (at, tools[name]) for name, at in zip(tools, places, strict=True)},
        toolboxes={"T": (5, 5), "U": (2, 3), "V": (5, 1)},
        worker=(2, 1),
        fetcher=(5, 3),
        walls=[(3, 4), (3, 5), (6, 2)],
        prior={"kind": "far", "temperature": 4.0},
        query_cost={"base": 0.5, "per_station": 0.2},
    )


def story(method: str) -> str:
    """Return two episodes of an agent on the same map as text."""
    episodes = [simulate(yard(), method, goal=goal, seed=seed) for goal, seed in (("E", 1), ("H", 2))]
    # Why it asked or waited: once for each new reason.
    reasons = dict.fromkeys(
        step.decision.why for each in episodes for step in each.steps if step.decision.why.startswith(("Ask", "Wait"))
    )
    parts = ["\n".join(drawn_map(yard())) + "\n", *map(episode_to_text, episodes)]
    return "\n".join([*parts, *reasons, ""]) if reasons else "\n".join(parts)


@pytest.mark.parametrize("method", AGENTS)
def test_golden_episodes(method: str) -> None:
    assert story(method) == golden(f"agent-{method}.txt", story(method))

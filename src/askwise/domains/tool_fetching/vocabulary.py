"""What tool fetching calls things."""

from __future__ import annotations

from askwise.showing.vocabulary import Vocabulary

WORDS = Vocabulary(
    title="Tool fetching",
    teammate="worker",
    ego="fetcher",
    goal="station",
    landmark="toolbox",
    load="tool",
    teammate_sign="W",
    ego_sign="F",
    landmark_sign="T",
    stays="works",
    handling="a PICKUP",
    done="The work is done.",
    achieved="The worker has its tool at {goal}.",
)

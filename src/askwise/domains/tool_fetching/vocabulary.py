"""What tool fetching calls things, and where the toolboxes of an instance are."""

from __future__ import annotations

from dataclasses import replace

from askwise.domains.tool_fetching.instance import Instance
from askwise.text.wording import Site, Vocabulary, number

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


def words_for(instance: Instance) -> Vocabulary:
    """Return the words of an instance, with its toolboxes and its prior."""
    stations: dict[str, list[str]] = {name: [] for name in instance.toolboxes}
    for name, station in instance.stations.items():
        stations[station.toolbox].append(name)
    sites = tuple(Site(name, cell, tuple(stations[name])) for name, cell in instance.toolboxes.items())
    return replace(WORDS, sites=sites, prior=_prior_in_words(instance))


def _prior_in_words(instance: Instance) -> str:
    kind, temperature = instance.prior.kind, number(instance.prior.temperature)
    return {
        "uniform": "uniform",
        "weights": "weights by station",
        "far": f"far, stations far from the worker are likelier (temperature {temperature})",
        "near": f"near, stations near the worker are likelier (temperature {temperature})",
        "fetcher-far": f"fetcher-far, tools far from the fetcher are likelier (temperature {temperature})",
        "fetcher-near": f"fetcher-near, tools near the fetcher are likelier (temperature {temperature})",
    }[kind]

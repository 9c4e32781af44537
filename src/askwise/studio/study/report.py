"""The report of a study with people: the tables, figures and report of every other study, with people among them.

Each round that counts gives two rows: what the person and the method paid together, and what the same method paid
beside the simulated teammate with the same goal and the same seed (a person who plays the ego agent is set beside the
planner). The unit of all intervals is the person: column ``instance`` is the number of the person, ``episode`` that of
the round, ``prior`` the name of the problem. Pilot and practice rounds, and people who did not finish, are left out.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from askwise import __version__
from askwise.agents import make_agent
from askwise.episode import Episode
from askwise.errors import InputError
from askwise.experiments.analysis.report import write_results
from askwise.experiments.running.play import episode_row, query_rows
from askwise.experiments.schema.tables import Row, table
from askwise.files import make_folder
from askwise.simulation import answering, simulate
from askwise.studio.rounds.round import PERSON
from askwise.studio.rounds.setup import belief_beside_people
from askwise.studio.study.export import PlayedRound, Results, export
from askwise.studio.study.people import FINISHED

FOLDER = "report"


def write_people_report(folder: Path) -> dict[str, Any]:
    """Export everything and write the report; return how much there was."""
    export(folder)
    with closing(Results(folder)) as results:
        people = results.people()
        done = {row["person"] for row in people if not row["pilot"] and row["end"] == FINISHED}
        rounds = [
            each
            for each in results.rounds()
            if not each.about["pilot"] and not each.about["practice"] and each.about["person"] in done
        ]
    if not rounds:
        raise InputError(f"folder {str(folder)!r}", "nobody who finished the study", "at least one")
    episodes: list[Row] = []
    queries: list[Row] = []
    for each in rounds:
        for key, episode in _both(each):
            episodes.append(episode_row(key, episode))
            queries += query_rows(key, episode)
    counted = {"people who finished": len(done), "people who came": sum(not row["pilot"] for row in people)}
    counted |= {"pilots": sum(row["pilot"] for row in people), "rounds": len(rounds)}
    write_results(
        make_folder(folder / FOLDER),
        table("episodes", episodes),
        table("queries", queries),
        title="A study with people",
        study=counted,
        provenance={"askwise": __version__, "folder": str(folder)},
    )
    return counted


def _both(played: PlayedRound) -> list[tuple[Row, Episode]]:
    """Return the round and its simulated twin, each with its key."""
    episode, simulated = played.episode, twin(played)
    label = str(played.about["condition"])
    if played.setup.role == "teammate":
        return [(_key(played, label, PERSON), episode), (_key(played, label, simulated.teammate), simulated)]
    return [
        (_key(played, f"{label}: people", episode.teammate), episode),
        (_key(played, f"{label}: {simulated.method}", simulated.teammate), simulated),
    ]


def _key(played: PlayedRound, method: str, teammate: str) -> Row:
    price = played.episode.problem.query_cost
    return {
        "instance": played.about["person"],
        "episode": played.about["trial"],
        "prior": played.about["problem"],
        "teammate": teammate,
        "method": method,
        "base_cost": price.base,
        "per_station_cost": price.per_goal,
    }


def twin(played: PlayedRound) -> Episode:
    """Return the same round without a person."""
    setup, problem = played.setup, answering(played.made.problem, None)
    method = setup.method if setup.role == "teammate" else "planner"
    belief = setup.belief or belief_beside_people(problem, method)
    agent = make_agent(method, **({} if belief is None else {"belief": belief}))
    return simulate(problem, agent, setup.teammate, played.episode.goal, setup.seed)

"""The report of a study with people: the same tables, figures and report as for simulated studies.

Each round that counts gives two rows: the cost of the person and the method together, and the cost of the same method
with a simulated teammate, the same goal and the same seed (a person who plays the ego agent is compared with the
planner). Intervals are computed over people: column ``instance`` is the number of the person, ``episode`` the number of
the round, ``prior`` the name of the problem. Pilot and practice rounds, and people who did not finish, are excluded.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

from askwise import __version__
from askwise.errors import InputError
from askwise.studies.analysis.report import write_results
from askwise.studies.running.play import failed_row
from askwise.studies.schema.tables import Row, table
from askwise.studio.pool import Pool
from askwise.studio.rounds.replay import TWIN
from askwise.studio.rounds.round import PERSON
from askwise.studio.study.export import DECISION, PlayedRound, StoredStudy, exported, failure_of, playing
from askwise.studio.study.people import FINISHED
from askwise.text.files import make_folder

FOLDER = "report"


def write_people_report(folder: Path, seconds: float = DECISION) -> dict[str, Any]:
    """Export all results of a study with people, and write a report that compares people with simulations.

    The result is a dict of numbers for the report, for instance ``{"people who finished": 20, "rounds": 160}``.

    Args:
        folder: the studio's folder; the report is written into ``report`` in it.
        seconds: time limit for one decision of a method when a round is replayed or simulated.
    """
    return asyncio.run(_write(folder, seconds))


async def _write(folder: Path, seconds: float) -> dict[str, Any]:
    with playing(seconds) as pool:
        _, played = await exported(folder, pool)
        with closing(StoredStudy(folder)) as results:
            people = results.people()
        done = {row["person"] for row in people if not row["pilot"] and row["end"] == FINISHED}
        counts = [each for each in played if each.found and _counts(each.stored.about, done)]
        if not counts:
            raise InputError(f"folder {str(folder)!r}", "no person who finished the study", "at least one")
        episodes: list[Row] = []
        queries: list[Row] = []
        for each in counts:
            for key, row, asked in await _both(each, pool):
                episodes.append({**key, **row})
                queries += [{**key, **query} for query in asked]
    counted = {"people who finished": len(done), "people who joined": sum(not row["pilot"] for row in people)}
    counted |= {"pilots": sum(row["pilot"] for row in people), "rounds": len(counts)}
    failed = sum(each.stored.failure is not None for each in counts)
    counted |= {"rounds that failed": failed} if failed else {}
    write_results(
        make_folder(folder / FOLDER),
        table("episodes", episodes),
        table("queries", queries),
        title="A study with people",
        study=counted,
        provenance={"askwise": __version__, "folder": str(folder)},
    )
    return counted


def _counts(about: Row, done: set[int]) -> bool:
    return not about["pilot"] and not about["practice"] and about["person"] in done


async def _both(played: PlayedRound, pool: Pool) -> list[tuple[Row, Row, list[Row]]]:
    """Return a round and its twin, the same round simulated without a person; a failed round is returned alone.

    Each is a triple: the columns that identify the episode, the other columns of ``episodes``, the rows of ``queries``.
    """
    found, label, role = played.found, str(played.stored.about["condition"]), played.stored.about["role"]
    own = (label, PERSON) if role == "teammate" else (f"{label}: people", found["teammate"])
    rows = [(_key(played, *own), played.row, found["queries"])]
    if played.stored.failure is not None:
        return rows
    reply = await played.stored.reply(pool, TWIN)
    error = failure_of(reply)
    teammate = str(reply.get("teammate", found["beside"]))
    method = label if role == "teammate" else f"{label}: {reply.get('method', 'planner')}"
    row = reply["row"] if error is None else failed_row({}, error)
    return [*rows, (_key(played, method, teammate), row, reply.get("queries", []))]


def _key(played: PlayedRound, method: str, teammate: str) -> Row:
    about, (base, per_goal) = played.stored.about, played.found["prices"]
    return {
        "instance": about["person"],
        "episode": about["trial"],
        "prior": about["problem"],
        "teammate": teammate,
        "method": method,
        "base_cost": base,
        "per_station_cost": per_goal,
    }

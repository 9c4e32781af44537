"""What a study with people gave, as files: tables in CSV and Parquet, and a trace of every round.

=================  ================================================================================================
``people.csv``     one row for each person: number, pilot, cell, minutes, how it ended, what the panel calls them
``rounds.csv``     one row for each round that was played to its end or stopped, with the columns of ``episodes``
``answers.csv``    one row for each item that was answered, and for each try of the comprehension check
``traces/``        each round as ``askwise/trace@2``
=================  ================================================================================================

``rounds.parquet`` has the same rows as ``rounds.csv``. Rounds are worked out from their deeds, as the server does it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from askwise import trace
from askwise.api import as_problem
from askwise.domains.registry import from_json
from askwise.episode import Episode
from askwise.errors import InputError
from askwise.experiments.running.play import episode_row
from askwise.files import make_folder, whole_file
from askwise.problem import Problem
from askwise.reading import Field
from askwise.studio.rounds.round import Round, replayed
from askwise.studio.rounds.setup import Setup
from askwise.studio.store import FILE
from askwise.studio.study.items import score

FOLDER = "export"
Row = dict[str, Any]


@dataclass(frozen=True)
class PlayedRound:
    """A round of somebody, with where it belongs.

    Attributes:
        about: person, pilot, trial, practice, condition, problem, role.
        setup: how it was played.
        made: the round itself.
    """

    about: Row
    setup: Setup
    made: Round

    @property
    def episode(self) -> Episode:
        """The episode."""
        return self.made.episode()


class Results:
    """A study's store, opened to be read; a server may be writing to it at the same time."""

    def __init__(self, folder: Path) -> None:
        path = folder / FILE
        if not path.is_file():
            raise InputError(f"folder {str(folder)!r}", f"no {FILE}", "the folder --out of a studio")
        self._store = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        self._problems: dict[str, Problem] = {}
        if not self.read("SELECT name FROM sqlite_master WHERE name = 'people'"):
            raise InputError(
                f"folder {str(folder)!r}", "no study with people", "the folder of a studio with a study file"
            )

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def read(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return rows."""
        return self._store.execute(sql, parameters).fetchall()

    def people(self) -> list[Row]:
        """Return one row for each person."""
        names = ("person", "pilot", "panel", "cell", "minutes", "end", "screens")
        found = self.read(
            "SELECT number, pilot, panel, cell, (seen - came) / 60, coalesce(end, 'there, or gone without a word'), "
            "(SELECT count(*) FROM entries WHERE person = id AND leaves) FROM people ORDER BY pilot, number"
        )
        return [dict(zip(names, (number, bool(pilot), *rest), strict=True)) for number, pilot, *rest in found]

    def answers(self) -> list[Row]:
        """Return one row for each item that somebody answered."""
        found: list[Row] = []
        for number, pilot, data in self._entries():
            if "answers" not in data:
                continue
            about = {"person": number, "pilot": pilot, "questionnaire": data.get("questionnaire", "check")}
            about["condition"] = data.get("condition")
            given = dict(data["answers"])
            total = score(str(about["questionnaire"]), given)
            given |= {} if total is None else {"score": total}
            found += [{**about, "item": item, "answer": _text(value)} for item, value in given.items()]
        return found

    def rounds(self) -> Iterator[PlayedRound]:
        """Iterate over the rounds that people left behind them, in order."""
        for number, pilot, data in self._entries():
            if data["kind"] == "round":
                yield self._round(number, pilot, data)

    def _entries(self) -> Iterator[tuple[int, bool, Row]]:
        rows = self.read(
            "SELECT number, pilot, people.id, screen, data FROM entries JOIN people ON people.id = person "
            "ORDER BY pilot, number, n"
        )
        for number, pilot, name, screen, data in rows:
            yield number, bool(pilot), {**json.loads(data), "round": f"{name}-{screen}"}

    def _round(self, number: int, pilot: bool, data: Row) -> PlayedRound:
        digest, setup_text = self.read("SELECT problem, setup FROM rounds WHERE id = ?", (data["round"],))[0]
        if digest not in self._problems:
            contents = self.read("SELECT contents FROM problems WHERE digest = ?", (digest,))[0][0]
            self._problems[digest] = as_problem(from_json(Field("", json.loads(contents))))
        setup = Setup.from_json(Field("setup", json.loads(setup_text)))
        deeds = self.read("SELECT deed, outcome FROM events WHERE round = ? ORDER BY n", (data["round"],))
        log = [(json.loads(deed), json.loads(outcome)) for deed, outcome in deeds]
        about = {key: data[key] for key in ("condition", "problem", "practice", "trial")}
        made = replayed(self._problems[digest], setup, log)
        return PlayedRound({"person": number, "pilot": pilot, **about, "role": setup.role}, setup, made)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def round_row(played: PlayedRound) -> Row:
    """Return a round as a row."""
    return episode_row({**played.about, "seed": played.setup.seed, "method": played.episode.method}, played.episode)


def export(folder: Path) -> list[str]:
    """Write everything into the folder ``export``; return the names of the files."""
    target = make_folder(folder / FOLDER)
    with closing(Results(folder)) as results:
        rounds = list(results.rounds())
        tables = {
            "people": results.people(),
            "rounds": [round_row(each) for each in rounds],
            "answers": results.answers(),
        }
    for name, rows in tables.items():
        table = pl.DataFrame(rows, infer_schema_length=None)
        with whole_file(target / f"{name}.csv") as temporary:
            table.write_csv(temporary)
    with whole_file(target / "rounds.parquet") as temporary:
        pl.DataFrame(tables["rounds"], infer_schema_length=None).write_parquet(temporary)
    traces = make_folder(target / "traces")
    names = []
    for each in rounds:
        about = each.about
        kind = "practice" if about["practice"] else f"round-{about['trial']}"
        names.append(
            f"traces/{'pilot' if about['pilot'] else 'person'}-{about['person']}-{kind}-{each.setup.seed}.json"
        )
        trace.save(each.episode, traces / Path(names[-1]).name)
    return [*(f"{name}.csv" for name in tables), "rounds.parquet", *names]

"""The report of a study with people: its hypotheses, questionnaires, costs, response times and drop-outs.

All numbers come from the export (`askwise.studio.study.export`). Pilots (test participants) and practice rounds do not
count. People who did not finish count only as drop-outs.

The report compares each round with its *twin*: the same round with a simulated teammate or the planner in the person's
place.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from askwise.errors import InputError
from askwise.studies.analysis.estimates import holm
from askwise.studio.pool import Pool
from askwise.studio.rounds.replay import TWIN
from askwise.studio.study.codebook import REPORT, codebook
from askwise.studio.study.export import (
    DECISION,
    PlayedRound,
    Row,
    StoredStudy,
    exported,
    failure_of,
    playing,
    typed,
    write_table,
)
from askwise.studio.study.file import FINISHED
from askwise.studio.study.hypotheses import SIDES, TESTS, difference, mean_interval, p_value
from askwise.studio.study.report_page import write_page
from askwise.text.files import make_folder
from askwise.types import FloatArray

FOLDER = "report"
Values = dict[str, dict[str, dict[int, float]]]
"""Each person's value, by measure and condition."""
TWIN_COST = "cost, simulated"
AT_THE_END = "all together"
"""Stands in the place of a condition for questionnaires at the end of the study, which compare nothing."""


def write_people_report(folder: Path, seconds: float = DECISION) -> dict[str, Any]:
    """Export all results of a study with people, and write a report that compares its conditions.

    Args:
        folder: the studio's folder; the report goes into its subfolder ``report``.
        seconds: time limit for a decision in replays and simulations.

    Returns:
        The numbers at the top of the report, such as ``{"rounds": 160}``.
    """
    return asyncio.run(_write(folder, seconds))


async def _write(folder: Path, seconds: float) -> dict[str, Any]:
    with playing(seconds) as pool:
        _, played = await exported(folder, pool)
        with closing(StoredStudy(folder)) as results:
            about, people, answers = results.description(), results.people(), results.answers()
            inputs, pages = results.inputs(), results.pages()
        if not about:
            how = "a folder of this version: start the studio once with the same study file, and stop it"
            raise InputError(f"folder {str(folder)!r}", "results of an earlier version of askwise", how)
        done = {row["person"] for row in people if not row["pilot"] and row["end"] == FINISHED}
        counts = [each for each in played if each.found and _counts(each.stored.about, done)]
        if not counts:
            raise InputError(f"folder {str(folder)!r}", "no person who finished the study", "at least one")
        simulated = [(each, await _twin(each, pool)) for each in counts if each.stored.failure is None]
        twins = [twin for _, twin in simulated]
    counted = {"people who finished": len(done), "people who joined": sum(not row["pilot"] for row in people)}
    counted |= {"pilots": sum(row["pilot"] for row in people), "rounds": len(counts)}
    failed = sum(each.stored.failure is not None for each in counts)
    counted |= {"rounds that failed": failed} if failed else {}
    values = _values(answers, [*_played(counts), *twins], inputs, done)
    tables = {
        "hypotheses": _hypotheses(values, about),
        "measures": _measures(values, about["conditions"]),
        "comparisons": _comparisons(values, about),
        "twins": _twins(simulated, about["conditions"]),
        "choices": _choices(answers, about, done),
        "times": _times(inputs, pages, done, about["conditions"]),
        "dropouts": _dropouts(people),
        "failures": _failures(counts, twins),
    }
    target = make_folder(folder / FOLDER)
    for name, rows in {**tables, "codebook": codebook(REPORT)}.items():
        write_table(target, name, rows)
    write_page(target, about, counted, tables)
    return counted


def _counts(about: Row, done: set[int]) -> bool:
    return not about["pilot"] and not about["practice"] and about["person"] in done


# -- values ------------------------------------------------------------------------------------------------------


def _played(counts: list[PlayedRound]) -> list[Row]:
    """Return two rows for each round in `counts` that did not fail: one with the cost, one with the count of questions.

    Columns: ``person`` (number), ``condition``, ``measure`` (``cost`` or ``questions``) and ``value``.
    """
    found = []
    for each in counts:
        about = {key: each.stored.about[key] for key in ("person", "condition")}
        if not each.row["error"]:
            found.append({**about, "measure": "cost", "value": each.row["cost"]})
            found.append({**about, "measure": "questions", "value": each.row["queries"]})
    return found


async def _twin(played: PlayedRound, pool: Pool) -> Row:
    """Simulate a round with a program in the person's place, and return a row with its cost.

    Columns: ``person``, ``condition``, ``problem``, ``trial``, ``measure`` (``cost, simulated``), ``value`` (the cost;
    None if the simulation failed) and ``error`` (why it failed; empty or None if it did not).
    """
    reply = await played.stored.reply(pool, TWIN)
    about = {key: played.stored.about[key] for key in ("person", "condition", "problem", "trial")}
    error = failure_of(reply) or reply["row"]["error"]
    return {**about, "measure": TWIN_COST, "value": None if error else reply["row"]["cost"], "error": error}


def _values(answers: list[Row], rounds: list[Row], inputs: list[Row], done: set[int]) -> Values:
    """Return the mean of each person's values in each measure and condition: ``values[measure][condition][person]``.

    `rounds` are the rows of `_played` and `_twin`; `answers` and `inputs` are rows of `StoredStudy`, of which only
    those of the people `done` count.
    """
    seen: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for row in rounds:
        if row["value"] is not None:
            seen[row["measure"], row["condition"], row["person"]].append(float(row["value"]))
    for row in answers:
        measure = _measure(row)
        if measure is not None and not row["pilot"] and row["person"] in done:
            seen[measure, row["condition"] or AT_THE_END, row["person"]].append(float(row["answer"]))
    for row in inputs:
        if _counts(row, done) and row["kind"] in ("move", "answer"):
            seen[f"seconds per {row['kind']}", row["condition"], row["person"]].append(row["seconds"])
    found: Values = defaultdict(lambda: defaultdict(dict))
    for (measure, condition, person), all_values in sorted(seen.items()):
        found[measure][condition][person] = sum(all_values) / len(all_values)
    return found


def _measure(row: Row) -> str | None:
    """Return the name of the measure in a row of `StoredStudy.answers`, such as ``workload: mental``.

    A score is named after its questionnaire, such as ``workload`` or ``workload, weighted``. The result is None if the
    answer is no number, or belongs to the comprehension check.
    """
    if row["answer"] is None or row["questionnaire"] == "check":
        return None
    try:
        float(row["answer"])
    except ValueError:
        return None
    names = {"score": row["questionnaire"], "weighted score": f"{row['questionnaire']}, weighted"}
    return str(names.get(row["item"], f"{row['questionnaire']}: {row['item']}"))


def _pair(values: Values, measure: str, first: str, second: str, *, within: bool) -> tuple[FloatArray, FloatArray]:
    """Return the values of a measure in two conditions, as two arrays with one value per person.

    If `within`, both arrays have the same people in the same order: those with values in both conditions. `values` is
    ``values[measure][condition][person]``.
    """
    a, b = values[measure][first], values[measure][second]
    if within:
        a, b = ({k: each[k] for k in sorted(a.keys() & b.keys())} for each in (a, b))
    return np.array(list(a.values()), dtype=np.float64), np.array(list(b.values()), dtype=np.float64)


# -- tables ------------------------------------------------------------------------------------------------------


def _measures(values: Values, conditions: list[str]) -> list[Row]:
    return [
        {"measure": measure, "condition": condition, **mean_interval(np.array(list(known[condition].values())))}
        for measure, known in values.items()
        for condition in (*conditions, AT_THE_END)
        if known.get(condition)
    ]


def _comparisons(values: Values, about: Row) -> list[Row]:
    """Return a row for each measure and each pair of conditions with values, which says how the two conditions differ.

    Columns: ``measure``, ``first`` and ``second`` (the conditions), the keys of `difference` (``mean`` is first minus
    second), and three two-sided p values. `values` is ``values[measure][condition][person]``; `about` describes the
    study.
    """
    within, found = about["design"] == "within", []
    for measure in list(values):
        for first, second in combinations(about["conditions"], 2):
            a, b = _pair(values, measure, first, second, within=within)
            if not a.size or not b.size:
                continue
            tests = {f"p {test}": p_value(a, b, test) for test in TESTS[about["design"]]}
            key = {"measure": measure, "first": first, "second": second}
            found.append({**key, **difference(a, b, within=within), **tests})
    return found


def _twins(simulated: list[tuple[PlayedRound, Row]], conditions: list[str]) -> list[Row]:
    """Return a row for each condition that compares the mean cost of people with that of their simulated twins.

    Columns: ``condition``, ``people`` and ``simulated`` (the means), ``difference`` (people minus twins) with its
    statistics, ``p paired t``. A round (with its twin's row in `simulated`) counts only if neither it nor the twin
    failed or was cut off.
    """
    pairs: dict[str, dict[int, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for played, twin in simulated:
        if not played.row["error"] and not twin["error"]:
            pairs[twin["condition"]][twin["person"]].append((played.row["cost"], twin["value"]))
    found = []
    for condition in conditions:
        if not pairs[condition]:
            continue
        a, b = np.array([np.mean(known, axis=0) for known in pairs[condition].values()], dtype=np.float64).T
        means = {"people": float(a.mean()), "simulated": float(b.mean())}
        known = difference(a, b, within=True)
        p = {"p paired t": p_value(a, b, "paired t")}
        found.append(
            {"condition": condition, **means, **{"difference" if k == "mean" else k: v for k, v in known.items()}, **p}
        )
    return found


def _hypotheses(values: Values, about: Row) -> list[Row]:
    """Return a row for each hypothesis of the study file, which says whether the results support it.

    The p value is ``p``; after the correction for several tests it is ``corrected``. ``difference`` is the first mean
    minus the second. `values` is ``values[measure][condition][person]``; `about` describes the study.
    """
    plan, within = about["plan"], about["design"] == "within"
    pairs = [_pair(values, h["measure"], h["first"], h["second"], within=within) for h in plan["hypotheses"]]
    given = [p_value(a, b, h["test"], SIDES[h["sign"]]) for h, (a, b) in zip(plan["hypotheses"], pairs, strict=True)]
    corrected = holm(given) if plan["correction"] == "holm" else given
    found = []
    for h, (a, b), p, final in zip(plan["hypotheses"], pairs, given, corrected, strict=True):
        verdict = "not decided: too few people" if final is None else None
        verdict = verdict or ("supported" if final is not None and final < plan["alpha"] else "not supported")
        known = difference(a, b, within=within) if a.size and b.size else dict.fromkeys(("n", "mean", "effect"))
        kept = {"n": known["n"], "difference": known["mean"], "effect": known["effect"]}
        found.append({"claim": h["claim"], "test": h["test"], **kept, "p": p, "corrected": final, "verdict": verdict})
    return found


def _choices(answers: list[Row], about: Row, done: set[int]) -> list[Row]:
    """Return how many people chose each option of a multiple-choice question in each condition.

    Columns: ``questionnaire``, ``item`` (the question), ``condition`` (``all together`` for questions at the end of the
    study), ``option`` and ``people``. Ready-made scales have no rows, nor do conditions in which nobody answered. Only
    the answers of the people `done` count.
    """
    chosen = Counter(
        (row["questionnaire"], row["item"], row["condition"] or AT_THE_END, row["answer"])
        for row in answers
        if not row["pilot"] and row["person"] in done
    )
    asked = [
        (name, item, condition)
        for name, known in about["questionnaires"].items()
        for item in known["items"]
        if item["kind"] == "choice" and known["scale"] is None
        for condition in (*about["conditions"], AT_THE_END)
    ]
    return [
        {
            "questionnaire": name,
            "item": item["name"],
            "condition": condition,
            "option": option,
            "people": chosen[name, item["name"], condition, typed(option)],
        }
        for name, item, condition in asked
        if any(chosen[name, item["name"], condition, typed(option)] for option in item["options"])
        for option in item["options"]
    ]


def _times(inputs: list[Row], pages: list[Row], done: set[int], conditions: list[str]) -> list[Row]:
    """Return how long people needed, as a row for each kind of input or page and each condition in which it occurred.

    Columns: ``what`` (the kind), ``condition`` (None for pages without one), ``n`` (inputs or pages), ``median``,
    ``lower quartile`` and ``upper quartile`` (seconds). Only the people `done` count.
    """
    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in inputs:
        if _counts(row, done):
            seen[row["kind"], row["condition"]].append(row["seconds"])
    for row in pages:
        if not row["pilot"] and row["person"] in done and row["kind"] != "round":
            seen[f"page: {row['questionnaire'] or row['kind']}", row["condition"] or ""].append(row["seconds"])
    found = []
    kinds = list(dict.fromkeys(what for what, _ in seen))
    order = [(what, condition) for what in kinds for condition in ("", *conditions)]
    for what, condition in (each for each in order if each in seen):
        seconds = seen[what, condition]
        low, median, high = (float(each) for each in np.quantile(seconds, [0.25, 0.5, 0.75]))
        key = {"what": what, "condition": condition or None, "n": len(seconds)}
        found.append({**key, "median": median, "lower quartile": low, "upper quartile": high})
    return found


def _dropouts(people: list[Row]) -> list[Row]:
    """Return how many participants have not finished the study, by the screen that they reached last.

    Columns: ``screen`` (its position, from 1), ``title`` (of the screen), ``end`` (how participation ended, such as
    ``left``, or ``in progress or dropped out``) and ``people`` (how many). Pilots (test participants) do not count.
    """
    seen: dict[tuple[int, str, str], int] = defaultdict(int)
    for row in people:
        if not row["pilot"] and row["end"] != FINISHED:
            seen[row["screens"] + 1, str(row["at"]), row["end"]] += 1
    return [
        {"screen": screen, "title": title, "end": end, "people": n} for (screen, title, end), n in sorted(seen.items())
    ]


def _failures(counts: list[PlayedRound], twins: list[Row]) -> list[Row]:
    """Return a row for each round, played by a person (`counts`) or simulated (`twins`), that failed or was cut off.

    Columns: ``person``, ``condition``, ``problem``, ``trial`` (number of the round), ``who`` (``person`` or
    ``simulated``) and ``error`` (the reason).
    """
    names = ("person", "condition", "problem", "trial")
    played = [{**each.stored.about, "who": "person", "error": each.row["error"]} for each in counts]
    known = [*played, *({**twin, "who": "simulated"} for twin in twins)]
    return [{name: row[name] for name in (*names, "who", "error")} for row in known if row["error"]]

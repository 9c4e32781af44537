"""Tables that explain the files of an exported study: the meaning, unit and values of each column of each file."""

from __future__ import annotations

from askwise.studio.study.hypotheses import TESTS

EXPORT = "export"
"""The folder, in the studio's folder, that the files are written to."""

Column = tuple[str, str, str]
"""Meaning, unit (empty if there is none) and possible values."""

PERSON: dict[str, Column] = {
    "person": ("number of the person, in the order of arrival; pilots are numbered separately", "", "1, 2, ..."),
    "pilot": ("whether it was a test run that does not count", "", "true, false"),
}
ROUND: dict[str, Column] = {
    "condition": ("the condition of the study", "", "names from the study file"),
    "problem": ("the problem that was played", "", "names from the study file"),
    "practice": ("whether the round was for practice", "", "true, false; empty for pages that are no rounds"),
    "trial": ("number of the round among those that count", "", "1, 2, ...; 0 for practice"),
}
FAILED = "0 or more; empty if the round failed"
MEASURED: dict[str, Column] = {
    "measured": ("where the time was measured", "", "browser; server: since the entry or input before"),
}
COLUMNS: dict[str, dict[str, Column]] = {
    "people": {
        **PERSON,
        "panel": ("identifier from the panel", "", "a salted hash, or as typed; empty if there is none"),
        "cell": ("number of the combination of order and problems that the person was assigned", "", "0, 1, ..."),
        "minutes": ("time from arrival to the last activity", "minutes", "0 or more"),
        "end": ("how it ended", "", "finished, left, declined, check not passed, in progress or dropped out"),
        "language": ("language of the texts that the person read", "", "code, such as en or de"),
        "screens": ("number of screens that the person has left", "", "0 or more"),
        "at": ("title of the screen that the person reached last", "", "text; empty in folders of earlier versions"),
    },
    "answers": {
        **PERSON,
        "questionnaire": ("the questionnaire, or check for the comprehension check", "", "names from the study file"),
        "condition": ("the condition that it asks about", "", "names from the study file; empty at the end"),
        "item": ("name of the question", "", "names; score and weighted score are computed"),
        "answer": ("the answer", "points of the scale", "number, option or text; empty if it was left out"),
        "seconds": ("time from the start of the page to the last change", "seconds", "0 or more; empty if unknown"),
    },
    "pages": {
        **PERSON,
        "entry": ("number of the entry of this person", "", "0, 1, ..."),
        "screen": ("position of the screen among the person's screens", "", "1, 2, ..."),
        "kind": ("kind of screen", "", "consent, text, check, round, form"),
        **{name: ROUND[name] for name in ("condition", "problem", "practice")},
        "questionnaire": ("the questionnaire of a form", "", "names from the study file; empty otherwise"),
        "seconds": ("time on the page; for a round, on the page before or after it", "seconds", "0 or more"),
        **MEASURED,
    },
    "inputs": {
        **PERSON,
        **ROUND,
        "input": ("number of the input in its round", "", "0, 1, ..."),
        "kind": ("kind of input", "", "move, answer, ask, stop"),
        "value": ("what was entered", "", "move, true or false, number of a group, goals asked about; may be empty"),
        "seconds": ("response time: from when the person could act to the input", "seconds", "0 or more"),
        **MEASURED,
    },
    "rounds": {
        **PERSON,
        **ROUND,
        "role": ("the role that the person played", "", "teammate, ego"),
        "seed": ("seed of the round", "", "whole number"),
        "method": ("method of the ego agent", "", "name of a method, or person"),
        "goal": ("the teammate's goal", "", "names from the problem; empty if the round failed"),
        "known_cost": ("least cost if the goal had been known from the start", "steps", FAILED),
        "cost": ("cost of the round: steps and the prices of questions", "steps", FAILED),
        "marginal_cost": ("cost minus known_cost", "steps", "0 or more; empty unless the round ended"),
        "steps": ("number of steps; a question takes one, in which nobody moves", "steps", FAILED),
        "queries": ("number of questions", "questions", FAILED),
        "query_cost": ("sum of the prices of questions", "steps", FAILED),
        "known_at": ("step from which the ego agent knew the goal", "steps", "0 or more; empty if never or unknown"),
        "finished": ("whether both agents reached their places", "", "true, false"),
        "error": ("why the round failed", "", "text; empty if it did not"),
        "replay_error": ("why the round could not be replayed", "", "text; empty if it could"),
    },
}
COMPARED: dict[str, Column] = {
    "n": ("number of people with a value", "people", "0 or more; both groups together between people"),
    "mean": ("mean over people; in comparisons, of the first condition minus the second", "as the measure", "number"),
}
FROM_TWO = "number; empty with fewer than two people"
INTERVAL: dict[str, Column] = {
    "low": ("lower end of the 95 % interval of the mean", "as the measure", FROM_TWO),
    "high": ("upper end of the 95 % interval of the mean", "as the measure", FROM_TWO),
}
EFFECT: Column = ("mean difference divided by its standard deviation", "", "d_z within people, d between people")
MEASURE: Column = ("what is measured", "", "cost, questions, seconds per move, scales, items")
TESTED = [test for tests in TESTS.values() for test in tests]
REPORT: dict[str, dict[str, Column]] = {
    "hypotheses": {
        "claim": ("the hypothesis", "", "text from the study file"),
        "test": ("the test that decides", "", ", ".join(TESTED)),
        "n": COMPARED["n"],
        "difference": ("mean of the first condition minus the second", "as the measure", "number"),
        "effect": EFFECT,
        "p": ("p value of the test, on the side that the claim states", "", "0 to 1"),
        "corrected": ("p value after the study's correction", "", "0 to 1"),
        "verdict": ("the decision", "", "supported, not supported, not decided: too few people"),
    },
    "measures": {
        "measure": MEASURE,
        "condition": ("the condition", "", "names from the study file, or all together"),
        **COMPARED,
        "sd": ("standard deviation over people", "as the measure", "0 or more; empty with fewer than two people"),
        **INTERVAL,
    },
    "comparisons": {
        "measure": MEASURE,
        "first": ("the condition that is compared", "", "names from the study file"),
        "second": ("the condition that it is compared with", "", "names from the study file"),
        **COMPARED,
        **INTERVAL,
        "effect": EFFECT,
        **{f"p {test}": (f"two-sided p value of the test {test}, not corrected", "", "0 to 1") for test in TESTED},
    },
    "twins": {
        "condition": ("the condition", "", "names from the study file"),
        "people": ("mean cost of people", "steps", "0 or more"),
        "simulated": ("mean cost of the same rounds with a simulated teammate or planner", "steps", "0 or more"),
        "n": COMPARED["n"],
        "difference": ("mean cost of people minus that of their simulated twins", "steps", "number"),
        **INTERVAL,
        "effect": EFFECT,
        "p paired t": ("two-sided p value of the test paired t, not corrected", "", "0 to 1"),
    },
    "choices": {
        "questionnaire": ("the questionnaire", "", "names from the study file"),
        "item": ("name of the question", "", "names from the study file"),
        "condition": ("the condition that it asks about", "", "names from the study file, or all together"),
        "option": ("a possible answer", "", "options from the study file"),
        "people": ("people who chose it", "people", "0 or more"),
    },
    "times": {
        "what": ("kind of input, or page", "", "move, answer, ask, stop, page: ..."),
        "condition": ("the condition", "", "names from the study file; empty for other pages"),
        "n": ("number of times", "", "1 or more"),
        **{
            name: (f"{name} of the times", "seconds", "0 or more")
            for name in ("median", "lower quartile", "upper quartile")
        },
    },
    "dropouts": {
        "screen": ("position of the screen among the person's screens", "", "1, 2, ..."),
        "title": ("title of the screen", "", "text"),
        "end": COLUMNS["people"]["end"],
        "people": ("people who got no further", "people", "1 or more"),
    },
    "failures": {
        "person": PERSON["person"],
        **{name: ROUND[name] for name in ("condition", "problem", "trial")},
        "who": ("whether the round was played or simulated", "", "person, simulated"),
        "error": ("why the round failed", "", "text"),
    },
}
"""The columns of the report's tables."""


def codebook(tables: dict[str, dict[str, Column]] | None = None) -> list[dict[str, str]]:
    """Return the rows of a code book, a table that explains each column of other tables.

    A row has the texts ``file`` (the name of the explained table), ``column``, ``meaning``, ``unit`` (may be empty) and
    ``values`` (the possible ones).

    Args:
        tables: tuples of meaning, unit and possible values, as ``tables[file][column]``; None for the tables of the
            export.
    """
    return [
        {"file": name, "column": column, "meaning": meaning, "unit": unit, "values": values}
        for name, columns in (tables or COLUMNS).items()
        for column, (meaning, unit, values) in columns.items()
    ]

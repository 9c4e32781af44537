"""The HTML page of a report on a study with people: its tables and figures."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from askwise.studio.study.hypotheses import BEHAVIOUR
from askwise.text.files import whole_file
from askwise.view.html import Html, TableCell, facts, joined, report_page, table, tag

Row = dict[str, Any]
UNITS = {"cost": "cost", "questions": "questions per round", "seconds per move": "s", "seconds per answer": "s"}


def write_page(folder: Path, about: Row, counted: Row, tables: dict[str, list[Row]]) -> None:
    """Write the report on a study into a folder: the page ``report.html``, and each figure as an SVG file.

    Args:
        folder: the folder.
        about: the description of the study.
        counted: the numbers at the top of the report, by name.
        tables: the rows of each table, by name.
    """
    finished, rounds = counted["people who finished"], counted["rounds"]
    who = "1 person" if finished == 1 else f"{finished} people"
    subtitle = f"{who} finished, {rounds} rounds, {len(about['conditions'])} conditions."
    parts = [
        (name, heading, content) for name, heading, content in _sections(folder, about, counted, tables) if content
    ]
    with whole_file(folder / "report.html") as temporary:
        temporary.write_text(report_page(about["name"], subtitle, parts), encoding="utf-8", errors="backslashreplace")


def _sections(folder: Path, about: Row, counted: Row, tables: dict[str, list[Row]]) -> list[tuple[str, str, list[Any]]]:
    means = tables["measures"]
    asked = [name for name in dict.fromkeys(row["measure"] for row in means) if _questionnaire(name, about)]
    compared = [row for row in means if row["condition"] in about["conditions"]]
    drawn = [name for name in asked if ": " not in name and name in {row["measure"] for row in compared}]
    costs = [name for name in dict.fromkeys(row["measure"] for row in means) if name.startswith("cost")]
    return [
        ("hypotheses", "Hypotheses", _hypotheses(tables["hypotheses"], about["plan"])),
        (
            "questionnaires",
            "Questionnaires",
            [
                *_labels(about),
                *_figures(folder, compared, drawn),
                *_means(means, asked),
                *_choices(tables["choices"]),
                *_compared(tables, asked, about),
            ],
        ),
        (
            "costs",
            "Costs, and simulated twins",
            [
                tag("p", "Each round was also simulated: the same method, goal and seed, without the person."),
                *_figures(folder, compared, costs),
                *_twins(tables["twins"]),
                *_means(means, [*costs, "questions"]),
                *_compared(tables, [*costs, "questions"], about),
            ],
        ),
        (
            "times",
            "Response times",
            [*_times(tables["times"]), *_compared(tables, list(BEHAVIOUR[2:]), about)],
        ),
        ("dropouts", "Drop-outs by screen", _dropouts(tables["dropouts"])),
        ("failures", "Rounds that failed", _failures(tables["failures"])),
        ("people", "People", [facts({"design": about["design"], **counted})]),
        ("reading", "How to read this", [tag("p", READING)]),
    ]


READING = (
    "The unit is the person: several values of one person in one condition are replaced by their mean. Intervals are "
    "95 % intervals of Student's t. The effect size is the mean difference divided by the standard deviation of the "
    "differences (within a person), or by the pooled standard deviation (between groups). p values of comparisons are "
    "two-sided and not corrected; those of hypotheses are tested and corrected as the study file states."
)


def _questionnaire(measure: str, about: Row) -> bool:
    return measure.split(": ")[0].removesuffix(", weighted") in about["questionnaires"]


def _labels(about: Row) -> list[Any]:
    """Return an HTML paragraph for each ready-made questionnaire of the study: its name, score range and label.

    The label is the name under which results may be reported.
    """
    scales = [each["scale"] for each in about["questionnaires"].values() if each["scale"]]
    return [
        tag("p", f"{each['name']}: {each['unit']}. {each['label'][:1].upper()}{each['label'][1:]}.") for each in scales
    ]


def _number(value: Any, digits: int = 2) -> str:
    return "–" if value is None else f"{round(value, digits) + 0:.{digits}f}".replace("-", "−")


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _interval(row: Row) -> str:
    return "–" if row["low"] is None else f"{_number(row['low'])} to {_number(row['high'])}"


def _hypotheses(rows: list[Row], plan: Row) -> list[Any]:
    if not rows:
        return []
    correction = "Holm's correction" if plan["correction"] == "holm" else "no correction"
    intro = tag("p", f"Stated in the study file before the study; {correction}, alpha {plan['alpha']}.")
    heads = ["hypothesis", "verdict", "test", "people", "difference", "effect size", "p", "corrected p"]
    cells = [
        (TableCell(row["claim"], "key"), row["verdict"], row["test"], row["n"] or 0, _number(row["difference"]),
         _number(row["effect"]), _p(row["p"]), _p(row["corrected"]))
        for row in rows
    ]  # fmt: skip
    return [intro, table(heads, cells, "Hypotheses")]


def _means(rows: list[Row], measures: list[str]) -> list[Any]:
    cells = [
        (TableCell(row["measure"], "key"), row["condition"], row["n"], _number(row["mean"]), _interval(row),
         _number(row["sd"]))
        for row in rows
        if row["measure"] in measures
    ]  # fmt: skip
    heads = ["measure", "condition", "people", "mean", "95 % interval", "standard deviation"]
    return [table(heads, cells, "Means by condition")] if cells else []


def _compared(tables: dict[str, list[Row]], measures: list[str], about: Row) -> list[Any]:
    rows = [row for row in tables["comparisons"] if row["measure"] in measures]
    if not rows:
        return []
    tests = [key for key in rows[0] if key.startswith("p ")]
    cells = [
        (TableCell(row["measure"], "key"), f"{row['first']} − {row['second']}", row["n"], _number(row["mean"]),
         _interval(row), _number(row["effect"]), *(_p(row[test]) for test in tests))
        for row in rows
    ]  # fmt: skip
    heads = ["measure", "difference of", "people", "mean", "95 % interval", "effect size", *tests]
    how = "Differences within each person" if about["design"] == "within" else "Differences between groups"
    return [table(heads, cells, how)]


def _twins(rows: list[Row]) -> list[Any]:
    heads = [
        "condition",
        "people",
        "cost of people",
        "simulated",
        "difference",
        "95 % interval",
        "effect size",
        "p paired t",
    ]
    cells = [
        (TableCell(row["condition"], "key"), row["n"], _number(row["people"]), _number(row["simulated"]),
         _number(row["difference"]), _interval(row), _number(row["effect"]), _p(row["p paired t"]))
        for row in rows
    ]  # fmt: skip
    return [table(heads, cells, "People and their simulated twins")] if cells else []


def _choices(rows: list[Row]) -> list[Any]:
    heads = ["question", "condition", "answer", "people"]
    cells = [
        (TableCell(f"{row['questionnaire']}: {row['item']}", "key"), row["condition"], row["option"], row["people"])
        for row in rows
    ]
    return [table(heads, cells, "Answers that people chose")] if cells else []


def _times(rows: list[Row]) -> list[Any]:
    heads = ["what", "condition", "number", "median, s", "middle half, s"]
    cells = [
        (TableCell(row["what"], "key"), row["condition"] or "–", row["n"], _number(row["median"]),
         f"{_number(row['lower quartile'])} to {_number(row['upper quartile'])}")
        for row in rows
    ]  # fmt: skip
    return [table(heads, cells, "Seconds for each move, answer and page")] if cells else []


def _dropouts(rows: list[Row]) -> list[Any]:
    if not rows:
        return [tag("p", "Everyone who joined finished.")]
    cells = [(TableCell(row["screen"], "key"), row["title"], row["end"], row["people"]) for row in rows]
    return [table(["step", "screen", "how it ended", "people"], cells, "People who did not finish")]


def _failures(rows: list[Row]) -> list[Any]:
    heads = ["person", "condition", "problem", "round", "who", "error"]
    return [table(heads, [tuple(row.values()) for row in rows], "Rounds that failed or were cut off")] if rows else []


def _figures(folder: Path, rows: list[Row], measures: list[str]) -> list[Html]:
    """Write a figure to an SVG file in `folder`: for each measure, a panel with the mean of each condition.

    Returns its HTML, or an empty list if there are no measures. The rows have ``measure``, ``condition``, ``mean``,
    ``low`` and ``high`` (the ends of the 95 % confidence interval).
    """
    if not measures:
        return []
    from matplotlib.figure import Figure

    from askwise.studies.analysis.figures.picture import styles
    from askwise.text.files import save_figure

    names = list(dict.fromkeys(row["condition"] for row in rows))
    look = styles(names)
    drawing = Figure(figsize=(max(4.0, 2.6 * len(measures)), 2.8), layout="constrained")
    first = None
    for k, measure in enumerate(measures, start=1):
        # Costs of people and of their twins are read next to each other; scales have their own units.
        ax = drawing.add_subplot(1, len(measures), k, sharey=first if measure.startswith("cost") else None)
        first = first or ax
        for row in (row for row in rows if row["measure"] == measure):
            at, style = names.index(row["condition"]), look[row["condition"]]
            reach = None if row["low"] is None else [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
            ax.errorbar([at], [row["mean"]], yerr=reach, color=style.colour, marker=style.marker, capsize=4)
        ax.set_xticks(range(len(names)), names)
        ax.set_xlim(-0.6, len(names) - 0.4)
        ax.set_title(measure, fontsize=10)
        ax.set_ylabel(UNITS.get(measure, "cost" if measure.startswith("cost") else "points"))
        ax.spines[["top", "right"]].set_visible(False)
    name = "costs" if measures[0].startswith("cost") else "questionnaires"
    save_figure(drawing, folder / f"{name}.svg")
    image = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode("ascii")
    alt = f"Means with 95 % intervals by condition: {', '.join(measures)}"
    shown = Html(f'<img src="data:image/svg+xml;base64,{image}" alt="{tag("i", alt).code[3:-4]}">')
    return [tag("figure", joined([shown, tag("figcaption", f"{alt}. The same numbers are in the table.")]))]

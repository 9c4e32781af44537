"""Measure how long goals look alike in many planning problems, one row each.

DIR is a folder of goal-recognition archives, also in subfolders, or an archive. Archives that
differ only in their observations give one row. A row has the size, WCD (the longest common
prefix of optimal plans), the step by which any two goals are told apart, mean and largest EDP,
and ECD, all exact and from the start; then the time and a verdict. If a problem is too large or
unreadable, the verdict says so, and the others are still measured.

If it is interrupted, run the same command again to resume.

  askwise grd dataset/ --csv problems.csv
  askwise grd dataset/rovers --csv problems.csv --workers 4 --time-limit 60
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from askwise.cli import planning_problems
from askwise.text.wording import wrapped

if TYPE_CHECKING:
    from askwise.studies.running.jobs import Row

SHOWN = (
    ("goals", "goals", "{}"),
    ("steps", "", "{}"),
    ("states", "states", "{}"),
    ("WCD", "wcd", "{}"),
    ("told apart", "told_apart", "{}"),
    ("EDP mean", "mean_edp", "{:.2f}"),
    ("largest", "largest_edp", "{:.2f}"),
    ("capped mean", "mean_capped_edp", "{:.2f}"),
    ("ECD", "ecd", "{:.2f}"),
    ("seconds", "seconds", "{:.1f}"),
)


LEAVES_OUT = ("mean_edp", "largest_edp")
"""Columns that do not count pairs of goals that are never told apart."""
CONVENTION = "WCD: longest common prefix of optimal plans. Told apart: step by which any two goals are told apart."

LEFT_OUT = (
    "* Leaves out pairs that have a plan in common: nothing tells them apart, and EDP is infinite. Capped,\n"
    "  they count up to the end of the plan."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise grd``."""
    parser.add_argument("paths", metavar="DIR", nargs="+", help="folders of archives, or single archives")
    planning_problems.add_limits(parser)
    planning_problems.add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run ``askwise grd``: measure how long goals look alike in many planning problems, and print a table.

    Returns:
        the exit code: 2 if all problems failed, otherwise 0.
    """
    from askwise.recognition.tables import GRD_COLUMNS, MeasureJob

    limits = planning_problems.limits_of(options)
    found = planning_problems.work(options, "grd", options.paths, lambda problem: MeasureJob(problem, limits))
    planning_problems.write(options, GRD_COLUMNS, found)
    print(_table(found))  # wider than a terminal
    return planning_problems.print_failures(found)


def _table(found: list[Row]) -> str:
    """Return a text table with a line for each measured problem: its main numbers and its verdict.

    Args:
        found: the results, a dict for each problem.
    """
    width = max(len("problem"), *(len(row["problem"]) for row in found))
    texts = [[_text(row, key, form) for _, key, form in SHOWN] for row in found]
    widths = [max(len(head), *(len(row[k]) for row in texts)) + 2 for k, (head, _, _) in enumerate(SHOWN)]
    head = "problem".ljust(width) + "".join(name.rjust(size) for (name, _, _), size in zip(SHOWN, widths, strict=True))
    lines = [head + "  verdict"]
    for row, text in zip(found, texts, strict=True):
        numbers = "".join(each.rjust(size) for each, size in zip(text, widths, strict=True))
        lines.append(f"{row['problem'].ljust(width)}{numbers}  {row['verdict'].partition(':')[0]}")
    lines += ["", wrapped(CONVENTION), *([wrapped(LEFT_OUT)] if any(row["never_apart"] for row in found) else [])]
    return "\n".join(lines)


def _text(row: Row, key: str, form: str) -> str:
    value: Any = row.get(key)
    if not key:  # steps of optimal plans, from the shortest to the longest
        low, high = row["shortest"], row["longest"]
        return "-" if low is None else f"{low}" if low == high else f"{low}-{high}"
    if value is None:
        return "-"
    if key == "told_apart" and value == "inf":
        return "never"
    mark = "*" if key in LEAVES_OUT and row["never_apart"] else ""
    return (form.format(value) if not isinstance(value, str) else value) + mark

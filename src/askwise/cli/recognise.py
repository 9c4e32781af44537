"""The commands ``askwise recognise`` (find an actor's goal) and ``askwise grd`` (measure how long goals look alike)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from askwise.cli import planning_problems
from askwise.cli.common import show
from askwise.cli.parsing import Subcommand
from askwise.errors import InputError
from askwise.text.reading import parse_number
from askwise.text.wording import wrapped

if TYPE_CHECKING:
    from askwise.recognition.tables import Summary
    from askwise.studies.running.jobs import Row


# -- askwise recognise -----------------------------------------------------------------------------------------------

RECOGNISE_HELP = """Recognise an actor's goal: the possible goals and their probabilities after each observed action.

ARCHIVE is a goal-recognition problem as in public data sets: an archive (.tar.bz2) or a
folder with domain.pddl, template.pddl, hyps.dat (the goals), obs.dat (the observed actions)
and optionally real_hyp.dat (the true goal); or these files separately. The probabilities are
exact: they count all optimal plans of all goals. Actions may be missing between the observed
ones, unless you give --complete.

Several archives, or a folder of archives, give one row each (--csv) and a summary by share of
observed actions. If it is interrupted, run the same command again to resume.

  askwise recognise blocks.tar.bz2 --complete
  askwise recognise blocks.tar.bz2 --belief bayes --json
  askwise recognise domain.pddl template.pddl --goals hyps.dat --obs obs.dat
  askwise recognise dataset/ --csv recognised.csv
"""


def add_recognise_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise recognise``."""
    parser.add_argument("paths", metavar="ARCHIVE", nargs="+", help="archives or folders; or DOMAIN.pddl TEMPLATE.pddl")
    parser.add_argument("--goals", metavar="FILE", help="the goals, one per line (default: those in ARCHIVE)")
    parser.add_argument("--obs", metavar="FILE", help="the observed actions (default: those in ARCHIVE)")
    parser.add_argument(
        "--belief",
        choices=("bayes", "robust"),
        help="robust (default): some actions are in no shortest plan; bayes: all are (default with --complete)",
    )
    parser.add_argument(
        "--stray",
        metavar="P",
        default="0.1",
        help="share of actions that are in no plan, for --belief robust (default: %(default)s)",
    )
    parser.add_argument("--complete", action="store_true", help="all actions were observed")
    planning_problems.add_limits(parser)
    parser.add_argument("--json", action="store_true", help="print JSON: all goals after each action")
    planning_problems.add_options(parser)


def run_recognise(options: argparse.Namespace) -> int:
    """Run ``askwise recognise``: print the probabilities of an actor's goals after each observed action.

    For several archives, or with ``--csv``, print a summary instead. Return the exit code: 2 if all archives failed,
    otherwise 0.
    """
    stray = parse_number(options.stray, "--stray", above=0)
    if stray >= 1:
        raise InputError("--stray", options.stray, "a probability between 0 and 1")
    if options.belief is None:
        options.belief = "bayes" if options.complete else "robust"
    if options.complete and options.belief != "bayes":
        raise InputError("--complete", f"with --belief {options.belief}", "--belief bayes")
    paths, template = options.paths, None
    if len(paths) == 2 and all(path.lower().endswith(".pddl") for path in paths):
        paths, template = paths[:1], paths[1]
    if options.csv is None and len(paths) == 1 and planning_problems.is_one_problem(paths[0]):
        return _one(options, paths[0], template, stray)
    return _many(options, paths, stray)


def _one(options: argparse.Namespace, path: str, template: str | None, stray: float) -> int:
    """Recognise the goal in one planning problem and print the result; return exit code 0.

    `stray` is the probability that an observed action is in no optimal plan, for the belief ``robust``. Raises
    `InputError` if the problem has no observed actions.
    """
    from askwise.pddl.recogniser import recognise
    from askwise.pddl.text import recognised_to_json, recognised_to_text

    problem = planning_problems.read(options, path, template)
    if not problem.seen:
        raise InputError("observations", "none", "actions that were seen, obs.dat in the archive or --obs FILE")
    cones = planning_problems.cones_of(problem, "recognise")
    found = recognise(problem, belief=options.belief, stray=stray, complete=options.complete, cones=cones)
    if options.json:
        how: dict[str, Any] = {"belief": options.belief, "complete": options.complete}
        how |= {"stray": stray} if options.belief == "robust" else {}
        print(json.dumps(recognised_to_json(problem.name, found, how), ensure_ascii=False))
    else:
        show(recognised_to_text(problem.name, found, _how(options)))
    return 0


def _how(options: argparse.Namespace) -> str:
    if options.complete:
        return "every action was seen, and the actor takes a shortest plan"
    if options.belief == "bayes":
        return "actions may be missing, and the actor takes a shortest plan"
    return f"actions may be missing, and one in {1 / float(options.stray):.3g} is in no plan"


def _many(options: argparse.Namespace, paths: list[str], stray: float) -> int:
    """Recognise the goals in many archives, write a table if ``--csv`` was given, and print a summary.

    `stray` is the probability that an observed action is in no optimal plan, for the belief ``robust``. Return exit
    code 2 if all archives failed, otherwise 0.
    """
    from askwise.recognition.tables import RECOGNISE_COLUMNS, RecogniseJob, summaries

    for given, name in ((options.goals, "--goals"), (options.obs, "--obs")):
        if given is not None:
            raise InputError(name, "with several archives", "one archive, or DOMAIN.pddl TEMPLATE.pddl")
    if options.json and options.csv is None:
        raise InputError("--json", "with several archives", "one archive; --csv FILE takes the rows of several")
    limits = planning_problems.limits_of(options)
    found = planning_problems.work(
        options,
        "recognise",
        paths,
        lambda problem: RecogniseJob(problem, limits, options.belief, stray, options.complete),
    )
    planning_problems.write(options, RECOGNISE_COLUMNS, found)
    show(_summed_up(summaries(found)))
    return planning_problems.print_failures(found)


def _summed_up(found: list[Summary]) -> str:
    if not found:
        return "No archive says which goal was the true one."
    head = f"{'seen':>6}{'archives':>10}{'likeliest':>11}{'alone':>8}{'possible':>10}{'goals left':>12}{'no goal':>9}"
    lines = ["How often the true goal is among the likeliest, the only likeliest, still possible:", head]
    for each in found:
        seen = f"{each.observability} %" if each.observability else "?"
        shares = [100 * count / each.archives for count in (each.likeliest, each.alone, each.possible)]
        share = f"{shares[0]:>9.0f} %{shares[1]:>6.0f} %{shares[2]:>8.0f} %"
        lines.append(f"{seen:>6}{each.archives:>10}{share}{each.goals:>12.1f}{each.contradictions:>9}")
    return "\n".join(lines)


# -- askwise grd -----------------------------------------------------------------------------------------------------

GRD_HELP = """Measure how long goals look alike in many planning problems, one row each.

DIR is a folder of goal-recognition archives, also in subfolders, or an archive. Archives that
differ only in their observations give one row. A row has the size, WCD (the longest common
prefix of optimal plans), the step by which any two goals are told apart, mean and largest EDP,
and ECD, all exact and from the start; then the time and a verdict. If a problem is too large or
unreadable, the verdict says so, and the others are still measured.

If it is interrupted, run the same command again to resume.

  askwise grd dataset/ --csv problems.csv
  askwise grd dataset/rovers --csv problems.csv --workers 4 --time-limit 60
"""
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


def add_grd_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise grd``."""
    parser.add_argument("paths", metavar="DIR", nargs="+", help="folders of archives, or single archives")
    planning_problems.add_limits(parser)
    planning_problems.add_options(parser)


def run_grd(options: argparse.Namespace) -> int:
    """Run ``askwise grd``: measure how long goals look alike in many planning problems, and print a table.

    With ``--csv``, also write the table. Return exit code 2 if all problems failed, otherwise 0.
    """
    from askwise.recognition.tables import GRD_COLUMNS, MeasureJob

    limits = planning_problems.limits_of(options)
    found = planning_problems.work(options, "grd", options.paths, lambda problem: MeasureJob(problem, limits))
    planning_problems.write(options, GRD_COLUMNS, found)
    print(_table(found))  # wider than a terminal
    return planning_problems.print_failures(found)


def _table(found: list[Row]) -> str:
    """Return a text table with a line for each planning problem: how long its goals look alike, and a verdict."""
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


SUBCOMMANDS = {
    "recognise": Subcommand(RECOGNISE_HELP, add_recognise_arguments, run_recognise),
    "grd": Subcommand(GRD_HELP, add_grd_arguments, run_grd),
}

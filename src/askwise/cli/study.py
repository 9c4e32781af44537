"""The commands ``askwise study`` (studies with simulated teammates) and ``askwise reproduce`` (the paper's study)."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwise.cli import interruption
from askwise.cli.parsing import Subcommand, renamed
from askwise.errors import AskwiseError, InputError
from askwise.text.reading import parse_number, parse_whole

if TYPE_CHECKING:
    from askwise.studies.pipeline import Conducted
    from askwise.studies.schema.study import Study
    from askwise.workers.heartbeat import Limits


# -- askwise study ---------------------------------------------------------------------------------------------------

STUDY_HELP = """Run a study: many instances, priors, prices, teammates and methods; tables, figures, a report.

STUDY is a study file (TOML), or the name of a study that comes with askwise, such as "paper".
Options override its settings; without STUDY they describe the whole study. If it is
interrupted, run the same command again to resume.

  askwise study paper --instances 10
  askwise study mine.toml --workers 8
  askwise study mine.toml --dask tcp://scheduler:8786
  askwise study --methods never planner --per-goal 0 0.2 -o out/two
  askwise study mine.toml --dry-run
"""


def add_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise study``."""
    parser.add_argument(
        "study", metavar="STUDY", nargs="?", help="study file, or the name of a study that comes with askwise"
    )
    what = parser.add_argument_group("what is simulated (overrides the study file)")
    what.add_argument("--instances", metavar="N", help="number of random instances")
    what.add_argument("--size", metavar="N", help="width and height of random instances")
    what.add_argument("--stations", metavar="N", help="stations per map")
    what.add_argument("--toolboxes", metavar="N", help="toolboxes per map")
    what.add_argument("--walls", metavar="SHARE", help="share of the cells that are walls")
    what.add_argument("--files", metavar="FILE", nargs="+", help="instance files instead of random instances")
    what.add_argument("--priors", metavar="KIND", nargs="+", help="priors: uniform, far, near, fetcher-far, ...")
    what.add_argument("--base", metavar="X", nargs="+", help="base prices of a question")
    what.add_argument("--per-goal", metavar="X", nargs="+", help="prices for each goal that a question names")
    renamed(what, "--base-cost", "--base", nargs="+")
    renamed(what, "--costs", "--per-goal", nargs="+")
    what.add_argument("--methods", metavar="NAME", nargs="+", help="methods (askwise run --method help lists them)")
    what.add_argument("--answers", metavar="MODEL", nargs="+", help="how questions are answered (askwise run --help)")
    what.add_argument("--teammates", metavar="KIND", nargs="+", help="teammates (askwise run --teammate help)")
    what.add_argument("--beliefs", metavar="KIND", nargs="+", help="run every method with each of these beliefs")
    what.add_argument("--episodes", metavar="N", help="episodes per instance and combination of the settings above")
    what.add_argument("--seed", metavar="N", help="seed of all random choices")
    what.add_argument("--quick", action="store_true", help="at most 10 instances and three prices")
    what.add_argument("--dry-run", action="store_true", help="print the settings and the number of episodes, and stop")
    parser.add_argument("-o", "--output", metavar="DIR", dest="out", help="output folder (default: out/NAME)")
    add_running_options(parser)


def add_running_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say how a study is run: processes, cluster, limits, failed episodes, printed output."""
    how = parser.add_argument_group("how it is run")
    how.add_argument("--workers", metavar="N", help="number of processes (default: one per core)")
    how.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster: the address of its scheduler")
    how.add_argument(
        "--time-limit", metavar="SECONDS", help="time limit per decision (default: 300; none for no limit)"
    )
    how.add_argument(
        "--episode-time-limit", metavar="SECONDS", help="time limit per episode (default: 3600; none for no limit)"
    )
    renamed(how, "--decision-limit", "--time-limit")
    renamed(how, "--episode-limit", "--episode-time-limit")
    how.add_argument("--memory-limit", metavar="GIB", help="address space of each agent's process (default: no limit)")
    how.add_argument("--retry-failed", action="store_true", help="repeat episodes that failed")
    how.add_argument("--json", action="store_true", help="print the paths of all results as JSON instead of a summary")


def run_study(options: argparse.Namespace) -> int:
    """Run ``askwise study``: simulate many episodes, and write tables, figures and a report.

    With ``--dry-run``, only print the settings. Return exit code 0; 130 after Ctrl-C, 143 after SIGTERM.
    """
    study = chosen(options)
    if options.dry_run:
        print(json.dumps(study.describe(), indent=1, ensure_ascii=False))
        print(f"{study.n_tasks} instances, {study.n_tasks * study.episodes_per_task} episodes", file=sys.stderr)
        return 0
    return conduct(study, f"out/{study.name}" if options.out is None else options.out, options)


def chosen(options: argparse.Namespace) -> Study:
    """Return the study that the command line describes: a study file or a named study, changed by the options.

    Methods from outside askwise are first loaded in a worker process, because they may crash.

    Raises:
        InputError: the settings are not valid, or there is neither a study nor ``--methods``.
        AskwiseError: a method cannot be loaded within its limits on time and memory.
    """
    from askwise.studies.running.executors import preload
    from askwise.studies.schema.study_file import (
        merged,
        outline,
        quicker,
        read_settings,
        shipped_studies,
        study_from,
    )

    if options.study is None and options.methods is None:
        names = ", ".join(shipped_studies())
        raise InputError("STUDY", "nothing", f"a study file, one of {names}, or --methods and other options")
    settings, folder = ({"name": "study"}, Path()) if options.study is None else read_settings(options.study)
    overrides = _overrides(options)
    if options.files is not None:
        settings, folder = {**settings, "instances": {}}, Path()
    settings = merged(settings, overrides)
    settings = quicker(settings) if options.quick else settings
    stated = outline(settings)
    preload(stated.methods, _limits(stated.limits, options))
    return study_from(settings, folder)


def _overrides(options: argparse.Namespace) -> dict[str, Any]:
    drawn = {
        "count": _whole(options.instances, "--instances", 1),
        "size": _whole(options.size, "--size", 1),
        "stations": _whole(options.stations, "--stations", 1),
        "toolboxes": _whole(options.toolboxes, "--toolboxes", 1),
        "walls": None if options.walls is None else parse_number(options.walls, "--walls"),
        "files": options.files,
    }
    found = {
        "instances": {key: value for key, value in drawn.items() if value is not None},
        "priors": options.priors,
        "base": _prices(options.base, "--base"),
        "per_goal": _prices(options.per_goal, "--per-goal"),
        "methods": options.methods,
        "teammates": options.teammates,
        "answers": options.answers,
        "beliefs": options.beliefs,
        "episodes": _whole(options.episodes, "--episodes", 1),
        "seed": _whole(options.seed, "--seed", 0),
    }
    return {key: value for key, value in found.items() if value not in (None, {})}


def _prices(given: list[str] | None, option: str) -> list[float] | None:
    return None if given is None else [parse_number(price, option) for price in given]


def _whole(text: str | None, option: str, lowest: int) -> int | None:
    return None if text is None else parse_whole(text, option, lowest)


def conduct(study: Study, folder: str, options: argparse.Namespace) -> int:
    """Run a study, write its tables, figures and report, and print a summary.

    Instances with results in `folder` are not played again. Return exit code 0; 130 after Ctrl-C, 143 after SIGTERM.
    """
    from askwise.studies import pipeline

    workers = _workers(options)
    study = replace(study, limits=_limits(study.limits, options))
    total = study.n_tasks
    try:
        with interruption.terminable():
            done = pipeline.conduct(
                study,
                folder,
                workers=workers,
                dask=options.dask,
                retry_failed=options.retry_failed,
                show_progress=True,
                on_damage=lambda damaged: print(damaged, file=sys.stderr),
            )
    except KeyboardInterrupt as stopped:
        stored = pipeline.stored_tasks(study, folder)
        print(f"\nStopped: {stored} of {total} instances are stored in {folder}.", file=sys.stderr)
        print("Run the same command again to resume.", file=sys.stderr)
        return interruption.exit_code(stopped)
    except AskwiseError as error:
        stored = pipeline.stored_tasks(study, folder)
        if stored:
            hint = f"{stored} of {total} instances are stored in {folder!r}; run the same command again to resume"
            raise AskwiseError(f"{error} ({hint})") from None
        raise
    _print(done, options)
    return 0


def _limits(own: Limits, options: argparse.Namespace) -> Limits:
    """Return the study's `own` limits on time and memory, replaced by those that the options state."""
    from askwise.studies.schema.conditions import limit_from

    given = {"decision": "--time-limit", "episode": "--episode-time-limit", "memory": "--memory-limit"}
    stated = {name: getattr(options, option.lstrip("-").replace("-", "_")) for name, option in given.items()}
    found: dict[str, Any] = {name: limit_from(text, given[name]) for name, text in stated.items() if text is not None}
    return replace(own, **found)


def _print(done: Conducted, options: argparse.Namespace) -> None:
    from askwise.studies.analysis import print_short

    folder = done.ran.store.folder
    failures = done.analysis.failures.height
    if options.json:
        paths = {name: str(folder / name) for name in ("report.html", "summary.csv", "claims.csv", "episodes.parquet")}
        print(json.dumps({"folder": str(folder), "failures": failures, **paths}, ensure_ascii=False))
        return
    print_short(done.analysis)
    print(f"\nReport:  {done.report}\nFigures: {folder / 'figures'}")
    if failures:
        where = "1 condition" if failures == 1 else f"{failures} conditions"
        print(f"Episodes failed in {where}: see failures.csv; --retry-failed repeats them.")
    stored = len(done.ran.store.done())
    total = done.ran.store.study.n_tasks
    print(f"{stored} of {total} instance{' is' if total == 1 else 's are'} stored in {folder}")


def _workers(options: argparse.Namespace) -> int:
    from askwise.workers.pool import usable_cores

    if options.workers is not None and options.dask is not None:
        raise InputError("--workers", "--dask as well", "one of the two")
    return usable_cores() if options.workers is None else parse_whole(options.workers, "--workers", 1)


# -- askwise reproduce -----------------------------------------------------------------------------------------------

REPRODUCE_HELP = """Reproduce the paper: its two-goal grid and its whole evaluation, compared with its numbers.

The evaluation runs 9,000 episodes: 100 random instances with three priors, six prices and five
methods. It writes tables, figures like the paper's, and report.html, which checks every claim
about the results. If it is interrupted, run the same command again to resume.

  askwise reproduce
  askwise reproduce --quick
  askwise reproduce --grid-only
"""


def add_reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise reproduce``."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        dest="out",
        help="output folder (default: out/reproduce, with --quick out/quick)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="10 instances and three prices, in seconds")
    what.add_argument("--grid-only", action="store_true", help="only the two-goal grid")
    add_running_options(parser)


def run_reproduce(options: argparse.Namespace) -> int:
    """Run ``askwise reproduce``: repeat the paper's example and evaluation, and write a report.

    Return exit code 0; 1 if a number of the paper's two-goal example differs; 130 after Ctrl-C, 143 after SIGTERM.
    """
    from askwise.studies.schema.study_file import quicker, read_settings, study_from
    from askwise.text import files

    default = "out/quick" if options.quick else "out/reproduce"
    folder = files.make_folder(default if options.out is None else options.out)
    code = two_goal_grid(folder, quiet=options.json)
    if options.grid_only:
        return code
    settings, _ = read_settings("paper")
    if not options.json:
        print("\nThe paper's evaluation\n", flush=True)
    return conduct(study_from(quicker(settings) if options.quick else settings), str(folder), options) or code


def two_goal_grid(folder: Path, *, quiet: bool) -> int:
    """Compute the paper's example, a grid with two goals, compare it with the paper's numbers, and draw it.

    Pictures go to the subfolder ``figures``. Return exit code 1 if a number differs from the paper's, otherwise 0.
    """
    from askwise.studies import two_goal_grid
    from askwise.text import files

    target = files.make_folder(folder / "figures")
    rows = list(two_goal_grid.comparisons())
    drawn = two_goal_grid.figure()
    for ending in ("png", "svg"):
        files.save_figure(drawn, target / f"edp-map.{ending}")
    if not quiet:
        print(two_goal_grid.text(rows))
        print(f"Written: {target / 'edp-map.png'}")
    return 0 if all(row.agrees for row in rows) else 1


SUBCOMMANDS = {
    "study": Subcommand(STUDY_HELP, add_study_arguments, run_study),
    "reproduce": Subcommand(REPRODUCE_HELP, add_reproduce_arguments, run_reproduce),
}

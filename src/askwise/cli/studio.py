"""The commands ``askwise studio`` (people play in the browser) and ``askwise study-report`` (their results)."""

from __future__ import annotations

import argparse
from pathlib import Path

from askwise.cli.parsing import Subcommand
from askwise.text.reading import parse_number, parse_whole

# -- askwise studio --------------------------------------------------------------------------------------------------

STUDIO_HELP = """Open the studio: people play problems in the browser, or take part in a study.

PROBLEMS is a problem file of any domain, a folder of them, or a study with people (askwise new
--kind study-with-people writes one); without it the studio shows examples.
The command prints a link that opens the studio, and runs until Ctrl-C. Rounds are stored in the
folder --output; unfinished rounds resume when you restart the studio.

  askwise studio kitchen.toml
  askwise studio problems/ --port 9000
  askwise studio study.toml -o out/study
  askwise studio problems/ --host 192.168.1.20
  askwise studio kitchen.toml --method mine.py:Likeliest

The studio listens on this computer only, unless --host gives another of its addresses. You need
the link to enter; it can be used once.
"""


def add_studio_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise studio``."""
    parser.add_argument(
        "path", metavar="PROBLEMS", nargs="?", help="problem file, folder of them, or study with people"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        dest="out",
        default="out/studio",
        help="folder for everything that is played (default: %(default)s)",
    )
    parser.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    parser.add_argument("--port", metavar="N", default="8765", help="port; 0 picks a free one (default: %(default)s)")
    parser.add_argument("--url", metavar="URL", help="public address, if the studio runs behind a proxy")
    parser.add_argument(
        "--method",
        metavar="PLACE",
        action="append",
        default=[],
        help="add your own agent, FILE.py:CLASS; may be repeated",
    )
    parser.add_argument("--workers", metavar="N", help="number of worker processes (default: one per core)")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", default="300", help="time limit per decision (default: %(default)s)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")


def run_studio(options: argparse.Namespace) -> int:
    """Run ``askwise studio``: serve the web pages on which people play problems, until Ctrl-C; return exit code 0.

    Everything that is played is stored in the folder of ``--output``.
    """
    from askwise.studio.server import ServerOptions, serve

    how = ServerOptions(
        path=options.path,
        out=options.out,
        host=options.host,
        port=parse_whole(options.port, "--port"),
        url=options.url,
        methods=tuple(options.method),
        workers=None if options.workers is None else parse_whole(options.workers, "--workers", 1),
        decision=parse_number(options.time_limit, "--time-limit", above=0),
        browse=not options.no_browser,
    )
    try:
        serve(how)
    except KeyboardInterrupt:
        print("\nThe studio is closed.")
    return 0


# -- askwise study-report --------------------------------------------------------------------------------------------

STUDY_REPORT_HELP = """Report the results of a study with people: tables, traces, figures and a report.

DIR is the folder --output of the studio in which the study ran; the studio may still be running.
The report compares people with simulations: each round that a person played, and the same
round with a simulated person.

  askwise study-report out/mine
"""


def add_study_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise study-report``."""
    parser.add_argument("folder", metavar="DIR", help="folder of the studio")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", default="300", help="time limit per decision (default: %(default)s)"
    )


def run_study_report(options: argparse.Namespace) -> int:
    """Run ``askwise study-report``: write tables, figures and a report of a study with people; return exit code 0.

    They are written to the subfolders ``export`` and ``report`` of ``options.folder``, the folder of the studio.
    """
    from askwise.studio.study.report import write_people_report

    folder = Path(options.folder)
    counted = write_people_report(folder, parse_number(options.time_limit, "--time-limit", above=0))
    print(", ".join(f"{what}: {n}" for what, n in counted.items()))
    print(f"Written: {folder / 'export'} (people, rounds, answers, traces)")
    print(f"Written: {folder / 'report' / 'report.html'}")
    return 0


SUBCOMMANDS = {
    "studio": Subcommand(STUDIO_HELP, add_studio_arguments, run_studio),
    "study-report": Subcommand(STUDY_REPORT_HELP, add_study_report_arguments, run_study_report),
}

"""Measure the regret of each decision: its cost beyond the best decision, given what was known.

PATH is a trace (askwise run --trace writes one), a file .jsonl with a trace or a
conversation on each line, or a folder of such files.
The result lists over-asking, under-asking, wrong questions and wrong actions, precision and
recall of asking, and the most costly mistakes. The judge is the exact optimum if the problem
is small enough, and otherwise the planner.

  askwise audit episode.json
  askwise audit traces/ --workers 2 --html audit.html --csv steps.csv
  askwise audit conversations.jsonl --json
  askwise audit traces/ --fail-over 0.5

With --fail-over X the exit code is 3 if the mean regret per episode is above X, or if a step
made a possible goal unreachable.
"""

from __future__ import annotations

import argparse
import json
import sys

from askwise.cli.common import Progress, show
from askwise.text.reading import parse_number, parse_whole

FAILED = 3
"""Exit code if the regret exceeds ``--fail-over``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise audit``."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="trace, .jsonl file, or folder of them")
    parser.add_argument(
        "--judge",
        metavar="NAME",
        default="auto",
        help="optimal, planner, or auto: optimal if the problem is small enough (default: %(default)s)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="X",
        help="regrets up to X are not mistakes (default: 0.000001 for the optimum, 0.05 for the planner)",
    )
    parser.add_argument(
        "--questions",
        metavar="N",
        help="for the optimum if answers may be wrong or missing: questions per episode (default: 3)",
    )
    parser.add_argument("--workers", metavar="N", help="number of processes (default: one per core)")
    parser.add_argument(
        "--costliest",
        metavar="N",
        default="10",
        help="number of mistakes to show, the most costly first (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--csv", metavar="FILE", help="write a table with a row for each step")
    parser.add_argument("--html", metavar="FILE", help="write a report page")
    parser.add_argument("--fail-over", metavar="X", help="exit code 3 if the mean regret per episode is above X")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise audit``: print, and optionally write, the regret of each decision in stored episodes.

    Returns:
        the exit code: 3 if the mean regret per episode exceeds ``--fail-over``, otherwise 0.
    """
    tolerance = None if options.tolerance is None else parse_number(options.tolerance, "--tolerance")
    questions = None if options.questions is None else parse_whole(options.questions, "--questions")
    workers = None if options.workers is None else parse_whole(options.workers, "--workers", 1)
    costliest = parse_whole(options.costliest, "--costliest")
    most = None if options.fail_over is None else parse_number(options.fail_over, "--fail-over")
    from askwise.audits.audit import audit
    from askwise.audits.page import write_page
    from askwise.audits.results import failure, to_text, write_csv
    from askwise.workers.pool import usable_cores

    with Progress("audit", "{:,} episodes", patient=True) as progress:
        found = audit(
            options.paths,
            judge=options.judge,
            tolerance=tolerance,
            questions=questions,
            workers=usable_cores() if workers is None else workers,
            progress=progress,
        )
    if options.csv is not None:
        write_csv(found, options.csv)
    if options.html is not None:
        write_page(found, options.html, costliest=costliest)
    if options.json:
        print(json.dumps(found.as_json(costliest), ensure_ascii=False))
    else:
        show(to_text(found, costliest))
        for path in (each for each in (options.csv, options.html) if each is not None):
            print(f"Written: {path}")
    why = None if most is None else failure(found, most)
    if why is not None:
        print(f"askwise audit: {why}", file=sys.stderr)
    return 0 if why is None else FAILED

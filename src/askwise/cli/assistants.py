"""The commands ``decide``, ``audit`` and ``serve-mcp``, for people who build assistants."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from askwise.cli import common
from askwise.cli.common import Progress, show
from askwise.cli.parsing import Subcommand
from askwise.errors import InputError
from askwise.text.files import check_picture, naming_file
from askwise.text.reading import parse_number, parse_whole

if TYPE_CHECKING:
    from askwise.decisions.decide import Session
    from askwise.decisions.problem import DecisionProblem


# -- askwise decide --------------------------------------------------------------------------------------------------

DECIDE_HELP = """Decide whether to ask or act, without a map.

FILE lists the possible intents with their probabilities, the actions with their costs, and the
questions, in JSON or TOML (askwise new --kind decision writes one); - reads standard input.
--heard continues a conversation: it states a question that was asked, and its answer.

  askwise decide ticket
  askwise decide ticket --heard "Which export?=CSV"
  askwise decide triage --json
  askwise decide triage --picture plan.pdf
"""


def add_decide_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options of ``askwise decide`` to its parser."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="decision file; - reads standard input")
    add(
        "--heard",
        metavar="QUESTION=ANSWER",
        action="append",
        default=[],
        help="a question and its answer ('no answer' if there was none); may be repeated",
    )
    add("--depth", metavar="N", help="look exactly N questions ahead (default: as far as possible in about a second)")
    common.add_picture(parser, "the plan", "--svg")
    add("--json", action="store_true", help="print JSON instead of text")


def run_decide(options: argparse.Namespace) -> int:
    """Run ``askwise decide``: print whether to ask or to act in a decision problem without a map; return exit code 0.

    With ``--picture``, also draw the plan.
    """
    if options.file is None:
        raise InputError("FILE", "nothing", "a decision file (askwise new --kind decision writes one)")
    if options.picture is not None:
        check_picture(options.picture)
    depth = None if options.depth is None else parse_whole(options.depth, "--depth")
    advice = session(read_decision(options.file), options.heard, depth).next()
    if options.picture is not None:
        from askwise.decisions.drawing import save_plan

        save_plan(advice.plan, options.picture)
    if options.json:
        print(json.dumps(advice.as_json(), ensure_ascii=False, allow_nan=False))
    else:
        common.show(str(advice))
        if options.picture is not None:
            print(f"\nWritten: {options.picture}")
    return 0


def read_decision(path: str) -> DecisionProblem:
    """Return the decision problem (intents, actions and questions) that a file describes.

    Args:
        path: the path of the file, or ``-`` for standard input.

    Raises:
        InputError: the file cannot be read or is invalid.
    """
    from askwise.decisions.problem import parse, read_decision_file
    from askwise.text.files import read_stdin

    if path == "-":
        return parse(read_stdin())
    with naming_file(path):
        return read_decision_file(path)


def session(problem: DecisionProblem, heard: list[str], depth: int | None) -> Session:
    """Return a conversation about a decision problem, in which some questions were answered already.

    Args:
        problem: the decision problem.
        heard: the answered questions, each as ``QUESTION=ANSWER``.
        depth: number of questions to look ahead; None for as many as possible in about a second.

    Raises:
        InputError: a question or an answer is unknown or contradicts what is known.
    """
    from askwise.decisions.decide import Session

    talk = Session(problem, depth=depth)
    for text in heard:
        talk.heard_text(text, "--heard")
    return talk


# -- askwise audit ---------------------------------------------------------------------------------------------------

AUDIT_HELP = """Measure the regret of each decision: its cost beyond the best decision, given what was known.

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
FAILED = 3
"""Exit code if the regret exceeds ``--fail-over``."""


def add_audit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options of ``askwise audit`` to its parser."""
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


def run_audit(options: argparse.Namespace) -> int:
    """Run ``askwise audit``: print what each decision in stored episodes cost beyond the best decision (its regret).

    With ``--csv`` and ``--html``, also write files. With ``--fail-over X``, return exit code 3 if the mean regret per
    episode exceeds X, or if a possible goal can never be reached after a decision. Otherwise return 0.
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


# -- askwise serve-mcp -----------------------------------------------------------------------------------------------

SERVE_MCP_HELP = """Serve askwise to a language-model agent, by the Model Context Protocol.

The client starts this command and talks to it over standard input and output. It needs no
network and no key, and sends nothing anywhere else. It ends when its input ends.

  pip install '.[mcp]'     in the folder of askwise
  askwise serve-mcp

In the configuration of most clients:

  {"mcpServers": {"askwise": {"command": "askwise", "args": ["serve-mcp"]}}}
"""


def add_serve_mcp_arguments(parser: argparse.ArgumentParser) -> None:
    """Do nothing, because ``askwise serve-mcp`` has no options; every subcommand needs such a function."""
    del parser


def run_serve_mcp(options: argparse.Namespace) -> int:
    """Run ``askwise serve-mcp``: serve a language-model agent on standard input and output; return exit code 0."""
    from askwise.serving.tools import serve

    del options
    serve()
    return 0


SUBCOMMANDS = {
    "decide": Subcommand(DECIDE_HELP, add_decide_arguments, run_decide),
    "audit": Subcommand(AUDIT_HELP, add_audit_arguments, run_audit),
    "serve-mcp": Subcommand(SERVE_MCP_HELP, add_serve_mcp_arguments, run_serve_mcp),
}

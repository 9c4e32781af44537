"""Decide whether to ask or act, without a map.

FILE lists the possible intents with their probabilities, the actions with their costs, and the
questions, in JSON or TOML (askwise new --kind decision writes one); - reads standard input.
--heard continues a conversation: it states a question that was asked, and its answer.

  askwise decide ticket
  askwise decide ticket --heard "Which export?=CSV"
  askwise decide triage --json
  askwise decide triage --picture plan.pdf
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from askwise.cli import common
from askwise.errors import InputError
from askwise.text.files import check_picture, naming_file
from askwise.text.reading import parse_whole

if TYPE_CHECKING:
    from askwise.decisions.decide import Session
    from askwise.decisions.problem import DecisionProblem


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise decide``."""
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


def run(options: argparse.Namespace) -> int:
    """Run ``askwise decide``: print whether to ask a question or to act now, in a decision problem without a map.

    Returns exit code 0.
    """
    if options.file is None:
        raise InputError("FILE", "nothing", "a decision file (askwise new --kind decision writes one)")
    if options.picture is not None:
        check_picture(options.picture)
    depth = None if options.depth is None else parse_whole(options.depth, "--depth")
    advice = session(read(options.file), options.heard, depth).next()
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


def read(path: str) -> DecisionProblem:
    """Return the decision problem (intents, actions and questions) that a file describes.

    The path ``-`` means standard input.
    """
    from askwise.decisions.problem_input import parse, read_decision_file
    from askwise.text.files import read_stdin

    if path == "-":
        return parse(read_stdin())
    with naming_file(path):
        return read_decision_file(path)


def session(problem: DecisionProblem, heard: list[str], depth: int | None) -> Session:
    """Return a conversation about a decision problem, continued after the given questions and answers.

    Args:
        problem: the decision problem.
        heard: the questions that were asked with their answers, each as ``QUESTION=ANSWER``.
        depth: number of questions to look ahead; None for as many as possible in about a second.
    """
    from askwise.decisions.decide import Session

    talk = Session(problem, depth=depth)
    for text in heard:
        talk.heard_text(text, "--heard")
    return talk

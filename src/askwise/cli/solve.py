"""Compute the lowest expected cost that any method can have, exactly. Small instances only.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.

If answers may be wrong or missing, at most --questions of them are asked per episode (3 by
default); the verdict says how much more questions could save at most.

  askwise solve ward
  askwise solve ward --questions 2
  askwise solve workshop --go-on
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from askwise.cli import common
from askwise.cli.common import Progress
from askwise.errors import AskwiseError, InputError
from askwise.text.reading import parse_whole

if TYPE_CHECKING:
    from askwise.core.problem import Problem
    from askwise.core.questions import Question
    from askwise.planning.optimum import Solution


BOUND = "askwise evaluate FILE --paths 10 --bound estimates the cost of a method and computes a lower bound"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise solve``."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="instance file, example, or - for standard input")
    parser.add_argument("--questions", metavar="N", help="ask at most N questions per episode")
    parser.add_argument("--go-on", action="store_true", help="no size limit; report progress on standard error")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise solve``: print the lowest expected cost that any method can have; return exit code 0."""
    from askwise.api import as_problem
    from askwise.planning.exact import TooLarge
    from askwise.play.evaluate import solve

    if options.file is None:
        raise InputError("FILE", "nothing", "an instance file (askwise new writes one)")
    if options.questions is not None:
        parse_whole(options.questions, "--questions", 0)
    questions = None if options.questions is None else int(options.questions)
    problem = as_problem(common.read_instance(options.file))
    progress = Progress("solve", "{:,} states, {:,} questions", patient=not options.go_on)
    try:
        with progress:
            found = solve(problem, questions=questions, go_on=options.go_on, progress=progress)
    except TooLarge as error:
        go_on = "" if options.go_on else " (--go-on)"
        raise AskwiseError(f"{error}{go_on}; {BOUND}") from None
    if options.json:
        print(json.dumps(as_json(problem, found), ensure_ascii=False))
    else:
        common.show(to_text(problem, found))
    return 0


def as_json(problem: Problem, found: Solution) -> dict[str, Any]:
    """Return the dict that ``--json`` prints: the optimal costs, the verdict, and the first question or action."""
    first = found.policy.at(problem.start)
    limited = {} if found.questions is None else {"most_questions": found.questions, "lower_bound": found.lower_bound}
    return {
        "expected_marginal_cost": found.expected_marginal_cost,
        "expected_cost": found.expected_cost,
        "verdict": str(found.verdict),
        "states": found.states,
        "questions": found.splits,
        "ask": None if first.ask is None else _named(problem, first.ask),
        "action": None if first.action is None else problem.ego.actions.names[first.action],
        **limited,
    }


def _named(problem: Problem, asked: Question) -> list[str] | list[list[str]]:
    """Return the names of the goals that a question asks about, as a list.

    For a question with several groups of goals ("which of these?"), the list has a list of names for each group.
    """
    from askwise.core.questions import Choice

    if isinstance(asked, Choice):
        return [[problem.goals[goal] for goal in group] for group in asked.groups]
    return [problem.goals[goal] for goal in asked]


def _asked(problem: Problem, asked: Question) -> str:
    names = _named(problem, asked)
    if names and isinstance(names[0], str):
        return "ask whether it is " + " or ".join(map(str, names))
    return "ask which it is: " + "; ".join(" or ".join(group) for group in names)


def to_text(problem: Problem, found: Solution) -> str:
    """Return the optimal costs, the first question or action, and the verdict as text, one per line."""
    first = found.policy.at(problem.start)
    if first.ask is not None:
        begin = _asked(problem, first.ask)
    else:
        assert first.action is not None
        begin = problem.ego.actions.names[first.action]
    return (
        f"expected marginal cost  {found.expected_marginal_cost:.6g}\n"
        f"expected cost           {found.expected_cost:.6g}\n"
        f"first                   {begin}\n"
        f"verdict                 {found.verdict}\n"
        f"searched                {found.states:,} states, {found.splits:,} questions\n"
    )

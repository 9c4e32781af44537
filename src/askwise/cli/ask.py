"""Tell what the fetcher would do now, and why.

FILE is an instance file (JSON), as written by askwise generate; - reads standard input.
Everybody is where the instance starts, or where the options say. A worker that is not at its
start has walked there by a shortest way, and that rules stations out (for --belief robust, it
makes them unlikely); with --fresh the given cells are the start, and nothing is inferred.

  askwise ask instance.json
  askwise ask instance.json --method ezq-local --worker 12,10 --fetcher 11,14 --ruled-out S3,S9
  askwise ask instance.json --worker 12,10 --belief bayes
  askwise ask instance.json --fetcher 4,0 --holding S2 --json
  askwise ask --method help
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from askwise.cli import values
from askwise.errors import InputError

if TYPE_CHECKING:
    from askwise.deciding import Advice
    from askwise.problem import JointState, Problem


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise ask``."""
    values.add_file_and_method(parser)
    parser.add_argument("--worker", metavar="X,Y", help="where the worker is (default: where it starts)")
    parser.add_argument("--fetcher", metavar="X,Y", help="where the fetcher is (default: where it starts)")
    parser.add_argument(
        "--fresh", action="store_true", help="start at the given cells: infer nothing from the worker's way"
    )
    parser.add_argument("--holding", metavar="STATION", help="the station whose tool it holds (default: none)")
    parser.add_argument(
        "--ruled-out",
        metavar="STATIONS",
        action="append",
        default=[],
        help="stations that are not the goal, with commas in between; may be repeated",
    )
    parser.add_argument("--seed", metavar="N", default="0", help="for methods that draw lots (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise ask``."""
    if options.method == "help":
        from askwise.showing.methods import list_methods

        print(list_methods())
        return 0
    advice = decide(options)
    if options.json:
        from askwise.showing.explain import as_json

        print(json.dumps(as_json(advice), ensure_ascii=False, allow_nan=False))
    else:
        from askwise.showing.explain import told

        print(told(advice, colour=values.colourful()), end="")
    return 0


def decide(options: argparse.Namespace) -> Advice:
    """Return what the method decides at the moment that the options describe."""
    from askwise.deciding import ask
    from askwise.domains.registry import as_problem, domain_of
    from askwise.query.beliefs import ContradictoryObservation

    values.need_file(options)
    seed = values.whole(options.seed, "--seed")
    problem = as_problem(values.read_instance(options.file))
    moments = domain_of(problem).moments
    state = moments.state(problem, options.worker, options.fetcher, options.holding)
    if options.fresh:
        problem = moments.starting_at(problem, state)
    out = ruled_out(options.ruled_out, problem)
    try:
        return ask(
            problem,
            options.method,
            teammate=None if state.teammate == problem.start.teammate else state.teammate,
            ego=state.ego,
            answers=[(out, False)] if out else [],
            seed=seed,
            belief=options.belief,
            tie_break=options.tie_break,
        )
    except ContradictoryObservation:
        raise _impossible(problem, state) from None


def _impossible(problem: Problem, state: JointState) -> InputError:
    """Return the refusal of a teammate that is where no possible goal would take it."""
    from askwise.domains.registry import domain_of

    words = domain_of(problem).words
    now, start = (problem.teammate_model.name(each.teammate) for each in (state, problem.start))
    way = f"on no shortest way from {start} to a {words.goal} that is possible"
    hints = "--belief robust allows for detours, --fresh starts there"
    return InputError(f"--{words.teammate}", f"{now}, {way}", f"a cell on one ({hints})")


def ruled_out(given: list[str], problem: Problem) -> list[int]:
    """Return the goals in the lists of names that were given; a name may itself hold a comma."""
    from askwise.domains.registry import domain_of
    from askwise.showing.words import place_in

    word = domain_of(problem).words.goal
    names: list[str] = []
    for text in given:
        names += [text] if text in problem.goals else [name.strip() for name in text.split(",")]
    out = sorted({place_in(problem.goals, name, "ruled out", word) for name in names})
    if not any(p > 0 for goal, p in enumerate(problem.prior.tolist()) if goal not in out):
        raise InputError("ruled out", f"every {word} that the prior allows", "at least one that is still possible")
    return out

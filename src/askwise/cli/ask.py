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
from askwise.cli.edp import parse_cell
from askwise.errors import InputError

if TYPE_CHECKING:
    from askwise.domains.tool_fetching import Instance
    from askwise.domains.tool_fetching.instance import Cell
    from askwise.showing.explain import Explanation
    from askwise.showing.moment import Moment


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
    explained = decide(options)
    if options.json:
        print(json.dumps(explained.to_json(), ensure_ascii=False, allow_nan=False))
    else:
        from askwise.showing.explain import told

        print(told(explained, colour=values.colourful()), end="")
    return 0


def decide(options: argparse.Namespace) -> Explanation:
    """Return what the method decides at the moment that the options describe."""
    from askwise.showing.explain import explain

    values.need_file(options)
    worker, fetcher = (_cell(options, who) for who in ("worker", "fetcher"))
    seed = values.whole(options.seed, "--seed")
    now = moment_of(options, values.read_instance(options.file), worker, fetcher)
    return explain(now, options.method, seed=seed, **values.agent_options(options))


def moment_of(options: argparse.Namespace, instance: Instance, worker: Cell | None, fetcher: Cell | None) -> Moment:
    """Return the moment that the options describe."""
    from askwise.query.beliefs import ContradictoryObservation
    from askwise.showing.moment import moment

    try:
        return moment(
            instance,
            worker=worker,
            fetcher=fetcher,
            holding=options.holding,
            ruled_out=ruled_out(options.ruled_out, instance),
            belief=options.belief or "elimination",
            fresh=options.fresh,
        )
    except ContradictoryObservation:
        way = f"on no shortest way from {instance.worker} to a station that is possible"
        hints = "--belief robust allows for detours, --fresh starts there"
        raise InputError("--worker", f"{worker}, {way}", f"a cell on one ({hints})") from None


def _cell(options: argparse.Namespace, who: str) -> Cell | None:
    text = getattr(options, who)
    return None if text is None else parse_cell(text, f"--{who}")


def ruled_out(given: list[str], instance: Instance) -> list[str]:
    """Return the names in the lists that were given; a name may itself hold a comma."""
    names = []
    for text in given:
        names += [text] if text in instance.stations else [name.strip() for name in text.split(",")]
    return names

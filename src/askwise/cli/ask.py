"""Show what the ego agent would do now, and why.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.
Each agent is at its start, unless --teammate-at or --ego-at gives another state: a name, or for
a cell X,Y or its letter. A teammate that is not at its start is assumed to have come by a
shortest path, or by the actions of --seen. Goals that do not fit its way are ruled out (with
--belief robust, they become unlikely). With --fresh, the given states are the starts, and
nothing is inferred.

  askwise ask ward
  askwise ask ward --teammate-at "corridor 1" --ruled-out "pills for Ada"
  askwise ask kitchen --seen EAST,SOUTH --answered "toast,soup:no"
  askwise ask workshop --worker 7,2 --fetcher 3,4 --ruled-out S3,S9
  askwise ask workshop --fetcher 4,0 --holding S2 --json
  askwise ask ward --method ezq
  askwise ask --method help
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from askwise.cli import common
from askwise.cli.parsing import Subcommand, renamed
from askwise.errors import InputError
from askwise.text.reading import parse_whole

if TYPE_CHECKING:
    from askwise.core.problem import JointState, Problem
    from askwise.core.questions import Answer
    from askwise.play.ask import Advice


REPLIES = {"yes": True, "no": False, "unknown": None}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options of ``askwise ask`` to its parser."""
    common.add_file_and_method(parser)
    add = parser.add_argument
    add("--teammate-at", "--worker", metavar="STATE", help="where the teammate is (default: its start)")
    add("--ego-at", "--fetcher", metavar="STATE", help="where the ego agent is (default: its start)")
    renamed(parser, "--teammate", "--teammate-at")
    renamed(parser, "--ego", "--ego-at")
    add("--seen", metavar="ACTIONS", help="the teammate's actions since its start, separated by commas")
    add(
        "--answered",
        metavar="GOALS:yes|no|unknown",
        action="append",
        default=[],
        help="a question and its answer: goals separated by commas; a choice has | between its groups, and as its"
        " answer the number of a group (from 1), none or unknown; may be repeated",
    )
    add(
        "--ruled-out",
        metavar="GOALS",
        action="append",
        default=[],
        help="goals that are impossible, separated by commas; may be repeated",
    )
    add("--fresh", action="store_true", help="start at the given places; infer nothing from the teammate's path")
    add("--holding", metavar="GOAL", help="the goal whose tool or other load the ego agent carries (default: none)")
    add("--seed", metavar="N", default="0", help="seed of methods that choose at random (default: %(default)s)")
    add("--json", action="store_true", help="print JSON instead of text")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise ask``: print what the ego agent would do now, and why; return exit code 0.

    With ``--method help``, print a list of the methods instead.

    Args:
        options: the parsed arguments and options of the command.
    """
    if options.method == "help":
        from askwise.view.explain import list_methods

        common.show(list_methods())
        return 0
    common.need_file(options)
    advice = decide(options)
    if options.json:
        from askwise.view.explain import as_json

        print(json.dumps(as_json(advice), ensure_ascii=False, allow_nan=False))
    else:
        from askwise.view.explain import to_text

        common.show(to_text(advice, colour=common.colourful()))
    return 0


def decide(options: argparse.Namespace) -> Advice:
    """Return what the ego agent's method decides in the situation that the options describe, and why.

    Raises:
        InputError: an option or the file is invalid, or no goal is possible in the situation.
    """
    from askwise.core.belief import ContradictoryObservation
    from askwise.core.questions import Answer
    from askwise.domains.registry import domain_of
    from askwise.play.ask import ask

    seed = parse_whole(options.seed, "--seed")
    problem = common.read_problem(options)
    domain = domain_of(problem)
    state = domain.parse_state(problem, options.teammate_at, options.ego_at, options.holding)
    if options.fresh:
        problem = domain.problem(problem, start=state)
    out = ruled_out(options.ruled_out, problem)
    heard = [Answer(tuple(out), False)] if out else []
    heard += [answered(text, problem) for text in options.answered]
    seen = actions_in(options.seen, problem)
    # By name, because a model may have states whose names are numbers.
    now = problem.teammate.model.name(state.teammate)
    given = options.teammate_at is not None and not options.fresh
    known = given and (seen or state.teammate != problem.start.teammate)
    try:
        return ask(
            problem,
            options.method,
            teammate_at=now if known else None,
            seen=seen,
            ego_at=_ego_name(problem, state.ego),
            answered=heard,
            seed=seed,
            belief=options.belief,
        )
    except ContradictoryObservation:
        raise _impossible(problem, state, options) from None


def _ego_name(problem: Problem, ego: int) -> Any:
    """Return the name of the ego agent's state with index `ego`, or the index itself if the agent can carry things."""
    return ego if problem.ego.loads else problem.ego.model.name(ego)


def _impossible(problem: Problem, state: JointState, options: argparse.Namespace) -> InputError:
    """Return the error for options that rule out all goals; it names these options."""
    from askwise.domains.registry import domain_of, words_of
    from askwise.model import GridWorld

    if options.seen or options.answered:
        given = " and ".join(name for name, value in _evidence(options).items() if value)
        allowed = "what fits some goal (--belief robust allows for detours)"
        return InputError(given, f"what no possible {words_of(problem).goal} explains", allowed)
    now, start = (problem.teammate.model.name(each.teammate) for each in (state, problem.start))
    way = f"on no shortest path from {start} to a possible {words_of(problem).goal}"
    hints = "--belief robust allows for detours, --fresh starts there"
    place = "a cell" if isinstance(problem.teammate.model, GridWorld) else "a state"
    option = "--worker" if domain_of(problem).vocabulary().teammate == "worker" else "--teammate-at"
    return InputError(option, f"{now}, {way}", f"{place} on one ({hints})")


def _evidence(options: argparse.Namespace) -> dict[str, object]:
    return {
        "--teammate-at": options.teammate_at,
        "--seen": options.seen,
        "--ruled-out": options.ruled_out,
        "--answered": options.answered,
    }


def ruled_out(given: list[str], problem: Problem) -> list[int]:
    """Return the indices of the goals that the option ``--ruled-out`` names, sorted.

    Each value in `given` is one or more names, separated by commas.

    Raises:
        InputError: a name is unknown, or no goal of positive prior probability is left.
    """
    from askwise.domains.registry import words_of

    out = sorted({goal for text in given for goal in goals_in(text, problem, "ruled out")})
    if not any(p > 0 for goal, p in enumerate(problem.prior.tolist()) if goal not in out):
        word = words_of(problem).goal
        raise InputError("ruled out", f"every {word} that the prior allows", "at least one that is still possible")
    return out


def answered(text: str, problem: Problem) -> Answer:
    """Parse a value of the option ``--answered``: return a question and the answer to it.

    Args:
        text: ``GOALS:yes``, ``GOALS:no`` or ``GOALS:unknown`` (no answer), where GOALS are names with commas between.
            For a choice among groups, ``GOALS|GOALS:2`` names the second group, ``GOALS|GOALS:none`` no group.
        problem: the problem with these goals.

    Raises:
        InputError: the text is invalid.
    """
    from askwise.core.questions import Answer, Choice

    asked, colon, said = text.rpartition(":")
    reply = said.strip().lower()
    groups = [tuple(goals_in(group, problem, "--answered")) for group in asked.split("|")] if colon else []
    if len(groups) < 2 and reply not in REPLIES:
        raise InputError("--answered", repr(text), "GOALS:yes, GOALS:no or GOALS:unknown")
    _check_named(groups, problem)
    if len(groups) < 2:
        return Answer(groups[0], REPLIES[reply])
    return Answer(Choice(tuple(groups)), _group(reply, len(groups), sum(map(len, groups)) < len(problem.goals), text))


def _check_named(groups: list[tuple[int, ...]], problem: Problem) -> None:
    """Raise an `InputError` if a question names a goal twice, or if it is a yes-no question about all goals."""
    from askwise.domains.registry import words_of

    named, word = [goal for group in groups for goal in group], words_of(problem).goal
    twice = next((goal for k, goal in enumerate(named) if goal in named[:k]), None)
    if twice is not None:
        where = "once" if len(groups) == 1 else "in one group at most"
        raise InputError("--answered", f"{problem.goals[twice]} twice", f"each {word} {where}")
    if len(groups) == 1 and len(named) == len(problem.goals):
        raise InputError("--answered", f"a question about every {word}", "one with two answers")


def _group(reply: str, groups: int, others: bool, text: str) -> int | None:
    """Return the index of the group that a reply names, from 0; `groups` for no group, None for no answer.

    `reply` is the number of a group, from 1; ``none``, valid only if `others` is true; or ``unknown``. `groups` is the
    number of groups. `text` is the value of ``--answered``, for the message of an `InputError`.
    """
    if reply == "unknown":
        return None
    if reply == "none" and others:
        return groups
    if reply not in map(str, range(1, groups + 1)):
        replies = f"1 to {groups}, none or unknown" if others else f"1 to {groups}, or unknown"
        raise InputError("--answered", repr(text), f"GOALS|GOALS: and a number from {replies}")
    return int(reply) - 1


def goals_in(text: str, problem: Problem, field: str) -> list[int]:
    """Return the indices of the goals that a text names.

    Args:
        text: names of goals, separated by commas.
        problem: the problem with these goals.
        field: the name of the option in error messages.

    Raises:
        InputError: a name is unknown.
    """
    from askwise.domains.registry import words_of
    from askwise.text.wording import index_of

    word = words_of(problem).goal
    return [index_of(problem.goals, name, field, word) for name in split(text, problem.goals)]


def actions_in(text: str | None, problem: Problem) -> list[str]:
    """Return the names of the teammate's actions in a text; an empty list if the text is None.

    The names are separated by commas. A text that is the name of one action is not split. Unknown names are returned,
    too.
    """
    from askwise.core.problem import all_teammate_names

    return [] if text is None else split(text, all_teammate_names(problem))


def split(text: str, names: Sequence[str]) -> list[str]:
    """Split a text at its commas, unless the whole text is one of `names`; names may contain commas."""
    return [text] if text in names else [name.strip() for name in text.split(",")]


SUBCOMMANDS = {"ask": Subcommand(__doc__, add_arguments, run)}

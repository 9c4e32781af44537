"""The commands ``askwise evaluate`` (expected cost of methods) and ``askwise solve`` (lowest cost of any method)."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, Any

from askwise.cli import common
from askwise.cli.common import Progress
from askwise.cli.parsing import Subcommand
from askwise.errors import AskwiseError, InputError
from askwise.text.reading import parse_whole
from askwise.text.wording import wrapped

if TYPE_CHECKING:
    from askwise.core.problem import Problem
    from askwise.core.questions import Question
    from askwise.planning.bounds import Bound
    from askwise.planning.optimum import Solution
    from askwise.play.evaluate import Evaluation


# -- askwise evaluate ------------------------------------------------------------------------------------------------

EVALUATE_HELP = """Compute the expected cost of one method or several, exactly or from episodes.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.

The teammate takes a random shortest path, or moves as FILE says. Small instances are evaluated
exactly, larger ones from 200 episodes. To choose, give one of --exact (all possible episodes),
--episodes N (random episodes) and --paths N (N episodes per goal, weighted by the prior: more
precise if rare goals are expensive).

For a teammate that may walk in circles, --exact needs --belief elimination or --method informed.
--questions N limits the method to N questions per episode; --bound then also prints how much
more questions could save at most.

--bound takes seconds and is proven. --tight solves larger parts of the instance exactly, all of
it if few goals are likely. Otherwise it also puts the goals into random groups (--seed). This
gives a better bound if many goals are likely and questions cost more for more goals. It holds
with 95 % confidence and takes up to a minute for 50 goals.

  askwise evaluate ward --methods planner,ezq,never
  askwise evaluate ward --exact
  askwise evaluate workshop --method ezq --episodes 200 --seed 1 --bound
  askwise evaluate workshop --method never --paths 10 --json
  askwise evaluate ward --answers wrong:0.1 --exact --questions 3
  askwise evaluate --method help
"""


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise evaluate``."""
    common.add_file_and_method(parser)
    parser.add_argument("--methods", metavar="A,B,...", help="compare these methods in one table")
    parser.add_argument(
        "--exact", action="store_true", help="compute it over all possible episodes; small instances only"
    )
    parser.add_argument("--episodes", metavar="N", help="simulate N episodes")
    parser.add_argument("--paths", metavar="N", help="simulate N episodes for each goal")
    parser.add_argument("--questions", metavar="N", help="limit the method to N questions per episode")
    parser.add_argument("--seed", metavar="N", default="0", help="seed of all random choices (default: %(default)s)")
    parser.add_argument("--bound", action="store_true", help="also compute a lower bound for all methods")
    parser.add_argument("--tight", action="store_true", help="compute a tighter bound, with 95 %% confidence; slower")
    parser.add_argument(
        "--go-on", action="store_true", help="evaluate exactly, whatever the size; report progress on standard error"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run_evaluate(options: argparse.Namespace) -> int:
    """Run ``askwise evaluate``: print the expected cost of each method in the options; return exit code 0.

    With ``--bound`` or ``--tight``, also print a lower bound on the cost of all methods.
    """
    if options.method == "help":
        from askwise.view.explain import list_methods

        common.show(list_methods())
        return 0
    check(options)
    problem = common.read_problem(options)
    found = [evaluated(options, problem, method) for method in _methods(options)]
    bound = bounded(options, problem, found[0].questions) if options.bound or options.tight else None
    if options.json:
        shown = [as_json(each, bound) for each in found]
        print(json.dumps(shown[0] if options.methods is None else shown, ensure_ascii=False))
    else:
        common.show(to_text(found[0], bound) if options.methods is None else to_table(found, bound))
    return 0


def _methods(options: argparse.Namespace) -> list[str]:
    """Return the methods to evaluate: those of ``--methods``, or the one of ``--method``.

    Raise an `InputError` if ``--methods`` has an empty name, or a method twice.
    """
    if options.methods is None:
        return [options.method]
    names = methods_in(options.methods)
    if not all(names) or len(set(names)) < len(names):
        raise InputError("--methods", repr(options.methods), "names of different methods, separated by commas")
    return names


def methods_in(text: str) -> list[str]:
    """Split a list of methods that are separated by commas.

    A method may have options, such as ``,enough=0.5``, which also begin with a comma. Options stay with their method:
    ``never,planner,enough=0.5`` gives ``["never", "planner,enough=0.5"]``.
    """
    names: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if names and re.match(r"[A-Za-z_]\w*=", part):
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def check(options: argparse.Namespace) -> None:
    """Raise an `InputError` for missing, contradictory or bad options of ``askwise evaluate``.

    The function is called before any file is read.
    """
    common.need_file(options)
    given = {"--exact": options.exact, "--episodes": options.episodes, "--paths": options.paths}
    chosen = [name for name, value in given.items() if value not in (False, None)]
    if len(chosen) > 1:
        raise InputError(", ".join(given), " and ".join(chosen), "at most one of the three")
    _methods(options)
    for name in ("--episodes", "--paths"):
        if name in chosen:
            parse_whole(given[name], name, 2)
    if options.questions is not None:
        parse_whole(options.questions, "--questions", 0)
    parse_whole(options.seed, "--seed")


def evaluated(options: argparse.Namespace, problem: Problem, method: str) -> Evaluation:
    """Return the expected cost of a method on a problem, and show progress on standard error.

    `method` may have options, such as ``planner,enough=0.5``.
    """
    from askwise.methods import make_agent
    from askwise.play.evaluate import evaluate

    agent = make_agent(method, **common.agent_options(options))
    exact = options.exact or (options.go_on and options.episodes is None and options.paths is None)
    progress = Progress("evaluate", "{:,} decisions" if exact else "{:,} episodes", patient=not options.go_on)
    with progress:
        return evaluate(
            problem,
            agent,
            exact=exact,
            episodes=None if options.episodes is None else int(options.episodes),
            paths=None if options.paths is None else int(options.paths),
            seed=int(options.seed),
            questions=None if options.questions is None else int(options.questions),
            go_on=options.go_on,
            progress=progress,
        )


def bounded(options: argparse.Namespace, problem: Problem, questions: int | None) -> Bound:
    """Return a lower bound on the expected marginal cost of all methods, and show progress on standard error.

    Marginal cost is the cost beyond that of an agent that knows the goal.

    Args:
        options: the parsed options; ``--tight`` selects a better bound that takes longer.
        problem: the problem.
        questions: the evaluated method's limit of questions per episode; None for no limit. The bound takes answers
            from question number `questions` on to be true; if None, all answers.
    """
    from askwise.play.evaluate import lower_bound

    with Progress("evaluate", "{:,} of {:,} groups solved", patient=True) as progress:
        return lower_bound(problem, questions=questions, tight=options.tight, seed=int(options.seed), progress=progress)


def as_json(found: Evaluation, bound: Bound | None) -> dict[str, Any]:
    """Return the dict that ``--json`` prints for one method: costs, verdict, confidence interval, and lower bound.

    The verdict says whether the costs are exact. Without a `bound`, the lower bound is left out.
    """
    shown: dict[str, Any] = {
        "method": found.method,
        "expected_marginal_cost": found.expected_marginal_cost,
        "expected_cost": found.expected_cost,
        "verdict": str(found.verdict),
        "exact": found.verdict.exact,
        "states": found.states,
        "stderr": found.stderr,
        "ci": list(found.ci),
    }
    if found.questions is not None:
        shown["most_questions"] = found.questions
    if bound is not None:
        shown |= {"lower_bound": bound.value, "bound_verdict": str(bound.verdict)}
    if bound is not None and found.questions is not None:
        shown["more_could_save"] = _gain(found, bound)
    return shown


def _gain(found: Evaluation, bound: Bound) -> float:
    """Return the most that a higher limit of questions per episode could save, at least 0.

    It is the expected cost minus the lower bound. Both are marginal: beyond the cost of an agent that knows the goal.
    """
    return max(0.0, found.expected_marginal_cost - bound.value)


def to_table(found: list[Evaluation], bound: Bound | None) -> str:
    """Return the costs of several methods as a text table, the cheapest first, with a lower bound below if given."""
    rows, ranked = [], sorted(found, key=lambda one: one.expected_marginal_cost)
    for each in ranked:
        low, high = each.ci
        interval = "" if each.verdict.converged else f"{low:.3f} to {high:.3f}"
        rows.append([each.method, f"{each.expected_marginal_cost:.3f}", interval, f"{each.expected_cost:.3f}"])
    sampled = any(row[2] for row in rows)
    heading = ["method", "expected marginal cost", "95 % interval", "expected cost"]
    kept = [k for k in range(4) if sampled or k != 2]
    table = [[row[k] for k in kept] for row in [heading, *rows]]
    widths = [max(len(row[k]) for row in table) for k in range(len(kept))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    methods_of: dict[str, list[str]] = {}
    for row, each in zip(rows, ranked, strict=True):
        methods_of.setdefault(str(each.verdict), []).append(row[0])
    for verdict, methods in methods_of.items():
        whose = f" of {', '.join(methods)}" if len(methods_of) > 1 else ""
        lines.append(wrapped(f"verdict{whose}: {verdict}", 9))
    if bound is not None:
        lines.append(f"lower bound for all methods: {bound.value:.6g} ({bound.verdict})")
    return "\n".join(lines) + "\n"


def to_text(found: Evaluation, bound: Bound | None) -> str:
    """Return the expected cost of one method, a verdict on its accuracy, and the lower bound as text, one per line.

    The lower bound is left out if it is None.
    """
    marginal = f"{found.expected_marginal_cost:.6g}"
    if not found.verdict.converged:  # an average over episodes
        low, high = found.ci
        marginal = f"{found.expected_marginal_cost:.3f} (95 %: {low:.3f} to {high:.3f})"
    lines = [
        f"method                  {found.method}",
        f"expected marginal cost  {marginal}",
        f"expected cost           {found.expected_cost:.6g}",
        f"verdict                 {found.verdict}",
        f"searched                {found.states:,} decisions",
    ]
    if bound is not None:
        lines.append(f"lower bound             {bound.value:.6g} ({bound.verdict})")
    if bound is not None and found.questions is not None:
        lines.append(f"more questions          could save at most {_gain(found, bound):.6g}")
    return "\n".join(wrapped(line, 24) for line in lines) + "\n"


# -- askwise solve ---------------------------------------------------------------------------------------------------

SOLVE_HELP = """Compute the lowest expected cost that any method can have, exactly. Small instances only.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.

If answers may be wrong or missing, at most --questions of them are asked per episode (3 by
default); the verdict says how much more questions could save at most.

  askwise solve ward
  askwise solve ward --questions 2
  askwise solve workshop --go-on
"""
BOUND = "askwise evaluate FILE --paths 10 --bound estimates the cost of a method and computes a lower bound"


def add_solve_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise solve``."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="instance file, example, or - for standard input")
    parser.add_argument("--questions", metavar="N", help="ask at most N questions per episode")
    parser.add_argument("--go-on", action="store_true", help="no size limit; report progress on standard error")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run_solve(options: argparse.Namespace) -> int:
    """Run ``askwise solve``: print the lowest expected cost that any method can have; return exit code 0.

    Raises:
        InputError: no file or a bad option was given.
        AskwiseError: the instance is too large to be solved exactly.
    """
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
        print(json.dumps(solution_to_json(problem, found), ensure_ascii=False))
    else:
        common.show(solution_to_text(problem, found))
    return 0


def solution_to_json(problem: Problem, found: Solution) -> dict[str, Any]:
    """Return the lowest expected costs, a verdict, and the best first question or action as a dict for ``--json``.

    The verdict says whether the costs are exact.
    """
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


def solution_to_text(problem: Problem, found: Solution) -> str:
    """Return the lowest expected costs, the best first question or action, and a verdict as text, one per line.

    The verdict says whether the costs are exact.
    """
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


SUBCOMMANDS = {
    "evaluate": Subcommand(EVALUATE_HELP, add_evaluate_arguments, run_evaluate),
    "solve": Subcommand(SOLVE_HELP, add_solve_arguments, run_solve),
}

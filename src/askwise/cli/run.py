"""The commands ``askwise show`` (describe an instance) and ``askwise run`` (simulate an episode)."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from askwise.cli import common
from askwise.cli.parsing import Subcommand
from askwise.errors import AskwiseError, InputError
from askwise.text.reading import parse_number, parse_whole
from askwise.text.wording import line_width

if TYPE_CHECKING:
    from askwise.core.episode import Episode


# -- askwise show ----------------------------------------------------------------------------------------------------

SHOW_HELP = """Describe an instance and draw it.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.

  askwise show instance.json
  askwise generate --seed 7 | askwise show -
  askwise show instance.json --picture instance.pdf
"""


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise show``."""
    parser.add_argument("file", metavar="FILE", help="instance file; - reads standard input")
    common.add_picture(parser, "a picture for a paper", "--png")


def run_show(options: argparse.Namespace) -> int:
    """Run ``askwise show``: print a description and a drawing of an instance; return exit code 0.

    With ``--picture``, also write a picture.
    """
    from askwise.api import as_problem
    from askwise.text.files import check_picture
    from askwise.view import text
    from askwise.view.scene import Map
    from askwise.view.scene_builder import start_scene
    from askwise.view.summary import describe

    if options.picture is not None:
        check_picture(options.picture)
    problem = as_problem(common.read_instance(options.file))
    scene = start_scene(problem, problem.prior)
    maps = all(isinstance(floor, Map) for floor in scene.floors)
    columns = line_width() - 1 if maps else max(line_width(), text.COLUMNS)  # lines of graphs are wrapped
    common.show(describe(problem) + "\n")
    drawing = text.draw(replace(scene, progress=""), colour=common.colourful(), columns=columns)
    common.show(drawing)
    if options.picture is not None:
        from askwise.view.scene_figure import save_scene

        save_scene(scene, options.picture)
        print(f"\nWritten: {options.picture}")
    return 0


# -- askwise run -----------------------------------------------------------------------------------------------------

RUN_HELP = """Simulate one episode and print, animate or save it.

FILE is an instance file of any domain, JSON or TOML (askwise new writes one), an example
(askwise examples lists them), or - for standard input.

  askwise run ward --goal "pills for Ada" --seed 1
  askwise run ward --method never --seed 1
  askwise run workshop --teammate noisy:0.1 --watch
  askwise run workshop --html episode.html --picture episode.pdf
  askwise run --method help
  askwise run --teammate help
"""


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise run``."""
    common.add_file_and_method(parser)
    parser.add_argument(
        "--teammate",
        metavar="KIND",
        help="how the teammate moves (default: as FILE says, or urop); use help to list all",
    )
    parser.add_argument("--goal", metavar="GOAL", help="the teammate's goal (default: drawn from the prior)")
    parser.add_argument("--seed", metavar="N", help="random seed (default: a new one)")
    parser.add_argument("--max-steps", metavar="N", help="truncate the episode after N steps")
    parser.add_argument("--watch", action="store_true", help="animate the episode in the terminal first")
    parser.add_argument("--speed", metavar="N", help="steps per second for --watch (default: 4)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--gif", metavar="FILE", help="write an animated GIF")
    common.add_picture(parser, "the paths and the questions")
    parser.add_argument("--html", metavar="FILE", help="write a web page on which you can step through the episode")
    parser.add_argument("--trace", metavar="FILE", help="write a complete record of the episode, as JSON")


def run_run(options: argparse.Namespace) -> int:
    """Run ``askwise run``: simulate one episode, and print, animate or save it; return exit code 0.

    With ``--method help`` or ``--teammate help``, only list the methods or the kinds of teammates.
    """
    if "help" in (options.method, options.teammate):
        from askwise.view.explain import list_methods

        common.show(list_methods() if options.method == "help" else teammates())
        return 0
    check(options)
    episode = play(options)
    if options.watch:
        watch(episode, 4.0 if options.speed is None else parse_number(options.speed, "--speed", above=0))
    written = write(options, episode)
    if options.json:
        print(json.dumps(as_json(episode), ensure_ascii=False))
    else:
        from askwise.view.summary import episode_to_text

        common.show(episode_to_text(episode, colour=common.colourful()))
        for path in written:
            print(f"Written: {path}")
    return 0


def check(options: argparse.Namespace) -> None:
    """Raise an `InputError` for missing, contradictory or bad options of ``askwise run``.

    The function is called before the episode is simulated.
    """
    from askwise.text.files import check_picture
    from askwise.view.raster import check_ending

    common.need_file(options)
    if options.json and options.watch:
        raise InputError("--watch", "--json as well", "one of the two")
    if options.speed is not None:
        parse_number(options.speed, "--speed", above=0)
        if not options.watch:
            raise InputError("--speed", "no --watch", "--watch with it: it sets the speed of the animation")
    if options.gif is not None:
        check_ending(options.gif, ".gif")
    if options.picture is not None:
        check_picture(options.picture)


def play(options: argparse.Namespace) -> Episode:
    """Simulate and return one episode with the problem, method, teammate, goal and seed of the options.

    Raises:
        AskwiseError: an observation was impossible for every goal; the message recommends ``--belief robust``.
        InputError: an option or the file is not valid.
    """
    from askwise.core.belief import ContradictoryObservation
    from askwise.play.simulate import simulate

    try:
        return simulate(
            common.read_problem(options),
            options.method,
            options.teammate,
            options.goal,
            common.seed(options.seed),
            max_steps=None if options.max_steps is None else parse_whole(options.max_steps, "--max-steps", 1),
            belief=options.belief,
        )
    except ContradictoryObservation as error:
        raise AskwiseError(f"{error} (try --belief robust)") from None


def watch(episode: Episode, speed: float) -> None:
    """Animate an episode in the terminal; without a terminal, print a note to standard error instead.

    Args:
        episode: the episode.
        speed: steps per second.
    """
    from askwise.view.text import can_watch
    from askwise.view.text import watch as animate

    if not can_watch(sys.stdout):
        print("askwise run: --watch needs a terminal; printing the episode instead", file=sys.stderr)
    elif not animate(episode, sys.stdout, speed=speed, colour=common.colourful()):
        print("(stopped watching)")


def write(options: argparse.Namespace, episode: Episode) -> list[str]:
    """Write the episode to the files of ``--trace``, ``--html``, ``--gif`` and ``--picture``; return their names.

    Options that were not given are skipped.
    """
    if options.trace is not None:
        from askwise.play import trace

        trace.save(episode, options.trace)
    if options.html is not None:
        from askwise.view.page import write_page

        write_page(episode, options.html)
    if options.gif is not None:
        from askwise.view.raster import save_gif

        save_gif(episode, options.gif)
    if options.picture is not None:
        from askwise.view.scene_figure import save_episode

        save_episode(episode, options.picture)
    return [path for path in (options.trace, options.html, options.gif, options.picture) if path is not None]


def as_json(episode: Episode) -> dict[str, Any]:
    """Return the dict that ``--json`` prints: goal, costs, number of steps, and questions with answers and prices.

    The marginal cost is None if the episode was cut off.
    """
    from askwise.view.explain import key_of_goals

    names, goals = episode.problem.goals, key_of_goals(episode.problem)
    queries = [
        {
            "t": step.t,
            goals: [names[goal] for goal in step.answer.goals],
            "answer": step.answer.reply,
            "cost": step.cost,
            "value": step.decision.value,
        }
        for step in episode.questions
        if step.answer is not None
    ]
    return {
        "goal": episode.goal_name,
        "cost": episode.cost,
        "known_cost": episode.known_cost,
        "marginal_cost": episode.marginal_cost if episode.finished else None,
        "steps": len(episode.steps),
        "queries": queries,
        "finished": episode.finished,
    }


def teammates() -> str:
    """Return a list of the kinds of teammates with a description of each, as text for ``--teammate help``.

    The list is the table in the docstring of the module `askwise.core.teammates`.
    """
    from askwise.core import teammates as module

    table = (module.__doc__ or "").split("===\n")
    rows = table[1].rsplit("\n", 1)[0] if len(table) > 2 else "\n".join(module.TEAMMATES)
    return rows.replace("`", "")


SUBCOMMANDS = {
    "show": Subcommand(SHOW_HELP, add_show_arguments, run_show),
    "run": Subcommand(RUN_HELP, add_run_arguments, run_run),
}

"""The parser of the command line, with short and complete help, suggestions for typing errors, and old option names.

`--help` lists the options that most users need; `--help-all` lists all.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from askwise.errors import did_you_mean

LESS_COMMON = {
    "--by",
    "--designs",
    "--episode-time-limit",
    "--memory",
    "--memory-limit",
    "--paths",
    "--search-limit",
    "--stray",
    "--tight",
    "--traceback",
}
"""Options that only ``--help-all`` lists."""


@dataclass(frozen=True, slots=True)
class Subcommand:
    """What ``askwise`` needs to offer a subcommand, such as ``askwise run``.

    Attributes:
        description: the beginning of the subcommand's help; None for no text.
        add_arguments: declares the subcommand's arguments and options in a parser.
        run: runs the subcommand with the parsed options and returns the exit code.
    """

    description: str | None
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class Formatter(argparse.RawDescriptionHelpFormatter):
    """A help formatter that wraps paragraphs of descriptions to fit the terminal and keeps indented lines unchanged."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:  # noqa: ARG002 - argparse passes it
        return "\n".join(_filled(text.strip("\n").split("\n"), width))


def _filled(lines: Sequence[str], width: int) -> Iterator[str]:
    """Yield the lines of a help text: paragraphs wrapped at `width` columns, indented and empty lines unchanged."""
    paragraph: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            paragraph.append(line)
            continue
        yield from textwrap.wrap(" ".join(paragraph), width, break_on_hyphens=False)
        paragraph = []
        yield line
    yield from textwrap.wrap(" ".join(paragraph), width, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """An argument parser that prints errors in one line, with a suggestion for misspelt options.

    Args:
        given: keyword arguments of `argparse.ArgumentParser`; ``formatter_class`` is `Formatter` by default.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": Formatter, **given})

    def error(self, message: str) -> NoReturn:
        """Print `message`, an error about the arguments, in one line on standard error, and exit with code 2."""
        print(f"{self.prog}: {message} ({self.prog} --help explains)", file=sys.stderr)
        sys.exit(2)

    def refuse(self, extra: Sequence[str]) -> NoReturn:
        """Print an error about unknown arguments, with the most similar known option, and exit with code 2."""
        wrong = next((text for text in extra if text.startswith("-")), extra[0])
        name = wrong.partition("=")[0]
        known = [option for action in self._actions if explained(action) for option in action.option_strings]
        what = "option" if name.startswith("-") else "argument"
        self.error(f"unknown {what} {name!r}{did_you_mean(name, known)}")

    def hide_less_common(self) -> None:
        """Leave the options in `LESS_COMMON` out of ``--help``, and add ``--help-all``, which lists all options.

        If the parser has none of the options in `LESS_COMMON`, it is not changed.
        """
        hidden = [action for action in self._actions if LESS_COMMON.intersection(action.option_strings)]
        if not hidden:
            return
        self.add_argument("--help-all", action=_HelpAll, nargs=0, help="also list less common options, and exit")
        for action in hidden:
            action.explanation, action.help = action.help, argparse.SUPPRESS  # type: ignore[attr-defined]

    def show_all(self) -> None:
        """Undo `hide_less_common`: list the less common options in the help again."""
        for action in self._actions:
            action.help = getattr(action, "explanation", action.help)


def explained(action: argparse.Action) -> str:
    """Return the help text of an option, even if only ``--help-all`` lists it.

    The text is empty for options that no help lists, such as earlier names of renamed options.
    """
    text = getattr(action, "explanation", action.help)
    return "" if text is None or text == argparse.SUPPRESS else text


class _HelpAll(argparse.Action):
    """The action of the option ``--help-all``: it prints the help with all options and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        assert isinstance(parser, Parser)
        parser.show_all()
        parser.print_help()
        parser.exit()


class _Renamed(argparse.Action):
    """The `argparse` action for an earlier name of an option: it sets the option's value, and prints the new name.

    Args:
        given: positional arguments of `argparse.Action`.
        now: the present name.
        many: whether the value is a list, to which each use adds.
        rest: keyword arguments of `argparse.Action`.
    """

    def __init__(self, *given: Any, now: str, many: bool = False, **rest: Any) -> None:
        super().__init__(*given, **rest)
        self.now, self.many = now, many

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, value: Any, option: str | None = None
    ) -> None:
        print(f"{parser.prog}: {option} is now called {self.now}", file=sys.stderr)
        if self.many:
            value = [*(getattr(namespace, self.dest) or ()), value]
        setattr(namespace, self.dest, value)


def renamed(parser: Any, old: str, now: str, *, dest: str | None = None, **given: Any) -> None:
    """Accept an earlier name of an option; if a user gives it, the command prints a notice with the present name.

    Args:
        parser: the parser, or a group of its options.
        old: the earlier name, such as ``--limit``.
        now: the present name.
        dest: the attribute of the parsed options that gets the value; None for the attribute of `now`.
        given: more arguments for `add_argument`; ``many=True`` lets the option be repeated.
    """
    attribute = now.lstrip("-").replace("-", "_") if dest is None else dest
    parser.add_argument(
        old, action=_Renamed, now=now, dest=attribute, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **given
    )


class _Removed(argparse.Action):
    """The `argparse` action for a removed option: it prints one sentence and ends the command with exit code 2.

    Args:
        given: positional arguments of `argparse.Action`.
        instead: the end of the sentence: what to use instead.
        rest: keyword arguments of `argparse.Action`.
    """

    def __init__(self, *given: Any, instead: str, **rest: Any) -> None:
        super().__init__(*given, **rest)
        self.instead = instead

    def __call__(
        self, parser: argparse.ArgumentParser, _: argparse.Namespace, __: Any, option: str | None = None
    ) -> None:
        parser.exit(2, f"{parser.prog}: {option} was removed; {self.instead.format(prog=parser.prog)}\n")


def removed(parser: Any, old: str, instead: str) -> None:
    """Declare that an option was removed; if a user gives it, the command prints one sentence and exits with code 2.

    Args:
        parser: the parser to change, or a group of its options.
        old: the name of the option.
        instead: the end of the sentence: what to use instead, with ``{prog}`` for the command.
    """
    parser.add_argument(
        old, action=_Removed, instead=instead, nargs="?", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )

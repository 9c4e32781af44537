"""The parser of commands: help in groups, less common options on request, suggestions, and earlier spellings.

`--help` lists the options that most users need; `--help-all` lists all of them. An option that was renamed still works
under its earlier name, with a notice. An option that was removed ends the command with a sentence that says what to use
instead.
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
        description: the text at the beginning of its help.
        add_arguments: a function that declares its arguments and options.
        run: a function that runs it with the parsed options and returns the exit code.
    """

    description: str | None
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class Formatter(argparse.RawDescriptionHelpFormatter):
    """A help formatter that fits descriptions to the terminal: it wraps paragraphs and keeps indented lines."""

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
    """An argument parser that prints errors in one line, with a suggestion for misspelt options."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": Formatter, **given})

    def error(self, message: str) -> NoReturn:
        """Print one line about wrong arguments and exit with code 2."""
        print(f"{self.prog}: {message} ({self.prog} --help explains)", file=sys.stderr)
        sys.exit(2)

    def refuse(self, extra: Sequence[str]) -> NoReturn:
        """Report unknown arguments and exit with code 2; suggest the option that is most like the first of them."""
        wrong = next((text for text in extra if text.startswith("-")), extra[0])
        name = wrong.partition("=")[0]
        known = [option for action in self._actions if explained(action) for option in action.option_strings]
        what = "option" if name.startswith("-") else "argument"
        self.error(f"unknown {what} {name!r}{did_you_mean(name, known)}")

    def hide_less_common(self) -> None:
        """Leave the options in `LESS_COMMON` out of ``--help``, and add the option ``--help-all``, which lists them."""
        hidden = [action for action in self._actions if LESS_COMMON.intersection(action.option_strings)]
        if not hidden:
            return
        self.add_argument("--help-all", action=_HelpAll, nargs=0, help="also list less common options, and exit")
        for action in hidden:
            action.explanation, action.help = action.help, argparse.SUPPRESS  # type: ignore[attr-defined]

    def show_all(self) -> None:
        """List the less common options in the help again, after `hide_less_common`."""
        for action in self._actions:
            action.help = getattr(action, "explanation", action.help)


def explained(action: argparse.Action) -> str:
    """Return the help text of an option, even if only ``--help-all`` lists it.

    It is empty for earlier spellings, which are hidden.
    """
    text = getattr(action, "explanation", action.help)
    return "" if text is None or text == argparse.SUPPRESS else text


class _HelpAll(argparse.Action):
    """Prints the help with all options, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        assert isinstance(parser, Parser)
        parser.show_all()
        parser.print_help()
        parser.exit()


class _Renamed(argparse.Action):
    """The option for an earlier spelling of another option.

    It sets the same value, and prints a notice with the present spelling.

    Args:
        now: the present spelling.
        many: whether the option may be repeated; its value is then a list.
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
    """Accept an earlier spelling of an option; if it is used, a notice names the present spelling.

    Args:
        parser: the parser, or a group of its options.
        old: the earlier spelling.
        now: the option as it is called now.
        dest: the attribute of the parsed options that both spellings set; by default that of `now`.
        given: more arguments for `add_argument`, such as ``nargs``; and ``many=True`` if the option may be repeated.
    """
    attribute = now.lstrip("-").replace("-", "_") if dest is None else dest
    parser.add_argument(
        old, action=_Renamed, now=now, dest=attribute, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **given
    )


class _Removed(argparse.Action):
    """An option that was removed; if it is given, the command ends with exit code 2 and one sentence.

    Args:
        instead: the end of the sentence, as in `removed`.
    """

    def __init__(self, *given: Any, instead: str, **rest: Any) -> None:
        super().__init__(*given, **rest)
        self.instead = instead

    def __call__(
        self, parser: argparse.ArgumentParser, _: argparse.Namespace, __: Any, option: str | None = None
    ) -> None:
        parser.exit(2, f"{parser.prog}: {option} was removed; {self.instead.format(prog=parser.prog)}\n")


def removed(parser: Any, old: str, instead: str) -> None:
    """Refuse an option that was removed, with or without a value, with exit code 2 and one sentence.

    Args:
        parser: the parser, or a group of its options.
        old: the option.
        instead: the end of the sentence: what to use instead. ``{prog}`` stands for the command, such as
            ``askwise ask``.
    """
    parser.add_argument(
        old, action=_Removed, instead=instead, nargs="?", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )

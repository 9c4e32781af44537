"""Print a script with which a shell completes subcommands, options and names of methods.

  askwise completion bash >> ~/.bash_completion
  askwise completion zsh > ~/.zfunc/_askwise   (after fpath+=~/.zfunc)
  askwise completion fish > ~/.config/fish/completions/askwise.fish

The shell completes all other words as file names. It does not start askwise to complete a word.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from askwise.cli.parsing import Subcommand, explained

SHELLS = ("bash", "zsh", "fish")
OTHER_SHELLS = ("csh", "tcsh", "ksh", "sh", "dash")
"""Shells that are not supported; their names are no typing errors."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the argument of ``askwise completion``, the name of a shell."""
    parser.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))


def run(options: argparse.Namespace) -> int:
    """Run ``askwise completion``: print the completion script for the shell ``options.shell``; return exit code 0.

    Raises:
        InputError: the shell is not bash, zsh or fish.
    """
    from askwise.cli import build_parser
    from askwise.errors import InputError, did_you_mean

    if options.shell not in SHELLS:
        hint = "" if options.shell in OTHER_SHELLS else did_you_mean(options.shell, SHELLS)
        allowed = f"one of {', '.join(SHELLS)}"
        raise InputError("SHELL", repr(options.shell), allowed + hint)
    print(script(build_parser(), options.shell), end="")
    return 0


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand of ``askwise`` with the texts that a completion script contains.

    Attributes:
        name: the name of the subcommand.
        summary: one line about what it does.
        options: a dict from each long option to a help text.
    """

    name: str
    summary: str
    options: dict[str, str]


def commands_of(parser: argparse.ArgumentParser) -> list[Command]:
    """Return the subcommands of ``askwise`` with their long options.

    Args:
        parser: the parser of the whole command line.
    """
    from askwise.cli import COMMANDS

    (group,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return [Command(name, COMMANDS[name], _options(command)) for name, command in group.choices.items()]


def _options(parser: argparse.ArgumentParser) -> dict[str, str]:
    shown = [action for action in parser._actions if explained(action)]
    named = [(option, action) for action in shown for option in action.option_strings]
    return {option: _help(action, parser) for option, action in named if option.startswith("--")}


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    text = explained(action) % {"default": action.default, "prog": parser.prog, "metavar": action.metavar}
    return text.partition(";")[0].strip()


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return a script with which a shell completes the subcommands and options of ``askwise`` and the names of methods.

    The shell is ``bash``, ``zsh`` or ``fish``.
    """
    from askwise.methods import AGENTS

    makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return makers[shell](commands_of(parser), [*AGENTS, "help"])


def _bash(commands: list[Command], methods: list[str]) -> str:
    cases = "\n".join(f'    {each.name}) words="{" ".join(each.options)}" ;;' for each in commands)
    return f"""# Completion of askwise for bash.
_askwise() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(each.name for each in commands)} --help --version" -- "$current"))
    return
  fi
  if [ "$previous" = "--method" ]; then
    COMPREPLY=($(compgen -W "{" ".join(methods)}" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _askwise askwise
"""


def _zsh(commands: list[Command], methods: list[str]) -> str:
    names = "\n".join(f"    {_quoted(f'{each.name}:{each.summary}')}" for each in commands)
    described = {each.name: [_quoted(f"{option}:{said}") for option, said in each.options.items()] for each in commands}
    cases = "\n".join(f"    {name}) options=({' '.join(options)}) ;;" for name, options in described.items())
    return f"""#compdef askwise
# Completion of askwise for zsh.
_askwise() {{
  local -a commands options
  commands=(
{names}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  if [[ "${{words[CURRENT-1]}}" == "--method" ]]; then
    compadd {" ".join(methods)}
    return
  fi
  case "${{words[2]}}" in
{cases}
  esac
  if [[ "${{words[CURRENT]}}" == -* ]]; then
    _describe 'option' options
  else
    _files
  fi
}}
_askwise "$@"
"""


def _fish(commands: list[Command], methods: list[str]) -> str:
    lines = ["# Completion of askwise for fish."]
    lines += [
        f"complete -c askwise -n __fish_use_subcommand -f -a {each.name} -d {_quoted(each.summary)}"
        for each in commands
    ]
    for each in commands:
        inside = f"complete -c askwise -n '__fish_seen_subcommand_from {each.name}'"
        for option, said in each.options.items():
            more = f" -x -a {_quoted(' '.join(methods))}" if option == "--method" else ""
            lines.append(f"{inside} -l {option.removeprefix('--')} -d {_quoted(said)}{more}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return `text` in single quotes for a shell. Quotes inside it become typographic; backslashes are removed."""
    return "'" + text.replace("'", "\u2019").replace("\\", "") + "'"


SUBCOMMANDS = {"completion": Subcommand(__doc__, add_arguments, run)}

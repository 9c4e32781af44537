"""Print what a shell needs to complete commands, options and methods.

askwise completion bash >> ~/.bash_completion
askwise completion zsh > ~/.zfunc/_askwise     (with fpath+=~/.zfunc before compinit)
askwise completion fish > ~/.config/fish/completions/askwise.fish
"""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise completion``."""
    parser.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))


def run(options: argparse.Namespace) -> int:
    """Run ``askwise completion``."""
    from askwise.cli import build_parser
    from askwise.cli.shells import script
    from askwise.errors import InputError, did_you_mean

    if options.shell not in SHELLS:
        allowed = f"one of {', '.join(SHELLS)}"
        raise InputError("SHELL", repr(options.shell), allowed + did_you_mean(options.shell, SHELLS))
    print(script(build_parser(), options.shell), end="")
    return 0

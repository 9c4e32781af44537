"""``{command-help} NAME``: what ``askwise NAME --help-all`` prints, from the parser itself: it is never out of date."""

from __future__ import annotations

import argparse
import os
from unittest import mock

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from askwise.cli import build_parser
from askwise.cli.parsing import Parser

COLUMNS = "88"


def help_of(command: str) -> str:
    """Return the help of a command, or of ``askwise`` itself."""
    with mock.patch.dict(os.environ, {"COLUMNS": COLUMNS, "NO_COLOR": "1"}):
        parser = build_parser()
        if command == "askwise":
            return parser.format_help()
        (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        found: Parser = commands.choices[command]
        found.show_all()
        return found.format_help()


class CommandHelp(SphinxDirective):
    """The help of a command, as text."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """See `SphinxDirective`."""
        text = help_of(self.arguments[0])
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

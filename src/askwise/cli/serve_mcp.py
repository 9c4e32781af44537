"""Serve askwise to a language-model agent, by the Model Context Protocol.

The client starts this command and talks to it over standard input and output. It needs no
network and no key, and sends nothing anywhere else. It ends when its input ends.

  pip install '.[mcp]'     in the folder of askwise
  askwise serve-mcp

In the configuration of most clients:

  {"mcpServers": {"askwise": {"command": "askwise", "args": ["serve-mcp"]}}}
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Do nothing: ``askwise serve-mcp`` has no options."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Run ``askwise serve-mcp``: serve a language-model agent until standard input ends; return exit code 0."""
    from askwise.serving.tools import serve

    del options
    serve()
    return 0

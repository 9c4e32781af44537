"""Commands are run as in the tests of the command line."""

from __future__ import annotations

from tests.cli.conftest import run as run

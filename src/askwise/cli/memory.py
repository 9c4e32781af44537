"""The option ``--memory`` of every command that may need much: how much its tables may take."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from askwise.model.table_budget import VARIABLE, amount


def add_option(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    told = f"memory that each process may use for its tables, such as 16GB (default: {VARIABLE}, else 4GiB)"
    parser.add_argument("--memory", metavar="AMOUNT", help=told)


@contextmanager
def allowed(options: argparse.Namespace) -> Iterator[None]:
    """Allow as much as the option says, here and in processes that are started meanwhile."""
    stated, before = getattr(options, "memory", None), os.environ.get(VARIABLE)
    if stated is None:
        yield
        return
    amount(stated, "--memory")
    os.environ[VARIABLE] = stated
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before

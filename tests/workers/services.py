"""Services for tests of the pool, imported by worker processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from askwise.workers import heartbeat
from askwise.workers.process import RequestRefused

GARBAGE = {
    "text": b"hello\n",
    "a pickle": b"N.",
    "another message": b"K\x01K\x02\x86.",
    "a class that does not exist": b"cnowhere\nnothing\n.",
}


def echo(request: Any) -> Iterator[Any]:
    """Yield everything in a request."""
    yield from request


def misbehave(manner: str) -> Iterator[Any]:
    """Reply once, and then misbehave in unit 7 as the request states."""
    yield "begun"
    heartbeat.own.begin(7)
    heartbeat.own.set_prices(0.5, 0.25)
    if manner == "exits":
        os._exit(3)
    if manner == "hangs":
        with heartbeat.deciding:
            time.sleep(600)  # hangs
    if manner == "refuses":
        raise RequestRefused("not for me")
    if manner == "prints":
        print("from Python")
        os.write(1, b"from C\n")
        print(input(), file=sys.stderr)
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, GARBAGE[manner])
        except OSError:
            continue
    time.sleep(600)


def rounds(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield two replies like those of the studio, or end the process if the request asks for it."""
    if request.get("dies"):
        os._exit(3)
    yield {"pid": os.getpid()}
    if request.get("hangs"):
        time.sleep(600)
    yield {"last": request["id"], "done": True}


def surroundings(names: list[str]) -> Iterator[Any]:
    """Yield the current folder and some environment variables."""
    yield str(Path.cwd())
    yield {name: os.environ.get(name) for name in names}
    os.environ["LEFT_BEHIND"] = "1"


if os.environ.get("BROKEN_SERVICE"):
    raise ImportError("it is broken")

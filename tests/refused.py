"""Checking that faulty input is refused with exactly the message it deserves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from askwise.errors import InputError

Fault = tuple[Callable[[], object], str]
"""Something that must be refused, and the whole message."""


def each(faults: Mapping[str, Fault]) -> pytest.MarkDecorator:
    """Run a test with the arguments `attempt` and `message` once for each fault, under the fault's name."""
    cases: list[Any] = [pytest.param(attempt, message, id=name) for name, (attempt, message) in faults.items()]
    return pytest.mark.parametrize(("attempt", "message"), cases)


def assert_refused(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        attempt()
    assert str(caught.value) == message

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studies.studies import the_plugin


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Agents that misbehave, installed; worker processes see them too, because Python's path goes with them."""
    folder = the_plugin()
    monkeypatch.syspath_prepend(str(folder))
    return folder

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studies.studies import the_plugin


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of misbehaving agents on Python's path, which worker processes inherit."""
    folder = the_plugin()
    monkeypatch.syspath_prepend(str(folder))
    return folder

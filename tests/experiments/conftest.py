from __future__ import annotations

from pathlib import Path

import pytest

from tests.experiments.studies import write_plugin


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Agents that misbehave, installed; worker processes see them too, because Python's path goes with them."""
    folder = write_plugin(tmp_path / "plugin")
    monkeypatch.syspath_prepend(str(folder))
    return folder

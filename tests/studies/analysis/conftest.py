"""A report of a study like the paper's, written once because its ten figures take a while."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwise.studies.analysis import write_results
from tests.studies.analysis.studies import paper_like

STUDY = {"name": "paper", "instances": {"count": 20, "seed": 7}, "priors": ["far", "near"]}
PROVENANCE = {
    "askwise": "0.1.0", "git": "abc123", "finished": "2030-01-02T03:04:05Z", "machine": {"cores": 2},
    "command": "x" * 300,
}  # fmt: skip


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all results."""
    folder = tmp_path_factory.mktemp("results")
    tables = paper_like(12)
    write_results(folder, *tables, title="A & B <study>", study=STUDY, provenance=PROVENANCE, judged=True)
    return folder

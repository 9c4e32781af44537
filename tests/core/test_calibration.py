"""Beliefs mean what they say, also where answers may be wrong or missing: some of `benchmarks/calibration.py`."""

from __future__ import annotations

import numpy as np
from benchmarks.calibration import BINS, Job, nothing, played

from askwise.core.answers import AnswerModel

MODELS = [AnswerModel(0.1), AnswerModel(0.2, 0.3), AnswerModel(0.2, 0.3, "persistent")]


def test_goals_are_true_as_often_as_it_was_said() -> None:
    tally = nothing()
    for answers in MODELS:
        tally += played(Job(answers, "toolbox", "uniform", seed=1, episodes=60))
    assert tally.moments > 1_000
    # Moments of one episode have much in common: as if every second one were another.
    spread = np.sqrt(0.25 / np.maximum(tally.total / 2, 1))
    assert (np.abs(tally.off()) <= np.maximum(0.02, 4 * spread)).all()
    assert (tally.total > 0).sum() == BINS

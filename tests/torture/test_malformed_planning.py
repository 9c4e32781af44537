"""Ten thousand malformed planning files: each is read, or refused with file and line; none hangs."""

from __future__ import annotations

import random

import pytest

from tests.pddl.mutants import mutant
from tests.pddl.test_fuzz import outcome
from tests.torture.test_malformed_files import alarmed


@pytest.mark.parametrize("seed", range(10))
def test_mutated_files_are_read_or_refused(seed: int) -> None:
    rng = random.Random(1000 + seed)
    outcomes = []
    for _ in range(1000):
        with alarmed(60):
            outcomes.append(outcome(mutant(rng)))
    assert set(outcomes) == {"read", "refused"}
    assert outcomes.count("read") > 30
    assert outcomes.count("refused") > 500

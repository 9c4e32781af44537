"""Hundreds of planning files with something wrong: each is read, or refused by naming file and line."""

from __future__ import annotations

import random
import re

from askwise.errors import InputError
from askwise.pddl import Limits, cones_of, recognition
from askwise.pddl.pairs import pairs_at
from tests.pddl.mutants import mutant
from tests.pddl.problems import Files

LIMITS = Limits(atoms=2000, operators=2000, tries=50_000, blind=2000, evaluations=500, states=5000, edges=50_000)
NAMED = re.compile(
    r"^((domain|template)\.pddl|(hyps|obs|real_hyp)\.dat)(, line \d+)?: found |^(grounding|optimal plans|goals): found "
)


def outcome(files: Files) -> str:
    """Return whether files are read or refused in one line with its place."""
    try:
        cones = cones_of(recognition(files, limits=LIMITS))
    except InputError as error:
        message = str(error)
        return "refused" if NAMED.match(message) and "\n" not in message else f"refused without a place: {message}"
    pairs_at(cones)
    return "read"


def test_mutated_files_are_read_or_refused() -> None:
    rng = random.Random(15)
    outcomes = [outcome(mutant(rng)) for _ in range(400)]
    assert set(outcomes) == {"read", "refused"}
    assert outcomes.count("read") > 15
    assert outcomes.count("refused") > 150

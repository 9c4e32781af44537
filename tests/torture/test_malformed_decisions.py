"""Ten thousand malformed decision files: each is decided, or refused with the name of a field."""

from __future__ import annotations

import json
import random
import tomllib

import pytest

from tests.decisions.test_fuzz import FILES, changed, read_or_refused

MALFORMED = 10_000
BLOCKS = 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_ten_thousand(block: int) -> None:
    data = [tomllib.loads(path.read_text()) for path in FILES]
    texts = [path.read_text() for path in FILES]
    read = 0
    for seed in range(block, MALFORMED, BLOCKS):
        rng = random.Random(seed)
        if rng.random() < 0.7:
            read += read_or_refused(json.dumps(changed(rng.choice(data), rng)))
            continue
        letters = list(rng.choice(texts))
        for _ in range(rng.randint(1, 8)):
            letters[rng.randrange(len(letters))] = chr(rng.randrange(1, 0xD000))
        read += read_or_refused("".join(letters))
    assert 0 < read < MALFORMED // BLOCKS

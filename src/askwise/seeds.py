"""One convention for randomness: any seed at the edges, a `numpy.random.Generator` inside, children spawned."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None


def spawn(seed: Seed, n: int) -> list[np.random.Generator]:
    """Return `n` independent generators; the same integer or sequence always gives the same ones."""
    if isinstance(seed, np.random.Generator):
        return list(seed.spawn(n))
    if isinstance(seed, np.random.SeedSequence):
        # Spawning changes the sequence it is called on; a copy keeps the caller's seed as it was.
        seed = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    else:
        seed = np.random.SeedSequence(seed)
    return [np.random.default_rng(child) for child in seed.spawn(n)]


def generator(seed: Seed) -> np.random.Generator:
    """Return one generator."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)

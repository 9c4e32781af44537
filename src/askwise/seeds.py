"""Random seeds: public functions accept any seed, algorithms use `numpy.random.Generator` objects spawned from it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from askwise.errors import InputError

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None


def spawn(seed: Seed, n: int) -> list[np.random.Generator]:
    """Return `n` independent random generators made from a seed; equal seeds give equal generators.

    If the seed is a generator itself, each call returns different generators. If it is None, the generators are
    unpredictable.
    """
    _check(seed)
    if isinstance(seed, np.random.Generator):
        return list(seed.spawn(n))
    if isinstance(seed, np.random.SeedSequence):
        # Spawning changes the sequence it is called on; a copy keeps the caller's seed as it was.
        seed = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    else:
        seed = np.random.SeedSequence(seed)
    return [np.random.default_rng(child) for child in seed.spawn(n)]


def generator(seed: Seed) -> np.random.Generator:
    """Return a random generator made from a seed; a seed that is a generator is returned as is."""
    _check(seed)
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)


def _check(seed: Seed) -> None:
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0
    if not whole and seed is not None and not isinstance(seed, np.random.Generator | np.random.SeedSequence):
        raise InputError("seed", repr(seed), "a whole number from 0, a SeedSequence, a Generator or None")

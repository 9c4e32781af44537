"""Flat vectors from dictionaries of which most stays the same: what does not change is flattened once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces


class Flattener:
    """Gives ``gymnasium.spaces.flatten`` of a dictionary, in ``float32``.

    Args:
        space: what the dictionaries are in.
        changing: the keys that change between two calls of `begin`: numbers from 0, or arrays with one axis.
        scaled: whether numbers with bounds are moved to where the lowest is 0 and the highest 1.
    """

    def __init__(self, space: spaces.Dict, changing: Sequence[str], *, scaled: bool = False) -> None:
        self._whole = space
        self._scaled = scaled
        if scaled:
            flat = self._flat_space
            bounded = np.isfinite(flat.low) & np.isfinite(flat.high) & (flat.high > flat.low)
            self._low = np.where(bounded, flat.low, 0.0).astype(np.float32)
            self._range = np.where(bounded, flat.high - self._low, 1.0).astype(np.float32)
        ends = np.cumsum([spaces.flatdim(part) for part in space.values()]).tolist()
        places = dict(zip(space, map(slice, [0, *ends], ends), strict=False))
        self._parts = [(name, isinstance(space[name], spaces.Discrete), places[name]) for name in changing]

    @property
    def space(self) -> spaces.Box:
        """What the vectors are in."""
        flat = self._flat_space
        if not self._scaled:
            return flat
        return spaces.Box(self._moved(flat.low), self._moved(flat.high))

    @property
    def _flat_space(self) -> spaces.Box:
        flat = spaces.flatten_space(self._whole)
        assert isinstance(flat, spaces.Box), "every part of the observation is a number or an array"
        return spaces.Box(flat.low.astype(np.float32), flat.high.astype(np.float32))

    def _moved(self, vector: Any) -> Any:
        """Return a vector with its bounds at 0 and 1."""
        return (vector - self._low) / self._range

    def begin(self, seen: Mapping[str, Any]) -> None:
        """Remember what will not change."""
        self._start = np.asarray(spaces.flatten(self._whole, seen), dtype=np.float32)

    def __call__(self, seen: Mapping[str, Any]) -> Any:
        """Return the vector, ``float32 [k]``."""
        flat = self._start.copy()
        for name, one_hot, place in self._parts:
            if one_hot:
                flat[place] = 0.0
                flat[place.start + seen[name]] = 1.0
            else:
                flat[place] = seen[name]
        return self._moved(flat) if self._scaled else flat

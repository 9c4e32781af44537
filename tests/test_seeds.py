"""Seeds: any kind at the edges, generators inside, children that do not depend on what was drawn before."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import InputError
from askwise.seeds import Seed, generator, spawn


def numbers(seed: Seed, n: int = 3) -> list[float]:
    return [float(child.random()) for child in spawn(seed, n)]


def test_equal_seeds_give_equal_children() -> None:
    assert numbers(7) == numbers(7) == numbers(np.random.SeedSequence(7))
    assert numbers(7) != numbers(8)
    assert len(set(numbers(7, 20))) == 20


def test_more_children_do_not_change_the_first_ones() -> None:
    assert numbers(7, 5)[:3] == numbers(7, 3)


def test_a_sequence_is_left_as_it_was() -> None:
    sequence = np.random.SeedSequence(7, spawn_key=(1, 2))
    first = numbers(sequence)
    assert sequence.n_children_spawned == 0
    assert numbers(sequence) == first
    assert numbers(np.random.SeedSequence(7)) != first, "its place in the family counts"


def test_a_generator_goes_on() -> None:
    stream = np.random.default_rng(7)
    assert numbers(stream) != numbers(stream)
    assert numbers(np.random.default_rng(7)) == numbers(np.random.default_rng(7))
    assert generator(stream) is stream


def test_one_generator() -> None:
    assert generator(7).random() == np.random.default_rng(7).random()
    assert generator(np.random.SeedSequence(7)).random() == np.random.default_rng(7).random()


def test_no_seed_is_a_new_one_each_time() -> None:
    assert numbers(None) != numbers(None)
    assert generator(None).random() != generator(None).random()


@pytest.mark.parametrize("seed", [-1, 1.5, "7"], ids=["negative", "a fraction", "a word"])
@pytest.mark.parametrize("use", [generator, lambda seed: spawn(seed, 2)], ids=["generator", "spawn"])
def test_what_is_no_seed_is_refused(use: object, seed: object) -> None:
    assert callable(use)
    with pytest.raises(InputError, match=r"^seed: found "):
        use(seed)

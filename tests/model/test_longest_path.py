"""The longest way through a chain."""

from __future__ import annotations

from hypothesis import given

from askwise.model.chain import longest_path
from tests import exact
from tests.exact import Law
from tests.small_models import ONE, absorbing_chain, chains


@given(chains())
def test_longest_path_of_random_chains(rows: list[Law]) -> None:
    assert longest_path(absorbing_chain(rows)).tolist() == [exact.longest_path(rows, s) for s in range(len(rows))]


@given(chains())
def test_longest_path_of_acyclic_chains(rows: list[Law]) -> None:
    rows = [{t: p for t, p in row.items() if t > s} for s, row in enumerate(rows)]
    assert longest_path(absorbing_chain(rows)).tolist() == [exact.longest_path(rows, s) for s in range(len(rows))]


def test_only_what_leads_into_the_cycle_is_infinite() -> None:
    rows: list[Law] = [{1: ONE}, {1: ONE}, {3: ONE}, {}]
    assert longest_path(absorbing_chain(rows)).tolist() == [float("inf"), float("inf"), 2, 1]

"""Means of expected costs: on the same instances for all, with the bound that belongs to them."""

from __future__ import annotations

import pytest

from askwise.studies.analysis.results import SUMMARY, bounds_of, expected_summary
from askwise.studies.schema.tables import BOUND, table


def rows(method: str, *expected: float | None) -> list[dict[str, object]]:
    return [
        {
            "instance": k,
            "prior": "near",
            "teammate": "urop",
            "method": method,
            "base_cost": 0.5,
            "per_station_cost": 0.2,
            "expected": value,
            "verdict": None if value is None else "exact",
            "states": None if value is None else 10,
            "error": "too large" if value is None else None,
        }
        for k, value in enumerate(expected)
    ]


def test_bounds_are_means_over_the_instances_that_have_one() -> None:
    found = bounds_of(table("expected", rows(BOUND, 1.0, 2.0, None) + rows("never", 9.0)))
    assert found is not None
    assert found.rows(named=True) == [
        {
            "prior": "near", "base_cost": 0.5, "per_station_cost": 0.2,
            "instances": 2, "mean": 1.5, "stderr": pytest.approx(0.5),
        }
    ]  # fmt: skip


def test_no_bounds_is_none() -> None:
    assert bounds_of(table("expected", rows("never", 1.0))) is None
    assert expected_summary(table("expected", rows(BOUND, 1.0))).schema == SUMMARY


def test_a_cell_counts_the_instances_that_all_its_methods_have() -> None:
    data = table("expected", rows("never", 4.0, 6.0, 100.0) + rows("planner", 1.0, 2.0, None) + rows(BOUND, 1.0, 1.0))
    found = {row["method"]: row for row in expected_summary(data).iter_rows(named=True)}
    assert list(found) == ["never", "planner"]
    assert (found["never"]["instances"], found["never"]["mean"], found["never"]["bound"]) == (2, 5.0, 1.0)
    assert (found["planner"]["mean"], found["planner"]["stderr"]) == (1.5, pytest.approx(0.5))


def test_a_bound_over_fewer_instances_is_not_shown() -> None:
    data = table("expected", rows("never", 4.0, 6.0) + rows(BOUND, 1.0))
    assert expected_summary(data)["bound"].to_list() == [None]

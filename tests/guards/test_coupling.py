"""One command and one name load and enter no more of askwise than they need."""

from __future__ import annotations

from tests.guards.coupling import loaded_by_decide, measured


def test_a_decision_enters_few_files_and_lays_out_nothing() -> None:
    found = measured()
    assert found["files"] <= 60
    assert found["layout"] == 0


def test_a_decision_without_an_episode_loads_few_modules() -> None:
    assert loaded_by_decide() <= 25

"""How `benchmarks/answers_compared.py` compares the costs of methods: the numbers that the documentation shows."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from benchmarks.answers_compared import Condition, Mean, Played, adjust, mean_of, save_tables, tables

FAR: Condition = (0.1, 0.0, "independent", "far", "urop")
NEAR: Condition = (0.1, 0.0, "independent", "near", "urop")


def played(costs: list[float], excess: list[float] | None = None) -> Played:
    return Played(np.array(costs), np.array(excess or [0.0] * len(costs)))


def test_the_adjustment_subtracts_what_the_excess_explains() -> None:
    excess = np.random.default_rng(1).normal(size=(2, 40, 2))
    differences = 2.0 + excess @ np.array([3.0, -1.0])
    assert adjust(differences, excess) == pytest.approx(2.0)


def test_the_effect_is_estimated_from_other_episodes_only() -> None:
    excess = np.zeros((1, 40, 1))
    excess[0, 7] = 1.0
    differences = np.ones((1, 40))
    differences[0, 7] = 9.0
    # Only one episode has an excess: the others do not show what it costs, so nothing is explained.
    assert adjust(differences, excess).tolist() == differences.tolist()


def test_episodes_without_end_stay_apart() -> None:
    excess = np.random.default_rng(2).normal(size=(1, 30, 1))
    differences = 1.0 + 2.0 * excess[:, :, 0]
    differences[0, 4] = np.nan
    adjusted = adjust(differences, excess)
    assert np.flatnonzero(np.isnan(adjusted[0])).tolist() == [4]
    assert mean_of(adjusted[0]).value == pytest.approx(1.0)


def test_a_mean_is_clear_from_two_standard_errors_on() -> None:
    assert mean_of(np.array([1.0, 3.0, np.nan])) == Mean(2.0, 1.0)
    assert [Mean(value, 1.0).clear_sign for value in (2.1, 1.9, 0.0, -2.1)] == [1, 0, 0, -1]


def test_tables_tell_cells_and_episodes_that_did_not_end(tmp_path: Path) -> None:
    planner = played([1.0, 2.0, 3.0])
    conditions = {
        FAR: {"planner": planner, "trusting": played([2.0, 3.5, 4.5]), "never": played([5.0, np.nan, 5.0])},
        NEAR: {"planner": planner, "trusting": planner, "never": played([5.0, 5.0, 5.0])},
    }
    found = tables(conditions, ("trusting",), "tiny")
    episodes, ended = (found["means"].columns[k].name for k in (-2, -1))
    assert (episodes, ended) == ("episodes", "ended")
    assert [row[-2:] for row in found["means"].rows] == [[9, 8], [9, 9]]
    counted, cheaper, equal, more, clearly, clearly_more = found["verdicts"].rows[0][2:8]
    assert (counted, cheaper, equal, more, clearly, clearly_more) == (2, 1, 1, 0, 1, 0)
    assert [row[:3] for row in found["groups"].rows[-2:]] == [["all", "0.1", 2], ["all", "all", 2]]
    assert [row[2:] for row in found["methods"].rows] == [[2, 0, 6, 6], [2, 0, 6, 6], [2, 0, 6, 5]]

    save_tables(found, tmp_path / "answers")
    with (tmp_path / "answers-differences.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert first["trusting minus planner"] == "+1.333 ± 0.167"
    assert (second["prior"], second["trusting minus planner"]) == ("near", "+0.000 ± 0.000")

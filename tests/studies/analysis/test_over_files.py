"""A study over files reports each file separately, and then the mean over all files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from askwise.studies.analysis import analyse, in_short, report, short_text, write_tables
from askwise.studies.analysis.estimates import mean_over_files
from askwise.studies.analysis.figures.picture import MOST_FILES, materials
from askwise.studies.analysis.report import report_text
from askwise.studies.analysis.results import bounds_of, expected_summary
from askwise.studies.analysis.tables import ALL_FILES, short_names
from askwise.studies.pipeline import conduct
from askwise.studies.running.run import run_study
from askwise.studies.schema.study_file import study_from
from askwise.studies.schema.tables import BOUND, table
from tests.studies.analysis.studies import of_files, simple

FILES = ("wards/ward.toml", "kitchen.toml")
OWN = of_files(
    {
        0.1: {"never": [3.0, 5.0], "ezq": [1.0, 2.0]},
        0.2: {"never": [8.0, 10.0], "ezq": [4.0, 6.0]},
    }
)
"""Each file has its own price."""
SHARED = OWN.with_columns(pl.lit(0.1).alias("per_goal"))
"""Both files are played at the same price."""
EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_summary_has_rows_for_each_file_and_for_the_mean() -> None:
    found = analyse(OWN, files=FILES).summary
    assert found.columns[-1] == "file"
    assert found.select("file", "method", "per_goal", "episodes", "mean").rows() == [
        ("wards/ward.toml", "never", 0.1, 2, 4.0),
        ("wards/ward.toml", "ezq", 0.1, 2, 1.5),
        ("kitchen.toml", "never", 0.2, 2, 9.0),
        ("kitchen.toml", "ezq", 0.2, 2, 5.0),
        (ALL_FILES, "never", None, 4, 6.5),
        (ALL_FILES, "ezq", None, 4, 3.25),
    ]


def test_files_with_one_price_are_not_pooled() -> None:
    found = analyse(SHARED, files=FILES)
    assert found.summary.filter(pl.col("method") == "never").select("file", "per_goal", "mean").rows() == [
        ("wards/ward.toml", 0.1, 4.0),
        ("kitchen.toml", 0.1, 9.0),
        (ALL_FILES, 0.1, 6.5),
    ]
    assert found.parts["file"].to_list() == ["wards/ward.toml"] * 2 + ["kitchen.toml"] * 2
    assert found.ratios.select("file", "ratio").rows() == [
        ("wards/ward.toml", pytest.approx(8 / 3)),
        ("kitchen.toml", 1.8),
        (None, pytest.approx((8 / 3 + 1.8) / 2)),
    ]
    assert found.comparisons.select("file", "difference").rows() == [
        ("wards/ward.toml", 2.5), ("kitchen.toml", 4.0), (ALL_FILES, 3.25),
    ]  # fmt: skip


def test_the_interval_of_the_mean_is_by_episode() -> None:
    row = analyse(SHARED, files=FILES).summary.row(-1, named=True)
    costs = SHARED.filter(pl.col("method") == "ezq")
    expected = mean_over_files(costs["marginal_cost"].to_numpy(), costs["instance"].to_numpy())
    assert (row["stderr"], row["ci_low"], row["ci_high"]) == (expected.stderr, expected.low, expected.high)


def test_every_file_counts_the_same_whatever_it_lost() -> None:
    lost = (pl.col("instance") == 0) & (pl.col("episode") == 1)
    broken = OWN.with_columns(pl.when(lost).then(pl.lit("boom")).otherwise(pl.col("error")).alias("error"))
    found = analyse(broken, files=FILES)
    assert found.summary["mean"].to_list()[-2:] == [(3.0 + 9.0) / 2, (1.0 + 5.0) / 2]
    assert found.failures.select("file", "method", "failed").rows() == [
        ("wards/ward.toml", "never", 1), ("wards/ward.toml", "ezq", 1),
    ]  # fmt: skip


def test_the_terminal_names_files_and_prices() -> None:
    expected = """\
8 episodes on 2 files, all finished.
Marginal cost, file wards/ward.toml
  per-station cost                   0.1
  never                             4.00
  ezq                               1.50
Marginal cost, file kitchen.toml
  per-station cost                   0.2
  never                             9.00
  ezq                               5.00
Marginal cost, mean over 2 files, each at its own price
  never                             6.50
  ezq                               3.25"""
    assert short_text(analyse(OWN, files=FILES)) == expected


def test_the_mean_over_many_files_is_seen_on_the_terminal() -> None:
    many = of_files({k / 100: {"a": [1.0, 3.0], "b": [float(k), 4.0]} for k in range(30)})
    found = analyse(many, files=[f"{k}.toml" for k in range(30)])
    lines = short_text(found).splitlines()
    assert len(lines) < 40
    assert lines[-4] == "... 87 more lines in summary.csv"
    assert lines[-3] == "Marginal cost, mean over 30 files, each at its own price"
    # thirty sentences would be too long
    assert [line.split(":")[0] for line in in_short(found)[1:]] == [
        "Mean over 30 files, each at its own price",
        "Marginal cost divided by that of a, mean over 30 files",
        "Intervals are rough",
    ]
    assert len(list(materials(found.tables))) == MOST_FILES


def test_in_short_speaks_of_each_file() -> None:
    found = in_short(analyse(OWN, files=FILES))
    assert found[1:4] == [
        "File wards/ward.toml: mean marginal cost ezq 1.5, never 4.0 (in steps, at a per-station cost of 0.1).",
        "File kitchen.toml: mean marginal cost ezq 5.0, never 9.0 (in steps, at a per-station cost of 0.2).",
        "Mean over 2 files, each at its own price: mean marginal cost ezq 3.2, never 6.5 (in steps).",
    ]
    assert found[4].startswith("Marginal cost divided by that of ezq, mean over 2 files: never 2.23 (")


def test_figures_never_draw_a_line_through_the_prices_of_different_problems() -> None:
    assert [each.where for each in materials(analyse(OWN, files=FILES).tables)] == [
        " File wards/ward.toml.", " File kitchen.toml.",
    ]  # fmt: skip
    *_, together = materials(analyse(SHARED, files=FILES).tables)
    assert (together.where, together.suffix) == (" All files together.", "-mean-over-files")
    assert together.summary["mean"].to_list() == [6.5, 3.25]


def test_the_report_names_each_file(tmp_path: Path) -> None:
    found = analyse(OWN, files=FILES)
    write_tables(tmp_path, found)
    text = report_text(found, [], {}, title="s", study=None, provenance=None)
    for heading in ("File wards/ward.toml", "File kitchen.toml", "Mean over 2 files, each at its own price"):
        assert f"<h3>{heading}</h3>" in text
    assert "say nothing about other files" in text
    assert pl.read_csv(tmp_path / "summary.csv")["file"].unique(maintain_order=True).to_list() == [*FILES, ALL_FILES]


def test_expectations_and_bounds_of_each_file() -> None:
    key = {"prior": "file", "teammate": "policy", "base": 0.5, "per_goal": 0.1}
    done = {"verdict": "exact", "states": 1, "error": None}
    rows = [
        {"instance": k, **key, "method": method, "expected": value, **done}
        for k, (bound, mine) in enumerate([(1.0, 2.0), (3.0, 5.0)])
        for method, value in ((BOUND, bound), ("ezq", mine))
    ]
    named = table("expected", rows).with_columns(pl.Series("file", FILES).gather([0, 0, 1, 1]))
    assert expected_summary(named).select("file", "mean", "bound").rows() == [
        (FILES[0], 2.0, 1.0),
        (FILES[1], 5.0, 3.0),
    ]
    bounds = bounds_of(named)
    assert bounds is not None
    assert bounds.select("file", "mean").rows() == [(FILES[0], 1.0), (FILES[1], 3.0), (ALL_FILES, 2.0)]


def test_other_studies_have_no_column_for_files() -> None:
    assert "file" not in analyse(simple({"ezq": [1.0, 2.0]})).summary.columns
    one = analyse(OWN.filter(pl.col("instance") == 0), files=FILES[:1]).summary
    assert one["file"].to_list() == [FILES[0]] * 2  # with one file there is no mean


def test_a_study_that_was_stored_before_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File names are part of the study, not of the stored tables, so nothing is played again."""
    names = [str(EXAMPLES / name) for name in ("ward.toml", "kitchen.toml")]
    study = study_from({"name": "s", "methods": ["never"], "episodes": 2, "instances": {"files": names}})
    assert "file" not in run_study(study, tmp_path).store.scan("episodes").collect_schema()
    monkeypatch.setattr(report, "write_figures", lambda *_: [])
    done = conduct(study, tmp_path)
    assert (done.ran.before, done.ran.played) == (2, 0)
    assert done.analysis.summary["file"].to_list() == ["ward.toml", "kitchen.toml", ALL_FILES]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["/a/ward.toml", "/a/kitchen.toml"], ["ward.toml", "kitchen.toml"]),
        (["/a/x.toml", "/b/x.toml"], ["a/x.toml", "b/x.toml"]),
        (["x.toml", "a/x.toml"], ["x.toml", "a/x.toml"]),
        (["x.toml"], ["x.toml"]),
    ],
)
def test_files_are_named_by_the_end_of_their_paths(files: list[str], names: list[str]) -> None:
    assert short_names(files) == names


def test_comparisons_are_listed_by_file() -> None:
    text = report_text(analyse(SHARED, files=FILES), [], {}, title="t", study=None, provenance=None)
    for name in ("File wards/ward.toml", "File kitchen.toml", "Mean over 2 files"):
        assert f"{name}, prior far: 1 comparisons" in text or f"{name}: 1 comparison" in text

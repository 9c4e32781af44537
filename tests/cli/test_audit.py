"""``askwise audit``: in words, as JSON, as a table and as a page; its exit codes, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import askwise
from askwise.audits.results import to_text
from tests.cli.command import Run, run_as_user
from tests.tool_fetching import workshop

pytestmark = pytest.mark.usefixtures("wide_terminal")

PRICE = {"base": 0.5, "per_station": 0.1}


@pytest.fixture(autouse=True)
def _played(run: Run) -> None:
    workshop(query_cost=PRICE).save("workshop.json")
    Path("traces").mkdir()
    for method in ("never", "optimal"):
        run("run", "workshop.json", "--method", method, "--seed", "1", "--trace", f"traces/{method}.json").assert_fine()


def test_in_words(run: Run) -> None:
    found = run("audit", "traces").assert_fine()
    assert found == to_text(askwise.audit("traces"))
    assert "method   episodes  regret each" in found
    assert run_as_user("audit", "traces").out == found


def test_as_json(run: Run) -> None:
    found = json.loads(run("audit", "traces", "--json", "--costliest", "1").assert_fine())
    assert found == askwise.audit("traces").as_json(1)
    assert found["methods"]["optimal"]["regret"] == 0
    assert found["methods"]["never"]["recall"] == 0
    assert found["costliest"][0]["source"] == "traces/never.json"


def test_files_are_written(run: Run) -> None:
    printed = run("audit", "traces", "--csv", "steps.csv", "--html", "audit.html").assert_fine()
    assert printed.endswith("Written: steps.csv\nWritten: audit.html\n")
    rows = list(csv.DictReader(Path("steps.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == askwise.audit("traces").steps
    assert "Costliest decisions" in Path("audit.html").read_text(encoding="utf-8")


def test_the_exit_code_for_continuous_integration(run: Run) -> None:
    mean = askwise.audit("traces").mean_regret
    assert mean > 0
    assert run("audit", "traces", "--fail-over", str(mean + 0.01)).code == 0
    failed = run("audit", "traces", "--fail-over", str(mean - 0.01))
    assert failed.code == 3
    assert failed.err.startswith(f"askwise audit: failed: the mean regret per episode is {mean:.4g}; at most ")
    assert failed.out == run("audit", "traces").out
    assert run("audit", "traces/optimal.json", "--fail-over", "0").code == 0


def test_options_are_passed_on(run: Run) -> None:
    found = json.loads(run("audit", "traces", "--judge", "planner", "--tolerance", "5", "--json").assert_fine())
    assert found["judges"] == ["planner, the best that it found"]
    assert {each["tolerance"] for each in found["audited"]} == {5.0}
    assert sum(each["count"] for each in found["mistakes"].values()) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nothing.json"], "file 'nothing.json': found no such file or directory; expected a file that can be read"),
        (["traces", "--fail-over", "x"], "--fail-over: found 'x'; expected a finite number from 0"),
        (["traces", "--tolerance", "-1"], "--tolerance: found '-1'; expected a finite number from 0"),
        (["traces", "--workers", "0"], "--workers: found '0'; expected a whole number from 1"),
        (["traces", "--costliest", "few"], "--costliest: found 'few'; expected a whole number from 0"),
        (["traces", "--questions", "1.5"], "--questions: found '1.5'; expected a whole number from 0"),
        (
            ["traces", "--judge", "planer"],
            "judge: found 'planer'; expected one of 'auto', 'optimal', 'planner' (did you mean 'planner'?)",
        ),
        (
            ["workshop.json"],
            "file 'workshop.json': found an instance file; expected episodes or conversations "
            "(askwise ask takes this one)",
        ),
    ],
)
def test_what_is_refused(run: Run, options: list[str], message: str) -> None:
    refused = run("audit", *options)
    assert (refused.code, refused.out, refused.err) == (2, "", f"askwise audit: {message}\n")


def test_broken_files_are_named_with_their_place(run: Run) -> None:
    good = Path("traces/never.json").read_text(encoding="utf-8")
    Path("cut.json").write_text(good[:-20], encoding="utf-8")
    assert run("audit", "cut.json").err.startswith("askwise audit: file 'cut.json', line 1, column ")
    data = json.loads(good)
    data["steps"][2]["action"] = "FLY"
    Path("lines.jsonl").write_text(good + json.dumps(data), encoding="utf-8")
    refused = run("audit", "lines.jsonl")
    assert refused.code == 2
    assert refused.err.startswith(
        "askwise audit: file 'lines.jsonl', line 2, steps[2].action: found \"FLY\"; expected one of "
    )
    data["steps"][2]["action"] = json.loads(good)["steps"][2]["action"]
    data["steps"][2]["fetcher"] = [0, 0]
    Path("moved.json").write_text(json.dumps(data), encoding="utf-8")
    assert run("audit", "moved.json").code == 2

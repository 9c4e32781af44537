"""The short version: under 40 lines, right numbers, colours only on a terminal."""

from __future__ import annotations

import io
import re

import polars as pl
import pytest

from askwise.studies.analysis.results import Analysis, analyse
from askwise.studies.analysis.text import counted, duration, in_short, number, p_value, print_short, short_text
from askwise.studies.analysis.verdicts import FAILS, HOLDS, OPEN
from tests.studies.analysis.studies import paper_like, simple


@pytest.fixture(scope="module")
def paper() -> Analysis:
    return analyse(*paper_like(20), judged=True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_paper_fits_on_a_screen(paper: Analysis) -> None:
    lines = short_text(paper).splitlines()
    assert len(lines) < 40
    assert lines[0] == "1800 episodes on 20 instances, all finished."
    assert lines[1] == "Marginal cost, prior far"
    assert lines[2] == "  per-station cost".ljust(32) + "       0     0.1     0.2     0.3     0.4     0.5"
    means = paper.summary.filter((pl.col("prior") == "far") & (pl.col("method") == "ezq"))["mean"]
    assert lines[7].split() == ["ezq", *(f"{mean:.2f}" for mean in means)]
    (behaviour,) = [line for line in lines if line.startswith("The paper's claims about behaviour: ")]
    assert sum(int(number) for number in re.findall(r"\d+", behaviour)) == 24
    assert lines[-1].startswith("Its claims about computing time: ")
    assert sum(int(number) for number in re.findall(r"\d+", lines[-1])) == 8
    # Claims that are faster here are not listed among failed claims.
    assert not any("hours per map" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_a_large_study_is_cut_to_a_screen() -> None:
    tables = [simple({f"m{k}": [1.0] for k in range(30)}, prior=prior) for prior in ("a", "b")]
    lines = short_text(analyse(pl.concat(tables))).splitlines()
    assert len(lines) < 40
    assert lines[-1] == "... 28 more lines in summary.csv"


def test_plain_where_nobody_looks_and_coloured_on_a_terminal(paper: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain, coloured = io.StringIO(), Terminal()
    print_short(paper, plain)
    print_short(paper, coloured)
    assert plain.getvalue() == short_text(paper) + "\n"
    assert "\x1b[" in coloured.getvalue()


def test_a_terminal_without_the_signs_gets_question_marks(paper: Analysis) -> None:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="ascii")
    print_short(paper, stream)
    stream.flush()
    assert b"? not decided: " in buffer.getvalue()


def test_in_short_names_the_cheapest(paper: Analysis) -> None:
    told = in_short(paper)
    assert told[1].startswith("Prior far: ezq is cheapest at all 6 per-station costs; at 0.5: ezq ")
    assert told[-2].startswith("Of the paper's 24 claims about behaviour, ")
    assert told[-1].startswith("Computing time (different machine and code): of 8 claims, ")


def at_prices(costs: dict[str, list[float]], prices: tuple[float, ...]) -> Analysis:
    """Return a study with one instance; `costs` are the marginal costs of each method at each price."""
    cells = [
        simple({method: [means[k]] for method, means in costs.items()}, price=price) for k, price in enumerate(prices)
    ]
    return analyse(pl.concat(cells))


@pytest.mark.parametrize(
    ("costs", "told"),
    [
        (
            {"toolbox": [1.0, 2.0, 3.0], "ezq": [2.0, 1.0, 3.0], "never": [2.5, 2.5, 2.5]},
            "no method is cheapest at every per-station cost: toolbox at 0, ezq at 0.2, never at 0.5; "
            "at 0.5: never 2.5, toolbox 3.0, ezq 3.0 (steps above the cost with the goal known).",
        ),
        (
            {"baseline": [1.0, 2.0, 3.0], "late": [1.0, 1.0, 1.0]},
            "late is cheapest at all 3 per-station costs (equally cheap: baseline at 0); "
            "at 0.5: late 1.0, baseline 3.0 (steps above the cost with the goal known).",
        ),
        (
            # equal except for the last bit
            {"a": [0.1 + 0.2, 2.0, 3.0], "b": [0.3, 2.0, 3.0], "c": [0.3, 3.0, 4.0]},
            "a and b are cheapest at all 3 per-station costs (equally cheap: c at 0); "
            "at 0.5: a 3.0, b 3.0, c 4.0 (steps above the cost with the goal known).",
        ),
        (
            {"a": [1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0], "c": [2.0, 2.0, 2.0]},
            "no method is cheapest at every per-station cost: a at 0 and 0.2, b at 0 and 0.5, c at 0.2 and 0.5; "
            "at 0.5: b 2.0, c 2.0, a 3.0 (steps above the cost with the goal known).",
        ),
    ],
)
def test_ties_count_for_every_method(costs: dict[str, list[float]], told: str) -> None:
    assert in_short(at_prices(costs, (0.0, 0.2, 0.5)))[1] == f"Prior far: {told}"


def test_what_is_faster_here_is_counted_apart() -> None:
    episodes, queries, timings = paper_like(20)
    quick = timings.with_columns(pl.col("seconds") / 150, pl.lit(0.001).alias("setup_seconds"))
    found = analyse(episodes, queries, quick, judged=True)
    told = "3 hold, 1 does not hold, 2 were faster here, 2 are not decided"
    assert in_short(found)[-1].endswith(f": of 8 claims, {told}.")
    assert short_text(found).endswith(f"Its claims about computing time: {told}")
    assert "faster" not in in_short(found)[-2]


@pytest.mark.parametrize(
    ("many", "verdict", "text"), [(1, FAILS, "1 does not hold"), (0, HOLDS, "0 hold"), (2, OPEN, "2 are not decided")]
)
def test_counts_of_verdicts(many: int, verdict: str, text: str) -> None:
    assert counted(many, verdict) == text


def test_in_short_compares_with_the_papers_method(paper: Analysis) -> None:
    (found,) = [line for line in in_short(paper) if "divided by that of ezq" in line]
    assert "mean over 18 conditions: cost-prob " in found
    assert found.count("(") == 4  # an interval for each other method


def test_in_short_counts_what_was_lost() -> None:
    found = in_short(analyse(simple({"mine": [1.0, None]})))
    assert found == [
        "2 episodes on 2 instances; 0 failed and 1 were cut off; these are excluded from all means.",
        "Prior far: mean marginal cost mine 1.0 (in steps, at a per-station cost of 0).",
    ]


def test_a_study_without_a_single_result() -> None:
    assert in_short(analyse(simple({"mine": [None]}))) == [
        "1 episodes on 1 instance; 0 failed and 1 were cut off; these are excluded from all means."
    ]


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.00"), (-1.234, "\u22121.23"), (-0.001, "0.00"), (None, "\u2013"), (7, "7")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.0004, "< 0.001"), (0.05, "0.050"), (None, "\u2013")])
def test_p_values(value: float | None, text: str) -> None:
    assert p_value(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(2e-5, "20 \u00b5s"), (0.0123, "12.3 ms"), (8.9, "8.9 s"), (7200, "120 min"), (None, "\u2013")]
)
def test_durations(value: float | None, text: str) -> None:
    assert duration(value) == text

"""The report: complete, escaped, self-contained, and in the words of the domain."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from askwise.studies.analysis import in_short, short_text, write_results
from askwise.studies.analysis.figures import pictures
from askwise.studies.schema.domain import StudyWords
from askwise.view.html import flattened
from tests.studies.analysis.studies import METHODS, paper_like, renamed, simple

VOID = {"meta", "link", "img", "br"}


@pytest.fixture(scope="module")
def text(results: Path) -> str:
    return (results / "report.html").read_text(encoding="utf-8")


def few(teammate: str = "urop") -> list[pl.DataFrame]:
    """The tables of a small study with one prior, and therefore only three figures."""
    return [table.filter(pl.col("prior") == "near") for table in paper_like(3, teammate=teammate)]


class Balance(HTMLParser):
    """A parser that finds elements closed in the wrong order, and references to other files."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.sources: list[str] = []
        self.ids: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.sources += [given[name] or "" for name in ("src", "href", "srcset", "action") if name in given]
        self.ids += [given["id"] or ""] if "id" in given else []
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def parsed(text: str) -> Balance:
    reader = Balance()
    reader.feed(text)
    return reader


def test_everything_is_written(results: Path) -> None:
    names = {path.name for path in results.iterdir()}
    tables = {
        "summary.csv",
        "parts.csv",
        "ratios.csv",
        "comparisons.csv",
        "claims.csv",
        "failures.csv",
        "timing_summary.csv",
        "expected_summary.csv",
    }
    assert names == tables | {"report.html", "figures"}
    assert pl.read_csv(results / "claims.csv").height == 32


def test_it_is_well_formed_and_needs_nothing_else(text: str) -> None:
    found = parsed(text)
    assert (found.faults, found.open, found.scripts) == ([], [], 0)
    assert len(found.ids) == len(set(found.ids))
    links = [source for source in found.sources if source.startswith("#")]
    assert {link[1:] for link in links} <= set(found.ids)
    assert all(source.startswith("data:") for source in found.sources if source not in links)
    assert "url(" not in text
    assert "@import" not in text


def test_it_says_what_was_run(text: str) -> None:
    for piece in ("instances.seed", "abc123", "machine.cores", "2030-01-02T03:04:05Z", "Run: 2030"):
        assert piece in text
    assert "<title>A &amp; B &lt;study&gt;</title>" in text


def test_every_figure_has_a_caption_and_a_text(text: str) -> None:
    assert text.count("<figure") == text.count("<figcaption>") == 11
    assert len(re.findall(r'<img src="data:image/svg\+xml;base64,[^"]+" alt="[^"]{40,}"', text)) == 11


def test_ratios_are_shown_for_each_prior_and_over_all(text: str) -> None:
    section = text[text.index('id="ratios"') : text.index('id="comparisons"')]
    assert "divided by that of ezq" in section
    assert re.findall("<h3>(.*?)</h3>", section) == [
        "Mean over all conditions",
        "Prior far",
        "Prior uniform",
        "Prior near",
    ]
    assert section.count("<tr>") == 4 * (1 + len(METHODS) - 1)
    assert '<th>method</th><th class="n">ratio</th>' in section


def test_verdicts_have_a_sign_and_words(text: str) -> None:
    rows = re.findall(r'<span class="verdict (\w+)"><b aria-hidden="true">(.)</b>([^<]+)</span>', text)
    assert len(rows) == 32 + 2 * 3  # two tallies: behaviour, computing time
    meaning = {"holds": "\u2713", "fails": "\u2717", "faster": "\u2193", "open": "?"}
    assert all(meaning[kind] == sign for kind, sign, _ in rows)


def test_the_same_tables_give_the_same_report(tmp_path: Path) -> None:
    table = simple({"ezq": [1.0, 2.0, 4.0], "never": [5.0, 6.0, 2.0]})
    for name in ("one", "two"):
        write_results(tmp_path / name, table)
    one, two = ((tmp_path / name / "report.html").read_bytes() for name in ("one", "two"))
    assert one == two


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>&\"'@BODY@"
    tables = [renamed(table, {"ezq": evil}) for table in few()]
    broken = tables[0].with_columns(
        pl.when(pl.col("instance") == 0).then(pl.lit(evil)).otherwise(pl.col("error")).alias("error")
    )
    write_results(tmp_path, broken, *tables[1:], title=evil, study=evil, provenance={evil: [evil, {"x": evil}]})
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    found = parsed(text)
    assert (found.faults, found.scripts) == ([], 0)
    assert text.count("<main>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#x27;@BODY@" in text


def test_claims_are_judged_where_it_is_asked_for_only(tmp_path: Path, text: str) -> None:
    """Results of the paper's methods in another study do not decide the paper's claims."""
    found = write_results(tmp_path, *few())
    own = (tmp_path / "report.html").read_text(encoding="utf-8")
    for told in ('id="claims"', 'id="claims-time"', "<dt>verdicts</dt>"):
        assert told in text
        assert told not in own
    assert not [line for line in [*in_short(found), short_text(found)] if "claim" in line]
    assert pl.read_csv(tmp_path / "claims.csv").is_empty()


def test_columns_of_prices_say_so(text: str) -> None:
    assert text.count("<th>per-station cost:</th>") == 3 + 3  # marginal cost and ratios, for each prior
    assert '<th class="n">per-station cost</th>' in text  # comparisons


@pytest.mark.parametrize("costs", [{"mine": [1.0]}, {"mine": [None]}, {"a": [1.0, 2.0], "b": [1.0, None]}])
def test_tiny_studies(tmp_path: Path, costs: dict[str, list[float | None]]) -> None:
    write_results(tmp_path, simple(costs))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert parsed(text).faults == []
    assert ("were cut off" in text) == any(None in values for values in costs.values())


def test_an_empty_study(tmp_path: Path) -> None:
    found = write_results(tmp_path, simple({"mine": [1.0]}).clear())
    assert found.summary.is_empty()
    assert "0 episodes" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_several_teammates(tmp_path: Path) -> None:
    ours, other = few(), few(teammate="noisy:0.1")
    write_results(tmp_path, *(pl.concat(pair) for pair in zip(ours, other, strict=True)))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Prior near, teammate noisy:0.1" in text
    assert text.count("<figure") == 8
    assert pl.read_csv(tmp_path / "summary.csv").columns[-1] == "teammate"


def test_nested_settings_are_told_by_dotted_names() -> None:
    given = {"a": {"b": 1, "c": [1, 2]}, "methods": [{"name": "ezq"}, "never"], "none": None}
    assert list(flattened(given)) == [
        ("a.b", "1"), ("a.c", "1, 2"), ("methods[1].name", "ezq"), ("methods[2]", "never"), ("none", "\u2013"),
    ]  # fmt: skip


WORDS = StudyWords(goal="room", teammate="nurse", priors="ours favours none.")


def test_another_domain_has_its_own_words(tmp_path: Path) -> None:
    # Other methods than the paper's, whose claims mention stations.
    tables = [table.filter(pl.col("prior") == "near") for table in paper_like(3)]
    others = [renamed(table, {name: f"{name}*" for name in tables[0]["method"].unique()}) for table in tables]
    found = write_results(tmp_path, *others, words=WORDS)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<dt>per-room cost</dt>\n<dd>The amount that each room named in a question adds to its price.</dd>" in report
    assert "goals and nurse paths" in report
    assert "ours favours none." in report
    assert "cheapest at every per-room cost: " in report
    for picture in pictures(found.tables):
        assert "per-room cost" in picture.alt + picture.caption
        assert "station" not in picture.alt + picture.caption
        labels = [text for ax in picture.figure.axes for text in (ax.get_title(), ax.get_xlabel())]
        assert not [text for text in labels if "station" in text]

"""A figure of a new kind is written to files and reaches the report, wherever it wants to stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from matplotlib.figure import Figure

from askwise.studies.analysis import figures, write_results
from askwise.studies.analysis.figures import Material, Picture, pictures
from askwise.studies.analysis.report import _figures
from askwise.studies.analysis.tables import checked
from tests.studies.analysis.studies import simple

COSTS: dict[str, list[float | None]] = {"ezq": [1.0, 2.0], "never": [3.0, 4.0]}


def picture(name: str, **options: object) -> Picture:
    return Picture(name, f"Caption of {name}.", f"Words for {name}.", Figure(figsize=(1, 1)), **options)  # type: ignore[arg-type]


def with_kind(monkeypatch: pytest.MonkeyPatch, folder: Path, draw: Callable[[Material], Iterator[Picture]]) -> str:
    """Add a kind of figure, analyse a small study, and return its report."""
    monkeypatch.setattr(figures, "OF_ALL_PRIORS", (*figures.OF_ALL_PRIORS, draw))
    write_results(folder, simple(COSTS))
    return (folder / "report.html").read_text(encoding="utf-8")


def section(report: str, name: str) -> str:
    """Return one section of a report."""
    (found,) = re.findall(f'<section id="{name}">.*?</section>', report, re.DOTALL)
    return str(found)


def test_a_new_kind_is_written_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(material: Material) -> Iterator[Picture]:
        yield picture(material.name("new"))

    report = with_kind(monkeypatch, tmp_path, kind)
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"new.png", "new.svg"} <= written
    shown = section(report, "figures")
    assert 'id="figure-new"' in shown
    assert 'alt="Words for new."' in shown
    assert "<figcaption>Caption of new.</figcaption>" in shown
    # Every file is a figure of the report and the other way round.
    assert {Path(name).stem for name in written} == set(re.findall('id="figure-(.*?)"', report))


def test_a_new_kind_of_each_prior_is_written_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(material: Material, prior: str) -> Iterator[Picture]:
        yield picture(material.name("new", prior))

    monkeypatch.setattr(figures, "OF_EACH_PRIOR", (kind,))
    write_results(tmp_path, simple(COSTS, prior="My prior"))
    assert (tmp_path / "figures" / "new-my-prior.svg").exists()
    assert 'id="figure-new-my-prior"' in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wanted", "name", "heading"),
    [
        ("costs", "costs", "Marginal cost"),
        ("time", "time", "Computing time"),  # this study has no times: the figure alone makes the section
        ("Regret & time", "regret-time", "Regret &amp; time"),
    ],
)
def test_a_figure_stands_in_the_section_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, name: str, heading: str
) -> None:
    report = with_kind(monkeypatch, tmp_path, lambda _: iter([picture("new", section=wanted)]))
    found = section(report, name)
    assert f"<h2>{heading}</h2>" in found
    assert 'id="figure-new"' in found
    assert report.count('id="figure-new"') == 1
    assert f'<a href="#{name}">{heading}</a>' in report


def test_titles_and_orders_decide_how_figures_are_laid_out() -> None:
    given = [
        picture("last"),
        picture("b", order=2, beside=True),
        picture("a", order=1, folded="More"),
        picture("c", order=2, beside=True),
        picture("other", title="Other <things>", order=0),
    ]
    text = "\n".join(part.code for part in _figures(given, {each.name: b"" for each in given}))  # type: ignore[attr-defined]
    marks = re.findall(r'<details>|</details>|<div class="pair">|</div>|<h3>.*?</h3>|figure-\w+', text)
    assert marks == [
        "<details>",
        "figure-a",
        "</details>",
        '<div class="pair">',
        "figure-b",
        "figure-c",
        "</div>",
        "figure-last",
        "<h3>Other &lt;things&gt;</h3>",
        "figure-other",
    ]


def test_labels_that_make_one_file_name_do_not_hide_each_other() -> None:
    both = pl.concat([simple(COSTS, prior=prior) for prior in ("my prior", "My-Prior")])
    names = [each.name for each in pictures(checked(both))]
    assert names[2:] == [
        "costs-my-prior",
        "spread-my-prior",
        "costs-my-prior--2",
        "spread-my-prior--2",
    ]

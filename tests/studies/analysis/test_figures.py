"""Figures: names, identical files, content, studies other than the paper's, and a new kind of figure in the report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from askwise.studies.analysis import figures, write_results
from askwise.studies.analysis.figures import Material, Picture, pictures, write_figures
from askwise.studies.analysis.figures.costs import cost_figure, parts_figure
from askwise.studies.analysis.figures.distributions import questions_figure, spread_figure
from askwise.studies.analysis.figures.picture import KNOWN, styles
from askwise.studies.analysis.report import _figures
from askwise.studies.analysis.results import parts, summary
from askwise.studies.analysis.tables import checked
from tests.studies.analysis.studies import METHODS, PAPER, paper_like, renamed, simple

NAMES = ["costs", "parts"] + [f"{kind}-{prior}" for prior in PAPER for kind in ("costs", "questions", "spread")]


def test_every_figure_is_written_twice(results: Path) -> None:
    written = {path.name for path in (results / "figures").iterdir()}
    assert written == {name + ending for name in NAMES for ending in (".png", ".svg")}


def test_the_papers_figures_and_three_more() -> None:
    drawn = list(pictures(checked(*paper_like(4))))
    assert [picture.name for picture in drawn] == NAMES
    by_name = {picture.name: picture for picture in drawn}
    assert "the paper's figure 3" in by_name["costs-far"].caption
    assert "the paper's figure 4" in by_name["questions-far"].caption
    assert "n = 4 episodes" in by_name["costs-near"].caption


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    tables = checked(simple({"ezq": [1.0, 2.0, 4.0], "never": [5.0, 6.0, 2.0]}))
    for folder in ("one", "two"):
        write_figures(tmp_path / folder, tables)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_lines_are_the_means_and_bands_the_intervals() -> None:
    near = {
        "ci_low": pl.max_horizontal("ci_low", pl.col("mean") - 1.0),
        "ci_high": pl.min_horizontal("ci_high", pl.col("mean") + 1.0),
    }
    cells = summary(paper_like(6)[0]).with_columns(**near, episodes=pl.lit(10)).with_columns(pl.col("ci_low").clip(0.0))
    (ax,) = cost_figure(cells, ["uniform"]).axes
    drawn = {line.get_label(): line for line in ax.lines}
    assert list(drawn) == list(METHODS)
    mine = cells.filter((pl.col("prior") == "uniform") & (pl.col("method") == "ezq"))
    assert list(drawn["ezq"].get_ydata()) == mine["mean"].to_list()  # type: ignore[arg-type]
    band = np.asarray(ax.collections[METHODS.index("ezq")].get_paths()[0].vertices)
    for low, high in mine.select("ci_low", "ci_high").iter_rows():
        assert low in band[:, 1]
        assert high in band[:, 1]


def test_few_episodes_are_drawn_as_bars_that_hide_nothing() -> None:
    cells = summary(paper_like(6)[0])
    (ax,) = cost_figure(cells, ["uniform"]).axes
    assert len(ax.containers) == len(METHODS)
    ends = [y for bar in ax.containers for segment in bar[2][0].get_segments() for y in segment[:, 1]]
    assert min(ends) >= min(0.0, float(cells["mean"].min()))  # type: ignore[arg-type]


def test_wide_intervals_are_bars_however_many_episodes_there_are() -> None:
    cells = summary(paper_like(6)[0]).with_columns(pl.col("ci_low").clip(0.0), episodes=pl.lit(100))
    (ax,) = cost_figure(cells, ["uniform"]).axes
    assert len(ax.containers) == len(METHODS)
    assert len(ax.collections) == len(METHODS)  # the bars, and no band


def test_one_price_is_drawn_as_points() -> None:
    cells = summary(simple({"ezq": [1.0, 2.0], "other": [2.0, 4.0]}))
    (ax,) = cost_figure(cells, ["far"]).axes
    assert [label.get_text() for label in ax.get_xticklabels()] == ["ezq", "other"]
    assert len(ax.containers) == 2


def test_an_interval_that_begins_at_nothing_is_drawn_from_there() -> None:
    cells = summary(simple({"ezq": [1.0, 2.0]})).with_columns(ci_low=pl.lit(0.0))
    (ax,) = cost_figure(cells, ["far"]).axes
    whole = ax.containers[0][2][0].get_segments()[0]
    assert whole[0][1] == 0


def test_a_lower_bound_is_a_dashed_line() -> None:
    bounds = pl.DataFrame({"prior": ["far"] * 2, "per_goal": [0.0, 0.5], "mean": [0.5, 0.9], "stderr": [0.1] * 2})
    (ax,) = cost_figure(summary(paper_like(3)[0]), ["far"], bounds).axes
    line = ax.lines[-1]
    assert line.get_label() == "lower bound"
    assert list(line.get_ydata()) == [0.5, 0.9]  # type: ignore[arg-type]
    assert line.get_linestyle() == "--"
    (point_ax,) = cost_figure(summary(simple({"ezq": [1.0, 2.0]})), ["far"], bounds.head(1)).axes
    assert list(point_ax.lines[-1].get_ydata()) == [0.5, 0.5]  # type: ignore[arg-type]


def test_a_bound_is_drawn_for_its_own_teammate_only() -> None:
    one = simple({"ezq": [1.0, 2.0]})
    both = pl.concat([one, one.with_columns(pl.lit("noisy").alias("teammate"))])
    row = {"prior": ["far"], "per_goal": [0.0], "mean": [0.5], "stderr": [0.1], "teammate": ["noisy"]}
    found = [each for each in pictures(checked(both, bounds=pl.DataFrame(row))) if each.name.startswith("costs")]
    assert ["lower bound" in each.caption for each in found] == [False, True]
    drawn = [[line.get_label() for line in each.figure.axes[0].lines] for each in found]
    assert ["lower bound" in labels for labels in drawn] == [False, True]


def test_a_bound_says_which_instances_it_is_for() -> None:
    row = {"prior": ["far"], "per_goal": [0.0], "mean": [0.5], "stderr": [0.1], "instances": [2]}
    for costs, end in (([1.0, 2.0, 3.0], "methods, on 2 of the 3 instances."), ([1.0, 2.0], "bound for all methods.")):
        drawn = pictures(checked(simple({"ezq": costs}), bounds=pl.DataFrame(row)))
        (caption,) = [each.caption for each in drawn if each.name.startswith("costs")]
        assert caption.endswith(end)


def test_bars_are_the_numbers_of_questions() -> None:
    _, queries, _ = paper_like(5)
    far = queries.filter(pl.col("prior") == "far")
    panels = questions_figure(far, list(METHODS), [0.0, 0.5]).axes
    assert len(panels) == 8  # the method never asks no questions, so it has no row
    left = far.filter((pl.col("method") == "ezq") & (pl.col("per_goal") == 0))
    heights = [bar.get_height() for bar in panels[6].patches]  # type: ignore[attr-defined]
    assert heights[:5] == [(left["t"] == step).sum() for step in range(1, 6)]
    assert sum(heights) == left.height


def test_the_spread_ends_at_all_episodes() -> None:
    episodes = simple({"ezq": [0.0, 0.0, 1.0, 4.0], "never": [9.0, 2.0, 3.0, 1.0]})
    (ax,) = spread_figure(episodes, ["ezq", "never"], [0.0]).axes
    ezq = ax.lines[0]
    assert list(ezq.get_xdata()) == pytest.approx([0, 0, 0, 1, 4, 1.05 * 9])  # type: ignore[arg-type]
    assert list(ezq.get_ydata()) == [0, 0.25, 0.5, 0.75, 1, 1]  # type: ignore[arg-type]


def test_bars_of_parts_add_up() -> None:
    table = simple({"never": [9.0, 2.0], "ezq": [1.0, 2.0]}).with_columns(pl.Series("query_cost", [0.0, 0.0, 0.5, 0.7]))
    (ax,) = parts_figure(parts(table), ["far"], 0.0).axes
    lost, asked = ([bar.get_width() for bar in bars] for bars in ax.containers)
    assert lost == pytest.approx([5.5, 0.9])
    assert asked == pytest.approx([0.0, 0.6])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["never", "ezq"]
    assert [text.get_text() for text in ax.texts] == ["5.50", "1.50"]


def test_each_setting_has_its_own_figures() -> None:
    one = simple({"ezq": [1.0, 2.0]})
    both = pl.concat([one, one.with_columns(pl.lit("noisy:0.1").alias("teammate"))])
    found = list(pictures(checked(both)))
    kinds, teammates = ("parts", "costs-far", "spread-far"), ("urop", "noisy-0.1")
    assert [picture.name for picture in found] == [f"{kind}-{each}" for each in teammates for kind in kinds]
    assert found[3].caption.endswith("Teammate noisy:0.1.")


def test_odd_names_and_lost_episodes(tmp_path: Path) -> None:
    """Names may look like formulas or paths, and a method may have no finished episode."""
    table = simple({"$x^": [1.0, None], "../a/b": [2.0, 3.0], "lost": [None, None]}, prior="<my prior>/1")
    drawn = write_figures(tmp_path, checked(table))
    assert [picture.name for picture in drawn] == ["parts", "costs--my-prior-1", "spread--my-prior-1"]
    assert "n = 1 to 2 episodes" in drawn[1].caption


def test_nothing_to_draw(tmp_path: Path) -> None:
    assert write_figures(tmp_path, checked(simple({"ezq": [None]}))) == []


def test_known_methods_look_the_same_everywhere_and_others_differ() -> None:
    looks = styles(["mine", "ezq", "yours", "never", "third"])
    assert looks["ezq"] == KNOWN["ezq"]
    assert len(set(looks.values())) == 5
    many = styles(f"method {k}" for k in range(70))
    assert len(set(many.values())) == 70


def test_others_have_colours_of_their_own() -> None:
    own = {style.colour for style in styles(["mine", "yours", *KNOWN]).values()}
    assert len(own) == 2 + len(KNOWN)
    # A borrowed colour is not used by another method of the figure.
    there = ["never", "ezq", "ezq-local", "planner", "mine", "yours", "third", "fourth", "fifth"]
    assert len({style.colour for style in styles(there).values()}) == len(there)


@pytest.mark.parametrize("attribute", ["dashes", "marker"])
def test_lines_can_be_told_apart_without_colour(attribute: str) -> None:
    assert len({getattr(style, attribute) for style in KNOWN.values()}) == len(KNOWN)


def test_colours_stand_out_from_paper() -> None:
    for style in KNOWN.values():
        red, green, blue = to_rgb(style.colour)
        assert 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.75


def test_methods_are_told_in_the_text_for_the_blind() -> None:
    names = {"ezq": "mine"}
    found = next(iter(pictures(checked(*(renamed(table, names) for table in paper_like(3))))))
    assert all(method in found.alt for method in ("mine", "never", "prior near"))


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
    # The files and the figures of the report are the same.
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
        ("time", "time", "Computing time"),  # this study has no times, so the section only contains the figure
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

"""The report of a study: one HTML file that can be opened from disk, printed or sent.

The figures are embedded as SVG in data URLs, which keep the identifiers of different figures apart.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import polars as pl

from askwise.studies.analysis.figures import Picture, write_figures
from askwise.studies.analysis.figures.picture import FIGURES, slug
from askwise.studies.analysis.results import Analysis, analyse, write_tables
from askwise.studies.analysis.sections import Description, Section, sections
from askwise.studies.schema.domain import StudyWords
from askwise.text.files import make_folder, whole_file
from askwise.view.html import Html, escaped, folded, joined, report_page, tag


def write_results(
    folder: str | Path,
    episodes: pl.DataFrame,
    queries: pl.DataFrame | None = None,
    timings: pl.DataFrame | None = None,
    *,
    expected: pl.DataFrame | None = None,
    title: str = "A study with askwise",
    study: Description = None,
    provenance: Description = None,
    words: StudyWords | None = None,
    files: Sequence[str] | None = None,
    judged: bool = False,
) -> Analysis:
    """Compute the results of a study, and write them to a folder as CSV tables, figures and a report.

    The folder gets a CSV file for each table, the subfolder ``figures``, and ``report.html``.

    Args:
        folder: the folder to write to; created if needed.
        episodes: one row for each episode (see `askwise.studies.analysis.tables`).
        queries: one row for each question, or None.
        timings: one row for each timed episode, or None.
        expected: exact costs and lower bounds, or None.
        title: title of the report.
        study: description of the study, or None.
        provenance: when and how the study was run, or None.
        words: words for goals and teammate; None for those of tool fetching.
        files: the file name of each instance, if instances come from files; each file is then reported separately.
        judged: whether to judge the paper's claims; only for the paper's study.

    Returns:
        All computed tables.

    Raises:
        InputError: a table lacks a column or has wrong values, or the folder cannot be written to.
    """
    target = make_folder(folder)
    analysis = analyse(episodes, queries, timings, expected, words=words, files=files, judged=judged)
    write_tables(target, analysis)
    pictures = write_figures(target / "figures", analysis.tables)
    write_report(target, analysis, pictures, title=title, study=study, provenance=provenance)
    return analysis


def write_report(
    folder: str | Path,
    analysis: Analysis,
    pictures: Sequence[Picture],
    *,
    title: str = "A study with askwise",
    study: Description = None,
    provenance: Description = None,
) -> Path:
    """Write ``report.html`` into a folder and return the path of the file.

    An existing file is replaced only when the new one is complete.

    Args:
        folder: has the SVG file of each picture in its subfolder ``figures``.
        analysis: all tables of the study.
        pictures: the figures to include.
        title: title of the report.
        study: description of the study, or None.
        provenance: when and how the study was run, or None.
    """
    path = Path(folder) / "report.html"
    images = {each.name: (Path(folder) / "figures" / f"{each.name}.svg").read_bytes() for each in pictures}
    text = report_text(analysis, pictures, images, title=title, study=study, provenance=provenance)
    with whole_file(path) as temporary:
        # A command line may contain bytes that are not text; they become escapes.
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def report_text(
    analysis: Analysis,
    pictures: Sequence[Picture],
    images: Mapping[str, bytes],
    *,
    title: str,
    study: Description,
    provenance: Description,
) -> str:
    """Return the report of a study as an HTML page.

    Args:
        analysis: all tables of the study.
        pictures: the figures to include.
        images: each figure's SVG file, by the figure's name.
        title: title of the report.
        study: description of the study, or None.
        provenance: when and how the study was run, or None.
    """
    episodes = analysis.tables.episodes
    subtitle = f"{episodes.height} episodes, {episodes['method'].n_unique()} methods. {_when(provenance)}"
    content = _with_figures(list(sections(analysis, study, provenance)), pictures, images)
    return report_page(title, subtitle.strip(), content)


def _when(provenance: Description) -> str:
    if not isinstance(provenance, Mapping):
        return ""
    found = next((provenance[key] for key in ("finished", "date", "started") if provenance.get(key)), None)
    return "" if found is None else f"Run: {found}."


def _with_figures(
    known: list[Section], pictures: Sequence[Picture], images: Mapping[str, bytes]
) -> Iterator[tuple[str, str, list[object]]]:
    """Yield the non-empty sections of the report, figures included: name in links, heading and content.

    Args:
        known: the sections without figures; the content of an empty one is None. Sections that only `pictures` name are
            added to this list.
        pictures: the figures of all sections.
        images: the content of each figure's SVG file, by the figure's name.
    """
    names = [name for name, _, _ in known]
    new = {slug(each.section): each.section for each in pictures if slug(each.section) not in names}
    after = names.index(FIGURES) + 1
    known[after:after] = [(name, heading, None) for name, heading in new.items()]
    for name, heading, content in known:
        drawn = _figures([each for each in pictures if slug(each.section) == name], images)
        if drawn or content is not None:
            yield name, heading, [*(content or []), *drawn]


def _figures(pictures: Sequence[Picture], images: Mapping[str, bytes]) -> list[object]:
    """Return the HTML of a section's figures, grouped under headings by `Picture.title`, sorted by `Picture.order`.

    Args:
        pictures: the figures of the section.
        images: the content of each figure's SVG file, by the figure's name.
    """
    parts: list[object] = []
    for title in dict.fromkeys(each.title for each in pictures):
        parts += [tag("h3", title)] if title else []
        mine = sorted((each for each in pictures if each.title == title), key=lambda each: each.order)
        for _, group in groupby(mine, lambda each: (each.order, each.beside, each.folded)):
            parts += _together(list(group), images)
    return parts


def _together(pictures: list[Picture], images: Mapping[str, bytes]) -> Iterator[Html]:
    """Yield the HTML of figures that have the same title, `order`, `beside` and `folded` (see `Picture`).

    `images` has the content of each figure's SVG file, by the figure's name.
    """
    shown = [_figure(each, images[each.name]) for each in pictures]
    first = pictures[0]
    if first.beside:
        shown = [tag("div", joined(shown), class_="pair")]
    yield from [folded(first.folded, joined(shown))] if first.folded else shown


def _figure(picture: Picture, image: bytes) -> Html:
    source = "data:image/svg+xml;base64," + base64.b64encode(image).decode("ascii")
    drawn = f'<img src="{source}" alt="{escaped(picture.alt)}">'
    caption = tag("figcaption", picture.caption)
    return tag("figure", joined([Html(drawn), caption]), id=f"figure-{picture.name}")

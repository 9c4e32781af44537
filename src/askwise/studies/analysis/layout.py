"""Figures in a report, laid out as they ask for: whatever there is, nothing is left out."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from askwise.studies.analysis.figures import Picture
from askwise.view.html import Html, escaped, folded, joined, tag


def laid_out(pictures: Sequence[Picture], images: Mapping[str, bytes]) -> list[object]:
    """Return the figures of a section: title by title, and under each title in their order."""
    parts: list[object] = []
    for title in dict.fromkeys(each.title for each in pictures):
        parts += [tag("h3", title)] if title else []
        mine = sorted((each for each in pictures if each.title == title), key=lambda each: each.order)
        for _, group in groupby(mine, lambda each: (each.order, each.beside, each.folded)):
            parts += _together(list(group), images)
    return parts


def _together(pictures: list[Picture], images: Mapping[str, bytes]) -> Iterator[Html]:
    """Yield figures that are shown in the same way, one after the other."""
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

"""The strip below a picture: what is happening, and what the marks mean."""

from __future__ import annotations

from dataclasses import replace

from PIL import ImageDraw

from askwise.showing.marks import Pen, font
from askwise.showing.palette import FAINT, FETCHER, INK, LINE, PAPER, WALL, Colour, position, shade
from askwise.showing.scene import Scene

LETTERS = 14
LINE_HEIGHT = 20
MARGIN = 10
SIGN = 22
SCALE_WIDTH = 150

CAPTION_LINES = 4
"""Progress, hands, event or question, answer: always as many, so that all pictures of an episode have one size."""


def strip_height(scene: Scene, width: int) -> int:
    """Return the height of the strip in pixels."""
    return 2 * MARGIN + LINE_HEIGHT * CAPTION_LINES + (SIGN + 6) * len(_legend_rows(scene, width)) + MARGIN


def draw_strip(scene: Scene, draw: ImageDraw.ImageDraw, top: int, width: int, fine: int) -> None:
    """Draw the strip; `top` is in pixels of the canvas, which is `fine` times as large as the picture."""
    draw.line((0, top, fine * width, top), fill=LINE, width=fine)
    y = top + fine * (MARGIN + LINE_HEIGHT / 2)
    for text, colour in _caption(scene):
        if not text:
            continue
        shown = _fitted(text, fine * LETTERS, fine * (width - 2 * MARGIN))
        draw.text((fine * MARGIN, y), shown, fill=colour, font=font(fine * LETTERS), anchor="lm")
        y += fine * LINE_HEIGHT
    y = top + fine * (2 * MARGIN + LINE_HEIGHT * CAPTION_LINES + SIGN / 2)
    pen = Pen(draw, fine * SIGN)
    for row in _legend_rows(scene, width):
        x = float(fine * MARGIN)
        for sign in row:
            _draw_sign(pen, sign, x, y, fine)
            x += fine * _sign_width(sign)
        y += fine * (SIGN + 6)


def _caption(scene: Scene) -> list[tuple[str, Colour]]:
    hands = (f"The fetcher has {scene.hands}.", FAINT)
    if not scene.question:
        return [(scene.progress, INK), hands, (scene.event, INK)]
    answer = "" if scene.answer is None else "Yes. " if scene.answer else "No. "
    return [(scene.progress, INK), hands, (scene.question, FETCHER), (f"{answer}{scene.event}", FETCHER)]


def _fitted(text: str, size: int, width: int) -> str:
    """Return as much of `text` as fits."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + " ...") > width:
        text = text[:-1]
    return text + " ..."


def _signs(scene: Scene) -> list[str]:
    signs = ["worker", "fetcher", "toolbox"]
    signs += ["tool in hand"] if scene.instance.toolboxes else []
    signs += ["the goal"] if scene.goal is not None else []
    if scene.belief is None:
        return [*signs, "station", "wall"] if scene.instance.walls else [*signs, "station"]
    signs += ["in the question", "ruled out", "wall"] if scene.instance.walls else ["in the question", "ruled out"]
    return [*signs, "belief"]


def _sign_width(sign: str) -> int:
    text = font(LETTERS).getlength(sign)
    return SIGN + 6 + int(text) + 16 + (SCALE_WIDTH if sign == "belief" else 0)


def _legend_rows(scene: Scene, width: int) -> list[list[str]]:
    rows: list[list[str]] = [[]]
    used = 2 * MARGIN
    for sign in _signs(scene):
        if rows[-1] and used + _sign_width(sign) > width:
            rows.append([])
            used = 2 * MARGIN
        rows[-1].append(sign)
        used += _sign_width(sign)
    return rows


def _draw_sign(pen: Pen, sign: str, left: float, y: float, fine: int) -> None:
    x = left + pen.size / 2
    after = left + pen.size + 6 * fine
    if sign == "worker":
        pen.worker(x, y)
    elif sign == "fetcher":
        pen.fetcher(x, y)
    elif sign == "toolbox":
        pen.toolbox(x, y, "")
    elif sign == "tool in hand":
        pen.tool(x, y, "")
    elif sign == "the goal":
        pen.star(x, y, 0.4 * pen.size)
    elif sign in ("station", "in the question"):
        smaller = replace(pen, size=0.85 * pen.size)
        smaller.station(x, y, "", None if sign == "station" else 0.2, sign == "in the question")
    elif sign == "ruled out":
        pen.station(x, y, "", 0.0, False)
    elif sign == "wall":
        half = 0.4 * pen.size
        pen.draw.rectangle((x - half, y - half, x + half, y + half), fill=WALL)
    else:
        after = _draw_scale(pen, left, y, fine) + 8 * fine
    pen.draw.text((after, y), sign, fill=INK, font=font(fine * LETTERS), anchor="lm")


def _draw_scale(pen: Pen, left: float, y: float, fine: int) -> float:
    """Draw the colours of belief from 0 to 100 %, and return where they end."""
    wide, half = (SCALE_WIDTH + SIGN - 8) * fine, 0.36 * pen.size
    for k in range(wide):
        colour = shade((k / (wide - 1)) ** 2)
        pen.draw.line((left + k, y - half, left + k, y + half), fill=colour)
    small = font(fine * (LETTERS - 4))
    for probability, ink in ((0.01, INK), (0.1, INK), (0.5, PAPER)):
        x = left + wide * position(probability)
        pen.draw.text((x, y), f"{100 * probability:g} %", fill=ink, font=small, anchor="mm")
    return left + wide

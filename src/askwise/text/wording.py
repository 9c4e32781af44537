"""Words for readers: numbers, lists and names as text, and the vocabulary of a domain."""

from __future__ import annotations

import re
import shutil
import textwrap
import unicodedata
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from askwise.errors import InputError, did_you_mean

if TYPE_CHECKING:  # commands print their help without loading numpy
    from askwise.types import FloatArray

MOST_BELIEFS = 6
"""Goals that a text lists with their probabilities."""


# -- numbers and lists ---------------------------------------------------------------------------------------------


def printable(text: str) -> str:
    """Return `text` on one line, with control characters and lone surrogates written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def columns_of(text: str) -> int:
    """Return the number of terminal columns that `text` takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def line_width() -> int:
    """Return the number of columns in a line of text: the terminal's width, but at least 40; 80 without a terminal.

    The environment variable ``COLUMNS`` can state another width of the terminal.
    """
    return max(shutil.get_terminal_size((80, 24)).columns, 40)


def fitted(text: str) -> str:
    """Return a text with its long lines broken at spaces, to fit into `line_width` columns.

    The rest of a broken line is indented like the line's beginning. In a table (two or more spaces between columns), it
    is indented to the last column that begins in the left half of the width.
    """
    width, lines = line_width(), []
    for line in text.split("\n"):
        ends = [found.end() for found in re.finditer(r"(?<=\S)  +|^ +", line)]
        lines += _folded(line, width, max((end for end in ends if end <= width // 2), default=0))
    return "\n".join(lines)


def wrapped(text: str, indent: int = 0) -> str:
    """Break a text into lines of at most `line_width` columns; lines after the first begin with `indent` spaces."""
    return "\n".join(_folded(text, line_width(), indent))


def _folded(text: str, width: int, indent: int = 0) -> list[str]:
    if "\n" in text:
        return [line for part in text.split("\n") for line in _folded(part, width, indent)]
    if columns_of(text) <= width:
        return [text]
    kept = text.replace(" %", "\0%")  # a number stays with its unit
    lines = textwrap.wrap(kept, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0%", " %") for line in lines]


NARROWEST = 12
"""Columns of tables are not narrowed below this many terminal columns."""


def aligned(rows: Sequence[Sequence[str]], whole: Collection[int] = ()) -> list[str]:
    """Return a table as lines of text, with two spaces before each column.

    Texts in the widest columns are broken if a row would be wider than `line_width`.

    Args:
        rows: the texts of the cells.
        whole: the indices of columns whose texts are never broken.
    """
    return [line for lines in aligned_rows(rows, whole) for line in lines]


def aligned_rows(rows: Sequence[Sequence[str]], whole: Collection[int] = ()) -> list[list[str]]:
    """Return a table as lines of text, as `aligned` does, but with a separate list of lines for each row."""
    widths = [
        max(columns_of(line) for text in column for line in text.split("\n")) for column in zip(*rows, strict=True)
    ]
    room = line_width() - 2 * len(widths)
    soft = [k for k in range(len(widths)) if k not in whole]
    while sum(widths) > room and widths[widest := max(soft, key=widths.__getitem__)] > NARROWEST:
        widths[widest] -= 1
    found = []
    for row in rows:
        cells = [_folded(text, width) for text, width in zip(row, widths, strict=True)]
        found.append([_padded(parts, widths) for parts in zip_longest(*cells, fillvalue="")])
    return found


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (text + " " * (width - columns_of(text)) for text, width in zip(cells, widths, strict=True))
    return "  " + "  ".join(padded).rstrip()


def square(names: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a square table as text, with `names` for rows and columns; its diagonal is shown as ``-``.

    The texts are ``cells[row][column]``. Columns that do not fit into `line_width` are put below the first ones, with
    the names of the rows repeated.
    """
    shown = [["-" if i == j else text for j, text in enumerate(row)] for i, row in enumerate(cells)]
    width = max(columns_of(text) for row in [names, *shown] for text in row) + 2
    first = max(map(columns_of, names)) + 2
    at_once = max((line_width() - first) // width, 1)
    parts = []
    for start in range(0, len(names), at_once):
        table = [("", names), *zip(names, shown, strict=True)]
        parts.append(
            "\n".join(
                name
                + " " * (first - columns_of(name))
                + "".join(_right(text, width) for text in row[start : start + at_once])
                for name, row in table
            )
        )
    return "\n\n".join(parts)


def _right(text: str, width: int) -> str:
    return " " * (width - columns_of(text)) + text


def number(value: float) -> str:
    """Return a number as text with at most ten significant digits, so that ``0.1 + 0.2`` becomes ``0.3``."""
    return f"{value:.10g}"


def percent(probability: float) -> str:
    """Return a probability as text in whole percent.

    Probabilities close to 0 and 1 become ``<1 %`` and ``>99 %``, because ``0 %`` and ``100 %`` would be wrong.
    """
    rounded = round(100 * probability)
    if rounded == 0 and probability > 0:
        return "<1 %"
    if rounded == 100 and probability < 1 - 1e-12:
        return ">99 %"
    return f"{rounded} %"


def counted(n: int, what: str) -> str:
    """Return a count with its noun: ``"1 goal"``, ``"3 goals"``, ``"no goals"``."""
    return f"{n or 'no'} {what if n == 1 else plural(what)}"


def plural(what: str) -> str:
    """Return the plural of a regular English noun."""
    if what.endswith("y") and what[-2:-1] not in ("", *"aeiou"):
        return f"{what[:-1]}ies"
    return what + ("es" if what.endswith(("s", "x", "z", "ch", "sh")) else "s")


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return the first `most` names with commas between them, then ``and N more`` for the rest."""
    shown = [printable(name) for name in names[:most]]
    if len(names) <= most:
        return ", ".join(shown)
    return f"{', '.join(shown)} and {len(names) - most} more"


def either(names: Sequence[str], most: int = 4) -> str:
    """Return names as ``"a, b or c"``.

    If there are more than `most` names, the end says how many: ``"a, b, c, d or N more"``.
    """
    shown = [printable(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} or {len(names) - most} more"
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def index_of(names: Sequence[str], name: str, field: str, what: str) -> int:
    """Return the index in `names` of a name that a user typed; raise an `InputError` if it is not there.

    Args:
        names: the allowed names.
        name: what the user typed.
        field: the input, for error messages.
        what: the noun for such a name, such as ``goal``.
    """
    if name not in names:
        expected = f"some of {listed(names)}" + did_you_mean(name, names)
        raise InputError(field, f"the unknown {what} {name!r}", expected)
    return names.index(name)


def likeliest_of(names: Sequence[str], belief: FloatArray, most: int = MOST_BELIEFS) -> str:
    """Return a text with the likeliest goals (at most `most`) and their probabilities.

    Equally likely goals keep their order. `belief`, ``float64 [n_goals]``, has the probabilities of all goals.
    """
    order = (-belief).argsort(kind="stable")
    order = order[belief[order] > 0]
    shown = [f"{printable(names[k])} {percent(float(belief[k]))}" for k in order[:most].tolist()]
    return ", ".join(shown) + (f", {len(order) - most} more" if len(order) > most else "")


# -- the vocabulary of a domain ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Site:
    """A landmark of one problem: a place that matters but is no goal, such as a toolbox.

    Attributes:
        name: its name.
        at: its state in the teammate's model, such as a cell ``(x, y)``.
        goals: the goals for which the ego agent picks something up there.
    """

    name: str
    at: Hashable
    goals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that texts and pictures use for a domain or one of its problems; the defaults fit any problem.

    Nouns are in the singular.

    Attributes:
        title: the name of the domain.
        teammate: the noun for the teammate.
        ego: the noun for the ego agent.
        goal: the noun for a goal.
        landmark: the noun for a place that matters but is no goal; empty for none.
        load: the noun for what the ego agent carries; empty for none.
        teammate_sign: the teammate's letter in drawings.
        ego_sign: the ego agent's letter.
        landmark_sign: a landmark's letter.
        walks: the verb for the teammate's way to its goal.
        stays: what the teammate does at its goal, with ``{place}`` and ``{goal}``.
        handling: the noun for an action other than moving and waiting.
        done: the sentence at the end of an episode.
        achieved: the sentence for a reached goal, with ``{goal}``.
        sites: the landmarks of one problem.
        prior: how likely the goals of one problem are; if empty, descriptions list the goals.
    """

    title: str = "Two agents"
    teammate: str = "teammate"
    ego: str = "ego agent"
    goal: str = "goal"
    landmark: str = ""
    load: str = ""
    teammate_sign: str = "T"
    ego_sign: str = "E"
    landmark_sign: str = "L"
    walks: str = "walks"
    stays: str = "stays at {place}"
    handling: str = "another action"
    done: str = "The goal is reached."
    achieved: str = "Both agents are in place for {goal}."
    sites: tuple[Site, ...] = ()
    prior: str = ""

    @property
    def goals(self) -> str:
        """The noun for several goals, the plural of `goal`."""
        return plural(self.goal)

    @property
    def landmarks(self) -> str:
        """The noun for several landmarks, the plural of `landmark`."""
        return plural(self.landmark)


PLAIN = Vocabulary()
"""The vocabulary of a problem whose domain states none."""

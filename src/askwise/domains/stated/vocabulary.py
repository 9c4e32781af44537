"""What plainly stated problems call things: what their files say, else the plainest words there are."""

from __future__ import annotations

from collections.abc import Mapping

from askwise.text.vocabulary import PLAIN, Vocabulary

WORDS = PLAIN
COVERAGE = Vocabulary(
    title="Coverage",
    teammate_sign="W",
    ego_sign="F",
    done="Two goals are covered.",
    achieved="The teammate is at {goal}, the ego agent at another goal.",
)


def words_from(name: str, given: Mapping[str, str]) -> Vocabulary:
    """Return the words of a problem of that name, which may have its own for teammate, ego agent and goal."""
    teammate, ego = given.get("teammate", PLAIN.teammate), given.get("ego", PLAIN.ego)
    signs = _sign(teammate), _sign(ego)
    if signs[0] == signs[1] or not all(signs):
        signs = PLAIN.teammate_sign, PLAIN.ego_sign
    return Vocabulary(
        title=name or PLAIN.title,
        teammate=teammate,
        ego=ego,
        goal=given.get("goal", PLAIN.goal),
        teammate_sign=signs[0],
        ego_sign=signs[1],
    )


def _sign(word: str) -> str:
    """Return the letter that stands for somebody in drawings, empty if the word begins with none."""
    first = word[0].upper()
    return first if len(first) == 1 and first.isascii() and first.isalnum() else ""

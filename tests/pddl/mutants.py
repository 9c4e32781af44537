"""Planning files with something wrong: changed at random, from a fixed seed."""

from __future__ import annotations

import random

from tests.pddl.problems import INTRUSION, KEYS, LOGISTICS, Files, blocks

WHOLE: list[Files] = [
    {**LOGISTICS, "obs.dat": "(LOAD RED T1 P1)\n(DRIVE T1 P1 A1 C1)\n", "real_hyp.dat": "(at red p2)"},
    {**INTRUSION, "obs.dat": "(look web)\n"},
    {**KEYS, "obs.dat": "(MOVE c1-0 c1-1)\n"},
    {**blocks("abcd", ["abcd", "dcb", "cad"]), "obs.dat": "(pick-up c)\n(stack c d)\n"},
]

ODD = (
    "(",
    ")",
    "((",
    "))",
    "?",
    "?x",
    "-",
    "- -",
    ":",
    ":action",
    ":parameters",
    ":precondition",
    ":effect",
    "and",
    "not",
    "(not",
    "(and)",
    "()",
    "or",
    "(or (a) (b))",
    "(forall (?z) (a ?z))",
    "(when (a) (b))",
    "exists",
    "=",
    "(= ?x ?y)",
    "(increase (total-cost) 2)",
    "(increase (total-cost) (f))",
    "either",
    "(either a b)",
    "object",
    "1e999",
    "nan",
    "-1",
    ";",
    "; (",
    "\x00",
    "\ud7ff",
    "é",
    "𝔘",
    "<HYPOTHESIS>",
    "(:goal)",
    "(:init)",
    "(define)",
    "\n\n",
    ",",
    "\\",
    "'",
    '"',
    "(:action x)",
    "(:constants a b - block)",
    "(:derived (p) (q))",
    "x" * 300,
    "(" * 80,
)


def mutant(rng: random.Random) -> Files:
    """Return one of the problems with a few changes in one of its files, or in several."""
    files = dict(rng.choice(WHOLE))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        role = rng.choice(sorted(files))
        files[role] = _changed(files[role], rng)
    return files


def _changed(text: str, rng: random.Random) -> str:
    a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    b = min(b, a + rng.choice((1, 1, 5, 40)))
    kind = rng.randrange(7)
    if kind == 0:
        return text[:a] + text[b:]
    if kind == 1:
        return text[:a] + rng.choice(ODD) + text[a:]
    if kind == 2:
        return text[:a] + f" {rng.choice(ODD)} " + text[b:]
    if kind == 3:
        return text[:a] + text[a:b] * rng.choice((2, 3)) + text[b:]
    if kind == 4:
        return text[:a]
    words = text.split(" ")
    i, j = rng.randrange(len(words)), rng.randrange(len(words))
    if kind == 5:
        words[i], words[j] = words[j], words[i]
    else:
        words[i] = words[j]
    return " ".join(words)

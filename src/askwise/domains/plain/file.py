"""Problem files, ``askwise/problem@1``: any domain, as two graphs or drawn maps and the goals in both. JSON or TOML.

::

    format = "askwise/problem@1"

    [teammate]
    start = "desk"
    edges = [["desk", "go", "hall"], ["hall", "left", "room 1"], ["hall", "right", "room 2"]]

    [ego]
    start = "F"
    map = \"\"\"
    A...#
    ..F.B
    \"\"\"

    [goals."to room 1"]
    teammate = "room 1"
    ego = "A"

    [goals."to room 2"]
    teammate = "room 2"
    ego = "B"

``name``, ``query_cost``, ``answers``, ``groups``, ``words``, a goal's ``weight`` and ``price`` and the teammate's
``policy`` may be left out. Everything is checked when the file is read.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from askwise.divergence.ecd import normalised
from askwise.domains.plain.names import StateName
from askwise.domains.plain.policies import PolicyChoice
from askwise.domains.plain.sides import Side
from askwise.factored_input import PRIOR_TOLERANCE
from askwise.files import whole_file
from askwise.questions import QueryCost
from askwise.reading import Field, as_text, parse_text, read_text
from askwise.showing.vocabulary import Vocabulary
from askwise.types import FloatArray

if TYPE_CHECKING:
    from askwise.domains.plain.problem import StatedProblem
    from askwise.model import Policy

FORMAT = "askwise/problem@1"


@dataclass(frozen=True)
class Goal:
    """A goal: where it is reached in both models, how likely it is, what naming it costs.

    Attributes:
        teammate: states in which the teammate has reached it.
        ego: states in which the ego agent has.
        weight: how likely it is, beside the weights of the others.
        price: what naming it in a question adds, None for the price of any goal.
    """

    teammate: tuple[StateName, ...]
    ego: tuple[StateName, ...]
    weight: float = 1.0
    price: float | None = None


@dataclass(frozen=True)
class QuestionPrices:
    """What questions cost.

    Attributes:
        base: what every question costs.
        per_goal: what naming a goal adds, unless the goal has a price of its own.
        per_option: what an option of a choice adds, None for as much as a goal.
    """

    base: float = 0.5
    per_goal: float = 0.0
    per_option: float | None = None


@dataclass(frozen=True)
class Answers:
    """How answers come: how often wrong, how often not at all, and whether the same question is answered the same."""

    wrong: float = 0.0
    refused: float = 0.0
    errors: str = "independent"


@dataclass(frozen=True)
class ProblemFile:
    """What a problem file states, checked. Two are equal if the same is written in them.

    Attributes:
        contents: what is written, as JSON; the rows of a policy's table are part of it.
        teammate: the teammate's side.
        ego: the ego agent's.
        goals: the goals by name.
        name: what the problem is called, empty if nobody says.
        prices: what questions cost.
        answers: how answers come.
        groups: names of goals that belong together, by a name for each group.
        policy: how the teammate pursues its goals.
        words: what things are called.
    """

    contents: Mapping[str, Any] = field(repr=False)
    teammate: Side = field(compare=False)
    ego: Side = field(compare=False)
    goals: Mapping[str, Goal] = field(compare=False)
    name: str = field(default="", compare=False)
    prices: QuestionPrices = field(default_factory=QuestionPrices, compare=False)
    answers: Answers = field(default_factory=Answers, compare=False)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    policy: PolicyChoice = field(default_factory=PolicyChoice, compare=False)
    words: Vocabulary = field(default_factory=Vocabulary, compare=False)

    @classmethod
    def load(cls, path: str | Path) -> ProblemFile:
        """Read and check a problem file, TOML if its name ends so."""
        where, text = Path(path), read_text(path)
        data = parse_text(text, toml=where.suffix.lower() == ".toml")
        return cls.from_json(Field("", data, where.parent))

    @classmethod
    def from_json(cls, data: Any) -> ProblemFile:
        """Check the contents of a problem file, or of a field that holds the same."""
        from askwise.domains.plain.reading_file import read_problem_file

        return read_problem_file(data if isinstance(data, Field) else Field("", data))

    def to_json(self) -> dict[str, Any]:
        """Return the contents; reading them gives the same file."""
        return copy.deepcopy(dict(self.contents))

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all: TOML if its name ends so, else JSON."""
        from askwise.domains.plain.toml_text import toml_text

        write = toml_text if Path(path).suffix.lower() == ".toml" else as_text
        text = write(self.to_json())
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    @property
    def prior(self) -> FloatArray:
        """``float64 [n_goals]``: the weights as probabilities. Weights that are probabilities stay exactly as they are."""
        weights = np.array([goal.weight for goal in self.goals.values()], dtype=np.float64)
        with np.errstate(over="ignore"):
            already = abs(weights.sum() - 1) <= PRIOR_TOLERANCE
        return weights if already else normalised(weights)

    @property
    def query_cost(self) -> QueryCost:
        """What questions cost."""
        base, per_goal = self.prices.base, self.prices.per_goal
        own = [goal.price for goal in self.goals.values()]
        if all(price is None for price in own):
            return QueryCost(base, per_goal)
        return QueryCost(base, per_goal, tuple(per_goal if price is None else price for price in own))

    @cached_property
    def teammate_policies(self) -> tuple[Policy, ...] | None:
        """How the teammate pursues each goal, None for UROPs."""
        found = self.policy.made(self.teammate.model, {name: goal.teammate for name, goal in self.goals.items()})
        return None if found is None else tuple(found)

    def problem(self) -> StatedProblem:
        """Return the problem that the file states."""
        from askwise.domains.plain.problem import StatedProblem

        return StatedProblem(self)

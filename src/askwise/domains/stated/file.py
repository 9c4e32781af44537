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

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.answers import TRUTHFUL, AnswerModel
from askwise.core.factored import FactoredProblem
from askwise.core.problem import PRIOR_TOLERANCE
from askwise.core.questions import QueryCost
from askwise.domains.stated.policies import PolicyChoice, read_policy, rows_to_json
from askwise.domains.stated.reader import (
    StatedGoal,
    read_answers,
    read_goals,
    read_groups,
    read_prices,
    read_side,
    read_words,
)
from askwise.domains.stated.sides import StatedSide, same_model
from askwise.errors import InputError
from askwise.frozen import freeze_fields
from askwise.model import Model, Policy
from askwise.model.policy import normalised
from askwise.text.data import copy_data, json_text, parse_text, toml_text
from askwise.text.files import read_text, whole_file
from askwise.text.reading import Field, read_name
from askwise.text.wording import PLAIN, Vocabulary
from askwise.types import FloatArray

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


# ------------------------------------------------------------------------------------------------------------------


FORMAT = "askwise/problem@1"
REQUIRED = ("format", "teammate", "ego", "goals")
OPTIONAL = ("name", "query_cost", "answers", "groups", "words")


@dataclass(frozen=True)
class ProblemFile:
    """What a problem file states, checked. Two are equal if the same is written in them.

    Attributes:
        contents: what is written, as JSON; the rows of a policy's table are part of it.
        teammate: the teammate's side.
        ego: the ego agent's.
        goals: the goals by name.
        name: what the problem is called, empty if nobody says.
        prices: what questions cost, without the goals' own prices.
        answers: how answers come.
        groups: names of goals that belong together, by a name for each group.
        policy: how the teammate pursues its goals.
        words: what things are called.
    """

    contents: Mapping[str, Any] = field(repr=False)
    teammate: StatedSide = field(compare=False)
    ego: StatedSide = field(compare=False)
    goals: Mapping[str, StatedGoal] = field(compare=False)
    name: str = field(default="", compare=False)
    prices: QueryCost = field(default_factory=QueryCost, compare=False)
    answers: AnswerModel = field(default=TRUTHFUL, compare=False)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    policy: PolicyChoice = field(default_factory=PolicyChoice, compare=False)
    words: Vocabulary = field(default_factory=Vocabulary, compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "contents", "goals", "groups")

    @classmethod
    def load(cls, path: str | Path) -> ProblemFile:
        """Read and check a problem file, TOML if its name ends so."""
        where, text = Path(path), read_text(path)
        data = parse_text(text, toml=where.suffix.lower() == ".toml")
        return cls.from_json(Field("", data, where.parent))

    @classmethod
    def from_json(cls, data: Any) -> ProblemFile:
        """Check the contents of a problem file, or of a field that holds the same."""
        return _read(data if isinstance(data, Field) else Field("", data))

    def to_json(self) -> dict[str, Any]:
        """Return the contents; reading them gives the same file."""
        contents: dict[str, Any] = copy_data(self.contents)
        return contents

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all: TOML if its name ends so, else JSON."""
        write = toml_text if Path(path).suffix.lower() == ".toml" else json_text
        text = write(self.to_json())
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    @property
    def prior(self) -> FloatArray:
        """``float64 [n_goals]``: the weights as probabilities; weights that are some already stay as they are."""
        weights = np.array([goal.weight for goal in self.goals.values()], dtype=np.float64)
        with np.errstate(over="ignore"):
            already = abs(weights.sum() - 1) <= PRIOR_TOLERANCE
        return weights if already else normalised(weights)

    @property
    def query_cost(self) -> QueryCost:
        """What questions cost."""
        return self.prices.with_prices([goal.price for goal in self.goals.values()])

    @cached_property
    def teammate_policies(self) -> tuple[Policy, ...] | None:
        """How the teammate pursues each goal, None for UROPs."""
        found = self.policy.made(self.teammate.model, {name: goal.teammate for name, goal in self.goals.items()})
        return None if found is None else tuple(found)

    def problem(self) -> StatedProblem:
        """Return the problem that the file states."""
        return StatedProblem(self)


class StatedProblem(FactoredProblem):
    """Two models and shared goals as a file states them; equal to another one if their files are."""

    def __init__(self, file: ProblemFile) -> None:
        self.file = file
        goals = file.goals
        try:
            super().__init__(
                goals=list(goals),
                prior=file.prior,
                teammate_model=file.teammate.model,
                teammate_goals=[list(goal.teammate) for goal in goals.values()],
                ego_model=_ego_model(file),
                ego_goals=[list(goal.ego) for goal in goals.values()],
                start=(file.teammate.start, file.ego.start),
                query_cost=file.query_cost,
                groups=file.groups,
                teammate_policies=file.teammate_policies,
                answers=file.answers,
            )
        except InputError as error:
            # All else was checked when the file was read; policies are made and checked only when they are needed.
            where = error.field.replace("teammate_policies", "teammate.policy", 1)
            raise InputError(where, error.found, error.expected) from None

    def __eq__(self, other: object) -> bool:
        return self.file == other.file if isinstance(other, StatedProblem) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # files hold dictionaries


def _ego_model(file: ProblemFile) -> Model:
    """Return the ego agent's model: the teammate's own where both are the same, so that everybody can see that."""
    return file.teammate.model if same_model(file.teammate, file.ego) else file.ego.model


# -- reading -----------------------------------------------------------------------------------------------------


def _read(root: Field) -> ProblemFile:
    root.object()
    if root.has("format"):
        # First, so that a file of another version is told that, not that its keys are unknown.
        root.child("format").text([FORMAT])
    root.object(REQUIRED, OPTIONAL)
    if isinstance(root.value["teammate"], dict) and "pddl" in root.value["teammate"]:
        from askwise.domains.stated.plans import with_graph

        root = with_graph(root)
    name = read_name(root.child("name")) if root.has("name") else ""
    teammate = read_side(root.child("teammate"), ("policy",), by_rank=True)
    ego = read_side(root.child("ego"), by_rank=True)
    goals = read_goals(root.child("goals"), teammate, ego)
    targets = {each: goal.teammate for each, goal in goals.items()}
    side = root.child("teammate")
    policy = read_policy(side.child("policy"), teammate, targets) if side.has("policy") else PolicyChoice()
    return ProblemFile(
        contents=_contents(root.value, policy),
        teammate=teammate,
        ego=ego,
        goals=goals,
        name=name,
        prices=read_prices(root),
        answers=read_answers(root),
        groups=read_groups(root, goals),
        policy=policy,
        words=words_from(name, read_words(root)),
    )


def _contents(value: Mapping[str, Any], policy: PolicyChoice) -> dict[str, Any]:
    """Return what was written, with the rows of a table that is another file."""
    contents: dict[str, Any] = copy_data(value)
    if policy.kind == "table":
        contents["teammate"]["policy"] = {"table": rows_to_json(policy.rows)}
    return contents

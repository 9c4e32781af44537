"""Problem files, ``askwise/problem@1``, in JSON or TOML.

A problem file states a graph or drawn map for each agent, and the agents' common goals::

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

An edge is ``[state, action, next state]``. In a map, ``#`` is a wall, ``.`` a free cell, and a letter marks a free
cell. A goal states where the teammate and the ego agent have reached it. ``name``, ``query_cost``, ``answers``,
``groups``, ``words``, a goal's ``weight`` and ``price`` and the teammate's ``policy`` are optional.

Everything is checked when the file is read, except a policy's probabilities. They are checked when the problem is made:
they must sum to 1, and the policy must lead to the goals.
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

FORMAT = "askwise/problem@1"
REQUIRED = ("format", "teammate", "ego", "goals")
OPTIONAL = ("name", "query_cost", "answers", "groups", "words")


@dataclass(frozen=True)
class ProblemFile:
    """The checked contents of a problem file; two objects are equal if their contents are equal.

    Attributes:
        contents: JSON-compatible data that need no other file.
        teammate: the teammate's graph or map, and start.
        ego: the ego agent's graph or map, and start.
        goals: the goals by name.
        name: the problem's name; may be empty.
        prices: the prices of questions; `goals` has those of single goals.
        answers: how often answers are wrong or missing.
        groups: the goals in each group, by name.
        policy: the teammate's kind of policy.
        words: the words for agents and goals.
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
        """Return the checked contents of a problem file; raise InputError if they are not valid.

        Args:
            path: path of the file, JSON or TOML.
        """
        where, text = Path(path), read_text(path)
        data = parse_text(text, toml=where.suffix.lower() == ".toml")
        return cls.from_json(Field("", data, where.parent))

    @classmethod
    def from_json(cls, data: Any) -> ProblemFile:
        """Return the checked contents of a problem file; raise InputError if they are not valid.

        Args:
            data: JSON-compatible data, or a `Field`. Only a `Field` with a folder may refer to other files.
        """
        return _read(data if isinstance(data, Field) else Field("", data))

    def to_json(self) -> dict[str, Any]:
        """Return the contents as JSON-compatible data, from which `from_json` makes an equal `ProblemFile`.

        The data refer to no other files.
        """
        contents: dict[str, Any] = copy_data(self.contents)
        return contents

    def save(self, path: str | Path) -> None:
        """Write the contents to a file: as TOML if its name ends in ``.toml``, otherwise as JSON.

        The file appears as a whole or, if writing fails, not at all; an existing file is replaced.
        """
        write = toml_text if Path(path).suffix.lower() == ".toml" else json_text
        text = write(self.to_json())
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    @property
    def prior(self) -> FloatArray:
        """The probability of each goal, ``float64 [n_goals]``: its weight divided by the sum of all weights.

        Weights that already sum to 1, except for rounding, are not changed.
        """
        weights = np.array([goal.weight for goal in self.goals.values()], dtype=np.float64)
        with np.errstate(over="ignore"):
            already = abs(weights.sum() - 1) <= PRIOR_TOLERANCE
        return weights if already else normalised(weights)

    @property
    def query_cost(self) -> QueryCost:
        """The prices of questions, including the prices that single goals have of their own."""
        return self.prices.with_prices([goal.price for goal in self.goals.values()])

    @cached_property
    def teammate_policies(self) -> tuple[Policy, ...] | None:
        """The teammate's policy for each goal, in the order of the goals.

        None if the file states no policy or the kind ``urop``. Then the teammate follows UROPs (uniformly random
        optimal policies), which draw one of all shortest paths.
        """
        found = self.policy.made(self.teammate.model, {name: goal.teammate for name, goal in self.goals.items()})
        return None if found is None else tuple(found)

    def problem(self) -> StatedProblem:
        """Return the problem that the file describes, which agents can play.

        Raises InputError if the file states a policy of the teammate that is not valid, such as one that does not lead
        to its goal.
        """
        return StatedProblem(self)


class StatedProblem(FactoredProblem):
    """The problem that a `ProblemFile` describes; two problems are equal if their files are equal.

    Raises InputError if the policy that the file states for the teammate is not valid.

    Args:
        file: the checked contents of the file, kept as the attribute `file`.
    """

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
            # Everything else was checked when the file was read; policies are made only when they are needed.
            where = error.field.replace("teammate_policies", "teammate.policy", 1)
            raise InputError(where, error.found, error.expected) from None

    def __eq__(self, other: object) -> bool:
        return self.file == other.file if isinstance(other, StatedProblem) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # files hold dictionaries


def _ego_model(file: ProblemFile) -> Model:
    """Return the ego agent's model; if the teammate's model is equal, return the teammate's model object instead.

    Callers can then use ``is`` to find out whether the two models are equal.
    """
    return file.teammate.model if same_model(file.teammate, file.ego) else file.ego.model


# -- reading -----------------------------------------------------------------------------------------------------


def _read(root: Field) -> ProblemFile:
    root.object()
    if root.has("format"):
        # First, so that the message for a file of another version names the version, not an unknown key.
        root.child("format").text([FORMAT])
    root.object(REQUIRED, OPTIONAL)
    planned = isinstance(root.value["teammate"], dict) and "pddl" in root.value["teammate"]
    if planned:
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
        words=read_words(root, name, walks="gets" if planned else PLAIN.walks),
    )


def _contents(value: Mapping[str, Any], policy: PolicyChoice) -> dict[str, Any]:
    """Return the contents of a problem file in a form that needs no other file.

    If the policy is a table, which may be in a CSV file, its rows from `policy` are included.
    """
    contents: dict[str, Any] = copy_data(value)
    if policy.kind == "table":
        contents["teammate"]["policy"] = {"table": rows_to_json(policy.rows)}
    return contents

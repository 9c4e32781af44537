"""What a study is: instances, and the conditions (prior, teammate, answers, costs, method) that each is played in.

A study is a value: frozen, complete, comparable, the same whether it came from a file, from flags or from Python. Its
`fingerprint` names it, and everything random in it comes from its seed and the numbers of the instance and the
episode alone. So each instance with all its conditions is a `Task` that can be played anywhere, in any order, and
always gives the same rows. All conditions of an instance share, for one prior and teammate, the goal and the teammate's
path: differences between methods are differences of the methods.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.problem import Problem
from askwise.core.questions import QueryCost
from askwise.core.teammates import may_err
from askwise.methods import AGENTS, Agent, agent_for, make_agent
from askwise.studies.schema.instances import Generated, Given
from askwise.workers.limits import Limits

FROM_FILE = "file"
"""The prior that means: the one that the instance's own file states."""


@dataclass(frozen=True)
class Method:
    """An agent by name, with its options, under the label that tables and figures show."""

    name: str
    label: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether the method is part of askwise."""
        return self.name in AGENTS

    def make(self) -> Agent:
        """Return a new agent."""
        return make_agent(self.name, **dict(self.options))

    def make_for(self, problem: Problem, teammate: str) -> Agent:
        """Return a new agent that plays a problem beside a teammate, with the defaults that go with both."""
        return agent_for(problem, self.name, errs=may_err(problem, teammate), **dict(self.options))

    def describe(self) -> dict[str, Any]:
        """Return the method as it stands in a study file."""
        return {"name": self.name, "label": self.label, **dict(self.options)}


@dataclass(frozen=True)
class StudyPrior:
    """A prior of a study under the label that tables and figures show."""

    label: str
    kind: str
    temperature: float = 1.0

    @property
    def chosen_kind(self) -> str | None:
        """The kind that the domain is asked for; None leaves each instance its own prior."""
        return None if self.kind == FROM_FILE else self.kind

    def describe(self) -> dict[str, Any]:
        """Return the prior as it stands in a study file."""
        return {"kind": self.kind, "temperature": self.temperature, "label": self.label}


@dataclass(frozen=True)
class Condition:
    """One combination that every instance is played in.

    A cost or answers of None are those in the instance's file.
    """

    prior: StudyPrior
    teammate: str
    base_cost: float | None
    per_station_cost: float | None
    method: Method
    answers: AnswerModel | None = None

    @property
    def teammate_label(self) -> str:
        """The teammate as tables and figures show it: how it walks and, if the study says so, how it answers."""
        return self.teammate if self.answers is None else f"{self.teammate}, {self.answers}"

    def query_cost(self, own: QueryCost) -> QueryCost:
        """Return what questions cost in this condition, on an instance with prices of its own."""
        base = own.base if self.base_cost is None else self.base_cost
        return replace(own, base=base) if self.per_station_cost is None else QueryCost(base, self.per_station_cost)


@dataclass(frozen=True)
class Exactly:
    """Where expected costs are computed exactly, beside the episodes: on the first instances, under some priors."""

    instances: int = 0
    priors: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return this as it stands in a study file."""
        return {"instances": self.instances, "priors": list(self.priors)}


@dataclass(frozen=True)
class Study:
    """Everything that decides what is played.

    ``bounds`` is the number of instances, from the first, for which a lower bound is computed as well.
    """

    name: str
    title: str
    seed: int
    episodes: int
    instances: Generated | Given
    priors: tuple[StudyPrior, ...]
    teammates: tuple[str, ...]
    base_costs: tuple[float | None, ...]
    per_station_costs: tuple[float | None, ...]
    methods: tuple[Method, ...]
    max_steps: int | None = None
    bounds: int = 0
    exact: Exactly = Exactly()
    answers: tuple[AnswerModel | None, ...] = (None,)
    limits: Limits = field(default=Limits(), compare=False)
    """How it is run, like the number of workers: two studies that differ in nothing else are the same."""

    def describe(self) -> dict[str, Any]:
        """Return the whole study as plain data."""
        # Not written down where nobody said anything about answers: earlier versions did not, and a study is the same.
        said = {} if self.answers == (None,) else {"answers": [str(model) for model in self.answers]}
        return {
            "name": self.name,
            "title": self.title,
            "seed": self.seed,
            "episodes": self.episodes,
            "max_steps": self.max_steps,
            "instances": self.instances.describe(),
            "priors": [prior.describe() for prior in self.priors],
            "teammates": list(self.teammates),
            "base_costs": list(self.base_costs),
            "per_station_costs": list(self.per_station_costs),
            "methods": [method.describe() for method in self.methods],
            "bounds": self.bounds,
            "exact": self.exact.describe(),
            **said,
        }

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly this study."""
        plain = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(plain.encode()).hexdigest()[:16]

    @property
    def domain(self) -> str:
        """The name of the domain that the instances are of."""
        return self.instances.domain

    @property
    def n_tasks(self) -> int:
        """How many tasks there are: one for each instance."""
        return self.instances.count

    @property
    def episodes_per_task(self) -> int:
        """How many episodes each task plays."""
        costs = len(self.base_costs) * len(self.per_station_costs)
        company = len(self.teammates) * len(self.answers)
        return self.episodes * len(self.priors) * company * costs * len(self.methods)

    def task(self, index: int) -> Task:
        """Return the task for one instance."""
        source = self.instances
        own = source if isinstance(source, Generated) else source.instances[index]
        # The other instances stay at home.
        return Task(index, replace(self, instances=Given((), (), source.domain)), own)


@dataclass(frozen=True)
class Task:
    """One instance with all its conditions: the piece of work that travels."""

    index: int
    study: Study
    source: Generated | Any

    def instance(self) -> Any:
        """Return the instance, drawn from the study's seed unless it was given."""
        return self.source.parameters.draw(self._seed(0)) if isinstance(self.source, Generated) else self.source

    def episode_seed(self, episode: int) -> np.random.SeedSequence:
        """Return the seed that all conditions share in this episode."""
        return self._seed(1 + episode)

    def _seed(self, number: int) -> np.random.SeedSequence:
        # Counted by hand instead of spawned: a task knows its seeds without knowing the other tasks.
        return np.random.SeedSequence(self.study.seed, spawn_key=(self.index, number))

    def conditions(self) -> Iterator[Condition]:
        """Iterate over the conditions, costs and methods innermost: these share what depends on the prior."""
        study = self.study
        for prior in study.priors:
            for teammate, answers in product(study.teammates, study.answers):
                for base in study.base_costs:
                    for per_station in study.per_station_costs:
                        for method in study.methods:
                            yield Condition(prior, teammate, base, per_station, method, answers)


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings in which two described studies differ."""
    return [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]

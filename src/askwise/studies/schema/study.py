"""A study: instances, and the conditions (prior, teammate, answers, costs, method) in which each of them is played.

A study is an immutable value, the same whether it came from a file, from options or from Python. Its `fingerprint`
identifies it. All randomness comes from its seed, the number of the instance and the number of the episode. Each
instance with all its conditions is therefore a `Task` that can be played anywhere, in any order, and always gives the
same rows. For one prior and teammate, all conditions of an instance share the goal and the teammate's path, so that
differences in their results are due to the methods.
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
from askwise.workers.heartbeat import Limits

FROM_FILE = "file"
"""The prior of a study that stands for the prior in each instance's file."""


@dataclass(frozen=True)
class Method:
    """A method that a study plays: an agent with options and a label.

    Attributes:
        name: the name of the method, or the location of the user's own agent, such as ``mine.py:Likeliest``.
        label: the name in tables and figures.
        options: the options of the agent, as pairs of name and value.
    """

    name: str
    label: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether the method is part of askwise."""
        return self.name in AGENTS

    def make(self) -> Agent:
        """Return a new agent with the options of the method."""
        return make_agent(self.name, **dict(self.options))

    def make_for(self, problem: Problem, teammate: str) -> Agent:
        """Return a new agent for a problem and a teammate.

        Options that the method does not state have defaults that suit problem and teammate: for instance, a belief
        that allows for errors if the teammate makes errors.

        Args:
            problem: the problem that the agent is going to play.
            teammate: the name of the teammate, such as ``noisy:0.1``.
        """
        return agent_for(problem, self.name, errs=may_err(problem, teammate), **dict(self.options))

    def describe(self) -> dict[str, Any]:
        """Return the method as an entry of the list ``methods`` in a study file: its name, label and options."""
        return {"name": self.name, "label": self.label, **dict(self.options)}


@dataclass(frozen=True)
class StudyPrior:
    """A prior over the goals, as a study states it.

    Attributes:
        label: the name in tables and figures.
        kind: a kind of prior that the domain knows, such as ``far``; or `FROM_FILE` for the prior in each instance's
            file.
        temperature: the temperature of the prior; the higher it is, the more uniform the prior.
    """

    label: str
    kind: str
    temperature: float = 1.0

    @property
    def chosen_kind(self) -> str | None:
        """The kind of prior, such as ``far``; None if each instance keeps the prior in its file."""
        return None if self.kind == FROM_FILE else self.kind

    def describe(self) -> dict[str, Any]:
        """Return the prior as an entry of the list ``priors`` in a study file: its kind, temperature and label."""
        return {"kind": self.kind, "temperature": self.temperature, "label": self.label}


@dataclass(frozen=True)
class Condition:
    """One combination of settings in which every instance of a study is played.

    Attributes:
        prior: the prior over the goals.
        teammate: the name of the teammate, such as ``noisy:0.1``.
        base: the price of a question before any goal is named, None for the price in the instance's file.
        per_goal: the price of each goal named in a question, None for the price in the instance's file.
        method: the method that plays.
        answers: the answer model, None for the model in the instance's file.
    """

    prior: StudyPrior
    teammate: str
    base: float | None
    per_goal: float | None
    method: Method
    answers: AnswerModel | None = None

    @property
    def teammate_label(self) -> str:
        """The teammate in tables and figures: its name and, if the study states one, its answer model."""
        return self.teammate if self.answers is None else f"{self.teammate}, {self.answers}"

    def query_cost(self, own: QueryCost) -> QueryCost:
        """Return the price of questions in this condition.

        Args:
            own: the price in the instance's file, which holds where the condition states none.
        """
        base = own.base if self.base is None else self.base
        return replace(own, base=base) if self.per_goal is None else QueryCost(base, self.per_goal)


@dataclass(frozen=True)
class Exactly:
    """The instances and priors for which a study also computes expected costs exactly, in addition to playing episodes.

    Attributes:
        instances: the number of instances, counted from the first.
        priors: the labels of the priors.
    """

    instances: int = 0
    priors: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return the entry ``exact`` of a study file, a dict with the keys ``instances`` and ``priors``."""
        return {"instances": self.instances, "priors": list(self.priors)}


@dataclass(frozen=True)
class Study:
    """A study: instances, and the conditions in which each of them is played.

    Attributes:
        name: the name, also that of the folder of results.
        title: the title of the report.
        seed: the seed of all random numbers.
        episodes: the number of episodes for each instance and condition.
        instances: where the problems of the study come from: drawn at random, or read from files.
        priors: the priors over the goals.
        teammates: the names of the teammates.
        base: the prices of a question before any goal is named; None stands for the price in each instance's
            file.
        per_goal: the prices of each goal named in a question; None as in `base`.
        methods: the methods to compare, each of which decides for the ego agent.
        max_steps: the number of steps after which an episode is cut off, None for the default.
        bounds: the number of instances, counted from the first, for which a lower bound of all methods' costs is
            computed.
        exact: the instances and priors for which expected costs are computed exactly.
        answers: the answer models; None stands for the model in each instance's file.
        limits: the limits of time and memory for agents.
    """

    name: str
    title: str
    seed: int
    episodes: int
    instances: Generated | Given
    priors: tuple[StudyPrior, ...]
    teammates: tuple[str, ...]
    base: tuple[float | None, ...]
    per_goal: tuple[float | None, ...]
    methods: tuple[Method, ...]
    max_steps: int | None = None
    bounds: int = 0
    exact: Exactly = Exactly()
    answers: tuple[AnswerModel | None, ...] = (None,)
    limits: Limits = field(default=Limits(), compare=False)
    """Limits of a run. Studies that differ only in their limits are equal, and have the same fingerprint."""

    def describe(self) -> dict[str, Any]:
        """Return all settings of the study except its limits, as JSON-compatible data with the keys of a study file."""
        # Left out if the study states no answers, so that its fingerprint is the same as in earlier versions.
        answers = {} if self.answers == (None,) else {"answers": [str(model) for model in self.answers]}
        return {
            "name": self.name,
            "title": self.title,
            "seed": self.seed,
            "episodes": self.episodes,
            "max_steps": self.max_steps,
            "instances": self.instances.describe(),
            "priors": [prior.describe() for prior in self.priors],
            "teammates": list(self.teammates),
            "base": list(self.base),
            "per_goal": list(self.per_goal),
            "methods": [method.describe() for method in self.methods],
            "bounds": self.bounds,
            "exact": self.exact.describe(),
            **answers,
        }

    @cached_property
    def fingerprint(self) -> str:
        """A checksum of all settings except the limits, which identifies the study.

        It has 16 hexadecimal digits.
        """
        plain = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(plain.encode()).hexdigest()[:16]

    @property
    def domain(self) -> str:
        """The name of the domain of the instances."""
        return self.instances.domain

    @property
    def n_tasks(self) -> int:
        """The number of tasks. A task is one instance with all conditions, so there are as many as instances."""
        return self.instances.count

    @property
    def episodes_per_task(self) -> int:
        """The number of episodes on each instance, in all conditions together."""
        costs = len(self.base) * len(self.per_goal)
        company = len(self.teammates) * len(self.answers)
        return self.episodes * len(self.priors) * company * costs * len(self.methods)

    def task(self, index: int) -> Task:
        """Return the task of an instance: the instance with all conditions, which any process or machine can play.

        `index` is the number of the instance, from 0.
        """
        source = self.instances
        own = source if isinstance(source, Generated) else source.instances[index]
        # A task does not contain the other instances: it is sent to other processes and machines.
        return Task(index, replace(self, instances=Given((), (), source.domain)), own)


@dataclass(frozen=True)
class Task:
    """One instance with all conditions of a study: the unit of work that is sent to other processes and machines.

    Attributes:
        index: the number of the instance, from 0.
        study: the study, without its instances.
        source: the instance, or a description of random instances to draw it from.
    """

    index: int
    study: Study
    source: Generated | Any

    def instance(self) -> Any:
        """Return the instance: `source` itself, or drawn as `source` describes, from the study's seed and `index`."""
        return self.source.parameters.draw(self._seed(0)) if isinstance(self.source, Generated) else self.source

    def episode_seed(self, episode: int) -> np.random.SeedSequence:
        """Return the seed of the episode with the number `episode`; it is the same in all conditions."""
        return self._seed(1 + episode)

    def _seed(self, number: int) -> np.random.SeedSequence:
        # Not spawned from the study's seed: a task must not need to know how many seeds other tasks spawned.
        return np.random.SeedSequence(self.study.seed, spawn_key=(self.index, number))

    def conditions(self) -> Iterator[Condition]:
        """Yield all conditions of the study, in an order in which prices and methods vary fastest.

        Conditions that differ only in prices and methods can share tables that depend on the prior.
        """
        study = self.study
        for prior in study.priors:
            for teammate, answers in product(study.teammates, study.answers):
                for base in study.base:
                    for per_goal in study.per_goal:
                        for method in study.methods:
                            yield Condition(prior, teammate, base, per_goal, method, answers)


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings in which two studies differ.

    Args:
        ours: the settings of one study, from `Study.describe`.
        theirs: the settings of the other study.
    """
    return [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]

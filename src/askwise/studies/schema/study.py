"""A study: problem instances, and the conditions in which each of them is played.

A condition combines a prior over the goals, a teammate, an answer model, prices of questions, and a method. A `Study`
is immutable; its `fingerprint` identifies it.

A `Task` is one instance with all conditions. Apart from computing times, its results are the same on any machine and in
any order: randomness depends only on the study's seed and the numbers of instance and episode. In one episode,
conditions with the same prior and teammate share the goal and the teammate's path.
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
    """A method that a study compares with others.

    Attributes:
        name: the name of an agent, such as ``planner``, or the location of a user's agent, such as
            ``mine.py:Likeliest``.
        label: the name of the method in tables and figures.
        options: the agent's options, as pairs of name and value.
    """

    name: str
    label: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether the method is part of askwise, not one of another package or of the user."""
        return self.name in AGENTS

    def make(self) -> Agent:
        """Return a new agent that plays by this method, with the options of the method."""
        return make_agent(self.name, **dict(self.options))

    def make_for(self, problem: Problem, teammate: str) -> Agent:
        """Return a new agent that plays by this method, with a belief that suits the teammate.

        If the method's options state a belief, it is used. Otherwise, the belief is ``robust`` if the teammate may make
        errors or the problem states the teammate's policies. Agents without an option for the belief keep their own.

        Args:
            problem: the problem.
            teammate: the teammate's name, such as ``noisy:0.1``.
        """
        return agent_for(problem, self.name, errs=may_err(problem, teammate), **dict(self.options))

    def describe(self) -> dict[str, Any]:
        """Return the method as a study file states it: a dict with ``name``, ``label`` and the options by name."""
        return {"name": self.name, "label": self.label, **dict(self.options)}


@dataclass(frozen=True)
class StudyPrior:
    """A prior over the goals, as a study states it.

    Attributes:
        label: the name of the prior in tables and figures.
        kind: a kind of prior that the domain knows, such as ``far``; `FROM_FILE` for the prior in each instance's file.
        temperature: the temperature of the prior; higher values make it more uniform.
    """

    label: str
    kind: str
    temperature: float = 1.0

    @property
    def chosen_kind(self) -> str | None:
        """The kind of prior, such as ``far``; None if each instance keeps the prior in its own file."""
        return None if self.kind == FROM_FILE else self.kind

    def describe(self) -> dict[str, Any]:
        """Return the prior as a study file states it: a dict with ``kind``, ``temperature`` and ``label``."""
        return {"kind": self.kind, "temperature": self.temperature, "label": self.label}


@dataclass(frozen=True)
class Condition:
    """A condition in which a study plays each instance.

    If `base`, `per_goal` or `answers` is None, the instance's own value holds.

    Attributes:
        prior: the prior over the goals.
        teammate: the teammate's name, such as ``noisy:0.1``.
        base: fixed part of the price of a question.
        per_goal: price of each goal in a question.
        method: the method of the ego agent.
        answers: model of wrong or refused answers.
    """

    prior: StudyPrior
    teammate: str
    base: float | None
    per_goal: float | None
    method: Method
    answers: AnswerModel | None = None

    @property
    def teammate_label(self) -> str:
        """The teammate as tables and figures show it: its name and, unless `answers` is None, the answer model."""
        return self.teammate if self.answers is None else f"{self.teammate}, {self.answers}"

    def query_cost(self, own: QueryCost) -> QueryCost:
        """Return the prices of questions in this condition.

        Args:
            own: the prices that the instance states. They hold where `base` or `per_goal` of the condition is None.
        """
        base = own.base if self.base is None else self.base
        return replace(own, base=base) if self.per_goal is None else QueryCost(base, self.per_goal)


@dataclass(frozen=True)
class Exactly:
    """The instances and priors for which a study computes exact expected costs.

    Attributes:
        instances: how many instances, from the first one on.
        priors: the labels of the priors.
    """

    instances: int = 0
    priors: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return the entry ``exact`` of a study file: a dict with the keys ``instances`` and ``priors``."""
        return {"instances": self.instances, "priors": list(self.priors)}


@dataclass(frozen=True)
class Study:
    """A study: problem instances, and the conditions in which each of them is played.

    Conditions are all combinations of `priors`, `teammates`, `answers`, `base`, `per_goal` and `methods`. In `base`,
    `per_goal` and `answers`, None stands for each instance's own value.

    Attributes:
        name: name of the study and of its folder.
        title: title of the report.
        seed: seed of all random numbers.
        episodes: number per instance and condition.
        instances: the problems.
        priors: priors over the goals.
        teammates: names, such as ``noisy:0.1``.
        base: fixed parts of the price of a question.
        per_goal: prices of each goal in a question.
        methods: methods of the ego agent.
        max_steps: step limit of episodes; None for far more than needed.
        bounds: how many instances, from the first on, get a lower bound on all methods' costs.
        exact: instances and priors with exact expected costs.
        answers: models of wrong or refused answers.
        limits: time and memory limits of agents.
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
        """Return all settings of the study except `limits`, as JSON-compatible data with the keys of a study file."""
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
        """A text of 16 hexadecimal digits that identifies the study: a checksum of all settings except `limits`."""
        plain = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(plain.encode()).hexdigest()[:16]

    @property
    def domain(self) -> str:
        """The name of the domain (the kind of problem) to which the instances belong, such as ``tool-fetching``."""
        return self.instances.domain

    @property
    def n_tasks(self) -> int:
        """The number of tasks. A task is one instance with all conditions, so each instance has one task."""
        return self.instances.count

    @property
    def episodes_per_task(self) -> int:
        """The number of episodes that are played on each instance, in all conditions together."""
        costs = len(self.base) * len(self.per_goal)
        company = len(self.teammates) * len(self.answers)
        return self.episodes * len(self.priors) * company * costs * len(self.methods)

    def task(self, index: int) -> Task:
        """Return the task of one instance: this instance with all conditions. Any process or machine can play it.

        Args:
            index: the number of the instance, from 0.
        """
        source = self.instances
        own = source if isinstance(source, Generated) else source.instances[index]
        # A task does not contain the other instances: it is sent to other processes and machines.
        return Task(index, replace(self, instances=Given((), (), source.domain)), own)


@dataclass(frozen=True)
class Task:
    """One problem instance with all conditions of a study: a unit of work for any process or machine.

    Attributes:
        index: the number of the instance, from 0.
        study: the study without its instances.
        source: the instance, or a `Generated` from which the method `instance` draws it.
    """

    index: int
    study: Study
    source: Generated | Any

    def instance(self) -> Any:
        """Return the problem instance of this task.

        It is `source` itself or, if `source` is a `Generated`, a random instance that depends only on the study's seed
        and `index`.
        """
        return self.source.parameters.draw(self._seed(0)) if isinstance(self.source, Generated) else self.source

    def episode_seed(self, episode: int) -> np.random.SeedSequence:
        """Return the seed of an episode of this instance. All conditions have the same seed.

        Args:
            episode: the number of the episode, from 0.
        """
        return self._seed(1 + episode)

    def _seed(self, number: int) -> np.random.SeedSequence:
        # Not spawned from the study's seed: a task must not need to know how many seeds other tasks spawned.
        return np.random.SeedSequence(self.study.seed, spawn_key=(self.index, number))

    def conditions(self) -> Iterator[Condition]:
        """Yield all conditions of the study; methods vary fastest, then prices.

        Successive conditions can therefore share the tables that depend on the prior.
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
        ours: the settings of one study, as `Study.describe` returns them.
        theirs: the settings of the other study, in the same form.
    """
    return [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]

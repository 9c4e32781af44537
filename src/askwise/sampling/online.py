"""Goal recognition while an episode runs: the posterior over goals, by Bayes' rule, one action at a time.

The posterior of goal ``g`` is proportional to ``prior(g) * product over steps of pi_g(action | observation)``, where
``pi_g`` is the policy of an agent that pursues ``g``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np

from askwise.core.belief import ContradictoryObservation
from askwise.core.problem import checked_prior
from askwise.divergence.evidence import TIE
from askwise.errors import InputError, did_you_mean
from askwise.sampling.policies import Lanes, VectorPolicy, as_follower, checked_probabilities, is_stable_baselines
from askwise.types import BoolArray, FloatArray


class OnlineRecogniser:
    """The probability of each goal, updated with every action in an episode; `recognise_online` makes one.

    Attributes:
        goals: names of the goals.
        steps: number of actions seen in this episode.

    Args:
        policies: the policy of each goal by its name.
        prior: probabilities of the goals, by name or in order; uniform if None.
    """

    def __init__(self, policies: Mapping[str, Any], prior: Any = None) -> None:
        self.goals = tuple(policies)
        self._policies = [_Likelihood(policy, name) for name, policy in policies.items()]
        with np.errstate(divide="ignore"):
            self._prior = np.log(checked_prior(prior, self.goals))
        self.reset()

    def reset(self) -> dict[str, float]:
        """Begin a new episode and return the prior, the probability of each goal by its name."""
        self.steps = 0
        self._weights: FloatArray = self._prior.copy()
        self._evidence = np.zeros(len(self.goals))
        for policy in self._policies:
            policy.reset()
        return self.posterior

    @property
    def posterior(self) -> dict[str, float]:
        """The current probability of each goal, as a dict from the name of the goal."""
        return dict(zip(self.goals, self.probabilities.tolist(), strict=True))

    @property
    def probabilities(self) -> FloatArray:
        """The current probability of each goal, ``float64 [n_goals]``, by goal index."""
        weights = np.exp(self._weights - self._weights.max())
        return np.asarray(weights / weights.sum())

    @property
    def likeliest(self) -> str:
        """The name of the likeliest goal; if several are equally likely, the first of them."""
        return self.goals[int(self._weights.argmax())]

    def possible(self, evidence: float = 0.05) -> BoolArray:
        """Return which goals are not ruled out, ``bool [n_goals]``.

        A goal is ruled out by a prior of 0, by an answer, or if its policy makes the actions at most `evidence` times
        as likely as the best policy. With ``n`` goals, actions ever rule out the true one with a probability of at most
        ``(n - 1) * evidence``.
        """
        if not 0 <= evidence < 1:
            raise InputError("evidence", evidence, "a number from 0, below 1")
        limit = math.log(evidence) + TIE if evidence else -math.inf
        allowed = self._weights > -math.inf
        best = self._evidence[allowed].max()
        return np.asarray(allowed & (self._evidence - best > limit))

    def update(self, observation: Any, action: Any) -> dict[str, float]:
        """Update the probabilities of the goals by an observed action; return the new probabilities by name of goal.

        Args:
            observation: what the policies saw before the action.
            action: the action that the observed agent took.
        """
        found = np.array([policy.log_prob(observation, action) for policy in self._policies])
        weights = self._weights + found
        if weights.max() == -math.inf:
            raise ContradictoryObservation(f"action {action!r} in step {self.steps + 1} is impossible under every goal")
        self._weights, self._evidence = weights, self._evidence + found
        self.steps += 1
        return self.posterior

    def learn(self, asked: Iterable[str], answer: bool) -> dict[str, float]:
        """Update the probabilities of the goals by the true answer to a question; return the new ones by name of goal.

        Args:
            asked: names of the goals in "is your goal one of these?".
            answer: True for yes, False for no.
        """
        names = list(asked)
        for name in names:
            if name not in self.goals:
                allowed = f"some of {', '.join(self.goals)}"
                raise InputError("asked", repr(name), allowed + did_you_mean(str(name), self.goals))
        kept = np.isin(self.goals, names) == answer
        weights = np.where(kept, self._weights, -math.inf)
        if weights.max() == -math.inf:
            raise ContradictoryObservation("the answer rules out every goal that was still possible")
        self._weights = weights
        return self.posterior


class _Likelihood:
    """Computes the log likelihood of each action in an episode under one policy, of any kind, action by action.

    `name` is the name of the policy's goal for error messages.
    """

    def __init__(self, policy: Any, name: str) -> None:
        self.field = f"policy of {name!r}"
        self.policy, self.network = policy, is_stable_baselines(policy)
        self.follower: Any = None
        if self.network:
            self.follower = as_follower(policy, name, policy.action_space, 1)
        elif callable(getattr(policy, "log_prob", None)):
            space = gymnasium.spaces.Discrete(1)
            self.follower = as_follower(policy, name, space, 1)
        elif not callable(policy) and not isinstance(policy, VectorPolicy):
            as_follower(policy, name, gymnasium.spaces.Discrete(1), 1)  # it raises the error

    def reset(self) -> None:
        self.starting = True

    def log_prob(self, observation: Any, action: Any) -> float:
        starting, self.starting = self.starting, False
        if self.network:
            return self._network(observation, action, starting)
        if self.follower is not None:
            own = self.follower.lanes[0]
            if starting and self.follower.recurrent:
                own.reset()
            return float(own.log_prob(observation, action))
        row = self._row(observation)
        if not 0 <= int(action) < row.size:
            raise InputError("action", repr(action), f"a number from 0 to {row.size - 1}")
        return math.log(row[int(action)]) if row[int(action)] > 0 else -math.inf

    def _row(self, observation: Any) -> FloatArray:
        if isinstance(self.policy, VectorPolicy):
            found = np.asarray(self.policy.function(np.asarray(observation)[None]))
            return np.asarray(checked_probabilities(found, found.shape, self.field)[0])
        found = np.asarray(self.policy(observation))
        return checked_probabilities(found, found.shape if found.ndim == 1 else (found.size,), self.field)

    def _network(self, observation: Any, action: Any, starting: bool) -> float:
        # The network itself makes a batch of one, and transposes images.
        one = np.ones(1, dtype=np.bool_)
        law = self.follower.law(Lanes(observation, self.policy.observation_space, one, np.array([starting]), []))
        return float(law.log_prob(np.asarray(action)[None])[0])


def recognise_online(policies: Mapping[str, Any], prior: Any = None) -> OnlineRecogniser:
    """Return a recogniser that computes the probability of each goal while an episode runs.

    Call ``update(observation, action)`` for each step and ``reset()`` before the next episode.

    Args:
        policies: the policy of each goal by its name (kinds: see `askwise.sampling.policies`).
        prior: probabilities of the goals, by name or in order; uniform if None.
    """
    if not isinstance(policies, Mapping) or not policies:
        raise InputError("policies", type(policies).__name__, "a dict with the policy of each goal by its name")
    return OnlineRecogniser(policies, prior)

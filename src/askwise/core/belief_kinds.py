"""Beliefs: what is known of the teammate's goal after watching and asking.

- `Elimination` (the paper's): an action that is not optimal for a goal rules it out; the rest keep their prior odds.
- `Bayes`: the odds are also multiplied by how likely each goal's policy was to do what was seen. For a teammate that
  draws its plan uniformly this depends on where it is only: ``P(g | s) ~ P0(g) N_g(s) / N_g(s0)``.
- `Robust`: the teammate is allowed to do anything now and then, so watching never rules a goal out for good.

What is *possible* is kept exactly, apart from the probabilities: a goal whose probability underflows stays
possible, and a goal is known when one is possible, not when a float equals 1. Answers that cannot be wrong rule goals
out in all three; answers that can be multiply the odds by their likelihood. Then methods that work with sets of goals
reckon with those that are *credible*, at least a `CREDIBLE` part as probable as the likeliest; the others keep their
probabilities and can come back. An observation that leaves no goal raises
`ContradictoryObservation`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from askwise._compiled import compiled
from askwise.core.answers import CREDIBLE
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.types import BoolArray, FloatArray

SMALLEST = 1e-300
NEXT_TO_IMPOSSIBLE = 1e-9
"""How probable a goal has to be beside the likeliest one not to be given up for good, where nothing rules it out."""
ACTIONS_IF_UNKNOWN = 6
"""Among how many actions a teammate that errs chooses, if nobody says."""


class ContradictoryObservation(AskwiseError):  # noqa: N818 - it names what happened, as users will read it
    """Nothing that the belief thought possible explains what was seen or heard."""


class Belief(ABC):
    """Probabilities of the goals.

    Args:
        prior: ``float64 [n_goals]``, not all 0; goals of prior 0 are impossible.

    Attributes:
        weighs_answers: whether answers can be wrong; then the goals that are still credible are taken for possible.
    """

    name: str
    needs_shares = True
    """Whether it matters how probable an action was, or only whether it was possible."""
    way_out = "the teammate does not act as assumed; belief 'robust' allows for that"

    def __init__(self, prior: FloatArray) -> None:
        self._weights = np.array(prior, dtype=np.float64)
        self._allowed: BoolArray = self._weights > 0
        self._n_allowed = np.count_nonzero(self._allowed)
        self._probabilities: FloatArray | None = None  # kept until something is learnt
        self.weighs_answers = False
        if self._n_allowed == 0:
            raise InputError("prior", "no possible goal", "at least one goal of positive probability")
        self._rescale()

    @property
    def possible(self) -> BoolArray:
        """``bool [n_goals]``: the goals that are still possible; where answers can be wrong, those still credible."""
        return self._credible() if self.weighs_answers else self._allowed.copy()

    @property
    def not_ruled_out(self) -> BoolArray:
        """``bool [n_goals]``: the goals that it would be wrong to give up for good, however little credible."""
        return self._allowed.copy()

    def _credible(self) -> BoolArray:
        return np.asarray(self._allowed & (self._weights >= CREDIBLE * self._weights.max()))

    @property
    def probabilities(self) -> FloatArray:
        """``float64 [n_goals]``: probability of each goal, 0 for impossible ones."""
        if self._probabilities is None:
            weights = np.where(self._allowed if self.weighs_answers else self.possible, self._weights, 0.0)
            self._probabilities = weights / weights.sum()
            self._probabilities.setflags(write=False)
        return self._probabilities

    @abstractmethod
    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """Learn from an action of the teammate; ``likelihood[g]`` is how probable goal `g` made it.

        A belief that does not need the shares (`needs_shares`) only looks at what is above 0.
        """

    def learn(self, asked: BoolArray, answer: bool) -> None:
        """Learn the answer to "is your goal among `asked`?", which is true."""
        self._keep(asked if answer else ~asked, "the answer")

    def weigh(self, likelihood: FloatArray) -> None:
        """Learn from an answer that may be wrong; ``likelihood[g]`` is how probable goal `g` made it."""
        self._keep(likelihood > 0, "the answer")
        self._weights = self._weights * likelihood
        self._rescale()

    def _keep(self, goals: BoolArray, source: str) -> None:
        left = self._allowed & goals
        n_left = np.count_nonzero(left)
        if n_left == self._n_allowed:
            return
        if n_left == 0:
            raise ContradictoryObservation(
                f"{source} rules out every goal that was still possible under the belief {self.name!r}: {self.way_out}"
            )
        self._allowed, self._n_allowed = left, n_left
        self._rescale()

    def _rescale(self) -> None:
        """Keep the largest weight at 1 and possible ones above 0, however long the episode gets."""
        self._probabilities = None
        rescale(self._weights, self._allowed)


@compiled(work=lambda given: 2 * given.weights.size)
def rescale(weights: Any, allowed: Any) -> None:
    """Divide the weights of allowed goals by the largest, none of them to less than `SMALLEST`; set the others to 0."""
    largest = SMALLEST
    for goal in range(weights.size):
        if allowed[goal]:
            largest = max(largest, weights[goal])
    for goal in range(weights.size):
        weights[goal] = max(max(weights[goal], SMALLEST) / largest, SMALLEST) if allowed[goal] else 0.0


class Elimination(Belief):
    """Rule out what cannot be, keep the prior odds of the rest."""

    name = "elimination"
    needs_shares = False

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""
        self._keep(likelihood > 0, "an action of the teammate")


class Bayes(Belief):
    """Multiply the odds by the likelihood of every action."""

    name = "bayes"

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""
        self._keep(likelihood > 0, "an action of the teammate")
        self._weights = self._weights * likelihood
        self._rescale()


class Robust(Belief):
    """Bayes with a doubt: with probability `noise` the teammate does just anything.

    Args:
        prior: as for every belief.
        noise: how often it does.
        n_actions: among how many actions it chooses then.
        doubt: goals that explain what was seen less than this share of the best explanation are set aside. They are
            not ruled out: what the teammate does next can bring them back. The prior plays no part in that: an
            unlikely goal is set aside for what the teammate does, not for being unlikely.
    """

    name = "robust"
    way_out = "the answers contradict each other"

    def __init__(
        self, prior: FloatArray, *, noise: float = 0.1, n_actions: int = ACTIONS_IF_UNKNOWN, doubt: float = 1e-3
    ) -> None:
        super().__init__(prior)
        if not 0 < noise < 1:
            raise InputError("noise", noise, "a number above 0 and below 1")
        if not 0 < doubt < 1:
            raise InputError("doubt", doubt, "a number above 0 and below 1")
        self.noise = noise
        self.doubt = doubt
        self._slip = noise / n_actions
        self._evidence = np.ones(self._weights.size)

    @property
    def possible(self) -> BoolArray:
        """``bool [n_goals]``: the goals that have to be reckoned with now."""
        if self.weighs_answers:
            # What was seen and what was heard may speak for different goals: only both together count.
            return self._credible()
        best = self._evidence[self._allowed].max()
        return np.asarray(self._allowed & (self._evidence >= self.doubt * best))

    @property
    def not_ruled_out(self) -> BoolArray:
        """See `Belief`; nothing is ever impossible here, so what is next to impossible is left out."""
        return np.asarray(self._allowed & (self._weights >= NEXT_TO_IMPOSSIBLE * self._weights.max()))

    def observe(self, likelihood: FloatArray | BoolArray) -> None:
        """See `Belief`."""
        explained = (1 - self.noise) * likelihood + self._slip
        self._weights = self._weights * explained
        evidence = np.where(self._allowed, self._evidence * explained, 0.0)
        self._evidence = np.maximum(evidence / evidence.max(), SMALLEST)
        self._rescale()


BELIEFS: dict[str, type[Belief]] = {kind.name: kind for kind in (Elimination, Bayes, Robust)}


def make_belief(
    name: str, prior: FloatArray, *, n_actions: int = ACTIONS_IF_UNKNOWN, weighs_answers: bool = False
) -> Belief:
    """Return a new belief of that name: ``elimination``, ``bayes`` or ``robust``.

    Args:
        name: the kind of belief.
        prior: as for every belief.
        n_actions: for ``robust``, among how many actions a teammate that errs chooses.
        weighs_answers: whether answers can be wrong.
    """
    kind = belief_kind(name)
    belief = kind(prior, n_actions=n_actions) if issubclass(kind, Robust) else kind(prior)
    belief.weighs_answers = weighs_answers
    return belief


def belief_kind(name: str) -> type[Belief]:
    """Return the kind of belief of that name."""
    if name not in BELIEFS:
        allowed = "one of " + ", ".join(map(repr, BELIEFS))
        raise InputError("belief", repr(name), allowed + did_you_mean(str(name), BELIEFS))
    return BELIEFS[name]

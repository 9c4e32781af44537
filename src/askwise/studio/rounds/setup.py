"""What is played in a round, by whom: all that a round depends on but what the person does."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from askwise.errors import InputError
from askwise.text.reading import Field

if TYPE_CHECKING:
    from askwise.core.problem import Problem

ROLES = ("teammate", "ego")
ROBUST = "robust"


@dataclass(frozen=True, slots=True)
class Setup:
    """A round before its first step.

    Attributes:
        role: whom the person plays, ``teammate`` or ``ego``.
        method: how the ego agent decides if the person plays the teammate.
        teammate: how the teammate walks if the person plays the ego agent, by default as the problem says.
        goal: the teammate's goal by name, by default drawn from the prior.
        seed: of everything random; the same streams as those of `askwise.simulate`.
        belief: the belief of the method, by default `belief_beside_people`.
        answers: how questions are answered, by default as the problem says.
        max_steps: where the round is cut off, by default far beyond what anybody needs.
    """

    role: str
    method: str = "planner"
    teammate: str | None = None
    goal: str | None = None
    seed: int = 0
    belief: str | None = None
    answers: str | None = None
    max_steps: int | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError("role", repr(self.role), "one of " + ", ".join(map(repr, ROLES)))

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Field) -> Setup:
        """Read it; the words are checked where they are used."""
        optional = ("method", "teammate", "goal", "belief", "answers")
        given.object(["role"], [*optional, "seed", "max_steps"])
        texts = {key: given.child(key).text() for key in optional if given.has(key) and given.value[key] is not None}
        numbers = {}
        for key, lowest in (("seed", 0), ("max_steps", 1)):
            if given.has(key) and given.value[key] is not None:
                numbers[key] = given.child(key).whole(lowest, 2**63 - 1)
        return cls(given.child("role").text(ROLES), **texts, **numbers)  # type: ignore[arg-type]


def belief_beside_people(problem: Problem, method: str) -> str | None:
    """Return the belief with which a method plays beside a person, None for its own.

    A person does not always take a shortest way, and a belief that does not allow for that would rule out the person's
    goal for good. Methods that go on with another belief when theirs is contradicted keep it: it tells them more.
    """
    # Here, because the server itself reads setups and needs no methods.
    from askwise.methods import BeliefAgent, make_agent
    from askwise.methods.paper import Informed

    if method == Informed.name:
        return None
    made = make_agent(method)
    if not isinstance(made, BeliefAgent):
        return None
    goes_on = made.fallback is not None and problem.policies is None
    return None if goes_on else ROBUST

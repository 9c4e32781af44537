"""What askwise needs to know of a domain beyond the `Problem` that it makes.

*An instance* is what a file of the domain describes, a `Problem` is what agents play; the domain decides how the two
are related. `askwise.domains.registry` finds domains, `askwise.domains.basic` makes one from three functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from askwise.core.problem import JointState, Problem
    from askwise.text.reading import Field
    from askwise.text.wording import Vocabulary


@runtime_checkable
class Domain(Protocol):
    """A kind of problem: its name, its files, its problems, and how people call things and places in it."""

    @property
    def name(self) -> str:
        """Its name, such as ``tool-fetching``."""

    @property
    def formats(self) -> tuple[str, ...]:
        """What may stand under ``format`` in a file of this domain, such as ``askwise/tool-fetching@1``."""

    def recognises(self, given: object) -> bool:
        """Whether `given` is an instance or a problem of this domain."""

    def read(self, field: Field) -> Any:
        """Return the instance that a file, or a field that holds the same, describes; everything is checked."""

    def write(self, given: Any) -> dict[str, Any]:
        """Return the contents of the file of an instance or a problem; refuse what the file cannot hold."""

    def problem(self, given: Any, start: JointState | None = None) -> Problem:
        """Return the problem of an instance; a problem stays as it is.

        With a `start`, both agents begin there instead, and the prior is the one that goes with it. A start from which
        a goal is out of reach is refused.
        """

    def vocabulary(self, given: Any = None) -> Vocabulary:
        """Return what a problem or an instance of this domain calls things; for None, what the whole domain does.

        The words of a problem may also say where its landmarks are (`askwise.text.wording.Site`).
        """

    def parse_state(
        self, problem: Any, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """Return where both agents are, as people type it; refuse places from which no goal is in reach.

        Args:
            problem: a problem of this domain.
            teammate: the teammate's place; None for its start.
            ego: the ego agent's place; None for its start.
            holding: what the ego agent has in hand, by the name of its goal; None for empty hands.
        """

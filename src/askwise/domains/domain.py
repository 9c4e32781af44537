"""The interface of a domain: a kind of problem with its files, words and states.

An *instance* is what a file of the domain describes. A `Problem` is what agents play. The domain converts one into the
other. `askwise.domains.registry` finds domains; `askwise.domains.basic` makes one from three functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from askwise.core.problem import JointState, Problem
    from askwise.text.reading import Field
    from askwise.text.wording import Vocabulary


@runtime_checkable
class Domain(Protocol):
    """A kind of problem: its name, its files, its problems, its words, and the notation of its states."""

    @property
    def name(self) -> str:
        """The name of the domain, such as ``tool-fetching``."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The values of ``format`` in files of this domain, such as ``askwise/tool-fetching@1``."""

    def recognises(self, given: object) -> bool:
        """Whether `given` is an instance or a problem of this domain."""

    def read(self, field: Field) -> Any:
        """Return the instance that a file describes, fully checked; `field` holds the contents of the file."""

    def write(self, given: Any) -> dict[str, Any]:
        """Return the contents of the file of an instance or a problem; refuse anything that the file cannot hold."""

    def problem(self, given: Any, start: JointState | None = None) -> Problem:
        """Return the problem of an instance; a given problem is returned as it is.

        With a `start`, both agents start there instead, and the prior is computed for that start. A start from which a
        goal cannot be reached is refused.
        """

    def vocabulary(self, given: Any = None) -> Vocabulary:
        """Return the words of a problem or an instance for agents, goals and landmarks; for None, those of the domain.

        The words of a problem may also contain the positions of its landmarks (`askwise.text.wording.Site`).
        """

    def parse_state(
        self, problem: Any, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """Return the joint state that people typed; refuse states from which no goal can be reached.

        Args:
            problem: a problem of this domain.
            teammate: the teammate's place; None for its start.
            ego: the ego agent's place; None for its start.
            holding: the load of the ego agent, by the name of its goal; None for nothing.
        """

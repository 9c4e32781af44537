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
    """A kind of problem, such as tool fetching: it reads and writes files, makes problems and provides words for texts.

    This is the protocol that all domains implement, such as `BasicDomain`, `StatedDomain` and `ToolFetchingDomain`.

    An instance is the object that a file describes; a problem, which can be played, is made from it.
    """

    @property
    def name(self) -> str:
        """The name of the domain, such as ``tool-fetching``."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The values of ``format`` in files of this domain, such as ``askwise/tool-fetching@1``."""

    def recognises(self, given: object) -> bool:
        """Return whether `given` is an instance or a problem of this domain."""

    def read(self, field: Field) -> Any:
        """Return the instance that a file describes; `field` holds the contents of the file.

        Raises InputError if anything in the file is wrong.
        """

    def write(self, given: Any) -> dict[str, Any]:
        """Return the contents of a file that describes an instance or a problem.

        Raises InputError for anything that such a file cannot hold.
        """

    def problem(self, given: Any, start: JointState | None = None) -> Problem:
        """Return the problem of an instance; a given problem is returned as it is.

        With a `start`, the states of both agents, they start there instead, and the prior is computed for that start.
        Raises InputError if a goal cannot be reached from there.
        """

    def vocabulary(self, given: Any = None) -> Vocabulary:
        """Return the words for agents, goals and landmarks that texts about a problem or an instance use.

        They may also contain the positions of the problem's landmarks (`askwise.text.wording.Site`). For None, the
        words of the whole domain are returned.
        """

    def parse_state(
        self, problem: Any, teammate: str | None = None, ego: str | None = None, holding: str | None = None
    ) -> JointState:
        """Return the states of both agents that a person typed; raise InputError if an agent can reach no goal.

        Args:
            problem: a problem of this domain.
            teammate: the teammate's place; None for its start.
            ego: the ego agent's place; None for its start.
            holding: what the ego agent carries, by the name of the goal that needs it; None for nothing.
        """

"""An agent that fails, in one line: which one, in which step, and on which line of its own file.

Agents and teammates are other people's programs. Whatever they raise, `sys.exit` included, becomes an `AgentFailed`
with that line, raised from the error itself, so that nothing about it is lost (``--traceback`` prints all of it).
Three things go through:

- `KeyboardInterrupt`, and `Interruption`, with which whoever runs agents may stop them;
- `ContradictoryObservation`, which says that the teammate did what a belief cannot explain; the step is added;
- refusals in askwise's own words: an `AskwiseError` that no line of anybody else's led to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from askwise.core.belief_kinds import ContradictoryObservation
from askwise.core.game import InvalidDecision
from askwise.errors import AskwiseError
from askwise.methods.telling import files_of, message, own_line, place_of, written


class AgentFailed(AskwiseError):  # noqa: N818 - it names what happened
    """An agent or a teammate raised an error, which is the cause of this one."""


class Interruption(BaseException):
    """Stops whatever an agent does, from outside; nothing here holds it up."""


def blame(player: object, method: str, error: BaseException, t: int | None = None, kind: str = "agent") -> None:
    """Raise what an error of an agent's method becomes; return if it goes through as it is.

    To be called where the error is caught, followed by ``raise``.

    Args:
        player: the agent or teammate.
        method: which of its methods was called.
        error: what that raised.
        t: the step, None before the first.
        kind: ``agent`` or ``teammate``.
    """
    if isinstance(error, KeyboardInterrupt | Interruption | AgentFailed | InvalidDecision):
        return
    if isinstance(error, ContradictoryObservation):
        raise ContradictoryObservation(f"{_step(t)}{error}") from error
    own = own_line(error, files_of(player))
    if own is None and isinstance(error, AskwiseError | MemoryError):
        return
    place = written(own or place_of(player, method))
    raise AgentFailed(f"{_step(t)}{known_as(player, kind)} failed in {method}: {message(error)}{place}") from error


@contextmanager
def blaming(player: object, method: str, t: int | None = None, kind: str = "agent") -> Iterator[None]:
    """Blame an agent for what its method raises meanwhile; where every microsecond counts, call `blame` itself."""
    try:
        yield
    except BaseException as error:
        blame(player, method, error, t, kind)
        raise


def refuse(player: object, method: str, what: str, t: int | None = None, kind: str = "agent") -> NoReturn:
    """Refuse what a method of an agent returned."""
    raise InvalidDecision(f"{_step(t)}{known_as(player, kind)} {what}{written(place_of(player, method))}")


def known_as(player: object, kind: str = "agent") -> str:
    """Return what an agent is called, ``agent 'ezq'``; by its class if its name cannot be shown."""
    try:
        name = player.name  # type: ignore[attr-defined]
    except (Exception, SystemExit):
        name = None
    return f"{kind} {name!r}" if is_name(name) else f"{kind} {type(player).__name__!r}"


def is_name(name: object) -> bool:
    """Whether an agent may be called that: a text on one line."""
    return isinstance(name, str) and name != "" and name.isprintable()


def _step(t: int | None) -> str:
    return "" if t is None else f"step {t}: "

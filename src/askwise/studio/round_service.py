"""What worker processes of the studio do: they play rounds, one request after the other.

A request is a dictionary with the operation ``op`` and the round ``id``. The last reply to it has ``done``.

===========  =======================================================================================================
``names``    the names of all methods and teammates
``colours``  the stylesheet of the colours that have a meaning
``read``     read a problem file: its contents, what it is called, its goals
``open``     play a round from its setup and all deeds so far: the board, the state, the trails
``do``       do one deed: what came of it, at once, and then, when the robot has decided, what the round waits for
``trace``    the episode so far, as a trace
``played``   what tables and traces have of a round that is over
``explore``  what the Explore page asks for (`askwise.studio.exploring.desk`)
``review``   what it would have cost otherwise, and the page that steps through it
===========  =======================================================================================================

A request about a round that this process does not have, or not at deed ``n``, is answered ``missing``: the server then
opens the round again.
"""

from __future__ import annotations

import importlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askwise.core.problem import Problem
    from askwise.studio.rounds.openings import Openings
    from askwise.studio.rounds.round import Round

MOST_ROUNDS = 200
"""Rounds that are kept ready; in others the deeds are repeated when people come back to them."""
MOST_PROBLEMS = 20

Reply = dict[str, Any]


class RoundService:
    """Plays rounds, and keeps them ready for the next request."""

    def __init__(self) -> None:
        self._problems: OrderedDict[str, Problem] = OrderedDict()
        self._rounds: OrderedDict[str, tuple[Round, int]] = OrderedDict()

    def replies(self, request: dict[str, Any]) -> Iterator[Reply]:
        """Iterate over the replies to a request; an error is a reply, too."""
        from askwise.errors import AskwiseError, InputError
        from askwise.studio.rounds.round import Refused

        serve: Callable[[dict[str, Any]], Iterator[Reply]] = getattr(self, f"_{request['op']}")
        try:
            yield from serve(request)
        except (Refused, InputError) as error:
            yield {"refused": str(error), "done": True}
        except (AskwiseError, MemoryError) as error:
            self._rounds.pop(request["id"], None)
            yield {"failed": str(error) or "not enough memory", "done": True}

    def _names(self, _: dict[str, Any]) -> Iterator[Reply]:
        from askwise.core.teammates import TEAMMATES
        from askwise.methods import methods

        yield {"methods": list(methods()), "teammates": list(TEAMMATES), "done": True}

    def _colours(self, _: dict[str, Any]) -> Iterator[Reply]:
        from askwise.studio.colours import stylesheet

        yield {"colours": stylesheet(), "done": True}

    def _read(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.domains.registry import domain_of, read
        from askwise.text.reading import printable
        from askwise.view.episodes import start_scene

        instance = read(request["text"])
        domain = domain_of(instance)
        made = domain.problem(instance)
        scene = start_scene(made)
        problem = {
            "contents": domain.write(instance),
            "title": printable(scene.words.title),
            "size": scene.size,
            "goals": [goal.name for goal in scene.goals],
            "prior": [float(share) for share in made.prior],
            "words": {"teammate": scene.words.teammate, "ego": scene.words.ego, "goal": scene.words.goal},
        }
        yield {"problem": problem, "done": True}

    def _open(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.errors import AskwiseError, InputError
        from askwise.studio.rounds import sight
        from askwise.studio.rounds.round import replayed
        from askwise.studio.rounds.setup import Setup
        from askwise.text.reading import Field

        setup = Setup.from_json(Field("setup", request["setup"]))
        log = [(deed, outcome) for deed, outcome in request["log"]]
        try:
            made = replayed(self._problem(request), setup, log, self._openings.begin)
        except InputError as error:
            if not log:
                raise  # of a new round it is the setup that is wrong
            raise AskwiseError(str(error)) from None
        self._keep(request["id"], made, len(log))
        yield {"board": sight.board(made), "state": sight.state(made), "trails": sight.trails(made), "done": True}

    @cached_property
    def _openings(self) -> Openings:
        from askwise.studio.rounds.openings import Openings

        return Openings()

    def _do(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.studio.rounds import sight

        made = self._found(request)
        if made is None:
            yield {"missing": True, "done": True}
            return
        outcome = made.do(request["deed"])
        self._keep(request["id"], made, request["n"] + 1)
        if made.phase != "thinking":
            yield {"outcome": outcome, "state": sight.state(made), "done": True}
            return
        yield {"outcome": outcome, "state": sight.state(made)}
        made.think()
        yield {"state": sight.state(made), "done": True}

    def _trace(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.play import trace

        made = self._found(request)
        yield (
            {"missing": True, "done": True} if made is None else {"trace": trace.to_json(made.episode()), "done": True}
        )

    def _review(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.studio.rounds.review import review
        from askwise.view.page import page_text

        made = self._found(request)
        if made is None:
            yield {"missing": True, "done": True}
            return
        episode, compared = review(made)
        yield {"review": compared, "page": page_text(episode), "done": True}

    def _played(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.studio.rounds.written import written

        yield {**written(self._problem(request), request), "done": True}

    def _explore(self, request: dict[str, Any]) -> Iterator[Reply]:
        from askwise.studio.exploring.desk import explored

        yield {"explored": explored(request["what"], request["given"]), "done": True}

    def _found(self, request: dict[str, Any]) -> Round | None:
        made, n = self._rounds.get(request["id"], (None, -1))
        return made if n == request["n"] else None

    def _keep(self, name: str, made: Round, n: int) -> None:
        self._rounds[name] = made, n
        self._rounds.move_to_end(name)
        while len(self._rounds) > MOST_ROUNDS:
            self._rounds.popitem(last=False)

    def _problem(self, request: dict[str, Any]) -> Problem:
        """Return the problem of a request; rounds of one problem share its tables."""
        from askwise.api import as_problem
        from askwise.domains.registry import from_json
        from askwise.text.reading import Field

        key = request["problem"]
        if key not in self._problems:
            self._problems[key] = as_problem(from_json(Field("", request["contents"])))
        self._problems.move_to_end(key)
        while len(self._problems) > MOST_PROBLEMS:
            self._problems.popitem(last=False)
        return self._problems[key]


def answer(request: dict[str, Any]) -> Iterator[Reply]:
    """Iterate over the replies of this process's service to a request; fulfils `askwise.workers.child.Service`."""
    return _service().replies(request)


@cache
def _service() -> RoundService:
    # Every planner reserves megabytes of which it uses few. As huge pages, all of them would be allocated and cleared
    # for every round. numpy reads this when it is loaded.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    importlib.import_module("numpy")
    return RoundService()

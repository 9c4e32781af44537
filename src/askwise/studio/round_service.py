"""The work of the studio's worker processes: they play rounds, and answer requests of the Explore page.

A request about a round in progress states ``n``, the number of inputs so far. If the process does not have the round
after these inputs, for instance because it was restarted, the reply has the key ``missing``. The server then opens the
round again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from askwise.api import as_problem
from askwise.core.problem import Problem
from askwise.core.teammates import TEAMMATES
from askwise.domains.registry import domain_of, from_json, read
from askwise.errors import AskwiseError, InputError
from askwise.methods import methods
from askwise.play import trace
from askwise.studio.rounds import role_view
from askwise.studio.rounds.replay import WarmStart, replayed, written
from askwise.studio.rounds.review import review
from askwise.studio.rounds.round import InputRefused, Round, Setup
from askwise.text.reading import Field
from askwise.text.wording import printable
from askwise.view.page import page_text
from askwise.view.scene_builder import start_scene

MOST_ROUNDS = 200
"""Rounds that are kept in memory; others are replayed when they are needed again."""
MOST_PROBLEMS = 20

Request = dict[str, Any]
Reply = dict[str, Any]


class _Missing(Exception):  # noqa: N818 - nothing is wrong
    """Raised if this process does not have the requested round, or if more or fewer inputs than stated were applied."""


class RoundService:
    """Plays rounds in a worker process, and answers the server's other requests.

    Rounds and problems stay in memory for later requests.
    """

    def __init__(self) -> None:
        self._problems: OrderedDict[str, Problem] = OrderedDict()
        self._rounds: OrderedDict[str, tuple[Round, int]] = OrderedDict()
        self._warm_start = WarmStart()

    def replies(self, request: Request) -> Iterator[Reply]:
        """Iterate over the replies to a request: dicts, the last of which has the key ``done``.

        A request has the keys ``op`` (the operation), ``id`` (the name of the round) and those in the second column:

        ===========  =====================================  =========================================================
        ``op``       data in the request                    keys of the reply
        ===========  =====================================  =========================================================
        ``names``                                           ``methods``, ``teammates``: the names of all of them
        ``read``     ``text`` of a problem file             ``problem``: its contents, title, goals and so on
        ``open``     ``setup``, ``problem`` (its digest),   ``board``, ``state``, ``trails``: what the person sees
                     ``contents``, ``log`` (all inputs,     after all inputs are replayed
                     with their outcomes)
        ``do``       ``n`` (number of the input, from 0),   ``outcome`` and ``state`` at once; a second ``state``
                     ``input``                              when the method has decided, if it has to
        ``trace``    ``n`` (number of inputs so far)        ``trace``: the episode so far
        ``review``   ``n``                                  ``review``, and ``page``, HTML to step through the round
        ``played``   the same as ``open``, and ``what``     the keys of `askwise.studio.rounds.replay.written`
        ``explore``  ``what``, ``given``                    ``explored``: the answer to a request of the Explore page
        ===========  =====================================  =========================================================

        For ``played``, ``what`` is ``again`` (replay with the method), ``record`` (reconstruct from the log alone) or
        ``twin`` (simulate without a person). For ``explore``, it is the kind of request, such as ``follow``, with its
        data in ``given``.

        After an error, the reply has ``missing`` (this process does not have the round), or the reason under
        ``refused`` (wrong request) or ``failed`` (the round cannot continue).
        """
        try:
            if request["op"] == "do":
                yield from self._do(request)
            else:
                serve: Callable[[Request], Reply] = getattr(self, f"_{request['op']}")
                yield {**serve(request), "done": True}
        except _Missing:
            yield {"missing": True, "done": True}
        except (InputRefused, InputError) as error:
            yield {"refused": str(error), "done": True}
        except (AskwiseError, MemoryError) as error:
            self._rounds.pop(request["id"], None)
            yield {"failed": str(error) or "not enough memory", "done": True}

    def _names(self, _: Request) -> Reply:
        return {"methods": list(methods()), "teammates": list(TEAMMATES)}

    def _read(self, request: Request) -> Reply:
        instance = read(request["text"])
        made = as_problem(instance)
        scene = start_scene(made)
        problem = {
            "contents": domain_of(instance).write(instance),
            "title": printable(scene.words.title),
            "size": scene.size,
            "goals": [goal.name for goal in scene.goals],
            "prior": [float(share) for share in made.prior],
            "words": {"teammate": scene.words.teammate, "ego": scene.words.ego, "goal": scene.words.goal},
            **role_view.preview(made),
        }
        return {"problem": problem}

    def _open(self, request: Request) -> Reply:
        setup = Setup.from_json(Field("setup", request["setup"]))
        log = [(user_input, outcome) for user_input, outcome in request["log"]]
        try:
            made = replayed(self._problem(request), setup, log, self._warm_start.begin)
        except InputError as error:
            if not log:
                raise  # in a new round, the setup is wrong
            raise AskwiseError(str(error)) from None
        self._keep(request["id"], made, len(log))
        return {"board": role_view.board(made), "state": role_view.state(made), "trails": role_view.trails(made)}

    def _do(self, request: Request) -> Iterator[Reply]:
        made = self._round(request)
        outcome = made.do(request["input"])
        self._keep(request["id"], made, request["n"] + 1)
        if made.phase != "thinking":
            yield {"outcome": outcome, "state": role_view.state(made), "done": True}
            return
        yield {"outcome": outcome, "state": role_view.state(made)}
        made.think()
        yield {"state": role_view.state(made), "done": True}

    def _trace(self, request: Request) -> Reply:
        return {"trace": trace.to_json(self._round(request).episode())}

    def _review(self, request: Request) -> Reply:
        episode, compared = review(self._round(request))
        return {"review": compared, "page": page_text(episode)}

    def _played(self, request: Request) -> Reply:
        return written(self._problem(request), request)

    def _explore(self, request: Request) -> Reply:
        from askwise.studio.explore.explore_api import (
            answer_request,  # here, because it loads all tools of the Explore page
        )

        return {"explored": answer_request(request["what"], request["given"])}

    def _round(self, request: Request) -> Round:
        made, n = self._rounds.get(request["id"], (None, -1))
        if made is None or n != request["n"]:
            raise _Missing
        return made

    def _keep(self, name: str, made: Round, n: int) -> None:
        self._rounds[name] = made, n
        self._rounds.move_to_end(name)
        while len(self._rounds) > MOST_ROUNDS:
            self._rounds.popitem(last=False)

    def _problem(self, request: Request) -> Problem:
        """Return the problem of a request, and keep it in memory for requests with the same digest.

        The request has ``problem`` (the digest) and ``contents`` (of the problem file).
        """
        key = request["problem"]
        if key not in self._problems:
            self._problems[key] = as_problem(from_json(Field("", request["contents"])))
        self._problems.move_to_end(key)
        while len(self._problems) > MOST_PROBLEMS:
            self._problems.popitem(last=False)
        return self._problems[key]

"""The web addresses of the studio (a web server on which people play), and the handlers of requests to them.

Methods decide in worker processes; a slow decision does not delay other requests.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute

from askwise.errors import AskwiseError, InputError
from askwise.studio.connections import play_socket
from askwise.studio.rounds.round import Setup
from askwise.studio.security import KINDS as PEOPLE
from askwise.studio.security import LARGEST_BODY, RESEARCHER, SECONDS, Person
from askwise.studio.services import Denied, Services
from askwise.studio.store import StoreFailed
from askwise.studio.study.texts import package_texts
from askwise.text.data import parse_json
from askwise.text.files import decode
from askwise.text.reading import Field
from askwise.view.html import Html, asset, document, filled, stylesheet, tag
from askwise.view.palette import css_ramps

log = logging.getLogger("askwise.studio")

KINDS = {".js": "text/javascript", ".css": "text/css"}
STATIC = re.compile(r"[a-z0-9-]{1,40}\.(js|css)")
TITLES = {
    "home": "askwise studio",
    "play": "Playing: askwise studio",
    "explore": "Explore: askwise studio",
    "study": "Study: askwise studio",
    "take": "A study",
    "closed": "Not now",
}
"""The titles of the pages, by the names of their files in ``static``."""
SHARED = ("elements.js", "graph.js")
"""Scripts of `askwise.view` that the studio's scripts import."""
CLOSED = "Open the studio with the link in the terminal. Each link works once; restart the studio to get a new one."
FOR_PARTICIPANTS = "To take part in the study, please use the link in your invitation. To manage the study: "
Handler = Callable[[Request], Awaitable[Response]]


class Json(JSONResponse):
    """A JSON response in ASCII, because names may contain lone surrogates, which UTF-8 cannot encode."""

    def render(self, content: Any) -> bytes:
        """Return the content as ASCII-encoded JSON."""
        return json.dumps(content, allow_nan=False).encode("ascii")


def make_app(services: Services, routes: list[Any] | None = None) -> Starlette:
    """Return the studio's web application, which also serves the additional `routes`.

    The application closes the worker processes when it is shut down. To check host, origin, size and rate of requests,
    wrap it in a `Guard`.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        services.pool.close()

    app = Starlette(
        routes=[
            Route("/", page("home")),
            Route("/enter/{secret}", enter),
            Route("/static/{name}", static),
            Route("/api/library", json_handler(library)),
            Route("/api/library/{number:int}", json_handler(problem)),
            Route("/api/times", json_handler(times)),
            Route("/api/problems", json_handler(read_problem), methods=["POST"]),
            Route("/api/rounds", json_handler(list_rounds)),
            Route("/api/rounds", json_handler(new_round), methods=["POST"]),
            Route("/api/rounds/{name}/review", json_handler(review)),
            Route("/api/rounds/{name}/trace", json_handler(trace)),
            Route("/play/{name}", page("play", *PEOPLE)),
            Route("/review/{name}", review_page),
            WebSocketRoute("/play/{name}/socket", play_socket),
            *(routes or []),
        ],
        lifespan=lifespan,
        exception_handlers={StoreFailed: store_failed_page, 404: not_found_page},
    )
    app.state.services = services
    return app


async def store_failed_page(request: Request, error: Exception) -> Response:
    """Return the response to a request that failed because the database cannot be read or written.

    The response is JSON with the key ``error`` for addresses that begin with ``/api/``, otherwise a page. The HTTP
    status is 507 if the disk is full, otherwise 503. The error is logged.
    """
    assert isinstance(error, StoreFailed)
    log.error("%s", error)
    status = 507 if error.full else 503
    if request.url.path.startswith("/api/"):
        return Json({"error": error.sentence}, status)
    return HTMLResponse(page_text("closed", error.sentence, heading="Please try again later"), status)


def get_services(request: Any) -> Services:
    """Return the `Services` (database, keys, worker processes, rounds) that the handlers of the studio share.

    Args:
        request: a request to the studio's application, as Starlette passes it to a handler.
    """
    found: Services = request.app.state.services
    return found


# -- pages -------------------------------------------------------------------------------------------------------


def page_text(name: str, text: str = "", *, heading: str = "", language: str = "en") -> str:
    """Return the HTML of a page.

    Args:
        name: a key of `TITLES`. The body is ``static/NAME.html``; ``NAME.js`` and ``NAME.css`` are loaded if they
            exist.
        text: replaces ``@TEXT@`` in the body, after escaping.
        heading: replaces ``@HEADING@`` in the body, after escaping, and is the title; if empty, the title is
            ``TITLES[name]``.
        language: the code of the page's language.
    """
    own = [tag("script", "", type="module", src=f"/static/{name}.js")] if _file(f"{name}.js").is_file() else []
    styles = ["shared.css", "studio.css", *([f"{name}.css"] if _file(f"{name}.css").is_file() else [])]
    links = [Html(f'<link rel="stylesheet" href="/static/{each}">') for each in styles]
    body = filled(
        _file(f"{name}.html").read_text(encoding="utf-8"),
        {"TEXT": escape(text, quote=False), "HEADING": escape(heading, quote=False)},
    )
    return document(heading or TITLES[name], Html(body), *links, *own, language=language)


def _file(name: str) -> Traversable:
    return files("askwise.studio").joinpath("static", name)


def page(name: str, *kinds: str) -> Handler:
    """Return a handler that serves the page ``static/NAME.html`` to some kinds of people, and refuses everybody else.

    Args:
        name: the name of the page, without ``.html``.
        kinds: the allowed kinds: ``researcher``, ``participant`` or ``pilot`` (a test participant); by default only the
            researcher.
    """

    async def show(request: Request) -> Response:
        if get_services(request).person(request, *(kinds or (RESEARCHER,))) is None:
            return _refused(get_services(request), kinds)
        return HTMLResponse(page_text(name))

    return show


def _refused(services: Services, kinds: tuple[str, ...]) -> Response:
    """Return the response, with HTTP status 403, to a visitor who may not see a page for these `kinds` of people.

    If there is a study and `kinds` is not empty, the response is the study's own page for such visitors. Otherwise, it
    says that the link is not valid.
    """
    if kinds and services.lost_page is not None:
        return services.lost_page(403)
    return _closed(services)


def _closed(services: Services) -> Response:
    """Return the page that tells visitors that their link is not valid, and how to get a valid one."""
    text = CLOSED if services.study is None else f"{FOR_PARTICIPANTS}{CLOSED[0].lower()}{CLOSED[1:]}"
    return HTMLResponse(page_text("closed", text, heading="This link is not valid"), 403)


async def not_found_page(request: Request, _: Exception) -> Response:
    """Return the response for an address that does not exist, with the HTTP status 404.

    For addresses that begin with ``/api/`` or ``/static/``, which scripts request, the response is JSON; otherwise it
    is a page.
    """
    services = get_services(request)
    if request.url.path.startswith(("/api/", "/static/")):
        return Json({"error": "there is no such page"}, 404)
    if services.lost_page is not None and services.person(request, RESEARCHER) is None:
        return services.lost_page(404)
    text = "Check the address, or open the studio with the link in the terminal."
    return HTMLResponse(page_text("closed", text, heading="This page does not exist"), 404)


async def static(request: Request) -> Response:
    """Return the script or stylesheet that a request names, such as ``/static/play.js``; no cookie is needed.

    If there is no such file, the response has the HTTP status 404.
    """
    name = request.path_params["name"]
    if not STATIC.fullmatch(name):
        return Json({"error": "no such file"}, 404)
    kind = KINDS[name[name.rindex(".") :]]
    if name == "shared.css":
        return Response(stylesheet("board.css") + css_ramps(), media_type=kind)
    if name in SHARED:
        return Response(asset(name), media_type=kind)
    if not _file(name).is_file():
        return Json({"error": "no such file"}, 404)
    return Response(_file(name).read_text(encoding="utf-8"), media_type=kind)


async def enter(request: Request) -> Response:
    """Answer a request to ``/enter/SECRET``, the link that lets the researcher into the studio.

    Each link works once. The response sets the researcher's cookie and redirects to the first page, or says that the
    link is not valid.
    """
    services = get_services(request)
    cookie = await services.keys.enter(request.path_params["secret"])
    if cookie is None:
        return _closed(services)
    answer = RedirectResponse("/" if services.study is None else "/study", 303)
    set_cookie(answer, request, RESEARCHER, cookie)
    return answer


def set_cookie(answer: Response, request: Request, kind: str, cookie: str) -> None:
    """Add a cookie to a response; by this cookie, the studio recognises the person in later requests.

    Args:
        answer: the response, which is changed.
        request: the request; if it came by a public address with ``https://``, the cookie is sent by https only.
        kind: ``researcher``, ``participant`` or ``pilot`` (a test participant).
        cookie: the value of the cookie.
    """
    services = get_services(request)
    name, secure = services.keys.cookie(kind), services.is_secure(request)
    answer.set_cookie(name, cookie, max_age=SECONDS, httponly=True, samesite="lax", secure=secure)


# -- answers in JSON ---------------------------------------------------------------------------------------------


def json_handler(handler: Callable[[Request, Services, Person], Awaitable[Any]], kind: str = RESEARCHER) -> Handler:
    """Return a handler of requests that sends the result of `handler` as JSON, to people of one kind only.

    `handler` gets the request, the shared objects and the person. Errors are sent as ``{"error": TEXT}``. The HTTP
    status is 403 for people of other kinds, 404 after `Denied` (not found), and 400 after other `AskwiseError`. Errors
    of the database (`StoreFailed`) are not caught.
    """

    async def answer(request: Request) -> Response:
        services = get_services(request)
        person = services.person(request, kind)
        if person is None:
            return Json({"error": "not allowed: open the studio with its link first"}, 403)
        try:
            return Json(await handler(request, services, person))
        except Denied as error:
            return Json({"error": str(error)}, 404)
        except StoreFailed:
            raise  # see `store_failed_page`
        except AskwiseError as error:
            return Json({"error": str(error)}, 400)

    return answer


async def json_body(request: Request) -> Field:
    """Return the JSON object in the body of a request, as a `Field`, whose methods check values.

    Raises:
        InputError: the content type is not JSON, or the body is incomplete, too long or no JSON object. The error is
            logged.
    """
    try:
        return await _read_json_body(request)
    except InputError as error:
        log.warning("refused a request: %s", error)
        raise


async def _read_json_body(request: Request) -> Field:
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/json":
        raise InputError("content type", repr(kind), "application/json")
    try:
        body = await request.body()
    except ClientDisconnect:  # the guard also ends requests that are too long in this way
        raise InputError("request", "an incomplete or too long one", f"at most {LARGEST_BODY} bytes") from None
    return Field("", parse_json(decode(body, "request"))).object()


async def library(_: Request, services: Services, __: Person) -> Any:
    """Return what a person can choose from for a new round, and texts for pages.

    Keys: ``problems``, ``methods`` and ``teammates`` (lists of names); ``study`` (the name of the study with people;
    None without one); ``texts`` (English texts by keys such as ``common.continue``).
    """
    chosen = {"problems": list(services.library), **await services.names()}
    return {**chosen, "study": services.study, "texts": package_texts("en")}


async def problem(request: Request, services: Services, _: Person) -> Any:
    """Return the title, goals, map and other data (keys: `Services.described`) of a problem that the studio offers.

    The address ends with the problem's number, from 0, in the list ``problems`` of `library`. `Denied` is raised if
    there is no such problem.
    """
    number = request.path_params["number"]
    if not 0 <= number < len(services.library):
        raise Denied("there is no such problem")
    return await services.described(list(services.library.values())[number])


async def times(_: Request, services: Services, __: Person) -> Any:
    """Return statistics of the time between a person's input and the studio's reaction, in milliseconds.

    Keys: ``kept`` (until the input was stored and the new state was sent) and ``turn`` (until the method had decided).
    Each value has ``count`` and, unless the count is 0, the percentiles ``p50``, ``p95``, ``p99`` and ``max``.
    """
    return services.times.summary()


async def read_problem(request: Request, services: Services, _: Person) -> Any:
    """Read a problem file that a person uploads; return a description of the problem.

    The body of the request is a JSON object with the key ``text``: the text of the file.
    `Services.described` lists the keys of the result.
    """
    given = await json_body(request)
    given.object(["text"], [])
    return await services.described(given.child("text").text())


async def new_round(request: Request, services: Services, person: Person) -> Any:
    """Start a round (an episode that a person plays); return its name as ``{"round": NAME}``.

    The request is a JSON object with two keys. ``problem`` is the text of a problem file, or an index in the list
    ``problems`` of `library`. ``setup`` has the attributes of `Setup`; only ``role`` (``teammate`` or ``ego``) is
    required.
    """
    given = await json_body(request)
    given.object(["problem", "setup"], [])
    chosen = given.child("problem")
    if isinstance(chosen.value, str):
        text = chosen.text()
    else:
        text = list(services.library.values())[chosen.whole(0, len(services.library) - 1)]
    setup = Setup.from_json(given.child("setup"))
    Field("setup.method", setup.method).text((await services.names())["methods"])
    room = await services.new_round(person, await services.described(text), setup)
    return {"round": room.name}


async def list_rounds(_: Request, services: Services, person: Person) -> Any:
    """Return the 20 newest rounds of the person who sent the request, the newest first.

    A round is a dict with ``round`` (its name), ``title`` (of the problem), ``role`` (the person's), ``made`` (when it
    started, in seconds since 1970) and ``end`` (how it ended, such as ``finished``; None until then).
    """
    rows = services.store.read(
        "SELECT id, title, setup, made, end FROM rounds WHERE owner = ? ORDER BY made DESC LIMIT 20", (person.name,)
    )
    return [
        {"round": name, "title": title, "role": services.store.json(setup)["role"], "made": made, "end": end}
        for name, title, setup, made, end in rows
    ]


async def review(request: Request, services: Services, person: Person) -> Any:
    """Return the review of the finished round that the address of the request names.

    The review says what the round cost, what other ego agents would have paid, and which decisions were mistakes; see
    `askwise.studio.rounds.review.review` for its keys. `InputError` is raised if the round is not over.
    """
    return (await _reviewed(request, services, person))["review"]


async def trace(request: Request, services: Services, person: Person) -> Any:
    """Return the record of all steps of the finished round that the address names, in the format of trace files.

    `InputError` is raised if the round is not over.
    """
    return (await _reviewed(request, services, person, "trace"))["trace"]


async def _reviewed(request: Request, services: Services, person: Person, op: str = "review") -> dict[str, Any]:
    room = services.room(request.path_params["name"], person)
    if room.end is None:
        raise InputError("round", "an unfinished one", "a finished round: a review would reveal the goal")
    reply = await room.ask_worker(op)
    if op not in reply:
        raise InputError("round", reply.get("failed") or reply.get("refused"), "a round that can be reviewed")
    return reply


async def review_page(request: Request) -> Response:
    """Return a self-contained HTML page on which the researcher can step through a finished round.

    The address of the request has the name of the round. If the round cannot be shown, the HTTP status is 404.
    """
    services = get_services(request)
    person = services.person(request, RESEARCHER)
    try:
        if person is None:
            raise Denied("open the studio with its link first")
        text = (await _reviewed(request, services, person))["page"]
    except AskwiseError as error:
        return Json({"error": str(error)}, 404)
    return HTMLResponse(text, headers={"content-security-policy": policy_for(text)})


def policy_for(text: str) -> str:
    """Return a content security policy that allows the inline scripts of a page, by their hashes, and no other scripts.

    Args:
        text: the HTML of the page.
    """
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

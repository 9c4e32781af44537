"""The tools of ``askwise serve-mcp``: functions from JSON to JSON, and the server that offers them.

`Tools.decide` starts a conversation, `Tools.heard` continues it after an answer. The last `MOST_SESSIONS` conversations
are kept in memory only.

The server uses the Model Context Protocol over standard input and output: it listens on no port and sends nothing
elsewhere.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from askwise import __version__
from askwise.decisions.decide import Session
from askwise.decisions.problem import FORMAT, OPTIONAL, read_parts
from askwise.decisions.schemas import schema
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.text.data import short_json
from askwise.text.reading import Field

MOST_SESSIONS = 200
MOST_CONVERSATIONS = 1_000
LISTED, MOST_LISTED = 10, 1_000
CONVERSATION = "askwise/conversation@1"

WHAT_DECIDE_DOES = (
    "Decide whether to act now or to ask first, and what to ask. State the possible intents of the user with"
    " probabilities (or sampled interpretations), your possible actions with a loss for each intent, and your possible"
    " questions with prices, all in one unit such as minutes. Returns the best next step, the reason, the plan after"
    " each answer, and a session for 'heard'."
)
WHAT_HEARD_DOES = (
    "Continue after an answer: pass the session that 'decide' returned, and the answer. Returns the next step."
    " If you name no question, the answer is to the recommended one. 'no answer' is always allowed."
)
WHAT_AUDIT_DOES = (
    "Judge past conversations: for every step, the regret of the decision against the best one, given what was known"
    " then; questions that were not worth their price, questions that should have been asked, and the most costly"
    " mistakes."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a language model can call.

    Attributes:
        name: name of the tool.
        description: what the tool does, for the language model.
        takes: JSON schema of the arguments.
        gives: JSON schema of the result.
        call: the function from arguments to result.
    """

    name: str
    description: str
    takes: dict[str, Any]
    gives: dict[str, Any]
    call: Callable[[dict[str, Any]], dict[str, Any]]


class Tools:
    """The tools ``decide``, ``heard`` and ``audit`` for language models, and the conversations in progress.

    Attributes:
        all: the tools by name.
    """

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._count = 0
        gives = schema("recommendation")
        self.all = {
            "decide": Tool("decide", WHAT_DECIDE_DOES, decide_schema(), gives, self.decide),
            "heard": Tool("heard", WHAT_HEARD_DOES, HEARD_SCHEMA, gives, self.heard),
            "audit": Tool("audit", WHAT_AUDIT_DOES, audit_schema(), {"type": "object"}, self.audit),
        }

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call the tool `name` and return its result as a JSON object; raise `InputError` for wrong arguments."""
        if name not in self.all:
            raise InputError("tool", short_json(name), "one of " + ", ".join(self.all) + did_you_mean(name, self.all))
        return self.all[name].call(arguments)

    def decide(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Recommend whether to act now or to ask the user first; return the recommendation as a JSON object.

        This starts a conversation, named in the key ``session``; `heard` continues it.

        Args:
            arguments: the decision, as for `askwise.decide`: ``belief`` (probability of each intent, or sampled
                intents; required), ``loss`` or ``utility`` (a number for each action and intent), ``questions``,
                ``price``, ``answers`` (how often wrong or missing), ``limit`` (of questions), ``name``, ``format``.
        """
        given = Field("", arguments).object(["belief"], ["format", *OPTIONAL])
        if given.has("format"):
            given.child("format").text([FORMAT])
        parts = {key: given.child(key) for key in arguments if key != "format"}
        session = Session(read_parts(parts))
        self._count += 1
        name = f"session {self._count}"
        self._sessions[name] = session
        while len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return _reply(name, session)

    def heard(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Continue a conversation after a question was answered; return the next recommendation, as `decide` does.

        Args:
            arguments: ``session``, ``answer`` (its name; true or false for yes or no; null for none) and optionally
                ``question`` (the name of the question, if it was not the recommended one).
        """
        given = Field("", arguments).object(["session", "answer"], ["question"])
        name = given.child("session").text()
        if name not in self._sessions:
            kept = f"a session that 'decide' returned; the last {MOST_SESSIONS} are kept"
            raise InputError("session", short_json(name), kept)
        session = self._sessions[name]
        question = given.child("question").text() if given.has("question") else None
        answer = given.child("answer").value
        if not isinstance(answer, str | bool) and answer is not None:
            raise given.child("answer").refuse("an answer by name, true or false for yes or no, null for no answer")
        session.heard(answer, question)
        self._sessions.move_to_end(name)
        return _reply(name, session)

    def audit(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Compare each decision in past conversations with the best one at that time; return the results as JSON.

        The keys are those of `askwise.audits.results.Audit.as_json`.

        Args:
            arguments: ``conversations`` (a list of objects with ``decision``, as `decide` takes it, and ``steps``, what
                was asked, observed and done) and, optionally, ``costliest`` (how many of the costliest steps to list).
        """
        from askwise.audits.audit import audit

        given = Field("", arguments).object(["conversations"], ["costliest"])
        records = [each.object(["decision", "steps"], ["format", "name", "method"]) for each in _listed(given)]
        costliest = given.child("costliest").whole(0, MOST_LISTED) if given.has("costliest") else LISTED
        # The decision must be in the arguments: here, unlike in a file, it may not be the name of another file.
        for each in records:
            each.child("decision").object()
        found = audit([_with_formats(each.value) for each in records])
        return found.as_json(costliest=costliest)


def _with_formats(record: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a conversation in which it and its decision have the key ``format``; old values are kept."""
    return {**record, "format": CONVERSATION, "decision": {"format": FORMAT, **record["decision"]}}


def _listed(given: Field) -> list[Field]:
    listed = list(given.child("conversations").elements())
    if not 1 <= len(listed) <= MOST_CONVERSATIONS:
        raise InputError("conversations", f"{len(listed):,} of them", f"1 to {MOST_CONVERSATIONS:,}")
    return listed


HEARD_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["session", "answer"],
    "additionalProperties": False,
    "properties": {
        "session": {"type": "string", "description": "The session that 'decide' returned."},
        "answer": {
            "description": "One of the question's answers; true or false for yes or no; null for no answer.",
            "anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}],
        },
        "question": {"type": "string", "description": "The question that was asked, if it is not the recommended one."},
    },
}


def decide_schema() -> dict[str, Any]:
    """Return the JSON schema of the arguments of the tool ``decide``: a decision file, with or without ``format``."""
    found = schema("decision")
    return {**found, "required": ["belief"]}


def audit_schema() -> dict[str, Any]:
    """Return the JSON schema of the arguments of the tool ``audit``."""
    decision = schema("decision")
    text = {"type": "string"}
    steps = [
        {"required": ["ask", "answer"], "properties": {"ask": text, "answer": {"type": ["string", "boolean", "null"]}}},
        {"required": ["saw"], "properties": {"saw": {"type": "object", "additionalProperties": {"type": "number"}}}},
        {"required": ["act"], "properties": {"act": text}},
    ]
    conversation = {
        "type": "object",
        "required": ["decision", "steps"],
        "additionalProperties": False,
        "properties": {
            "format": {"const": CONVERSATION},
            "name": text,
            "method": text,
            "decision": {key: value for key, value in decision.items() if key not in ("$schema", "$defs")}
            | {"required": ["belief"]},
            "steps": {"type": "array", "items": {"type": "object", "anyOf": steps}},
        },
    }
    return {
        "type": "object",
        "required": ["conversations"],
        "additionalProperties": False,
        "properties": {
            "conversations": {"type": "array", "items": conversation, "minItems": 1, "maxItems": MOST_CONVERSATIONS},
            "costliest": {"type": "integer", "minimum": 0, "maximum": MOST_LISTED, "description": "Mistakes to list."},
        },
        "$defs": decision["$defs"],
    }


def _reply(name: str, session: Session) -> dict[str, Any]:
    return {**session.next().as_json(), "session": name}


MISSING = "the package 'mcp' is not installed; pip install '.[mcp]' in askwise's folder"
INSTRUCTIONS = (
    "askwise decides when to ask the user and what, from losses and prices. Call 'decide' when a request is ambiguous"
    " and a wrong action is costly; ask the recommended question, and call 'heard' with the answer. You provide all"
    " numbers: take probabilities from several sampled interpretations, losses and prices in one unit, such as minutes."
)


def serve() -> None:
    """Run the MCP server on standard input and output until the input ends.

    Raises `AskwiseError` if the package `mcp` is not installed.
    """
    try:
        import anyio
        from mcp.server.lowlevel import Server
        from mcp.server.stdio import stdio_server
    except ImportError:
        raise AskwiseError(MISSING) from None

    server: Server[Any] = make_server()

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def make_server() -> Any:
    """Return an MCP server that offers all tools of askwise; it is not connected to any input or output yet.

    So tests can use it without pipes.
    """
    import mcp_types as types
    from mcp.server.lowlevel import Server

    tools = Tools()

    async def on_list_tools(_: Any, __: Any) -> types.ListToolsResult:
        listed = [
            types.Tool(name=each.name, description=each.description, input_schema=each.takes, output_schema=each.gives)
            for each in tools.all.values()
        ]
        return types.ListToolsResult(tools=listed)

    async def on_call_tool(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            found = tools.call(asked.name, asked.arguments or {})
        except AskwiseError as error:
            # As a result, not as a protocol error, so that a model can read it and correct its call.
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        text = json.dumps(found, ensure_ascii=False, allow_nan=False)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=found)

    return Server(
        "askwise",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )

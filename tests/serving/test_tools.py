"""The tools called directly, and through the official client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import jsonschema
import pytest

from askwise.decisions.schemas import schema
from askwise.errors import InputError
from askwise.serving import tools as serving
from askwise.serving.tools import Tools
from tests.cli.command import Run, run_as_user
from tests.refused import assert_refused

mcp = pytest.importorskip("mcp")

DECISION: dict[str, Any] = {
    "belief": ["CSV", "CSV", "PDF", ["CSV", 0.5]],
    "loss": {"fix CSV": {"CSV": 0, "else": 30}, "fix PDF": {"PDF": 0, "else": 30}, "hand over": 12},
    "questions": {"Which export?": {"about": ["CSV"], "price": 2}},
}
WHOLE = {"format": "askwise/decision@1", **DECISION}
WHOLE["belief"] = {"CSV": 0.7, "PDF": 0.3}
TALK = {"decision": WHOLE, "steps": [{"ask": "Which export?", "answer": "no"}, {"act": "fix PDF"}]}
RASH = {"decision": WHOLE, "steps": [{"act": "fix CSV"}]}


def test_a_conversation() -> None:
    tools = Tools()
    first = tools.call("decide", DECISION | {"belief": ["CSV", "PDF"]})
    jsonschema.validate(first, schema("recommendation"))
    assert first["do"] == {"do": "ask", "name": "Which export?", "loss": 2.0, "answers": ["yes", "no"]}
    then = tools.call("heard", {"session": first["session"], "answer": False})
    jsonschema.validate(then, schema("recommendation"))
    assert (then["do"]["do"], then["do"]["name"], then["belief"]) == ("act", "fix PDF", {"CSV": 0.0, "PDF": 1.0})
    assert (first["never_asking"], then["never_asking"]) == (12.0, None)


def test_looking_back() -> None:
    found = Tools().call("audit", {"conversations": [TALK, RASH]})
    assert found == Tools().call("audit", {"conversations": [{"format": "askwise/conversation@1", **TALK}, RASH]})
    bare = {key: value for key, value in WHOLE.items() if key != "format"}
    assert found == Tools().call("audit", {"conversations": [{**TALK, "decision": bare}, RASH]})
    jsonschema.validate({"conversations": [{**TALK, "decision": bare}]}, serving.audit_schema())
    json.dumps(found, allow_nan=False)
    jsonschema.validate({"conversations": [TALK, RASH]}, serving.audit_schema())


def test_old_conversations_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_SESSIONS", 2)
    tools = Tools()
    names = [tools.call("decide", {"belief": {"a": 1.0}})["session"] for _ in range(3)]
    assert_refused(
        lambda: tools.call("heard", {"session": names[0], "answer": "yes"}),
        "session: found \"session 1\"; expected a session that 'decide' returned; the last 2 are kept",
    )


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("decid", {}, "tool: found \"decid\"; expected one of decide, heard, audit (did you mean 'decide'?)"),
        ("decide", {}, "belief: found nothing; expected this key, which is required"),
        (
            "decide",
            {"belief": {"a": 0.5}},
            "belief: found probabilities that sum to 0.5; expected probabilities that sum to 1;"
            " samples with weights, [[intent, weight], ...], need not",
        ),
        ("heard", {"session": 3, "answer": "yes"}, "session: found 3; expected a string"),
        (
            "audit",
            {"conversations": [{"decision": "secret.toml", "steps": []}]},
            'conversations[0].decision: found "secret.toml"; expected an object, { ... }',
        ),
        ("audit", {"conversations": []}, "conversations: found 0 of them; expected 1 to 1,000"),
    ],
)
def test_bad_arguments(name: str, arguments: dict[str, Any], message: str) -> None:
    assert_refused(lambda: Tools().call(name, arguments), message)


def test_wrong_kinds_of_answers() -> None:
    tools = Tools()
    session = tools.call("decide", DECISION | {"belief": ["CSV", "PDF"]})["session"]
    with pytest.raises(InputError, match=r"^answer: found 7; expected an answer by name, true or false"):
        tools.call("heard", {"session": session, "answer": 7})
    with pytest.raises(InputError, match=r"^answer: found 'perhaps'; expected an answer to 'Which export\?'"):
        tools.call("heard", {"session": session, "answer": "perhaps"})


def test_the_official_client_over_standard_input_and_output() -> None:
    """One process for everything, because starting it takes most of the time."""
    asyncio.run(asyncio.wait_for(_drive(), 120))


async def _drive() -> None:
    server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "askwise.cli", "serve-mcp"])
    async with mcp.Client(server) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed) == ["decide", "heard", "audit"]
        for tool in listed.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            assert tool.description
        jsonschema.validate(DECISION, listed["decide"].input_schema)

        first = await client.call_tool("decide", DECISION | {"belief": ["CSV", "PDF"]})
        assert not first.is_error
        found = first.structured_content
        assert json.loads(first.content[0].text) == found
        assert found["do"]["name"] == "Which export?"
        heard = {"session": found["session"], "answer": "yes"}
        jsonschema.validate(heard, listed["heard"].input_schema)
        then = await client.call_tool("heard", heard)
        assert then.structured_content["do"]["name"] == "fix CSV"

        audited = await client.call_tool("audit", {"conversations": [TALK, RASH]})
        assert audited.structured_content == Tools().call("audit", {"conversations": [TALK, RASH]})

        bad = await client.call_tool("decide", {"belief": {"a": 2}})
        assert bad.is_error
        assert bad.content[0].text.startswith("belief: found probabilities that sum to 2; expected")
        again = await client.call_tool("heard", {"session": "none", "answer": "yes"})
        assert again.is_error, "and the server goes on"


def test_without_the_extra_the_way_to_install_it_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    run("serve-mcp").assert_refused(
        "askwise serve-mcp: the package 'mcp' is not installed; pip install '.[mcp]' in askwise's folder"
    )


def test_an_input_that_ends_at_once_ends_the_server() -> None:
    run_as_user("serve-mcp").assert_fine()

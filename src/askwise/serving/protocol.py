"""The tools over the Model Context Protocol, on standard input and output only.

Nothing is listened on, nothing is sent anywhere else: the client starts this process and holds both ends of its pipes.
"""

from __future__ import annotations

import json
from typing import Any

from askwise import __version__
from askwise.errors import AskwiseError
from askwise.serving.tools import Tools

MISSING = "the package 'mcp' is not installed; pip install 'askwise[mcp]'"
INSTRUCTIONS = (
    "askwise decides when to ask the user and what, from losses and prices. Call 'decide' when a request is ambiguous"
    " and acting wrongly costs something; ask what it recommends, and call 'heard' with the answer. All numbers are"
    " yours: take probabilities from several sampled interpretations, losses and prices in one unit, such as minutes."
)


def serve() -> None:
    """Serve until standard input ends."""
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
    """Return the server, which can also be driven without pipes."""
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
            # As a result and not as a failure of the protocol, so that a model can read it and mend its call.
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

"""The tools: names, schemas and what carries each out, in the order in which they are listed.

All of it is sent to a model with each conversation: every word costs, and the order never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from .arguments import checked
from .exchange import Exchange
from .jsonrpc import INVALID_PARAMS, Json, ProtocolError
from .memory import Memory
from .results import ToolError, error_result

Run = Callable[..., Json]
"""Carries out a call: gets the arguments and the memory, and the exchange if the tool uses it."""


class Tool(NamedTuple):
    """One tool."""

    name: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    run: Callable[[], Run]
    """Returns the function, importing what it is in."""
    checked: bool = True
    """True if the arguments are checked against the schema; the functions of the contract check their own."""
    writes: bool = False
    asks: bool = False
    """True if the person has to confirm, because it destroys."""
    exchanges: bool = False
    """True if it uses the ways to the client."""

    @property
    def schema(self) -> Json:
        """Return the schema of the arguments."""
        properties = {"properties": dict(self.properties)} if self.properties else {}
        required = {"required": list(self.required)} if self.required else {}
        return {"type": "object", **properties, **required}

    def wire(self) -> Json:
        """Return its place in the list of tools."""
        annotations = {"readOnlyHint": not self.writes} | ({"destructiveHint": self.asks} if self.writes else {})
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.schema,
            "annotations": annotations,
        }


def _in(module: str, name: str) -> Callable[[], Run]:
    """Return what imports a function of a module beside this one."""
    return lambda: getattr(import_module(f".{module}", __package__), name)


def _text(about: str = "") -> Json:
    return {"type": "string"} | ({"description": about} if about else {})


def _texts(about: str = "") -> Json:
    return {"type": "array", "items": {"type": "string"}} | ({"description": about} if about else {})


def _limit(default: int, most: int = 100) -> Json:
    return {"type": "integer", "minimum": 1, "maximum": most, "default": default}


_INCLUDED: Json = {"type": "boolean", "default": True}
_SINCE = _text('2024-01-15, 2024-01, "last week"')

TOOLS = (
    Tool(
        "add_memory",
        "Keep a text. The same text is kept once.",
        {"text": _text(), "metadata": {"type": "object", "description": "source, tags (list), date, and any other"}},
        ("text",),
        _in("contract", "add_memory"),
        checked=False,
        writes=True,
        exchanges=True,
    ),
    Tool(
        "search_memory",
        "Find stored texts and messages by meaning.",
        {
            "query": _text("at most 1000 characters"),
            "limit": _limit(10),
            "filters": {
                "type": "object",
                "properties": {
                    "tags": _texts("any of them"),
                    "source": _text(),
                    "date_from": _text(),
                    "date_to": _text(),
                },
            },
        },
        ("query",),
        _in("contract", "search_memory"),
        checked=False,
    ),
    Tool("get_stats", "Counts and sizes of the memory.", {}, (), _in("contract", "get_stats"), checked=False),
    Tool(
        "search",
        "Ask the person's chats, mail and notes a question in plain words. Gives cited messages with their context,"
        " and facts.",
        {
            "question": _text(),
            "limit": _limit(8),
            "people": _texts("who takes part"),
            "chats": _texts("titles"),
            "sources": _texts("whatsapp, mail, …"),
            "since": _SINCE,
            "until": _text(),
            "include_messages": _INCLUDED,
            "include_chunks": _INCLUDED,
            "include_knowledge": _INCLUDED,
        },
        ("question",),
        _in("reading", "search"),
    ),
    Tool(
        "show",
        "Read what stands around a hit, or a whole conversation or text page by page.",
        {
            "id": _text("an id or memd:// link"),
            "offset": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
        },
        ("id",),
        _in("reading", "show"),
    ),
    Tool(
        "facts",
        "What is known: homes, jobs, birthdays, plans, …",
        {
            "about": _text("a name"),
            "attribute": _text("home, job, …"),
            "as_of": _text("what held at that time"),
            "limit": _limit(20),
        },
        (),
        _in("reading", "facts"),
    ),
    Tool(
        "people",
        "Everybody who wrote; with a name that person's chats, contacts, topics and facts.",
        {"name": _text()},
        (),
        _in("reading", "people"),
    ),
    Tool(
        "recent",
        "The latest conversations and texts.",
        {"limit": _limit(10), "since": _SINCE, "chats": _texts(), "sources": _texts()},
        (),
        _in("reading", "recent"),
    ),
)

FORGET = Tool(
    "forget",
    "Forget what is selected, for good. The person is shown the plan and has to confirm it.",
    {
        "chats": _texts("whole titles"),
        "documents": _texts("ids"),
        "people": _texts("whole names"),
        "speakers": _texts(),
        "sources": _texts(),
        "since": _text(),
        "until": _text(),
        "quotes": {
            "type": "string",
            "enum": ["keep", "redact", "remove"],
            "description": "what happens to the words where others quote them",
        },
    },
    (),
    _in("forgetting", "forget"),
    writes=True,
    asks=True,
    exchanges=True,
)
"""In no default list: `memd mcp --allow-forget` adds it."""


def tool_methods(memory: Memory, tools: tuple[Tool, ...] = TOOLS) -> dict[str, Callable[[Json, Exchange], Json]]:
    """Return ``tools/list`` and ``tools/call`` for these tools."""
    listed = [tool.wire() for tool in tools]
    by_name = {tool.name: tool for tool in tools}

    def call(params: Json, exchange: Exchange) -> Json:
        tool = by_name.get(str(params.get("name")))
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {str(params.get('name'))[:64]}")
        arguments: Any = params.get("arguments", {})
        try:
            arguments = checked(arguments, tool.schema) if tool.checked else arguments
            return tool.run()(arguments, memory, *([exchange] if tool.exchanges else []))
        except ToolError as error:
            return error_result(error)

    return {"tools/list": lambda _params, _exchange: {"tools": listed}, "tools/call": call}

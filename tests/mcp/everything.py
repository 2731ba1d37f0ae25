"""A server with all that the conformance suite asks for, made of the product's protocol, endpoint and loopback checks.

`python -m memd.tests.mcp.everything` serves it and prints its address. Only the tools, prompts and resources are fixtures,
with the names and texts that the suite prescribes; era, versions, errors, streams, sessions and input are the product's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn

from memd.daemon.http.loopback import LoopbackMiddleware
from memd.daemon.mcp.exchange import Exchange, InputRequiredError
from memd.daemon.mcp.jsonrpc import INVALID_PARAMS, RESOURCE_NOT_FOUND, Json, ProtocolError, object_of
from memd.daemon.mcp.server import META, Server
from memd.daemon.mcp.streamable_http import McpEndpoint

TOKEN = "of the test"
IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
STATE = "sealed-state"


def text(words: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": words}


def said(words: str) -> Json:
    """The result of a tool that says something."""
    return {"content": [text(words)]}


def embedded(uri: str, words: str, kind: str = "text/plain") -> Json:
    """A block with a resource."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


def form(message: str, **properties: Any) -> Json:
    """The params of a question to a person."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"mode": "form", "message": message, "requestedSchema": schema}


def sampling(prompt: str, tokens: int = 100) -> Json:
    """The params of a question to the client's model."""
    return {"messages": [{"role": "user", "content": text(prompt)}], "maxTokens": tokens}


def notify(exchange: Exchange, method: str, **params: Any) -> None:
    """Send a notification."""
    exchange.send({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params})


def with_logging(_: Json, exchange: Exchange) -> Json:
    """Log three times, unless a client of the later era did not ask for it."""
    meta = object_of(exchange.params.get("_meta")) or {}
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        if not exchange.modern or f"{META}logLevel" in meta:
            notify(exchange, "message", level="info", data=line)
        time.sleep(0.05)
    return said("logged")


def with_progress(_: Json, exchange: Exchange) -> Json:
    """Tell the progress three times, if it is wanted."""
    token = (object_of(exchange.params.get("_meta")) or {}).get("progressToken")
    for step in (0, 50, 100):
        if token is not None:
            notify(exchange, "progress", progressToken=token, progress=step, total=100)
        time.sleep(0.05)
    return said("done")


def with_sampling(arguments: Json, exchange: Exchange) -> Json:
    """Ask the client's model."""
    answer = exchange.input_of("s", "sampling/createMessage", sampling(arguments["prompt"]))
    return said(f"LLM response: {answer['content']['text']}")


def asking(name: str, params: Json, reply: Callable[[Json], str]) -> Callable[[Json, Exchange], Json]:
    """A tool that asks the person."""

    def run(arguments: Json, exchange: Exchange) -> Json:
        given = params | ({"message": arguments["message"]} if "message" in arguments else {})
        exchange.require("elicitation")
        return said(reply(exchange.input_of(name, "elicitation/create", given)))

    return run


def elicited(answer: Json) -> str:
    """The words of what a person answered."""
    return f"action={answer.get('action')}, content={answer.get('content', {})}"


def one_of(*values: str) -> Json:
    """Choices with titles."""
    return {"oneOf": [{"const": value, "title": value.title()} for value in values]}


def several(exchange: Exchange, requests: Mapping[str, tuple[str, Json]], state: str | None = None) -> dict[str, Json]:
    """The answers to several requests, all asked at once; those that the client cannot answer are not asked."""
    given = object_of(exchange.params.get("inputResponses")) or {}
    found = {name: answer for name in requests if (answer := object_of(given.get(name))) is not None}
    kinds = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
    able = {name: each for name, each in requests.items() if kinds[each[0]] in exchange.capabilities}
    if set(able) - set(found) or not able:
        raise InputRequiredError({name: {"method": each[0], "params": each[1]} for name, each in able.items()}, state)
    return found


NAME = ("elicitation/create", form("What is your name?", name={"type": "string"}))


def greeted(_: Json, exchange: Exchange) -> Json:
    """One question to the person."""
    answer = several(exchange, {"user_name": NAME})["user_name"]
    name = (object_of(answer.get("content")) or {}).get("name")
    if not isinstance(name, str):
        raise InputRequiredError({"user_name": {"method": NAME[0], "params": NAME[1]}}, None)
    return said(f"Hello, {name}!")


def capital(_: Json, exchange: Exchange) -> Json:
    """One question to the client's model."""
    request = ("sampling/createMessage", sampling("What is the capital of France?"))
    return said(str(several(exchange, {"capital_question": request})["capital_question"]["content"]["text"]))


def roots(_: Json, exchange: Exchange) -> Json:
    """The client's roots."""
    return said(str(several(exchange, {"client_roots": ("roots/list", {})})["client_roots"]["roots"]))


def stateful(_: Json, exchange: Exchange) -> Json:
    """One question, whose state must come back as it was sent."""
    request = ("elicitation/create", form("Please confirm", ok={"type": "boolean"}))
    if "inputResponses" in exchange.params and exchange.params.get("requestState") != STATE:
        raise ProtocolError(INVALID_PARAMS, "the state was changed")
    several(exchange, {"confirm": request}, STATE)
    return said("state-ok")


def all_at_once(_: Json, exchange: Exchange) -> Json:
    """Three questions of three kinds."""
    greeting = ("sampling/createMessage", sampling("Generate a greeting", 50))
    several(exchange, {"user_name": NAME, "greeting": greeting, "client_roots": ("roots/list", {})}, STATE)
    return said("all answered")


def in_rounds(_: Json, exchange: Exchange) -> Json:
    """Two questions, one after the other."""
    first = ("elicitation/create", form("Step 1: What is your name?", name={"type": "string"}))
    second = ("elicitation/create", form("Step 2: What is your favorite color?", color={"type": "string"}))
    if exchange.params.get("requestState") not in ("round-1", "round-2"):
        several(exchange, {"step1": first}, "round-1")
    several(exchange, {"step2": second}, "round-2")
    return said("both answered")


def needing(_: Json, exchange: Exchange) -> Json:
    """Needs a capability."""
    exchange.require("sampling")
    return said("it can")


def failing(_: Json, _exchange: Exchange) -> Json:
    """Fails as a tool does."""
    return said("This tool intentionally returns an error for testing") | {"isError": True}


def fixed(*content: Json) -> Callable[[Json, Exchange], Json]:
    """A tool that always says the same."""
    return lambda _arguments, _exchange: {"content": list(content)}


OPTIONS = {"type": "string", "enum": ["option1", "option2", "option3"]}
ENUMS: Json = {
    "untitledSingle": OPTIONS,
    "titledSingle": {"type": "string", **one_of("value1", "value2", "value3")},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": OPTIONS},
    "titledMulti": {"type": "array", "items": {"anyOf": one_of("value1", "value2", "value3")["oneOf"]}},
}  # fmt: skip
DEFAULTS: Json = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
PERSON = form("?", username={"type": "string"}, email={"type": "string"})
PICTURE = {"type": "image", "data": IMAGE, "mimeType": "image/png"}
TOOLS: Mapping[str, Callable[[Json, Exchange], Json]] = {
    "test_simple_text": fixed(text("This is a simple text response for testing.")),
    "test_image_content": fixed(PICTURE),
    "test_audio_content": fixed({"type": "audio", "data": AUDIO, "mimeType": "audio/wav"}),
    "test_embedded_resource": fixed(embedded("test://embedded-resource", "This is an embedded resource content.")),
    "test_multiple_content_types": fixed(
        text("Multiple content types test:"),
        PICTURE,
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ),
    "test_error_handling": failing,
    "test_tool_with_logging": with_logging,
    "test_logging_tool": with_logging,
    "test_tool_with_progress": with_progress,
    "test_sampling": with_sampling,
    "test_elicitation": asking("e", PERSON, lambda answer: f"User response: {elicited(answer)}"),
    "test_streaming_elicitation": asking("e", PERSON, elicited),
    "test_elicitation_sep1034_defaults": asking(
        "e", form("defaults", **DEFAULTS) | {}, lambda answer: f"Elicitation completed: {elicited(answer)}"
    ),
    "test_elicitation_sep1330_enums": asking(
        "e", form("enums", **ENUMS), lambda answer: f"Elicitation completed: {elicited(answer)}"
    ),
    "test_missing_capability": needing,
    "test_input_required_result_elicitation": greeted,
    "test_input_required_result_sampling": capital,
    "test_input_required_result_list_roots": roots,
    "test_input_required_result_request_state": stateful,
    "test_input_required_result_tampered_state": stateful,
    "test_input_required_result_multiple_inputs": all_at_once,
    "test_input_required_result_multi_round": in_rounds,
    "test_input_required_result_capabilities": all_at_once,
}


def call(params: Json, exchange: Exchange) -> Json:
    """Call a tool."""
    tool = TOOLS.get(str(params.get("name")))
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, "Unknown tool")
    return tool(object_of(params.get("arguments", {})) or {}, exchange)


def prompt(params: Json, exchange: Exchange) -> Json:
    """Get a prompt."""
    arguments = object_of(params.get("arguments", {})) or {}
    match params.get("name"):
        case "test_simple_prompt":
            content = [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            first, second = arguments["arg1"], arguments["arg2"]
            content = [text(f"Prompt with arguments: arg1='{first}', arg2='{second}'")]
        case "test_prompt_with_embedded_resource":
            resource = embedded(arguments["resourceUri"], "Embedded resource content for testing.")
            content = [resource, text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            content = [PICTURE, text("Please analyze the image above.")]
        case "test_input_required_result_prompt":
            question = form("What context should the prompt use?", context={"type": "string"})
            several(exchange, {"user_context": ("elicitation/create", question)})
            content = [text("with context")]
        case _:
            raise ProtocolError(INVALID_PARAMS, "Unknown prompt")
    return {"messages": [{"role": "user", "content": each} for each in content]}


PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
RESOURCES: Mapping[str, Json] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": IMAGE},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched resource content"},
}


def read(params: Json, exchange: Exchange) -> Json:
    """Read a resource."""
    uri = str(params.get("uri"))
    identifier = uri.removeprefix("test://template/").removesuffix("/data")
    if uri == f"test://template/{identifier}/data":
        data = f'{{"id":"{identifier}","templateTest":true,"data":"Data for ID: {identifier}"}}'
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": data}]}
    if uri not in RESOURCES:
        code = INVALID_PARAMS if exchange.modern else RESOURCE_NOT_FOUND
        raise ProtocolError(code, "Resource not found", {"uri": uri})
    return {"contents": [{"uri": uri, **RESOURCES[uri]}]}


def server() -> Server:
    """The server."""
    nothing: Callable[[Json, Exchange], Json] = lambda _params, _exchange: {}  # noqa: E731
    schemas = {"test_sampling": "prompt", "test_elicitation": "message"}

    def schema(name: str) -> Json:
        field = schemas.get(name)
        return {"type": "object"} | ({"properties": {field: {"type": "string"}}, "required": [field]} if field else {})

    tools = [{"name": name, "description": name, "inputSchema": schema(name)} for name in TOOLS]
    prompts = [
        {"name": name, "description": name, "arguments": [{"name": each, "required": True} for each in names]}
        for name, names in PROMPTS.items()
    ]
    resources = [
        {"uri": uri, "name": uri, "description": uri, "mimeType": each["mimeType"]} for uri, each in RESOURCES.items()
    ]
    template = {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}
    return Server(
        {
            "tools/list": lambda _params, _exchange: {"tools": tools},
            "tools/call": call,
            "prompts/list": lambda _params, _exchange: {"prompts": prompts},
            "prompts/get": prompt,
            "resources/list": lambda _params, _exchange: {"resources": resources},
            "resources/templates/list": lambda _params, _exchange: {"resourceTemplates": [template]},
            "resources/read": read,
            "resources/subscribe": nothing,
            "resources/unsubscribe": nothing,
            "logging/setLevel": nothing,
            "completion/complete": lambda _params, _exchange: {"completion": {"values": [], "hasMore": False}},
        },
        {"tools": {}, "prompts": {}, "resources": {}, "logging": {}, "completions": {}},
        version="1",
    )


async def nowhere(_scope: Any, _receive: Any, send: Any) -> None:
    """There is no API beside it."""
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body"})


async def main() -> None:
    """Serve, and print the address. The suite knows no token, so each request is given it."""
    config = uvicorn.Config(nowhere, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    listener = config.bind_socket()
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    checked = LoopbackMiddleware(McpEndpoint(nowhere, server()), TOKEN, [address])

    async def with_token(scope: Any, receive: Any, send: Any) -> None:
        token = (b"authorization", f"Bearer {TOKEN}".encode())
        await checked(scope | {"headers": [*scope["headers"], token]}, receive, send)

    config.loaded_app = with_token
    config.app = with_token
    print(address, flush=True)  # noqa: T201 - for whoever runs it
    await uvicorn.Server(config).serve([listener])


if __name__ == "__main__":
    asyncio.run(main())

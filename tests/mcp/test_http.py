"""The endpoint for agents at the daemon's loopback address: the SDK's client, the token, sessions, hostile requests."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memd.daemon.mcp.memd_server import memd_server
from memd.daemon.mcp.streamable_http import BODY_BYTES, McpEndpoint
from memd.tests.e2e.conftest import Memd
from memd.tests.mcp.test_contract import Fake
from memd.tests.mcp.test_protocol import META, modern

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
}


class Place:
    """A daemon's loopback address."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.token = token

    def post(self, body: Any, **headers: str) -> tuple[int, Any, dict[str, str]]:
        """Send a message; returns status, JSON and headers."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        given = {**HEADERS, "Authorization": f"Bearer {self.token}"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", "/mcp", data, {name: value for name, value in given.items() if value})
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return response.status, json.loads(answer) if answer else None, fields


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """The address of a daemon of the test's own."""
    memd = Memd(tmp_path)
    memd.until_served(memd.start("serve", "--http", "127.0.0.1:0"))
    status = memd.json("status")
    yield Place(status["http"], (memd.data / "http.token").read_text().strip())
    memd.end()


def request(method: str, params: Any, identifier: Any = 1) -> dict[str, Any]:
    """A request's message."""
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_tells_a_whole_story(place: Place, mode: str) -> None:
    """In both eras, with the token."""
    with anyio.fail_after(120):
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {place.token}"}, timeout=60) as web,
            Client(streamable_http_client(f"http://{place.address}/mcp", http_client=web), mode=mode) as client,
        ):
            assert len((await client.list_tools()).tools) == 8
            done: list[float] = []

            async def note(progress: float, total: float | None, message: str | None) -> None:
                del total, message
                done.append(progress)

            added = await client.call_tool("add_memory", {"text": "The boat is blue."}, progress_callback=note)
            assert done
            assert not added.is_error
            found = await client.call_tool("search_memory", {"query": "boat"})
            assert "The boat is blue." in str(found.content[0])


def test_strangers_and_other_hosts_are_refused(place: Place) -> None:
    """Without the token, with another host's name, from a web page."""
    body = request("tools/list", modern())
    assert place.post(body, Mcp_Method="tools/list")[0] == 200
    assert place.post(body, Mcp_Method="tools/list", Authorization="")[0] == 401
    assert place.post(body, Mcp_Method="tools/list", Authorization="Bearer x")[0] == 401
    assert place.post(body, Mcp_Method="tools/list", Host="evil.example.com")[0] == 403
    assert place.post(body, Mcp_Method="tools/list", Origin="https://evil.example.com")[0] == 403


def test_headers_must_say_what_the_message_says(place: Place) -> None:
    """A request whose headers contradict it is refused with the protocol's codes."""
    for params, headers, status, code in (
        (modern(), {}, 400, -32020),
        (modern(), {"Mcp_Method": "ping"}, 400, -32020),
        (modern(), {"Mcp_Method": "tools/list", "MCP_Protocol_Version": "2025-11-25"}, 400, -32020),
        (modern(version="9"), {"Mcp_Method": "tools/list", "MCP_Protocol_Version": "9"}, 400, -32022),
        ({}, {"Mcp_Method": "tools/list"}, 400, -32602),
    ):
        given, answer, _ = place.post(request("tools/list", params, 9), **headers)
        assert (given, answer["error"]["code"], answer["id"]) == (status, code, 9)
    call = request("tools/call", modern({"name": "get_stats", "arguments": {}}))
    encoded = {"Mcp_Method": "tools/call", "Mcp_Name": "=?base64?Z2V0X3N0YXRz?="}
    assert place.post(call, **encoded)[0] == 200
    for wrong in ("search", "=?base64?!?=", "=?base64?=", ""):
        assert place.post(call, **(encoded | {"Mcp_Name": wrong}))[1]["error"]["code"] == -32020
    assert place.post(request("nothing", modern()), Mcp_Method="nothing")[0] == 404


def test_sessions_begin_and_end(place: Place) -> None:
    """The earlier era: a session has an id, is needed, and is gone when it was ended."""
    legacy = {"MCP_Protocol_Version": "2025-11-25"}
    start = request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
    status, about, headers = place.post(start, MCP_Protocol_Version="")
    assert (status, about["result"]["protocolVersion"]) == (200, "2025-11-25")
    session = headers["mcp-session-id"]
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert place.post(note, Mcp_Session_Id=session, **legacy)[:2] == (202, None)
    assert place.post(request("tools/list", {}), Mcp_Session_Id=session, **legacy)[0] == 200
    assert place.post(request("tools/list", {}), **legacy)[0] == 400
    assert place.post(request("tools/list", {}), Mcp_Session_Id="x", **legacy)[0] == 404
    status, answer, _ = place.post(request("nothing", {}), Mcp_Session_Id=session, **legacy)
    assert (status, answer["error"]["code"]) == (200, -32601)
    for method, wanted in (("GET", 405), ("DELETE", 200), ("DELETE", 404)):
        connection = http.client.HTTPConnection(place.address, timeout=60)
        connection.request(
            method, "/mcp", headers={"Authorization": f"Bearer {place.token}", "Mcp-Session-Id": session}
        )
        assert connection.getresponse().status == wanted
        connection.close()


def test_what_is_no_message_is_refused(place: Place) -> None:
    """And the API is where it was."""
    for body, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600)):
        status, answer, _ = place.post(body)
        assert (status, answer["error"]["code"]) == (400, code)
    connection = http.client.HTTPConnection(place.address, timeout=60)
    connection.request("GET", "/v1/health", headers={"Authorization": f"Bearer {place.token}"})
    assert connection.getresponse().status == 200
    connection.close()
    assert META


def test_messages_together_are_bounded() -> None:
    """Each is held in memory until it is answered; one too many is refused, and room is free again afterwards."""

    async def main() -> None:
        endpoint = McpEndpoint(nothing, memd_server(Fake({})))
        sent: list[Any] = []
        waiting = anyio.Event()

        async def send(message: Any) -> None:
            sent.append(message)

        async def post(*pieces: bytes) -> int:
            rest = iter(pieces)

            async def receive() -> Any:
                piece = next(rest, None)
                if piece is None:
                    await waiting.wait()
                    return {"type": "http.request", "body": b"", "more_body": False}
                return {"type": "http.request", "body": piece, "more_body": True}

            begin = len(sent)
            await endpoint({"type": "http", "method": "POST", "path": "/mcp", "headers": []}, receive, send)
            return next(message["status"] for message in sent[begin:] if "status" in message)

        piece = bytes(BODY_BYTES // 2)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(post, piece, piece)
            await anyio.lowlevel.checkpoint()
            assert await post(b"x") == 409
            waiting.set()
        assert await post(b"x") == 400
        assert await post(piece, piece, b"x") == 413

    anyio.run(main)


async def nothing(*_: object) -> None:
    """No application."""
    raise AssertionError

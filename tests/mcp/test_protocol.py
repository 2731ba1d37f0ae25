"""The protocol without a transport: both eras, versions, errors, and what a hostile client gets."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from memd.daemon.mcp import stdio
from memd.daemon.mcp.exchange import Exchange, Peer
from memd.daemon.mcp.jsonrpc import ProtocolError, line_of, parse
from memd.daemon.mcp.memd_server import memd_server
from memd.daemon.mcp.server import LEGACY, MODERN, Server
from memd.tests.cases import for_each
from memd.tests.mcp.test_contract import Fake

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN[0],
    "io.modelcontextprotocol/clientCapabilities": {},
}


def asked(
    method: str, params: Mapping[str, Any] | None = None, *, peer: Peer | None = None, server: Server | None = None
) -> dict[str, Any]:
    """The response of a server to a request."""

    def none(*_: object) -> Any:
        raise AssertionError("nobody is asked")

    message = parse(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}))
    return (server or memd_server(Fake({"stats": RuntimeError("a private word")}))).answer(
        message, Exchange(peer or Peer(), none, none)
    )


def modern(params: Mapping[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    """Params of the later era; a keyword changes version or capabilities."""
    names = {"version": "protocolVersion", "capabilities": "clientCapabilities"}
    changed = {f"io.modelcontextprotocol/{names[name]}": value for name, value in meta.items()}
    return {**(params or {}), "_meta": {**META, **changed}}


def test_a_request_with_its_version_is_served_by_itself() -> None:
    """Each result has its type, and says who answered; lists tell how long they may be kept."""
    result = asked("tools/list", modern())["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "memd"
    assert (result["ttlMs"], result["cacheScope"]) == (3_600_000, "public")
    found = asked("server/discover", modern())["result"]
    assert found["supportedVersions"] == list(MODERN)
    assert found["capabilities"]["tools"] == {}


def test_earlier_versions_begin_with_a_handshake() -> None:
    """A version that is not served gets the latest that is; results then have no parts of the later era."""
    for wanted in LEGACY:
        about = asked("initialize", {"protocolVersion": wanted, "capabilities": {}})["result"]
        assert about["protocolVersion"] == wanted
    peer = Peer()
    about = asked("initialize", {"protocolVersion": "1999-01-01", "capabilities": {"roots": {}}}, peer=peer)["result"]
    assert about["protocolVersion"] == "2025-11-25"
    assert peer.capabilities == {"roots": {}}
    assert sorted(asked("tools/list", peer=peer)["result"]) == ["tools"]
    assert asked("ping", peer=peer)["result"] == {}


@for_each(
    [
        ("tools/list", {}, -32602),
        ("tools/list", {"_meta": 3}, -32602),
        ("tools/list", modern(version="1999-01-01"), -32022),
        ("tools/list", modern(version=5), -32602),
        ("tools/list", modern(capabilities=None), -32602),
        ("initialize", modern(), -32601),
        ("ping", modern(), -32601),
        ("initialize", {}, -32602),
        ("nothing", modern(), -32601),
        ("tools/call", modern({"name": "nothing"}), -32602),
        ("tools/call", modern({"name": "get_stats"}), -32603),
    ]
)
def test_what_cannot_be_served_is_an_error(method: str, params: Any, code: int) -> None:
    """With the protocol's code; an unexpected one repeats nothing."""
    answer = asked(method, params)
    assert answer["error"]["code"] == code
    assert answer["id"] == 1
    assert "private" not in json.dumps(answer)


def test_the_versions_that_are_served_are_told() -> None:
    """So that a client can choose another one."""
    answer = asked("tools/list", modern(version="1999-01-01"))
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "1999-01-01"}


@for_each(
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"3", -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
    ]
)
def test_what_is_no_message_is_refused(line: bytes, code: int) -> None:
    """With the code of JSON-RPC."""
    with pytest.raises(ProtocolError) as raised:
        parse(line)
    assert raised.value.code == code


def test_a_message_is_one_line_of_ascii() -> None:
    """Whatever stands in it: a client may split lines at any separator of Unicode."""
    assert line_of({"a": "x\u2028\n\ud800é"}) == b'{"a":"x\\u2028\\n\\ud800\\u00e9"}'


def test_the_transport_of_pipes_is_not_led_astray(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is too long is skipped, a response to nothing is nothing, blank lines are none, and the end is the end."""
    monkeypatch.setattr(stdio, "LINE_BYTES", 300)
    lines = [
        b" " * 1000,
        json.dumps({"jsonrpc": "2.0", "id": "memd-1", "result": {}}).encode(),
        b"",
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}).encode(),
        json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"}).encode(),
    ]
    sink = io.BytesIO()
    stdio.StdioTransport(memd_server(Fake({})), io.BytesIO(b"\n".join(lines)), sink).run()
    answers = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [answer.get("id") for answer in answers] == [None, 7]
    assert answers[0]["error"]["code"] == -32600

"""`memd mcp` over real pipes beside a real daemon: the SDK's client, several sessions, restarts of either side."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from memd.daemon.client import is_listening
from memd.daemon.config.paths import read_owner
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.e2e.conftest import LINES, Memd, write_chat
from memd.tests.mcp.test_protocol import modern

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def memd(tmp_path: Path) -> Iterator[Memd]:
    """The command with a fresh home, without vectors; a daemon that it started is ended with the test."""
    command = Memd(tmp_path)
    command.environment["XDG_STATE_HOME"] = str(tmp_path / "state")
    yield command
    command.end()
    if is_listening(str(command.socket)):
        os.kill(_owner(command), signal.SIGKILL)


def _owner(memd: Memd) -> int:
    pid = read_owner(str(memd.data / "owner.lock")).pid
    assert pid is not None
    return pid


class Agent:
    """A client of our own, for what the SDK's would not send."""

    def __init__(self, memd: Memd, *words: str) -> None:
        self.process = processes.Popen(
            memd_command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=memd.environment
        )
        self._count = 0

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request; returns its response."""
        self._count += 1
        return self.line(json.dumps({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}))

    def line(self, line: str) -> dict[str, Any]:
        """Send a line; returns the next message."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool in the later era; returns its result."""
        return self.ask("tools/call", modern({"name": tool, "arguments": arguments}))["result"]

    def end(self) -> int:
        """Close the input; returns the exit code."""
        self.process.communicate(timeout=60)
        return self.process.returncode


def _parameters(memd: Memd) -> StdioServerParameters:
    command, *words = memd_command("mcp")
    return StdioServerParameters(command=command, args=words, env=memd.environment)


def _text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_tells_a_whole_story(memd: Memd, tmp_path: Path, mode: str) -> None:
    """Without a daemon at first: it is started. In both eras, a memory is added, found, shown, counted."""
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", LINES)
    with anyio.fail_after(120):
        async with Client(_parameters(memd), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools][:3] == [
                "add_memory",
                "search_memory",
                "get_stats",
            ]
            assert not is_listening(str(memd.socket))
            done: list[float] = []

            async def note(progress: float, total: float | None, message: str | None) -> None:
                del total, message
                done.append(progress)

            added = await client.call_tool(
                "add_memory",
                {"text": "The boat is blue.", "metadata": {"tags": ["boat"], "source": "log"}},
                progress_callback=note,
            )
            assert done == sorted(set(done))
            assert done
            assert not added.is_error, _text(added)
            assert is_listening(str(memd.socket))
            again = await client.call_tool(
                "add_memory", {"text": "The boat is blue.", "metadata": {"source": "log", "tags": ["boat"]}}
            )
            assert added.structured_content == again.structured_content
            assert "Chunks created: 1" in _text(added)
            found = await client.call_tool("search_memory", {"query": "boat", "filters": {"tags": ["boat"]}})
            assert _text(found).startswith("Found 1 relevant memories:\n\n")
            assert "1. The boat is blue.\n   Source: log\n" in _text(found)
            await anyio.to_thread.run_sync(lambda: memd.json("ingest", str(chat), "--me", "Ann"))
            hits = await client.call_tool("search", {"question": "where does Carla live?"})
            assert "Carla stays in Oslo" in _text(hits)
            assert hits.structured_content is not None
            shown = await client.call_tool("show", {"id": hits.structured_content["hits"][0]["link"]})
            assert "Where do you live now?" in _text(shown)
            facts = await client.call_tool("facts", {"about": "Bob"})
            assert "Lisbon" in _text(facts)
            people = await client.call_tool("people", {})
            assert "Bob" in _text(people)
            recent = await client.call_tool("recent", {"limit": 1})
            assert "memd://document/" in _text(recent)
            stats = await client.call_tool("get_stats", {})
            assert "Total Memories: " in _text(stats)
            wrong = await client.call_tool("search_memory", {"query": " "})
            assert wrong.is_error
            assert _text(wrong) == "Validation Error: query cannot be empty"


async def test_nine_sessions_share_one_daemon(memd: Memd) -> None:
    """All of them at once, without one at first: one daemon is started, and each finds what the others added."""
    done: list[str] = []

    async def session(number: int) -> None:
        async with Client(_parameters(memd), mode="auto") as client:
            added = await client.call_tool("add_memory", {"text": f"Session {number} was here."})
            assert not added.is_error, _text(added)
            done.append(_text(added))
            while len(done) < 9:
                await anyio.sleep(0.05)
            found = await client.call_tool("search_memory", {"query": "Session was here", "limit": 100})
            assert _text(found).startswith("Found 9 ")

    with anyio.fail_after(180):
        async with anyio.create_task_group() as tasks:
            for number in range(9):
                tasks.start_soon(session, number)


def test_either_side_survives_the_other(memd: Memd) -> None:
    """A daemon that is killed or stopped is replaced at the next call; one that an agent started outlives the agent."""
    agent = Agent(memd, "mcp")
    assert not agent.call("add_memory", text="The boat is blue.")["isError"]
    for number in (signal.SIGKILL, signal.SIGTERM):
        os.kill(_owner(memd), number)
        deadline = time.monotonic() + 60
        while is_listening(str(memd.socket)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert agent.call("search_memory", query="boat")["_meta"]["results_count"] == 1
    agent.process.kill()
    agent.end()
    assert is_listening(str(memd.socket))
    other = Agent(memd, "mcp")
    assert other.call("search_memory", query="boat")["_meta"]["results_count"] == 1
    assert other.end() == 0


def test_without_a_daemon_nothing_is_hidden(memd: Memd) -> None:
    """Where none may be started, or none can start, a call is an error, and never an empty answer."""
    agent = Agent(memd, "mcp", "--no-start")
    result = agent.call("search_memory", query="boat")
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("Database Error: Service temporarily unavailable.")
    assert result["structuredContent"]["error"]["hint"] == "start one: memd serve"
    assert agent.end() == 0
    memd.data.mkdir()
    (memd.data / "journal.db").write_bytes(b"no database" * 1000)
    agent = Agent(memd, "mcp")
    result = agent.call("get_stats")
    assert result["structuredContent"]["error"]["hint"] == "see why: memd serve"
    assert agent.end() == 0


def test_a_hostile_client_gets_clear_errors(memd: Memd) -> None:
    """One for each line, and the next request is served as if nothing had been."""
    agent = Agent(memd, "mcp", "--no-start")
    assert agent.line("{")["error"]["code"] == -32700
    assert agent.line("[]")["error"]["code"] == -32600
    refused = agent.line('{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}')
    assert (refused["id"], refused["error"]["code"]) == (7, -32602)
    assert agent.line('{"jsonrpc":"2.0","id":"a","method":"\\ud800"}')["id"] == "a"
    assert agent.ask("tools/list", modern())["result"]["tools"]
    assert agent.end() == 0


def test_a_cancelled_call_is_not_answered(memd: Memd) -> None:
    """Others are: lists are answered while a call waits for a daemon that does not come."""
    agent = Agent(memd, "mcp")
    (memd.data).mkdir()
    held = threading.Event()
    assert agent.process.stdin is not None
    call = {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": modern({"name": "get_stats"})}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}}
    for message in (call, cancel):
        agent.process.stdin.write(json.dumps(message).encode() + b"\n")
    assert agent.ask("tools/list", modern())["id"] == 1
    assert not held.is_set()
    out, _ = agent.process.communicate(timeout=90)
    assert out == b""


def test_the_list_of_tools_needs_no_heavy_import(memd: Memd) -> None:
    """Neither the SDK nor an event loop nor what the other verbs import."""
    program = (
        "import sys, os; from memd.daemon.cli import main; code = main(['mcp', '--no-start']);"
        "print(sorted({'mcp', 'pydantic', 'anyio', 'asyncio', 'numpy', 'http.client', 'ssl',"
        " 'memd.daemon.cli.dispatch', 'memd.daemon.client'} & set(sys.modules)), file=sys.stderr)"
    )
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": modern()}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        input=json.dumps(request).encode(),
        capture_output=True,
        env=memd.environment,
        check=True,
    )
    assert len(json.loads(done.stdout)["result"]["tools"]) == 8
    assert done.stderr == b"[]\n"

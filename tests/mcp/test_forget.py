"""Forgetting by an agent: only where it is allowed, only after the person confirmed the plan, in both eras; and resources."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from memd.daemon.mcp import forgetting, stdio
from memd.daemon.mcp.memd_server import memd_server
from memd.daemon.mcp.server import Server
from memd.tests.cases import for_each
from memd.tests.command import memd_command
from memd.tests.e2e.conftest import Memd
from memd.tests.mcp.test_contract import Fake
from memd.tests.mcp.test_protocol import asked, modern
from memd.tests.mcp.test_stdio import memd

__all__ = ["memd"]
PLAN: dict[str, Any] = {
    "plan": "p1", "messages": 3, "waiting": 0, "taken": [], "unpurged": [], "chat_count": 1,
    "chats": [{"title": "Rowing", "source": "whatsapp", "messages": 3}],
}  # fmt: skip


class Forgetful(Fake):
    """A memory with a plan."""

    def __init__(self, plan: Mapping[str, Any] = PLAN) -> None:
        super().__init__({})
        self.plan = plan

    def operate(self, operation: Any, values: Any) -> dict[str, Any]:
        """Note what is asked."""
        self.asked.append((operation.name, values))
        return dict(self.plan)

    @property
    def forgot(self) -> bool:
        """Whether anything but a plan was asked for."""
        return any(not values["dry_run"] for _, values in self.asked)


def forget(server: Server, *, can: bool = True, **more: Any) -> dict[str, Any]:
    """Call the tool in the later era."""
    arguments = more.pop("arguments", {"chats": ["Rowing"]})
    params = {"name": "forget", "arguments": arguments, **more}
    return asked("tools/call", modern(params, capabilities={"elicitation": {}} if can else {}), server=server)


def test_it_is_in_no_default_list() -> None:
    """A call by its name is an unknown tool."""
    assert forget(memd_server(Forgetful()))["error"]["code"] == -32602
    listed = asked("tools/list", modern(), server=memd_server(Forgetful(), forgets=True))["result"]["tools"]
    assert listed[-1]["annotations"] == {"readOnlyHint": False, "destructiveHint": True}


YES = {"confirm": {"action": "accept", "content": {"forget": True}}}


def test_a_confirmed_plan_is_carried_out() -> None:
    """The question names what goes; the sealed state comes back with the answer."""
    memory = Forgetful()
    server = memd_server(memory, forgets=True)
    question = forget(server)["result"]
    assert question["resultType"] == "input_required"
    assert "3 messages for good: Rowing (3)" in question["inputRequests"]["confirm"]["params"]["message"]
    assert not memory.forgot
    done = forget(server, inputResponses=YES, requestState=question["requestState"])["result"]
    assert done["structuredContent"] == {"forgotten": 3, "unpurged": 0}
    assert memory.asked[-1][1] == {"chats": ["Rowing"], "dry_run": False, "plan": "p1"}


@for_each([("keep", "stay"), ("redact", "[redacted]"), ("remove", "go, too")])
def test_the_person_is_told_of_quotes(treatment: str, words: str) -> None:
    """What happens to them is a part of the question, and of what is asked of the memory."""
    memory = Forgetful(PLAN | {"quotes": {"messages": 2, "treatment": treatment}})
    server = memd_server(memory, forgets=True)
    question = forget(server, arguments={"chats": ["Rowing"], "quotes": treatment})["result"]
    message = question["inputRequests"]["confirm"]["params"]["message"]
    assert "2 messages of others" in message
    assert words in message
    assert memory.asked[-1][1].get("quotes", "keep") == treatment


@for_each(
    [
        ({"confirm": {"action": "decline"}}, None),
        ({"confirm": {"action": "accept", "content": {"forget": False}}}, None),
        ({"confirm": {"action": "accept", "content": {"forget": "yes"}}}, None),
        ({"confirm": {"action": "accept"}}, None),
        ({"confirm": 3}, None),
        ({}, None),
        (YES, ""),
        (YES, "9999999999.0"),
        (YES, "x.y"),
        (YES, 3),
    ]
)
def test_anything_else_forgets_nothing(responses: Any, state: Any) -> None:
    """Another answer, no answer, no state, a forged one."""
    memory = Forgetful()
    server = memd_server(memory, forgets=True)
    seal = forget(server)["result"]["requestState"]
    answer = forget(server, inputResponses=responses, requestState=seal if state is None else state)
    assert not memory.forgot
    if state is not None:
        assert answer["error"]["code"] == -32602
    elif "content" in answer["result"]:
        assert "nothing was forgotten" in answer["result"]["content"][0]["text"]


def test_a_state_counts_for_its_plan_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for another selection, not for what has come to it since, not for long."""
    memory = Forgetful()
    server = memd_server(memory, forgets=True)
    seal = forget(server)["result"]["requestState"]
    other = forget(server, arguments={"chats": ["Attic"]}, inputResponses=YES, requestState=seal)
    assert other["error"]["code"] == -32602
    memory.plan = PLAN | {"plan": "p2"}
    assert forget(server, inputResponses=YES, requestState=seal)["error"]["code"] == -32602
    memory.plan = PLAN
    now = time.time()
    monkeypatch.setattr(forgetting.time, "time", lambda: now + forgetting.STATE_SECONDS + 1)
    assert forget(server, inputResponses=YES, requestState=seal)["error"]["code"] == -32602
    assert not memory.forgot


def test_what_cannot_be_asked_is_an_error() -> None:
    """A client that cannot ask, no selection, a part of a name; nothing that matches is no error."""
    server = memd_server(Forgetful(), forgets=True)
    error = forget(server, can=False)["error"]
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"elicitation": {}}})
    assert forget(server, arguments={})["result"]["isError"]
    part = {"kind": "chat", "asked": "Row", "part_of": ["Rowing"]}
    parts = forget(memd_server(Forgetful(PLAN | {"taken": [part]}), forgets=True))["result"]
    assert parts["structuredContent"]["error"]["hint"] == "there is: Rowing"
    nothing = forget(memd_server(Forgetful(PLAN | {"messages": 0}), forgets=True))["result"]
    assert nothing["structuredContent"] == {"forgotten": 0}


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_forgets_and_reads_resources(memd: Memd, mode: str) -> None:
    """The person declines, then confirms; the chat's resource is readable before, and not found after it."""
    answers = ["decline", "accept"]
    questions: list[str] = []

    async def ask(context: Any, params: Any) -> types.ElicitResult:
        del context
        questions.append(params.message)
        action = answers.pop(0)
        return types.ElicitResult(action=action, content={"forget": True} if action == "accept" else None)  # pyright: ignore[reportArgumentType]

    command, *words = memd_command("mcp", "--allow-forget")
    parameters = StdioServerParameters(command=command, args=words, env=memd.environment)
    with anyio.fail_after(120):
        async with Client(parameters, mode=mode, elicitation_callback=ask) as client:
            added = await client.call_tool("add_memory", {"text": "The boat is blue."})
            assert added.structured_content is not None
            identifier, link = added.structured_content["memory_id"], added.structured_content["link"]
            first = await client.list_resources()
            second = await client.list_resources(cursor=first.next_cursor)
            assert [each.uri for each in second.resources] == [link]
            assert len((await client.list_resource_templates()).resource_templates) == 3
            read = await client.read_resource(link)
            assert "<memd-quote " in str(read.contents[0])
            assert "The boat is blue." in str(read.contents[0])
            declined = await client.call_tool("forget", {"documents": [identifier]})
            assert declined.structured_content == {"forgotten": 0}
            done = await client.call_tool("forget", {"documents": [identifier]})
            assert done.structured_content is not None
            assert done.structured_content["forgotten"] == 1, done
            assert len(questions) == 2
            with pytest.raises(Exception, match="Resource not found"):
                await client.read_resource(link)


def test_questions_that_wait_hold_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """More calls wait for the person than may run at once: others are served, and the answers are read. A cancelled call ends
    with its question; there is an end to questions.
    """
    monkeypatch.setattr(stdio, "AT_ONCE", 2)
    monkeypatch.setattr(stdio, "QUESTIONS", 4)
    memory = Forgetful()
    (requests, sending), (reading, answers) = os.pipe(), os.pipe()
    with os.fdopen(requests, "rb") as source, os.fdopen(answers, "wb") as sink:
        with os.fdopen(sending, "wb", buffering=0) as out, os.fdopen(reading, "rb") as received:

            def send(**message: Any) -> None:
                out.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

            def receive() -> dict[str, Any]:
                return json.loads(received.readline())

            transport = stdio.StdioTransport(memd_server(memory, forgets=True), source, sink)
            serving = threading.Thread(target=transport.run, daemon=True)
            serving.start()
            start: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}}
            send(id=0, method="initialize", params=start)
            assert "result" in receive()
            call = {"name": "forget", "arguments": {"chats": ["Rowing"]}}
            questions: list[Any] = []
            for number in range(1, 5):
                send(id=number, method="tools/call", params=call)
                questions.append(receive()["id"])
            send(id=5, method="tools/call", params=call)
            assert "too many questions" in receive()["error"]["message"]
            send(method="notifications/cancelled", params={"requestId": 1})
            send(id="p", method="ping")
            assert receive() == {"jsonrpc": "2.0", "id": "p", "result": {}}
            for question in questions:
                send(id=question, result={"action": "decline"})
            assert {receive()["id"] for _ in range(3)} == {2, 3, 4}
        serving.join(30)
        assert not serving.is_alive()
    assert not memory.forgot

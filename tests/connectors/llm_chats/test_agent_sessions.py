"""Codex, Gemini CLI and Copilot CLI: who said what, tools and their results, and what the program itself writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.connectors.formats.llm_chats.agent_sessions import (
    CodexConnector,
    CopilotCLIConnector,
    GeminiCLIConnector,
)
from memd.schemas import ConversationDocument
from memd.tests.connectors.llm_chats.test_other_models import codes, read
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

AT = "2024-01-15T12:00:0{}Z"


def lines(*objects: dict[str, Any]) -> bytes:
    """A file with an object a line."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def rollout(*payloads: dict[str, Any], ident: str = "s1") -> bytes:
    """A session of Codex."""
    meta = {"id": ident, "timestamp": AT.format(0), "cwd": "/home/ann/kiln", "originator": "codex_cli"}
    first = {"timestamp": AT.format(0), "type": "session_meta", "payload": meta}
    rest = [
        {"timestamp": AT.format(number), "type": "response_item", "payload": each}
        for number, each in enumerate(payloads)
    ]
    return lines(first, *rest)


def turn(role: str, text: str) -> dict[str, Any]:
    """A message of it."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


CODEX = rollout(
    turn("user", "<environment_context>linux</environment_context>"),
    turn("user", "Which glaze?"),
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look first"}]},
    {"type": "function_call", "name": "shell", "arguments": '{"command": "ls"}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "celadon"},
    turn("assistant", "Celadon."),
)
GEMINI = json.dumps(
    {
        "sessionId": "g1",
        "projectHash": "h",
        "startTime": AT.format(0),
        "lastUpdated": AT.format(5),
        "messages": [
            {"id": "1", "timestamp": AT.format(1), "type": "user", "content": "Which oar?"},
            {"id": "2", "timestamp": AT.format(2), "type": "info", "content": "model changed"},
            {
                "id": "3",
                "timestamp": AT.format(3),
                "type": "gemini",
                "content": [{"text": "The long one."}],
                "toolCalls": [{"name": "read_file", "args": {"content": "oars"}, "resultDisplay": "two oars"}],
                "model": "gemini-3",
            },
        ],
    }
).encode()
GEMINI_LINES = lines(
    {"sessionId": "g2", "startTime": AT.format(0), "lastUpdated": AT.format(0)},
    {"id": "1", "timestamp": AT.format(1), "type": "user", "content": "Which sail?"},
    {"id": "2", "timestamp": AT.format(2), "type": "gemini", "content": "The jib."},
    {"$rewindTo": "2"},
    {"id": "3", "timestamp": AT.format(3), "type": "gemini", "content": "The spinnaker."},
)
COPILOT = lines(
    {"type": "session.start", "data": {"sessionId": "p1", "context": {"cwd": "/w/barn"}}, "timestamp": AT.format(0)},
    {"type": "user.message", "data": {"content": "Which hinge?"}, "timestamp": AT.format(1), "id": "u"},
    {"type": "tool.execution_start", "data": {"toolCallId": "t", "toolName": "bash", "arguments": {"content": "ls"}}, "timestamp": AT.format(2)},
    {"type": "tool.execution_complete", "data": {"toolCallId": "t", "result": {"content": "a strap hinge"}}, "timestamp": AT.format(3)},
    {"type": "assistant.message", "data": {"content": "The strap hinge."}, "timestamp": AT.format(4)},
)  # fmt: skip


class TestCodex(ConnectorContract):
    """Sessions of Codex keep the contract."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download("the anvil is too soft", {"r/rollout-9.jsonl": rollout(turn("user", "The anvil is too soft"))})

    @pytest.fixture
    def connector(self) -> CodexConnector:
        """Without state."""
        return CodexConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One session."""
        return {"session": {"rollout-1.jsonl": CODEX}}


class TestGeminiCLI(ConnectorContract):
    """Sessions of Gemini CLI keep the contract, in both forms."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download(
        "the weir froze over", {"chats/session-9.json": GEMINI.replace(b"Which oar?", b"The weir froze over")}
    )

    @pytest.fixture
    def connector(self) -> GeminiCLIConnector:
        """Without state."""
        return GeminiCLIConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One of each form."""
        return {"object": {"session-1.json": GEMINI}, "lines": {"session-2.jsonl": GEMINI_LINES}}


class TestCopilotCLI(ConnectorContract):
    """Sessions of Copilot CLI keep the contract."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download(
        "the barn needs a hayfork", {"p9/events.jsonl": COPILOT.replace(b"Which hinge?", b"The barn needs a hayfork")}
    )

    @pytest.fixture
    def connector(self) -> CopilotCLIConnector:
        """Without state."""
        return CopilotCLIConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One session."""
        return {"session": {"p1/events.jsonl": COPILOT}}


def spoken(records: list[Any]) -> list[tuple[str, str]]:
    """Speakers and words."""
    documents = [each for each in records if isinstance(each, ConversationDocument)]
    return [(message.speaker, message.content) for document in documents for message in document.messages]


def test_a_session_of_codex() -> None:
    """The user's words, thoughts, the tool with its answer; not the context that the program writes as the user."""
    records = read(CodexConnector(), CODEX)
    assert spoken(records) == [
        ("(me)", "Which glaze?"),
        ("Codex", "Look first"),
        ("Codex (shell)", '{"command": "ls"}'),
        ("Codex (shell)", "celadon"),
        ("Codex", "Celadon."),
    ]
    assert "hidden-messages" in codes(records)
    assert [each.metadata["title"] for each in records if isinstance(each, ConversationDocument)] == ["kiln"]


def test_sessions_of_gemini() -> None:
    """As one object, and as lines of which some were taken back."""
    assert spoken(read(GeminiCLIConnector(), GEMINI)) == [
        ("(me)", "Which oar?"),
        ("Gemini", "The long one."),
        ("Gemini (read_file)", "oars"),
        ("Gemini (read_file)", "two oars"),
    ]
    records = read(GeminiCLIConnector(), GEMINI_LINES)
    assert spoken(records) == [("(me)", "Which sail?"), ("Gemini", "The spinnaker.")]
    assert "hidden-messages" in codes(records)


def test_a_session_of_copilot() -> None:
    """Messages, and the tool with its answer."""
    assert spoken(read(CopilotCLIConnector(), COPILOT)) == [
        ("(me)", "Which hinge?"),
        ("Copilot (bash)", "ls"),
        ("Copilot (bash)", "a strap hinge"),
        ("Copilot", "The strap hinge."),
    ]

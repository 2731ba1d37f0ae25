"""Grok, DeepSeek, Open WebUI and Claude Code: who said what and when, thoughts, versions, and what lies beside."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.llm_chats.agent_sessions import ClaudeCodeConnector
from memd.connectors.formats.llm_chats.other_models import (
    DeepSeekConnector,
    GrokConnector,
    OpenWebUIConnector,
    TalksConnector,
)
from memd.schemas import ConversationDocument, Notice, Rejected
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")


def packed(value: object) -> bytes:
    """JSON."""
    return json.dumps(value).encode()


def grok(*answers: tuple[str, str, str, str], ident: str = "g1") -> bytes:
    """Grok's export of one conversation: id, parent, sender and text of each response."""
    responses: list[dict[str, Any]] = [
        {
            "response": {
                "_id": own,
                "parent_response_id": parent,
                "sender": sender,
                "message": text,
                "create_time": {"$date": {"$numberLong": str(1_705_320_000_000 + number * 1000)}},
                "model": "grok-3",
            },
            "share_link": None,
        }
        for number, (own, parent, sender, text) in enumerate(answers)
    ]
    about = {"id": ident, "title": "Boats", "create_time": "2024-01-15T12:00:00Z"}
    return packed({"conversations": [{"conversation": about, "responses": responses}], "projects": []})


GROK = grok(("r1", "", "human", "Which ferry?"), ("r2", "r1", "ASSISTANT", "Ystad."))


def deepseek(**nodes: dict[str, Any]) -> bytes:
    """DeepSeek's export of one conversation, by the ids of messages."""
    root: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    about = {"id": "d1", "title": "Radishes", "inserted_at": "2024-01-15T20:00:00+08:00"}
    return packed([{**about, "updated_at": "2024-01-15T20:00:00+08:00", "mapping": root | nodes}])


def fragments(parent: str, minute: int, *listed: tuple[str, str]) -> dict[str, Any]:
    """One of its messages."""
    pieces = [{"type": kind, "content": text} for kind, text in listed]
    time = f"2024-01-15T20:{minute:02d}:00+08:00"
    return {"parent": parent, "children": [], "message": {"model": "r", "inserted_at": time, "fragments": pieces}}


DEEPSEEK = deepseek(
    a=fragments("root", 0, ("REQUEST", "When?")), b=fragments("a", 1, ("THINK", "In spring"), ("RESPONSE", "March."))
)


def webui(**more: Any) -> bytes:
    """Open WebUI's export of one chat."""
    messages = {
        "m1": {"id": "m1", "parentId": None, "role": "user", "content": "Which knot?", "timestamp": 1_705_320_000},
        "m2": {"id": "m2", "parentId": "m1", "role": "assistant", "content": "A hitch.", "timestamp": 1_705_320_010},
        "m3": {"id": "m3", "parentId": "m1", "role": "assistant", "content": "A bend.", "timestamp": 1_705_320_020},
    }
    chat = {"title": "Knots", "history": {"messages": messages, "currentId": "m2"}} | more
    return packed([{"id": "c1", "user_id": "u1", "title": "Knots", "chat": chat, "created_at": 1_705_320_000}])


def line(own: str, kind: str, content: object, **more: Any) -> dict[str, Any]:
    """A line of a session of Claude Code."""
    message = {"role": kind, "content": content}
    time = "2024-01-15T12:00:00.000Z"
    return {"type": kind, "uuid": own, "sessionId": "s1", "message": message, "timestamp": time} | more


SESSION = b"\n".join(
    packed(each)
    for each in (
        {"type": "summary", "summary": "Knots", "leafUuid": "b"},
        line("a", "user", "Which knot?"),
        line("b", "assistant", [{"type": "text", "text": "A hitch."}, {"type": "tool_use", "name": "Read", "input": {"query": "x"}}]),
        line("c", "user", [{"type": "tool_result", "content": "a page"}]),
        line("d", "user", "a caveat", isMeta=True),
        line("e", "assistant", "aside", isSidechain=True),
    )
)  # fmt: skip


class TestGrok(ConnectorContract):
    """Grok's export keeps the contract."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download(
        "the kite festival was cancelled",
        {"prod-grok-backend.json": grok(("r9", "", "human", "The kite festival was cancelled"), ident="g9")},
    )

    @pytest.fixture
    def connector(self) -> GrokConnector:
        """Without state."""
        return GrokConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One export."""
        return {"grok": {"prod-grok-backend.json": GROK}}


class TestDeepSeek(ConnectorContract):
    """DeepSeek's export keeps the contract."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download(
        "the beehive needs a new queen",
        {"deepseek/conversations.json": deepseek(z=fragments("root", 0, ("REQUEST", "The beehive needs a new queen")))},
    )

    @pytest.fixture
    def connector(self) -> DeepSeekConnector:
        """Without state."""
        return DeepSeekConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One export."""
        return {"deepseek": {"conversations.json": DEEPSEEK}}


class TestOpenWebUI(ConnectorContract):
    """Chats of Open WebUI keep the contract."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download(
        "the choir rehearses on tuesdays",
        {
            "chat-export-1.json": webui(
                history={},
                messages=[{"id": "q", "role": "user", "content": "The choir rehearses on Tuesdays"}],
            )
        },
    )

    @pytest.fixture
    def connector(self) -> OpenWebUIConnector:
        """Without state."""
        return OpenWebUIConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One export."""
        return {"openwebui": {"chat-export-1705320000.json": webui()}}


class TestClaudeCode(ConnectorContract):
    """Sessions of Claude Code keep the contract."""

    readers = ("llm_chats.talks:as_chat",)
    download = Download(
        "the lathe needs a new belt", {"sessions/9.jsonl": packed(line("z", "user", "The lathe needs a new belt"))}
    )

    @pytest.fixture
    def connector(self) -> ClaudeCodeConnector:
        """Without state."""
        return ClaudeCodeConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One session."""
        return {"session": {"s1.jsonl": SESSION}}


def read(connector: TalksConnector, data: bytes) -> list[Record]:
    """Everything in a file."""
    return list(connector.read(Shelf("x", {"a.json": data}), OPTIONS))


def said(records: list[Record]) -> list[tuple[str, str, str]]:
    """Who said what, and when."""
    documents = [record for record in records if isinstance(record, ConversationDocument)]
    return [(m.speaker, m.content, f"{m.time:%H:%M:%S}") for document in documents for m in document.messages]


def codes(records: list[Record]) -> list[str]:
    """The notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def test_grok_s_branch_that_was_shown_last() -> None:
    """The newest; the other is counted, and what was found on the web is quoted."""
    data = json.loads(
        grok(*(("r1", "", "human", "Where?"), ("r2", "r1", "assistant", "Old."), ("r3", "r1", "ASSISTANT", "New.")))
    )
    results = [{"title": "Ferry", "url": "https://example.org"}]
    data["conversations"][0]["responses"][2]["response"]["web_search_results"] = results
    records = read(GrokConnector(), packed(data))
    assert said(records) == [
        ("(me)", "Where?", "12:00:00"),
        ("Grok", "New.", "12:00:02"),
        ("Grok (search)", "Ferry <https://example.org>", "12:00:02"),
    ]
    assert codes(records) == ["user-unknown", "branches-left-out"]


def test_deepseek_of_both_ages() -> None:
    """Thoughts are told from answers; in older exports the order tells who speaks."""
    assert said(read(DeepSeekConnector(), DEEPSEEK)) == [
        ("(me)", "When?", "12:00:00"),
        ("DeepSeek", "In spring", "12:01:00"),
        ("DeepSeek", "March.", "12:01:00"),
    ]
    old = {
        key: {"parent": parent, "message": {"content": text, "inserted_at": "2024-01-15T12:00:00Z"}}
        for key, parent, text in (("1", "root", "Capital?"), ("2", "1", "Tarawa."))
    }
    assert [row[:2] for row in said(read(DeepSeekConnector(), deepseek(**old)))] == [
        ("(me)", "Capital?"),
        ("DeepSeek", "Tarawa."),
    ]


def test_open_webui_s_current_answer() -> None:
    """And chats without a tree, whose messages have no times of their own."""
    assert [row[1] for row in said(read(OpenWebUIConnector(), webui()))] == ["Which knot?", "A hitch."]
    listed = [{"id": "1", "role": "user", "content": "a"}, {"id": "2", "role": "assistant", "content": "b"}]
    records = read(OpenWebUIConnector(), webui(history={}, messages=listed))
    assert said(records) == [("(me)", "a", "12:00:00"), ("Open WebUI", "b", "12:00:00")]
    assert codes(records) == ["user-unknown", "time-assumed"]


def test_chats_in_a_list_of_an_object_are_read() -> None:
    """As Qwen exports them, with the words of an answer by its phases; an object without chats is told."""
    phases = [{"phase": "think", "content": "Ropes…"}, {"phase": "answer", "content": "A hitch."}]
    listed = [
        {"id": "1", "role": "user", "content": "a"},
        {"id": "2", "role": "assistant", "content": "", "content_list": phases},
    ]
    (chat,) = json.loads(webui(history={}, messages=listed))
    records = read(OpenWebUIConnector(), packed({"success": True, "data": [chat]}))
    assert [row[1] for row in said(records)] == ["a", "Ropes…", "A hitch."]
    (refused,) = [each for each in read(OpenWebUIConnector(), packed({"notes": [chat]})) if isinstance(each, Rejected)]
    assert refused.reason == "not a conversation of this program"


def test_what_models_thought_and_found_is_theirs() -> None:
    """Blocks within an answer of Open WebUI, Grok's trace and previews, DeepSeek's search and files."""
    content = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n&gt; Ropes…\n</details>\n'
        '<details type="tool_calls" done="true" name="search" arguments="&quot;knots&quot;" result="a page">\n<summary>Tool Executed'
        "</summary>\n</details>\nA hitch, a < b.\n"
    )
    listed = [{"id": "1", "role": "user", "content": "a"}, {"id": "2", "role": "assistant", "content": content}]
    assert [row[:2] for row in said(read(OpenWebUIConnector(), webui(history={}, messages=listed)))] == [
        ("(me)", "a"),
        ("Open WebUI", "Ropes…"),
        ("Open WebUI (search)", '"knots"'),
        ("Open WebUI (search)", "a page"),
        ("Open WebUI", "A hitch, a < b."),
    ]
    trace = json.loads(grok(("r1", "", "human", "When?"), ("r2", "r1", "assistant", "Noon.")))
    results = [{"title": "Tides", "url": "https://t.example", "preview": "high at noon"}]
    trace["conversations"][0]["responses"][1]["response"] |= {"thinking_trace": "Tables", "web_search_results": results}
    assert [row[1] for row in said(read(GrokConnector(), packed(trace)))] == [
        "When?", "Tables", "Noon.", "Tides <https://t.example>\nhigh at noon",
    ]  # fmt: skip
    search = fragments("root", 0, ("SEARCH", ""), ("RESPONSE", "March."))
    search["message"]["fragments"][0]["results"] = [{"title": "Seeds", "url": "https://s.example", "snippet": "early"}]
    search["message"]["files"] = [{"file_name": "plan.pdf", "content": "Rows and beds"}]
    assert [row[:2] for row in said(read(DeepSeekConnector(), deepseek(a=search)))] == [
        ("DeepSeek", "March."),
        ("DeepSeek (search)", "Seeds <https://s.example>\nearly"),
        ("DeepSeek", "Rows and beds"),
    ]


def test_chats_of_the_first_open_webui() -> None:
    """They have no wrapper, and no user."""
    chat = json.loads(webui())[0]["chat"] | {
        "id": "c0",
        "models": ["llama2"],
        "messages": [],
        "timestamp": 1_705_320_000_000,
    }
    records = read(OpenWebUIConnector(), packed([chat]))
    assert [row[1] for row in said(records)] == ["Which knot?", "A hitch."]
    assert [each.id for each in records if isinstance(each, ConversationDocument)] == ["openwebui:c0"]


def test_a_title_that_the_user_gave_comes_before_the_summary() -> None:
    """The last one."""
    titles = b"\n".join(
        packed({"type": "custom-title", "customTitle": each, "sessionId": "s1"}) for each in ("Old", "Ropes")
    )
    records = read(ClaudeCodeConnector(), SESSION + b"\n" + titles)
    assert [each.metadata["title"] for each in records if isinstance(each, ConversationDocument)] == ["Ropes"]


def test_a_session_of_claude_code() -> None:
    """With its tools; what no person and no answer says is left out."""
    records = read(ClaudeCodeConnector(), SESSION)
    assert [row[:2] for row in said(records)] == [
        ("(me)", "Which knot?"),
        ("Claude", "A hitch."),
        ("Claude (Read)", "x"),
        ("Claude (tool)", "a page"),
    ]
    (document,) = [record for record in records if isinstance(record, ConversationDocument)]
    assert (document.id, document.metadata["title"]) == ("claude_code:s1", "Knots")
    assert codes(records) == ["user-unknown", "hidden-messages"]


def test_the_summary_that_begins_a_continued_session_is_not_the_user_s() -> None:
    """The model wrote it, in a line of the user's form."""
    summary = line("g", "user", "This session is being continued. They spoke of knots.", isCompactSummary=True)
    records = read(
        ClaudeCodeConnector(), SESSION + b"\n" + packed(summary) + b"\n" + packed(line("h", "user", "Go on"))
    )
    assert [row[0] for row in said(records)][-2:] == ["Claude", "(me)"]


def test_a_conversation_without_any_time_is_rejected() -> None:
    """It costs no other one."""
    untimed = json.loads(grok(("r1", "", "human", "x")))
    entry = untimed["conversations"][0]
    del entry["conversation"]["create_time"], entry["responses"][0]["response"]["create_time"]
    untimed["conversations"].append(json.loads(GROK)["conversations"][0])
    records = read(GrokConnector(), packed(untimed))
    assert [record.reason for record in records if isinstance(record, Rejected)] == ["a conversation without any time"]
    assert len(said(records)) == 2

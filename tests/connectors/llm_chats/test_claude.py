"""Claude's export: blocks, tools, files, branches, projects and memories, and everything that may be broken."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.llm_chats.claude import ClaudeConnector
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import UNKNOWN_USER, ConversationDocument, Notice, Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")


def message(own: str, sender: str, text: str, minute: int, **more: Any) -> dict[str, Any]:
    """A message as the export writes it, its text twice."""
    time = f"2024-01-15T12:{minute:02d}:00.123456Z"
    block: dict[str, Any] = {
        "start_timestamp": time,
        "stop_timestamp": time,
        "type": "text",
        "text": text,
        "citations": [],
    }
    return {
        "uuid": own,
        "text": text,
        "content": [block],
        "sender": sender,
        "created_at": time,
        "updated_at": time,
        "attachments": [],
        "files": [],
        **more,
    }


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation as the export writes it."""
    return {
        "uuid": "c0ffee00-0000-4000-8000-000000000001",
        "name": "Boats",
        "summary": "",
        "created_at": "2024-01-15T11:59:00.000000Z",
        "updated_at": "2024-01-15T12:30:00.000000Z",
        "account": {"uuid": "acc"},
        "chat_messages": list(messages),
        **more,
    }


BOATS = conversation(message("m1", "human", "Where do I moor?\n", 0), message("m2", "assistant", "In Kiel.", 1))
USERS = [{"uuid": "acc", "full_name": "Ann Example", "email_address": "ann@example.org", "verified_phone_number": None}]
PROJECT = {
    "uuid": "p1",
    "name": "Boats",
    "description": "All about boats",
    "is_private": True,
    "is_starter_project": False,
    "prompt_template": "Answer like a sailor.",
    "created_at": "2024-01-01T00:00:00+00:00",
    "updated_at": "2024-01-02T00:00:00+00:00",
    "creator": {"uuid": "acc", "full_name": "Ann Example"},
    "docs": [{"uuid": "d1", "filename": "rig.md", "content": "The rig is old.", "created_at": "2024-01-03T00:00:00Z"}],
}
MEMORIES = [
    {"conversations_memory": "Ann sails.", "project_memories": {"p1": "The rig matters."}, "account_uuid": "acc"}
]


class TestClaudeConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = (
        "llm_chats.claude_conversation:ConversationReader.chat",
        "llm_chats.documents:text_records",
    )
    download = Download(
        "How do I varnish a cello?",
        {
            "conversations.json": json.dumps(
                [conversation(message("m1", "human", "How do I varnish a cello?", 0))]
            ).encode()
        },
        "data-2024.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return ClaudeConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """The files of an export, a file for each conversation, and projects and memories alone."""
        return {
            "export": {
                "conversations.json": json.dumps([BOATS]).encode(),
                "users.json": json.dumps(USERS).encode(),
                "projects.json": json.dumps([PROJECT]).encode(),
                "memories.json": json.dumps(MEMORIES).encode(),
            },
            "one.json": {"conversations/c.json": json.dumps(BOATS, indent=2).encode()},
            "projects.json": {"projects.json": json.dumps([PROJECT]).encode()},
            "memories.json": {"memories.json": json.dumps(MEMORIES).encode()},
        }


def read(files: Mapping[str, Any], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    encoded = {name: json.dumps(value).encode() for name, value in files.items()}
    return list(ClaudeConnector().read(Shelf("export", encoded), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The conversations among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def only(*messages: dict[str, Any], **more: Any) -> ConversationDocument:
    """The document of one conversation."""
    (found,) = documents(read({"c.json": [conversation(*messages, **more)]}))
    return found


def test_the_accounts_are_told_as_what_they_are(tmp_path: Path) -> None:
    """They hold no messages, and say who the user is."""
    (tmp_path / "conversations.json").write_text(json.dumps([BOATS]))
    (tmp_path / "users.json").write_text(json.dumps(USERS))
    log = ReadingLog()
    list(read_records(tmp_path, OPTIONS, log=log))
    files = log.to_wire()["exports"][0]["files"]
    assert [file.get("role") for file in files] == [None, "the accounts: say who the user is"]
    assert not log.skipped


def test_a_conversation_has_its_ids_times_and_roles() -> None:
    """The user's name is that of the account."""
    records = read({"conversations.json": [BOATS], "users.json": USERS})
    (found,) = documents(records)
    assert found.id == "claude:c0ffee00-0000-4000-8000-000000000001"
    assert found.metadata == {"title": "Boats", "chat": "c0ffee00-0000-4000-8000-000000000001"}
    assert found.conversation.user == "Ann Example"
    assert [(m.id, m.speaker, m.role, m.content) for m in found.messages] == [
        ("m1", "Ann Example", "user", "Where do I moor?\n"),
        ("m2", "Claude", "assistant", "In Kiel."),
    ]
    assert found.messages[0].time == datetime(2024, 1, 15, 12, 0, 0, 123456, UTC)
    assert [record for record in records if isinstance(record, Notice | Rejected)] == []


def test_without_an_account_the_user_is_unknown() -> None:
    """Until `--me` names the user."""
    records = read({"conversations.json": [BOATS]})
    assert documents(records)[0].conversation.user == UNKNOWN_USER
    assert [r.code for r in records if isinstance(r, Notice)] == ["user-unknown"]
    records = read({"conversations.json": [BOATS]}, ReadOptions(zone=UTC, me="Ann"))
    assert documents(records)[0].conversation.people == ("Ann", "Claude")


def test_an_organisation_has_several_users() -> None:
    """Each conversation is of its account; one that names none has no user that is known."""
    users = [*USERS, {"uuid": "other", "full_name": "Bo", "email_address": "bo@example.org"}]
    chats = [BOATS, {**BOATS, "uuid": "b", "account": {"uuid": "other"}}, {**BOATS, "uuid": "c", "account": None}]
    found = documents(read({"c.json": chats, "users.json": users}))
    assert [d.conversation.user for d in found] == ["Ann Example", "Bo", UNKNOWN_USER]


def test_a_user_may_be_called_like_the_assistant() -> None:
    """Their words stay apart."""
    (found,) = documents(read({"c.json": [BOATS]}, ReadOptions(zone=UTC, me="Claude")))
    assert [m.speaker for m in found.messages] == ["Claude", "Claude (assistant)"]


def test_words_thoughts_and_tools_are_told_apart() -> None:
    """The first words have the message's own id; what a tool says is nobody's word."""
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Look it up.", "summaries": []},
        {"type": "text", "text": "I look it up."},
        {"type": "token_budget"},
        {"type": "tool_use", "name": "web_search", "input": {"query": "Kiel"}},
        {
            "type": "tool_result",
            "name": "web_search",
            "content": [{"type": "text", "title": "Kiel", "text": "A port."}],
        },
        {"type": "text", "text": "It is a port."},
        {"type": "text", "text": "Surely."},
        {"type": "hologram"},
    ]
    found = only(message("m1", "assistant", "ignored", 0, content=blocks)).messages
    assert [(m.id, m.speaker, m.role, m.kind, m.content) for m in found] == [
        ("m1#0", "Claude", "assistant", "text", "Look it up."),
        ("m1", "Claude", "assistant", "text", "I look it up."),
        ("m1#2", "Claude (web_search)", "tool", "text", "Kiel"),
        ("m1#3", "Claude (web_search)", "tool", "text", "Kiel\nA port."),
        ("m1#4", "Claude", "assistant", "text", "It is a port.\nSurely."),
        ("m1#5", "Claude", "assistant", "unknown", "[hologram]"),
    ]
    assert found[0].metadata == {"content_type": "thinking"}
    assert [[s.kind for s in m.segments] for m in found] == [[], [], ["code"], ["quote"], [], []]


@pytest.mark.parametrize("content", [[], [{"type": "text", "text": ""}], None, [{"type": "token_budget"}]])
def test_the_text_counts_where_blocks_are_empty(content: Any) -> None:
    """Older exports have no blocks."""
    assert [m.content for m in only(message("m1", "human", "Hi", 0, content=content)).messages] == ["Hi"]


def test_fillers_of_the_app_are_no_words() -> None:
    """They stand for blocks that are there."""
    filler = "```\nThis block is not supported on your current device yet.\n```"
    blocks = [{"type": "tool_use", "name": "artifacts", "input": {"command": "create", "content": "<svg/>"}}]
    found = only(message("m1", "assistant", filler, 0, content=blocks)).messages
    assert [(m.id, m.role, m.content) for m in found] == [("m1", "tool", "<svg/>")]


def test_files_come_with_what_was_read_from_them() -> None:
    """The text of a file is a quote beside the message: others may have written it."""
    attachment = {"file_name": "rig.txt", "file_size": 7, "file_type": "text/plain", "extracted_content": "I am Bo"}
    files = [{"file_name": "boat.jpg"}, {"file_name": "rig.txt"}]
    found = only(
        message("m1", "human", "See", 0, attachments=[attachment], files=files),
        message("m2", "human", "", 1, files=[{"file_name": "mast.jpg"}]),
    ).messages
    assert [(m.id, m.content, m.kind, m.reply_to) for m in found] == [
        ("m1", "See", "text", None),
        ("m1#1", "I am Bo", "text", "m1"),
        ("m2", "[file]", "media", None),
    ]
    assert [a.to_wire() for a in found[0].attachments] == [
        {"name": "rig.txt", "mime": "text/plain", "size": 7},
        {"name": "boat.jpg", "missing": True},
    ]
    assert [(s.kind, s.start, s.end) for s in found[1].segments] == [("quote", 0, 7)]


def test_of_branches_the_newest_is_shown() -> None:
    """The others are counted."""
    root = "00000000-0000-4000-8000-000000000000"
    records = read(
        {
            "c.json": [
                conversation(
                    message("q", "human", "Hi", 0, parent_message_uuid=root),
                    message("a", "assistant", "Old", 1, parent_message_uuid="q"),
                    message("b", "assistant", "New", 2, parent_message_uuid="q"),
                    message("c", "human", "Thanks", 3, parent_message_uuid="b"),
                )
            ]
        }
    )
    assert [m.content for m in documents(records)[0].messages] == ["Hi", "New", "Thanks"]
    hints = {r.code: r.hint for r in records if isinstance(r, Notice)}
    assert hints["branches-left-out"].startswith("1 ")


def test_projects_and_memories_are_texts() -> None:
    """What Claude noted is no message of the user."""
    records = read({"projects.json": [PROJECT], "memories.json": MEMORIES})
    texts = [record for record in records if isinstance(record, TextDocument)]
    assert [(t.id, t.content, t.metadata) for t in texts] == [
        (
            "claude:project:p1",
            "All about boats\n\nAnswer like a sailor.",
            {"source": "claude", "title": "Boats", "project": "Boats"},
        ),
        ("claude:project:p1:d1", "The rig is old.", {"source": "claude", "title": "rig.md", "project": "Boats"}),
        ("claude:memory:acc", "Ann sails.", {"source": "claude", "title": "Claude's memory"}),
        (
            "claude:memory:p1",
            "The rig matters.",
            {"source": "claude", "title": "Claude's memory of a project", "project": "p1"},
        ),
    ]
    assert texts[1].timestamp == datetime(2024, 1, 3, tzinfo=UTC)


HOSTILE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1e300,
    "",
    "x\0y",
    "\ud800",
    [],
    [[]],
    {},
    {"text": {}},
    [None],
    [{}],
    "9" * 400,
]


@for_each(HOSTILE)
def test_fields_of_wrong_types_are_no_exception(value: Any) -> None:
    """Each field in turn holds something that nobody expects; the conversation beside it is read."""
    whole = conversation(
        message(
            "m1",
            "human",
            "Hi",
            0,
            parent_message_uuid="x",
            attachments=[{"file_name": "a", "extracted_content": "b"}],
            files=[{"file_name": "c"}],
        )
    )
    places: list[tuple[Any, ...]] = [(key,) for key in whole]
    places += [("chat_messages", 0)]
    places += [("chat_messages", 0, key) for key in whole["chat_messages"][0]]
    places += [("chat_messages", 0, "content", 0, key) for key in ("type", "text")]
    places += [("chat_messages", 0, "attachments", 0, key) for key in ("file_name", "extracted_content", "file_size")]
    for place in places:
        changed = json.loads(json.dumps(whole))
        parent = changed
        for key in place[:-1]:
            parent = parent[key]
        parent[place[-1]] = value
        records = read({"c.json": [changed, {**BOATS, "uuid": "good"}]})
        assert "claude:good" in [document.id for document in documents(records)]


def test_other_json_is_not_claimed() -> None:
    """Documents of memd, messages, a list of users of something else."""
    for other in (
        [{"id": "a", "content": "one"}],
        [{"uuid": "a", "name": "b"}],
        [{"sender": "human", "text": "chat_messages"}],
    ):
        assert ClaudeConnector().sniff(Shelf("a", {"a": json.dumps(other).encode()})) < 0.5


def test_what_is_no_message_is_rejected_where_it_stands() -> None:
    """A text, a number or nothing among the messages; those beside them are read."""
    chat = {**BOATS, "chat_messages": [BOATS["chat_messages"][0], "lost", None, BOATS["chat_messages"][1], 7]}
    records = read({"c.json": [chat], "users.json": USERS})
    assert [m.id for m in documents(records)[0].messages] == ["m1", "m2"]
    places = [r.locator.partition("#")[2] for r in records if isinstance(r, Rejected)]
    assert places == [f"/0/chat_messages/{number}" for number in (1, 2, 4)]
    emptied = read({"c.json": [{**BOATS, "chat_messages": ["lost"] * 250}]})
    assert documents(emptied) == []
    assert len([r for r in emptied if isinstance(r, Rejected)]) == 250


def test_conversations_without_ids_in_an_object() -> None:
    """Programs write an object around the list, and leave ids out: how a conversation began is its id."""
    bare = {key: value for key, value in BOATS.items() if key != "uuid"}
    longer = {**bare, "chat_messages": [*bare["chat_messages"], message("m3", "human", "Thanks", 2)]}
    (one,) = documents(read({"conversations.json": {"conversations": [bare]}}))
    (other,) = documents(read({"conversations.json": [longer]}))
    assert one.id == other.id
    assert one.id.startswith("claude:began-")
    assert [m.content for m in one.messages] == ["Where do I moor?\n", "In Kiel."]


def test_chats_of_the_design_tool() -> None:
    """All that the user said: the message itself, files, and words within an answer."""
    asked = {
        "role": "user",
        "content": {
            "content": "Draw a boat",
            "authorAccountUuid": "acc",
            "timestamp": "2024-01-15T12:00:00Z",
            "attachments": [{"name": "hull.svg", "content": "<svg>hull</svg>"}],
        },
    }
    blocks = [
        {"type": "thinking", "text": "A sloop?"},
        {"type": "tool_call", "toolCall": {"name": "draw", "input": {"code": "line(1)"}}},
        {"type": "user_interjection", "message": {"content": "Make it blue"}},
        {"type": "text", "text": "Here it is."},
        {"type": "error", "message": "out of ink"},
    ]
    answer = {"role": "assistant", "created_at": "2024-01-15T12:01:00Z", "content": {"contentBlocks": blocks}}
    chat = {"uuid": "d1", "title": "Boat", "project": {"name": "Fleet"}, "messages": [asked, answer]}
    accounts = [{"uuid": "acc", "full_name": "Ann Example", "email_address": "a@example.org"}]
    files = {"design_chats/d1.json": json.dumps(chat).encode(), "users.json": json.dumps(accounts).encode()}
    records = list(ClaudeConnector().read(Shelf("x", files), OPTIONS))
    (document,) = [record for record in records if isinstance(record, ConversationDocument)]
    assert [(each.speaker, each.role, each.content) for each in document.messages] == [
        ("Ann Example", "user", "Draw a boat"),
        ("Ann Example", "user", "<svg>hull</svg>"),
        ("Claude", "assistant", "A sloop?"),
        ("Claude (draw)", "tool", "line(1)"),
        ("Ann Example", "user", "Make it blue"),
        ("Claude", "assistant", "Here it is."),
        ("Claude", "assistant", "out of ink"),
    ]
    assert document.messages[0].time.isoformat() == "2024-01-15T12:00:00+00:00"
    assert document.metadata["project"] == "Fleet"
    assert [record.code for record in records if isinstance(record, Notice)] == ["content-unknown"]

"""ChatGPT's export: the path that was last shown, roles, tools, files, instructions, and everything that may be broken."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.llm_chats.chatgpt import ChatGPTConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import UNKNOWN_USER, ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = datetime(2024, 1, 15, 12, tzinfo=UTC)
EPOCH = START.timestamp()


def node(
    own: str,
    parent: str | None,
    role: str,
    content: dict[str, Any] | str,
    minute: float | None = 0,
    **more: Any,
) -> dict[str, Any]:
    """A node of the tree, as the export writes it."""
    author: dict[str, Any] = {"role": role, "name": more.pop("name", None), "metadata": {}}
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    message: dict[str, Any] = {
        "id": own,
        "author": author,
        "create_time": None if minute is None else EPOCH + minute * 60 + 0.123456,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **more,
    }
    return {"id": own, "message": message, "parent": parent, "children": []}


def conversation(nodes: Iterable[dict[str, Any]], current: str, **more: Any) -> dict[str, Any]:
    """A conversation with its root; children are told from the parents."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    for each in nodes:
        mapping[each["id"]] = each
    for key, each in mapping.items():
        if each["parent"] in mapping:
            mapping[each["parent"]]["children"].append(key)
    return {
        "title": "Boats",
        "create_time": EPOCH - 60.5,
        "update_time": EPOCH + 600,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": current,
        "conversation_id": "6f1c2d3e-0000-4000-8000-000000000001",
        "default_model_slug": "gpt-4o",
        "is_archived": False,
        "id": "6f1c2d3e-0000-4000-8000-000000000001",
        **more,
    }


BOATS = conversation(
    [
        node("sys", "root", "system", "", None, weight=0.0),
        node("q1", "sys", "user", "Where do I moor?\n", 0),
        node("a1", "q1", "assistant", "In Kiel.", 1, metadata={"model_slug": "gpt-4o"}),
        node("a1b", "q1", "assistant", "In Lübeck.", 2),
        node("q2", "a1", "user", "And Bo?", 3),
        node("a2", "q2", "assistant", "Bo moors in Oslo.", 4),
    ],
    "a2",
)
USER = {"id": "user-1", "email": "ann@example.org", "chatgpt_plus_user": True, "phone_number": "+490000"}


def packed(files: Mapping[str, Any]) -> bytes:
    """A zip of these files, values as JSON."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return data.getvalue()


class TestChatGPTConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("llm_chats.chatgpt_conversation:ConversationReader.chat",)
    download = Download(
        "Where do I moor?",
        {"conversations.json": json.dumps([BOATS]).encode(), "chat.html": b"<html></html>"},
        "chatgpt.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return ChatGPTConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A list, shards beside the account, one conversation over many lines."""
        other = {**BOATS, "conversation_id": "other", "id": "other"}
        return {
            "conversations.json": {"conversations.json": json.dumps([BOATS, other]).encode()},
            "shards": {
                "conversations-000.json": json.dumps([BOATS]).encode(),
                "conversations-001.json": json.dumps([other]).encode(),
                "user.json": json.dumps(USER).encode(),
            },
            "one.json": {"one.json": json.dumps(BOATS, indent=2).encode()},
        }


def read(value: Any, options: ReadOptions = OPTIONS, **beside: Any) -> list[Record]:
    """Everything that a ``conversations.json`` holds, with other files beside it."""
    files = {"conversations.json": json.dumps(value).encode()}
    files |= {name.replace("__", "."): json.dumps(each).encode() for name, each in beside.items()}
    return list(ChatGPTConnector().read(Shelf("export", files), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The conversations among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def notices(records: Iterable[Record]) -> dict[str, str]:
    """The hints of the notices, by their codes."""
    return {record.code: record.hint for record in records if isinstance(record, Notice)}


def said(value: Any, options: ReadOptions = OPTIONS) -> tuple[ConversationMessage, ...]:
    """The messages of the only conversation."""
    (found,) = documents(read(value, options))
    return found.messages


def test_a_conversation_is_the_path_that_was_last_shown() -> None:
    """Ids, times, roles and words; the answer that was made anew is counted, not kept."""
    records = read([BOATS], user__json=USER)
    (found,) = documents(records)
    assert found.id == "chatgpt:6f1c2d3e-0000-4000-8000-000000000001"
    assert found.source == "chatgpt"
    assert found.metadata == {
        "title": "Boats",
        "chat": "6f1c2d3e-0000-4000-8000-000000000001",
        "model": "gpt-4o",
    }
    assert found.conversation.user == "ann@example.org"
    assert found.conversation.people == ("ann@example.org", "ChatGPT")
    assert [(m.id, m.speaker, m.role, m.content) for m in found.messages] == [
        ("q1", "ann@example.org", "user", "Where do I moor?\n"),
        ("a1", "ChatGPT", "assistant", "In Kiel."),
        ("q2", "ann@example.org", "user", "And Bo?"),
        ("a2", "ChatGPT", "assistant", "Bo moors in Oslo."),
    ]
    assert found.messages[0].time == START + timedelta(microseconds=123456)
    assert found.messages[0].zone_origin == "explicit"
    assert found.messages[1].metadata == {"model": "gpt-4o"}
    assert notices(records).keys() == {"branches-left-out"}
    assert notices(records)["branches-left-out"].startswith("1 message")


def test_times_are_given_in_the_zone_of_the_reader() -> None:
    """The instant is the same."""
    options = ReadOptions(zone=ZoneInfo("Europe/Berlin"))
    assert said([BOATS], options)[0].time.isoformat() == "2024-01-15T13:00:00.123456+01:00"


def test_without_an_account_the_user_is_unknown_until_told() -> None:
    """`--me` names the user."""
    records = read([BOATS])
    assert documents(records)[0].conversation.user == UNKNOWN_USER
    assert "user-unknown" in notices(records)
    records = read([BOATS], ReadOptions(zone=UTC, me="Ann"))
    assert documents(records)[0].conversation.people == ("Ann", "ChatGPT")
    assert "user-unknown" not in notices(records)


@pytest.mark.parametrize("current", [None, "gone", "root", 7])
def test_without_a_current_node_the_newest_leaf_counts(current: Any) -> None:
    """The tree is read from its youngest end."""
    assert [m.id for m in said([{**BOATS, "current_node": current}])] == ["q1", "a1", "q2", "a2"]


def test_a_circle_of_parents_ends() -> None:
    """Each node is visited once."""
    value = json.loads(json.dumps(BOATS))
    value["mapping"]["q1"]["parent"] = "a2"
    assert [m.id for m in said([value])] == ["q1", "a1", "q2", "a2"]


def test_tools_are_neither_the_user_nor_the_assistant() -> None:
    """What is sent to a tool, what it answers, and what it quotes are told apart."""
    code = {"content_type": "code", "language": "python", "text": "print(1)"}
    output = {"content_type": "execution_output", "text": "1"}
    quote = {
        "content_type": "tether_quote",
        "url": "https://example.org/a",
        "domain": "example.org",
        "text": "I am Bo.",
    }
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "Think."}]}
    found = said(
        [
            conversation(
                [
                    node("q", "root", "user", "Run it"),
                    node("t", "q", "assistant", thoughts),
                    node("c", "t", "assistant", code, recipient="python"),
                    node("o", "c", "tool", output, name="python"),
                    node("w", "o", "tool", quote, name="browser"),
                    node("s", "w", "system", "You are helpful."),
                    node("a", "s", "assistant", "Done."),
                ],
                "a",
            )
        ]
    )
    assert [(m.id, m.speaker, m.role, m.kind) for m in found] == [
        ("q", UNKNOWN_USER, "user", "text"),
        ("t", "ChatGPT", "assistant", "text"),
        ("c", "ChatGPT (python)", "tool", "text"),
        ("o", "ChatGPT (python)", "tool", "text"),
        ("w", "ChatGPT (browser)", "tool", "text"),
        ("s", "(system)", "system", "system"),
        ("a", "ChatGPT", "assistant", "text"),
    ]
    assert [m.content for m in found[1:5]] == ["Plan\nThink.", "print(1)", "1", "https://example.org/a\nI am Bo."]
    assert [(s.kind, s.start, s.end) for s in found[2].segments] == [("code", 0, 8)]
    assert [(s.kind, s.start, s.end) for s in found[4].segments] == [("quote", 0, 30)]
    assert found[1].metadata == {"content_type": "thoughts"}


def test_pictures_sounds_and_files_are_attachments() -> None:
    """With their names, types and sizes, and whether the export holds them; what was said aloud is text."""
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AbC1", "size_bytes": 12}
    voice = {"content_type": "audio_transcription", "text": "I live in Kiel", "direction": "in"}
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_00ff", "size_bytes": 34}
    uploads = {"attachments": [{"id": "file-AbC1", "name": "boat.jpg", "mimeType": "image/jpeg", "size": 12}]}
    value = conversation(
        [
            node(
                "p",
                "root",
                "user",
                {"content_type": "multimodal_text", "parts": [picture, "My boat"]},
                metadata=uploads,
            ),
            node("v", "p", "user", {"content_type": "multimodal_text", "parts": [voice, sound]}),
            node(
                "o",
                "v",
                "assistant",
                {"content_type": "multimodal_text", "parts": [{**picture, "asset_pointer": "file-service://file-Z"}]},
            ),
        ],
        "o",
    )
    files = {"conversations.json": json.dumps([value]).encode(), "file-AbC1-boat.jpg": b"\xff\xd8"}
    (found,) = documents(ChatGPTConnector().read(Shelf("export", files), OPTIONS))
    boat, voice_message, drawn = found.messages
    assert (boat.content, boat.kind) == ("My boat", "text")
    assert [a.to_wire() for a in boat.attachments] == [{"name": "boat.jpg", "mime": "image/jpeg", "size": 12}]
    assert (voice_message.content, voice_message.kind) == ("I live in Kiel", "text")
    assert [a.to_wire() for a in voice_message.attachments] == [
        {"name": "file_00ff", "mime": "audio", "size": 34, "missing": True}
    ]
    assert (drawn.content, drawn.kind) == ("[photo]", "media")


def test_custom_instructions_are_the_users_words_once() -> None:
    """However many conversations repeat them: one document for each wording, at the time it is first seen."""
    wrapped = "The user provided the following information:\nUser profile:\n```I live in Kiel.```"
    context = {"content_type": "user_editable_context", "user_profile": wrapped, "user_instructions": "Be brief."}
    hidden = {"is_visually_hidden_from_conversation": True}

    def chat(number: int) -> dict[str, Any]:
        nodes = [
            node("i", "root", "user", context, None, metadata=hidden),
            node("q", "i", "user", "Hi", 1),
        ]
        return conversation(nodes, "q", conversation_id=f"c{number}", create_time=EPOCH + number * 3600)

    found = documents(read([chat(2), chat(1)]))
    assert [d.metadata["chat"] for d in found[:2]] == ["c2", "c1"]
    assert [[m.content for m in d.messages] for d in found] == [["Hi"], ["Hi"], ["I live in Kiel.\n\nBe brief."]]
    assert found[2].messages[0].role == "user"
    assert found[2].messages[0].time == START + timedelta(hours=1)
    assert found[2].id.startswith("chatgpt:custom-instructions-")


def test_hidden_messages_are_counted() -> None:
    """What the app itself does not show is no part of the conversation."""
    nodes = [
        node("q", "root", "user", "Hi"),
        node("h", "q", "assistant", "secret", metadata={"is_visually_hidden_from_conversation": True}),
        node("w", "h", "tool", "weightless", weight=0),
        node("a", "w", "assistant", "Hello"),
    ]
    records = read([conversation(nodes, "a")])
    assert [m.content for m in documents(records)[0].messages] == ["Hi", "Hello"]
    assert notices(records)["hidden-messages"].startswith("2 ")


def test_content_of_unknown_types_is_kept_as_far_as_it_has_text() -> None:
    """Something new is told, not dropped."""
    nodes = [
        node("a", "root", "assistant", {"content_type": "hologram", "text": "Words"}),
        node("b", "a", "assistant", {"content_type": "hologram", "rays": 7}),
        node("c", "b", "assistant", {"content_type": "multimodal_text", "parts": [{"content_type": "smell"}]}),
    ]
    records = read([conversation(nodes, "c")])
    assert [(m.content, m.kind) for m in documents(records)[0].messages] == [
        ("Words", "unknown"),
        ("[hologram]", "unknown"),
        ("[smell]", "unknown"),
    ]
    assert notices(records)["content-unknown"].startswith("3 ")


def test_marks_of_citations_become_the_links_that_are_shown() -> None:
    """A mark that nothing explains is left out; other characters stay."""
    text = "Kiel is a port\ue200cite\ue202turn0search1\ue201, Oslo too\ue200cite\ue202turn0search9\ue201. 【12†source】"
    references = [{"matched_text": "\ue200cite\ue202turn0search1\ue201", "alt": " ([Port](https://example.org))"}]
    nodes = [node("a", "root", "assistant", text, metadata={"content_references": references})]
    assert said([conversation(nodes, "a")])[0].content == (
        "Kiel is a port ([Port](https://example.org)), Oslo too. 【12†source】"
    )


@for_each(
    [
        (mark, shown, references)
        for mark, shown in [
            ('entity\ue202["city","Kiel","port in Germany"]', "Kiel"),
            ('entity["city","Kiel"]', "Kiel"),
            ("url\ue202the ferry\ue202https://example.org/f", "[the ferry](https://example.org/f)"),
            ("url\ue202the ferry\ue202turn0search0", "the ferry"),
            ("url\ue202https://example.org/f", "https://example.org/f"),
            ('image_group\ue202{"query":["Kiel"]}', ""),
            ("entity\ue202[broken", ""),
            ("entity", ""),
            ("url", ""),
        ]
        for references in [False, True]
    ]
)
def test_marks_that_hold_words_show_them(mark: str, shown: str, *, references: bool) -> None:
    """Names of things and links are part of the sentence, also where the app's list of marks has no words for them."""
    marked = f"\ue200{mark}\ue201"
    metadata = {"content_references": [{"matched_text": marked, "alt": None}]} if references else {}
    nodes = [node("a", "root", "assistant", f"Take {marked}.", metadata=metadata)]
    assert said([conversation(nodes, "a")])[0].content == f"Take {shown}."


def test_a_list_of_marks_that_names_one_many_times_costs_as_one() -> None:
    """A mark that is no longer in the text is not looked at: a long one in each of a thousand places took minutes."""
    marked = '\ue200entity\ue202["city","Kiel"]\ue201'
    metadata = {"content_references": [{"matched_text": marked, "alt": None}] * 1000}
    nodes = [node("a", "root", "assistant", f"Take {marked}.", metadata=metadata)]
    with patch("memd.connectors.formats.llm_chats.chatgpt_content._words_in", return_value="Kiel") as looked:
        assert said([conversation(nodes, "a")])[0].content == "Take Kiel."
    assert 0 < looked.call_count < 10


def test_a_message_without_a_time_has_that_of_the_one_before() -> None:
    """The first has that of the conversation."""
    nodes = [
        node("q", "root", "user", "Hi", None),
        node("a", "q", "assistant", "Hello", 5),
        node("b", "a", "user", "?", None),
    ]
    assert [m.time.replace(microsecond=0) for m in said([conversation(nodes, "b")])] == [
        START - timedelta(seconds=61),
        START + timedelta(minutes=5),
        START + timedelta(minutes=5),
    ]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"id": "x", "mapping": []}, "without messages"),
        (
            {**BOATS, "create_time": None, "update_time": "soon", "mapping": {"a": node("a", None, "user", "x", None)}},
            "any time",
        ),
        ("words", "without messages"),
        (None, "without messages"),
    ],
)
def test_a_broken_conversation_costs_itself_alone(broken: Any, reason: str) -> None:
    """It is rejected with its place; those beside it are read."""
    records = read([broken, BOATS])
    assert len(documents(records)) == 1
    (found,) = [record for record in records if isinstance(record, Rejected)]
    assert found.locator == "export!conversations.json#/0"
    assert reason in found.reason


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


@pytest.mark.slow
@for_each(HOSTILE)
def test_fields_of_wrong_types_are_no_exception(value: Any) -> None:
    """Each field in turn holds something that nobody expects."""
    places = [("title",), ("create_time",), ("mapping",), ("current_node",), ("conversation_id",)]
    inner = ["id", "author", "create_time", "content", "weight", "metadata", "recipient"]
    places += [("mapping", "q1", key) for key in ("message", "parent", "children")]
    places += [("mapping", "q1", "message", key) for key in inner]
    places += [("mapping", "q1", "message", "content", key) for key in ("content_type", "parts")]
    places += [("mapping", "q1", "message", "author", key) for key in ("role", "name")]
    for place in places:
        changed = json.loads(json.dumps(BOATS))
        parent = changed
        for key in place[:-1]:
            parent = parent[key]
        parent[place[-1]] = value
        records = read([changed, {**BOATS, "conversation_id": "good"}])
        assert "chatgpt:good" in [document.id for document in documents(records)]


def test_an_archive_is_read_as_a_whole(tmp_path: Path) -> None:
    """Shards, account and pictures in one zip; the page beside them is not read."""
    other = {**BOATS, "conversation_id": "other"}
    path = tmp_path / "export.zip"
    files = {
        "conversations-000.json": [BOATS],
        "conversations-001.json": [other],
        "user.json": USER,
        "shared_conversations.json": [{"id": "s", "conversation_id": "other", "title": "Boats", "is_anonymous": True}],
        "message_feedback.json": [],
        "chat.html": b"<html><body>chat</body></html>",
        "file-AbC1-boat.jpg": b"\xff\xd8\xff" + bytes(5000),
    }
    path.write_bytes(packed(files))
    log = ReadingLog()
    records = list(read_records(path, OPTIONS, log=log))
    assert [d.metadata["chat"] for d in documents(records)] == [BOATS["id"], "other"]
    assert {d.conversation.user for d in documents(records)} == {"ann@example.org"}
    assert [r for r in records if isinstance(r, Rejected) and "json" in r.locator] == []
    assert "files-left-out" not in notices(records)
    told = log.to_wire()
    assert {file["path"].rpartition("!")[2]: file.get("role", "") for file in told["exports"][0]["files"]} == {
        "conversations-000.json": "",
        "conversations-001.json": "",
        "user.json": "the account: says who the user is",
        "shared_conversations.json": "links to conversations that were shared: not kept",
    }
    assert {file["path"].rpartition("!")[2]: file["skipped"] for file in told["skipped"]} == {
        "message_feedback.json": "votes on answers: not kept",
        "chat.html": "shows the conversations again: not read",
        "file-AbC1-boat.jpg": "picture, sound or film",
    }


def test_a_folder_is_read_as_its_archive_is(tmp_path: Path) -> None:
    """The page that shows the chats again is left out; an account may tell no more than its id and address."""
    (tmp_path / "conversations.json").write_text(json.dumps([BOATS]))
    (tmp_path / "user.json").write_text(json.dumps({"id": "user-1", "email": "ann@example.org"}))
    (tmp_path / "chat.html").write_text(
        "<html><body><div id='root'></div><script>var jsonData = []</script></body></html>"
    )
    log = ReadingLog()
    records = list(read_records(tmp_path, OPTIONS, log=log))
    assert [d.conversation.user for d in documents(records)] == ["ann@example.org"]
    assert not [r for r in records if isinstance(r, Rejected)]
    told = log.to_wire()
    assert [each["skipped"] for each in told["skipped"]] == ["shows the conversations again: not read"]
    assert [file.get("role") for file in told["exports"][0]["files"]] == [None, "the account: says who the user is"]


def test_a_name_that_is_given_counts_for_one_conversation_alone() -> None:
    """For several it is told and left out."""
    options = ReadOptions(zone=UTC, chat="Sailing")
    assert [d.id for d in documents(read([BOATS], options))] == ["chatgpt:Sailing"]
    records = read([BOATS, {**BOATS, "conversation_id": "other"}], options)
    assert [d.id for d in documents(records)] == [f"chatgpt:{BOATS['id']}", "chatgpt:other"]
    assert "chat-ignored" in notices(records)


def test_other_json_is_not_claimed() -> None:
    """A tree of another service, documents of memd, a list of messages."""
    others: tuple[Any, ...] = (
        [{"id": "x", "title": "t", "mapping": {"r": {"id": "r", "message": {"fragments": []}, "parent": None}}}],
        [{"id": "a", "content": "one"}],
        [{"role": "user", "content": "mapping"}],
        {"id": "user-1", "email": "ann@example.org"},
    )
    for other in others:
        assert ChatGPTConnector().sniff(Shelf("a", {"a": json.dumps(other).encode()})) < 0.5


def test_it_is_the_surest_of_all(tmp_path: Path) -> None:
    """No other format takes its files."""
    (tmp_path / "a").write_text(json.dumps([BOATS]))
    assert choose(open_source(tmp_path / "a"), OPTIONS).name == "chatgpt"


def test_what_other_programs_leave_out() -> None:
    """Conversations without ids keep the one that their beginning gives them, and nodes may name their children alone."""
    nodes: dict[str, Any] = {
        "a": {"message": node("a", None, "user", "Where is Kiel?")["message"], "children": ["b"]},
        "b": {"message": node("b", None, "assistant", "In the north.")["message"], "children": []},
    }
    bare: dict[str, Any] = {"title": "Boats", "create_time": EPOCH, "mapping": nodes}
    longer: dict[str, Any] = {**bare, "title": "Kiel", "mapping": {**nodes, "c": node("c", "b", "user", "Thanks", 3)}}
    one, other = documents(read([bare])), documents(read([longer]))
    assert [m.content for m in one[0].messages] == ["Where is Kiel?", "In the north."]
    assert [m.content for m in other[0].messages] == ["Where is Kiel?", "In the north.", "Thanks"]
    assert one[0].id == other[0].id
    assert one[0].id.startswith("chatgpt:began-")


def test_an_object_around_the_list_of_conversations() -> None:
    """What programs write around an export is passed over."""
    wrapped = {
        "exported": "2024-01-15",
        "version": 2,
        "last": None,
        "conversations": [BOATS, "junk"],
        "more": {"a": [1]},
    }
    records = read(wrapped)
    assert documents(records) == documents(read([BOATS]))
    assert [r.locator for r in records if isinstance(r, Rejected)] == ["export!conversations.json#/conversations/1"]

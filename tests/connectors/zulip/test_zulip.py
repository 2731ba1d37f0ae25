"""Exports of organisations of Zulip: channels, groups, edits, reactions, files, overlap, damage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.zulip.connector import ZulipConnector
from memd.connectors.formats.zulip.message import segments_of
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples
from memd.tests.memory.test_merge import after, contents

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = 1_705_320_000.25
HARBOUR, TO_BO, CREW, PAIR = 100, 102, 103, 104
REALM: dict[str, Any] = {
    "zerver_realm": [{"id": 2, "name": "Example"}],
    "zerver_userprofile": [
        {"id": 11, "full_name": "Ann Archer", "delivery_email": "ann@example.org", "email": "user11@x", "is_bot": False},
        {"id": 12, "full_name": "Bo Baker", "delivery_email": "bo@example.org", "email": "user12@x", "is_bot": False},
        {"id": 13, "full_name": "Builder", "email": "builder-bot@x", "is_bot": True},
    ],
    "zerver_userprofile_crossrealm": [{"id": 5, "email": "notification-bot@zulip.com"}],
    "zerver_stream": [{"id": 7, "name": "harbour"}],
    "zerver_recipient": [
        {"id": HARBOUR, "type": 2, "type_id": 7},
        {"id": TO_BO, "type": 1, "type_id": 12},
        {"id": CREW, "type": 3, "type_id": 1},
        {"id": PAIR, "type": 3, "type_id": 2},
    ],
    "zerver_subscription": [
        {"recipient": CREW, "user_profile": user} for user in (11, 12, 13)
    ] + [{"recipient": PAIR, "user_profile": user} for user in (12, 11)],
    "zerver_reaction": [
        {"message": 1, "user_profile": 12, "emoji_name": "+1", "emoji_code": "1f44d", "reaction_type": "unicode_emoji"},
        {"message": 1, "user_profile": 11, "emoji_name": "zulip", "emoji_code": "zulip", "reaction_type": "zulip_extra_emoji"},
    ],
}  # fmt: skip


def said(number: int, sender: int, content: str, recipient: int = HARBOUR, topic: str = "Boats", **more: Any) -> dict[str, Any]:  # fmt: skip
    """A row of a minute."""
    return {
        "id": number,
        "sender": sender,
        "recipient": recipient,
        "realm": 2,
        "subject": topic,
        "content": content,
        "rendered_content": f"<p>{content}</p>",
        "date_sent": START + number * 60,
        "last_edit_time": None,
        "edit_history": None,
        **more,
    }


def written(value: Any) -> bytes:
    """As Zulip writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def export(*rows: dict[str, Any], realm: Mapping[str, Any] = REALM, **files: bytes) -> dict[str, bytes]:
    """The files of an organisation."""
    messages = {"zerver_message": list(rows), "zerver_usermessage": [{"id": 1, "user_profile": 11, "message": 1}]}
    return {"realm.json": written(realm), "messages-000001.json": written(messages), **files}


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    return list(ZulipConnector().read(Shelf("x", files), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Iterable[Record]) -> list[ConversationMessage]:
    """The messages of all days."""
    return [each for day in documents(records) for each in day.messages]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


class TestContract(ConnectorContract):
    """The suite."""

    readers = (
        "zulip.message:MessageReader.read",
        "zulip.realm:Realm.chat_of",
    )
    download = Download("the barometer is falling", export(said(1, 12, "The barometer is falling")), "zulip-export.zip")

    @pytest.fixture
    def connector(self) -> Connector:
        """Zulip's."""
        return ZulipConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A small organisation."""
        return {"export": export(said(1, 11, "a"), said(2, 12, "b"))}


def test_reactions_may_stand_beside_the_messages_of_any_file() -> None:
    """As importers write them; and the list of files names no messages."""
    realm = REALM | {
        "zerver_reaction": [],
        "zerver_attachment": [{"id": 1, "path_id": "2/ab/plan.txt", "size": 15}],
    }
    first = {
        "zerver_message": [said(1, 11, "[plan](/user_uploads/2/ab/plan.txt)")],
        "zerver_reaction": [{"message": 2, "user_profile": 11, "emoji_name": "tada"}],
    }
    second = {
        "zerver_message": [said(2, 12, "ack")],
        "zerver_reaction": [{"message": 1, "user_profile": 12, "emoji_name": "eyes"}],
    }
    records = read(
        {
            "realm.json": written(realm),
            "messages-000001.json": written(first),
            "messages-000002.json": written(second),
        }
    )
    plan, ack = messages(records)
    assert [(r.emoji, r.people) for r in plan.reactions] == [(":eyes:", ("Bo Baker",))]
    assert [(r.emoji, r.people) for r in ack.reactions] == [(":tada:", ("Ann Archer",))]
    assert plan.attachments[0].size == 15
    assert "relations-left-out" not in codes(records)


def test_a_topic_is_a_chat_and_so_are_people() -> None:
    """A topic that was resolved stays the same chat; two people are one chat, in either of Zulip's forms."""
    records = read(
        export(
            said(1, 11, "hi"),
            said(2, 12, "ho", topic="✔ boats"),
            said(3, 11, "you?", TO_BO, ""),
            said(4, 12, "me", PAIR, ""),
            said(5, 12, "all", CREW, ""),
            said(1500, 11, "late"),
        ),
        replace(OPTIONS, me="ann@example.org"),
    )
    days = {day.id: day for day in sorted(documents(records), key=lambda day: day.id)}
    assert list(days) == ["zulip:7:boats:2024-01-15", "zulip:7:boats:2024-01-16", "zulip:dm-11-12-13:2024-01-15", "zulip:dm-11-12:2024-01-15"]  # fmt: skip
    assert [day.metadata["title"] for day in days.values()] == [
        "#harbour > Boats", "#harbour > Boats", "Bo Baker, Builder", "Bo Baker",
    ]  # fmt: skip
    assert {day.conversation.user for day in days.values()} == {"Ann Archer"}
    first, second = days["zulip:7:boats:2024-01-15"].messages
    assert (first.id, first.speaker, first.content, first.metadata["topic"]) == ("1", "Ann Archer", "hi", "Boats")
    assert (first.time.isoformat(), second.speaker) == ("2024-01-15T12:01:00.250000+00:00", "Bo Baker")
    assert [(r.emoji, r.people) for r in first.reactions] == [("👍", ("Bo Baker",)), (":zulip:", ("Ann Archer",))]
    assert codes(records) == []


def test_edits_files_programs_quotes_and_deletions() -> None:
    """Moves to another topic are no edits."""
    history = [{"prev_content": "two", "timestamp": 1_705_330_000}, {"prev_topic": "x", "timestamp": 1_705_325_000}, {"prev_content": "one", "timestamp": 1_705_321_000}]  # fmt: skip
    realm = {**REALM, "zerver_attachment": [{"path_id": "2/ab/boat.jpg", "size": 7, "messages": [2]}]}
    records = read(
        {
            **export(
                said(1, 11, "three", edit_history=json.dumps(history), last_edit_time=1_705_330_000.0),
                said(2, 12, "[boat.jpg](/user_uploads/2/ab/boat.jpg)"),
                said(3, 13, "built"),
                said(4, 11, "@_**Bo** said:\n```quote\nold\n```\nnew\n```python\nx = 1\n```"),
                said(5, 5, "moved"),
                said(6, 11, "(deleted)"),
                said(7, 11, ""),
                realm=realm,
            ),
            "uploads/2/ab/boat.jpg": b"\xff",
        }
    )
    edited, file, program, quote, notice, deleted, empty = messages(records)
    assert (edited.content, [e.content for e in edited.edits]) == ("three", ["one", "two"])
    assert edited.edited_at is not None
    assert edited.edited_at.isoformat() == "2024-01-15T14:46:40+00:00"
    assert (file.kind, [(f.name, f.size, f.missing) for f in file.attachments]) == ("media", [("boat.jpg", 7, False)])
    assert (program.role, program.speaker, notice.role, notice.speaker) == (
        "tool",
        "Builder",
        "tool",
        "notification bot",
    )
    assert [(s.kind, quote.content[s.start : s.end]) for s in quote.segments] == [
        ("quote", "```quote\nold\n```"), ("code", "```python\nx = 1\n```"),
    ]  # fmt: skip
    assert (deleted.kind, deleted.deleted, empty.kind) == ("deleted", True, "unknown")
    assert codes(records) == ["user-unknown", "content-unknown"]


@given(st.lists(st.sampled_from(["```quote", "```", "````", "~~~", "```py", "x", ""]), max_size=12))
def test_segments_lie_within_the_words(lines: list[str]) -> None:
    """In their order, and not over each other."""
    content = "\n".join(lines)
    at = 0
    for segment in segments_of(content):
        assert at <= segment["start"] <= segment["end"] <= len(content)
        at = segment["end"]


def test_a_later_export_adds_what_is_new() -> None:
    """Edits supersede; once more, nothing changes."""
    first = documents(read(export(said(1, 11, "one"), said(2, 12, "tow"))))
    edit = said(2, 12, "two", edit_history=[{"prev_content": "tow", "timestamp": 1_705_330_000}])
    later = documents(read(export(said(1, 11, "one"), edit, said(3, 11, "one", topic="✔ Boats"))))
    stored = after(*first, *later, *later)
    assert contents(stored) == ["one", "two", "one"]
    assert [e.content for e in stored.messages[1].message.edits] == ["tow"]


def test_messages_without_their_chat_are_told() -> None:
    """A file of messages alone does not say of which channel they are."""
    records = read({"messages-000001.json": export(said(1, 11, "a"))["messages-000001.json"]})
    assert documents(records) == []
    assert [r.reason for r in records if isinstance(r, Rejected)] == [
        "nothing says which chat a message is of: realm.json is missing"
    ]


def test_a_broken_message_costs_itself() -> None:
    """The rest is read."""
    files = export(said(1, 11, "a"), said(2, 12, "b"), said(3, 11, "c"))
    data = files["messages-000001.json"].replace(b'"content": "b"', b'"content": "b')
    records = read({**files, "messages-000001.json": data})
    assert [m.content for m in messages(records)] == ["a", "c"]
    assert len([r for r in records if isinstance(r, Rejected)]) == 1


def test_other_formats_are_not_recognised() -> None:
    """JSON that names tables in words."""
    assert ZulipConnector().sniff(Shelf("x", {"a.json": b'{"text": "zerver_message"}'})) < 0.5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8)
    | st.sampled_from(["\0", "(system)", "(me)", "[1]", "```", "9" * 30, HARBOUR, 11]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["id", "type", "type_id", "prev_content", "timestamp", "full_name"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = ["id", "sender", "recipient", "subject", "content", "date_sent", "last_edit_time", "edit_history"]


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5),
    realm=st.dictionaries(st.sampled_from(sorted(REALM)), st.lists(VALUES, max_size=3), max_size=3),
)
def test_wrong_types_are_no_exception(fields: dict[str, Any], realm: dict[str, Any]) -> None:
    """Whatever stands where a text or a list should be: each message is kept or rejected."""
    records = read(export(said(1, 11, "a"), {**said(2, 12, "x"), **fields}, said(3, 11, "b"), realm={**REALM, **realm}))
    lost = len([each for each in records if isinstance(each, Rejected)])
    assert len(messages(records)) + lost + codes(records).count("duplicate-message") == 3

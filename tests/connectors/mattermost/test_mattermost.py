"""Bulk exports of Mattermost: channels, replies, direct posts, programs, overlap, damage."""

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
from memd.connectors.formats.mattermost.connector import MattermostConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples
from memd.tests.memory.test_merge import after, contents

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = 1_705_320_000_250


def row(kind: str, held: Mapping[str, Any]) -> dict[str, Any]:
    """A line."""
    return {"type": kind, kind: dict(held)}


HEAD: list[dict[str, Any]] = [
    {"type": "version", "version": 1},
    row("team", {"name": "crew", "display_name": "The Crew", "type": "O"}),
    row("channel", {"team": "crew", "name": "harbour", "display_name": "Harbour", "type": "P"}),
    row("user", {"username": "ann", "email": "ann@example.org", "nickname": "", "first_name": "Ann", "last_name": "Archer", "roles": "system_user", "teams": None}),
    row("user", {"username": "bo", "email": "bo@example.org", "nickname": "Bo", "roles": "system_user", "teams": []}),
    row("bot", {"username": "builder", "display_name": "Builder"}),
    row("direct_channel", {"members": ["ann", "bo"]}),
]  # fmt: skip


def said(number: int, user: str, message: str, **more: Any) -> dict[str, Any]:
    """A post of a minute."""
    at = START + number * 60_000
    return row("post", {"team": "crew", "channel": "harbour", "user": user, "message": message, "props": {}, "create_at": at, "edit_at": 0, "reactions": None, "replies": None, "attachments": None, **more})  # fmt: skip


def direct(number: int, user: str, message: str, members: tuple[str, ...] = ("bo", "ann"), **more: Any) -> dict[str, Any]:  # fmt: skip
    """A direct post."""
    return row("direct_post", {"channel_members": list(members), "user": user, "message": message, "create_at": START + number * 60_000, **more})  # fmt: skip


def written(*rows: dict[str, Any]) -> bytes:
    """As Mattermost writes it."""
    return b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in (*HEAD, *rows))


def read(data: bytes, options: ReadOptions = OPTIONS, files: Mapping[str, bytes] | None = None) -> list[Record]:
    """Everything that an export holds."""
    return list(MattermostConnector().read(Shelf("x", {"import.jsonl": data, **(files or {})}), options))


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

    readers = ("mattermost.post:PostReader.read",)
    download = Download(
        "the galley smells of cinnamon",
        {"import.jsonl": written(said(1, "bo", "The galley smells of cinnamon")), "data/x.png": b"\x89PNG"},
        "mattermost_export.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Mattermost's."""
        return MattermostConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A small export."""
        return {"export": {"import.jsonl": written(said(1, "ann", "a"), direct(2, "bo", "b"))}}


def test_channels_and_direct_posts() -> None:
    """Replies stand where they were said, in the thread of their post."""
    reply = {
        "user": "bo",
        "message": "aye",
        "create_at": START + 90_000,
        "reactions": [{"user": "ann", "emoji_name": "+1"}],
    }
    records = read(
        written(
            said(1, "ann", "ahoy\r\n  there", replies=[reply]),
            said(2, "bo", "later"),
            direct(3, "bo", "psst"),
            direct(4, "ann", "yes", ("ann", "bo")),
            direct(5, "ann", "all", ("ann", "bo", "cy")),
        ),
        replace(OPTIONS, me="@ann"),
    )
    days = {day.id: day for day in documents(records)}
    assert set(days) == {"mattermost:crew:harbour:2024-01-15", "mattermost:dm:ann,bo:2024-01-15", "mattermost:dm:ann,bo,cy:2024-01-15"}  # fmt: skip
    channel = days["mattermost:crew:harbour:2024-01-15"]
    assert (channel.metadata["title"], channel.metadata["channel_type"]) == ("The Crew / Harbour", "private")
    first, second, third = channel.messages
    assert (first.speaker, first.content, second.content, third.content) == (
        "Ann Archer",
        "ahoy\r\n  there",
        "aye",
        "later",
    )
    assert (second.thread, second.reactions[0].emoji, second.reactions[0].people) == (first.id, ":+1:", ("Ann Archer",))
    assert first.time.isoformat() == "2024-01-15T12:01:00.250000+00:00"
    assert days["mattermost:dm:ann,bo:2024-01-15"].metadata["title"] == "Bo"
    assert [m.content for m in days["mattermost:dm:ann,bo:2024-01-15"].messages] == ["psst", "yes"]
    assert {day.conversation.user for day in days.values()} == {"Ann Archer"}
    assert codes(records) == []


def test_files_programs_system_lines_and_edits() -> None:
    """What stands in the properties of a post is not the speaker's words."""
    card = {"attachments": [{"title": "Build 7", "text": "failed", "fields": [{"title": "By", "value": "Bo"}]}]}
    records = read(
        written(
            said(1, "ann", "", attachments=[{"path": "20240115/teams/x/boat.jpg"}]),
            said(2, "builder", "", props=card),
            said(3, "bo", "ping", props={"from_webhook": "true", "override_username": "Pager"}),
            said(4, "bo", "bo joined the channel.", type="system_join_channel"),
            said(5, "bo", "bo joined the channel."),
            said(6, "ann", "new", edit_at=START + 500_000, is_pinned=True),
            said(7, "ann", ""),
        ),
        files={"data/20240115/teams/x/boat.jpg": b"\xff"},
    )
    file, program, hook, joined, older, edited, empty = messages(records)
    assert (file.kind, file.content, file.attachments[0].missing) == ("media", "[photo]", False)
    assert (program.role, program.content, program.segments[0].kind) == ("tool", "Build 7\nfailed\nBy: Bo", "quote")
    assert (hook.role, hook.metadata["bot"]) == ("tool", "Pager")
    assert [(m.kind, m.speaker, m.metadata["actor"]) for m in (joined, older)] == [("system", "(system)", "Bo")] * 2
    assert (edited.edited, edited.metadata["pinned"], empty.kind) == (True, "true", "unknown")
    assert codes(records) == ["user-unknown", "content-unknown"]


def test_a_later_export_adds_what_is_new() -> None:
    """The author and the millisecond are a post's identity: an edit supersedes."""
    first = documents(read(written(said(1, "ann", "one"), said(2, "bo", "tow"))))
    later = documents(read(written(said(1, "ann", "one"), said(2, "bo", "two", edit_at=START), said(3, "ann", "one"))))
    stored = after(*first, *later, *later)
    assert contents(stored) == ["one", "two", "one"]
    assert [e.content for e in stored.messages[1].message.edits] == ["tow"]


def test_a_broken_line_costs_itself() -> None:
    """Whatever is wrong with it."""
    data = written(said(1, "ann", "a"), said(2, "bo", "b"), said(3, "ann", "c"))
    for old, new in ((b'"message":"b"', b'"message":"b'), (b'"user":"bo","message":"b"', b'"message":"b"')):
        records = read(data.replace(old, new))
        assert [m.content for m in messages(records)] == ["a", "c"]
        assert len([r for r in records if isinstance(r, Rejected)]) == 1


OTHERS = [b'{"type":"version"}', b'{"type":"post","text":"x"}\n' * 3, b'{"type":"message","message":{}}\n']


@pytest.mark.parametrize("other", OTHERS)
def test_other_formats_are_not_recognised(other: bytes) -> None:
    """JSON lines of others with types."""
    assert MattermostConnector().sniff(Shelf("x", {"a.jsonl": other})) < 0.5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8)
    | st.sampled_from(["\0", "(system)", "(me)", "ann", "9" * 30]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["user", "path", "emoji_name", "attachments", "fields", "title"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = ["team", "channel", "user", "message", "type", "create_at", "edit_at", "props", "reactions", "attachments", "channel_members"]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5), user=st.dictionaries(st.sampled_from(["username", "nickname", "roles"]), VALUES))  # fmt: skip
def test_wrong_types_are_no_exception(fields: dict[str, Any], user: dict[str, Any]) -> None:
    """Whatever stands where a text or a list should be: each post is kept or rejected."""
    data = written(row("user", user), said(1, "ann", "a"), said(2, "bo", "x", **fields) if not {"user", "message"} & fields.keys() else {"type": "post", "post": {**said(2, "bo", "x")["post"], **fields}}, said(3, "ann", "b"))  # fmt: skip
    records = read(data)
    lost = len([each for each in records if isinstance(each, Rejected)])
    assert len(messages(records)) + lost + codes(records).count("duplicate-message") == 3

"""Rocket.Chat: collections as BSON and JSON, exports of rooms, overlap, damage."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.rocketchat.bson import parse_bson
from memd.connectors.formats.rocketchat.connector import RocketChatConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.source_parts import Part, parts
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples
from memd.tests.memory.test_merge import after, contents

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = 1_705_320_000_250


class Moment(int):
    """Milliseconds, as MongoDB keeps times."""


def bson(value: Mapping[str, Any]) -> bytes:
    """A document as mongodump writes it."""
    body = b"".join(_field(name, each) for name, each in value.items())
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def _field(name: str, value: Any) -> bytes:
    key = name.encode("utf-8", "replace").replace(b"\0", b"") + b"\0"
    if isinstance(value, Moment):
        return b"\x09" + key + struct.pack("<q", value)
    if isinstance(value, bool):
        return b"\x08" + key + bytes([value])
    if isinstance(value, int):
        return b"\x12" + key + struct.pack("<q", max(-(2**63), min(value, 2**63 - 1)))
    if isinstance(value, float):
        return b"\x01" + key + struct.pack("<d", value)
    if isinstance(value, str):
        data = value.encode("utf-8", "replace")
        return b"\x02" + key + struct.pack("<i", len(data) + 1) + data + b"\0"
    if isinstance(value, dict):
        return b"\x03" + key + bson(cast("dict[str, Any]", value))
    if isinstance(value, list):
        return b"\x04" + key + bson({str(index): each for index, each in enumerate(cast("list[Any]", value))})
    return b"\x0a" + key


ANN, BO, BOT = ("u1", "ann", "Ann Archer"), ("u2", "bo", "Bo Baker"), ("u3", "builder", "Builder")
USERS: list[dict[str, Any]] = [
    {"_id": own, "username": handle, "name": name, "emails": [{"address": f"{handle}@example.org"}], "type": "bot" if own == "u3" else "user", "roles": ["user"], "services": {}}
    for own, handle, name in (ANN, BO, BOT)
]  # fmt: skip
ROOMS: list[dict[str, Any]] = [
    {"_id": "GENERAL", "t": "c", "name": "harbour", "fname": "The Harbour", "msgs": 3, "usersCount": 2},
    {"_id": "d1", "t": "d", "usernames": ["ann", "bo"], "msgs": 3, "usersCount": 2},
]


def said(number: int, user: tuple[str, str, str], msg: str, rid: str = "GENERAL", **more: Any) -> dict[str, Any]:
    """A message of a minute."""
    return {"_id": f"m{number}", "rid": rid, "msg": msg, "ts": Moment(START + number * 60_000), "u": {"_id": user[0], "username": user[1], "name": user[2]}, **more}  # fmt: skip


def dump(*messages: dict[str, Any]) -> dict[str, bytes]:
    """The files of mongodump."""
    return {
        "dump/rocketchat/rocketchat_message.bson": b"".join(bson(each) for each in messages),
        "dump/rocketchat/rocketchat_room.bson": b"".join(bson(each) for each in ROOMS),
        "dump/rocketchat/users.bson": b"".join(bson(each) for each in USERS),
    }


def exported(value: Any) -> Any:
    """As mongoexport writes it in JSON."""
    if isinstance(value, Moment):
        return {"$date": {"$numberLong": str(int(value))}}
    if isinstance(value, dict):
        return {key: exported(each) for key, each in cast("dict[str, Any]", value).items()}
    return [exported(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def lines(*rows: dict[str, Any]) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(exported(row), separators=(",", ":")).encode() + b"\n" for row in rows)


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    return list(RocketChatConnector().read(Shelf("x", files), options))


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

    readers = ("rocketchat.message:MessageReader.read",)
    download = Download("the porthole is jammed", dump(said(1, BO, "The porthole is jammed")))

    @pytest.fixture
    def connector(self) -> Connector:
        """Rocket.Chat's."""
        return RocketChatConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A dump, an export of mongoexport, and one of a room."""
        room = b'{"msg":"a","username":"ann","ts":"2024-01-15T12:00:00.000Z"}\n'
        return {
            "dump": dump(said(1, ANN, "a"), said(2, BO, "b")),
            "export": {"messages.json": lines(said(1, ANN, "a")), "users.json": lines(*USERS)},
            "room": {"harbour.json": room},
        }


def test_rooms_and_direct_messages() -> None:
    """Of a dump, and the same of mongoexport."""
    given = (said(1, ANN, "ahoy"), said(2, BO, "aye", tmid="m1"), said(3, BO, "psst", "d1"))
    records = read(dump(*given), replace(OPTIONS, me="ann@example.org"))
    days = {day.id: day for day in documents(records)}
    assert set(days) == {"rocketchat:GENERAL:2024-01-15", "rocketchat:d1:2024-01-15"}
    harbour, direct = days["rocketchat:GENERAL:2024-01-15"], days["rocketchat:d1:2024-01-15"]
    assert (harbour.metadata["title"], harbour.metadata["channel_type"]) == ("The Harbour", "public")
    assert (direct.metadata["title"], direct.metadata["channel_type"]) == ("Bo Baker", "dm")
    first, second = harbour.messages
    assert (first.id, first.speaker, first.content) == ("m1", "Ann Archer", "ahoy")
    assert (first.time.isoformat(), second.thread) == ("2024-01-15T12:01:00.250000+00:00", "m1")
    assert {day.conversation.user for day in days.values()} == {"Ann Archer"}
    assert codes(records) == []
    again = read(
        {"m.json": lines(*given), "r.json": lines(*ROOMS), "u.json": json.dumps(USERS, indent=1).encode()},
        replace(OPTIONS, me="ann"),
    )
    assert documents(again) == documents(records)


def test_an_answer_of_the_server_is_read() -> None:
    """What tools keep that have but its programming interface: an object with the messages of a room, the newest first."""
    listed = [json.loads(line) for line in lines(said(2, BO, "aye"), said(1, ANN, "ahoy")).splitlines()]
    plain = [{**each, "ts": f"2024-01-15T12:0{number}:00.250Z"} for number, each in zip((2, 1), listed, strict=True)]
    for answer in ({"messages": plain, "success": True}, {"success": True, "count": 2, "messages": plain}):
        found = messages(read({"harbour.json": json.dumps(answer, indent=2).encode()}))
        assert [(each.id, each.content) for each in found] == [("m1", "ahoy"), ("m2", "aye")]


def test_edits_reactions_files_quotes_and_events() -> None:
    """Servers that keep the history have a hidden message for each earlier wording."""
    quote = {"text": "old", "author_name": "bo", "message_link": "https://x.org/channel/harbour?msg=m1"}
    file = {"_id": "f", "name": "boat.jpg", "type": "image/jpeg", "size": 7}
    records = read(
        dump(
            said(1, BO, "new", editedAt=Moment(START + 90_000), reactions={":smile:": {"usernames": ["ann"]}}),
            {**said(2, BO, "first"), "_hidden": True, "parent": "m1", "editedAt": Moment(START + 80_000)},
            said(3, ANN, "[ ](https://x.org/channel/harbour?msg=m1) no", attachments=[quote]),
            said(4, ANN, "", file=file, files=[file], attachments=[{"title": "boat.jpg", "type": "file", "image_url": "/x", "description": "mine"}]),
            said(5, BOT, "", attachments=[{"title": "Build", "text": "failed"}], bot={"i": "x"}),
            said(6, ANN, "ann", t="uj"),
            said(7, ANN, "tides", t="room_changed_topic"),
            said(8, ANN, "", t="rm"),
            said(9, ANN, "c2VjcmV0", t="e2e"),
            said(10, ANN, "", t="jitsi_call_started"),
            said(11, ANN, ""),
        )
    )  # fmt: skip
    edited, answer, photo, program, joined, topic, gone, secret, call, empty = messages(records)
    assert (edited.content, [e.content for e in edited.edits]) == ("new", ["first"])
    assert [(r.emoji, r.people) for r in edited.reactions] == [(":smile:", ("Ann Archer",))]
    assert (answer.content, answer.reply_to, answer.metadata["quoted"]) == ("no", "m1", "old")
    assert (photo.content, [(f.name, f.size) for f in photo.attachments]) == ("mine", [("boat.jpg", 7)])
    assert (program.role, program.content) == ("tool", "Build\nfailed")
    assert [(m.kind, m.speaker, m.content) for m in (joined, topic)] == [
        ("system", "(system)", "Ann Archer joined"), ("system", "(system)", "Ann Archer set the topic: tides"),
    ]  # fmt: skip
    assert (gone.kind, secret.content, call.kind, empty.kind) == ("deleted", "[encrypted message]", "call", "unknown")
    assert codes(records) == ["user-unknown", "content-unknown", "undecrypted"]


def test_files_of_an_exported_room_lie_beside_it() -> None:
    """Their names begin with their ids; the words that describe a file are kept beside a text."""
    row = {"msg": "look", "username": "ann", "ts": "2024-01-15T12:00:00.250Z"}
    files = [
        {"type": "file", "title": name, "title_link": f"/x/{name}", "fileId": number, "fileName": name, "description": name[0]}
        for number, name in (("f1", "boat.jpg"), ("f2", "plan.pdf"))
    ]  # fmt: skip
    room = json.dumps({**row, "attachments": files}) + "\n" + json.dumps({**row, "msg": "aye", "username": "bo"})
    first, second = messages(read({"x/messages.json": room.encode(), "x/assets/f1-boat.jpg": b"x"}))
    assert [(each.name, each.missing) for each in first.attachments] == [("boat.jpg", False), ("plan.pdf", True)]
    assert (first.content, first.metadata["embeds"], second.content) == ("look", "b\np", "aye")


def test_a_dump_in_a_folder_is_found(tmp_path: Path) -> None:
    """Bytes that are no text are data, too."""
    for name, data in dump(said(1, ANN, "a")).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (part,) = [each for each in parts(open_source(tmp_path), OPTIONS) if isinstance(each, Part)]
    assert (part.connector.name, len(part.source.members())) == ("rocketchat", 3)


def test_a_later_export_adds_what_is_new() -> None:
    """Edits and deletions supersede; once more, nothing changes."""
    first = documents(read(dump(said(1, ANN, "one"), said(2, BO, "tow"), said(3, BO, "secret"))))
    later = documents(read(dump(said(1, ANN, "one"), said(2, BO, "two"), said(3, BO, "", t="rm"), said(4, ANN, "one"))))
    stored = after(*first, *later, *later)
    assert contents(stored) == ["one", "two", "[deleted message]", "one"]
    assert [[e.content for e in row.message.edits] for row in stored.messages][1:3] == [["tow"], ["secret"]]


def test_a_broken_document_costs_itself() -> None:
    """A wrong length, a wrong type, a lost end."""
    a, b, c = (bson(said(n, ANN, t)) for n, t in ((1, "a"), (2, "b"), (3, "c")))
    name = "dump/rocketchat/rocketchat_message.bson"
    for broken in (b"\xff\xff\xff\x7f" + b[4:], b.replace(b"\x02msg", b"\x44msg"), b[:-3], b"\0" * 7 + b[7:]):
        records = read({**dump(), name: a + broken + c})
        assert [m.content for m in messages(records)] == ["a", "c"]
        assert len([r for r in records if isinstance(r, Rejected)]) == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=8)
    | st.integers(-(2**62), 2**62).map(Moment) | st.sampled_from(["(system)", "(me)", "[ ](http://x/?msg=a)"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["_id", "username", "name", "usernames", "title", "text", "message_link", "$date"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = ["rid", "ts", "u", "t", "tmid", "editedAt", "reactions", "attachments", "file", "files", "location", "parent"]


@given(
    st.dictionaries(st.text(st.characters(blacklist_characters="\0", codec="utf-8"), max_size=5), VALUES, max_size=5)
)
def test_what_is_written_is_read(value: dict[str, Any]) -> None:
    """Names and texts of BSON, at any depth."""
    assert list(parse_bson(bson(value))) == list(value)


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5))
def test_wrong_types_are_no_exception(fields: dict[str, Any]) -> None:
    """Whatever stands where a text or a list should be: each message is kept or rejected."""
    records = read(dump(said(1, ANN, "a"), {**said(2, BO, "x"), **fields}, said(3, ANN, "b")))
    lost = len([each for each in records if isinstance(each, Rejected)])
    assert len(messages(records)) + lost == 3


@pytest.mark.parametrize("form", ["bson", "lines"])
def test_who_reacts_has_the_name_of_the_author_without_a_list_of_users(form: str) -> None:
    """Reactions hold user names, messages also display names: a person has one of them in both."""
    rows = [said(1, ANN, "hi", reactions={":tada:": {"usernames": ["bo", "ann", "cy"]}}), said(2, BO, "yes")]
    packed = b"".join(bson(each) for each in rows) if form == "bson" else lines(*rows)
    first, second = messages(read({f"rocketchat_message.{form}": packed}))
    assert (first.speaker, second.speaker) == ("Ann Archer", "Bo Baker")
    assert [r.people for r in first.reactions] == [("Bo Baker", "Ann Archer", "cy")]

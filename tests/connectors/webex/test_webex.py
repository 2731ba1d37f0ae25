"""Spaces of Webex: answers of the API, archives, lists beside them, cards, files, overlap, damage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.webex.connector import WebexConnector
from memd.connectors.reading.read_path import read_records
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected, TextDocument
from memd.schemas.identity_links import identities_of
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.memory.test_merge import after, contents

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
HARBOUR, WITH_BO = "Y2lzY29zcGFyazovL3VzL1JPT00vMQ", "Y2lzY29zcGFyazovL3VzL1JPT00vMg"
SPACES = {
    "items": [
        {"id": HARBOUR, "title": "Harbour", "type": "group", "isLocked": False, "creatorId": "P1", "created": "2024-01-01T00:00:00Z"},
    ]
}  # fmt: skip
PEOPLE = {
    "items": [{"id": "P2", "emails": ["bo@example.org"], "displayName": "Bo Baker", "orgId": "O1", "type": "person"}]
}


def said(number: int, person: int, text: str, room: str = HARBOUR, **more: Any) -> dict[str, Any]:
    """A message of a minute."""
    return {
        "id": f"M{number}",
        "roomId": room,
        "roomType": "direct" if room == WITH_BO else "group",
        "text": text,
        "personId": f"P{person}",
        "personEmail": ["", "ann@example.org", "bo@example.org", "hook@webex.bot"][person],
        "created": f"2024-01-15T12:{number:02}:05.000Z",
        **more,
    }


def answer(*messages: dict[str, Any]) -> bytes:
    """The API's answer, the newest message first."""
    return json.dumps({"items": [*reversed(messages)]}).encode()


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    return list(WebexConnector().read(Shelf("x", files), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Iterable[Record]) -> list[ConversationMessage]:
    """The messages of all days."""
    return [each for day in documents(records) for each in day.messages]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def reasons(records: Iterable[Record]) -> list[str]:
    """Why records were rejected."""
    return [record.reason for record in records if isinstance(record, Rejected)]


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = ("webex.message:MessageReader.read",)
    download = Download("the slipway is icy", {"Harbour.json": answer(said(1, 1, "The slipway is icy"))}, "Harbour.tgz")

    @pytest.fixture
    def connector(self) -> Connector:
        """Webex's."""
        return WebexConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """An answer, and the list alone."""
        return {
            "answer": {"a.json": answer(said(1, 1, "one"), said(2, 2, "two"))},
            "list": {"a.json": json.dumps([said(1, 1, "one")], indent=2).encode()},
        }


def test_a_space_with_the_lists_beside_it() -> None:
    """Names for ids, the title of the space, answers, edits, files, who is a program."""
    files = {
        "rooms.json": json.dumps(SPACES).encode(),
        "people.json": json.dumps(PEOPLE).encode(),
        "messages.json": answer(
            said(1, 1, "Who has the key?", updated="2024-01-15T12:09:00.000Z"),
            said(2, 2, "Me", parentId="M1"),
            said(3, 2, "", files=["https://webexapis.com/v1/contents/x/sail.png"]),
            said(4, 3, "Built"),
            said(5, 1, "", html="<p>Bring <b>rope</b></p>"),
        ),
        "sail.png": b"\x89PNG",
    }
    records = read(files, replace(OPTIONS, me="ann@example.org"))
    (day,) = documents(records)
    assert (day.id, day.metadata["title"], day.conversation.user) == (
        f"webex:{HARBOUR}:2024-01-15",
        "Harbour",
        "ann@example.org",
    )
    key, me, picture, built, page = day.messages
    assert (key.speaker, key.edited, key.time.isoformat()) == ("ann@example.org", True, "2024-01-15T12:01:05+00:00")
    assert (me.speaker, me.reply_to, me.thread) == ("Bo Baker", "M1", "M1")
    assert (picture.kind, [(each.name, each.missing) for each in picture.attachments]) == (
        "media",
        [("sail.png", False)],
    )
    assert (built.role, page.content) == ("tool", "Bring rope")
    assert identities_of(day.metadata)["Bo Baker"] == ["mailto:bo@example.org"]
    assert (codes(records), reasons(records)) == ([], [])


def test_a_conversation_of_two_is_called_by_the_other_name() -> None:
    """Of a list of memberships, which says nothing itself."""
    members = [
        {"id": f"S{number}", "roomId": WITH_BO, "personId": f"P{number}", "personEmail": f"{name.lower()}@example.org",
         "personDisplayName": f"{name} Baker", "isModerator": False, "created": "2024-01-01T00:00:00Z"}
        for number, name in ((1, "Ann"), (2, "Bo"))
    ]  # fmt: skip
    files = {
        "memberships.json": json.dumps({"items": members}).encode(),
        "m.json": answer(said(1, 1, "Psst", WITH_BO), said(2, 2, "Yes?", WITH_BO)),
    }
    (day,) = documents(read(files, replace(OPTIONS, me="Ann Baker")))
    assert (day.metadata["title"], [each.speaker for each in day.messages]) == ("Bo Baker", ["Ann Baker", "Bo Baker"])
    assert "group" not in day.metadata


def test_an_archive_tells_its_space() -> None:
    """In the details that the archiver writes beside the messages; its page and text are not read twice."""
    details = {"space": {"id": HARBOUR, "title": "Harbour", "type": "group", "creatorId": "P1"},
               "creator": {"id": "P1", "emails": ["ann@example.org"], "displayName": "Ann Archer"}}  # fmt: skip
    files = {"H_1/space_details.json": json.dumps(details).encode(), "H_1/H_1.json": answer(said(1, 1, "one"))}
    (day,) = documents(read_records(Shelf("H_1.tgz", files), OPTIONS))
    assert (day.metadata["title"], day.messages[0].speaker) == ("Harbour", "Ann Archer")


def test_an_unpacked_archive_is_read_once(tmp_path: Path) -> None:
    """The text and the page are copies of the messages, by their names; another text is a note."""
    for name, data in {
        "H.json": answer(said(1, 1, "one")),
        "H.txt": b"one",
        "H.html": b"<p>one</p>",
        "x.txt": b"two",
    }.items():
        (tmp_path / name).write_bytes(data)
    records = [
        each for each in read_records(tmp_path, OPTIONS) if isinstance(each, ConversationDocument | TextDocument)
    ]
    assert sorted(each.content.rpartition(" ")[2].strip() for each in records) == ["one", "two"]


def test_cards_say_their_words() -> None:
    """Behind the text, once each."""
    card = {
        "type": "AdaptiveCard",
        "body": [
            {"type": "TextBlock", "text": "Lunch"},
            {"type": "FactSet", "facts": [{"title": "When", "value": "Noon"}]},
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Menu", "url": "https://e.example/menu"}],
    }
    said_with = said(
        1, 3, "Lunch", attachments=[{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}]
    )
    (message,) = messages(read({"a.json": answer(said_with)}))
    assert message.content == "Lunch\nWhen\nNoon\nMenu\nhttps://e.example/menu"
    nested: dict[str, Any] = {"type": "TextBlock", "text": "Noon"}
    for _ in range(6):
        nested = {"type": "ColumnSet", "columns": [{"type": "Column", "items": [nested]}]}
    (message,) = messages(read({"a.json": answer(said(1, 3, "Lunch", attachments=[{"content": {"body": [nested]}}]))}))
    assert message.content == "Lunch\nNoon"


def test_a_later_export_adds_what_is_new() -> None:
    """An edit supersedes."""
    first = documents(read({"a.json": answer(said(1, 1, "one"), said(2, 2, "tow"))}))
    edit = said(2, 2, "two", updated="2024-01-15T12:30:00.000Z")
    later = documents(read({"b.json": answer(said(1, 1, "one"), edit, said(3, 1, "three"))}))
    assert contents(after(*first, *later)) == ["one", "two", "three"]


def test_what_cannot_be_read_costs_itself() -> None:
    """A message without a time, without an author, without words, and broken JSON."""
    records = read({
        "a.json": answer(
            said(1, 1, "a", created="soon"), said(2, 0, "b", personId=None), said(3, 1, ""), said(4, 1, "d")
        ).replace(b'"text": "d"', b'"text": "d')
    })  # fmt: skip
    assert [each.content for each in messages(records)] == ["[message without text]"]
    assert len(reasons(records)) == 3
    assert codes(records) == ["user-unknown", "content-unknown"]


def test_lists_of_others_are_not_taken() -> None:
    """People of another program, or a table with rooms."""
    others: tuple[Any, ...] = (
        [{"id": 1, "emails": [], "displayName": "x"}],
        [{"id": "1", "roomId": 4, "created": "x"}],
        [{"id": "1", "roomId": "4", "created": "2024-01-02T10:00:00Z", "personId": "7", "remark": "quiet"}],
    )
    for other in others:
        assert WebexConnector().sniff(Shelf("x", {"a.json": json.dumps(other).encode()})) == 0

"""Exports that are damaged, cut off, or hold what no export should: everything else is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.connectors.opening.limits import MESSAGE_CAP
from memd.schemas import Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import account, chat, messages, read, rejected, said, written
from memd.tests.contracts.connector import Shelf
from memd.tests.effort import examples

NO_MESSAGES: list[tuple[Any, str]] = [
    ({"id": 5, "type": "unsupported"}, "the app that wrote the export could not read this message"),
    ({"type": "message", "date_unixtime": "1705320000"}, "it has no id"),
    ({**said(5), "id": "x"}, "it has no id"),
    ({**said(5), "id": True}, "it has no id"),
    ({**said(5), "id": 1.5}, "it has no id"),
    ({**said(5), "date_unixtime": None, "date": None}, "it has no time"),
    ({**said(5), "date_unixtime": "9" * 18, "date": "x"}, "it has no time"),
    ({**said(5), "date_unixtime": [1], "date": "0001-01-01T00:00:00"}, "it has no time"),
    ("a text", "not an object"),
    (None, "not an object"),
    ([[]], "not an object"),
]


@for_each(NO_MESSAGES)
def test_what_is_no_message_is_refused(record: object, reason: str) -> None:
    """With its place; the others are read."""
    records = read(written(chat([said(1, "a"), record, said(3, "b")])))
    assert [each.content for each in messages(records) if each.id in ("1", "3")] == ["a", "b"]
    assert rejected(records) == [("export!result.json#/messages/1", reason)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("user1") | st.just("-5"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "type", "emoji", "recent", "from", "answers", "count", "href", "title", "latitude"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
NAMES = [
    "id", "type", "date", "date_unixtime", "edited", "edited_unixtime", "from", "from_id", "author", "forwarded_from", "forwarded_from_id",
    "saved_from", "reply_to_message_id", "reply_to_peer_id", "via_bot", "text", "text_entities", "reactions", "photo", "photo_file_size",
    "file", "file_name", "file_size", "mime_type", "media_type", "duration_seconds", "sticker_emoji", "performer", "title", "poll",
    "contact_information", "contact_vcard", "location_information", "place_name", "address", "game_title", "invoice_information",
    "giveaway_information", "giveaway_results", "todo_list", "inline_bot_buttons", "actor", "actor_id", "action", "members", "inviter",
    "new_title", "message_id", "score", "amount", "currency", "information_text", "schedule_date", "other",
]  # fmt: skip


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6), service=st.booleans())
def test_wrong_types_are_no_exception(fields: dict[str, Any], service: bool) -> None:
    """Whatever stands where a text, a number, a list or an object should be."""
    record = {
        **said(2, "x"),
        "type": "service" if service else "message",
        "action": "pin_message" if service else "",
        **fields,
    }
    records = read(written(chat([said(1, "a"), record, said(3, "b")])))
    kept = [each.content for each in messages(records)]
    assert {"a", "b"} <= set(kept)
    assert len(kept) + len([each for each in records if isinstance(each, Rejected)]) == 3


def test_a_cut_export_keeps_what_is_whole() -> None:
    """After each byte."""
    data = written(account([chat([said(1, "a"), said(2, "b")]), chat([said(3, "c")], kind="private_group", number=5)]))
    ends = [data.index(f'"text": "{letter}"'.encode()) for letter in "abc"]
    for cut in range(0, len(data) - 1, 7):
        found = {message.content for message in messages(read(data[:cut]))}
        whole = {letter for letter, end in zip("abc", ends, strict=True) if data.find(b"\n    },", end, cut) > 0 or data.find(b"\n    }\n", end, cut) > 0}  # fmt: skip
        assert whole <= found <= set("abc")


def test_a_broken_record_costs_itself() -> None:
    """Also when a bracket or a quote of it is lost; no record moves to another chat."""
    first = chat([said(1, "a"), said(2, "b"), said(3, "c")])
    second = chat([said(4, "d")], kind="private_group", number=5)
    data = written(account([first, second]))
    for old, new in ((b'"text": "b"', b'"text": "b'), (b'"text": "b"', b"text"), (b'"id": 2,', b'"id": 2')):
        records = read(data.replace(old, new))
        assert [message.content for message in messages(records)] == ["a", "c", "d"]
        assert len(rejected(records)) == 1


def test_damaged_text_is_replaced() -> None:
    """Bytes that are no UTF-8, lone halves of characters, zeros."""
    data = written(chat([said(1, "aXb"), said(2, "cYd"), said(3, "eZf"), said(4, "gQh")]))
    data = (
        data.replace(b"X", b"\xff").replace(b"Y", rb"\ud800").replace(b"Z", rb"\u0000").replace(b"Q", rb"\ud83d\ude00")
    )
    assert [message.content for message in messages(read(data))] == ["a\ufffdb", "c\ufffdd", "e\0f", "g😀h"]


def test_huge_numbers_and_depth() -> None:
    """Cost their record."""
    data = written(chat([said(1, "a"), said(2, "b"), said(3, "c")]))
    huge = data.replace(b'"id": 2', b'"id": ' + b"9" * 40)
    deep = data.replace(b'"text": "b"', b'"text": ' + b"[" * 5000 + b"]" * 5000)
    for broken in (huge, deep):
        records = read(broken)
        assert [message.content for message in messages(records)] == ["a", "c"]
        assert len(rejected(records)) == 1


@pytest.mark.slow
def test_a_message_over_the_limit_is_refused() -> None:
    """More than 16 MiB of text."""
    records = read(written(chat([said(1, "a"), said(2, "b" * ((16 << 20) + 1)), said(3, "c")])))
    assert [message.content for message in messages(records)] == ["a", "c"]
    assert rejected(records) == [("export!result.json#/messages/1", f"more than {MESSAGE_CAP} bytes in one message")]


def test_many_broken_records_are_counted() -> None:
    """Each is told with its place: what was read and what was not are all records."""
    records = read(written(chat([said(1, "a"), *[{"id": 5, "type": "unsupported"}] * 250])))
    assert len(rejected(records)) == 250
    assert rejected(records)[-1][0] == "export!result.json#/messages/250"


@pytest.mark.parametrize("kind", [[], {"id": 1}, 5, None])
def test_a_type_that_is_no_word_is_no_exception(kind: object) -> None:
    """Nobody is sure of it, and nobody fails at it."""
    told = {"name": "Bob", "type": kind, "id": 2, "messages": [said(1, "hi")]}
    assert 0 <= TelegramConnector().sniff(Shelf("s", {"result.json": json.dumps(told).encode()})) <= 1

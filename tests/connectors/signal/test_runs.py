"""Frames and messages that are read together are what each by itself is, whatever stands among them."""

from __future__ import annotations

import io
import json
from random import Random
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.chats import day_documents, mixed_days
from memd.connectors.connector import ReadOptions
from memd.connectors.formats.signal import export, frames
from memd.schemas import ConversationDocument
from memd.tests.connectors.signal.exports import FRAMES, NOON, lines, read
from memd.tests.effort import examples

OPTIONS = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")
MINUTE, DAY = 60_000, 86_400_000
SPRING = 1_711_846_000_000  # the clocks of Berlin go forward within the hour
ODD: list[object] = [
    None,
    True,
    0,
    7,
    1.5,
    "",
    " ",
    "10",
    "x\0y",
    "\ud800",
    "\u00a0",
    "99999999999999",
    "9" * 5000,
    [],
    {},
    ["10"],
    {"body": "x"},
    {"text": {"body": "x"}},
]
DATES: list[object] = [
    f" {NOON}",
    f"{NOON}.0",
    NOON,
    "0123456789012",
    "１７０５３２００００００１",
    "99999999999",
    "9999999999999",
]
STATES: list[object] = [[], [{"recipientId": "2", "read": {}}], [{"recipientId": "3", "delivered": {}}, None], {"x": 1}]
TEXTS = ["hi", "\u00e9 \U0001f600", "x\0y", "\ufffc you", "long " * 40]
OTHERS: list[dict[str, Any]] = [
    {"revisions": [{"dateSent": str(NOON), "standardMessage": {"text": {"body": "before"}}}]},
    {"standardMessage": {"text": {"body": "x"}, "reactions": [{"emoji": "x", "authorId": "2"}]}},
    {"standardMessage": {"text": {"body": "x"}, "quote": {"targetSentTimestamp": str(NOON), "authorId": "2"}}},
    {"standardMessage": None, "updateMessage": {"simpleUpdate": {"type": "JOINED_SIGNAL"}}},
    {"expiresInMs": "1000"},
    {"standardMessage": {"attachments": [{"pointer": {"contentType": "image/png"}}]}},
]
STEPS = [*[1000, MINUTE, 5 * MINUTE] * 20, 0, -MINUTE, DAY // 3, -DAY]
RAW = [
    b"",
    b" ",
    b"{}",
    b"[]",
    b"nonsense",
    b'{"chatItem":',
    b'{"chatItem":[]}',
    b'{"chatItem":{"chatId":"10","dateSent":"1"}}\r',
]
KNOWN = [b'{"recipient":{"id":"2","contact":{"username":"new"}}}', b'{"chat":{"id":"77","recipientId":"3"}}']


def _plain(author: int, body: str) -> dict[str, Any]:
    way: dict[str, Any] = {"outgoing": {"sendStatus": []}} if author == 1 else {"incoming": {"read": True}}
    return {"authorId": str(author), **way, "standardMessage": {"text": {"body": body}}}


def _item(chance: Random, odds: float) -> dict[str, Any]:
    """A message, seldom one that is more than words or has a field of another type."""
    item = _plain(chance.randint(1, 5), chance.choice(TEXTS))
    if chance.random() < odds:
        item["outgoing"] = {"sendStatus": chance.choice(STATES)}
    if chance.random() < odds:
        item["standardMessage"]["text"]["bodyRanges"] = chance.choice([[], [{"start": 0, "mentionAci": "AA=="}], None])
    if chance.random() < odds / 2:
        item["dateSent"] = chance.choice(DATES)
    if chance.random() < odds / 2:
        item |= chance.choice(OTHERS)
    elif chance.random() < odds:
        place = chance.choice([item, item, item, item["standardMessage"], item["standardMessage"]["text"]])
        place[chance.choice([*place, "chatId", "dateSent"] if place is item else [*place])] = chance.choice(ODD)
    return item


def _export(seed: int, begin: int) -> bytes:
    """An export of stretches of messages, each of one chat; some come twice, or between other frames."""
    chance = Random(seed)
    odds = chance.choice([0.0, 0.02, 0.2])
    lines = [json.dumps(frame).encode() for frame in FRAMES]
    last: list[bytes] = []
    time = begin
    for _ in range(chance.randint(1, 12)):
        chat, stretch = chance.choice(["10", "10", "11", "12", "77"]), list[bytes]()
        for _ in range(chance.randint(1, 20)):
            time += chance.choice(STEPS)
            frame = {"chatItem": {"chatId": chat, "dateSent": str(time), **_item(chance, odds)}}
            stretch.append(json.dumps(frame, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        lines += stretch
        if chance.random() < odds:
            lines.append(chance.choice(RAW))
        if chance.random() < 0.2:
            lines += chance.choice([last, stretch, [chance.choice(KNOWN)]])
        last = stretch
    return b"\n".join(lines) + chance.choice([b"", b"\n"])


@given(
    st.integers(0, 2**32),
    st.sampled_from([NOON, SPRING]),
    st.sampled_from([6, 20_000]),
    st.sampled_from([9000, mixed_days.HELD]),
    st.sampled_from([2, mixed_days.OPEN_CHATS]),
)
@settings(max_examples=examples(40), deadline=None)
def test_an_export_is_read_alike_together_and_one_by_one(
    seed: int, begin: int, large: int, held: int, chats: int
) -> None:
    """With values of any kind, stragglers, doubles, the states of what was sent, and where days or chats are given out early."""
    data = _export(seed, begin)
    limits = (
        patch.object(day_documents, "LARGE_DAY", large),
        patch.object(mixed_days, "HELD", held),
        patch.object(mixed_days, "OPEN_CHATS", chats),
    )
    with limits[0], limits[1], limits[2]:
        with patch.object(export, "chat_of_plain", return_value=None):
            expected = read(data, OPTIONS)
        assert read(data, OPTIONS) == expected


def test_messages_of_words_alone_are_read_together() -> None:
    """A stretch of one chat costs one call, not one for each message; at the ends of blocks few are read by themselves."""
    items = [_plain(2, "hi") | {"chatId": "10", "dateSent": str(NOON + place * MINUTE)} for place in range(100)]
    one_by_one = patch.object(export.ItemReader, "read", autospec=True, side_effect=export.ItemReader.read)
    with one_by_one as called:
        (document, *_) = read(lines([*FRAMES, *({"chatItem": each} for each in items)]))
    assert isinstance(document, ConversationDocument)
    assert len(document.messages) == 100
    assert called.call_count <= 10


LINE = st.sampled_from(
    [b'{"a":1}', b'{"a":1} ', b' {"b":"x"}\r', b"", b" ", b"[1]", b"1", b'{"a":"cut', b'here"}', b"}", b'{"a":[{}', b"{}]}",
     b'{"a":"\\ud800"}', b'{"a":"\xff"}', b'{"a":"\x00"}', b"{},{}", b'{"a":"' + b"x" * 40 + b'"}', b"x" * 50, b"\xef\xbb\xbf{}"]
)  # fmt: skip


@given(
    st.lists(LINE | st.just(b'{"a":1}'), max_size=20),
    st.sampled_from([b"", b"\n"]),
    st.sampled_from([1, 5, 16, 47]),
    st.sampled_from([47, 48, 49, 1000]),
)
@settings(max_examples=examples(60), deadline=None)
def test_the_lines_of_a_block_are_what_each_by_itself_is(
    given_lines: list[bytes], end: bytes, block: int, cap: int
) -> None:
    """Whichever of them are broken, cut, too long or blank, and wherever blocks end."""
    data = b"\n".join(given_lines) + end

    def found() -> list[tuple[int, object]]:
        told: list[tuple[int, object]] = []
        for each in frames.frames(io.BufferedReader(io.BytesIO(data))):  # type: ignore[arg-type] - bytes are a raw stream, too
            told += enumerate(each.values, each.line)
            told += [(each.line, each.reason)] if each.reason else []
        return told

    with patch.object(frames, "FRAME_CAP", cap):
        with patch.object(frames, "_objects", return_value=None), patch.object(frames, "_BLOCK", 1):
            expected = found()
        with patch.object(frames, "_BLOCK", block):
            assert found() == expected

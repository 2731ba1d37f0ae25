"""Whatever stands in a file of Messenger: what can be read is read, the rest is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.formats.messenger.connector import MessengerConnector
from memd.schemas import Rejected
from memd.tests.connectors.messenger.exports import (
    ANN,
    BO,
    OPTIONS,
    PLACE,
    chat,
    codes,
    documents,
    encrypted,
    read,
    rejected,
    said,
    written,
)
from memd.tests.contracts.connector import Shelf
from memd.tests.effort import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8) | st.sampled_from(["\0", "(system)", "(me)", "9" * 30, " "]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["name", "uri", "link", "share_text", "reaction", "actor"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
NAMES = [
    "sender_name", "timestamp_ms", "timestamp", "content", "text", "photos", "videos", "audio_files", "gifs", "sticker",
    "files", "media", "share", "reactions", "call_duration", "missed", "is_unsent", "type", "users", "is_taken_down",
]  # fmt: skip
HEADS = ["participants", "title", "thread_path", "is_still_participant", "threadName", "joinable_mode", "image"]


def words(data: Any) -> list[str]:
    """The contents of all messages."""
    return [m.content for d in documents(read({PLACE: data})) for m in d.messages]


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    fields=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6),
    head=st.dictionaries(st.sampled_from(HEADS), VALUES, max_size=4),
)
def test_wrong_types_are_no_exception(fields: dict[str, Any], head: dict[str, Any]) -> None:
    """Whatever stands where a text, a number, a list or an object should be: each message is kept or rejected."""
    value = {**chat(said(1, ANN, "a"), {**said(2, BO, "x"), **fields}, said(3, ANN, "b")), **head}
    records = read({PLACE: value})
    found = [m.content for d in documents(records) for m in d.messages]
    assert {"a", "b"} <= set(found)
    assert len(found) + len([each for each in records if isinstance(each, Rejected)]) == 3


def test_a_broken_message_costs_itself() -> None:
    """Also when a bracket or a quote of it is lost."""
    data = written(chat(said(1, ANN, "a"), said(2, BO, "b"), said(3, ANN, "c")))
    for old, new in ((b'"content": "b"', b'"content": "b'), (b'"content": "b"', b"content"), (b'"b",', b'"b"')):
        records = read({PLACE: data.replace(old, new)})
        assert [m.content for d in documents(records) for m in d.messages] == ["a", "c"]
        assert len(rejected(records)) == 1


def test_damaged_text_is_replaced_and_a_zero_kept() -> None:
    """Lone halves of characters, bytes that are no UTF-8."""
    data = written(chat(said(1, ANN, "aXb"), said(2, ANN, "cYd"), said(3, ANN, "eZf")))
    data = data.replace(b"X", b"\xff").replace(b"Y", rb"\ud800").replace(b"Z", rb"\u0000")
    assert words(data) == ["a\ufffdb", "c\ufffdd", "e\0f"]


def test_a_key_that_occurs_twice_counts_the_last_time() -> None:
    """JSON does not say what it means."""
    data = written(chat(said(1, ANN, "a"))).replace(b'"content": "a"', b'"content": "x", "content": "y"')
    assert words(data) == ["y"]


def test_times_out_of_range_and_deep_values_cost_their_message() -> None:
    """And nothing else."""
    data = written(chat(said(1, ANN, "a"), said(2, BO, "b"), said(3, ANN, "c")))
    stamp = written({"timestamp_ms": said(2, BO)["timestamp_ms"]}).split()[2]
    for broken in (
        data.replace(stamp, b"9" * 40),
        data.replace(stamp, b"999999999999999999"),
        data.replace(stamp, b"null"),
        data.replace(b'"content": "b"', b'"content": ' + b"[" * 5000 + b"]" * 5000),
    ):
        records = read({PLACE: broken})
        assert [m.content for d in documents(records) for m in d.messages] == ["a", "c"]
        assert len(rejected(records)) == 1


def test_a_message_over_the_limit_is_refused() -> None:
    """More than 16 MiB of text."""
    records = read({PLACE: chat(said(1, ANN, "a"), said(2, BO, "b" * ((16 << 20) + 1)), said(3, ANN, "c"))})
    assert [m.content for d in documents(records) for m in d.messages] == ["a", "c"]
    assert [reason for _, reason in rejected(records)] == ["more than 16777216 bytes in one message"]


def test_a_chat_without_messages_gives_nothing() -> None:
    """Neither documents nor complaints but that nobody is known to write."""
    assert documents(read({PLACE: chat()})) == []
    assert rejected(read({PLACE: chat()})) == []


def test_two_exports_in_one_folder() -> None:
    """Each is read; equal days have equal ids."""
    files = {f"{n}/messages/inbox/bo_10200000001/message_1.json": chat(said(1, ANN, "a")) for n in (1, 2)}
    first, second = documents(read(files))
    assert first == second


def test_an_encrypted_chat_beside_an_older_one() -> None:
    """They are two chats: nothing in them says that they are one."""
    own: dict[str, Any] = {
        "senderName": ANN,
        "text": "x",
        "timestamp": 1705320000000,
        "type": "text",
        "isUnsent": False,
        "media": [],
    }
    records = read({"messages/Bo_3.json": encrypted(own), PLACE: chat(said(1, ANN, "a"))})
    assert sorted(d.id for d in documents(records)) == [
        "messenger:10200000001:2024-01-15",
        "messenger:Bo Baker_3:2024-01-15",
    ]
    assert codes(records) == []


def test_an_encoding_is_told_also_where_the_file_is_damaged() -> None:
    """What could not be decoded before the damage became U+FFFD, which is said beside the damage."""
    wide = written(chat(*(said(n, ANN, "a" * 1000) for n in range(1, 400)))).decode().encode("utf-16-le")
    damaged = wide.replace("aaaa".encode("utf-16-le"), b"\x00\xd8" + "aaa".encode("utf-16-le"), 1)
    shelf = Shelf("x", {PLACE: b"\xff\xfe" + damaged}, fail_after=600_000)
    records = list(MessengerConnector().read(shelf, OPTIONS))
    assert [reason for _, reason in rejected(records)][-1] == "damaged from here on"
    assert "replaced-text" in codes(records)

"""The short way for messages of words alone gives what the long way gives, whatever stands in a field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.google_chat import message as google_chat
from memd.connectors.formats.google_chat.people import Names
from memd.connectors.formats.llm_chats import chatgpt_conversation, claude_conversation
from memd.connectors.formats.llm_chats.documents import Chat as ModelChat
from memd.connectors.formats.llm_chats.documents import chat_records
from memd.connectors.formats.messenger import message as messenger
from memd.connectors.formats.signal import chat_item, markdown, records
from memd.connectors.formats.signal.recipients import Recipients
from memd.connectors.formats.slack import message as slack
from memd.connectors.formats.slack import mrkdwn
from memd.connectors.formats.slack.body import BodyReader
from memd.connectors.formats.slack.people import People
from memd.connectors.formats.telegram import message as telegram
from memd.connectors.formats.telegram.chats import Chat
from memd.connectors.formats.telegram.speakers import Speakers
from memd.connectors.formats.telegram.times import Times
from memd.connectors.text import json_beginnings
from memd.schemas import ConversationDocument
from memd.tests.effort import examples

ZONE = ZoneInfo("Europe/Berlin")
ODD: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 0, -1, 1.5, 10**30, 1_710_000_000_000, "", " ", "x", "1710000000000", "\ud800", [None], {"x": {"y": None}}, "\u00a0", "\u00c3\u00a9", "12345678901", "１２３４５６７８９０", [], {}, ["x"], {"x": "y"}]
)  # fmt: skip
TEXTS = st.sampled_from(["hi", "hi ", "\u00c3\u00a9t\u00c3\u00a9", "Ann left the group.", "You", " \n", "", "x" * 9])


def _telegram() -> telegram.MessageReader:
    return telegram.MessageReader(Chat("c", "Club", "private_group"), Speakers("Ann", "user1"), Times(ZONE, "option"))


TELEGRAM: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "id": st.integers(1, 9),
        "type": st.sampled_from(["message", "service", "unsupported"]),
        "date": st.just("2024-01-15T12:00:00"),
        "date_unixtime": st.integers(1_710_000_000, 1_720_000_000).map(str),
        "from": st.sampled_from(["Ann", "Bo"]),
        "from_id": st.sampled_from(["user1", "user2", "channel3"]),
        "text": TEXTS,
        "text_entities": st.just([]),
    },
    optional={"photo": st.just("a.jpg"), "edited_unixtime": st.just("1710000000")},
)
MESSENGER: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "sender_name": st.sampled_from(["Ann", "Bo", "J\u00c3\u00b6rg", "(system)"]),
        "timestamp_ms": st.integers(1_710_000_000_000, 1_710_000_000_003)
        | st.integers(1_710_000_000_000, 1_712_000_000_000),
        "content": TEXTS,
    },
    optional={"is_geoblocked_for_viewer": st.just(False), "text": TEXTS, "is_unsent": st.just(True)},
)
GOOGLE_CHAT: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "creator": st.fixed_dictionaries(
            {"name": st.sampled_from(["Ann", "Bo"]), "email": st.sampled_from(["a@example.org", " b@example.org"])},
            optional={"user_type": st.sampled_from(["Human", "Bot"])},
        ),
        "created_date": st.integers(1, 12).map(lambda hour: f"Sunday, March 31, 2024 at {hour}:00:29\u202fAM UTC"),
        "text": TEXTS,
        "topic_id": st.sampled_from(["m1", "m2", ""]),
        "message_id": st.sampled_from(["AAA/m1/m1", "AAA/m1/m2", " "]),
    },
    optional={"reactions": st.just([])},
)


def _spoilt(raw: dict[str, Any], key: str, value: object) -> dict[str, Any]:
    return {**raw, key: value} if key in raw else raw


def _lists(good: st.SearchStrategy[dict[str, Any]], keys: list[str]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(good, st.builds(_spoilt, good, st.sampled_from(keys), ODD)), min_size=1, max_size=16)


WAYS: dict[str, tuple[st.SearchStrategy[list[Any]], Callable[[], Any]]] = {
    "telegram": (
        _lists(TELEGRAM, ["id", "type", "date_unixtime", "from", "from_id", "text", "text_entities"]),
        _telegram,
    ),
    "messenger": (
        _lists(MESSENGER, ["sender_name", "timestamp_ms", "content"]),
        lambda: messenger.MessageReader("c", ZONE, bool),
    ),
    "google_chat": (
        _lists(GOOGLE_CHAT, ["creator", "created_date", "text", "topic_id", "message_id"]),
        lambda: google_chat.MessageReader(Names({}), ZONE, bool),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_messages_are_read_alike_together_and_one_by_one(name: str) -> None:
    """The same messages and reasons, in the same order; the same people are counted."""
    lists, make = WAYS[name]

    @given(lists)
    @settings(max_examples=examples(40))
    def run(raws: list[Any]) -> None:
        together, apart = make(), make()
        half = len(raws) // 2  # of what came before, something may be remembered
        found = [*together.read_all(raws[:half]), *together.read_all(raws[half:])]
        assert found == [apart.read(raw) for raw in raws]
        assert getattr(together, "speakers", None) == getattr(apart, "speakers", None)
        assert together.unknown == apart.unknown

    run()


MODEL_TEXTS = st.sampled_from(["hi", " hi ", "", " ", "\ue200cite\ue201x", "\ue203"]) | ODD
SENDERS = st.sampled_from(["human", "user", "assistant", "system", "tool", " human", None])
CLAUDE: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "uuid": st.sampled_from(["a", "b", ""]),
        "sender": SENDERS,
        "content": st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "thinking"]), "text": MODEL_TEXTS}), max_size=2)
        | ODD,
    },
    optional={
        "text": MODEL_TEXTS,
        "created_at": st.just("2024-01-15T12:00:00Z"),
        "attachments": st.sampled_from([[], [{"file_name": "a.txt", "extracted_content": "x"}]]) | ODD,
        "files": st.just([{"file_name": "b.png"}]),
    },
)  # fmt: skip
CHATGPT: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "author": st.fixed_dictionaries({"role": SENDERS, "name": st.sampled_from([None, "python"])}),
        "content": st.fixed_dictionaries(
            {"content_type": st.sampled_from(["text", "code"]), "parts": st.lists(MODEL_TEXTS, max_size=2)}
        )
        | ODD,
    },
    optional={
        "id": st.sampled_from(["a", ""]),
        "recipient": st.sampled_from(["all", "python", "assistant", None]),
        "weight": st.sampled_from([0, 1.0]),
        "metadata": st.dictionaries(
            st.sampled_from(["model_slug", "is_visually_hidden_from_conversation", "is_user_system_message", "x"]), ODD
        ),
    },
)


def _odd_inside(message: dict[str, Any], place: tuple[str, str], value: object) -> dict[str, Any]:
    """A message of ChatGPT that is words alone but for one field inside of it."""
    plain: dict[str, Any] = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["hi"]}}
    holder, key = place
    return {**message, **plain, holder: {**plain.get(holder, {}), key: value}}


PLACES = st.sampled_from(
    [
        ("author", "role"),
        ("content", "content_type"),
        ("content", "parts"),
        ("content", "parts"),
        ("metadata", "model_slug"),
    ]
)
ODD_PARTS: st.SearchStrategy[object] = st.sampled_from(["x", ["hi", "hi"], [], [1], ["hi", None], {"0": "x"}])
CHATGPT_ODD = st.builds(_odd_inside, CHATGPT, PLACES, ODD_PARTS | ODD)


def _of_claude(messages: list[Any]) -> tuple[ModelChat | str, Any]:
    reader = claude_conversation.ConversationReader(None, {"a": "Ann"}, ZONE)
    return reader.chat({"uuid": "c", "chat_messages": messages, "created_at": "2024-01-15T12:00:00Z"}, "x"), reader


def _of_chatgpt(messages: list[Any]) -> tuple[ModelChat | str, Any]:
    reader = chatgpt_conversation.ConversationReader("Ann", ZONE, lambda _: "")
    nodes = {str(n): {"message": each, "parent": str(n - 1)} for n, each in enumerate(messages)}
    last = str(len(messages) - 1)
    return reader.chat({"id": "c", "mapping": nodes, "current_node": last, "create_time": 1_710_000_000}, "x"), reader


@given(st.lists(CLAUDE, min_size=1, max_size=4), st.lists(CHATGPT | CHATGPT_ODD, min_size=1, max_size=4))
@settings(max_examples=examples(40))
def test_messages_of_a_model_are_what_the_long_way_makes_of_them(claude: list[Any], chatgpt: list[Any]) -> None:
    """The same documents, and the same is counted."""

    def read(way: Callable[[list[Any]], tuple[ModelChat | str, Any]], messages: list[Any]) -> tuple[object, object]:
        chat, reader = way(messages)
        counts = +reader.tally.counts
        if isinstance(chat, str):
            return chat, counts
        records = chat_records(chat)
        return [each.to_json() if isinstance(each, ConversationDocument) else each for each in records], counts

    nothing: Callable[..., None] = lambda *_: None  # noqa: E731 - as a method
    long_claude = patch.object(claude_conversation.ConversationReader, "_plain", nothing)
    long_chatgpt = patch.object(chatgpt_conversation.ConversationReader, "_words", nothing)
    for way, messages, long in ((_of_claude, claude, long_claude), (_of_chatgpt, chatgpt, long_chatgpt)):
        with long:
            expected = read(way, messages)
        assert read(way, messages) == expected


NUMBERS: st.SearchStrategy[object] = st.sampled_from(["1", "2", " 2 ", "9", 2])
RANGES: st.SearchStrategy[object] = st.sampled_from([[{"start": 0, "mentionAci": "AA=="}], {}])
STATUSES: st.SearchStrategy[object] = st.sampled_from(
    [{"recipientId": "2", "read": {}}, {"recipientId": "9", "viewed": {}}, {"delivered": {}}, {"failed": {}}]
)
WORDS: st.SearchStrategy[object] = st.fixed_dictionaries({"body": TEXTS | ODD}, optional={"bodyRanges": RANGES})
STANDARD: st.SearchStrategy[object] = st.fixed_dictionaries(
    {}, optional={"text": WORDS | ODD, "longText": ODD, "reactions": st.just([{"emoji": "x", "authorId": "2"}])}
)
OUTGOING: st.SearchStrategy[object] = st.fixed_dictionaries({"sendStatus": st.lists(STATUSES | ODD)})
SIGNAL: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "chatId": st.sampled_from(["10", "11", " 10"]) | ODD,
        "authorId": NUMBERS | ODD,
        "dateSent": st.integers(1_710_000_000_000, 1_710_000_000_003).map(str) | ODD,
        "standardMessage": STANDARD | WORDS.map(lambda words: {"text": words}) | ODD,
    },
    optional={"incoming": ODD, "outgoing": OUTGOING | ODD, "expiresInMs": st.just("1000")},
)
RECIPIENTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"id": NUMBERS, "contact": st.fixed_dictionaries({"profileGivenName": TEXTS})}
)


@given(st.lists(SIGNAL | RECIPIENTS, min_size=1, max_size=8))
@settings(max_examples=examples(40))
def test_items_of_signal_are_what_the_long_way_makes_of_them(frames: list[dict[str, Any]]) -> None:
    """Also where a name becomes known, or another one, between two messages."""

    def read() -> tuple[list[object], object]:
        recipients = Recipients(None)
        recipients.learn_account({"givenName": "Ann"})
        recipients.learn_recipient({"id": "1", "self": {}})
        recipients.learn_chat({"id": "10", "recipientId": "2"})
        reader = chat_item.ItemReader(recipients, ZONE, ())
        found: list[object] = []
        for frame in frames:
            if "contact" in frame:
                recipients.learn_recipient(frame)
            else:
                found += [recipients.chat(frame["chatId"]), reader.read(frame)]
        return found, (reader.seen_me, +reader.counts)

    with patch.object(chat_item.ItemReader, "_plain", return_value=None):
        expected = read()
    assert read() == expected


EXPORTED_TEXTS = st.sampled_from(
    ["hi  ", "Missed call", "Incoming call (1:00)  ", "(This message was deleted) ", "> a", " \n", "", "\r", "(( x ))", "x)\u00a0",
     "hey (( x ))", "a\n(- Bo: x, Cleo: y -)  ", "[a.jpg](./media/a.jpg)", "![a](./media/b.png)  ", "\n\n> q\n> r\n\nyes"]
)  # fmt: skip
EXPORTED: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"date": st.sampled_from(["2024-03-31T02:30:00", "2024-01-15T12:00:00+05:00", "x"])},
    optional={
        "sender": st.sampled_from(["Me", "Bo", "No-Sender", "(system)"]) | ODD,
        "body": EXPORTED_TEXTS | ODD,
        "quote": st.sampled_from(["", "x", "\n"]) | ODD,
        "reactions": st.just([["Bo", "x"]]) | ODD,
        "attachments": st.just([{"name": "a.jpg", "path": "media/a.jpg"}]) | ODD,
        **dict.fromkeys(["sticker", "deleted", "call"], ODD),
    },
)


@given(st.lists(EXPORTED, min_size=1, max_size=8), st.lists(EXPORTED_TEXTS, min_size=1, max_size=3).map("\n".join))
@settings(max_examples=examples(40))
def test_exported_chats_of_signal_are_what_the_long_way_makes_of_them(found: list[dict[str, Any]], text: str) -> None:
    """Records, and what a message in Markdown is as a record."""

    def read() -> tuple[list[object], object]:
        reader = records.RecordReader(ReadOptions(zone=ZONE), "", ())
        return [reader.read({**record}) for record in found], +reader.counts

    def written() -> list[object]:
        return [*markdown.markdown_records(f"[2024-01-15, 12:00] Bo: {text}\n".splitlines(keepends=True))]

    with patch.object(records, "_BESIDE_BODY", ("date",)), patch.object(markdown, "_is_plain", return_value=False):
        expected, expected_record = read(), written()
    assert read() == expected
    assert written() == expected_record


SLACK: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["message", "x"]) | ODD,
        "user": st.sampled_from(["U1", "U2", "U9", "UBOT"]) | ODD,
        "ts": st.sampled_from(
            ["1710000000.000100", "1711846799.999999", "1711846800.000000", "1710000000.1", "999999999999.5", 1710000000.5]
        )
        | ODD,
        "text": TEXTS | st.sampled_from(["<@U2> &amp; <#C1|x>", "> a\nb", "```x```"]) | ODD,
    },
    optional={
        "blocks": st.sampled_from([[{"type": "rich_text"}], [{"type": "section", "text": {"text": "x"}}]]) | ODD,
        "thread_ts": st.sampled_from(["1710000000.000100", "1"]) | ODD,
        "replies": st.just([{"ts": "1710000000.000100"}]) | ODD,
        "subtype": st.just("bot_message"),
        "edited": st.just({"ts": "1710000001.000000"}) | ODD,
    },
)  # fmt: skip


@given(st.lists(SLACK, min_size=1, max_size=6))
@settings(max_examples=examples(40))
def test_records_of_slack_are_what_the_long_way_makes_of_them(records: list[dict[str, Any]]) -> None:
    """The same fields, threads and counts."""

    def read() -> tuple[list[object], object]:
        people = People()
        people.add({"id": "U1", "name": "ann"})
        people.add({"id": "U2", "name": "bo"})
        people.add({"id": "UBOT", "name": "bot", "is_bot": True})
        people.settle()
        names = mrkdwn.Names(lambda own, _: people.name(own), lambda own, label: label or own)
        reader = slack.MessageReader("C1", people, BodyReader(names), (), ZONE)
        return [reader.message({**record}) for record in records], (reader.counts, reader.people_unknown)

    with patch.object(slack.MessageReader, "_plain", return_value=None):
        expected = read()
    assert read() == expected


@given(
    st.recursive(
        ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "é", "a b"]), inner)
    )
)
@settings(max_examples=examples(40))
def test_the_keys_of_an_object_are_those_that_its_signs_show(value: object) -> None:
    """The parser reads it where it can; else each quote and bracket is looked at."""
    whole = json.dumps({"first": value, "last": [{"inner": 1}]}, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def keys() -> list[set[str]]:
        for cached in (json_beginnings.object_keys, json_beginnings.keys_seen):
            cached(b"")  # what it remembers is gone then
        return [*json_beginnings.object_keys(whole)]

    with patch.object(json_beginnings, "whole_end", return_value=0):
        expected = keys()
    assert keys() == expected
    assert {"first", "last"} in expected

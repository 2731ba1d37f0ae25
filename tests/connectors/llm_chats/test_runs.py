"""Messages of a conversation with a model that are read together are what each by itself is, whatever stands among them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, cast
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.llm_chats import chatgpt_conversation, claude_conversation, documents
from memd.schemas import ConversationDocument, Rejected
from memd.tests.cases import check_all
from memd.tests.connectors.llm_chats import test_chatgpt as chatgpt
from memd.tests.connectors.llm_chats import test_claude as claude
from memd.tests.effort import examples

OPTIONS = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")
ODD: list[Any] = [None, True, 0, 0.0, 7, 1.5, 10**30, "", " ", "x", "\u00a0", "\ud800", "20240115", [], {}, [""], ["x"], [None], {"x": "y"}]  # fmt: skip
TEXTS = ["hi", "\u00e9 \U0001f600", " padded ", "\ue200cite\ue201", "\ue203", "long " * 40]
TIMES = ["2024-03-31T00:30:00Z", "2024-03-31T00:59:59.999999Z", "2024-01-15T12:00:00", "2024-01-15T12:00:00+02:00", " 2024-01-15", "1500-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1705320000"]  # fmt: skip


def _spoil(chance: Random, value: Any, odds: float) -> Any:
    """Take a field out of a value, or put something else in its place, seldom."""
    if chance.random() < odds / 20:
        return chance.choice(ODD)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {key: _spoil(chance, each, odds) for key, each in fields.items() if chance.random() >= odds / 20}
    return [_spoil(chance, each, odds) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _claude(chance: Random, odds: float) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for number in range(chance.choice([0, 1, 2, 12])):
        each = claude.message(f"m{number}", chance.choice(["human", "assistant"]), chance.choice(TEXTS), number)
        if chance.random() < odds:
            each["created_at"] = chance.choice(TIMES)
        if chance.random() < odds / 4:
            each["files"] = [{"file_name": "a.png"}]
        if chance.random() < odds / 4:
            each["content"].append({"type": "thinking", "thinking": "so"})
        if chance.random() < odds:
            each["parent_message_uuid"] = chance.choice(["m0", f"m{number - 1}", "root", None])
        messages.append(each)
    return claude.conversation(*messages)


def _chatgpt(chance: Random, odds: float) -> dict[str, Any]:
    hidden = {"is_visually_hidden_from_conversation": True}
    beside: list[dict[str, Any]] = [{"metadata": hidden}, {"metadata": {"attachments": [{"id": "file-a"}]}}, {"recipient": "python"}, {"weight": 0}, {"create_time": None}]  # fmt: skip
    nodes = [chatgpt.node("n0", "root", "system", "", None, weight=0.0, metadata=chance.choice([{}, hidden]))]
    for number in range(1, chance.choice([1, 2, 3, 13])):
        more: dict[str, Any] = chance.choice([{}, {}, {"metadata": {"model_slug": "gpt-4o"}}])
        role, text = chance.choice(["user", "assistant"]), chance.choice(TEXTS)
        if chance.random() < odds:
            role, text, more = chance.choice([role, "tool"]), chance.choice(["", text]), chance.choice(beside)
        nodes.append(chatgpt.node(f"n{number}", f"n{number - 1}", role, text, number * 7, **more))
    return chatgpt.conversation(nodes, f"n{len(nodes) - 1}")


MAKERS = {"claude": _claude, "chatgpt": _chatgpt}
READERS: dict[str, Any] = {
    "claude": claude_conversation.ConversationReader,
    "chatgpt": chatgpt_conversation.ConversationReader,
}


def _read(name: str, value: list[Any]) -> list[Record]:
    """All that a file of conversations holds."""
    return claude.read({"conversations.json": value}, OPTIONS) if name == "claude" else chatgpt.read(value, OPTIONS)


def _told(records: list[Record]) -> list[tuple[object, object]]:
    """All that is in records, with the fields that each message was given."""
    return [
        (repr(record), [each.model_fields_set for each in record.messages])
        if isinstance(record, ConversationDocument)
        else (repr(record), None)
        for record in records
    ]


@pytest.mark.parametrize("name", MAKERS)
@given(st.integers(0, 2**32), st.sampled_from([5, 200, documents.MESSAGE_CAP]))
@settings(max_examples=examples(40), deadline=None)
def test_a_conversation_is_read_alike_together_and_one_by_one(name: str, seed: int, cap: int) -> None:
    """With fields of any kind, files, tools, branches, clocks that change and messages that are too large."""
    chance = Random(seed)
    odds = chance.choice([0.0, 0.05, 0.3])
    made = [_spoil(chance, MAKERS[name](chance, odds), odds / 4) for _ in range(4)]
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731 - as a method
    with patch.object(documents, "MESSAGE_CAP", cap), patch("memd.connectors.opening.limits.MESSAGE_CAP", cap):
        with patch.object(READERS[name], "_all_words", nothing):
            expected = _told(_read(name, made))
        assert _told(_read(name, made)) == expected


MORE_THAN_WORDS: dict[str, list[dict[str, Any]]] = {
    "claude": [
        {"files": [{"file_name": "a.png"}]},
        {"attachments": [{"file_name": "a.txt", "extracted_content": "words"}]},
        {"content": [{"type": "thinking", "thinking": "so"}, {"type": "text", "text": "Hi"}]},
        {"content": [], "text": ""},
        {"content": [{"type": "text", "text": " "}], "text": " "},
        {"sender": "tool"},
        {"created_at": "soon"},
        {"uuid": ""},
        {"parent_message_uuid": "m1"},
    ],
    "chatgpt": [
        {"weight": 0},
        {"metadata": {"is_visually_hidden_from_conversation": True}},
        {"metadata": {"attachments": [{"id": "file-a"}]}},
        {"recipient": "python"},
        {"create_time": None},
        {"author": {"role": "tool", "name": "python"}},
        {"content": {"content_type": "code", "language": "python", "text": "1"}},
        {"content": {"content_type": "text", "parts": []}},
        {"content": {"content_type": "text", "parts": ["one", "two"]}},
        {"content": {"content_type": "text", "parts": [" "]}},
        {"content": {"content_type": "text", "parts": ["\ue200cite\ue201"]}},
    ],
}
"""Fields of a message, each of which needs a closer look than at its words."""


@pytest.mark.parametrize("name", MAKERS)
def test_one_message_that_is_more_than_words_is_read_as_by_itself(name: str) -> None:
    """Whichever of its fields tells that."""
    plain = _all_read(name, {})
    assert plain[0] == plain[1]

    def check(more: dict[str, Any]) -> None:
        together, apart = _all_read(name, more)
        assert together == apart
        assert together != plain[0]

    check_all(MORE_THAN_WORDS[name], check)


def _all_read(name: str, more: dict[str, Any]) -> tuple[list[tuple[object, object]], list[tuple[object, object]]]:
    """A conversation with these fields in its second message, read together and one by one."""
    if name == "claude":
        messages = [claude.message(f"m{number}", "human", f"text {number}", number) for number in range(1, 4)]
        messages[1] |= more
        made = claude.conversation(*messages)
    else:
        nodes = [chatgpt.node(f"n{n}", f"n{n - 1}" if n > 1 else "root", "user", f"text {n}", n) for n in range(1, 4)]
        nodes[1]["message"] |= more
        made = chatgpt.conversation(nodes, "n3")
    together = _told(_read(name, [made]))
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731 - as a method
    with patch.object(READERS[name], "_all_words", nothing):
        return together, _told(_read(name, [made]))


@pytest.mark.parametrize("name", MAKERS)
def test_a_conversation_of_words_alone_is_read_together(name: str) -> None:
    """Also below the message without words that ChatGPT puts first."""
    made = {
        "claude": claude.conversation(*(claude.message(f"m{n}", "human", "Hi", n) for n in range(1, 13))),
        "chatgpt": chatgpt.conversation(
            [chatgpt.node("n0", "root", "system", "", None, weight=0.0)]
            + [chatgpt.node(f"n{n}", f"n{n - 1}", "user", "Hi", n) for n in range(1, 13)],
            "n12",
        ),
    }[name]
    with patch.object(READERS[name], "_each", side_effect=AssertionError):
        records = _read(name, [made])
    (document,) = claude.documents(records)
    assert len(document.messages) == 12
    assert not [each for each in records if isinstance(each, Rejected)]

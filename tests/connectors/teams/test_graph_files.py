"""How programs save what Graph answers: with replies inside, one message alone, one on each line, chats that only the
answer names.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from memd.connectors.formats.teams.graph_rows import capitalised
from memd.tests.connectors.teams.exports import (
    ANNA,
    BOB,
    CHANNEL,
    PAIR,
    TEAM,
    documents,
    graph,
    messages,
    read,
    rejected,
    written,
)

CONTEXT = "https://graph.microsoft.com/v1.0/$metadata#"


def small(value: object) -> Any:
    """In the spelling of Graph itself."""
    return json.loads(re.sub(r'"([A-Z])(?=\w*":)', lambda found: f'"{found[1].lower()}', json.dumps(value)))


def test_replies_inside_a_message_are_messages_of_its_thread() -> None:
    """Graph puts them there where it was asked for both; they say neither the channel nor, at times, what they answer."""
    place = {"ChatId": None, "ChannelIdentity": {"TeamId": TEAM, "ChannelId": CHANNEL}}
    reply = {key: value for key, value in graph(2, BOB, "<p>soon</p>").items() if key not in ("ChatId", "ReplyToId")}
    broken = {**reply, "CreatedDateTime": "?"}
    file = {"value": [small(graph(1, ANNA, "<p>when?</p>", **place, replies=[reply, broken]))]}
    records = read({"answer.json": file})
    first, second = messages(records)
    assert (first.content, second.content, second.speaker) == ("when?", "soon", "Bo Baker")
    assert second.thread == first.id
    assert [day.metadata["chat"] for day in documents(records)] == [CHANNEL]
    assert [place for place, _ in rejected(records)] == ["x!answer.json#/value/0/replies/1"]


@pytest.mark.parametrize("spelt", [small, capitalised], ids=["small", "capitals"])
def test_a_message_alone_is_a_file(spelt: Any) -> None:
    """The file was recognised, and its message was dropped without a word."""
    alone = {"@odata.context": f"{CONTEXT}chats('x')/messages/$entity", **spelt(graph(1, ANNA, "<p>hello</p>"))}
    records = read({"message.json": alone})
    assert [(m.speaker, m.content) for m in messages(records)] == [("Ann Archer", "hello")]
    assert [day.metadata["chat"] for day in documents(records)] == [PAIR]


def test_a_message_on_each_line_costs_itself() -> None:
    """A line that is broken is told with its number."""
    lines = [json.dumps(small(graph(number, ANNA, f"<p>{number}</p>"))) for number in (1, 2, 3)]
    lines[1] = lines[1][:-9]
    records = read({"chat.jsonl": "\n".join(lines).encode()})
    assert [m.content for m in messages(records)] == ["1", "3"]
    assert [place for place, _ in rejected(records)] == ["x!chat.jsonl:2"]


@pytest.mark.parametrize(
    ("given", "said", "chat"),
    [
        ({"@odata.context": f"{CONTEXT}chats('19%3Aabc%40thread.v2')/messages"}, {}, "19:abc@thread.v2"),
        ({}, {"webUrl": "https://teams.microsoft.com/l/message/19%3Ad%40thread.tacv2/17?a=b"}, "19:d@thread.tacv2"),
        ({}, {}, "saved/planning"),
    ],
    ids=["answer", "address", "file"],
)
def test_a_chat_is_named_by_what_is_there(given: dict[str, str], said: dict[str, str], chat: str) -> None:
    """Messages that programs shortened say no chat: the answer's context does, or an address, or the file's place."""
    message = {key: value for key, value in small(graph(1, ANNA, "<p>hello</p>")).items() if key != "chatId"} | said
    records = read({"saved/planning.json": written({**given, "value": [message]})})
    assert [(day.metadata["chat"], len(day.messages)) for day in documents(records)] == [(chat, 1)]
    assert rejected(records) == []


def test_files_of_one_name_in_several_folders_are_several_chats() -> None:
    """Where messages name no chat, a folder may stand for each: one message at the same moment in two of them was lost."""
    said = {key: value for key, value in small(graph(1, ANNA, "<p>hi</p>")).items() if key != "chatId"}
    records = read({"ann/messages.json": [said], "bo/messages.json": [said], "a.b.json": [said], "a.c.json": [said]})
    assert sorted(day.metadata["chat"] for day in documents(records)) == ["a.b", "a.c", "ann/messages", "bo/messages"]

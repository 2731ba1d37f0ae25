"""Conversation documents: the public examples, and every rule with its exact wording."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from memd.schemas import (
    ConversationDocument,
    ConversationMessage,
    Rejected,
    StructuredConversation,
    TextDocument,
    conversation_documents_to_documents,
    document_from_wire,
    text_documents_to_documents,
)
from memd.schemas.validation import messages_of
from memd.tests.cases import for_each

DATA = Path(__file__).parent / "data"
NOON = "2024-01-15T12:00:00Z"


def load(name: str) -> dict[str, Any]:
    """One of the public examples."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def valid() -> dict[str, Any]:
    """A document without a flaw, to be broken."""
    return {
        "id": "d",
        "conversation": {
            "source": "s",
            "people": ["Ann", "Bo"],
            "user": "Ann",
            "conversation": [
                {"speaker": "Ann", "content": "hi", "time": NOON},
                {"speaker": "Bo", "content": "ho", "time": NOON},
            ],
        },
    }


def problems_by_every_way(data: dict[str, Any]) -> list[str]:
    """What is wrong, by the reader of JSON, by ``model_validate`` and by the constructor, which must agree."""
    (rejected,) = document_from_wire(copy.deepcopy(data), "here")
    assert isinstance(rejected, Rejected)
    found: list[list[str]] = []
    with pytest.raises(ValidationError) as validated:
        ConversationDocument.model_validate(copy.deepcopy(data))
    found.append(messages_of(validated.value))
    with pytest.raises(ValidationError) as constructed:
        ConversationDocument(**copy.deepcopy(data))
    found.append(messages_of(constructed.value))
    assert found[0] == found[1]
    assert rejected.reason == "; ".join(found[0])
    return found[0]


@pytest.mark.parametrize("name", ["two_people", "group"])
def test_the_detailed_examples_round_trip_key_for_key(name: str) -> None:
    """What comes in goes out: no key more, none less, none changed."""
    data = load(name)
    (document,) = document_from_wire(copy.deepcopy(data), name)
    assert isinstance(document, ConversationDocument)
    assert document.to_wire() == data
    assert json.loads(document.to_json()) == data
    assert list(document.to_wire()) == list(data)
    assert ConversationDocument.from_json(document.to_json()) == document


def test_the_template_breaks_exactly_two_rules() -> None:
    """Its placeholders name a user and a speaker who are not among its people."""
    assert problems_by_every_way(load("core_structure")) == [
        "user 'primary_user_name' must be included in the people list",
        "message 0: speaker 'speaker_name' must be included in the people list",
    ]


def test_a_document_answers_as_one_type() -> None:
    """A conversation is no text; its content is for display, its time that of the first message."""
    document = ConversationDocument.model_validate(load("two_people"))
    assert document.is_conversation()
    assert document.as_conversation() is document
    assert document.as_text() is None
    assert document.source == "messaging_app"
    assert document.content.splitlines()[0] == "Alice: Hey, want to grab lunch?"
    assert document.timestamp == datetime(2024, 1, 15, 12, tzinfo=UTC)


def test_the_converters_take_their_own_type_only() -> None:
    """Anything else is an unknown document type."""
    text = TextDocument(id="t", content="c")
    chat = ConversationDocument.model_validate(valid())
    assert text_documents_to_documents([text]) == [text]
    assert conversation_documents_to_documents([chat]) == [chat]
    for convert, wrong in ((text_documents_to_documents, chat), (conversation_documents_to_documents, text)):
        with pytest.raises(TypeError, match=r"^unknown document type$"):
            convert(cast("Any", [wrong]))


BREAKS: list[tuple[list[str | int], Any, list[str]]] = [
    (["id"], "", ["document ID is required"]),
    (["id"], " \t", ["document ID is required"]),
    (["id"], None, ["document ID is required"]),
    (["conversation", "source"], "", ["conversation source is required"]),
    (["conversation", "source"], ..., ["conversation source is required"]),
    (
        ["conversation", "people"],
        [],
        [
            "at least one person must be specified in the conversation",
            "user 'Ann' must be included in the people list",
            "message 0: speaker 'Ann' must be included in the people list",
            "message 1: speaker 'Bo' must be included in the people list",
        ],
    ),
    (["conversation", "user"], "", ["user field is required to identify the primary user"]),
    (["conversation", "user"], ..., ["user field is required to identify the primary user"]),
    (["conversation", "user"], "Cy", ["user 'Cy' must be included in the people list"]),
    (["conversation", "user"], "ann", ["user 'ann' must be included in the people list"]),
    (["conversation", "conversation"], [], ["conversation must contain at least one message"]),
    (["conversation", "conversation"], ..., ["conversation must contain at least one message"]),
    (["conversation", "conversation", 1, "speaker"], "", ["message 1: speaker is required"]),
    (["conversation", "conversation", 1, "speaker"], ..., ["message 1: speaker is required"]),
    (
        ["conversation", "conversation", 1, "speaker"],
        "Cy",
        ["message 1: speaker 'Cy' must be included in the people list"],
    ),
    (["conversation", "conversation", 0, "content"], "", ["message 0: content is required"]),
    (["conversation", "conversation", 0, "content"], " \n ", ["message 0: content is required"]),
    (["conversation", "conversation", 0, "content"], None, ["message 0: content is required"]),
    (["conversation", "conversation", 1, "time"], ..., ["message 1: time is required"]),
    (["conversation", "conversation", 1, "time"], None, ["message 1: time is required"]),
    (["conversation", "conversation", 1, "time"], "", ["message 1: time is required"]),
    (["conversation", "conversation", 1, "time"], "0001-01-01T00:00:00Z", ["message 1: time is required"]),
    (["conversation", "conversation", 1, "time"], "0001-01-01T00:00:00+00:00", ["message 1: time is required"]),
    (["conversation", "conversation", 1, "time"], "0001-01-01T00:00:00.000Z", ["message 1: time is required"]),
    (["conversation", "conversation", 1, "time"], datetime(1, 1, 1, tzinfo=UTC), ["message 1: time is required"]),
]


@for_each(BREAKS)
def test_each_rule_has_its_wording(path: list[str | int], value: object, expected: list[str]) -> None:
    """One broken rule gives its own sentence, and an empty name no second one."""
    data = valid()
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    assert problems_by_every_way(data) == expected


def test_all_broken_rules_are_told_at_once() -> None:
    """In the order of the document, not only the first."""
    data: dict[str, Any] = {
        "id": "",
        "conversation": {
            "source": " ",
            "people": ["Ann"],
            "user": "Bo",
            "conversation": [
                {"speaker": "", "content": "", "time": ""},
                {"speaker": "Cy", "content": "x", "time": NOON},
            ],
        },
    }
    assert problems_by_every_way(data) == [
        "document ID is required",
        "conversation source is required",
        "user 'Bo' must be included in the people list",
        "message 0: speaker is required",
        "message 0: content is required",
        "message 0: time is required",
        "message 1: speaker 'Cy' must be included in the people list",
    ]


def test_rules_hold_for_models_as_well_as_for_dicts() -> None:
    """A document built from nouns is checked like one built from JSON."""
    message = ConversationMessage(speaker="Cy", content="x", time=datetime(2024, 1, 1, tzinfo=UTC))
    body = StructuredConversation(source="s", people=("Ann",), user="Ann", conversation=(message,))
    with pytest.raises(ValidationError) as error:
        ConversationDocument(id="", conversation=body)
    assert messages_of(error.value) == [
        "document ID is required",
        "message 0: speaker 'Cy' must be included in the people list",
    ]


@for_each(["2024-01-15T12:00:00", "2024-01-15", "yesterday", 1705320000, "1705320000", True, ["2024"]])
def test_a_time_without_a_zone_is_an_error(time: object) -> None:
    """So is anything that is no time in words, or no time at all."""
    data = valid()
    data["conversation"]["conversation"][1]["time"] = time
    (problem,) = problems_by_every_way(data)
    assert problem.startswith("conversation.conversation.1.time: ")


def test_a_naive_time_is_an_error_for_models_too() -> None:
    """A datetime without a zone cannot become a message."""
    with pytest.raises(ValidationError, match="timezone"):
        ConversationMessage(speaker="A", content="x", time=datetime(2024, 1, 1))  # noqa: DTZ001 - the point of the test


@for_each(
    [
        (timedelta(0), timedelta(0)),
        (timedelta(hours=5, minutes=45), timedelta(hours=5, minutes=45)),
        (timedelta(hours=-23, minutes=-59), timedelta(hours=-23, minutes=-59)),
        (timedelta(minutes=34, seconds=8), timedelta(minutes=34)),
        (-timedelta(minutes=34, seconds=8), -timedelta(minutes=35)),
    ]
)
def test_offsets_are_whole_minutes(offset: timedelta, kept: timedelta) -> None:
    """A local mean time keeps its instant, with an offset that RFC 3339 can write."""
    time = datetime(1890, 5, 1, 10, tzinfo=timezone(offset))
    message = ConversationMessage(speaker="A", content="x", time=time)
    assert message.time == time
    assert message.time.utcoffset() == kept
    assert ConversationMessage.from_json(message.to_json()) == message


def test_documents_are_frozen_and_closed() -> None:
    """Nothing is set afterwards, and the models themselves know no further keys."""
    document = ConversationDocument.model_validate(valid())
    with pytest.raises(ValidationError):
        document.id = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="mood"):
        ConversationDocument.model_validate({**valid(), "mood": "good"})

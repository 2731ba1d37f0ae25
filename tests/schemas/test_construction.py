"""The compiled way to messages gives what the models that explain errors give, or their errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from pydantic import ValidationError

from memd.schemas import ConversationDocument, ConversationMessage, conversation
from memd.schemas.validation import messages_of
from memd.tests.effort import examples

ODD: st.SearchStrategy[object] = st.sampled_from(
    [None, True, False, 0, 1, -1, 2**63, 1.5, "", " ", "x", "\ud800", "ü\udc00", "2024-01-15T12:00:00Z", b"x", [], {}, (),
     ["x"], {"x": "y"}, {"x": 1}, [{"name": "a.jpg", "size": -1}], [{"emoji": "x", "people": "Ann"}],
     datetime(1, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=timezone(timedelta(seconds=30)))]
)  # fmt: skip
TEXT = st.text(max_size=5)
TIMES = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=2)), timezone(timedelta(minutes=-90))]))
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "id": TEXT,
    "reply_to": TEXT | st.none(),
    "thread": TEXT | st.none(),
    "kind": st.sampled_from(["text", "media", "system"]),
    "role": st.sampled_from(["user", "tool", None]),
    "edited": st.booleans(),
    "edited_at": TIMES | st.none(),
    "edits": st.lists(st.fixed_dictionaries({"content": TEXT}, optional={"time": TIMES | st.none()}), max_size=2),
    "deleted": st.booleans(),
    "forwarded_from": TEXT | st.none(),
    "attachments": st.lists(
        st.fixed_dictionaries(
            {"name": TEXT}, optional={"mime": TEXT | st.none(), "size": st.integers(0, 9), "missing": st.booleans()}
        ),
        max_size=2,
    ),
    "reactions": st.lists(st.fixed_dictionaries({"emoji": TEXT, "people": st.lists(TEXT, max_size=2)}), max_size=2),
    "read_by": st.lists(TEXT, max_size=2),
    "status": st.sampled_from(["sent", "read", None]),
    "priority": TEXT | st.none(),
    "segments": st.lists(
        st.fixed_dictionaries(
            {"kind": st.sampled_from(["quote", "code"]), "start": st.integers(0, 3), "end": st.integers(0, 9)},
            optional={"depth": st.integers(0, 2)},
        ),
        max_size=2,
    ),
    "time_precision": st.sampled_from(["minute", "second", None]),
    "zone_origin": st.sampled_from(["explicit", "assumed", None]),
    "metadata": st.dictionaries(TEXT, TEXT, max_size=2),
}
GOOD: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"speaker": st.sampled_from(["Ann", "Bob"]), "content": st.sampled_from(["hi", "ü"]), "time": TIMES},
    optional=FIELDS,
)


def _spoilt(good: dict[str, Any], key: str, value: object) -> dict[str, Any]:
    return {**good, key: value}


def _without(good: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in good.items() if name != key}


REQUIRED = ["speaker", "content", "time"]
SPOILT = st.builds(_spoilt, GOOD, st.sampled_from([*REQUIRED, "x", *FIELDS]), ODD)
MISSING = st.builds(_without, GOOD, st.sampled_from(REQUIRED))
MESSAGES: st.SearchStrategy[list[dict[str, Any]]] = st.lists(st.one_of(GOOD, SPOILT, MISSING), min_size=1, max_size=3)


def _document(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    conversation = {"source": "test", "people": ["Ann", "Bob"], "user": "Ann", "conversation": [*messages]}
    return {"id": "test:1", "conversation": conversation, "metadata": {"chat": "c"}}


def _tried(plain: dict[str, Any]) -> tuple[ConversationDocument | None, list[str]]:
    try:
        return ConversationDocument.model_validate(plain), []
    except ValidationError as error:
        return None, messages_of(error)


@pytest.mark.slow
@given(MESSAGES)
@settings(max_examples=examples(250))
def test_a_document_is_what_the_explaining_models_make_of_it(messages: list[dict[str, Any]]) -> None:
    """Equal in every field and on the wire, with values of the same types; refused where they refuse, in their words."""
    plain = _document(messages)
    with patch.object(conversation, "structs_of", return_value=None):
        expected, refused = _tried(plain)
    found, again = _tried(plain)
    assert again == refused
    assert found == expected
    if expected is None or found is None:
        return
    assert found.to_json() == expected.to_json()
    for one, other in zip(found.messages, expected.messages, strict=True):
        assert [*map(type, structs.astuple(one))] == [*map(type, structs.astuple(other))]
        assert repr(one) == repr(other)
        assert hash(one.time) == hash(other.time)


@given(MESSAGES)
@settings(max_examples=examples(100))
def test_a_message_is_valid_alone_as_in_a_document(messages: list[dict[str, Any]]) -> None:
    """The constructor takes and mends what a document does, and refuses the rest."""
    plain = {name: value for name, value in messages[0].items() if name != "x"}
    try:
        message = ConversationMessage(**plain)
    except ValidationError:
        assert _tried(_document([plain]))[0] is None
        return
    document, problems = _tried(_document([plain]))
    assert document.messages == (message,) if document else all(each.startswith("message 0: ") for each in problems)
    assert ConversationMessage.from_json(message.to_json()) == message


def test_a_message_is_no_part_of_what_it_was_made_of() -> None:
    """Changing the plain data afterwards changes no document; two messages share nothing."""
    metadata = {"a": "b"}
    time = datetime(2024, 1, 15, tzinfo=UTC)
    messages: list[dict[str, Any]] = [
        {"speaker": "Ann", "content": "hi", "time": time, "metadata": metadata},
        {"speaker": "Bob", "content": "ho", "time": time},
        {"speaker": "Bob", "content": "hu", "time": time},
    ]
    found = ConversationDocument.model_validate(_document(messages))
    metadata["a"] = "c"
    assert found.messages[0].metadata == {"a": "b"}
    assert found.messages[1].metadata is not found.messages[2].metadata


def test_messages_are_frozen() -> None:
    """Nothing is set afterwards."""
    message = ConversationMessage(speaker="Ann", content="hi", time=datetime(2024, 1, 15, tzinfo=UTC))
    with pytest.raises(AttributeError):
        message.content = "ho"  # type: ignore[misc]

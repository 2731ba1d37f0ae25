"""The quick way to a document gives what validation gives, or its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from memd.schemas import ConversationDocument, EmailThreadDocument, VideoCallDocument
from memd.schemas.construction import conversation_document, email_thread, video_call
from memd.schemas.message_columns import MessageColumns
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


def _document(messages: Sequence[dict[str, Any] | MessageColumns]) -> dict[str, Any]:
    conversation = {"source": "test", "people": ["Ann", "Bob"], "user": "Ann", "conversation": [*messages]}
    return {"id": "test:1", "conversation": conversation, "metadata": {"chat": "c"}}


def _tried(
    make: Callable[[dict[str, Any]], ConversationDocument], plain: dict[str, Any]
) -> tuple[ConversationDocument | None, list[str]]:
    try:
        return make(plain), []
    except ValidationError as error:
        return None, messages_of(error)


@pytest.mark.slow
@given(MESSAGES)
@settings(max_examples=examples(250))
def test_a_document_is_what_validation_makes_of_it(messages: list[dict[str, Any]]) -> None:
    """Equal in every field, in what was set, and on the wire; refused where it is refused, in the same words."""
    plain = _document(messages)
    expected, refused = _tried(ConversationDocument.model_validate, plain)
    found, again = _tried(conversation_document, plain)
    assert again == refused
    if expected is None or found is None:
        return
    assert found == expected
    assert found.to_json() == expected.to_json()
    for one, other in zip(found.messages, expected.messages, strict=True):
        assert (one.__dict__, one.model_fields_set) == (other.__dict__, other.model_fields_set)
        assert [*map(type, one.__dict__.values())] == [*map(type, other.__dict__.values())]
        assert repr(one) == repr(other)
        assert hash(one.time) == hash(other.time)


def _with_field(
    key: str | None, pairs: Sequence[tuple[dict[str, Any], object]], spoilt: str | None
) -> list[dict[str, Any]]:
    """Messages that have a further field alike, whatever is in it; or something odd in a field that all have."""
    plain = [{**message, **({key: value} if key else {}), "kind": "text"} for message, value in pairs]
    return plain if spoilt is None else [*plain[:-1], {**plain[-1], spoilt: pairs[-1][1]}]


SIMPLE: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "speaker": st.sampled_from(["Ann", "Bob"]),
        "content": st.sampled_from(["hi", "ü"]),
        "time": st.datetimes(timezones=st.just(UTC)),
    }
)
RUNS = st.builds(
    _with_field,
    st.sampled_from([None, "id", "reply_to", "edited", "metadata", "read_by", "x"]),
    st.lists(st.tuples(SIMPLE, ODD | TEXT), min_size=1, max_size=3),
    st.sampled_from([None, None, *REQUIRED]),
)


@pytest.mark.slow
@given(st.lists(st.tuples(st.booleans(), RUNS) | st.tuples(st.just(value=False), MESSAGES), min_size=1, max_size=4))
@settings(max_examples=examples(250))
def test_columns_stand_for_their_messages(parts: list[tuple[bool, list[dict[str, Any]]]]) -> None:
    """The document is that of the same messages given one by one, wherever columns stand among them."""
    items: list[dict[str, Any] | MessageColumns] = []
    for in_columns, part in parts:
        names = part[0].keys() - {"kind"}
        columns = {name: [message[name] for message in part] for name in names} if in_columns else {}
        items += [MessageColumns(columns, {"kind": "text"})] if columns else part
    expected, refused = _tried(
        ConversationDocument.model_validate, _document([message for _, part in parts for message in part])
    )
    found, again = _tried(conversation_document, _document(items))
    assert again == refused
    assert found == expected
    for one, other in zip(found.messages if found else (), expected.messages if expected else (), strict=True):
        assert (one.__dict__, one.model_fields_set) == (other.__dict__, other.model_fields_set)
        assert [*map(type, one.__dict__.values())] == [*map(type, other.__dict__.values())]


def test_messages_of_columns_share_no_metadata() -> None:
    """Nor does one have more fields than the others."""
    times = [datetime(2024, 1, 15, 12, minute, tzinfo=UTC) for minute in range(2)]
    run = MessageColumns({"speaker": ["Ann", "Bob"], "content": ["hi", "ho"], "time": times}, {"kind": "text"})
    one, other = conversation_document(_document([run])).messages
    assert one.metadata == {}
    assert one.metadata is not other.metadata
    assert one.model_fields_set == {"speaker", "content", "time", "kind"}


def test_a_message_is_no_part_of_what_it_was_made_of() -> None:
    """Changing the plain data afterwards changes no document; two messages share nothing."""
    metadata = {"a": "b"}
    time = datetime(2024, 1, 15, tzinfo=UTC)
    messages: list[dict[str, Any]] = [
        {"speaker": "Ann", "content": "hi", "time": time, "metadata": metadata},
        {"speaker": "Bob", "content": "ho", "time": time},
        {"speaker": "Bob", "content": "hu", "time": time},
    ]
    found = conversation_document(_document(messages))
    metadata["a"] = "c"
    assert found.messages[0].metadata == {"a": "b"}
    assert found.messages[1].metadata is not found.messages[2].metadata
    changed = found.messages[1].model_copy(update={"kind": "system"})
    assert "kind" in changed.model_fields_set
    assert "kind" not in found.messages[1].model_fields_set | found.messages[2].model_fields_set


def test_a_thread_of_mail_is_one() -> None:
    """With its subject."""
    plain = {
        **_document([{"speaker": "Ann", "content": "hi", "time": datetime(2024, 1, 15, tzinfo=UTC)}]),
        "subject": "s",
    }
    assert email_thread(plain) == EmailThreadDocument.model_validate(plain)


def test_a_call_is_one() -> None:
    """With its start, end and platform."""
    time = datetime(2024, 1, 15, tzinfo=UTC)
    plain = {
        **_document([{"speaker": "Ann", "content": "hi", "time": time}]),
        "start": time,
        "end": time + timedelta(hours=1),
        "platform": "zoom",
    }
    assert video_call(plain) == VideoCallDocument.model_validate(plain)

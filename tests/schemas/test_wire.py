"""The wire: unknown keys, damaged text, kinds, and every document there and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.schemas import (
    Attachment,
    ConversationDocument,
    ConversationMessage,
    Document,
    Edit,
    MessageKind,
    Notice,
    Reaction,
    Rejected,
    Segment,
    StructuredConversation,
    TextDocument,
    document_from_wire,
    document_schemas,
    document_to_line,
)
from memd.schemas.times import in_utc, utc_microseconds
from memd.schemas.wire import REPLACED_TEXT, UNKNOWN_KEY
from memd.tests.effort import examples

CHAT: dict[str, Any] = {
    "id": "d",
    "conversation": {
        "source": "s",
        "people": ["Ann"],
        "user": "Ann",
        "conversation": [{"speaker": "Ann", "content": "hi", "time": "2024-01-15T12:00:00Z"}],
    },
}


def one(data: object) -> tuple[list[str], Document]:
    """The notices' codes and the document."""
    *notices, document = document_from_wire(data, "here")
    assert not isinstance(document, Notice | Rejected)
    return [notice.code for notice in notices if isinstance(notice, Notice)], document


def why(data: object) -> str:
    """Why there is no document."""
    (rejected,) = document_from_wire(data, "here")
    assert isinstance(rejected, Rejected)
    assert rejected.locator == "here"
    return rejected.reason


def test_the_type_is_told_by_kind_or_by_keys() -> None:
    """Anything else is an unknown document type."""
    assert isinstance(one({**CHAT, "kind": "conversation"})[1], ConversationDocument)
    assert isinstance(one({"kind": "text", "id": "t", "content": "c"})[1], TextDocument)
    assert isinstance(one({"id": "t", "content": "c"})[1], TextDocument)
    for unknown in ({"id": "x"}, {"id": "x", "kind": "email_thread", "content": "c"}, {"kind": 5, "content": "c"}, {}):
        assert why(unknown) == "unknown document type"
    no_objects: list[object] = [[], "text", 5, None]
    for no_object in no_objects:
        assert why(no_object) == "a document must be a JSON object"


def test_a_text_needs_an_id_and_a_content() -> None:
    """Both are told at once."""
    assert why({"kind": "text"}) == "document ID is required; document content is required"
    assert why({"id": " ", "content": "\n"}) == "document ID is required; document content is required"
    assert why({"id": "t", "content": "c", "timestamp": "2024-01-01T10:00:00"}).startswith("timestamp: ")


def test_unknown_keys_move_into_metadata_with_a_notice() -> None:
    """On every level, as JSON text, without overwriting anything."""
    data: dict[str, Any] = orjson.loads(orjson.dumps(CHAT))
    data["mood"] = {"good": [1, None]}
    data["metadata"] = {"x-mood": "kept"}
    data["conversation"]["topic"] = "été"
    message = data["conversation"]["conversation"][0]
    message["score"] = 1.5
    message["attachments"] = [{"name": "a.jpg", "width": 10}]
    codes, document = one(data)
    assert codes == [UNKNOWN_KEY]
    chat = document.as_conversation()
    assert chat
    assert chat.metadata == {"x-mood": "kept", "x-mood'": '{"good":[1,null]}', "x-conversation.topic": '"été"'}
    assert chat.messages[0].metadata == {"x-score": "1.5", "x-attachments.0.width": "10"}
    assert one(document.to_wire()) == ([], document)


def test_null_is_the_same_as_absent() -> None:
    """On the way in; on the way out there is no null."""
    data = orjson.loads(orjson.dumps(CHAT)) | {"tags": None, "metadata": None}
    data["conversation"]["conversation"][0] |= {"id": None, "edits": None, "reply_to": None}
    codes, document = one(data)
    assert codes == []
    assert document.to_wire() == CHAT
    assert b"null" not in document.to_json()


def test_lone_surrogates_are_replaced_with_a_notice() -> None:
    """In values and in keys, of conversations and of texts."""
    codes, document = one({"id": "t", "content": "a\ud83d", "odd\udc00": "\udfff"})
    assert codes == [REPLACED_TEXT, UNKNOWN_KEY]
    assert document.content == "a\N{REPLACEMENT CHARACTER}"
    assert document.metadata == {"x-odd\N{REPLACEMENT CHARACTER}": '"\N{REPLACEMENT CHARACTER}"'}
    data = orjson.loads(orjson.dumps(CHAT))
    data["conversation"]["conversation"][0]["content"] = "\ud83d\ude00 \ude00"
    codes, document = one(data)
    assert codes == [REPLACED_TEXT]
    assert document.to_json()


def test_models_replace_lone_surrogates_too() -> None:
    """Whoever builds a noun gets text that can be written."""
    message = ConversationMessage(speaker="\ud800", content="x\udfff", time=datetime(2024, 1, 1, tzinfo=UTC))
    assert message.speaker == "\N{REPLACEMENT CHARACTER}"
    assert ConversationMessage.from_json(message.to_json()) == message


def test_endless_nesting_and_what_is_no_json_is_rejected() -> None:
    """Neither is an exception."""
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert why({"id": "t", "content": "c", "deep": deep}) == "nested more than 200 levels deep"
    assert why({"id": "t", "content": "c", "set": {1}}) == "holds something that is no JSON"


def test_json_schema_is_drawn_from_the_models() -> None:
    """All documents, with their required keys, closed."""
    schemas = document_schemas()
    kinds = {"EmailThreadDocument", "VideoCallDocument", "TimelineDocument", "DocumentCollectionDocument"}
    assert set(schemas) == {"ConversationDocument", "TextDocument", *kinds}
    assert schemas["ConversationDocument"]["required"] == ["id", "conversation"]
    assert schemas["TextDocument"]["additionalProperties"] is False
    assert json.dumps(schemas)


# Categories without Cs: surrogates become U+FFFD, which the tests above show.
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
FILLED = TEXT.filter(lambda text: bool(text.strip()))
ZONES = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 30), timezones=ZONES)  # noqa: DTZ001 - hypothesis adds zones
METADATA = st.dictionaries(TEXT, TEXT, max_size=2)


@st.composite
def messages(draw: st.DrawFn, people: list[str]) -> ConversationMessage:
    """A message that uses any of the optional fields."""
    return ConversationMessage(
        speaker=draw(st.sampled_from(people)),
        content=draw(FILLED),
        time=draw(TIMES),
        id=draw(st.none() | TEXT),
        reply_to=draw(st.none() | TEXT),
        kind=draw(st.sampled_from(get_args(MessageKind))),
        role=draw(st.sampled_from([None, "user", "assistant", "system", "tool"])),
        edited=draw(st.booleans()),
        edits=draw(st.lists(st.builds(Edit, content=TEXT, time=st.none() | TIMES), max_size=1).map(tuple)),
        deleted=draw(st.booleans()),
        attachments=draw(
            st.lists(st.builds(Attachment, name=TEXT, size=st.none() | st.integers(0, 2**40)), max_size=1).map(tuple)
        ),
        reactions=draw(st.lists(st.builds(Reaction, emoji=TEXT, people=st.tuples(TEXT)), max_size=1).map(tuple)),
        segments=draw(
            st.lists(st.builds(Segment, kind=st.just("quote"), start=st.just(0), end=st.just(1)), max_size=1).map(tuple)
        ),
        zone_origin=draw(st.sampled_from([None, "explicit", "option", "configuration", "assumed"])),
        metadata=draw(METADATA),
    )


@st.composite
def conversations(draw: st.DrawFn) -> ConversationDocument:
    """Any valid conversation."""
    people = draw(st.lists(FILLED, min_size=1, max_size=3))
    body = StructuredConversation(
        source=draw(FILLED),
        people=tuple(people),
        user=draw(st.sampled_from(people)),
        conversation=tuple(draw(st.lists(messages(people), min_size=1, max_size=3))),
    )
    tags = tuple(draw(st.lists(TEXT, max_size=2)))
    return ConversationDocument(id=draw(FILLED), conversation=body, tags=tags, metadata=draw(METADATA))


TEXTS = st.builds(
    TextDocument,
    id=FILLED,
    content=FILLED,
    timestamp=st.none() | TIMES,
    tags=st.lists(TEXT, max_size=2).map(tuple),
    metadata=METADATA,
)


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(document=conversations() | TEXTS)
def test_any_document_survives_its_line(document: ConversationDocument | TextDocument) -> None:
    """Any Unicode and any zone, through orjson and back: equal, with no notice, and equal bytes again."""
    line = document_to_line(document)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    codes, again = one(orjson.loads(line))
    assert codes == []
    assert again == document
    assert document_to_line(again) == line
    assert type(document).from_json(line) == document


@settings(max_examples=examples(150), deadline=None)
@given(
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("2024-01-15T12:00:00Z"),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "id",
                        "kind",
                        "conversation",
                        "content",
                        "source",
                        "people",
                        "user",
                        "speaker",
                        "time",
                        "metadata",
                        "tags",
                        "edits",
                        "size",
                        "x",
                    ]
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=25,
    )
)
def test_any_json_is_a_document_or_rejected(data: object) -> None:
    """No shape of JSON is an exception."""
    records = list(document_from_wire(data, "here"))
    assert sum(not isinstance(record, Notice) for record in records) == 1


@pytest.mark.parametrize(
    "written", ["2024-01-15T12:00:00Z", "2024-01-15T12:00:00.5+05:45", "1999-12-31T23:59:59-11:00"]
)
def test_times_are_written_as_rfc_3339(written: str) -> None:
    """UTC as Z, fractions only where there are some, the offset as it was."""
    time = ConversationMessage(speaker="A", content="x", time=datetime.fromisoformat(written)).to_wire()["time"]
    assert datetime.fromisoformat(time) == datetime.fromisoformat(written)
    assert time[-6:] == written[-6:]


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00", "2024-02-29T12:00:00", "9999-12-31T23:59:00"])
def test_every_time_with_an_offset_can_be_shown_in_utc(text: str) -> None:
    """Where UTC has no name for it, as the nearest time that has one."""
    for offset in ("-14:00", "+00:00", "+14:00"):
        micros = utc_microseconds(datetime.fromisoformat(text + offset))
        shown = in_utc(micros)
        beyond = shown in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
        assert beyond or utc_microseconds(shown) == micros


def test_kinds_of_documents_there_and_back() -> None:
    """Each answers as a text or as a conversation, and its JSON reads as what it was."""
    call = {**CHAT, "kind": "video_call", "start": "2024-01-15T12:00:00Z", "end": None, "platform": "zoom"}
    event = {
        "start": "2024-01-15T10:00:00Z",
        "end": "2024-01-15T11:00:00Z",
        "title": "Dentist",
        "place": "Bonn",
        "who": 1,
    }
    days = {"start": "2024-01-16T00:00:00Z", "end": "2024-01-18T00:00:00Z", "title": "Trip", "all_day": True}
    timeline = {
        "kind": "timeline",
        "id": "t",
        "events": [event, days, {**days, "start": "2024-01-20T00:00:00Z", "end": None}],
    }
    book = {"kind": "collection", "id": "b", "title": "Sea", "members": ["c1"], "summary": "By Ann"}
    documents = [one(data)[1] for data in (call, timeline, book)]
    for document in documents:
        assert (document.as_conversation() is None) != (document.as_text() is None)
        again = one(document.to_wire())[1]
        assert again == document
        assert type(again) is type(document)
    kept = documents[1].as_text()
    assert kept is not None
    assert (
        kept.content == "2024-01-15 10:00 to 11:00: Dentist\n@ Bonn\n\n2024-01-16 to 2024-01-17: Trip\nalso 2024-01-20"
    )
    assert documents[1].to_wire()["events"][0]["metadata"] == {"x-who": "1"}
    members = documents[2].as_text()
    assert members is not None
    assert (members.content, members.metadata["members"]) == ("Sea\n\nBy Ann", '["c1"]')


def test_what_timelines_and_collections_need() -> None:
    """All of it is told at once."""
    blank: dict[str, Any] = {}
    assert why({"kind": "timeline", "events": [blank]}) == (
        "document ID is required; event 0: title is required; event 0: start is required"
    )
    assert why({"kind": "timeline", "id": "t", "events": []}) == "timeline must contain at least one event"
    assert why({"kind": "collection", "members": []}) == (
        "document ID is required; collection title is required; collection must contain at least one member"
    )
    assert why({"kind": "timeline", "id": "t"}) == "unknown document type"


def test_the_time_of_programs_without_a_clock_is_none() -> None:
    """The first instant of the year 1, in any zone."""
    for time in ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"):
        assert TextDocument.model_validate({"id": "a", "content": "x", "timestamp": time}).timestamp is None

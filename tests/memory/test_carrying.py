"""An export carries what makes the same memory of it elsewhere: every message under its old key, whatever became of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.memory.export import rebuilt
from memd.memory.merge.export_metadata import RENAMED, taken_out, with_carried
from memd.memory.merge.message_keys import KEY, KeyOrigin, claim_of
from memd.memory.merge.plan import MergePlan, Stored, chat_key, plan_conversation
from memd.memory.records import Rename, StoredMessage
from memd.schemas import ConversationDocument, ConversationMessage, Edit, Notice, Rejected, document_from_wire

DAY = datetime(2024, 1, 15, 12, tzinfo=UTC)


def said(speaker: str, content: str, minute: int = 0, **more: object) -> ConversationMessage:
    """A message of a source without ids and zones."""
    time = {"time": DAY + timedelta(minutes=minute), "time_precision": "minute", "zone_origin": "assumed"}
    return ConversationMessage.model_validate({"speaker": speaker, "content": content, **time, **more})


def day(messages: Sequence[ConversationMessage]) -> ConversationDocument:
    """A day of the chat."""
    people = tuple(dict.fromkeys([*(message.speaker for message in messages), "Ann"]))
    conversation = {"source": "whatsapp", "people": people, "user": "Ann", "conversation": tuple(messages)}
    return ConversationDocument.model_validate(
        {"id": "whatsapp:Chat:2024-01-15", "conversation": conversation, "metadata": {"chat": "Chat"}}
    )


def applied(stored: Stored | None, document: ConversationDocument) -> tuple[Stored, MergePlan]:
    """What a store holds after a plan."""
    plan = plan_conversation(stored, document, b"")
    assert plan is not None
    rows = {} if stored is None else {row.key: row for row in stored.messages}
    for key, position in plan.moved.items():
        rows[key] = StoredMessage(key, rows[key].document, position, rows[key].message)
    rows |= {row.key: row for row in (*plan.added, *plan.updated)}
    return Stored(plan.document, sorted(rows.values(), key=lambda row: row.position)), plan


def after(*documents: ConversationDocument) -> Stored:
    """What is stored after these."""
    stored: Stored | None = None
    for document in documents:
        stored, _ = applied(stored, document)
    assert stored is not None
    return stored


def exported(stored: Stored, renames: Sequence[Rename] = ()) -> ConversationDocument:
    """Over the wire."""
    document = rebuilt(stored.document, stored.messages)
    assert isinstance(document, ConversationDocument)
    line = with_carried(document, stored.messages, renames).to_json()
    (read,) = document_from_wire(orjson.loads(line), "line 1")
    assert not isinstance(read, Notice | Rejected)
    found = read.as_conversation()
    assert found is not None
    return found


def by_key(stored: Stored) -> list[tuple[UUID, ConversationMessage]]:
    """Keys and messages in their order."""
    return [(row.key, row.message) for row in stored.messages]


_MESSAGES = st.builds(
    said,
    st.sampled_from(["Ann", "Bob", "(system)"]),
    st.sampled_from(["ok", "yes", "<Media omitted>", "ok!"]),
    st.integers(0, 1),
    kind=st.sampled_from(["text", "text", "text", "media", "contact", "system"]),
    edited=st.booleans(),
    zone_origin=st.sampled_from(["assumed", "option", "explicit"]),
    edits=st.sampled_from([(), (), (Edit(content="yess"),), (Edit(content="ok"), Edit(content="okay"))]),
    id=st.sampled_from([None, None, None, "7"]),
)
_GONE = st.builds(
    said,
    st.sampled_from(["Ann", "Bob"]),
    st.sampled_from(["This message was deleted", "You deleted this message"]),
    st.integers(0, 1),
    kind=st.just("deleted"),
    deleted=st.just(True),
)
_DAYS = st.lists(_MESSAGES | _GONE, min_size=1, max_size=6).map(
    lambda messages: day(sorted(messages, key=lambda message: message.time))
)


@pytest.mark.slow
@given(st.lists(_DAYS, min_size=1, max_size=4))
@example([day([said("Bob", "new", edited=True)]), day([said("Bob", "old")])])
def test_an_import_of_an_export_has_equal_keys(days: list[ConversationDocument]) -> None:
    """Whatever was edited, deleted, cut off or imported in the wrong order; and equal messages, in equal order."""
    stored = after(*days)
    document = exported(stored)
    imported = after(document)
    assert by_key(imported) == by_key(stored)
    assert imported.document.people == stored.document.people
    assert imported.document.metadata == stored.document.metadata


@pytest.mark.slow
@given(st.lists(_DAYS, min_size=1, max_size=3))
def test_an_export_brings_nothing_new_to_its_own_store(days: list[ConversationDocument]) -> None:
    """No message comes twice."""
    stored = after(*days)
    _, plan = applied(stored, exported(stored))
    assert not plan.added


def test_the_first_wording_names_an_edited_message() -> None:
    """So that its export needs nothing beside it."""
    stored = after(day([said("Bob", "helo")]), day([said("Bob", "hello", edited=True)]))
    assert [edit.content for edit in stored.messages[0].message.edits] == ["helo"]
    document = exported(stored)
    assert KEY not in document.messages[0].metadata
    assert by_key(after(document)) == by_key(stored)


def test_a_deleted_message_has_the_key_of_what_it_said() -> None:
    """Also where it was a file, which takes a claim."""
    for kind in ("text", "media"):
        gone = said("Bob", "This message was deleted", kind="deleted", deleted=True)
        stored = after(day([said("Bob", "<Media omitted>", kind=kind)]), day([gone]))
        assert stored.messages[0].message.deleted
        document = exported(stored)
        assert (KEY in document.messages[0].metadata) is (kind == "media")
        assert by_key(after(document)) == by_key(stored)


def test_renames_travel_with_the_days_that_know_the_names() -> None:
    """As rows of the chat, and not as metadata of the stored document."""
    chat = chat_key("whatsapp", "", "Chat")
    renames = [Rename(chat, "whatsapp", "Bobby", "Bob"), Rename(chat, "whatsapp", "Eve", "Eva")]
    document = exported(after(day([said("Bob", "hi")])), renames)
    assert orjson.loads(document.metadata[RENAMED]) == [["Bobby", "Bob"]]
    stored, plan = applied(None, document)
    assert plan.renames == (renames[0],)
    assert RENAMED not in stored.document.metadata


def test_what_is_no_word_of_ours_stays_metadata() -> None:
    """A claim that cannot be read, names no wording, or leads to another message's key makes no key."""
    claims = ("nonsense", "2024-01-15T12:00 text - 0", "2024-01-15T12:00 text edit7 0", "2024-01-15T12:00 media - 0")
    plain = after(day([said("Bob", "hi")]))
    for text in claims[:3]:
        stored = after(day([said("Bob", "hi", metadata={KEY: text})]))
        assert stored.messages[0].key == plain.messages[0].key
    photo = said("Bob", "[photo]", kind="media")
    stored = after(day([photo, said("Bob", "hi", metadata={KEY: claims[3]})]))
    assert len({row.key for row in stored.messages}) == 2
    odd = day([said("Bob", "hi")]).model_copy(update={"metadata": {RENAMED: '[["a"]]'}})
    assert taken_out(odd)[0].metadata == {RENAMED: '[["a"]]'}


@given(st.builds(KeyOrigin, st.just("2024-01-15T12:00"), st.just("text"), st.just("edit3"), st.integers(0, 99)))
def test_a_claim_reads_back(claim: KeyOrigin) -> None:
    """Both ways."""
    assert claim_of(claim.to_text()) == claim

"""Rooms of Matrix: every kind of event, what belongs together, overlap, damage."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector
from memd.connectors.formats.matrix.connector import MatrixConnector
from memd.connectors.formats.matrix.relations import Relations
from memd.schemas import Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.matrix.exports import (
    ANN,
    BO,
    BOT,
    OPTIONS,
    ROOM,
    codes,
    documents,
    event,
    export,
    joined,
    messages,
    read,
    rejected,
    said,
    written,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples
from memd.tests.fuzz.hostile_exports import nested
from memd.tests.memory.test_merge import after, contents


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("matrix.event:EventReader.read",)
    download = Download(
        "the harpoon is in the cellar",
        {"matrix - Harbour - Chat Export.json": written(export(said(1, BO, "The harpoon is in the cellar")))},
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Matrix's."""
        return MatrixConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Element's export, a list, lines."""
        events = [joined(0, ANN, "Ann"), said(1, ANN, "hello"), said(2, BO, "yes")]
        return {
            "element": {"export.json": written(export(*events))},
            "list": {"events.json": written(events)},
            "lines": {"events.jsonl": b"\n".join(json.dumps(each).encode() for each in events)},
            "sync": {"sync.json": written(synced({ROOM: {"state": events[:1], "timeline": events[1:]}}))},
        }


def synced(rooms: dict[str, dict[str, list[dict[str, Any]]]]) -> dict[str, Any]:
    """A server's answer to `/sync`, whose events do not name their rooms."""
    without = {
        room: {
            part: {"events": [{k: v for k, v in each.items() if k != "room_id"} for each in events]}
            for part, events in parts.items()
        }
        for room, parts in rooms.items()
    }
    return {"next_batch": "s1", "account_data": {"events": [{"type": "m.direct", "content": {}}]}, "rooms": {"join": without}}  # fmt: skip


def test_events_that_follow_one_another_over_several_lines() -> None:
    """As matrix-archive writes them; a broken one costs itself."""
    events = [joined(0, ANN, "Ann"), said(1, ANN, "hello"), said(2, BO, "yes"), said(3, BO, "no")]
    texts = [json.dumps(each, indent=4) for each in events]
    days = documents(read("\n".join(texts).encode()))
    assert [m.content for day in days for m in day.messages][-3:] == ["hello", "yes", "no"]
    texts[2] = texts[2].replace('"content":', '"content"', 1)
    records = read("\n".join(texts).encode())
    assert [m.content for day in documents(records) for m in day.messages][-2:] == ["hello", "no"]
    assert len(rejected(records)) == 1


def test_an_answer_to_sync_is_one_chat_for_each_room() -> None:
    """The rooms stand around the events; their state tells names and titles."""
    other = "!a/b:example.org"
    answer = synced(
        {
            ROOM: {"state": [joined(0, ANN, "Ann"), event(1, ANN, "m.room.name", {"name": "Harbour"}, state_key="")], "timeline": [said(2, ANN, "hi")]},
            other: {"timeline": [said(3, BO, "there")]},
        }
    )  # fmt: skip
    records = read(written(answer))
    assert [(d.id, d.metadata["title"], [m.content for m in d.messages if m.kind == "text"]) for d in documents(records)] == [
        (f"matrix:{ROOM}:2024-01-15", "Harbour", ["hi"]),
        (f"matrix:{other}:2024-01-15", other, ["there"]),
    ]  # fmt: skip
    assert [m.speaker for m in documents(records)[0].messages if m.kind == "text"] == ["Ann"]
    assert rejected(records) == []


def test_what_waits_for_other_events_takes_no_memory_without_end() -> None:
    """Edits whose event never comes: beyond a limit they wait no longer, and what is not held is counted."""
    relations = Relations(most_bytes=1_000)
    edit = said(2, ANN, "x" * 400, **{"m.relates_to": {"rel_type": "m.replace", "event_id": "$gone"}})
    assert [relations.may_wait(edit) for _ in range(3)] == [True, False, False]
    relations.learn([edit] * 5)
    assert (len(relations.edits["$gone"]), relations.left()) == (2, 3)


def test_a_room_is_days_of_messages() -> None:
    """With ids, times, names and the user, whom the export tells."""
    records = read(
        export(joined(0, ANN, "Ann"), joined(1, BO, "Bo"), said(2, BO, " hi  👨‍👩‍👧 "), said(720, ANN, "late"))
    )
    first, second = documents(records)
    assert (first.id, second.id) == (f"matrix:{ROOM}:2024-01-15", f"matrix:{ROOM}:2024-01-16")
    assert first.metadata["title"] == "Harbour"
    assert first.conversation.user == second.conversation.user == "Ann"
    message = first.messages[2]
    assert (message.id, message.speaker, message.content) == ("$e2", "Bo", " hi  👨‍👩‍👧 ")
    assert (message.time.isoformat(), message.zone_origin) == ("2024-01-15T12:02:00+00:00", "explicit")
    assert [m.content for m in first.messages[:2]] == ["Ann joined", "Bo joined"]
    assert {m.kind for m in first.messages[:2]} == {"system"}
    assert {m.speaker for m in first.messages[:2]} == {"(system)"}
    assert codes(records) == []


def test_edits_reactions_and_votes_come_to_their_targets() -> None:
    """Also those that Element bundles into an event; those of others do not count."""
    relation = {"rel_type": "m.replace", "event_id": "$e2"}
    bundle = {"content": {"body": "* fixed", "m.new_content": {"body": "fixed"}}, "origin_server_ts": 1_705_330_000_000}
    poll = {"m.poll.start": {"question": {"m.text": "When?"}, "answers": [{"id": "a", "m.text": "Now"}, {"id": "b", "m.text": "Later"}]}}  # fmt: skip
    found = messages(
        said(2, ANN, "tow"),
        said(3, ANN, "* two", **{"m.new_content": {"msgtype": "m.text", "body": "two"}, "m.relates_to": relation}),
        said(4, BO, "* no", **{"m.new_content": {"body": "no"}, "m.relates_to": relation}),
        event(5, BO, "m.reaction", {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$e2", "key": "👍"}}),
        {**said(6, BO, "broken"), "unsigned": {"m.relations": {"m.replace": bundle}}},
        event(7, ANN, "m.poll.start", poll),
        event(8, BO, "m.poll.response", {"m.selections": ["a"], "m.relates_to": {"rel_type": "m.reference", "event_id": "$e7"}}),
        event(9, BO, "m.poll.response", {"m.selections": ["b"], "m.relates_to": {"rel_type": "m.reference", "event_id": "$e7"}}),
    )  # fmt: skip
    two, fixed, asked = found
    assert (two.content, [e.content for e in two.edits], two.edited) == ("two", ["tow"], True)
    assert two.edited_at is not None
    assert two.edited_at.isoformat() == "2024-01-15T12:03:00+00:00"
    assert [(r.emoji, r.people) for r in two.reactions] == [("👍", ("Bo",))]
    assert (fixed.content, [e.content for e in fixed.edits]) == ("fixed", ["broken"])
    assert (asked.kind, asked.content) == ("poll", "When?\n- Now\n- Later")
    assert [(r.emoji, r.people) for r in asked.reactions] == [("Later", ("Bo",))]


def test_an_answer_of_a_server_begins_with_the_newest_event() -> None:
    """An edit before its message is no message of its own; the latest name, title and vote count, not the last read."""
    relation = {"rel_type": "m.replace", "event_id": "$e3"}
    gone = {"rel_type": "m.replace", "event_id": "$gone"}
    asked = {"rel_type": "m.reference", "event_id": "$e5"}
    poll = {"m.poll.start": {"question": {"m.text": "When?"}, "answers": [{"id": "a", "m.text": "Now"}, {"id": "b", "m.text": "Later"}]}}  # fmt: skip
    events = [
        joined(1, ANN, "Annie"),
        joined(2, ANN, "Ann"),
        said(3, ANN, "tow"),
        said(4, ANN, "* two", **{"m.new_content": {"msgtype": "m.text", "body": "two"}, "m.relates_to": relation}),
        event(5, ANN, "m.poll.start", poll),
        event(6, ANN, "m.poll.response", {"m.selections": ["a"], "m.relates_to": asked}),
        event(7, ANN, "m.poll.response", {"m.selections": ["b"], "m.relates_to": asked}),
        event(8, ANN, "m.room.name", {"name": "Old"}),
        event(9, ANN, "m.room.name", {"name": "New"}),
        said(10, ANN, "* lost", **{"m.new_content": {"msgtype": "m.text", "body": "lost"}, "m.relates_to": gone}),
    ]
    (day,) = documents(read(json.dumps({"chunk": events[::-1]}).encode()))
    told = [m for m in day.messages if m.kind != "system"]
    assert [(m.speaker, m.content) for m in told] == [("Ann", "two"), ("Ann", "When?\n- Now\n- Later"), ("Ann", "lost")]
    assert [e.content for e in told[0].edits] == ["tow"]
    assert [r.emoji for r in told[1].reactions] == ["Later"]
    assert day.metadata["title"] == "New"


def test_an_edit_and_its_event_may_stand_in_two_answers() -> None:
    """A server gives a long list in pieces, the newest first: the edit was a message beside the one that it edits."""
    relation = {"rel_type": "m.replace", "event_id": "$e1"}
    gone = {"rel_type": "m.replace", "event_id": "$gone"}
    newer = [
        said(3, ANN, "* lost", **{"m.new_content": {"msgtype": "m.text", "body": "lost"}, "m.relates_to": gone}),
        said(2, ANN, "* two", **{"m.new_content": {"msgtype": "m.text", "body": "two"}, "m.relates_to": relation}),
    ]
    older = {"older.json": json.dumps({"chunk": [said(1, ANN, "tow")]}).encode()}
    (day,) = documents(read(json.dumps({"chunk": newer}).encode(), files=older))
    assert [(m.id, m.content) for m in day.messages] == [("$e1", "two"), ("$e3", "lost")]


def test_edits_and_reactions_without_their_target_are_kept_or_told() -> None:
    """An export that begins in the middle of a room."""
    relation = {"rel_type": "m.replace", "event_id": "$gone"}
    records = read(
        export(
            said(1, ANN, "* two", **{"m.new_content": {"body": "two"}, "m.relates_to": relation}),
            event(2, BO, "m.reaction", {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$gone", "key": "x"}}),
        )
    )
    ((message,),) = [day.messages for day in documents(records)]
    assert (message.content, message.reply_to) == ("two", "$gone")
    assert "relations-left-out" in codes(records)


@pytest.mark.parametrize(
    "extra", [{"x": "a\udfffb"}, {"x\ud800": "y"}, {"deep": nested(600)}], ids=["value", "key", "deep"]
)
def test_an_edit_that_is_hard_to_keep_is_kept_with_its_words(extra: dict[str, Any]) -> None:
    """Lone surrogates and values without end beside the words of an edit cost neither it nor the file."""
    edit = said(
        2, ANN, "* two", **{"m.new_content": {"body": "t\ud800wo", **extra}, "m.relates_to": {"rel_type": "m.replace", "event_id": "$e1"}}
    )  # fmt: skip
    data = json.dumps(export(said(1, ANN, "one"), edit)).encode()
    (message,) = [each for day in documents(read(data)) for each in day.messages]
    assert (message.content, message.edited) == ("t\ufffdwo", True)


def test_answers_and_threads() -> None:
    """The words that programs repeat before an answer are not the speaker's."""
    reply = {"m.relates_to": {"m.in_reply_to": {"event_id": "$e2"}}}
    thread = {"m.relates_to": {"rel_type": "m.thread", "event_id": "$e2", "is_falling_back": True, "m.in_reply_to": {"event_id": "$e3"}}}  # fmt: skip
    _, answer, threaded = messages(
        said(2, ANN, "a?"), said(3, BO, "> <@ann:example.org> a?\n\nb\n> c", **reply), said(4, ANN, "d", **thread)
    )
    assert (answer.content, answer.reply_to) == ("b\n> c", "$e2")
    assert answer.metadata["quoted"] == "> <@ann:example.org> a?"
    assert (threaded.thread, threaded.reply_to) == ("$e2", None)


FILE = {"body": "boat.jpg", "info": {"mimetype": "image/jpeg", "size": 7}, "url": "mxc://x/y"}


def test_files_places_calls_stickers_and_programs() -> None:
    """Each by its kind; a file with a caption has words."""
    found = messages(
        event(2, ANN, "m.room.message", {"msgtype": "m.image", **FILE}),
        event(3, ANN, "m.room.message", {"msgtype": "m.image", **FILE, "filename": "boat.jpg", "body": "my boat"}),
        event(4, ANN, "m.room.message", {"msgtype": "m.audio", **FILE, "org.matrix.msc3245.voice": {}}),
        event(5, ANN, "m.sticker", {"body": "wave", "info": {}}),
        event(6, ANN, "m.room.message", {"msgtype": "m.location", "body": "here", "geo_uri": "geo:1,2"}),
        event(7, ANN, "m.call.invite", {"call_id": "1"}),
        event(8, BOT, "m.room.message", {"msgtype": "m.notice", "body": "built"}),
        event(9, ANN, "m.room.message", {"msgtype": "m.emote", "body": "waves"}),
        event(10, ANN, "m.room.topic", {"topic": "tides"}, state_key=""),
    )
    assert [(m.kind, m.content) for m in found] == [
        ("media", "[photo]"), ("text", "my boat"), ("media", "[voice message]"), ("media", "[sticker]"),
        ("location", "here"), ("call", "[call]"), ("text", "built"), ("text", "waves"), ("system", "Ann set the topic: tides"),
    ]  # fmt: skip
    (photo,) = found[0].attachments
    assert (photo.name, photo.mime, photo.size, photo.missing) == ("boat.jpg", "image/jpeg", 7, True)
    assert found[4].metadata["place"] == "geo:1,2"
    assert (found[6].role, found[6].speaker) == ("tool", "helper")
    assert found[7].metadata["emote"] == "true"


def test_a_file_that_lies_in_the_export_is_not_missing() -> None:
    """Element adds a date to its name."""
    records = read(export(event(1, ANN, "m.room.message", {"msgtype": "m.image", **FILE})), files={"images/boat-2024-01-15 at 12-01-00.jpg": b"\xff"})  # fmt: skip
    assert documents(records)[0].messages[0].attachments[0].missing is False


def test_what_was_deleted_encrypted_or_is_unknown_is_told() -> None:
    """Each is kept as a record of its kind."""
    records = read(
        export(
            event(1, ANN, "m.room.message", {}, unsigned={"redacted_because": {"type": "m.room.redaction"}}),
            event(2, ANN, "m.room.message", {"msgtype": "m.bad.encrypted", "body": "** Unable to decrypt **"}),
            event(3, ANN, "org.example.dance", {"body": "step"}),
            said(4, ANN, "oops"),
            event(5, ANN, "m.room.redaction", {}, redacts="$e4"),
            {"type": "m.room.message", "sender": ANN, "event_id": "$x", "content": {"body": "when?"}},
        )
    )
    (day,) = documents(records)
    assert [(m.kind, m.content, m.deleted) for m in day.messages] == [
        ("deleted", "[deleted message]", True), ("unknown", "[encrypted message]", False),
        ("unknown", "step", False), ("deleted", "oops", True),
    ]  # fmt: skip
    assert codes(records) == ["content-unknown", "undecrypted"]
    assert rejected(records) == [("x!export.json#/messages/5", "a message without a time that can be read")]


@for_each([(BO, "Bo"), ("bo", "Bo"), ("Bo", "Bo"), ("Ann", "Ann"), ("Cy", "Cy")])
def test_the_user_is_whom_the_option_names(me: str, user: str) -> None:
    """By account, handle or display name."""
    records = read(export(joined(0, ANN, "Ann"), said(1, BO, "x"), joined(2, BO, "Bo")), replace(OPTIONS, me=me))
    assert {day.conversation.user for day in documents(records)} == {user}
    assert codes(records) == ([] if user == "Bo" else ["user-not-seen"])


def test_a_later_export_adds_what_is_new() -> None:
    """An edit and a deletion supersede; once more, nothing changes."""
    first = documents(read(export(said(1, ANN, "one"), said(2, BO, "tow"), said(3, BO, "secret"))))
    edit = said(4, BO, "* two", **{"m.new_content": {"body": "two"}, "m.relates_to": {"rel_type": "m.replace", "event_id": "$e2"}})  # fmt: skip
    gone = event(3, BO, "m.room.message", {}, unsigned={"redacted_because": {}, "x": 1}, redacted_because={"type": "x"})
    later = documents(read(export(said(1, ANN, "one"), said(2, BO, "tow"), gone, edit, said(5, ANN, "one"))))
    stored = after(*first, *later, *later)
    assert contents(stored) == ["one", "two", "[deleted message]", "one"]
    assert [[e.content for e in row.message.edits] for row in stored.messages][1:3] == [["tow"], ["secret"]]


def test_a_broken_event_costs_itself() -> None:
    """Also when a bracket or a quote of it is lost."""
    data = written(export(said(1, ANN, "a"), said(2, BO, "b"), said(3, ANN, "c")))
    for old, new in ((b'"body": "b"', b'"body": "b'), (b'"body": "b"', b"body")):
        records = read(data.replace(old, new))
        assert [m.content for d in documents(records) for m in d.messages] == ["a", "c"]
        assert len(rejected(records)) == 1


OTHERS: list[Any] = [
    {"messages": [{"sender_name": "A", "timestamp_ms": 1, "content": "x"}], "participants": []},
    {"name": "x", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "text": "x"}]},
    [{"type": "m.room.message", "body": "x"}],
]


@pytest.mark.parametrize("other", OTHERS)
def test_other_formats_are_not_recognised(other: object) -> None:
    """JSON of others that has messages, too."""
    assert MatrixConnector().sniff(Shelf("x", {"messages.json": written(other)})) < 0.5


KEYS = ["membership", "displayname", "body", "msgtype", "m.relates_to", "event_id", "rel_type", "key", "m.new_content",
        "info", "filename", "m.relations", "m.replace", "answers", "question", "formatted_body"]  # fmt: skip
KINDS = ["m.room.message", "m.room.member", "m.reaction", "m.sticker", "m.poll.start", "m.room.encrypted", "x.y"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8)
    | st.sampled_from(["\0", "(system)", "(me)", "$e1", "m.replace", "m.thread", ANN, "9" * 30]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = ["content", "sender", "origin_server_ts", "event_id", "unsigned", "room_id", "state_key", "redacts"]


def test_who_made_an_export_has_one_name() -> None:
    """The account stands in the head; its messages have a speaker's name, and the user is that speaker."""
    (day,) = documents(read(export(said(1, ANN, "a"), said(2, BO, "b"), exported_by=ANN)))
    assert day.conversation.user == day.messages[0].speaker


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5), kind=st.sampled_from(KINDS), head=VALUES)
def test_wrong_types_are_no_exception(fields: dict[str, Any], kind: str, head: Any) -> None:
    """Whatever stands where a text or an object should be: each event is kept, told or rejected."""
    records = read(export(said(1, ANN, "a"), {**event(2, BO, kind, {}), **fields}, said(3, ANN, "b"), exported_by=head))
    found = [m.id for d in documents(records) for m in d.messages]
    assert {"$e3"} <= set(found)
    assert len(found) + len([each for each in records if isinstance(each, Rejected)]) + len(codes(records)) >= 2

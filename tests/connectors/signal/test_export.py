"""The plain export of Signal: every kind of message, people, groups, revisions, and everything that may be broken."""

from __future__ import annotations

import gc
import json
import tracemalloc
from hashlib import sha256
from typing import Any

import pytest

from memd.connectors.connector import Connector, ReadOptions
from memd.connectors.formats.signal.connector import SignalConnector
from memd.memory.merge.plan import plan_conversation
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.schemas.identity_links import IDENTITIES, identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.signal.exports import (
    ACCOUNT,
    BO,
    BO_ID,
    CHATS,
    CLEO_ID,
    CREW_KEY,
    FRAMES,
    HEADER,
    NOON,
    OPTIONS,
    SELF,
    aci,
    at,
    b64,
    codes,
    documents,
    export,
    item,
    lines,
    messages,
    read,
    record,
    rejected,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

TALK = export(item(0, "Who moors in Kiel?"), item(1, "I do", author=1))
CHAT = "[2024-01-15 12:00:00] Bo: Who moors in Kiel?  \n\n[2024-01-15 12:01:00] Me: I do  \n\n"


class TestSignalConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = (
        "signal.chat_item:ItemReader.read",
        "signal.records:RecordReader.read",
    )
    download = Download(
        "the violin strings arrived", {"signal/main.jsonl": export(item(0, "The violin strings arrived"))}
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return SignalConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """The app's export, and a chat of signal-export in both its forms."""
        return {
            "main.jsonl": {"main.jsonl": TALK},
            "signal-export": {"main.jsonl": TALK, "metadata.json": b'{"version":1}', "files/ab/cd.jpg": b"\xff\xd8"},
            "Bo": {"Bo/data.json": lines([record(0, "Bo", "Hi"), record(1, "Me", "Ho")]), "Bo/chat.md": CHAT.encode()},
            "chat.md": {"chat.md": CHAT.encode()},
        }


def test_a_chat_is_read_with_its_people_and_ids() -> None:
    """Ids are made of what stays the same in the next export: the service id and the time."""
    (day,) = documents(records := read(TALK))
    assert day.id == f"signal:{BO_ID}:2024-01-15"
    told = identities_of(day.metadata)
    assert told == {"Bo Dahl": [f"id:{BO_ID}", "tel:+15550001"]}
    assert day.metadata == {"chat": BO_ID, "title": "Bo Dahl", IDENTITIES: day.metadata[IDENTITIES]}
    assert day.conversation.user == "Ann Lee"
    assert [(m.id, m.speaker, m.content, m.time, m.kind, m.zone_origin) for m in day.messages] == [
        (f"{BO_ID}:{NOON}", "Bo Dahl", "Who moors in Kiel?", at(0), "text", "explicit"),
        (f"self:{NOON + 60_000}", "Ann Lee", "I do", at(1), "text", "explicit"),
    ]
    assert codes(records) == []


def test_chats_come_mixed_and_are_told_apart() -> None:
    """A group, whose key is in no document, notes to oneself, and an unknown chat."""
    records = read(
        export(
            item(0, "A"),
            item(1, "B", author=3, chat=11),
            item(2, "C", author=1, chat=12),
            item(3, "D", chat=99),
            item(4, "E"),
        )
    )
    assert {
        (d.metadata["chat"], d.metadata["title"], tuple(m.content for m in d.messages)) for d in documents(records)
    } == {
        (BO_ID, "Bo Dahl", ("A", "E")),
        (CREW_KEY, "Crew", ("B",)),
        ("note-to-self", "Note to Self", ("C",)),
        ("chat-99", "chat 99", ("D",)),
    }
    (group,) = (d for d in documents(records) if d.metadata["title"] == "Crew")
    assert group.metadata["group"] == "true"
    assert (group.messages[0].speaker, group.messages[0].id) == ("Cleo", f"{CLEO_ID}:{NOON + 60_000}")


def test_two_people_of_one_name_stay_apart() -> None:
    """The second, and whoever is called like the user, has more behind the name."""
    twin = {
        "recipient": {"id": "5", "contact": {"aci": aci(CLEO_ID), "e164": "15550002", "systemGivenName": "Bo Dahl"}}
    }
    like_me = {
        "recipient": {"id": "6", "contact": {"pni": aci(CLEO_ID), "username": "ann.7", "profileGivenName": "Ann Lee"}}
    }
    data = lines(
        [*FRAMES, twin, like_me, item(0, "A"), item(1, "B", author=5), item(2, "C", author=6), item(3, "D", author=1)]
    )
    assert [m.speaker for m in messages(read(data))] == ["Bo Dahl", "Bo Dahl (+15550002)", "Ann Lee (ann.7)", "Ann Lee"]


def test_the_user_may_be_named_or_unknown() -> None:
    """``--me`` is stronger than the account; without either the user is unknown."""
    assert messages(read(TALK, ReadOptions(zone=OPTIONS.zone, me="Ann")))[1].speaker == "Ann"
    records = read(lines([HEADER, SELF, BO, *CHATS, item(0, "Hi", author=1)]))
    assert (messages(records)[0].speaker, codes(records)) == (UNKNOWN_USER, ["user-unknown"])


def test_answers_reactions_and_states() -> None:
    """Answers name the message by its author and time; receipts say who has read."""
    quote = {"targetSentTimestamp": str(NOON), "authorId": "2", "text": {"body": "Who moors"}}
    lost = {"authorId": "2", "text": {"body": "Gone"}}
    reactions = [{"emoji": "👍", "authorId": "1"}, {"emoji": "👍", "authorId": "3"}, {"emoji": "🦭", "authorId": "2"}]
    statuses: list[dict[str, Any]] = [
        {"recipientId": "2", "timestamp": "1", "read": {}},
        {"recipientId": "3", "delivered": {"sealedSender": True}},
    ]
    viewed: list[dict[str, Any]] = [{"recipientId": "2", "viewed": {}}]
    body = {"text": {"body": "I do"}}
    records = read(
        export(
            item(0, standardMessage={"text": {"body": "Who moors?"}, "reactions": reactions}),
            item(1, author=1, standardMessage={**body, "quote": quote}, outgoing={"sendStatus": statuses}),
            item(2, standardMessage={**body, "quote": lost}),
            item(3, "x", author=1, outgoing={"sendStatus": [{"recipientId": "2", "failed": {"reason": "NETWORK"}}]}),
            item(4, "x", author=1, outgoing={"sendStatus": viewed}),
        )
    )
    found = messages(records)
    assert [(r.emoji, r.people) for r in found[0].reactions] == [("👍", ("Ann Lee", "Cleo")), ("🦭", ("Bo Dahl",))]
    assert (found[1].reply_to, found[1].status, found[1].read_by) == (found[0].id, "delivered", ("Bo Dahl",))
    assert (found[2].reply_to, found[2].metadata) == (None, {"quoted": "Gone"})
    assert [m.status for m in found[3:]] == ["failed", "read"]


def test_revisions_are_earlier_wordings_of_one_message() -> None:
    """The message keeps the time and the id of the first."""
    revisions = [item(0, "Tow")["chatItem"], item(1, "Twoo")["chatItem"]]
    (found,) = messages(read(export(item(2, "Two", revisions=revisions))))
    assert (found.id, found.time, found.content, found.edited, found.edited_at) == (
        f"{BO_ID}:{NOON}",
        at(0),
        "Two",
        True,
        at(2),
    )
    assert [(e.content, e.time) for e in found.edits] == [("Tow", at(1)), ("Twoo", at(2))]


def test_files_are_there_or_missing() -> None:
    """A file in the export is named by a hash of two values of its pointer."""
    name = sha256(b"content" + b"key").hexdigest()
    locator = {"plaintextHash": b64(b"content"), "localKey": b64(b"key"), "size": 12}
    photo = {"pointer": {"contentType": "image/jpeg", "fileName": "kiel.jpg", "locatorInfo": locator}}
    voice = {"pointer": {"contentType": "audio/aac", "locatorInfo": {"size": 3}}, "flag": "VOICE_MESSAGE"}
    data = export(
        item(0, standardMessage={"attachments": [photo]}),
        item(1, standardMessage={"attachments": [voice]}),
        item(2, standardMessage={"attachments": [photo], "text": {"body": "Look"}}),
    )
    found = messages(read({"main.jsonl": data, f"files/{name[:2]}/{name}.jpg": b"x"}))
    assert [(m.content, m.kind) for m in found] == [
        ("[photo]", "media"),
        ("[voice message]", "media"),
        ("Look", "text"),
    ]
    assert [(a.name, a.mime, a.size, a.missing) for m in found[:2] for a in m.attachments] == [
        ("kiel.jpg", "image/jpeg", 12, False),
        ("attachment.aac", "audio/aac", 3, True),
    ]


def test_the_end_of_a_long_text_is_in_a_file() -> None:
    """Without the file the message says that something is missing."""
    name = sha256(b"content" + b"key").hexdigest()
    pointer = {
        "contentType": "text/x-signal-plain",
        "locatorInfo": {"plaintextHash": b64(b"content"), "localKey": b64(b"key")},
    }
    data = export(item(0, standardMessage={"text": {"body": "Long "}, "longText": pointer}))
    (whole,) = messages(read({"main.jsonl": data, f"files/{name[:2]}/{name}.txt": "Long ünd more".encode()}))
    assert (whole.content, whole.metadata) == ("Long ünd more", {})
    for other in ({}, {f"files/{name}": b"Other text"}, {f"files/{name}": b"Long \xff"}):
        (cut,) = messages(read({"main.jsonl": data, **other}))
        assert (cut.content, cut.metadata) == ("Long ", {"truncated": "true"})


@for_each(
    [
        ({"stickerMessage": {"sticker": {"emoji": "🦭", "stickerId": 3}}}, "[sticker 🦭]", "media"),
        ({"remoteDeletedMessage": {}}, "[deleted message]", "deleted"),
        ({"viewOnceMessage": {}}, "[view-once media]", "media"),
        ({"giftBadge": {"state": "OPENED"}}, "[gift badge]", "event"),
        ({"paymentNotification": {"amountMob": "1.5", "note": "rope"}}, "[payment of 1.5 MOB] rope", "event"),
        ({"directStoryReplyMessage": {"textReply": {"text": {"body": "Nice"}}}}, "Nice", "text"),
        (
            {"contactMessage": {"contact": {"name": {"givenName": "Dan"}, "number": [{"value": "+1555"}]}}},
            "[contact: Dan, +1555]",
            "contact",
        ),
        (
            {
                "poll": {
                    "question": "When?",
                    "options": [{"option": "Now", "votes": [{"voterId": "1"}]}, {"option": "Later"}],
                }
            },
            "When?\n- Now (Ann Lee)\n- Later",
            "poll",
        ),
        ({"hologram": {"x": 1}}, "[hologram]", "unknown"),
        ({"standardMessage": {}}, "[message without text]", "unknown"),
    ]
)
def test_every_kind_of_message_is_kept(content: dict[str, Any], text: str, kind: str) -> None:
    """As words, or as a placeholder that says what it is."""
    records = read(export(item(0, **content)))
    (found,) = messages(records)
    assert (found.content, found.kind, found.speaker) == (text, kind, "Bo Dahl")
    assert found.deleted == (kind == "deleted")
    assert codes(records) == (["content-unknown"] if kind == "unknown" else [])


@for_each(
    [
        (
            {"individualCall": {"type": "VIDEO_CALL", "direction": "OUTGOING", "state": "ACCEPTED"}},
            "[outgoing video call]",
            "call",
        ),
        (
            {"individualCall": {"type": "AUDIO_CALL", "direction": "INCOMING", "state": "MISSED"}},
            "[missed voice call]",
            "call",
        ),
        ({"groupCall": {"state": "MISSED", "startedCallRecipientId": "3"}}, "[missed group call of Cleo]", "call"),
        ({"simpleUpdate": {"type": "IDENTITY_UPDATE"}}, "Bo Dahl: identity update", "system"),
        (
            {"expirationTimerChange": {"expiresInMs": "3600000"}},
            "Bo Dahl set disappearing messages to 60 min",
            "system",
        ),
        (
            {"profileChange": {"previousName": "B", "newName": "Bo"}},
            "Bo Dahl changed the profile name from B to Bo",
            "system",
        ),
        (
            {
                "groupChange": {
                    "updates": [{"groupMemberAddedUpdate": {"updaterAci": aci(BO_ID), "newMemberAci": aci(CLEO_ID)}}]
                }
            },
            "Bo Dahl added Cleo",
            "system",
        ),
        (
            {"groupChange": {"updates": [{"groupJoinRequestUpdate": {"requestorAci": aci(CLEO_ID)}}]}},
            "[group join request: Cleo]",
            "system",
        ),
        ({"timeTravel": {}}, "[time travel]", "unknown"),
    ]
)
def test_every_update_is_kept(update: dict[str, Any], text: str, kind: str) -> None:
    """Nobody wrote it; who did it is told."""
    (found,) = messages(read(export(item(0, updateMessage=update, directionless={}))))
    assert (found.content, found.kind, found.speaker, found.metadata["actor"]) == (
        text,
        kind,
        SYSTEM_SPEAKER,
        "Bo Dahl",
    )


def test_mentions_are_names_where_they_stand() -> None:
    """Their places are counted in UTF-16, so an emoji before them counts twice."""
    mark = "\N{OBJECT REPLACEMENT CHARACTER}"
    text = {"body": f"🦭 {mark} and {mark}", "bodyRanges": [{"start": 3, "length": 1, "mentionAci": aci(CLEO_ID)}]}
    (found,) = messages(read(export(item(0, standardMessage={"text": text}))))
    assert found.content == f"🦭 @Cleo and {mark}"


def test_line_ends_inside_of_words_are_repaired() -> None:
    """Some versions write them as they are, which is no JSON; what is broken for good costs itself alone."""
    broken = json.dumps(item(1, "One\\nTwo")).replace("\\\\n", "\n").encode()
    assert b"\nTwo" in broken
    data = export(item(0, "A")) + broken + b"\n" + b'{"chatItem": {"chatId":\n' + lines([item(2, "B")])
    records = read(data)
    assert [m.content for m in messages(records)] == ["A", "One\nTwo", "B"]
    assert [(r.locator, r.reason) for r in rejected(records)] == [("s!main.jsonl:13", "not valid JSON")]


def test_messages_that_stand_twice_are_kept_once() -> None:
    """Some versions write them so."""
    records = read(export(item(0, "A"), item(0, "A"), item(1, "A")))
    assert ([m.content for m in messages(records)], codes(records)) == (["A", "A"], ["duplicate-message"])


def test_a_later_export_adds_what_is_new_and_supersedes_what_was_edited() -> None:
    """Although all numbers in it are others."""
    stored, _ = merged(None, one(read(export(item(0, "One"), item(1, "Tow")))))
    moved = [json.loads(json.dumps(frame).replace('"10"', '"77"').replace('"2"', '"42"')) for frame in FRAMES]
    later = [
        item(1.5, "Two", author=42, chat=77, revisions=[item(1, "Tow", author=42)["chatItem"]]),
        item(2, "Three", author=42, chat=77),
    ]
    again = one(read(lines([*moved, *later])))
    stored, plan = merged(stored, again)
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (1, 1, 0)
    assert [row.message.content for row in stored.messages] == ["One", "Two", "Three"]
    plan = plan_conversation(stored, again, b"digest")
    assert plan is not None
    assert (len(plan.added), len(plan.updated)) == (0, 0)


def test_hostile_values_are_rejected_or_read() -> None:
    """Values of wrong types cost no more than themselves."""
    odd: list[Any] = [
        {"chatItem": "x"},
        {"chatItem": {"chatId": [], "authorId": {}, "dateSent": 1e400, "standardMessage": 3}},
        {"chatItem": {"chatId": 10, "authorId": 2, "dateSent": "99999999999999999999", "standardMessage": {}}},
        {"recipient": {"contact": 3}},
        {"recipient": {"id": "8", "contact": {"aci": "!!", "e164": [], "nickname": "x"}}},
        {"recipient": {"id": "9", "group": {"masterKey": 5, "snapshot": []}}},
        {"chat": []},
        {"account": 7},
        item(
            0,
            standardMessage={
                "text": {"body": "\ud83d\x00 ok", "bodyRanges": "x"},
                "attachments": {"a": 1},
                "reactions": 7,
                "quote": [],
            },
        ),
        item(
            1,
            standardMessage={"text": [], "attachments": [7, {"pointer": {"fileName": 7}}], "reactions": [{"emoji": 7}]},
            revisions=7,
        ),
        item(2, updateMessage={"groupChange": {"updates": {"a": 1}}}, outgoing={"sendStatus": [7]}),
        item(3, poll={"question": 7, "options": [7]}),
    ]
    data = lines(FRAMES) + b"".join(json.dumps(each).encode() + b"\n" for each in odd)
    records = read(data)
    assert len(messages(records)) == 4
    assert sorted(r.reason for r in rejected(records)) == ["a message without a time that can be read"] * 3 + [
        "a recipient without a number"
    ]


def test_a_message_that_is_too_long_is_rejected() -> None:
    """The others are read."""
    records = read(export(item(0, "x" * (17 * 1024 * 1024)), item(1, "Short")))
    assert [m.content for m in messages(records)] == ["Short"]
    assert [r.reason for r in rejected(records)] == ["more than 16777216 bytes in one line"]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_export() -> None:
    """Eight thousand messages of two chats; held together they take four times as much."""
    data = export(*(item(n * 3, f"Message {n}", chat=10 + n % 2) for n in range(8_000)))
    shelf = Shelf("s", {"main.jsonl": data})
    gc.collect()
    tracemalloc.start()
    count = sum(1 for _ in SignalConnector().read(shelf, OPTIONS))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > 30
    assert peak < 3_000_000


def test_account_frames_without_names_use_the_username() -> None:
    """As a last resort."""
    frames = [HEADER, {"account": {"username": "ann.7"}}, *FRAMES[2:], item(0, "Hi", author=1)]
    assert ACCOUNT not in frames
    assert messages(read(lines(frames)))[0].speaker == "ann.7"

"""The database of Messages: every kind of message, chats, versions of the schema, logs, and everything that may be broken."""

from __future__ import annotations

import gc
import plistlib
import sqlite3
import tempfile
import tracemalloc
from datetime import UTC
from pathlib import Path

import pytest
from msgspec import structs

from memd.connectors.connector import Connector, Member, ReadOptions
from memd.connectors.formats.imessage.connector import IMessageConnector
from memd.connectors.formats.imessage.edits import summary_of
from memd.connectors.formats.imessage.typedstream import attributed_text
from memd.connectors.opening import database_copy as database_module
from memd.connectors.opening.database_copy import opened_copy
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.connectors.reading.read_path import read_records
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.schemas.errors import SourceError
from memd.schemas.identity_links import identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.imessage.databases import (
    CLEO,
    DIRECT,
    GROUP,
    NOON,
    OLD,
    OPTIONS,
    at,
    codes,
    database,
    documents,
    insert,
    messages,
    read,
    rejected,
    said,
    stream,
    summary,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

TALK = database([said("A", "Who moors in Kiel?"), said("B", None, 1, me=True, attributedBody=stream("I do"))])


class TestIMessageConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("imessage.message:MessageReader.read",)
    download = Download(
        "the toaster caught fire", {"Messages/chat.db": database([said("A", "The toaster caught fire")])}
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return IMessageConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A database, alone and with what lies beside it; one of an old version."""
        old = database([{"guid": "A", "text": "Hi", "date": NOON, "handle_id": 1}], chats=[], schema=OLD)
        return {
            "chat.db": {"chat.db": TALK},
            "Messages": {"chat.db": TALK, "Attachments/ab/11/G/a.jpeg": b"\xff\xd8\xff"},
            "sms.db": {"sms.db": old},
        }


@for_each(
    [
        (text, mutable)
        for text in ["Hi", "", "x" * 127, "x" * 128, "ü" * 300, "x" * 40_000, "x" * 70_000, "a\x86\x84b"]
        for mutable in [False, True]
    ]
)
def test_attributed_strings_of_any_length_are_read(text: str, *, mutable: bool) -> None:
    """One byte says the length below 128, two or four say it from there on."""
    assert attributed_text(stream(text, mutable=mutable)) == text


def test_a_cut_attributed_string_gives_what_is_there() -> None:
    """Without its end, and in the middle of its words."""
    assert attributed_text(stream("Hello", cut=True)) == "Hello"
    assert attributed_text(stream("Hello", cut=True)[:-2]) == "Hel"
    assert attributed_text(b"\x04\x0bstreamtyped\x81\xe8\x03") is None
    assert attributed_text(b"") is None


def test_a_keyed_archive_is_read() -> None:
    """Some attributed strings are property lists."""
    objects = ["$null", {"NSString": plistlib.UID(2)}, {"NS.string": "Hello"}]
    archive = {"$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)}, "$objects": objects}
    assert attributed_text(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)) == "Hello"


def test_a_chat_is_read_with_its_people_and_times() -> None:
    """One document a day, with the service, ids and the text of attributed bodies."""
    (day,) = documents(records := read(TALK))
    assert day.id == "imessage:+15550001:2024-01-14"
    assert day.metadata == {"chat": "+15550001", "title": "+15550001", "service": "iMessage"}
    assert [(m.id, m.speaker, m.content, m.time, m.kind, m.zone_origin) for m in day.messages] == [
        ("A", "+15550001", "Who moors in Kiel?", at(12), "text", "explicit"),
        ("B", UNKNOWN_USER, "I do", at(12, 1), "text", "explicit"),
    ]
    assert codes(records) == ["user-unknown"]


def test_the_user_is_the_account_or_who_was_named() -> None:
    """Messages keeps the account of each message that was sent; messages from it elsewhere are the user's, too."""
    sent = database([said("A", "Hi", me=True, account="E:ann@example.org"), said("B", "You?", 1)])
    assert documents(read(sent))[0].conversation.user == "ann@example.org"
    named = read(sent, ReadOptions(zone=OPTIONS.zone, me="Ann"))
    (day,) = documents(named)
    assert identities_of(day.metadata) == {"Ann": ["mailto:ann@example.org"]}
    assert [m.speaker for m in messages(named)] == ["Ann", "+15550001"]
    assert codes(named) == []


def test_text_is_verbatim_and_marks_of_files_are_not_text() -> None:
    """Blanks stay; U+FFFC, which shows where a file is, goes."""
    found = messages(read(database([said("A", "  Hi \n"), said("B", "\N{OBJECT REPLACEMENT CHARACTER}Look", 1)])))
    assert [m.content for m in found] == ["  Hi \n", "Look"]


def test_files_and_their_placeholders() -> None:
    """Name, type and size; what the source does not hold is missing."""
    mark = "\N{OBJECT REPLACEMENT CHARACTER}"
    photo = {
        "guid": "F1",
        "filename": "~/Library/Messages/Attachments/ab/11/G/IMG_1.HEIC",
        "transfer_name": "IMG_1.HEIC",
        "mime_type": "image/heic",
        "total_bytes": 1234,
    }
    sound = {"guid": "F2", "filename": "~/Library/Messages/Attachments/cd/2/H/Audio.caf", "mime_type": "audio/x-caf"}
    card = {"guid": "F3", "transfer_name": "Bo.vcf", "mime_type": "text/vcard"}
    preview = {"guid": "F4", "transfer_name": "X.pluginPayloadAttachment"}
    sticker = {"guid": "F5", "transfer_name": "s.heics", "mime_type": "image/heic", "is_sticker": 1}
    rows = [said("A", mark), said("B", mark, 1, is_audio_message=1), said("C", mark, 2), said("D", "See", 3)]
    rows.append(said("E", mark, 4, associated_message_type=1000, associated_message_guid="p:0/A"))
    data = database(rows, files=[(1, photo), (2, sound), (3, card), (4, preview), (5, sticker)])
    found = messages(read({"chat.db": data, "Attachments/ab/11/G/IMG_1.HEIC": b"x"}))
    assert [(m.content, m.kind) for m in found] == [
        ("[photo]", "media"),
        ("[voice message]", "media"),
        ("[contact]", "contact"),
        ("See", "text"),
        ("[sticker]", "media"),
    ]
    assert [structs.asdict(a) for a in found[0].attachments] == [
        {"name": "IMG_1.HEIC", "mime": "image/heic", "size": 1234, "missing": False}
    ]
    assert (found[1].attachments[0].name, found[1].attachments[0].missing) == ("Audio.caf", True)
    assert found[3].attachments == ()
    assert found[4].reply_to == "A"


def test_tapbacks_are_reactions_of_their_message() -> None:
    """The last of a person stands; what was taken back is gone; those without their message are counted."""

    def tapback(guid: str, kind: int, minute: float, *, target: str = "p:0/A", **more: object) -> dict[str, object]:
        row = said(guid, "Loved something", minute, associated_message_type=kind, associated_message_guid=target)
        return {**row, **more}

    rows = [
        said("A", "Sunday?", me=True),
        tapback("R1", 2000, 1),
        tapback("R2", 2001, 2),
        tapback("R3", 2003, 3, handle_id=2),
        tapback("R4", 3003, 4, handle_id=2),
        tapback("R5", 2006, 5, target="bp:A", handle_id=2, associated_message_emoji="🦭"),
        tapback("R6", 2000, 6, target="p:0/GONE"),
        tapback("R7", 2001, 60 * 24, target="A", handle_id=0, is_from_me=1),
    ]
    records = read(database(rows))
    (found,) = messages(records)
    assert [(r.emoji, r.people) for r in found.reactions] == [
        ("👍", ("+15550001", UNKNOWN_USER)),
        ("🦭", (CLEO["id"],)),
    ]
    assert codes(records) == ["user-unknown", "reactions-left-out"]


def test_replies_threads_and_states() -> None:
    """A reply names the first message of its thread; sent messages have a status."""
    rows = [
        said("A", "Tea?"),
        said(
            "B", "Yes", 1, me=True, thread_originator_guid="A", is_sent=1, is_delivered=1, date_read=(NOON + 90) * 10**9
        ),
        said("C", "No", 2, me=True, error=22),
        said(
            "D",
            "Hm",
            3,
            me=True,
            is_sent=1,
            service="SMS",
            expressive_send_style_id="com.apple.MobileSMS.expressivesend.loud",
        ),
    ]
    found = messages(read(database(rows)))
    assert (found[1].reply_to, found[1].thread) == ("A", "A")
    assert [m.status for m in found] == [None, "read", "failed", "sent"]
    assert found[1].metadata == {"read_at": "2024-01-14T12:01:30+00:00"}
    assert found[3].metadata == {"service": "SMS", "effect": "loud"}


def test_edits_and_unsent_messages() -> None:
    """Earlier wordings with the time when they were replaced; nothing is left of what was taken back."""
    history = summary([("Tow\ufffc", 0), ("Twoo", 60), ("Two", 120)])
    edited = said(
        "A", None, attributedBody=stream("Two"), message_summary_info=history, date_edited=(NOON + 120) * 10**9
    )
    bare = said("B", None, 5, message_summary_info=summary([("On", 300), ("One", 330)]))
    unsent = said("C", None, 6, message_summary_info=summary([], retracted=[0]), date_edited=(NOON + 400) * 10**9)
    partly = said("D", "Rest", 7, message_summary_info=summary([], retracted=[1], parts=2))
    found = messages(read(database([edited, bare, unsent, partly])))
    assert [(m.content, m.kind, m.edited, m.deleted) for m in found] == [
        ("Two", "text", True, False),
        ("One", "text", True, False),
        ("[unsent message]", "deleted", False, True),
        ("Rest", "text", False, False),
    ]
    assert [(e.content, e.time) for e in found[0].edits] == [("Tow", at(12, 1)), ("Twoo", at(12, 2))]
    assert found[0].edited_at == at(12, 2)
    assert found[3].metadata == {"unsent_parts": "1"}


def test_a_damaged_history_costs_no_more_than_itself() -> None:
    """Keys and values of types that no version writes."""
    whole = summary([("Tow", 0), ("Two", 60)])
    for place in range(8, len(whole)):
        for flip in (0x01, 0x40, 0x80, 0xD0, 0xFF):
            damaged = whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :]
            assert summary_of(damaged, UTC).unsent == 0


def test_groups_tell_what_happened_in_them() -> None:
    """Nobody wrote the events; who did it is told."""
    rows = [
        said("A", None, item_type=1, other_handle=2),
        said("B", None, 1, item_type=1, group_action_type=1, other_handle=2),
        said("C", None, 2, item_type=2, group_title="Sailing"),
        said("D", None, 3, me=True, item_type=3),
        said("E", None, 4, item_type=3, group_action_type=1),
        said("F", None, 5, item_type=4, share_status=1),
        said("G", None, 6, item_type=77),
        said("H", "Aye", 7, handle=2),
        said("I", None, 8, item_type=1, handle=2, other_handle=2),
        said("J", None, 9, item_type=3, group_action_type=4),
        said("K", None, 10, item_type=3, group_action_type=6),
    ]
    records = read(database(rows, joins=dict.fromkeys(range(1, 12), 2)), ReadOptions(zone=OPTIONS.zone, me="Ann"))
    (day,) = documents(records)
    assert day.id == "imessage:chat77:2024-01-14"
    assert day.metadata == {"chat": "chat77", "title": "Sailing", "service": "iMessage", "group": "true"}
    assert [(m.speaker, m.content, m.kind) for m in day.messages] == [
        (SYSTEM_SPEAKER, "+15550001 added cleo@example.org to the conversation", "system"),
        (SYSTEM_SPEAKER, "+15550001 removed cleo@example.org from the conversation", "system"),
        (SYSTEM_SPEAKER, "+15550001 named the conversation Sailing", "system"),
        (SYSTEM_SPEAKER, "Ann left the conversation", "system"),
        (SYSTEM_SPEAKER, "+15550001 changed the group photo", "system"),
        (SYSTEM_SPEAKER, "+15550001 stopped sharing a location", "system"),
        (SYSTEM_SPEAKER, "[event of the conversation]", "unknown"),
        ("cleo@example.org", "Aye", "text"),
        (SYSTEM_SPEAKER, "cleo@example.org changed the address", "system"),
        (SYSTEM_SPEAKER, "+15550001 changed the background", "system"),
        (SYSTEM_SPEAKER, "+15550001 removed the background", "system"),
    ]
    assert day.messages[3].metadata["actor"] == "Ann"
    assert codes(records) == ["content-unknown"]


def test_apps_and_link_previews() -> None:
    """The title behind a link; what an app shows; an app that shows nothing is counted."""
    objects = [
        "$null",
        {"richLinkMetadata": plistlib.UID(2)},
        {"title": plistlib.UID(3), "summary": plistlib.UID(4)},
        "Harbours",
        "Where to moor",
    ]
    page = plistlib.dumps({"$top": {"root": plistlib.UID(1)}, "$objects": objects}, fmt=plistlib.FMT_BINARY)
    shown = plistlib.dumps({"ldtext": "Bo played", "userInfo": {"caption": "Chess"}}, fmt=plistlib.FMT_BINARY)
    game = "com.apple.messages.MSMessageExtensionBalloonPlugin:0000000000:com.example.chess"
    rows = [
        said("A", "https://e.org", balloon_bundle_id="com.apple.messages.URLBalloonProvider", payload_data=page),
        said("B", "\N{OBJECT REPLACEMENT CHARACTER}", 1, balloon_bundle_id=game, payload_data=shown),
        said("C", None, 2, balloon_bundle_id=game, payload_data=b"bplist00rubbish"),
        said("D", None, 3, balloon_bundle_id="com.apple.Handwriting.HandwritingProvider"),
    ]
    records = read(database(rows))
    assert [(m.content, m.kind) for m in messages(records)] == [
        ("https://e.org", "text"),
        ("Chess\nBo played", "text"),
        ("[message of the app com.example.chess]", "unknown"),
        ("[handwriting]", "media"),
    ]
    assert messages(records)[0].metadata == {"embeds": "Harbours\nWhere to moor"}
    assert messages(records)[1].metadata == {"app": "com.example.chess"}
    assert codes(records) == ["user-unknown", "content-unknown"]


def test_an_app_s_message_may_stand_as_a_replacement_character() -> None:
    """Its words are those of the app."""
    shown = plistlib.dumps({"ldtext": "Bo played"}, fmt=plistlib.FMT_BINARY)
    row = said("A", "\N{REPLACEMENT CHARACTER}", balloon_bundle_id="com.example.chess", payload_data=shown)
    assert [(m.content, m.kind) for m in messages(read(database([row])))] == [("Bo played", "text")]


def test_what_is_still_to_be_sent_was_not_said() -> None:
    """It is told; what was sent at its time is there."""
    columns = [
        f"ALTER TABLE message ADD COLUMN {name} INTEGER DEFAULT 0" for name in ("schedule_type", "schedule_state")
    ]
    rows = [
        said("A", "Hello"),
        said("B", "Happy birthday", 10_000, me=True),
        said("C", "Sent at noon", 1, me=True, is_sent=1),
    ]
    times = ["UPDATE message SET schedule_type = 2, schedule_state = 2 WHERE guid = 'B'"]
    times.append("UPDATE message SET schedule_type = 2, schedule_state = 3 WHERE guid = 'C'")
    records = read(database(rows, statements=[*columns, *times]))
    assert [message.content for message in messages(records)] == ["Hello", "Sent at noon"]
    assert codes(records) == ["user-unknown", "scheduled-left-out"]


def test_services_of_one_person_are_one_chat_in_the_order_of_time() -> None:
    """Both iMessage and SMS with the same number; messages of days that alternate."""
    sms = {**DIRECT, "guid": "SMS;-;+15550001", "service_name": "SMS"}
    rows = [said("A", "One", 0), said("B", "Three", 2 * 24 * 60), said("C", "Two", 1, service="SMS")]
    found = documents(read(database(rows, chats=[DIRECT, sms], joins={1: 1, 2: 1, 3: 2})))
    assert [(d.id, [m.content for m in d.messages]) for d in found] == [
        ("imessage:+15550001:2024-01-14", ["One", "Two"]),
        ("imessage:+15550001:2024-01-16", ["Three"]),
    ]


def test_messages_without_a_chat_and_deleted_ones_are_kept() -> None:
    """By their sender; what the user deleted a short time ago says so."""
    data = database(
        [said("A", "Lost"), said("B", "Gone", 1)], deleted=[2], statements=["DELETE FROM chat_message_join"]
    )
    found = messages(read(data))
    assert [(m.content, m.deleted) for m in found] == [("Lost", False), ("Gone", True)]
    assert found[1].metadata == {"recently_deleted": "true"}


def test_an_old_version_has_seconds_and_few_columns() -> None:
    """The tables of macOS before 10.13."""
    rows = [{"guid": "A", "text": "Hi", "date": NOON, "handle_id": 1, "is_from_me": 0}]
    chats = [{"guid": "iMessage;-;+15550001", "chat_identifier": "+15550001"}]
    (found,) = messages(read(database(rows, chats=chats, schema=OLD)))
    assert (found.speaker, found.content, found.time) == ("+15550001", "Hi", at(12))


@for_each(["{}", '"{}"', "'{}'", "`{}`", "[{}]"])
def test_tables_that_a_program_made_anew(quote: str) -> None:
    """Their names may be quoted, messages have no ids, and what names a chat is its identifier."""
    schema = """
        CREATE TABLE message (ROWID INTEGER PRIMARY KEY, handle_id INTEGER, text TEXT, date INTEGER, is_from_me INTEGER);
        CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
        CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT);
        CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
    """
    for table in ("message", "handle", "chat", "chat_message_join"):
        schema = schema.replace(f"TABLE {table} ", f"TABLE {quote.format(table)} ")
    rows = [{"text": "Hi", "date": NOON, "handle_id": 1, "is_from_me": 0}]
    made = database(rows, chats=[{"guid": "one", "chat_identifier": "+15550001"}], schema=schema)
    assert IMessageConnector().sniff(Shelf("m", {"m.db": made})) > 0.9
    records = read(made)
    (day,) = documents(records)
    assert day.id == "imessage:+15550001:2024-01-14"
    assert [(m.id, m.speaker, m.content) for m in day.messages] == [("row 1", "+15550001", "Hi")]


def test_the_id_of_a_chat_says_whether_it_is_a_group() -> None:
    """Some programs swap the numbers of its style."""
    chats = [{**DIRECT, "style": 43}, {**GROUP, "style": 45}]
    days = documents(read(database([said("A", "Hi"), said("B", "Ho", 1)], chats=chats, joins={1: 1, 2: 2})))
    assert [(day.metadata["chat"], day.metadata.get("group")) for day in days] == [
        ("+15550001", None),
        ("chat77", "true"),
    ]


def database_with_log(folder: Path) -> Path:
    """A database of which the last message is in its log alone."""
    path = folder / "chat.db"
    path.write_bytes(TALK)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    insert(writer, "message", said("C", "Late", 2))
    insert(writer, "chat_message_join", {"chat_id": 1, "message_id": 3})
    writer.commit()
    kept = {each.name: each.read_bytes() for each in folder.iterdir()}
    writer.close()
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    return path


def test_the_log_beside_a_database_is_read_and_nothing_is_changed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the file or its folder is given; the original stays as it is, and no copy is left."""
    path = database_with_log(tmp_path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert "chat.db-wal" in before
    temporary = tmp_path_factory.mktemp("temporary")  # other tests make copies in that of the machine
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    for given in (path, tmp_path):
        found = messages(list(IMessageConnector().read(open_source(given), OPTIONS)))
        assert [m.content for m in found] == ["Who moors in Kiel?", "I do", "Late"]
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    assert list(temporary.iterdir()) == []


def test_it_is_recognised_beside_other_files(tmp_path: Path) -> None:
    """In a folder with pictures, its log and a note; another database is not."""
    path = database_with_log(tmp_path)
    assert choose(open_source(path), OPTIONS).name == "imessage"
    (tmp_path / "a.jpeg").write_bytes(b"\xff\xd8\xff" + bytes(64))
    found = messages(list(read_records(open_source(tmp_path), OPTIONS)))
    assert [m.content for m in found] == ["Who moors in Kiel?", "I do", "Late"]
    other = database(
        [], chats=[], schema=OLD.replace("chat_message_join", "joined").replace("message (", "letter ("), bare=True
    )
    assert IMessageConnector().sniff(Shelf("o", {"other.db": other})) == 0


def test_hostile_values_are_rejected_or_read() -> None:
    """Values of wrong types cost no more than their message."""
    rows = [
        said("A", "Fine"),
        said("B", "No time", date=0),
        said("C", "Far", date=1e300),
        said("D", b"\xff\xfe", 1),
        said("E", "Odd", 2, handle_id="x", item_type="x", associated_message_type="y", error="z", attributedBody="t"),
        said("F", None, 3, attributedBody=b"\x04\x0bstreamtyped", message_summary_info=b"bplist00", payload_data="x"),
        said("G", "Nul\0 \ud83d".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), 4, date_edited="soon"),
    ]
    records = read(database(rows))
    assert [m.id for m in messages(records)] == ["A", "D", "E", "F", "G"]
    assert [r.reason for r in rejected(records)] == ["a message without a time that can be read"] * 2


@pytest.mark.slow
def test_what_never_ends_is_given_up() -> None:
    """A view is no table of messages; whatever is walked through has a limit."""
    rows = "WITH RECURSIVE n(guid, date) AS (SELECT 1, 1 UNION ALL SELECT guid + 1, 1 FROM n) SELECT * FROM n"
    schema = "CREATE TABLE chat_message_join (x); CREATE TABLE message_x (x);"
    data = database([], schema=schema, statements=[f"CREATE VIEW message AS {rows}"], bare=True)
    assert [r.reason for r in rejected(read(data))] == ["its table of messages is none that memd knows"]
    (member,) = Shelf("m", {"chat.db": data}).members()
    with opened_copy(member, None) as opened, pytest.raises(sqlite3.OperationalError):
        opened.run(rows)


def test_a_damaged_database_gives_what_can_be_read() -> None:
    """A page of zeros among the messages costs what is on it; a file without its tables is none."""
    rows = [said(f"M{n}", f"Message {n} " + "x" * 200, n) for n in range(60)]
    rows.append(said("R", "Liked", 70, associated_message_type=2001, associated_message_guid="M1"))
    data = database(rows)
    place = data.index(b"Message 30 ") // 512 * 512
    records = read(data[:place] + bytes(512) + data[place + 512 :])
    assert 55 <= len(messages(records)) <= 59
    assert {r.reason for r in rejected(records)} == {
        "a damaged database: only what is on its undamaged pages was read",
        "the database is damaged here",
    }
    assert "reactions-left-out" in codes(records)
    with pytest.raises(SourceError):
        read(b"SQLite format 3\0" + b"CREATE TABLE message chat_message_join" + bytes(200))


def test_a_message_that_is_too_long_is_rejected() -> None:
    """The others are read."""
    records = read(database([said("A", "x" * (17 * 1024 * 1024)), said("B", "Short", 1)]))
    assert [m.content for m in messages(records)] == ["Short"]
    assert [r.reason for r in rejected(records)] == ["a message that is too long"]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_database() -> None:
    """Six thousand messages of many days, interleaved between two chats; held together they take twice as much."""
    rows = [said(f"M{n}", f"Message {n}", n * 3) for n in range(6_000)]
    data = database(rows, joins={n: 1 + n % 2 for n in range(1, 6_001)})
    shelf = Shelf("m", {"chat.db": data})
    del rows
    gc.collect()
    tracemalloc.start()
    count = sum(1 for _ in IMessageConnector().read(shelf, OPTIONS))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > 25
    assert peak < 2_700_000


def test_the_copy_has_no_name_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What kills the process leaves nothing that somebody could read."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shelf = Shelf("s", {"chat.db": database([said("A", "Hello", 1)])})
    with opened_copy(shelf.members()[0], None):
        assert list(tmp_path.iterdir()) == []


def test_a_database_that_changes_while_it_is_copied_is_copied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of two states are no database: copied anew a few times, then refused with what to do."""
    path = tmp_path / "chat.db"
    path.write_bytes(TALK)
    (member,) = open_source(path).members()
    copy_one, writes = database_module._copy_one, [1, 2]  # pyright: ignore[reportPrivateUsage]

    def copy(given: Member, target: Path) -> int:
        size = copy_one(given, target)
        if writes:
            Path(f"{path}-wal").write_bytes(b"x" * writes.pop())
        return size

    monkeypatch.setattr(database_module, "_copy_one", copy)
    monkeypatch.setattr(database_module, "_PAUSES", (0, 0, 0))
    with opened_copy(member, None, str(tmp_path)) as opened:
        assert opened.has("message", "text")
        assert {each.name for each in tmp_path.iterdir()} == {"chat.db", "chat.db-wal"}
    writes += [1, 2, 3]
    with pytest.raises(SourceError, match="written each time"), opened_copy(member, None, str(tmp_path)):
        pass
    assert {each.name for each in tmp_path.iterdir()} == {"chat.db", "chat.db-wal"}

"""Backups of SMS Backup & Restore: people, groups, MMS, calls, halves of emoji, large attachments, damage."""

from __future__ import annotations

import io
import json
from datetime import UTC
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest

from memd.connectors.chats.phone_contacts import number_key
from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.sms_backup.connector import SmsBackupConnector
from memd.connectors.formats.sms_backup.repair import RepairedXml
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.test_file_counts import counts
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.memory.test_merge import after, contents

OPTIONS = ReadOptions(zone=UTC, zone_origin="option", me="Ann")
START = 1_705_320_000_250
BO, CLEO = "+491712345678", "+15550100"


def element(name: str, inner: str = "", /, **values: str | int) -> str:
    """An element with its attributes."""
    attributes = "".join(f" {key}={quoteattr(str(value))}" for key, value in values.items())
    return f"<{name}{attributes}>{inner}</{name}>" if inner else f"<{name}{attributes} />"


def sms(number: int, body: str, kind: int = 1, address: str = BO, name: str = "Bo", **more: str | int) -> str:
    """A text message of a minute."""
    values = {"protocol": 0, "address": address, "date": START + number * 60_000, "type": kind, "body": body, "read": 1}
    return element("sms", **values, contact_name=name, **more)


def mms(
    number: int, *parts: str, box: int = 1, address: str = BO, name: str = "Bo", sender: str = "", **more: str
) -> str:
    """A message of several parts."""
    inner = f"<parts>{''.join(parts)}</parts>"
    if sender:
        inner += f"<addrs>{element('addr', address=sender, type=137)}{element('addr', address=CLEO, type=151)}</addrs>"
    values = {"date": START + number * 60_000, "msg_box": box, "address": address, "contact_name": name, "sub": "null"}
    return element("mms", inner, **{**values, **more})


def part(kind: str, **values: str) -> str:
    """A part of an MMS."""
    return element("part", ct=kind, **{"name": "null", **values})


SMIL = part("application/smil", text="<smil/>")
PHOTO = part("image/jpeg", cl="boat.jpg", data="AQID+g==")


def call(number: int, kind: int, duration: int = 0, address: str = BO, name: str = "Bo") -> str:
    """An entry of the list of calls."""
    values = {"number": address, "duration": duration, "date": START + number * 60_000, "type": kind}
    return element("call", **values, contact_name=name)


def backup(*records: str, root: str = "smses") -> bytes:
    """A file."""
    head = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<!--File Created By SMS Backup & Restore v10-->\n"
    lines = "".join(f"  {record}\n" for record in records)
    return f'{head}<{root} count="{len(records)}">\n{lines}</{root}>\n'.encode()


def read(*files: bytes, options: ReadOptions = OPTIONS) -> list[Record]:
    """What is read of files."""
    return list(SmsBackupConnector().read(Shelf("b", {f"sms-{n}.xml": data for n, data in enumerate(files)}), options))


def documents(records: list[Record]) -> list[ConversationDocument]:
    """The days."""
    return [each for each in records if isinstance(each, ConversationDocument)]


def messages(records: list[Record]) -> list[ConversationMessage]:
    """All messages."""
    return [message for each in documents(records) for message in each.messages]


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("sms_backup.message:MessageReader.read",)
    download = Download("the dinghy has a puncture", {"sms-20240115.xml": backup(sms(0, "The dinghy has a puncture"))})

    @pytest.fixture
    def connector(self) -> Connector:
        """The app's."""
        return SmsBackupConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Messages, a group with a picture, calls."""
        group = mms(
            2, SMIL, part("text/plain", text="Look"), PHOTO, address=f"{BO}~{CLEO}", name="Bo, Cleo", sender=CLEO
        )
        return {
            "messages": {"sms-20240115.xml": backup(sms(0, "Hello"), sms(1, "Hi", 2), group)},
            "calls": {"calls-20240115.xml": backup(call(0, 1, 61), call(1, 3), root="calls")},
        }


def test_both_sides_of_a_chat_are_one_chat() -> None:
    """Whatever way its number is written; the contact names the person, and the number is told."""
    records = read(backup(sms(0, "Hello"), sms(1, "Hi", 2, "0171 2345678"), sms(2, "x", 3), sms(3, "late", 5)))
    (document,) = documents(records)
    assert (document.id, document.metadata["title"]) == ("sms_backup:1712345678:2024-01-15", "Bo")
    assert [(each.speaker, each.content, each.status) for each in document.messages] == [
        ("Bo", "Hello", None),
        ("Ann", "Hi", "sent"),
        ("Ann", "late", "failed"),
    ]
    assert json.loads(document.metadata["identities"])["Bo"] == ["tel:+491712345678", "tel:01712345678"]
    assert document.messages[0].time.isoformat() == "2024-01-15T12:00:00.250000+00:00"


def test_a_number_is_a_person_and_so_is_a_contact() -> None:
    """Somebody without a contact is called by the number; two numbers of a contact are one person in two chats."""
    records = read(backup(sms(0, "a", address=CLEO, name="(Unknown)"), sms(1, "b"), sms(2, "c", address="+4930123456")))
    assert [(each.id.split(":")[1], each.messages[0].speaker) for each in documents(records)] == [
        ("5550100", CLEO),
        ("1712345678", "Bo"),
        ("30123456", "Bo"),
    ]


def test_a_group_is_one_chat_with_its_senders() -> None:
    """Whoever writes; names stand in the order of numbers."""
    both: dict[str, Any] = {"address": f"{BO}~{CLEO}", "name": "Bo, Cleo"}
    records = read(
        backup(
            mms(0, SMIL, part("text/plain", text="Look"), PHOTO, sender=CLEO, sub="Boats", **both),
            mms(1, part("text/plain", text="Nice"), address=f"{CLEO}~{BO}", name="Cleo, Bo", sender=BO),
            mms(2, part("text/plain", text="Mine"), box=2, sender="insert-address-token", **both),
        )
    )
    (document,) = documents(records)
    assert (document.metadata["title"], document.metadata["group"]) == ("Bo, Cleo", "true")
    assert [(each.speaker, each.content) for each in document.messages] == [
        ("Cleo", "Look"),
        ("Bo", "Nice"),
        ("Ann", "Mine"),
    ]
    (photo,) = document.messages[0].attachments
    assert (photo.name, photo.mime, photo.size, photo.missing) == ("boat.jpg", "image/jpeg", 4, False)
    assert document.messages[0].metadata == {"subject": "Boats"}


@for_each(
    {
        "a picture": ((PHOTO,), "[photo]", "media"),
        "a contact": ((part("text/x-vCard", data="QQ=="),), "[contact]", "contact"),
        "nothing": ((SMIL,), "[message without text]", "unknown"),
    }.items()
)
def test_a_message_without_words_has_a_placeholder(name: str, case: tuple[tuple[str, ...], str, str]) -> None:
    """And says so in its kind."""
    parts, content, kind = case
    (message,) = messages(read(backup(mms(0, *parts))))
    assert (message.content, message.kind) == (content, kind), name


def test_calls_stand_in_the_chat_of_their_number() -> None:
    """With what became of them."""
    records = read(
        backup(sms(0, "Hello")), backup(call(1, 2, 61), call(2, 3), call(3, 3, 0, "-2", "(Unknown)"), root="calls")
    )
    first, withheld = documents(records)
    assert [(each.speaker, each.content, each.kind) for each in first.messages] == [
        ("Bo", "Hello", "text"),
        ("Ann", "[outgoing call]", "call"),
        ("Bo", "[missed call]", "call"),
    ]
    assert first.messages[1].metadata == {"duration_s": "61"}
    assert (withheld.id.split(":")[1], withheld.messages[0].speaker) == ("unknown", "unknown number")


def test_a_time_is_in_milliseconds_or_seconds() -> None:
    """Zero is none."""
    made = [mms(0, PHOTO, date=date) for date in ("1705320000250", "1705320000", "0", "null")]
    records = read(backup(*made))
    assert [each.time.isoformat()[11:] for each in messages(records)] == ["12:00:00+00:00", "12:00:00.250000+00:00"]
    assert [each.locator for each in records if isinstance(each, Rejected)] == ["b!sms-0.xml#/2", "b!sms-0.xml#/3"]


def test_a_later_backup_adds_what_is_new() -> None:
    """What both hold is one message each, because every backup gives it the same id."""
    first = read(backup(sms(0, "one"), sms(1, "two", 2), mms(2, PHOTO, m_id="m1")))
    later = read(backup(sms(1, "two", 2, "01712345678"), mms(2, PHOTO, m_id="m1"), sms(3, "three")))
    assert contents(after(*documents(first), *documents(later))) == ["one", "two", "[photo]", "three"]
    copies = read(backup(sms(0, "one")), backup(sms(0, "one")))
    assert [each.code for each in copies if isinstance(each, Notice)] == ["duplicate-message", "user-not-seen"]


def test_the_receipt_counts_the_records_of_each_file(tmp_path: Path) -> None:
    """Messages, what was rejected, and drafts and copies that were left out."""
    files = {
        "sms-1.xml": backup(sms(0, "one"), sms(1, "draft", 3), sms(2, "two"), element("sms", body="no time", type=1)),
        "sms-2.xml": backup(sms(2, "two"), sms(3, "three")),
        "calls-1.xml": backup(call(4, 1), root="calls"),
    }
    expected = {"calls-1.xml": (1, 0, 0), "sms-1.xml": (2, 1, 1), "sms-2.xml": (1, 0, 1)}
    assert counts(tmp_path / "backups", files, packed=True) == expected


@for_each([1, 7, 64, 65_536])
def test_references_and_attachments_are_repaired_wherever_a_block_ends(size: int) -> None:
    """Halves of emoji become whole, lone ones a mark, forbidden characters nothing; large data becomes its length."""
    data = "QUJD" * 3_000
    text = "a&#55357;&#56832;b&#xD83D;c&#0;&#10;d\x01"
    given = f'<smses><sms body="{text}" date="1" /> <part data="{data}" x="&#55357;&#56832;" /></smses>'.encode()
    stream, repaired = RepairedXml(io.BytesIO(given)), b""
    while block := stream.read(size):
        repaired += block
    head = '<smses><sms body="a&#128512;b&#65533;c&#10;d" date="1" /> '
    assert repaired.decode() == f'{head}<part data="~{len(data)}~" x="&#128512;" /></smses>'


def test_a_large_attachment_is_passed_over() -> None:
    """Its size is told; what comes behind it is read."""
    data = "QUJD" * 100_000
    (message,) = messages(
        read(backup(mms(0, part("video/mp4", name="a.mp4", data=data), part("text/plain", text="Look"))))
    )
    assert (message.content, message.attachments[0].size) == ("Look", 300_000)


def test_data_that_is_no_base_64_has_no_size() -> None:
    """The message is kept."""
    (message,) = messages(read(backup(mms(0, part("image/jpeg", data="=")))))
    assert (message.content, message.attachments[0].size) == ("[photo]", None)


def test_damage_costs_the_record_alone() -> None:
    """The next one is read; entities of the file's own are refused."""
    damaged = backup(
        sms(0, "one"), sms(1, "two").replace('read="1"', "read=1"), sms(2, "three"), sms(3, "four", date2="<")
    )
    records = read(damaged)
    assert [each.content for each in messages(records)] == ["one", "three", "four"]
    assert [each.locator for each in records if isinstance(each, Rejected)] == ["b!sms-0.xml#/1"]
    (cut,) = [each for each in read(backup(sms(0, "one"), sms(1, "two"))[:-60]) if isinstance(each, Rejected)]
    assert cut.reason == "the record cannot be read: damaged XML"
    hostile = (
        b'<smses count="1"> <sms body="a" date="x" type="1" /><!DOCTYPE a [<!ENTITY b "c">]><sms body="&b;" /></smses>'
    )
    assert messages(read(hostile)) == []


@for_each(
    {
        "+49 (171) 234-5678": "1712345678",
        "0049 171 2345678": "1712345678",
        "01712345678": "1712345678",
        "+1 555 010 0200": "5550100200",
        "15550100200": "5550100200",
        "(555) 010-0200": "5550100200",
        "+47 12 34 56 78": "12345678",
        "12345678": "12345678",
        "+86 138 1234 5678": "3812345678",
        "13812345678": "3812345678",
        "72727": "72727",
        "Post Bank": "post bank",
        "Ann@example.org": "ann@example.org",
        "insert-address-token": "",
        "-2": "",
        "???": "???",
    }.items()
)
def test_all_ways_to_write_a_number_have_one_key(written: str, key: str) -> None:
    """Senders that are no numbers keep their names."""
    assert number_key(written) == key

"""Google Voice: texts, groups, files, calls, voicemails; one chat for each number, whatever the pages are called."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.google_voice.connector import GoogleVoiceConnector
from memd.connectors.formats.google_voice.pages import is_page
from memd.connectors.reading.read_path import read_records
from memd.schemas import ConversationDocument, ConversationMessage, Rejected
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
BO, CY, OWN = "+15550100001", "+15550100003", "+15550100002"
CALLS = "Takeout/Voice/Calls/"


def page(title: str, body: str, *labels: str) -> bytes:
    """A page as Takeout writes it."""
    links = ", ".join(f'<a rel="tag" href="http://www.google.com/voice#{each.lower()}">{each}</a>' for each in labels)
    return (
        '<?xml version="1.0" ?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>{title}</title><style>.hChatLog {{color: red}}</style></head><body>{body}"
        f'<div class="tags">Labels:\n{links}</div><div class="deletedStatusContainer">User Deleted:\nFalse</div></body></html>'
    ).encode()


def card(number: str, name: str, kind: str = "sender") -> str:
    """Who wrote, or takes part."""
    shown = '<abbr class="fn" title="">Me</abbr>' if number == OWN else f'<span class="fn">{name}</span>'
    return f'<cite class="{kind} vcard"><a class="tel" href="tel:{number}">{shown}</a></cite>'


def text(minute: int, number: str, name: str, words: str, more: str = "") -> str:
    """A text of a minute."""
    time = f"2024-01-15T12:{minute:02d}:05.250+02:00"
    return (
        f'<div class="message"><abbr class="dt" title="{time}">Jan 15, 2024, 12:{minute:02d}:05\u202fPM\nEastern Time</abbr>:\n'
        f"{card(number, name)}:\n<q>{words}</q>\n{more}</div> "
    )


def texts(title: str, *messages: str, people: str = "") -> bytes:
    """A conversation."""
    return page(title, f'<div class="hChatLog hfeed">{people}{"".join(messages)}</div>', "Text", "Inbox")


def call(words: str, label: str, number: str, name: str, more: str = "", *labels: str) -> bytes:
    """A call."""
    return page(
        f"{words}\n{name}",
        f'<div class="haudio"><span class="album">Call Log for\n</span><span class="fn">{words}\n{name}</span>'
        f'<div class="contributor vcard">{words}\n<a class="tel" href="tel:{number}"><span class="fn">{name}</span></a></div>'
        f'<abbr class="published" title="2024-01-16T09:00:00.000-05:00">Jan 16, 2024, 9:00:00\u202fAM\nEastern Time</abbr>{more}</div>',
        label,
        *labels,
    )


PICTURE = '<div><img src="Bo Baker - Text - 2024-01-15T10_01_05Z-2-1" alt="Image MMS Attachment" /></div>'
LENGTH = '<abbr class="duration" title="PT1M23S">(00:01:23)</abbr>'
MAIL = (
    '<br /><span class="description"><span class="full-text">Call me about the keel.</span></span>'
    '<audio controls="controls" src="Bo Baker - Voicemail.mp3"><a rel="enclosure" href="Bo Baker - Voicemail.mp3">Audio</a></audio>'
)
TALK = texts(
    "Bo Baker", text(1, BO, "Bo Baker", "are you home?"), text(2, OWN, "", "yes &amp; busy<br>since noon", PICTURE)
)
NAMES = {
    "Bo Baker - Text - 2024-01-15T10_01_05Z.html": TALK,
    "Bo Baker - Text - 2024-01-15T10_01_05Z-2-1.jpg": b"\xff\xd8\xff\xe0\0\0\0\0",
    "Bo Baker - Received - 2024-01-16T14_00_00Z.html": call("Received call from", "Received", BO, "Bo Baker", LENGTH),
    "Bo Baker - Voicemail - 2024-01-16T14_00_00Z.html": call(
        "Voicemail from", "Voicemail", BO, "Bo Baker", MAIL, "Spam"
    ),
}
EXPORT = {f"{CALLS}{name}": data for name, data in NAMES.items()}


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("google_voice.pages:_text", "google_voice.pages:_call", "google_voice.message:PageReader._message")
    download = Download(
        "the ferryman takes no coins today",
        {
            f"{CALLS}Bo - Text - 2024-01-15T10_01_05Z.html": texts(
                "Bo", text(1, BO, "Bo", "the ferryman takes no coins today")
            )
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Google Voice's."""
        return GoogleVoiceConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A conversation, a call and a voicemail."""
        return {"voice": {name: data for name, data in EXPORT.items() if name.endswith(".html")}}


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything in an export."""
    return list(GoogleVoiceConnector().read(Shelf("export", files), options))


def days(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(files: Mapping[str, bytes]) -> list[ConversationMessage]:
    """The messages."""
    return [message for day in days(read(files)) for message in day.messages]


def test_texts_calls_and_voicemails_of_a_number_are_one_chat() -> None:
    """The owner is Me; times have their offset; words with their lines; what a call was, and how long."""
    first, second = days(read(EXPORT))
    assert (first.id, second.id) == ("google_voice:5550100001:2024-01-15", "google_voice:5550100001:2024-01-16")
    assert (first.conversation.user, first.metadata["title"]) == ("Me", "Bo Baker")
    assert [(m.speaker, m.content, str(m.time)) for m in first.messages] == [
        ("Bo Baker", "are you home?", "2024-01-15 10:01:05.250000+00:00"),
        ("Me", "yes & busy\nsince noon", "2024-01-15 10:02:05.250000+00:00"),
    ]
    (picture,) = first.messages[1].attachments
    assert (picture.name, picture.mime, picture.missing) == (
        "Bo Baker - Text - 2024-01-15T10_01_05Z-2-1.jpg",
        "image/jpeg",
        False,
    )
    taken, mail = second.messages
    assert (taken.speaker, taken.content, taken.kind, taken.metadata) == (
        "Bo Baker",
        "[incoming call]",
        "call",
        {"duration_s": "83"},
    )
    assert (mail.speaker, mail.content, mail.kind) == ("Bo Baker", "Call me about the keel.", "text")
    assert mail.metadata == {"voicemail": "true", "labels": "spam"}
    assert [(each.name, each.missing) for each in mail.attachments] == [("Bo Baker - Voicemail.mp3", True)]
    assert days(read(EXPORT, replace(OPTIONS, me="Ann")))[0].conversation.user == "Ann"


def test_a_group_is_one_chat_whatever_its_pages_are_called() -> None:
    """Its people are listed in each, in any order."""
    people = f'<div class="participants">Group conversation with:\n{card(BO, "Bo Baker")}, {card(CY, "Cy")}</div>'
    other = f'<div class="participants">Group conversation with:\n{card(CY, "Cy")}, {card(BO, "Bo Baker")}</div>'
    one = texts("Group Conversation", text(1, CY, "Cy", "who sails?"), people=people)
    two = texts("Group Conversation", text(2, OWN, "", "I do"), people=other)
    (day,) = days(read({f"{CALLS}Group Conversation - {n}.html": data for n, data in enumerate((one, two))}))
    assert day.id.startswith("google_voice:group-")
    assert (day.metadata["title"], day.metadata["group"]) == ("Bo Baker, Cy", "true")
    assert [(m.speaker, m.content) for m in day.messages] == [("Cy", "who sails?"), ("Me", "I do")]


def test_a_conversation_with_own_words_alone_has_its_chat() -> None:
    """By the name of its file, whose number other pages know; or by the number that is its name; a card tells the own number."""
    alone = texts("Me to\nBo Baker", text(3, OWN, "", "anybody?"))
    files = {**EXPORT, f"{CALLS}Bo Baker - Text - 2024-02-01T10_00_00Z.html": alone}
    assert {day.id.split(":")[1] for day in days(read(files))} == {"5550100001"}
    number = {f"{CALLS}{CY} - Text - 2024-02-01T10_00_00Z.html": alone}
    assert {day.id.split(":")[1] for day in days(read(number))} == {"5550100003"}
    cards = f"BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nitem1.TEL:{OWN}\nEND:VCARD\n".encode()
    named = texts(
        "Bo", text(1, OWN, "", "hi").replace('<abbr class="fn" title="">Me</abbr>', '<span class="fn">Ann</span>')
    )
    (day,) = days(read({"Voice/Phones.vcf": cards, f"{CALLS}Bo - Text - 2024-02-01T10_00_00Z.html": named}))
    assert [m.speaker for m in day.messages] == ["Me"]


@pytest.mark.parametrize(
    ("words", "label", "speaker", "content"),
    [
        ("Placed call to", "Placed", "Me", "[outgoing call]"),
        ("Missed call from", "Missed", "Bo", "[missed call]"),
        ("Recorded call with", "Recorded", "Bo", "[recorded call]"),
        ("Voicemail from", "Voicemail", "Bo", "[voicemail]"),
    ],
)
def test_calls(words: str, label: str, speaker: str, content: str) -> None:
    """By their labels, which are the same in every language."""
    (message,) = messages({f"{CALLS}x.html": call(words, label, BO, "Bo")})
    assert (message.speaker, message.content, message.kind) == (speaker, content, "call")


def test_nobody_and_nothing() -> None:
    """A withheld number, a message of a file alone, one that says nothing, one without a time."""
    (message,) = messages({f"{CALLS}x.html": call("Missed call from", "Missed", "", "")})
    assert message.speaker == "unknown number"
    contact = '<div><a class="vcard" href="Bo - Text-1-1">Contact card attachment</a></div>'
    body = (text(1, BO, "Bo", "MMS Received", PICTURE), text(2, BO, "Bo", "", contact), text(3, BO, "Bo", ""))
    records = read({f"{CALLS}x.html": texts("Bo", *body, text(4, BO, "Bo", "hm").replace("2024-01-15T", "once"))})
    assert [(m.content, m.kind) for day in days(records) for m in day.messages] == [
        ("MMS Received", "media"),
        ("[contact]", "contact"),
        ("[message without text]", "unknown"),
    ]
    assert [each.reason for each in records if isinstance(each, Rejected)] == [
        "a message without a time that can be read"
    ]


def test_a_later_takeout_has_the_same_ids() -> None:
    """So that nothing is doubled; a page that lies there twice is read once."""
    before, after = (
        messages(EXPORT),
        messages(EXPORT | {f"Takeout/Voice/Spam/{name}": data for name, data in NAMES.items()}),
    )
    assert [m.id for m in before] == [m.id for m in after]


@pytest.mark.slow
def test_pieces_of_a_takeout_are_one_export(tmp_path: Path) -> None:
    """Pictures and the owner's numbers may lie in another archive than the pages."""
    for number in (1, 2):
        with zipfile.ZipFile(tmp_path / f"takeout-20240115T101500Z-1-{number:03d}.zip", "w") as archive:
            for name, data in EXPORT.items():
                if name.endswith(".jpg") == (number == 2):
                    archive.writestr(name, data)
    (picture,) = [
        each
        for day in days([*read_records(tmp_path, OPTIONS)])
        for m in day.messages
        for each in m.attachments
        if "jpg" in each.name
    ]
    assert not picture.missing


def test_other_pages_are_not_of_google_voice() -> None:
    """A recording in an encyclopaedia, and a program that speaks of these pages."""
    assert not is_page(b'<html><body><div class="haudio"><span class="fn">A voice</span></div></body></html>')
    assert not is_page(b'soup.find("div", class_="hChatLog hfeed") # <div class="hChatLog hfeed">')

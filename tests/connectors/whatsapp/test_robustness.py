"""Damage: whatever happens to an export's bytes, nothing raises, nothing is lost silently, and the rest is intact."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector
from memd.connectors.formats.whatsapp import parser as read_module
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.text.line_blocks import blocks
from memd.schemas import Notice, Rejected
from memd.tests.connectors.whatsapp.sources import MemoryMember, codes, messages, options, read, source
from memd.tests.contracts.connector import ConnectorContract, Download, Samples
from memd.tests.effort import examples

ANDROID = """13.05.24, 10:00 - Messages and calls are end-to-end encrypted.
13.05.24, 10:01 - Ana - Maria: Grüße 👋
second line

13.05.24, 10:02 - Bo: <Media omitted>
14.05.24, 09:00 - Bo: IMG-20240514-WA0001.jpg (file attached)
14.05.24, 09:01 - Ana - Maria: This message was deleted
14.05.24, 09:02 - Bo: bye
"""
IOS = "".join(
    f"\u200e[5/{day}/24, 9:0{day % 10}:11\u202fPM] {who}\r\n"
    for day, who in ((13, "Bea: \u200eMessages are end-to-end encrypted."), (14, "Bea: hi"), (15, "~\u202fBo: 1\n2"))
)


class TestWhatsApp(ConnectorContract):
    """WhatsApp keeps the contract of connectors."""

    readers = ("whatsapp.message_body:recognise",)
    download = Download(
        "the kayak has a leak",
        {
            "WhatsApp Chat with Cleo.txt": b"15/01/2024, 10:00 - Cleo: The kayak has a leak\n15/01/2024, 10:01 - Ann: Oh no\n"
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """The connector itself."""
        return WhatsAppConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Android and iOS."""
        return {
            "WhatsApp Chat with Bo": {"chat.txt": ANDROID.encode(), "IMG-20240514-WA0001.jpg": b"\xff\xd8\xff\xe0\0"},
            "WhatsApp Chat - Bea": {"_chat.txt": IOS.encode()},
        }


def said(data: bytes) -> list[tuple[str, str, str]]:
    """(time, speaker, content) of all messages."""
    return [(m.time.isoformat(), m.speaker, m.content) for m in messages(read(source(data)))]


# Twenty days, so that one flipped byte cannot change what all dates mean.
LONG = "".join(f"{n:02}.05.24, 10:{n:02} - {'Ana' if n % 2 else 'Bo'}: message {n}\n" for n in range(1, 29)).encode()


def check_flipped_bytes(places: range) -> None:
    """One flipped byte changes at most its own message and the one it may be joined to."""
    whole = said(LONG)
    chance = random.Random(places.step)
    for place in places:
        data = bytearray(LONG)
        data[place] ^= chance.choice((1, 2, 4, 8, 16, 32, 64, 128, 255))
        line = LONG.count(b"\n", 0, place)
        rest = [message for index, message in enumerate(whole) if index not in (line - 1, line, line + 1)]
        kept = set(said(bytes(data)))
        names_changed = [message for message in rest if message not in kept]
        assert names_changed == [], (place, bytes(data[place - 20 : place + 20]))


@pytest.mark.slow
def test_a_flipped_byte_touches_its_message_and_the_one_before() -> None:
    """One flipped byte changes at most its own message and the one it may be joined to, in every seventh place."""
    check_flipped_bytes(range(0, len(LONG), 7))


@pytest.mark.long
def test_each_flipped_byte_touches_its_message_and_the_one_before() -> None:
    """The same in every place."""
    check_flipped_bytes(range(len(LONG)))


@pytest.mark.slow
def test_any_truncation_keeps_what_is_before_it() -> None:
    """Cut anywhere, all messages before the cut line are as they were."""
    whole = said(LONG)
    for place in range(0, len(LONG), 7):
        complete = LONG.count(b"\n", 0, place)
        if complete > 13:
            assert whole[: complete - 1] == said(LONG[:place])[: complete - 1]


def test_text_before_the_first_header_is_rejected() -> None:
    """What stands before the first message is told with its line."""
    records = read(source("lost words\nmore\n13.05.24, 10:00 - Ana: x\n"))

    assert [r.locator for r in records if isinstance(r, Rejected)] == ["WhatsApp Chat with Bea.txt:1"]
    assert [m.content for m in messages(records)] == ["x"]


def test_undecodable_bytes_are_told() -> None:
    """Bytes that are no UTF-8 become U+FFFD with a notice; a U+FFFD that was there before is no news."""
    broken = read(source(b"13.05.24, 10:00 - Ana: a\xffb\n"))
    whole = read(source("13.05.24, 10:00 - Ana: a\ufffdb\n"))

    assert ["a\ufffdb"] == [m.content for m in messages(broken)] == [m.content for m in messages(whole)]
    assert "undecodable-bytes" in codes(broken)
    assert "undecodable-bytes" not in codes(whole)
    assert [int(r.locator.rpartition(":")[2]) for r in broken if isinstance(r, Notice) and "bytes" in r.code] == [1]


def test_a_message_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message above the limit is rejected with its line, in one line or in many, and the next is read."""
    monkeypatch.setattr(read_module, "MESSAGE_CAP", 3 << 20)
    for filler in ("x" * (4 << 20), "x\n" * (2 << 20)):
        text = f"13.05.24, 10:00 - Ana: a\n13.05.24, 10:01 - Ana: {filler}\n13.05.24, 10:02 - Ana: c\n"
        records = read(source(text))
        assert [m.content for m in messages(records)] == ["a", "c"]
        assert [r.locator for r in records if isinstance(r, Rejected)] == ["WhatsApp Chat with Bea.txt:2"]


def test_nothing_to_read() -> None:
    """A text without messages is rejected as a whole."""
    assert codes(read(source("Dear diary\n"))) == ["rejected"]
    assert WhatsAppConnector().sniff(source("Dear diary\n")) == 0.0


SAID = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1, max_size=60)


@pytest.mark.slow
@settings(max_examples=examples(30), deadline=None)
@given(bodies=st.lists(SAID, min_size=1, max_size=5), cut=st.integers(1, 60))
def test_any_words_come_back(bodies: list[str], cut: int) -> None:
    """Any text that does not look like something of WhatsApp's comes back as it was, however the file is read."""
    bodies = [f"w{body}w" for body in bodies]
    text = "".join(f"13.05.24, 10:00 - Ana: {body}\n" for body in bodies)

    assert bodies == [m.content for m in messages(read(source(text)))]
    data = text.encode()
    chunked = MemoryMember("x", data).open()
    assert "\n" + text[:-1] == "".join(block.text for block in blocks(chunked))
    assert cut


def test_options_are_not_needed_for_a_survey() -> None:
    """The first look counts messages and names who wrote, the most frequent first."""
    preview = WhatsAppConnector().preview(source(ANDROID), options())

    assert (preview.messages, list(preview.speakers), preview.title) == (6, ["Bo", "Ana - Maria"], "Bea")

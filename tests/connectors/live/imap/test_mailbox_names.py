"""Names of folders in modified UTF-7 and in UTF-8."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.live.imap.mailbox_names import decode_name, encode_name
from memd.tests.cases import for_each

NAMES = {
    b"INBOX": "INBOX",
    b"Entw&APw-rfe": "Entwürfe",
    b"&U,BTFw-/&ZeVnLIqe-": "台北/日本語",
    b"Arbeit &- Reise": "Arbeit & Reise",
    b"&2D3eAA-": "😀",
    b"~peter/mail/&U,BTFw-": "~peter/mail/台北",
}


@for_each(NAMES.items())
def test_names_of_the_standard(raw: bytes, name: str) -> None:
    """There and back."""
    assert decode_name(raw) == name
    assert encode_name(name) == raw


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda name: name.upper() != "INBOX"))
def test_every_name_goes_there_and_back(name: str) -> None:
    """Encoded names are ASCII that may be printed."""
    raw = encode_name(name)
    assert all(0x20 <= byte < 0x7F for byte in raw)
    assert decode_name(raw) == name


@given(st.binary())
def test_no_name_is_too_odd(raw: bytes) -> None:
    """Whatever a server calls a folder, people see something."""
    decode_name(raw).encode()


@for_each(
    [
        (b"inbox", "INBOX"),
        ("Entwürfe".encode(), "Entwürfe"),
        ("R&D – Entwürfe".encode(), "R&D – Entwürfe"),
        (b"R&D", "R&D"),
        (b"&AAA", "&AAA"),
        (b"&2D0-", "&2D0-"),
        (b"&A-", "&A-"),
    ]
)
def test_names_that_are_not_encoded_stand_as_they_are(raw: bytes, name: str) -> None:
    """UTF-8 of servers that were told so, and what only looks like UTF-7."""
    assert decode_name(raw) == name

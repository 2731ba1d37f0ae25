"""Names of folders in modified UTF-7 and in UTF-8."""

from __future__ import annotations

from binascii import b2a_base64

from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.live.imap.mailbox_names import decode_name
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
    """The examples of RFC 3501, and others."""
    assert decode_name(raw) == name


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_every_encoded_name_is_read(name: str) -> None:
    """Whatever characters it has."""
    data = b2a_base64(name.encode("utf-16-be"), newline=False).rstrip(b"=").replace(b"/", b",")
    assert decode_name(b"&" + data + b"-") == name


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

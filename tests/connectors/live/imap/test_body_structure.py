"""Which parts of a mail a BODYSTRUCTURE tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.live.imap.body_structure import BodyPart, body_parts
from memd.connectors.live.imap.errors import ProtocolError
from memd.connectors.live.imap.frames import ReaderLimits
from memd.connectors.live.imap.values import parse_values
from memd.tests.cases import for_each

PLAIN = b'("TEXT" "PLAIN" ("CHARSET" "us-ascii") NIL NIL "7BIT" 1152 23)'
HTML = b'("text" "html" ("charset" "utf-8") NIL NIL "base64" 3000 40 NIL ("inline" NIL) NIL NIL)'
PDF = (
    b'("application" "pdf" ("name" "=?utf-8?q?Rechnung=20M=C3=A4rz=2Epdf?=") NIL NIL "BASE64" 900000 NIL '
    b'("attachment" ("filename" "=?utf-8?q?Rechnung=20M=C3=A4rz=2Epdf?=")) NIL NIL)'
)
NOTES = b'("text" "plain" ("charset" "utf-8" "name" "notes.txt") NIL NIL "8bit" 5 1 NIL ("attachment" ("filename" "notes.txt")) NIL)'
INNER = (
    b'("message" "rfc822" NIL NIL NIL "7bit" 2000 (NIL "Fwd" NIL NIL NIL NIL NIL NIL NIL NIL) ('
    + PLAIN
    + PDF
    + b' "mixed") 60 '
    b'NIL ("attachment" ("filename" "mail.eml")) NIL)'
)


def parts(text: bytes) -> tuple[BodyPart, ...]:
    """The parts of a structure as a server writes it."""
    (value,) = parse_values([text], ReaderLimits())
    return body_parts(value)


def test_a_mail_of_one_part() -> None:
    """Its only part is number 1."""
    (only,) = parts(PLAIN)
    assert (only.section, only.mime, only.size, only.encoding, only.is_text) == ("1", "text/plain", 1152, "7bit", True)
    assert only.parameters == {"charset": "us-ascii"}


def test_parts_inside_parts() -> None:
    """Numbers follow the nesting; what stands behind the parts is none."""
    alternative = b"(" + PLAIN + HTML + b' "alternative" ("boundary" "b") NIL NIL)'
    found = parts(b"(" + alternative + PDF + NOTES + INNER + b' "mixed" ("boundary" "a") NIL ("de" "en") NIL)')
    assert [(each.section, each.mime, each.is_text) for each in found] == [
        ("1.1", "text/plain", True),
        ("1.2", "text/html", True),
        ("2", "application/pdf", False),
        ("3", "text/plain", False),
        ("4", "message/rfc822", False),
    ]
    assert [each.filename for each in found] == ["", "", "Rechnung März.pdf", "notes.txt", "mail.eml"]
    assert (found[1].disposition, found[2].disposition, found[2].size) == ("inline", "attachment", 900000)


@for_each([b"NIL", b"()", b'("text" "plain")', b'(("text" "plain") "mixed")', b"word", b'("a" "b" NIL NIL NIL NIL x)'])
def test_what_is_no_structure_is_told(text: bytes) -> None:
    """Some servers leave fields out where a mail is broken."""
    with pytest.raises(ProtocolError):
        parts(text)


values = st.recursive(
    st.sampled_from([b"NIL", b'"text"', b'"plain"', b"12", b'"x"', b"word"]),
    lambda inner: st.lists(inner, max_size=9).map(lambda each: b"(" + b" ".join(each) + b")"),
    max_leaves=30,
)


@given(values)
def test_any_values_are_read_or_told(text: bytes) -> None:
    """Nothing that a server sends there is another error."""
    try:
        parts(text)
    except ProtocolError:
        return

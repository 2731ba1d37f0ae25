"""Words within signatures: of S/MIME that holds the mail itself, and of OpenPGP's text armour."""

from __future__ import annotations

from base64 import b64encode

import pytest

from memd.connectors.formats.mail.mailbox import parse_message
from memd.connectors.formats.mail.signed import signed_mail
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import mail

_INNER = b"Content-Type: text/plain\r\n\r\nThe buoys are green.\r\n"
_DATA, _SIGNED = bytes.fromhex("06092a864886f70d010701"), bytes.fromhex("06092a864886f70d010702")


def _definite(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes((tag, 0x81, len(content))) + content


def _indefinite(tag: int, *parts: bytes) -> bytes:
    return bytes((tag, 0x80)) + b"".join(parts) + b"\0\0"


_WHOLE = _definite(
    0x30,
    _SIGNED,
    _definite(
        0xA0,
        _definite(
            0x30,
            b"\x02\x01\x01",
            b"\x31\0",
            _definite(0x30, _DATA, _definite(0xA0, _definite(0x04, _INNER))),
            b"\x31\0",
        ),
    ),
)
_IN_PIECES = _indefinite(
    0x30,
    _SIGNED,
    _indefinite(
        0xA0,
        _indefinite(
            0x30,
            b"\x02\x01\x01",
            b"\x31\0",
            _indefinite(
                0x30,
                _DATA,
                _indefinite(0xA0, _indefinite(0x24, _definite(0x04, _INNER[:20]), _definite(0x04, _INNER[20:]))),
            ),
            b"\x31\0",
        ),
    ),
)


def _smime(data: bytes) -> bytes:
    return mail(
        b64encode(data).decode() + "\n",
        Content_Type="application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
        Content_Transfer_Encoding="base64",
    )


@for_each([_WHOLE, _IN_PIECES])
def test_a_mail_within_its_signature_is_read(data: bytes) -> None:
    """Outlook signs so; only encrypted mail is encrypted."""
    parsed = parse_message(_smime(data))
    assert (parsed.body.strip(), parsed.encrypted) == ("The buoys are green.", False)
    assert [each.name for each in parsed.attachments] == ["smime.p7m"]


@for_each([_WHOLE[:60], _WHOLE.replace(_SIGNED, _SIGNED[:-1] + b"\x03"), b"\x30\x80" * 5000, b""])
def test_data_that_holds_no_signed_mail_stays_encrypted(data: bytes) -> None:
    """Cut, encrypted, nested without end, or empty."""
    parsed = parse_message(_smime(data))
    assert parsed.body.strip() == ""
    assert parsed.encrypted


def test_data_of_countless_elements_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's mail may hold millions of them; what is read of it is bounded, and nothing keeps them."""
    monkeypatch.setattr("memd.connectors.formats.mail.signed._MOST", 60)
    assert signed_mail(_IN_PIECES) == _INNER
    assert signed_mail(_IN_PIECES.replace(_definite(0x04, _INNER[:20]), b"\x04\0" * 60)) is None
    whole = _definite(0x30, _SIGNED, b"\x05\0" * 50)
    assert signed_mail(whole) is None


def test_the_armour_of_openpgp_is_no_word_of_a_mail() -> None:
    """Signed words lose the lines around them and their escapes; encrypted ones are marked."""
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe buoys are green.\n- -- \nAnn\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQEz/BEB\n=abcd\n-----END PGP SIGNATURE-----\n"
    )
    encrypted = "-----BEGIN PGP MESSAGE-----\n\nhQEMA5\n=abcd\n-----END PGP MESSAGE-----\n"
    assert parse_message(mail(signed)).body == "The buoys are green.\n-- \nAnn\n"
    both = parse_message(mail(f"See below.\n{encrypted}"))
    assert (both.body, both.encrypted) == ("See below.\n[encrypted]\n", True)
    alone = parse_message(mail(encrypted))
    assert (alone.body, alone.encrypted) == ("", True)

"""Rates the likeness of bytes to the headers of a mail. Pure."""

from __future__ import annotations

import re

_HEADER_LINE = re.compile(rb"([!-9;-~]{1,80})[ \t]*:(?:[^\n]*\n)")
_CONTINUED = re.compile(rb"[ \t]+[^\n]*\n")
_OF_MAIL = frozenset(
    b"from to cc subject date message-id received return-path mime-version delivered-to content-type references "
    b"in-reply-to reply-to sender x-mailer user-agent dkim-signature content-transfer-encoding x-received "
    b"arc-seal x-gm-thrid x-gmail-labels thread-topic thread-index resent-from x-originating-ip list-id".split()
)
_TELLING = frozenset(b"message-id received return-path mime-version delivered-to dkim-signature x-received".split())
_NEWS = frozenset(b"path newsgroups xref".split())


def likeness(text: bytes) -> float:
    """Return the confidence that the text begins with headers of a mail."""
    names: list[bytes] = []
    place = 0
    while len(names) < 60:
        match = _HEADER_LINE.match(text, place)
        if match is None:
            break
        names.append(match[1].lower())
        place = match.end()
        while continued := _CONTINUED.match(text, place):
            place = continued.end()
    names_of_mail = set(names) & _OF_MAIL
    if not names or (len(names_of_mail) * 3 < len(set(names)) and not names_of_mail & _TELLING):
        return 0.0
    telling = names_of_mail & _TELLING or set(names) & _NEWS
    if b"from" in names_of_mail and len(names_of_mail) >= 3 and telling:
        return 0.95
    if len(names_of_mail) >= 3 and (telling or b"from" in names_of_mail):
        return 0.8
    return 0.6 if len(names_of_mail) >= 2 and (b"from" in names_of_mail or telling) else 0.0

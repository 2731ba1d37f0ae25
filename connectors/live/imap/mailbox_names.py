"""The names of folders: modified UTF-7 (RFC 3501, section 5.1.3), or UTF-8 if it was agreed with the server. No I/O.

A name is kept as the bytes that the server sent, for these alone name the folder in a command; the text is for people.
"""

from __future__ import annotations

import binascii
import re

_SHIFTED = re.compile(rb"&([A-Za-z0-9+,]*)-")
_PLAIN = re.compile(rb"[\x20-\x7e]*\Z")


def decode_name(name: bytes) -> str:
    """Return the readable name of a mailbox. A name that is neither valid UTF-7 nor valid UTF-8 is returned as it
    stands.
    """
    if name.upper() == b"INBOX":
        return "INBOX"
    if not _PLAIN.match(name) or b"&" not in name:
        return name.decode("utf-8", "replace")
    try:
        return _SHIFTED.sub(_unshifted, name).decode("utf-8")
    except ValueError:
        return name.decode("ascii")


def _unshifted(match: re.Match[bytes]) -> bytes:
    if not match[1]:
        return b"&"
    if len(match[1]) % 4 == 1:
        raise ValueError("no base64")
    data = binascii.a2b_base64(match[1].replace(b",", b"/") + b"=" * (-len(match[1]) % 4))
    return data.decode("utf-16-be").encode()

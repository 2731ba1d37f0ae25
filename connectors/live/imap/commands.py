"""Commands as bytes. No I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTABLE = re.compile(rb"[\x01-\x09\x0b\x0c\x0e-\x7f]{0,1000}\Z")
WEIGHT = 4
"""The weight of an ordinary command."""
_SHORT_LITERAL = 4096
"""Bytes that a server with LITERAL- takes without being asked."""


@dataclass(frozen=True, slots=True)
class Text:
    """An argument that may contain any byte but NUL: a password, the name of a folder."""

    value: bytes


Part = bytes | Text


@dataclass(frozen=True, slots=True)
class Command:
    """A command without its tag: words, which are sent as they are, and texts, which are quoted."""

    parts: tuple[Part, ...]
    weight: int = WEIGHT
    """The share of a command in the limit on commands in flight: smaller if the answer is short."""

    @classmethod
    def of(cls, *parts: Part) -> Command:
        """Return the command of these words, with a blank between any two."""
        return cls(parts)

    def encoded(self, tag: bytes, capabilities: frozenset[str] = frozenset()) -> list[bytes]:
        """Return the pieces to send; before each piece but the first, the server must ask for it.

        Raises:
            ValueError: a text has a NUL, which IMAP cannot send.
        """
        pieces: list[bytes] = []
        line = tag
        for part in self.parts:
            if isinstance(part, bytes):
                line += b" " + part
            elif _QUOTABLE.match(part.value):
                line += b' "' + part.value.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
            elif b"\0" in part.value:
                raise ValueError("a text for the server has a NUL in it")
            elif "LITERAL+" in capabilities or ("LITERAL-" in capabilities and len(part.value) <= _SHORT_LITERAL):
                line += b" {%d+}\r\n" % len(part.value) + part.value
            else:
                pieces.append(line + b" {%d}\r\n" % len(part.value))
                line = part.value
        return [*pieces, line + b"\r\n"]

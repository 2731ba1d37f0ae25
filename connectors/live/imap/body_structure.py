"""BODYSTRUCTURE: the parts of a mail, and which of them are worth fetching alone. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from ...formats.mail.headers import decoded
from .errors import ProtocolError
from .values import Value, bytes_of, list_of, number_of, word_of


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A part without parts of its own, or a whole mail inside a mail."""

    section: str
    """The number of the part in commands: ``2.1``. The only part of a mail without parts is ``1``."""
    mime: str
    """``text/plain``, in small letters."""
    size: int
    """Bytes as they are sent, in its transfer encoding."""
    parameters: dict[str, str]
    """The parameters of the content type (``charset``, ``name``), keys in lower case."""
    encoding: str
    """``base64``, in small letters."""
    disposition: str
    """The disposition in lower case: ``attachment``, ``inline``; empty if the mail does not say."""
    filename: str

    @property
    def is_text(self) -> bool:
        """Return whether the part is text to be read, and not a file."""
        return self.mime in ("text/plain", "text/html", "text/calendar", "text/enriched") and not (
            self.disposition == "attachment" or (self.filename and self.mime != "text/calendar")
        )


def body_parts(structure: Value) -> tuple[BodyPart, ...]:
    """Return the parts in a BODYSTRUCTURE, in order; a mail inside the mail is one part.

    Raises:
        ProtocolError: it is none.
    """
    fields = list_of(structure)
    if not _is_multipart(fields):
        return (_part("1", fields),)
    return tuple(_parts("", fields))


def is_multipart(structure: Value) -> bool:
    """Return whether a BODYSTRUCTURE is that of a multipart mail, or of one part in an envelope of its own."""
    return _is_multipart(list_of(structure))


def _is_multipart(fields: list[Value]) -> bool:
    return bool(fields) and isinstance(fields[0], list)


def _parts(prefix: str, fields: list[Value]) -> Iterator[BodyPart]:
    """Yield the parts of a multipart. The reader's limit of depth bounds the recursion."""
    # After the parts comes the subtype.
    for number, value in enumerate(takewhile(lambda each: isinstance(each, list), fields), start=1):
        inner = list_of(value)
        section = f"{prefix}{number}"
        if _is_multipart(inner):
            yield from _parts(f"{section}.", inner)
        else:
            yield _part(section, inner)


def _part(section: str, fields: list[Value]) -> BodyPart:
    if len(fields) < 7:
        raise ProtocolError("a BODYSTRUCTURE has a part without its fields")
    mime = f"{word_of(fields[0])}/{word_of(fields[1])}".lower()
    parameters = _parameters(fields[2])
    # After the seven fields of every part come, for a text, its lines; for a mail, its envelope, structure and lines.
    extensions = 7 + (1 if mime.startswith("text/") else 3 if mime in ("message/rfc822", "message/global") else 0)
    # Then the checksum, then the disposition.
    disposition, more = _disposition(fields[extensions + 1] if len(fields) > extensions + 1 else None)
    name = more.get("filename", "") or more.get("filename*", "") or parameters.get("name", "")
    return BodyPart(
        section=section,
        mime=mime,
        size=0 if fields[6] is None else number_of(fields[6]),
        parameters=parameters,
        encoding=word_of(fields[5]).lower(),
        disposition=disposition,
        filename=decoded(name),
    )


def _parameters(value: Value) -> dict[str, str]:
    fields = list_of(value)
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return {word_of(name).lower(): (bytes_of(text) or b"").decode("utf-8", "replace") for name, text in pairs}


def _disposition(value: Value) -> tuple[str, dict[str, str]]:
    if not isinstance(value, list):
        return "", {}
    fields = list_of(value)
    return word_of(fields[0]).lower() if fields else "", _parameters(fields[1] if len(fields) > 1 else None)

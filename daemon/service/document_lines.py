"""Documents as JSON lines, from a request's body: parsed, checked, and told apart from what could not be read. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

import orjson

from ...connectors.text.json_parsing import parse_json
from ...memory.ingest.batching import DayDigest
from ...schemas import Document, Notice, Rejected, document_from_wire
from ...schemas.errors import InvalidError
from ...schemas.wire import repeated_key_notice, replaced_text
from ..client import place_in
from ..notices import Notices

REASONS = 20
"""The number of rejected records that are kept with their reasons; all are counted."""


@dataclass(slots=True)
class Lines:
    """The contents of a body."""

    documents: list[Document] = field(default_factory=list["Document"])
    places: list[str] = field(default_factory=list[str])
    """For each document the place where its sender read it, see `client.place_line`; empty if not given."""
    notices: Notices = field(default_factory=Notices)
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    """The first ones: a body of millions of broken lines is not to take a hundred times its room."""
    refused: int = 0
    """The number of rejected records."""

    def reject(self, record: Rejected) -> None:
        """Count it, keep it if it is one of the first."""
        self.refused += 1
        if len(self.rejected) < REASONS:
            self.rejected.append(record)


def read_lines(body: bytes) -> Lines:
    """Every line is a document, or rejected with its number; blank lines are nothing."""
    read = Lines()
    place = ""
    for number, line in enumerate(_lines(body), start=1):
        if not line.strip():
            continue
        if (read_at := place_in(line)) is not None:
            place = read_at
            continue
        locator = f"line {number}"
        try:
            parsed = parse_json(line)
        except ValueError as error:
            read.reject(Rejected(locator=locator, reason=str(error)))
            continue
        if parsed.replaced:
            read.notices.add(replaced_text(locator))
        if parsed.repeated is not None:
            read.notices.add(repeated_key_notice(locator, parsed.repeated))
        for record in document_from_wire(parsed.value, locator):
            if isinstance(record, Rejected):
                read.reject(record)
            elif isinstance(record, Notice):
                read.notices.add(record)
            else:
                read.documents.append(record)
                read.places.append(place)
    return read


def read_digests(body: bytes) -> list[DayDigest]:
    """Return the days that a body lists.

    Raises:
        InvalidError: a line is something else.
    """
    try:
        rows = [orjson.loads(line) for line in _lines(body) if line.strip()]
        return [DayDigest(UUID(key), str(chat), bytes.fromhex(digest)) for key, chat, digest in rows]
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidError("a line is no list of a key, a title and a SHA-256 in hexadecimal digits") from error


def _lines(body: bytes) -> Iterator[bytes]:
    begin = 0
    while (end := body.find(b"\n", begin)) >= 0:
        yield body[begin:end]
        begin = end + 1
    yield body[begin:]

"""Documents as JSON lines, from a request's body: parsed, checked, and told apart from what could not be read. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from ..schemas import Document, Notice, Rejected, document_from_wire


@dataclass(slots=True)
class Lines:
    """What a body held."""

    documents: list[Document] = field(default_factory=list["Document"])
    notices: list[Notice] = field(default_factory=list[Notice])
    rejected: list[Rejected] = field(default_factory=list[Rejected])


def read_lines(body: bytes) -> Lines:
    """Every line is a document, or rejected with its number; blank lines are nothing."""
    read = Lines()
    for number, line in enumerate(_lines(body), start=1):
        if not line.strip():
            continue
        locator = f"line {number}"
        try:
            data: object = orjson.loads(line)
        except orjson.JSONDecodeError:
            read.rejected.append(Rejected(locator=locator, reason="not a line of JSON"))
            continue
        for record in document_from_wire(data, locator):
            if isinstance(record, Rejected):
                read.rejected.append(record)
            elif isinstance(record, Notice):
                read.notices.append(record)
            else:
                read.documents.append(record)
    return read


def _lines(body: bytes) -> Iterable[bytes]:
    return body.split(b"\n")

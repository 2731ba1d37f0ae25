"""The records of a backup: text messages, MMS with their parts and addresses, calls. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...text.xml_stream import XmlEvent

SMS, MMS, CALL = "sms", "mms", "call"
_KINDS = (SMS, MMS, CALL)
_MOST = 1_000
"""The most parts, and addresses, of one message that are kept."""


@dataclass(slots=True)
class BackupRecord:
    """A record as it stands in the file."""

    kind: str
    values: dict[str, str]
    parts: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """Texts and files of an MMS."""
    addresses: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """The sender and the recipients of an MMS."""


def backup_records(events: Iterable[XmlEvent]) -> Iterator[BackupRecord]:
    """Yield every record that is complete.

    Raises:
        XmlError: the events raise it.
    """
    record: BackupRecord | None = None
    for event in events:
        if event.kind == "start":
            if event.name in _KINDS:
                record = BackupRecord(event.name, event.attributes)
            elif record is not None:
                rows = {"part": record.parts, "addr": record.addresses}.get(event.name)
                if rows is not None and len(rows) < _MOST:
                    rows.append(event.attributes)
        elif record is not None and event.kind == "end" and event.name == record.kind:
            yield record
            record = None


def value_of(values: dict[str, str], *names: str) -> str:
    """Return the first value that is there; the app writes ``null`` for none."""
    for name in names:
        value = values.get(name, "").strip()
        if value and value != "null":
            return value
    return ""

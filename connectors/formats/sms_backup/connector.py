"""Connector for SMS Backup & Restore: backups of text messages and calls of any size, as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...chats.phone_contacts import Contacts
from ...connector import Member, ReadOptions, Source
from ...files.whole_files import head_text
from ...opening.tracked_member import count_left_out
from ...record_faults import or_reason
from ...text.unicode import as_utf8
from ...text.xml_stream import XmlError, xml_records
from .message import MessageReader
from .records import backup_records
from .repair import RepairedXml

_BACKUP = re.compile(
    r"\s{0,20}(?:(?:<\?[^<>]{0,300}\?>|<!--[^<>]{0,300}-->)\s{0,20}){0,10}<(?:smses|calls)(?:\s[^<>]{0,500})?>\s{0,20}"
    r"(?:<(?:sms|mms|call)\s|</(?:smses|calls)>|\Z)|\s{0,20}(?:<\?[^<>]{0,300}\?>\s{0,20})?<smses\s[^<>]{0,500}/>"
)
_RECORD = re.compile(rb"<(?:sms|mms|call)\s")


class SmsBackupConnector(ExportConnector):
    """Reads backups of SMS Backup & Restore."""

    name = "sms_backup"
    program = "SMS Backup & Restore"

    def score(self, member: Member) -> float:
        """Return 1 for a file that begins like a backup."""
        return 1.0 if _BACKUP.match(head_text(member)) else 0.0

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Prepare the backups of a source."""
        backups = [member for member in source.members() if self.score(member)]
        if not backups:
            return None
        accounts = Accounts(options.me)
        contacts = Contacts(accounts)
        reader = MessageReader(contacts, accounts.user, options.zone)
        others = [member for member in source.members() if member not in backups]
        said = partial(read_members, backups, partial(_read, reader), alone=len(source.members()) == 1)
        return ChatExport(accounts, said, {}, others, reader.counts, contacts.links)


def _read(reader: MessageReader, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
    text = as_utf8(stream)
    read = or_reason(reader.read)
    records = xml_records(RepairedXml(text.stream), b"<smses>", _RECORD, backup_records)
    for number, record in enumerate(records):
        place = f"{member.locator}#/{number}"
        if isinstance(record, XmlError):
            yield Rejected(locator=place, reason=f"the record cannot be read: {record}")
            continue
        placed = read(record)
        if isinstance(placed, str):
            yield Rejected(locator=place, reason=placed)
        elif placed is None:
            count_left_out(member, "draft")
        else:
            yield Said(placed.chat, placed.metadata, placed.message, place)
    if text.replaced:
        yield replaced_text(member.locator)

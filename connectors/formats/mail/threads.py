"""Groups mails in memory into threads; whole mailboxes go through the spool instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from .documents import thread_header
from .message import MailMessage, answered_ids
from .spool import ThreadSpool
from .subjects import without_prefixes

_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MailThread:
    """The mails of one thread, by time; undated ones come first."""

    key: str
    """The id of the mail that began the thread, present or not."""
    subject: str
    """The subject of the first mail, without reply prefixes."""
    messages: tuple[MailMessage, ...]


def threads_of(mails: Iterable[MailMessage]) -> list[MailThread]:
    """Group mails into threads, ordered by the time of their first mail. Of copies of one mail the first is kept.

    Raises:
        SourceError: there is no room for a temporary file.
    """
    all_mails = list(mails)
    result: list[MailThread] = []
    with ThreadSpool() as spool:
        for index, mail in enumerate(all_mails):
            spool.add(thread_header(mail, mail.time or _UNDATED), {"index": index}, ())
        for thread in spool.threads():
            messages = tuple(all_mails[cast("int", each.data["index"])] for each in thread)
            followed = answered_ids(messages[0])
            key = followed[0] if followed else messages[0].key
            result.append(MailThread(key, without_prefixes(messages[0].subject)[0], messages))
    return result

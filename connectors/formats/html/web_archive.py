"""Reads web archives (MHTML): a page inside a MIME message. Pure."""

from __future__ import annotations

import email.message
import email.parser
import email.policy
import email.utils
from dataclasses import dataclass
from datetime import UTC, datetime

_MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class WebArchive:
    """The page of an archive, and its address and time from the headers of the archive."""

    page: bytes
    charset: str
    url: str
    saved: datetime | None


def web_archive(data: bytes) -> WebArchive | None:
    """Return the first page of an archive; None if it contains none."""
    message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(data)
    page = _page(message)
    if page is None:
        return None
    body = page.get_payload(decode=True)
    url = _header(message, "Snapshot-Content-Location") or _header(page, "Content-Location")
    charset = page.get_content_charset() or ""
    return WebArchive(body if isinstance(body, bytes) else b"", charset, url, _saved(_header(message, "Date")))


def _page(message: email.message.Message) -> email.message.Message | None:
    for count, part in enumerate(message.walk()):
        if count > _MOST_PARTS:
            break
        if part.get_content_type() in ("text/html", "application/xhtml+xml") and not part.is_multipart():
            return part
    return None


def _header(message: email.message.Message, name: str) -> str:
    value: object = message.get(name)
    return " ".join(str(value).split())[:4096] if value is not None else ""


def _saved(written: str) -> datetime | None:
    try:
        time = email.utils.parsedate_to_datetime(written)
        return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None

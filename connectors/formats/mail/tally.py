"""Counts the mails that deserve a notice (no time zone, cut, hidden text, left out), and words the notices. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ....schemas import Notice
from .message import MailMessage

_HINTS = {
    "zone-assumed": "{} date(s) have no zone; they are taken for {}",
    "mail-cut": "of {} very large mail(s) the last attachments were not looked at",
    "mail-parts-unread": "{} mail(s) have parts that are nested too deep, or too many: these were kept unread, as files",
    "hidden-text": "text that a reader does not see was left out of {} mail(s) in HTML",
}


def properties_of(mail: MailMessage, *, cut: bool) -> list[str]:
    """Return the codes of the notices that apply to a mail. ``cut``: not all of it was read."""
    reasons = (not mail.zoned, cut, mail.unread_parts, mail.hidden)
    return [code for code, reason in zip(_HINTS, reasons, strict=True) if reason] if any(reasons) else []


def notices_of(counts: Counter[str], zone: str, locator: str) -> Iterator[Notice]:
    """Yield the notices of counted `properties_of`; ``zone``: the one that was assumed, and how to choose another."""
    for code, hint in _HINTS.items():
        if counts[code]:
            yield Notice(code=code, locator=locator, hint=hint.format(counts[code], zone))


def about_left_out(counts: Counter[str], rule: str, locator: str) -> Iterator[Notice]:
    """Yield the notice of mails that were left out, counted by reason, if there are any."""
    if counts:
        words = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        hint = f"{counts.total()} mail(s) were left out by their {rule}: {words}"
        yield Notice(code="mail-left-out", locator=locator, hint=hint)

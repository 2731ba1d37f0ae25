"""Notices about a chat, for the readers of its documents. Pure; they contain no private text."""

from __future__ import annotations

from collections.abc import Iterator

from ....schemas import Notice
from ...chats.notices import user_not_seen, user_unknown
from ...connector import ReadOptions
from .parser import Tally
from .scan import ChatScan


def before_reading(scan: ChatScan, locator: str, options: ReadOptions) -> Iterator[Notice]:
    """Yield the notices about what the first pass left open or assumed."""
    if scan.order.rivals:
        rivals = " or ".join(scan.order.rivals)
        hint = f"dates were read as {scan.order.order} but may be {rivals}: --date-order decides"
        yield Notice(code="date-order-ambiguous", locator=locator, hint=hint)
    if scan.other_calendar:
        hint = "years are too small for the Gregorian calendar (Jalali or Hijri?); dates were kept as written"
        yield Notice(code="calendar-unknown", locator=locator, hint=hint)
    if scan.user is None:
        yield user_unknown(locator, "nothing shows who exported this chat")
    elif options.me is not None and scan.user not in scan.people():
        yield user_not_seen(locator, "chat")
    for line in scan.undecodable[:1]:
        hint = "bytes that are no text in the file's encoding became U+FFFD, first at or after this line"
        yield Notice(code="undecodable-bytes", locator=f"{locator}:{line}", hint=hint)


def after_reading(scan: ChatScan, tally: Tally, locator: str) -> Iterator[Notice]:
    """Yield the notices about what the second pass met."""
    if tally.impossible:
        hint = f"{tally.impossible} line(s) like a header with a date or time that does not exist were kept as text"
        yield Notice(code="impossible-date", locator=locator, hint=hint)
    odd = scan.headerlike + tally.pasted
    if odd:
        hint = f"{odd} message(s) hold lines like the header of a message; they were kept as text of that message"
        yield Notice(code="pasted-log", locator=locator, hint=hint)

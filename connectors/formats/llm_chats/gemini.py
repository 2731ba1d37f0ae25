"""Chats with Gemini out of Google Takeout: My Activity as JSON or HTML, and the conversations of Workspace accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...connector import Connector, Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.left_out import files_left_out
from ...opening.notice_places import place_of
from ...text.html.records import CUT_PAGE, html_records, is_cut
from ...text.json_fields import list_of, object_of, words_of
from ...text.unicode import as_utf8
from .activity_html import MARK, html_activity
from .documents import Chat, Tally, named, user_unknown
from .gemini_activity import SOURCE, Activity, Conversations, activity_of, is_gemini
from .gemini_turns import not_turns, turns_chat
from .members import RECORD_CAP, Value, by_kind, json_kind, surest, values

ACTIVITY, PAGE, TURNS = "activity", "page", "turns"
_SCORES = {ACTIVITY: 0.97, PAGE: 0.97, TURNS: 0.95}
_HEAD = 64 * 1024
_PRODUCT = re.compile(rb'"(?:header|products)"\s*:\s*\[?\s*"[^"]{0,80}(?:Gemini|Bard)', re.IGNORECASE)
_PAGE_PRODUCT = re.compile(rb"mdl-typography--title[^<]{0,20}>[^<]{0,80}(?:Gemini|Bard)", re.IGNORECASE)


class GeminiConnector:
    """Reads what Google keeps of chats with Gemini."""

    version = 1
    """Of what is read: told in receipts."""

    @property
    def name(self) -> str:
        """``gemini``."""
        return SOURCE

    def sniff(self, source: Source) -> float:
        """Sure when a first record of an activity is one of Gemini, or an object has the turns of a conversation."""
        return surest(source, _kind, _SCORES)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Nothing tells who exported."""
        place = _place(source, by_kind(source, _kind))
        notices = () if options.me else (user_unknown(place),)
        return Preview(format=self.name, title=source.name, user=options.me, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """One document for each conversation; of an activity, for prompts without a long pause between them."""
        files = by_kind(source, _kind)
        if not files.keys() - {""}:
            for member in source.members():
                yield Rejected(locator=member.locator, reason="no conversation of Gemini was found")
            return
        place = _place(source, files)
        if not options.me:
            yield user_unknown(place)
        tally = Tally()
        yield from named(_chats(files, options, tally), options, source.locator)
        yield from tally.notices(place)
        yield from files_left_out(files[""], source.locator)


def _place(source: Source, files: dict[str, list[Member]]) -> str:
    return place_of(source, [member for kind in (ACTIVITY, PAGE, TURNS) for member in files.get(kind, [])])


def _chats(files: dict[str, list[Member]], options: ReadOptions, tally: Tally) -> Iterator[Chat | Record]:
    alone = sum(map(len, files.values())) == 1
    user = options.me or UNKNOWN_USER
    for kind in (ACTIVITY, PAGE):
        for member in files.get(kind, []):
            joined = Conversations(user, options.zone_origin, tally)
            found = _json_activities if kind == ACTIVITY else _page_activities
            unknown_zones = 0
            for place, item in found(member, options, tally, alone=alone):
                if isinstance(item, Activity):
                    unknown_zones += not item.zone_known
                    for _ in range(item.unread):
                        yield Rejected(
                            locator=place, reason="a part of an answer must be a JSON object that holds something"
                        )
                    yield from joined.add(item, place)
                else:
                    yield item
            yield from joined.close()
            if unknown_zones:
                hint = f"{unknown_zones} record(s) name no zone that is known; they are taken for {options.zone}"
                yield Notice(code="zone-assumed", locator=member.locator, hint=hint)
    for member in files.get(TURNS, []):
        for item in values(member, _is_conversation, alone=alone):
            if isinstance(item, Value):
                yield from not_turns(object_of(item.value), item.locator)
                chat = turns_chat(object_of(item.value), user, options.zone, item.locator)
                yield Rejected(locator=item.locator, reason=chat) if isinstance(chat, str) else chat
            else:
                yield item


def _json_activities(
    member: Member, options: ReadOptions, tally: Tally, *, alone: bool
) -> Iterator[tuple[str, Activity | Record]]:
    for item in values(member, _is_record, alone=alone):
        if not isinstance(item, Value):
            yield member.locator, item
            continue
        record = object_of(item.value)
        labels = [words_of(record.get("header")), *map(words_of, list_of(record.get("products")))]
        if not record:
            yield item.locator, Rejected(locator=item.locator, reason="a record must be a JSON object")
        elif any(labels) and not is_gemini(labels):
            tally.add("activity-left-out")
        else:
            found = activity_of(record, options.zone)
            yield item.locator, Rejected(locator=item.locator, reason=found) if isinstance(found, str) else found


def _page_activities(
    member: Member, options: ReadOptions, tally: Tally, *, alone: bool
) -> Iterator[tuple[str, Activity | Record]]:
    try:
        stream = member.open()
    except SourceError as error:
        if alone:
            raise
        yield member.locator, refusal(member.locator, error)
        return
    with stream:
        try:
            pieces = html_records(as_utf8(stream).stream.read1, MARK, RECORD_CAP)
            piece = b""
            for number, piece in enumerate(pieces, -1):
                if number < 0:
                    continue  # styles and the title come first
                place = f"{member.locator}#/{number}"
                reason = f"more than {RECORD_CAP} bytes in one record"
                found = html_activity(piece, options.zone) if piece else reason
                if found is None:
                    tally.add("activity-left-out")
                else:
                    yield place, Rejected(locator=place, reason=found) if isinstance(found, str) else found
            if is_cut(piece):
                yield member.locator, Rejected(locator=member.locator, reason=CUT_PAGE)
        except SourceError as error:  # damaged in the middle: what came before stays
            yield member.locator, refusal(member.locator, error)


def _kind(member: Member) -> str:
    if kind := json_kind(member, _kind_of):
        return kind
    with suppress(SourceError), member.open() as stream:
        text = as_utf8(stream).stream
        head = text.read(_HEAD)
        if head.lstrip().startswith(b"<"):
            # The styles of a page may fill the whole head: the first record is looked for a little further on.
            head += text.read(7 * _HEAD)
            if MARK in head and _PAGE_PRODUCT.search(head):
                return PAGE
    return ""


def _kind_of(keys: set[str], head: bytes) -> str:
    if {"title", "time"} <= keys and keys & {"header", "products", "safeHtmlItem"} and _PRODUCT.search(head):
        return ACTIVITY
    return TURNS if "conversation_turns" in keys else ""


def _is_record(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and "title" in value and "time" in value


def _is_conversation(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and "conversation_turns" in value


if TYPE_CHECKING:
    _: type[Connector] = GeminiConnector

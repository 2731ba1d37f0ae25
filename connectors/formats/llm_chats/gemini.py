"""Reads chats with Gemini from Google Takeout: My Activity as JSON or HTML, and the conversations of Workspace
accounts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.chat_connector import ChatConnector
from ...chats.export_files import read_file
from ...chats.notices import user_unknown
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...files.file_connector import stem_of
from ...opening.left_out import files_left_out, without_messages
from ...opening.notice_places import place_of
from ...record_faults import or_rejected
from ...text.html.records import CUT_PAGE, html_records, is_cut
from ...text.json_fields import list_of, words_of
from ...text.unicode import as_utf8
from .activity_html import MARK, html_activity
from .documents import NOBODY, Chat, Tally, named
from .gemini_activity import ASSISTANT, SOURCE, Activity, Conversations, activity_of, is_gemini
from .gemini_turns import not_turns, turns_chat
from .members import RECORD_CAP, by_kind, json_kind, read_values
from .talks import ai_studio, as_chat

ACTIVITY, PAGE, TURNS, PROMPT = "activity", "page", "turns", "prompt"
_SCORES = {ACTIVITY: 0.97, PAGE: 0.97, TURNS: 0.95, PROMPT: 0.95}
_HEAD = 64 * 1024
_PRODUCT = re.compile(rb'"(?:header|products)"\s*:\s*\[?\s*"[^"]{0,80}(?:Gemini|Bard)', re.IGNORECASE)
_Found = tuple[Activity, str] | Record
"""An activity with its place, or a record such as a rejection."""
_PAGE_PRODUCT = re.compile(rb"mdl-typography--title[^<]{0,20}>[^<]{0,80}(?:Gemini|Bard)", re.IGNORECASE)


class GeminiConnector(ChatConnector):
    """Reads chats with Gemini from exports of Google."""

    name = SOURCE
    certain = max(_SCORES.values())

    def score(self, member: Member) -> float:
        """Return the score of the file's kind, 0 for a file that is not of Gemini."""
        return _SCORES.get(_kind(member), 0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the user if given; no export states who made it."""
        place = _place(source, by_kind(source, _kind))
        notices = () if options.me else (user_unknown(place, NOBODY),)
        return Preview(format=self.name, title=source.name, user=options.me, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield one document for each conversation; activities with no long pause between their prompts are one
        conversation.
        """
        files = by_kind(source, _kind)
        if not files.keys() - {""}:
            yield from without_messages(source, (), "conversation of Gemini")
            return
        place = _place(source, files)
        if not options.me:
            yield user_unknown(place, NOBODY)
        tally = Tally()
        yield from named(_chats(files, options, tally), options, source.locator)
        yield from tally.notices(place)
        yield from files_left_out(files[""], source.locator)


def _place(source: Source, files: dict[str, list[Member]]) -> str:
    return place_of(source, [member for kind in (ACTIVITY, PAGE, TURNS, PROMPT) for member in files.get(kind, [])])


def _chats(files: dict[str, list[Member]], options: ReadOptions, tally: Tally) -> Iterator[Chat | Record]:
    alone = sum(map(len, files.values())) == 1
    user = options.me or UNKNOWN_USER
    for kind in (ACTIVITY, PAGE):
        for member in files.get(kind, []):
            joined = Conversations(user, options.zone_origin, tally)
            read_activities = _json_activities if kind == ACTIVITY else _page_activities
            unknown_zones = 0
            for each in read_activities(member, options, tally, alone=alone):
                if isinstance(each, tuple):
                    item, place = each
                    unknown_zones += not item.zone_known
                    for _ in range(item.unread):
                        yield Rejected(
                            locator=place, reason="a part of an answer must be a JSON object that holds something"
                        )
                    yield from joined.add(item, place)
                else:
                    yield each
            yield from joined.close()
            if unknown_zones:
                hint = f"{unknown_zones} record(s) name no zone that is known; they are taken for {options.zone}"
                yield Notice(code="zone-assumed", locator=member.locator, hint=hint)

    def chat(record: dict[str, Any], place: str) -> Iterator[Chat | Record]:
        yield from not_turns(record, place)
        yield or_rejected(turns_chat(record, user, options.zone, place), place)

    yield from read_values(files.get(TURNS, []), _is_conversation, chat, alone=alone)
    for member in files.get(PROMPT, []):
        yield from _prompts(member, user, options, tally, alone=alone)


def _prompts(member: Member, user: str, options: ReadOptions, tally: Tally, *, alone: bool) -> Iterator[Chat | Record]:
    """Yield the chat of a file of AI Studio, whose name is its title."""

    def chat(record: dict[str, Any], place: str) -> Iterator[Chat | Record]:
        broken: list[str] = []
        titled = {**record, "title": stem_of(member.name)}
        made = as_chat(titled, ai_studio, SOURCE, ASSISTANT, user, options.zone, tally, place, broken)
        yield or_rejected(made, place)
        for reason in broken:
            yield Rejected(locator=place, reason=reason)

    return read_values([member], _is_prompt, chat, alone=alone)


def _is_prompt(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and "chunkedPrompt" in value


def _json_activities(member: Member, options: ReadOptions, tally: Tally, *, alone: bool) -> Iterator[_Found]:
    def activities(record: dict[str, Any], place: str) -> Iterator[_Found]:
        labels = [words_of(record.get("header")), *map(words_of, list_of(record.get("products")))]
        if not record:
            yield Rejected(locator=place, reason="a record must be a JSON object")
        elif any(labels) and not is_gemini(labels):
            tally.add("activity-left-out")
        else:
            yield _placed(activity_of(record, options.zone), place)

    return read_values([member], _is_record, activities, alone=alone)


def _page_activities(member: Member, options: ReadOptions, tally: Tally, *, alone: bool) -> Iterator[_Found]:
    def activities(stream: BinaryIO) -> Iterator[_Found]:
        piece = b""
        for number, piece in enumerate(html_records(as_utf8(stream).stream.read1, MARK, RECORD_CAP), -1):
            if number < 0:
                continue  # the first piece is the styles and the title
            reason = f"more than {RECORD_CAP} bytes in one record"
            activity = html_activity(piece, options.zone) if piece else reason
            if activity is None:
                tally.add("activity-left-out")
            else:
                yield _placed(activity, f"{member.locator}#/{number}")
        if is_cut(piece):
            yield Rejected(locator=member.locator, reason=CUT_PAGE)

    return read_file(member, activities, alone=alone)


def _placed(activity: Activity | str, place: str) -> _Found:
    return Rejected(locator=place, reason=activity) if isinstance(activity, str) else (activity, place)


def _kind(member: Member) -> str:
    if kind := json_kind(member, _kind_of):
        return kind
    with suppress(SourceError), member.open() as stream:
        text = as_utf8(stream).stream
        head = text.read(_HEAD)
        if head.lstrip().startswith(b"<"):
            # The styles of a page may fill the whole head, so the first record is also searched for somewhat further
            # on.
            head += text.read(7 * _HEAD)
            if MARK in head and _PAGE_PRODUCT.search(head):
                return PAGE
    return ""


def _kind_of(keys: set[str], head: bytes) -> str:
    if {"title", "time"} <= keys and keys & {"header", "products", "safeHtmlItem"} and _PRODUCT.search(head):
        return ACTIVITY
    return TURNS if "conversation_turns" in keys else PROMPT if {"runSettings", "chunkedPrompt"} <= keys else ""


def _is_record(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and "title" in value and "time" in value


def _is_conversation(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and "conversation_turns" in value

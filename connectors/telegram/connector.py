"""Telegram's desktop exports: ``result.json`` or ``messages.html``, of one chat or of a whole account.

See docs/formats.md for what the documents hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ...schemas import UNKNOWN_USER, Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Connector, Member, Preview, ReadOptions, Record, Source
from ..errors import refusal
from ..json_stream import Element, Field, Started
from .chats import chat_of, peer_key
from .detection import SURE
from .export_files import ExportFiles, chat_keys, find_files, likeness, owner
from .exporter import Exporter, find_exporter
from .html_export import HtmlExport, names_of
from .json_export import JsonExport, events_of
from .speakers import Speakers
from .times import Times
from .values import Object, object_of, text_of

_SNIFFED = 50
"""So many files are looked at."""


class TelegramConnector:
    """Reads the exports of Telegram's desktop app."""

    @property
    def name(self) -> str:
        """``telegram``."""
        return "telegram"

    def sniff(self, source: Source) -> float:
        """0.95 when a file in it holds messages as Telegram writes them."""
        best = 0.0
        for member in source.members()[:_SNIFFED]:
            best = max(best, likeness(member)[1])
            if best >= SURE:
                break
        return best

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who wrote how much in all its chats."""
        files = find_files(source)
        exporter = _exporter(files, options)
        tally = _Tally(exporter)
        for member in files.json:
            tally.add(member)
        for pages in files.pages:
            tally.add_pages(pages)
        one = next(iter(tally.chats.items())) if len(tally.chats) == 1 else None
        return Preview(
            format=self.name,
            title=(options.chat or one[1]) if one else "",
            chat=(options.chat or one[0]) if one else "",
            speakers=[name for name, _ in sorted(tally.speakers.items(), key=lambda item: (-item[1], item[0]))],
            user=exporter.name or None,
            messages=tally.messages,
            notices=tuple(_user_notices(exporter, source.locator)),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Every chat of every file, one day after the other."""
        files = find_files(source)
        if not files.count:
            for member in source.members():
                yield Rejected(locator=member.locator, reason="no message as Telegram exports them was found")
            return
        exporter = _exporter(files, options)
        yield from _user_notices(exporter, source.locator)
        given = options.chat
        if given and len(chat_keys(files)) > 1:
            given = None
            hint = "one name cannot stand for several chats, so their own keys were kept: read them one by one"
            yield Notice(code="chat-ignored", locator=source.locator, hint=hint)
        for member in files.doubled:
            hint = "these pages were left out: a JSON file of the same export holds their chat with more"
            yield Notice(code="export-doubled", locator=member.locator, hint=hint)
        times = Times(options.zone, options.zone_origin)
        for member in files.json:
            try:
                yield from JsonExport(member, exporter, times, given).records()
            except SourceError as error:
                if files.count == 1:
                    raise
                yield refusal(member.locator, error)
        for pages in files.pages:
            if not given:
                hint = "pages do not hold the chat's id; its name is its key, --chat gives another"
                yield Notice(code="chat-id-unknown", locator=pages[0].locator, hint=hint)
            yield from HtmlExport(pages, exporter, times, given).records()
        if times.assumed and options.zone_origin == "assumed":
            hint = f"times have no zone; they are taken for {options.zone}: --zone decides"
            yield Notice(code="zone-assumed", locator=source.locator, hint=hint)


class _Tally:
    """The first look at the chats of a source."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter
        self.chats: dict[str, str] = {}
        self.speakers: Counter[str] = Counter()
        self.messages = 0

    def add(self, member: Member) -> None:
        """Count a file."""
        fields: dict[str, Object] = {}
        speakers = Speakers(self._exporter.name, self._exporter.id)
        for event in events_of(member):
            if isinstance(event, Field):
                fields.setdefault(event.holder, {})[event.key] = event.value
            elif isinstance(event, Started):
                chat = chat_of(fields.get(event.holder, {}), None, member.name)
                self.chats[chat.key] = chat.title
                speakers = Speakers(self._exporter.name, self._exporter.id)
            elif isinstance(event, Element):
                message = object_of(event.value)
                self.messages += 1
                if message.get("type") == "message":
                    name = speakers.name(text_of(message.get("from")), peer_key(message.get("from_id")))
                    self.speakers[name] += 1

    def add_pages(self, pages: Sequence[Member]) -> None:
        """Count the pages of one chat."""
        speakers = Speakers(self._exporter.name, self._exporter.id)
        for title, record in names_of(pages):
            self.chats[title] = title
            self.messages += 1
            if record.get("type") == "message":
                self.speakers[speakers.name(text_of(record.get("from")), "")] += 1


def _exporter(files: ExportFiles, options: ReadOptions) -> Exporter:
    exporter = Exporter(options.me or "", "", given=options.me is not None)
    for member in files.json:
        if not exporter.id:
            with suppress(SourceError):  # it is read, and told, later
                find_exporter(events_of(member), exporter)
    if not exporter.name:
        exporter.name = owner(files)
    return exporter


def _user_notices(exporter: Exporter, locator: str) -> Iterator[Notice]:
    if not exporter.name:
        hint = f"nothing shows who exported this chat; the user is {UNKNOWN_USER}: --me decides"
        yield Notice(code="user-unknown", locator=locator, hint=hint)


if TYPE_CHECKING:
    _: type[Connector] = TelegramConnector

"""Telegram's desktop exports: ``result.json`` or ``messages.html``, of one chat or of a whole account.

See docs/documents.md for the documents made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.chat_connector import ChatConnector, preview_of
from ...chats.notices import chat_ignored, user_unknown, zone_assumed
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.attached_files import AttachedFiles
from ...opening.left_out import without_messages
from ...opening.notice_places import place_of
from ...opening.tracked_member import COPY, count_left_out
from ...text.json_stream import Element, Field, Started
from ...text.word_search import may_hold
from .chats import OLD_ID, chat_of, peer_key
from .export_files import ExportFiles, chat_keys, find_files, likeness, owner
from .exporter import Exporter, called, find_exporter
from .html_export import HtmlExport, names_of
from .json_export import JsonExport, events_of
from .speakers import Speakers
from .times import Times
from .values import Object, object_of, text_of

_REMEMBERED = 10_000


class TelegramConnector(ChatConnector):
    """Reads the exports of Telegram's desktop app."""

    name = "telegram"
    version = 3
    sniffed_members = 50

    def score(self, member: Member) -> float:
        """Return 0.95 for messages as Telegram writes them."""
        return likeness(member)[1]

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the speakers of all chats, with their numbers of messages."""
        files = find_files(source)
        exporters = _exporters(files, options)
        tally = _Tally()
        for member, exporter in zip(files.json, exporters, strict=False):
            tally.add(member, exporter)
        for pages in files.pages:
            tally.add_pages(pages, exporters[-1])
        users = {each.name for each in exporters[: len(files.json)] or exporters}
        return preview_of(
            self.name,
            tally.chats,
            tally.speakers,
            chat=options.chat,
            user=users.pop() if len(users) == 1 else "",
            messages=tally.messages,
            notices=_user_notices(files, exporters, source, options.me),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every chat of every file, day by day."""
        files = find_files(source)
        if not files.count:
            yield from without_messages(source, (), "message as Telegram exports them")
            return
        exporters = _exporters(files, options)
        yield from _user_notices(files, exporters, source, options.me)
        chat_name = options.chat
        if chat_name and len(chat_keys(files)) > 1:
            chat_name = None
            yield chat_ignored(source.locator, "their own keys were kept: read them one by one")
        for pages in files.doubled:
            hint = "these pages were left out: a JSON file of the same export holds their chat with more"
            yield Notice(code="export-doubled", locator=pages[0].locator, hint=hint)
            yield from _copies(pages)
        times = Times(options.zone, options.zone_origin)
        beside = AttachedFiles(source)
        for member, exporter in zip(files.json, exporters, strict=False):
            try:
                yield from JsonExport(member, exporter, times, beside, chat_name).records()
            except SourceError as error:
                if files.count == 1:
                    raise
                yield refusal(member.locator, error)
        for pages in files.pages:
            if not chat_name:
                hint = "pages do not hold the chat's id; its name is its key, --chat gives another"
                yield Notice(code="chat-id-unknown", locator=pages[0].locator, hint=hint)
            yield from HtmlExport(pages, exporters[-1], times, beside, chat_name).records()
        if times.assumed and options.zone_origin == "assumed":
            yield zone_assumed(source.locator, options.zone)


class _Tally:
    """Counts for the preview of a source."""

    def __init__(self) -> None:
        self.chats: dict[str, str] = {}
        self.speakers: Counter[str] = Counter()
        self.messages = 0

    def add(self, member: Member, exporter: Exporter) -> None:
        """Count the messages of a file."""
        fields: dict[str, Object] = {}
        speakers = Speakers(exporter.name, exporter.id)
        for event in events_of(member):
            if isinstance(event, Field):
                fields.setdefault(event.holder, {})[event.key] = event.value
            elif isinstance(event, Started):
                chat = chat_of(fields.get(event.holder, {}), None, member.name)
                self.chats[chat.key] = chat.title
                speakers = Speakers(exporter.name, exporter.id)
            elif isinstance(event, Element):
                message = object_of(event.value)
                self.messages += 1
                if message.get("type") == "message":
                    name = speakers.name(text_of(message.get("from")), peer_key(message.get("from_id")))
                    self.speakers[name] += 1

    def add_pages(self, pages: Sequence[Member], exporter: Exporter) -> None:
        """Count the messages of one chat's pages."""
        speakers = Speakers(exporter.name, exporter.id)
        for title, record in names_of(pages):
            self.chats[title] = title
            self.messages += 1
            if record.get("type") == "message":
                self.speakers[speakers.name(text_of(record.get("from")), "")] += 1


def _copies(pages: Sequence[Member]) -> Iterator[Rejected]:
    """Count the messages of pages that are left out; reject pages that cannot be read."""
    for member in pages:
        try:
            count_left_out(member, COPY, sum(1 for _ in names_of([member])))
        except SourceError as error:
            yield refusal(member.locator, error)


def _exporters(files: ExportFiles, options: ReadOptions) -> list[Exporter]:
    """Return the exporter of each JSON file, then that of the pages; a file that does not show it takes the others'
    single owner.
    """
    result: list[Exporter] = []
    for member in files.json:
        exporter = Exporter()
        with suppress(SourceError):  # reported when the file is read
            find_exporter(events_of(member), exporter)
        result.append(exporter)
    owners = {each.id: each for each in result if each.id}
    shared = next(iter(owners.values())) if len(owners) == 1 else Exporter()
    if not shared.name:
        named = owner(files)
        shared = replace(shared, name=named.name, links=named.links)
    shown = [each if each.id else shared for each in result] + [shared]
    return shown if options.me is None else _given(options.me, files, shown)


def _given(me: str, files: ExportFiles, shown: list[Exporter]) -> list[Exporter]:
    """Apply the configured name of the user: use the matching author of the export with the name shown there, or the
    name itself.
    """
    meant = next((each for each in shown if each.is_called(me)), None)
    for member in files.json:
        if meant is None and may_hold(member, OLD_ID.sub("", me)):
            with suppress(SourceError):  # reported when the file is read
                meant = called(me, _authors(member))
    for pages in files.pages:
        if meant is None:
            with suppress(SourceError):
                meant = called(me, ((text_of(record.get("from")), "") for _, record in names_of(pages)))
    if meant is not None:
        return [replace(meant, given=True)] * len(shown)
    return [each if each.name else replace(each, name=me) for each in shown]


def _authors(member: Member) -> Iterator[tuple[str, str]]:
    """Yield each name and id, without duplicates as long as they fit into the memory limit."""
    seen_names: set[tuple[str, str]] = set()
    for event in events_of(member):
        if isinstance(event, Element):
            message = object_of(event.value)
            name, peer = text_of(message.get("from")), peer_key(message.get("from_id"))
            if (name, peer) not in seen_names:
                if len(seen_names) < _REMEMBERED:
                    seen_names.add((name, peer))
                yield name, peer


def _user_notices(files: ExportFiles, exporters: list[Exporter], source: Source, me: str | None) -> Iterator[Notice]:
    locator = place_of(source, [*files.json, *(member for pages in files.pages for member in pages)])
    if me is not None and not exporters[-1].given:
        hint = "nobody in this export has the name or id given as the user's own: check --me"
        yield Notice(code="user-not-seen", locator=locator, hint=hint)
    used = exporters if files.pages else exporters[: len(files.json)]
    if not all(each.name for each in used):
        yield user_unknown(locator, "nothing shows who exported this chat")

"""Telegram's desktop exports: ``result.json`` or ``messages.html``, of one chat or of a whole account.

See docs/formats.md for what the documents hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Connector, Member, Preview, ReadOptions, Record, Source
from ..errors import refusal
from ..json_stream import Element, Field, Started
from ..unicode import as_utf8
from .chats import chat_of, peer_key
from .detection import HEAD, SURE, html_score, json_score
from .exporter import Exporter, find_exporter
from .json_export import JsonExport, events_of
from .speakers import Speakers
from .times import Times
from .values import Object, object_of, text_of

_SNIFFED = 50
"""So many files are looked at."""
_RECOGNISED = 0.5


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
            best = max(best, _scores(member)[1])
            if best >= SURE:
                break
        return best

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who wrote how much in all its chats."""
        exporter = _exporter(source, options)
        tally = _Tally(exporter)
        for member, kind in _files(source):
            if kind == "json":
                tally.add(member)
        one = tally.chats[0] if len(tally.chats) == 1 else None
        return Preview(
            format=self.name,
            title=options.chat or (one[1] if one else ""),
            chat=options.chat or (one[0] if one else ""),
            speakers=[name for name, _ in sorted(tally.speakers.items(), key=lambda item: (-item[1], item[0]))],
            user=exporter.name or None,
            messages=tally.messages,
            notices=tuple(_user_notices(exporter, source.locator)),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Every chat of every file, one day after the other."""
        files = _files(source)
        if not files:
            for member in source.members():
                yield Rejected(locator=member.locator, reason="no message as Telegram exports them was found")
            return
        exporter = _exporter(source, options)
        yield from _user_notices(exporter, source.locator)
        times = Times(options.zone, options.zone_origin)
        for member, _kind in files:
            export = JsonExport(member, options, exporter, times, options.chat)
            try:
                yield from export.records()
            except SourceError as error:
                if len(files) == 1:
                    raise
                yield refusal(member.locator, error)
        if times.assumed and options.zone_origin == "assumed":
            hint = f"times have no zone; they are taken for {options.zone}: --zone decides"
            yield Notice(code="zone-assumed", locator=source.locator, hint=hint)


class _Tally:
    """The first look at the chats of a source."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter
        self.chats: list[tuple[str, str]] = []
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
                self.chats.append((chat.key, chat.title))
                speakers = Speakers(self._exporter.name, self._exporter.id)
            elif isinstance(event, Element):
                message = object_of(event.value)
                self.messages += 1
                if message.get("type") == "message":
                    name = speakers.name(text_of(message.get("from")), peer_key(message.get("from_id")))
                    self.speakers[name] += 1


def _scores(member: Member) -> tuple[Literal["json", "html"], float]:
    try:
        with member.open() as stream:
            head = as_utf8(stream).stream.read(HEAD)
    except SourceError:
        return "json", 0.0
    score = json_score(head)
    return ("json", score) if score else ("html", html_score(head))


def _files(source: Source) -> list[tuple[Member, Literal["json", "html"]]]:
    """The files that are exports, and of which kind."""
    found: list[tuple[Member, Literal["json", "html"]]] = []
    for member in source.members():
        kind, score = _scores(member)
        if score >= _RECOGNISED:
            found.append((member, kind))
    if not found and len(members := source.members()) == 1:
        found.append((members[0], "json"))  # the user knows better than sniffing
    return found


def _exporter(source: Source, options: ReadOptions) -> Exporter:
    exporter = Exporter(options.me or "", "", given=options.me is not None)
    for member, kind in _files(source):
        if kind == "json" and not exporter.id:
            try:
                find_exporter(events_of(member), exporter)
            except SourceError:
                continue  # it is read, and told, later
    return exporter


def _user_notices(exporter: Exporter, locator: str) -> Iterator[Notice]:
    if not exporter.name:
        hint = "nothing shows who exported this chat; the user is (me): --me decides"
        yield Notice(code="user-unknown", locator=locator, hint=hint)


if TYPE_CHECKING:
    _: type[Connector] = TelegramConnector

"""The pages of one chat, ``messages.html``, ``messages2.html`` and so on, read in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.day_documents import DayDocuments, Message
from ...connector import Member, Record
from ...errors import refusal
from ...opening.attached_files import AttachedFiles
from ...opening.tracked_member import count_read
from ...record_faults import attempt
from ...text.html.records import CUT_PAGE, is_cut
from ...text.html.tree import TOO_COSTLY, html_tree
from ...text.unicode import as_utf8
from .chats import Chat
from .exporter import Exporter
from .html_message import Page, record_of
from .html_nodes import words
from .message import MessageReader
from .speakers import Speakers
from .times import Times
from .values import Object, text_of

PAGE_LIMIT = 64 << 20
"""The maximum number of bytes of one page; the app starts a new one after a thousand messages."""
_NUMBERED = re.compile(r"messages([0-9]{0,9})\.html?", re.IGNORECASE | re.ASCII)


def page_order(member: Member) -> tuple[str, int]:
    """Return the sort key of pages: the folder, then the number in the name."""
    folder, _, name = member.name.rpartition("/")
    match = _NUMBERED.fullmatch(name)
    return folder, int(match[1] or 1) if match else 0


@dataclass(frozen=True, slots=True)
class WholePage:
    """The parsed tree of a page."""

    tree: LexborHTMLParser
    replaced: bool
    """True if invalid UTF-8 became U+FFFD."""
    cut: bool
    """True if the end of the page is missing."""


def page_of(member: Member) -> WholePage | str:
    """Return the page, or the reason why it is rejected.

    Raises:
        SourceError: it cannot be read.
    """
    with member.open() as stream:
        opened = as_utf8(stream)
        data = opened.stream.read(PAGE_LIMIT + 1)
    if len(data) > PAGE_LIMIT:
        return f"more than {PAGE_LIMIT} bytes in one page"
    text = data.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    tree = html_tree(text)
    if tree is None:
        return TOO_COSTLY
    return WholePage(tree, opened.replaced or text.encode() != data, is_cut(data))


def title_of(tree: LexborHTMLParser) -> str:
    """Return the chat's name from the page's header."""
    node = tree.css_first(".page_header .text")
    return words(node) if node is not None else ""


def owner_of(tree: LexborHTMLParser) -> str:
    """Return the owner's name from an account's ``export_results.html``; empty for other pages."""
    return " ".join(words(text) for text in tree.css(".personal_info .names .value"))


def about_owner(tree: LexborHTMLParser) -> list[str]:
    """Return the values beside the owner's name on that page: a phone number, a handle."""
    return [words(node) for node in tree.css(".personal_info .info .value")]


@dataclass(slots=True)
class HtmlExport:
    """Reads the pages of one chat. ``given`` is the configured key and title."""

    pages: Sequence[Member]
    exporter: Exporter
    times: Times
    files: AttachedFiles
    given: str | None = None
    messages: int = 0
    _state: Page = field(default_factory=Page)
    _last: str = ""

    def records(self) -> Iterator[Record]:
        """Yield the chat's documents, and rejections for what could not be read."""
        reader: MessageReader | None = None
        days: DayDocuments | None = None
        replaced: list[Member] = []
        for member in self.pages:
            try:
                page = page_of(member)
            except SourceError as error:
                yield refusal(member.locator, error)
                continue
            if isinstance(page, str):
                yield Rejected(locator=member.locator, reason=page)
                continue
            tree = page.tree
            if page.replaced:
                replaced.append(member)
            if reader is None or days is None:
                chat = self._chat(tree, member)
                user = self.exporter.name or UNKNOWN_USER
                days = DayDocuments("telegram", chat.key, user, chat.metadata, self._links)
                held = partial(self.files.has, folder=member.name.rpartition("/")[0])
                reader = MessageReader(chat, Speakers(self.exporter.name, self.exporter.id), self.times, held)
            yield from self._page(tree, member, reader, days)
            if page.cut:
                yield Rejected(locator=member.locator, reason=CUT_PAGE)
        if days is not None:
            yield from days.close()
        for member in replaced:
            hint = "bytes that are no text in utf-8 became U+FFFD"
            yield Notice(code="undecodable-bytes", locator=member.locator, hint=hint)

    def _chat(self, tree: LexborHTMLParser, member: Member) -> Chat:
        title = self.given or title_of(tree) or member.name
        return Chat(title, title, "")

    def _links(self, name: str) -> tuple[str | None, ...]:
        return self.exporter.links if name == self.exporter.name else ()

    def _page(
        self, tree: LexborHTMLParser, member: Member, reader: MessageReader, days: DayDocuments
    ) -> Iterator[Record]:
        before = self.messages
        for node in tree.css("div.message"):
            message = attempt(self._message, node, reader)
            if message is None:
                continue
            if isinstance(message, str):
                yield Rejected(locator=f"{member.locator}#{node.attributes.get('id') or ''}", reason=message)
                continue
            day = message["time"].date().isoformat()
            if day != self._last:
                yield from days.start_day(day)
                self._last = day
            days.day_messages.append(message)
            self.messages += 1
            yield from days.flush_large_day(len(message["content"]))
        count_read(member, self.messages - before)

    def _message(self, node: LexborNode, reader: MessageReader) -> Message | str | None:
        """Return the message of an element, or the reason why it is rejected; None for a line that is no message."""
        record = record_of(node, self._state)
        message = None if record is None else reader.read(record)
        if record is None or message is None or isinstance(message, str):
            return message
        if record.get("type") == "service" and "action" not in record:
            message["time_precision"] = "day"  # pages show no time for them
            if text_of(record["information_text"]).startswith("Group call"):
                message["kind"] = "call"
        return message


def names_of(pages: Sequence[Member]) -> Iterator[tuple[str, Object]]:
    """Yield the chat's title with each of its records, for the preview.

    Raises:
        SourceError: a page cannot be read.
    """
    state = Page()
    for member in pages:
        page = page_of(member)
        if isinstance(page, str):
            continue  # reported when the page is read
        title = title_of(page.tree)
        for node in page.tree.css("div.message"):
            record = record_of(node, state)
            if record is not None:
                yield title, record

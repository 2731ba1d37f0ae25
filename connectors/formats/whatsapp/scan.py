"""The first pass over a chat: it counts authors, dates and languages and keeps no messages.
Streaming, bounded memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from ....schemas import UNKNOWN_USER
from ....schemas.errors import SourceError
from ...connector import ReadOptions
from ...text.line_blocks import Block, blocks
from ...times.locales import MARK, SPACE
from . import message_body
from .authors import AuthorCounter, Authors
from .date_order import OrderDecision, OrderEvidence
from .header_detection import HeaderFormat, detect_header_format
from .title import same_name, title_of
from .vocabulary import GROUP_PARTS
from .web_export import APP, is_user, is_web_export, may_be_without_notice

_HEADERLIKE = re.compile(
    rf"\n{MARK}*\[?\d{{1,4}}{SPACE}?[/.\-]{SPACE}?\d{{1,2}}{SPACE}?[/.\-]{SPACE}?\d{{1,4}}\D{{1,12}}\d{{1,2}}[:.]\d\d"
)
OpenStream = Callable[[], BinaryIO]
_PLACEHOLDER_LEAST = 3
_NOTICE_LEAST = 20
"""The smallest number of characters of the notice that begins a chat."""
_PLACEHOLDER_LIMIT = 1000


@dataclass(slots=True)
class ChatScan:
    """The findings of the first pass over one chat, with all that the second pass needs."""

    header_format: HeaderFormat
    title: str
    cast: Authors
    order: OrderDecision
    messages: int
    language: str = ""
    group: bool = False
    user: str | None = None
    label: str = ""
    """The raw name that iOS writes before lines without an author."""
    placeholders: frozenset[str] = frozenset()
    marks: bool = False
    """True if the app's own bodies begin with U+200E, and people's do not."""
    headerlike: int = 0
    """The number of lines inside bodies that look like a header of another template."""
    other_calendar: bool = False
    web: bool = False
    """True for the export of the app in a browser."""
    undecodable: list[int] = field(default_factory=list[int])
    """The first lines of the blocks with undecodable bytes."""

    def people(self) -> dict[str, int]:
        """Return the number of messages by author, the most frequent first, without the label of lines without an
        author.
        """
        people = self.cast.people()
        if self.group and self.label in self.cast.only_marked:
            people.pop(self.cast.names.get(self.label, ""), None)
        return people


def first_lines(text: str) -> Iterator[str]:
    """Return the lines of a block's text."""
    return iter(text.removeprefix("\n").split("\n"))


def find_header_format(stream: BinaryIO) -> HeaderFormat | None:
    """Detect the header format of a stream by its first blocks."""
    header_format = None
    with suppress(SourceError):  # as below
        for number, block in enumerate(blocks(stream)):
            header_format = detect_header_format(first_lines(block.text))
            if header_format or number >= 15:
                break
    return header_format


def scan_chat(
    header_format: HeaderFormat, open_stream: OpenStream, names: Sequence[str], options: ReadOptions
) -> ChatScan:
    """Scan a whole chat.

    Args:
        header_format: the chat's header format.
        open_stream: opens the file from its start.
        names: see ``title.title_of``.
        options: the options of the reading.

    Raises:
        SourceError: the file cannot be opened.
    """
    counter = None
    if header_format.template.shape == "bracket":
        with open_stream() as stream:
            counter = _scanned_by_crlf(header_format, stream, names[0])
    if counter is None:
        counter = _ChatScanner(header_format, names[0])
        with open_stream() as stream:
            for block in _until_damage(stream):
                counter.count(block)
    return counter.result(list(names), options)


def _until_damage(stream: BinaryIO, *, crlf: bool = False) -> Iterator[Block]:
    with suppress(SourceError):  # parsing meets the same damage, keeps the text before it, and reports it
        yield from blocks(stream, crlf=crlf)


def _scanned_by_crlf(header_format: HeaderFormat, stream: BinaryIO, name: str) -> _ChatScanner | None:
    """Scan a file in which CRLF ends messages and LF lines inside them; return None if the file is not certainly one.

    A header behind LF is then pasted text. A file joined from exports with different line ends, or saved by an editor,
    has many such headers, or ends with them.
    """
    counter, lone = _ChatScanner(header_format.with_crlf(), name), _LoneHeaders(header_format)
    for block in _until_damage(stream, crlf=True):
        if not counter.messages and not block.crlf and "\r\n" not in block.text[2:]:  # behind its beginning
            return None
        counter.count(block)
        lone.count(block)
    return counter if lone.are_pasted(counter.messages - 1) else None


class _LoneHeaders:
    """Counts the headers behind LF in a file that also has CRLF.

    Between the first and the last CRLF they are pasted text, unless most headers are such ones.
    """

    def __init__(self, header_format: HeaderFormat) -> None:
        self._pattern = re.compile(r"(?<!\r)" + header_format.pattern.pattern)
        self._count = self._last = 0
        """The number of all such headers, and of those behind the last CRLF."""
        self._first: int | None = None
        """The number of those before the first CRLF, once there was one."""

    def count(self, block: Block) -> None:
        """Count the headers in a block whose text still has its CRLF."""
        text = block.text
        crlfs = text.count("\r\n")
        places = [match.start() for match in self._pattern.finditer(text)] if text.count("\n") > crlfs else []
        self._count += len(places)
        if self._first is None and (first := text.find("\r\n", 2)) > 0:  # behind the file's beginning
            self._first = sum(place < first for place in places) + self._count - len(places)
        end = text.rfind("\r\n") if crlfs else -1
        self._last = 0 if block.crlf else sum(place > end for place in places) + (0 if crlfs else self._last)

    def are_pasted(self, others: int) -> bool:
        """Return whether these headers are text of messages, given the number of headers behind CRLF."""
        least = 1 if self._first == 0 else 2
        return others >= max(1, least * self._count) and not self._last


class _ChatScanner:
    def __init__(self, header_format: HeaderFormat, name: str) -> None:
        self._header_format = header_format
        self._name = name
        self._authors = AuthorCounter()
        self._evidence = OrderEvidence(header_format)
        self.messages = 0
        self._language = ""
        self._label = ""
        self._opening: str | None = None
        """The author before the first body if the app wrote it, in a language of its own; empty if it did not."""
        self._group = False
        self._mine: Counter[str] = Counter()
        self._you: Counter[str] = Counter()
        self._whole: Counter[str] = Counter()
        self._headerlike = 0
        self._undecodable: list[int] = []
        self._last_date = ""
        self._web = False

    def count(self, block: Block) -> None:
        if block.undecodable and len(self._undecodable) < 100:
            self._undecodable.append(block.line)
        parts = self._header_format.split(block)
        dates, rests = parts[2::4], parts[4::4]
        if not self.messages:
            unnoticed = may_be_without_notice(self._name, block.text)
            self._web = is_web_export(self._header_format.template, parts[0], unnoticed=unnoticed)
        if self._header_format.template.time_first:
            dates = parts[3::4]
        self.messages += len(rests)
        if self._web:
            lines = [pair for pair in zip(dates, rests, strict=True) if not pair[1].startswith(APP)]
            dates, rests = [date for date, _ in lines], [rest for _, rest in lines]
        entries, see_order, last = self._authors.entries, self._evidence.see, self._last_date
        for date, rest in zip(dates, rests, strict=True):
            if date != last:
                see_order(date)
                last = date
            author, colon, body = rest.partition(": ")
            entry = entries.get(author)
            if entry is None or entry.further is not None or body[:1] == "\u200e":
                self._count_author(author, colon, body, rest)
            else:
                entry.count += 1
            if len(body) < 100 and (body[-1:] == ">" or body[:5] in _MINE):
                self._count_short_body(author, body)
            if "-20" in body:
                self._evidence.see_name(date, body)
            if "\n" in body and _HEADERLIKE.search(body):
                self._headerlike += 1
        self._last_date = last

    def _count_author(self, author: str, colon: str, body: str, rest: str) -> None:
        first_line = "\n" not in author
        if self._opening is None:
            notice = colon and first_line and body[:1] == "\u200e" and len(body) >= _NOTICE_LEAST
            self._opening = author if notice and _is_unknown_notice(body) else ""
        if colon and first_line:
            self._authors.see(author, body)
        else:
            self._authors.see_without(rest)
        text = body if colon and first_line else rest
        if self.messages < 100_000 or not self._language:
            self._count_notice(author if colon and first_line else "", text)
        if colon and body[:1] == "\u200e" and first_line:
            self._count_short_body(author, body[:100])

    def _count_notice(self, author: str, text: str) -> None:
        language = "" if self._language else message_body.language_of(text)
        if language:
            self._language = language
            if author:
                self._label = author
        if not self._group and (not author or text[:1] == "\u200e"):
            folded = text[:300].casefold()
            self._group = any(part in folded for part in GROUP_PARTS)

    def _count_short_body(self, author: str, body: str) -> None:
        if body[:1] == "<" and "\n" not in body and (body in self._whole or len(self._whole) < _PLACEHOLDER_LIMIT):
            self._whole[body] += 1
        if message_body.fold_body(body) in message_body.by_me():
            self._mine[author] += 1
        elif body[:1] == "\u200e" and message_body.about_you(body):
            self._you[author] += 1

    def result(self, names: list[str], options: ReadOptions) -> ChatScan:
        bracket = self._header_format.template.shape == "bracket"
        opening = self._opening if bracket and self._opening else ""
        label = self._label or opening
        from_file = options.chat or title_of(names, label and self._decide_authors("").names.get(label, ""))
        cast = self._decide_authors(from_file)
        if self._web:
            cast.names.update({raw: options.me or UNKNOWN_USER for raw in cast.names if is_user(raw)})
        if not label:
            label = next((raw for raw in sorted(cast.only_marked) if same_name(raw, from_file)), "")
        people = cast.people()
        placeholders = frozenset(text for text, count in self._whole.items() if self._is_placeholder(text, count))
        group = self._group or len(people) > 3 or (len(people) == 3 and opening in cast.only_marked)
        scan = ChatScan(
            header_format=self._header_format,
            title=from_file,
            cast=cast,
            order=self._evidence.decide(options.date_order or ("mdy" if self._web else None), self._language),
            messages=self.messages,
            language=self._language,
            group=group,
            label=label,
            placeholders=placeholders,
            marks=bracket and self._authors.has_unmarked(),
            headerlike=self._headerlike,
            other_calendar=self._evidence.other_calendar > 0,
            web=self._web,
            undecodable=self._undecodable,
        )
        scan.user = options.me or (None if self._web else self._exporter(scan))
        return scan

    def _is_placeholder(self, text: str, count: int) -> bool:
        """Return whether words in angle brackets that are whole bodies are the app's: they recur, or once or twice in a
        language without a vocabulary.
        """
        if count >= _PLACEHOLDER_LEAST or self._language:
            return count >= _PLACEHOLDER_LEAST
        return " " in text and (count > 1 or not text.isascii())

    def _decide_authors(self, title: str) -> Authors:
        return self._authors.decide(title)

    def _exporter(self, scan: ChatScan) -> str | None:
        """Return the exporter's name by evidence: own deletions, lines that say "you", the other name of a chat of
        two.
        """
        names = scan.cast.names
        for votes in (self._mine, self._you):
            speakers = [raw for raw, _ in votes.most_common() if raw in names and raw != scan.label]
            if speakers:
                return names[speakers[0]]
        people = [name for name in scan.people() if not (scan.group and same_name(name, scan.title))]
        others = [name for name in people if not same_name(name, scan.title)]
        if len(people) == 2 and len(others) == 1:
            return others[0]
        return None


def _is_unknown_notice(body: str) -> bool:
    """Return whether a body is none of those that the vocabulary has."""
    if message_body.about_you(body) or message_body.is_system(body):
        return False
    return message_body.recognise(body, frozenset(), lambda _: None) is None


_MINE = frozenset(text[:5] for text in message_body.words.DELETED_BY_ME)

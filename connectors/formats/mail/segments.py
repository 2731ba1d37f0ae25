"""Splits a mail's text into segments: own text, quote, forward, signature, disclaimer. Lossless.

The segments of a text, joined in order, are the text: no character is dropped, changed or moved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from ....schemas.message import SegmentKind
from .attribution import (
    COLON,
    DIVIDER,
    FORWARD_SUBJECT,
    PROCESSED,
    HeaderBlock,
    attribution_start,
    ends_barely,
    forward_mark,
    header_block,
    is_dashed,
    torn_attribution,
    words_before,
)
from .signatures import disclaimer_start, footer_start, signatures

PartKind = Literal["text", "attribution", "quote", "forward", "signature", "disclaimer", "footer"]
_QUOTED = re.compile(r"^ {0,3}((?:>[ \t]?)+)")
_WIDTH = 76
"""The line width beyond which programs break lines."""
_ENDED = frozenset(".?!:;")
_TELLING = frozenset(" \t>-_=*–—")
"""The first characters of lines that are examined; lines with a colon are examined, too."""
_SCHEMA: dict[PartKind, SegmentKind] = {
    "text": "text",
    "attribution": "quote",
    "quote": "quote",
    "forward": "forward",
    "signature": "signature",
    "disclaimer": "signature",
    "footer": "signature",
}


@dataclass(frozen=True, slots=True)
class MailSegment:
    """The range ``body[start:end]``, and its kind."""

    kind: PartKind
    start: int
    end: int
    depth: int = 0
    """The depth of the quotation: 1 is the answered mail, 0 the author's own text."""
    author: str = ""
    """The sender in the headers of a forward or quote, as written there."""
    date: str = ""
    """The date in the headers of a forward or quote, as written there."""


def segment_text(body: str, subject: str = "") -> tuple[MailSegment, ...]:
    """Return the segments of a mail's text, in order, without gaps; none for an empty text.

    Args:
        body: the text; line feeds end its lines.
        subject: of the mail; with a prefix such as ``Fwd:`` a mail with headers inside the text is a forward.
    """
    if not body:
        return ()
    return _Segmenter(body, subject).segments()


def wire_segments(segments: Sequence[MailSegment]) -> list[tuple[SegmentKind, int, int, int]]:
    """Return kind, start, end and depth of a message's segments; an empty list if everything is the author's own text.

    Neighbours of the same kind and depth are merged.
    """
    if all(segment.kind == "text" for segment in segments):
        return []
    result: list[tuple[SegmentKind, int, int, int]] = []
    for segment in segments:
        kind = _SCHEMA[segment.kind]
        start = segment.start
        if result and (result[-1][0], result[-1][3]) == (kind, segment.depth):
            start = result.pop()[1]
        result.append((kind, start, segment.end, segment.depth))
    return result


@dataclass(slots=True)
class _Span:
    """The lines ``start`` to ``end``."""

    kind: PartKind
    start: int
    end: int
    depth: int = 0
    author: str = ""
    date: str = ""


class _Segmenter:
    def __init__(self, body: str, subject: str) -> None:
        self._body = body
        self._lines = body.split("\n")
        self._forwards = FORWARD_SUBJECT.search(subject) is not None
        self._spans: list[_Span] = []
        self._open = 0
        """The first line that belongs to no span yet."""

    def segments(self) -> tuple[MailSegment, ...]:
        self._scan()
        spans = [part for span in self._spans for part in self._without_ending(span) if part.end > part.start]
        if len(spans) == 1 and spans[0].kind != "attribution":
            only = spans[0]
            return (MailSegment(only.kind, 0, len(self._body), only.depth, only.author, only.date),)
        starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        starts[-1] -= 1
        result: list[MailSegment] = []
        for span in spans:
            start, end = starts[span.start], starts[span.end]
            shared = words_before(self._lines[span.start]) if span.kind == "attribution" else 0
            if shared:
                self._append(result, MailSegment("text", start, start + shared))
                start += shared
            if start < end:
                self._append(result, MailSegment(span.kind, start, end, span.depth, span.author, span.date))
        return tuple(result)

    @staticmethod
    def _append(result: list[MailSegment], segment: MailSegment) -> None:
        last = result[-1] if result else None
        if last is not None and (last.kind, last.depth) == (segment.kind, segment.depth) and segment.kind != "forward":
            result[-1] = replace(last, end=segment.end)
        else:
            result.append(segment)

    def _add(self, kind: PartKind, end: int, depth: int = 0, author: str = "", date: str = "") -> None:
        if end > self._open:
            self._spans.append(_Span(kind, self._open, end, depth, author, date))
            self._open = end

    def _scan(self) -> None:
        lines = self._lines
        after = 0
        wide = "：" in self._body
        telling = [n for n, line in enumerate(lines) if line[:1] in _TELLING or ":" in line or (wide and "：" in line)]
        if PROCESSED in self._body:
            telling = sorted({*telling, *(n for n, line in enumerate(lines) if PROCESSED in line)})
        for place in telling:
            if place < after:
                continue
            line = lines[place]
            if line[:4].lstrip(" ")[:1] == ">":
                torn = torn_attribution(lines, place, self._open)
                if torn is not None:
                    self._add("text", torn)
                    self._add("attribution", place + 1, 1)
                    self._rest("quote", place, 1, None)
                    return
                after = self._quoted(place)
            elif self._unmarked(line, place):
                return
        self._add("text", len(lines))

    def _unmarked(self, line: str, place: int) -> bool:
        """Split off a mail with unmarked lines that begins here and goes on to the end; return whether there is one."""
        text = line.rstrip()
        if not text:
            return False
        first = text.lstrip()[:1]
        if first in "-_=*–—>" or text[-1] in ":：" or PROCESSED in text:
            mark = forward_mark(text)
            if mark is not None and not (mark == "quote" and self._is_quoted(self._next(place + 1))):
                return self._mail_inside(place, place + 1, mark)
            divides = first in "-_=*–—" and (is_dashed(text) or DIVIDER.match(text))
            if divides and header_block(self._lines, self._next(place + 1)) is not None:
                return self._mail_inside(place, place + 1, None)
        if ":" in text or "：" in text:
            above = place == 0 or not self._lines[place - 1].strip()
            if header_block(self._lines, place, 3 if above else 4) is not None:
                return self._mail_inside(place, place, None)
            ending = text[-12:]
            if ((":" in ending or "：" in ending) and COLON.search(ending)) or (">" in ending and ends_barely(text)):
                return self._attributed(place)
        return False

    def _is_quoted(self, place: int) -> bool:
        return place < len(self._lines) and _QUOTED.match(self._lines[place]) is not None

    def _next(self, place: int) -> int:
        """Return the next line that is not blank."""
        while place < len(self._lines) and not self._lines[place].strip():
            place += 1
        return place

    def _mail_inside(self, start: int, below: int, mark: str | None) -> bool:
        """Split off a mail that begins with headers or a mark and extends to the end; return whether there is one."""
        block = header_block(self._lines, self._next(below))
        if block is None and mark is None:
            return False
        if block is None and self._next(below) >= len(self._lines):
            return False
        forward = mark == "forward" or (mark is None and self._forwards)
        self._add("text", start)
        self._rest("forward" if forward else "quote", start, 1, block)
        return True

    def _rest(self, kind: PartKind, start: int, depth: int, block: HeaderBlock | None) -> None:
        """Add everything from here on, split at the beginnings of further mails in it."""
        place = block.end if block is not None else start + 1
        author, date = (block.author, block.date) if block is not None else ("", "")
        while kind == "quote" and place < len(self._lines):
            text = self._lines[place].rstrip()
            starts = bool(text) and (
                (text.lstrip()[:1] in "-_=*–—" and forward_mark(text) is not None)
                or (
                    (":" in text or "：" in text)
                    and not self._lines[place - 1].strip()
                    and header_block(self._lines, place)
                )
            )
            if starts:
                self._add(kind, place, depth, author, date)
                inner = header_block(self._lines, self._next(place if header_block(self._lines, place) else place + 1))
                depth, author, date = depth + 1, inner.author if inner else "", inner.date if inner else ""
                place = inner.end if inner else place + 1
                continue
            place += 1
        self._add(kind, len(self._lines), depth, author, date)

    def _attributed(self, place: int) -> bool:
        """Split off the unmarked quote below an attribution that ends at this line; return whether there is one."""
        below = self._next(place + 1)
        if below >= len(self._lines) or _QUOTED.match(self._lines[below]):
            return False
        start = attribution_start(self._lines, place + 1, floor=self._open, marked=False)
        if start is None:
            return False
        self._add("text", start)
        self._add("attribution", below, 1)
        self._rest("quote", below - 1, 1, None)
        return True

    def _quoted(self, place: int) -> int:
        """Add a run of quoted lines; return the line after it."""
        lines = self._lines
        start = attribution_start(lines, place, floor=self._open)
        forwarded = self._forward_above(place)
        if forwarded is not None:
            start = forwarded
        if start is not None:
            self._add("text", start)
            self._add("forward" if forwarded is not None else "attribution", place, 1)
        else:
            self._add("text", place)
        while place < len(lines):
            match = _QUOTED.match(lines[place])
            if match is None:
                if self._is_wrapped(place):
                    place += 1
                    continue
                below = self._next(place)
                if below == place or below >= len(lines) or not _QUOTED.match(lines[below]):
                    break
                if below - place > 1 or self._depth(lines[below]) != self._depth(lines[place - 1]):
                    break
                place = below
                continue
            depth = self._depth(lines[place])
            end = place + 1
            while end < len(lines) and self._depth(lines[end]) == depth:
                end += 1
            block = header_block(lines, place) if depth == 1 else None
            kind: PartKind = "forward" if forwarded is not None else "quote"
            self._add(kind, end, depth, *((block.author, block.date) if block else ()))
            place = end
        return place

    def _is_wrapped(self, place: int) -> bool:
        """Return whether an unmarked line is the end of the long quoted line above it, which a program broke in two."""
        above, line = self._lines[place - 1], self._lines[place]
        return (
            line[:1].islower()
            and len(above) + 1 + len(line.partition(" ")[0]) > _WIDTH
            and self._is_quoted(place - 1)
            and self._is_quoted(place + 1)
            and above.rstrip()[-1:] not in _ENDED
        )

    def _forward_above(self, place: int) -> int | None:
        """Return the line of the mark that makes the quoted lines below it a forward; None if there is none."""
        above = place - 1
        while above >= self._open and above >= place - 3 and not self._lines[above].strip():
            above -= 1
        if above >= self._open and forward_mark(self._lines[above]) == "forward":
            return above
        return None

    @staticmethod
    def _depth(line: str) -> int:
        first = line[:1]
        if first == ">" and ">" not in line[1:3]:
            return 1
        if first not in (">", " "):
            return 0
        match = _QUOTED.match(line)
        return match[1].count(">") if match else 0

    def _without_ending(self, span: _Span) -> list[_Span]:
        """Split signature, disclaimer and list footer from the end of a text, and only the footer from a quote."""
        if span.kind in ("quote", "forward") and span.end == len(self._lines):
            footer = footer_start(self._lines, span.start + 1, span.end)
            rest = _Span("footer", footer, span.end)
            return [_Span(span.kind, span.start, footer, span.depth, span.author, span.date), rest]
        if span.kind != "text":
            return [span]
        footer = footer_start(self._lines, span.start, span.end)
        disclaimer = disclaimer_start(self._lines, span.start, footer)
        parts: list[_Span] = []
        first = span.start
        for start, end in signatures(self._lines, span.start, disclaimer):
            parts += [_Span("text", first, start), _Span("signature", start, end)]
            first = end
        return [
            *parts,
            _Span("text", first, disclaimer),
            _Span("disclaimer", disclaimer, footer),
            _Span("footer", footer, span.end),
        ]

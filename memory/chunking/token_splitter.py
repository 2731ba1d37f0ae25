"""Cuts a text at its best breaks into pieces of a limited number of tokens: shared by the strategies."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..embedding.embedder import Tokenizer
from .boundaries import SENTENCE, Breaks, breaks, clusters, extends, fences, outside
from .chunker import TextSpan

SMALLEST_SHARE = 4
"""A break is good enough if its piece fills at least this part of the limit: a quarter."""
SLICE = 64 * 1024
"""Characters of a text that are tokenized together; extended to the next blank."""
AT_ONCE = 4 * SLICE
"""Characters of several texts that are tokenized together."""

# Nearly every tokenizer cuts before these. Some join a run of them into one token: then the count of a text longer than
# a slice may be a few tokens off, if a slice ends within such a run.
_BLANK = re.compile(r"[ \t\n\r]")


def cut(text: str, tokenizer: Tokenizer, *, limit: int, overlap: int = 0) -> list[TextSpan]:
    """Cut a text into pieces of at most ``limit`` tokens; neighbours share up to ``overlap`` tokens if a break allows
    it.
    """
    return cut_many([text], tokenizer, limits=[limit], overlap=overlap)[0]


def cut_many(
    texts: Sequence[str], tokenizer: Tokenizer, *, limits: Sequence[int], overlap: int = 0
) -> list[list[TextSpan]]:
    """Cut many texts. Nearly all fit whole, and then only their tokens are counted."""
    spans: list[list[TextSpan]] = []
    for text, limit, count in zip(texts, limits, count_tokens(texts, tokenizer), strict=True):
        if count > limit:
            spans.append(_cut_long(text, tokenizer, max(1, limit), overlap))
        else:
            spans.append([] if not text or text.isspace() else [_whole(text, count)])
    return spans


def _whole(text: str, count: int) -> TextSpan:
    start, end = _trimmed(text, 0, len(text))
    return TextSpan(start, end, count)


def count_tokens(texts: Sequence[str], tokenizer: Tokenizer) -> list[int]:
    """Return the number of tokens of each text. Tokenizes in parts, since a tokenizer needs some 500 bytes per token."""
    counts = [0] * len(texts)
    waiting: list[tuple[int, str]] = []
    size = 0

    def count() -> None:
        for (index, _), tokens in zip(waiting, tokenizer.count_many([piece for _, piece in waiting]), strict=True):
            counts[index] += tokens
        waiting.clear()

    for index, text in enumerate(texts):
        for start, end in _slices(text):
            waiting.append((index, text[start:end]))
            size += end - start
            if size >= AT_ONCE:
                count()
                size = 0
    count()
    return counts


def _starts(text: str, tokenizer: Tokenizer) -> array[int]:
    """Return the start of each token."""
    starts = array("q")
    for begin, end in _slices(text):
        starts.extend(begin + start for start, _ in tokenizer.token_offsets(text[begin:end]))
    return starts


def _slices(text: str) -> Iterator[tuple[int, int]]:
    """Yield slices of the text that end before a blank, where no token continues; a very long word is cut nevertheless."""
    begin = 0
    while len(text) - begin > SLICE:
        blank = _BLANK.search(text, begin + SLICE, begin + 2 * SLICE)
        end = blank.start() if blank else min(len(text), begin + 2 * SLICE)
        yield begin, end
        begin = end
    yield begin, len(text)


def _cut_long(text: str, tokenizer: Tokenizer, limit: int, overlap: int) -> list[TextSpan]:
    pieces = _Cutter(text, _starts(text, tokenizer), limit, min(overlap, limit // 4)).pieces()
    spans: list[TextSpan] = []
    counts = count_tokens([text[start:end] for start, end in pieces], tokenizer)
    if overlap and max(counts, default=0) > limit:
        # Rare: only with a very long word. Parts of a cut piece and an overlap would get out of order.
        return _cut_long(text, tokenizer, limit, 0)
    for (start, end), count in zip(pieces, counts, strict=True):
        if count <= limit or end - start == 1:
            spans.append(TextSpan(start, end, count))
            continue
        # A part of a word may need more tokens by itself than within the word.
        inner = _cut_long(text[start:end], tokenizer, _less(limit, count), 0)
        if len(inner) == 1:
            middle = (end - start) // 2
            halves = (text[start : start + middle], text[start + middle : end])
            inner = _cut_long(halves[0], tokenizer, limit, 0)
            inner += [_moved(span, middle) for span in _cut_long(halves[1], tokenizer, limit, 0)]
        spans += [_moved(span, start) for span in inner]
    return spans


def _less(limit: int, count: int) -> int:
    return max(1, min(limit - 1, limit * limit // count))


def _moved(span: TextSpan, by: int) -> TextSpan:
    return TextSpan(span.start + by, span.end + by, span.token_count, span.section)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without blanks at both ends, but keep a blank that carries a combining mark."""
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    if start < first < last and extends(text[first]):
        first -= 1
    return first, last


@dataclass(slots=True)
class _Cutter:
    text: str
    starts: array[int]
    """The start offset of each token."""
    limit: int
    overlap: int
    breaks: Breaks = field(init=False)

    def __post_init__(self) -> None:
        whole = [fence for fence in fences(self.text) if self._count(*fence) <= self.limit]
        self.breaks = outside(breaks(self.text), whole)

    def pieces(self) -> list[tuple[int, int]]:
        """Return the spans, trimmed; none is blank."""
        ranges: list[tuple[int, int]] = []
        start = covered = 0
        while covered < len(self.text):
            end = self._end(start, covered)
            if end <= covered:  # with the overlap nothing new would fit
                start = covered
                end = self._end(start, covered)
            first, last = _trimmed(self.text, start, end)
            if first < last:
                ranges.append((first, last))
            start, covered = self._next_start(first, end), end
        return ranges

    def _end(self, start: int, covered: int) -> int:
        """Return the end of a piece from ``start``; at most ``covered`` if there is no break between there and the
        limit.
        """
        first = bisect_left(self.starts, start)
        if first + self.limit >= len(self.starts):
            return len(self.text)
        furthest = self.starts[first + self.limit]
        low = bisect_right(self.breaks.positions, covered)
        high = bisect_right(self.breaks.positions, furthest)
        if low < high:
            enough = self.starts[first + self.limit // SMALLEST_SHARE]
            good = range(max(low, bisect_left(self.breaks.positions, enough)), high)
            best = min(good, key=lambda index: (self.breaks.levels[index], -index), default=high - 1)
            return self.breaks.positions[best]
        return covered if start < covered else self._inside(start, furthest)

    def _inside(self, start: int, furthest: int) -> int:
        """Return the end of a piece of a unit without breaks that exceeds the limit."""
        ends = clusters(self.text, start, min(len(self.text), furthest + 1))
        fitting = bisect_right(ends, furthest)
        if fitting and (fitting < len(ends) or ends[fitting - 1] < furthest):
            return ends[fitting - 1]
        # A cluster may extend beyond `furthest`, so its cut-off part is examined again as a whole.
        return max(furthest, start + 1)

    def _next_start(self, start: int, end: int) -> int:
        """Return the earliest break, preferably of a sentence, with at most ``overlap`` tokens up to ``end``."""
        if not self.overlap or end >= len(self.text):
            return end
        first = max(0, bisect_left(self.starts, end) - self.overlap)
        low = bisect_left(self.breaks.positions, max(self.starts[first], start + 1))
        high = bisect_left(self.breaks.positions, end)
        if low >= high:
            return end
        good = (index for index in range(low, high) if self.breaks.levels[index] <= SENTENCE)
        return self.breaks.positions[next(good, low)]

    def _count(self, start: int, end: int) -> int:
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

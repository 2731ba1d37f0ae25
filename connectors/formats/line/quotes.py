"""Joins messages of several lines, which LINE writes in quotation marks; a line inside may look like any other.
Streaming.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ...text.chat_lines import Line

_LONGEST = 24_000
"""The number of characters in which the closing mark is searched: a message of LINE has at most 10,000, and marks are
doubled.
"""
_FAILURES = 1_000
"""The number of messages without a closing mark after which it is searched in fewer characters, as many more may
follow.
"""
_SHORT = 400


class QuotedMessages:
    """Joins the lines of a quoted message into one. Without a closing mark soon after, the opening mark was typed, and
    nothing is joined.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = iter(lines)
        self._ahead: deque[Line] = deque()
        self._failures = 0

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines; a joined line contains line ends."""
        while (line := self._next()) is not None:
            mark = line.text.rfind('\t"') if line.text.count('\t"') == 1 else line.text.find('\t"')
            if mark < 0 or line.torn:
                yield line
                continue
            yield self._joined(line, line.text[mark + 1 :])

    def _next(self) -> Line | None:
        return self._ahead.popleft() if self._ahead else next(self._lines, None)

    def _joined(self, first: Line, body: str) -> Line:
        marks = body.count('"')
        if marks % 2 == 0:
            return first
        limit = _LONGEST if self._failures < _FAILURES else _SHORT
        size = len(body)
        parts = [first.text]
        taken: list[Line] = []
        while size <= limit and (line := self._next()) is not None:
            taken.append(line)
            size += len(line.text) + 1
            marks += line.text.count('"')
            parts.append(line.text)
            if marks % 2 == 0 and line.text.endswith('"') and not line.torn:
                return Line(first.number, "\n".join(parts), torn=False)
        self._failures += 1
        self._ahead.extendleft(reversed(taken))
        return first


def unquoted(body: str) -> str:
    """Return the text of a message without the marks around several lines."""
    if len(body) > 1 and body[0] == '"' == body[-1] and "\n" in body:
        return body[1:-1].replace('""', '"')
    return body

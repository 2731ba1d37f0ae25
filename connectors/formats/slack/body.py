"""The content of a message: its text or blocks, its attachments and link previews, and the segments that are quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .blocks import BlockText, is_layout
from .files import files_of, placeholder, transcript_of
from .mrkdwn import Names, link, marked_parts, rendered
from .values import JSONObject, objects_of, text_of

_NO_PREVIEW = "[no preview available]"
_NOT_SHOWN = frozenset({"This content can't be displayed.", "This message contains interactive elements."})
"""Texts of apps' messages whose blocks say everything."""
_INTERACTIVE = re.compile(r",? with interactive elements\s*\Z")
"""Matches the words that Slack appends to a text that it derived from blocks."""
_WORD = re.compile(r"\w+")
_LONGEST_TEXT = 40_000
"""The number of characters of the longest message that Slack accepts; duplicates are not looked for in longer ones."""
_SHOWN_FILES = frozenset({"snippet", "email", "post", "space"})
"""The modes of files whose beginning Slack shows in the chat."""


@dataclass(slots=True)
class Body:
    """The text of a message. ``is_empty``: it had neither text nor files, and ``content`` is a placeholder."""

    content: str = ""
    segments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    forwarded_from: str = ""
    is_placeholder: bool = False
    is_empty: bool = False


class _Lines:
    """A text that grows by lines, without duplicates."""

    def __init__(self, words: str) -> None:
        self._parts = [words] if words.strip() else []
        self._length = len(words) if self._parts else 0
        self._first = words if len(words) <= _LONGEST_TEXT else ""
        self._told = {words}
        self.segments = segments_of(words) if self._parts else []

    def append(self, text: str, kind: str = "") -> None:
        """Add lines that the text does not have yet, as a segment of this kind."""
        if not text.strip() or text in self._told or text in self._first:
            return
        self._told.add(text)
        start = self._length + bool(self._parts)
        self._parts.append(text)
        self._length = start + len(text)
        if kind:
            self.segments.append({"kind": kind, "start": start, "end": self._length})

    def text(self) -> str:
        """Return the whole text."""
        return "\n".join(self._parts)


class BodyReader:
    """Reads the bodies of one export. ``unknown`` counts blocks of unknown kinds."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._blocks = BlockText(names)

    @property
    def unknown(self) -> int:
        """The number of blocks and elements of unknown kinds so far."""
        return self._blocks.unknown

    def rendered(self, text: str) -> str:
        """Render the markup of a text as Slack shows it."""
        return rendered(text, self._names)

    def body(self, record: JSONObject, *, is_bot: bool) -> Body:
        """Return the body of a record. Attachments of a program are its own text, those of a person are quoted."""
        text = text_of(record, "text")
        words = rendered(text, self._names)
        blocks = record.get("blocks")
        if blocks and (not words.strip() or words in _NOT_SHOWN or is_layout(objects_of(record, "blocks"))):
            shown = self._blocks.text(objects_of(record, "blocks"))
            words = shown if words in _NOT_SHOWN or _tells_as_much(shown, words) else _both(words, shown)
        lines, body = _Lines(words), Body()
        if record.get("attachments"):
            for attached in objects_of(record, "attachments"):
                self._attach(lines, attached, is_bot=is_bot)
                if attached.get("is_share") is True and not body.forwarded_from:
                    body.forwarded_from = text_of(attached, "author_name") or text_of(attached, "author_subname")
        files = files_of(record) if "files" in record or "file" in record else []
        for file in files:
            lines.append(transcript_of(file))
            if text_of(file, "mode") in _SHOWN_FILES:
                lines.append(text_of(file, "preview"), "code" if text_of(file, "mode") == "snippet" else "quote")
        body.content, body.segments = lines.text(), lines.segments
        if not body.content:
            body.is_placeholder = bool(files)
            body.is_empty = not files
            body.content = placeholder(files) if files else "[empty]"
        return body

    def _attach(self, lines: _Lines, attached: JSONObject, *, is_bot: bool) -> None:
        foreign = attached.get("is_msg_unfurl") is True or bool(text_of(attached, "from_url"))
        kind = "forward" if attached.get("is_share") is True else "quote" if foreign or not is_bot else ""
        lines.append(self.rendered(text_of(attached, "pretext")), kind)
        lines.append(self._attached_words(attached), kind)
        if files := objects_of(attached, "files"):
            lines.append(placeholder(files), kind)

    def _attached_words(self, attached: JSONObject) -> str:
        lines = [text_of(attached, "author_name"), self._title(attached), self.rendered(text_of(attached, "text"))]
        for entry in objects_of(attached, "fields"):
            title, value = self.rendered(text_of(entry, "title")), self.rendered(text_of(entry, "value"))
            lines.append(f"{title}: {value}" if title and value else title or value)
        nested = [
            block
            for each in objects_of(attached, "message_blocks")
            for block in objects_of(_message_of(each), "blocks")
        ]
        blocks = self._blocks.text([*objects_of(attached, "blocks"), *nested])
        if blocks and blocks not in lines:
            lines.append(blocks)
        if not any(line.strip() for line in lines[1:]):
            fallback = self.rendered(text_of(attached, "fallback"))
            lines.append("" if fallback == _NO_PREVIEW else fallback)
        lines.append(self.rendered(text_of(attached, "footer")))
        return "\n".join(line for line in lines if line.strip())

    def _title(self, attached: JSONObject) -> str:
        title = self.rendered(text_of(attached, "title"))
        address = text_of(attached, "title_link")
        same = not address or address == text_of(attached, "from_url")
        return title if same or not title else link(address, title)


def segments_of(words: str) -> list[dict[str, Any]]:
    """Return the segments of a text that are code or quotations."""
    if ">" not in words and "```" not in words:
        return []
    return [{"kind": kind, "start": start, "end": end} for kind, start, end in marked_parts(words)]


def _message_of(block: JSONObject) -> JSONObject:
    message: object = block.get("message")
    return message if isinstance(message, dict) else {}  # type: ignore[return-value]


def _tells_as_much(shown: str, words: str) -> bool:
    """Return whether the blocks have every word of the text, which is then only their summary for a notification."""
    shown_words = set(_WORD.findall(shown))
    return all(match[0] in shown_words for match in _WORD.finditer(_INTERACTIVE.sub("", words)))


def _both(words: str, shown: str) -> str:
    return f"{words}\n{shown}" if shown else words

"""Texts of an export's rich messages: blocks (headings, lists, tables, quotes, files) converted to lines. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .media import attachment_of
from .values import Object, list_of, number_of, object_of, text_of

_ADDRESSES = ("href", "url", "email", "phone")
_WORDS = (
    *("performer", "title", "author", "text", "old_text", "source", "formula", "description", "username", "html"),
    "copy_text",
)
"""The keys of words, in texts and in blocks, in the order in which they are shown."""
_BLOCKS = ("block", "blocks", "articles", "channel", "buttons", "caption", "credit")
_SEGMENTS = {"quote": "quote", "code": "code"}
_FILES = frozenset({"photo", "video", "audio", "file"})
_TASKS = {"checked": "[x] ", "unchecked": "[ ] "}


class _Line(NamedTuple):
    text: str
    kind: str = ""
    """The kind of its segment."""


class RichMessage:
    """The text of a rich message, with its segments, addresses, mentions and files."""

    def __init__(self, value: object, held: Callable[[str], bool] | None) -> None:
        """``held``: returns whether the export has the file at a path; None if files are elsewhere."""
        self._held = held
        self.segments: list[dict[str, Any]] = []
        self.links: list[str] = []
        self.mentions: list[str] = []
        self.attachments: list[dict[str, Any]] = []
        self.text = self._joined(self._lines(object_of(value).get("blocks")))

    def _joined(self, lines: list[_Line]) -> str:
        length = 0
        for line in lines:
            end = length + len(line.text)
            last = self.segments[-1] if self.segments else {}
            if line.kind and (last.get("kind"), last.get("end")) == (line.kind, length - 1):
                last["end"] = end
            elif line.kind:
                self.segments.append({"kind": line.kind, "start": length, "end": end})
            length = end + 1
        return "\n".join(line.text for line in lines)

    def _lines(self, blocks: object) -> list[_Line]:
        result: list[_Line] = []
        for each in list_of(blocks) or [blocks]:
            result += self._block(object_of(each))
        return result

    def _block(self, block: Object) -> list[_Line]:
        kind = text_of(block.get("type"))
        if kind in _FILES:
            self._attach(block, kind)
        lines = [_Line(words) for key in _WORDS if (words := self._words(block.get(key))).strip()]
        self._note(block)
        for number, each in enumerate(list_of(block.get("items")), start=1):
            lines += self._item(object_of(each), f"{number}. " if block.get("kind") == "ordered" else "- ")
        for row in list_of(block.get("rows")):
            cells = [self._words(object_of(cell).get("text")) for cell in list_of(object_of(row).get("cells"))]
            lines.append(_Line(" | ".join(cells)))
        for key in _BLOCKS:
            if block.get(key):
                lines += self._lines(block[key])
        if "geo" in block:
            point = object_of(block["geo"])
            lines.append(_Line(f"[location: {number_of(point.get('latitude'))}, {number_of(point.get('longitude'))}]"))
        if block.get("unsupported") is True and not lines:
            lines.append(_Line("[unsupported block]"))
        return [_Line(line.text, _SEGMENTS[kind]) for line in lines] if kind in _SEGMENTS else lines

    def _item(self, item: Object, mark: str) -> list[_Line]:
        """Return the lines of an item of a list, and of a picture in a series, which is a block itself."""
        lines = self._block(item)
        if "task_state" not in item or not lines:
            return lines
        if mark != "- " and (number := text_of(item.get("num"))):
            mark = f"{number}. "
        first = lines[0]
        return [_Line(mark + _TASKS.get(text_of(item["task_state"]), "") + first.text, first.kind), *lines[1:]]

    def _words(self, value: object) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(map(self._words, value))  # pyright: ignore[reportUnknownArgumentType]
        node = object_of(value)
        self._note(node)
        return "".join(map(self._words, filter(None, map(node.get, _WORDS))))

    def _note(self, node: Object) -> None:
        """Keep the addresses behind words, and the ids of people mentioned by name."""
        button = object_of(node.get("button"))
        self.links += filter(None, (text_of(each.get(key)) for each in (node, button) for key in _ADDRESSES))
        if node.get("type") == "mention_name" and (user := number_of(node.get("user_id"))):
            self.mentions.append(user if user.startswith("user") else f"user{user}")

    def _attach(self, block: Object, kind: str) -> None:
        key, size = ("photo", "photo_file_size") if kind == "photo" else ("file", "file_size")
        attachment = attachment_of(block, key, kind, text_of(block.get("mime_type")), size)
        if self._held is not None and not self._held(text_of(block.get(key))):
            attachment["missing"] = True
        self.attachments.append(attachment)

"""The text of Slack's blocks: rich text that people write, and the layouts that apps send. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from .mrkdwn import Names, link, rendered
from .values import JSONObject, number_of, object_of, objects_of, text_of

_DEEPEST = 16
_BULLETS = ("•", "◦", "▪")


class BlockText:
    """Converts blocks to lines of text. ``unknown`` counts the blocks and elements of unknown kinds."""

    def __init__(self, names: Names) -> None:
        self.unknown = 0
        self._names = names
        self._blocks: dict[str, Callable[[JSONObject, int], str]] = {
            "rich_text": self._lines_of_elements,
            "section": self._section,
            "header": self._own_text,
            "markdown": self._plain_markdown,
            "context": self._context,
            "actions": self._context,
            "context_actions": self._context,
            "image": self._image,
            "video": self._described,
            "card": self._described,
            "alert": self._own_text,
            "input": self._input,
            "table": self._table,
            "call": self._call,
            "plan": self._plan,
            "task_card": self._task,
            "file": _nothing,
            "divider": _nothing,
        }
        self._elements: dict[str, Callable[[JSONObject, int], str]] = {
            "text": lambda element, _: text_of(element, "text"),
            "link": lambda element, _: link(text_of(element, "url"), text_of(element, "text")),
            "user": lambda element, _: "@" + names.user(text_of(element, "user_id"), ""),
            "channel": lambda element, _: "#" + names.channel(text_of(element, "channel_id"), ""),
            "usergroup": lambda element, _: "@" + text_of(element, "usergroup_id"),
            "broadcast": lambda element, _: "@" + (text_of(element, "range") or "channel"),
            "team": lambda element, _: "@" + text_of(element, "team_id"),
            "emoji": lambda element, _: _emoji(element),
            "color": lambda element, _: text_of(element, "value"),
            "date": lambda element, _: text_of(element, "fallback") or str(number_of(element, "timestamp")),
            "rich_text_section": self._inline,
            "rich_text_list": self._list,
            "rich_text_quote": self._quote,
            "rich_text_preformatted": self._preformatted,
        }

    def text(self, blocks: Iterable[JSONObject], depth: int = 0) -> str:
        """Return the texts of the blocks, one below the other."""
        return _lines(self._block(block, depth) for block in blocks)

    def _block(self, block: JSONObject, depth: int) -> str:
        read = self._blocks.get(text_of(block, "type"))
        if read is None or depth > _DEEPEST:
            self.unknown += 1
            return self._fallback(block)
        return read(block, depth + 1)

    def _element(self, element: JSONObject, depth: int) -> str:
        read = self._elements.get(text_of(element, "type"))
        if read is None or depth > _DEEPEST:
            self.unknown += 1
            return self._fallback(element)
        return read(element, depth + 1)

    def _fallback(self, block: JSONObject) -> str:
        """Return the text of an unknown block, looked up in the fields where known kinds have theirs."""
        for key in ("text", "title", "fallback", "alt_text", "name", "url"):
            if words := self._words(block.get(key)):
                return words
        return ""

    # --- rich text ---

    def _lines_of_elements(self, block: JSONObject, depth: int) -> str:
        return _lines(self._element(element, depth).removesuffix("\n") for element in objects_of(block, "elements"))

    def _inline(self, element: JSONObject, depth: int) -> str:
        return "".join(self._element(each, depth) for each in objects_of(element, "elements"))

    def _list(self, element: JSONObject, depth: int) -> str:
        indent = min(number_of(element, "indent"), 8)
        first = 1 + number_of(element, "offset")
        ordered = text_of(element, "style") == "ordered"
        lines: list[str] = []
        for number, item in enumerate(objects_of(element, "elements"), first):
            mark = f"{number}." if ordered else _BULLETS[indent % len(_BULLETS)]
            lines.append(f"{'    ' * indent}{mark} {self._element(item, depth)}")
        return "\n".join(lines)

    def _quote(self, element: JSONObject, depth: int) -> str:
        return "\n".join(f"> {line}" for line in self._inline(element, depth).split("\n"))

    def _preformatted(self, element: JSONObject, depth: int) -> str:
        return f"```{self._inline(element, depth)}```"

    # --- layouts of apps ---

    def _words(self, value: object) -> str:
        """Return the text of a text object ({type, text}) or a bare string; ``plain_text`` has no markup."""
        if isinstance(value, str):
            return rendered(value, self._names)
        if not isinstance(value, dict):
            return ""
        block = cast("JSONObject", value)
        words = text_of(block, "text")
        return words if text_of(block, "type") == "plain_text" else rendered(words, self._names)

    def _own_text(self, block: JSONObject, _depth: int) -> str:
        return self._words(block.get("text"))

    def _plain_markdown(self, block: JSONObject, _depth: int) -> str:
        return text_of(block, "text")

    def _section(self, block: JSONObject, depth: int) -> str:
        accessory = object_of(block, "accessory")
        beside = self._interactive(accessory, depth) if accessory else ""
        fields = (self._words(field) for field in objects_of(block, "fields"))
        return _lines((self._words(block.get("text")), *fields, beside))

    def _context(self, block: JSONObject, depth: int) -> str:
        return " ".join(filter(None, (self._interactive(each, depth) for each in objects_of(block, "elements"))))

    def _interactive(self, element: JSONObject, depth: int) -> str:
        """Return the text of an interactive element: a button's label, an image's title, nothing for a menu."""
        kind = text_of(element, "type")
        if kind in ("mrkdwn", "plain_text"):
            return self._words(element)
        if kind in ("button", "workflow_button"):
            label = self._words(element.get("text"))
            return f"[{label}]" if label else ""
        if kind == "image":
            return self._image(element, depth)
        return ""

    def _image(self, block: JSONObject, _depth: int) -> str:
        words = self._words(block.get("title")) or text_of(block, "alt_text")
        return f"[image: {words}]" if words.strip() else "[image]"

    def _described(self, block: JSONObject, _depth: int) -> str:
        keys = ("title", "subtitle", "description", "body")
        address = text_of(block, "title_url") or text_of(block, "video_url")
        return _lines((*(self._words(block.get(key)) for key in keys), address))

    def _input(self, block: JSONObject, _depth: int) -> str:
        return self._words(block.get("label"))

    def _table(self, block: JSONObject, depth: int) -> str:
        """Return the rows of a table as lines, with ` | ` between the cells."""
        rows = block.get("rows")
        lines: list[str] = []
        for row in cast("list[Any]", rows) if isinstance(rows, list) else []:
            cells = cast("list[Any]", row) if isinstance(row, list) else []
            lines.append(" | ".join(self._cell(cast("JSONObject", c), depth) for c in cells if isinstance(c, dict)))
        return _lines(lines)

    def _cell(self, cell: JSONObject, depth: int) -> str:
        if text_of(cell, "type") == "rich_text":
            return self._block(cell, depth).replace("\n", " ")
        return text_of(cell, "text")

    def _plan(self, block: JSONObject, depth: int) -> str:
        tasks = (self._block(task, depth) for task in objects_of(block, "tasks"))
        return _lines((self._words(block.get("title")), *tasks))

    def _task(self, block: JSONObject, depth: int) -> str:
        """Return the text of an assistant's task: its title, details, output and sources."""
        parts = (self._block(object_of(block, key), depth) for key in ("details", "output") if block.get(key))
        sources = (link(text_of(each, "url"), text_of(each, "text")) for each in objects_of(block, "sources"))
        return _lines((self._words(block.get("title")), *parts, *sources))

    def _call(self, block: JSONObject, _depth: int) -> str:
        inner = object_of(object_of(block, "call"), "v1")
        return _lines((text_of(inner, "name") or "[call]", text_of(inner, "join_url")))


def is_layout(blocks: Sequence[JSONObject]) -> bool:
    """Return whether an app laid out the message: its plain text is then only what a notification shows."""
    return any(text_of(block, "type") != "rich_text" for block in blocks)


def is_rich_text(blocks: Sequence[Any]) -> bool:
    """Return whether the blocks are a single rich text, which repeats the message's own text."""
    if len(blocks) != 1 or not isinstance(blocks[0], dict):
        return False
    return cast("JSONObject", blocks[0]).get("type") == "rich_text"


def _nothing(_block: JSONObject, _depth: int) -> str:
    return ""


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part.strip())


def _emoji(element: JSONObject) -> str:
    """Return the character of an emoji with code points (``1f44b``, ``1f468-200d-1f4bb``), else ``:name:``."""
    try:
        return "".join(chr(int(code, 16)) for code in text_of(element, "unicode").split("-"))
    except (ValueError, OverflowError):
        return f":{text_of(element, 'name')}:"

"""Splits a message of Claude's export into pieces: its own text, thoughts, tool calls and results, and files. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from ...text.json_fields import list_of, object_of, size_of, text_of, words_of

_FILLER = "This block is not supported on your current device yet."
_SILENT = frozenset({"token_budget", "flag"})
"""The types of blocks without content for a reader."""
FILES = ("attachments", "files", "files_v2")
"""The keys of a message that contain its files."""


@dataclass(slots=True)
class Piece:
    """A part of a message with a single speaker."""

    text: str
    type: str = "text"
    tool: str = ""
    """The tool that is called, or that answers; empty for the message's own speaker."""
    segment: str = ""
    attachments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    kind: str = "text"
    by_user: bool = False
    """True for words of the user that stand within an answer."""


def of_design_tool(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message of Claude's design tool in the form of those of the other chats."""
    inner = object_of(message.get("content"))
    blocks = list_of(inner.get("contentBlocks"))
    attachments = [object_of(entry) for entry in list_of(inner.get("attachments"))]
    return {
        **message,
        "content": [_plain_block(object_of(block)) for block in blocks]
        or text_of(inner.get("content"))
        or text_of(inner.get("text")),
        "created_at": message.get("created_at") or inner.get("timestamp"),
        "attachments": [
            *list_of(message.get("attachments")),
            *(
                {"file_name": each.get("name"), "extracted_content": each.get("content")}
                for each in attachments
                if each
            ),
        ],
    }


def _plain_block(block: dict[str, Any]) -> dict[str, Any]:
    kind = words_of(block.get("type"))
    if kind == "tool_call":
        call = object_of(block.get("toolCall"))
        return {"type": "tool_use", "name": call.get("name"), "input": call.get("input")}
    return {**block, "thinking": block.get("text")} if kind == "thinking" and "thinking" not in block else block


def pieces_of(message: dict[str, Any]) -> Iterator[Piece]:
    """Yield the parts of a message in order. Adjacent blocks of text are one part.

    Blocks are preferred to ``text``, which repeats them, with fillers in place of blocks that the app could not show.
    """
    content: object = message.get("content")
    blocks = list_of(content)
    pieces = list(_of_blocks([object_of(block) for block in blocks]))
    yield from pieces
    if not any(piece.text.strip() for piece in pieces if piece.type == "text"):
        written = text_of(message.get("text")) or text_of(content)
        if written.replace(_FILLER, "").strip("`\n "):
            yield Piece(written)


def files_of(message: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Piece]]:
    """Return the files of a message, and the text extracted from them as quotes, since others may have written it."""
    attachments: list[dict[str, Any]] = []
    texts: list[Piece] = []
    for entry in list_of(message.get(FILES[0])):
        item = object_of(entry)
        name = words_of(item.get("file_name")) or "pasted.txt"
        mime = words_of(item.get("file_type"))
        extracted = text_of(item.get("extracted_content"))
        attachment = {
            "name": name,
            "mime": mime or None,
            "size": size_of(item.get("file_size")),
            "missing": not extracted,
        }
        attachments.append(attachment)
        if extracted.strip():
            texts.append(Piece(extracted, "attachment", segment="quote", attachments=[attachment]))
    names = {attachment["name"] for attachment in attachments}
    for key in FILES[1:]:
        for entry in list_of(message.get(key)):
            item = object_of(entry)
            name = words_of(item.get("file_name")) or words_of(item.get("file_uuid"))
            if name and name not in names:
                names.add(name)
                mime = words_of(item.get("file_kind"))
                attachments.append({"name": name, "mime": mime or None, "size": None, "missing": True})
    return attachments, texts


def _of_blocks(blocks: list[dict[str, Any]]) -> Iterator[Piece]:
    said: list[str] = []
    for block in blocks:
        kind = words_of(block.get("type"))
        if kind in ("text", "voice_note"):
            if text := text_of(block.get("text")) or text_of(block.get("transcript")):
                said.append(text)
            continue
        other = _other(kind, block)
        if other is None:
            continue
        if said:
            yield Piece("\n".join(said))
            said = []
        yield other
    if said:
        yield Piece("\n".join(said))


def _other(kind: str, block: dict[str, Any]) -> Piece | None:
    """Return the piece of a block that is not text; None for a block without content."""
    if kind in _SILENT or not block:
        return None
    if kind == "thinking":
        text = text_of(block.get("thinking"))
        return Piece(text, kind) if text.strip() else None
    if kind in ("tool_use", "tool_result"):
        tool = words_of(block.get("name")) or "tool"
        text = call_text(block.get("input")) if kind == "tool_use" else result_text(block.get("content"))
        if not text.strip():
            return None
        return Piece(text, kind, tool, "code" if kind == "tool_use" else "quote")
    inner = block.get("message") or block.get("content")
    text = (
        text_of(block.get("text")) or text_of(inner) or text_of(object_of(inner).get("content")) or result_text(inner)
    )
    if kind == "user_interjection" and text.strip():
        return Piece(text, kind, by_user=True)
    return Piece(text or f"[{kind or 'unknown'}]", kind or "unknown", kind="unknown")


def call_text(entries: object) -> str:
    """Return the input of a tool call: the text in one of the usual keys, else all of it as JSON."""
    item = object_of(entries)
    for key in ("content", "code", "file_text", "query"):
        if text := text_of(item.get(key)):
            return text
    return _as_json(entries) if entries else ""


def result_text(entries: object) -> str:
    """Return the result of a tool call: its texts and titles, else all of it as JSON."""
    if isinstance(entries, str):
        return entries
    said: list[str] = []
    for entry in list_of(entries):
        item = object_of(entry)
        title = words_of(item.get("title"))
        text = text_of(item.get("text")) or (entry if isinstance(entry, str) else "")
        said += [part for part in (title, text) if part]
    return "\n".join(said) or (_as_json(entries) if entries else "")


def _as_json(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # lone surrogates, or deeper nesting than orjson allows
        return ""

"""The blocks that Open WebUI writes into an answer: what the model thought, and which tools it called. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from .claude_content import Piece

_OPENING = re.compile(r'<details type="(?P<kind>reasoning|tool_calls|code_interpreter)"(?P<about>[^<>]{0,100000})>')
_CLOSING = "</details>"
_SUMMARY = re.compile(r"\s*<summary>[^<>]{0,1000}</summary>\n?")
_FIELD = re.compile(r'\b(?P<key>name|arguments|result|output)="(?P<value>[^"]*)"')
_QUOTED = re.compile(r"^(?:&gt;|>) ?", re.MULTILINE)


def pieces_in(text: str) -> Iterator[Piece]:
    """Yield the parts of an answer: its words, thoughts, and calls of tools with what these answered."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        end = text.find(_CLOSING, opening.end())
        if end < 0:
            break
        if before := text[at : opening.start()].strip():
            yield Piece(before)
        yield from _of_block(opening["kind"], opening["about"], text[opening.end() : end])
        at = end + len(_CLOSING)
    if rest := text[at:].strip("\n") if at else text:
        yield Piece(rest)


def _of_block(kind: str, about: str, inner: str) -> Iterator[Piece]:
    words = _QUOTED.sub("", unescape(_SUMMARY.sub("", inner, count=1))).strip()
    if kind == "reasoning":
        yield Piece(words, "thinking")
        return
    fields = {match["key"]: unescape(match["value"]) for match in _FIELD.finditer(about)}
    tool = fields.pop("name", "") or ("code" if kind == "code_interpreter" else "tool")
    called = "\n".join(filter(None, (fields.get("arguments", ""), words)))
    if called:
        yield Piece(called, "tool_use", tool, "code")
    if answer := fields.get("result") or fields.get("output"):
        yield Piece(answer, "tool_result", tool, "quote")

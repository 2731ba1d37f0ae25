"""The chats and texts that a plan of forgetting or undoing takes something from, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .terminal import counted, joined, one_line
from .wall_clock import local_time


def chat_lines(plan: Mapping[str, Any], columns: int) -> Iterator[str]:
    """Yield a line or more for each chat of a plan, ``chats`` and ``chat_count``, and one for those it does not list."""
    for each in plan["chats"]:
        yield from _lines(each, columns)
    more = plan["chat_count"] - len(plan["chats"])
    if more > 0:
        yield f"  … and {counted(more, 'chat or text', 'chats and texts')} more"


def _lines(chat: Mapping[str, Any], columns: int) -> list[str]:
    """A chat of the plan: what it is, how much goes, of what time."""
    if chat["kind"] == "text":
        size = counted(chat["messages"], "text")
    else:
        size = f"{counted(chat['messages'], 'message')} on {counted(chat['documents'], 'day')}"
    first, last = local_time(chat.get("first"))[:10], local_time(chat.get("last"))[:10]
    span = first if first == last else f"{first} to {last}"
    title, source = one_line(chat["title"], min(60, columns - 4)), one_line(chat["source"], 30)
    return joined([part for part in (title, source, size, span) if part], " · ", "      ", columns, first="  ")

"""Parses the first lines of KakaoTalk's exports: the title of the chat and the time of saving. Pure."""

from __future__ import annotations

import re
from unicodedata import normalize

_TITLES = tuple(
    re.compile(wording)
    for wording in (
        r"(?P<name>.+?)[ ]?님과의? ?카카오톡 대화",
        r"(?P<name>.+?) 카카오톡 대화",
        r"KakaoTalk Chats? with (?P<name>.+)",
        r"(?P<name>.+?) with KakaoTalk Chats?",
        r"(?P<name>.+?) ?(?:Kakao)?Talk Chats?",
        r"Chat with (?P<name>.+)",
        r"(?P<name>.+?)(?:さん)?とのカカオトーク(?:の?トーク|の?会話)?",
    )
)
_SAVED = re.compile(r"(?:저장한 ?날짜|Date Saved|Saved Date|Saved on|保存日時?|保存した日付) ?[:：].*", re.IGNORECASE)
_SPLIT_FILE = re.compile(r"(?:Talk|KakaoTalk)_?[\d. _:-]+-?\d*\.txt")
"""Matches the file's own name, which iOS writes as the first line: ``Talk_2026.8.7 13:01-1.txt``."""
_FILE = re.compile(
    r"(?:(?P<before>.+?)_)?(?:KakaoTalk|Talk)(?:Chats?)?(?:_Chats?)?_?(?P<between>[^\d].*?)?_?[\d. _:-]*(?:_?group)?"
)
_STAMPED = re.compile(r"(?P<name>.+?)_\d{8}_\d{4,6}(?:_\d+)*")
_COPY = re.compile(r" ?\(\d{1,3}\)$")


def title_in(line: str) -> str:
    """Return the name of the chat in a title line; empty for any other line."""
    if len(line) > 300:
        return ""
    for wording in _TITLES:
        if match := wording.fullmatch(line):
            return normalize("NFC", match["name"].strip())
    return ""


def is_preamble(line: str) -> bool:
    """Return whether a line belongs to the head of an export, which nobody wrote."""
    if len(line) > 300:
        return False
    return bool(title_in(line) or _SAVED.fullmatch(line) or _SPLIT_FILE.fullmatch(line)) or not line.strip("- ")


def is_saved_line(line: str) -> bool:
    """Return whether a line states the time of saving."""
    return len(line) <= 300 and bool(_SAVED.fullmatch(line) or _SPLIT_FILE.fullmatch(line))


def title_of_file(name: str) -> str:
    """Return the name of the chat in a file name of KakaoTalk; for any other file name its stem."""
    stem = normalize("NFC", name.rpartition("/")[2])
    for ending in (".txt", ".csv"):
        stem = stem[: -len(ending)] if stem.lower().endswith(ending) else stem
    stem = _COPY.sub("", stem)[:300].strip()
    if match := _FILE.fullmatch(stem) or _STAMPED.fullmatch(stem):
        parts = match.groupdict()
        named = (parts.get("before") or parts.get("between") or parts.get("name") or "").strip(" _")
        return named.removeprefix("Chat_").strip(" _") or "chat"
    return stem or "chat"

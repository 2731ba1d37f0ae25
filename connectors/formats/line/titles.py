"""Finds the title of a LINE chat in the first line of its file, or in the file's name, in any language. Pure."""

from __future__ import annotations

import re
from unicodedata import normalize

_MARK = re.compile(r"\[LINE\][ _]?")
_WORDINGS = tuple(
    re.compile(rf"(?:{wording})\Z")
    for wording in (
        r"Chat history (?:with|in) (?P<name>.+)",
        r"Chat (?:with|in) (?P<name>.+)",
        r"(?P<name>.+?)[ 　]?との(?:トーク履歴|トーク)",
        r"(?P<name>.+?)[ 　]?の(?:トーク履歴|トーク)",
        r"[与與][ ]?(?P<name>.+?)[ ]?的(?:聊天[记記][录錄]|聊天紀錄|對話紀錄|聊天|對話)",
        r"(?P<name>.+?)[ ]?的(?:聊天[记記][录錄]|聊天紀錄|聊天)",
        r"(?P<name>.+?)님과(?:의)? ?(?:대화|채팅)(?: ?내용| ?기록)?",
        r"(?P<name>.+?)의 ?(?:대화|채팅)(?: ?내용| ?기록)?",
        r"ประวัติการ(?:แชท|แชต|สนทนา)(?:กับ|ใน|ของ)? ?(?P<name>.+)",
        r"การ(?:แชท|แชต|สนทนา)(?:กับ|ใน) ?(?P<name>.+)",
        r"(?:Riwayat (?:obrolan|chat)|Obrolan|Chat)(?: dengan| di)? (?P<name>.+)",
        r"(?:Historial de(?:l)? chat|Conversación|Chat)(?: con| en| de) (?P<name>.+)",
        r"(?:Historique (?:de la |du )?(?:discussion|chat)|Discussion) (?:avec|dans) (?P<name>.+)",
        r"Chatverlauf (?:mit|in) (?P<name>.+)",
        r"Histórico de (?:conversa|bate-papo)s? (?:com|em) (?P<name>.+)",
        r"Cronologia (?:della )?chat (?:con|in) (?P<name>.+)",
        r"История (?:чата|переписки) (?:с|в) (?P<name>.+)",
        r"Lịch sử (?:trò chuyện|chat) (?:với|trong) (?P<name>.+)",
        r"(?P<name>.+?) (?:ile sohbet geçmişi|sohbet geçmişi)",
    )
)
_COPY = re.compile(r" ?\(\d{1,3}\)$")


def title_in(line: str) -> str:
    """Return the name of the chat in the first line of a file; empty if it is not a title."""
    text = line.strip()
    mark = _MARK.match(text)
    return _named(text[mark.end() if mark else 0 :].strip(), marked=mark is not None)


def is_title(line: str) -> bool:
    """Return whether a line is the title of an export."""
    return bool(title_in(line))


def title_of_file(name: str) -> str:
    """Return the name of the chat in a file name of LINE; for any other file name its stem."""
    stem = normalize("NFC", name.rpartition("/")[2])
    stem = stem[: -len(".txt")] if stem.lower().endswith(".txt") else stem
    mark = _MARK.match(stem)
    if mark is None:
        return _COPY.sub("", stem).strip() or "chat"
    return title_in(_COPY.sub("", stem)) or "chat"


def _named(text: str, *, marked: bool) -> str:
    if len(text) > 500:
        return ""
    for wording in _WORDINGS if marked else _WORDINGS[:1]:
        if match := wording.match(text):
            return normalize("NFC", match["name"].strip())
    return normalize("NFC", text) if marked else ""

"""A chat's title from file names, in any language in which the app named them. Pure."""

from __future__ import annotations

import re
from unicodedata import normalize

# The words before the name (of the other party, or of the group) in WhatsApp's names of exports.
_BEFORE = (
    *("WhatsApp Chat with", "WhatsApp Chat mit", "WhatsApp-Chat mit", "WhatsApp Chat -", "WhatsApp-Chat -"),
    *("Chat de WhatsApp con", "Chat WhatsApp con", "Conversa do WhatsApp com", "Conversa no WhatsApp com"),
    *("Conversa WhatsApp com", "Discussion WhatsApp avec", "Чат WhatsApp с", "WhatsApp-chat met", "WhatsApp chat met"),
    *(
        "צ'אט WhatsApp עם",
        "צ׳אט WhatsApp עם",
        "Conversación de WhatsApp con",
        "Chat do WhatsApp com",
        "Chat WhatsApp -",
    ),
    *("Obrolan WhatsApp dengan", "Chat WhatsApp dengan", "Czat WhatsApp z", "WhatsApp-chatt med", "WhatsApp-chat med"),
    *("WhatsApp Chat med", "WhatsApp-keskustelu:", "Conversație WhatsApp cu", "Чат WhatsApp із", "محادثة واتساب مع"),
    *("دردشة واتساب مع", "WhatsApp Sohbeti -", "Chat WhatsApp com", "Xat de WhatsApp amb", "WhatsApp chat s"),
)
_AFTER = ("とのWhatsAppトーク", "との WhatsApp トーク", "님과의 WhatsApp 대화", " ile WhatsApp Sohbeti")
_AROUND = (("与", "的 WhatsApp 聊天"), ("与", "的WhatsApp聊天"), ("與", "的 WhatsApp 對話"), ("與", "的 WhatsApp 聊天"))

_COPY = re.compile(r" ?\(\d{1,3}\)$")
_EXTENSION = re.compile(r"\.(?:txt|zip|gz)$", re.IGNORECASE)
_NAMELESS = re.compile(r"_?chat(?: ?\d+)?|messages|-|", re.IGNORECASE)
_NOT_WORDS = re.compile(r"[\W_]+")


def stem(name: str) -> str:
    """Return a file's name without folders, extensions and the `` (2)`` of a second download, in composed Unicode.

    Composed, because archivers on some systems write é as e and an accent: the same chat must have the same key.
    """
    base = normalize("NFC", name.replace("\\", "/").rstrip("/").rpartition("/")[2])
    for _ in range(4):
        shorter = _COPY.sub("", _EXTENSION.sub("", base)).rstrip()
        if shorter == base:
            break
        base = shorter
    return base


def named_by_app(name: str) -> str:
    """Return the title in a file name given by WhatsApp, or the empty string for other names."""
    base = stem(name)
    spaced = base.replace("_", " ") if " " not in base else base
    for prefix in _BEFORE:
        if spaced.casefold().startswith(prefix.casefold()):
            return spaced[len(prefix) :].strip()
    for suffix in _AFTER:
        if spaced.endswith(suffix):
            return spaced[: -len(suffix)].strip()
    for before, after in _AROUND:
        if spaced.startswith(before) and spaced.endswith(after):
            return spaced[len(before) : -len(after)].strip()
    return ""


def is_own_name(name: str) -> bool:
    """Return whether people gave a file its name: it is neither one of the app's nor a generic one."""
    return not named_by_app(name) and _NAMELESS.fullmatch(stem(name)) is None


def title_of(names: list[str], label: str = "") -> str:
    """Return the title of a chat.

    ``names``: the text file's own name, then its folders inside the source, then the source's name. A name given by
    the app wins; then ``label``, the name that iOS writes before lines without an author, because a file may be
    renamed; then the first name that is not generic.
    """
    for name in names:
        title = named_by_app(name)
        if title:
            return title
    if label:
        return normalize("NFC", label)
    return next((stem(name) for name in names if not _NAMELESS.fullmatch(stem(name))), "") or "chat"


def same_name(one: str, other: str) -> bool:
    """Return whether two names are equal, apart from the changes that file systems make."""
    return _bare(one) == _bare(other) != ""


def _bare(name: str) -> str:
    return _NOT_WORDS.sub("", normalize("NFKC", name)).casefold()

"""Recognition of bodies: plain text, or a placeholder for content that an export cannot hold. Pure.

Bodies stay verbatim, with their marks; they are folded only for recognition. Only the app's suffix
``<This message was edited>`` is removed, because an edited message must merge with its older version.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ....schemas import MessageKind
from ...times.locales import plain
from . import vocabulary as words
from .app_marks import kind_by_marks, without_edit_note

_LONG_PLACEHOLDER = 60
"""The maximum number of characters of a placeholder without a name or an address in it."""
_STOPS = (".", "。", "।", "!", "！", "۔", "።", "׃")
_SHORT = 160
"""The maximum number of characters of a placeholder."""

_FILE = r"[^\n<>:*?\"|/\\]{1,200}\.[A-Za-z0-9]{1,8}"
_OWN_FILE = re.compile(r"(?:IMG|VID|PTT|AUD|STK|DOC)-\d{8}-WA\d+\.\w{1,8}|\d{8}-[A-Z_]+-\d{4}(?:-\d\d){5}\.\w{1,8}")
_AFTER = re.compile(rf"({_FILE}) ?\(([^()\n]{{2,40}})\)")
_AFTER_OLD = re.compile(rf"({_FILE}) <([^<>\n]{{2,40}})>")
_BEFORE = re.compile(rf"(?:.* )?<([^<>:\n]{{2,40}}): ?({_FILE})>")
"""Matches the attachment in the form of iOS, behind the caption, or behind the file's name and number of pages."""
_MAP = re.compile(r"https?://(?:maps\.google\.com/\?q=|maps\.apple\.com/|(?:\w+\.)?foursquare\.com/v/)")
_LABELLED_MAP = re.compile(rf"[^\n]{{0,200}}?:? ?{_MAP.pattern}\S+")

EMPTY = "[empty]"
"""The placeholder for a body without text: a view-once message that was opened, or a deletion that left nothing."""

Sizes = Callable[[str], int | None]
"""A function that returns the size of a file in the export by its name, None if it is not there."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body recognised as something other than plain text."""

    content: str
    kind: MessageKind = "text"
    edited: bool = False
    deleted: bool = False
    attachment: str | None = None


def fold_body(text: str) -> str:
    """Fold a body for comparison with the vocabulary."""
    return plain(text).strip().rstrip(".").casefold()


@lru_cache(maxsize=1)
def whole_bodies() -> dict[str, MessageKind]:
    """Return the kinds of bodies that are only a placeholder, by folded text."""
    result: dict[str, MessageKind] = dict.fromkeys((fold_body(text) for text in words.MEDIA_OMITTED), "media")
    result |= dict.fromkeys((fold_body(text) for text in (*words.DELETED, *words.DELETED_BY_ME)), "deleted")
    result |= dict.fromkeys((fold_body(text) for text in words.VIEW_ONCE), "media")
    result |= dict.fromkeys((fold_body(text) for text in words.WAITING), "unknown")
    return result


@lru_cache(maxsize=1)
def by_me() -> frozenset[str]:
    """Return the folded bodies that only the exporter's own messages have."""
    return frozenset(fold_body(text) for text in words.DELETED_BY_ME)


ENDINGS = frozenset({"", ">", ")", " ", "\n", "\t", "\r", "\u00a0", "\u200e", "\u200f", "\u202f", "\u3000"})
"""The last characters of bodies that may be more than plain text."""


@lru_cache(maxsize=1)
def openings() -> frozenset[str]:
    """Return the first five characters of bodies that may be more than plain text, in the cases that occur.

    A reader calls ``recognise`` for bodies that begin or end so, or that ``may_be_more``; others are plain text.
    """
    whole = (*words.MEDIA_OMITTED, *words.DELETED, *words.DELETED_BY_ME, *words.POLL, *words.LOCATION, *words.CALL)
    whole += (*words.DELETED_BY_ADMIN, *words.WAITING, *words.VIEW_ONCE)
    return frozenset(spelled[:5] for text in whole for spelled in (text, text.lower(), text.capitalize()))


def may_be_more(body: str) -> bool:
    """Return whether the inside of a body, not its ends, requires ``recognise``: marks, a map, a caption."""
    if "\u200e" in body:
        return True
    if "\n" in body and (")\n" in body or ">\n" in body):
        return True
    return "://" in body and _MAP.search(body) is not None


def recognise(body: str, placeholders: frozenset[str], sizes: Sizes, *, marks: bool = False) -> Body | None:
    """Return the kind of a body with its fields, or None for plain text.

    Args:
        body: the text behind the author.
        placeholders: whole bodies that recur.
        sizes: see `Sizes`.
        marks: whether the app's own bodies begin with U+200E, and people's do not.
    """
    if not plain(body).strip():
        return Body(body if body.strip() else EMPTY, "unknown")
    content, edited = without_edit_note(body)
    folded = fold_body(content) if len(content) <= _SHORT else ""
    if not folded and edited and not content.strip():
        return Body(EMPTY, "unknown", edited=True)
    kind = whole_bodies().get(folded)
    if kind is None and folded:
        kind = _by_opening(folded, content)
    if kind is None and (content.strip() in placeholders or _left_out_with_caption(content)):
        kind = "media"
    if kind is not None:
        return Body(content, kind, edited=edited, deleted=kind == "deleted", attachment=_document(content))
    attachment = attached(content, sizes)
    if attachment is not None:
        card = attachment.lower().endswith(".vcf")
        return Body(content, "contact" if card else "media", edited=edited, attachment=attachment)
    opening = plain(content[:40]).lstrip().casefold()
    if opening.startswith(_polls()):
        return Body(content, "poll", edited=edited)
    if content[:1] == "\u200e" and opening.startswith(_events()):
        return Body(content, "event", edited=edited)
    marked = kind_by_marks(content) if marks else None
    if marked is not None:
        return Body(content, marked, edited=edited)
    return Body(content, edited=True) if edited else None


def attached(content: str, sizes: Sizes) -> str | None:
    """Return the name of the attached file that a body's first line states, with its caption on the next lines, or its last
    line behind a mark (iOS).

    In a language outside the vocabulary, the name must be in the export or have WhatsApp's own form.
    """
    first, _, rest = content.partition("\n")
    _, mark, behind = rest.rpartition("\u200e")
    return _attached_in(first, sizes) or (_attached_in(behind, sizes) if mark and "\n" not in behind else None)


def _attached_in(text: str, sizes: Sizes) -> str | None:
    line = plain(text).strip()
    if not line or line[-1] not in ")>":
        return None
    for pattern, name, word, known_words in (
        (_AFTER, 1, 2, words.ATTACHED_AFTER),
        (_AFTER_OLD, 1, 2, words.ATTACHED_AFTER),
        (_BEFORE, 2, 1, words.ATTACHED_BEFORE),
    ):
        match = pattern.fullmatch(line)
        if match:
            file = match[name].strip()
            sure = match[word].strip().casefold() in _folded(known_words)
            if sure or _OWN_FILE.fullmatch(file) or sizes(file) is not None:
                return file
    return None


def _left_out_with_caption(content: str) -> bool:
    """Return whether the body has a caption whose file was left out: the placeholder stands before it, or behind it
    (iOS).
    """
    first, line_break, _ = content.partition("\n")
    if line_break and first[:1] == "<" and whole_bodies().get(fold_body(first)) == "media":
        return True
    _, mark, last = content.rpartition("\u200e")
    return bool(mark) and len(last) <= _SHORT and whole_bodies().get(fold_body(last)) == "media"


def attachment_fields(name: str, sizes: Sizes) -> dict[str, Any]:
    """Return the fields of an attachment: its size if the export holds it, else ``missing``."""
    size = sizes(name)
    return {"name": name, "missing": True} if size is None else {"name": name, "size": size}


def is_system(text: str) -> bool:
    """Return whether the text contains a phrase of a system line in a known language."""
    folded = plain(text[:400]).casefold()
    return any(part in folded for part in words.SYSTEM_PARTS) or bool(language_of(text))


def is_call(text: str) -> bool:
    """Return whether the text is the line of a call."""
    folded = fold_body(text[:_SHORT])
    return _opens_with(folded, _folded(words.CALL))


def is_notice(text: str) -> bool:
    """Return whether a text behind a mark is a sentence of the app, in any language, and no placeholder: those are short
    and end without a stop, and people's messages have no mark.
    """
    sentence = plain(text).strip()
    if text[:1] != "\u200e" or "\n" in sentence or "://" in sentence or fold_body(text) in whole_bodies():
        return False
    return len(sentence) > _LONG_PLACEHOLDER or sentence.endswith(_STOPS)


def about_you(text: str) -> bool:
    """Return whether a system line addresses the exporter."""
    opening = plain(text[:80]).lstrip()
    return opening.startswith(words.YOU)


def language_of(text: str) -> str:
    """Return the language of a notice of encryption, or the empty string."""
    folded = plain(text[:400]).casefold()
    return next((language for part, language in words.ENCRYPTED.items() if part in folded), "")


def _by_opening(folded: str, content: str) -> MessageKind | None:
    if "://" in content and _LABELLED_MAP.fullmatch(plain(content).strip()):
        return "location"
    if _opens_with(folded, _folded(words.LOCATION)) and ("://" in content or ":" not in folded):
        return "location"
    if is_call(content) and (content[:1] == "\u200e" or len(folded) <= 60):
        return "call"
    if any(map(folded.startswith, _folded(words.DELETED_BY_ADMIN))) and "\n" not in folded:
        return "deleted"
    if "•" in folded and any(folded.endswith(fold_body(word)) for word in words.DOCUMENT_OMITTED):
        return "media"
    return None


def _opens_with(folded: str, words: frozenset[str]) -> bool:
    for word in _by_letters(words).get(folded[:5], ()):
        if folded.startswith(word):
            rest = folded[len(word) :]
            if not rest or rest[0] in ".,•" or word.endswith(":") or rest.startswith((" at ", " um ", " (")):
                return True
    return False


def _document(content: str) -> str | None:
    head, dot, _ = content.partition("•")
    name = plain(head).strip()
    return name if dot and re.fullmatch(_FILE, name) else None


@lru_cache(maxsize=16)
def _by_letters(words: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Index openings by their first five letters; none is shorter."""
    return {letters: tuple(w for w in words if w.startswith(letters)) for letters in {w[:5] for w in words}}


@lru_cache(maxsize=16)
def _folded(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(plain(text).casefold() for text in texts)


@lru_cache(maxsize=1)
def _events() -> tuple[str, ...]:
    return tuple(sorted(_folded(words.EVENT)))


@lru_cache(maxsize=1)
def _polls() -> tuple[str, ...]:
    return tuple(sorted(_folded(words.POLL)))

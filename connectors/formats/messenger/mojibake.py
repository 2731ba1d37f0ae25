"""Repairs the text of Meta's exports, which write each byte of UTF-8 as a character of its own. Pure."""

from __future__ import annotations

_BETWEEN = "\0"
"""A separator that hardly any text contains, and whose byte is no part of another character in UTF-8."""


def repaired(text: str) -> str:
    """Return the intended text: ``"Café"`` for ``"CafÃ©"``. Other text is returned unchanged."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def repaired_all(texts: list[str]) -> list[str]:
    """Repair many texts at once.

    Raises:
        TypeError: an item is not a string.
    """
    together = _BETWEEN.join(texts)
    if together.isascii():
        return texts
    try:
        mended = together.encode("latin-1").decode("utf-8").split(_BETWEEN)
    except UnicodeError:
        mended = []
    return mended if len(mended) == len(texts) else [*map(repaired, texts)]


def repaired_text(value: object) -> str:
    """Repair a JSON value; return an empty string for anything but a string."""
    return repaired(value) if isinstance(value, str) else ""


def repaired_name(value: object) -> str:
    """Repair a name and strip the blanks around it. Not for message texts, whose blanks stay."""
    return repaired(value).strip() if isinstance(value, str) else ""

"""Meta's exports write each byte of UTF-8 as a character of its own: here it becomes text again. Pure."""

from __future__ import annotations

_BETWEEN = "\0"
"""A character that hardly a text holds, and whose byte is a part of no other."""


def repaired(text: str) -> str:
    """The text that was meant: of ``"CafÃ©"`` it is ``"Café"``; what was not written that way stays as it is."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def repaired_all(texts: list[str]) -> list[str]:
    """The same of each of many texts.

    Raises:
        TypeError: one is no text.
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
    """The same of a value of JSON: empty for what is no string."""
    return repaired(value) if isinstance(value, str) else ""


def repaired_name(value: object) -> str:
    """The same of a name, without blanks around it. Never for what people wrote."""
    return repaired(value).strip() if isinstance(value, str) else ""

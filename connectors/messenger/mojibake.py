"""Meta's exports write each byte of UTF-8 as a character of its own: here it becomes text again. Pure."""

from __future__ import annotations


def repaired(text: str) -> str:
    """The text that was meant: of ``"CafÃ©"`` it is ``"Café"``; what was not written that way stays as it is."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def repaired_text(value: object) -> str:
    """The same of a value of JSON: empty for what is no string."""
    return repaired(value) if isinstance(value, str) else ""


def repaired_name(value: object) -> str:
    """The same of a name, without blanks around it. Never for what people wrote."""
    return repaired(value).strip() if isinstance(value, str) else ""

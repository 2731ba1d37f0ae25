"""Parses fields with parameters, such as Content-Type: ``text/plain; charset=utf-8``. Never raises, whatever the text."""

from __future__ import annotations

import re
from email.utils import decode_params
from functools import lru_cache

from .charsets import decode_text
from .headers import decoded

_ESCAPED = re.compile(r"\\(.)")
_TYPE = re.compile(r"\s*([\w!#$&^.+-]+)\s*/\s*([\w!#$&^.+-]+)", re.ASCII)
"""Matches a media type alone; damaged fields continue with other words."""
_PARAMETER = re.compile(r";\s*([^\s=;\"]+)\s*=\s*(\"(?:[^\"\\]|\\.)*\"?|[^;]*)", re.DOTALL)
_UNPARTED = r"\s(?:(?:file)?name|charset|boundary)(?:\*\d*\*?)?\s*="
"""Matches the beginning of a parameter that lacks the semicolon before it."""
_LOOSE_PARAMETER = re.compile(
    rf"(?:;|(?={_UNPARTED}))\s*([^\s=;\"]+)\s*=\s*(\"(?:[^\"\\]|\\.)*\"?|(?:(?!{_UNPARTED})[^;])*)",
    re.DOTALL | re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def parameters(value: str) -> tuple[str, dict[str, str]]:
    """Parse a field such as ``text/plain; charset=utf-8`` into its value in lower case and its decoded parameters."""
    typed = _TYPE.match(value)
    main = (f"{typed[1]}/{typed[2]}" if typed else value.partition(";")[0].strip()).lower()
    result: dict[str, str] = {}
    extended: list[tuple[str, str]] = []
    whole = value.count("=") <= value.count(";")
    for name, raw in (_PARAMETER if whole else _LOOSE_PARAMETER).findall(value):
        text = raw.strip()
        if text.startswith('"'):
            text = text[1:].removesuffix('"')
            text = _ESCAPED.sub(r"\1", text) if "\\" in text else text
        if "*" in name:
            extended.append((name.lower(), text))
        else:
            result.setdefault(name.lower(), text)
    if extended:
        result |= _extended(extended)
    return main, {name: decoded(text) for name, text in result.items()}


def _extended(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Decode parameters in several pieces or in other encodings (RFC 2231)."""
    result: dict[str, str] = {}
    try:
        joined = decode_params([("", ""), *pairs])
    except (ValueError, TypeError, IndexError, KeyError):
        return {name.partition("*")[0]: text for name, text in pairs}
    for name, value in joined[1:]:
        if isinstance(value, tuple):
            charset, _, text = value
            result[name] = decode_text(text.strip('"').encode("latin-1", "replace"), charset or "")
        else:
            result[name] = value.strip('"')
    return result

"""Reads one PDF from standard input and writes JSON lines: the file's metadata, then each page.

Runs as a separate process because a hostile PDF may take any amount of memory and time. Imports nothing of memd, so
that it starts quickly. Its lines: ``{"pages": n, "info": {…}}``, ``{"page": 1, "text": …}`` or ``{"page": 1, "error":
…}``, and ``{"done": true}`` last. An unreadable file gives ``{"error": …}``. Errors contain no text of the file.
"""

from __future__ import annotations

import contextlib
import html
import json
import logging
import os
import re
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_INFO = {
    "/Title": "title",
    "/Author": "author",
    "/Subject": "subject",
    "/Keywords": "keywords",
    "/CreationDate": "created",
    "/ModDate": "updated",
}
_ANSWERS = 1
"""The descriptor of the pipe to the caller."""
_LONGEST = 4096
"""The largest length of a metadata value, and of a line beside the text, in characters."""
_TAG = re.compile(r"<[^<>]*>")
_MOST_BESIDE = 2_000
"""The largest number of fields, comments and links of a page."""


def main(memory: int, seconds: int) -> None:
    """Read the file within limits of memory in bytes and processor time in seconds."""
    _limit(memory, seconds)
    logging.disable(logging.CRITICAL)
    try:
        _read()
    except MemoryError:
        _write({"error": "memory"})
    except RecursionError:
        _write({"error": "nested too deep"})
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything in the parser
        _write({"error": "encrypted" if _is_password(error) else type(error).__name__})


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # not on every system; the caller also limits the time
        return
    limits = [(resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)]
    if sys.platform == "linux":
        limits.append((resource.RLIMIT_AS, memory))
    for what, most in limits:
        with contextlib.suppress(ValueError, OSError):  # a stricter limit is in force
            resource.setrlimit(what, (most, most))


def _read() -> None:
    from pypdf import PdfReader

    reader = PdfReader(sys.stdin.buffer, strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        _write({"error": "encrypted"})
        return
    count = len(reader.pages)
    _write({"pages": count, "info": _info(reader)})
    for number in range(count):
        try:
            page = reader.pages[number]
            text = page.extract_text() or ""
            line: dict[str, Any] = {"page": number + 1, "text": text}
            if beside := _beside(page):
                line["beside"] = beside
            if not text.strip() and not beside:
                line["pictures"] = _has_pictures(page)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - one damaged page must not end the others
            line = {"page": number + 1, "error": type(error).__name__}
        _write(line)
    _write({"done": True})


def _info(reader: PdfReader) -> dict[str, str]:
    result: dict[str, str] = {}
    try:
        entries = cast("dict[str, object]", reader.metadata or {})
        for key, name in _INFO.items():
            value = entries.get(key)
            if isinstance(value, str) and value.strip():
                result[name] = value[:_LONGEST]
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the metadata may be damaged although the pages are whole
        return result
    return result


def _beside(page: PageObject) -> list[str]:
    """Return the values of forms, comments, and addresses of links, a line each; damaged ones are left out."""
    lines: dict[str, None] = {}
    try:
        notes = list(_value(cast("Any", page), "/Annots") or ())[:_MOST_BESIDE]
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the text of the page is whole although the list of what lies on it is not
        return []
    for note in notes:
        try:
            line = _line_of(note.get_object())
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - as above, for one of them
            line = ""
        if line.strip():
            lines[line[:_LONGEST]] = None
    return list(lines)


def _line_of(note: dict[str, Any]) -> str:
    kind = str(_value(note, "/Subtype"))
    if kind == "/Widget":
        return _form_field(note)
    if kind == "/Link":
        return str(_value(_value(note, "/A") or {}, "/URI") or "")
    author, words = (str(_value(note, key) or "").strip() for key in ("/T", "/Contents"))
    words = words or _plain(_value(note, "/RC"))
    if kind == "/Popup" or not words:
        return ""
    return f"[Comment by {author}: {words}]" if author else f"[Comment: {words}]"


def _value(container: dict[str, Any], key: str) -> Any:  # noqa: ANN401 - an object of pypdf
    """Return a value, also if the file has it in another place."""
    value: Any = container.get(key)
    return value if value is None else value.get_object()  # every object of pypdf has it


def _form_field(note: dict[str, Any]) -> str:
    """Return ``name: value`` of a field with a value; a switch that is off has none."""
    above = cast("dict[str, Any]", _value(note, "/Parent") or {})
    fields: list[Any] = [_value(note, key) or _value(above, key) for key in ("/V", "/FT", "/T", "/TU")]
    value, kind, name, shown_name = fields
    if value is None:
        value = _plain(_value(note, "/RV") or _value(above, "/RV"))
    if isinstance(value, dict):
        return ""
    values = [str(each) for each in cast("list[Any]", value if isinstance(value, list) else [value])]
    if kind == "/Ch":
        choices = _choices(_value(note, "/Opt") or _value(above, "/Opt"))
        values = [choices.get(each, each) for each in values]
    shown = ", ".join(values)
    if kind == "/Btn":
        state = str(_value(note, "/AS") or fields[0])
        shown = "" if state == "/Off" else state.removeprefix("/")
    name = str(shown_name or name or "").strip()
    return (f"{name}: {shown}" if name else shown) if shown.strip() else ""


def _choices(options: object) -> dict[str, str]:
    """Return the words that a list shows, by the values that it stores."""
    pairs = cast("list[Any]", options)[:_MOST_BESIDE] if isinstance(options, list) else []
    rows = [[str(part) for part in cast("list[Any]", pair)] for pair in pairs if isinstance(pair, list)]
    return {pair[0]: pair[1] for pair in rows if len(pair) == 2}


def _plain(text: object) -> str:
    """Return the words of rich text, which is XHTML."""
    return html.unescape(_TAG.sub("", str(text))).strip() if isinstance(text, str) else ""


def _has_pictures(page: PageObject) -> bool:
    try:
        objects = cast("Any", page)["/Resources"]["/XObject"].get_object()
        return any(objects[name].get_object().get("/Subtype") == "/Image" for name in list(objects)[:20])
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a page without resources has no pictures
        return False


def _is_password(error: Exception) -> bool:
    return type(error).__name__ in ("WrongPasswordError", "FileNotDecryptedError", "DependencyError")


def _write(line: dict[str, Any]) -> None:
    data = memoryview(json.dumps(line).encode() + b"\n")
    while data:
        data = data[os.write(_ANSWERS, data) :]


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

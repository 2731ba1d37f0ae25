"""A byte scan of every file below a folder for words, in all forms in which memd's files could hold them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from memd.memory.text import analyzer

_STEM = 5
"""Letters of the shortest stem that is looked for: a shorter one may stand in anything."""
_LOG_HEADER, _FRAME_HEADER = 32, 24
"""Bytes of the headers of a write-ahead log and of each of its frames, which hold a page."""


def traces(directory: Path, *words: str, texts: Iterable[str] = ()) -> dict[str, list[str]]:
    """By word, the files that hold it in any form, or the hash of one of the ``texts``; empty when there are none.

    A whole text is found as a word, and by its unsalted SHA-256 as the store keeps it: it could be guessed from that.
    """
    wanted = {word: set(_forms(word)) for word in words}
    for text in texts:
        wanted.setdefault(text, set()).update(_hashes(text))
    found: dict[str, list[str]] = {}
    for path in files(directory):
        content = b""
        with suppress(FileNotFoundError):  # an index in use replaces its files at any time
            content = path.read_bytes()
        content = _written(path.name, content)
        lower = content.lower()
        for word, forms in wanted.items():
            if any(form in content or form in lower for form in forms):
                found.setdefault(word, []).append(os.fspath(path.relative_to(directory)))
    return found


def _written(name: str, content: bytes) -> bytes:
    """The content without the salts and checksums of SQLite's write-ahead log and its index: three letters stand in these by
    chance. The layout is the one of https://www.sqlite.org/fileformat2.html#walformat; the index holds no content.
    """
    if name.endswith("-shm"):
        return b""
    page = int.from_bytes(content[8:12])
    if not name.endswith("-wal") or len(content) < _LOG_HEADER or page == 0:
        return content
    frame = _FRAME_HEADER + page
    starts = range(_LOG_HEADER + _FRAME_HEADER, len(content), frame)
    return b"\0".join(content[start : start + frame - _FRAME_HEADER] for start in starts)


def files(directory: Path) -> Iterator[Path]:
    """Every regular file, hidden ones too."""
    for path in sorted(directory.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _forms(word: str) -> Iterator[bytes]:
    """UTF-8, UTF-16 and JSON's escapes of a word, as written, in lower case and as the terms of an index."""
    stems = [term for term in analyzer.terms(word, "en") if len(term) >= _STEM] if word.isalpha() else []
    for spelling in dict.fromkeys((word, word.lower(), word.casefold(), *stems)):
        yield spelling.encode()
        yield spelling.encode("utf-16-le")
        yield spelling.encode("utf-16-be")
        escaped = json.dumps(spelling)[1:-1]
        yield escaped.encode()
    yield from _hashes(word)


def _hashes(text: str) -> Iterator[bytes]:
    digest = sha256(text.encode()).digest()
    yield digest
    yield digest.hex().encode()

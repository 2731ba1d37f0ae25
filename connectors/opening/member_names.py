"""Names inside folders and archives: which are refused, and which only an archiver or a file manager needs."""

from __future__ import annotations

import os
import re

from ..connector import Member
from .limits import Limits

_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|tar\.gz)\Z", re.IGNORECASE)
TAKEOUT_PIECES = r"(?:(?<=\dZ)-\d{1,2})?-\d{3}"
"""An expression for the numbers of a download of Google: ``takeout-20240115T101500Z-001.zip``, since 2025 ``…Z-1-001.zip``
and ``…Z-2-001.zip``.
"""
_NUMBER = re.compile(r"(\d+)")
_BOOKKEEPING = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})


def readable_name(name: str | bytes) -> str:
    """Return a file system's name as valid Unicode; undecodable bytes become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def folder_of(member: Member) -> str:
    """Return the folder of a member inside its source; empty at the top."""
    return member.name.rpartition("/")[0]


def archive_stem(name: str) -> str:
    """Return a name without the ending of an archive."""
    return _ARCHIVE.sub("", name)


def natural_order(name: str) -> list[tuple[bool, int, str]]:
    """Return a key in which numbers count as numbers: ``message_10`` comes behind ``message_2``."""
    return [
        (part.isdecimal(), int(part) if part.isdecimal() and len(part) < 19 else 0, part)
        for part in _NUMBER.split(name)
    ]


def is_bookkeeping(path: str) -> bool:
    """Return whether a file was made by a system and not by a user: resource forks, folder settings, thumbnails."""
    parts = path.split("/")
    return any(part in _BOOKKEEPING for part in parts) or parts[-1].startswith("._")


def unsafe_name(path: str, limits: Limits) -> str:
    """Return the reason why a member's path is refused; empty if it is safe. No member is ever written to disk, so this
    protects the code that uses the names.
    """
    if not path or _CONTROL.search(path):
        return "its name is empty or holds control characters"
    if path.startswith("/") or _DRIVE.match(path):
        return "its name is an absolute path"
    if ".." in path.split("/"):
        return "its name leads out of the archive"
    if len(path) > limits.path_length:
        return f"its name has more than {limits.path_length} characters"
    return ""


def shown(path: str) -> str:
    """Return a refused name for messages: short and on one line."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", path[:200])

"""The files that lie beside an export, to say which of the attachments that it names are missing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from posixpath import normpath
from unicodedata import normalize
from urllib.parse import unquote

from ..connector import Source
from .member_subset import held_files

_MOST = 1_000_000
"""The most files that are known by name; attachments of a larger export may be told as missing."""
_REPLACED = re.compile(r"[^\w.()/-]")
_SHORTENED = 40
"""The least length of a name that a program which cuts long names leaves of one."""
_LONGEST = 255
_PARTS = 3


class AttachedFiles:
    """The files of a source by the ends of their paths: people give memd a part of an export as often as all of it, and
    its archives may be unpacked beside each other.
    """

    def __init__(self, source: Source) -> None:
        self._ends = {next(_ends(file.name)) for file in islice(held_files(source), _MOST)}

    def has(self, path: str, folder: str = "") -> bool:
        """Return whether a file lies there: its name and the two folders around it count, or all folders if the source has
        fewer.

        Args:
            path: as the export writes it, perhaps as an address.
            folder: the folder from which the path leads there.
        """
        path = f"{folder}/{path.replace(chr(92), '/')}"
        return any(not self._ends.isdisjoint(_ends(each)) for each in dict.fromkeys((path, unquote(path))))

    def has_shortened(self, name: str, folder: str) -> bool:
        """Return whether a folder has a file of this name, which may be cut before its ending."""
        if self.has(name, folder):
            return True
        stem, dot, ending = name[-_LONGEST:].rpartition(".")
        stem, ending = (stem, dot + ending) if dot else (ending, "")
        lengths = range(len(stem) - 1, _SHORTENED - 1, -1)
        return any(next(_ends(f"{folder}/{stem[:length]}{ending}")) in self._ends for length in lengths)


def _ends(path: str) -> Iterator[str]:
    """Yield the last three parts of a path, then the path if it has two or one, as `AttachedFiles` knows files; signs that
    programs replace in names are one sign.
    """
    parts = normpath(_REPLACED.sub("_", normalize("NFC", path))).strip("/").split("/")
    yield "/".join(parts[-_PARTS:])
    for count in range(min(_PARTS, len(parts)) - 1, 0, -1):
        yield "/".join(parts[-count:])

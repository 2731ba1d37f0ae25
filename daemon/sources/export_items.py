"""Which files of a folder are one export and are read together, as `memd ingest FOLDER` reads them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...connectors.reading.registry import ARCHIVE, format_named
from .folder_scan import FoundFile

_LOGS = ("-wal", "-shm", "-journal")
"""What SQLite writes behind the name of a database for its files beside it."""

NOT_ASKED = "?"
"""Stands for the format of a file in a folder in which nothing can be an export of several files."""
_ALONE = (".txt", ".zip", ".md", ".markdown", ".eml", ".emlx", ".mbox")
"""Ends of names of files that stand for themselves where there are no others."""
_LISTS = (".json", ".html", ".htm")
"""Ends of names of the files in which programs say whose export it is."""
MOST_BESIDE = 1000
"""Of those, how many are looked into."""


@dataclass(frozen=True, slots=True)
class ExportItem:
    """One export: a file, or the files of one format below a folder with what lies beside them."""

    format: str
    """As `claimant` tells it; empty for a file that nobody recognises."""
    files: tuple[FoundFile, ...]
    folder: str | None = None
    """Below which the files of one export lie, empty for the whole source; None for a file that stands for itself."""
    places: frozenset[str] = field(default=frozenset(), repr=False)
    """Folders at the top of the source in which it has files, where it is an export of the whole source."""
    beside: tuple[str, ...] = field(default=(), repr=False)
    """Paths of files elsewhere in the source that no format claims: one may say whose export it is."""

    def holds(self, path: str) -> bool:
        """Whether a file of this path would belong to it, where no format claims it."""
        if self.folder is None:
            return path == self.files[0].path
        top = _top(path)
        if self.folder or top:
            return top == self.folder or top in self.places
        # Beside files of it alone a stranger is no part of it, but for the log of a database.
        return bool(self.places) or any(path == found.path + end for found in self.files for end in _LOGS)


def items_of(files: Sequence[FoundFile], formats: Mapping[str, str], due: Collection[str]) -> list[ExportItem]:
    """The exports that hold a file which is ``due``, in the order of their first files.

    A format of several files has an export in each folder at the top of the source; where a file of it lies beside those
    folders, all of them are one, for it may be the list of people of them all. What nobody recognises belongs to the export
    that it lies in, and what messages consist of to theirs.

    Args:
        files: of the folder, without attachments.
        formats: of each file, by path.
        due: paths of files that are to be read.
    """
    claimed: dict[str, list[FoundFile]] = {}
    for found in files:
        claimed.setdefault(formats[found.path], []).append(found)
    together = [item for name, own in claimed.items() if name and not _is_alone(name) for item in _grouped(name, own)]
    strangers = claimed.get("", ())
    inside: dict[int, list[FoundFile]] = {}
    items: list[ExportItem] = []
    of_messages = {folder: number for number, item in enumerate(together) for folder in _folders_of_messages(item)}
    for name, own in claimed.items():
        for found in own if _is_alone(name) else ():
            place = next((of_messages[above] for above in _above(found.path) if above in of_messages), None)
            if place is None or not format_named(name).each_file_alone:
                items.append(ExportItem(name, (found,)))
            else:
                inside.setdefault(place, []).append(found)
    for found in strangers:
        place = next((number for number, item in enumerate(together) if item.holds(found.path)), None)
        if place is None:
            items.append(ExportItem("", (found,)))
        else:
            inside.setdefault(place, []).append(found)
    elsewhere = [found.path for found in strangers if found.path.lower().endswith(_LISTS)][:MOST_BESIDE]
    for number, item in enumerate(together):
        whole = sorted((*item.files, *inside.get(number, ())), key=lambda found: found.path)
        items.append(ExportItem(item.format, tuple(whole), item.folder, item.places, tuple(elsewhere)))
    order = {found.path: number for number, found in enumerate(files)}
    wanted = [item for item in items if any(found.path in due for found in item.files)]
    return sorted(wanted, key=lambda item: order[item.files[0].path])


def _is_alone(name: str) -> bool:
    return name in (ARCHIVE, NOT_ASKED) or format_named(name).each_file_alone


def _folders_of_messages(item: ExportItem) -> set[str]:
    """Folders with files that belong to the messages of an export, whatever they are."""
    beside = format_named(item.format).files_in
    return {"".join((*found.path.rpartition("/")[:2], beside)) for found in item.files} if beside else set()


def _above(path: str) -> Iterator[str]:
    """The folders that a file lies in, the innermost first."""
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def all_stand_alone(files: Sequence[FoundFile]) -> bool:
    """Whether the names of a folder's files say that none is a part of an export, so that nobody need look into them."""
    return all(found.path.lower().endswith(_ALONE) for found in files)


def _grouped(name: str, files: Sequence[FoundFile]) -> Iterator[ExportItem]:
    tops: dict[str, list[FoundFile]] = {}
    for found in files:
        tops.setdefault(_top(found.path), []).append(found)
    if "" in tops:
        yield ExportItem(name, tuple(files), "", frozenset(tops) - {""})
        return
    for top, own in tops.items():
        yield ExportItem(name, tuple(own), top)


def _top(path: str) -> str:
    """The folder at the top of the source that a file lies in; empty for one that lies in none."""
    top, slash, _ = path.partition("/")
    return top if slash else ""

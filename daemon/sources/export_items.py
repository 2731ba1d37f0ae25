"""Groups the files of a folder into exports that are read together, as `memd ingest FOLDER` does. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...connectors.reading.registry import ARCHIVE, format_named
from .folder_scan import FoundFile

_LOGS = ("-wal", "-shm", "-journal")
"""The suffixes that SQLite appends to the name of a database for the files beside it."""

NOT_ASKED = "?"
"""A placeholder for the format of a file, used in a folder that cannot contain an export of several files."""
_ALONE = (".txt", ".zip", ".md", ".markdown", ".eml", ".emlx", ".mbox")
"""The suffixes of files that are an export each, if the folder has no others."""
_LISTS = (".json", ".html", ".htm")
"""The suffixes of files that may name the owner of an export."""
MOST_BESIDE = 1000
"""The maximum number of such files that are looked into."""


@dataclass(frozen=True, slots=True)
class ExportItem:
    """One export: a file, or the files of one format below a folder with what lies beside them."""

    format: str
    """The format as `claimant` returns it; empty for a file that no format claims."""
    files: tuple[FoundFile, ...]
    folder: str | None = None
    """The folder below which the files of the export lie; empty for the whole source, None for an export of a single
    file.
    """
    places: frozenset[str] = field(default=frozenset(), repr=False)
    """The folders at the top of the source that contain its files, if the export spans the whole source."""
    beside: tuple[str, ...] = field(default=(), repr=False)
    """The paths of files elsewhere in the source that no format claims: one may name the owner of the export."""

    def holds(self, path: str) -> bool:
        """Return whether a file at this path that no format claims would belong to the export."""
        if self.folder is None:
            return path == self.files[0].path
        top = _top(path)
        if self.folder or top:
            return top == self.folder or top in self.places
        # If only files of the export lie at the top, an unclaimed file there is not part of it, except the log of a
        # database.
        return bool(self.places) or any(path == file.path + end for file in self.files for end in _LOGS)


def items_of(files: Sequence[FoundFile], formats: Mapping[str, str], due: Collection[str]) -> list[ExportItem]:
    """Return the exports that contain a ``due`` file, in the order of their first files.

    A format of several files has one export per folder at the top of the source. If a file of that format lies at the
    top itself, all of them form one export: the file may be its list of people. An unclaimed file belongs to the export
    in whose folder it lies, and a file that is part of messages, or one of its program's own, to that export.

    Args:
        files: of the folder, without attachments.
        formats: of each file, by path.
        due: paths of files that are to be read.
    """
    claimed: dict[str, list[FoundFile]] = {}
    for file in files:
        claimed.setdefault(formats[file.path], []).append(file)
    together = [
        item for name, members in claimed.items() if name and not _is_alone(name) for item in _grouped(name, members)
    ]
    strangers = claimed.get("", ())
    inside: dict[int, list[FoundFile]] = {}
    items: list[ExportItem] = []
    own_files = {path: number for number, item in enumerate(together) for path in _own_files(item)}
    of_messages = {folder: number for number, item in enumerate(together) for folder in _folders_of_messages(item)}
    for name, members in claimed.items():
        for file in members if _is_alone(name) else ():
            place = next((of_messages[above] for above in _above(file.path) if above in of_messages), None)
            place = own_files.get(file.path, place)
            if place is None or not format_named(name).each_file_alone:
                items.append(ExportItem(name, (file,)))
            else:
                inside.setdefault(place, []).append(file)
    for file in strangers:
        place = next((number for number, item in enumerate(together) if item.holds(file.path)), None)
        if place is None:
            items.append(ExportItem("", (file,)))
        else:
            inside.setdefault(place, []).append(file)
    elsewhere = [file.path for file in strangers if file.path.lower().endswith(_LISTS)][:MOST_BESIDE]
    for number, item in enumerate(together):
        whole = sorted((*item.files, *inside.get(number, ())), key=lambda file: file.path)
        items.append(ExportItem(item.format, tuple(whole), item.folder, item.places, tuple(elsewhere)))
    order = {file.path: number for number, file in enumerate(files)}
    wanted = [item for item in items if any(file.path in due for file in item.files)]
    return sorted(wanted, key=lambda item: order[item.files[0].path])


def _is_alone(name: str) -> bool:
    return name in (ARCHIVE, NOT_ASKED) or format_named(name).each_file_alone


def _folders_of_messages(item: ExportItem) -> set[str]:
    """Return the folders whose files, of any format, belong to the messages of an export."""
    beside = format_named(item.format).files_in
    return {"".join((*file.path.rpartition("/")[:2], beside)) for file in item.files} if beside else set()


def _own_files(item: ExportItem) -> set[str]:
    """Return the paths of files that the program writes beside those of an export, whatever they look like."""
    names = format_named(item.format).own_files
    return {"".join((*file.path.rpartition("/")[:2], name)) for file in item.files for name in names}


def _above(path: str) -> Iterator[str]:
    """Yield the folders that contain a file, the innermost first."""
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


def all_stand_alone(files: Sequence[FoundFile]) -> bool:
    """Return whether all file names of a folder have suffixes of single-file exports, so that the contents need no
    inspection.
    """
    return all(file.path.lower().endswith(_ALONE) for file in files)


def _grouped(name: str, files: Sequence[FoundFile]) -> Iterator[ExportItem]:
    tops: dict[str, list[FoundFile]] = {}
    for file in files:
        tops.setdefault(_top(file.path), []).append(file)
    if "" in tops:
        yield ExportItem(name, tuple(files), "", frozenset(tops) - {""})
        return
    for top, members in tops.items():
        yield ExportItem(name, tuple(members), top)


def _top(path: str) -> str:
    """Return the folder at the top of the source that contains a file; empty for a file at the top itself."""
    top, slash, _ = path.partition("/")
    return top if slash else ""

"""The shared walk over exports of note apps whose files belong together: one document for each note."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from ...schemas import Notice, TextDocument
from ...schemas.errors import SourceError
from ...schemas.times import rfc3339
from ..connector import Member, ReadOptions, Record, Source
from ..errors import refusal
from ..opening.document_paths import path_prefix
from ..opening.left_out import files_left_out, without_messages
from ..opening.tracked_member import count_left_out, count_read
from ..record_faults import records_at
from .file_connector import DocumentConnector

TRASH = "note in the trash"
SUPERSEDED = "earlier form of a note"
"""Rules that leave out a note."""
ReadNote = Callable[[Member, str], Iterator[Record | str]]
"""A function of a file and its path: the records of the file, or the rule that leaves its note out."""
_NEVER = datetime.min.replace(tzinfo=UTC)


class LastChanges:
    """The last change of each note, by id: exports of different days may lie beside each other."""

    def __init__(self) -> None:
        self._times: dict[str, datetime] = {}

    def learn(self, identifier: str, changed: datetime | None) -> None:
        """Learn when a form of a note was changed; None if it does not say."""
        self._times[identifier] = max(self._times.get(identifier, _NEVER), changed or _NEVER)

    def is_superseded(self, identifier: str, changed: datetime | None) -> bool:
        """Return whether a later form of the note is known."""
        return (changed or _NEVER) < self._times.get(identifier, _NEVER)


def times_as_metadata(created: datetime | None, updated: datetime | None) -> dict[str, str]:
    """Return the metadata ``created`` and ``updated``, each if its time is known."""
    times = (("created", created), ("updated", updated))
    return {name: rfc3339(time) for name, time in times if time is not None}


class NoteExportConnector(DocumentConnector):
    """Reads the exports of an app of notes; a subclass knows its files."""

    program: str
    """The program's name, for people."""

    @abstractmethod
    def reader(self, members: Sequence[Member], source: Source) -> ReadNote:
        """Return the function that reads each file of an export. Files that cannot be opened may be passed over here:
        they are reported when they are read.
        """

    def members_of(self, source: Source) -> list[Member]:
        """Return the files of the export among those of a source."""
        return [member for member in source.members() if self.score(member)]

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield a document for every note that is not in the trash, in the order of the source."""
        members = self.members_of(source)
        if not members:
            yield from without_messages(source, (), f"note of {self.program}")
            return
        prefix, read, trashed = path_prefix(source, options), self.reader(members, source), 0
        for member in members:
            try:
                for record in records_at(member.locator, read, member, prefix + member.name):
                    if isinstance(record, str):
                        trashed += record == TRASH
                        count_left_out(member, record)
                        continue
                    count_read(member, isinstance(record, TextDocument))
                    yield record
            except SourceError as error:
                if len(members) == 1:
                    raise
                yield refusal(member.locator, error)
        if trashed:
            hint = f"{trashed} note(s) in the trash were left out"
            yield Notice(code="notes-left-out", locator=source.locator, hint=hint)
        here = {member.locator for member in members}
        yield from files_left_out((each for each in source.members() if each.locator not in here), source.locator)

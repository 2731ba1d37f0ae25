"""Cuts stored documents into the windows that an extractor reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from anyio import to_thread

from ..extraction.window import Window, windows_of
from ..people.decisions import identity_key
from ..records import StoredDocument
from ..store import documents_read
from ..store.database import Database
from ..store.people_rows import labels


@dataclass(frozen=True, slots=True)
class DocumentWindows:
    """A document as it was when its windows were cut."""

    row: StoredDocument
    windows: list[Window]
    newer: Mapping[str, str]
    persons: Mapping[UUID, str]
    """The person of each identity that is one of several; see `people.decisions.persons`."""

    def who(self, name: str) -> str:
        """Return the person that a name belongs to, else the newest form of the name."""
        seen = [name]
        while (newer := self.newer.get(name)) is not None and newer not in seen:
            name = newer
            seen.append(name)
        if self.persons:
            for each in reversed(seen):
                if (person := self.persons.get(identity_key(self.row.source, each))) is not None:
                    return person
        return name


async def document_windows(
    database: Database, keys: Sequence[UUID], count: Callable[[str], int]
) -> dict[UUID, DocumentWindows]:
    """Return these documents as they are stored now, with their windows.

    Args:
        database: the store.
        keys: the documents.
        count: counts the tokens of a text.
    """
    rows = await database.read(documents_read.documents, keys)
    messages = await database.read(documents_read.messages, rows)
    chats = {row.chat for row in rows.values() if row.chat is not None}
    newer: defaultdict[UUID | None, dict[str, str]] = defaultdict(dict)
    for rename in await database.read(documents_read.renames, chats) if chats else []:
        newer[rename.chat][rename.old] = rename.new

    persons = await database.read(labels)

    def cut() -> dict[UUID, DocumentWindows]:
        return {
            key: DocumentWindows(
                row,
                windows_of(row, messages.get(key, ()), count),
                newer[row.chat],
                persons,
            )
            for key, row in rows.items()
        }

    return await to_thread.run_sync(cut)

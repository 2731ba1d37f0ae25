"""The protocol of source readers: batches, each with the notes for the journal. Also the reader of accounts."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...connectors.live.contract import Batch, LiveConnector, Pause, TellingConnector
from ...memory.ingest.batching import concrete_document
from ...memory.merge.plan import key_of
from ...schemas import Document, Notice
from ..config.source_settings import SourceSettings
from ..journal.memberships import MembershipChanges
from ..journal.note_files import NoteChanges
from ..notices import Notices
from .repository import saving_cursor


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Documents that are stored in one go."""

    documents: tuple[Document, ...] = ()
    rejected: int = 0
    """The number of records beside them that could not be read."""
    notices: tuple[dict[str, Any], ...] = ()
    """The notices for the user, in the form of `Notices.to_wire`."""
    receipts: tuple[dict[str, Any], ...] = ()
    """The files that were read and their counts, in the form of `ReadingLog.to_wire`."""
    save: Callable[[sqlite3.Connection], None] | None = None
    """A function that stores the cursor in the same transaction."""
    after: Callable[[], str] | None = None
    """A function to call in a thread once the batch is stored; returns the error, without private text."""
    trouble: str = ""
    """The reason why something was left out, without private text."""
    incomplete: tuple[str, ...] = field(default=())
    """The files that are still being written and are to be looked at again soon."""
    places: tuple[str, ...] = ()
    """The place of each document in its receipt, if known; see `receipts.PlaceCounts`."""
    pause: Pause | None = None
    """The wait, after the batch is stored, before the next one is requested."""
    memberships: MembershipChanges | NoteChanges | None = None
    """The changes of folder contents in an account, or of files with notes in a folder; stored in the same transaction."""


class SourceReader(Protocol):
    """Reads one source, once."""

    def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """Yield everything that is new.

        Raises:
            SourceError: the rest cannot be read now.
        """
        ...


class LiveReader:
    """Reads everything that a live connector yields after its cursor.

    Args:
        connector: the connector to pull from.
        settings: the settings of the source that the cursor belongs to.
        cursor: the position to start at.
        told_alone: read only what the source has announced by itself.
    """

    def __init__(
        self, connector: LiveConnector, settings: SourceSettings, cursor: str | None, *, told_alone: bool = False
    ) -> None:
        self._connector = connector
        self._settings = settings
        self._cursor = cursor
        self._told_alone = told_alone

    async def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """Yield every batch of the connector, with its cursor."""
        connector = self._connector
        if self._told_alone and isinstance(connector, TellingConnector):
            pulled = connector.pull_told(self._cursor)
        else:
            pulled = connector.pull(self._cursor)
        try:
            async for batch in pulled:
                if batch.cursor is not None:
                    self._cursor = batch.cursor
                save = None if batch.cursor is None else saving_cursor(self._settings, batch.cursor)
                notices = Notices()
                for notice in batch.notices:
                    notices.add(notice)
                for refused in batch.rejected:
                    notices.add(Notice(code="not-read", locator=refused.locator, hint=refused.reason))
                yield SourceBatch(
                    batch.documents,
                    len(batch.rejected),
                    tuple(notices.to_wire()),
                    save=save,
                    pause=batch.pause,
                    memberships=self._memberships(batch),
                )
        finally:
            await pulled.aclose()

    def _memberships(self, batch: Batch) -> MembershipChanges | None:
        if not (batch.renames or batch.members or batch.tags or batch.losses or batch.contents):
            return None
        keys = {each.id: key_of(concrete_document(each)) for each in batch.documents}
        lying = (batch.renames, batch.members, batch.tags, batch.losses, batch.contents)
        return MembershipChanges(self._settings.job, self._settings.owner, keys, *lying)

"""What a run of a source reads: batches, each with what the journal is to remember along with it. The protocol, and accounts."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...connectors.live import Batch, LiveConnector, Pause, TellingConnector
from ...memory.ingest.batching import concrete_document
from ...memory.merge.plan import key_of
from ...schemas import Document, Notice
from ..config.account_kinds import ACCOUNT_IDENTITY
from ..config.source_settings import SourceSettings
from ..journal.memberships import MembershipChanges
from ..notices import Notices
from .repository import saving_cursor


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Documents that are kept in one go."""

    documents: tuple[Document, ...] = ()
    rejected: int = 0
    """Records beside them that could not be read."""
    notices: tuple[dict[str, Any], ...] = ()
    """What a reader should know of them, as `Notices.to_wire` tells it."""
    receipts: tuple[dict[str, Any], ...] = ()
    """What was read of which files, as `ReadingLog.to_wire` tells it."""
    save: Callable[[sqlite3.Connection], None] | None = None
    """Notes in the same transaction how far the source was read."""
    after: Callable[[], str] | None = None
    """Is called in a thread when the batch is kept; returns what went wrong, without private text."""
    trouble: str = ""
    """Why something was left out, without private text."""
    incomplete: tuple[str, ...] = field(default=())
    """Files that are still being written: they are to be looked at again soon."""
    places: tuple[str, ...] = ()
    """Of each document where it was read, if that is known; see `receipts.PlaceCounts`."""
    pause: Pause | None = None
    """To wait for, when the batch is kept, before the next one is asked for."""
    memberships: MembershipChanges | None = None
    """What lies in which folder of an account; noted in the same transaction."""


class SourceReader(Protocol):
    """Reads one source, once."""

    def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """Everything that is new.

        Raises:
            SourceError: the rest cannot be read now.
        """
        ...


class LiveReader:
    """Reads what a live connector gives since its cursor.

    Args:
        connector: is pulled.
        settings: of the source whose cursor it is.
        cursor: where to begin.
        told_alone: no more is wanted than what the source told by itself.
    """

    def __init__(
        self, connector: LiveConnector, settings: SourceSettings, cursor: str | None, *, told_alone: bool = False
    ) -> None:
        self._connector = connector
        self._settings = settings
        self._cursor = cursor
        self._told_alone = told_alone

    async def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """Every batch of the connector, with its cursor."""
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
        account = " ".join(str(getattr(self._settings, name) or "") for name in ACCOUNT_IDENTITY).strip()
        keys = {each.id: key_of(concrete_document(each)) for each in batch.documents}
        lying = (batch.renames, batch.members, batch.tags, batch.losses, batch.contents)
        return MembershipChanges(self._settings.job, account, keys, *lying)

"""The interface of a memory (`Storage`), and of the receiver of its progress."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..schemas import (
    Document,
    ProgressUpdate,
    Query,
    QueryResult,
    StoreReport,
)


class ProgressSender(Protocol):
    """A receiver of progress."""

    def send(self, update: ProgressUpdate) -> None:
        """Take the latest state. Never blocks, never raises, and may drop all but the newest."""
        ...


class Storage(Protocol):
    """A memory: documents in, answers out."""

    async def store(self, documents: Iterable[Document], progress: ProgressSender | None = None) -> StoreReport:
        """Keep documents and make them searchable, by words and by vectors; returns when both are done.

        Raises:
            StoreError: nothing of the failing group was written; what was reported as processed stays.
        """
        ...

    async def query(self, query: str | Query) -> QueryResult:
        """Answer a question. An empty store, unknown words and no hits are answers.

        Raises:
            InvalidError: the query breaks a rule (``limit must be 1-100``).
            StoreError: the store cannot be read.
        """
        ...

"""Which sources and conversations are never sent to a model, whatever it is asked for. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..rows import StoredDocument


@dataclass(frozen=True, slots=True)
class OptOut:
    """What stays here."""

    sources: frozenset[str] = frozenset()
    conversations: tuple[str, ...] = ()
    """Titles of chats, or patterns of document ids such as ``whatsapp:Family:*``."""

    def __bool__(self) -> bool:
        return bool(self.sources or self.conversations)

    def covers(self, source: str, document_id: str, title: str = "") -> bool:
        """Whether nothing of this document may be sent."""
        return source in self.sources or any(
            name in (title, document_id) or fnmatchcase(document_id, name) for name in self.conversations
        )

    def covers_row(self, row: StoredDocument) -> bool:
        """The same of a stored document, which knows the title that its windows are shown with."""
        return self.covers(row.source, row.id, row.metadata.get("title", ""))

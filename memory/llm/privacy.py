"""The sources and conversations that are never sent to a model, for any purpose. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..records import StoredDocument
from ..text.names import folded


@dataclass(frozen=True, slots=True)
class OptOut:
    """The sources and conversations that are never sent. Case and the composition of accents are ignored, since a name
    that matches nothing protects nothing.
    """

    sources: frozenset[str] = frozenset()
    conversations: tuple[str, ...] = ()
    """Titles or names of chats, or patterns of document ids such as ``whatsapp:Family:*``."""

    def __bool__(self) -> bool:
        return bool(self.sources or self.conversations)

    def covers(self, source: str, document_id: str, title: str = "", chat: str = "") -> bool:
        """Return whether nothing of this document may be sent."""
        return bool(self.matching(source, document_id, (title, chat)))

    def covers_row(self, row: StoredDocument) -> bool:
        """Return whether nothing of a stored document may be sent; its row has the title that its windows are shown
        with.
        """
        return self.covers(row.source, row.id, row.metadata.get("title", ""), row.metadata.get("chat", ""))

    def matching(self, source: str, document_id: str, titles: Iterable[str]) -> set[str]:
        """Return the configured sources and conversations, as they were written, that cover this document."""
        names = {folded(name.strip()) for name in (*titles, document_id) if name}
        identifier = folded(document_id.strip())
        matching_names = {name for name in self.sources if folded(name.strip()) == folded(source.strip())}
        for name in self.conversations:
            wanted = folded(name.strip())
            if wanted in names or fnmatchcase(identifier, wanted):
                matching_names.add(name)
        return matching_names

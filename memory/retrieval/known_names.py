"""The names of a store, as questions are read with them, and those that a misspelled word may mean."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from anyio import to_thread

from ...schemas import Hit
from ..indexing.indexed_store import IndexedStore
from ..question.chats import ChatMatcher
from ..question.people import SpeakerMatcher
from ..store.documents_read import chat_titles, distinct, mentioned
from ..store.documents_read import names as speaker_counts
from ..store.people_rows import merged_names, users_names
from ..text.analyzer import fold, words

NAMES_COMPARED = 3
"""The most words of a question that are compared with names; a question with more unknown words is not about a person.
"""
LONGEST_NAME = 40
NAMES_TOLD = 3
"""The most names that are suggested for misspelled words."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a store, read from one snapshot."""

    matcher: SpeakerMatcher
    me: frozenset[str]
    """The user's names."""
    chats: ChatMatcher


class KnownNames:
    """Reads the names of a store when a question needs them, and caches them until `forget`."""

    def __init__(self, store: IndexedStore) -> None:
        self._store = store
        self._names: Names | None = None
        self._changed = 0

    def forget(self) -> None:
        """Read the names again at the next question, since something was stored or forgotten."""
        self._names = None
        self._changed += 1

    async def read(self) -> Names:
        """Return the names that are stored now."""
        while (names := self._names) is None:
            changed = self._changed
            speakers, merged, own, titles = await self._store.database.read(
                lambda connection: (
                    speaker_counts(connection),
                    merged_names(connection),
                    users_names(connection),
                    chat_titles(connection),
                )
            )
            matcher = SpeakerMatcher(speakers, merged)
            names = Names(matcher, frozenset(own), ChatMatcher(titles, matcher.folded))
            if changed == self._changed:  # else the names may include a person forgotten in the meantime
                self._names = names
        return names

    async def unknown(self, names: Collection[str], hits: Sequence[Hit]) -> list[str]:
        """Return the names that occur in no hit, nor among all who take part in a document, nor as a source."""
        rare = strange(names, hits)
        if not rare:
            return []
        stored = await self._store.database.read(
            lambda connection: {*mentioned(connection), *distinct(connection, "sources")}
        )
        parts = {word for name in stored for word in words(name)}
        return [word for word in rare if fold(word) not in parts]

    async def like(self, strangers: Collection[str], hits: Sequence[Hit]) -> tuple[str, ...]:
        """Return names that the first of the strangers may misspell, of those that occur in no hit."""
        candidates = [word for word in strange(strangers, hits) if len(word) <= LONGEST_NAME][:NAMES_COMPARED]
        if not candidates:
            return ()
        # In a thread: comparing a word with all names takes up to 0.1 s.
        return await to_thread.run_sync((await self.read()).matcher.like, candidates, NAMES_TOLD)


def strange(names: Collection[str], hits: Sequence[Hit]) -> list[str]:
    """Return the names that occur in no hit, nor in the name of its chat or source."""
    shown = {word for hit in hits for text in (hit.text, hit.chat or "", hit.source) for word in words(text)}
    return [word for word in names if fold(word) not in shown]

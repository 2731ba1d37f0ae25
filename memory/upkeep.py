"""Looking through everything that is stored: for what is to be forgotten, and for what must be cut again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

from anyio import to_thread

from ..schemas import Conversation
from .cutting import Cutter
from .forgetting import ForgetPlan, Kept, Selection, plan_forgetting
from .ports import Backend, Changes, Filter, StoredChunk, StoredDocument

RECUT_AT_ONCE = 50
"""Documents cut again in one transaction."""
PAGE = 200


class Upkeep:
    """Upkeep of one backend; the caller sees to it that nobody else writes."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def plan(self, selection: Selection) -> ForgetPlan:
        """What a selection would remove. Looks at every document that it might concern."""
        if selection.empty:
            return ForgetPlan()
        chats = dict(await self._backend.conversations())
        found: list[Kept] = []
        async for rows in self._candidates(selection):
            found += await self._kept(rows, chats)
        return await to_thread.run_sync(plan_forgetting, selection, found)

    async def _candidates(self, selection: Selection) -> AsyncGenerator[list[StoredDocument], None]:
        if selection.documents:
            rows: dict[UUID, StoredDocument] = {}
            for identifier in selection.documents:
                for each in await self._backend.find(identifier):
                    if isinstance(each, StoredDocument):
                        rows[each.key] = each
            yield list(rows.values())
            return
        where = Filter(
            speakers=selection.speakers, sources=selection.sources, since=selection.since, until=selection.until
        )
        after: UUID | None = None
        while lines := await self._backend.listing(where, after, PAGE):
            after = lines[-1].key
            yield list((await self._backend.documents([line.key for line in lines])).values())

    async def _kept(self, rows: Sequence[StoredDocument], chats: dict[UUID, Conversation]) -> list[Kept]:
        messages = await self._backend.messages([row.key for row in rows if row.kind == "conversation"])
        aliases: defaultdict[UUID | None, dict[str, str]] = defaultdict(dict)
        for rename in await self._backend.renames({row.chat for row in rows if row.chat is not None}):
            aliases[rename.chat][rename.old] = rename.new
        kept: list[Kept] = []
        for row in rows:
            chat = None if row.chat is None else chats.get(row.chat)
            titles = [row.metadata.get("title", ""), *(() if chat is None else (chat.title, chat.id))]
            names = list(dict.fromkeys(title for title in titles if title))
            kept.append(Kept(row, messages.get(row.key, ()), names, aliases[row.chat]))
        return kept

    async def recut(self, documents: Sequence[UUID], cutter: Cutter) -> None:
        """Replace the chunks of these documents by those of the settings in force; one transaction."""
        rows = await self._backend.documents(documents)
        messages = await self._backend.messages(rows)
        old = await self._backend.chunk_keys(rows)

        def cut() -> list[StoredChunk]:
            chunks = cutter.messages([each for found in messages.values() for each in found])
            for row in rows.values():
                if row.kind == "text":
                    chunks += cutter.text(row, row.content)
            return chunks

        chunks = await to_thread.run_sync(cut)
        fresh = {chunk.key for chunk in chunks}
        dropped = [key for keys in old.values() for key in keys if key not in fresh]
        await self._backend.apply(Changes(chunks=chunks, dropped_chunks=dropped))

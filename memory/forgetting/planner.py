"""Plans the removal for a selection, from the stored documents that it may affect."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from anyio import to_thread

from ...schemas import Conversation, ConversationDocument, Document
from ..extraction.records import StoredStatement
from ..ingest.batching import concrete_document
from ..merge.plan import Stored, chat_key, chat_name, key_of
from ..records import Rename, StoredDocument, StoredMessage
from ..retirement import last_words
from ..search_types import FactFilter, Filter
from ..store import documents_read, fact_rows, forget_rows
from ..store import inputs as input_rows
from ..store.database import Database
from ..store.name_filter import name_filter
from ..text.names import all_names, folded
from .names_by_source import MergedNames
from .passages import Passages, RemovedWords
from .queued import QueuedDocument, QueuedForgetPlan, plan_forget_queued
from .quotations import Quotations
from .quote_search import QuoteFindings, QuoteSearch
from .redaction import QuoteChanges, QuoteTreatment
from .selection import Candidate, ForgetPlan, ForgetSelection, WantedWords, is_about, plan_forgetting

PAGE = 200


class ForgetPlanner:
    """Plans forgetting in one store; the caller ensures that no other task writes meanwhile."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def plan(
        self,
        selection: ForgetSelection,
        quotes: QuoteTreatment | None = None,
        tell: Callable[[int, int], None] | None = None,
    ) -> ForgetPlan:
        """Return the plan of a selection. Reads every document that it may affect.

        Args:
            selection: the criteria.
            quotes: what happens to the selected words in messages of others. None: they are not looked for, which goes
                through all messages.
            tell: gets how many messages were looked at for quotes, of how many.
        """
        if selection.empty:
            return ForgetPlan()
        chats = dict(await self._database.read(documents_read.conversations))
        candidates: list[Candidate] = []
        seen: set[UUID] = set()
        async for rows in self._possible_documents(selection):
            candidates += await self._candidates_of([row for row in rows if row.key not in seen], chats)
            seen.update(row.key for row in rows)
        plan = await to_thread.run_sync(plan_forgetting, selection, candidates)
        if quotes is not None and (plan.affected or selection.people):  # of some people there are forwarded words alone
            plan = await self._with_quotes(plan, selection, candidates, quotes, tell)
        plan = replace(plan, merged=tuple(sorted({*selection.merged_speakers, *selection.merged_people})))
        return await self._with_what_others_say(plan, selection, chats) if selection.people else plan

    async def _with_quotes(
        self,
        plan: ForgetPlan,
        selection: ForgetSelection,
        candidates: Sequence[Candidate],
        quotes: QuoteTreatment,
        tell: Callable[[int, int], None] | None,
    ) -> ForgetPlan:
        """Extend the plan by the places where its words stand in messages of others, and by what happens to these."""
        passages = await to_thread.run_sync(_passages_of, plan, selection, candidates)
        search = QuoteSearch(self._database, passages, plan.removal.documents, plan.removal.messages)
        findings = await search.run(tell)
        if findings.parts and quotes != "keep":
            seen = {each.row.key for each in candidates}
            rows = await self._database.read(documents_read.documents, findings.documents - seen)
            chats = dict(await self._database.read(documents_read.conversations))
            more = await self._candidates_of(list(rows.values()), chats)
            changes = _changes_of(findings, quotes)
            plan = await to_thread.run_sync(plan_forgetting, selection, [*candidates, *more], changes)
        places = tuple(findings.places)
        mentions = findings.mentions - (findings.quoting_mentions if quotes == "remove" else 0)
        return replace(plan, quotes=Quotations(places, quotes, mentions, passages.complete))

    async def with_all_names(self, selection: ForgetSelection) -> ForgetSelection:
        """Return the selection with all names that any chat knows for its people, and the names merged with them."""
        merged = await self._database.read(_merged_names, selection.speakers)
        selection = replace(selection, merged_speakers=merged)
        if not selection.people:
            return selection
        merged = await self._database.read(_merged_names, selection.people)
        renames = await self._database.read(
            documents_read.renames, {key for key, _ in await self._database.read(documents_read.conversations)}
        )
        people = all_names(selection.people, [(each.old, each.new) for each in renames])
        return replace(selection, people=tuple(sorted(people)), merged_people=_renamed(merged, renames, people))

    async def _with_what_others_say(
        self, plan: ForgetPlan, selection: ForgetSelection, chats: Mapping[UUID, Conversation]
    ) -> ForgetPlan:
        """Extend the plan by the facts about its people that other people stated."""
        names = await self._clusters_about(selection)
        about: list[StoredStatement] = []
        whose = WantedWords(selection)
        facts = 0
        for cluster, statements in (await self._database.read(fact_rows.clusters, names)).items():
            meant = await self._about(selection, whose, statements, chats)
            about += meant
            facts += names[cluster] if meant else 0
        undone = await self._about(selection, whose, await self._database.read(fact_rows.excluded_statements), chats)
        about += undone
        facts += len(undone)
        removal = plan.removal
        if selection.only_people:
            removal = replace(removal, subjects=selection.people, merged=selection.merged_people)
        about.sort(key=lambda each: each.statement.key)
        known_as = tuple(sorted({*selection.people, *(name for _, name in selection.merged_people)}))
        return replace(plan, removal=removal, names=known_as, about=tuple(about), facts=facts)

    async def _clusters_about(self, selection: ForgetSelection) -> Mapping[str, int]:
        """Return the clusters of facts that may be about the selection's people, with the number of these facts."""
        cluster_by_row: dict[int, str] = {}
        for subjects in (selection.people, tuple({name for _, name in selection.merged_people})):
            after = 0
            while subjects and (
                page := await self._database.read(fact_rows.facts, FactFilter(subjects=subjects), after, PAGE)
            ):
                after = page[-1][0]
                cluster_by_row |= {row: stored.cluster for row, stored in page}
        return Counter(cluster_by_row.values())

    async def _about(
        self,
        selection: ForgetSelection,
        whose: WantedWords,
        statements: Sequence[StoredStatement],
        chats: Mapping[UUID, Conversation],
    ) -> list[StoredStatement]:
        """Return the statements among these in which other people say something about the selection's people."""
        documents = await self._database.read(
            documents_read.documents, {each.statement.document for each in statements}
        )
        return [
            each
            for each in statements
            if (row := documents.get(each.statement.document)) is not None
            and is_about(selection, whose.people(row.source), row, _titles(row, chats), each.statement)
        ]

    async def _possible_documents(self, selection: ForgetSelection) -> AsyncGenerator[list[StoredDocument], None]:
        if selection.documents or selection.messages:
            yield await self._named_documents(selection)
            return
        where = Filter(
            speakers=selection.speakers or selection.people,
            sources=selection.sources,
            since=selection.since,
            until=selection.until,
            scope=selection.scope,
        )
        async for listed in self._listed(where):
            yield listed
        if not selection.speakers:  # a name counts in its source; the filter above knows those of one chat
            for source, names in _by_source(selection).items():
                async for listed in self._listed(replace(where, speakers=names, sources=(source,))):
                    yield listed
        if selection.people:  # nobody speaks in a text, but somebody may have written it
            whose = WantedWords(selection)
            async for listed in self._listed(replace(where, speakers=())):
                texts = [row for row in listed if row.kind != "conversation"]
                yield [row for row in texts if folded(row.metadata.get("author", "")) in whose.people(row.source)]

    async def _named_documents(self, selection: ForgetSelection) -> list[StoredDocument]:
        """Return the documents that a selection names, or those of the messages that it names."""
        rows: dict[UUID, StoredDocument] = {}
        owners: set[UUID] = set()
        for identifier in selection.documents or selection.messages:
            for each in await self._database.read(documents_read.find, identifier, retired=True):
                if isinstance(each, StoredMessage):
                    owners.add(each.document)
                else:
                    rows[each.key] = each
        if not selection.documents:
            rows = dict(await self._database.read(documents_read.documents, owners))
        return list(rows.values())

    async def _listed(self, where: Filter) -> AsyncGenerator[list[StoredDocument], None]:
        after: UUID | None = None
        while lines := await self._database.read(documents_read.listing, where, after, PAGE, retired=True):
            after = lines[-1].key
            yield list((await self._database.read(documents_read.documents, [line.key for line in lines])).values())

    async def _candidates_of(self, rows: Sequence[StoredDocument], chats: dict[UUID, Conversation]) -> list[Candidate]:
        messages = await self._database.read(
            documents_read.messages, [row.key for row in rows if row.kind == "conversation"]
        )
        tombstones = await self._database.read(forget_rows.tombstones, [row.key for row in rows])
        # By its words a forgotten text is recognised under another id; those of a retired one are in its inputs alone.
        retired = await self._database.read(input_rows.inputs_of, [row.key for row in rows if row.kind == "retired"])
        rows = [replace(row, content=last_words(retired[row.key])) if row.key in retired else row for row in rows]
        aliases: defaultdict[UUID | None, list[tuple[str, str]]] = defaultdict(list)
        for rename in await self._database.read(
            documents_read.renames, {row.chat for row in rows if row.chat is not None}
        ):
            aliases[rename.chat].append((rename.old, rename.new))
        return [
            Candidate(
                row,
                messages.get(row.key, ()),
                _titles(row, chats),
                aliases[row.chat],
                tombstones.get(row.key, frozenset()),
            )
            for row in rows
        ]

    async def plan_queued(
        self, selection: ForgetSelection, documents: Sequence[Document], gone: Collection[UUID]
    ) -> QueuedForgetPlan:
        """Plan forgetting for queued documents of one key; see `plan_forget_queued`."""
        first = concrete_document(documents[0])
        key = key_of(first)
        account = first.metadata.get("account", "")
        name = chat_name(first.id, first.metadata) if isinstance(first, ConversationDocument) else None
        chat = None if name is None else chat_key(first.source, account, name)
        row = (await self._database.read(documents_read.documents, [key])).get(key)
        messages = (await self._database.read(documents_read.messages, [key])).get(key, []) if row is not None else []
        pairs = (
            [(each.old, each.new) for each in await self._database.read(documents_read.renames, [chat])]
            if chat is not None
            else []
        )
        stored = None if row is None else Stored(row, messages, frozenset(pairs))
        conversation = (
            None if chat is None else dict(await self._database.read(documents_read.conversations, {chat})).get(chat)
        )
        titles: set[str] = set()
        if isinstance(first, ConversationDocument):
            titles |= {first.metadata.get(name, "") for name in ("title", "chat")}
        titles |= set() if conversation is None else {conversation.title, conversation.id}
        waiting = QueuedDocument(documents, stored, titles - {""}, pairs, gone)
        return await to_thread.run_sync(plan_forget_queued, selection, waiting)


def _passages_of(plan: ForgetPlan, selection: ForgetSelection, candidates: Sequence[Candidate]) -> Passages:
    """Return the index of the words that a plan removes."""
    documents, messages = set(plan.removal.documents), set(plan.removal.messages)
    removed: list[RemovedWords] = []
    for each in candidates:
        if each.row.kind != "conversation":
            removed += [RemovedWords(each.row)] if each.row.key in documents else []
        elif each.row.key in documents:
            removed += [RemovedWords(each.row, stored) for stored in each.messages]
        else:
            removed += [RemovedWords(each.row, stored) for stored in each.messages if stored.key in messages]
    named = (*selection.speakers, *selection.people)
    merged = (name for _, name in (*selection.merged_speakers, *selection.merged_people))
    rest = replace(selection, speakers=(), people=(), merged_speakers=(), merged_people=())
    return Passages(removed, set(map(folded, (*named, *merged))), person=bool(named), everywhere=rest.empty)


def _changes_of(findings: QuoteFindings, quotes: QuoteTreatment) -> QuoteChanges:
    if quotes == "remove":
        return QuoteChanges(removed=frozenset(findings.parts))
    return QuoteChanges(redacted=findings.parts)


def _merged_names(connection: sqlite3.Connection, names: Sequence[str]) -> MergedNames:
    """Return the names merged with these names, by source."""
    merged = name_filter(connection, names)
    return (
        () if merged is None else tuple((source, name) for source, some in merged.in_sources for name in sorted(some))
    )


def _renamed(merged: MergedNames, renames: Sequence[Rename], people: Collection[str]) -> MergedNames:
    """Return merged names with the aliases known in the chats of their source, without names of ``people``, which count
    anyway.
    """
    names_by_source: defaultdict[str, set[str]] = defaultdict(set)
    for source, name in merged:
        names_by_source[source].add(name)
    pairs_by_source: set[tuple[str, str]] = set()
    for source, names in names_by_source.items():
        pairs = [(each.old, each.new) for each in renames if each.source == source]
        pairs_by_source |= {(source, name) for name in all_names(names, pairs)}
    return tuple(sorted(pair for pair in pairs_by_source if pair[1] not in people))


def _by_source(selection: ForgetSelection) -> dict[str, tuple[str, ...]]:
    """Return the names merged with people, for each selected source."""
    names_by_source: defaultdict[str, list[str]] = defaultdict(list)
    for source, name in selection.merged_people:
        if not selection.sources or source in selection.sources:
            names_by_source[source].append(name)
    return {source: tuple(names) for source, names in names_by_source.items()}


def _titles(row: StoredDocument, chats: Mapping[UUID, Conversation]) -> list[str]:
    """Return the titles and the id of a document's chat; none for a text in no chat: a chat's name means no note."""
    chat = None if row.chat is None else chats.get(row.chat)
    if chat is None and row.kind != "conversation":
        return []
    titles = [row.metadata.get("title", ""), *(() if chat is None else (chat.title, chat.id))]
    return list(dict.fromkeys(title for title in titles if title))

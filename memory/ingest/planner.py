"""Plans the changes for storing documents: a merge plan for each, their chunks, their chats, and the report. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from ...schemas import (
    SYSTEM_SPEAKER,
    UNKNOWN_USER,
    Conversation,
    ConversationDocument,
    Document,
    StoreReport,
    TextDocument,
)
from ..chunking.document_chunker import DocumentChunker
from ..merge.chat_tombstones import tombstone_keys_asked
from ..merge.plan import (
    MergePlan,
    Stored,
    chat_name,
    key_of,
    of_the_same_people,
    plan_document,
    shares_nothing,
    text_tombstone_of,
)
from ..records import StoredChunk, StoredMessage
from ..write_batches import DocumentInput, WriteBatch
from .batching import chat_title, concrete_document, digest_of, size_of


def plan_write(
    documents: Sequence[Document],
    stored: Mapping[UUID, Stored],
    forgotten: Mapping[UUID, frozenset[UUID]],
    chunker: DocumentChunker,
) -> tuple[WriteBatch, list[StoreReport]]:
    """Plan the storing of these documents; return the changes and a report for each. ``forgotten``: the keys that may
    not come back, by document.
    """
    plans: list[MergePlan] = []
    reports: list[StoreReport] = []
    for document, plan in zip(documents, _merge_plans(documents, stored, forgotten), strict=True):
        if plan is None:
            reports.append(StoreReport(documents=1, forgotten=size_of(document)))
        else:
            plans.append(plan)
            before = stored.get(plan.document.key)
            is_stored = before is not None and before.document.kind != "retired"
            reports.append(_report_of(plan, is_stored))
    return changes_of(plans, chunker), reports


def changes_of(plans: Sequence[MergePlan], chunker: DocumentChunker) -> WriteBatch:
    """Return the changes that carry these plans out."""
    chunks, dropped = _chunks(plans, chunker)
    return WriteBatch(
        documents=[plan.document for plan in plans],
        messages=[row for plan in plans for row in (*plan.added, *plan.updated)],
        chunks=chunks,
        dropped_chunks=dropped,
        moved={key: position for plan in plans for key, position in plan.moved.items()},
        conversations=list(_conversations(plans)),
        renames=[rename for plan in plans for rename in plan.renames],
    )


def _chunks(plans: Sequence[MergePlan], chunker: DocumentChunker) -> tuple[list[StoredChunk], list[UUID]]:
    """Return the new chunks, and the keys of chunks that a new wording replaces. A renamed speaker alone changes no
    chunk.
    """
    fresh = [row for plan in plans for row in plan.added]
    fresh += [row for plan in plans for row in plan.updated if row.key in plan.rewritten]
    sources = {plan.document.key: plan.document.source for plan in plans}
    chunks = chunker.messages(fresh, sources)
    replaced = chunker.messages([row for plan in plans for row in plan.rewritten.values()], sources)
    for plan in plans:
        if plan.document.kind != "conversation":
            chunks += chunker.text(plan.document, plan.document.content)
            replaced += chunker.text(plan.document, plan.replaced_text) if plan.replaced_text else []
    kept = {chunk.key for chunk in chunks}
    return chunks, [chunk.key for chunk in replaced if chunk.key not in kept]


def with_own_chunks(
    changes: WriteBatch, chunker: DocumentChunker, inputs: Mapping[UUID, Sequence[DocumentInput]]
) -> WriteBatch:
    """Return changes of a forgetting with the chunks of the messages and texts that stay in another wording, and with
    the inputs of these texts, as if each run had brought that wording.
    """
    texts = [row for row in changes.documents if row.kind == "text"]
    if not texts and not changes.messages:
        return changes
    sources = {row.key: row.source for row in changes.documents}
    chunks = chunker.messages(changes.messages, sources)
    chunks += [chunk for row in texts for chunk in chunker.text(row, row.content)]
    # All runs brought what the text is now: nothing is left of its former versions.
    brought = [(each, some[-1].digest) for row in texts for some in [inputs.get(row.key, ())] for each in some]
    same = [DocumentInput(each.document, each.run, digest) for each, digest in brought]
    return replace(changes, chunks=chunks, inputs=same)


def tombstone_keys_of(documents: Iterable[Document]) -> dict[UUID, set[UUID]]:
    """Return the keys to look up among the tombstones, by document key: the document's own key, and the tombstones that
    may match a text under other ids or messages in other documents.
    """
    keys_by_document: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for each in map(concrete_document, documents):
        key = key_of(each)
        marks = {text_tombstone_of(each)} if isinstance(each, TextDocument) else tombstone_keys_asked(each)
        keys_by_document[key] |= {key, *marks}
    return keys_by_document


def forgotten_of(
    keys_by_document: Mapping[UUID, Collection[UUID]], tombstones: Mapping[UUID, frozenset[UUID]]
) -> dict[UUID, frozenset[UUID]]:
    """Return the keys that may not come back, by document; ``tombstones`` are those of the store among the keys."""
    nothing = frozenset[UUID]()
    return {
        document: nothing.union(*(tombstones.get(key, nothing) for key in keys))
        for document, keys in keys_by_document.items()
        if not tombstones.keys().isdisjoint(keys)
    }


def _merge_plans(
    documents: Sequence[Document], stored: Mapping[UUID, Stored], forgotten: Mapping[UUID, frozenset[UUID]]
) -> list[MergePlan | None]:
    """Return one plan per document. If a day reveals a renamed contact that another document needs to know, plans once
    more.
    """

    def planned(document: Document, states: Mapping[UUID, Stored]) -> MergePlan | None:
        key = key_of(concrete_document(document))
        return _merge_plan(document, states.get(key), forgotten.get(key, frozenset()))

    plans = [planned(document, stored) for document in documents]
    renames_by_chat: defaultdict[UUID | None, set[tuple[str, str]]] = defaultdict(set)
    for plan in plans:
        for rename in () if plan is None else plan.renames:
            renames_by_chat[rename.chat].add((rename.old, rename.new))
    again = {
        key: replace(state, renamed=state.renamed | renames_by_chat[state.document.chat])
        for key, state in stored.items()
        if not renames_by_chat.get(state.document.chat, set()) <= state.renamed
    }
    return [
        planned(document, again) if key_of(concrete_document(document)) in again else plan
        for document, plan in zip(documents, plans, strict=True)
    ]


def _merge_plan(document: Document, stored: Stored | None, forgotten: frozenset[UUID]) -> MergePlan | None:
    return plan_document(stored, concrete_document(document), digest_of(document), forgotten)


def _report_of(plan: MergePlan, is_stored: bool) -> StoreReport:
    if plan.document.kind != "conversation":
        changed = plan.replaced_text is not None
        return StoreReport(
            documents=1, added=not is_stored, updated=is_stored and changed, unchanged=is_stored and not changed
        )
    return StoreReport(
        documents=1,
        added=len(plan.added),
        updated=len(plan.updated),
        unchanged=plan.unchanged,
        forgotten=plan.forgotten,
    )


def _conversations(plans: Iterable[MergePlan]) -> Iterable[tuple[UUID, Conversation]]:
    """Yield the chats of these day documents, with the people of these days."""
    conversations: dict[UUID, Conversation] = {}
    for plan in plans:
        row = plan.document
        chat = chat_name(row.id, row.metadata)
        if row.chat is None or chat is None:
            continue
        before = conversations[row.chat].people if row.chat in conversations else ()
        people = [name for name in row.people if name not in {SYSTEM_SPEAKER, UNKNOWN_USER}]
        conversations[row.chat] = Conversation(
            id=chat,
            source=row.source,
            account=row.account,
            title=row.metadata.get("title", chat),
            people=tuple(dict.fromkeys([*before, *people])),
        )
    return conversations.items()


SEAMS = 2
"""The number of days on which two exports of one chat may meet without a common time: where one ends and the other
begins.
"""


def unrelated_chats(days: Iterable[ConversationDocument], stored: Mapping[UUID, Stored]) -> list[str]:
    """Return the titles of chats that share nothing with the stored messages of the same days.

    A day whose messages were all written before or all after the stored ones proves nothing by itself; more than
    `SEAMS` such days between different people do.
    """
    judged: dict[str, list[bool]] = {}
    seams: dict[str, int] = {}
    for day in days:
        state = stored.get(key_of(day))
        if state is None:
            continue
        title, apart = chat_title(day), shares_nothing(state, day)
        if apart or (apart is not None and _same_time(state.messages, day)):
            judged.setdefault(title, []).append(apart)
        elif apart is not None and not of_the_same_people(state, day):
            seams[title] = seams.get(title, 0) + 1
    apart_by_days = [title for title, count in seams.items() if count > SEAMS]
    return [title for title in dict.fromkeys([*judged, *apart_by_days]) if all(judged.get(title, ()))]


def _same_time(stored: Sequence[StoredMessage], day: ConversationDocument) -> bool:
    ours = [row.message.time for row in stored]
    theirs = [message.time for message in day.messages]
    return bool(ours) and max(min(ours), min(theirs)) <= min(max(ours), max(theirs))

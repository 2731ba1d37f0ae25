"""What storing documents changes: a merge plan for each, their chunks, their chats, and the counts of a report. Pure."""

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
from ..write_batches import WriteBatch
from .batching import concrete_document, digest_of, size_of


def plan_write(
    documents: Sequence[Document],
    stored: Mapping[UUID, Stored],
    forgotten: Mapping[UUID, frozenset[UUID]],
    chunker: DocumentChunker,
) -> tuple[WriteBatch, list[StoreReport]]:
    """Pure: what storing these documents changes, and a report of each; ``forgotten``: by document, what may not come back."""
    plans: list[MergePlan] = []
    reports: list[StoreReport] = []
    for document, plan in zip(documents, _merge_plans(documents, stored, forgotten), strict=True):
        if plan is None:
            reports.append(StoreReport(documents=1, forgotten=size_of(document)))
        else:
            plans.append(plan)
            reports.append(_report_of(plan, plan.document.key in stored))
    return changes_of(plans, chunker), reports


def changes_of(plans: Sequence[MergePlan], chunker: DocumentChunker) -> WriteBatch:
    """What carrying these plans out writes."""
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
    """New chunks, and those that a new wording replaces. A renamed speaker alone changes no chunk."""
    fresh = [row for plan in plans for row in plan.added]
    fresh += [row for plan in plans for row in plan.updated if row.key in plan.rewritten]
    chunks = chunker.messages(fresh)
    replaced = chunker.messages([row for plan in plans for row in plan.rewritten.values()])
    for plan in plans:
        if plan.document.kind == "text":
            chunks += chunker.text(plan.document, plan.document.content)
            replaced += chunker.text(plan.document, plan.replaced_text) if plan.replaced_text else []
    kept = {chunk.key for chunk in chunks}
    return chunks, [chunk.key for chunk in replaced if chunk.key not in kept]


def tombstone_keys_of(documents: Iterable[Document]) -> dict[UUID, set[UUID]]:
    """By the keys of documents, what the store is to be asked for: whether something of them was forgotten. Each document's
    own key, and the marks by which a text is known under other ids, and messages in other documents.
    """
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for each in map(concrete_document, documents):
        key = key_of(each)
        marks = {text_tombstone_of(each)} if isinstance(each, TextDocument) else tombstone_keys_asked(each)
        found[key] |= {key, *marks}
    return found


def forgotten_of(
    asked: Mapping[UUID, Collection[UUID]], known: Mapping[UUID, frozenset[UUID]]
) -> dict[UUID, frozenset[UUID]]:
    """By document, what may not come back; ``known``: the store's answer to what was ``asked``."""
    nothing = frozenset[UUID]()
    return {
        document: nothing.union(*(known.get(key, nothing) for key in keys))
        for document, keys in asked.items()
        if not known.keys().isdisjoint(keys)
    }


def _merge_plans(
    documents: Sequence[Document], stored: Mapping[UUID, Stored], forgotten: Mapping[UUID, frozenset[UUID]]
) -> list[MergePlan | None]:
    """One plan for each document. A day may tell of a renamed contact what another one needs to know: once more then."""

    def planned(document: Document, known: Mapping[UUID, Stored]) -> MergePlan | None:
        key = key_of(concrete_document(document))
        return _merge_plan(document, known.get(key), forgotten.get(key, frozenset()))

    plans = [planned(document, stored) for document in documents]
    told: defaultdict[UUID | None, set[tuple[str, str]]] = defaultdict(set)
    for plan in plans:
        for rename in () if plan is None else plan.renames:
            told[rename.chat].add((rename.old, rename.new))
    again = {
        key: replace(found, renamed=found.renamed | told[found.document.chat])
        for key, found in stored.items()
        if not told.get(found.document.chat, set()) <= found.renamed
    }
    return [
        planned(document, again) if key_of(concrete_document(document)) in again else plan
        for document, plan in zip(documents, plans, strict=True)
    ]


def _merge_plan(document: Document, stored: Stored | None, forgotten: frozenset[UUID]) -> MergePlan | None:
    return plan_document(stored, concrete_document(document), digest_of(document), forgotten)


def _report_of(plan: MergePlan, known: bool) -> StoreReport:
    if plan.document.kind == "text":
        changed = plan.replaced_text is not None
        return StoreReport(documents=1, added=not known, updated=known and changed, unchanged=known and not changed)
    return StoreReport(
        documents=1,
        added=len(plan.added),
        updated=len(plan.updated),
        unchanged=plan.unchanged,
        forgotten=plan.forgotten,
    )


def _conversations(plans: Iterable[MergePlan]) -> Iterable[tuple[UUID, Conversation]]:
    """The chats that these days belong to, with the people of these days."""
    found: dict[UUID, Conversation] = {}
    for plan in plans:
        row = plan.document
        chat = chat_name(row.id, row.metadata)
        if row.chat is None or chat is None:
            continue
        before = found[row.chat].people if row.chat in found else ()
        people = [name for name in row.people if name not in {SYSTEM_SPEAKER, UNKNOWN_USER}]
        found[row.chat] = Conversation(
            id=chat,
            source=row.source,
            account=row.account,
            title=row.metadata.get("title", chat),
            people=tuple(dict.fromkeys([*before, *people])),
        )
    return found.items()


def chat_title(day: ConversationDocument) -> str:
    """The title of a chat, of one of its days; without a title its id."""
    return day.metadata.get("title", day.metadata["chat"])


SEAMS = 2
"""Days that two exports of one chat may both hold without a common time: where one of them ends and the other begins."""


def unrelated_chats(days: Iterable[ConversationDocument], stored: Mapping[UUID, Stored]) -> list[str]:
    """Titles of those chats that share nothing with what is stored of the same days, as far as days tell.

    A day whose messages were all written before those that are stored, or all after, says nothing by itself. More than
    `SEAMS` of them between other people do.
    """
    judged: dict[str, list[bool]] = {}
    seams: dict[str, int] = {}
    for day in days:
        found = stored.get(key_of(day))
        if found is None:
            continue
        title, apart = chat_title(day), shares_nothing(found, day)
        if apart or (apart is not None and _same_time(found.messages, day)):
            judged.setdefault(title, []).append(apart)
        elif apart is not None and not of_the_same_people(found, day):
            seams[title] = seams.get(title, 0) + 1
    apart_by_days = [title for title, count in seams.items() if count > SEAMS]
    return [title for title in dict.fromkeys([*judged, *apart_by_days]) if all(judged.get(title, ()))]


def _same_time(stored: Sequence[StoredMessage], day: ConversationDocument) -> bool:
    ours = [row.message.time for row in stored]
    theirs = [message.time for message in day.messages]
    return bool(ours) and max(min(ours), min(theirs)) <= min(max(ours), max(theirs))

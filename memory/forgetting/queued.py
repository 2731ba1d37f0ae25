"""Plans forgetting in documents that wait to be stored: the parts that are left, and the keys that may not come back.
Pure.

A key depends on the stored messages: equal messages of a minute are numbered, and an edit keeps the key of the first
wording. So the plan merges the queued documents into the stored one, as storing them would, and examines the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from msgspec import structs

from ...schemas import ConversationDocument, ConversationMessage, Document, TextDocument
from ...schemas.identity_links import identities_without
from ..ingest.batching import concrete_document
from ..merge.alignment import identity
from ..merge.export_metadata import taken_out
from ..merge.message_keys import KEY, KeyAssigner
from ..merge.plan import Stored, key_of, merged_into, plan_conversation, text_tombstone_of
from ..merge.tombstones import find_forgotten
from ..text.names import NamesOf
from .selection import ForgetSelection, WantedWords, concerned, message_matches, text_matches
from .tombstone_keys import tombstone_keys_of


@dataclass(frozen=True, slots=True)
class QueuedDocument:
    """The queued versions of one document, oldest first, and its stored state."""

    documents: Sequence[Document]
    stored: Stored | None = None
    titles: Collection[str] = ()
    """The titles and the id of its chat."""
    aliases: Sequence[tuple[str, str]] = ()
    """Older names of people with newer ones, in this chat."""
    gone: Collection[UUID] = ()
    """Keys that are or were removed from the store; queued messages with these keys are removed too."""


@dataclass(frozen=True, slots=True)
class QueuedForgetPlan:
    """The rest of each document (itself, a smaller one, or None) in ``left``, and the keys that may not come back."""

    left: Sequence[Document | None]
    tombstones: frozenset[UUID] = frozenset()


def plan_forget_queued(selection: ForgetSelection, waiting: QueuedDocument) -> QueuedForgetPlan:
    """Plan forgetting for the queued documents of one key; all versions lose the same messages."""
    first = concrete_document(waiting.documents[0])
    tags = {tag for document in waiting.documents for tag in concrete_document(document).tags}
    tags |= set() if waiting.stored is None else set(waiting.stored.document.tags)
    matches = concerned(selection, first.id, str(key_of(first)), first.source, waiting.titles, tags)
    if isinstance(first, TextDocument):
        return _plan_text(selection, waiting, first, matches=matches)
    if not matches and not waiting.gone:
        return QueuedForgetPlan(waiting.documents)
    days = [
        day for document in waiting.documents if isinstance(day := concrete_document(document), ConversationDocument)
    ]
    state, keys, aliases = _merged(waiting, days)
    wanted = WantedWords(selection)
    whose = wanted.of(first.source, aliases)
    gone = set(waiting.gone)
    if matches:
        for day, its_keys in zip(days, keys, strict=True):
            pairs = zip(day.messages, its_keys, strict=True)
            gone |= {key for message, key in pairs if message_matches(selection, whose, message, key)}
    if gone.isdisjoint(key for its_keys in keys for key in its_keys):
        return QueuedForgetPlan(waiting.documents)
    left = [
        _without(document, day, its, gone, state)
        for document, day, its in zip(waiting.documents, days, keys, strict=True)
    ]
    return QueuedForgetPlan(left, _tombstones(state, keys, gone, [*aliases, *wanted.pairs(first.source)]))


def _plan_text(
    selection: ForgetSelection, waiting: QueuedDocument, first: TextDocument, *, matches: bool
) -> QueuedForgetPlan:
    key = key_of(first)
    if key in waiting.gone:
        return QueuedForgetPlan([None] * len(waiting.documents), _text_tombstones(waiting.documents))
    people = WantedWords(selection).people(first.source)
    left = [
        None
        if matches and text_matches(selection, people, document.metadata.get("author", ""), document.timestamp)
        else document
        for document in waiting.documents
    ]
    gone = [document for document, rest in zip(waiting.documents, left, strict=True) if rest is None]
    return QueuedForgetPlan(left, _text_tombstones(gone))


def _text_tombstones(documents: Sequence[Document]) -> frozenset[UUID]:
    texts = [text for document in documents if isinstance(text := concrete_document(document), TextDocument)]
    return frozenset(key for text in texts for key in (key_of(text), text_tombstone_of(text)))


def _merged(
    waiting: QueuedDocument, days: Sequence[ConversationDocument]
) -> tuple[Stored | None, list[Sequence[UUID]], list[tuple[str, str]]]:
    """Return the stored state after all documents would be stored, the key of each message, and the renames known then."""
    state = waiting.stored
    aliases = [*waiting.aliases]
    keys: list[Sequence[UUID]] = []
    for day in days:
        plan = plan_conversation(state, day, b"", waiting.gone)
        if plan is None:  # all of it was forgotten: its keys are tombstones, or it is a later wording
            bare, carried = taken_out(day)
            out = find_forgotten(bare, (), waiting.gone, aliases, carried.claims)
            keys.append([out.get(index) or key_of(day) for index in range(len(day.messages))])
            continue
        keys.append(plan.keys)
        pairs = [(rename.old, rename.new) for rename in plan.renames]
        aliases += pairs
        state = merged_into(state, plan, pairs)
    return state, keys, aliases


def _tombstones(
    state: Stored | None,
    keys: Sequence[Sequence[UUID]],
    gone: Collection[UUID],
    aliases: Collection[tuple[str, str]],
) -> frozenset[UUID]:
    """Return the removed keys, with the keys that other wordings of these messages would get."""
    tombstones = {key for its_keys in keys for key in its_keys if key in gone}
    if state is not None:
        others = {row.key for row in state.messages}
        people = NamesOf(aliases)
        taken = set(gone)
        for row in state.messages:
            if row.key in tombstones:
                tombstones |= tombstone_keys_of(state.document, row, others, people, taken)
    return frozenset(tombstones)


def _without(
    document: Document, day: ConversationDocument, keys: Sequence[UUID], gone: Collection[UUID], state: Stored | None
) -> Document | None:
    """Return the document without removed messages. Each remaining message keeps its key; otherwise the second of two
    equal messages would get the key, and the tombstone, of the first.
    """
    left = [(message, key) for message, key in zip(day.messages, keys, strict=True) if key not in gone]
    if len(left) == len(keys):
        return document
    if not left:
        return None
    equals = Counter(identity(row.message).minute for row in (() if state is None else state.messages))
    inner = day.conversation
    lost = {message.speaker for message in day.messages} - {message.speaker for message, _ in left}
    people = tuple(name for name in inner.people if name not in lost or name == inner.user)
    keyer = KeyAssigner(day, set())
    messages = tuple(_claiming(keyer, message, key, equals[identity(message).minute]) for message, key in left)
    metadata = identities_without(day.metadata, set(inner.people).difference(people))
    body = inner.model_copy(update={"people": people, "conversation": messages})
    return ConversationDocument(id=day.id, conversation=body, tags=day.tags, metadata=metadata)


def _claiming(keyer: KeyAssigner, message: ConversationMessage, key: UUID, equals: int) -> ConversationMessage:
    """Return the message with the origin of its key in the metadata, if its position alone would give it another key."""
    if keyer.gives(message, key):
        return message
    claim = keyer.claim(message, key, equals)
    if claim is None:
        return message
    return structs.replace(message, metadata={**message.metadata, KEY: claim.to_text()})

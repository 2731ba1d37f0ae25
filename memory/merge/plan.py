"""Merges an incoming document into the stored one: a pure plan. Nothing is read, written or removed here.

The law: a multiset union per minute. Messages of only one side are kept; two equal messages in one minute stay two; an
edit or a deletion keeps the message's key and moves the older wording into `edits`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from msgspec import structs

from ...schemas import (
    SYSTEM_SPEAKER,
    UNKNOWN_USER,
    ConversationDocument,
    ConversationMessage,
    TextDocument,
)
from ...schemas.identity_links import identities_without, united_identities
from ...schemas.keys import document_key, redacted_tombstone_key, text_tombstone_key, uuid5
from ..records import Rename, StoredDocument, StoredMessage
from ..text.names import NamesOf
from .alignment import Aligned, align, identity
from .document_comparison import PartlyForgotten
from .export_metadata import taken_out
from .message_distance import second_of
from .message_keys import KeyAssigner, KeyOrigin
from .revisions import combine, is_older_text
from .tombstones import find_forgotten, is_known_rewording

_NOBODY = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


@dataclass(frozen=True, slots=True)
class MergePlan:
    """The effects of storing one document. ``rewritten``: the old state of messages whose content changed, by key."""

    document: StoredDocument
    added: tuple[StoredMessage, ...] = ()
    updated: tuple[StoredMessage, ...] = ()
    unchanged: int = 0
    forgotten: int = 0
    """The number of messages that stay out."""
    moved: Mapping[UUID, int] = field(default_factory=dict[UUID, int])
    rewritten: Mapping[UUID, StoredMessage] = field(default_factory=dict[UUID, StoredMessage])
    renames: tuple[Rename, ...] = ()
    replaced_text: str | None = None
    """The old content of a text document whose content changed."""
    keys: Sequence[UUID] = ()
    """The keys of the incoming messages, in order."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored state of one document. ``renamed``: older and newer names of people in its chat."""

    document: StoredDocument
    messages: Sequence[StoredMessage] = ()
    renamed: frozenset[tuple[str, str]] = frozenset()


def chat_key(source: str, account: str, chat: str) -> UUID:
    """Return the key of the conversation that day documents belong to."""
    return uuid5("chat", source, account, chat)


def chat_name(document_id: str, metadata: Mapping[str, str]) -> str | None:
    """Return the id of the chat of a conversation; one with a title and no chat is a chat of its own. None: no chat."""
    return metadata.get("chat") or (document_id if metadata.get("title") else None)


def key_of(document: ConversationDocument | TextDocument) -> UUID:
    """Return the key of a document."""
    return document_key(document.source, document.metadata.get("account", ""), document.id)


def text_tombstone_of(text: TextDocument) -> UUID:
    """Return the tombstone by which a forgotten text is recognised under another id."""
    return text_tombstone_key(text.source, text.metadata.get("account", ""), text.id, text.content)


def plan_text(
    stored: Stored | None, incoming: TextDocument, digest: bytes, forgotten: Collection[UUID] = ()
) -> MergePlan | None:
    """Plan to replace a text: it has one author and one state, that of the last reading, unless that states that it is
    older. Return None if it is ``forgotten``.

    Under another id it is recognised by its tombstone, unless the store has a text of that id, which is another one. A
    redacted text stays as it is.
    """
    key = key_of(incoming)
    if key in forgotten or redacted_tombstone_key(key) in forgotten:
        return None
    if stored is None and text_tombstone_of(incoming) in forgotten:
        return None
    if stored is not None and stored.document.kind == "text" and is_older_text(incoming, stored.document.metadata):
        return MergePlan(document=replace(stored.document, digests=frozenset({digest})))
    row = StoredDocument(
        key=key,
        id=incoming.id,
        source=incoming.source,
        account=incoming.metadata.get("account", ""),
        kind="text",
        tags=incoming.tags,
        metadata=incoming.metadata,
        timestamp=incoming.timestamp,
        content=incoming.content,
        digests=frozenset({digest}),
    )
    old = None if stored is None else stored.document.content
    return MergePlan(document=row, replaced_text=None if old == incoming.content else old)


def plan_conversation(
    stored: Stored | None, incoming: ConversationDocument, digest: bytes, forgotten: Collection[UUID] = ()
) -> MergePlan | None:
    """Plan the union of the stored and the incoming messages. Merging the same document again changes nothing.

    Messages whose key is ``forgotten`` stay out, and redacted ones stay as they are. Returns None if nothing is stored
    and nothing may come in.
    """
    incoming, carried = taken_out(incoming)
    key = key_of(incoming)
    old = [] if stored is None else list(stored.messages)
    renames = frozenset[tuple[str, str]]() if stored is None else stored.renamed
    people = renames | set(carried.renamed)
    # What stands for a redacted message matches none: the message itself is among the forgotten ones.
    open_places = [place for place, row in enumerate(old) if not _is_redacted(row, forgotten)]
    matching = [old[place] for place in open_places]
    gone = find_forgotten(incoming, matching, forgotten, people, carried.claims)
    without = _WithoutForgotten(gone, forgotten)
    aligned = _among_all(_aligned_without(matching, incoming, without, people), open_places, len(old))
    names = _names(old, incoming, aligned, renames)
    keys: list[UUID] = []
    all_names = NamesOf(people | set(names.items()))
    order, added, changed, out = _union(incoming, old, aligned, names, without, all_names, carried.claims, keys)
    if not order:
        return None
    before = {row.key: row for row in old}
    rows = [StoredMessage(key=k, document=key, position=n, message=m) for n, (k, m) in enumerate(order)]
    updated = [row for row in rows if row.key in changed]
    moved = {
        row.key: row.position
        for row in rows
        if row.key in before and row.key not in changed and before[row.key].position != row.position
    }
    return MergePlan(
        document=_document_row(key, stored, incoming, digest, rows, names),
        added=tuple(row for row in rows if row.key in added),
        updated=tuple(updated),
        unchanged=len(incoming.messages) - len(added) - len(changed) - out,
        forgotten=out,
        moved=moved,
        rewritten={
            row.key: before[row.key] for row in updated if row.message.content != before[row.key].message.content
        },
        renames=_rename_rows(incoming, [*names.items(), *carried.renamed]),
        keys=keys,
    )


def _is_redacted(row: StoredMessage, forgotten: Collection[UUID]) -> bool:
    return bool(forgotten) and redacted_tombstone_key(row.key) in forgotten


def _among_all(aligned: Aligned, open_places: Sequence[int], end: int) -> Aligned:
    """Return an alignment with some stored messages as one with all of them, given their positions."""
    if len(open_places) == end:
        return aligned
    positions = [*open_places, end]
    matches = [None if match is None else positions[match] for match in aligned.matches]
    return Aligned(matches, {index: positions[place] for index, place in aligned.places.items()}, aligned.names)


@dataclass(frozen=True, slots=True)
class _WithoutForgotten:
    """The incoming messages that were forgotten, by index with their keys, and all tombstones of the document."""

    found: Mapping[int, UUID | None]
    tombstones: Collection[UUID]


def _aligned_without(
    old: Sequence[StoredMessage],
    incoming: ConversationDocument,
    out: _WithoutForgotten,
    renames: Collection[tuple[str, str]],
) -> Aligned:
    """Align the messages that were not forgotten; forgotten ones are excluded, so that no message is matched with them."""
    gone, forgotten = out.found, out.tombstones
    rest = [index for index in range(len(incoming.messages)) if index not in gone]
    export = PartlyForgotten(incoming.messages, rest) if forgotten else None
    aligned = align([row.message for row in old], [incoming.messages[index] for index in rest], renames, export)
    if not gone:
        return aligned
    matches: list[int | None] = [None] * len(incoming.messages)
    for index, match in zip(rest, aligned.matches, strict=True):
        matches[index] = match
    return Aligned(matches, {rest[number]: place for number, place in aligned.places.items()}, aligned.names)


def plan_document(
    stored: Stored | None,
    incoming: ConversationDocument | TextDocument,
    digest: bytes,
    forgotten: Collection[UUID] = (),
) -> MergePlan | None:
    """Call `plan_text` or `plan_conversation`, depending on the incoming document."""
    if isinstance(incoming, TextDocument):
        return plan_text(stored, incoming, digest, forgotten)
    return plan_conversation(stored, incoming, digest, forgotten)


def merged_into(state: Stored | None, plan: MergePlan, renamed: Collection[tuple[str, str]] | None = None) -> Stored:
    """Return the stored state after a plan; ``renamed`` replaces the plan's own renames."""
    rows = {row.key: row for row in (() if state is None else state.messages)}
    for key, position in plan.moved.items():
        rows[key] = replace(rows[key], position=position)
    rows |= {row.key: row for row in (*plan.updated, *plan.added)}
    messages = sorted(rows.values(), key=lambda row: row.position)
    renames = () if state is None else state.renamed
    pairs = [(each.old, each.new) for each in plan.renames] if renamed is None else renamed
    return Stored(plan.document, messages, frozenset([*renames, *pairs]))


def shares_nothing(stored: Stored, incoming: ConversationDocument) -> bool | None:
    """Return whether two readings of one day overlap in time without a common message: then they are two chats. None if
    undecided: a piece of the chat in a gap between two stored ones shares no message with them.
    """
    old = [row.message for row in stored.messages]
    if not old or any(message.id is not None for message in incoming.messages):
        return False
    ours = sorted(identity(message).minute for message in old)
    theirs = sorted(identity(message).minute for message in incoming.messages)
    # One minute in common is not enough: there one export may end and the next begin.
    if max(ours[0], theirs[0]) >= min(ours[-1], theirs[-1]):
        return False
    pairs = zip(incoming.messages, align(old, incoming.messages, stored.renamed).matches, strict=True)
    if any(match is not None and _surely_one(old[match], message) for message, match in pairs):
        return False
    in_a_gap = not any(theirs[0] < minute < theirs[-1] for minute in ours)
    return None if in_a_gap and of_the_same_people(stored, incoming) else True


def of_the_same_people(stored: Stored, incoming: ConversationDocument) -> bool:
    """Return whether two people speak in both, or one who is not the user: the user is in all chats."""
    names = NamesOf(stored.renamed)
    spoken, before = (
        {min(names.of(message.speaker)) for message in side if message.speaker not in _NOBODY}
        for side in (incoming.messages, [row.message for row in stored.messages])
    )
    users = {stored.document.user, incoming.conversation.user} - {UNKNOWN_USER}
    both = spoken & before
    return len(both) > 1 or bool(users and both - {min(names.of(user)) for user in users})


def _surely_one(old: ConversationMessage, new: ConversationMessage) -> bool:
    """Return whether a pair proves that its chats are one: by equal words or the same author. The same place is no
    proof.
    """
    wordings = {old.content, *(edit.content for edit in old.edits)}
    return old.speaker == new.speaker or not wordings.isdisjoint([new.content, *(edit.content for edit in new.edits)])


def _union(
    incoming: ConversationDocument,
    old: Sequence[StoredMessage],
    aligned: Aligned,
    names: Mapping[str, str],
    gone: _WithoutForgotten,
    names_of: NamesOf,
    claims: Mapping[int, KeyOrigin],
    keys: list[UUID],
) -> tuple[list[tuple[UUID, ConversationMessage]], set[UUID], set[UUID], int]:
    """Return the (key, message) pairs in order, the new keys, the changed keys, and the number of messages kept out;
    appends the key of each incoming message to ``keys``.
    """
    keyer = KeyAssigner(incoming, {row.key for row in old}.union(gone.tombstones))
    parts = (incoming.source, incoming.metadata.get("account", ""), incoming.id)
    order = [(row.key, row.message) for row in old]
    added: set[UUID] = set()
    changed: set[UUID] = set()
    inserts: list[tuple[int, UUID, ConversationMessage]] = []
    elsewhere: set[UUID] = set()
    cursor = out = 0
    limits = _next_matches(aligned, len(order))
    for index, (message, match, limit) in enumerate(zip(incoming.messages, aligned.matches, limits, strict=True)):
        if index in gone.found:
            keys.append(gone.found[index] or keyer.key(message))
            out += 1
            continue
        if match is None:
            if index in aligned.places:
                # A message that arrived late stands behind those of a later minute, so its minute alone does not tell.
                place = aligned.places[index]
                cursor = min(max(place, cursor), limit) if cursor <= limit else place
            while index not in aligned.places and cursor < limit and _is_by_then(order[cursor][1], message):
                cursor += 1
            fresh = keyer.key(message, claims.get(index))
            keys.append(fresh)
            if gone.tombstones and is_known_rewording(parts, message, names_of.of(message.speaker), gone.tombstones):
                out += 1
                continue
            inserts.append((cursor, fresh, _under(message, names)))
            added.add(fresh)
            continue
        row = old[match]
        keys.append(row.key)
        merged = combine(row.message, message, names)
        if merged != row.message:
            order[match] = (row.key, merged)
            changed.add(row.key)
        if index in aligned.places:
            inserts.append((aligned.places[index], row.key, merged))
            elsewhere.add(row.key)
        else:
            cursor = match + 1
    return _inserted(order, inserts, elsewhere), added, changed, out


def _inserted(
    order: Sequence[tuple[UUID, ConversationMessage]],
    inserts: Iterable[tuple[int, UUID, ConversationMessage]],
    elsewhere: Collection[UUID],
) -> list[tuple[UUID, ConversationMessage]]:
    """Return ``order`` with each of ``inserts`` before the entry at its index, without entries whose key is in
    ``elsewhere``.
    """
    result: list[tuple[UUID, ConversationMessage]] = []
    waiting = sorted(inserts, key=lambda insert: insert[0])  # stable: the incoming order within one place
    taken = 0
    for index in range(len(order) + 1):
        while taken < len(waiting) and waiting[taken][0] == index:
            result.append(waiting[taken][1:])
            taken += 1
        if index < len(order) and order[index][0] not in elsewhere:
            result.append(order[index])
    return result


def _next_matches(aligned: Aligned, end: int) -> list[int]:
    """Return, for each incoming message, the position of the next incoming message that is stored in place: it goes
    before that.
    """
    limits: list[int] = []
    for index, match in reversed(list(enumerate(aligned.matches))):
        end = end if match is None or index in aligned.places else match
        limits.append(end)
    return limits[::-1]


def _under(message: ConversationMessage, names: Mapping[str, str]) -> ConversationMessage:
    """Return the message under its speaker's newer name."""
    newer = names.get(message.speaker)
    return message if newer is None else structs.replace(message, speaker=newer)


def _minute(message: ConversationMessage) -> str:
    return identity(message).minute


def _is_by_then(one: ConversationMessage, other: ConversationMessage) -> bool:
    """Return whether a message is not later than another: by their minutes, within a minute by seconds if both have
    them.
    """
    minutes = _minute(one), _minute(other)
    seconds = second_of(one), second_of(other)
    if minutes[0] != minutes[1] or seconds[0] is None or seconds[1] is None:
        return minutes[0] <= minutes[1]
    return seconds[0] <= seconds[1]


def _names(
    old: Sequence[StoredMessage], incoming: ConversationDocument, aligned: Aligned, renames: frozenset[tuple[str, str]]
) -> dict[str, str]:
    """Return older to newer names of renamed contacts.

    The incoming export is assumed to be the later one with the newer names, unless the chat knows that they are older,
    or the export ends before the stored messages do: an export extends to the time of its creation. The placeholder for
    an unknown exporter is never the newer name.
    """
    earlier = bool(aligned.names) and _ends_earlier([row.message for row in old], incoming, aligned.matches)
    names: dict[str, str] = {}
    for name, other in aligned.names.items():
        older = ((other, name) in renames or earlier) and (name, other) not in renames
        if other == UNKNOWN_USER or (older and name != UNKNOWN_USER):
            names[other] = name
        else:
            names[name] = other
    return names


def _ends_earlier(
    old: Sequence[ConversationMessage], incoming: ConversationDocument, pairs: Sequence[int | None]
) -> bool:
    last = pairs[-1]
    if last is None:
        return _minute(old[-1]) > _minute(incoming.messages[-1])
    return last < len(old) - 1 and len(old) - 1 not in pairs


def _rename_rows(incoming: ConversationDocument, names: Sequence[tuple[str, str]]) -> tuple[Rename, ...]:
    if "chat" not in incoming.metadata:  # a conversation of its own: there are no other days that know the old name
        return ()
    chat = chat_key(incoming.source, incoming.metadata.get("account", ""), incoming.metadata["chat"])
    return tuple(Rename(chat=chat, source=incoming.source, old=old, new=new) for old, new in names)


def _document_row(
    key: UUID,
    stored: Stored | None,
    incoming: ConversationDocument,
    digest: bytes,
    rows: Sequence[StoredMessage],
    names: Mapping[str, str],
) -> StoredDocument:
    old = None if stored is None else stored.document
    user = incoming.conversation.user
    if old is not None and user == UNKNOWN_USER:
        user = old.user
    user = names.get(user, user)
    speakers = {row.message.speaker for row in rows}
    # People who spoke in the incoming reading, but in no message that is kept, were forgotten.
    unheard = {names.get(message.speaker, message.speaker) for message in incoming.messages} - speakers
    came = [name for name in incoming.conversation.people if names.get(name, name) not in unheard]
    all_people = [*(() if old is None else old.people), *came]
    people = dict.fromkeys(names.get(name, name) for name in all_people)
    people.update(dict.fromkeys([*(row.message.speaker for row in rows), user]))
    if user != UNKNOWN_USER and UNKNOWN_USER not in speakers:
        people.pop(UNKNOWN_USER, None)
    metadata = {**({} if old is None else old.metadata), **incoming.metadata}
    if old is not None:
        metadata |= united_identities(old.metadata, incoming.metadata, names=names)
    metadata = identities_without(metadata, unheard - people.keys())
    if "date_order_ambiguous" not in incoming.metadata:
        metadata.pop("date_order_ambiguous", None)
    chat, account = chat_name(incoming.id, metadata), incoming.metadata.get("account", "")
    return StoredDocument(
        key=key,
        id=incoming.id,
        source=incoming.source,
        account=account,
        kind="conversation",
        user=user,
        people=tuple(people),
        tags=tuple(dict.fromkeys([*(() if old is None else old.tags), *incoming.tags])),
        metadata=metadata,
        timestamp=rows[0].message.time,
        chat=None if chat is None else chat_key(incoming.source, account, chat),
        digests=frozenset({digest}),
    )

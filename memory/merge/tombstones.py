"""Finds the messages of an incoming document that were forgotten and must stay out. Pure.

A tombstone is the key of a forgotten message: its minute, kind, words and ordinal among equals. A document's tombstones
also hold, as hashes, its authors (`author_tombstone_key`), the authors of forgotten messages by minute
(`reworded_tombstone_key`), the beginnings of messages in truncated files (`cut_tombstone_key`), and the captions of
files (`caption_tombstone_key`), since an export without files words those differently or as plain text. A message with
an id also leaves tombstones for every document of its chat, see `chat_tombstones`. Equal words of several people are
told apart by author:

* Of the equal messages of one person, as many as were forgotten stay out, the first ones by ordinal; further ones are
  new. If an export begins behind a forgotten message of a minute, a new message with the same words and author cannot
  be told from it: it stays out until an export has the whole minute.
* If an export has nothing by the author of a forgotten message, that person may have been renamed: then the message of
  the same ordinal stays out, unless it is stored or a tombstone of the minute has its author, too.
* Tombstones of former versions have no author: the person with more such messages than the store is assumed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, get_args
from uuid import UUID

from msgspec import structs

from ...schemas import SYSTEM_SPEAKER, UNTERMINATED, ConversationDocument, ConversationMessage
from ...schemas.keys import (
    CUT_KEY_CHARACTERS,
    MessageForm,
    author_tombstone_key,
    author_tombstone_prefix,
    caption_tombstone_key,
    cut_tombstone_key,
    derived_message_key,
    form_tombstone_key,
    message_key,
    reworded_tombstone_key,
    unnamed_document,
    worded_tombstone_key,
)
from ...schemas.times import utc_minute, wall_minute
from ..records import StoredMessage
from ..text.names import NamesOf, folded
from .alignment import Identity, identity
from .chat_tombstones import ChatTombstones, is_stored
from .message_distance import second_of
from .message_keys import KeyAssigner, KeyOrigin, origin
from .numbering import in_clock, in_utc, is_renumbered, without_id
from .revisions import caption, without_invisible

_SECONDS = 60


class _Numbered(NamedTuple):
    """One of several equal messages: stored, or forgotten (``row`` is None)."""

    ordinal: int
    key: UUID
    row: StoredMessage | None


def find_forgotten(
    incoming: ConversationDocument,
    old: Sequence[StoredMessage],
    forgotten: Collection[UUID],
    renames: Collection[tuple[str, str]] = (),
    claims: Mapping[int, KeyOrigin] | None = None,
) -> dict[int, UUID | None]:
    """Return the forgotten messages by index in ``incoming`` with the key of each; None for a later wording of one.

    Args:
        incoming: the incoming document without carried metadata.
        old: the stored messages of the document.
        forgotten: the tombstones of the document.
        renames: pairs of names of one person.
        claims: key origins of some messages, by index.
    """
    if not forgotten:
        return {}
    forgotten = frozenset(forgotten)
    parts = (incoming.source, incoming.metadata.get("account", ""), incoming.id)
    forms = {form for form in get_args(MessageForm) if form_tombstone_key(*parts, form) in forgotten}
    if len(clocks := forms - {"named"}) == 1:
        incoming = _with(incoming, [in_clock(each, clocks) for each in incoming.messages])
        old = [replace(row, message=in_clock(row.message, clocks)) for row in old]
    search = _TombstoneSearch(incoming, old, forgotten, renames, claims or {})
    result = search.run()
    if "named" not in forms:
        return result
    renumbered = search.met_another or is_renumbered([row.message for row in old], incoming.messages, search.person)
    left = [
        index
        for index, message in enumerate(incoming.messages)
        if index not in result and (renumbered or message.id is None)
    ]
    if not left:
        return result
    unnamed = search.unnamed([incoming.messages[index] for index in left])
    return result | {left[number]: key for number, key in unnamed.run().items()}


def _with(document: ConversationDocument, messages: Iterable[ConversationMessage]) -> ConversationDocument:
    body = document.conversation.model_copy(update={"conversation": tuple(messages)})
    return document.model_copy(update={"conversation": body})


def is_known_rewording(
    parts: tuple[str, str, str], message: ConversationMessage, names: Collection[str], forgotten: Collection[UUID]
) -> bool:
    """Apply `is_rewording`; a message without an id is also compared with forgotten messages that had one."""
    if is_rewording(parts, message, names, forgotten):
        return True
    if message.id is not None or form_tombstone_key(*parts, "named") not in forgotten:
        return False
    return is_rewording((*parts[:2], unnamed_document(parts[2])), in_utc(message), names, forgotten)


def is_rewording(
    parts: tuple[str, str, str], message: ConversationMessage, names: Collection[str], forgotten: Collection[UUID]
) -> bool:
    """Return whether this is, by minute and speaker, another reading of a forgotten message: flagged as edited or
    deleted; a file where the other was text, or the reverse, with the same caption; or the complete form of a truncated
    message.

    Args:
        parts: source, account and id of the document.
        message: the incoming message.
        names: the names of its speaker.
        forgotten: the tombstones of the document.
    """
    minute = identity(message).minute
    flagged = message.edited or message.edits or message.deleted or UNTERMINATED in message.metadata
    mine = [name for name in names if reworded_tombstone_key(*parts, minute, name) in forgotten]
    if mine and (flagged or _was_cut(parts, message, mine, forgotten)):
        return True
    return _is_recaptioned(parts, message, names, forgotten)


def _was_cut(
    parts: tuple[str, str, str], message: ConversationMessage, names: Collection[str], forgotten: Collection[UUID]
) -> bool:
    """Return whether the message begins with a forgotten one that ended where its file was truncated."""
    minute = identity(message).minute
    words = without_invisible(message.content)
    ends = range(1, min(len(words), CUT_KEY_CHARACTERS) + 1)
    return any(cut_tombstone_key(*parts, minute, name, words[:end]) in forgotten for name in names for end in ends)


def _is_recaptioned(
    parts: tuple[str, str, str], message: ConversationMessage, names: Collection[str], forgotten: Collection[UUID]
) -> bool:
    words = caption(message)
    if not words:
        return False
    minute = identity(message).minute
    media = message.kind != "media"  # each kind has one key
    return any(caption_tombstone_key(*parts, minute, name, words, media=media) in forgotten for name in names)


class _TombstoneSearch:
    """The search for the tombstones of one document in an incoming reading, given the stored one."""

    def __init__(
        self,
        incoming: ConversationDocument,
        old: Sequence[StoredMessage],
        forgotten: frozenset[UUID],
        renames: Collection[tuple[str, str]],
        claims: Mapping[int, KeyOrigin],
    ) -> None:
        self._parts = (incoming.source, incoming.metadata.get("account", ""), incoming.id)
        self.incoming = incoming
        self.met_another = False
        """True if an id of a forgotten message belongs to another message in the incoming reading."""
        self._old = old
        self._messages = incoming.messages
        self._rows = {row.key: row for row in old}
        self._marks = ChatTombstones(incoming)
        self._forgotten = forgotten
        self._tags = {key.bytes[:8] for key in forgotten}
        self._claims = claims
        self._known_pairs = renames
        self._known = NamesOf(renames)
        self._names: dict[str, frozenset[str]] = {}
        self._people = {message.speaker for message in incoming.messages}
        self._present = {
            (identity(row.message).minute, name) for row in old for name in self._all_names(row.message.speaker)
        }
        self._of_minute: dict[tuple[str, str], bool] = {}
        self._found: dict[int, UUID | None] = {}

    def unnamed(self, messages: Iterable[ConversationMessage]) -> _TombstoneSearch:
        """Return the search for messages without their ids, among those that had ids when they were forgotten."""
        document = _with(self.incoming, (in_utc(without_id(message)) for message in messages))
        document = document.model_copy(update={"id": unnamed_document(document.id)})
        keyer = KeyAssigner(document, set(self._forgotten))
        bare = ((row, in_utc(without_id(row.message))) for row in self._old if row.message.id is not None)
        old = [replace(row, key=keyer.key(message), message=message) for row, message in bare]
        return _TombstoneSearch(document, old, self._forgotten, self._known_pairs, {})

    def person(self, name: str) -> str:
        """Return one name that represents all names of a person."""
        return min(self._all_names(name))

    def run(self) -> dict[int, UUID | None]:
        """Return all messages that stay out."""
        groups: defaultdict[Identity, list[int]] = defaultdict(list)
        for index, message in enumerate(self._messages):
            if self._recaptions(message):  # so that it is not numbered among files without a caption
                self._found[index] = None
                continue
            identity = self._as_forgotten(self._origin(message))
            groups[identity._replace(minute="") if identity.id else identity].append(index)
        for identity, indexes in groups.items():
            numbered = list(self._numbered(identity, len(indexes)))
            if any(each.row is None for each in numbered):
                self._look(identity, indexes, numbered)
        for index, message in enumerate(self._messages):
            if index not in self._found and (self._rewords(message) or self._comes_from_elsewhere(message)):
                self._found[index] = None
        return self._found

    def _origin(self, message: ConversationMessage) -> Identity:
        """Return the identity of a message's first state, without its id if that is unknown: its source may have added
        ids later.
        """
        if message.id is None:
            return origin(message)
        key = message_key(*self._parts, message.id)
        is_stored = key in self._rows or key in self._forgotten
        return origin(message if is_stored else structs.replace(message, id=None))

    def _as_forgotten(self, stated: Identity) -> Identity:
        """Return the identity without invisible characters if the identity as written is unknown."""
        words = without_invisible(stated.text)
        if words == stated.text:
            return stated
        key = derived_message_key(*self._parts, stated.minute, stated.kind, stated.text, 0)
        return stated if key in self._rows or key in self._forgotten else stated._replace(text=words)

    def _numbered(self, stated: Identity, count: int) -> Iterable[_Numbered]:
        """Yield the stored and forgotten messages of an identity, by ordinal."""
        ordinal = missing = 0
        while missing <= count:
            if stated.id:
                key = message_key(*self._parts, stated.id if ordinal == 0 else f"{stated.id}\0{ordinal}")
            else:
                key = derived_message_key(*self._parts, stated.minute, stated.kind, stated.text, ordinal)
            if key in self._rows or key in self._forgotten:
                yield _Numbered(ordinal, key, self._rows.get(key))
            else:
                missing += 1
            ordinal += 1

    def _look(self, stated: Identity, indexes: Sequence[int], numbered: Sequence[_Numbered]) -> None:
        """Decide about the messages of one identity."""
        if stated.id:  # ordinals of equal ids are their order
            gone = {each.ordinal: each.key for each in numbered if each.row is None}
            for number, index in enumerate(indexes):
                if number in gone and self._is_another(gone[number], self._messages[index]):
                    self.met_another = True
                elif number in gone:
                    self._found[index] = gone[number]
            return
        settled = self._assign_claims(indexes)
        numbered = [each for each in numbered if each.key not in settled.values()]
        waiting: defaultdict[frozenset[str], list[int]] = defaultdict(list)
        for index in indexes:
            if index not in settled:
                waiting[self._names_at(index)].append(index)
        taken: set[UUID] = set()
        stored: set[int] = set()
        left: Counter[frozenset[str]] = Counter()
        for names, its_indexes in waiting.items():
            left[names] = self._assign(names, its_indexes, numbered, taken, stored)
        for each in numbered:
            if each.row is None and each.key not in taken:
                self._guess(stated, each, indexes, {*settled, *stored}, left)

    def _is_another(self, key: UUID, message: ConversationMessage) -> bool:
        """Return whether a message differs from the forgotten one with its id: in its words, and in its author or
        second. Without such evidence it is taken for the same.
        """
        system = message.deleted or message.speaker == SYSTEM_SPEAKER
        if system or not self._is_marked(key) or self._marks.has_instant(message, self._forgotten):
            return False
        wordings = (message.content, *(edit.content for edit in message.edits))
        if any(worded_tombstone_key(key, words) in self._forgotten for words in wordings):
            return False
        second = second_of(message)
        seconds = (None, *range(_SECONDS)) if second is None else (None, second)
        names = self._all_names(message.speaker)
        return not any(author_tombstone_key(key, name, one) in self._forgotten for name in names for one in seconds)

    def _assign_claims(self, indexes: Sequence[int]) -> dict[int, UUID]:
        """Return the keys of messages that carry the origin of their key."""
        keyer = KeyAssigner(self.incoming, set())
        settled: dict[int, UUID] = {}
        for index in indexes:
            claim = self._claims.get(index)
            key = None if claim is None else keyer.claimed(self._messages[index], claim)
            if key is not None:
                settled[index] = key
                if key in self._forgotten and key not in self._rows:
                    self._found[index] = key
        return settled

    def _assign(
        self,
        names: frozenset[str],
        indexes: Sequence[int],
        numbered: Sequence[_Numbered],
        taken: set[UUID],
        stored: set[int],
    ) -> int:
        """Assign one person's equal messages in order to that person's forgotten (``taken``) or ``stored`` ones; return
        the number of messages assigned to neither.
        """
        mine = [
            each
            for each in numbered
            if (self._is_marked(each.key) if each.row is None else folded(each.row.message.speaker) in names)
        ]
        rest = list(indexes)
        # A second is stronger evidence than the order. Of equals within one second the last are stored, for the first
        # stay out.
        for index in reversed(indexes):
            second = second_of(self._messages[index])
            same = [each for each in mine if each.row is not None and second_of(each.row.message) == second]
            if second is not None and same and not self._was_forgotten_at(second, names, mine):
                mine.remove(same[-1])
                rest.remove(index)
                stored.add(index)
        fresh = 0
        for index in rest:
            message = self._messages[index]
            match = next((each for each in mine if self._may_be(each, names, message)), None)
            if match is None:
                fresh += 1
                continue
            mine.remove(match)
            if match.row is None:
                self._found[index] = match.key
                taken.add(match.key)
            else:
                stored.add(index)
        return fresh

    def _may_be(self, each: _Numbered, names: Iterable[str], message: ConversationMessage) -> bool:
        second = second_of(message)
        if each.row is not None:
            stored = second_of(each.row.message)
            return second == stored or None in (second, stored)
        if second is None:
            return any(self._wrote(each.key, _minutes(message), name) for name in names)
        return any(
            author_tombstone_key(each.key, name, one) in self._forgotten for name in names for one in (None, second)
        )

    def _was_forgotten_at(self, second: int, names: Iterable[str], mine: Iterable[_Numbered]) -> bool:
        """Return whether an equal message of that second was forgotten: then the order is stronger evidence than the
        second.
        """
        gone = [each.key for each in mine if each.row is None]
        return any(author_tombstone_key(key, name, second) in self._forgotten for key in gone for name in names)

    def _is_marked(self, key: UUID) -> bool:
        """Return whether there is a hash of the author of the forgotten message with this key."""
        return author_tombstone_prefix(key) in self._tags

    def _guess(
        self,
        stated: Identity,
        gone: _Numbered,
        indexes: Sequence[int],
        settled: Collection[int],
        left: Counter[frozenset[str]],
    ) -> None:
        """Choose the message that may be a forgotten one whose author has none of these messages under a known name."""
        free = [n for n, index in enumerate(indexes) if index not in settled and index not in self._found]
        if self._is_marked(gone.key):
            minutes = {stated.minute, *(minute for index in indexes for minute in _minutes(self._messages[index]))}
            if any(self._wrote(gone.key, minutes, name) for name in self._everybody()):
                return
            free = [n for n in free if n == gone.ordinal]
            free = [n for n in free if not self._was_forgotten(stated.minute, self._names_at(indexes[n]))]
        else:
            free = [n for n in free if left[self._names_at(indexes[n])]]
        if not free:
            return

        def doubt(number: int) -> tuple[bool, int]:
            names = self._names_at(indexes[number])
            return not self._was_forgotten(stated.minute, names), abs(number - gone.ordinal)

        index = indexes[min(free, key=doubt)]
        self._found[index] = gone.key
        left[self._names_at(index)] -= 1

    def _wrote(self, key: UUID, minutes: Collection[str], name: str) -> bool:
        """Return whether a person of this name wrote the forgotten message of this key, in any second of these minutes.

        An author's hash implies a `reworded_tombstone_key` of the minute, which is checked first: one hash excludes
        most names, instead of one for each second and message.
        """
        return any(self._is_of(minute, name) for minute in minutes) and any(
            author_tombstone_key(key, name, second) in self._forgotten for second in (None, *range(_SECONDS))
        )

    def _is_of(self, minute: str, name: str) -> bool:
        """Return whether a message of this name was forgotten in this minute."""
        names = self._of_minute.get((minute, name))
        if names is None:
            names = self._of_minute[minute, name] = self._was_forgotten(minute, [name])
        return names

    def _everybody(self) -> set[str]:
        """Return all names of all speakers in the incoming reading."""
        return {name for speaker in self._people for name in self._all_names(speaker)}

    def _names_at(self, index: int) -> frozenset[str]:
        return self._all_names(self._messages[index].speaker)

    def _was_forgotten(self, minute: str, names: Iterable[str]) -> bool:
        return any(reworded_tombstone_key(*self._parts, minute, name) in self._forgotten for name in names)

    def _rewords(self, message: ConversationMessage) -> bool:
        """Return whether this is a later wording of a forgotten message."""
        names = self._all_names(message.speaker)
        return self._is_absent(message) and is_rewording(self._parts, message, names, self._forgotten)

    def _comes_from_elsewhere(self, message: ConversationMessage) -> bool:
        """Return whether this was forgotten in another document of its chat."""
        return not self._forgotten.isdisjoint(self._marks.of(message)) and not is_stored(message, self._rows.values())

    def _recaptions(self, message: ConversationMessage) -> bool:
        """Return whether this is a forgotten file in the other form."""
        names = self._all_names(message.speaker)
        return _is_recaptioned(self._parts, message, names, self._forgotten) and self._is_absent(message)

    def _is_absent(self, message: ConversationMessage) -> bool:
        """Return whether nothing of this speaker is stored in the minute; otherwise the alignment decides first."""
        minute = identity(message).minute
        return not any((minute, name) in self._present for name in self._all_names(message.speaker))

    def _all_names(self, speaker: str) -> frozenset[str]:
        if speaker not in self._names:
            self._names[speaker] = self._known.of(speaker)
        return self._names[speaker]


def _minutes(message: ConversationMessage) -> tuple[str, str]:
    """Return the minutes that may identify a message, whatever is known of its zone."""
    return wall_minute(message.time), utc_minute(message.time)

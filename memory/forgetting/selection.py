"""Selects the content to forget, and plans its removal. Pure; the store executes the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from ...schemas import ConversationMessage
from ...schemas.identity_links import identities_without
from ...schemas.keys import redacted_tombstone_key, text_tombstone_key
from ...schemas.scope import tag_groups
from ..extraction.records import StoredStatement
from ..extraction.statement import Statement
from ..records import StoredDocument, StoredMessage
from ..text.names import NamesOf, folded
from ..write_batches import Removal, WriteBatch
from .names_by_source import MergedNames, NamesBySource, one_person
from .quotations import Quotations
from .redaction import QuoteChanges, redacted_message, redacted_text
from .tombstone_keys import tombstone_keys_of


@dataclass(frozen=True, slots=True)
class ForgetSelection:
    """The selection criteria of a forgetting. Values of one field are alternatives, fields are combined; empty fields
    select nothing by themselves.

    ``speakers``, ``people``, ``messages`` and ``since``/``until`` select single messages; the document stays with the rest. A text
    has no speaker but may have an author, and without a time it is outside every time span.
    """

    documents: tuple[str, ...] = ()
    """Ids or keys."""
    sources: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    """Names or titles of conversations, ignoring case and the composition of accents; no text in no chat has one."""
    speakers: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    """People whose words are removed wherever they wrote, as speaker or author, under every name that any chat knows
    for them (see `all_names`), together with facts *about* them that other people stated, though not those people's
    messages.
    """
    users: tuple[str, ...] = ()
    """The users, agents and sessions of documents, from programs; whole names."""
    agents: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    """Keys of messages, or the ids that came with them."""
    since: datetime | None = None
    until: datetime | None = None
    merged_speakers: MergedNames = ()
    """Names that the user merged with one of ``speakers``."""
    merged_people: MergedNames = ()
    """Names that the user merged with one of ``people``, with the aliases known in the chats of their source."""

    @property
    def scope(self) -> tuple[tuple[str, ...], ...]:
        """Groups of tags; a document must have one of each."""
        return tag_groups(self.users, self.agents, self.sessions)

    @property
    def only_people(self) -> bool:
        """True if only people are named: then all facts about them are removed too."""
        return bool(self.people) and replace(self, people=(), merged_people=()).empty

    @property
    def empty(self) -> bool:
        """True if no criterion is given: that selects nothing, not everything."""
        return self == ForgetSelection()


@dataclass(frozen=True, slots=True)
class Impact:
    """The effect of a plan on one document: the number of removed messages, and whether the document is removed."""

    id: str
    source: str
    title: str
    messages: int
    whole: bool
    text: bool = False
    """True for a text document, False for a conversation."""
    first: datetime | None = None
    """The time of the first removed message; None for a text without a time."""
    last: datetime | None = None
    names: Mapping[str, int] = field(default_factory=dict[str, int])
    """The number of removed messages by author."""


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """The content that a forgetting would remove."""

    removal: Removal = field(default_factory=Removal)
    affected: tuple[Impact, ...] = ()
    names: tuple[str, ...] = ()
    """All names of the forgotten people."""
    merged: MergedNames = ()
    """For the selected people and speakers, the names that the user merged with the given ones."""
    about: tuple[StoredStatement, ...] = ()
    """Statements of others about these people; they are excluded, and their history is deleted."""
    facts: int = 0
    """The number of current facts based on them, and of excluded statements."""
    quotes: Quotations | None = None
    """None if they were not looked for."""

    @property
    def messages(self) -> int:
        """The number of removed messages; a text counts as one."""
        return sum(each.messages for each in self.affected)

    @property
    def present(self) -> frozenset[str]:
        """Folded names in the removed content: sources, chats, speakers and authors."""
        return _folded({name for each in self.affected for name in (each.source, each.title, *each.names) if name})

    @property
    def token(self) -> str:
        """A hash of the plan, which changes if anything else would be removed."""
        keys = sorted(key.bytes for key in (*self.removal.documents, *self.removal.messages))
        keys += sorted(key.bytes for forgotten in self.removal.tombstones.values() for key in forgotten)
        keys += sorted(each.statement.key.bytes for each in self.about)
        return sha256(b"".join(keys)).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored document as input of the plan."""

    row: StoredDocument
    messages: Sequence[StoredMessage]
    titles: Collection[str]
    """The titles and the id of its chat."""
    aliases: Sequence[tuple[str, str]] = ()
    """Older names of people with newer ones, in this chat."""
    tombstones: Collection[UUID] = ()
    """Tombstones of messages forgotten earlier."""


def plan_forgetting(
    selection: ForgetSelection, documents: Sequence[Candidate], quotes: QuoteChanges | None = None
) -> ForgetPlan:
    """Plan the removal of everything in these documents that the selection matches, and the changes of ``quotes``."""
    whose = WantedWords(selection)
    changed = quotes or QuoteChanges()
    plans = [plan for kept in documents if (plan := _plan_one(selection, whose, kept, changed)) is not None]
    changes = [plan.changes for plan, _ in plans]
    return ForgetPlan(
        Removal(
            documents=[key for plan, _ in plans for key in plan.documents],
            messages=[key for plan, _ in plans for key in plan.messages],
            tombstones={key: value for plan, _ in plans for key, value in plan.tombstones.items()},
            changes=WriteBatch(
                documents=[row for change in changes for row in change.documents],
                messages=[row for change in changes for row in change.messages],
                moved={key: position for change in changes for key, position in change.moved.items()},
            ),
        ),
        tuple(affected for _, affected in plans if affected is not None),
    )


def _plan_one(
    selection: ForgetSelection, whose: WantedWords, kept: Candidate, quotes: QuoteChanges
) -> tuple[Removal, Impact | None] | None:
    row = kept.row
    matches = concerned(selection, row.id, str(row.key), row.source, kept.titles, row.tags)
    title = row.metadata.get("title", "") or next(iter(kept.titles), "")
    if row.kind != "conversation":
        author = row.metadata.get("author", "")
        if matches and text_matches(selection, whose.people(row.source), author, row.timestamp):
            return _text_removal(row), impact_of(row, (), title, 0)
        return _plan_quoting_text(row, quotes)
    wanted = whose.of(row.source, kept.aliases)
    selected = [
        each for each in kept.messages if matches and message_matches(selection, wanted, each.message, each.key)
    ]
    taken = {each.key for each in selected}
    gone = [each for each in kept.messages if each.key in taken or each.key in quotes.removed]
    taken.update(each.key for each in gone)
    reworded = {key for each in kept.messages if (key := each.key) in quotes.redacted and key not in taken}
    if not gone and not reworded:
        return None
    affected = impact_of(row, selected, title, len(kept.messages)) if selected else None
    if len(gone) == len(kept.messages):
        removal = Removal(documents=[row.key], tombstones={row.key: sorted(_tombstones(whose, kept, gone))})
        return removal, None if affected is None else replace(affected, whole=True)
    return _partial_removal(whose, kept, gone, reworded, quotes), affected


def _partial_removal(
    whose: WantedWords, kept: Candidate, gone: Sequence[StoredMessage], reworded: Collection[UUID], quotes: QuoteChanges
) -> Removal:
    """Return the removal of messages from a conversation that stays; ``reworded`` are replaced by redacted ones."""
    row = kept.row
    keys = {each.key for each in gone}
    left = [each for each in kept.messages if each.key not in keys]
    replaced = [each for each in left if each.key in reworded]
    fresh = [
        redacted_message(each, quotes.redacted[each.key], place)
        for place, each in enumerate(left)
        if each.key in reworded
    ]
    marks = _tombstones(whose, kept, [*gone, *replaced]) | {redacted_tombstone_key(each.key) for each in fresh}
    return Removal(
        messages=[each.key for each in (*gone, *replaced)],
        tombstones={row.key: sorted(marks)},
        changes=WriteBatch(
            documents=[_row_without(row, gone, left)],
            messages=fresh,
            moved={
                each.key: place
                for place, each in enumerate(left)
                if each.position != place and each.key not in reworded
            },
        ),
    )


def _tombstones(whose: WantedWords, kept: Candidate, gone: Sequence[StoredMessage]) -> set[UUID]:
    stored = {each.key for each in kept.messages}
    people = NamesOf([*kept.aliases, *whose.pairs(kept.row.source)])
    taken = set(kept.tombstones)
    return {key for each in gone for key in tombstone_keys_of(kept.row, each, stored, people, taken)}


def _text_removal(row: StoredDocument) -> Removal:
    mark = text_tombstone_key(row.source, row.account, row.id, row.content or "")
    return Removal(documents=[row.key], tombstones={row.key: [row.key, mark]})


def _plan_quoting_text(row: StoredDocument, quotes: QuoteChanges) -> tuple[Removal, None] | None:
    """Plan to remove or to redact a text of another; it keeps its key, under which no import changes it then."""
    if row.key in quotes.removed:
        return _text_removal(row), None
    if row.key not in quotes.redacted:
        return None
    if row.kind == "retired":  # nothing of it is shown: it only waits for an undo
        return _text_removal(row), None
    parts = quotes.redacted[row.key]
    mark = text_tombstone_key(row.source, row.account, row.id, row.content or "")
    return Removal(
        documents=[row.key],
        # Without a quote in its present content only the former ones go, and it may go on changing.
        tombstones={row.key: [redacted_tombstone_key(row.key), mark]} if parts else {},
        changes=WriteBatch(documents=[redacted_text(row, parts)]),
    ), None


def impact_of(row: StoredDocument, gone: Sequence[StoredMessage], title: str, messages: int) -> Impact:
    """Return the effect of removing these messages of a conversation that has so many, or of removing a text."""
    if row.kind != "conversation":
        author = row.metadata.get("author", "")
        names: Mapping[str, int] = {author: 1} if author else {}
        time = row.timestamp
        return Impact(row.id, row.source, title, 1, whole=True, text=True, first=time, last=time, names=names)
    times = [each.message.time for each in gone]
    return Impact(
        row.id,
        row.source,
        title,
        len(gone),
        whole=len(gone) == messages,
        first=min(times),
        last=max(times),
        names=Counter(each.message.speaker for each in gone),
    )


def _row_without(row: StoredDocument, gone: Sequence[StoredMessage], left: Sequence[StoredMessage]) -> StoredDocument:
    lost = {each.message.speaker for each in gone} - {each.message.speaker for each in left}
    people = tuple(name for name in row.people if name not in lost or name == row.user)
    metadata = identities_without(row.metadata, set(row.people).difference(people))
    return replace(row, people=people, metadata=metadata, timestamp=left[0].message.time)


def concerned(
    selection: ForgetSelection,
    identifier: str,
    key: str,
    source: str,
    titles: Collection[str],
    tags: Collection[str],
) -> bool:
    """Return whether a selection matches this document, or may match messages in it."""
    if selection.empty:
        return False
    if selection.documents and not any(each == identifier or _as_key(each) == key for each in selection.documents):
        return False
    if selection.sources and source not in selection.sources:
        return False
    if any(set(group).isdisjoint(tags) for group in selection.scope):
        return False
    return not selection.chats or not _folded(selection.chats).isdisjoint(_folded(titles))


def _as_key(text: str) -> str:
    """Return the canonical form of a key in any of the usual spellings; other text is unchanged."""
    try:
        return str(UUID(text))
    except ValueError:
        return text


class WantedWords:
    """The names whose words a selection takes, by source and chat."""

    def __init__(self, selection: ForgetSelection) -> None:
        both = ((selection.speakers, selection.merged_speakers), (selection.people, selection.merged_people))
        self._named = [NamesBySource(names, merged) for names, merged in both if names]
        self._people = NamesBySource(*both[1])
        self._given = frozenset(map(folded, (*selection.speakers, *selection.people)))
        self._merged = frozenset((*selection.merged_speakers, *selection.merged_people))

    def of(self, source: str, aliases: Sequence[tuple[str, str]] = ()) -> list[frozenset[str]]:
        """Return sets of folded names; a message in a chat is selected if its speaker is in all of them."""
        return [each.of(source, aliases) for each in self._named]

    def people(self, source: str) -> frozenset[str]:
        """Return the folded names of the selected people in a source."""
        return self._people.of(source)

    def pairs(self, source: str) -> list[tuple[str, str]]:
        """Return the merged names in a source as pairs of names of one person."""
        merged = [name for its, name in self._merged if its == source]
        return one_person([*merged, *self._given]) if merged else []


def message_matches(
    selection: ForgetSelection, whose: Sequence[Collection[str]], message: ConversationMessage, key: UUID
) -> bool:
    """Return whether a message of a `concerned` document is selected; ``whose`` comes from `WantedWords.of`."""
    named = selection.messages
    if named and message.id not in named and str(key) not in map(_as_key, named):
        return False
    speaker = folded(message.speaker)
    return all(speaker in names for names in whose) and _time_matches(selection, message.time)


def text_matches(selection: ForgetSelection, people: Collection[str], author: str, time: datetime | None) -> bool:
    """Return whether a `concerned` text is selected; ``people`` comes from `WantedWords.people`."""
    if selection.speakers or selection.messages or not _time_matches(selection, time):
        return False
    return not selection.people or folded(author) in people


def is_about(
    selection: ForgetSelection,
    names: Collection[str],
    row: StoredDocument,
    titles: Collection[str],
    statement: Statement,
) -> bool:
    """Return whether another person says this about the selection's people, at a place and time that it selects.
    ``names``: the people's folded names in this source, from `WantedWords.people`.
    """
    return (
        folded(statement.subject) in names
        and folded(statement.speaker) not in names
        and not selection.speakers
        and not selection.messages
        and concerned(selection, row.id, str(row.key), row.source, titles, row.tags)
        and _time_matches(selection, statement.observed_at)
    )


def _time_matches(selection: ForgetSelection, time: datetime | None) -> bool:
    if selection.since is None and selection.until is None:
        return True
    if time is None:
        return False
    after = selection.since is None or time >= selection.since
    return after and (selection.until is None or time < selection.until)


def _folded(names: Collection[str]) -> frozenset[str]:
    return frozenset(map(folded, names))

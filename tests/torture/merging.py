"""A model of merging: of made-up chats whatever is exported and read in any order, the store holds the union, once.

The model knows which message is which. For every minute of every export that is read it lists all unions that the
stored and the incoming reading allow, by the order of both and by what can be one message at all. Usually there is one,
and the store must hold it. Of a minute with several no algorithm can know which is true; then the store must hold one
of them. Excused are minutes in which a false one was taken before, and those in which the names of unknown people tell
nothing: two who say the same, or one whom the store has under two names. Nothing may be missing there either: no
wording, and no message that any of the exports has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from memd.memory.merge.aliases import Aliases
from memd.memory.merge.plan import Stored, plan_conversation
from memd.memory.records import StoredMessage
from memd.schemas import ConversationDocument, ConversationMessage
from memd.tests.torture.home import Broken
from memd.tests.torture.stories import NAMES, Story, Told, story

Entry = tuple[frozenset[str], frozenset[str]]
"""A message of a union: its authors, and its wordings."""
Union = tuple[Entry, ...]
Minute = tuple[int, int]
PERSONS = {name: person for person, phones in NAMES.items() for names in phones for name in names}
MANY = 1000
"""How many ways to lay two readings of a minute are listed at most."""


@dataclass
class Tally:
    """What was checked."""

    stories: int = 0
    mistaken: int = 0
    """Stories in which two people were taken for one."""
    minutes: int = 0
    """Of a day, each time an export of it was read."""
    ambiguous: int = 0
    """Minutes that allow several unions."""
    false: int = 0
    """Minutes of these in which the store has another one than the true one."""
    loose: int = 0
    """Minutes of which it has something else, where it had something false before, or nobody knows who is who."""


@dataclass
class _Day:
    """What the store holds of a day, and what is true of it."""

    stored: Stored | None = None
    told: set[int] = field(default_factory=set[int])
    seen: list[tuple[tuple[Told, ...], ConversationDocument]] = field(
        default_factory=list[tuple[tuple[Told, ...], ConversationDocument]]
    )


class Difference(Exception):  # noqa: N818 - it is one
    """The store holds what no union allows."""


class Play:
    """One story, read export by export into a store of its own."""

    def __init__(self, story: Story, tally: Tally) -> None:
        self._story = story
        self._tally = tally
        self._days: dict[int, _Day] = {}
        self._renames: set[tuple[str, str]] = set()
        self._false: set[Minute] = set()

    def run(self) -> None:
        """Read everything.

        Raises:
            Difference: the store is not what it may be.
        """
        for export in self._story.exports:
            for told, document in self._story.documents(export):
                self._read(self._days.setdefault(told[0].day, _Day()), told, document)
        self._tally.stories += 1
        self._tally.mistaken += self._mistaken()

    def _read(self, day: _Day, told: tuple[Told, ...], document: ConversationDocument) -> None:
        before = _rows(day.stored)
        allowed = {minute: self._allowed(day, minute, told, document) for minute in {each.minute for each in told}}
        after = self._merged(day, document)
        if {row.key for row in before} - {row.key for row in after}:
            raise Difference("a message is gone")
        day.told.update(each.number for each in told)
        day.seen.append((told, document))
        times = [row.message.time.replace(second=0) for row in after]
        if times != sorted(times):
            raise Difference("minutes are out of order")
        for minute, unions in allowed.items():
            self._check((told[0].day, minute), day, unions)
        self._again(day, document)

    def _merged(self, day: _Day, document: ConversationDocument) -> Sequence[StoredMessage]:
        """Merge as a store does."""
        stored = None if day.stored is None else replace(day.stored, renamed=frozenset(self._renames))
        plan = plan_conversation(stored, document, b"digest")
        if plan is None:
            raise Difference("nothing is stored")
        rows = {row.key: row for row in _rows(day.stored)}
        for key, position in plan.moved.items():
            rows[key] = replace(rows[key], position=position)
        rows |= {row.key: row for row in (*plan.added, *plan.updated)}
        ordered = sorted(rows.values(), key=lambda row: row.position)
        if [row.position for row in ordered] != list(range(len(ordered))):
            raise Difference("positions are not consecutive")
        day.stored = Stored(plan.document, ordered)
        self._renames |= {(rename.old, rename.new) for rename in plan.renames}
        return ordered

    def _again(self, day: _Day, document: ConversationDocument) -> None:
        assert day.stored is not None
        plan = plan_conversation(replace(day.stored, renamed=frozenset(self._renames)), document, b"digest")
        if plan is None or plan.added or plan.moved:
            raise Difference("the same export again changes something")

    # --- what is allowed ---------------------------------------------------------------------------------------------

    def _allowed(self, day: _Day, minute: int, told: tuple[Told, ...], document: ConversationDocument) -> _Allowed:
        """All unions of a minute. One that holds something false, or where nobody knows who is who, is excused."""
        if (told[0].day, minute) in self._false or self._mistaken():
            return _Allowed(set(), excused=True)
        stored = _rows(day.stored)
        pair = _Pair(
            [row.message for row in stored],
            list(document.messages),
            [n for n, row in enumerate(stored) if _minute_of(row.message) == minute],
            [n for n, each in enumerate(told) if each.minute == minute],
            self._gap(day, minute),
            Aliases([], [], self._renames),
        )
        unions = set(islice(pair.unions(), MANY))
        return _Allowed(unions, excused=len(unions) == MANY or pair.untold() or pair.alike_strangers())

    def _mistaken(self) -> bool:
        """Whether two people were taken for one: then nothing is certain any more."""
        return any(PERSONS[old] != PERSONS[new] for old, new in self._renames)

    def _gap(self, day: _Day, minute: int) -> bool:
        """Whether the store lacks something in the minute, or beside it."""
        told = self._story.told
        known = [index for index, each in enumerate(told) if each.number in day.told]
        return any(
            after != before + 1 and minute in (told[before].minute, told[after].minute)
            for before, after in pairwise(known)
        )

    # --- what is there -----------------------------------------------------------------------------------------------

    def _check(self, minute: Minute, day: _Day, allowed: _Allowed) -> None:
        rows = [row.message for row in _rows(day.stored) if _minute_of(row.message) == minute[1]]
        found, true = tuple(_entry(message) for message in rows), self._truth(minute, day)
        self._tally.minutes += 1
        self._tally.ambiguous += len(allowed.unions) > 1
        self._check_nothing_missing(minute, day, rows)
        if found == true:
            # Of equal messages the store may still have taken one for another, which only their seconds show.
            if self._seconds_are_true(minute, day, rows):
                self._false.discard(minute)
            return
        self._false.add(minute)
        if allowed.excused or self._mistaken():
            self._tally.loose += 1
        elif true not in allowed.unions:
            raise Difference(f"the model is false in minute {minute}: {true} is none of {allowed.unions}")
        elif any(_is_one_of(found, union) for union in allowed.unions):
            self._tally.false += 1
        else:
            raise Difference(f"minute {minute} holds\n  {found}\nand may hold\n  {allowed.unions}")

    def _truth(self, minute: Minute, day: _Day) -> Union:
        """The union as it is."""
        entries: dict[int, Entry] = {}
        for told, document in day.seen:
            for each, message in zip(told, document.messages, strict=True):
                if each.minute == minute[1]:
                    entry = _entry(message)
                    entries[each.number] = _together(entries.get(each.number, entry), entry)
        return tuple(entries[number] for number in sorted(entries))

    def _seconds_are_true(self, minute: Minute, day: _Day, rows: Sequence[ConversationMessage]) -> bool:
        read = {each.number for told, _ in day.seen for each in told}
        told = [each for each in self._story.told if each.number in read and (each.day, each.minute) == minute]
        return all(
            row.time_precision != "second" or row.time.second == each.second
            for each, row in zip(told, rows, strict=True)
        )

    def _check_nothing_missing(self, minute: Minute, day: _Day, rows: Sequence[ConversationMessage]) -> None:
        kept = Counter(word for message in rows for word in _wordings(message))
        most = 0
        for told, document in day.seen:
            shown = [m for each, m in zip(told, document.messages, strict=True) if each.minute == minute[1]]
            most = max(most, len(shown))
            missing = Counter(word for message in shown for word in _wordings(message)) - kept
            if missing:
                raise Difference(f"minute {minute} lacks {missing}")
        if len(rows) < most:
            raise Difference(f"minute {minute} has {len(rows)} messages, an export has {most}")


@dataclass(frozen=True)
class _Allowed:
    """What a minute may hold; ``excused``: something else may be there, too, if nothing is missing."""

    unions: set[Union]
    excused: bool


@dataclass
class _Pair:
    """Two readings of a minute: messages of the day, and the indexes of those of the minute."""

    old: list[ConversationMessage]
    new: list[ConversationMessage]
    olds: list[int]
    news: list[int]
    gaps: bool
    aliases: Aliases

    def __post_init__(self) -> None:
        self.ours = {self.aliases.person(message.speaker) for message in self.old}
        self.theirs = {self.aliases.person(message.speaker) for message in self.new}

    def unions(self, i: int = 0, j: int = 0) -> Iterator[Union]:
        """All unions from these numbers on."""
        if i == len(self.olds) and j == len(self.news):
            yield ()
            return
        if i < len(self.olds) and j < len(self.news):
            old, new = self.old[self.olds[i]], self.new[self.news[j]]
            if self._may_be_one(old, new):
                entry = _together(_entry(old), _entry(new))
                yield from ((entry, *rest) for rest in self.unions(i + 1, j + 1))
        if i < len(self.olds) and self._outside(j, self.news, len(self.new)):
            yield from ((_entry(self.old[self.olds[i]]), *rest) for rest in self.unions(i + 1, j))
        if j < len(self.news) and (self.gaps or self._outside(i, self.olds, len(self.old))):
            yield from ((_entry(self.new[self.news[j]]), *rest) for rest in self.unions(i, j + 1))

    @staticmethod
    def _outside(number: int, indexes: Sequence[int], count: int) -> bool:
        """Whether a reading may have begun, or ended, behind the first ``number`` of its messages of the minute."""
        if not indexes:
            return True
        return (number == 0 and indexes[0] == 0) or (number == len(indexes) and indexes[-1] == count - 1)

    def untold(self) -> bool:
        """Whether the store has an author of the minute under several names, and knows of none that it is the incoming
        one: that happens where parts of a day were read that do not overlap.
        """
        if self.old and len(self.new) == 1 and not self.ours & self.theirs:
            return True  # all that is read is one message by somebody unknown: a word alone proves no new name
        theirs = {PERSONS.get(m.speaker): self.aliases.person(m.speaker) for m in self.new}
        ours: defaultdict[str | None, set[str]] = defaultdict(set)
        for message in self.old:
            ours[PERSONS.get(message.speaker)].add(self.aliases.person(message.speaker))
        speakers = {PERSONS.get(self.old[index].speaker) for index in self.olds}
        shown = [self.old[index] for index in self.olds] + [self.new[index] for index in self.news]
        if any(
            (name in self.ours) != (name in self.theirs) for name in (self.aliases.person(m.speaker) for m in shown)
        ):
            speakers = set(ours)  # who is met under an unknown name may be taken for any of them
        return any(
            len(ours[person]) > 1 and {theirs[person]} != ours[person] for person in speakers if person in theirs
        )

    def _may_be_one(self, old: ConversationMessage, new: ConversationMessage) -> bool:
        if "second" == old.time_precision == new.time_precision and old.time != new.time:
            return False
        if not self._may_be_by_one(old.speaker, new.speaker):
            return False
        # Where both exports have as many messages, all in this minute, neighbours that agree may tell of an edit without a
        # flag: nothing distinguishes that from two short pieces of a chat that differ in one message.
        unflagged = old.kind == new.kind == "text" and self._in_one_minute()
        return unflagged or _may_read_so(old, new)

    def _in_one_minute(self) -> bool:
        return len(self.olds) == len(self.old) == len(self.news) == len(self.new)

    def _may_be_by_one(self, old: str, new: str) -> bool:
        """Whether two names may be one person's: they are, or neither is known on the other side."""
        if PERSONS.get(old, old) == PERSONS.get(new, new):
            return True
        mine, other = self.aliases.person(old), self.aliases.person(new)
        return mine not in self.theirs and other not in self.ours and "(system)" not in (old, new)

    def alike_strangers(self) -> bool:
        """Whether two people whose names one side does not know say the same in the minute, so that nothing tells which
        of them is who.
        """
        by_content: defaultdict[str, set[str | None]] = defaultdict(set)
        some = [self.old[index] for index in self.olds] + [self.new[index] for index in self.news]
        for message in some:
            name = self.aliases.person(message.speaker)
            if (name in self.ours) != (name in self.theirs):
                by_content[message.content].add(PERSONS.get(message.speaker))
        return any(len(people) > 1 for people in by_content.values())


def _may_read_so(old: ConversationMessage, new: ConversationMessage) -> bool:
    if old.deleted or new.deleted:
        return "system" not in (old.kind, new.kind)
    if old.kind != new.kind:
        return False
    if old.kind == "media" or old.content == new.content:
        return True
    return old.kind == "text" and (old.edited or new.edited)


def _rows(stored: Stored | None) -> Sequence[StoredMessage]:
    return () if stored is None else stored.messages


def _minute_of(message: ConversationMessage) -> int:
    return message.time.minute


def _wordings(message: ConversationMessage) -> list[str]:
    words = [*(edit.content for edit in message.edits), message.content]
    return ["[media]" if "<Media omitted>" in word or "(file attached)" in word else word for word in words]


def _entry(message: ConversationMessage) -> Entry:
    return frozenset([PERSONS.get(message.speaker, message.speaker)]), frozenset(_wordings(message))


def _is_one_of(found: Union, union: Union) -> bool:
    """Whether the store holds a union. Of two names that were taken for one person's it may show either."""
    return len(found) == len(union) and all(
        mine[0] <= one[0] and mine[1] == one[1] for mine, one in zip(found, union, strict=True)
    )


def _together(one: Entry, other: Entry) -> Entry:
    return one[0] | other[0], one[1] | other[1]


def difference(story: Story, tally: Tally | None = None) -> str:
    """What is wrong with the store after a story; empty when nothing is."""
    try:
        Play(story, Tally() if tally is None else tally).run()
    except Difference as error:
        return str(error)
    return ""


def smallest(story: Story) -> Story:
    """A story that still breaks, and none does that lacks one more export, message, rename or change."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(story):
            if difference(candidate):
                story, smaller = candidate, True
                break
    return story


def _smaller(story: Story) -> Iterator[Story]:
    for index in range(len(story.exports)):
        yield replace(story, exports=story.exports[:index] + story.exports[index + 1 :])
    for told in story.told:
        fewer = story.without_message(told.number)
        if all(export.begin < export.end for export in fewer.exports):
            yield fewer
    for index in range(len(story.renamed)):
        yield replace(story, renamed=story.renamed[:index] + story.renamed[index + 1 :])
    for index, told in enumerate(story.told):
        plain = replace(told, edited=99, deleted=99, words=told.words)
        if plain != told:
            yield replace(story, told=(*story.told[:index], plain, *story.told[index + 1 :]))


class Merging:
    """Stories by their number."""

    AT_ONCE = 10

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.tally = Tally()

    def round(self, number: int) -> str:
        """Ten stories.

        Raises:
            Broken: with the smallest story that breaks.
        """
        for each in range(number * self.AT_ONCE, (number + 1) * self.AT_ONCE):
            told = story(self._seed, each)
            if difference(told, self.tally):
                least = smallest(told)
                raise Broken(f"merge {number}: story {each}: {difference(least)}\n{least.text()}")
        return f"merge {number}: {self.AT_ONCE} stories"

"""Finds the words of removed messages inside the messages and texts of others. Pure.

A *passage* is what a person wrote in one message: its content, or an earlier wording, without the parts that quote,
forward or sign. Words are compared without case, punctuation and white space, so that line breaks and the ``>`` of mails
do not count. A part of another's message holds such words if

* it repeats a whole passage of at least `FEWEST_WORDS` words and `FEWEST_CHARACTERS` characters, not earlier than it;
* it is marked as a quote or forward (a segment, lines behind ``>``, the metadata ``quoted``) and holds a whole passage,
  a piece of one of at least `QUOTED_WORDS` words and `QUOTED_CHARACTERS` characters, nothing but a shorter piece, the
  removed message that it answers, or a short passage of the same chat alone;
* its message was forwarded from that person.

Shorter repetitions are accidents more often than not: everybody says "see you tomorrow".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from uuid import UUID

from ...schemas import ConversationMessage
from ...schemas.times import utc_microseconds
from ..records import StoredDocument, StoredMessage
from ..text.names import folded
from .words import WORD, Span, beginnings_of, joined_spans, lines_behind_marks, runs_of, without_json_blanks, words_of

FEWEST_WORDS = 4
"""Words of the shortest passage that is recognised wherever it is repeated; a letter of a script without spaces counts."""
FEWEST_CHARACTERS = 20
"""Characters of it, with one between two words."""
QUOTED_WORDS = 8
"""Words of the shortest piece of a passage that is recognised in a quote of more: four or five may be a common phrase."""
QUOTED_CHARACTERS = 40
MOST_WORDS = 2_000_000
"""Words of removed messages that are indexed, at most: about 150 MB."""
MOST_STEPS = 2_000_000
"""Words that are compared within one message, at most: a hostile one may repeat a beginning all over."""
QUOTED = "quoted"
"""The metadata of a message with the words that it answers."""
MOST_CHARACTERS = 1 << 21
"""Characters of one message or text that are looked at: a million words take some 100 MB."""
_CLOCK_MICROSECONDS = 60_000_000
"""Exports with minutes alone may date a repetition before the message that it repeats."""
_SHORT_QUOTE = 6
"""Letters of the shortest quote that is recognised by its equality with a passage of its chat."""
_OWN_KINDS = frozenset({"text", "media", "poll"})
"""The kinds whose content a person wrote; that of others is a placeholder of the app."""
_OTHERS_PARTS = frozenset({"quote", "forward", "signature"})
_QUOTES = frozenset({"quote", "forward"})
_LABEL = re.compile(r"^[^\w\n]{0,3}([^:：\n]{1,80}?)[ \t]*[:：][ \t]*", re.MULTILINE)
_ORIGINS = frozenset({"source", "account", "path", "url", "author"})
"""The metadata of a text by which it is known: they stay as its id does."""
_LONGEST_HEAD = 8
"""Words before a quoted message that a program may write: a name, an address, a time."""


@dataclass(frozen=True, slots=True)
class QuotedParts:
    """The spans of a message, or of a text, that hold others' removed words."""

    content: tuple[Span, ...] = ()
    edits: Mapping[int, tuple[Span, ...]] = field(default_factory=dict[int, tuple[Span, ...]])
    """By index of an earlier wording."""
    metadata: Mapping[str, tuple[Span, ...]] = field(default_factory=dict[str, tuple[Span, ...]])

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.content or self.edits or self.metadata)


@dataclass(slots=True)
class _Origin:
    """The first writing of a passage."""

    micros: int | None
    """None for a text without a time."""
    speaker: str | None
    """Folded; None if several people wrote it."""


@dataclass(slots=True)
class _Steps:
    """The number of words that may still be compared; negative if they did not suffice."""

    left: int

    def take(self, number: int) -> bool:
        """Count these; return False if there are not so many left."""
        self.left = self.left - number if self.left >= 0 else -1
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class RemovedWords:
    """A removed message or text, as input of the index."""

    row: StoredDocument
    stored: StoredMessage | None = None
    """None for a text."""


class Passages:
    """An index of the words of removed messages.

    Args:
        removed: the messages and texts.
        names: names of the people who are forgotten, folded: their forwarded messages are recognised by them.
        person: True if all of this is one person's: then nothing of theirs is a quote by another.
        everywhere: True if all words of these people are removed: then their name alone tells that words are theirs.
    """

    def __init__(
        self,
        removed: Iterable[RemovedWords],
        names: Collection[str] = (),
        *,
        person: bool = False,
        everywhere: bool = False,
    ) -> None:
        self.complete = True
        """False if more was removed than is indexed, or a message took too many steps."""
        self._names = frozenset(names)
        self._writers: set[str] = set()
        self._person = person
        self._everything_of = self._names if everywhere else frozenset[str]()
        self._words = 0
        self._firsts: set[int] = set()
        self._lengths: dict[int, set[int]] = {}
        self._origins: dict[int, _Origin] = {}
        self._pieces: set[int] = set()
        self._short: set[tuple[UUID, int]] = set()
        self._answered: dict[tuple[UUID, str], ConversationMessage] = {}
        for each in removed:
            self._add(each)
        mentioned = sorted((name for name in self._names if len(name) > 2), key=len, reverse=True)
        alternatives = "|".join(map(re.escape, mentioned))
        self._mention = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)") if mentioned else None

    @property
    def empty(self) -> bool:
        """True if nothing can be found."""
        return not (self._origins or self._answered or self._short or self._names)

    def _add(self, each: RemovedWords) -> None:
        chat = each.row.chat or each.row.key
        if each.stored is None:
            author = folded(each.row.metadata.get("author", ""))
            time = None if each.row.timestamp is None else utc_microseconds(each.row.timestamp)
            self._passage(each.row.content, chat, time, author)
            return
        message = each.stored.message
        if message.id is not None:
            self._answered[chat, message.id] = message
        speaker, time = folded(message.speaker), utc_microseconds(message.time)
        self._writers.add(speaker)
        for part in _own_parts(message):
            self._passage(part, chat, time, speaker)

    def _passage(self, text: str, chat: UUID, micros: int | None, speaker: str) -> None:
        words = words_of(self._beginning(text))
        if not words:
            return
        whole = hash(tuple(words))
        if sum(map(len, words)) >= _SHORT_QUOTE:
            self._short.add((chat, whole))
        self._words += len(words)
        if self._words > MOST_WORDS:
            self.complete = False
            return
        self._pieces.update(beginnings_of(words))
        if not _is_long(words, FEWEST_WORDS, FEWEST_CHARACTERS):
            return
        origin = self._origins.get(whole)
        if origin is None:
            first = next(iter(beginnings_of(words)))
            self._firsts.add(first)
            self._lengths.setdefault(first, set()).add(len(words))
            self._origins[whole] = _Origin(micros, speaker)
            return
        if origin.micros is not None:
            origin.micros = None if micros is None else min(origin.micros, micros)
        if origin.speaker != speaker:
            origin.speaker = None

    def mentions(self, content: str) -> bool:
        """Return whether a text names one of the people."""
        return self._mention is not None and self._mention.search(_lower(content)) is not None

    def is_own(self, speaker: str) -> bool:
        """Return whether the forgotten person speaks."""
        alike = folded(speaker)
        return self._person and (alike in self._writers or alike in self._names)

    def may_be_in(self, content: str) -> bool:
        """Return whether a text without marked quotes may repeat a passage: a quick look, before `in_message`."""
        return ">" in content or not self._firsts.isdisjoint(beginnings_of(words_of(self._beginning(content))))

    def _beginning(self, text: str) -> str:
        if len(text) > MOST_CHARACTERS:
            self.complete = False
        return text[:MOST_CHARACTERS]

    def in_message(self, message: ConversationMessage, chat: UUID) -> QuotedParts:
        """Return the parts of another's message that hold removed words."""
        if self.is_own(message.speaker):
            return QuotedParts()
        micros, speaker = utc_microseconds(message.time), folded(message.speaker)
        forwarded = message.forwarded_from is not None and folded(message.forwarded_from) in self._everything_of
        spans = self._repeated(message.content, micros, speaker) + self._forwarded(message, chat)
        marked = [each for each in message.segments if each.kind in _QUOTES]
        for each in marked:
            answered = message.reply_to if each.depth < 2 else None
            spans += self._quoted(message.content, (each.start, each.end), chat, answered)
        for span in () if marked else lines_behind_marks(message.content):
            spans += self._quoted(message.content, span, chat, message.reply_to)
        edits: dict[int, tuple[Span, ...]] = {}
        for number, edit in enumerate(message.edits):
            former = self._repeated(edit.content, micros, speaker)
            if forwarded:
                former.append((0, len(edit.content)))
            elif marked:
                former += self._pieces_in(edit.content, (0, len(edit.content)))
            if joined := joined_spans(former, edit.content):
                edits[number] = joined
        metadata: dict[str, tuple[Span, ...]] = {}
        for name, value in message.metadata.items():
            parts = self._repeated(without_json_blanks(value), micros, speaker)
            if name == QUOTED:
                parts += self._quoted(value, (0, len(value)), chat, message.reply_to)
            if joined := joined_spans(parts, value):
                metadata[name] = joined
        return QuotedParts(joined_spans(spans, message.content), edits, metadata)

    def in_text(self, row: StoredDocument) -> QuotedParts:
        """Return the parts of another's text that hold removed words."""
        author = folded(row.metadata.get("author", ""))
        if author and self.is_own(author):
            return QuotedParts()
        spans = self._repeated(row.content, None, author)
        for span in lines_behind_marks(row.content):
            spans += self._quoted(row.content, span, row.chat or row.key, None)
        metadata: dict[str, tuple[Span, ...]] = {}
        for name in row.metadata.keys() - _ORIGINS:
            value = row.metadata[name]
            if joined := joined_spans(self._repeated(without_json_blanks(value), None, author), value):
                metadata[name] = joined
        return QuotedParts(joined_spans(spans, row.content), metadata=metadata)

    def _repeated(self, text: str, micros: int | None, speaker: str | None) -> list[Span]:
        """Return the spans that repeat a whole passage; with a time only passages that are not later."""
        text = self._beginning(text)
        words = words_of(text)
        beginnings = list(beginnings_of(words))
        if self._firsts.isdisjoint(beginnings):
            return []
        places = [match.span() for match in WORD.finditer(text)]
        steps = _Steps(MOST_STEPS)
        taken: list[Span] = []
        at = 0
        while at < len(beginnings):
            length = self._longest_at(words, at, 0, steps, micros, speaker) if beginnings[at] in self._lengths else 0
            taken += [(at, at + length)] if length else []
            at += length or 1
        for first, end in list(taken):  # another passage may begin within one, and go on behind it
            for at in range(first + 1, min(end, len(beginnings))):
                if beginnings[at] not in self._lengths:
                    continue
                if length := self._longest_at(words, at, end - at, steps, micros, speaker):
                    taken.append((at, at + length))
                    break
        if steps.left < 0:
            self.complete = False
        return [(places[first][0], places[end - 1][1]) for first, end in taken]

    def _longest_at(
        self, words: Sequence[str], at: int, beyond: int, steps: _Steps, micros: int | None, speaker: str | None
    ) -> int:
        """Return the number of words of the longest passage that stands at a place and has more than ``beyond``; 0 if
        none does, or no steps are left.
        """
        if steps.left < 0:
            return 0
        first = hash(tuple(words[at : at + FEWEST_WORDS]))
        for length in sorted(self._lengths.get(first, ()), reverse=True):
            if length <= beyond:
                break
            if at + length > len(words):
                continue
            if not steps.take(length):
                break
            origin = self._origins.get(hash(tuple(words[at : at + length])))
            if origin is not None and _may_repeat(origin, micros, speaker):
                return length
        return 0

    def _forwarded(self, message: ConversationMessage, chat: UUID) -> list[Span]:
        """Return the spans that one of the people wrote first: all of a forward, if all of theirs is removed."""
        writer = "" if message.forwarded_from is None else folded(message.forwarded_from)
        whole = (0, len(message.content))
        if writer in self._everything_of:
            return [(each.start, each.end) for each in message.segments if each.kind == "forward"] or [whole]
        return self._quoted(message.content, whole, chat, None) if writer in self._names else []

    def _quoted(self, text: str, span: Span, chat: UUID, answered: str | None) -> list[Span]:
        """Return the spans of a quote that hold removed words."""
        part = self._beginning(text[span[0] : span[1]])
        words = words_of(part)
        if not words:
            return []
        target = None if answered is None else self._answered.get((chat, answered))
        if target is not None and (head := _head_before(words, target)) is not None:
            start = [match.start() for match in WORD.finditer(part)][head] if head else 0
            return [(span[0] + start, span[1])]
        if labelled := [(span[0] + start, span[0] + end) for start, end in self._behind_names(part)]:
            return labelled
        if (answered is None or target is not None) and (chat, hash(tuple(words))) in self._short:
            return [span]
        whole = [(span[0] + start, span[0] + end) for start, end in self._repeated(part, None, None)]
        return whole + self._pieces_in(text, span)

    def _behind_names(self, part: str) -> Iterator[Span]:
        """Yield what stands behind a name of the people, up to the next line with a name: a record of a chat has many."""
        labels = list(_LABEL.finditer(part))
        for label, following in zip_longest(labels, labels[1:]):
            if folded(label[1].strip()) in self._everything_of:
                yield label.end(), len(part) if following is None else following.start()

    def _pieces_in(self, text: str, span: Span) -> list[Span]:
        """Return the spans of a quote that are long pieces of passages."""
        part = self._beginning(text[span[0] : span[1]])
        words = words_of(part)
        hits = [beginning in self._pieces for beginning in beginnings_of(words)]
        if not any(hits):
            return []
        places = [match.span() for match in WORD.finditer(part)]
        spans: list[Span] = []
        for first, last in runs_of(hits):
            end = last + FEWEST_WORDS
            everything = end - first == len(words)
            fewest = (FEWEST_WORDS, FEWEST_CHARACTERS) if everything else (QUOTED_WORDS, QUOTED_CHARACTERS)
            if _is_long(words[first:end], *fewest):
                spans.append((span[0] + places[first][0], span[0] + places[end - 1][1]))
        return spans


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else folded(text)


def _is_long(words: Sequence[str], fewest: int, characters: int) -> bool:
    return len(words) >= fewest and sum(map(len, words)) + len(words) - 1 >= characters


def _may_repeat(origin: _Origin, micros: int | None, speaker: str | None) -> bool:
    if speaker and origin.speaker == speaker:
        return False
    return micros is None or origin.micros is None or micros >= origin.micros - _CLOCK_MICROSECONDS


def _own_parts(message: ConversationMessage) -> Iterator[str]:
    """Yield the parts of a message, and of its earlier wordings, that its speaker wrote."""
    yield from (edit.content for edit in message.edits)
    if message.kind not in _OWN_KINDS or message.deleted or message.forwarded_from is not None:
        return
    at = 0
    for each in sorted(message.segments, key=lambda segment: segment.start):
        if each.kind in _OTHERS_PARTS:
            yield message.content[at : each.start]
            at = max(at, each.end)
    yield message.content[at:]


def _head_before(words: Sequence[str], target: ConversationMessage) -> int | None:
    """Return the number of words of a quote before those of the message that it answers; None if it holds others.

    A quote may be cut off, and a program may have written a head before it.
    """
    there = {word for text in (target.content, *(each.content for each in target.edits)) for word in words_of(text)}
    if sum(word in there for word in words) >= 0.8 * len(words):
        return 0
    head = next((number for number, word in enumerate(words) if word in there), len(words))
    rest = words[head:]
    return head if head <= _LONGEST_HEAD and rest and all(word in there for word in rest) else None

"""Merging against a model that knows which message is which, and the cases that once went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from memd.memory.merge.overlap import CELLS, overlap
from memd.memory.merge.overlap_table import MinuteEdges, MinutePair, UnionPath
from memd.memory.merge.plan import Stored, plan_conversation
from memd.memory.records import StoredMessage
from memd.schemas import ConversationDocument, ConversationMessage
from memd.tests.torture.merging import Tally, difference, smallest
from memd.tests.torture.stories import story

STORIES = 300
WINDOWS = 400
SIX = datetime(2024, 1, 15, 6, tzinfo=UTC)
OMITTED = "<Media omitted>"


def said(speaker: str, content: str, minute: int = 0, second: int | None = None, **more: object) -> ConversationMessage:
    """A message of a source without ids; a file where it is omitted."""
    plain = {"speaker": speaker, "content": content, "kind": "media" if content == OMITTED else "text"}
    time = SIX + timedelta(minutes=minute, seconds=second or 0)
    precision = "minute" if second is None else "second"
    return ConversationMessage.model_validate(
        {**plain, "time": time, "time_precision": precision, "zone_origin": "assumed", **more}
    )


class Chat:
    """A day of a chat as a store keeps it, and who was renamed."""

    def __init__(self, *renamed: tuple[str, str]) -> None:
        self.stored: Stored | None = None
        self.renamed = set(renamed)

    def read(self, *messages: ConversationMessage) -> Chat:
        """Merge an export twice; the second time changes nothing."""
        people = tuple(dict.fromkeys(message.speaker for message in messages))
        document = ConversationDocument.model_validate(
            {
                "id": "whatsapp:Chat:2024-01-15",
                "conversation": {"source": "whatsapp", "people": people, "user": people[0], "conversation": messages},
                "metadata": {"chat": "Chat", "title": "Chat"},
            }
        )
        self._merge(document)
        assert self._merge(document) == 0
        return self

    def _merge(self, document: ConversationDocument) -> int:
        if self.stored is not None:
            self.stored = Stored(self.stored.document, self.stored.messages, frozenset(self.renamed))
        plan = plan_conversation(self.stored, document, b"digest")
        assert plan is not None
        rows = {} if self.stored is None else {row.key: row for row in self.stored.messages}
        for key, position in plan.moved.items():
            rows[key] = StoredMessage(key, rows[key].document, position, rows[key].message)
        rows |= {row.key: row for row in (*plan.added, *plan.updated)}
        self.stored = Stored(plan.document, sorted(rows.values(), key=lambda row: row.position))
        self.renamed |= {(rename.old, rename.new) for rename in plan.renames}
        return len(plan.added) + len(plan.updated) + len(plan.moved)

    def messages(self) -> list[ConversationMessage]:
        """What is stored, in order."""
        assert self.stored is not None
        return [row.message for row in self.stored.messages]

    def lines(self) -> list[str]:
        """The same for the eye."""
        return [f"{message.speaker}: {message.content}" for message in self.messages()]


@pytest.mark.slow
def test_the_store_holds_the_union_of_made_up_exports_once() -> None:
    """Few people who say the same again and again, edits, deletions, renamed contacts, two phones, any order of reading;
    `make torture` does more of it.
    """
    tally = Tally()
    for number in range(STORIES):
        told = story(1, number)
        if difference(told, tally):
            least = smallest(told)
            pytest.fail(f"story {number}: {difference(least)}\n{least.text()}")
    assert tally.stories == STORIES
    # What no algorithm can know is rarely wrong, too.
    assert tally.false < tally.minutes / 50
    assert tally.mistaken <= STORIES / 300


CUT: dict[str, Any] = {"metadata": {"unterminated": "true"}}


class TestCutFiles:
    """The last message of a file without a line end behind it."""

    WHOLE = (said("Ann", "a"), said("Bob", "hello", 1), said("Ann", "b", 1), said("Bob", "c", 2))

    @pytest.mark.parametrize(
        "last",
        [
            said("Bob", "hell", 1, **CUT),
            said("Bob", "hello", 1, **CUT),
            said("Bob", "hello\n15.01.24, 06:", 1, **CUT),
            said("Bob", "[empty]", 1, kind="unknown", **CUT),
            said("(system)", "Bo", 1, kind="system", **CUT),
        ],
    )
    @pytest.mark.parametrize("begin", [0, 1])
    def test_a_message_that_was_cut_is_the_whole_one(self, last: ConversationMessage, begin: int) -> None:
        """In either order, and where the cut file holds nothing else of that minute."""
        part = (*self.WHOLE[begin:1], last)
        for first, second in ((part, self.WHOLE), (self.WHOLE, part), (part, self.WHOLE[1:])):
            chat = Chat().read(*first).read(*second)
            assert chat.lines()[-3:] == ["Bob: hello", "Ann: b", "Bob: c"]
            assert all(not message.metadata for message in chat.messages())
            assert len(chat.lines()) == (3 if begin and second is not self.WHOLE and first is part else 4)

    def test_of_two_cuts_the_longer_one_stays(self) -> None:
        """It may go on, too."""
        parts = [(self.WHOLE[0], said("Bob", words, 1, **CUT)) for words in ("he", "hell")]
        for first, second in (parts, parts[::-1]):
            chat = Chat().read(*first).read(*second)
            assert chat.lines() == ["Ann: a", "Bob: hell"]
            assert chat.messages()[-1].metadata == CUT["metadata"]

    def test_a_message_of_another_author_or_of_other_words_is_another_one(self) -> None:
        """So is one that begins alike in a file that ends with its line."""
        for last in (said("Cleo", "hell", 1, **CUT), said("Bob", "yellow", 1, **CUT), said("Bob", "hell", 1)):
            chat = Chat().read(said("Ann", "a"), last).read(*self.WHOLE[1:])
            assert len(chat.lines()) == 5


class TestCaptions:
    """Two phones' exports of one chat."""

    @pytest.mark.parametrize(
        "told", [said("Bob", f"{OMITTED}\nnice"), said("Bob", "a.jpg (file attached)\nnice", kind="media")]
    )
    def test_a_file_above_its_caption_is_the_file_behind_it(self, told: ConversationMessage) -> None:
        """Android tells of it in a line before, iOS behind a mark; another caption is another message."""
        for caption, count in (("nice", 3), ("nicer", 4)):
            ios = (said("Ann", "a"), said("Bob", f"{caption} \u200eimage omitted"))
            android = (told, said("Ann", "b"))
            for first, second in ((ios, android), (android, ios)):
                chat = Chat().read(*first).read(*second)
                assert len(chat.lines()) == count
                assert len(chat.read(*first).lines()) == count


class TestRims:
    """One export ends and another begins within one minute."""

    def test_two_people_who_send_a_file_there_send_two(self) -> None:
        """The same placeholder of somebody else is another message, in either order."""
        first = (said("Ann", "look", 1), said("Bob", OMITTED, 42))
        second = (said("Ann", OMITTED, 42), said("Bob", "nice", 43))
        union = ["Ann: look", f"Bob: {OMITTED}", f"Ann: {OMITTED}", "Bob: nice"]
        assert Chat().read(*first).read(*second).lines() == union
        assert Chat().read(*second).read(*first).lines() == union

    def test_so_they_are_where_each_export_knows_one_of_them_alone(self) -> None:
        """One file in the minute in which one export ends and the other begins does not tell that a contact was renamed."""
        chat = Chat().read(said("Bob", OMITTED, 42)).read(said("Ann", OMITTED, 42), said("Ann", "nice", 43))
        assert chat.lines() == [f"Bob: {OMITTED}", f"Ann: {OMITTED}", "Ann: nice"]

    def test_equal_words_out_of_order_are_no_overlap(self) -> None:
        """Two exports that overlap agree on the order."""
        chat = Chat().read(said("Bobby", "no"), said("Bobby", "hi"))
        chat.read(said("Bobby", "hi"), said("Bobby", "no"), said("Bobby", "ok", 2))
        assert chat.lines() == ["Bobby: no", "Bobby: hi", "Bobby: no", "Bobby: ok"]

    def test_the_same_order_is(self) -> None:
        """The longest agreement counts."""
        chat = Chat().read(said("Ann", "a"), said("Bob", "ok"), said("Ann", "ok"))
        chat.read(said("Bob", "ok"), said("Ann", "ok"), said("Bob", "ok"), said("Ann", "b", 1))
        assert chat.lines() == ["Ann: a", "Bob: ok", "Ann: ok", "Bob: ok", "Ann: b"]

    def test_equal_neighbours_of_another_message_are_no_edit_where_the_ends_agree_too(self) -> None:
        """Two pieces of one minute, each without anything around it, and the one continues the other."""
        words = ["ok", "why", "ok", "no", "ok", "why", "hi", "no"]
        truth = [said("Bob" if word == "why" else "Ann", word) for word in words]
        first, second = truth[:6], truth[5:]
        for order in ((first, second), (second, first)):
            chat = Chat().read(*order[0]).read(*order[1])
            assert [message.content for message in chat.messages()] == words
            assert not any(message.edits for message in chat.messages())

    def test_nor_are_equal_neighbours_of_a_further_message_of_a_longer_piece(self) -> None:
        """Of two pieces that end and begin within one minute, only as many messages in both tell of an edit."""
        first, second = "ok ok why", "why ok hi why"
        for order in ((first, second), (second, first)):
            chat = Chat()
            for words in order:
                chat.read(*(said("Ann", word) for word in words.split()))
            assert not any(message.edits for message in chat.messages())

    def test_an_older_export_after_a_newer_one_comes_before_it(self) -> None:
        """Also within the minute in which they touch."""
        chat = Chat().read(said("Ann", "two"), said("Bob", "three", 1)).read(said("Bob", "x", -1), said("Bob", "one"))
        assert chat.lines() == ["Bob: x", "Bob: one", "Ann: two", "Bob: three"]


def test_a_gap_of_the_store_is_filled_and_changes_no_wording() -> None:
    """Two pieces with messages between them that a third one has: it has all that is stored, so nothing was edited."""
    truth = [said("Ann", word) for word in ("yes", "ok", "hi", "why", "ok", "why", "why")] + [said("Ann", "ok", 1)]
    chat = Chat().read(*truth[1:4]).read(truth[7]).read(*truth)
    assert [message.content for message in chat.messages()] == [message.content for message in truth]
    assert not any(message.edits for message in chat.messages())


@pytest.mark.slow
def test_overlapping_windows_of_dense_minutes_are_kept_whole_and_without_edits() -> None:
    """Two people, two minutes, few words: whatever two windows repeat, no message is taken for the edit of another."""
    chance = Random(2)
    for _ in range(WINDOWS):
        before = chance.choice((0, 1, 2))
        minutes = [0] * before + [1] * chance.randint(6, 12)
        truth = [said(chance.choice(("Ann", "Bob")), chance.choice(("ok", "hi", "no")), minute) for minute in minutes]
        middle = chance.randrange(before + 1, len(truth) - 1)
        first = truth[chance.randrange(middle) : middle + 1]
        second = truth[middle : chance.randint(middle + 1, len(truth))]
        for order in ((first, second), (second, first)):
            kept = Chat().read(*order[0]).read(*order[1]).messages()
            assert not any(message.edits for message in kept), (order, kept)
            assert all(_lines(some) <= _lines(kept) for some in order), (order, kept)


def _lines(messages: Sequence[ConversationMessage]) -> Counter[tuple[datetime, str, str]]:
    return Counter((message.time, message.speaker, message.content) for message in messages)


class TestNames:
    """Renamed contacts."""

    def test_an_edited_message_of_a_renamed_contact_is_found_by_an_older_export(self) -> None:
        """The chat knows both names from another day."""
        newer = (said("Ann", "hi", 1), said("Robert", "at six", 2, edited=True), said("Robert", "ok", 2))
        older = (said("Ann", "hi", 1), said("Bob", "at siv", 2), said("Bob", "ok", 2))
        chat = Chat(("Bob", "Robert")).read(*newer).read(*older)
        assert chat.lines() == ["Ann: hi", "Robert: at six", "Robert: ok"]
        assert [edit.content for edit in chat.messages()[1].edits] == ["at siv"]

    def test_and_found_where_only_this_day_tells_of_the_name(self) -> None:
        """Nobody else can have said it: both exports have all of that minute."""
        newer = (said("Ann", "hi", 1), said("Robert", "ok", 2), said("Ann", "ok", 3))
        older = (said("Bob", "ok", 0), said("Ann", "hi", 1), said("Bob", "ok", 2))
        assert Chat().read(*newer).read(*older).lines() == ["Robert: ok", "Ann: hi", "Robert: ok", "Ann: ok"]

    @pytest.mark.parametrize("word", ["ok", "thanks", OMITTED])
    def test_one_short_word_of_two_strangers_does_not_tell_of_a_name(self, word: str) -> None:
        """Each export knows one person alone, and both have nothing but this minute."""
        for names in (("Ann", "Bob"), ("Bob", "Ann")):
            chat = Chat().read(said(names[0], word)).read(said(names[1], word))
            assert chat.lines() == [f"{name}: {word}" for name in names]
            assert not chat.renamed

    def test_nor_do_two_of_them(self) -> None:
        """A file and a short word, where one export ends and another begins."""
        chat = Chat().read(said("Ann", "good morning", 0), said("Ann", OMITTED, 1), said("Ann", "no", 1))
        chat.read(said("Bob", OMITTED, 1), said("Bob", "no", 1))
        assert not chat.renamed
        assert len(chat.messages()) == 5

    def test_a_long_word_does(self) -> None:
        """Also where a language writes sentences without blanks."""
        for word in ("https://example.org/zeppelin", "明日の朝九時に駅で会いましょう"):
            chat = Chat().read(said("Bob", word)).read(said("Robert", word))
            assert chat.lines() == [f"Robert: {word}"]

    def test_one_name_that_agrees_as_much_with_two_others_is_nobody_of_both(self) -> None:
        """A name in one export for two names in another cannot be both, and nothing tells which."""
        chat = (
            Chat()
            .read(said("Bob", "hi", 1))
            .read(said("Ann", "hi", 0))
            .read(said("Cleo", "hi", 0), said("Cleo", "hi", 1))
        )
        assert not chat.renamed
        assert len(chat.messages()) == 4

    def test_an_edit_in_the_only_minute_of_both_does_not_tell_of_a_name(self) -> None:
        """One short word and one that was edited may be two people's."""
        chat = Chat().read(said("Cleo", "hi"), said("Cleo", "no"), said("Ann Lee", "yes!", edited=True))
        chat.read(said("Ann", "yes!", edited=True), said("Ann", "no"))
        assert ("Cleo", "Ann") not in chat.renamed
        assert ("Ann", "Cleo") not in chat.renamed

    def test_an_edit_of_a_renamed_contact_is_found_between_messages_of_another(self) -> None:
        """Both exports know Ann, so the order leaves nobody else."""
        chat = Chat().read(said("Ann", "hi", 0), said("Bob", "at siv", 2))
        chat.read(said("Ann", "hi", 0), said("Robert", "at six", 2, edited=True))
        assert chat.lines() == ["Ann: hi", "Robert: at six"]

    def test_one_export_gives_everybody_one_name(self) -> None:
        """Where both names are used now, they are two people's, whatever was known."""
        chat = Chat(("Bob", "Robert")).read(said("Robert", "ok", 1), said("Robert", "no", 3))
        chat.read(said("Bob", "ok", 1), said("Robert", "ok", 1), said("Robert", "no", 3))
        assert chat.lines() == ["Bob: ok", "Robert: ok", "Robert: no"]


def test_seconds_tell_messages_apart() -> None:
    """Where both exports have them."""
    chat = Chat().read(said("Ann", "ok", 0, 5), said("Ann", "ok", 0, 9)).read(said("Ann", "ok", 0, 30))
    assert chat.lines() == ["Ann: ok"] * 3
    assert chat.read(said("Ann", "ok", 0), said("Ann", "ok", 0), said("Ann", "ok", 0)).lines() == ["Ann: ok"] * 3


class TestPreciseTimes:
    """A source of its own zone that does not say how precise its times are: those with seconds are exact."""

    @staticmethod
    def at(minute: int, second: int, content: str, **more: object) -> ConversationMessage:
        """A message of such a source."""
        return said("Ann", content, minute, second, time_precision=None, zone_origin=None, **more)

    def test_equal_words_of_two_seconds_are_two_messages(self) -> None:
        """One document ends in the minute in which the next one begins."""
        chat = Chat().read(self.at(0, 1, "hi"), self.at(5, 5, "ok")).read(self.at(5, 40, "ok"), self.at(6, 1, "no"))
        assert [message.time.second for message in chat.messages()] == [1, 5, 40, 1]

    def test_a_full_minute_may_be_less_precise(self) -> None:
        """Another version of a document may hold minutes: then nothing is kept twice."""
        chat = Chat().read(self.at(0, 7, "hi"), self.at(5, 5, "ok")).read(self.at(0, 0, "hi"), self.at(5, 0, "ok"))
        assert chat.lines() == ["Ann: hi", "Ann: ok"]

    @pytest.mark.parametrize("names", [{}, {"id": "1"}], ids=["without ids", "with ids"])
    def test_the_earlier_second_stands_first(self, names: dict[str, str]) -> None:
        """Also where it comes later."""
        other = dict.fromkeys(names, "2")
        assert Chat().read(self.at(5, 50, "late", **other)).read(self.at(5, 10, "early", **names)).lines() == [
            "Ann: early",
            "Ann: late",
        ]


class TestOtherReadings:
    """What one app, or one phone, writes otherwise than another is no other message, also where an export ends with it."""

    def test_a_poll_is_one_whatever_its_votes(self) -> None:
        """An older export after a newer one does not bring the older votes back."""

        def poll(yes: int) -> ConversationMessage:
            return said("Bob", f"POLL:\nSix?\nOPTION: yes ({yes} votes)\nOPTION: no (0 votes)", 2, kind="poll")

        first, second, third = poll(0), poll(1), poll(3)
        chat = Chat().read(said("Ann", "hi", 1), first).read(said("Ann", "hi", 1), second, said("Ann", "ok", 3))
        chat.read(said("Ann", "hi", 1), third).read(said("Ann", "hi", 1), first)
        assert chat.lines() == ["Ann: hi", f"Bob: {third.content}", "Ann: ok"]
        assert [edit.content for edit in chat.messages()[1].edits] == [first.content, second.content]

    def test_two_polls_are_two(self) -> None:
        """Another question is another poll."""
        polls = [said("Bob", f"POLL:\n{what}?\nOPTION: yes (0 votes)", 2, kind="poll") for what in ("Six", "Seven")]
        assert len(Chat().read(said("Ann", "hi", 1), polls[0]).read(polls[1], said("Ann", "ok", 3)).lines()) == 4

    def test_direction_marks_make_no_other_call(self) -> None:
        """One app writes them before everything that nobody typed."""
        android, ios = (said("Bob", f"{mark}Missed voice call", 2, kind="call") for mark in ("", "\u200e"))
        assert len(Chat().read(said("Ann", "hi", 1), android).read(said("Ann", "hi", 1), ios).lines()) == 2

    def test_a_caption_is_one_in_every_language_of_the_app(self) -> None:
        """Without its file, a caption stands below the placeholder; the same words alone are another message."""
        placeholders = (OMITTED, "<Medien ausgeschlossen>", "\u200eimage omitted")
        captions = [said("Bob", f"{placeholder}\nnice", 2) for placeholder in placeholders]
        chat = Chat()
        for caption in captions:
            chat.read(said("Ann", "hi", 1), caption)
        assert len(chat.lines()) == 2
        assert len(chat.read(said("Bob", "nice", 2), said("Ann", "ok", 3)).lines()) == 4

    def test_the_mention_of_a_renamed_contact_is_that_of_the_contact(self) -> None:
        """The mention of anybody else is not."""
        texts = [f"hey @\u2068{name}\u2069" for name in ("Bob", "Robert", "Cleo")]
        around = said("Bob", "I am here", 1), said("Robert", "I am here", 1)
        first, second = ([hello, said("Ann", text, 2)] for hello, text in zip(around, texts[:2], strict=True))
        chat = Chat().read(*first).read(*second)
        assert chat.lines() == ["Robert: I am here", f"Ann: {texts[1]}"]
        chat.read(said("Ann", texts[2], 2), said("Robert", "ok", 3))
        assert chat.lines()[1:] == [f"Ann: {texts[1]}", f"Ann: {texts[2]}", "Robert: ok"]


def test_of_equal_ids_those_with_equal_words_are_one_message() -> None:
    """A source may count anew every day, and a later document begin in the middle."""
    first, second, third = (said("Ann", word, minute, id="4") for minute, word in enumerate(("one", "two", "three")))
    chat = Chat().read(first, second).read(second, third)
    assert [(message.content, message.edits) for message in chat.messages()] == [
        ("one", ()),
        ("two", ()),
        ("three", ()),
    ]


class TestLateMessages:
    """A message that arrived late stands behind messages of a later minute."""

    def test_what_follows_it_stays_behind_it(self) -> None:
        """Though it is of the minute before."""
        first = (said("Ann", "how are you", 5), said("Bob", "came late", 4))
        chat = Chat().read(*first).read(*first, said("Ann", "I am fine", 5), said("Bob", "me too", 6))
        assert chat.lines() == ["Ann: how are you", "Bob: came late", "Ann: I am fine", "Bob: me too"]

    def test_what_stands_before_it_is_not_doubled(self) -> None:
        """An export may end with it, and the next one go on in the minute before it."""
        first = (said("Bob", "hi", 3), said("Ann", "ok", 5), said("Bob", "came late", 4))
        assert Chat().read(*first).read(*first, said("Ann", "no", 5)).lines() == [
            "Bob: hi",
            "Ann: ok",
            "Bob: came late",
            "Ann: no",
        ]

    def test_an_export_may_end_before_it_arrived(self) -> None:
        """In either order of reading."""
        whole = (said("Ann", "ok", 5), said("Bob", "no", 7), said("Ann", "late", 5))
        lines = ["Ann: ok", "Bob: no", "Ann: late"]
        assert Chat().read(*whole[:2]).read(*whole).lines() == lines
        assert Chat().read(*whole).read(*whole[:2]).lines() == lines
        assert Chat().read(*whole[1:]).read(*whole[:2]).lines() == lines

    def test_an_export_may_begin_behind_what_it_passed(self) -> None:
        """Its first message is the late one."""
        whole = (said("Ann", "no", 5), said("Bob", "late", 3), said("Ann", "ok", 5))
        lines = ["Ann: no", "Bob: late", "Ann: ok"]
        assert Chat().read(*whole[1:]).read(*whole).lines() == lines
        assert Chat().read(*whole).read(*whole[1:]).lines() == lines


def test_two_pieces_stored_in_the_wrong_order_are_not_doubled_by_the_whole() -> None:
    """Nothing tells the order of two pieces of one minute until an export has all of it, and it has the last word."""
    words = [said("Ann", word) for word in ("no", "hi", "ok", "yes")]
    around = said("Bob", "a", -1), said("Bob", "z", 1)
    chat = Chat().read(words[2], words[3]).read(words[0], words[1]).read(around[0], *words, around[1])
    assert chat.lines() == ["Bob: a", "Ann: no", "Ann: hi", "Ann: ok", "Ann: yes", "Bob: z"]


class TestWork:
    """A minute of ten thousand messages takes no table of a hundred million fields."""

    OPEN = MinuteEdges(old_begins=True, new_begins=True, old_ends=True, new_ends=True)
    CLOSED = MinuteEdges(old_begins=False, new_begins=False, old_ends=False, new_ends=False)
    COUNT = 10_000

    def laid(self, old: Sequence[Hashable], new: Sequence[Hashable], edges: MinuteEdges) -> UnionPath:
        """The union; the work is bounded by a number of comparisons for each message."""
        compared = 0

        def apart(i: int, j: int) -> int | None:
            nonlocal compared
            compared += 1
            return 0 if old[i] == new[j] else None

        found = overlap(MinutePair(old, new, apart, edges))
        assert compared <= 5 * (len(old) + len(new)) + CELLS
        assert [i for i, _ in found.steps if i is not None] == list(range(len(old)))
        assert [j for _, j in found.steps if j is not None] == list(range(len(new)))
        return found

    @pytest.mark.parametrize(
        "words", [("ok",), ("ok", "no", "hi"), tuple(map(str, range(COUNT)))], ids=["1", "3", "all"]
    )
    def test_shifted_readings_are_found_at_once(self, words: tuple[str, ...]) -> None:
        """The one begins where the other is in the middle, and goes on."""
        chat = [words[n % len(words)] for n in range(self.COUNT)]
        edges = self.CLOSED._replace(new_begins=True, old_ends=True)
        assert len(self.laid(chat[:9000], chat[3000:], edges).steps) in {
            self.COUNT,
            self.COUNT - 1000 * (len(words) < 4),
        }
        assert len(self.laid(chat, chat, self.OPEN).steps) == self.COUNT

    def test_a_changed_message_in_the_middle_is_one(self) -> None:
        """What occurs once on each side takes the rest apart."""
        old = [f"m{n}" if n % 10 == 0 else "ok" for n in range(self.COUNT)]
        new = [*old[:5001], "edited", *old[5002:]]
        assert len(self.laid(old, new, self.CLOSED).steps) == self.COUNT + 1

    def test_nothing_is_lost_where_nothing_agrees(self) -> None:
        """The worst case: few words in another order, and none that occurs once."""
        old = [("ok", "no", "hi")[n % 3] for n in range(self.COUNT)]
        new = [("ok", "no", "hi")[n * n % 7 % 3] for n in range(self.COUNT)]
        assert self.COUNT <= len(self.laid(old, new, self.CLOSED).steps) < 2 * self.COUNT

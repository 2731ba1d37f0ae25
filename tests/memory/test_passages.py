"""The words of a removed message are found in others' messages by rules that mistake no common phrase for a quote."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.forgetting import passages
from memd.memory.forgetting.passages import Passages, QuotedParts, RemovedWords
from memd.memory.forgetting.redaction import redacted_message, redacted_text, without
from memd.memory.forgetting.words import REDACTED, words_of
from memd.memory.records import StoredDocument, StoredMessage
from memd.schemas import ConversationMessage

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
CHAT = UUID(int=7)
WORDS = "the wobblegate opens at seven, bring the snorkelbane"
DAY = StoredDocument(CHAT, "chat:one", "chat", "", "conversation")


def said(speaker: str, content: str, minute: int = 0, **more: Any) -> ConversationMessage:
    """A message, so many minutes after the first one."""
    fields: dict[str, Any] = {"speaker": speaker, "content": content, "time": START + timedelta(minutes=minute), **more}
    return ConversationMessage(**fields)


def stored(message: ConversationMessage) -> StoredMessage:
    """The message as a row."""
    return StoredMessage(uuid4(), CHAT, 0, message)


def of_bob(*messages: ConversationMessage) -> Passages:
    """The index of what Bob wrote, who is forgotten."""
    return Passages([RemovedWords(DAY, stored(each)) for each in messages], ["bob"], person=True, everywhere=True)


def quoted(passages: Passages, message: ConversationMessage, chat: UUID = CHAT) -> list[str]:
    """The words that are found in the content."""
    return [message.content[start:end] for start, end in passages.in_message(message, chat).content]


def quote(text: str, part: str, depth: int = 1, kind: str = "quote") -> dict[str, Any]:
    """A segment for this part of a text."""
    start = text.index(part)
    return {"kind": kind, "start": start, "end": start + len(part), "depth": depth}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"Bob said: {WORDS}!", WORDS),
        ("He said THE  Wobblegate\nopens at seven - bring the Snorkelbane.", "THE  Wobblegate\nopens at seven - bring the Snorkelbane"),
        (f"> {WORDS[:20]}\n> {WORDS[20:]}\n\nyes", None),
        ("the wobblegate opens at seven", ""),
        ("bring the snorkelbane", ""),
    ],
)  # fmt: skip
def test_a_whole_message_is_found_wherever_it_is_repeated(text: str, part: str | None) -> None:
    """In any case and with any punctuation; a piece of it alone is not taken for a quote."""
    parts = quoted(of_bob(said("Bob", WORDS)), said("Cem", text, 1))
    assert parts == ([part] if part else [] if part == "" else parts)
    assert bool(parts) == (part != "")


@pytest.mark.parametrize(
    ("words", "text", "part"),
    [
        (WORDS, f"_{WORDS}_", WORDS),
        ("bring _all_ of the snorkelbane", "bring all __of__ the snorkelbane", "bring all __of__ the snorkelbane"),
        (
            "ただいまがぎぐげござじずぜぞだぢづぱ",
            unicodedata.normalize("NFD", "ただいまがぎぐげござじずぜぞだぢづぱ"),
            None,
        ),
        ("Straße crème brûlée wobbelgeist", unicodedata.normalize("NFD", "STRASSE CRÈME BRÛLÉE WOBBELGEIST"), None),
    ],
)
def test_marks_of_italics_and_composed_letters_make_no_other_words(words: str, text: str, part: str | None) -> None:
    """Whatever the form in which a program writes them; the marks stay outside."""
    index = of_bob(said("Bob", words))
    assert quoted(index, said("Cem", text, 1)) == [part or text]


def test_the_metadata_of_a_note_are_looked_at() -> None:
    """Its title repeats a heading; what tells where it lies stays."""
    metadata = {"title": WORDS, "links": f'["{WORDS}", "x"]', "path": f"{WORDS}.md", "author": "Cem"}
    row = replace(DAY, kind="text", content=f"# {WORDS}\n", metadata=metadata)
    left = redacted_text(row, of_bob(said("Bob", WORDS)).in_text(row))
    assert left.content == f"# {REDACTED}\n"
    assert left.metadata == metadata | {"title": REDACTED, "links": f'["{REDACTED}", "x"]'}


def test_json_in_metadata_is_looked_at() -> None:
    """Values of unknown keys are JSON: a line break there is no letter of the next word."""
    value = json.dumps({"a": f"a fandangle\n{WORDS}\tyes"})
    message = said("Cem", "look", 1, metadata={"x-card": value})
    parts = of_bob(said("Bob", WORDS)).in_message(message, CHAT)
    left = redacted_message(stored(message), parts, 0).message.metadata["x-card"]
    assert json.loads(left) == {"a": f"a fandangle\n{REDACTED}\tyes"}


def test_a_name_alone_tells_nothing_where_only_a_part_of_its_words_goes() -> None:
    """A forward, or a record of a chat, then has to hold words that go."""
    index = Passages([RemovedWords(DAY, stored(said("Bob", WORDS)))], ["bob"], person=True)
    assert quoted(index, said("Cem", "a fandangle", 1, forwarded_from="Bob")) == []
    assert quoted(index, said("Cem", f"{WORDS}.", 1, forwarded_from="Bob")) == [f"{WORDS}."]
    assert quoted(index, said("Cem", "> Bob: a fandangle", 1)) == []


def test_quotes_that_overlap_are_taken_whole() -> None:
    """The last words of one message may be the first of another."""
    other = "the snorkelbane begins near the quibblefrost hall"
    index = of_bob(said("Bob", WORDS), said("Bob", other))
    text = f"{WORDS}{other.removeprefix('the snorkelbane')}"
    assert quoted(index, said("Cem", f"a fandangle: {text}, yes", 1)) == [text]
    assert quoted(index, said("Cem", f"{text} {text}", 1)) == [text, text]


def test_what_everybody_says_is_no_quote() -> None:
    """A short message, an earlier one, and one's own."""
    index = of_bob(said("Bob", "see you tomorrow"), said("Bob", WORDS, 10))
    assert quoted(index, said("Cem", "see you tomorrow", 11)) == []
    assert quoted(index, said("Cem", WORDS, 2)) == []
    assert quoted(index, said("Bob", WORDS, 11)) == []
    assert quoted(index, said("Cem", WORDS, 11)) == [WORDS]


def test_what_bob_quoted_is_not_his() -> None:
    """The words of others in his mails stay theirs, in their own messages."""
    answer = f"yes\n> {WORDS}"
    index = of_bob(said("Bob", answer, segments=[quote(answer, f"> {WORDS}")]))
    assert quoted(index, said("Cem", WORDS, 5)) == []


def test_a_marked_quote_is_found_by_less() -> None:
    """By the message that it answers, by the name before it, by its equality with a message of that chat, and in part."""
    index = of_bob(said("Bob", "yes, gladly", id="b1"), said("Bob", WORDS, id="b2"))
    short = said("Cem", "yes, gladly\n\ngreat", 1, reply_to="b1", segments=[quote("yes, gladly", "yes, gladly")])
    assert quoted(index, short) == ["yes, gladly"]
    assert quoted(index, said("Cem", "Bob: see it\nwhat", 1, segments=[quote("Bob: see it", "Bob: see it")])) == [
        "see it"
    ]
    assert quoted(index, said("Cem", "yes, gladly", 1, segments=[quote("yes, gladly", "yes, gladly")])) == [
        "yes, gladly"
    ]
    of_ann = said("Cem", "yes, gladly", 1, reply_to="a1", segments=[quote("yes, gladly", "yes, gladly")])
    assert quoted(index, of_ann) == []
    other = said("Cem", "yes, gladly", 1, segments=[quote("yes, gladly", "yes, gladly")])
    assert quoted(index, other, UUID(int=8)) == []
    cut = "wobblegate opens at seven, bring the snorkelbane"
    assert quoted(of_bob(said("Bob", f"{WORDS} and more")), said("Cem", cut, 1, segments=[quote(cut, cut)])) == [cut]


def test_a_head_before_a_quote_stays() -> None:
    """A program may write an address or a name before the words that are answered; a record of a chat names each speaker."""
    index = of_bob(said("Bob", "are you home?", id="b1"))
    address = said("Cem", "yes", 1, reply_to="b1", metadata={"quoted": "> <@bob:example.org> are you home?"})
    assert index.in_message(address, CHAT).metadata == {"quoted": ((21, 34),)}
    record = "A record\nBob: at the mill\nCem: fine\nBob: at eight\nor nine"
    parts = quoted(index, said("Dora", record, 1, segments=[quote(record, record, 0, "forward")]))
    assert parts == ["at the mill", "at eight\nor nine"]


def test_a_forwarded_message_is_the_words_of_its_author() -> None:
    """All of it, and of its earlier wordings, however short; the answer to another message of the chat is not."""
    forwarded = said("Cem", "ok then", 1, forwarded_from="Bob", edits=[{"content": "ok"}])
    assert of_bob(said("Bob", WORDS)).in_message(forwarded, CHAT) == QuotedParts(((0, 7),), {0: ((0, 2),)})
    assert of_bob(said("Bob", WORDS)).in_message(said("Cem", "ok", 1, forwarded_from="Dora"), CHAT) == QuotedParts()


def test_the_words_that_a_message_answers_are_found_in_its_metadata() -> None:
    """WeChat, QQ, Rocket.Chat and others keep them there."""
    index = of_bob(said("Bob", "yes, gladly"), said("Bob", WORDS))
    for words in ("yes, gladly", WORDS):
        parts = index.in_message(said("Cem", "fine", 1, metadata={"quoted": words, "bot": "true"}), CHAT)
        assert parts == QuotedParts(metadata={"quoted": ((0, len(words)),)})


def test_scripts_without_spaces_have_words_too() -> None:
    """Each letter counts as one."""
    line = "明日の朝七時に駅の前で会いましょう"
    assert quoted(of_bob(said("Bob", line)), said("Cem", f"「{line}」だって", 1)) == [line]
    assert quoted(of_bob(said("Bob", "了解です")), said("Cem", "了解です", 1)) == []


def test_a_hostile_message_costs_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search gives up and says so."""
    monkeypatch.setattr(passages, "MOST_STEPS", 1_000)
    index = of_bob(*(said("Bob", "na " * length + "batman") for length in range(10, 60)))
    assert index.complete
    assert quoted(index, said("Cem", "na " * 400, 1)) == []
    assert not index.complete


def test_of_a_very_long_text_the_beginning_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the search says so."""
    monkeypatch.setattr(passages, "MOST_CHARACTERS", 100)
    index = of_bob(said("Bob", WORDS))
    assert quoted(index, said("Cem", f"{WORDS} {'x' * 100}", 1)) == [WORDS]
    assert not index.complete


def test_names_are_counted_as_whole_words() -> None:
    """Bobby is another."""
    index = of_bob(said("Bob", WORDS))
    assert [index.mentions(text) for text in ("ask BOB.", "Bobby", "bob's", "kebob")] == [True, False, True, False]


LETTERS = st.sampled_from("ab Ä.,>\n漢é'")


@given(st.text(LETTERS, max_size=30), st.text(LETTERS, min_size=1, max_size=60), st.text(LETTERS, max_size=30))
def test_no_word_is_left_between_the_ends_of_a_redaction(before: str, words: str, after: str) -> None:
    """Whatever stands around it, what is found is a part of the text, in order, and its segments stay within the text."""
    index = of_bob(said("Bob", words))
    text = f"{before} {words} {after}"
    message = said("Cem", text, 1, segments=[quote(text, words)])
    parts = index.in_message(message, CHAT)
    changed = redacted_message(stored(message), parts, 3).message
    assert changed.content == without(text, parts.content)
    assert all(0 <= each.start <= each.end <= len(changed.content) for each in changed.segments)
    if len(words_of(words)) >= 4 and sum(map(len, words_of(words))) >= 20:
        assert REDACTED in changed.content
        assert index.in_message(changed, CHAT).content == ()

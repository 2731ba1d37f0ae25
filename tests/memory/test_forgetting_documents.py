"""Documents of one chat that overlap in any way: what was forgotten of one comes back with none, and nothing else stays out."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from memd.memory.forgetting.selection import ForgetSelection
from memd.schemas import ConversationDocument, ConversationMessage
from memd.tests.effort import examples
from memd.tests.memory.test_known_messages import START, part
from memd.tests.memory.test_overlapping_exports import PlainMemory

SPEAKERS = ("Ann", "Bob", "Cem")
LINES = tuple((str(number), SPEAKERS[number % 3], f"words of line {number}") for number in range(1, 8))

Line = tuple[str, str, str]
Export = list[tuple[str, set[Line], bool]]
"""Documents by name, with their lines and whether the first one is edited."""

exports = st.lists(
    st.tuples(st.sampled_from("ABCD"), st.sets(st.sampled_from(LINES), min_size=1, max_size=5), st.booleans()),
    min_size=1,
    max_size=2,
)
selections = st.one_of(
    st.sampled_from(SPEAKERS).map(lambda name: ForgetSelection(speakers=(name,))),
    st.sampled_from(SPEAKERS).map(lambda name: ForgetSelection(people=(name,))),
    st.sampled_from("ABCD").map(lambda name: ForgetSelection(documents=(f"chat:{name}",))),
    st.sampled_from((ForgetSelection(chats=("One",)), ForgetSelection(sources=("chat",)))),
    st.integers(1, 7).map(lambda at: ForgetSelection(since=START + timedelta(minutes=at))),
)


def document(name: str, lines: set[Line], *, edited: bool) -> ConversationDocument:
    """A document of these lines, perhaps with the first one edited."""
    whole = part(name, *sorted(lines))
    if not edited:
        return whole
    first, *others = whole.messages
    first = structs.replace(first, content=f"new {first.content}", edited=True)
    body = whole.conversation.model_copy(update={"conversation": (first, *others)})
    return whole.model_copy(update={"conversation": body})


def messages(memory: PlainMemory) -> list[ConversationMessage]:
    """All that is stored."""
    return [row.message for each in memory.stored.values() for row in each.messages]


@pytest.mark.slow
@given(st.lists(st.one_of(exports, selections), min_size=2, max_size=12))
@settings(max_examples=examples(80), deadline=None)
def test_what_was_forgotten_of_one_document_comes_back_with_none(steps: list[Export | ForgetSelection]) -> None:
    """Each message is there once from its first export until it is forgotten, in whichever documents exports tell it."""
    memory = PlainMemory()
    there: set[datetime] = set()
    gone: set[datetime] = set()
    for step in steps:
        if isinstance(step, ForgetSelection):
            memory.forget(step)
            left = {each.time for each in messages(memory)}
            gone |= there - left
            there &= left
        else:
            documents = [document(name, lines, edited=edited) for name, lines, edited in step]
            memory.read(documents)
            there |= {message.time for each in documents for message in each.messages} - gone
        assert sorted(each.time for each in messages(memory)) == sorted(there)

"""Packs of short windows: each line is shown once, and what is said of it goes to the window that it is of."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.extraction.llm import LLMExtractionSettings, LLMExtractor
from memd.memory.extraction.packing import packs_of, single
from memd.memory.extraction.proposal import Proposal
from memd.memory.extraction.window import MOST_LINES, MOST_TOKENS, TAIL_LINES, Window
from memd.memory.llm.gateway import estimated
from memd.tests.llm.places import Place, homes, window
from memd.tests.openai_server.faults import REFUSED, Fault
from memd.tests.openai_server.server import CHAT, Server

CITIES = ("Oslo", "Rome", "Kiel", "Bonn", "Graz", "Lyon")


def day(number: int, *said: tuple[str, str], chat: str = "friends", hours: float = 0.0) -> Window:
    """A window of one day of a chat."""
    made = window(*said, document=f"{chat}:{number}", chat=chat)
    later = timedelta(days=number, hours=hours)
    return replace(made, user="Ann", lines=tuple(replace(line, time=line.time + later) for line in made.lines))


def proposal(quote: str, *lines: int) -> Proposal:
    """What a model may say of lines."""
    return Proposal("Ann", "home", "Oslo", "Ann lives in Oslo.", lines, quote, "Ann")


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", ""]), st.integers(0, 9), st.integers(1, 40), st.integers(1, 60)),
        max_size=12,
    )
)
def test_every_line_is_in_one_pack(chats: list[tuple[str, int, int, int]]) -> None:
    """Whatever the order: none longer than a window may be, one chat in each, in the order of times."""
    windows = [
        day(number, *[("Ann", f"{at} " + "word " * words) for at in range(lines)], chat=chat)
        for chat, number, lines, words in chats
    ]
    packs = packs_of(windows, estimated)
    assert sorted(place for pack in packs for place in pack.places) == list(range(len(windows)))
    for pack in packs:
        assert pack.parts == tuple(windows[place] for place in pack.places)
        assert [line.number for line in pack.whole.lines] == list(range(1, len(pack.whole.lines) + 1))
        parts = [line for part in pack.parts for line in part.lines]
        assert [replace(line, number=0) for line in pack.whole.lines] == [replace(line, number=0) for line in parts]
        assert len({part.chat for part in pack.parts}) == 1
        assert [part.lines[0].time for part in pack.parts] == sorted(part.lines[0].time for part in pack.parts)
        if len(pack.parts) > 1:
            assert pack.whole.chat
            assert len(parts) <= MOST_LINES
            assert sum(estimated(line.text) + 8 for line in parts) <= MOST_TOKENS
        for line in pack.whole.lines:
            index, own = pack.part_of(proposal(line.text, line.number))
            (number,) = own.lines
            assert replace(pack.parts[index].lines[number - 1], number=0) == replace(line, number=0)


def test_a_fact_rests_on_the_window_of_its_quote() -> None:
    """Lines of other windows are left out; numbers that no line has stay numbers that no line has."""
    (pack,) = packs_of(
        [day(number, ("Ann", f"I live in {CITIES[number]}"), ("Ben", "ok then")) for number in range(3)], len
    )
    assert pack.part_of(proposal("I live in Rome", 1, 3, 4)) == (1, proposal("I live in Rome", 1, 2))
    assert pack.part_of(proposal("I live in Rome", 3, 6)) == (1, proposal("I live in Rome", 1))
    assert pack.part_of(proposal("nowhere said", 1, 6)) == (2, proposal("nowhere said", 2))
    assert pack.part_of(proposal("nowhere said", 99)) == (2, proposal("nowhere said", 95))
    assert pack.part_of(proposal("nowhere said", -1)) == (0, proposal("nowhere said", -1))
    assert pack.part_of(proposal("nowhere said")) == (0, proposal("nowhere said"))


def test_what_was_said_before_midnight_is_context() -> None:
    """Of the pack before, where the pause is short, in the chat itself; and never what came later."""
    evening = day(0, *[("Ann", f"line {number}") for number in range(MOST_LINES)], hours=10)
    night = day(1, ("Ben", "good night, Ann"), hours=-11)
    first, second = packs_of([night, evening], len)
    assert (first.whole, second.parts) == (evening, (night,))
    assert [(line.number, line.text) for line in second.whole.context] == [
        (number - TAIL_LINES, line.text) for number, line in enumerate(evening.lines[-TAIL_LINES:])
    ]
    assert packs_of([evening, day(2, ("Ben", "good night, Ann"))], len)[1].whole.context == ()
    assert packs_of([evening, replace(night, chat="other")], len)[1].whole == replace(night, chat="other")
    assert single(night).whole == night
    assert (first.documents, second.documents) == ((evening.document,), (night.document, evening.document))


@pytest.mark.anyio
async def test_short_days_of_a_chat_are_asked_about_at_once(place: Place, server: Server) -> None:
    """One call for all; each day gets what was said on it, as when it is asked about alone."""
    server.script = homes
    days = [day(number, ("Ann", f"I live in {city}"), ("Ben", "so do I, really")) for number, city in enumerate(CITIES)]
    found = await LLMExtractor(place.gateway).extract(days)
    assert [[each.value for each in extraction.statements] for extraction in found] == [[city] for city in CITIES]
    for extraction, each in zip(found, days, strict=True):
        assert [one.message for one in extraction.statements[0].evidence] == [each.lines[0].message]
        assert extraction.statements[0].observed_at == each.lines[0].time
    assert len(server.requests) == 1
    assert [each.summary for each in found] == [""] * len(days)
    estimate = await LLMExtractor(place.gateway).estimate(days)
    assert (estimate.questions, estimate.known) == (1, 1)
    alone = await LLMExtractor(place.gateway, LLMExtractionSettings(packed=False)).extract(days)
    assert [each.statements for each in alone] == [each.statements for each in found]
    assert len(server.requests) == 1 + len(days)
    assert {each.document for each in days} in [set(each.documents) for each in await place.audit.list()]


@pytest.mark.anyio
async def test_one_line_that_is_refused_leaves_its_own_day_unread(place: Place, server: Server) -> None:
    """The pack is refused, and then its day alone; all others are read."""
    days = [day(number, ("Ann", f"I live in {city}"), ("Ben", "so do I, really")) for number, city in enumerate(CITIES)]
    server.script = homes
    server.fail_always(Fault(change=REFUSED.change, when=lambda body: "in Kiel" in str(body)), path=CHAT)
    found = await LLMExtractor(place.gateway).extract(days)
    assert [each.failure for each in found] == ["refused" if city == "Kiel" else "" for city in CITIES]
    assert [each.value for extraction in found for each in extraction.statements] == [
        city for city in CITIES if city != "Kiel"
    ]


@pytest.mark.anyio
async def test_a_document_takes_with_it_where_it_was_context(place: Place, server: Server) -> None:
    """What was sent of it as the end of the day before goes when it is forgotten."""
    server.script = homes
    evening = day(0, *[("Ann", f"my secret line {number}") for number in range(MOST_LINES)], hours=10)
    night = day(1, ("Ben", "good night, I live in Oslo"), hours=-11)
    await LLMExtractor(place.gateway).extract([evening, night])
    assert len(await place.audit.list()) == 2
    await place.store.forget([evening.document.bytes])
    assert await place.audit.list() == []
    assert await place.store.run(lambda connection: connection.execute("SELECT count(*) FROM answers").fetchone()) == (
        0,
    )

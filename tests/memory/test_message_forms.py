"""One chat told by exports with ids, without them, by other clocks, and by accounts that count for themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

import pytest

from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument
from memd.tests.memory.test_known_messages import forget, opened, told

pytestmark = pytest.mark.anyio

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
ZONE = timezone(timedelta(hours=1))


class Line(NamedTuple):
    """A message; its time is given in seconds behind the start."""

    id: str | None
    speaker: str
    content: str
    second: int


ANN = Line("57", "Ann", "the zeppelin landed", 0)
BOB = Line("58", "Bob", "in the quarry", 301)
OK = Line("59", "Ann", "ok", 547)
CHAT = [ANN, BOB, OK]
BOBS = ForgetSelection(people=("Bob",))


def day(*lines: Line, form: str = "named", user: str = "Ann") -> ConversationDocument:
    """A day as an export of one form has it: ``named`` with ids, ``utc`` without, ``wall`` with minutes of a wall clock."""
    minutes = {"time_precision": "minute", "zone_origin": "option"} if form == "wall" else {"zone_origin": "explicit"}

    def time_of(line: Line) -> datetime:
        time = (START + timedelta(seconds=line.second)).astimezone(ZONE)
        return time.replace(second=0) if form == "wall" else time

    return ConversationDocument.model_validate(
        {
            "id": "chat:one",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys([*(line.speaker for line in lines), user])),
                "user": user,
                "conversation": tuple(
                    {
                        "id": line.id if form == "named" else None,
                        "speaker": line.speaker,
                        "content": line.content,
                        "time": time_of(line),
                        **minutes,
                    }
                    for line in lines
                ),
            },
            "metadata": {"chat": "one", "title": "One"},
        }
    )


def said(lines: Sequence[Line]) -> list[str]:
    """Who said what."""
    return [f"{line.speaker}: {line.content}" for line in lines]


async def stored(memory: EvolvingMemory) -> list[str]:
    """What is stored of the day."""
    return (await told(memory)).get("chat:one", [])


FORMS = ["named", "utc", "wall"]
PAIRS = [(one, other) for one in FORMS for other in FORMS]


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_another_form_of_a_chat_adds_only_what_is_new(tmp_path: Path, one: str, other: str) -> None:
    """Whatever ids and clocks its exports have, each message is stored once, in its order, and equal ones twice."""
    more = [*CHAT, Line("60", "Bob", "ok", 550), Line("61", "Ann", "ok", 552)]
    async with opened(tmp_path) as memory:
        for form, lines in ((one, CHAT), (other, more), (one, more), (other, CHAT)):
            await memory.write([day(*lines, form=form)])
        assert await stored(memory) == said(more)


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_what_is_forgotten_in_one_form_stays_out_in_another(tmp_path: Path, one: str, other: str) -> None:
    """By its words, author and minute; equal words of others, and those of another minute, come in."""
    lines = [*CHAT, Line("60", "Bob", "ok", 550), Line("61", "Ann", "ok", 552)]
    new = [Line("62", "Bob", "ok", 3600 + 550), Line("63", "Bob", "in the quarry", 3600)]
    async with opened(tmp_path) as memory:
        await memory.write([day(*lines, form=one)])
        await forget(memory, BOBS)
        for form in (other, one):
            await memory.write([day(*lines, form=form)])
            assert await stored(memory) == said([ANN, OK, lines[4]])
        await memory.write([day(*lines, *reversed(new), form=other)])
        assert await stored(memory) == said([ANN, OK, lines[4], new[1], new[0]])


@pytest.mark.parametrize("form", ["utc", "wall"])
async def test_equal_messages_that_are_forgotten_one_after_the_other_stay_out_in_a_form_without_ids(
    tmp_path: Path, form: str
) -> None:
    """Each leaves a mark of its own."""
    lines = [ANN, Line("58", "Bob", "no", 60), Line("59", "Bob", "no", 70), OK]
    async with opened(tmp_path) as memory:
        await memory.write([day(*lines)])
        for second in (65, 75):
            await forget(memory, ForgetSelection(speakers=("Bob",), until=START + timedelta(seconds=second)))
        await memory.write([day(*lines, form=form)])
        assert await stored(memory) == said([ANN, OK])


async def test_a_new_message_with_an_id_is_none_that_was_forgotten(tmp_path: Path) -> None:
    """With the words, the author and the minute of a forgotten one: its id tells that it is another."""
    lines = [ANN, Line("58", "Bob", "ok", 60), Line("59", "Bob", "ok", 62)]
    async with opened(tmp_path) as memory:
        await memory.write([day(*lines[:2])])
        await forget(memory, BOBS)
        await memory.write([day(*lines)])
        assert await stored(memory) == said([ANN, lines[2]])


@pytest.mark.parametrize("form", ["utc", "wall"])
async def test_an_edited_message_that_was_forgotten_stays_out_in_a_form_without_ids(tmp_path: Path, form: str) -> None:
    """In its first wording and in its last one."""
    first, last = day(*CHAT), day(ANN, BOB._replace(content="in the old quarry"), OK)
    async with opened(tmp_path) as memory:
        for each in (first, last):
            await memory.write([each])
        assert "Bob: in the old quarry < in the quarry" in await stored(memory)
        await forget(memory, BOBS)
        for content in ("in the quarry", "in the old quarry"):
            await memory.write([day(ANN, BOB._replace(content=content), OK, form=form)])
            assert await stored(memory) == said([ANN, OK])


def shifted(lines: Sequence[Line], by: int) -> list[Line]:
    """The same messages as another account counts them."""
    return [line._replace(id=str(int(line.id or 0) + by)) for line in lines]


ALONE = [ANN, BOB._replace(speaker="Ann"), OK]


@pytest.mark.parametrize("lines", [CHAT, ALONE], ids=["two", "one speaker"])
@pytest.mark.parametrize("by", [-1, 1, 2, 100])
async def test_accounts_that_count_for_themselves_tell_one_chat(tmp_path: Path, lines: list[Line], by: int) -> None:
    """Nobody gets the words of another one, nothing is lost and nothing is kept twice."""
    more = [*lines, Line("60", "Bob", "what a day", 600)]
    async with opened(tmp_path) as memory:
        for _ in range(2):
            await memory.write([day(*lines)])
            await memory.write([day(*shifted(more, by), user="Bob")])
            assert await stored(memory) == said(more)


async def test_ids_of_which_one_alone_names_another_message_lose_nothing(tmp_path: Path) -> None:
    """Another member joined later, and has a message that this one never got."""
    others = [Line("57", "Cem", "is anybody here", 120), *CHAT[1:]]
    async with opened(tmp_path) as memory:
        await memory.write([day(*CHAT)])
        for _ in range(2):
            await memory.write([day(*others, user="Bob")])
            assert await stored(memory) == said([ANN, others[0], BOB, OK])


@pytest.mark.parametrize("by", [-1, 1])
async def test_what_is_forgotten_stays_out_by_another_account(tmp_path: Path, by: int) -> None:
    """Though its id is another one there, and its id names what was not forgotten."""
    async with opened(tmp_path) as memory:
        await memory.write([day(*CHAT)])
        await forget(memory, BOBS)
        await memory.write([day(*shifted(CHAT, by), user="Bob")])
        assert await stored(memory) == said([ANN, OK])
        await forget(memory, ForgetSelection(chats=("One",)))
        more = Line("60", "Ann", "what a day", 605)
        await memory.write([day(*shifted([*CHAT, more], by), user="Bob")])
        assert await stored(memory) == said([more])


async def test_an_id_keeps_its_message_through_an_edit_a_corrected_zone_and_a_renamed_author(tmp_path: Path) -> None:
    """One of them alone is no sign of another message."""
    changes = [
        {"content": "by the quarry"},
        {"second": 3600 + BOB.second},
        {"speaker": "Robert"},
    ]
    for number, change in enumerate(changes):
        async with opened(tmp_path / str(number)) as memory:
            await memory.write([day(*CHAT)])
            await memory.write([day(ANN, BOB._replace(**change), OK)])
            assert len(await stored(memory)) == len(CHAT)
            await forget(memory, ForgetSelection(speakers=("Bob", "Robert")))
            for line in (BOB, BOB._replace(**change)):
                await memory.write([day(ANN, line, OK)])
                assert await stored(memory) == said([ANN, OK])

"""Made-up chats, written as the apps write them, read and merged: each message is there once, by its author, at its place.

`test_merging` models what a dense minute allows. Here nearly every message is told by its words, so the result is certain,
and what is tried is the rest: several days and midnight, the hour that comes twice, both apps and both clocks, seconds
beside minutes, messages that arrived late, lines within messages that look like headers, polls that go on, captions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.memory.merge.plan import Stored, plan_conversation
from memd.memory.records import StoredMessage
from memd.schemas import ConversationDocument, ConversationMessage
from memd.tests.cases import check_all
from memd.tests.connectors.whatsapp.sources import source

STORIES, MORE = 40, 240
"""How many stories are told in `make test`, and in `make torture`."""
BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = datetime(2024, 10, 26, 23, 50)  # noqa: DTZ001 - as the clock on the wall shows it, before an hour that comes twice
PEOPLE = ("Ann Lee", "~Bob", "كليو")
NUMBER = re.compile(r"\bq(\d+)\b")
CLOCKS = {
    "android": ("{:%d/%m/%Y, %H:%M} - ", "<Media omitted>", ""),
    "german": ("{:%d.%m.%y, %H:%M} - ", "<Medien ausgeschlossen>", ""),
    "twelve": ("{:%d/%m/%Y, %I:%M %p} - ", "<Media omitted>", ""),
    "ios": ("[{:%d.%m.%y, %H:%M:%S}] ", "\u200eimage omitted", "\u200e"),
}
"""Of each way of writing the beginning of a message, what stands for a file, and what stands before the app's words."""
BODIES = {
    "plain": "q{} what shall we do",
    "lines": "q{} first\n\nsecond: line\n third",
    "log": "q{} look\n01/02/2023, 10:00 - Eve{}: pasted",
    "marks": "\u200fq{} שלום: עולם 👍🏽\u200d",
}


@dataclass(frozen=True)
class Told:
    """One message; ``time`` is that of the wall clock."""

    number: int
    author: str
    time: datetime
    kind: str

    def written(self, export: Export) -> str:
        """The message as an export writes it."""
        clock, omitted, mark = CLOCKS[export.app]
        if self.kind == "poll":
            body = f"{mark}POLL:\nq{self.number} where?\n{mark}OPTION: there ({export.made} votes)"
        elif self.kind in ("file", "caption"):
            body = f"{mark}q{self.number}.jpg (file attached)" if export.files and not mark else omitted
            if self.kind == "caption":
                body = f"q{self.number} nice {body}" if mark and export.made % 2 else f"{body}\nq{self.number} nice"
        else:
            body = BODIES[self.kind].replace("{}", str(self.number))
        return f"{clock.format(self.time)}{self.author}: {body}"


@dataclass(frozen=True)
class Export:
    """What an app writes: ``begin`` to ``end`` of the chat."""

    made: int
    begin: int
    end: int
    app: str
    files: bool


@dataclass(frozen=True)
class Story:
    """A chat and its exports, in the order in which they are read; the last one is whole."""

    told: tuple[Told, ...]
    exports: tuple[Export, ...]


def story(number: int) -> Story:
    """The story of this number."""
    chance = Random(f"texts {number}")
    clock = NIGHT
    told: list[Told] = []
    for each in range(chance.randint(4, 24)):
        pace = chance.random()
        if pace < 0.35:
            clock += timedelta(seconds=chance.choice((1, 5, 20)))
        elif pace < 0.9:
            clock += timedelta(minutes=chance.choice((1, 1, 2, 7, 45)))
        else:
            clock += timedelta(hours=chance.choice((5, 18)))
        late = timedelta(minutes=chance.choice((1, 1, 2)) if chance.random() < 0.1 else 0)
        kind = chance.choices((*BODIES, "file", "caption", "poll"), (20, 3, 1, 1, 2, 2, 2))[0]
        told.append(Told(each, chance.choice(PEOPLE), clock - late, kind))
    if told[-1].kind == "log":  # at the very end nothing tells that a line was pasted
        told[-1] = replace(told[-1], kind="plain")
    count = len(told)
    exports: list[Export] = []
    for made in range(chance.randint(2, 5)):
        begin = 0 if chance.random() < 0.3 else chance.randrange(count)
        end = count if chance.random() < 0.3 else chance.randint(begin + 1, count)
        while told[end - 1].kind == "log":
            end += 1
        exports.append(Export(made, begin, end, chance.choice(tuple(CLOCKS)), chance.random() < 0.3))
    chance.shuffle(exports)
    return Story(tuple(told), (*exports, Export(len(exports), 0, count, chance.choice(tuple(CLOCKS)), files=False)))


class Store:
    """Days of one chat, merged as a store does it."""

    def __init__(self) -> None:
        self.days: dict[str, Stored] = {}

    def read(self, document: ConversationDocument) -> int:
        """Merge a day; returns how many messages changed."""
        stored = self.days.get(document.id)
        plan = plan_conversation(stored, document, b"digest")
        assert plan is not None
        rows = {} if stored is None else {row.key: row for row in stored.messages}
        for key, position in plan.moved.items():
            rows[key] = StoredMessage(key, rows[key].document, position, rows[key].message)
        rows |= {row.key: row for row in (*plan.added, *plan.updated)}
        self.days[document.id] = Stored(plan.document, sorted(rows.values(), key=lambda row: row.position))
        return len(plan.added) + len(plan.updated) + len(plan.moved)

    def messages(self) -> list[ConversationMessage]:
        """All messages, day by day."""
        return [row.message for day in sorted(self.days) for row in self.days[day].messages]


def written(told: Sequence[Told], export: Export) -> str:
    """The text of an export."""
    return "\n".join(each.written(export) for each in told[export.begin : export.end]) + "\n"


def days_of(text: str | bytes) -> list[ConversationDocument]:
    """What the connector makes of a text."""
    options = ReadOptions(zone=BERLIN, zone_origin="option", date_order="dmy", me=PEOPLE[0])
    records = WhatsAppConnector().read(source(text, "WhatsApp Chat with Friends.txt"), options)
    return [record for record in records if isinstance(record, ConversationDocument)]


def documents(told: Sequence[Told], export: Export) -> list[ConversationDocument]:
    """The days of an export, of which every message is read."""
    text = written(told, export)
    found = days_of(text)
    assert sum(len(day.messages) for day in found) == export.end - export.begin, text
    return found


def number_of(message: ConversationMessage) -> int | None:
    """Which message of its story it is, where its words tell."""
    wordings = [message.content, *(edit.content for edit in message.edits)]
    numbers = {int(number) for wording in wordings for number in NUMBER.findall(wording)}
    assert len(numbers) < 2, f"messages {numbers} were taken for one"
    return numbers.pop() if numbers else None


@pytest.mark.slow
def test_each_message_is_there_once_by_its_author_at_its_place() -> None:
    """After each export what it shows, after the whole one everything in the order of the chat."""
    check_all(range(STORIES), check_story)


@pytest.mark.long
def test_each_message_of_many_stories_is_there_once_by_its_author_at_its_place() -> None:
    """The same of many more stories, and of their cut files."""
    check_all(range(STORIES, MORE), check_story)
    check_all(range(STORIES, MORE), check_cut_file)


def check_story(number: int) -> None:
    """Read the exports of a story one after another."""
    chat, store, shown = story(number), Store(), set[int]()
    for export in chat.exports:
        days = documents(chat.told, export)
        for day in days:
            store.read(day)
        assert sum(store.read(day) for day in days) == 0, export
        shown.update(range(export.begin, export.end))
        messages = store.messages()
        assert len(messages) == len(shown), export
        found = [number_of(message) for message in messages]
        known = [each for each in found if each is not None]
        assert len(known) == len(set(known)), export
        assert {n for n in shown if chat.told[n].kind != "file"} <= set(known) <= shown, export
        for message, each in zip(messages, found, strict=True):
            if each is not None:
                told = chat.told[each]
                assert message.speaker == told.author
                assert message.time.replace(tzinfo=None, second=0) == told.time.replace(second=0)
    for day in sorted(store.days):
        found = [number_of(row.message) for row in store.days[day].messages]
        known = [each for each in found if each is not None]
        assert known == sorted(known), day


@pytest.mark.slow
def test_a_file_that_was_cut_anywhere_adds_nothing_to_the_whole_one() -> None:
    """Whichever is read first: the last message, as far as it went, is the whole one."""
    check_all(range(STORIES), check_cut_file)


def check_cut_file(number: int) -> None:
    """Cut the last export of a story, and read it before and after the whole one."""
    chat, chance = story(number), Random(f"cut {number}")
    export = chat.exports[-1]
    whole = written(chat.told, export).encode()
    first = written(chat.told[:2], replace(export, end=2)).encode()
    part = whole[: chance.randint(len(first), len(whole) - 1)].rstrip(
        b"\n"
    )  # where a line ends nothing tells of the cut
    alone, before, behind = Store(), Store(), Store()
    for store, texts in ((alone, [whole]), (before, [part, whole]), (behind, [whole, part])):
        for text in texts:
            for day in days_of(text):
                store.read(day)

    def told(store: Store) -> list[tuple[object, ...]]:
        return [(each.speaker, each.content, each.kind, each.time, each.metadata) for each in store.messages()]

    assert told(before) == told(alone) == told(behind), part[-200:].decode(errors="replace")

"""Made-up chats and the exports of them: few people, few minutes, the same words again and again, changes in between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random

from memd.schemas import Attachment, ConversationDocument, ConversationMessage

DAY = datetime(2024, 1, 15, 6, tzinfo=UTC)
NEVER = 99
WORDS = ("no", "ok", "hi", "ok", "no", "yes")
NAMES = {
    "ann": (("Ann", "Annie"), ("Ann Lee", "Ann from work")),
    "bob": (("Bobby", "Robert"), ("Bob", "Bob B")),
    "cleo": (("Cleo", "Cleopatra"), ("Cleo K", "C. K.")),
}
"""Of each person the names on the phones of ann and bob, before and after they were renamed there."""


@dataclass(frozen=True)
class Told:
    """One message. From the export ``edited`` or ``deleted`` on the chat shows that."""

    number: int
    person: str
    day: int
    minute: int
    second: int
    kind: str
    words: str
    edited: int = NEVER
    deleted: int = NEVER


@dataclass(frozen=True)
class Export:
    """What one phone writes: ``begin`` to ``end`` of the chat, as it is at the time of export number ``time``."""

    time: int
    phone: int
    begin: int
    end: int
    seconds: bool
    media: bool


@dataclass(frozen=True)
class Story:
    """A chat, its exports in the order in which they are read, and from which export on which person is renamed."""

    told: tuple[Told, ...]
    exports: tuple[Export, ...]
    renamed: tuple[tuple[str, int, int], ...]
    """Person, phone, number of the export."""

    def name(self, person: str, export: Export) -> str:
        """What the export calls a person."""
        late = any(each[:2] == (person, export.phone) and export.time >= each[2] for each in self.renamed)
        return NAMES[person][export.phone][late]

    def shown(self, told: Told, export: Export) -> ConversationMessage:
        """A message as an export shows it."""
        more: dict[str, object] = {}
        kind, content = told.kind, told.words
        if kind == "media":
            name = f"IMG-{told.number}.jpg"
            content = f"{name} (file attached)" if export.media else "<Media omitted>"
            more["attachments"] = (Attachment(name=name),) if export.media else ()
        elif export.time >= told.deleted:
            kind, content = "deleted", "This message was deleted"
            more["deleted"] = True
        elif export.time >= told.edited:
            content = f"{content}!"
            more["edited"] = True
        time = DAY + timedelta(days=told.day, minutes=told.minute, seconds=told.second if export.seconds else 0)
        return ConversationMessage.model_validate(
            {
                "speaker": "(system)" if kind == "system" else self.name(told.person, export),
                "content": content,
                "kind": kind,
                "time": time,
                "time_precision": "second" if export.seconds else "minute",
                "zone_origin": "assumed",
                **more,
            }
        )

    def documents(self, export: Export) -> list[tuple[tuple[Told, ...], ConversationDocument]]:
        """The days of an export, and what is true of them."""
        found: list[tuple[tuple[Told, ...], ConversationDocument]] = []
        shown = self.told[export.begin : export.end]
        for day in sorted({told.day for told in shown}):
            some = tuple(told for told in shown if told.day == day)
            messages = tuple(self.shown(told, export) for told in some)
            user = self.name(("ann", "bob")[export.phone], export)
            people = dict.fromkeys([*(message.speaker for message in messages), user])
            found.append((some, _document(day, messages, tuple(people), user)))
        return found

    def without_message(self, number: int) -> Story:
        """The story without one message."""
        at = next(index for index, told in enumerate(self.told) if told.number == number)
        exports = tuple(
            replace(each, begin=each.begin - (at < each.begin), end=each.end - (at < each.end)) for each in self.exports
        )
        return replace(self, told=self.told[:at] + self.told[at + 1 :], exports=exports)

    def text(self) -> str:
        """The story for the eye."""
        lines: list[str] = []
        for export in self.exports:
            lines.append(f"{export}")
            for _, document in self.documents(export):
                lines += (
                    f"    {message.time:%d %H:%M:%S} {message.speaker}: {message.content}"
                    for message in document.messages
                )
        return "\n".join(lines)


def _document(
    day: int, messages: tuple[ConversationMessage, ...], people: tuple[str, ...], user: str
) -> ConversationDocument:
    return ConversationDocument.model_validate(
        {
            "id": f"whatsapp:Chat:2024-01-{15 + day}",
            "conversation": {"source": "whatsapp", "people": people, "user": user, "conversation": messages},
            "metadata": {"chat": "Chat", "title": "Chat"},
        }
    )


def story(seed: int, number: int) -> Story:
    """The story of this number; the same for the same seed."""
    chance = Random(f"{seed} {number}")
    people = ("ann", "bob", "cleo")[: chance.choice((2, 2, 3))]
    exports = chance.randint(2, 5)
    changes = chance.random() < 0.6
    told: list[Told] = []
    day = minute = second = 0
    for each in range(chance.randint(2, 16)):
        if chance.random() < 0.4:
            minute, second = minute + chance.choice((1, 1, 2)), 0
        if chance.random() < 0.05:
            day, minute, second = day + 1, 0, 0
        second = min(59, second + chance.choice((0, 3, 7, 20)))
        kind = chance.choices(("text", "media", "system"), (20, 4, 1))[0]
        words = chance.choice(WORDS) if chance.random() < 0.8 else f"sentence number {each}"
        words = f"Notice {each}" if kind == "system" else words
        fate: dict[str, int] = {}
        if changes and kind == "text" and chance.random() < 0.15:
            fate = {chance.choice(("edited", "deleted")): chance.randint(0, exports - 1)}
        told.append(Told(each, chance.choice(people), day, minute, second, kind, words, **fate))
    phones = (0, 1) if chance.random() < 0.3 else (0,)
    seconds = [chance.random() < 0.3 for _ in phones]
    made = [_export(chance, time, len(told), chance.choice(phones), seconds) for time in range(exports)]
    chance.shuffle(made)
    renamed = tuple(
        (person, phone, chance.randint(1, exports)) for person in people for phone in phones if chance.random() < 0.25
    )
    return Story(tuple(told), tuple(made), renamed)


def _export(chance: Random, time: int, count: int, phone: int, seconds: list[bool]) -> Export:
    begin = 0 if chance.random() < 0.3 else chance.randrange(count)
    end = count if chance.random() < 0.3 else chance.randint(begin + 1, count)
    return Export(time, phone, begin, end, seconds[phone], chance.random() < 0.3)

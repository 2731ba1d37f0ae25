"""The plain export of Signal: its frames, in the order of the messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import compress, count, pairwise
from operator import ne
from typing import Any, BinaryIO

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.export_files import read_file
from ...chats.mixed_days import MixedDays
from ...chats.notices import CONTENT_UNKNOWN, content_unknown, user_unknown
from ...chats.plain_runs import FEW
from ...connector import Member, ReadOptions, Record, Source
from ...opening.limits import MESSAGE_CAP
from ...opening.member_subset import held_files
from ...opening.tracked_member import COPY, count_left_out, note_role, untracked
from ...record_faults import Failure, attempt, records_at
from ...text.json_fields import object_of
from ...text.unicode import as_utf8
from .chat_item import ItemReader, chat_of_plain
from .detection import SOURCE
from .files import file_name
from .frames import frames
from .recipients import Recipients


def export_records(
    member: Member, source: Source, options: ReadOptions, completed: set[str], *, alone: bool
) -> Iterator[Record]:
    """Read the days of every chat, and rejections for what cannot be read.

    Args:
        member: the file with the frames.
        source: the source of the file, with the attachments of its messages.
        options: the zone, and the name of the user.
        completed: receives the locators of the texts with which messages were completed.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    held = {stem for file in held_files(source) if (stem := _stem(file.name))}
    texts = {stem: each for each in source.members() if (stem := _stem(each.name))}
    walk = _Walk(options, held, texts, member, completed)
    yield from read_file(member, walk.records, alone=alone)
    if walk.begun:
        yield from walk.close()


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


class _Walk:
    """One pass over the frames."""

    def __init__(
        self,
        options: ReadOptions,
        held: Collection[str],
        texts: Mapping[str, Member],
        member: Member,
        completed: set[str],
    ) -> None:
        """``held``: the names of the files of the export, without their extensions; ``texts``: the members that may be
        opened, by such names.
        """
        self._completed = completed
        self._given = options.chat
        self._texts = texts
        self._member = member
        self._locator = member.locator
        self._before_line = f"{member.locator}:"
        self._recipients = Recipients(options.me)
        self._reader = ItemReader(self._recipients, options.zone, held)
        self._days: MixedDays | None = None
        self.begun = False
        """True once the file has been opened."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """Read the file."""
        self.begun = True
        for record in frames(as_utf8(stream).stream):
            if record.reason:
                yield Rejected(locator=self._at(record.line), reason=record.reason)
            else:
                yield from self.take_all(record.values, record.line)

    def take_all(self, values: Sequence[dict[str, Any]], line: int) -> Iterator[Record]:
        """Handle consecutive frames that begin at ``line`` of the file, as `take` does one. The hot path: most are
        plain messages, and runs of one chat are converted together.
        """
        chats = [*map(chat_of_plain, values)]
        changes = compress(count(1), map(ne, chats, chats[1:]))
        for begin, end in pairwise([0, *changes, len(values)]):
            if chats[begin] is not None and end - begin >= FEW:
                yield from self._run([frame["chatItem"] for frame in values[begin:end]], line + begin)
            else:
                for place in range(begin, end):
                    yield from records_at(self._at(line + place), self.take, values[place], line + place)

    def take(self, frame: dict[str, Any], line: int) -> Iterable[Record]:
        """Learn from a frame, or take its message."""
        if "chatItem" in frame:
            return self._item(object_of(frame["chatItem"]), line)
        if "recipient" in frame:
            if not self._recipients.learn_recipient(object_of(frame.get("recipient"))):
                return (Rejected(locator=self._at(line), reason="a recipient without a number"),)
        elif "chat" in frame:
            self._recipients.learn_chat(object_of(frame.get("chat")))
        elif not frame:
            return (Rejected(locator=self._at(line), reason="an empty frame"),)
        elif "account" in frame:
            self._recipients.learn_account(object_of(frame.get("account")))
        return ()

    def _at(self, line: int) -> str:
        return f"{self._before_line}{line}"

    def close(self) -> Iterator[Record]:
        """Yield the days that are still open, and the notices about the whole file."""
        if self._days is not None:
            yield from self._days.close()
            if count := self._days.doubled:
                hint = f"{count} message(s) stand in the file twice; each was kept once"
                yield Notice(code="duplicate-message", locator=self._locator, hint=hint)
                count_left_out(self._member, COPY, count)
        yield from content_unknown(self._reader.counts[CONTENT_UNKNOWN], self._locator)
        if self._recipients.user == UNKNOWN_USER:
            yield user_unknown(self._locator, "the export does not say who made it")
        if self._given:
            hint = "an export of the app holds all chats, so their own titles were kept"
            yield Notice(code="chat-ignored", locator=self._locator, hint=hint)

    def _run(self, items: list[dict[str, Any]], line: int) -> Iterator[Record]:
        """Add consecutive plain messages of one chat."""
        result = attempt(self._reader.read_run, items)
        chat, metadata = self._recipients.chat(items[0]["chatId"])
        if result is None or isinstance(result, Failure):
            for place, item in enumerate(items):
                yield from records_at(self._at(line + place), self._item, item, line + place)
        else:
            yield from self._opened_days().add_all(chat, metadata, result, self._before_line, line)

    def _item(self, item: dict[str, Any], line: int) -> Iterable[Record]:
        standard = object_of(item.get("standardMessage"))
        if "longText" in standard:
            self._complete(standard)
        result = self._reader.read(item)
        if isinstance(result, str):
            return (Rejected(locator=self._at(line), reason=result),)
        chat, metadata = self._recipients.chat(item.get("chatId"))
        return self._opened_days().add(chat, metadata, result, self._before_line, line)

    def _opened_days(self) -> MixedDays:
        if self._days is None:  # the account frame precedes the first message
            self._days = MixedDays(SOURCE, self._recipients.user, self._recipients.links)
        return self._days

    def _complete(self, message: dict[str, Any]) -> None:
        """Replace the beginning of a long text by the whole text, which lies in a file of its own."""
        if not message.get("longText"):
            return
        text = object_of(message.get("text"))
        if not isinstance(text.get("body"), str):
            return
        file = self._texts.get(file_name(object_of(message.get("longText"))))
        if file is None:
            return
        with (
            suppress(SourceError, UnicodeDecodeError),
            untracked(file).open() as stream,
        ):  # on errors the message stays `truncated`
            whole = stream.read(MESSAGE_CAP + 1).decode("utf-8")
            if len(whole) > len(text["body"]) and whole.startswith(text["body"]):
                text["body"] = whole
                del message["longText"]
                self._completed.add(file.locator)
                note_role(file, "the whole of a long text", used=True)

"""WhatsApp's chat exports, of Android and iOS: a text file, an archive or a folder of them, in any language.

See docs/documents.md for the documents made of them. An export has no zone, no ids and no exporter: these come from
options and evidence, and every assumption is a notice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.chat_connector import by_count
from ...chats.notices import chat_ignored, zone_assumed
from ...connector import Connector, DateOrder, Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.member_subset import held_files
from ...opening.notice_places import place_of
from ...text.json_beginnings import is_of_objects
from ...text.line_blocks import blocks, encoding_of
from .header_detection import HeaderFormat, detect_header_format
from .notices import after_reading, before_reading
from .other_programs import is_no_chat
from .parser import ChatParser
from .scan import ChatScan, find_header_format, first_lines, scan_chat
from .title import is_own_name, same_name, title_of
from .web_export import is_web_export

_MEDIA = "media"
"""The folder of files in the export of a browser."""
_SNIFFED_LINES = 60
_SNIFFED_BYTES = 1 << 15


@dataclass(frozen=True, slots=True)
class _Chat:
    """A text file that is a chat, and the names that may hold its title."""

    member: Member
    header_format: HeaderFormat
    names: tuple[str, ...]

    @property
    def folder(self) -> str:
        """The folder of the file."""
        return self.member.name.rpartition("/")[0]


class WhatsAppConnector:
    """Reads chat exports of WhatsApp."""

    name = "whatsapp"
    version = 3
    """The version of the records, which receipts contain."""

    def sniff(self, source: Source) -> float:
        """Return 0.95 if a text file begins with a header of WhatsApp's form, 0.6 if one has headers; less if only a
        blank ends them.
        """
        best = 0.0
        for member in _texts(source)[:20]:
            with member.open() as stream:
                head = stream.read(_SNIFFED_BYTES)
            if is_of_objects(head):
                continue
            block = next(blocks(BytesIO(head)), None)
            if block is None:
                continue
            # A file damaged on disk may contain zeros; one that begins with them is something else.
            zeros = b"\0" in head and encoding_of(head) == "utf-8"
            lines = [line for line in islice(first_lines(block.text), _SNIFFED_LINES) if line.strip("\ufeff \t")]
            header_format = detect_header_format(lines)
            if header_format is None or is_no_chat(header_format, lines, member.name):
                continue
            first = "\n" + lines[0]
            if header_format.pattern.match(first) or is_web_export(header_format.template, first):
                return 0.95 if header_format.template.shape != "space" else 0.5
            if not zeros:
                best = max(best, 0.6 if header_format.template.shape != "space" else 0.2)
        return best

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the findings of a first pass over every chat of the source; of several chats, the values
        they share.
        """
        chats, _ = _chats(source)
        options = _for_chats(chats, options)
        previewed, _ = _previewed_chats(chats, options)
        if not previewed:
            return Preview(format=self.name)
        speakers: Counter[str] = Counter()
        for _, findings in previewed:
            speakers.update(findings.people())
        users = {f.user for _, f in previewed if f.user}
        orders: set[DateOrder] = {f.order.order for _, f in previewed}
        one = previewed[0][1] if len(previewed) == 1 else None
        notices = [n for chat, f in previewed for n in before_reading(f, chat.member.locator, options)]
        return Preview(
            format=self.name,
            title=one.title if one else "",
            chat=one.title if one else "",
            speakers=by_count(speakers),
            user=users.pop() if len(users) == 1 else None,
            date_order=orders.pop() if len(orders) == 1 else None,
            date_order_ambiguous=any(f.order.rivals for _, f in previewed),
            messages=sum(f.messages for _, f in previewed),
            notices=tuple(notices),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every chat of the source, day by day."""
        chats, others = _chats(source)
        if not chats:
            for member in others or source.members():
                yield Rejected(locator=member.locator, reason="no message as WhatsApp exports them was found")
            return
        original, options = options, _for_chats(chats, options)
        if original.chat and not options.chat:
            yield chat_ignored(source.locator)
        previewed, refused = _previewed_chats(chats, options)
        yield from refused
        _share_user([findings for _, findings in previewed])
        for other in (each for each in others if each.size != 0):  # empty files are reported as empty
            hint = "a text file beside a chat that is no chat itself was taken for an attachment"
            yield Notice(code="not-a-chat", locator=other.locator, hint=hint)
        if options.zone_origin == "assumed":
            yield zone_assumed(place_of(source, [chat.member for chat, _ in previewed]), options.zone)
        sizes = _sizes(source)
        for chat, findings in previewed:
            try:
                yield from _read_chat(sizes, chat, findings, options)
            except SourceError as error:  # gone since the first pass; the others are there
                if len(chats) == 1:
                    raise
                yield refusal(chat.member.locator, error)


def _read_chat(
    sizes: dict[str, dict[str, int]], chat: _Chat, findings: ChatScan, options: ReadOptions
) -> Iterator[Record]:
    yield from before_reading(findings, chat.member.locator, options)
    folder, _, file_name = chat.member.name.rpartition("/")

    media = sizes.get(f"{folder}/{_MEDIA}" if folder else _MEDIA, {})

    def beside(name: str) -> int | None:
        return sizes[folder].get(name, media.get(name)) if name != file_name else None

    reader = ChatParser(findings, chat=findings.title, locator=chat.member.locator, options=options, sizes=beside)
    with chat.member.open() as stream:
        yield from reader.records(stream)
    yield from after_reading(findings, reader.tally, chat.member.locator)


def _sizes(source: Source) -> dict[str, dict[str, int]]:
    """Return the sizes of all files by folder and name. Built once: chats and their attachments may be thousands."""
    result: dict[str, dict[str, int]] = {}
    for member in held_files(source):
        folder, _, name = member.name.rpartition("/")
        result.setdefault(folder, {})[name] = member.size or 0
    return result


def _texts(source: Source) -> list[Member]:
    members = list(source.members())
    return members if len(members) == 1 else [m for m in members if m.name.lower().endswith(".txt")]


def _chats(source: Source) -> tuple[list[_Chat], list[Member]]:
    """Return the text files that are chats, and those that are not."""
    chats: list[_Chat] = []
    others: list[Member] = []
    for member in _texts(source):
        header_format = None
        with suppress(SourceError), member.open() as stream:
            header_format = find_header_format(stream)
        if header_format is None:
            others.append(member)
        else:
            folders = [part for part in member.name.split("/")[:-1][::-1] if part]
            names = dict.fromkeys([member.name.rpartition("/")[2], *folders, source.name])
            chats.append(_Chat(member, header_format, tuple(names)))
    exported = {chat.folder for chat in chats if not is_own_name(chat.names[0])}
    # Beside the text of an export, a chat of another name was sent in it: the folder is not named after that chat.
    return [
        replace(chat, names=chat.names[:1]) if chat.folder in exported and is_own_name(chat.names[0]) else chat
        for chat in chats
    ], others


def _previewed_chats(chats: list[_Chat], options: ReadOptions) -> tuple[list[tuple[_Chat, ChatScan]], list[Rejected]]:
    """Scan each chat in a first pass; chats that can no longer be opened are rejected without affecting the others.

    Raises:
        SourceError: there is one chat alone, and it cannot be opened.
    """
    result: list[tuple[_Chat, ChatScan]] = []
    refused: list[Rejected] = []
    for chat in chats:
        try:
            result.append((chat, _scanned(chat, options)))
        except SourceError as error:
            if len(chats) == 1:
                raise
            refused.append(refusal(chat.member.locator, error))
    return result, refused


def _scanned(chat: _Chat, options: ReadOptions) -> ChatScan:
    return scan_chat(chat.header_format, chat.member.open, chat.names, options)


def _for_chats(chats: list[_Chat], options: ReadOptions) -> ReadOptions:
    """Drop the configured chat name if the source has different chats, which it would merge; several exports of one
    may share it.
    """
    if options.chat and len({title_of(list(chat.names)) for chat in chats}) > 1:
        return replace(options, chat=None)
    return options


def _share_user(result: list[ChatScan]) -> None:
    """Apply the user known from one chat to the other chats in which that name writes: a source has one exporter."""
    users = {f.user for f in result if f.user}
    if len(users) != 1:
        return
    user = users.pop()
    for findings in result:
        if findings.user is None and any(same_name(user, name) for name in findings.people()):
            findings.user = user


if TYPE_CHECKING:
    _: type[Connector] = WhatsAppConnector

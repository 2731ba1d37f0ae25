"""Reads logs of IRC: WeeChat, irssi, ZNC, HexChat and XChat, mIRC, dircproxy, energymech, eggdrop and similar programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO

from ....schemas.errors import SourceError
from ...chats.text_chat_connector import TextChatConnector
from ...chats.text_chats import ChatFile, Item, Said
from ...connector import DateOrder, Member
from ...text.chat_lines import FileState
from ...text.json_beginnings import is_of_objects
from .file_names import LogName, log_name
from .line_forms import bracketed_form, form_of, plain, weechat_form
from .nicks import Nicks
from .parser import LogParser, date_order, is_weechat, states_time
from .stamps import STAMP, marker_of, order_of

_LEAST = 2
_SHARE = 0.6
"""The least share of lines at the beginning that must be lines of a log."""
_LEVELS = frozenset(
    {"trace", "verbose", "debug", "dbg", "info", "notice", "warn", "warning", "err", "error", "crit", "critical"}
).union(["alert", "emerg", "fatal", "panic"])
"""The levels of importance that other programs write in angle brackets: ``<warn> disk is full``."""


@dataclass(slots=True)
class _Log:
    """One log file, with the nick changes found when it was last read."""

    member: Member
    name: LogName
    marked: bool
    order: DateOrder | None
    """The order of day and month in numeric dates, if known."""
    numbers: bool
    """True if the beginning has numeric dates."""
    unsure: bool
    """True if the beginning did not decide the order, and the rest was not searched."""
    bracketed: bool
    """True if nicks are in ``[]`` or ``()`` instead of ``<>``."""
    nicks: Nicks = field(default_factory=Nicks)

    def items(self, stream: BinaryIO, state: FileState) -> Iterator[Item]:
        if self.unsure and state.date_order is None:
            self.order, self.unsure = self._order_in_file(), False
        order = self.order or state.date_order
        state.date_order_open = self.numbers and order is None
        parser = LogParser(self.name.day, marked=self.marked, order=order, bracketed=self.bracketed)
        yield from parser.items(stream, state)
        self.nicks = parser.nicks

    def _order_in_file(self) -> DateOrder | None:
        with suppress(SourceError), self.member.open() as stream:  # an unreadable file is reported when it is read
            return date_order(stream)
        return None

    def names(self, counts: Mapping[str, int]) -> Mapping[str, str]:
        return self.nicks.names(counts)


class IrcConnector(TextChatConnector):
    """Reads logs of IRC; recognises them by most lines at the beginning, and by a day stated there or in the name."""

    name = "irc"
    version = 4
    program = "IRC"
    head_bytes = 32 * 1024

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Return the chat of a file that begins like a log, else None."""
        del held, detect
        if is_of_objects(head):
            return None
        if head.count(b"\0") > 4 and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return None
        whole = len(head) < self.head_bytes
        if not whole:
            head = head[: head.rfind(b"\n") + 1]
        name = log_name(member.locator)  # its folders give the same name, whichever of them is the source
        lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
        stamps = [stamp for line in lines if (stamp := STAMP.match(line)) is not None]
        if not stamps and not any(states_time(line) for line in lines):
            return None
        order = order_of(stamps)
        bracketed = _is_bracketed(lines)
        parser = LogParser(name.day, order=order, bracketed=bracketed)
        said = [item for item in parser.items(BytesIO(head), FileState()) if isinstance(item, Said)]
        if not _is_log(said, lines, bracketed=bracketed):
            return None
        if parser.titles:
            name = LogName(parser.titles[-1], name.network, name.day)
        numbers = any(stamp["one"] for stamp in stamps)
        unsure = numbers and order is None and not whole
        log = _Log(member, name, _marks_identified(lines), order, numbers, unsure, bracketed)
        network = {"network": name.network} if name.network else {}
        return ChatFile(member, name.key, log.items, {"channel": name.title, **network}, names=log.names)


def _is_bracketed(lines: list[str]) -> bool:
    """Return whether nicks are in ``[]`` or ``()``: the log has lines about its sessions, and no line has ``<>``.

    Without the lines about sessions a log of any program looks the same: ``[12:00] [main] started``.
    """
    if not any(marker.starts for line in lines if (marker := marker_of(line)) is not None):
        return False
    texts = [plain(line[stamp.end() :]) for line in lines if (stamp := STAMP.match(line)) is not None]
    said = [form_of(text).kind == "said" for text in texts]
    return not any(said) and any(bracketed_form(text).kind == "said" for text in texts)


def _is_log(said: list[Said], lines: list[str], *, bracketed: bool) -> bool:
    recognised_items = [item for item in said if item.message.get("kind") != "unknown"]
    markers = sum(1 for line in lines if marker_of(line))
    if len(recognised_items) < _LEAST - (markers > 0) or len(recognised_items) + markers < len(lines) * _SHARE:
        return False
    if sum(1 for item in recognised_items if item.speaker.casefold() in _LEVELS) * 2 > len(recognised_items):
        return False
    # Bullets after times look like actions: some line must have a form that only a log has.
    return bracketed or any(_is_sure(line) for line in lines)


def _is_sure(line: str) -> bool:
    stamp = STAMP.match(line)
    if stamp is None:
        return "!" in line[:70] and line[:1] in "<["
    rest = line[stamp.end() :]
    if is_weechat(stamp):
        return "\t" in rest and weechat_form(rest).kind != "unknown"
    # Chats of WhatsApp also begin lines with numeric dates: after such a date only a nick in angle brackets is sure.
    return form_of(rest).kind in (("said",) if stamp["one"] else ("said", "event"))


def _marks_identified(lines: list[str]) -> bool:
    """Return whether text after a nick with its host mostly begins with a mark: freenode wrote ``+`` for identified
    people.
    """
    marked = plain = 0
    for line in lines:
        stamp = STAMP.match(line)
        form = form_of(line[stamp.end() :]) if stamp else None
        if form is not None and form.host:
            marked += form.text[:1] in ("+", "-")
            plain += form.text[:1] not in ("+", "-")
    return marked > plain * 2

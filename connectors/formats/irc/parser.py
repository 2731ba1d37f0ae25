"""Parses a log of IRC line by line; each line may have its own charset. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date
from typing import BinaryIO

from ...chats.text_chats import NO_TIME, Item, Message, Said, Unread, items_at
from ...connector import DateOrder
from ...text.chat_lines import FileState
from ...text.unicode import as_utf8
from .line_forms import Form, bracketed_form, came_or_left, form_of, nick_change, plain, weechat_form
from .nicks import Nicks
from .stamps import STAMP, Times, ident_of, marker_of, order_of

_LINE_LIMIT = 1 << 20
"""The maximum number of bytes of a line; a line of IRC has 512, with tags a few thousand."""
_BEHIND = re.compile(
    r"(?P<who><[^\s<>!]{1,64}![^>\s]{0,255}>|\[[^\s\[\]!]{1,64}![^\]\s]{0,255}\]|-[^\s-]{1,64}-) \[(?P<clock>\d\d:\d\d)\] (?P<text>.*)",
    re.DOTALL,
)
"""Matches a line of dircproxy with the time after the nick: ``<nick!user@host> [10:36] words``; an action has
``ACTION`` there.
"""
_OPENING = ("<", "[", "-")
_OF_MARKERS = frozenset("-*S[0123456789")
"""The first characters of lines that state a day."""
_EMPTY_LINE = "[empty line]"
"""The placeholder for a line that contains only colour codes."""
_MOST_LONG_NAMES = 500
_UNTIMED = "a line without a time"


class LogParser:
    """Parses one log. ``nicks`` is complete when ``items`` is exhausted."""

    def __init__(
        self, day: date | None, *, marked: bool = False, order: DateOrder | None = None, bracketed: bool = False
    ) -> None:
        """Set how the log is written.

        Args:
            day: the day in the file's name.
            marked: text begins with ``+`` or ``-``, by which servers mark identified people.
            order: the order of day and month in numeric dates.
            bracketed: nicks are in ``[]`` or ``()``, not in ``<>``.
        """
        self._form_of = bracketed_form if bracketed else form_of
        self._times = Times(day, order)
        self._marked = marked
        self.nicks = Nicks()
        self._long_names: set[str] = set()
        """The names of several words that have spoken: other programs write such logs, too."""
        self.titles: list[str] = []
        """The last ten channels that the log itself names."""

    def items(self, stream: BinaryIO, state: FileState) -> Iterator[Item]:
        """Yield every item of the log."""
        number, torn = 0, False
        for raw in _raw_lines(stream):
            whole = raw.endswith(b"\n")
            number += not torn
            if torn or (not whole and len(raw) >= _LINE_LIMIT):
                if not torn:
                    yield Unread(number, "a line of more than 1 MiB")
                torn = not whole
                continue
            state.unterminated = not whole
            text = _decoded(raw, number, state)
            if text.strip():
                yield from items_at(number, self._line, text, number, state)

    def _line(self, text: str, number: int, state: FileState) -> Iterator[Item]:
        if text[:1] in _OF_MARKERS and (marker := marker_of(text)):
            self._times.see(marker)
            if marker.starts:
                self.nicks.restart()
            return
        if text[:1] == "S" and (channel := ident_of(text)):
            self.titles.append(channel)
            del self.titles[:-10]
            return
        if text[:1] in _OPENING and (match := _BEHIND.fullmatch(text)):
            text = _in_front(match)
        stamp = STAMP.match(text)
        if stamp is None:
            yield self._untimed(plain(text), number, state)
            return
        time = self._times.read(stamp)
        if time is None:
            yield Unread(number, NO_TIME)
            return
        rest = plain(text[stamp.end() :])
        form = weechat_form(rest) if is_weechat(stamp) else self._form_of(rest)
        yield self._said(form, number, state)

    def _said(self, form: Form, number: int, state: FileState) -> Said:
        assert self._times.last is not None
        time, precision = self._times.last
        instant = time.tzinfo is UTC
        form = self._with_whole_name(form)
        text = form.text
        if form.kind in ("event", "unknown"):
            message: Message = {"content": text if text.strip() else _EMPTY_LINE, "kind": "system"}
            if form.kind == "unknown":
                message["kind"] = "unknown"
                state.unknown += 1
            self._follow(text)
            return Said(number, "", time, precision, message, instant=instant)
        if self._marked and form.host and text[:1] in ("+", "-"):
            text = text[1:]
        message = {"content": text if text.strip() else "[message without text]"}
        if not text.strip():
            message["kind"] = "unknown"
        if form.kind != "said":
            message["metadata"] = {"form": form.kind}
        account = self.nicks.person(form.nick)
        return Said(number, form.nick, time, precision, message, account, instant=instant)

    def _with_whole_name(self, form: Form) -> Form:
        """Return an action with its author's whole name, if the name has several words and somebody of it has spoken."""
        if form.kind == "said" and " " in form.nick and len(self._long_names) < _MOST_LONG_NAMES:
            self._long_names.add(form.nick)
        if form.kind != "action" or not self._long_names:
            return form
        whole = f"{form.nick} {form.text}"
        names = [name for name in self._long_names if whole.startswith(f"{name} ")]
        if not names:
            return form
        name = max(names, key=len)
        return Form("action", name, whole[len(name) + 1 :], form.host)

    def _follow(self, event: str) -> None:
        if change := nick_change(event):
            self.nicks.change(*change)
        elif nick := came_or_left(event):
            self.nicks.gone(nick)

    def _untimed(self, text: str, number: int, state: FileState) -> Item:
        """Return an item for a line without a time: some logs write events so; other lines have no known author."""
        form = self._form_of(text)
        here = self._times.here()
        if here is None:
            return Unread(number, _UNTIMED)
        if form.kind == "event":
            self._follow(form.text)
            text, kind = form.text, "system"
        else:
            state.unknown += 1
            kind = "unknown"
        message: Message = {"content": text if text.strip() else _EMPTY_LINE, "kind": kind}
        return Said(number, "", here[0], here[1], message, instant=here[0].tzinfo is UTC)


def states_time(line: str) -> bool:
    """Return whether a line without a time at its start states a day, or has the time after the nick."""
    if line[:1] in _OF_MARKERS and marker_of(line) is not None:
        return True
    return line[:1] in _OPENING and _BEHIND.fullmatch(line) is not None


def date_order(stream: BinaryIO) -> DateOrder | None:
    """Return the order of day and month in numeric dates, from the first line that decides it; None if none does.

    Raises:
        SourceError: the stream raises it.
    """
    lines = (raw.decode("utf-8", "replace") for raw in _raw_lines(stream))
    return order_of(stamp for line in lines if (stamp := STAMP.match(line)) is not None)


def is_weechat(stamp: re.Match[str]) -> bool:
    """Return whether a stamp is of WeeChat, with a full date and a tab after it, so that a prefix and a tab follow."""
    return stamp["gap"] == "\t" and stamp["iso"] is not None


def _in_front(match: re.Match[str]) -> str:
    who, text = match["who"], match["text"]
    if who[0] == "[":
        return f"[{match['clock']}] * {who[1:-1].partition('!')[0]} {text.removeprefix('ACTION ')}"
    return f"[{match['clock']}] {who} {text}"


def _raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    text = as_utf8(stream).stream
    return iter(lambda: text.readline(_LINE_LIMIT), b"")


def _decoded(raw: bytes, number: int, state: FileState) -> str:
    line = raw.rstrip(b"\r\n")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("cp1252", "replace")
    if "\ufffd" in text and not state.undecodable:
        state.undecodable = number
    return text

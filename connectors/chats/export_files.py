"""The files of a chat export, one after the other: content before damage is kept, and unreadable content is rejected."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TypeVar

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ...schemas.wire import replaced_text
from ..connector import Member
from ..errors import refusal
from ..text.json_stream import Broken, Started
from ..text.unicode import Utf8Stream, as_utf8

T = TypeVar("T")


def read_file(member: Member, read: Callable[[BinaryIO], Iterable[T]], *, alone: bool) -> Iterator[T | Rejected]:
    """Yield the results of ``read`` on the stream of a file, and close the stream.

    Args:
        member: the file.
        read: reads it.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    try:
        stream = member.open()
    except SourceError as error:
        if alone:
            raise
        yield refusal(member.locator, error)
        return
    with stream:
        try:
            yield from read(stream)
        except SourceError as error:  # damaged or over a cap, in the middle: what came before stays
            yield refusal(member.locator, error)


def read_text(
    member: Member, read: Callable[[io.BufferedReader], Iterable[T]], *, alone: bool
) -> Iterator[T | Rejected | Notice]:
    """Read a text file as `read_file`, in UTF-8 or by its byte order mark; undecodable bytes are reported by a notice
    at the end.
    """
    text: Utf8Stream | None = None

    def decoded(stream: BinaryIO) -> Iterable[T]:
        nonlocal text
        text = as_utf8(stream)
        return read(text.stream)

    yield from read_file(member, decoded, alone=alone)
    if text is not None and text.replaced:
        yield replaced_text(member.locator)


def with_list(
    events: Iterable[T | Broken | Started], locator: str, what: str = "messages"
) -> Iterator[T | Rejected | Started]:
    """Yield the events of a file that should contain a list; its broken parts, and the lack of a list, are rejections."""
    started = False
    for event in events:
        if isinstance(event, Broken):
            yield Rejected(locator=f"{locator}#{event.pointer}", reason=event.reason)
        else:
            started = started or isinstance(event, Started)
            yield event
    if not started:
        yield Rejected(locator=locator, reason=f"the file has no list of {what}")

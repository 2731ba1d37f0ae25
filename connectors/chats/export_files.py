"""The files of a chat export, one after the other: what comes before a damage stays, and what cannot be read is a rejection."""

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
    """Give what ``read`` makes of the stream of a file, which is closed behind it.

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
    """`read_file` of a text in UTF-8 or with a mark; bytes that are no text are a notice behind all else."""
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
    """Give the events of a file that should hold a list; what is broken in it, and that it holds none, are rejections."""
    started = False
    for event in events:
        if isinstance(event, Broken):
            yield Rejected(locator=f"{locator}#{event.pointer}", reason=event.reason)
        else:
            started = started or isinstance(event, Started)
            yield event
    if not started:
        yield Rejected(locator=locator, reason=f"the file has no list of {what}")

"""An unexpected error costs the one record that was being read: it becomes the reason of that record's rejection.

A generator cannot go on behind an exception, so connectors call what reads one record through these functions.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ..schemas import Rejected
from ..schemas.errors import MemdError

P = ParamSpec("P")
T = TypeVar("T")
D = TypeVar("D")

_PACKAGE = Path(__file__).parent.parent
_OPERATIONS = (MemdError, OSError, MemoryError)
"""Errors of the source, the disk or the machine: no other record would be read better."""


class Failure(str):
    """The reason why a record could not be read: the kind of the error and the line of memd, and nothing of the record."""

    __slots__ = ()


def failure_of(error: Exception) -> Failure:
    """Return the reason that stands for an error.

    Raises:
        Exception: the error itself, if it is of an operation and not of the record.
    """
    if isinstance(error, _OPERATIONS):
        raise error
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE):
            place = f" at {file.relative_to(_PACKAGE).as_posix()}:{line}"
    return Failure(f"memd failed to read it: {type(error).__name__}{place}")


def or_reason(read: Callable[P, T]) -> Callable[P, T | str]:
    """Return a function that reads one record and returns a `Failure` in place of an exception."""

    @wraps(read)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T | str:
        try:
            return read(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next record may be read
            return failure_of(error)

    return guarded


def attempt(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Failure:
    """Call a function that reads one record; return a `Failure` in place of an exception."""
    try:
        return read(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - as above
        return failure_of(error)


def attempt_all(read: Callable[P, Iterable[T]], *args: P.args, **kwargs: P.kwargs) -> Iterator[T | Failure]:
    """Yield the results of reading one record; a `Failure` after them if the rest cannot be read."""
    try:
        yield from read(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - as above
        failure = failure_of(error)
    else:
        return
    yield failure


def records_at(
    locator: str, read: Callable[P, Iterable[T]], *args: P.args, **kwargs: P.kwargs
) -> Iterator[T | Rejected]:
    """Yield the results of reading the record at a place as `attempt_all`, with its failure as a rejection."""
    for result in attempt_all(read, *args, **kwargs):
        yield Rejected(locator=locator, reason=result) if isinstance(result, Failure) else result


def or_rejected(result: T | str, locator: str) -> T | Rejected:
    """Return the result of reading a record, or its rejection with the given reason."""
    return Rejected(locator=locator, reason=result) if isinstance(result, str) else result


def document_of(
    make: Callable[[Sequence[Any]], D], messages: Sequence[Any], place: Callable[[int], str]
) -> Iterator[D | Rejected]:
    """Yield one document of messages; if it is invalid, a document without the messages that are invalid alone, and
    their rejections.

    Args:
        make: makes the document.
        messages: at least one.
        place: the locator of the message of an index.
    """
    made = attempt(make, messages)
    if not isinstance(made, Failure):
        yield made
        return
    kept: list[Any] = []
    for index, message in enumerate(messages):
        alone = attempt(make, [message])
        if isinstance(alone, Failure):
            yield Rejected(locator=place(index), reason=alone)
        else:
            kept.append(message)
    if kept:
        made = attempt(make, kept)
        if isinstance(made, Failure):
            yield from (Rejected(locator=place(index), reason=made) for index in range(len(kept)))
        else:
            yield made

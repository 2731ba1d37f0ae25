"""Errors of an index library, and between memd and an index server."""

from __future__ import annotations

import errno
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...schemas.errors import StoreError
from ..file_errors import MORE_FILES, TOO_MANY_FILES, ExhaustedError, file_error, is_full


class IndexServerError(StoreError):
    """The index server fails or refuses; its own words are in the message."""


class UnreachableServerError(IndexServerError):
    """The index server does not answer, or not in time. This usually passes; stored data is kept meanwhile."""


_NO_DESCRIPTOR = re.compile(rf"\bcode: (?:{errno.EMFILE}|{errno.ENFILE}),")
"""The pattern of tantivy's message for a system error; it has no error code."""


class DamagedIndexError(StoreError):
    """An index library cannot use its files; they must be reopened or rebuilt."""


@contextmanager
def index_errors(part: str, directory: Path | None = None) -> Generator[None]:
    """Turn errors of an index library into a `DamagedIndexError`, or into another StoreError if the file system or a
    lack of memory is the cause. The libraries raise ValueError, RuntimeError, OSError and others.

    Args:
        part: the name of the index.
        directory: the folder of its files, to recognise a full disk, which tantivy's errors do not mention.
    """
    try:
        yield
    except OSError as error:
        raise file_error(error) from error
    except MemoryError as error:
        raise ExhaustedError(f"there is not enough memory for the {part} index", hint="try again") from error
    except BaseException as error:
        # A damaged file makes tantivy's Rust code panic, which arrives as a BaseException without a public name.
        expected = isinstance(error, ValueError | RuntimeError | TypeError | KeyError)
        if not expected and type(error).__name__ != "PanicException":
            raise
        if _NO_DESCRIPTOR.search(str(error)):
            raise ExhaustedError(TOO_MANY_FILES, hint=MORE_FILES) from error
        if directory is not None and is_full(directory):
            # Its writer is gone, so the index is reopened as after damage.
            raise DamagedIndexError(
                f"the disk is full: the {part} index cannot be written", hint="free some space and try again"
            ) from error
        raise DamagedIndexError(
            f"the {part} index cannot be used", hint="it is rebuilt from the database by itself; try again"
        ) from error

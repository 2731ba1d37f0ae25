"""Errors of the connection as the errors of `schemas.errors`, so that a program handles one family."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from ...schemas.errors import (
    BusyError,
    EmbeddingError,
    ExtractionError,
    InvalidError,
    MemdError,
    NotFoundError,
    ProcessingError,
    StoreError,
    UnavailableError,
)
from ..client import DaemonError, DaemonGoneError, DaemonTimeoutError, ForeignDaemonError

_OF_CODE: Mapping[str, type[MemdError]] = {
    each.meaning.code: each
    for each in (InvalidError, ProcessingError, ExtractionError, StoreError, EmbeddingError, BusyError, NotFoundError)
}


@contextmanager
def translated() -> Generator[None]:
    """Raise errors of the client as errors of memd."""
    try:
        yield
    except DaemonError as error:
        raise error_of(error) from None
    except DaemonGoneError as error:
        hint = (
            "start it: memd serve"
            if not error.sent
            else "the request may have been carried out: look before sending it again"
        )
        raise UnavailableError(str(error), hint=hint) from error
    except DaemonTimeoutError as error:
        raise UnavailableError(str(error), hint="the daemon may still carry the request out") from error
    except ForeignDaemonError as error:
        raise UnavailableError(str(error), hint=error.hint) from error


def error_of(error: DaemonError) -> MemdError:
    """Return the error that the daemon reported, of the class of its code; an unknown code gives a `MemdError`."""
    kind = _OF_CODE.get(error.code, MemdError)
    if kind is InvalidError:
        return InvalidError(error.message, hint=error.hint, problems=tuple(error.problems))
    translation = kind(error.message, hint=error.hint)
    if kind is MemdError and error.correlation_id:
        translation.add_note(f"correlation id of the daemon's log: {error.correlation_id}")
    return translation

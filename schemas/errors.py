"""The errors of memd: a subclass for each case that callers handle differently, and a table of their meaning outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NotRequired

from typing_extensions import TypedDict

ErrorCode = Literal["VAL", "PROC", "STORE", "TIMEOUT", "EMB", "LLM", "BUSY", "NOT_FOUND", "UNEXPECTED"]
"""`TIMEOUT` is told by clients; the daemon never answers it."""


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """The meaning of an error for a program: its code, HTTP status, and whether trying again may help."""

    code: ErrorCode
    status: int
    retryable: bool


UNEXPECTED = ErrorInfo("UNEXPECTED", 500, retryable=False)
UNEXPECTED_TEXT = "something unexpected went wrong; the log has the details under this correlation id"


class MemdError(Exception):
    """The base class. ``str(error)`` is for people and holds no private text; ``hint`` is the next step."""

    meaning: ClassVar[ErrorInfo] = UNEXPECTED

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidError(MemdError):
    """Input that breaks a rule; ``problems`` lists them all. The caller must change it."""

    meaning = ErrorInfo("VAL", 400, retryable=False)

    def __init__(self, message: str, *, hint: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems or (message,)


class ConfigError(InvalidError):
    """The configuration is wrong."""


class SourceError(MemdError):
    """Nothing could be read from a source: no such file, no known format, an unsafe archive."""

    meaning = ErrorInfo("PROC", 500, retryable=False)


class ProcessingError(MemdError):
    """A document could not be processed."""

    meaning = ErrorInfo("PROC", 500, retryable=True)


class ExtractionError(ProcessingError):
    """A language model cannot be reached or used; its input stays unread and is read later."""

    meaning = ErrorInfo("LLM", 503, retryable=True)


class BudgetError(ExtractionError):
    """The budget for models is spent; the rest waits for the next run or the next day."""


class StoreError(MemdError):
    """The store or the journal cannot be read or written."""

    meaning = ErrorInfo("STORE", 503, retryable=True)


class EmbeddingError(MemdError):
    """The embedder cannot be loaded, or gave vectors that cannot be used."""

    meaning = ErrorInfo("EMB", 500, retryable=True)


class BusyError(MemdError):
    """Another process owns the data directory, or a limit of simultaneous work is reached."""

    meaning = ErrorInfo("BUSY", 409, retryable=True)


class StoreBusyError(StoreError, BusyError):
    """Another process uses a file of the store for too long. This usually passes: background tasks try again."""

    meaning = BusyError.meaning


class NotFoundError(MemdError):
    """There is nothing under that id."""

    meaning = ErrorInfo("NOT_FOUND", 404, retryable=False)


class UnavailableError(MemdError):
    """No daemon answers, or it did not finish its answer: the request may have been carried out."""

    meaning = ErrorInfo("TIMEOUT", 504, retryable=True)


ERRORS = frozenset(
    {
        UNEXPECTED,
        *(
            each.meaning
            for each in (
                InvalidError,
                SourceError,
                ProcessingError,
                ExtractionError,
                StoreError,
                EmbeddingError,
                BusyError,
                NotFoundError,
            )
        ),
    }
)
"""All meanings that an error of the API can have."""


def error_info(error: BaseException) -> ErrorInfo:
    """Return the table row for any exception."""
    return error.meaning if isinstance(error, MemdError) else UNEXPECTED


class ErrorAnswer(TypedDict):
    """An error."""

    code: ErrorCode
    """The kind of error, for programs."""
    message: str
    """A sentence for people; its wording may change."""
    hint: str
    """The next step, for people; may be empty."""
    retryable: bool
    """True if the same request may succeed later."""
    correlation_id: str
    """The id under which the daemon's log has the details; empty if the request was refused before it was read."""
    problems: NotRequired[list[str]]
    """All problems, where there are several."""


def envelope(error: BaseException, correlation_id: str) -> ErrorAnswer:
    """Return the JSON form of an error: code, message, hint, retryable, correlation_id; problems if there are several."""
    meaning = error_info(error)
    body: ErrorAnswer = {
        "code": meaning.code,
        "message": error.message if isinstance(error, MemdError) else UNEXPECTED_TEXT,
        "hint": error.hint if isinstance(error, MemdError) else "",
        "retryable": meaning.retryable,
        "correlation_id": correlation_id,
    }
    if isinstance(error, InvalidError) and len(error.problems) > 1:
        body["problems"] = list(error.problems)
    return body

"""The errors of sources that are pulled, and the conversion of a failure to a value: an unreadable part beside readable
ones.
"""

from __future__ import annotations

from ..schemas import Rejected
from ..schemas.errors import ErrorInfo, SourceError


def refusal(locator: str, error: SourceError) -> Rejected:
    """Return the error as a rejected record, with its hint, and without naming the place twice."""
    reason = error.message.removeprefix(f"{locator}: ")
    return Rejected(locator=locator, reason=f"{reason}; {error.hint}" if error.hint else reason)


class UnrecognisedError(SourceError):
    """No format recognises a file: beside recognised files it is left out, and alone it is an error to report."""


class RateLimitError(SourceError):
    """The source demands a later request; after ``retry_after_s`` seconds, if it said how long."""

    meaning = ErrorInfo("BUSY", 409, retryable=True)

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class AuthorizationError(SourceError):
    """The source does not accept the credentials: the user must renew them, and nothing else helps."""


class ConflictError(SourceError):
    """Another program uses the account in a way that excludes this one: the user must end one of them."""


class UntrustedCertificateError(SourceError):
    """The server's certificate is not signed by anybody who is trusted, or is another server's: nothing was sent to it.
    Somebody must name the authority that signed it; the certificate is never left unchecked.
    """


class UnavailableError(SourceError):
    """The source cannot be reached or does not answer as it should; it may do so later."""

    meaning = ErrorInfo("PROC", 500, retryable=True)


class AbsentFolderError(SourceError):
    """A folder is missing, or is empty and was not before: it may be on a disk that is not mounted now."""

    meaning = ErrorInfo("PROC", 500, retryable=True)

"""From a failure to a value: what cannot be read beside something that can."""

from __future__ import annotations

from ..schemas import Rejected
from ..schemas.errors import SourceError


def refusal(locator: str, error: SourceError) -> Rejected:
    """The error as a rejected record, with its hint, and without telling the place twice."""
    reason = error.message.removeprefix(f"{locator}: ")
    return Rejected(locator=locator, reason=f"{reason}; {error.hint}" if error.hint else reason)

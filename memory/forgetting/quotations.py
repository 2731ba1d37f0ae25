"""The places where words of removed messages stand in messages and texts of others, as a plan tells them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from .redaction import QuoteTreatment


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """A message or a text of others that holds words of removed messages."""

    key: UUID
    """The key of the message, or of the text."""
    source: str
    title: str
    time: datetime | None
    author: str
    text: bool = False
    """True for a text, False for a message."""


@dataclass(frozen=True, slots=True)
class Quotations:
    """The places where removed words stand in messages and texts of others, and what happens to them."""

    places: tuple[QuotePlace, ...] = ()
    treatment: QuoteTreatment = "keep"
    mentions: int = 0
    """The number of messages and texts of others that name the forgotten people; they stay."""
    complete: bool = True
    """False if there was too much to look through all of it."""

"""A statement: a claim by one person about somebody or something, with the quoted evidence. Facts are made of
statements.

Statements are immutable and identified by their content and evidence; facts are computed from all statements (`facts`),
so that the order in which statements arrive does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ...schemas.fact import ExtractorInfo, Sensitivity
from ...schemas.keys import uuid5


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote that a statement rests on; ``quote`` occurs in the message's content."""

    message: UUID
    message_id: str
    """The id shown in a citation: the source's own id, else the key."""
    quote: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim by one speaker. Every field was checked in code, see `verify`."""

    document: UUID
    document_id: str
    speaker: str
    """The speaker of every cited message."""
    subject: str
    """The person or thing that it is about: a name among the document's people, or a thing as it was called."""
    attribute: str
    """A name of `attributes`, or another one in snake_case."""
    value: str
    content: str
    """One sentence, in the conversation's own language."""
    evidence: tuple[Cited, ...]
    observed_at: datetime
    """The time of the last cited message."""
    extractor: ExtractorInfo
    negated: bool = False
    """True if it says that something is not, or no longer, so."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    audience: tuple[str, ...] = ()
    category: str = ""
    importance: int = 1
    sensitivity: Sensitivity = "low"
    confidence: float = 1.0
    sentiment: float | None = None
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    of_known: bool = False
    """True for a negation without a known kind: "Bess died" ends the dog or the wife of that name. If no such fact is
    known, it makes no fact.
    """
    sentence: str = ""
    """The original sentence, if ``content`` is worded otherwise: cues such as "also", "now" and "for a week" are looked
    for in it.
    """

    @property
    def wording(self) -> str:
        """The words in which cues of time and change are looked for."""
        return self.sentence or self.content

    @property
    def key(self) -> UUID:
        """The key: equal words on equal evidence are one statement, whoever extracted it and when."""
        evidence = sorted(f"{cited.message}" for cited in self.evidence)
        parts = (self.speaker, self.subject, self.attribute, self.value, "not" if self.negated else "")
        return uuid5("statement", str(self.document), *parts, *evidence)

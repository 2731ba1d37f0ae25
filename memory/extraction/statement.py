"""A statement: what one person said about somebody or something, with the words it rests on. What facts are made of.

Statements are immutable and named by what they say and where; facts are computed from all statements (`facts`), so
that the order in which statements arrive changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ...schemas.fact import ExtractorInfo, Sensitivity
from ...schemas.keys import uuid5


@dataclass(frozen=True, slots=True)
class Cited:
    """Words of a message that a statement rests on; ``quote`` stands in its content."""

    message: UUID
    message_id: str
    """What a citation shows: the source's own id, else the key."""
    quote: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that one speaker said. Every field was checked in code, see `verify`."""

    document: UUID
    document_id: str
    speaker: str
    """Who said it: the speaker of every cited message."""
    subject: str
    """Whom or what it is about: a name among the document's people, or a thing as it was called."""
    attribute: str
    """A name of `attributes`, or another in snake_case."""
    value: str
    content: str
    """One sentence, in the conversation's own language."""
    evidence: tuple[Cited, ...]
    observed_at: datetime
    """When it was said: the time of the last cited message."""
    extractor: ExtractorInfo
    negated: bool = False
    """It says that this is not, or no longer, so."""
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
    """A negation that names nobody's kind: "Bess died" ends the dog or the wife of that name. Where no such fact is known, no
    fact is made of it."""
    sentence: str = ""
    """The sentence it was read in, as it was written, where ``content`` is worded otherwise: "also", "now" and "for a week" stand there."""

    @property
    def wording(self) -> str:
        """The words in which cues of time and change are looked for."""
        return self.sentence or self.content

    @property
    def key(self) -> UUID:
        """Its name: equal words on equal evidence are one statement, whoever extracted it and when."""
        evidence = sorted(f"{cited.message}" for cited in self.evidence)
        parts = (self.speaker, self.subject, self.attribute, self.value, "not" if self.negated else "")
        return uuid5("statement", str(self.document), *parts, *evidence)

"""Text documents: notes, articles, single mails; one author, no structure that memd relies on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, field_validator, model_validator

from .model import Metadata, Model, Text
from .times import GO_ZERO_TIME, Instant
from .validation import DOCUMENT_ID, broken_rules, structural_errors

if TYPE_CHECKING:
    from .conversation import ConversationDocument

CONTENT = "document content is required"


class TextDocument(Model):
    """A text. Its source is ``metadata["source"]``. Raises ``pydantic.ValidationError`` without id or content."""

    id: Text
    """The readable id, unique within its source."""
    content: Text
    """The text."""
    timestamp: Instant | None = None
    """The time at which it was written, RFC 3339. Go's zero time counts as none, in any zone."""
    tags: tuple[Text, ...] = ()
    """Labels of the source or the user."""
    metadata: Metadata = Field(default_factory=dict)
    """Further text by key; `source` names the source. docs/documents.md lists the keys that memd writes."""

    @field_validator("timestamp")
    @classmethod
    def _set(cls, time: datetime | None) -> datetime | None:
        return None if time is not None and time.replace(tzinfo=UTC) == GO_ZERO_TIME else time

    @model_validator(mode="wrap")
    @classmethod
    def _keeps_every_rule(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        rest = []
        try:
            document = handler(value)
            fields: dict[str, Any] = {"id": document.id, "content": document.content}
        except ValidationError as error:
            document = None
            fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            rest = structural_errors(error)
        problems = [
            wording
            for key, wording in (("id", DOCUMENT_ID), ("content", CONTENT))
            if not isinstance(fields.get(key), str) or not str(fields[key]).strip()
        ]
        if document is None or problems:
            raise broken_rules(cls.__name__, problems, rest)
        return document

    @property
    def source(self) -> str:
        """The source system, or the empty string."""
        return self.metadata.get("source", "")

    def is_conversation(self) -> bool:
        """Always false."""
        return False

    def as_conversation(self) -> ConversationDocument | None:
        """Always None: a document answers exactly one of the two."""
        return None

    def as_text(self) -> TextDocument | None:
        """The document itself."""
        return self

"""Text documents: notes, articles, single mails; one author, no structure that memd relies on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, model_validator

from .model import Metadata, Model, Text
from .times import Instant
from .validation import DOCUMENT_ID, broken_rules, structural_errors

if TYPE_CHECKING:
    from .conversation import ConversationDocument

CONTENT = "document content is required"


class TextDocument(Model):
    """A text. Its source is ``metadata["source"]``. Raises ``pydantic.ValidationError`` without id or content."""

    id: Text
    content: Text
    timestamp: Instant | None = None
    tags: tuple[Text, ...] = ()
    metadata: Metadata = Field(default_factory=dict)

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

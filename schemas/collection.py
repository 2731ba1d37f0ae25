"""Collections: documents that belong together, such as the chapters of a book."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, model_validator

from .model import Metadata, Model, Text
from .text import TextDocument
from .times import Instant
from .validation import DOCUMENT_ID, broken_rules, structural_errors

if TYPE_CHECKING:
    from .conversation import ConversationDocument

TITLE = "collection title is required"
MEMBERS = "collection must contain at least one member"


class DocumentCollectionDocument(Model):
    """A title and the ids of its members. Raises ``pydantic.ValidationError`` when a rule is broken.

    Its source is ``metadata["source"]``. What memd keeps of it is ``as_text()``; the members are documents of their own.
    """

    kind: Literal["collection"] = "collection"
    id: Text
    title: Text
    members: tuple[Text, ...]
    """Ids of documents, in their order."""
    summary: Text = ""
    """A text about the whole: authors, a table of contents."""
    timestamp: Instant | None = None
    tags: tuple[Text, ...] = ()
    metadata: Metadata = Field(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _keeps_every_rule(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        rest = []
        try:
            document = handler(value)
            fields: dict[str, Any] = {"id": document.id, "title": document.title, "members": document.members}
        except ValidationError as error:
            document = None
            fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            rest = structural_errors(error)
        problems = [
            wording
            for key, wording in (("id", DOCUMENT_ID), ("title", TITLE))
            if not isinstance(fields.get(key), str) or not str(fields[key]).strip()
        ]
        if not fields.get("members"):
            problems.append(MEMBERS)
        if document is None or problems:
            problem_fields = {"title", "members"} if problems else set[str]()
            raise broken_rules(
                cls.__name__, problems, [each for each in rest if problem_fields.isdisjoint(each.get("loc", ()))]
            )
        return document

    @property
    def source(self) -> str:
        """The source system, or the empty string."""
        return self.metadata.get("source", "")

    @property
    def content(self) -> str:
        """The title, and what is said of the whole."""
        return f"{self.title}\n\n{self.summary}" if self.summary.strip() else self.title

    def is_conversation(self) -> bool:
        """Always false."""
        return False

    def as_conversation(self) -> ConversationDocument | None:
        """Always None: a document answers exactly one of the two."""
        return None

    def as_text(self) -> TextDocument | None:
        """The title and the summary as a text, with the ids of the members in its metadata."""
        metadata = {"title": self.title, "members": json.dumps(list(self.members), ensure_ascii=False)}
        return TextDocument(
            id=self.id,
            content=self.content,
            timestamp=self.timestamp,
            tags=self.tags,
            metadata={**metadata, **self.metadata},
        )

    def to_wire(self) -> dict[str, Any]:
        """The JSON form as plain dicts; ``kind`` is always written."""
        wire = super().to_wire()
        return {"id": wire.pop("id"), "kind": self.kind, **wire}

"""Threads of mail: a conversation that has a subject."""

from __future__ import annotations

from typing import Literal

from .conversation import ConversationDocument
from .model import Text


class EmailThreadDocument(ConversationDocument):
    """A thread of mail. Raises ``pydantic.ValidationError`` as a conversation does.

    ``kind`` tells it from a conversation on the wire. What memd keeps of it is ``as_conversation()``.
    """

    kind: Literal["email_thread"] = "email_thread"
    subject: Text = ""
    """Without prefixes of replies, such as ``Re:``."""

    def as_conversation(self) -> ConversationDocument | None:
        """The conversation, with the subject as its title."""
        metadata = dict(self.metadata)
        if self.subject:
            metadata.setdefault("title", self.subject)
        return ConversationDocument.model_construct(
            id=self.id, conversation=self.conversation, tags=self.tags, metadata=metadata
        )

    @property
    def _kind(self) -> dict[str, str]:
        return {"kind": self.kind}

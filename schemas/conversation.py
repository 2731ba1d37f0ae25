"""Conversations: the document with its messages, and the chat that day documents belong to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal, Self, cast

import msgspec
import orjson
from pydantic import Field, ModelWrapValidatorHandler, ValidationError, WrapValidator, model_validator

from .message import ConversationMessage
from .model import Metadata, Model, Text
from .struct import structs_of
from .text import TextDocument
from .validation import DOCUMENT_ID, broken_rules, conversation_holds, document_problems, structural_errors


def _messages(values: object, validate: Callable[[object], tuple[ConversationMessage, ...]]) -> object:
    made = structs_of(ConversationMessage, values)
    return validate(values) if made is None else made


class StructuredConversation(Model):
    """A conversation: its source, its people, the user among them, and the messages in the order of the source."""

    source: Text
    """The source, such as `whatsapp`."""
    people: tuple[Text, ...]
    """The names of those who take part."""
    user: Text
    """The name of the user, who is one of the people."""
    conversation: Annotated[tuple[ConversationMessage, ...], WrapValidator(_messages)]
    """The messages, in the order of the source."""


class ConversationDocument(Model):
    """A conversation, or one local day of an unbounded chat.

    Raises ``pydantic.ValidationError`` on construction when a rule is broken; it carries all of them.
    """

    id: Text
    """The readable id, unique within its source."""
    conversation: StructuredConversation
    """The conversation."""
    tags: tuple[Text, ...] = ()
    """Labels of the source or the user."""
    metadata: Metadata = Field(default_factory=dict)
    """Further text by key; docs/documents.md lists the keys that memd writes."""

    @model_validator(mode="wrap")
    @classmethod
    def _keeps_every_rule(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            document = handler(value)
        except ValidationError as error:
            data = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            body = data.get("conversation")
            plain = dict(body) if isinstance(body, StructuredConversation) else body
            problems = document_problems(data.get("id"), plain)
            raise broken_rules(cls.__name__, problems, structural_errors(error)) from None
        if not document.id.strip() or not conversation_holds(document.conversation):
            raise broken_rules(cls.__name__, document_problems(document.id, dict(document.conversation)))
        return document

    def to_wire(self) -> dict[str, Any]:
        """The JSON form as plain dicts: RFC 3339 times, nothing that is empty or equal to its default."""
        return orjson.loads(self.to_json())

    def to_json(self) -> bytes:
        """One line of JSON in UTF-8, without the newline."""
        wire = self.model_dump(mode="json", exclude_defaults=True, exclude={"conversation": {"conversation"}})
        wire["conversation"]["conversation"] = orjson.Fragment(msgspec.json.encode(self.messages))
        return orjson.dumps({"id": wire.pop("id"), **self._kind, **wire})

    @property
    def _kind(self) -> dict[str, str]:
        """The kind as it is written; a mere conversation has none."""
        return {}

    @property
    def source(self) -> str:
        """The source system, ``whatsapp``."""
        return self.conversation.source

    @property
    def messages(self) -> tuple[ConversationMessage, ...]:
        """The messages, in the order of the source."""
        return self.conversation.conversation

    @property
    def content(self) -> str:
        """``speaker: content`` lines, for display and search; never parsed back."""
        return "\n".join(f"{message.speaker}: {message.content}" for message in self.messages)

    @property
    def timestamp(self) -> datetime | None:
        """The time of the first message."""
        return self.messages[0].time

    def is_conversation(self) -> bool:
        """Always true."""
        return True

    def as_conversation(self) -> ConversationDocument | None:
        """The document itself."""
        return self

    def as_text(self) -> TextDocument | None:
        """Always None: a document answers exactly one of the two."""
        return None


ConversationKind = Literal["dm", "group", "channel", "thread", "unknown"]


class Conversation(Model):
    """A whole chat, whose day documents name only that day's speakers; kept once per chat."""

    id: Text
    source: Text
    account: Text = ""
    title: Text = ""
    kind: ConversationKind = "unknown"
    people: tuple[Text, ...] = ()


__all__ = ["DOCUMENT_ID", "Conversation", "ConversationDocument", "ConversationKind", "StructuredConversation"]

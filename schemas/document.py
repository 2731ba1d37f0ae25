"""The common interface of all documents that sources make and the memory keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from .conversation import ConversationDocument
from .text import TextDocument

UNKNOWN_TYPE = "unknown document type"


class Document(Protocol):
    """A typed document. Exactly one of ``as_conversation`` and ``as_text`` is not None."""

    @property
    def id(self) -> str:
        """The readable id, unique within its source; never changed once given."""
        ...

    @property
    def source(self) -> str:
        """The source system; empty if a text does not name it."""
        ...

    @property
    def content(self) -> str:
        """The flattened text for display and search."""
        ...

    @property
    def timestamp(self) -> datetime | None:
        """The time it was written or began, with a fixed offset."""
        ...

    @property
    def tags(self) -> Sequence[str]:
        """Labels of the source or the user."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """Strings only; the keys that memd writes are listed in docs/documents.md."""
        ...

    def is_conversation(self) -> bool:
        """Return whether ``as_conversation`` returns a conversation."""
        ...

    def as_conversation(self) -> ConversationDocument | None:
        """Return the conversation, or None."""
        ...

    def as_text(self) -> TextDocument | None:
        """Return the text, or None."""
        ...

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form as plain dicts."""
        ...

    def to_json(self) -> bytes:
        """Return one line of JSON in UTF-8, without the newline."""
        ...


def text_documents_to_documents(documents: Iterable[TextDocument]) -> list[Document]:
    """Text documents as documents.

    Raises:
        TypeError: an item is something else.
    """
    return [_checked(document, TextDocument) for document in documents]


def conversation_documents_to_documents(documents: Iterable[ConversationDocument]) -> list[Document]:
    """Conversation documents as documents.

    Raises:
        TypeError: an item is something else.
    """
    return [_checked(document, ConversationDocument) for document in documents]


def _checked(document: object, kind: type[TextDocument | ConversationDocument]) -> Document:
    if not isinstance(document, kind):
        raise TypeError(UNKNOWN_TYPE)
    return document


if TYPE_CHECKING:
    _text: type[Document] = TextDocument
    _conversation: type[Document] = ConversationDocument

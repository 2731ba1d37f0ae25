"""A chunk: the piece of a message or a text that is searched and embedded."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from .model import Metadata, Model, Text


class Chunk(Model):
    """``text == source[start:end]``, in characters of the message's or document's own content."""

    id: UUID
    alias: Text
    """The readable form, ``path#chunk_3`` or ``path#section#chunk_3``; counted from 0 within the document."""
    document_id: Text
    message_ids: tuple[Text, ...] = ()
    index: int
    section: Text = ""
    strategy: Text
    version: Text
    """The strategy's version and parameters, ``recursive-1:512/50``."""
    start: int
    end: int
    token_count: int
    """Counted by the embedder's own tokenizer, without its special tokens."""
    text: Text
    keywords: tuple[Text, ...] = ()
    metadata: Metadata = Field(default_factory=dict)

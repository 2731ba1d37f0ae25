"""A question to a model, as its author defines it: the prompt, the parser of the answer, and the documents it uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

from ..embedding.runtime import encodable
from .cache import cache_key
from .chat import Prompt, PromptMessage
from .redaction import Redaction, Redactor

T = TypeVar("T")
Failure = Literal["", "refused", "truncated", "too-long", "not-taken", "unreadable", "failed"]
"""The reason for a missing answer; empty if there is one. ``failed``: the endpoint answers other prompts, and this one
not.
"""
ABOUT_SIZE: Collection[str] = frozenset({"truncated", "too-long", "not-taken"})
"""Failures that a shorter text may avoid. They are cached; the others may not recur."""


class UnreadableError(Exception):
    """An answer is not of the requested form. Its text goes back to the model, never into a log."""


@dataclass(frozen=True, slots=True)
class LLMRequest(Generic[T]):
    """One question.

    Args:
        purpose: ``extract``, ``judge``, ``ask``; for the ledger and the audit log.
        version: the version of the prompt, which changes with any word of it.
        about: a hash of the input, on which the answer depends beside model and version.
        system: the system message, the same for all questions of a kind; contains nothing private.
        texts: everything private that `compose` inserts.
        compose: makes the user message, passing every private text through its argument.
        schema: JSON Schema of the answer.
        read: converts the answer's JSON into a value, or raises `UnreadableError`.
        max_tokens: the most tokens of the answer.
        documents: the documents whose text is sent.
        source: the source of the ledger's entry.
        kept: whether the answer is cached under `about`.
    """

    purpose: str
    version: str
    about: bytes
    system: str
    texts: Collection[str]
    compose: Callable[[Callable[[str], str]], str]
    schema: Mapping[str, Any]
    read: Callable[[object], T]
    max_tokens: int
    documents: tuple[UUID, ...] = ()
    source: str = ""
    kept: bool = True

    def key(self, model: str, redactor: Redactor) -> bytes:
        """Return the key under which the answer is cached."""
        return cache_key(model, self.version, redactor.fingerprint, self.about)

    def prompt(self, redactor: Redactor) -> tuple[Prompt, Redaction]:
        """Return the prompt to send, and the redaction that was applied to it."""
        redaction = redactor.begin(self.texts)
        turns = (PromptMessage("system", self.system), PromptMessage("user", encodable(self.compose(redaction.hide))))
        return Prompt(turns, self.purpose, self.schema, self.max_tokens), redaction


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The result of a question: a value, or the reason for its absence."""

    value: T | None = None
    failure: Failure = ""
    known: bool = False
    """True if the answer came from the cache."""

"""A question to a model, as those write it who ask: what to send, how to read the answer, what it rests on."""

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
"""Why there is no answer; empty when there is one. ``failed``: the endpoint answers others, and this one not."""
ABOUT_SIZE: Collection[str] = frozenset({"truncated", "too-long", "not-taken"})
"""Failures that less text may not meet. These are kept; the others may not come again."""


class UnreadableError(Exception):
    """An answer is not of the form that was asked for. Its text goes back to the model, never into a log."""


@dataclass(frozen=True, slots=True)
class LLMRequest(Generic[T]):
    """One question.

    Args:
        purpose: ``extract``, ``judge``, ``ask``; for the ledger and the audit.
        version: of the prompt: changes with any word of it.
        about: what the answer depends on, beside model and version.
        system: the same for all of its kind; holds nothing private.
        texts: everything private that `compose` puts in.
        compose: makes the user's text, every private text of which went through the function it is given.
        schema: JSON Schema of the answer.
        read: turns the answer's JSON into what is wanted, or raises `UnreadableError`.
        max_tokens: of the answer.
        documents: whose words are sent.
        source: of the ledger's entry.
        kept: whether the answer is kept under `about`.
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
        """What its answer is kept under."""
        return cache_key(model, self.version, redactor.fingerprint, self.about)

    def prompt(self, redactor: Redactor) -> tuple[Prompt, Redaction]:
        """What is sent, and what was hidden in it."""
        redaction = redactor.begin(self.texts)
        turns = (PromptMessage("system", self.system), PromptMessage("user", encodable(self.compose(redaction.hide))))
        return Prompt(turns, self.purpose, self.schema, self.max_tokens), redaction


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What came of a question: a value, or the reason why there is none."""

    value: T | None = None
    failure: Failure = ""
    known: bool = False
    """Nobody was asked: it was answered before."""

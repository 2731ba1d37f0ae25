"""A chat model: the protocol, and what goes in and comes out of one turn. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Structure = Literal["schema", "json", "text"]
"""How an answer's form is asked for: by JSON Schema, by "any JSON", by words alone."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used. ``calls`` are requests that were answered."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    @property
    def tokens(self) -> int:
        """Both kinds."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One entry of a talk with a model."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent."""

    turns: tuple[PromptMessage, ...]
    schema_name: str
    schema: Mapping[str, Any]
    """JSON Schema of the answer, in the subset that strict mode takes: every property required, no others."""
    max_tokens: int
    """Of the answer."""


Ending = Literal["whole", "truncated", "refused", "not-taken", "too-long", "failed"]
"""How a turn ended: with an answer, one that was cut at its longest, a refusal by the model or a filter; or the
endpoint did not take this prompt at all, because of what is in it or because it is too long, or fails at it time and again,
and not at others."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model."""

    text: str
    usage: Usage
    ending: Ending = "whole"


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Where a chat model is, and how it is asked."""

    model: str
    base_url: str
    structure: Structure | None = None
    """None: the strictest that the endpoint takes, found out with the first answer."""
    temperature: float | None = 0.0
    """None: not sent."""
    timeout_s: float = 120.0
    """For the whole of an answer."""
    attempts: int = 4
    """Requests for one answer: time-outs count double."""
    local_only: bool = False
    """Refuse every endpoint that is not on this machine."""
    key_source: str = "llm.api_key_env or llm.api_key_file"
    """For people: where the key is looked for."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """More fields of the request's body, such as ``{"reasoning_effort": "low"}``."""

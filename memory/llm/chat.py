"""The protocol of chat models, with the input and output of one turn. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Structure = Literal["schema", "json", "text"]
"""The way in which the form of an answer is requested: by JSON Schema, by "any JSON", or in words alone."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The calls and tokens used. ``calls`` counts requests that were answered."""

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
        """The sum of prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a conversation with a model."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages sent to a model, and the form of its answer."""

    turns: tuple[PromptMessage, ...]
    schema_name: str
    schema: Mapping[str, Any]
    """JSON Schema of the answer, in the subset that strict mode takes: every property required, no others."""
    max_tokens: int
    """The most tokens of the answer."""


Ending = Literal["whole", "truncated", "refused", "not-taken", "too-long", "failed"]
"""The way a turn ended. ``truncated``: cut at the token limit; ``refused``: by the model or a filter; ``not-taken`` and
``too-long``: the endpoint rejected this prompt because of its content or length; ``failed``: the endpoint fails
repeatedly at this prompt and not at others.
"""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model."""

    text: str
    usage: Usage
    ending: Ending = "whole"


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The address of a chat model and the parameters of its requests."""

    model: str
    base_url: str
    structure: Structure | None = None
    """The form in which answers are requested; None: the strictest that the endpoint accepts, found with the first
    answer.
    """
    temperature: float | None = 0.0
    """The sampling temperature; None: not sent."""
    timeout_s: float = 120.0
    """The time limit of a whole answer, in seconds."""
    attempts: int = 4
    """The most requests for one answer; a time-out counts as two."""
    local_only: bool = False
    """True to refuse every endpoint that is not on this machine."""
    key_source: str = "llm.api_key_env or llm.api_key_file"
    """The setting that names the key, for error messages."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """More fields of the request's body, such as ``{"reasoning_effort": "low"}``."""

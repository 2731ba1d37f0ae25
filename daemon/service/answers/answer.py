"""The parents of all answers, and the error."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """The parent of all: closed, so that a field that is not described fails the test."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class ErrorAnswer(Answer):
    """Every error."""

    code: str
    """docs/api.md lists them."""
    message: str
    hint: str
    retryable: bool
    correlation_id: str
    problems: tuple[str, ...] = ()
    """All of them, where there are several."""


class NoticeCount(Answer):
    """Notices of one code."""

    code: str
    count: int
    hint: str
    places: tuple[str, ...]
    """The first three."""

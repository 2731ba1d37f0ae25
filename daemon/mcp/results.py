"""Results of tools: text and structure that say the same, and errors that neither hides.

The words of errors, and how each begins, are those of the contract of ``add_memory``, ``search_memory``, ``get_stats``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .jsonrpc import Json

UNAVAILABLE = "Service temporarily unavailable. Please try again in a few moments."
UNREADABLE = "Failed to chunk document. Please try a different format."
UNEXPECTED = "Something went wrong. The daemon's log has the details."

_CLASSES: Mapping[str, tuple[str, str | None]] = {
    "VAL": ("Validation Error", None),
    "NOT_FOUND": ("Validation Error", None),
    "PROC": ("Processing Error", UNREADABLE),
    "STORE": ("Database Error", UNAVAILABLE),
    "BUSY": ("Database Error", UNAVAILABLE),
    "TIMEOUT": ("Timeout Error", None),
    "EMB": ("Embedding Error", None),
    "LLM": ("Processing Error", None),
}
"""The class of each code of the daemon's errors, and the text that the contract has for it."""


class ToolError(Exception):
    """A call that failed; becomes a result with ``isError``, which a model can read and correct."""

    def __init__(
        self, code: str, message: str, *, hint: str = "", retryable: bool = False, correlation: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.retryable = retryable
        self.correlation = correlation


def invalid(message: str, hint: str = "") -> ToolError:
    """Return the error of arguments that break a rule."""
    return ToolError("VAL", message, hint=hint)


def result_of(text: str, structure: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> Json:
    """Return the result of a call that succeeded."""
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": dict(structure),
        "isError": False,
    } | ({"_meta": dict(meta)} if meta else {})


def error_result(error: ToolError) -> Json:
    """Return the result of a call that failed. Its structure is the error alone."""
    name, words = _CLASSES.get(error.code, ("Unexpected Error", UNEXPECTED))
    message = words or error.message
    text = f"{name}: {message}" + (f"\nHint: {error.hint}" if error.hint and words is None else "")
    body: Json = {
        "class": name.replace(" ", ""),
        "code": error.code,
        "message": message,
        "retryable": error.retryable,
    }
    if error.hint:
        body["hint"] = error.hint
    if error.correlation:
        body["correlation_id"] = error.correlation
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"error": body}, "isError": True}

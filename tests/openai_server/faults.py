"""What the test server does wrong when it is told to."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong with an answer; without any, the answer is the right one."""

    status: int | None = None
    """Answer with this status and an error body instead."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    message: str = "the server was told to fail"
    code: str | None = None
    parameter: str | None = None
    """The field of the request that the error is about."""
    delay: float = 0.0
    """Seconds before the answer."""
    drip: float = 0.0
    """Seconds between the bytes of the body."""
    drop: bool = False
    """Close the connection without an answer."""
    lose: bool = False
    """Do what was asked, and close the connection without an answer."""
    cut: bool = False
    """Send only half of the body, as if that were all."""
    change: Change | None = None
    """Make another answer of the right one's JSON."""
    when: Callable[[Any], bool] | None = None
    """Only for requests whose JSON is such."""


BUSY = Fault(status=429, headers={"Retry-After": "0"}, code="rate_limit_exceeded")
BROKEN = Fault(status=500)
CUT = Fault(cut=True)
DROPPED = Fault(drop=True)


def of_each_vector(change: Callable[[list[float]], object]) -> Fault:
    """An answer whose every vector is another one."""

    def changed(answer: Any) -> Any:
        return {**answer, "data": [{**item, "embedding": change(numbers(item))} for item in answer["data"]]}

    return Fault(change=changed)


def of_the_list(change: Callable[[list[Any]], list[Any]]) -> Fault:
    """An answer whose list of vectors is another one."""
    return Fault(change=lambda answer: {**answer, "data": change(answer["data"])})


def numbers(item: Mapping[str, Any]) -> list[float]:
    """The components of a vector, however they were written."""
    given = item["embedding"]
    if not isinstance(given, str):
        return given
    raw = base64.b64decode(given)
    return list(struct.unpack(f"<{len(raw) // 4}f", raw))


# --- of a chat ----------------------------------------------------------------------------------------------------


def of_the_text(change: Callable[[str], str], finish: str = "stop") -> Fault:
    """An answer whose text is another one."""

    def changed(answer: Any) -> Any:
        choice = answer["choices"][0]
        message = {**choice["message"], "content": change(choice["message"]["content"])}
        return {**answer, "choices": [{**choice, "message": message, "finish_reason": finish}]}

    return Fault(change=changed)


def _refused(answer: Any) -> Any:
    choice = answer["choices"][0]
    message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    return {**answer, "choices": [{**choice, "message": message}]}


REFUSED = Fault(change=_refused)
FILTERED = of_the_text(lambda _: "", "content_filter")
LONG = of_the_text(lambda text: text[: len(text) // 2], "length")
GARBLED = of_the_text(lambda text: text[: len(text) // 2])
"""JSON that ends in the middle, though the answer claims to be whole."""
CHATTY = of_the_text(lambda text: f"<think>Hm, {{}}.</think>Sure! Here it is:\n```json\n{text}\n```\nAnything else?")
WRONG_SCHEMA = of_the_text(lambda _: '{"answer": 42}')
TOO_LONG = Fault(status=400, code="context_length_exceeded", parameter="messages")

"""The chat model of the test server: a script of ours says what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

Script = Callable[[Mapping[str, Any]], Any]
"""From a request to what is said: a text, or something that becomes JSON."""


def nothing(_: Mapping[str, Any]) -> Any:
    """No facts, whatever is asked."""
    return {"facts": [], "summary": ""}


def prompt_of(request: Mapping[str, Any]) -> str:
    """What a request asks: the user's first turn, before any repair."""
    return next(message["content"] for message in request["messages"] if message["role"] == "user")


def refusal_of(request: Mapping[str, Any], takes: Collection[str], unknown: Collection[str]) -> str | None:
    """The field of a request that this server does not know."""
    form = request.get("response_format", {}).get("type", "text")
    if form not in ("text", *takes):
        return "response_format"
    return next((field for field in request if field in unknown), None)


def completion(request: Mapping[str, Any], script: Script) -> dict[str, Any]:
    """The answer to ``POST /v1/chat/completions``."""
    said = script(request)
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    sent = sum(len(message["content"].split()) for message in request["messages"])
    got = len(text.split())
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got},
    }


def events(answer: Mapping[str, Any]) -> bytes:
    """A completion as server-sent events, a few characters each."""
    choice = answer.get("choices", [{}])[0]
    text = choice.get("message", {}).get("content") or ""
    shared = {**{key: answer[key] for key in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    deltas = [{"role": "assistant"}, *({"content": text[at : at + 7]} for at in range(0, len(text), 7))]
    chunks: list[Mapping[str, Any]] = [
        {**shared, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({**shared, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"

"""Vectors of the test server: each word adds to components of its own, so texts that share words are near."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import struct
from collections.abc import Mapping
from typing import Any

DIMENSION = 256
_WORD = re.compile(r"\w+")


def vector(text: str, dimension: int = DIMENSION) -> list[float]:
    """Of unit length, the same every time; never zero."""
    found = [0.0] * dimension
    found[0] = 0.01
    for word in _WORD.findall(text.lower()):
        digest = hashlib.sha256(word.encode(errors="replace")).digest()
        for start in (0, 4, 8):
            number = int.from_bytes(digest[start : start + 4], "big")
            found[number % dimension] += 1.0 if digest[start + 12] % 2 else -1.0
    length = math.sqrt(sum(value * value for value in found)) or 1.0
    return [value / length for value in found]


def embeddings(request: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    """The answer to ``POST /v1/embeddings``."""
    texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
    data: list[dict[str, Any]] = []
    for index, text in enumerate(texts):
        row = vector(text, request.get("dimensions") or dimension)
        packed = base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()
        shown = packed if request.get("encoding_format") == "base64" else row
        data.append({"object": "embedding", "index": index, "embedding": shown})
    used = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": request["model"],
        "data": data,
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }

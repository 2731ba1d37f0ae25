"""Parses and checks the vectors in the answer of an OpenAI-compatible endpoint. No I/O."""

from __future__ import annotations

import base64
import binascii
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError


class IncompleteResponseError(EmbeddingError):
    """The answer is not JSON: it was truncated, and may be complete the next time."""


def vectors_of(body: bytes, count: int) -> NDArray[np.float32]:
    """Return the vectors of an answer in the order of the texts, whatever order they came in.

    Numbers and base64 (little-endian float32) are both read, whichever was asked for: some endpoints know only one.

    Args:
        body: ``{"data": [{"index": 0, "embedding": [...] or "..."}, ...]}``.
        count: how many texts were sent.

    Raises:
        IncompleteResponseError: it is no JSON.
        EmbeddingError: it is not one vector of the same length for each text.
    """
    try:
        answer: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise IncompleteResponseError("the embedding endpoint's answer is no JSON") from None
    data = cast("dict[str, Any]", answer).get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise EmbeddingError("the embedding endpoint's answer holds no vectors", hint="is embedding.base_url right?")
    items = [cast("dict[str, Any]", item) for item in cast("list[object]", data) if isinstance(item, dict)]
    if len(items) != count:
        raise EmbeddingError(f"the embedding endpoint gave {len(items)} vectors for {count} texts")
    # Without any index, the order is that of the texts; with only some of them, it is unknown.
    places = [item.get("index", number if count == 1 else None) for number, item in enumerate(items)]
    if all(place is None for place in places):
        places = list(range(count))
    if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
        raise EmbeddingError("the embedding endpoint's answer does not say which vector is whose")
    rows: list[NDArray[np.float32] | None] = [None] * count
    for place, item in zip(places, items, strict=True):
        rows[place] = _vector(item.get("embedding"))
    whole = [row for row in rows if row is not None]
    if len({len(row) for row in whole}) != 1:
        raise EmbeddingError("the embedding endpoint gave vectors of different lengths at once")
    return np.stack(whole)


def _vector(value: object) -> NDArray[np.float32]:
    if isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
            return np.frombuffer(raw, "<f4").astype(np.float32)
        except (binascii.Error, ValueError):
            raise EmbeddingError("the embedding endpoint gave a vector that is no base64 of float32") from None
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1 or not array.size or array.dtype.kind not in "fiu":
        raise EmbeddingError("the embedding endpoint gave a vector that is no list of numbers")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused as such
        return array.astype(np.float32)

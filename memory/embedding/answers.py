"""What an OpenAI-compatible endpoint answers, read and judged: vectors, and what an HTTP status means. No I/O."""

from __future__ import annotations

import base64
import binascii
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError

_RETRIED = frozenset({408, 409, 425, 429})
_CODE = re.compile(r"[a-z][a-z0-9_.]{1,39}")


class GarbledError(EmbeddingError):
    """The answer is no JSON: cut off on its way, perhaps whole the next time."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A request that failed: what to tell, whether to try again and after how many seconds, if the endpoint said so."""

    message: str
    hint: str = ""
    again: bool = False
    wait: float | None = None
    timed_out: bool = False
    refused: bool = False
    """The endpoint does not take these texts, too long for instance; others it may."""


def vectors_of(body: bytes, count: int) -> NDArray[np.float32]:
    """The vectors of an answer in the order of the texts, whatever order they came in.

    Numbers and base64 (little-endian float32) are both read, whichever was asked for: some endpoints know only one.

    Args:
        body: ``{"data": [{"index": 0, "embedding": [...] or "..."}, ...]}``.
        count: how many texts were sent.

    Raises:
        GarbledError: it is no JSON.
        EmbeddingError: it is not one vector of the same length for each text.
    """
    try:
        answer: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise GarbledError("the embedding endpoint's answer is no JSON") from None
    data = cast("dict[str, Any]", answer).get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise EmbeddingError("the embedding endpoint's answer holds no vectors", hint="is embedding.base_url right?")
    items = [cast("dict[str, Any]", item) for item in cast("list[object]", data) if isinstance(item, dict)]
    if len(items) != count:
        raise EmbeddingError(f"the embedding endpoint gave {len(items)} vectors for {count} texts")
    # Without any index the order is that of the texts; with some of them it is anybody's guess.
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


def _vector(given: object) -> NDArray[np.float32]:
    if isinstance(given, str):
        try:
            raw = base64.b64decode(given, validate=True)
            return np.frombuffer(raw, "<f4").astype(np.float32)
        except (binascii.Error, ValueError):
            raise EmbeddingError("the embedding endpoint gave a vector that is no base64 of float32") from None
    try:
        array: NDArray[Any] = np.asarray(given)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1 or not array.size or array.dtype.kind not in "fiu":
        raise EmbeddingError("the embedding endpoint gave a vector that is no list of numbers")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused as such
        return array.astype(np.float32)


def trouble_of(
    status: int, code: object, headers: Mapping[str, str], key_source: str, section: str = "embedding"
) -> Trouble:
    """What an HTTP status means. The body's message is left alone: it may quote the texts.

    Args:
        status: 4xx or 5xx.
        code: the body's machine-readable code, shown when it looks like one.
        headers: of the answer.
        key_source: where the key is looked for, for the hint.
        section: of the configuration that names the endpoint: ``embedding``, ``llm``.
    """
    shown = f" ({code})" if isinstance(code, str) and _CODE.fullmatch(code) else ""
    message = f"the {section} endpoint answered {status}{shown}"
    if status in {401, 403}:
        return Trouble(message, hint=f"the key is taken from {key_source}")
    if status == 404:
        return Trouble(message, hint=f"check {section}.base_url, which mostly ends with /v1, and {section}.model")
    if status in _RETRIED or status >= 500:
        return Trouble(message, again=True, wait=retry_after(headers))
    hint = f"check {section}.model"
    if section == "embedding":
        hint += " and embedding.dimensions; for texts that are too long lower embedding.max_tokens"
    return Trouble(message, hint=hint, refused=status in {400, 413, 422})


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from ``retry-after-ms`` or ``Retry-After`` as seconds or a date (RFC 9110, 10.2.3)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        given = headers.get(name, "").strip()
        try:
            seconds = float(given) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (ValueError, TypeError):
        return None

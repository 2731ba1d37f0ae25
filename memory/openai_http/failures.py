"""Classifies failed requests by their HTTP status, and decides whether to retry. No I/O."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

FIRST_PAUSE = 1.0
"""Seconds before the second attempt; each further pause is twice as long."""
LONGEST_WAIT = 90.0
"""The longest wait in seconds; an endpoint that asks for more is left alone until the next run."""
_RETRIED = frozenset({408, 409, 425, 429})
_CODE = re.compile(r"[a-z][a-z0-9_.]{1,39}")


@dataclass(frozen=True, slots=True)
class EndpointFailure:
    """A failed request: the message, whether to retry, and the seconds to wait if the endpoint gave them."""

    message: str
    hint: str = ""
    again: bool = False
    wait: float | None = None
    timed_out: bool = False
    refused: bool = False
    """The endpoint does not accept these texts, for instance because they are too long; it may accept others."""
    broken: bool = False
    """The endpoint failed at this request or answered something unreadable; it may not fail at others."""


class RetryPolicy:
    """The remaining attempts of one request; a timeout counts as two."""

    def __init__(self, attempts: int) -> None:
        self._left = attempts
        self._pause = FIRST_PAUSE

    def pause_after(self, trouble: EndpointFailure) -> float | None:
        """Return the seconds until the next attempt; None if there is none."""
        self._left -= 2 if trouble.timed_out else 1
        pause = self._pause if trouble.wait is None else trouble.wait
        self._pause *= 2
        return pause if trouble.again and self._left > 0 and pause <= LONGEST_WAIT else None


def timeout_failure(section: str) -> EndpointFailure:
    """Return the failure of a timeout at the endpoint of a section of the configuration."""
    return EndpointFailure(f"the {section} endpoint did not answer in time", again=True, timed_out=True, broken=True)


def failure_of_status(
    status: int, code: object, headers: Mapping[str, str], key_source: str, section: str
) -> EndpointFailure:
    """Classify an HTTP status. The body's message is ignored, since it may quote the texts.

    Args:
        status: 4xx or 5xx.
        code: the body's machine-readable code, shown if it looks like one.
        headers: of the answer.
        key_source: the settings that name the key, for the hint.
        section: the section of the configuration that names the endpoint: ``embedding``, ``llm``.
    """
    shown = f" ({code})" if isinstance(code, str) and _CODE.fullmatch(code) else ""
    message = f"the {section} endpoint answered {status}{shown}"
    if status in {401, 403}:
        return EndpointFailure(message, hint=f"the key is taken from {key_source}")
    if status == 404:
        return EndpointFailure(
            message, hint=f"check {section}.base_url, which mostly ends with /v1, and {section}.model"
        )
    if 300 <= status < 400:
        hint = f"it leads to another address, where nothing is sent: set {section}.base_url to that one if it is right"
        return EndpointFailure(message, hint=hint)
    if status in _RETRIED or status >= 500:
        return EndpointFailure(message, again=True, wait=retry_after(headers), broken=status >= 500)
    hint = f"check {section}.model"
    if section == "embedding":
        hint += " and embedding.dimensions; for texts that are too long lower embedding.max_tokens"
    return EndpointFailure(message, hint=hint, refused=status in {400, 413, 422})


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from ``retry-after-ms`` or ``Retry-After`` as seconds or a date (RFC 9110, 10.2.3)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (ValueError, TypeError):
        return None

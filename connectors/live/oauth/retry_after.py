"""How long an answer of HTTP asks to wait (RFC 9110, section 10.2.3)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Of ``Retry-After``, as seconds or as a date; None where it does not say.

    Args:
        headers: by lower-case name.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None

"""The ``Retry-After`` header of HTTP answers (RFC 9110, section 10.2.3)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by ``Retry-After``, which holds seconds or a date; None without a valid value.

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

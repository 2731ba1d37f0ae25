"""Login with a code that is entered on any device (RFC 8628)."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...errors import RateLimitError, UnavailableError
from .endpoint import post
from .grants import (
    Client,
    DeviceCode,
    Pending,
    Provider,
    Tokens,
    device_code_of,
    device_form,
    poll_answer,
    poll_form,
    refusal_of,
)

SLOWER_S = 5.0
"""By so much the pauses grow when the provider says ``slow_down`` (RFC 8628, section 3.5)."""
_LONGEST_PAUSE_S = 60.0


def log_in_by_device(
    provider: Provider,
    client: Client,
    show: Callable[[DeviceCode], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.monotonic,
) -> Tokens:
    """Log in; blocks until it is done.

    Args:
        provider: with a ``device_url``.
        client: who asks.
        show: is told the code and where it is entered.
        sleep: waits so many seconds.
        now: seconds by any clock that only goes forward.

    Raises:
        AuthorizationError: somebody refused, or nobody confirmed the code in time.
        UnavailableError: the provider cannot be reached.
        RateLimitError: it wants to be asked later, before there is a code.
    """
    code = device_code_of(post(provider.device_url, device_form(client, provider), provider.ca_file))
    show(code)
    pause, ends = code.interval_s, now() + code.life_s
    while now() < ends:
        sleep(pause)
        try:
            answer = poll_answer(post(provider.token_url, poll_form(client, code), provider.ca_file))
        except (RateLimitError, UnavailableError) as error:  # the code stays valid meanwhile
            least_pause = error.retry_after_s if isinstance(error, RateLimitError) else None
            pause = min(max(pause * 2, SLOWER_S, least_pause or 0.0), max(_LONGEST_PAUSE_S, least_pause or 0.0))
            continue
        if isinstance(answer, Tokens):
            return answer
        assert isinstance(answer, Pending)
        if answer.slower:
            pause += SLOWER_S
    raise refusal_of("expired_token")

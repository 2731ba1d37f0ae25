"""Access tokens out of a refresh token. One that the provider puts in its place is stored before anything is done with it."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio
import anyio.to_thread

from .endpoint import post
from .grants import Client, Provider, refresh_form, tokens_of

MARGIN_S = 60.0
"""An access token that ends so soon is not begun with."""


class TokenSource:
    """The tokens of one account.

    Args:
        provider: gives them.
        client: who asks.
        refresh: the refresh token.
        save: keeps another one in its place; called in a worker thread, and nothing is done with it before it returns.
        access: an access token that is known already; empty for none.
        now: seconds by any clock that only goes forward.
    """

    def __init__(
        self,
        provider: Provider,
        client: Client,
        refresh: str,
        save: Callable[[str], None],
        *,
        access: str = "",
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.provider = provider
        self.client = client
        self.refresh = refresh
        self.held = {refresh}
        """Every refresh token that it has had: one of them is no other login, however late it was read."""
        self._save = save
        self._access = access
        self._now = now
        self._ends = float("inf") if access else 0.0
        self._lock = anyio.Lock()

    async def access_token(self, *, refused: str = "") -> str:
        """Return a token that is valid as far as is known.

        Args:
            refused: one that a server did not accept: another is asked for, unless that was done already.

        Raises:
            AuthorizationError: the provider does not accept the refresh token any more.
            RateLimitError: it wants to be asked later.
            UnavailableError: it cannot be reached, or answers nonsense.
            StoreError: another refresh token cannot be stored.
        """
        async with self._lock:
            if not self._access or self._access == refused or self._now() > self._ends - MARGIN_S:
                # Not cancelled: the provider may have replaced the refresh token already.
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(self._renew)
            return self._access

    def _renew(self) -> None:
        self._access = ""
        form = refresh_form(self.client, self.refresh)
        tokens = tokens_of(post(self.provider.token_url, form, self.provider.ca_file))
        if tokens.refresh and tokens.refresh != self.refresh:
            self.held.add(tokens.refresh)
            self._save(tokens.refresh)
            self.refresh = tokens.refresh
        # A token with a lifetime shorter than the margin is used at once, and only once.
        self._ends = self._now() + max(tokens.life_s, MARGIN_S)
        self._access = tokens.access

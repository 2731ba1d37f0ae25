"""An account that is read with access tokens: an expired token is renewed once, and reading continues at the same
position.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from ...errors import AuthorizationError
from ..contract import AccountView, Batch, LiveAccount, WatchedConnector
from .token_source import TokenSource


class RenewingAccount:
    """Reads an account.

    Args:
        tokens: of the account.
        make: what reads it with an access token.
    """

    def __init__(self, tokens: TokenSource, make: Callable[[str], LiveAccount]) -> None:
        self._tokens = tokens
        self._make = make
        self.name = make("").name

    async def look(self) -> AccountView:
        """Return the account's own view.

        Raises:
            As `pull`.
        """
        token = await self._tokens.access_token()
        try:
            return await self._make(token).look()
        except AuthorizationError:
            return await self._make(await self._tokens.access_token(refused=token)).look()

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Yield the account's own batches. A refused token is renewed once; a token that was accepted may be refused
        again later.

        Raises:
            AuthorizationError: the provider gives no more tokens, or the account does not accept a new one.
        """
        token = await self._tokens.access_token()
        fresh = False
        while True:
            try:
                async with aclosing(self._make(token).pull(cursor)) as batches:
                    async for batch in batches:
                        cursor, fresh = batch.cursor or cursor, False
                        yield batch
                return
            except AuthorizationError:
                if fresh:
                    raise
            token, fresh = await self._tokens.access_token(refused=token), True

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield the account's own changes; end at once if it has none.

        Raises:
            As `pull`.
        """
        token, fresh = await self._tokens.access_token(), False
        while True:
            account = self._make(token)
            if not isinstance(account, WatchedConnector):
                return
            try:
                async with aclosing(account.changes()) as changes:
                    async for each in changes:
                        fresh = False
                        yield each
                return
            except AuthorizationError:
                if fresh:
                    raise
            token, fresh = await self._tokens.access_token(refused=token), True


if TYPE_CHECKING:
    _: type[LiveAccount] = RenewingAccount

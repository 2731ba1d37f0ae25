"""A bot as a source that is pulled: the updates since the cursor.

Telegram keeps an update until a later one is asked for, at most for a day. So the next are asked for only when those before
are kept: whatever ends memd in between, they come again.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio.to_thread

from ....schemas import Notice
from ...connector import ReadOptions
from ..contract import AccountView, Batch, LiveAccount, ReplaceableConnector, WatchedConnector
from .cursor import Position
from .documents import NAME, ReadUpdates, read_updates
from .long_poll import LongPoll
from .polling import BotServer, open_bot

if TYPE_CHECKING:
    from telegram import User

    from .settings import TelegramSettings

KEPT_S = 24 * 3600
"""Seconds for which Telegram keeps an update (https://core.telegram.org/bots/api#getting-updates)."""

MISSING = "updates-may-be-missing"
PRIVACY = "in groups the bot sees only what is said to it: /setprivacy of @BotFather ends that, then add the bot to the group anew"


def open_account(source: TelegramSettings, secrets: Mapping[str, str], options: ReadOptions) -> TelegramAccount:
    """Return a connector for the bot of a source."""
    server = BotServer(source.api_url) if source.api_url else BotServer()
    return TelegramAccount(server, secrets.get("token", ""), options.of_connector("telegram"))


class TelegramAccount:
    """Reads the updates that a bot receives.

    Args:
        server: where the Bot API is.
        token: of the bot, from @BotFather.
        options: the zone, the user's own name, and the name for all its chats if one was given.
        now: seconds since 1970.
    """

    name = NAME

    def __init__(
        self, server: BotServer, token: str, options: ReadOptions, now: Callable[[], float] = time.time
    ) -> None:
        self._server = server
        self._token = token
        self._options = options
        self._now = now
        self._long_poll = LongPoll(server, token)

    async def look(self) -> AccountView:
        """Return the owner of the token. The Bot API does not list the chats of a bot.

        Raises:
            As `pull`.
        """
        async with open_bot(self._server, self._token) as bot:
            name = f"@{bot.me.username}" if bot.me.username else str(bot.me.id)
            notes = [
                f"the token is that of {name}; it is told what is written to it, and in groups and channels it is in"
            ]
            if bot.me.can_read_all_group_messages is False:
                notes.append(PRIVACY)
            return AccountView(notes=tuple(notes))

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Yield every unconfirmed update, a hundred at a time.

        Raises:
            AuthorizationError: the token is not valid (any more).
            ConflictError: another program reads this bot.
            ConfigError: the package for Telegram is not installed.
            RateLimitError: Telegram wants to be asked later.
            UnavailableError: it cannot be reached, or answers nonsense.
        """
        with self._long_poll.interrupted():
            async with aclosing(self._pulled(cursor)) as batches:
                async for batch in batches:
                    yield batch

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield a value when Telegram is reached, and whenever the bot received something since a pull of this object.

        Raises:
            As `pull`.
        """
        async with aclosing(self._long_poll.told()) as signals:
            async for _ in signals:
                yield

    def retire(self) -> None:
        """Another object reads the bot from now on: `changes` ends with an UnavailableError. For any thread."""
        self._long_poll.end()

    async def _pulled(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        async with open_bot(self._server, self._token) as bot:
            where = f"telegram:@{bot.me.username or bot.me.id}"
            position = Position.of_text(cursor).of_bot(bot.me.id)
            notices = _notices(bot.me, position, int(self._now()), where)
            offset = position.offset_at(int(self._now()))
            began = int(self._now())
            while updates := await bot.updates(offset):
                made = await anyio.to_thread.run_sync(read_updates, updates, bot.me.id, self._options, where)
                position = position.after(max(each["update_id"] for each in updates), int(self._now()))
                offset = position.offset
                yield _batch(made, notices, position)
                notices, began = (), int(self._now())
            # No more updates: the day for which Telegram keeps them counts from this request.
            lasting = tuple(each for each in notices if each.code == MISSING)
            yield Batch(notices=lasting, cursor=position.asked(began).to_text())


def _batch(made: ReadUpdates, notices: tuple[Notice, ...], position: Position) -> Batch:
    return Batch(tuple(made.documents), (*notices, *made.notices), tuple(made.rejected), position.to_text())


def _notices(me: User, position: Position, now: int, where: str) -> tuple[Notice, ...]:
    """Return notices about limits on the updates that the bot receives."""
    notices: list[Notice] = []
    if me.can_read_all_group_messages is False:
        notices.append(Notice(code="privacy-mode", locator=where, hint=PRIVACY))
    if position.seen_at and now - position.seen_at > KEPT_S:
        hint = "Telegram keeps what a bot is told for a day: if memd did not ask for so long, messages are missing"
        notices.append(Notice(code=MISSING, locator=where, hint=hint))
    return tuple(notices)


if TYPE_CHECKING:
    _: type[LiveAccount] = TelegramAccount
    _watched: type[WatchedConnector] = TelegramAccount
    _replaceable: type[ReplaceableConnector] = TelegramAccount

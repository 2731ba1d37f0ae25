"""Calls of the Bot API, and the meaning of its refusals. The token is in every address: no error or log contains one."""

from __future__ import annotations

import logging
import ssl
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import anyio

from ....schemas.errors import ConfigError, SourceError
from ...errors import AuthorizationError, ConflictError, RateLimitError, UnavailableError, UntrustedCertificateError
from ...formats.telegram.values import Object, list_of, object_of
from .documents import MESSAGE_UPDATES

if TYPE_CHECKING:
    from telegram import Bot, User

Answer = TypeVar("Answer")

OFFICIAL = "https://api.telegram.org"
LIMIT = 100
"""The number of updates per request: the most that the Bot API gives."""
SILENCE_S = 60.0
"""Seconds in which an answer must come."""
_LARGEST_ID = 2**53
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_CONFLICT_HINT = (
    "stop the other program that reads this bot, or remove its webhook (deleteWebhook); one program reads a bot"
)
_LOGIN_HINT = "get the token from @BotFather (/token)"


@dataclass(frozen=True, slots=True)
class BotServer:
    """The address of the Bot API."""

    base_url: str = OFFICIAL

    def __post_init__(self) -> None:
        """Raises ConfigError: the token would be sent in the clear, or to no server."""
        address = urlsplit(self.base_url)
        if not address.hostname or (address.scheme != "https" and not (address.scheme == "http" and self.is_here)):
            raise ConfigError("the address of a Bot API server begins with https://", hint=f"as in {OFFICIAL}")
        if address.username is not None or address.password is not None:
            raise ConfigError("the address of a Bot API server holds no name or password", hint=f"as in {OFFICIAL}")

    @property
    def is_here(self) -> bool:
        """Return whether the server is on this machine: requests to it bypass proxies."""
        return urlsplit(self.base_url).hostname in _LOOPBACK


@asynccontextmanager
async def open_bot(server: BotServer, token: str) -> AsyncGenerator[Poller]:
    """Yield a bot whose token is valid.

    Raises:
        AuthorizationError: it is not.
        ConfigError: the package for Telegram is not installed.
        RateLimitError: Telegram wants to be asked later.
        UnavailableError: it cannot be reached, or answers nonsense.
    """
    try:
        from telegram import Bot
        from telegram.error import InvalidToken
        from telegram.request import HTTPXRequest
    except ImportError as error:
        hint = "pip install 'memd-daemon[telegram]'"
        raise ConfigError("the package for Telegram is not installed", hint=hint) from error
    _silence()
    client_settings: dict[str, Any] = {"httpx_kwargs": {"trust_env": not server.is_here}}
    request = HTTPXRequest(
        connect_timeout=SILENCE_S, read_timeout=SILENCE_S, write_timeout=SILENCE_S, **client_settings
    )
    updates = HTTPXRequest(
        connect_timeout=SILENCE_S, read_timeout=SILENCE_S, write_timeout=SILENCE_S, **client_settings
    )
    try:
        bot = Bot(token, base_url=f"{server.base_url.rstrip('/')}/bot", request=request, get_updates_request=updates)
    except InvalidToken:
        raise AuthorizationError("there is no token", hint=_LOGIN_HINT) from None
    try:
        yield Poller(bot, await _answered(bot.get_me))
    finally:
        with anyio.move_on_after(5, shield=True):
            await request.shutdown()
            await updates.shutdown()


@dataclass(frozen=True, slots=True)
class Poller:
    """Asks for updates."""

    bot: Bot
    me: User

    async def updates(self, offset: int | None, *, limit: int = LIMIT, wait_s: int = 0) -> list[Object]:
        """Return the updates from an id on, as they were sent. Updates with smaller ids are thereby confirmed and
        deleted from the server.

        Args:
            offset: the id; None: whatever is not confirmed.
            limit: updates at once.
            wait_s: seconds until it is answered that there is nothing.

        Raises:
            AuthorizationError: the token is not valid (any more).
            ConflictError: another program reads this bot.
            RateLimitError: Telegram wants to be asked later.
            SourceError: the server does not know the request.
            UnavailableError: it cannot be reached, or answers nonsense.
        """
        arguments = {"limit": limit, "timeout": wait_s, "allowed_updates": list(MESSAGE_UPDATES)}
        if offset is not None:
            arguments["offset"] = offset
        # `Bot.get_updates` fails for all updates if one has a shape that the library does not know, and logs their
        # texts. Names of methods have any case (https://core.telegram.org/bots/api#making-requests); the library warns
        # about its own spelling.
        answer = await _answered(lambda: self.bot.do_api_request("GETUPDATES", api_kwargs=arguments))
        updates = [object_of(each) for each in list_of(answer)]
        if not isinstance(answer, list) or not all(map(_is_usable, updates)):
            raise UnavailableError("the Bot API server answers with something that is no list of updates")
        if offset is not None and any(each["update_id"] < offset for each in updates):
            raise UnavailableError("the Bot API server gives updates again that were confirmed")
        return updates


def _is_usable(update: Object) -> bool:
    """Return whether an update has an id that may be confirmed: a negative offset would request the last updates and
    drop the earlier ones.
    """
    number = update.get("update_id")
    return type(number) is int and 0 <= number <= _LARGEST_ID


async def _answered(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return the answer; raise the library's errors as memd's, without their texts, which contain the token or
    messages.
    """
    from telegram.error import (
        BadRequest,
        Conflict,
        EndPointNotFound,
        Forbidden,
        InvalidToken,
        NetworkError,
        RetryAfter,
        TelegramError,
    )

    try:
        with anyio.fail_after(2 * SILENCE_S):
            return await ask()
    except RetryAfter as error:
        wait = error.retry_after
        seconds = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
        raise RateLimitError("Telegram: too many requests", retry_after_s=seconds) from None
    except (InvalidToken, Forbidden, EndPointNotFound):
        raise AuthorizationError("Telegram does not accept the token", hint=_LOGIN_HINT) from None
    except Conflict:
        raise ConflictError("another program reads this bot, or it has a webhook", hint=_CONFLICT_HINT) from None
    except BadRequest:
        raise SourceError("the Bot API server does not understand the request") from None
    except (NetworkError, TimeoutError) as error:
        if _is_untrusted(error):
            raise UntrustedCertificateError("the certificate of the Bot API server is not trusted") from None
        raise UnavailableError("the Bot API server cannot be reached, or failed") from None
    except (TelegramError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        raise UnavailableError("the Bot API server answers nonsense") from None


def _is_untrusted(error: BaseException) -> bool:
    """Return whether an error comes from TLS rejecting the server's certificate as signed by no trusted authority."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _silence() -> None:
    """Silence loggers of the libraries that print addresses, which contain the token, and the texts of updates that
    they cannot read. The warning is the library's about itself: it reads a field that it is going to change
    (`RetryAfter.retry_after`).
    """
    from telegram.warnings import PTBDeprecationWarning

    warnings.filterwarnings("ignore", category=PTBDeprecationWarning)
    for name in ("telegram", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)

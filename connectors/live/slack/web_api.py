"""Calls of Slack's Web API, and the meaning of its refusals. No error or log contains a token or an answer; answers are
limited in size.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import anyio

from ....schemas.errors import ConfigError, SourceError
from ...errors import AuthorizationError, RateLimitError, UnavailableError, UntrustedCertificateError
from ...formats.slack.values import JSONObject, object_of, text_of
from ...text.json_parsing import parse_json

if TYPE_CHECKING:
    import aiohttp
    from slack_sdk.web.async_client import AsyncWebClient

OFFICIAL = "https://slack.com/api/"
SILENCE_S = 60.0
"""Seconds in which an answer must come."""
LARGEST_ANSWER = 64 << 20
"""Bytes of an answer, uncompressed: a thousand of the longest messages, with their blocks, have about 40 MiB."""
LONGEST_WAIT_S = 86_400.0
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_TOKEN = re.compile(r"xox[a-z](?:\.[a-z])?-[\x21-\x7e]+")
_APP_TOKEN = re.compile(r"xapp-[\x21-\x7e]+")
_CODE = re.compile(r"[a-z_]{1,60}")
_NOT_VALID = frozenset({
    "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "user_removed_from_team",
    "org_login_required", "two_factor_setup_required", "team_access_not_granted", "enterprise_is_restricted",
})  # fmt: skip
"""Errors after which nothing helps but another token (https://docs.slack.dev/reference/methods/auth.test)."""
_FAILED = frozenset({
    "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", "accesslimited",
    "external_channel_migrating",
})  # fmt: skip
"""Errors of Slack's own that may be over soon."""
_LOGIN_HINT = "the User OAuth Token of the app (xoxp-…), under OAuth & Permissions"


class PartError(SourceError):
    """One part of an account is refused, while others may be read: a scope is missing, or the user is not in a channel."""

    def __init__(self, code: str, needed: str = "") -> None:
        hint = f"the app lacks the scope {needed}" if needed else ""
        super().__init__(f"Slack refuses it: {code}", hint=hint)
        self.code = code
        self.needed = needed

    @property
    def reason(self) -> str:
        """Return the reason in one line."""
        return f"{self.code}: {self.hint}" if self.hint else self.code


@dataclass(frozen=True, slots=True)
class SlackServer:
    """The address of the Web API, and the longest silence of its server."""

    base_url: str = OFFICIAL
    silence_s: float = SILENCE_S

    def __post_init__(self) -> None:
        """Raises ConfigError: the token would be sent in the clear, or to no server."""
        address = urlsplit(self.base_url)
        if not address.hostname or (address.scheme != "https" and not (address.scheme == "http" and self.is_here)):
            raise ConfigError("the address of Slack's API begins with https://", hint=f"as in {OFFICIAL}")
        if address.username is not None or address.password is not None:
            raise ConfigError("the address of Slack's API holds no name or password", hint=f"as in {OFFICIAL}")

    @property
    def is_here(self) -> bool:
        """Return whether the server is on this machine: requests to it bypass proxies."""
        return urlsplit(self.base_url).hostname in _LOOPBACK


@dataclass(frozen=True, slots=True)
class Login:
    """The identity behind a token."""

    team: str
    user: str
    scopes: tuple[str, ...] = ()
    team_name: str = ""
    address: str = ""
    """The address of the workspace, ``https://acme.slack.com/``."""


class WebApi:
    """Asks with one token.

    Args:
        client: of the library.
    """

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def login(self) -> Login:
        """Return the identity behind the token.

        Raises:
            As `ask`.
        """
        answer, headers = await self._asked("auth.test", {})
        scopes = [each.strip() for each in headers.get("x-oauth-scopes", "").split(",")]
        team, user = text_of(answer, "team_id"), text_of(answer, "user_id")
        if not team or not user:
            raise UnavailableError("Slack's server does not say whose token it is")
        shown = tuple(sorted(filter(None, scopes)))
        return Login(team, user, shown, text_of(answer, "team"), text_of(answer, "url"))

    async def ask(self, method: str, **arguments: str | int) -> JSONObject:
        """Return the answer of a method.

        Raises:
            AuthorizationError: the token is not valid (any more).
            PartError: what is asked for is refused.
            RateLimitError: Slack wants to be asked later.
            UnavailableError: it cannot be reached, or answers nonsense.
            UntrustedCertificateError: its certificate is not trusted.
        """
        return (await self._asked(method, arguments))[0]

    async def _asked(self, method: str, arguments: dict[str, Any]) -> tuple[JSONObject, dict[str, str]]:
        import aiohttp
        from slack_sdk.errors import SlackClientError

        try:
            response: Any = await cast("Any", self._client).api_call(method, data={**arguments})  # its types say little
        except SlackClientError as error:
            raise _refusal(getattr(error, "response", None)) from None
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError):
            raise UntrustedCertificateError("the certificate of Slack's server is not trusted") from None
        except (aiohttp.ClientError, OSError, TimeoutError):
            raise UnavailableError("Slack's server cannot be reached, or failed") from None
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            raise UnavailableError("Slack's server answers nonsense") from None
        headers = {str(name).lower(): str(value) for name, value in response.headers.items()}
        return object_of({"": response.data}, ""), headers


@asynccontextmanager
async def open_api(server: SlackServer, token: str) -> AsyncGenerator[WebApi]:
    """Yield the Web API with a token, until the block ends.

    Raises:
        AuthorizationError: this is no token of a user.
        ConfigError: the packages for Slack are not installed.
    """
    if token.startswith("xoxb-"):
        hint = f"a bot sees only channels it is invited to; {_LOGIN_HINT}"
        raise AuthorizationError("the token is that of a bot", hint=hint)
    if not _TOKEN.fullmatch(token):
        raise AuthorizationError("there is no token of a user", hint=_LOGIN_HINT)
    async with open_session(server) as session:
        yield WebApi(_client(server, token, session))


def app_api(server: SlackServer, token: str, session: aiohttp.ClientSession) -> WebApi:
    """Return the Web API with the token of an app.

    Raises:
        AuthorizationError: this is none.
    """
    if not _APP_TOKEN.fullmatch(token):
        hint = "the App-Level Token of the app (xapp-…), under Basic Information"
        raise AuthorizationError("there is no token of an app", hint=hint)
    return WebApi(_client(server, token, session))


@asynccontextmanager
async def open_session(server: SlackServer) -> AsyncGenerator[aiohttp.ClientSession]:
    """Connections to Slack, until the block ends.

    Raises:
        ConfigError: the packages for Slack are not installed.
    """
    try:
        import aiohttp
        import slack_sdk as _sdk  # noqa: F401 # pyright: ignore[reportUnusedImport] - told here when it is missing

        from .bounded_response import BoundedResponse
    except ImportError as error:
        hint = "pip install 'memd-daemon[slack]'"
        raise ConfigError("the packages for Slack are not installed", hint=hint) from error
    session = aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=2 * server.silence_s, sock_read=server.silence_s),
        response_class=BoundedResponse,
        trust_env=not server.is_here,
    )
    try:
        yield session
    finally:
        with anyio.move_on_after(5, shield=True):
            await session.close()


def _client(server: SlackServer, token: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    from slack_sdk.web.async_client import AsyncWebClient

    silent = logging.getLogger("memd.slack_sdk")  # the library logs whole answers where its logger has no level
    silent.setLevel(logging.CRITICAL + 1)
    address = f"{server.base_url.rstrip('/')}/"
    client = AsyncWebClient(token, base_url=address, session=session, logger=silent, retry_handlers=[])
    client.proxy = None  # the session knows proxies, and where none is to be used
    return client


def _refusal(response: Any) -> SourceError:  # noqa: ANN401 - of a library whose types say little
    """Return the error that an unsuccessful answer stands for; without the answer's text, which may be anything."""
    status = getattr(response, "status_code", 0)
    data = getattr(response, "data", None)
    answer = object_of({"": data}, "")
    code = text_of(answer, "error")
    code = code if _CODE.fullmatch(code) else ""
    if status == 429 or code == "ratelimited":
        return RateLimitError("too many requests", retry_after_s=_retry_after(getattr(response, "headers", {})))
    if code in _NOT_VALID or status in (401, 403):
        return AuthorizationError(f"Slack does not accept the token{f' ({code})' if code else ''}", hint=_LOGIN_HINT)
    if status != 200 or code in _FAILED:
        return UnavailableError("Slack's server cannot be reached, or failed")
    if not code or answer.get("ok") is not False:
        return UnavailableError("Slack's server answers nonsense")
    needed = text_of(answer, "needed")
    return PartError(code, needed if re.fullmatch(r"[a-z:.,_ ]{1,80}", needed) else "")


def _retry_after(headers: Any) -> float | None:  # noqa: ANN401 - as above
    written = str(headers.get("Retry-After", headers.get("retry-after", "")))
    try:
        return min(max(0.0, float(written)), LONGEST_WAIT_S) if len(written) < 20 else None
    except ValueError:
        return None


def decoded(body: bytes) -> object:
    """Return the JSON of an answer; None for invalid JSON."""
    try:
        return parse_json(body).value
    except ValueError:
        return None

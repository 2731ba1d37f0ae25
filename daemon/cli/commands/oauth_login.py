"""Login by OAuth on the terminal: an address to open or a code to enter, then the tokens for the daemon. Nothing of them is shown."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...client import UnreadableAccountError
from ..arguments import Parser, UsageError
from ..render.terminal import clean, say
from .secret_input import read_secret

if TYPE_CHECKING:
    from ....connectors.live.oauth.grants import DeviceCode
    from ....connectors.live.oauth.settings import OAuthSettings

SECRET_FLAGS = ("client_secret_file", "login_by")


def add_login_flags(parser: Parser) -> None:
    """Add the flags for one login."""
    parser.add_argument(
        "--client-secret-file",
        metavar="FILE",
        help="read the secret of the client id from this file now, - is standard input; default: ask where it is needed",
    )
    parser.add_argument(
        "--login-by",
        choices=("browser", "device"),
        help="a page that comes back to this machine, or a code to enter anywhere; default: a code where the provider has one",
    )


def log_in(arguments: argparse.Namespace, given: Mapping[str, Any]) -> dict[str, str]:
    """Log in to an account with these settings; the secrets to store.

    Raises:
        UsageError: the provider has no such way, or there is no secret.
        InvalidError: the settings cannot be used.
        UnreadableAccountError: the login was refused, or could not be tried.
    """
    from pydantic import ValidationError

    from ....connectors.live.oauth.device import log_in_by_device
    from ....connectors.live.oauth.loopback import log_in_by_browser
    from ....schemas.errors import InvalidError, SourceError, envelope
    from ...config.source_settings import source_settings

    try:
        settings = source_settings(given).oauth_login
    except ValidationError as error:
        raise InvalidError("; ".join(str(each["msg"]) for each in error.errors())) from None
    assert settings is not None
    provider = settings.provider
    secret = _client_secret(arguments, settings)
    client = settings.client(secret)
    if note := settings.preset.note:
        say(f"note: {note}")
    way = arguments.login_by or ("device" if provider.device_url else "browser")
    if not (provider.device_url if way == "device" else provider.authorize_url):
        raise UsageError(f"the provider has no login by {way}", "leave out --login-by")
    try:
        if way == "device":
            tokens = log_in_by_device(provider, client, _show_code)
        else:
            tokens = log_in_by_browser(provider, client, str(given.get("user", "")), _show_address)
    except SourceError as error:  # as the daemon answers of a login that it tries
        raise UnreadableAccountError(envelope(error, "")) from None
    if not tokens.refresh:
        raise UsageError("the provider gave no refresh token", "ask for it: with Microsoft by the scope offline_access")
    return {"refresh_token": tokens.refresh, "access_token": tokens.access} | (
        {"client_secret": secret} if secret else {}
    )


def _client_secret(arguments: argparse.Namespace, settings: OAuthSettings) -> str:
    """The secret of the client id; empty where the provider wants none."""
    if arguments.client_secret_file is not None:
        return read_secret(arguments.client_secret_file, "client secret")
    if settings.client_secret_file is not None:
        return read_secret(str(settings.client_secret_file), "client secret")
    if not settings.preset.needs_secret:
        return ""
    if not sys.stdin.isatty():
        raise UsageError("the client id needs its secret", "--client-secret-file FILE")
    return getpass.getpass(f"client secret of {clean(settings.oauth_client_id or '')}: ")


def _show_address(url: str) -> None:
    say("open this address in a browser on this machine, and log in there:")
    say(f"  {clean(url)}")
    say("memd waits ten minutes for it to come back; Ctrl-C ends that")


def _show_code(code: DeviceCode) -> None:
    say(f"open {clean(code.url)} on any device, and enter the code {clean(code.user_code)}")
    say(f"memd waits {round(code.life_s / 60)} minutes for it; Ctrl-C ends that")

"""The documented addresses of widely used OAuth providers, and the flags of a login. Imports the standard library alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..account_kind import Flag

CUSTOM = "custom"
"""The name for any other provider: its addresses and its scope are settings."""


class OAuthPreset(NamedTuple):
    """The known values of a provider."""

    token_url: str
    scope: str
    authorize_url: str = ""
    device_url: str = ""
    needs_secret: bool = False
    """True if it gives every client a secret, and requires it in each request."""
    note: str = ""
    """A note for the user before the login."""


_MICROSOFT = "https://login.microsoftonline.com/common/oauth2/v2.0"
OAUTH_PRESETS: Mapping[str, OAuthPreset] = {
    "microsoft": OAuthPreset(
        token_url=f"{_MICROSOFT}/token",
        scope="https://outlook.office.com/IMAP.AccessAsUser.All offline_access",
        authorize_url=f"{_MICROSOFT}/authorize",
        device_url=f"{_MICROSOFT}/devicecode",
    ),
    "google": OAuthPreset(
        token_url="https://oauth2.googleapis.com/token",  # noqa: S106 - an address
        scope="https://mail.google.com/",
        authorize_url="https://accounts.google.com/o/oauth2/v2/auth",
        needs_secret=True,
        note='while the app of the client id is in "Testing", Google ends each login after 7 days; then log in again,'
        " or publish the app, or use an app password instead",
    ),
    CUSTOM: OAuthPreset(token_url="", scope=""),
}
OAUTH_FLAGS = (
    Flag("--oauth", "oauth", "log in by OAuth instead of a password", choices=tuple(OAUTH_PRESETS)),
    Flag("--client-id", "oauth_client_id", "the client id that you registered at the provider", "ID"),
    Flag("--authorize-url", "oauth_authorize_url", "of a provider that memd does not know; so are the next", "URL"),
    Flag("--device-url", "oauth_device_url", "where it gives codes for other devices (RFC 8628)", "URL"),
    Flag("--token-url", "oauth_token_url", "where it gives tokens", "URL"),
    Flag("--scope", "oauth_scope", "what to ask for", "SCOPE"),
    Flag(
        "--client-secret-file",
        "client_secret_file",
        "",
        "FILE",
        holds="file",
        help_of_change="read the secret of the client id from it at each login",
    ),
)
"""The flags of `memd sources` for the login of an account by OAuth."""
OAUTH_SETTINGS = tuple(flag.setting for flag in OAUTH_FLAGS)

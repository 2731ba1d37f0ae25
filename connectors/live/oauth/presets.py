"""The documented addresses of widely used OAuth providers. Imports the standard library alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

OAUTH_SETTINGS = (
    "oauth",
    "oauth_client_id",
    "oauth_authorize_url",
    "oauth_device_url",
    "oauth_token_url",
    "oauth_scope",
    "client_secret_file",
)
"""The settings of an account that uses OAuth to log in."""
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

"""The kinds of accounts that are sources, with the settings and secrets of each. Imports the standard library alone,
for the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class AccountKind:
    """One kind of account."""

    title: str
    """The name for people: ``mail by IMAP``."""
    settings: tuple[str, ...]
    """The keys of this kind in a table ``[[sources]]``, besides those that every source has."""
    required: tuple[str, ...]
    """The keys that are required."""
    secrets: tuple[str, ...]
    """The names of its secrets, which are never in the configuration. `memd sources login` asks for the first; the
    setting ``<secret>_file`` names a file that holds one.
    """
    where: str = ""
    """A description of the first secret and the place to find it, for the prompt."""
    oauth_secrets: tuple[str, ...] = ()
    """The names of its secrets if it logs in by OAuth, instead of ``secrets``; empty if it cannot."""
    schedule: str = ""
    """The default schedule; empty: every night."""
    one_connector: bool = False
    """True if the same connector is watched and pulled, because pulling needs what watching has received."""


ACCOUNT_KINDS: Mapping[str, AccountKind] = {
    "imap": AccountKind(
        title="mail by IMAP",
        settings=("host", "port", "tls", "ca_file", "user", "folders", "password_file", *OAUTH_SETTINGS),
        required=("host", "user"),
        secrets=("password",),
        where="the password of the account; of Gmail, Fastmail, iCloud and the like a password for apps (app password)",
        oauth_secrets=("refresh_token", "client_secret", "access_token"),
    ),
    "slack": AccountKind(
        title="a workspace of Slack",
        settings=("api_url", "folders", "token_file", "app_token_file"),
        required=(),
        secrets=("token", "app_token"),
        where="the User OAuth Token of your app of Slack (xoxp-…): api.slack.com/apps, OAuth & Permissions",
        schedule="1h",
        one_connector=True,
    ),
    "telegram": AccountKind(
        title="a bot of Telegram",
        settings=("api_url", "token_file"),
        required=(),
        secrets=("token",),
        where="the token of the bot: write /token to @BotFather",
        schedule="5m",  # Telegram keeps what a bot is told for a day at most
        one_connector=True,
    ),
}
ACCOUNT_SETTINGS = tuple(dict.fromkeys(name for kind in ACCOUNT_KINDS.values() for name in kind.settings))
"""The settings that a folder does not have."""
ACCOUNT_IDENTITY = ("host", "user", "api_url")
"""The settings that identify an account: if they change, a cursor and a stored secret are invalid."""
ACCOUNT_LOGIN = (*ACCOUNT_IDENTITY, "oauth", "oauth_client_id", "oauth_token_url")
"""The settings that decide where a stored secret may be sent."""

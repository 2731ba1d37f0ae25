"""The kinds of accounts that are sources: which settings and secrets each has. The standard library alone, for the command line."""

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
"""Of an account that is logged in to by OAuth."""


@dataclass(frozen=True, slots=True)
class AccountKind:
    """One kind of account."""

    title: str
    """For people: ``mail by IMAP``."""
    settings: tuple[str, ...]
    """Its own keys of a table ``[[sources]]``, beside those that every source has."""
    required: tuple[str, ...]
    """Those without which there is no account."""
    secrets: tuple[str, ...]
    """What is never in the configuration. The first is asked for by `memd sources login`; ``<secret>_file`` is the setting of a
    file that holds one."""
    where: str = ""
    """What the first secret is and where it is found, for who is asked for it."""
    oauth_secrets: tuple[str, ...] = ()
    """Those in their place where the account is logged in to by OAuth; empty where it cannot be."""
    schedule: str = ""
    """When it is read, where nothing else is said; empty: every night."""
    one_connector: bool = False
    """The same connector is watched and pulled, for each of them knows what the other one does."""


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
"""Settings that a folder does not have."""
ACCOUNT_IDENTITY = ("host", "user", "api_url")
"""Settings that tell one account from another: with other ones, a cursor and a stored secret mean nothing."""
ACCOUNT_LOGIN = (*ACCOUNT_IDENTITY, "oauth", "oauth_client_id", "oauth_token_url")
"""Settings that say where a stored secret may be sent."""

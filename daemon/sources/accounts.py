"""The kinds of accounts, each with the function that makes its connector from settings and secrets.

To add a kind: its row in `config.account_kinds`, its settings in `config.source_settings`, a function here, and its line in
`_MAKERS`. A library of a kind is imported inside its function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from threading import Lock
from typing import TYPE_CHECKING

from pydantic import SecretStr

from ...connectors.connector import ReadOptions
from ...connectors.live.contract import LiveAccount, ReplaceableConnector
from ...schemas.errors import ConfigError, InvalidError
from ..config.account_kinds import ACCOUNT_KINDS
from ..config.account_secrets import account_secrets, store_secrets, stored_secrets
from ..config.credentials import usable_password
from ..config.source_settings import SourceSettings
from ..config.timezones import zone_named
from ..config.user_names import user_names
from .oauth_tokens import is_source_of, token_source

if TYPE_CHECKING:
    from ...connectors.live.oauth.token_source import TokenSource
    from ..config.settings import Settings

MakeAccount = Callable[[SourceSettings, Mapping[str, str], ReadOptions], LiveAccount]
"""A function that makes a connector from the settings of a source, its secrets by name, and the read options."""


class Accounts:
    """Makes connectors of accounts.

    Args:
        settings: of the daemon.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._kept: dict[str, tuple[SourceSettings, Mapping[str, str], LiveAccount]] = {}
        """The connectors by job, for kinds that collect what the server announces while watched and return it when
        pulled.
        """
        self._tokens: dict[str, TokenSource] = {}
        """The token sources by source name, for OAuth logins; shared so that each access token is requested only once.
        """

    def connector(self, source: SourceSettings) -> LiveAccount:
        """Return the connector of an account with its stored secrets. Reads files; call it in a worker thread.

        Raises:
            AuthorizationError: there are no secrets for it.
            ConfigError: a file of secrets cannot be used.
            StoreError: the stored secrets cannot be read.
        """
        with self._lock:  # the watcher and a run call this at once, and share the tokens
            secrets = account_secrets(source, self._settings.data_dir)
            if source.oauth is not None:
                tokens = self._tokens.get(source.name)
                if tokens is None or not is_source_of(tokens, source, secrets):  # logged in anew, or another account
                    tokens = self._tokens[source.name] = self._token_source(source, secrets)
                return self.with_secrets(source, secrets, tokens)
            if not ACCOUNT_KINDS[source.kind].one_connector:
                return self.with_secrets(source, secrets)
            *same, account = self._kept.get(source.job, (None, None, None))
            if account is None or same != [source, secrets]:
                _retire(account)
                account = self.with_secrets(source, secrets)
                self._kept[source.job] = (source, secrets, account)
            return account

    def forget(self, source: str, job: str) -> None:
        """Drop the connector and tokens of a removed source, and retire the connector, which ends its watching. Call it
        in a worker thread.
        """
        with self._lock:
            self._tokens.pop(source, None)
            if (kept := self._kept.pop(job, None)) is not None:
                _retire(kept[-1])

    def _token_source(self, source: SourceSettings, secrets: Mapping[str, str]) -> TokenSource:
        """Return the token source of an account; it stores a refresh token when the provider renews it."""
        data_dir = self._settings.data_dir
        held = secrets["refresh_token"]

        def save(refresh: str) -> None:
            nonlocal held
            stored = stored_secrets(source, data_dir)
            if stored.get("refresh_token") in (None, held):  # else the user has logged in again
                store_secrets(source, data_dir, {**stored, "refresh_token": refresh})
                held = refresh

        return token_source(source, secrets, save)

    def with_secrets(
        self, source: SourceSettings, secrets: MutableMapping[str, str], tokens: TokenSource | None = None
    ) -> LiveAccount:
        """Return a connector with these secrets; a refresh token that the provider renews replaces the old one in
        ``secrets``.

        Args:
            source: the account.
            secrets: by name.
            tokens: of the account, where they are known already.
        """
        zone, origin = self._settings.zone_in_force()
        options = ReadOptions(
            zone=zone_named(source.zone) if source.zone else zone,
            zone_origin="option" if source.zone else origin,
            me=source.me,
            names=user_names(self._settings),
        )
        make = _MAKERS[source.kind]
        if source.oauth is None:
            return make(source, secrets, options)
        from ...connectors.live.oauth.renewing_account import RenewingAccount

        def save(refresh: str) -> None:
            secrets["refresh_token"] = refresh

        return RenewingAccount(
            tokens or token_source(source, secrets, save),
            lambda token: make(source, {"access_token": token}, options),
        )


def _retire(account: LiveAccount | None) -> None:
    if isinstance(account, ReplaceableConnector):
        account.retire()


def secrets_of(settings: SourceSettings, given: Mapping[str, SecretStr]) -> dict[str, str]:
    """Return the secrets of a request as text, by name.

    Raises:
        InvalidError: the source has no such secrets, or a value is not usable as a secret.
    """
    known = settings.secret_names
    if not known and given:
        raise InvalidError(f"a source of the kind {settings.kind} has no secrets", hint="an account has")
    if wrong := sorted({*given} - {*known}):
        raise InvalidError(
            f"there is no secret {wrong[0][:40]!r} of {settings.kind}", hint=f"secrets: {', '.join(known)}"
        )
    try:
        return {name: usable_password(value.get_secret_value(), f"the {name}") for name, value in given.items()}
    except ConfigError as error:
        raise InvalidError(error.message, hint=error.hint) from None


def _imap(source: SourceSettings, secrets: Mapping[str, str], options: ReadOptions) -> LiveAccount:
    from ...connectors.live.imap.connector import ImapConnector
    from ...connectors.live.imap.login import Credentials
    from ...connectors.live.imap.transport import Server

    assert source.host is not None
    assert source.user is not None
    security = source.tls or "tls"
    server = Server(source.host, source.port or (993 if security == "tls" else 143), security, source.ca_file)
    credentials = Credentials(
        source.user, password=secrets.get("password", ""), access_token=secrets.get("access_token", "")
    )
    return ImapConnector(server, credentials, None, options.of_connector("mail"), folders=source.folders)


def _slack(source: SourceSettings, secrets: Mapping[str, str], options: ReadOptions) -> LiveAccount:
    from ...connectors.live.slack.connector import SlackAccount
    from ...connectors.live.slack.web_api import SlackServer

    server = SlackServer(source.api_url) if source.api_url else SlackServer()
    read_options = options.of_connector("slack")
    return SlackAccount(
        server, secrets.get("token", ""), read_options, app_token=secrets.get("app_token", ""), chosen=source.folders
    )


def _telegram(source: SourceSettings, secrets: Mapping[str, str], options: ReadOptions) -> LiveAccount:
    from ...connectors.live.telegram.connector import TelegramAccount
    from ...connectors.live.telegram.polling import BotServer

    server = BotServer(source.api_url) if source.api_url else BotServer()
    return TelegramAccount(server, secrets.get("token", ""), options.of_connector("telegram"))


_MAKERS: Mapping[str, MakeAccount] = {"imap": _imap, "slack": _slack, "telegram": _telegram}

"""Makes the connectors of accounts from settings and secrets; each kind has a function for it in its own folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from pkgutil import resolve_name
from threading import Lock
from typing import TYPE_CHECKING, cast

from pydantic import SecretStr

from ...connectors.connector import ReadOptions
from ...connectors.live.account_registry import ACCOUNT_KINDS
from ...connectors.live.contract import LiveAccount, ReplaceableConnector
from ...schemas.errors import ConfigError, InvalidError
from ..config.account_secrets import account_secrets, store_secrets, stored_secrets
from ..config.credentials import usable_password
from ..config.source_settings import SourceSettings
from ..config.timezones import zone_named
from ..config.user_names import user_names

if TYPE_CHECKING:
    from ...connectors.live.oauth.settings import OAuthSettings
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
            if (login := source.oauth_login) is not None:
                tokens = self._tokens.get(source.name)
                if tokens is None or not _is_source_of(tokens, login, secrets):  # logged in anew, or another account
                    tokens = self._tokens[source.name] = self._token_source(source, login, secrets)
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

    def _token_source(self, source: SourceSettings, login: OAuthSettings, secrets: Mapping[str, str]) -> TokenSource:
        """Return the token source of an account; it stores a refresh token when the provider renews it."""
        data_dir = self._settings.data_dir
        held = secrets["refresh_token"]

        def save(refresh: str) -> None:
            nonlocal held
            stored = stored_secrets(source, data_dir)
            if stored.get("refresh_token") in (None, held):  # else the user has logged in again
                store_secrets(source, data_dir, {**stored, "refresh_token": refresh})
                held = refresh

        return _token_source(login, secrets, save)

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
        make = cast("MakeAccount", resolve_name(ACCOUNT_KINDS[source.kind].connector))
        if (login := source.oauth_login) is None:
            return make(source, secrets, options)
        from ...connectors.live.oauth.renewing_account import RenewingAccount

        def save(refresh: str) -> None:
            secrets["refresh_token"] = refresh

        return RenewingAccount(
            tokens or _token_source(login, secrets, save),
            lambda token: make(source, {"access_token": token}, options),
        )


def _retire(account: LiveAccount | None) -> None:
    if isinstance(account, ReplaceableConnector):
        account.retire()


def _token_source(login: OAuthSettings, secrets: Mapping[str, str], save: Callable[[str], None]) -> TokenSource:
    """Return the token source of an account; ``save`` stores a refresh token that the provider has renewed."""
    from ...connectors.live.oauth.token_source import TokenSource

    client = login.client(secrets.get("client_secret", ""))
    access = secrets.get("access_token", "")
    return TokenSource(login.provider, client, secrets.get("refresh_token", ""), save, access=access)


def _is_source_of(tokens: TokenSource, login: OAuthSettings, secrets: Mapping[str, str]) -> bool:
    """Return whether a token source belongs to the account as it is configured and logged in now."""
    client = login.client(secrets.get("client_secret", ""))
    same = (tokens.provider, tokens.client) == (login.provider, client)
    return same and secrets["refresh_token"] in tokens.held


def secrets_of(settings: SourceSettings, secrets: Mapping[str, SecretStr]) -> dict[str, str]:
    """Return the secrets of a request as text, by name.

    Raises:
        InvalidError: the source has no such secrets, or a value is not usable as a secret.
    """
    names = settings.secret_names
    if not names and secrets:
        raise InvalidError(f"a source of the kind {settings.kind} has no secrets", hint="an account has")
    if wrong := sorted({*secrets} - {*names}):
        raise InvalidError(
            f"there is no secret {wrong[0][:40]!r} of {settings.kind}", hint=f"secrets: {', '.join(names)}"
        )
    try:
        return {name: usable_password(value.get_secret_value(), f"the {name}") for name, value in secrets.items()}
    except ConfigError as error:
        raise InvalidError(error.message, hint=error.hint) from None

"""Builds the OAuth token source of an account from its settings and secrets. Imports the OAuth library only when
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..config.oauth_providers import OAUTH_PRESETS
from ..config.source_settings import SourceSettings

if TYPE_CHECKING:
    from ...connectors.live.oauth.grants import Client, Provider
    from ...connectors.live.oauth.token_source import TokenSource


def provider_of(source: SourceSettings) -> Provider:
    """Return the OAuth provider of an account with ``oauth``."""
    from ...connectors.live.oauth.grants import Provider

    assert source.oauth is not None
    preset = OAUTH_PRESETS[source.oauth]
    return Provider(
        source.oauth_token_url or preset.token_url,
        source.oauth_scope or preset.scope,
        source.oauth_authorize_url or preset.authorize_url,
        source.oauth_device_url or preset.device_url,
        source.ca_file,
    )


def client_of(source: SourceSettings, secret: str) -> Client:
    """Return the client identity with which memd registers at the provider."""
    from ...connectors.live.oauth.grants import Client

    return Client(source.oauth_client_id or "", secret)


def token_source(source: SourceSettings, secrets: Mapping[str, str], save: Callable[[str], None]) -> TokenSource:
    """Return the token source of an account; ``save`` stores a refresh token that the provider has renewed."""
    from ...connectors.live.oauth.token_source import TokenSource

    client = client_of(source, secrets.get("client_secret", ""))
    access = secrets.get("access_token", "")
    return TokenSource(provider_of(source), client, secrets.get("refresh_token", ""), save, access=access)


def is_source_of(tokens: TokenSource, source: SourceSettings, secrets: Mapping[str, str]) -> bool:
    """Return whether a token source belongs to the account as it is configured and logged in now."""
    client = client_of(source, secrets.get("client_secret", ""))
    same = (tokens.provider, tokens.client) == (provider_of(source), client)
    return same and secrets["refresh_token"] in tokens.held

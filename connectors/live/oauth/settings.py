"""The settings of an account that may log in by OAuth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, model_validator

from ....schemas.secret_urls import usable_url
from ....schemas.settings import AbsolutePath, PrintableText, Section
from .presets import OAUTH_PRESETS, OAUTH_SETTINGS, OAuthPreset

if TYPE_CHECKING:
    from .grants import Client, Provider


def _of_a_provider(value: str) -> str:
    if not usable_url(value):
        raise ValueError("is no address of a provider: it begins with https://")
    return value


ProviderUrl = Annotated[PrintableText, AfterValidator(_of_a_provider)]


class OAuthSettings(Section):
    """An account that takes tokens of OAuth 2 if ``oauth`` is set."""

    ca_file: AbsolutePath | None = None
    """Certificates in PEM that are trusted instead of the system's, for a server that signs its own."""
    oauth: Literal["microsoft", "google", "custom"] | None = None
    """The provider of the tokens."""
    oauth_client_id: PrintableText | None = None
    """The client id that you registered there."""
    client_secret_file: AbsolutePath | None = None
    """A file that holds the secret of the client id, readable by its owner alone."""
    oauth_authorize_url: ProviderUrl | None = None
    """The address of a provider that memd does not know, or knows by another. This and the next two begin with ``https://``."""
    oauth_device_url: ProviderUrl | None = None
    oauth_token_url: ProviderUrl | None = None
    oauth_scope: PrintableText | None = None
    """The scope to ask for; providers part several by a blank."""

    @model_validator(mode="after")
    def _whole_login(self) -> Self:
        if self.oauth is None:
            if present := [name for name in OAUTH_SETTINGS if getattr(self, name)]:
                raise ValueError(f"{present[0]} says nothing without oauth")
            return self
        if not self.oauth_client_id:
            raise ValueError("oauth needs oauth_client_id: the client id that you registered at the provider")
        provider = self.provider
        if not provider.token_url or not provider.scope:
            raise ValueError("oauth of another provider needs oauth_token_url and oauth_scope")
        if not provider.authorize_url and not provider.device_url:
            raise ValueError("oauth of another provider needs oauth_authorize_url or oauth_device_url")
        return self

    @property
    def preset(self) -> OAuthPreset:
        """Return the known values of the provider of an account with ``oauth``."""
        assert self.oauth is not None
        return OAUTH_PRESETS[self.oauth]

    @property
    def provider(self) -> Provider:
        """Return the provider of an account with ``oauth``."""
        from .grants import Provider

        preset = self.preset
        return Provider(
            self.oauth_token_url or preset.token_url,
            self.oauth_scope or preset.scope,
            self.oauth_authorize_url or preset.authorize_url,
            self.oauth_device_url or preset.device_url,
            self.ca_file,
        )

    def client(self, secret: str) -> Client:
        """Return the client identity with which memd registers at the provider."""
        from .grants import Client

        return Client(self.oauth_client_id or "", secret)

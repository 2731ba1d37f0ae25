"""The settings of an account of mail."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ....schemas.settings import AbsolutePath, PrintableText, Section
from ..oauth.settings import OAuthSettings


class _Mailbox(Section):
    host: PrintableText
    """The server, ``imap.example.org``."""
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """By default 993, with ``starttls`` 143."""
    tls: Literal["tls", "starttls"] | None = None
    """TLS from the first byte, the default, or after STARTTLS. There is no connection without."""
    user: PrintableText
    """The name by which the server knows the account; as a rule the address."""
    folders: tuple[str, ...] = ()
    """Names of folders that alone are read, with ``/`` between their parts; by default all but spam, trash and drafts."""
    password_file: AbsolutePath | None = None
    """A file that holds the password, readable by its owner alone; by default what `memd sources login` stored."""


class ImapSettings(OAuthSettings, _Mailbox):
    """An account of mail; with ``oauth`` it takes tokens of OAuth 2 instead of a password."""

    @model_validator(mode="after")
    def _one_login(self) -> Self:
        if self.oauth is not None and self.password_file is not None:
            raise ValueError("an account with oauth has no password_file")
        return self

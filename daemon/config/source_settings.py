"""The settings of one source: what it is, where it lies, when it is read. One table of ``[[sources]]``, or a row of the journal."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticKnownError

from ...schemas.errors import ConfigError
from ...schemas.secret_urls import usable_url
from .account_kinds import ACCOUNT_IDENTITY, ACCOUNT_KINDS, ACCOUNT_LOGIN, ACCOUNT_SETTINGS, OAUTH_SETTINGS
from .oauth_providers import OAUTH_PRESETS
from .timezones import zone_named

SOURCE_NAME = re.compile(r"[\w][\w.@+ -]{0,63}")
NAME_BYTES = 200
"""The maximum bytes of a name: with a suffix it names files, and file systems allow 255 bytes."""
DEFAULT_SCHEDULE = "0 3 * * *"
"""The default schedule: every night at three o'clock."""


def _without_nul(value: Path) -> Path:
    """Refuse a NUL, which no system call accepts: the error would come at the first use, far from here."""
    if "\0" in str(value):
        raise ValueError("holds a NUL, which no path may")
    return value


UsablePath = Annotated[Path, AfterValidator(_without_nul)]
"""Any path in a setting, existing or not."""


class Section(BaseModel):
    """A group of settings; frozen, and closed: an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse ``true`` for a number, which pydantic would accept as 1."""
        wanted = str(cls.model_fields[str(info.field_name)].annotation) if isinstance(value, bool) else ""
        if re.search(r"\bfloat\b", wanted):
            raise PydanticKnownError("float_type")
        if re.search(r"\bint\b", wanted):
            raise PydanticKnownError("int_type")
        return value


class SourceSettings(Section):
    """A source that is read again and again. Frozen and closed."""

    name: str
    """By which commands know it; letters, digits, space and ``._@+-``, at most 64."""
    kind: str = "folder"
    """``folder``, or what an account is: ``imap``, ``slack``, ``telegram``."""
    path: UsablePath | None = None
    """Of a folder."""
    schedule: str = DEFAULT_SCHEDULE
    """Five fields as in crontab(5), ``@daily`` and its kind, or an interval such as ``6h``."""
    watch: bool | None = None
    """Read also when something in the folder changes, or a server tells that something came; by default an account is, a folder
    is not."""
    jitter_s: Annotated[float, Field(ge=0, le=86_400)] = 0.0
    """A run begins up to so many seconds late, by chance."""
    misfire_grace_s: Annotated[float, Field(gt=0, le=366 * 86_400)] | None = None
    """A run that was missed by more seconds is left out; by default every missed run is made up, once."""
    format: str | None = None
    """As ``--format`` of ``memd ingest``; so are the next four."""
    me: str | None = None
    chat: str | None = None
    zone: str | None = None
    date_order: Literal["dmy", "mdy", "ymd"] | None = None
    after_read: Literal["keep", "move", "delete"] = "keep"
    """What becomes of an export that was read whole and is journaled."""
    move_to: UsablePath | None = None
    """The folder for ``move``."""
    host: str | None = None
    """Of an account of mail: its server, ``imap.example.org``. This and the following are an account's alone."""
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """By default 993, with ``starttls`` 143."""
    tls: Literal["tls", "starttls"] | None = None
    """TLS from the first byte, the default, or after STARTTLS. There is no connection without."""
    ca_file: UsablePath | None = None
    """Certificates in PEM that are trusted instead of the system's, for a server that signs its own."""
    user: str | None = None
    """Whom the server knows the account by; as a rule the address."""
    folders: tuple[str, ...] = ()
    """Names of folders that alone are read, with ``/`` between their parts; by default all but spam, trash and drafts. Of Slack,
    names or ids of conversations; by default all that the person is a member of."""
    password_file: UsablePath | None = None
    """A file that holds the password, readable by its owner alone; by default what `memd sources login` stored."""
    oauth: Literal["microsoft", "google", "custom"] | None = None
    """Of an account of mail that takes tokens of OAuth 2 instead of a password: who gives them."""
    oauth_client_id: str | None = None
    """The client id that you registered there."""
    client_secret_file: UsablePath | None = None
    """A file that holds the secret of the client id, as ``password_file``."""
    oauth_authorize_url: str | None = None
    """Of a provider that memd does not know, or knows by another address. This and the next two begin with ``https://``."""
    oauth_device_url: str | None = None
    oauth_token_url: str | None = None
    oauth_scope: str | None = None
    """What is asked for; providers part several by a blank."""
    api_url: str | None = None
    """Of a bot of Telegram: a Bot API server of one's own; by default Telegram's. Of Slack: its Web API; by default Slack's."""
    token_file: UsablePath | None = None
    """A file that holds the token of a bot, or of a person in Slack, as ``password_file``."""
    app_token_file: UsablePath | None = None
    """A file that holds the token of an app of Slack (``xapp-``), with which it is told at once what happens."""
    options: dict[str, str] = Field(default_factory=dict[str, str])
    """Of a kind of source that a program adds."""

    @field_validator("name")
    @classmethod
    def _usable_name(cls, value: str) -> str:
        if not SOURCE_NAME.fullmatch(value):
            raise ValueError("a source's name is letters, digits, space and ._@+-, at most 64; choose one with --name")
        if len(value.encode()) > NAME_BYTES:
            raise ValueError(f"a source's name has at most {NAME_BYTES} bytes; choose a shorter one with --name")
        return value

    @field_validator(*ACCOUNT_SETTINGS)
    @classmethod
    def _of_this_kind(cls, value: object, info: ValidationInfo) -> object:
        kind, name = str(info.data.get("kind")), str(info.field_name)
        if value in (None, ()) or kind not in ("folder", *ACCOUNT_KINDS):
            return value
        rules = ACCOUNT_KINDS.get(kind)
        if rules is None or name not in rules.settings:
            kinds = ", ".join(each for each, rules in ACCOUNT_KINDS.items() if name in rules.settings)
            raise ValueError(f"is a setting of another kind of source: {kinds}")
        if isinstance(value, str) and not (value.strip() and value.isprintable()):
            raise ValueError("is empty, or has characters that do not print")
        return value

    @field_validator("oauth_authorize_url", "oauth_device_url", "oauth_token_url")
    @classmethod
    def _to_a_provider(cls, value: str | None) -> str | None:
        if value is not None and not usable_url(value):
            raise ValueError("is no address of a provider: it begins with https://")
        return value

    @field_validator(
        "path", "move_to", "ca_file", "password_file", "token_file", "app_token_file", "client_secret_file"
    )
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        try:
            value = value.expanduser()
        except RuntimeError:
            raise ValueError("begins with ~, and there is no home folder") from None
        if not value.is_absolute():
            raise ValueError("must be an absolute path")
        return value

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                zone_named(value)
            except ConfigError as error:
                raise ValueError(f"{error.message}; {error.hint}") from None
        return value

    @model_validator(mode="before")
    @classmethod
    def _schedule_of_the_kind(cls, value: object) -> object:
        """Set the default schedule of the account's kind, if none is given."""
        if isinstance(value, dict) and "schedule" not in value:
            table: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
            rules = ACCOUNT_KINDS.get(str(table.get("kind")))
            if rules is not None and rules.schedule:
                return {**table, "schedule": rules.schedule}
        return value  # pyright: ignore[reportUnknownVariableType]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.path is None) != (self.kind != "folder"):
            raise ValueError("a folder needs a path" if self.kind == "folder" else "only a folder has a path")
        if (self.after_read == "move") != (self.move_to is not None):
            raise ValueError('after_read = "move" and move_to belong together')
        if self.move_to is not None and self.path is not None and self.move_to.is_relative_to(self.path):
            raise ValueError("move_to must not lie in the folder that is read")
        rules = ACCOUNT_KINDS.get(self.kind)
        if rules is not None and (missing := [name for name in rules.required if not getattr(self, name)]):
            raise ValueError(f"an account of the kind {self.kind} needs {' and '.join(missing)}")
        self._require_whole_login()
        if rules is not None and self.after_read != "keep":
            raise ValueError("only a folder has after_read and move_to")
        if rules is not None and (self.chat or self.format or self.date_order):
            raise ValueError("only a folder has chat, format and date_order")
        return self

    def _require_whole_login(self) -> None:
        """Raise ValueError if the OAuth settings are incomplete or contradict each other."""
        if self.oauth is None:
            if present := [name for name in OAUTH_SETTINGS if getattr(self, name)]:
                raise ValueError(f"{present[0]} says nothing without oauth")
            return
        preset = OAUTH_PRESETS[self.oauth]
        if not self.oauth_client_id:
            raise ValueError("oauth needs oauth_client_id: the client id that you registered at the provider")
        if self.password_file is not None:
            raise ValueError("an account with oauth has no password_file")
        if not (self.oauth_token_url or preset.token_url) or not (self.oauth_scope or preset.scope):
            raise ValueError("oauth of another provider needs oauth_token_url and oauth_scope")
        urls = (self.oauth_authorize_url, self.oauth_device_url, preset.authorize_url, preset.device_url)
        if not any(urls):
            raise ValueError("oauth of another provider needs oauth_authorize_url or oauth_device_url")

    @property
    def secret_names(self) -> tuple[str, ...]:
        """Return the names of the account's secrets; the first is required for a login."""
        rules = ACCOUNT_KINDS.get(self.kind)
        if rules is None:
            return ()
        return rules.oauth_secrets if self.oauth is not None else rules.secrets

    @property
    def is_watched(self) -> bool:
        """Return whether it is read when something in it changes."""
        if self.watch is not None:
            return self.watch
        return self.kind in ACCOUNT_KINDS

    @property
    def job(self) -> str:
        """Return its name among all jobs."""
        return f"source:{self.name}"

    @property
    def account(self) -> str:
        """Return the identity that its secrets belong to: with another server or user, a stored password is not sent
        anywhere.
        """
        return " ".join([self.kind, *(str(getattr(self, name) or "") for name in ACCOUNT_LOGIN)]).strip()

    @property
    def secret_file(self) -> Path | None:
        """Return the file with the secret for the login, if the settings name one."""
        return self.password_file or self.token_file

    @property
    def identity(self) -> str:
        """Return a digest of the settings that decide what is read: if they change, a cursor or a file's state is
        invalid.
        """
        relevant = ("kind", "path", "format", "me", "chat", "zone", "date_order", "options")
        plain = self.model_dump(mode="json")
        # Account settings are omitted for a folder, so that its digest stays that of versions without accounts.
        account = [name for name in ACCOUNT_IDENTITY if plain[name] is not None]
        text = json.dumps({name: plain[name] for name in (*relevant, *account)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_wire(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, in plain JSON types."""
        usual = self.watch is self.model_copy(update={"watch": None}).is_watched
        return self.model_dump(mode="json", exclude_defaults=True, exclude={"watch"} if usual else None)

"""The settings of one source: its kind, its place, its schedule. One table of ``[[sources]]``, or a row of the journal."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from ...connectors.live.account_registry import ACCOUNT_KINDS, FIRST_SECRETS
from ...connectors.live.oauth.settings import OAuthSettings
from ...schemas.errors import ConfigError
from ...schemas.settings import AbsolutePath, Section
from .timezones import zone_named

SOURCE_NAME = re.compile(r"[\w][\w.@+ -]{0,63}")
NAME_BYTES = 200
"""The maximum bytes of a name: with a suffix it names files, and file systems allow 255 bytes."""
DEFAULT_SCHEDULE = "0 3 * * *"
"""The default schedule: every night at three o'clock."""
_IDENTITY = ("host", "user", "api_url")
"""The settings that identify an account: if they change, a cursor and a stored secret are invalid."""
_LOGIN = (*_IDENTITY, "oauth", "oauth_client_id", "oauth_token_url")
"""The settings that decide where a stored secret may be sent."""


def _known_zone(value: str | None) -> str | None:
    if value is not None:
        try:
            zone_named(value)
        except ConfigError as error:
            raise ValueError(f"{error.message}; {error.hint}") from None
    return value


ZoneName = Annotated[str | None, AfterValidator(_known_zone)]
"""The name of a zone of the tz database; anything else is an error of the settings."""


class SourceSettings(Section):
    """A source that is read again and again: what every kind has. Frozen and closed."""

    name: str
    """The name by which commands know it; letters, digits, space and ``._@+-``, at most 64."""
    kind: str = "folder"
    """``folder``, or the kind of an account."""
    path: AbsolutePath | None = None
    """The folder to read, for the kind ``folder``."""
    schedule: str = DEFAULT_SCHEDULE
    """Five fields as in crontab(5), ``@daily`` and its kind, or an interval such as ``6h``."""
    watch: bool | None = None
    """Read also when something in the folder changes, or a server tells that something came; by default an account is, a folder
    is not."""
    jitter_s: Annotated[float, Field(ge=0, le=86_400)] = 0.0
    """A run begins up to so many seconds late, by chance."""
    misfire_grace_s: Annotated[float, Field(gt=0, le=366 * 86_400)] | None = None
    """A run that was missed by more seconds is left out; by default every missed run is made up, once."""
    me: str | None = None
    """As ``--me`` of ``memd ingest``."""
    zone: ZoneName = None
    """As ``--zone`` of ``memd ingest``."""
    options: dict[str, str] = Field(default_factory=dict[str, str])
    """Settings of a kind of source that a program adds."""

    @field_validator("name")
    @classmethod
    def _usable_name(cls, value: str) -> str:
        if not SOURCE_NAME.fullmatch(value):
            raise ValueError("a source's name is letters, digits, space and ._@+-, at most 64; choose one with --name")
        if len(value.encode()) > NAME_BYTES:
            raise ValueError(f"a source's name has at most {NAME_BYTES} bytes; choose a shorter one with --name")
        return value

    @model_validator(mode="after")
    def _folder_has_a_path(self) -> Self:
        if (self.path is None) != (self.kind != "folder"):
            raise ValueError("a folder needs a path" if self.kind == "folder" else "only a folder has a path")
        return self

    @property
    def oauth_login(self) -> OAuthSettings | None:
        """Return the settings of the login by OAuth; None if there is no such login."""
        return self if isinstance(self, OAuthSettings) and self.oauth is not None else None

    @property
    def secret_names(self) -> tuple[str, ...]:
        """Return the names of the account's secrets; the first is required for a login."""
        kind = ACCOUNT_KINDS.get(self.kind)
        if kind is None:
            return ()
        return kind.secret_names if self.oauth_login is None else kind.oauth_secrets

    @property
    def is_watched(self) -> bool:
        """Return whether it is read when something in it changes."""
        return self.kind in ACCOUNT_KINDS if self.watch is None else self.watch

    @property
    def job(self) -> str:
        """Return its name among all jobs."""
        return f"source:{self.name}"

    @property
    def owner(self) -> str:
        """Return the server and the user of an account, as far as it has them."""
        return self._joined(_IDENTITY)

    @property
    def account(self) -> str:
        """Return the identity that its secrets belong to: with another server or user, a stored password is not sent
        anywhere.
        """
        return self._joined(("kind", *_LOGIN))

    def _joined(self, names: tuple[str, ...]) -> str:
        return " ".join(str(getattr(self, name, None) or "") for name in names).strip()

    @property
    def secret_file(self) -> Path | None:
        """Return the file with the secret for the login, if the settings name one."""
        files = (getattr(self, f"{name}_file", None) for name in FIRST_SECRETS)
        return next((file for file in files if file), None)

    @property
    def identity(self) -> str:
        """Return a digest of the settings that decide what is read: if they change, a cursor or a file's state is
        invalid.
        """
        relevant = ("kind", "path", "format", "me", "chat", "zone", "date_order", "options")
        plain = self.model_dump(mode="json")
        # Account settings are omitted for a folder, so that its digest stays that of versions without accounts.
        account = [name for name in _IDENTITY if plain.get(name) is not None]
        # A mirror reads everything once, because it must know which file holds which note.
        account += ["mirror"] if plain.get("mirror") else []
        text = json.dumps({name: plain.get(name) for name in (*relevant, *account)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_wire(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, in plain JSON types."""
        usual = self.watch is self.model_copy(update={"watch": None}).is_watched
        return self.model_dump(mode="json", exclude_defaults=True, exclude={"watch"} if usual else None)


class FolderSettings(SourceSettings):
    """A folder of exports."""

    format: str | None = None
    """As ``--format`` of ``memd ingest``; so are the next two."""
    chat: str | None = None
    date_order: Literal["dmy", "mdy", "ymd"] | None = None
    after_read: Literal["keep", "move", "delete"] = "keep"
    """The treatment of an export that was read whole and is journaled."""
    move_to: AbsolutePath | None = None
    """The folder for ``move``."""
    mirror: bool = False
    """Take a note out of the memory when its file is gone; undoing the run brings it back."""

    @model_validator(mode="after")
    def _folder_for_exports(self) -> Self:
        if (self.after_read == "move") != (self.move_to is not None):
            raise ValueError('after_read = "move" and move_to belong together')
        if self.move_to is not None and self.path is not None and self.move_to.is_relative_to(self.path):
            raise ValueError("move_to must not lie in the folder that is read")
        if self.mirror and self.after_read != "keep":
            raise ValueError(
                "a mirror keeps the files where they are: neither move nor delete them (--move-to, --delete-read; move_to, after_read)"
            )
        return self


MODELS: Mapping[str, type[SourceSettings]] = {"folder": FolderSettings} | {
    kind.name: create_model(kind.title, __base__=(resolve_name(kind.settings), SourceSettings))
    for kind in ACCOUNT_KINDS.values()
}
"""The settings of each kind of source."""
_DEFAULTS = {
    name: field.get_default()
    for model in MODELS.values()
    for name, field in model.model_fields.items()
    if name not in SourceSettings.model_fields
}
"""The settings that not every source has, with their defaults."""
SETTING_NAMES = (*SourceSettings.model_fields, *_DEFAULTS)
_OtherSettings: type[SourceSettings] = create_model(
    "other", __base__=SourceSettings, **cast("dict[str, Any]", dict.fromkeys(_DEFAULTS, (Any, None)))
)
"""A source of a kind that a program adds, or of none."""


def source_settings(table: object) -> SourceSettings:
    """Return the settings of a source, checked by the model of its kind.

    Raises:
        ValidationError: they cannot be used.
    """
    if not isinstance(table, dict):
        return SourceSettings.model_validate(table)
    values = cast("dict[str, Any]", table)
    name = str(values.get("kind", "folder"))
    kind, model = ACCOUNT_KINDS.get(name), MODELS.get(name, _OtherSettings)
    if kind is not None and kind.schedule:
        values = {"schedule": kind.schedule, **values}
    values = {  # none, or the default of another kind, says nothing
        key: value
        for key, value in values.items()
        if key not in _DEFAULTS
        or (value is not None and (key in model.model_fields or value not in ([], _DEFAULTS[key])))
    }
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ValidationError.from_exception_data(error.title, _worded(error, name)) from None


def _worded(error: ValidationError, kind: str) -> list[InitErrorDetails]:
    """Return the errors; those about settings that are missing, or that only other kinds have, in plain words."""
    details = error.errors(include_url=False)
    missing = [str(each["loc"][0]) for each in details if each["type"] == "missing" and each["loc"][0] in _DEFAULTS]
    worded: dict[tuple[object, ...], InitErrorDetails] = {}
    for each in details:
        name, words, place = str((*each["loc"], "")[0]), "", each["loc"]
        kinds = [other for other, model in MODELS.items() if name in model.model_fields]
        if name in missing:
            words, place = f"an account of the kind {kind} needs {' and '.join(missing)}", ()
        elif each["type"] == "extra_forbidden" and kinds == ["folder"]:
            disposal = name in ("after_read", "move_to")
            words = f"only a folder has {'after_read and move_to' if disposal else 'chat, format and date_order'}"
            words = "only a folder has mirror" if name == "mirror" else words
            place = ()
        elif each["type"] == "extra_forbidden" and kinds:
            words = f"is a setting of another kind of source: {', '.join(kinds)}"
        error_type, context = (
            ("value_error", {"error": ValueError(words)}) if words else (each["type"], each.get("ctx", {}))
        )
        if error_type == "path_type":  # pydantic's own, which its core does not know by name
            error_type = PydanticCustomError("path_type", "is not a valid path")
        detail = InitErrorDetails(type=error_type, loc=place, input=each["input"], ctx=context)
        worded[place, words or each["msg"]] = detail
    return list(worded.values())


if TYPE_CHECKING:
    AnySource = SourceSettings
else:
    AnySource = Annotated[
        reduce(lambda one, other: one | other, MODELS.values()) | _OtherSettings, BeforeValidator(source_settings)
    ]
    """The settings of a source of any kind."""

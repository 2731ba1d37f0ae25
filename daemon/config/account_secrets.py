"""Passwords and tokens of accounts: a private file for each below the data directory, or files that the settings name.

They are never in the configuration, the journal, a backup, a log or an answer of the API. A file is replaced as a
whole: after a crash it holds the old secrets or the new ones, and a renewed token is stored before it is used.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ...connectors.errors import AuthorizationError
from ...memory.private_files import create_anew, make_folders, open_private, restrict_to_owner, sync_folder
from ...schemas.errors import StoreError
from .credentials import CREDENTIALS, password_of
from .paths import TOKENS
from .source_settings import SourceSettings

VERSION = 1
UNUSED_DAYS = 7
"""The days that the secrets of a missing source are kept: its configuration may be unreachable for a while."""
_SUFFIX, _UNUSED = ".json", ".unused"


class _Stored(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    v: int = VERSION
    account: str
    """The account, as `SourceSettings.account` returns it: the secrets are for this one alone."""
    secrets: dict[str, str]


def account_secrets(
    settings: SourceSettings, data_dir: Path, environ: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the secrets of an account, by name. Files that its settings name come first, then secrets that `memd
    sources login` stored, then files ``NAME.<secret>`` that systemd provides (``LoadCredential=``).

    Raises:
        AuthorizationError: the first secret of the kind is missing, without which no login is possible.
        ConfigError: a file that the settings name cannot be used.
        StoreError: the stored ones cannot be read.
    """
    variables = os.environ if environ is None else environ
    secrets = stored_secrets(settings, data_dir)
    provided = variables.get(CREDENTIALS, "")
    for name in settings.secret_names:
        file: Path | None = getattr(settings, f"{name}_file", None)
        if file is not None:
            secrets[name] = password_of(file, variables)
        elif (
            name not in secrets
            and provided
            and (credential_file := Path(provided) / f"{settings.name}.{name}").is_file()
        ):
            secrets[name] = password_of(credential_file, variables)
    if settings.secret_names[0] not in secrets:
        what = "login" if settings.oauth_login else settings.secret_names[0]
        raise AuthorizationError(
            f"there is no {what} for the account", hint=f"`memd sources login {shlex.quote(settings.name)}` stores it"
        )
    return secrets


def stored_secrets(settings: SourceSettings, data_dir: Path) -> dict[str, str]:
    """Return the secrets stored for this account; empty if they were stored for another server or user.

    Raises:
        StoreError: the file cannot be read.
    """
    path = _path(data_dir, settings.name)
    try:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            stored = _Stored.model_validate_json(file.read())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError:
        hint = f"`memd sources login {shlex.quote(settings.name)}` stores it anew"
        raise StoreError(f"{path} holds no secrets that memd can read", hint=hint) from None
    return stored.secrets if stored.v == VERSION and stored.account == settings.account else {}


def store_secrets(settings: SourceSettings, data_dir: Path, secrets: Mapping[str, str]) -> None:
    """Store the secrets of an account, replacing earlier ones; they are on the disk when this returns.

    Raises:
        StoreError: the file cannot be written.
    """
    path = _path(data_dir, settings.name)
    fresh = path.with_name(f"{path.name}.new")
    body = _Stored(account=settings.account, secrets=dict(secrets)).model_dump()
    try:
        make_folders(path.parent)
        restrict_to_owner(path.parent)
        with os.fdopen(create_anew(fresh), "w", encoding="ascii") as file:
            json.dump(body, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def recover_secrets(data_dir: Path) -> None:
    """Put completely written files in place after a crash, because they are newer than those they were to replace: a
    provider may have renewed a token. Call it only while nobody else writes secrets.

    Raises:
        StoreError: a file cannot be renamed or removed.
    """
    for fresh in sorted((data_dir / TOKENS).glob(f"*{_SUFFIX}.new")):
        try:
            _Stored.model_validate_json(fresh.read_bytes())
        except ValidationError:
            complete = False
        except OSError as error:
            raise StoreError(f"{fresh} cannot be read: {error.strerror}") from error
        else:
            complete = True
        try:
            if complete:
                fresh.replace(fresh.with_name(fresh.name.removesuffix(".new")))
                sync_folder(fresh.parent)
            else:
                fresh.unlink()
        except OSError as error:
            raise StoreError(f"{fresh} cannot be put in place: {error.strerror}") from error


def remove_secrets(name: str, data_dir: Path) -> None:
    """Remove the secrets stored for a source, and leftovers of a crash.

    Raises:
        StoreError: the file cannot be removed.
    """
    path = _path(data_dir, name)
    for each in (path, path.with_name(f"{path.name}.new"), _unused_mark(data_dir, name)):
        try:
            with suppress(FileNotFoundError):
                each.unlink()
        except OSError as error:
            raise StoreError(f"{each} cannot be removed: {error.strerror}") from error


def sweep_secrets(data_dir: Path, names: Collection[str]) -> tuple[list[str], list[str]]:
    """Remove secrets that no source has had for `UNUSED_DAYS`, so that a configuration that is unreachable for a while
    loses nothing. Nobody else may write secrets meanwhile.

    Args:
        data_dir: of the memory.
        names: of every source, also of one that cannot be read.

    Returns the names whose secrets were removed, and those whose secrets still wait for removal.

    Raises:
        StoreError: a file cannot be removed, or marked as unused.
    """
    folder = data_dir / TOKENS
    removed: list[str] = []
    try:
        for mark in folder.glob(f"*{_SUFFIX}{_UNUSED}"):
            if mark.name.removesuffix(f"{_SUFFIX}{_UNUSED}") in names:
                mark.unlink(missing_ok=True)
        waiting = unused_secrets(data_dir, names)
        for name in waiting:
            mark = _unused_mark(data_dir, name)
            if not mark.exists():
                os.close(create_anew(mark))
            elif not 0 <= time.time() - mark.stat().st_mtime < UNUSED_DAYS * 86_400:
                _path(data_dir, name).unlink(missing_ok=True)
                mark.unlink(missing_ok=True)
                removed.append(name)
    except OSError as error:
        raise StoreError(f"{folder} cannot be swept: {error.strerror}") from error
    return removed, [name for name in waiting if name not in removed]


def unused_secrets(data_dir: Path, names: Collection[str]) -> list[str]:
    """Return the names under which secrets are stored for no source."""
    stored = (path.name.removesuffix(_SUFFIX) for path in (data_dir / TOKENS).glob(f"*{_SUFFIX}"))
    return sorted({*stored} - {*names})


def _unused_mark(data_dir: Path, name: str) -> Path:
    """Return the path of an empty file whose age shows how long no source has had these secrets."""
    return data_dir / TOKENS / f"{name}{_SUFFIX}{_UNUSED}"


def _path(data_dir: Path, name: str) -> Path:
    return data_dir / TOKENS / f"{name}{_SUFFIX}"

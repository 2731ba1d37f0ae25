"""Keys of endpoints and passwords of accounts, from private files or from the environment. Never shown, never logged."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ...schemas.errors import ConfigError

LONGEST = 16 * 1024
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""The variable that names the folder of ``LoadCredential=`` files. systemd gives the unit's user access by a list,
which shows as group permission.
"""

_UNREADABLE = "write the key alone into a file of this name that only you may read, or change api_key_file"
_UNREADABLE_FILE = (
    "write the password alone into a file of this name that only you may read, or use `memd sources login`"
)


def key_source(section: str, file: Path | None, variable: str) -> str:
    """Return the place that `credential` reads, for people, with the setting that decides it. ``section``: of the
    settings.
    """
    if file is not None:
        return f"the file {file} ({section}.api_key_file)"
    if variable:
        return f"the variable {variable} ({section}.api_key_env)"
    return f"{section}.api_key_env or {section}.api_key_file"


def credential(file: Path | None, variable: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return a key; None when no file is named and the variable is not set.

    Args:
        file: takes precedence over the variable; ``~`` is the user's home.
        variable: may be empty for none.
        environ: the process's own by default.

    Raises:
        ConfigError: the file is missing, empty, open to others or not a key. Its content is never in the error.
    """
    variables = os.environ if environ is None else environ
    if file is not None:
        return _from_file(file.expanduser(), variables.get(CREDENTIALS, ""))
    key = variables.get(variable, "").strip() if variable else ""
    return _usable(key, f"the variable {variable}") if key else None


def password_of(path: Path, environ: Mapping[str, str] | None = None) -> str:
    """Return the password in a file: its first line, which may contain blanks, as app passwords do.

    Raises:
        ConfigError: the file is missing, empty, open to others, or has more than one line. Its content is never in the error.
    """
    variables = os.environ if environ is None else environ
    content = _private_content(path, variables.get(CREDENTIALS, ""), "password", _UNREADABLE_FILE)
    try:
        return usable_password(content.decode(), f"the password file {path}")
    except UnicodeDecodeError:
        raise ConfigError(f"the password file {path} holds no text", hint="it holds the password alone") from None


def usable_password(text: str, where: str) -> str:
    """Return a password without its line end.

    Raises:
        ConfigError: it is empty, too long or not one printable line; the text is not in the error.
    """
    password = text.removesuffix("\n").removesuffix("\r")
    if not password.strip() or not password.isprintable() or len(text) > LONGEST:
        raise ConfigError(f"{where} holds no password", hint="it holds the password alone, on one line")
    return password


def _from_file(path: Path, credentials: str) -> str:
    content = _private_content(path, credentials, "key", _UNREADABLE)
    try:
        key = content.decode("ascii").strip()
    except UnicodeDecodeError:
        key = ""
    if not key or len(content) > LONGEST:
        raise ConfigError(f"the key file {path} holds no key", hint="it holds the key alone, on one line")
    return _usable(key, f"the key file {path}")


def _private_content(path: Path, credentials: str, what: str, hint: str) -> bytes:
    """Return the content of a private regular file; empty for a file of another type."""
    try:
        # O_NONBLOCK: opening a pipe would block. An empty content is refused by the caller.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            content = file.read(LONGEST + 1) if stat.S_ISREG(status.st_mode) else b""
    except OSError as error:
        raise ConfigError(f"the {what} file {path} cannot be read: {error.strerror}", hint=hint) from error
    ours = bool(credentials) and path.is_relative_to(credentials)
    if status.st_mode & (0o007 if ours else 0o077) or status.st_uid not in {os.geteuid(), 0}:
        raise ConfigError(f"the {what} file {path} is open to others", hint=f"chmod 600 {path}")
    return content


def _usable(key: str, where: str) -> str:
    """Return a key that is valid in a header."""
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"{where} holds no key", hint="it holds the key alone, on one line")
    return key

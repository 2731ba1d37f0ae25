"""Where things lie: configuration, data directory, socket; each by flag, environment, configuration, default.

Rule 1 of the light path: standard library only, and `tomllib` only where there is a file to read. Settings beyond these
three are `config`'s.
"""

# `pathlib` would cost the light path milliseconds of import, and these are texts on their way to the socket.

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

_CONFIG_BYTES = 1024 * 1024

SOCKET_BYTES = 107
"""The longest path of a Unix socket: `sun_path` of unix(7) is 108 bytes, one of which ends it."""

LOCK = "owner.lock"
"""Names the owner of a data directory; who holds its flock is the truth, the text in it only tells."""
STORE = "store"
"""The backend's folder in the data directory."""
JOURNAL = "journal.db"
"""The journal's name in the data directory."""
REMEMBERED = "me.json"
"""In the data directory: what was answered to the question who the user is, by source. The configuration wins."""

TOKENS = "tokens"
"""The folder in the data directory of what `memd sources login` stored, a file for each account. Not in backups."""

OwnerKind = Literal["daemon", "command"]
"""A daemon owns the data directory until it is stopped, a command until its work is done."""


@dataclass(frozen=True, slots=True)
class Owner:
    """What an owner wrote into the lock file; the text may be that of an owner that was killed."""

    pid: int | None = None
    kind: str = ""
    """An `OwnerKind`, or empty."""
    state: str = ""
    """``starting``, ``serving``, ``stopping``; ``working`` of an owner without a socket; or empty."""
    socket: str = ""
    """Where it listens, once it does."""

    @property
    def name(self) -> str:
        """For messages."""
        return "another process" if self.pid is None else f"process {self.pid}"


@dataclass(frozen=True, slots=True)
class ResolvedPaths:
    """The three paths in force, absolute, and which of flag, environment, configuration, default each came from."""

    config: str
    data_dir: str
    socket: str
    """Where an owner listens; longer than `SOCKET_BYTES` when nobody chose it: see `short_socket_path`."""
    origins: Mapping[str, str]
    """By ``config``, ``data_dir`` and ``socket``: a flag, a variable's name, the configuration's path, ``default``."""
    table: Mapping[str, Any]
    """What the configuration holds, as it was read; empty without a file."""
    text: str
    """The same as it is written, for the numbers of its lines."""

    @property
    def lock(self) -> str:
        """The path of the owner's lock."""
        return os.path.join(self.data_dir, LOCK)

    def serving(self) -> str:
        """Where a client asks: the socket that somebody chose, else the one that the owner wrote down, else the default."""
        if self.origins["socket"] == "default":
            told = read_owner(self.lock).socket
            if told:
                return told
        return self.socket


def locate(
    *,
    config: str | None = None,
    data_dir: str | None = None,
    socket: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> ResolvedPaths:
    """The paths in force; the arguments are the flags.

    Raises:
        ConfigError: the configuration was named and is not there, cannot be read, is no TOML, or gives no text for a path.
    """
    given = os.environ if environ is None else environ
    home = _home(given)
    origins: dict[str, str] = {}
    config_path = _config_path(origins, home, config, given)
    table, text = read_table(config_path, named=origins["config"] != "default")
    data_path = _first(
        origins,
        home,
        "data_dir",
        ("--data-dir", data_dir),
        ("MEMD_DATA_DIR", given.get("MEMD_DATA_DIR")),
        (config_path, _path_in(table, text, "data_dir", config_path, home)),
        default=os.path.join(_xdg(given, "XDG_DATA_HOME", os.path.join(home, ".local", "share")), "memd"),
    )
    # Two memories must not meet at one socket: beside a data directory that somebody chose, it lies therein.
    runtime = given.get("XDG_RUNTIME_DIR", "")
    shared = origins["data_dir"] == "default" and os.path.isabs(runtime)
    socket_path = _first(
        origins,
        home,
        "socket",
        ("--socket", socket),
        ("MEMD_SOCKET", given.get("MEMD_SOCKET")),
        (config_path, _path_in(table, text, "socket", config_path, home)),
        default=os.path.join(runtime, "memd", "memd.sock") if shared else os.path.join(data_path, "memd.sock"),
    )
    return ResolvedPaths(config_path, data_path, socket_path, origins, table, text)


def config_path(config: str | None, environ: Mapping[str, str] | None = None) -> str:
    """Where the configuration is looked for, whether it is there or not."""
    given = os.environ if environ is None else environ
    return _config_path({}, _home(given), config, given)


def _config_path(origins: dict[str, str], home: str, config: str | None, given: Mapping[str, str]) -> str:
    return _first(
        origins,
        home,
        "config",
        ("--config", config),
        ("MEMD_CONFIG", given.get("MEMD_CONFIG")),
        default=os.path.join(_xdg(given, "XDG_CONFIG_HOME", os.path.join(home, ".config")), "memd", "config.toml"),
    )


def nothing_stored(places: ResolvedPaths) -> bool:
    """Whether nothing was ever stored at the data directory, though it could be: it is a folder, or can be made."""
    if any(os.path.lexists(os.path.join(places.data_dir, part)) for part in (STORE, JOURNAL)):
        return False
    folder = places.data_dir
    missing = ""
    while not os.path.lexists(folder):
        folder, missing = os.path.split(folder)
    may = os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
    return may and (not missing or _can_be_made(folder, missing))


def _can_be_made(folder: str, name: str) -> bool:
    """Whether a folder of this name can be made: who may write to a file system of the kernel, or one without a place left,
    learns only by trying. Another name as long is tried: a process may make the one that is meant at this moment.
    """
    probe = os.path.join(folder, f".{os.getpid()}.memd".ljust(len(os.fsencode(name)), "x"))
    try:
        os.mkdir(probe, 0o700)
        os.rmdir(probe)
    except OSError:
        return False
    return True


def read_table(path: str, *, named: bool) -> tuple[dict[str, Any], str]:
    """The TOML file, and its text; empty when there is none and nobody named one. Read once: it may change, or be a pipe.

    Raises:
        ConfigError: see `locate`.
    """
    try:
        data = _read_file(path)
    except FileNotFoundError:
        if named:
            raise _wrong(
                f"there is no configuration at {path}",
                "write one with `memd config --init`, or choose another with --config or MEMD_CONFIG",
            ) from None
        return {}, ""
    except OSError as error:
        raise _wrong(
            f"the configuration at {path} cannot be read: {error.strerror}", "it must be a file that you may read"
        ) from error
    import tomllib

    try:
        text = data.decode("utf-8-sig")
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:  # wrong TOML, no UTF-8, a date that is none, nested without end
        from .toml_errors import toml_problem

        raise _wrong(
            f"{path}:{toml_problem(data, error)}", "the file is no TOML: https://toml.io shows how it is written"
        ) from error


def _read_file(path: str) -> bytes:
    """The bytes of a file, or of a device such as `/dev/null`; a pipe without a writer must not be waited for.

    Raises:
        OSError: it cannot be read, is a pipe or a socket, or is larger than any configuration.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is a pipe")
        data = file.read(_CONFIG_BYTES + 1)
    if len(data) > _CONFIG_BYTES:
        raise OSError(errno.EFBIG, "it has more than 1 MiB")
    return data


def read_owner(lock: str) -> Owner:
    """What the owner wrote into the lock file. Without values when nobody did, or it cannot be read."""
    try:
        with open(_open_lock(lock), "rb") as file:
            body: object = json.loads(file.read(4096))
    except (OSError, ValueError, RecursionError):
        return Owner()
    told = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    pid = told.get("pid")
    kind, state, socket = (
        str(told[name]) if isinstance(told.get(name), str) else "" for name in ("kind", "state", "socket")
    )
    return Owner(pid if type(pid) is int and pid > 0 else None, kind, state, socket)


def owner_to_wait_for(lock: str) -> Owner | None:
    """The owner, if it holds the lock and is starting or stopping: its socket, or the next owner's, comes soon."""
    owner = read_owner(lock)
    return owner if owner.state in ("starting", "stopping") and _is_held(lock) else None


def _is_held(lock: str) -> bool:
    """Whether some process holds the lock. Nobody's lock is held back by this look for longer than a system call."""
    try:
        descriptor = _open_lock(lock)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN)
    finally:
        os.close(descriptor)
    return False


def _open_lock(lock: str) -> int:
    return os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def short_socket_path(path: str, *, chosen: bool) -> str:
    """The path itself where a socket fits it, else a short one in a private temporary folder, made now.

    A path that somebody ``chosen`` is never replaced.
    """
    if chosen or len(os.fsencode(path)) <= SOCKET_BYTES:
        return path
    return os.path.join(tempfile.mkdtemp(prefix="memd-", dir="/tmp"), "memd.sock")


def make_private(folder: str) -> None:
    """Make a folder that only we may enter; one that exists is closed to others when it is ours.

    Raises:
        StoreError: it cannot be made, is no folder, cannot be written, or belongs to somebody who must not be trusted.
    """
    from ...memory.private_files import ForeignFolderError, make_folders, restrict_to_owner

    try:
        make_folders(folder)
        restrict_to_owner(folder)
    except ForeignFolderError as error:
        from ...schemas.errors import StoreError

        hint = "run memd as the user it belongs to, or choose another with --data-dir or MEMD_DATA_DIR"
        raise StoreError(f"the data directory {folder} is not used: {error.strerror}", hint=hint) from error
    except OSError as error:
        from ...schemas.errors import StoreError

        hint = "choose another with --data-dir or MEMD_DATA_DIR"
        raise StoreError(f"the data directory {folder} cannot be made: {error.strerror}", hint=hint) from error


def _first(origins: dict[str, str], home: str, name: str, *given: tuple[str, str | None], default: str) -> str:
    for origin, value in given:
        if value:
            origins[name] = origin
            return os.path.abspath(_expanded(value, home))
    origins[name] = "default"
    return os.path.abspath(default)


def _home(environ: Mapping[str, str]) -> str:
    """The user's home; a relative one in the environment would be another in each folder, and so would the memory."""
    value = environ.get("HOME", "")
    if os.path.isabs(value):
        return value
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user without an account, as in a container
        return value or "/"


def _expanded(path: str, home: str) -> str:
    """The path with ``~`` replaced by ``home``; `os.path.expanduser` takes an empty or relative HOME as it is."""
    if path == "~" or path.startswith("~/"):
        return home + path[1:]
    return os.path.expanduser(path)


def _xdg(environ: Mapping[str, str], name: str, otherwise: str) -> str:
    """Base Directory Specification: a relative path in these variables is to be ignored."""
    value = environ.get(name, "")
    return value if os.path.isabs(value) else otherwise


def _path_in(table: Mapping[str, Any], text: str, key: str, config: str, home: str) -> str | None:
    """A path in the configuration; a relative one begins where the file lies."""
    value = table.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong_path(key, config, text, "must be a text")
    if "\0" in value:
        raise _wrong_path(key, config, text, "holds a NUL, which no path may")
    return os.path.join(os.path.dirname(config), _expanded(value, home))


def _wrong_path(key: str, config: str, text: str, told: str) -> Exception:
    from .line_numbers import line_numbers

    line = line_numbers(text).get(key)
    place = config if line is None else f"{config}:{line}"
    return _wrong(f"{place}: {key}: {told}", f'write {key} = "/some/path"')


def _wrong(message: str, hint: str) -> Exception:
    # Only now: the nouns and their errors are what the light path does without.
    from ...schemas.errors import ConfigError

    return ConfigError(message, hint=hint)

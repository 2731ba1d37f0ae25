"""The paths of the configuration, the data directory and the socket, from flag, environment, configuration or default.

Rule 1 of the light path: standard library only, and `tomllib` only where there is a file to read. `config` has all
settings beyond these three.
"""

# No `pathlib`: it would cost the light path milliseconds of import, and the paths are only passed on as texts.

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
"""The maximum length of a Unix socket's path: `sun_path` of unix(7) is 108 bytes, one of which ends it."""

LOCK = "owner.lock"
"""The lock file of a data directory. The process that holds its flock is the owner; the text in it is information only.
"""
STORE = "store"
"""The store's folder in the data directory."""
JOURNAL = "journal.db"
"""The journal's name in the data directory."""
REMEMBERED = "me.json"
"""The file in the data directory with the user's own names by source, as answered. The configuration takes precedence.
"""

TOKENS = "tokens"
"""The folder in the data directory with the secrets that `memd sources login` stored, a file for each account. Not in
backups.
"""

OwnerKind = Literal["daemon", "command"]
"""The kind of an owner. A daemon owns the data directory until it is stopped, a command until its work is done."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The text that an owner wrote into the lock file; it may be that of an owner that was killed."""

    pid: int | None = None
    kind: str = ""
    """An `OwnerKind`, or empty."""
    state: str = ""
    """The state: ``starting``, ``serving``, ``stopping``; ``working`` of an owner without a socket; or empty."""
    socket: str = ""
    """The path where it listens, once it does."""

    @property
    def name(self) -> str:
        """Return the name for messages."""
        return "another process" if self.pid is None else f"process {self.pid}"


@dataclass(frozen=True, slots=True)
class ResolvedPaths:
    """The three paths in force, absolute, and the origin of each: flag, environment, configuration or default."""

    config: str
    data_dir: str
    socket: str
    """The path where an owner listens; may exceed `SOCKET_BYTES` if it is the default: see `short_socket_path`."""
    origins: Mapping[str, str]
    """The origins of ``config``, ``data_dir`` and ``socket``: a flag, a variable's name, the configuration's path,
    ``default``.
    """
    table: Mapping[str, Any]
    """The parsed configuration; empty without a file."""
    text: str
    """The text of the configuration, for line numbers."""

    @property
    def lock(self) -> str:
        """The path of the owner's lock."""
        return os.path.join(self.data_dir, LOCK)

    def serving(self) -> str:
        """Return the socket for a client: the chosen one, else the one in the lock file, else the default."""
        if self.origins["socket"] == "default":
            recorded = read_owner(self.lock).socket
            if recorded:
                return recorded
        return self.socket


def locate(
    *,
    config: str | None = None,
    data_dir: str | None = None,
    socket: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> ResolvedPaths:
    """Return the paths in force; the arguments are the flags.

    Raises:
        ConfigError: the configuration was named and is missing, cannot be read, is not TOML, or has a path that is not
            a text.
    """
    variables = os.environ if environ is None else environ
    home = _home(variables)
    origins: dict[str, str] = {}
    config_path = _config_path(origins, home, config, variables)
    table, text = read_table(config_path, named=origins["config"] != "default")
    data_path = _first(
        origins,
        home,
        "data_dir",
        ("--data-dir", data_dir),
        ("MEMD_DATA_DIR", variables.get("MEMD_DATA_DIR")),
        (config_path, _path_in(table, text, "data_dir", config_path, home)),
        default=os.path.join(_xdg(variables, "XDG_DATA_HOME", os.path.join(home, ".local", "share")), "memd"),
    )
    # Two memories must not share one socket: for a chosen data directory the socket lies inside it.
    runtime = variables.get("XDG_RUNTIME_DIR", "")
    shared = origins["data_dir"] == "default" and os.path.isabs(runtime)
    socket_path = _first(
        origins,
        home,
        "socket",
        ("--socket", socket),
        ("MEMD_SOCKET", variables.get("MEMD_SOCKET")),
        (config_path, _path_in(table, text, "socket", config_path, home)),
        default=os.path.join(runtime, "memd", "memd.sock") if shared else os.path.join(data_path, "memd.sock"),
    )
    return ResolvedPaths(config_path, data_path, socket_path, origins, table, text)


def config_path(config: str | None, environ: Mapping[str, str] | None = None) -> str:
    """Return the path of the configuration, whether the file exists or not."""
    variables = os.environ if environ is None else environ
    return _config_path({}, _home(variables), config, variables)


def config_home(environ: Mapping[str, str], home: str | None = None) -> str:
    """Return the folder in which the programs of this user have their settings."""
    return _xdg(environ, "XDG_CONFIG_HOME", os.path.join(_home(environ) if home is None else home, ".config"))


def state_folder(environ: Mapping[str, str] | None = None) -> str:
    """Return the folder of this user, whether it exists or not, for what commands remember between two calls."""
    variables = os.environ if environ is None else environ
    home = os.path.join(_home(variables), ".local", "state")
    return os.path.join(_xdg(variables, "XDG_STATE_HOME", home), "memd")


def _config_path(origins: dict[str, str], home: str, config: str | None, variables: Mapping[str, str]) -> str:
    return _first(
        origins,
        home,
        "config",
        ("--config", config),
        ("MEMD_CONFIG", variables.get("MEMD_CONFIG")),
        default=os.path.join(config_home(variables, home), "memd", "config.toml"),
    )


def nothing_stored(places: ResolvedPaths) -> bool:
    """Return whether the data directory is empty of memd's files but usable: it is a folder, or can be made."""
    if any(os.path.lexists(os.path.join(places.data_dir, part)) for part in (STORE, JOURNAL)):
        return False
    folder = places.data_dir
    missing = ""
    while not os.path.lexists(folder):
        folder, missing = os.path.split(folder)
    may = os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
    return may and (not missing or _can_be_made(folder, missing))


def _can_be_made(folder: str, name: str) -> bool:
    """Return whether a folder of this name can be made. Some file systems (of the kernel, or full ones) reveal that
    only on trying. A different name of the same length is tried, because a process may be making the real one.
    """
    probe = os.path.join(folder, f".{os.getpid()}.memd".ljust(len(os.fsencode(name)), "x"))
    try:
        os.mkdir(probe, 0o700)
        os.rmdir(probe)
    except OSError:
        return False
    return True


def read_table(path: str, *, named: bool) -> tuple[dict[str, Any], str]:
    """Return the parsed TOML file, and its text; empty when there is none and nobody named one. The file is read once:
    it may change, or be a pipe.

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
    except (ValueError, RecursionError) as error:  # invalid TOML, not UTF-8, an invalid date, or too deep nesting
        from .toml_errors import toml_problem

        raise _wrong(
            f"{path}:{toml_problem(data, error)}", "the file is no TOML: https://toml.io shows how it is written"
        ) from error


def _read_file(path: str) -> bytes:
    """Return the bytes of a file, or of a device such as `/dev/null`; never blocks on a pipe without a writer.

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
    """Return the content of the lock file; without values if it has none, or cannot be read."""
    try:
        with open(_open_lock(lock), "rb") as file:
            body: object = json.loads(file.read(4096))
    except (OSError, ValueError, RecursionError):
        return Owner()
    fields = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    pid = fields.get("pid")
    kind, state, socket = (
        str(fields[name]) if isinstance(fields.get(name), str) else "" for name in ("kind", "state", "socket")
    )
    return Owner(pid if type(pid) is int and pid > 0 else None, kind, state, socket)


def owner_to_wait_for(lock: str) -> Owner | None:
    """Return the owner, if it holds the lock and is starting or stopping: its socket, or the next owner's, comes soon."""
    owner = read_owner(lock)
    return owner if owner.state in ("starting", "stopping") and _is_held(lock) else None


def _is_held(lock: str) -> bool:
    """Return whether a process holds the lock. This test holds up other lockers for no longer than a system call."""
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
    """Return the path if it is short enough for a socket, else a short one in a private temporary folder, made now.

    A path that somebody has ``chosen`` is never replaced.
    """
    if chosen or len(os.fsencode(path)) <= SOCKET_BYTES:
        return path
    return os.path.join(tempfile.mkdtemp(prefix="memd-", dir="/tmp"), "memd.sock")


def make_private(folder: str) -> None:
    """Make a private folder; an existing one of the user is closed to others.

    Raises:
        StoreError: it cannot be made, is not a folder, cannot be written, or belongs to an untrusted user.
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


def _first(origins: dict[str, str], home: str, name: str, *candidates: tuple[str, str | None], default: str) -> str:
    for origin, value in candidates:
        if value:
            origins[name] = origin
            return os.path.abspath(_expanded(value, home))
    origins[name] = "default"
    return os.path.abspath(default)


def _home(environ: Mapping[str, str]) -> str:
    """Return the user's home. A relative one in the environment is ignored: it would mean another memory in each
    working directory.
    """
    value = environ.get("HOME", "")
    if os.path.isabs(value):
        return value
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user without an account, as in a container
        return value or "/"


def _expanded(path: str, home: str) -> str:
    """Return the path with ``~`` replaced by ``home``; `os.path.expanduser` would accept an empty or relative HOME."""
    if path == "~" or path.startswith("~/"):
        return home + path[1:]
    return os.path.expanduser(path)


def _xdg(environ: Mapping[str, str], name: str, otherwise: str) -> str:
    """Return a base directory; the specification says that a relative path in these variables is ignored."""
    value = environ.get(name, "")
    return value if os.path.isabs(value) else otherwise


def _path_in(table: Mapping[str, Any], text: str, key: str, config: str, home: str) -> str | None:
    """Return a path from the configuration; a relative one is relative to the file's folder."""
    value = table.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong_path(key, config, text, "must be a text")
    if "\0" in value:
        raise _wrong_path(key, config, text, "holds a NUL, which no path may")
    return os.path.join(os.path.dirname(config), _expanded(value, home))


def _wrong_path(key: str, config: str, text: str, problem: str) -> Exception:
    from .line_numbers import line_numbers

    line = line_numbers(text).get(key)
    place = config if line is None else f"{config}:{line}"
    return _wrong(f"{place}: {key}: {problem}", f'write {key} = "/some/path"')


def _wrong(message: str, hint: str) -> Exception:
    # Imported only now: the light path does without the errors and their dependencies.
    from ...schemas.errors import ConfigError

    return ConfigError(message, hint=hint)

"""Where things lie, by flag, environment, configuration and default; sockets whose path is too long; light to import."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from memd.daemon.config.paths import (
    LOCK,
    SOCKET_BYTES,
    Owner,
    locate,
    make_private,
    read_owner,
    read_table,
    short_socket_path,
)
from memd.schemas.errors import ConfigError


def test_flag_environment_configuration_default(tmp_path: Path) -> None:
    """The strongest counts, and says that it did."""
    config = tmp_path / "c.toml"
    config.write_text('data_dir = "from-file"\nsocket = "/s/file.sock"\n')
    environ = {"HOME": str(tmp_path), "MEMD_CONFIG": str(config)}
    places = locate(environ=environ)
    assert (places.data_dir, places.socket) == (str(tmp_path / "from-file"), "/s/file.sock")
    assert places.origins == {"config": "MEMD_CONFIG", "data_dir": str(config), "socket": str(config)}
    places = locate(environ={**environ, "MEMD_DATA_DIR": "/env", "MEMD_SOCKET": "/env.sock"})
    assert (places.data_dir, places.socket) == ("/env", "/env.sock")
    places = locate(data_dir="/flag", environ={**environ, "MEMD_DATA_DIR": "/env"})
    assert (places.data_dir, places.origins["data_dir"]) == ("/flag", "--data-dir")


def test_the_defaults_are_those_of_the_specification(tmp_path: Path) -> None:
    """XDG variables, ignored when relative; the socket in the runtime folder only beside the default data directory."""
    environ = {"HOME": str(tmp_path), "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "rel", "XDG_RUNTIME_DIR": "/run/u"}
    places = locate(environ=environ)
    assert places.config == str(tmp_path / ".config/memd/config.toml")
    assert (places.data_dir, places.socket) == ("/d/memd", "/run/u/memd/memd.sock")
    assert locate(data_dir="/other", environ=environ).socket == "/other/memd.sock"
    assert places.lock == f"/d/memd/{LOCK}"


def test_a_relative_home_is_not_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The memory would be another one in each folder."""
    monkeypatch.chdir(tmp_path)

    def account(_: int) -> SimpleNamespace:
        return SimpleNamespace(pw_dir="/the/home")

    monkeypatch.setattr(pwd, "getpwuid", account)
    places = locate(environ={"HOME": "relative"})
    assert places.data_dir == "/the/home/.local/share/memd"
    assert places.config == "/the/home/.config/memd/config.toml"


@pytest.mark.parametrize("home", ["relative", ""])
def test_a_tilde_is_the_home_of_the_account_where_the_environment_names_none(home: str, tmp_path: Path) -> None:
    """An empty HOME would make `~/x` a folder of the root, a relative one another in each folder."""
    account = pwd.getpwuid(os.getuid()).pw_dir
    places = locate(data_dir="~/x", environ={"HOME": home})
    assert places.data_dir == os.path.join(account, "x")
    config = tmp_path / "config.toml"
    config.write_text('data_dir = "~/y"')
    assert locate(config=str(config), environ={"HOME": home}).data_dir == os.path.join(account, "y")
    assert locate(data_dir="~", environ={"HOME": str(tmp_path)}).data_dir == str(tmp_path)


def test_a_client_asks_where_the_owner_listens(tmp_path: Path) -> None:
    """The lock file names the socket, unless somebody chose one."""
    environ = {"HOME": str(tmp_path)}
    places = locate(data_dir=str(tmp_path), environ=environ)
    assert places.serving() == str(tmp_path / "memd.sock")
    (tmp_path / LOCK).write_text('{"pid": 1, "socket": "/tmp/short/memd.sock"}')
    assert places.serving() == "/tmp/short/memd.sock"
    assert locate(data_dir=str(tmp_path), socket="/chosen", environ=environ).serving() == "/chosen"


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff\xfe", b"null"])
def test_a_damaged_lock_file_tells_nothing(tmp_path: Path, text: bytes) -> None:
    """It is only text."""
    (tmp_path / LOCK).write_bytes(text)
    assert read_owner(str(tmp_path / LOCK)) == Owner()


def test_a_path_too_long_for_a_socket_gets_a_short_one(tmp_path: Path) -> None:
    """In a private folder of its own; counted in bytes; a chosen path stays."""
    fits = "/" + "x" * (SOCKET_BYTES - 1)
    assert short_socket_path(fits, chosen=False) == fits
    long = "/" + "é" * (SOCKET_BYTES // 2 + 1)
    short = short_socket_path(long, chosen=False)
    assert len(os.fsencode(short)) <= SOCKET_BYTES
    assert stat.S_IMODE(os.stat(os.path.dirname(short)).st_mode) == 0o700
    os.rmdir(os.path.dirname(short))
    assert short_socket_path(long, chosen=True) == long
    assert tmp_path.exists()


def test_wrong_configurations_are_told(tmp_path: Path) -> None:
    """No TOML, no text, no permission, no file."""
    path = tmp_path / "c.toml"
    path.write_bytes(b"data_dir = \xff")
    with pytest.raises(ConfigError, match=r":\d+:\d+: "):
        read_table(str(path), named=True)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_table(str(tmp_path), named=False)
    assert read_table(str(tmp_path / "none"), named=False) == ({}, "")
    path.write_text("data_dir = 3")
    with pytest.raises(ConfigError, match="must be a text"):
        locate(config=str(path), environ={"HOME": str(tmp_path)})


def test_a_folder_of_ours_is_closed_to_others(tmp_path: Path) -> None:
    """Also one that was open."""
    folder = tmp_path / "d"
    folder.mkdir(mode=0o755)
    make_private(str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_locating_is_light() -> None:
    """Neither pydantic nor an event loop, without a configuration not even a parser."""
    code = "import sys; from memd.daemon.config.paths import locate; locate(environ={'HOME': '/nowhere'}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert not {"pydantic", "numpy", "anyio", "asyncio", "tomllib", "starlette"} & set(done.stdout.split())

"""The API at a loopback address: the token, the checks of Host and Origin, and what is no address of this machine."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.loopback_address import loopback_address
from memd.daemon.config.settings import Settings
from memd.daemon.http.loopback import TOKEN, bound_listener, kept_token
from memd.schemas.errors import ConfigError, StoreError
from memd.tests.cases import check_all
from memd.tests.daemon.test_service import words_only

pytestmark = pytest.mark.anyio


def serving(data: Path, address: str = "127.0.0.1:0") -> Settings:
    """Settings of a daemon that listens at an address, too."""
    return words_only(data, server={"http": address})


def ask(address: str, headers: dict[str, str], path: str = "/v1/health") -> tuple[int, dict[str, Any], str | None]:
    """Return status, answer and challenge."""
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read()), response.getheader("www-authenticate")
    finally:
        connection.close()


async def test_only_a_program_with_the_token_is_answered(tmp_path: Path) -> None:
    """Whatever it asks for; other hosts and web pages are refused, also with the token, and learn nothing."""
    data = tmp_path / "d"
    async with open_app(serving(data), kind="daemon") as service:
        address = service.http
        assert (await service.status())["http"] == address
        path = data / TOKEN
        assert path.stat().st_mode & 0o777 == 0o600
        token = {"Authorization": f"Bearer {path.read_text(encoding='ascii').strip()}"}
        port = address.rpartition(":")[2]
        cases: list[tuple[dict[str, str], int]] = [
            (token, 200),
            (token | {"Host": f"LocalHost:{port}"}, 200),
            (token | {"Origin": f"http://{address}"}, 200),
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": token["Authorization"].replace("Bearer", "Basic")}, 401),
            ({"Authorization": token["Authorization"][:-1]}, 401),
            (token | {"Host": "memd.example"}, 403),
            (token | {"Host": "127.0.0.1"}, 403),
            (token | {"Origin": "https://evil.example"}, 403),
            (token | {"Origin": "null"}, 403),
        ]

        def check(case: tuple[dict[str, str], int]) -> None:
            headers, status = case
            answer_status, body, challenge = ask(address, headers)
            assert answer_status == status
            assert ("status" in body) == (status == 200)
            assert (challenge == "Bearer") == (status == 401)
            for unknown in ("/", "/openapi.json", "/v1/nothing"):
                assert (ask(address, headers, unknown)[0] in (401, 403)) == (status != 200)

        await anyio.to_thread.run_sync(check_all, cases, check)


async def test_a_command_opens_no_port(tmp_path: Path) -> None:
    """It owns the memory for a moment; the port is the daemon's."""
    async with open_app(serving(tmp_path / "d")) as service:
        assert service.http == ""


async def test_a_port_in_use_ends_the_start(tmp_path: Path) -> None:
    """With the address and what to do."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.RaisesGroup(pytest.RaisesExc(ConfigError, match="cannot listen"), flatten_subgroups=True):
            async with open_app(serving(tmp_path / "d", address), kind="daemon"):
                pass


def test_the_token_stays_until_its_file_goes(tmp_path: Path) -> None:
    """One that others can read is refused."""
    token = kept_token(tmp_path)
    assert kept_token(tmp_path) == token
    assert len(token) >= 40
    (tmp_path / TOKEN).unlink()
    assert kept_token(tmp_path) != token
    (tmp_path / TOKEN).chmod(0o640)
    with pytest.raises(StoreError, match="others can read"):
        kept_token(tmp_path)
    (tmp_path / TOKEN).chmod(0o600)
    for text in ("x\n", "a\0" * 30, "two words of a user each\n"):  # cut off by a full disk, or by hand
        (tmp_path / TOKEN).write_text(text)
        with pytest.raises(StoreError, match="is no token"):
            kept_token(tmp_path)
    (tmp_path / TOKEN).unlink()
    (tmp_path / TOKEN).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link") as caught:
        kept_token(tmp_path)
    assert "remove it" in caught.value.hint


def test_what_is_an_address_of_this_machine() -> None:
    """Loopback alone, with a port."""
    good = {
        "127.0.0.1:8377": ("127.0.0.1", 8377),
        "localhost:0": ("127.0.0.1", 0),
        "[::1]:1": ("::1", 1),
        "127.9.9.9:2": ("127.9.9.9", 2),
    }
    assert {text: loopback_address(text) for text in good} == good
    for bad in (
        "0.0.0.0:80",
        "192.168.1.2:80",
        "[::]:80",
        "127.0.0.1",
        "127.0.0.1:",
        ":80",
        "127.0.0.1:99999",
        "host:80",
        "::1:8²",
    ):
        with pytest.raises(ValueError, match="must be an address"):
            loopback_address(bad)


def test_an_address_is_taken_before_it_is_served() -> None:
    """Two programs that only bind it could both have it."""
    with bound_listener("127.0.0.1:0") as listener, pytest.raises(ConfigError, match="cannot listen"):
        bound_listener(f"127.0.0.1:{listener.getsockname()[1]}")

"""Which index the settings choose, and what of the settings of a server is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon.config.resolution import resolve_settings
from memd.daemon.config.settings import Settings
from memd.daemon.indexes import indexes_for
from memd.memory.index.embedded import EmbeddedIndexes
from memd.memory.index.weaviate.indexes import WeaviateIndexes
from memd.schemas.errors import ConfigError


def settings_of(tmp_path: Path, **weaviate: str) -> Settings:
    """With a server in the settings."""
    config = tmp_path / "config.toml"
    config.touch()
    environ = {"MEMD_DATA_DIR": str(tmp_path), "MEMD_CONFIG": str(config), "MEMD_STORAGE_INDEX": "weaviate"}
    environ |= {f"MEMD_WEAVIATE_{name.upper()}": value for name, value in weaviate.items()}
    return resolve_settings(environ=environ).settings


def key_file(tmp_path: Path) -> str:
    """A private file with a key."""
    path = tmp_path / "key"
    path.write_text("k-12345\n")
    path.chmod(0o600)
    return str(path)


def test_files_are_the_default(tmp_path: Path) -> None:
    """Without a word in the settings no server is looked for."""
    assert isinstance(indexes_for(Settings(data_dir=tmp_path)), EmbeddedIndexes)


def test_a_server_is_reached_as_the_settings_say(tmp_path: Path) -> None:
    """Address, ports, tenant, key, time-outs, consistency and replicas."""
    settings = settings_of(
        tmp_path,
        url="https://search.example.org",
        grpc_host="grpc.example.org",
        grpc_port="443",
        tenant="ann",
        api_key_file=key_file(tmp_path),
        query_timeout_s="2.5",
        write_timeout_s="60",
        consistency="ONE",
        replicas="3",
    )
    indexes = indexes_for(settings)
    assert isinstance(indexes, WeaviateIndexes)
    wanted = indexes.server.settings
    assert (wanted.host, wanted.port, wanted.tls) == ("search.example.org", 443, True)
    assert (wanted.grpc_host, wanted.grpc_port) == ("grpc.example.org", 443)
    assert (wanted.memory, wanted.api_key) == ("ann", "k-12345")
    assert (wanted.query_seconds, wanted.write_seconds) == (2.5, 60)
    assert (wanted.consistency, wanted.replicas) == ("ONE", 3)
    assert "k-12345" not in repr(wanted)


@pytest.mark.parametrize(
    ("url", "grpc_host", "refused"),
    [
        ("http://127.0.0.1:8080", "", False),
        ("http://localhost:8080", "", False),
        ("http://[::1]:8080", "", False),
        ("https://search.example.org", "", False),
        ("http://search.example.org", "", True),
        ("http://192.168.1.5:8080", "", True),
        ("http://localhost.example.org:8080", "", True),
        ("http://127.0.0.1:8080", "192.168.1.5", True),
    ],
)
def test_a_key_goes_encrypted_or_to_this_machine(tmp_path: Path, url: str, grpc_host: str, refused: bool) -> None:
    """Without a key any address may be named."""
    found = {"url": url, "grpc_host": grpc_host, "api_key_env": "NOBODY_SETS_THIS"}
    assert isinstance(indexes_for(settings_of(tmp_path, **found)), WeaviateIndexes)
    settings = settings_of(tmp_path, **found, api_key_file=key_file(tmp_path))
    if not refused:
        assert isinstance(indexes_for(settings), WeaviateIndexes)
        return
    with pytest.raises(ConfigError, match="in the clear") as error:
        indexes_for(settings)
    assert "k-12345" not in f"{error.value.message} {error.value.hint}"


@pytest.mark.parametrize("url", ["ftp://x", "no address", "http://ann:secret@x", "http://x/path", "http://x?key=1"])
def test_what_is_no_address_is_refused(tmp_path: Path, url: str) -> None:
    """With the setting's name."""
    with pytest.raises(ConfigError, match=r"weaviate\.url"):
        settings_of(tmp_path, url=url)

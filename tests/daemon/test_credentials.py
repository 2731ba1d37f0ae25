"""Keys: taken from private files or variables, refused where others could read them, in no error."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from memd.daemon.config.credentials import credential
from memd.daemon.config.settings import EmbeddingSettings
from memd.daemon.embedders import embedder_for
from memd.memory.embedding.bundled import NAME
from memd.schemas.errors import ConfigError, EmbeddingError


def test_a_variable_holds_a_key() -> None:
    """Its own or another one's name; none when it is empty, not set or not wanted."""
    environ = {"KEY": " abc\n", "EMPTY": ""}
    assert credential(None, "KEY", environ) == "abc"
    assert [credential(None, name, environ) for name in ("EMPTY", "NONE", "")] == [None, None, None]


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_private_file_holds_a_key(tmp_path: Path, mode: int) -> None:
    """Over the variable."""
    path = tmp_path / "key"
    path.write_text("abc\n")
    path.chmod(mode)
    assert credential(path, "KEY", {"KEY": "other"}) == "abc"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_an_open_file_is_refused(tmp_path: Path, mode: int) -> None:
    """Whoever else may read it; what systemd provides shows as readable by a group and is not."""
    path = tmp_path / "key"
    path.write_text("abc\n")
    path.chmod(mode)
    with pytest.raises(ConfigError, match="open to others") as caught:
        credential(path, "", {})
    assert "chmod 600" in caught.value.hint
    path.chmod(0o440)
    assert credential(path, "", {"CREDENTIALS_DIRECTORY": str(tmp_path)}) == "abc"


@pytest.mark.parametrize("content", [b"", b" \n", b"two words", b"two\nlines", b"\xff\xfe", b"x" * 20_000, b"a\x00b"])
def test_what_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    """Without showing it."""
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="holds no key") as caught:
        credential(path, "", {})
    assert "two" not in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """By its path, with what to do; a folder is no file."""
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(ConfigError, match="key file") as caught:
            credential(path, "", {})
        assert caught.value.hint


def test_the_embedder_is_the_one_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bundled by default; an endpoint without its package until a vector is wanted: words are answered without it."""
    assert embedder_for(EmbeddingSettings()).name == NAME
    endpoint = EmbeddingSettings(provider="openai", model="m", base_url="http://127.0.0.1:9/v1", dimensions=7)
    assert (embedder_for(endpoint).dimension, embedder_for(endpoint).max_tokens) == (7, 512)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(EmbeddingError, match="openai is not installed") as caught:
        anyio.run(embedder_for(endpoint).embed_query, "who is there?")
    assert "pip install 'memd-daemon[llm]'" in caught.value.hint
    with pytest.raises(ConfigError, match="no folder"):
        embedder_for(EmbeddingSettings(provider="onnx", model=str(tmp_path / "nowhere")))

"""Passwords of accounts: taken from private files alone, for the account that they were stored for, and in no error."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.errors import AuthorizationError
from memd.daemon.config.account_secrets import (
    UNUSED_DAYS,
    account_secrets,
    remove_secrets,
    store_secrets,
    stored_secrets,
    sweep_secrets,
    unused_secrets,
)
from memd.daemon.config.credentials import password_of, usable_password
from memd.daemon.config.paths import TOKENS
from memd.daemon.config.source_settings import SourceSettings, source_settings
from memd.schemas.errors import ConfigError, StoreError

PASSWORD = "abcd efgh ijkl mnop"


def source(**more: object) -> SourceSettings:
    """An account."""
    plain = {"name": "mail", "kind": "imap", "host": "imap.example.org", "user": "ann@example.org", **more}
    return source_settings(plain)


def test_what_was_stored_is_private_and_of_one_account(tmp_path: Path) -> None:
    """0600 in a folder of 0700; with another server or user under the same name it is not given out; removed it is gone."""
    store_secrets(source(), tmp_path, {"password": "old"})
    store_secrets(source(), tmp_path, {"password": PASSWORD})
    file = tmp_path / TOKENS / "mail.json"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file.parent, file)] == [0o700, 0o600]
    assert account_secrets(source(port=1993, folders=["INBOX"]), tmp_path, {}) == {"password": PASSWORD}
    for other in (source(host="imap.example.com"), source(user="bob@example.org"), source(name="other")):
        assert stored_secrets(other, tmp_path) == {}
        with pytest.raises(AuthorizationError, match="no password") as caught:
            account_secrets(other, tmp_path, {})
        assert caught.value.hint == f"`memd sources login {other.name}` stores it"
    remove_secrets("mail", tmp_path)
    remove_secrets("mail", tmp_path)
    assert list((tmp_path / TOKENS).iterdir()) == []


def test_secrets_of_no_source_are_removed_after_a_while(tmp_path: Path) -> None:
    """Not while one of that name may exist, and not at once: one that comes back meanwhile finds them."""
    folder = tmp_path / TOKENS
    assert sweep_secrets(tmp_path, ["mail"]) == ([], [])
    for name in ("mail", "old"):
        store_secrets(source(name=name), tmp_path, {"password": PASSWORD})
    assert sweep_secrets(tmp_path, ["mail"]) == ([], ["old"])
    assert sweep_secrets(tmp_path, ["mail"]) == ([], ["old"])
    assert sorted(path.name for path in folder.iterdir()) == ["mail.json", "old.json", "old.json.unused"]
    long_ago = (folder / "old.json.unused").stat().st_mtime - UNUSED_DAYS * 86_400
    os.utime(folder / "old.json.unused", (long_ago, long_ago))
    assert sweep_secrets(tmp_path, ["mail", "old"]) == ([], [])
    assert unused_secrets(tmp_path, ["mail"]) == ["old"]
    assert sweep_secrets(tmp_path, ["mail"]) == ([], ["old"])
    os.utime(folder / "old.json.unused", (long_ago, long_ago))
    assert sweep_secrets(tmp_path, ["mail"]) == (["old"], [])
    assert [path.name for path in folder.iterdir()] == ["mail.json"]


def test_a_name_fits_into_names_of_files(tmp_path: Path) -> None:
    """Also where each of its letters has four bytes."""
    wide = "\U00020000"
    with pytest.raises(ValueError, match="200 bytes"):
        source(name=wide * 64)
    store_secrets(source(name=wide * 50), tmp_path, {"password": PASSWORD})
    assert stored_secrets(source(name=wide * 50), tmp_path) == {"password": PASSWORD}


def test_files_go_over_what_was_stored(tmp_path: Path) -> None:
    """One that the settings name; else what was stored, else what systemd provides under the source's name."""
    named, provided = tmp_path / "password", tmp_path / "credentials" / "mail.password"
    provided.parent.mkdir()
    provided.write_text("provided\n")
    provided.chmod(0o440)
    environ = {"CREDENTIALS_DIRECTORY": str(provided.parent)}
    assert account_secrets(source(), tmp_path, environ) == {"password": "provided"}
    store_secrets(source(), tmp_path, {"password": "stored"})
    assert account_secrets(source(), tmp_path, environ) == {"password": "stored"}
    named.write_text(f"{PASSWORD}\n")
    named.chmod(0o600)
    assert account_secrets(source(password_file=named), tmp_path, environ) == {"password": PASSWORD}
    named.chmod(0o640)
    with pytest.raises(ConfigError, match="open to others"):
        account_secrets(source(password_file=named), tmp_path, environ)


@pytest.mark.parametrize("content", ["", " \n", "two\nlines", "a\0b", "x" * 20_000])
def test_what_is_no_password_is_refused(tmp_path: Path, content: str) -> None:
    """Without showing it."""
    named = tmp_path / "password"
    named.write_text(content)
    named.chmod(0o600)
    with pytest.raises(ConfigError, match="holds no password") as caught:
        account_secrets(source(password_file=named), tmp_path, {})
    assert "two" not in f"{caught.value} {caught.value.hint}"


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=40))
def test_a_line_end_is_no_part_of_a_password(password: str) -> None:
    """Whatever else stands in it stays, blanks at its ends too."""
    for end in ("", "\n", "\r\n"):
        assert usable_password(f" {password} {end}", "it") == f" {password} "


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"v": 1, "account": "x", "secrets": {"password": 5}}'])
def test_a_damaged_file_is_told(tmp_path: Path, content: bytes) -> None:
    """By its path, with what to do, and without what is in it."""
    (tmp_path / TOKENS).mkdir()
    (tmp_path / TOKENS / "mail.json").write_bytes(content)
    with pytest.raises(StoreError, match="holds no secrets") as caught:
        stored_secrets(source(), tmp_path)
    assert "login mail" in caught.value.hint


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Neither when it is read nor when it is written."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("untouched")
    (tmp_path / TOKENS).mkdir()
    (tmp_path / TOKENS / "mail.json").symlink_to(elsewhere)
    (tmp_path / TOKENS / "mail.json.new").symlink_to(elsewhere)
    with pytest.raises(StoreError):
        stored_secrets(source(), tmp_path)
    store_secrets(source(), tmp_path, {"password": PASSWORD})
    assert stored_secrets(source(), tmp_path) == {"password": PASSWORD}
    assert elsewhere.read_text() == "untouched"


@pytest.mark.slow
def test_a_sudden_end_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    """A process that stores one password after the other is killed, three times: what is read is always whole, and never older."""
    store_secrets(source(), tmp_path, {"password": "p0"})
    before = 0
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-P", "-c", _STORE_FOR_EVER, str(tmp_path)])
        try:
            while (found := _stored_number(tmp_path)) < before + 20:
                assert process.poll() is None
        finally:
            process.kill()
            process.wait()
        assert _stored_number(tmp_path) >= found
        before = found


_STORE_FOR_EVER = """
import sys
from pathlib import Path
from memd.daemon.config.account_secrets import store_secrets
from memd.tests.sources.test_account_secrets import _stored_number, source
folder = Path(sys.argv[1])
number = _stored_number(folder)
while True:
    number += 1
    store_secrets(source(), folder, {"password": f"p{number}"})
"""


def _stored_number(folder: Path) -> int:
    return int(stored_secrets(source(), folder)["password"][1:])


def test_a_pipe_holds_no_password(tmp_path: Path) -> None:
    """It is refused at once, and not waited for."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    with pytest.raises(ConfigError, match="holds no password"):
        password_of(pipe, {})

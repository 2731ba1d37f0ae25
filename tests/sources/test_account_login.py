"""Logins over the API: what is stored belongs to a source that is there, and goes with it."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from memd.connectors.live.contract import AccountView
from memd.daemon.app import open_app
from memd.daemon.config.account_secrets import UNUSED_DAYS, recover_secrets
from memd.daemon.config.paths import TOKENS
from memd.daemon.config.settings import Settings
from memd.daemon.config.source_settings import source_settings
from memd.daemon.service import source_service
from memd.daemon.service.requests import AddSourceRequest, DoctorRequest, LoginSourceRequest, SourceRequest
from memd.daemon.service.service import Service
from memd.daemon.sources.accounts import secrets_of
from memd.schemas.errors import InvalidError, NotFoundError, StoreError
from memd.tests.cases import for_each

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
MAIL = {"name": "mail", "kind": "imap", "host": "imap.example.org", "user": "ann"}
SECRETS = {"password": SecretStr("geheim")}


@asynccontextmanager
async def memory(folder: Path, *, scheduled: bool = False) -> AsyncGenerator[Service]:
    """One without sources."""
    plain = {"data_dir": folder / "data", "embedding": {"enabled": False}, "facts": {"extractor": "off"}}
    async with open_app(Settings.model_validate(plain), serve=False, scheduled=scheduled) as service:
        yield service


def _giving(account: object) -> Callable[..., object]:
    def made(*_args: object) -> object:
        return account

    return made


def stored(folder: Path) -> list[str]:
    """Names of what is stored."""
    return sorted(path.name for path in (folder / "data" / TOKENS).iterdir())


async def test_a_source_that_is_removed_during_a_login_leaves_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one that another account got the name of."""
    async with memory(tmp_path) as service:
        await service.sources.add(AddSourceRequest(settings=MAIL, secrets=SECRETS))

        class Removed:
            async def look(self) -> AccountView:
                await service.sources.remove(SourceRequest(name="mail"))
                return AccountView()

        monkeypatch.setattr(service.sources.accounts, "with_secrets", _giving(Removed()))
        login = LoginSourceRequest(name="mail", secrets=SECRETS)
        with pytest.raises(NotFoundError):
            await service.accounts.login(login, lambda _told: None)
        assert stored(tmp_path) == []
        await service.sources.add(AddSourceRequest(settings=MAIL, secrets=SECRETS))

        class Another(Removed):
            async def look(self) -> AccountView:
                await super().look()
                await service.sources.add(AddSourceRequest(settings={**MAIL, "host": "imap.example.com"}))
                return AccountView()

        monkeypatch.setattr(service.sources.accounts, "with_secrets", _giving(Another()))
        with pytest.raises(InvalidError, match="changed meanwhile"):
            await service.accounts.login(login, lambda _told: None)
        assert stored(tmp_path) == []


async def test_a_source_whose_secret_cannot_be_stored_is_not_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no half of one."""

    def fails(*_args: object) -> None:
        raise StoreError("the disk is full")

    async with memory(tmp_path) as service:
        with monkeypatch.context() as patched:
            patched.setattr(source_service, "store_secrets", fails)
            with pytest.raises(StoreError):
                await service.sources.add(AddSourceRequest(settings=MAIL, secrets=SECRETS))
        assert (await service.sources.listing())["sources"] == []
        await service.sources.add(AddSourceRequest(settings=MAIL, secrets=SECRETS))


async def test_secrets_of_no_source_are_told_and_removed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """By doctor and by the log of a daemon; after a week they are gone."""
    async with memory(tmp_path) as service:
        await service.sources.add(AddSourceRequest(settings=MAIL, secrets=SECRETS))
        (tmp_path / "data" / TOKENS / "old.json").write_text("{}")
        findings = (await service.doctor.check(DoctorRequest(), lambda _told: None))["findings"]
        assert [each["detail"] for each in findings if each["check"] == "secrets"] == [
            "secrets are stored for no source: old"
        ]
    caplog.set_level(logging.WARNING)
    async with memory(tmp_path, scheduled=True):
        assert stored(tmp_path) == ["mail.json", "old.json", "old.json.unused"]
    assert any("secrets of 'old'" in record.getMessage() for record in caplog.records)
    mark = tmp_path / "data" / TOKENS / "old.json.unused"
    long_ago = mark.stat().st_mtime - UNUSED_DAYS * 86_400
    os.utime(mark, (long_ago, long_ago))
    async with memory(tmp_path):  # a command may have another configuration: it removes nothing
        assert stored(tmp_path) == ["mail.json", "old.json", "old.json.unused"]
    async with memory(tmp_path, scheduled=True):
        assert stored(tmp_path) == ["mail.json"]


def test_what_was_written_whole_is_taken_over(tmp_path: Path) -> None:
    """And what was not is removed."""
    folder = tmp_path / TOKENS
    recover_secrets(tmp_path)
    folder.mkdir()
    (folder / "a.json").write_text("before")
    (folder / "a.json.new").write_text('{"v": 1, "account": "x", "secrets": {}}')
    (folder / "b.json.new").write_text('{"v": 1, "acc')
    recover_secrets(tmp_path)
    assert [path.name for path in folder.iterdir()] == ["a.json"]
    assert '"account"' in (folder / "a.json").read_text()


@for_each(
    [
        ({"oauth": "microsoft"}, "client id that you registered"),
        ({"oauth_client_id": "x"}, "says nothing without oauth"),
        ({"oauth": "custom", "oauth_client_id": "x"}, "oauth_token_url and oauth_scope"),
        (
            {"oauth": "custom", "oauth_client_id": "x", "oauth_token_url": "https://a.example/", "oauth_scope": "mail"},
            "or oauth_device_url",
        ),
        ({"oauth": "google", "oauth_client_id": "x", "oauth_token_url": "http://a.example/"}, "https://"),
        ({"oauth": "google", "oauth_client_id": "x", "password_file": "/p"}, "no password_file"),
        ({"oauth": "yahoo", "oauth_client_id": "x"}, "microsoft"),
    ]
)
def test_settings_of_a_login_belong_together(more: dict[str, Any], words: str) -> None:
    """What is missing, or too much, is told."""
    with pytest.raises(ValidationError, match=words):
        source_settings(MAIL | more)


def test_a_login_by_oauth_has_secrets_of_its_own() -> None:
    """For the provider and the client id that they are of; what was read stays known when the way to log in changes."""
    plain = source_settings(MAIL)
    google = source_settings(MAIL | {"oauth": "google", "oauth_client_id": "x"})
    other = source_settings(MAIL | {"oauth": "google", "oauth_client_id": "y"})
    assert len({plain.account, google.account, other.account}) == 3
    assert plain.identity == google.identity
    assert plain.account == "imap imap.example.org ann"
    assert secrets_of(google, {"refresh_token": SecretStr("r")}) == {"refresh_token": "r"}
    with pytest.raises(InvalidError, match="no secret 'password'"):
        secrets_of(google, SECRETS)
    with pytest.raises(InvalidError, match="no secret 'refresh_token'"):
        secrets_of(plain, {"refresh_token": SecretStr("r")})

"""Accounts in the configuration: what is wrong is told with its line, and what a folder has is not what an account has."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from pydantic import ValidationError

from memd.connectors.live.account_kind import AccountKind
from memd.connectors.live.account_registry import ACCOUNT_KINDS
from memd.connectors.live.imap.settings import ImapSettings
from memd.daemon.config.account_secrets import store_secrets, stored_secrets
from memd.daemon.config.resolution import resolve_settings
from memd.daemon.config.source_settings import MODELS, SourceSettings, source_settings
from memd.daemon.scheduler.settings_check import require_sound
from memd.schemas.errors import ConfigError

GOOD = """
[[sources]]
name = "mail"
kind = "imap"
host = "imap.example.org"
user = "ann@example.org"
folders = ["INBOX", "Work/2024"]
ca_file = "/etc/ssl/own.pem"
"""


def problems(tmp_path: Path, text: str) -> list[str]:
    """What is wrong with a configuration, without its path."""
    config = tmp_path / "config.toml"
    config.write_text(text)
    try:
        require_sound(resolve_settings({"config": str(config)}, {}))
    except ConfigError as error:
        return [each.removeprefix(f"{config}:") for each in error.problems]
    return []


def test_an_account_is_a_source(tmp_path: Path) -> None:
    """With its server, its user, and what of it is read."""
    assert problems(tmp_path, GOOD) == []
    config = tmp_path / "config.toml"
    (found,) = resolve_settings({"config": str(config)}, {}).settings.sources
    assert isinstance(found, ImapSettings)
    assert (found.host, found.user, found.folders) == ("imap.example.org", "ann@example.org", ("INBOX", "Work/2024"))
    assert (found.port, found.tls, found.account) == (None, None, "imap imap.example.org ann@example.org")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('host = ""', "5: sources.0.host: is empty, or has characters that do not print"),
        (
            'host = "imap.example.org"\nport = 70000',
            "6: sources.0.port: must be a whole number from 1 to 65535, not 70000",
        ),
        ('host = "imap.example.org"\ntls = "none"', '6: sources.0.tls: must be tls or starttls, not "none"'),
        ('host = "imap.example.org"\npassword = "x"', "6: sources.0.password: unknown"),
        ('host = "imap.example.org"\nafter_read = "delete"', "2: sources.0: only a folder has after_read and move_to"),
        ('host = "imap.example.org"\npath = "/x"', "2: sources.0: only a folder has a path"),
        ("port = 143", "2: sources.0: an account of the kind imap needs host"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    """A key's own line; of what is wrong with several together, that of the table."""
    text = f'\n[[sources]]\nname = "mail"\nkind = "imap"\n{line}\nuser = "ann"\n'
    (found,) = problems(tmp_path, text)
    assert found.startswith(told)


def test_a_folder_has_no_server(tmp_path: Path) -> None:
    """And no kind is made up."""
    text = '[[sources]]\nname = "x"\npath = "/x"\nhost = "imap.example.org"\n'
    assert problems(tmp_path, text) == ["4: sources.0.host: is a setting of another kind of source: imap"]
    (told,) = problems(tmp_path, '[[sources]]\nname = "x"\nkind = "imapp"\n')
    assert told.startswith("3: sources.0.kind: there is no kind 'imapp'; kinds: folder, imap")


def test_a_cursor_is_of_a_server_and_a_user() -> None:
    """Other folders, or another port, do not begin anew; and a folder's digest is what it was before there were accounts."""
    plain = {"name": "mail", "kind": "imap", "host": "imap.example.org", "user": "ann"}
    mail = source_settings(plain)
    assert source_settings({**plain, "port": 1143, "folders": ["INBOX"]}).identity == mail.identity
    for other in ({"host": "imap.example.com"}, {"user": "bob"}, {"me": "Ann"}):
        assert source_settings({**plain, **other}).identity != mail.identity
    assert source_settings({"name": "x", "path": Path("/x")}).identity == "ace3423490abadf9"


def test_a_bot_is_read_when_its_kind_needs_it() -> None:
    """Also where it is declared without a schedule; what is said counts."""
    assert source_settings({"name": "bot", "kind": "telegram"}).schedule == "5m"
    assert source_settings({"name": "bot", "kind": "telegram", "schedule": "1h"}).schedule == "1h"
    assert source_settings({"name": "mail", "kind": "imap", "host": "a", "user": "b"}).schedule == "0 3 * * *"


@pytest.mark.parametrize("setting", [{"chat": "Boats"}, {"format": "telegram"}, {"date_order": "dmy"}])
def test_an_account_has_nothing_of_a_folder(setting: dict[str, Any]) -> None:
    """What would do nothing is refused."""
    with pytest.raises(ValidationError, match="only a folder has"):
        source_settings({"name": "bot", "kind": "telegram", **setting})


def test_a_token_is_bound_to_its_server(tmp_path: Path) -> None:
    """With another address the stored one is not sent."""
    bot = source_settings({"name": "bot", "kind": "telegram"})
    store_secrets(bot, tmp_path, {"token": "1:a"})
    assert stored_secrets(bot, tmp_path) == {"token": "1:a"}
    assert stored_secrets(bot.model_copy(update={"api_url": "https://other.example"}), tmp_path) == {}


@pytest.mark.parametrize("kind", ACCOUNT_KINDS.values(), ids=ACCOUNT_KINDS)
def test_a_kind_is_described_whole(kind: AccountKind) -> None:
    """Its flags and the files of its secrets are settings of its model, which the documentation names; its connector is there."""
    fields = MODELS[kind.name].model_fields
    documentation = (Path(__file__).parents[2] / "docs/sources.md").read_text(encoding="utf-8")
    assert {flag.setting for flag in kind.flags} | {f"{name}_file" for name in kind.secret_names} <= fields.keys()
    own = fields.keys() - SourceSettings.model_fields
    assert [name for name in (kind.name, *own) if f"`{name}`" not in documentation] == []
    assert callable(resolve_name(kind.connector))

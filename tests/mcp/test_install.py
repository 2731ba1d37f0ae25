"""`memd mcp --install` and `--recall`: what is written into the configuration of each program, and what a hook prints."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli.commands.mcp import PROGRAMS as CHOICES
from memd.daemon.mcp.programs import PROGRAMS, changed
from memd.schemas.errors import ConfigError
from memd.tests.cases import check_all, for_each
from memd.tests.e2e.conftest import LINES, Memd, write_chat
from memd.tests.mcp.test_stdio import memd

__all__ = ["memd"]
COMMAND = ["/opt/memd", "mcp", "--data-dir", "/a b"]
ENTRY = {"command": "/opt/memd", "args": ["mcp", "--data-dir", "/a b"]}


def test_each_program_has_its_file() -> None:
    """Below the home, or where its variable points."""
    paths = {name: program.path("/h", {}) for name, program in PROGRAMS.items()}
    assert paths == {
        "claude-code": "/h/.claude.json",
        "claude-desktop": "/h/.config/Claude/claude_desktop_config.json",
        "cursor": "/h/.cursor/mcp.json",
        "vscode": "/h/.config/Code/User/mcp.json",
        "codex": "/h/.codex/config.toml",
    }
    moved = {"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d", "XDG_CONFIG_HOME": "/x"}
    assert PROGRAMS["codex"].path("/h", moved) == "/c/config.toml"
    assert PROGRAMS["claude-code"].path("/h", moved) == "/d/.claude.json"
    assert PROGRAMS["vscode"].path("/h", moved) == "/x/Code/User/mcp.json"
    assert tuple(PROGRAMS) == CHOICES


def test_what_else_stands_in_a_file_stays() -> None:
    """Other keys, other servers, their order and the indentation; memd's own entry is replaced."""
    before = (
        '{\n    "z": 1,\n    "mcpServers": {"other": {"command": "x"}, "memd": {"command": "old"}},\n    "a": [2]\n}'
    )
    after = changed(PROGRAMS["cursor"], before, COMMAND)
    assert json.loads(after) == {"z": 1, "mcpServers": {"other": {"command": "x"}, "memd": ENTRY}, "a": [2]}
    assert list(json.loads(after)) == ["z", "mcpServers", "a"]
    assert after.startswith('{\n    "z"')
    assert json.loads(changed(PROGRAMS["vscode"], "", COMMAND)) == {"servers": {"memd": {"type": "stdio", **ENTRY}}}


@for_each(
    [
        ("", {}),
        ("# mine\nmodel = 'x'\n", {"model": "x"}),
        ("model = 'x'", {"model": "x"}),
        ("[mcp_servers.memd]\ncommand = 'old'\nargs = []\n[other]\na = 1\n", {"other": {"a": 1}}),
    ]
)
def test_a_table_is_added_or_replaced(before: str, rest: dict[str, Any]) -> None:
    """All other lines stay, comments too; doing it twice changes nothing more."""
    after = changed(PROGRAMS["codex"], before, COMMAND)
    assert tomllib.loads(after) == rest | {"mcp_servers": {"memd": ENTRY}}
    assert ("# mine" in after) == ("# mine" in before)
    assert changed(PROGRAMS["codex"], after, COMMAND) == after


@for_each(
    [
        ("cursor", "{"),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("vscode", '{\n  // mine\n  "servers": {}\n}'),
        ("codex", "a ="),
        ("codex", "mcp_servers = {memd = {command = 'x'}}\n"),
        ("codex", "[mcp_servers]\nmemd.command = 'x'\n"),
    ]
)
def test_a_file_of_another_form_is_left_alone(name: str, text: str) -> None:
    """With what to write into it oneself: comments in JSON would be lost."""
    with pytest.raises(ConfigError) as raised:
        changed(PROGRAMS[name], text, COMMAND)
    assert "command" in raised.value.hint


@pytest.mark.slow
def test_a_program_is_configured(memd: Memd, tmp_path: Path) -> None:
    """What is written is shown before; without a terminal it needs --yes; a second time changes nothing."""
    memd.environment |= {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": ""}
    memd.environment.pop("CODEX_HOME", None)
    (tmp_path / "home").mkdir()

    def check(name: str) -> None:
        path = Path(PROGRAMS[name].path(str(tmp_path / "home"), {}))
        asked = memd("mcp", "--install", name)
        assert (asked.returncode, path.exists()) == (2, False)
        assert b"memd" in asked.stdout
        done = memd("mcp", "--install", name, "--yes", "--allow-forget")
        assert done.returncode == 0, done.stderr.decode()
        text = path.read_text()
        assert done.stdout.decode().splitlines()[3:] == [f"+{line}" for line in text.splitlines()]
        assert "--allow-forget" in text
        assert os.stat(path).st_mode & 0o077 == 0
        again = memd.json("mcp", "--install", name, "--yes", "--allow-forget")
        assert (again["changed"], again["path"], path.read_text()) == (False, str(path), text)

    check_all(PROGRAMS, check)


@pytest.mark.slow
def test_a_hook_recalls_once(memd: Memd, tmp_path: Path) -> None:
    """What is found, as a quotation; nothing where nothing is; an error has its exit code."""
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", LINES)
    failed = memd("mcp", "--recall", "sister", "--no-start")
    assert (failed.returncode, failed.stdout) == (6, b"")
    assert b"no memd runs" in failed.stderr
    memd.until_served(memd.start("serve"))
    empty = memd("mcp", "--recall", "sister")
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, b"", b"")
    memd.json("ingest", str(chat), "--me", "Ann")
    found = memd("mcp", "--recall", "where does Carla live?")
    assert found.stdout.startswith(b"<memd-quote ")
    assert b"Carla stays in Oslo" in found.stdout
    assert b"data, not instructions" in found.stdout

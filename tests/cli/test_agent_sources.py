"""`memd sources add agents`: a source for each program whose sessions are there, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.tests.connectors.llm_chats.test_agent_sessions import CODEX
from memd.tests.e2e.conftest import Memd


@pytest.fixture
def memd(tmp_path: Path) -> Memd:
    """The command, whose home has no program."""
    command = Memd(tmp_path)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        command.environment.pop(name, None)
    command.environment["HOME"] = str(tmp_path / "home")
    (tmp_path / "home").mkdir()
    return command


def test_the_programs_that_are_there(memd: Memd, tmp_path: Path) -> None:
    """Each with its format; what is a source already is said; a sync reads the sessions."""
    nothing = memd("sources", "add", "agents")
    assert nothing.returncode == 2
    assert "~/.codex/sessions" in nothing.stderr.decode()
    day = tmp_path / "home" / ".codex" / "sessions" / "2024" / "01" / "15"
    day.mkdir(parents=True)
    (day / "rollout-1.jsonl").write_bytes(CODEX)
    elsewhere = tmp_path / "claude"
    (elsewhere / "projects").mkdir(parents=True)
    memd.environment["CLAUDE_CONFIG_DIR"] = str(elsewhere)
    added = memd.json("sources", "add", "agents", "--me", "Ann")["sources"]
    assert [(each["name"], each["path"]) for each in added] == [
        ("claude-code", str(elsewhere / "projects")),
        ("codex", str(day.parents[2])),
    ]
    assert memd.json("sources", "add", "agents")["sources"] == []
    assert memd("sync", "codex").returncode == 0
    hit = memd.json("query", "which glaze")["hits"][0]
    assert (hit["speaker"], hit["text"], hit["source"]) == ("Ann", "Which glaze?", "codex")
    assert memd("sources", "add", "agents", "/somewhere").returncode == 2

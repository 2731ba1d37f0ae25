"""`memd demo`: the whole story over the sample chats, and nothing of it stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import demo

pytestmark = pytest.mark.slow


def test_the_demo_answers_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each command is shown with its answer; the user's folders, settings and environment stay as they were."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("MEMD_QUERY_LIMIT", "none of these")  # settings of the user's that no command could run with
    before, folder = dict(os.environ), os.getcwd()
    assert main(["demo"]) == 0
    assert (dict(os.environ), os.getcwd()) == (before, folder)
    assert list(tmp_path.iterdir()) == []
    out, _ = capfd.readouterr()
    assert [line.split()[2] for line in out.splitlines() if line.startswith("$ memd ")] == [
        *("ingest", "query", "query", "query", "facts", "history", "undo", "facts", "undo")
    ]
    assert "Priya Raman lives in Lisbon." in out
    assert "der Zug fährt 7:04" in out


def test_programs_get_a_line_for_each_answer(capfd: pytest.CaptureFixture[str]) -> None:
    """JSON lines, in the order of the commands."""
    assert main(["demo", "--json"]) == 0
    answers = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert len(answers) == 9
    assert answers[0]["added"] == 68
    assert [set(answer) >= {"hits"} for answer in answers[1:4]] == [True] * 3


def test_missing_samples_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An installation without them gets a sentence."""
    monkeypatch.setattr(demo, "PACKAGE", tmp_path)
    assert main(["demo"]) != 0
    assert "the sample chats are missing" in capfd.readouterr().err

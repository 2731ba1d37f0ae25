"""Exports of chats that have one title: the same chat goes on, another one is not mixed into it unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import ingest
from memd.daemon.client import Client
from memd.tests.e2e.conftest import write_chat

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

NAME = "WhatsApp Chat with Ben.txt"
TALK = [("Ann", "the boat is blue"), ("Ben", "and red"), ("Ann", "which one"), ("Ben", "the old one")]
OTHER = [("Cid", "a mill"), ("Dora", "with a wheel"), ("Cid", "and a pond"), ("Dora", "and ducks")]
REFUSED = b"memd: a chat of this name is stored, and shares no message with this one: Ben\n"


@pytest.mark.slow
def test_another_chat_of_the_title_is_refused(memd: Memd, tmp_path: Path) -> None:
    """Nothing of the import is kept, also not of the files beside it; under a name of its own it comes in."""
    folder = tmp_path / "exports"
    folder.mkdir()
    memd.json("ingest", str(write_chat(tmp_path / NAME, TALK)), "--me", "Ann")
    stored, runs = memd("export").stdout, memd.json("runs")["runs"]
    other = write_chat(folder / NAME, OTHER)
    write_chat(folder / "WhatsApp Chat with Dan.txt", [("Dan", "hello")])
    refused = memd("ingest", str(folder), "--me", "Ann")
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert REFUSED in refused.stderr
    assert b"hint: give this one a name of its own: --chat NAME" in refused.stderr
    assert (memd("export").stdout, memd.json("runs")["runs"]) == (stored, runs)
    assert memd.json("ingest", str(other), "--me", "Ann", "--chat", "Mill")["added"] == 4


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory for commands in this process."""
    (tmp_path / "c").touch()
    more = {
        "DATA_DIR": tmp_path / "d",
        "SOCKET": tmp_path / "s",
        "CONFIG": tmp_path / "c",
        "EMBEDDING_ENABLED": "false",
    }
    for name, value in more.items():
        monkeypatch.setenv(f"MEMD_{name}", str(value))
    return tmp_path


@pytest.mark.slow
def test_somebody_at_a_terminal_is_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a yes it is the same chat, with a no nothing is kept."""
    answers = [False, True]
    monkeypatch.setattr(ingest, "can_ask", lambda: True)
    monkeypatch.setattr(ingest, "ask_yes", lambda question: question == "Are they the same chat?" and answers.pop(0))  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    command = ["ingest", str(write_chat(home / NAME, TALK)), "--me", "Ann", "--zone", "UTC", "--json"]
    assert main(command) == 0
    write_chat(home / NAME, OTHER)
    assert (main(command), main(command)) == (2, 0)
    assert capsys.readouterr().err.count(REFUSED.decode().removeprefix("memd: ")) == 2
    assert main(["stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["messages"] == 8


@pytest.mark.slow
@pytest.mark.parametrize("at_hand", [ingest.AT_HAND_BYTES, 0])
def test_a_chat_that_goes_on_is_sent_once(home: Path, monkeypatch: pytest.MonkeyPatch, at_hand: int) -> None:
    """A day that is stored as it stands in the export says that it is the same chat; without one the days that are stored
    otherwise are sent before, too. Whether the lines fit into memory or are read twice.
    """
    monkeypatch.setattr(ingest, "AT_HAND_BYTES", at_hand)
    sent: list[bytes] = []

    def ask(self: Client, method: str, path: str, body: bytes | None = None, *more: Any, **others: Any) -> Any:
        if path.startswith("/v1/documents"):
            sent.append(body or b"")
        return asked(self, method, path, body, *more, **others)

    asked = Client.ask
    monkeypatch.setattr(Client, "ask", ask)
    command = ["ingest", str(home / NAME), "--me", "Ann", "--zone", "UTC", "--json"]
    later = [*TALK, *[("Ben", f"message {number}") for number in range(1500)]]  # of two days
    for lines, times in ((TALK, 1), (later[:5], 2), (later, 2), (later, 1), ([*later, ("Ann", "yes")], 1)):
        write_chat(home / NAME, lines)
        assert main(command) == 0
        assert sum(body.count(b"the boat is blue") for body in sent) == times, len(lines)
        sent.clear()

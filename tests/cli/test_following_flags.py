"""Flags that say what a command follows, and for how long: of answers that a daemon gives in a certain order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memd.daemon.cli import main
from memd.daemon.operations import RUN

CHAT = "15/01/2024, 12:30 - Ann: the boat is blue\n16/01/2024, 12:31 - Bob: and red\n"


class ScriptedClient:
    """Keeps what it is sent, and tells of a run whose messages are stored long before their vectors are made."""

    def __init__(self) -> None:
        self.followed: list[str | None] = []

    def undecided(self, days: Iterable[tuple[str, str, str]]) -> set[str]:
        """Every chat is new or known."""
        return set() if list(days) else {"?"}

    def conflicts(self, lines: Iterable[bytes]) -> list[str]:
        """Nothing is left to decide."""
        assert not list(lines)
        return []

    def send_documents(self, lines: Iterable[bytes], *_: object) -> Iterator[SimpleNamespace]:
        """Accepts them."""
        yield SimpleNamespace(run="r", accepted=len(list(lines)), unchanged=0)

    def call(self, operation: object, given: object = None, **_: object) -> dict[str, Any]:
        """The whole id of a run; of anything else nothing."""
        return {"run": "r"} if operation is RUN and given == {"id": "beginning"} else {}

    def events(self, run: str | None) -> Iterator[dict[str, Any]]:
        """Stored, vectors begun, vectors made."""
        self.followed.append(run)
        stored = {"run": "r", "processed": 2, "added": 2, "documents": 2, "to_embed": 2}
        yield stored | {"stage": "storing", "embedded": 0}
        yield stored | {"stage": "embedding", "embedded": 0}
        yield stored | {"stage": "embedding", "embedded": 1}
        yield stored | {"stage": "done", "embedded": 2, "outcome": "partial"}


@pytest.mark.parametrize(
    ("flags", "vectors"), [((), {"done": 2, "pending": 0}), (("--no-wait",), {"done": 0, "pending": 2})]
)
def test_an_ingest_waits_for_vectors_unless_told_otherwise(
    flags: tuple[str, ...],
    vectors: dict[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`--no-wait` returns when everything is stored, and says how many vectors are to come."""

    def with_client(_: object, work: Callable[[ScriptedClient], int]) -> int:
        return work(ScriptedClient())

    monkeypatch.setattr("memd.daemon.cli.commands.ingest.with_client", with_client)
    chat = tmp_path / "WhatsApp Chat with Bob.txt"
    chat.write_text(CHAT)
    main(["ingest", str(chat), "--me", "Ann", "--zone", "UTC", "--date-order", "dmy", *flags, "--json"])
    assert json.loads(capsys.readouterr().out)["vectors"] == vectors


def test_watch_follows_the_run_that_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--run` asks for that one alone, and ends with its outcome; else everything is followed, which has no outcome."""
    client = ScriptedClient()

    def running(_: object) -> ScriptedClient:
        return client

    monkeypatch.setattr("memd.daemon.cli.connect.daemon_after_start", running)
    assert [main(["watch", *words, "--json"]) for words in (("--run", "r"), ("--run", "beginning"), ())] == [4, 4, 0]
    assert client.followed == ["r", "r", None]
    assert len(capsys.readouterr().out.splitlines()) == 12

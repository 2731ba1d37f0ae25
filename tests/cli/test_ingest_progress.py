"""What an ingest says on a terminal while vectors are made."""

from __future__ import annotations

import argparse
import sys
from typing import Any, cast

import pytest

from memd.daemon.cli.commands import ingest
from memd.daemon.cli.commands.ingest import MANY_VECTORS, vectors_left
from memd.daemon.cli.render.progress import ProgressBar
from memd.daemon.client import Client


class Updates:
    """A client that tells of one run with so many vectors."""

    def __init__(self, count: int) -> None:
        self.count = count

    def events(self, _run: str) -> list[dict[str, Any]]:
        """From storing to the end."""
        vectors = [{"stage": "embedding", "to_embed": self.count, "embedded": done} for done in (0, 1, 2)]
        return [{"stage": "storing"}, *vectors, {"stage": "done", "outcome": "ok"}]


def said(count: int, capsys: pytest.CaptureFixture[str], *, as_json: bool = False) -> int:
    """How often an ingest of so many vectors says that it can be asked."""
    arguments = argparse.Namespace(
        json=as_json, no_wait=False, config=None, data_dir="/d", socket=None, paths=["x"], allow_again=False
    )
    command = ingest._IngestCommand(arguments, cast("Any", None))  # pyright: ignore[reportPrivateUsage]
    with ProgressBar() as bar:
        command._follow(cast("Client", Updates(count)), "r", bar)  # pyright: ignore[reportPrivateUsage]
    return capsys.readouterr().err.count("memd --data-dir /d query ")


def test_a_long_wait_says_once_that_questions_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, where many vectors are to be made."""
    assert said(MANY_VECTORS, capsys) == 0
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert said(MANY_VECTORS, capsys) == 1
    assert said(MANY_VECTORS - 1, capsys) == 0
    assert said(MANY_VECTORS, capsys, as_json=True) == 0
    assert vectors_left({"stage": "storing"}) == 0

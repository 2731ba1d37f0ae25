"""Which facts `memd query` shows above the hits."""

from __future__ import annotations

from typing import Any

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import query

FACT: dict[str, Any] = {
    "id": "8f6d5c1a-0000-5000-8000-000000000001",
    "content": "Bob lives in Porto.",
    "subject": "Bob",
    "attribute": "home",
    "value": "Porto",
    "speaker": "Bob",
    "observed_at": "2024-01-15T12:00:00Z",
    "evidence": [],
}


@pytest.mark.parametrize(
    ("weak", "flags", "shown"),
    [(False, [], True), (True, [], False), (True, ["--superseded"], True), (True, ["--as-of", "2024-02-01"], True)],
)
def test_nothing_is_known_where_nothing_matches_well(
    weak: bool, flags: list[str], shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fact shown first would look like the answer, unless facts were asked for."""
    answer: dict[str, Any] = {"query": "x", "took_ms": 1.0, "weak": weak, "degraded": [], "hits": [], "facts": [FACT]}

    def answered(*_: object) -> dict[str, Any]:
        return answer

    def not_empty(*_: object) -> bool:
        return False

    monkeypatch.setattr(query, "request", answered)
    monkeypatch.setattr(query, "_is_empty", not_empty)
    assert main(["query", "where does Bob live?", *flags]) in (0, 1)
    assert ("Bob lives in Porto." in capsys.readouterr().out) == shown

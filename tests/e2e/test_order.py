"""The order in which a question is answered, as `--sort` asks for it."""

from __future__ import annotations

from pathlib import Path

from memd.tests.e2e.conftest import Memd

CHAT = """15/01/2024, 12:30 - Ann: the old lamp in the hall is broken again I fear
16/01/2024, 12:31 - Bob: which lamp? the lamp lamp?
17/01/2024, 12:31 - Cleo: nobody ever uses the lamp there
"""


def test_the_best_come_first_and_on_request_the_oldest(memd: Memd, tmp_path: Path) -> None:
    """The same hits; by time from the oldest on, whatever their scores."""
    chat = tmp_path / "WhatsApp Chat with Lamps.txt"
    chat.write_text(CHAT, encoding="utf-8")
    memd.json("ingest", str(chat), "--zone", "UTC")
    best = memd.json("query", "lamp")["hits"]
    assert memd.json("query", "lamp", "--sort", "score")["hits"] == best
    oldest = memd.json("query", "lamp", "--sort", "time")["hits"]
    scores = [hit["score"] for hit in best]
    assert scores == sorted(scores, reverse=True)
    assert [hit["time"][:10] for hit in oldest] == ["2024-01-15", "2024-01-16", "2024-01-17"]
    assert [hit["id"] for hit in best] != [hit["id"] for hit in oldest]
    assert {hit["id"] for hit in best} == {hit["id"] for hit in oldest}
